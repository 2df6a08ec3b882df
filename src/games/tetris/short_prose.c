// Tetris in few words: clauses and a situation (M55).
#include "codec/short_prose.h"
#include "games/tetris/codec.h"
#include "games/tetris/rules/tetris.h"

static void write_rules(struct text *t, const void *rules, int seats)
{
    const struct tetris_rules *r = rules;
    (void)seats;
    text_puts(
        t, "The field has 10 columns (0 to 9 from the left) and 20 rows (0 at the top to 19 at the bottom). Pieces "
           "I O T S Z J L of four cells come one at a time. A row without gaps disappears and everything above comes "
           "down. When a new piece has no room the game is over. Keep the stack low and flat and leave no holes "
           "under cells.\n"
           "place X ROTATION drops the piece, turned north, east, south or west, with its leftmost cell in column X. "
           "Every piece appears facing north; wide pieces lie flat facing north and south and stand upright facing "
           "east and west. With \" hold\" the kept piece (or the next one) is placed instead and this one is kept; "
           "once per piece.\n");
    if (r->goal == TETRIS_GOAL_LINES)
        codec_write(t, "You have won when %d lines are cleared. ", r->goal_count);
    else if (r->goal == TETRIS_GOAL_TICKS)
        codec_write(t, "You have won when you survive %d ticks. ", r->goal_count);
    else if (r->goal)
        text_puts(t, "You have won when no garbage is left. ");
    codec_write(t, "%s points for 1, 2, 3, 4 lines at once, times (level + 1).\n",
                r->ruleset == TETRIS_GUIDELINE ? "100, 300, 500, 800" : "40, 100, 300, 1200");
}

static enum clause_weight write_clause(struct text *t, const struct codec_table *table, const struct game_event *e,
                                       int count)
{
    struct tetris_lock lock = tetris_event_lock(e);
    (void)table, (void)count;
    switch (e->kind) {
    case TETRIS_PIECE_LOCKED:
        codec_write(t, "placed %s at column %d facing %s", tetris_kind_names[lock.kind], lock.x,
                    tetris_rotation_names[lock.rotation]);
        return CLAUSE_MINOR;
    case TETRIS_LINES_CLEARED:
        codec_write(t, "%d line%s cleared", lock.lines, lock.lines == 1 ? "" : "s");
        return CLAUSE_MAJOR;
    case TETRIS_LEVEL_UP:
        codec_write(t, "level %d", e->amount);
        return CLAUSE_MAJOR;
    case TETRIS_HELD:
        codec_write(t, "%s is kept", tetris_kind_names[e->data[0]]);
        return CLAUSE_MINOR;
    case TETRIS_GARBAGE_ROSE:
        codec_write(t, "%d garbage row%s rise", e->amount, e->amount == 1 ? "" : "s");
        return CLAUSE_MAJOR;
    case TETRIS_GAME_OVER:
        text_puts(t, e->data[0] == TETRIS_GOAL ? "the goal is reached" : "the stack is too high");
        return CLAUSE_MAJOR;
    default:
        return CLAUSE_SILENT;
    }
}

static void write_rows(struct text *t, const struct tetris_view *v)
{
    int first = 0;
    while (first < TETRIS_CELLS && !v->cells[first])
        first++;
    for (int y = first / TETRIS_WIDTH; y < TETRIS_HEIGHT; y++) {
        codec_write(t, "%d ", y);
        for (int x = 0; x < TETRIS_WIDTH; x++) // colours say nothing: # is taken
            text_put_char(t, v->cells[y * TETRIS_WIDTH + x] ? '#' : '.');
        text_put_char(t, '\n');
    }
    if (first >= TETRIS_WIDTH && first < TETRIS_CELLS)
        codec_write(t, "Rows above %d are empty. ", first / TETRIS_WIDTH);
    if (first == TETRIS_CELLS)
        text_puts(t, "The field is empty. ");
}

static void write_situation(struct text *t, const struct codec_table *table, const void *view)
{
    static const char *const left[] = {"", "lines", "garbage rows", "ticks"};
    const struct tetris_view *v = view;
    (void)table;
    codec_write(t, "Score %u, lines %u, level %u.", v->facts.score, v->facts.lines, v->facts.level);
    if (v->goal)
        codec_write(t, " To go: %d %s.", v->goal_left, left[v->goal]);
    if (v->facts.pending)
        codec_write(t, " %d garbage rows rise next.", v->facts.pending);
    text_put_char(t, '\n');
    write_rows(t, v);
    if (v->facts.end)
        return;
    codec_write(t, "Piece %s, next", tetris_kind_names[v->piece.kind]);
    for (int i = 0; i < TETRIS_NEXT && v->next[i]; i++)
        codec_write(t, " %s", tetris_kind_names[v->next[i]]);
    codec_write(t, ", hold %s.", v->facts.hold ? tetris_kind_names[v->facts.hold] : "empty");
}

const struct codec_short_prose tetris_short_prose = {
    .rules = write_rules,
    .situation = write_situation,
    .clause = write_clause,
};

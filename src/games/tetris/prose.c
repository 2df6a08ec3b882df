// Tetris in words and as a picture.
#include "games/tetris/codec.h"
#include "games/tetris/rules/tetris.h"

// --- rules ---

static void describe_scoring(struct text *t, const struct tetris_rules *r)
{
    bool guideline = r->ruleset == TETRIS_GUIDELINE;
    codec_write(
        t,
        "Scoring, each times (level + 1): %s points for 1, 2, 3, 4 lines at once; a T-spin (a T turned into a "
        "slot, three of its box corners blocked) 400, 800, 1200, 1600 for 0 to 3 lines, a mini T-spin 100, 200, "
        "400 for 0 to 2. ",
        guideline ? "100, 300, 500, 800" : "40, 100, 300, 1200");
    codec_write(
        t, "Four lines and %s with lines count for back-to-back: the next such clear is worth half as much again%s. ",
        guideline ? "T-spins" : "full T-spins",
        guideline ? ", until a clear that does not count" : ", if no other lock comes between");
    codec_write(t, "Clears in consecutive locks are a combo: 50 points times the combo%s. ",
                guideline ? " times (level + 1)" : "");
    if (guideline)
        text_puts(t, "Emptying the field adds 800, 1200, 1800, 2000 times (level + 1). ");
    text_puts(t,
              "A soft drop gives 1 point a row, a hard drop 2. The level rises by one every 10 lines and pieces fall "
              "faster with it.\n");
}

static void describe_goal(struct text *t, const struct tetris_rules *r)
{
    if (r->goal == TETRIS_GOAL_LINES)
        codec_write(t, "You have won when %d lines are cleared. ", r->goal_count);
    if (r->goal == TETRIS_GOAL_GARBAGE)
        text_puts(t, "You have won when no garbage is left on the field. ");
    if (r->goal == TETRIS_GOAL_TICKS)
        codec_write(t, "You have won when you survive %d ticks. ", r->goal_count);
    if (r->garbage_rows)
        codec_write(t, "%d garbage rows (G), each with one hole, lie on the field at the start. ", r->garbage_rows);
    if (r->rise_first)
        codec_write(t, "A garbage row comes after %d ticks, then each %d ticks sooner but not below %d. ",
                    r->rise_first, r->rise_sooner, r->rise_least);
    if (r->rise_rate)
        codec_write(t, "%d garbage rows come in 1000 ticks. ", r->rise_rate);
    if (r->rise_first || r->rise_rate)
        text_puts(t, "Garbage waits until your next piece locks, then pushes the field up from below. ");
}

static void describe_time(struct text *t, const struct tetris_rules *r)
{
    unsigned delay = (r->ruleset == TETRIS_GUIDELINE ? 500u : 450u) * r->lock_milli / 1000u;
    codec_write(
        t,
        "A tick is 16 ms. A piece falls one row a second at level 0, faster at every level, a row in 120 ms from "
        "level 9 on; a piece on the ground locks after %u ms. ",
        delay);
    if (r->gravity_milli != 1000)
        codec_write(t, "Gravity is multiplied by %d.%03d. ", r->gravity_milli / 1000, r->gravity_milli % 1000);
    if (r->level)
        codec_write(t, "You start at level %d. ", r->level);
}

void tetris_describe_rules(struct text *t, const void *rules, int seats)
{
    (void)seats;
    const struct tetris_rules *r = rules;
    codec_write(
        t,
        "Tetris, ruleset %s. The field has 10 columns (x 0 to 9 from the left) and 20 rows (y 0 at the top to 19 at "
        "the bottom)%s. ",
        r->ruleset == TETRIS_GUIDELINE ? "guideline" : "standard",
        r->ruleset == TETRIS_GUIDELINE ? ", with 4 hidden rows above it" : "");
    text_puts(t,
              "Pieces of four cells (I O T S Z J L, each once per shuffled bag of seven) fall one at a time. A piece "
              "locks when it rests; a row without gaps disappears and everything above it comes down. When a new "
              "piece has no room the game is over. Keep the stack low and flat and leave no holes under cells.\n");
    text_puts(t, "Inputs: move left or right by one column; rotate cw or ccw (with wall kicks); soft_drop, one row; "
                 "hard_drop, down to rest and lock; hold, put the piece aside and take out what was there (or the next "
                 "piece), once per piece. ");
    text_puts(
        t, "Better: place {x, rotation, use_hold} does all at once: the piece is turned where it is, shifted to the "
           "column x of its leftmost cell and dropped. Every piece appears facing north; wide pieces lie flat facing "
           "north and south and stand upright facing east and west. path \"full\" also finds ways under overhangs, "
           "with y as the row of the topmost cell.\n");
    if (r->zen)
        text_puts(t, "There is no gravity and no lock delay: only hard_drop and place lock a piece; take your time. ");
    else
        describe_time(t, r);
    describe_goal(t, r);
    text_puts(t, "\n");
    describe_scoring(t, r);
}

// --- the situation ---

static void describe_heights(struct text *t, const struct tetris_view *v)
{
    int holes = 0;
    text_puts(t, "Column heights from the left:");
    for (int x = 0; x < TETRIS_WIDTH; x++) {
        int y = 0;
        while (y < TETRIS_HEIGHT && !v->cells[y * TETRIS_WIDTH + x])
            y++;
        codec_write(t, " %d", TETRIS_HEIGHT - y);
        for (; y < TETRIS_HEIGHT; y++)
            holes += !v->cells[y * TETRIS_WIDTH + x];
    }
    codec_write(t, "; %d covered holes.\n", holes);
}

static void describe_field(struct text *t, const struct tetris_view *v)
{
    int first = 0;
    while (first < TETRIS_CELLS && !v->cells[first])
        first++;
    if (first == TETRIS_CELLS) {
        text_puts(t, "The field is empty.\n");
        return;
    }
    codec_write(t, "The field from row %d down (all above is empty):\n", first / TETRIS_WIDTH);
    for (int y = first / TETRIS_WIDTH; y < TETRIS_HEIGHT; y++) {
        char *row = text_reserve(t, TETRIS_WIDTH + 4);
        if (!row)
            return;
        row[0] = y < 10 ? ' ' : '1';
        row[1] = (char)('0' + y % 10);
        row[2] = ' ';
        for (int x = 0; x < TETRIS_WIDTH; x++)
            row[3 + x] = ".IOTSZJLG"[v->cells[y * TETRIS_WIDTH + x]];
        row[3 + TETRIS_WIDTH] = '\n';
    }
    describe_heights(t, v);
}

static void describe_pieces(struct text *t, const struct tetris_view *v)
{
    const struct tetris_piece *p = &v->piece;
    if (p->kind) {
        int left = tetris_left(p->kind, p->rotation), top = tetris_top(p->kind, p->rotation);
        codec_write(
            t,
            "Your piece is %s facing %s, leftmost cell in column %d, topmost in row %d; dropped now it rests at row "
            "%d. ",
            tetris_kind_names[p->kind], tetris_rotation_names[p->rotation], p->x + left, p->y + top,
            tetris_ghost(v) + top);
    }
    codec_write(t, "Hold: %s%s. Next:", v->facts.hold ? tetris_kind_names[v->facts.hold] : "empty",
                v->facts.can_hold ? "" : " (used for this piece)");
    for (int i = 0; i < TETRIS_NEXT && v->next[i]; i++)
        codec_write(t, " %s", tetris_kind_names[v->next[i]]);
    text_puts(t, ".\n");
}

static void describe_goal_left(struct text *t, const struct tetris_view *v)
{
    static const char *const left[] = {"", "lines", "garbage rows", "ticks"};
    if (v->goal)
        codec_write(t, " To go: %d %s.", v->goal_left, left[v->goal]);
    if (v->facts.pending)
        codec_write(t, " %d garbage rows rise at the next lock.", v->facts.pending);
}

void tetris_describe_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct tetris_view *v = view;
    const struct tetris_facts *f = &v->facts;
    codec_write(t, "Score %u, level %u, lines %u.", f->score, f->level, f->lines);
    if (f->combo > 0)
        codec_write(t, " Combo %d.", f->combo);
    if (f->back_to_back)
        text_puts(t, " Back-to-back.");
    describe_goal_left(t, v);
    text_puts(t, "\n");
    describe_field(t, v);
    describe_pieces(t, v);
    if (f->end)
        codec_write(t, "The game is over: %s. Nothing is possible but a new game.\n", tetris_end_names[f->end]);
    else if (f->paused)
        text_puts(t, "The game is paused: only pause (to go on) or restart has an effect.\n");
    else if (!table->brief)
        codec_write(t, "You may place (x, rotation%s) or move, rotate, soft_drop, hard_drop%s.\n",
                    f->can_hold ? ", use_hold" : "", f->can_hold ? ", hold" : "");
}

// --- actions and events ---

void tetris_describe_action(struct text *t, const struct codec_table *table, struct game_action a)
{
    (void)table;
    static const char *const inputs[] = {"waits",      "moves left",       "moves right", "turns clockwise",
                                         "turns back", "soft-drops",       "hard-drops",  "holds",
                                         "",           "pauses or resumes"};
    if (a.kind < sizeof inputs / sizeof *inputs && a.kind != TETRIS_PLACE)
        text_puts(t, inputs[a.kind]);
    else if (a.kind == TETRIS_PLACE)
        codec_write(t, "places %scolumn %d facing %s", a.arg[2] & TETRIS_PLACE_HOLD ? "the held piece at " : "at ",
                    a.arg[0], tetris_rotation_names[a.arg[1] & 3]);
    else if (a.kind == TETRIS_RESTART && a.arg[0])
        codec_write(t, "restarts with seed %u", (uint32_t)a.amount);
    else if (a.kind == TETRIS_RESTART)
        text_puts(t, "restarts");
    else if (a.kind == TETRIS_GARBAGE)
        codec_write(t, "sends %d garbage rows", a.arg[0]);
    else if (a.kind == TETRIS_NEXT_PIECE)
        codec_write(t, "makes %s the next piece", tetris_kind_names[a.arg[0] & 7]);
    else if (a.kind == TETRIS_SET_LEVEL)
        codec_write(t, "sets level %d", a.arg[0]);
    else if (a.kind == TETRIS_SET_GRAVITY)
        codec_write(t, "sets gravity to %d.%03d", a.amount / 1000, a.amount % 1000);
    else if (a.kind == TETRIS_SET_RISE)
        codec_write(t, "sets garbage to %d rows per 1000 ticks", a.arg[0]);
    else if (a.kind == TETRIS_TELEPORT)
        codec_write(t, "moves the piece to column %d, row %d", a.arg[0], a.amount);
}

static void describe_lock(struct text *t, const struct game_event *e)
{
    struct tetris_lock lock = tetris_event_lock(e);
    codec_write(t, "%s locks facing %s at column %d, row %d", tetris_kind_names[lock.kind],
                tetris_rotation_names[lock.rotation], lock.x, lock.y);
    if (lock.spin)
        text_puts(t, lock.spin == TETRIS_SPIN_FULL ? ", a T-spin" : ", a mini T-spin");
}

static void describe_clear(struct text *t, const struct game_event *e)
{
    struct tetris_lock lock = tetris_event_lock(e);
    codec_write(t, "%d line%s cleared for %u points", lock.lines, lock.lines == 1 ? "" : "s", lock.score);
    if (lock.combo > 0)
        codec_write(t, ", combo %d", lock.combo);
    if (lock.back_to_back)
        text_puts(t, ", back-to-back");
    if (lock.perfect)
        text_puts(t, ", the field is empty");
}

void tetris_describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)table, (void)count;
    if (e->kind == TETRIS_PIECE_LOCKED)
        describe_lock(t, e);
    else if (e->kind == TETRIS_LINES_CLEARED)
        describe_clear(t, e);
    else if (e->kind == TETRIS_LEVEL_UP)
        codec_write(t, "level %d", e->amount);
    else if (e->kind == TETRIS_HELD && e->data[1])
        codec_write(t, "%s goes to hold, %s comes out", tetris_kind_names[e->data[0]], tetris_kind_names[e->data[1]]);
    else if (e->kind == TETRIS_HELD)
        codec_write(t, "%s goes to hold", tetris_kind_names[e->data[0]]);
    else if (e->kind == TETRIS_GARBAGE_ROSE)
        codec_write(t, "%d garbage rows rise", e->amount);
    else if (e->kind == TETRIS_SOFT_DROPPED)
        codec_write(t, "soft drop by %d", e->amount);
    else if (e->kind == TETRIS_GAME_OVER)
        codec_write(t, "game over: %s", tetris_end_names[e->data[0]]);
}

// --- the picture ---

static void mark(uint8_t marks[TETRIS_CELLS], const struct tetris_piece *p, int y, uint8_t sign)
{
    const struct tetris_cell *cell = tetris_cells(p->kind, p->rotation);
    for (int i = 0; i < 4; i++)
        if (y + cell[i].y >= 0 && y + cell[i].y < TETRIS_HEIGHT)
            marks[(y + cell[i].y) * TETRIS_WIDTH + p->x + cell[i].x] = sign;
}

// Two rows of a piece facing north, for the panel beside the field.
static void draw_small(struct text *t, int kind, int row)
{
    bool in[4] = {false};
    const struct tetris_cell *cell = tetris_cells(kind, TETRIS_NORTH);
    for (int i = 0; kind && i < 4; i++)
        if (cell[i].y == row)
            in[cell[i].x] = true;
    for (int x = 0; x < 4; x++)
        text_puts(t, in[x] ? "[]" : "  ");
}

static void draw_panel(struct text *t, const struct tetris_view *v, int y)
{
    static const char *const words[] = {"score", "level", "lines", "combo"};
    const struct tetris_facts *f = &v->facts;
    const int64_t values[] = {f->score, f->level, f->lines, f->combo > 0 ? f->combo : 0};
    if (y < 4)
        codec_write(t, "%-6s%10lld", words[y], (long long)values[y]);
    else if (y == 5)
        text_puts(t, f->can_hold ? "hold" : "hold (used)");
    else if (y == 6 || y == 7)
        draw_small(t, f->hold, y - 6);
    else if (y == 8)
        text_puts(t, "next");
    else if (y >= 9 && y < 19)
        draw_small(t, v->next[(y - 9) / 2], (y - 9) % 2);
    else if (y == 19)
        text_puts(t, f->end ? "GAME OVER" : f->paused ? "PAUSED" : "");
}

void tetris_draw(struct text *t, const struct codec_table *table, const void *view)
{
    (void)table;
    enum { ACTIVE = 10, GHOST };
    static const char *const signs[] = {" .", "II", "OO", "TT", "SS", "ZZ", "JJ", "LL", "##", "", "[]", "::"};
    const struct tetris_view *v = view;
    uint8_t marks[TETRIS_CELLS];
    memcpy(marks, v->cells, sizeof marks);
    if (v->piece.kind && !v->facts.end) {
        mark(marks, &v->piece, tetris_ghost(v), GHOST);
        mark(marks, &v->piece, v->piece.y, ACTIVE);
    }
    for (int y = 0; y < TETRIS_HEIGHT; y++) {
        text_puts(t, "|");
        for (int x = 0; x < TETRIS_WIDTH; x++)
            text_puts(t, signs[marks[y * TETRIS_WIDTH + x]]);
        text_puts(t, "|  ");
        draw_panel(t, v, y);
        text_puts(t, "\n");
    }
    text_puts(t, "+--------------------+\n  0 1 2 3 4 5 6 7 8 9\n");
}

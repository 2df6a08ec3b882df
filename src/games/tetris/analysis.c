// What an analysis knows of Tetris: what counts are pieces, and what a placement does to the field.
#include "games/tetris/analysis.h"

#include "codec/codec.h"
#include "games/tetris/bots/beam.h"
#include "games/tetris/bots/bots.h"

// As few as possible where there is something to reach, else as many.
static void gain(const void *from, const void *now, double out[GAME_MAX_SEATS])
{
    const struct tetris_state *a = from, *b = now;
    double pieces = (double)b->facts.turn - a->facts.turn;
    out[0] = a->rules.goal == TETRIS_GOAL_LINES || a->rules.goal == TETRIS_GOAL_GARBAGE ? -pieces : pieces;
}

// Empty cells below taken ones, the deepest well, and the rows that the stack has.
struct shape {
    int holes, well, height;
};

static bool is_taken(const struct board *b, int x, int y)
{
    return b->row[y + FIELD_ABOVE] >> (x + FIELD_LEFT) & 1;
}

static struct shape shape_of(const struct board *b)
{
    struct shape s = {0};
    int top[TETRIS_WIDTH + 2] = {0}; // rows of each column, with walls beside
    for (int x = 0; x < TETRIS_WIDTH; x++) {
        int y = b->first;
        while (y < TETRIS_HEIGHT && !is_taken(b, x, y))
            y++;
        top[x + 1] = TETRIS_HEIGHT - y;
        s.height = top[x + 1] > s.height ? top[x + 1] : s.height;
        for (; y < TETRIS_HEIGHT; y++)
            s.holes += !is_taken(b, x, y);
    }
    top[0] = top[TETRIS_WIDTH + 1] = TETRIS_HEIGHT;
    for (int x = 1; x <= TETRIS_WIDTH; x++) {
        int beside = top[x - 1] < top[x + 1] ? top[x - 1] : top[x + 1];
        s.well = beside - top[x] > s.well ? beside - top[x] : s.well;
    }
    return s;
}

static void describe(struct text *t, const char *what, const struct tetris_view *v, struct game_action a)
{
    struct board b;
    int lines = tetris_try_placement(v, a, &b);
    if (lines < 0)
        return;
    struct shape s = shape_of(&b);
    codec_write(t, "%s leaves %d holes, a stack of %d rows and a deepest well of %d", what, s.holes, s.height, s.well);
    codec_write(t, lines ? ", and clears %d. " : ". ", lines);
}

static void explain(struct text *t, const struct analysis_words *w)
{
    const struct tetris_view *v = w->ask->view;
    struct board b;
    board_read(&b, v);
    struct shape s = shape_of(&b);
    codec_write(t, "The field had %d holes and %d rows. ", s.holes, s.height);
    describe(t, "It", v, w->played);
    if (!game_same_action(w->played, w->better))
        describe(t, "The better one", v, w->better);
}

const struct analysis_facts tetris_analysis = {
    .unit = "pieces",
    .floor = 0.5,
    .work = 5,
    .gain = gain,
    .playout = &tetris_rules_bot,
    .longest = 150,
    .continuations = 8,
    .explain = explain,
};

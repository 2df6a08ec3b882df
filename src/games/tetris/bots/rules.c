#include "games/tetris/bots/bots.h"

#include "games/tetris/rules/tetris.h"

#include <limits.h>
#include <string.h>

// The bot's own board: a row is ten bits, rows -4..19 are 0..23.
enum { ROWS = TETRIS_HIDDEN + TETRIS_HEIGHT, FULL = 0x3FF, WALLS = 0x801, NEVER = INT_MIN / 4 };

struct board {
    uint16_t row[ROWS];
    int top; // rows above this one do not exist
};

struct spot {
    int kind, rotation;
    int x, y; // box origin
};

// Thousandths. The features are Dellacherie's, the weights those of El-Tetris.
enum {
    LANDING_HEIGHT = -4500,
    ROWS_CLEARED = 3418,
    ROW_TRANSITIONS = -3218,
    COLUMN_TRANSITIONS = -9349,
    HOLES = -7899,
    WELLS = -3386,
    NO_ROOM = -1000000, // the next piece could not come in
};

static void read_board(struct board *b, const struct tetris_view *v)
{
    const uint8_t *cells = v->hidden; // the hidden rows, and the field right after them
    b->top = v->ruleset == TETRIS_GUIDELINE ? 0 : TETRIS_HIDDEN;
    for (int y = 0; y < ROWS; y++) {
        unsigned row = 0;
        for (int x = 0; x < TETRIS_WIDTH; x++)
            row |= (unsigned)(cells[y * TETRIS_WIDTH + x] != 0) << x;
        b->row[y] = (uint16_t)row;
    }
}

static bool fits(const struct board *b, struct spot s)
{
    const struct tetris_cell *cell = tetris_cells(s.kind, s.rotation);
    for (int i = 0; i < 4; i++) {
        int x = s.x + cell[i].x, y = s.y + cell[i].y + TETRIS_HIDDEN;
        if (x < 0 || x >= TETRIS_WIDTH || y < b->top || y >= ROWS || (b->row[y] >> x & 1))
            return false;
    }
    return true;
}

// Down to rest, from where it is or the first row below where it fits; false: nowhere.
static bool drop_spot(const struct board *b, struct spot *s)
{
    int last = s->y + 2;
    while (!fits(b, *s))
        if (++s->y > last)
            return false;
    do
        s->y++;
    while (fits(b, *s));
    s->y--;
    return true;
}

// Writes the piece and removes full rows; how many.
static int settle_spot(struct board *b, struct spot s)
{
    const struct tetris_cell *cell = tetris_cells(s.kind, s.rotation);
    for (int i = 0; i < 4; i++)
        b->row[s.y + cell[i].y + TETRIS_HIDDEN] |= (uint16_t)(1u << (s.x + cell[i].x));
    int cleared = 0;
    for (int y = ROWS - 1; y >= 0; y--)
        if (b->row[y] == FULL)
            cleared++;
        else if (cleared)
            b->row[y + cleared] = b->row[y];
    memset(b->row, 0, (size_t)cleared * sizeof *b->row);
    return cleared;
}

static int count_row_transitions(const struct board *b)
{
    int count = 0;
    for (int y = b->top; y < ROWS; y++) {
        unsigned row = (unsigned)b->row[y] << 1 | WALLS;
        count += __builtin_popcount((row ^ row >> 1) & 0x7FF);
    }
    return count;
}

// Holes are empty cells with a filled one somewhere above; a well is an empty cell between filled neighbours, and
// counts for itself and every well cell right above it.
static int judge_columns(const struct board *b)
{
    int transitions = 0, holes = 0, wells = 0, depth[TETRIS_WIDTH] = {0};
    unsigned above = 0, covered = 0;
    for (int y = b->top; y < ROWS; y++) {
        unsigned row = b->row[y], walled = row << 1 | WALLS;
        transitions += __builtin_popcount(row ^ above);
        holes += __builtin_popcount(covered & ~row);
        unsigned well = walled & walled >> 2 & ~row & FULL;
        for (int x = 0; x < TETRIS_WIDTH; x++) {
            depth[x] = well >> x & 1 ? depth[x] + 1 : 0;
            wells += depth[x];
        }
        covered |= row;
        above = row;
    }
    transitions += __builtin_popcount(above ^ FULL); // the floor is filled
    return COLUMN_TRANSITIONS * transitions + HOLES * holes + WELLS * wells;
}

static int judge_board(const struct board *b)
{
    return ROW_TRANSITIONS * count_row_transitions(b) + judge_columns(b);
}

// What the placement itself is worth; `b` becomes the board after it, or NEVER and unchanged.
static int play_spot(struct board *b, struct spot s)
{
    if (!drop_spot(b, &s))
        return NEVER;
    int top = tetris_top(s.kind, s.rotation), bottom = top;
    const struct tetris_cell *cell = tetris_cells(s.kind, s.rotation);
    for (int i = 0; i < 4; i++)
        bottom = cell[i].y > bottom ? cell[i].y : bottom;
    int twice_height = 2 * TETRIS_HEIGHT - (s.y + top) - (s.y + bottom); // of its middle
    return LANDING_HEIGHT * twice_height / 2 + ROWS_CLEARED * settle_spot(b, s);
}

static int spawn_row(const struct board *b)
{
    return b->top == 0 ? -2 : 0;
}

static int rotations(int kind)
{
    static const uint8_t different[8] = {0, 2, 1, 4, 2, 2, 4, 4};
    return different[kind];
}

// The best this piece can do, coming from above.
static int best_reply(const struct board *b, int kind)
{
    int best = NEVER;
    for (int rotation = 0; rotation < rotations(kind); rotation++)
        for (int column = 0; column + tetris_span(kind, rotation) <= TETRIS_WIDTH; column++) {
            struct board after = *b;
            int value =
                play_spot(&after, (struct spot){kind, rotation, column - tetris_left(kind, rotation), spawn_row(b)});
            if (value > NEVER && (value += judge_board(&after)) > best)
                best = value;
        }
    return best;
}

static bool can_enter(const struct board *b, int kind)
{
    return fits(b, (struct spot){kind, TETRIS_NORTH, 3, spawn_row(b)});
}

struct option {
    struct spot spot;
    struct board after;
    int worth; // of the placement alone
    int value; // with the board it leaves
    int then;  // the kind that comes next; 0: unknown
};

static bool weigh_option(struct option *o, const struct board *b, const struct tetris_view *v, bool hold, int rotation,
                         int column)
{
    bool first_hold = hold && !v->facts.hold;
    int kind = !hold ? v->piece.kind : first_hold ? v->next[0] : v->facts.hold;
    if (!kind || column + tetris_span(kind, rotation) > TETRIS_WIDTH)
        return false;
    o->spot = (struct spot){kind, rotation, column - tetris_left(kind, rotation), hold ? spawn_row(b) : v->piece.y};
    o->then = v->next[first_hold];
    o->after = *b;
    o->worth = play_spot(&o->after, o->spot);
    if (o->worth == NEVER)
        return false;
    o->value = o->worth + judge_board(&o->after);
    if (o->then && !can_enter(&o->after, o->then))
        o->value += NO_ROOM;
    return true;
}

// With the best that the next piece can make of it.
static int look_ahead(const struct option *o)
{
    if (!o->then || !can_enter(&o->after, o->then))
        return o->value;
    int reply = best_reply(&o->after, o->then);
    return reply == NEVER ? o->value + NO_ROOM : o->worth + reply;
}

// The few best by themselves are worth a look ahead.
enum { BEAM = 10 };

struct shortlist {
    int count;
    struct game_action action[BEAM];
    struct option option[BEAM];
};

static void shortlist_add(struct shortlist *s, const struct option *o, struct game_action a)
{
    int at = s->count;
    while (at > 0 && s->option[at - 1].value < o->value)
        at--;
    if (at == BEAM)
        return;
    s->count += s->count < BEAM;
    for (int i = s->count - 1; i > at; i--) {
        s->option[i] = s->option[i - 1];
        s->action[i] = s->action[i - 1];
    }
    s->option[at] = *o;
    s->action[at] = a;
}

// `hold` 0: without those that hold first.
static void list_offered(struct shortlist *s, const struct bot_ask *ask, const struct board *b, int hold)
{
    struct option o;
    for (int i = 0; i < ask->count; i++) {
        struct game_action a = ask->choices[i].first;
        if (a.kind == TETRIS_PLACE && (a.arg[2] & TETRIS_PLACE_HOLD) <= hold &&
            weigh_option(&o, b, ask->view, a.arg[2] & TETRIS_PLACE_HOLD, a.arg[1], a.arg[0]))
            shortlist_add(s, &o, a);
    }
}

// Where placements are not offered: the same ends, by inputs.
static void list_imagined(struct shortlist *s, const struct tetris_view *v, const struct board *b)
{
    struct option o;
    for (uint8_t rotation = 0; rotation < rotations(v->piece.kind); rotation++)
        for (uint8_t column = 0; column < TETRIS_WIDTH; column++)
            if (weigh_option(&o, b, v, false, rotation, column))
                shortlist_add(s, &o, (struct game_action){.kind = TETRIS_PLACE, .arg = {column, rotation}});
}

static struct game_action step_towards(const struct tetris_view *v, const struct option *o)
{
    int kind = TETRIS_HARD_DROP;
    if (v->piece.rotation != o->spot.rotation)
        kind = ((o->spot.rotation - v->piece.rotation) & 3) == 3 ? TETRIS_ROTATE_CCW : TETRIS_ROTATE_CW;
    else if (v->piece.x != o->spot.x)
        kind = o->spot.x < v->piece.x ? TETRIS_MOVE_LEFT : TETRIS_MOVE_RIGHT;
    return (struct game_action){.kind = (uint8_t)kind};
}

// How well it looks.
struct sight {
    bool ahead; // at the next piece
    int hold;   // 1: uses hold
};

static struct game_action choose_placement(const struct bot_ask *ask, struct sight sight)
{
    const struct tetris_view *v = ask->view;
    struct board b;
    struct shortlist s = {.count = 0};
    if (!v->piece.kind)
        return ask->fallback;
    read_board(&b, v);
    list_offered(&s, ask, &b, sight.hold);
    bool offered = s.count > 0;
    if (!offered)
        list_imagined(&s, v, &b);
    int best = -1, best_value = INT_MIN;
    for (int i = 0; i < s.count; i++) {
        int value = sight.ahead ? look_ahead(&s.option[i]) : s.option[i].value;
        if (value > best_value)
            best = i, best_value = value;
    }
    if (best < 0)
        return ask->fallback;
    return offered ? s.action[best] : step_towards(v, &s.option[best]);
}

static struct game_action choose(const struct bot_ask *ask)
{
    return choose_placement(ask, (struct sight){true, 1});
}

// One decision in `every` is any legal one.
static struct game_action blunder(const struct bot_ask *ask, uint32_t every)
{
    if (rng_below(ask->dice, every) == 0) // which of them is drawn anew, else it would always be one of the first
        return bot_pick_uniform(ask->choices, ask->count, ask->dice);
    return choose_placement(ask, (struct sight){false, 0});
}

enum { PLAIN_BLUNDERS = 12, NOVICE_BLUNDERS = 3 };

static struct game_action choose_plain(const struct bot_ask *ask)
{
    return blunder(ask, PLAIN_BLUNDERS);
}

static struct game_action choose_novice(const struct bot_ask *ask)
{
    return blunder(ask, NOVICE_BLUNDERS);
}

const struct bot tetris_rules_bot = {.name = "rules", .game = "tetris", .choose = choose};
const struct bot tetris_plain_bot = {.name = "plain", .game = "tetris", .choose = choose_plain};
const struct bot tetris_novice_bot = {.name = "novice", .game = "tetris", .choose = choose_novice};

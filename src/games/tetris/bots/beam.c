// The searching player: a beam over the shown pieces and hold. Every ply keeps the best fields, equal ones joined; the
// first move of the best field at the end is played. Work is a count of fields, so the same question has the same
// answer.
#include "games/tetris/bots/beam.h"
#include "bots/action_values.h"
#include "games/tetris/bots/bots.h"
#include "games/tetris/bots/evaluation.h"
#include "games/tetris/bots/finesse.h"
#include "games/tetris/rules/internal.h"

enum {
    WIDTH = 40, // fields a ply of a usual decision
    GLANCE = 6, // of level 4
    WIDEST = 512,
    PIECES = 1 + TETRIS_NEXT,
    DEAD = -10000000,
    DONE = 1000000, // the goal, less what it cost
};

// A field with what came before it.
struct node {
    struct board b;
    int sum;          // of what was won on the way
    int value;        // with what the field is worth
    uint32_t key;     // equal fields have equal keys
    int16_t root;     // first move
    uint16_t inputs;  // on the way
    uint8_t hold, at; // the kind that is held; how many of the shown pieces are used
    uint8_t over;     // the goal is reached, or no piece comes in
    uint8_t lines;    // cleared on the way
};

struct root {
    struct game_action action;
    struct board_end end;
    uint8_t kind, inputs, hold;
};

// The work space of a decision.
struct beam {
    const struct tetris_view *v;
    const struct weights *w;
    const struct bot_ask *ask;
    int width;
    uint8_t piece[PIECES]; // the active one and those shown
    int pieces;
    int roots;
    int side; // where the fields of the last ply are
    bool late;
    int count[2], worst[2];
    struct root root[2 * BOARD_ENDS];
    struct finesse_end found[BOARD_ENDS], fresh[BOARD_ENDS];
    struct board_end ends[BOARD_ENDS];
    struct node node[2][WIDEST];
};

static uint32_t key_of(const struct node *n)
{
    uint64_t h = (uint64_t)n->hold << 8 | n->at;
    for (int i = 4; i < 28; i += 4) {
        uint64_t rows;
        memcpy(&rows, &n->b.row[i], sizeof rows);
        h = (h ^ rows) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    return (uint32_t)(h ^ h >> 32);
}

// ---- The best so far ------------------------------------------------------------------------------------------------

static void find_worst(struct beam *s, int side)
{
    const struct node *n = s->node[side];
    int worst = 0;
    for (int i = 1; i < s->count[side]; i++)
        if (n[i].value < n[worst].value)
            worst = i;
    s->worst[side] = worst;
}

static void keep_node(struct beam *s, int side, const struct node *n)
{
    struct node *all = s->node[side];
    int count = s->count[side];
    for (int i = 0; i < count; i++)
        if (all[i].key == n->key && memcmp(&all[i].b, &n->b, sizeof n->b) == 0 && all[i].hold == n->hold &&
            all[i].at == n->at) {
            if (all[i].value < n->value) {
                all[i] = *n;
                find_worst(s, side);
            }
            return;
        }
    if (count < s->width) {
        all[count] = *n;
        s->count[side]++;
        if (count == 0 || n->value < all[s->worst[side]].value)
            s->worst[side] = count;
        return;
    }
    all[s->worst[side]] = *n;
    find_worst(s, side);
}

static void offer(struct beam *s, int side, struct node *n)
{
    if (s->count[side] == s->width && n->value <= s->node[side][s->worst[side]].value)
        return;
    n->key = key_of(n);
    keep_node(s, side, n);
}

// ---- Plies ----------------------------------------------------------------------------------------------------------

static bool reaches_goal(const struct beam *s, const struct node *n)
{
    if (s->v->goal == TETRIS_GOAL_LINES)
        return n->lines >= s->v->goal_left;
    return s->v->goal == TETRIS_GOAL_GARBAGE && n->b.garbage == 0;
}

static bool lies_above(const struct board *b, int kind, struct board_end e)
{
    const struct field_extent *x = &field_extents[kind][e.rotation];
    return b->guideline && e.y + x->top + x->height <= 0; // T1.64
}

// The node after a piece has come to rest.
static void settle_node(const struct beam *s, struct node *n, int kind, struct board_end e)
{
    int grey, lines = board_settle(&n->b, kind, e, &grey);
    n->lines = (uint8_t)(n->lines + lines);
    n->sum += s->w->lines[lines] + s->w->garbage * grey - s->w->piece;
    if (reaches_goal(s, n)) {
        n->over = 1;
        n->value = DONE + (s->w->race ? -s->w->input * n->inputs : n->sum);
        return;
    }
    int next = n->at < s->pieces ? s->piece[n->at] : 0;
    int worth = evaluate_board(&n->b, s->w);
    if (s->w->race)
        worth -= evaluate_waste(&n->b, s->w, s->v->goal_left - n->lines);
    n->value = n->sum + worth;
    n->sum += worth * s->w->path / 64;
    if (lies_above(&n->b, kind, e) || (next && !board_fits(&n->b, next, TETRIS_NORTH, 3, n->b.guideline ? -2 : 0))) {
        n->over = 1;
        n->value += DEAD;
    }
}

static void spend(const struct weights *w, struct node *n, int kind, struct board_end e, int inputs)
{
    n->inputs = (uint16_t)(n->inputs + inputs);
    n->sum -= evaluate_inputs(w, kind, e, inputs);
}

// A race does not plan ways under an overhang: they cost an input per row.
static int list_ends(struct beam *s, const struct board *b, const struct tetris_piece *p)
{
    int count = s->w->race ? board_drops(b, p, s->ends) : 0;
    return count ? count : board_ends(b, p, s->ends);
}

static void expand_piece(struct beam *s, int side, const struct node *from, int kind, int hold, int at)
{
    struct tetris_piece p = board_spawn(&from->b, kind);
    int count = list_ends(s, &from->b, &p), held = from->hold != hold;
    for (int i = 0; i < count; i++) {
        struct node n = *from;
        if (s->w->input)
            spend(s->w, &n, kind, s->ends[i], held + finesse_guess(kind, s->ends[i]));
        n.hold = (uint8_t)hold;
        n.at = (uint8_t)at;
        settle_node(s, &n, kind, s->ends[i]);
        offer(s, side, &n);
    }
}

static void expand(struct beam *s, int side, const struct node *n)
{
    if (n->over || n->at >= s->pieces) {
        struct node same = *n;
        offer(s, side, &same);
        return;
    }
    int now = s->piece[n->at], next = n->at + 1 < s->pieces ? s->piece[n->at + 1] : 0;
    expand_piece(s, side, n, now, n->hold, n->at + 1);
    if (n->hold && n->hold != now)
        expand_piece(s, side, n, n->hold, now, n->at + 1);
    else if (!n->hold && next && next != now)
        expand_piece(s, side, n, next, now, n->at + 2);
}

static bool is_late(struct beam *s)
{
    return s->late = s->late || (s->ask->out_of_time && s->ask->out_of_time(s->ask->clock));
}

static void beam_begin(struct beam *s, const struct board *b)
{
    s->count[0] = s->worst[0] = 0;
    for (int i = 0; i < s->roots; i++) {
        const struct root *r = &s->root[i];
        bool first_hold = r->hold && !s->v->facts.hold;
        struct node n = {.b = *b, .root = (int16_t)i};
        if (s->w->input)
            spend(s->w, &n, r->kind, r->end, r->inputs);
        n.hold = r->hold ? s->piece[0] : s->v->facts.hold;
        n.at = (uint8_t)(1 + first_hold);
        settle_node(s, &n, r->kind, r->end);
        offer(s, 0, &n);
    }
}

static const struct node *best_of(const struct beam *s, int side)
{
    const struct node *best = s->node[side];
    for (int i = 1; i < s->count[side]; i++)
        if (s->node[side][i].value > best->value)
            best = &s->node[side][i];
    return best;
}

// The number of the first move, or -1: out of time.
static int run_search(struct beam *s, const struct board *b)
{
    int side = 0;
    beam_begin(s, b);
    for (int ply = 1; ply < s->pieces; ply++, side ^= 1) {
        s->count[!side] = s->worst[!side] = 0;
        for (int i = 0; i < s->count[side]; i++) {
            if (is_late(s))
                return -1;
            expand(s, !side, &s->node[side][i]);
        }
    }
    s->side = side;
    return best_of(s, side)->root;
}

// ---- First moves ----------------------------------------------------------------------------------------------------

static bool offers(const struct bot_ask *ask, int kind)
{
    for (int i = 0; i < ask->count; i++)
        if (ask->choices[i].first.kind == kind)
            return true;
    return false;
}

static void add_root(struct beam *s, struct game_action a, int kind, struct board_end end, int inputs, bool hold)
{
    struct root *r = &s->root[s->roots++];
    *r = (struct root){.action = a, .end = end, .kind = (uint8_t)kind, .hold = hold};
    r->inputs = (uint8_t)(inputs + hold > UINT8_MAX ? UINT8_MAX : inputs + hold);
}

// Where a listed placement ends (T3.50), as board_usual names it.
static struct board_end end_of(const struct tetris_field *f, struct tetris_piece p, struct game_action a, int ruleset)
{
    place_turn(f, &p, p.kind == TETRIS_O ? p.rotation : a.arg[1], ruleset);
    p.x = (int8_t)(a.arg[0] - tetris_left(p.kind, p.rotation));
    piece_drop(f, &p, ruleset);
    return board_usual(p.kind, (struct board_end){(int8_t)p.rotation, p.x, p.y});
}

static bool is_same(struct board_end a, struct board_end b)
{
    return a.rotation == b.rotation && a.x == b.x && a.y == b.y;
}

static void list_offered(struct beam *s, const struct board *b, const struct tetris_piece *p, int found, bool hold)
{
    struct tetris_field f;
    board_field(b, &f);
    for (int i = 0; i < s->ask->count; i++) {
        struct game_action a = s->ask->choices[i].first;
        if (a.kind != TETRIS_PLACE || (a.arg[2] & TETRIS_PLACE_HOLD) != hold)
            continue;
        struct board_end end = end_of(&f, *p, a, s->v->ruleset);
        for (int k = 0; k < found; k++)
            if (s->found[k].inputs && is_same(s->found[k].end, end)) {
                add_root(s, a, p->kind, end, s->found[k].inputs, hold);
                s->found[k].inputs = 0; // by one way only
                break;
            }
    }
}

// Tucks and spins (T3.53), at tables that take inputs: a full path is some of them.
static void list_full(struct beam *s, const struct tetris_piece *p, int found, bool hold)
{
    for (int k = 0; k < found; k++) {
        struct board_end e = s->found[k].lies;
        if (!s->found[k].inputs)
            continue;
        struct game_action a = {.kind = TETRIS_PLACE, .amount = e.y + tetris_top(p->kind, e.rotation)};
        a.arg[0] = (uint8_t)(e.x + tetris_left(p->kind, e.rotation));
        a.arg[1] = (uint8_t)e.rotation;
        a.arg[2] = (uint8_t)(TETRIS_PLACE_FULL | TETRIS_PLACE_AT_ROW | (hold ? TETRIS_PLACE_HOLD : 0));
        add_root(s, a, p->kind, s->found[k].end, s->found[k].inputs, hold);
    }
}

static int find_end(const struct finesse_end *all, int count, struct board_end end)
{
    for (int i = 0; i < count; i++)
        if (is_same(all[i].end, end))
            return i;
    return -1;
}

// One input at a time. Costs and order are those from the spawn, whatever the piece has done since: the aim stays the
// same from input to input, and no piece goes to and fro between two that are worth the same.
static void list_inputs(struct beam *s, const struct board *b, const struct tetris_piece *p, int found, bool hold)
{
    struct tetris_piece fresh = board_spawn(b, p->kind);
    bool fits = board_fits(b, fresh.kind, TETRIS_NORTH, fresh.x, fresh.y);
    int count = fits && !hold ? finesse_find(b, &fresh, s->fresh) : 0;
    for (int i = 0; i < count; i++) {
        int k = find_end(s->found, found, s->fresh[i].end);
        if (k < 0)
            continue;
        add_root(s, (struct game_action){.kind = s->found[k].first}, p->kind, s->found[k].end, s->fresh[i].inputs,
                 false);
        s->found[k].inputs = 0; // it is listed
    }
    for (int k = 0; k < found; k++)
        if (s->found[k].inputs)
            add_root(s, (struct game_action){.kind = hold ? TETRIS_HOLD : s->found[k].first}, p->kind, s->found[k].end,
                     s->found[k].inputs, hold);
}

static void list_piece(struct beam *s, const struct board *b, const struct tetris_piece *p, bool hold)
{
    int found = finesse_find(b, p, s->found);
    bool inputs = offers(s->ask, TETRIS_HARD_DROP);
    if (!offers(s->ask, TETRIS_PLACE)) {
        list_inputs(s, b, p, found, hold);
        return;
    }
    list_offered(s, b, p, found, hold);
    if (inputs)
        list_full(s, p, found, hold);
}

static void list_roots(struct beam *s, const struct board *b)
{
    const struct tetris_view *v = s->v;
    int other = v->facts.hold ? v->facts.hold : v->next[0];
    s->roots = 0;
    list_piece(s, b, &v->piece, false);
    if (!v->facts.can_hold || !other || (other == v->piece.kind && v->facts.hold) ||
        !board_fits(b, other, TETRIS_NORTH, 3, b->guideline ? -2 : 0))
        return;
    struct tetris_piece p = board_spawn(b, other);
    list_piece(s, b, &p, true);
}

static void prepare(struct beam *s, const struct bot_ask *ask, const struct board *b)
{
    s->ask = ask;
    s->v = ask->view;
    s->w = evaluation_weights(s->v, b, offers(ask, TETRIS_PLACE));
    s->late = false;
    s->piece[0] = s->v->piece.kind;
    for (s->pieces = 1; s->pieces < PIECES && s->v->next[s->pieces - 1]; s->pieces++)
        s->piece[s->pieces] = s->v->next[s->pieces - 1];
}

// With a clock: wider and wider, as long as there is time.
static int run_timed(struct beam *s, const struct board *b)
{
    int best = -1;
    for (s->width = GLANCE; s->width <= WIDEST; s->width *= 2) {
        int now = run_search(s, b);
        if (now < 0)
            break;
        best = now;
    }
    return best < 0 ? 0 : best;
}

// `width` fields a ply, times the effort.
static struct game_action search(const struct bot_ask *ask, int width)
{
    struct beam *s = ask->scratch;
    struct board b;
    if (!((const struct tetris_view *)ask->view)->piece.kind)
        return ask->fallback;
    board_read(&b, ask->view);
    prepare(s, ask, &b);
    list_roots(s, &b);
    if (!s->roots)
        return ask->fallback;
    uint64_t wanted = (uint64_t)width * (ask->effort ? ask->effort : 1);
    s->width = (int)(wanted < WIDEST ? wanted : WIDEST);
    return s->root[ask->out_of_time ? run_timed(s, &b) : run_search(s, &b)].action;
}

static struct game_action choose_wide(const struct bot_ask *ask)
{
    return search(ask, WIDTH);
}

static struct game_action choose_narrow(const struct bot_ask *ask)
{
    return search(ask, GLANCE);
}

// ---- What first moves are worth -------------------------------------------------------------------------------------

#ifndef AGON_BROWSER
enum { MOST_LOST = 20 }; // pieces: what costs more is the end, whatever it costs

// Where a placement ends, as board_usual names it.
static struct board_end aim_of(const struct tetris_view *v, const struct board *b, struct game_action a, int kind)
{
    struct tetris_piece p = kind == v->piece.kind && !(a.arg[2] & TETRIS_PLACE_HOLD) ? v->piece : board_spawn(b, kind);
    struct tetris_field f;
    if (a.arg[2] & TETRIS_PLACE_AT_ROW) {
        struct board_end e = {(int8_t)a.arg[1], (int8_t)(a.arg[0] - tetris_left(kind, a.arg[1])),
                              (int8_t)(a.amount - tetris_top(kind, a.arg[1]))};
        return board_usual(kind, e);
    }
    board_field(b, &f);
    return end_of(&f, p, a, v->ruleset);
}

static int kind_of(const struct tetris_view *v, struct game_action a)
{
    return !(a.arg[2] & TETRIS_PLACE_HOLD) ? v->piece.kind : v->facts.hold ? v->facts.hold : v->next[0];
}

int tetris_try_placement(const struct tetris_view *v, struct game_action a, struct board *after)
{
    int grey, kind = kind_of(v, a);
    if (a.kind != TETRIS_PLACE || !kind)
        return -1;
    board_read(after, v);
    return board_settle(after, kind, aim_of(v, after, a, kind), &grey);
}

static int find_root(const struct beam *s, const struct board *b, struct game_action a)
{
    bool hold = a.arg[2] & TETRIS_PLACE_HOLD;
    int kind = kind_of(s->v, a);
    for (int i = 0; i < s->roots; i++)
        if (game_same_action(s->root[i].action, a))
            return i;
    if (a.kind != TETRIS_PLACE || !kind)
        return -1;
    struct board_end end = aim_of(s->v, b, a, kind);
    for (int i = 0; i < s->roots; i++)
        if (s->root[i].hold == hold && is_same(s->root[i].end, end))
            return i;
    return -1;
}

// What a piece is worth in the currency of the weights.
static double price_of_piece(const struct weights *w)
{
    return w->input > 0 ? 3.2 * w->input : w->piece > 0 ? w->piece : w->lines[4] > 0 ? w->lines[4] / 10.0 : 600;
}

// The best field at the end that comes of a first move; those that fell out of the beam are as bad as the worst in it.
static void read_values(const struct beam *s, const int root[], int count, double value[])
{
    const struct node *n = s->node[s->side];
    double worst = best_of(s, s->side)->value;
    for (int k = 0; k < s->count[s->side]; k++)
        worst = n[k].value < worst ? n[k].value : worst;
    for (int i = 0; i < count; i++) {
        value[i] = worst;
        for (int k = 0; k < s->count[s->side]; k++)
            if (root[i] >= 0 && n[k].root == root[i] && n[k].value > value[i])
                value[i] = n[k].value;
    }
}

// N20.2: nothing is drawn, the shown pieces are all there is to see. What was played has a beam of its own.
static void weigh_answers(const struct bot_ask *ask, struct action_values *w)
{
    struct beam *s = ask->scratch;
    struct board b;
    int root[ACTION_VALUES_MAX];
    double value[ACTION_VALUES_MAX] = {0};
    if (!((const struct tetris_view *)ask->view)->piece.kind)
        return;
    board_read(&b, ask->view);
    prepare(s, ask, &b);
    list_roots(s, &b);
    uint64_t wanted = (uint64_t)WIDTH * (ask->effort ? ask->effort : 1);
    s->width = (int)(wanted < WIDEST ? wanted : WIDEST);
    if (!s->roots)
        return;
    for (int i = 0; i < w->count; i++)
        root[i] = find_root(s, &b, w->action[i]);
    run_search(s, &b);
    double best = best_of(s, s->side)->value, price = price_of_piece(s->w);
    read_values(s, root, w->count, value);
    if (root[w->played] >= 0) {
        s->root[0] = s->root[root[w->played]];
        s->roots = 1;
        run_search(s, &b);
        value[w->played] = best_of(s, s->side)->value;
    }
    for (int i = 0; i < w->count; i++)
        value[i] = value[i] < best - MOST_LOST * price ? best - MOST_LOST * price : value[i];
    w->scale = 1 / price;
    action_values_add(w, value, 1);
}
#else
#define weigh_answers NULL
#endif

const struct bot tetris_beam_bot = {.name = "beam",
                                    .game = "tetris",
                                    .choose = choose_wide,
                                    .weigh = weigh_answers,
                                    .thinks = true,
                                    .scratch_size = sizeof(struct beam)};
const struct bot tetris_glance_bot = {.name = "glance",
                                      .game = "tetris",
                                      .choose = choose_narrow,
                                      .weigh = weigh_answers,
                                      .thinks = true,
                                      .scratch_size = sizeof(struct beam)};

// The strongest player: between two by a solved table (N6), push or fold when short, at larger tables by ranges.
#include "games/texas_holdem/bots/solved.h"

#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/bots/play.h"
#include "games/texas_holdem/bots/ring.h"

extern const char embedded_texas_holdem_table[];
extern const size_t embedded_texas_holdem_table_size;

enum { SHORT = 10, TOO_SHORT = 6 }; // big blinds: push or fold; too few for any table

bool solved_table(struct blueprint *b)
{
    return blueprint_open(b, embedded_texas_holdem_table, embedded_texas_holdem_table_size);
}

static bool is_duel(const struct texas_holdem_view *v)
{
    return v->order_count == 2;
}

static int role_of(const struct texas_holdem_view *v, int seat)
{
    return seat != v->button;
}

static int other_seat(const struct texas_holdem_view *v)
{
    return v->order[0] == v->viewer ? v->order[1] : v->order[0];
}

// What both can lose in this hand.
static int32_t effective(const struct line_mind *m, const struct texas_holdem_view *v)
{
    int32_t own = m->chips[v->viewer], other = m->chips[other_seat(v)];
    return own < other ? own : other;
}

// The depth nearest in ratio.
static int depth_of(double blinds)
{
    int i = 0;
    while (i < BETTING_DEPTHS - 1 && blinds * blinds > (double)betting_depth[i] * betting_depth[i + 1])
        i++;
    return i;
}

// ---- The place in the tree ------------------------------------------------------------------------------------------

// The move of the tree for a raise of this share of the pot: between two sizes by the pseudo-harmonic mapping, drawn
// or, without dice, the likelier one. -1: no more raises there.
static int map_raise(const struct betting_node *n, float share, bool all_in, struct rng_draw *dice)
{
    int i = 0;
    while (i < n->moves && n->move[i] < BETTING_HALF)
        i++;
    if (i == n->moves)
        return -1;
    if (all_in)
        return n->moves - 1;
    while (i < n->moves - 1 && share >= betting_share(n, i + 1))
        i++;
    float low = betting_share(n, i), high = i < n->moves - 1 ? betting_share(n, i + 1) : low;
    if (share <= low || i == n->moves - 1)
        return i;
    float chance = (high - share) * (1 + low) / ((high - low) * (1 + share)); // of the smaller one
    float at = dice ? (float)(rng_draw_u32(dice) >> 8) / (1 << 24) : 0.5f;
    return at < chance ? i : i + 1;
}

static int find_move(const struct betting_node *n, int move)
{
    for (int i = 0; i < n->moves; i++)
        if (n->move[i] == move)
            return i;
    return -1;
}

struct walk {
    const struct texas_holdem_view *view;
    const struct betting_tree *tree;
    int32_t put[2], stack; // by role
    unsigned at;
    struct rng_draw *dice;
};

// The move of the tree that was made; -1: the tree has none.
static int index_of(const struct walk *w, const struct line_move *m)
{
    const struct betting_node *n = &w->tree->node[w->at];
    int role = role_of(w->view, m->seat);
    if (n->role != role || n->street != m->phase)
        return -1;
    int32_t other = w->put[!role], total = m->total - w->view->ante;
    if (total <= other)
        return m->action == HOLDEM_FOLD ? -1 : find_move(n, BETTING_CALL);
    float share = (float)(total - other) / (float)(2 * other);
    bool own = m->seat == w->view->viewer;
    return map_raise(n, share, total >= w->stack, own ? NULL : w->dice);
}

// Follows one move; false: the tree has no such move, or the hand is over there.
static bool follow(struct walk *w, const struct line_move *m)
{
    const struct betting_node *n = &w->tree->node[w->at];
    int i = index_of(w, m);
    if (i < 0 || n->next[i] >= BETTING_SHOWN)
        return false;
    w->put[role_of(w->view, m->seat)] = m->total - w->view->ante;
    w->at = n->next[i];
    return true;
}

static struct walk begin_walk(const struct betting_tree *t, const struct line_mind *m,
                              const struct texas_holdem_view *v, struct rng_draw *dice)
{
    struct walk w = {.view = v, .tree = t, .stack = effective(m, v) - v->ante, .at = BETTING_ROOT, .dice = dice};
    w.put[0] = v->small_blind;
    w.put[1] = v->big_blind;
    return w;
}

const struct betting_node *solved_find(const struct betting_tree *t, const struct line_mind *m,
                                       const struct texas_holdem_view *v, struct rng_draw *dice)
{
    struct walk w = begin_walk(t, m, v, dice);
    for (int i = 0; i < line_count(m); i++)
        if (m->move[i].action < HOLDEM_POST_SMALL && !follow(&w, &m->move[i]))
            return NULL;
    const struct betting_node *n = &t->node[w.at];
    return n->role == role_of(v, v->viewer) && n->street == v->phase ? n : NULL;
}

// ---- Answers --------------------------------------------------------------------------------------------------------

struct game_action solved_answer(const struct texas_holdem_view *v, const struct betting_node *n, int index, int depth)
{
    int move = n->move[index];
    if (move == BETTING_FOLD)
        return holdem_pass(v);
    if (move == BETTING_ALL_IN && v->min_raise_to == 0 && v->chips[other_seat(v)] > 0)
        return holdem_plain(HOLDEM_ALLIN); // less than a raise
    if (move == BETTING_CALL || v->min_raise_to == 0)
        return holdem_plain(v->to_call ? HOLDEM_CALL : HOLDEM_CHECK);
    double to = (double)v->current_bet + (double)betting_share(n, index) * ((double)v->pot + v->to_call);
    if (move == BETTING_ALL_IN) // of the tree, which may be less than there is
        to = (double)depth * 1.25 * v->big_blind - (v->total[v->viewer] - v->bet[v->viewer]);
    if (to < v->min_raise_to)
        to = v->min_raise_to;
    if (to > 0.7 * v->max_raise_to)
        return holdem_plain(HOLDEM_ALLIN);
    return (struct game_action){.kind = HOLDEM_RAISE, .amount = (int32_t)to};
}

struct game_action solved_off_tree(const struct texas_holdem_view *v, float equity)
{
    if (v->to_call == 0)
        return equity > 0.7f ? holdem_raise_by(v, 0.75f) : holdem_plain(HOLDEM_CHECK);
    if (equity - 0.08f > 0.78f)
        return holdem_raise_by(v, 1);
    return equity - 0.08f > holdem_pot_odds(v) ? holdem_plain(HOLDEM_CALL) : holdem_plain(HOLDEM_FOLD);
}

static struct game_action play_odds(const struct blueprint *b, const struct texas_holdem_view *v)
{
    float equity = (float)b->facts.equity[bucket_class(v->hole)] / 255;
    if (v->board_count >= 3) {
        struct bucket_feature f;
        bucket_features((const uint8_t(*)[2])v->hole, 1, v->board, v->board_count, &f);
        equity = (float)f.equity / 65535;
    }
    return solved_off_tree(v, equity);
}

static bool is_untouched(const struct texas_holdem_view *v) // the button before the flop, first to act
{
    return v->phase == HOLDEM_PREFLOP && v->viewer == v->button && v->current_bet <= v->big_blind;
}

// Push or fold, where the other plays it too; false: this is no such place.
static bool play_short(const struct blueprint *b, const struct texas_holdem_view *v, double blinds,
                       struct game_action *out)
{
    int class = bucket_class(v->hole);
    bool pushed = v->phase == HOLDEM_PREFLOP && v->viewer != v->button && v->chips[other_seat(v)] == 0;
    if (blinds > SHORT)
        return false;
    if (is_untouched(v))
        *out = b->facts.push[class] >= 8 * blinds ? holdem_plain(HOLDEM_ALLIN) : holdem_pass(v);
    else if (pushed && v->to_call > 0)
        *out = b->facts.call[class] >= 8 * blinds ? holdem_plain(HOLDEM_CALL) : holdem_pass(v);
    else if (blinds < TOO_SHORT)
        *out = play_odds(b, v);
    else
        return false;
    return true;
}

// With a quarter of the steps and without the spread: the table's answer for a hand that is like the own one.
static int blur(int street, int bucket)
{
    static const int span[] = {1, 4 * BUCKET_SPREADS, 4 * BUCKET_SPREADS, 10};
    int first = bucket - bucket % span[street], last = bucket_count(street) - 1, middle = first + span[street] / 2;
    return middle < last ? middle : last;
}

struct decision {
    struct blueprint table;
    const struct betting_node *node;
    int depth, count; // of the shares; 0: `only` is all there is
    float share[BETTING_MOVES];
    struct game_action only;
};

static uint64_t set_of(const uint8_t *cards, int count)
{
    uint64_t set = 0;
    for (int i = 0; i < count; i++)
        set |= UINT64_C(1) << cards[i];
    return set;
}

// The bucket of the own hand; counting it out takes a millisecond on the flop.
static int bucket_in(struct solved_memo *memo, const struct bucket_cuts *cuts, const struct texas_holdem_view *v)
{
    if (!memo || v->board_count < 3)
        return bucket_find(cuts, v->hole, v->board, v->board_count);
    uint64_t board = set_of(v->board, v->board_count), hole = set_of(v->hole, 2);
    uint64_t hash = (board * 0x9E3779B97F4A7C15u ^ hole * 0xC2B2AE3D27D4EB4Fu) * 0x165667B19E3779F9u;
    struct solved_cell *c = &memo->cell[hash >> 52];
    if (c->board != board || c->hole != hole)
        *c = (struct solved_cell){board, hole, bucket_find(cuts, v->hole, v->board, v->board_count), 0};
    return c->bucket;
}

static struct betting_tree *plant_in(struct solved_memo *memo, const struct bot_ask *ask, int depth)
{
    struct betting_tree *tree = memo ? &memo->tree : ask->scratch;
    if (!memo || memo->depth != depth)
        betting_plant(tree, depth);
    if (memo)
        memo->depth = depth;
    return tree;
}

static void decide(const struct bot_ask *ask, struct rng_draw *dice, bool rough, struct solved_memo *memo,
                   struct decision *d)
{
    const struct texas_holdem_view *v = ask->view;
    const struct line_mind *m = ask->mind;
    double blinds = (double)effective(m, v) / v->big_blind;
    int depth = depth_of(blinds);
    d->count = 0;
    d->only = ask->fallback;
    if (!solved_table(&d->table) || play_short(&d->table, v, blinds, &d->only))
        return;
    d->depth = betting_depth[depth];
    const struct betting_tree *tree = plant_in(memo, ask, d->depth);
    d->node = blueprint_has(&d->table, depth, tree->slots) ? solved_find(tree, m, v, dice) : NULL;
    if (d->node) {
        int bucket = bucket_in(memo, &d->table.facts.cuts, v);
        bucket = rough ? blur(d->node->street, bucket) : bucket;
        if (blueprint_mix(&d->table, depth, d->node, bucket, d->share))
            d->count = d->node->moves;
    }
    if (!d->count)
        d->only = play_odds(&d->table, v);
}

static struct game_action choose_by(const struct bot_ask *asked, bool rough, struct solved_memo *memo)
{
    struct rng_draw dice;
    struct decision d;
    struct line_mind room;
    struct bot_ask sound = *asked, *ask = &sound;
    sound.mind = line_of(asked, &room);
    if (!is_duel(ask->view))
        return holdem_ring_choose(ask);
    rng_begin(&dice, ask->dice);
    decide(ask, &dice, rough, memo, &d);
    if (!d.count)
        return holdem_as_listed(ask, d.only);
    float at = (float)(rng_draw_u32(&dice) >> 8) / (1 << 24);
    int i = 0;
    while (i < d.count - 1 && at >= d.share[i])
        at -= d.share[i++];
    return holdem_as_listed(ask, solved_answer(ask->view, d.node, i, d.depth));
}

static struct game_action choose(const struct bot_ask *ask)
{
    return choose_by(ask, false, NULL);
}

struct game_action solved_choose(const struct bot_ask *ask, struct solved_memo *memo)
{
    return choose_by(ask, false, memo);
}

// ---- Ranges ---------------------------------------------------------------------------------------------------------

static void find_buckets(const struct blueprint *b, const uint8_t hand[BUCKET_HANDS][2],
                         const struct texas_holdem_view *v, int street, uint8_t bucket[BUCKET_HANDS])
{
    struct bucket_feature feature[BUCKET_HANDS];
    if (street)
        bucket_features(hand, BUCKET_HANDS, v->board, street + 2, feature);
    for (int h = 0; h < BUCKET_HANDS; h++)
        bucket[h] = (uint8_t)(street ? bucket_of(&b->facts.cuts, street, feature[h]) : bucket_class(hand[h]));
}

// The others do not play by the table alone: what a hand would not have done it may have done all the same.
static void weigh_move(const struct blueprint *b, int depth, const struct betting_node *n, int move,
                       const uint8_t bucket[BUCKET_HANDS], float weight[BUCKET_HANDS])
{
    const float slip = 0.05f;
    for (int h = 0; h < BUCKET_HANDS; h++) {
        float share[BETTING_MOVES];
        if (weight[h] > 0 && blueprint_mix(b, depth, n, bucket[h], share))
            weight[h] *= slip + (1 - slip) * share[move];
    }
}

bool solved_range(const struct bot_ask *asked, struct solved_memo *memo, const uint8_t hand[BUCKET_HANDS][2],
                  float weight[BUCKET_HANDS])
{
    const struct texas_holdem_view *v = asked->view;
    struct line_mind room;
    const struct line_mind *m = line_of(asked, &room);
    struct blueprint table;
    uint8_t bucket[BUCKET_HANDS];
    uint64_t taken = set_of(v->hole, 2) | set_of(v->board, v->board_count);
    for (int h = 0; h < BUCKET_HANDS; h++)
        weight[h] = set_of(hand[h], 2) & taken ? 0 : 1;
    if (!is_duel(v) || !solved_table(&table))
        return false;
    int depth = depth_of((double)effective(m, v) / v->big_blind), street = -1;
    struct walk w = begin_walk(plant_in(memo, asked, betting_depth[depth]), m, v, NULL);
    if (!blueprint_has(&table, depth, w.tree->slots))
        return true;
    for (int i = 0; i < line_count(m); i++) {
        const struct line_move *x = &m->move[i];
        const struct betting_node *n = &w.tree->node[w.at];
        int move = x->action < HOLDEM_POST_SMALL ? index_of(&w, x) : -1;
        if (x->action >= HOLDEM_POST_SMALL)
            continue;
        if (move >= 0 && x->seat != v->viewer) {
            if (street != n->street)
                find_buckets(&table, hand, v, street = n->street, bucket);
            weigh_move(&table, depth, n, move, bucket, weight);
        }
        if (!follow(&w, x))
            break;
    }
    return true;
}

static int list_mix(const struct bot_ask *ask, struct bot_mix out[BOT_MAX_MIX])
{
    struct decision d;
    int n = 0;
    if (!is_duel(ask->view))
        return 0;
    decide(ask, NULL, false, NULL, &d);
    if (!d.count)
        out[n++] = (struct bot_mix){holdem_as_listed(ask, d.only), 1};
    for (int i = 0; i < d.count; i++)
        if (d.share[i] > 0)
            out[n++] =
                (struct bot_mix){holdem_as_listed(ask, solved_answer(ask->view, d.node, i, d.depth)), d.share[i]};
    return n;
}

static struct game_action choose_roughly(const struct bot_ask *ask)
{
    return choose_by(ask, true, NULL);
}

const struct bot texas_holdem_solved_bot = {.name = "solved",
                                            .game = "texas_holdem",
                                            .choose = choose,
                                            .mix = list_mix,
                                            .thinks = true,
                                            .mind_size = sizeof(struct line_mind),
                                            .scratch_size = SOLVED_SCRATCH,
                                            .begin = line_begin,
                                            .observe = line_observe};

const struct bot texas_holdem_outline_bot = {.name = "outline",
                                             .game = "texas_holdem",
                                             .choose = choose_roughly,
                                             .thinks = true,
                                             .mind_size = sizeof(struct line_mind),
                                             .scratch_size = SOLVED_SCRATCH,
                                             .begin = line_begin,
                                             .observe = line_observe};

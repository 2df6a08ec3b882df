// The strongest player: between two by a solved table (N6), push or fold when short, at larger tables by ranges.
#include "games/texas_holdem/bots/solved.h"

#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/bots/multiway.h"
#include "games/texas_holdem/bots/play.h"

#include <assert.h>

extern const struct bot_table texas_holdem_table; // share/tables/texas_holdem.table

enum { SHORT = 10, TOO_SHORT = 6 }; // big blinds: push or fold; too few for any table

bool solved_table(struct blueprint *b)
{
    return blueprint_open(b, texas_holdem_table.at, *texas_holdem_table.size);
}

static bool is_heads_up(const struct texas_holdem_view *v)
{
    return v->order_count == 2;
}

static int role_of(const struct texas_holdem_view *v, int seat)
{
    return seat != v->button;
}

// What both can lose in this hand.
static int32_t effective(const struct betting_history *m, const struct texas_holdem_view *v)
{
    int32_t own = m->chips[v->viewer], other = m->chips[holdem_other_seat(v)];
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

// The moves of the tree that a raise of this share of the pot may be taken for: none when there are no more raises,
// one, or the two sizes around it, of which `chance` is that of the smaller one (pseudo-harmonic mapping).
struct raise_map {
    int count, first;
    float chance;
};

// Of two sizes, how often a raise between them is taken for the smaller one.
static float smaller_chance(float low, float high, float share)
{
    return (high - share) * (1 + low) / ((high - low) * (1 + share));
}

static struct raise_map map_raise(const struct betting_node *n, float share, bool all_in)
{
    int i = 0;
    while (i < n->moves && n->move[i] < BETTING_HALF)
        i++;
    if (i == n->moves)
        return (struct raise_map){0};
    if (all_in)
        return (struct raise_map){1, n->moves - 1, 1};
    while (i < n->moves - 1 && share >= betting_share(n, i + 1))
        i++;
    float low = betting_share(n, i), high = i < n->moves - 1 ? betting_share(n, i + 1) : low;
    if (share <= low || i == n->moves - 1)
        return (struct raise_map){1, i, 1};
    return (struct raise_map){2, i, smaller_chance(low, high, share)};
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
    float chance; // that the moves so far are taken for these
};

// What a move may be taken for there; none: the tree has no such move.
static struct raise_map map_move(const struct walk *w, const struct betting_history_move *m)
{
    const struct betting_node *n = &w->tree->node[w->at];
    int role = role_of(w->view, m->seat);
    int32_t other = w->put[!role], total = m->total - w->view->ante;
    if (n->role != role || n->street != m->phase)
        return (struct raise_map){0};
    if (total <= other) {
        int i = m->action == HOLDEM_FOLD ? -1 : find_move(n, BETTING_CALL);
        return (struct raise_map){i >= 0, i, 1};
    }
    struct raise_map r = map_raise(n, (float)(total - other) / (float)(2 * other), total >= w->stack);
    if (r.count == 2 && m->seat == w->view->viewer) // the own ones: the likelier one
        r = (struct raise_map){1, r.first + !(0.5f < r.chance), 1};
    return r;
}

// False: the hand is over there.
static bool take_move(struct walk *w, const struct betting_history_move *m, int i)
{
    const struct betting_node *n = &w->tree->node[w->at];
    if (n->next[i] >= BETTING_SHOWN)
        return false;
    w->put[n->role] = m->total - w->view->ante;
    w->at = n->next[i];
    return true;
}

static struct walk begin_walk(const struct betting_tree *t, const struct betting_history *m,
                              const struct texas_holdem_view *v)
{
    return (struct walk){.view = v,
                         .tree = t,
                         .put = {v->small_blind, v->big_blind},
                         .stack = effective(m, v) - v->ante,
                         .at = BETTING_ROOT,
                         .chance = 1};
}

static const struct betting_node *end_walk(const struct walk *w)
{
    const struct betting_node *n = &w->tree->node[w->at];
    return n->role == role_of(w->view, w->view->viewer) && n->street == w->view->phase ? n : NULL;
}

const struct betting_node *solved_find(const struct betting_tree *t, const struct betting_history *m,
                                       const struct texas_holdem_view *v, struct rng_draw *dice)
{
    struct walk w = begin_walk(t, m, v);
    for (int i = 0; i < betting_history_count(m); i++) {
        if (m->move[i].action >= HOLDEM_POST_SMALL)
            continue;
        struct raise_map r = map_move(&w, &m->move[i]);
        float at = r.count == 2 && dice ? (float)(rng_draw_u32(dice) >> 8) / (1 << 24) : 0.5f;
        if (!r.count || !take_move(&w, &m->move[i], r.first + (r.count == 2 && at >= r.chance)))
            return NULL;
    }
    return end_walk(&w);
}

// Every node at which the bot may think that it is, and how likely; NULL: it thinks that the betting has left the tree.
// At most two sizes for each raise of the other, who has at most six in a hand of the tree.
enum { SOLVED_PATHS = 65 };
struct solved_paths {
    int count;
    const struct betting_node *node[SOLVED_PATHS];
    float chance[SOLVED_PATHS]; // sum to 1
};

static void add_path(struct solved_paths *out, const struct betting_node *node, float chance)
{
    for (int i = 0; i < out->count; i++)
        if (out->node[i] == node) {
            out->chance[i] += chance;
            return;
        }
    assert(out->count < SOLVED_PATHS);
    out->node[out->count] = node;
    out->chance[out->count++] = chance;
}

static void walk_all(struct walk w, const struct betting_history *m, int from, struct solved_paths *out)
{
    for (int i = from; i < betting_history_count(m); i++) {
        if (m->move[i].action >= HOLDEM_POST_SMALL)
            continue;
        struct raise_map r = map_move(&w, &m->move[i]);
        struct walk larger = w;
        if (r.count == 2) {
            larger.chance *= 1 - r.chance;
            w.chance *= r.chance;
            if (take_move(&larger, &m->move[i], r.first + 1))
                walk_all(larger, m, i + 1, out);
            else
                add_path(out, NULL, larger.chance);
        }
        if (!r.count || !take_move(&w, &m->move[i], r.first)) {
            add_path(out, NULL, w.chance);
            return;
        }
    }
    add_path(out, end_walk(&w), w.chance);
}

// ---- Answers --------------------------------------------------------------------------------------------------------

struct game_action solved_answer(const struct texas_holdem_view *v, const struct betting_node *n, int index, int depth)
{
    assert(n); // there are answers, so there is a node
    int move = n->move[index];
    if (move == BETTING_FOLD)
        return holdem_pass(v);
    if (move == BETTING_ALL_IN && v->min_raise_to == 0 && v->chips[holdem_other_seat(v)] > 0)
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

static const float margin = 0.08f; // off the equity against any hand: who bets has something

struct game_action solved_off_tree(const struct texas_holdem_view *v, float equity)
{
    if (v->to_call == 0)
        return equity > 0.7f ? holdem_raise_by(v, 0.75f) : holdem_plain(HOLDEM_CHECK);
    if (equity - margin > 0.78f)
        return holdem_raise_by(v, 1);
    return equity - margin > holdem_pot_odds(v) ? holdem_plain(HOLDEM_CALL) : holdem_plain(HOLDEM_FOLD);
}

// All raises of the tree are half of the pot or more. A smaller one is answered as the smallest of them, and then so
// many of the folds are too many: what the mapping would take for no raise at all, if that were a size.
static float count_excess(const struct texas_holdem_view *v, const struct betting_node *n)
{
    const float half = 0.49f; // a whole number of chips is seldom half of the pot
    int own = n->put[n->role], other = n->put[!n->role];
    float share = (float)v->to_call / (float)(v->pot - v->to_call), size = (float)(other - own) / (float)(2 * own);
    return n->move[0] == BETTING_FOLD && share < half ? smaller_chance(0, size, share) : 0;
}

// Those folds become calls. They are the better hands of those that fold, about one in four, so that many times as many
// of the hands with which the odds allow it.
static void call_small(const struct texas_holdem_view *v, float excess, float equity, float share[BETTING_MOVES])
{
    const float hands = 4;
    if (equity - margin <= holdem_pot_odds(v))
        return;
    float calls = share[0] * (hands * excess < 1 ? hands * excess : 1);
    share[0] -= calls;
    share[1] += calls;
}

static float find_equity(const struct blueprint *b, const struct texas_holdem_view *v)
{
    struct bucket_feature f;
    if (v->board_count < 3)
        return (float)b->facts.equity[bucket_class(v->hole)] / 255;
    bucket_features((const uint8_t(*)[2])v->hole, 1, v->board, v->board_count, &f);
    return (float)f.equity / 65535;
}

static bool is_untouched(const struct texas_holdem_view *v) // the button before the flop, first to act
{
    return v->phase == HOLDEM_PREFLOP && v->viewer == v->button && v->current_bet <= v->big_blind;
}

// What a place without shares comes to.
enum short_play { SHORT_NONE, SHORT_LISTED, SHORT_ODDS };

// Push or fold, where the other plays it too: by the lists, by the odds, or this is no such place.
static enum short_play play_short(const struct blueprint *b, const struct texas_holdem_view *v, double blinds,
                                  struct game_action *out)
{
    int class = bucket_class(v->hole);
    bool pushed = v->phase == HOLDEM_PREFLOP && v->viewer != v->button && v->chips[holdem_other_seat(v)] == 0;
    if (blinds > SHORT)
        return SHORT_NONE;
    if (is_untouched(v))
        *out = b->facts.push[class] >= 8 * blinds ? holdem_plain(HOLDEM_ALLIN) : holdem_pass(v);
    else if (pushed && v->to_call > 0)
        *out = b->facts.call[class] >= 8 * blinds ? holdem_plain(HOLDEM_CALL) : holdem_pass(v);
    else
        return blinds < TOO_SHORT ? SHORT_ODDS : SHORT_NONE;
    return SHORT_LISTED;
}

// Two kinds of hands on every street after the first, good and bad: the table's answer for the one in their middle.
static int blur(int street, int bucket)
{
    static const int span[] = {1, 6 * BUCKET_SPREADS, 6 * BUCKET_SPREADS, 15};
    int first = bucket - bucket % span[street], last = bucket_count(street) - 1, middle = first + span[street] / 2;
    return middle < last ? middle : last;
}

struct decision {
    struct blueprint table;
    const struct betting_node *node;
    int section, depth, count; // count: of the shares; 0: `only` is all there is
    enum short_play brief;
    float share[BETTING_MOVES];
    struct game_action only;
};

// The bucket of the own hand; counting it out takes a millisecond on the flop.
static int bucket_in(struct solved_memo *memo, const struct bucket_cuts *cuts, const struct texas_holdem_view *v)
{
    if (!memo || v->board_count < 3)
        return bucket_find(cuts, v->hole, v->board, v->board_count);
    uint64_t board = cards_set(v->board, v->board_count), hole = cards_set(v->hole, 2);
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

// All but the place in the tree; false: there is no table, and the game's own answer is played.
static bool begin_decision(const struct bot_ask *ask, struct decision *d)
{
    const struct texas_holdem_view *v = ask->view;
    double blinds = (double)effective(ask->mind, v) / v->big_blind;
    d->count = 0;
    d->only = ask->fallback;
    d->brief = SHORT_NONE;
    d->table = (struct blueprint){0};
    if (!solved_table(&d->table))
        return false;
    d->brief = play_short(&d->table, v, blinds, &d->only);
    d->section = depth_of(blinds);
    d->depth = betting_depth[d->section];
    return true;
}

static void make_decision(const struct bot_ask *ask, struct rng_draw *dice, bool rough, struct solved_memo *memo,
                          struct decision *d)
{
    const struct texas_holdem_view *v = ask->view;
    if (!begin_decision(ask, d) || d->brief == SHORT_LISTED)
        return;
    if (d->brief == SHORT_NONE) {
        const struct betting_tree *tree = plant_in(memo, ask, d->depth);
        d->node = blueprint_has(&d->table, d->section, tree) ? solved_find(tree, ask->mind, v, dice) : NULL;
        if (d->node) {
            struct blueprint_page page;
            int bucket = bucket_in(memo, &d->table.facts.cuts, v);
            bucket = rough ? blur(d->node->street, bucket) : bucket;
            blueprint_read(&d->table, d->section, tree, d->node, &page);
            if (blueprint_mix(&page, d->node->moves, bucket, d->share))
                d->count = d->node->moves;
            float excess = count_excess(v, d->node);
            if (d->count && excess > 0 && d->share[0] > 0)
                call_small(v, excess, find_equity(&d->table, v), d->share);
        }
    }
    if (!d->count)
        d->only = solved_off_tree(v, find_equity(&d->table, v));
}

static struct game_action choose_by(const struct bot_ask *asked, bool rough, struct solved_memo *memo)
{
    struct rng_draw dice;
    struct decision d;
    struct betting_history room;
    struct bot_ask sound = *asked, *ask = &sound;
    sound.mind = betting_history_of(asked, &room);
    if (!is_heads_up(ask->view))
        return holdem_multiway_choose(ask);
    rng_begin(&dice, ask->dice);
    make_decision(ask, &dice, rough, memo, &d);
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
static void weigh_move(const struct blueprint_page *p, int moves, int move, const uint8_t bucket[BUCKET_HANDS],
                       float weight[BUCKET_HANDS])
{
    const float slip = 0.05f;
    for (int h = 0; h < BUCKET_HANDS; h++) {
        float share[BETTING_MOVES];
        if (weight[h] > 0 && blueprint_mix(p, moves, bucket[h], share))
            weight[h] *= slip + (1 - slip) * share[move];
    }
}

bool solved_range(const struct bot_ask *asked, struct solved_memo *memo, const uint8_t hand[BUCKET_HANDS][2],
                  float weight[BUCKET_HANDS])
{
    const struct texas_holdem_view *v = asked->view;
    struct betting_history room;
    const struct betting_history *m = betting_history_of(asked, &room);
    struct blueprint table;
    struct blueprint_page page;
    uint8_t bucket[BUCKET_HANDS];
    uint64_t taken = cards_set(v->hole, 2) | cards_set(v->board, v->board_count);
    for (int h = 0; h < BUCKET_HANDS; h++)
        weight[h] = cards_set(hand[h], 2) & taken ? 0 : 1;
    if (!is_heads_up(v) || !solved_table(&table))
        return false;
    int depth = depth_of((double)effective(m, v) / v->big_blind), street = -1;
    struct walk w = begin_walk(plant_in(memo, asked, betting_depth[depth]), m, v);
    if (!blueprint_has(&table, depth, w.tree))
        return true;
    for (int i = 0; i < betting_history_count(m); i++) {
        const struct betting_history_move *x = &m->move[i];
        const struct betting_node *n = &w.tree->node[w.at];
        if (x->action >= HOLDEM_POST_SMALL)
            continue;
        struct raise_map r = map_move(&w, x);
        int move = r.first + (r.count == 2 && !(0.5f < r.chance)); // the likelier one
        if (r.count && x->seat != v->viewer) {
            if (street != n->street)
                find_buckets(&table, hand, v, street = n->street, bucket);
            blueprint_read(&table, depth, w.tree, n, &page);
            weigh_move(&page, n->moves, move, bucket, weight);
        }
        if (!r.count || !take_move(&w, x, move))
            break;
    }
    return true;
}

// ---- All that it may answer -----------------------------------------------------------------------------------------

struct mixing {
    const struct bot_ask *ask;
    struct decision decision;
    struct solved_paths paths;
    struct blueprint_page page[SOLVED_PATHS]; // of the paths' nodes
    bool rough, by_equity; // the answer of the last hand depends on its equity, not on its bucket alone
    int count;
    struct bot_mix mix[BOT_MAX_MIX];
};

static void begin_mixing(struct mixing *m, const struct bot_ask *ask, bool rough)
{
    struct betting_tree *tree = ask->scratch;
    m->ask = ask;
    m->rough = rough;
    m->paths.count = 0;
    if (!begin_decision(ask, &m->decision) || m->decision.brief != SHORT_NONE)
        return;
    betting_plant(tree, m->decision.depth);
    if (blueprint_has(&m->decision.table, m->decision.section, tree)) {
        m->paths.count = 0;
        walk_all(begin_walk(tree, ask->mind, ask->view), ask->mind, 0, &m->paths);
    } else {
        add_path(&m->paths, NULL, 1);
    }
    for (int k = 0; k < m->paths.count; k++)
        if (m->paths.node[k])
            blueprint_read(&m->decision.table, m->decision.section, tree, m->paths.node[k], &m->page[k]);
}

static void add_mix(struct mixing *m, struct game_action a, float share)
{
    a = holdem_as_listed(m->ask, a);
    for (int i = 0; i < m->count; i++)
        if (game_same_action(m->mix[i].action, a)) {
            m->mix[i].share += share;
            return;
        }
    assert(m->count < BOT_MAX_MIX);
    m->mix[m->count++] = (struct bot_mix){a, share};
}

// N14.6: every size that the other's raises may be taken for, as likely as it is drawn.
static void mix_hand(struct mixing *m, int bucket, float equity)
{
    struct decision *d = &m->decision;
    const struct texas_holdem_view *v = m->ask->view;
    m->count = 0;
    m->by_equity = d->brief == SHORT_ODDS;
    if (d->brief == SHORT_LISTED || !m->paths.count)
        add_mix(m, m->by_equity ? solved_off_tree(v, equity) : d->only, 1);
    for (int k = 0; k < m->paths.count; k++) {
        const struct betting_node *n = m->paths.node[k];
        float chance = m->paths.chance[k];
        int like = n && m->rough ? blur(n->street, bucket) : bucket;
        if (!n || !blueprint_mix(&m->page[k], n->moves, like, d->share)) {
            add_mix(m, solved_off_tree(v, equity), chance);
            m->by_equity = true;
            continue;
        }
        float excess = count_excess(v, n);
        if (excess > 0) {
            call_small(v, excess, equity, d->share);
            m->by_equity = true;
        }
        for (int i = 0; i < n->moves; i++)
            if (d->share[i] > 0)
                add_mix(m, solved_answer(v, n, i, d->depth), chance * d->share[i]);
    }
}

static int list_mix_by(const struct bot_ask *asked, bool rough, struct bot_mix out[BOT_MAX_MIX])
{
    struct mixing m;
    struct betting_history room;
    struct bot_ask ask = *asked;
    const struct texas_holdem_view *v = ask.view;
    ask.mind = betting_history_of(asked, &room);
    if (!is_heads_up(v))
        return 0;
    begin_mixing(&m, &ask, rough);
    mix_hand(&m, bucket_find(&m.decision.table.facts.cuts, v->hole, v->board, v->board_count),
             find_equity(&m.decision.table, v));
    memcpy(out, m.mix, sizeof *out * (size_t)m.count);
    return m.count;
}

static int list_mix(const struct bot_ask *ask, struct bot_mix out[BOT_MAX_MIX])
{
    return list_mix_by(ask, false, out);
}

static int list_rough_mix(const struct bot_ask *ask, struct bot_mix out[BOT_MAX_MIX])
{
    return list_mix_by(ask, true, out);
}

void solved_know(struct solved_hands *h, const uint8_t *board, int count)
{
    struct bucket_feature feature[BUCKET_HANDS];
    struct blueprint b;
    int n = 0;
    bool known = solved_table(&b);
    for (uint8_t j = 1; j < CARDS_IN_DECK; j++)
        for (uint8_t i = 0; i < j; i++) {
            h->hand[n][0] = i;
            h->hand[n++][1] = j;
        }
    if (count)
        bucket_features((const uint8_t(*)[2])h->hand, BUCKET_HANDS, board, count, feature);
    for (int i = 0; i < BUCKET_HANDS && known; i++) {
        int class = bucket_class(h->hand[i]);
        h->bucket[i] = (uint8_t)(count ? bucket_of(&b.facts.cuts, count - 2, feature[i]) : class);
        h->equity[i] = count ? (float)feature[i].equity / 65535 : (float)b.facts.equity[class] / 255;
    }
}

static int place_action(struct solved_shares *out, struct game_action a)
{
    int i = 0;
    while (i < out->count && !game_same_action(out->action[i], a))
        i++;
    assert(i < SOLVED_ACTIONS);
    if (i == out->count) {
        out->action[out->count++] = a;
        memset(out->share[i], 0, sizeof out->share[i]);
    }
    return i;
}

void solved_list_shares(const struct bot_ask *asked, const struct solved_hands *h, const double *weight,
                        struct solved_shares *out)
{
    struct mixing m;
    struct betting_history room;
    struct bot_ask ask = *asked;
    struct texas_holdem_view v = *(const struct texas_holdem_view *)ask.view;
    int16_t like[BUCKET_CLASSES]; // a hand of that bucket, whose shares are the same
    memset(like, 255, sizeof like);
    ask.mind = betting_history_of(asked, &room);
    ask.view = &v;
    out->count = 0;
    begin_mixing(&m, &ask, asked->bot->mix == list_rough_mix);
    for (int i = 0; i < BUCKET_HANDS; i++) {
        if (weight[i] <= 0)
            continue;
        if (like[h->bucket[i]] >= 0) {
            for (int k = 0; k < out->count; k++)
                out->share[k][i] = out->share[k][like[h->bucket[i]]];
            continue;
        }
        memcpy(v.hole, h->hand[i], 2);
        if (m.decision.brief == SHORT_LISTED) // by class
            begin_decision(&ask, &m.decision);
        mix_hand(&m, h->bucket[i], h->equity[i]);
        for (int k = 0; k < m.count; k++)
            out->share[place_action(out, m.mix[k].action)][i] = m.mix[k].share;
        if (!m.by_equity)
            like[h->bucket[i]] = (int16_t)i;
    }
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
                                            .mind_size = sizeof(struct betting_history),
                                            .scratch_size = SOLVED_SCRATCH,
                                            .observe = betting_history_observe,
                                            .table = &texas_holdem_table};

const struct bot texas_holdem_outline_bot = {.name = "outline",
                                             .game = "texas_holdem",
                                             .choose = choose_roughly,
                                             .mix = list_rough_mix,
                                             .thinks = true,
                                             .mind_size = sizeof(struct betting_history),
                                             .scratch_size = SOLVED_SCRATCH,
                                             .observe = betting_history_observe,
                                             .table = &texas_holdem_table};

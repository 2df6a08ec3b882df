// search (B15.4-B15.8): imagines the cards it cannot see, many times, plays each deal out with open cards, and does
// what is best on the average. What is best is the chance to win the match.
//
// reader (N7): the same, but hands are believed by the cards that were played as well as by the words, and half of what
// a card is worth comes from playing on without open cards. glance: the same with a fifth of the work.
//
// Every choice is judged in every world. All chance is the asker's, and all work is counted in worlds and cards played:
// the same question with the same dice gets the same answer, unless a clock was given.
#include "bots/action_values.h"
#include "games/belote/bots/bid.h"
#include "games/belote/bots/hand.h"
#include "games/belote/bots/infer.h"
#include "games/belote/bots/match_equity.h"
#include "games/belote/bots/playout.h"
#include "games/belote/bots/solve.h"

#include <float.h>
#include <string.h>

enum {
    BATCH = 128, // worlds imagined at once, at most
    VALUES = 2 * SOLVE_SWEEP + 259,
    LOOKS_AT_CLOCK = 32, // worlds imagined between two
    PLAYOUT_NODES = 500, // cost of a playout, in cards played by the solver
};

// By cards in a hand: how many worlds are looked at in a round, how many rounds, how many tricks beside the running one
// are searched, and how far, in card points, the end may be from what open cards promise.
struct plan {
    uint8_t worlds, rounds, depth, doubt;
};

struct manner {
    uint8_t candidates;  // for a world that is looked at
    uint8_t talk_worlds; // in a round
    uint8_t talk_rounds;
    bool reads;     // N7.2: the cards that were played
    float playouts; // N7.3: their share of what a card is worth
    uint32_t nodes; // cards played in a decision, from which on no further world is looked at
    struct plan plans[BELOTE_HAND + 1];
};

static const struct manner searching = {
    .candidates = 4,
    .talk_worlds = 32,
    .talk_rounds = 6,
    .nodes = 400000,
    .plans = {[2] = {32, 1, SOLVE_ALL, 0},
              [3] = {32, 1, SOLVE_ALL, 2},
              [4] = {32, 1, SOLVE_ALL, 5},
              [5] = {16, 1, SOLVE_ALL, 9},
              [6] = {16, 1, 1, 14},
              [7] = {32, 1, 0, 20},
              [8] = {32, 1, 0, 24}},
};

static const struct manner reading = {
    .candidates = 16,
    .talk_worlds = 8,
    .talk_rounds = 12,
    .reads = true,
    .playouts = 0.5f,
    .nodes = 600000,
    .plans = {[2] = {8, 4, SOLVE_ALL, 0},
              [3] = {8, 4, SOLVE_ALL, 2},
              [4] = {8, 4, SOLVE_ALL, 5},
              [5] = {8, 3, SOLVE_ALL, 9},
              [6] = {8, 3, 1, 14},
              [7] = {8, 4, 0, 20},
              [8] = {8, 4, 0, 24}},
};

static const struct manner glancing = {
    .candidates = 12,
    .talk_worlds = 10,
    .talk_rounds = 3,
    .reads = true,
    .playouts = 0.5f,
    .nodes = 20000,
    .plans = {[2] = {10, 1, SOLVE_ALL, 0},
              [3] = {10, 1, SOLVE_ALL, 2},
              [4] = {10, 1, SOLVE_ALL, 5},
              [5] = {10, 1, 1, 9},
              [6] = {10, 1, 0, 14},
              [7] = {10, 1, 0, 20},
              [8] = {10, 1, 0, 24}},
};

// Hidden cards as they may be.
struct world {
    struct belote_state state;
    float weight;
};

struct mind {
    const struct bot_ask *ask;
    const struct manner *manner;
    const struct belote_view *v;
    int us;
    struct match_equity equity;
    struct belote_state before[BELOTE_MAX_BIDS]; // the table before each word that was said
    struct inference inference;                  // of a deal that is played
    struct table table;
    struct world worlds[BATCH];
    struct solver solver;
    float value[VALUES];          // by what a solver says of the whole deal, from -SOLVE_SWEEP on
    float sum[GAME_MAX_CHOICES];  // by choice, over all worlds
    struct action_values *values; // NULL: a decision; else what it wants to know of each world
    float *points;                // while weighing: card points of the deal with the card that is judged
};

static void apply_word(struct belote_state *s, int word)
{
    struct game_action a;
    bool legal = belote_game.flat(s, s->turn, BELOTE_FLAT_WORD + word, &a);
    int err = legal ? belote_game.apply(s, s->turn, a, NULL) : ERR_ACTION;
    assert(err == OK);
    (void)err;
}

// --- Worlds

// Replays the negotiation; the cards do not matter for it.
static void recall_talk(struct mind *m)
{
    struct belote_view start = *m->v;
    struct belote_state s;
    start.phase = BELOTE_BID_PHASE;
    start.bids = start.plays = start.cards = 0;
    belote_imagine(&s, &start, m->ask->dice);
    for (int i = 0; i < m->v->bids; i++) {
        m->before[i] = s;
        apply_word(&s, m->v->bid[i]);
    }
}

static void scan(const struct belote_state *s, struct outlook of[BELOTE_SEATS])
{
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        of[seat] = bid_estimate(s->hand[seat], BELOTE_HAND - 3);
}

// B15.7: how likely the others would have spoken so with their first five cards, and played so with all.
static float weigh_world(const struct mind *m, const struct belote_state *s, const struct outlook of[BELOTE_SEATS])
{
    float weight = m->manner->reads && s->phase == BELOTE_PLAY_PHASE ? infer_chance(&m->inference, s->held) : 1;
    for (int i = 0; i < m->v->bids; i++) {
        int seat = m->before[i].turn;
        if (seat != m->v->viewer)
            weight *= bid_chance(&m->before[i], &of[seat], m->v->bid[i]);
    }
    return weight;
}

// Fills the first worlds with up to `count` that agree with what was seen, weighed by what was said and played; how
// many. It stops when the time is over (N1.9).
static int imagine_worlds(struct mind *m, int count)
{
    struct belote_state s;
    struct outlook of[BELOTE_SEATS];
    belote_imagine(&s, m->v, m->ask->dice);
    for (int i = 0; i < count; i++) {
        if (i % LOOKS_AT_CLOCK == LOOKS_AT_CLOCK - 1 && m->ask->out_of_time && m->ask->out_of_time(m->ask->clock))
            return i;
        belote_game.resample(&s, m->v->viewer, m->ask->dice);
        scan(&s, of);
        m->worlds[i] = (struct world){s, weigh_world(m, &s, of)};
    }
    return count;
}

// The sum of the weights, which are equal where all are too small for their type.
static float sum_weights(struct world *w, int count)
{
    float all = 0;
    for (int i = 0; i < count; i++)
        all += w[i].weight;
    for (int i = 0; all < FLT_MIN && i < count; i++)
        w[i].weight = 1;
    return all < FLT_MIN ? (float)count : all;
}

// Resamples to `wanted` worlds, in proportion to their weights. At least one, if there are any.
static int thin_out(struct world *w, int count, int wanted)
{
    float all = sum_weights(w, count), passed = 0;
    int kept = 0;
    float step = all / (float)wanted, next = step / 2;
    for (int i = 0; i < count; i++) {
        int times = 0;
        passed += w[i].weight;
        while (next < passed) {
            next += step;
            times++;
        }
        if (times) {
            w[kept] = w[i];
            w[kept++].weight = (float)times;
        }
    }
    return kept;
}

// --- Words

// What we take of a deal that is played in this mode.
static int guess_deal(struct mind *m, const uint32_t held[BELOTE_SEATS], int mode)
{
    struct solve_trick first = {.seat = m->v->opener, .sweep = 3};
    solve_set_mode(&m->solver, mode);
    solve_set_hands(&m->solver, held, SOLVE_NONE);
    return solve_trick(&m->solver, first, SOLVE_LOW, SOLVE_HIGH);
}

// A guess may be far off, so this is the mean over the outcomes around it.
static float value_guess(const struct mind *m, struct contract c, int taken)
{
    static const uint8_t doubts[BELOTE_MODES] = {24, 24, 24, 24, 18, 36};
    int all = match_equity_all_points(c.mode), doubt = doubts[c.mode];
    float sum = 0;
    if (taken < 0 || taken > all)
        return match_equity_value(&m->equity, c, taken);
    for (int i = -3; i <= 3; i += 2) {
        int near = taken + i * doubt / 3;
        sum += match_equity_value(&m->equity, c, near < 0 ? 0 : near > all ? all : near);
    }
    return sum / 4;
}

// G22.10: the bold like words that raise the stakes.
static float value_courage(const struct bot_ask *ask, int choice)
{
    float lean = bot_leans(ask, BOT_LOOSE) ? 0.08f : bot_leans(ask, BOT_TIGHT) ? -0.08f : 0; // N2.5
    return ask->choices[choice].first.kind == BELOTE_ACCEPT ? 0 : lean + (ask->aggro - 0.5f) * 0.04f;
}

// The result of each bid in this world if everybody bids by the model after it.
static void judge_words(struct mind *m, const struct world *w)
{
    struct outlook of[BELOTE_SEATS];
    int taken[BELOTE_MODES];
    scan(&w->state, of);
    for (int mode = 0; mode < BELOTE_MODES; mode++)
        taken[mode] = SOLVE_LOW;
    for (int i = 0; i < m->ask->count; i++) {
        struct belote_state s = w->state;
        belote_game.apply(&s, s.turn, m->ask->choices[i].first, NULL);
        while (s.phase == BELOTE_BID_PHASE)
            apply_word(&s, bid_say(&s, &of[s.turn]));
        if (taken[s.mode] == SOLVE_LOW)
            taken[s.mode] = guess_deal(m, s.held, s.mode);
        struct contract c = {s.mode, s.multiplier, s.team};
        m->sum[i] += w->weight * (value_guess(m, c, taken[s.mode]) + value_courage(m->ask, i));
    }
}

// --- Cards

// The value of every outcome of the deal, smoothed by the uncertainty of the guess.
static void fill_values(struct mind *m, int doubt)
{
    float sharp[VALUES];
    struct contract c = {m->v->mode, m->v->multiplier, m->v->team};
    int all = match_equity_all_points(c.mode);
    for (int i = 0; i < VALUES; i++)
        sharp[i] = match_equity_value(&m->equity, c, i - SOLVE_SWEEP);
    memcpy(m->value, sharp, sizeof sharp);
    for (int points = 0; points <= all; points++) {
        float sum = 0, weights = 0;
        for (int off = -doubt; off <= doubt; off++) {
            int near = points + off < 0 ? 0 : points + off > all ? all : points + off;
            float weight = (float)(doubt + 1 - (off < 0 ? -off : off));
            sum += weight * sharp[SOLVE_SWEEP + near];
            weights += weight;
        }
        m->value[SOLVE_SWEEP + points] = sum / weights;
    }
}

static struct solve_trick check_trick(const struct belote_view *v)
{
    struct solve_trick t = {.seat = v->viewer, .lying = (uint8_t)cards_lying(v)};
    for (int team = 0; team < 2; team++)
        t.sweep |= (uint8_t)(!v->won[1 - team] << team);
    if (!t.lying)
        return t;
    t.led = (uint8_t)card_led(v);
    t.best = v->best;
    t.taker = v->taker;
    for (int i = v->plays & ~3; i < v->plays; i++)
        t.points = (uint8_t)(t.points + belote_card_points(v->mode, v->play[i]));
    return t;
}

// The ends between which anything changes.
static void find_window(const struct mind *m, const struct solve_trick *t, int *low, int *high)
{
    const float *value = m->value + SOLVE_SWEEP;
    *low = t->sweep >> (1 - m->us) & 1 ? -SOLVE_SWEEP : 0;
    *high = match_equity_all_points(m->v->mode) + (t->sweep >> m->us & 1 ? SOLVE_SWEEP : 0);
    while (*low < *high && value[*low] == value[*low + 1])
        ++*low;
    while (*high > *low && value[*high] == value[*high - 1])
        --*high;
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static void note_points(struct mind *m, int open, int blind)
{
    int all = match_equity_all_points(m->v->mode);
    float share = m->manner->playouts;
    if (m->points)
        *m->points = (1 - share) * (float)clamp(open, 0, all) + share * (float)clamp(blind, 0, all);
}

// What a card leads to in this world: with open cards, and when everybody sees the own hand alone.
static float value_card(struct mind *m, const struct world *w, struct solve_trick t, int card)
{
    float share = m->manner->playouts;
    int low, high, mine = m->v->card_points[m->us];
    find_window(m, &t, &low, &high);
    int open = mine + solve_card(&m->solver, t, card, low - mine - 1, high - mine + 1);
    open = clamp(open, low, high);
    note_points(m, open, open);
    if (share <= 0)
        return m->value[SOLVE_SWEEP + open];
    int blind = mine + playout_value(m->table, w->state.held, card, t.sweep, m->us);
    m->solver.nodes += PLAYOUT_NODES;
    note_points(m, open, blind);
    return (1 - share) * m->value[SOLVE_SWEEP + open] + share * m->value[SOLVE_SWEEP + blind];
}

static void judge_cards(struct mind *m, const struct world *w)
{
    struct solve_trick t = check_trick(m->v);
    solve_set_hands(&m->solver, w->state.held, m->manner->plans[m->v->cards].depth);
    uint32_t worth = solve_distinct(&m->solver, &t, m->v->may & w->state.held[m->v->viewer]);
    for (int i = 0; i < m->ask->count; i++) {
        int card = m->ask->choices[i].first.arg[0];
        float points = 0;
        m->points = m->values ? &points : NULL;
        if (m->values || worth >> card & 1) // else another one does the same in this world
            m->sum[i] += w->weight * value_card(m, w, t, card);
        if (m->values)
            m->values->points[i] += (double)(w->weight * points);
    }
}

// --- Deciding

static uint32_t effort_of(const struct bot_ask *ask)
{
    return ask->effort ? ask->effort : 1;
}

static bool is_tired(const struct mind *m)
{
    if (m->ask->out_of_time)
        return m->ask->out_of_time(m->ask->clock);
    return m->solver.nodes / m->manner->nodes >= effort_of(m->ask);
}

#ifndef AGON_BROWSER
static void note_world(struct mind *m, const struct world *w)
{
    double value[GAME_MAX_CHOICES];
    for (int i = 0; i < m->ask->count; i++)
        value[i] = (double)(m->sum[i] / w->weight);
    action_values_add(m->values, value, (double)w->weight);
    memset(m->sum, 0, sizeof m->sum);
}
#endif

// Searches worlds in rounds until the budget is used; at least one world is always searched.
static void search_worlds(struct mind *m, int worlds, int usual_rounds,
                          void (*judge)(struct mind *m, const struct world *w))
{
    uint64_t rounds = m->ask->out_of_time ? UINT64_MAX : (uint64_t)usual_rounds * effort_of(m->ask);
    bool first = true;
    for (uint64_t round = 0; round < rounds; round++) {
        int candidates = imagine_worlds(m, m->manner->candidates * worlds);
        int count = thin_out(m->worlds, candidates, worlds);
        for (int i = 0; i < count; i++) {
            if (!first && is_tired(m))
                return;
            judge(m, &m->worlds[i]);
#ifndef AGON_BROWSER
            if (m->values)
                note_world(m, &m->worlds[i]);
#endif
            first = false;
        }
    }
}

static void search_begin(struct mind *m, const struct bot_ask *ask, const struct manner *manner)
{
    m->ask = ask;
    m->manner = manner;
    m->v = ask->view;
    m->us = belote_team(ask->seat);
    m->values = NULL;
    memset(m->sum, 0, sizeof m->sum);
    match_equity_begin(&m->equity, m->v, m->us);
    solve_begin(&m->solver, m->us);
    recall_talk(m);
}

static void think_of_cards(struct mind *m)
{
    const struct plan *plan = &m->manner->plans[m->v->cards];
    fill_values(m, plan->doubt);
    solve_set_mode(&m->solver, m->v->mode);
    m->table = card_weight_table(m->v);
    infer_begin(&m->inference, m->v);
    search_worlds(m, plan->worlds, plan->rounds, judge_cards);
}

static void search(struct mind *m)
{
    if (m->v->phase == BELOTE_BID_PHASE)
        search_worlds(m, m->manner->talk_worlds, m->manner->talk_rounds, judge_words);
    else
        think_of_cards(m);
}

static struct game_action choose_by(const struct bot_ask *ask, const struct manner *manner)
{
    const struct belote_view *v = ask->view;
    struct mind m;
    if (v->phase == BELOTE_CUT_PHASE)
        return ask->fallback;
    if (ask->count == 1 || (v->phase == BELOTE_PLAY_PHASE && v->cards == 1)) // no plan for one card
        return ask->choices[0].first;
    search_begin(&m, ask, manner);
    search(&m);
    int best = 0;
    for (int i = 1; i < ask->count; i++)
        if (m.sum[i] > m.sum[best])
            best = i;
    return ask->choices[best].first;
}

static struct game_action choose_search(const struct bot_ask *ask)
{
    return choose_by(ask, &searching);
}

static struct game_action choose_reader(const struct bot_ask *ask)
{
    return choose_by(ask, &reading);
}

static struct game_action choose_glance(const struct bot_ask *ask)
{
    return choose_by(ask, &glancing);
}

#ifndef AGON_BROWSER
// N20: a cut is chance, whatever was cut.
static void weigh_by(const struct bot_ask *ask, struct action_values *w, const struct manner *manner)
{
    const struct belote_view *v = ask->view;
    struct game_choice listed[ACTION_VALUES_MAX];
    struct bot_ask own = *ask;
    struct mind m;
    double same[ACTION_VALUES_MAX] = {0};
    for (int i = 0; i < w->count; i++)
        listed[i] = (struct game_choice){.first = w->action[i], .max_amount = w->action[i].amount};
    own.choices = listed;
    own.count = w->count;
    if (v->phase == BELOTE_CUT_PHASE) {
        action_values_add(w, same, 1);
        return;
    }
    search_begin(&m, &own, manner);
    m.values = w;
    search(&m);
}

static void weigh_search(const struct bot_ask *ask, struct action_values *w)
{
    weigh_by(ask, w, &searching);
}

static void weigh_reader(const struct bot_ask *ask, struct action_values *w)
{
    weigh_by(ask, w, &reading);
}

static void weigh_glance(const struct bot_ask *ask, struct action_values *w)
{
    weigh_by(ask, w, &glancing);
}
#else
#define weigh_search NULL
#define weigh_reader NULL
#define weigh_glance NULL
#endif

enum { STYLES = BOT_TIGHT | BOT_LOOSE };

const struct bot belote_search_bot = {.name = "search",
                                      .game = "belote",
                                      .choose = choose_search,
                                      .weigh = weigh_search,
                                      .thinks = true,
                                      .knows = STYLES};
const struct bot belote_reader_bot = {.name = "reader",
                                      .game = "belote",
                                      .choose = choose_reader,
                                      .weigh = weigh_reader,
                                      .thinks = true,
                                      .knows = STYLES};
const struct bot belote_glance_bot = {.name = "glance",
                                      .game = "belote",
                                      .choose = choose_glance,
                                      .weigh = weigh_glance,
                                      .thinks = true,
                                      .knows = STYLES};

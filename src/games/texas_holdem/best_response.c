// What best responses win from a bot between two players: exactly where it pushes or folds (N6.8), in whole hands by a
// local best response (N6.9), a player that knows the bot's answer with every hand.
#include "bots/minds.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/bots/play.h"
#include "games/texas_holdem/bots/solved.h"
#include "games/texas_holdem/luck.h"
#include "games/texas_holdem/push_fold.h"
#include "games/texas_holdem/rules/texas_holdem.h"
#include "games/texas_holdem/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOARDS = 24, DEPTH = 50, LEAST_SHARE = 1000 };

static const struct game *const g = &texas_holdem_game;

// A hand with the bot in it.
struct table {
    const struct bot *bot;
    struct texas_holdem_state state;
    uint64_t mind[BOT_MAX_MIND / 8];
    int seat; // of the bot
};

struct best_response {
    const struct bot *bot;
    uint64_t *scratch;
    struct betting_tree tree;
    struct blueprint blueprint;
    bool solved; // its shares are looked up, not asked for
    uint8_t hand[BUCKET_HANDS][2];
    uint8_t bucket[4][BUCKET_HANDS]; // on this board
    float win[BUCKET_HANDS];         // of the answer against each hand, run out
    float weight[BUCKET_HANDS];      // of the bot's hands
    float equity[BUCKET_HANDS];      // of them against any hand
    int street;                      // for which bucket and win hold
    struct rng_draw *dice;
};

// ---- Asking ---------------------------------------------------------------------------------------------------------

static struct bot_ask question(const struct best_response *a, const struct table *t, struct texas_holdem_view *v,
                               struct game_choice choices[GAME_MAX_CHOICES], struct rng *dice)
{
    g->view(&t->state, t->seat, v);
    return (struct bot_ask){.bot = a->bot,
                            .game = g,
                            .view = v,
                            .seat = t->seat,
                            .seats = t->state.seats,
                            .choices = choices,
                            .count = g->choices(&t->state, t->seat, choices),
                            .fallback = g->fallback(&t->state, t->seat),
                            .aggro = 0.5f,
                            .dice = dice,
                            .mind = t->mind,
                            .scratch = a->scratch};
}

static bool is_fold(struct game_action x)
{
    return x.kind == HOLDEM_FOLD;
}

// `wanted` is the answer whose chance is asked for, with each hand; of kind 0: any fold.
static bool is_wanted(struct game_action wanted, struct game_action x)
{
    return wanted.kind ? game_same_action(wanted, x) : is_fold(x);
}

static void ask_every_hand(const struct best_response *a, const struct table *t, struct game_action wanted, float *out)
{
    struct texas_holdem_view v;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct rng dice = {.key = {7}};
    struct bot_ask ask = question(a, t, &v, choices, &dice);
    for (int h = 0; h < BUCKET_HANDS; h++) {
        struct bot_mix mix[BOT_MAX_MIX];
        out[h] = 0;
        if (a->weight[h] <= 0)
            continue;
        memcpy(v.hole, a->hand[h], 2);
        dice = (struct rng){.key = {7, (uint32_t)h, a->dice->word[0]}};
        int count = a->bot->mix ? a->bot->mix(&ask, mix) : 0;
        if (!count) // an answer for all
            mix[0] = (struct bot_mix){a->bot->choose(&ask), 1}, count = 1;
        for (int i = 0; i < count; i++)
            out[h] += is_wanted(wanted, mix[i].action) ? mix[i].share : 0;
    }
}

// The same by the table, and by the odds where the table does not know.
static bool look_up(const struct best_response *a, const struct table *t, struct game_action wanted, float *out)
{
    struct texas_holdem_view v;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct rng dice = {0};
    struct bot_ask ask = question(a, t, &v, choices, &dice);
    const struct betting_node *n = a->solved ? solved_find(&a->tree, (const void *)t->mind, &v, NULL) : NULL;
    struct blueprint_page page;
    bool is_answer[BETTING_MOVES] = {false};
    if (!a->solved)
        return false;
    if (n)
        blueprint_read(&a->blueprint, BETTING_DEPTHS - 1, &a->tree, n, &page);
    for (int i = 0; n && i < n->moves; i++)
        is_answer[i] = is_wanted(wanted, holdem_as_listed(&ask, solved_answer(&v, n, i, DEPTH)));
    for (int h = 0; h < BUCKET_HANDS; h++) {
        float share[BETTING_MOVES];
        out[h] = 0;
        if (a->weight[h] <= 0)
            continue;
        if (!n || !blueprint_mix(&page, n->moves, a->bucket[n->street][h], share)) {
            out[h] = is_wanted(wanted, holdem_as_listed(&ask, solved_off_tree(&v, a->equity[h])));
            continue;
        }
        for (int i = 0; i < n->moves; i++)
            out[h] += is_answer[i] ? share[i] : 0;
    }
    return true;
}

static void find_shares(const struct best_response *a, const struct table *t, struct game_action wanted, float *out)
{
    if (!look_up(a, t, wanted, out))
        ask_every_hand(a, t, wanted, out);
}

// ---- A street -------------------------------------------------------------------------------------------------------

static void run_out(struct best_response *a, const struct texas_holdem_view *v)
{
    uint8_t board[5], deck[CARDS_IN_DECK];
    int left = cards_list_others(cards_set(v->hole, 2) | cards_set(v->board, v->board_count), deck);
    int boards = v->board_count == 5 ? 1 : BOARDS;
    uint16_t seen[BUCKET_HANDS] = {0};
    memset(a->win, 0, sizeof a->win);
    memcpy(board, v->board, v->board_count);
    for (int k = 0; k < boards; k++) {
        struct bucket_board b;
        cards_draw(deck, left, 0, 5 - v->board_count, a->dice);
        memcpy(board + v->board_count, deck, (size_t)(5 - v->board_count));
        bucket_fill_board(&b, board);
        int own = b.strength[bucket_place(b.place[v->hole[0]], b.place[v->hole[1]])];
        for (int h = 0; h < BUCKET_HANDS; h++) {
            int i = b.place[a->hand[h][0]], j = b.place[a->hand[h][1]];
            if (i == 255 || j == 255)
                continue;
            int other = b.strength[bucket_place(i, j)];
            a->win[h] += own > other ? 1 : own == other ? 0.5f : 0;
            seen[h]++;
        }
    }
    for (int h = 0; h < BUCKET_HANDS; h++)
        a->win[h] = seen[h] ? a->win[h] / seen[h] : 0.5f;
}

static void find_buckets(struct best_response *a, const struct texas_holdem_view *v)
{
    static _Thread_local struct bucket_feature feature[BUCKET_HANDS];
    int street = v->phase;
    if (street == HOLDEM_PREFLOP)
        for (int h = 0; h < BUCKET_HANDS; h++) {
            a->bucket[0][h] = (uint8_t)bucket_class(a->hand[h]);
            a->equity[h] = (float)a->blueprint.facts.equity[a->bucket[0][h]] / 255;
        }
    if (street == HOLDEM_PREFLOP || !a->solved)
        return;
    bucket_features((const uint8_t(*)[2])a->hand, BUCKET_HANDS, v->board, v->board_count, feature);
    for (int h = 0; h < BUCKET_HANDS; h++) {
        a->bucket[street][h] = (uint8_t)bucket_of(&a->blueprint.facts.cuts, street, feature[h]);
        a->equity[h] = (float)feature[h].equity / 65535;
    }
}

// What is known when cards have come; `v` is the answer's view.
static void begin_street(struct best_response *a, const struct texas_holdem_view *v)
{
    uint64_t taken = UINT64_C(1) << v->hole[0] | UINT64_C(1) << v->hole[1];
    for (int i = 0; i < v->board_count; i++)
        taken |= UINT64_C(1) << v->board[i];
    for (int h = 0; h < BUCKET_HANDS; h++)
        if ((taken >> a->hand[h][0] | taken >> a->hand[h][1]) & 1)
            a->weight[h] = 0;
    find_buckets(a, v);
    if (v->phase > HOLDEM_PREFLOP)
        run_out(a, v);
    a->street = v->phase;
}

// ---- The answer's decision ------------------------------------------------------------------------------------------

struct odds {
    double all, win; // weight, and weight x chance to win
};

static struct odds odds_against(const struct best_response *a, const float *folds)
{
    struct odds o = {0};
    for (int h = 0; h < BUCKET_HANDS; h++) {
        double weight = (double)a->weight[h] * (folds ? 1 - (double)folds[h] : 1);
        o.all += weight;
        o.win += weight * (double)a->win[h];
    }
    return o;
}

static struct game_action listed(const struct texas_holdem_state *s, int seat, struct game_action x)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    struct bot_ask ask = {.choices = choices, .count = g->choices(s, seat, choices), .fallback = g->fallback(s, seat)};
    return holdem_as_listed(&ask, x);
}

static void step_match(struct table *t, int seat, struct game_action x, struct game_events *events)
{
    events->count = 0;
    if (g->apply(&t->state, seat, x, events) != OK)
        abort();
    if (t->bot->mind_size)
        mind_observe(t->bot, t->mind, g, &t->state, t->seat, t->state.seats, events->at, events->count, 0);
}

// What a bet is worth when all is checked down after it.
static double value_of_bet(const struct best_response *a, const struct table *now, const struct texas_holdem_view *v,
                           struct game_action x)
{
    static _Thread_local struct game_events events;
    static _Thread_local struct table then;
    float folds[BUCKET_HANDS];
    int me = v->viewer, other = now->seat;
    int32_t to = x.kind == HOLDEM_ALLIN ? v->bet[me] + v->chips[me] : x.amount;
    int32_t most = v->bet[other] + v->chips[other]; // what is above comes back
    double own = (to < most ? to : most) - v->bet[me], more = (to < most ? to : most) - v->bet[other];
    then = *now;
    step_match(&then, me, x, &events);
    if (then.state.actor != other || then.state.phase != now->state.phase)
        return -1e9; // nothing to answer: no bet
    find_shares(a, &then, (struct game_action){0}, folds);
    struct odds all = odds_against(a, NULL), called = odds_against(a, folds);
    double fold = all.all > 0 ? 1 - called.all / all.all : 0, win = called.all > 0 ? called.win / called.all : 0;
    return fold * v->pot + (1 - fold) * (win * (v->pot + own + more) - own);
}

static struct game_action choose_response(struct best_response *a, const struct table *t, int me)
{
    struct texas_holdem_view v;
    g->view(&t->state, me, &v);
    if (a->street != v.phase)
        begin_street(a, &v);
    struct game_action call = holdem_plain(v.to_call ? HOLDEM_CALL : HOLDEM_CHECK), best = call;
    if (v.phase == HOLDEM_PREFLOP)
        return listed(&t->state, me, call);
    struct odds o = odds_against(a, NULL);
    double win = o.all > 0 ? o.win / o.all : 0.5, price = v.to_call < v.chips[me] ? v.to_call : v.chips[me];
    double value = win * (v.pot + price) - price;
    if (v.to_call && value < 0)
        best = holdem_plain(HOLDEM_FOLD), value = 0;
    if (v.chips[t->seat] == 0)
        return listed(&t->state, me, best);
    const struct game_action bets[] = {holdem_raise_by(&v, 0.5f), holdem_raise_by(&v, 1), holdem_plain(HOLDEM_ALLIN)};
    for (int i = 0; i < 3; i++) {
        struct game_action x = listed(&t->state, me, bets[i]);
        if (x.kind != HOLDEM_RAISE && x.kind != HOLDEM_ALLIN)
            continue;
        double bet = value_of_bet(a, t, &v, x);
        if (bet > value)
            value = bet, best = x;
    }
    return listed(&t->state, me, best);
}

// ---- Hands ----------------------------------------------------------------------------------------------------------

static struct game_action ask_bot(struct best_response *a, const struct table *t, struct rng *dice)
{
    struct texas_holdem_view v;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct bot_ask ask = question(a, t, &v, choices, dice);
    return a->bot->choose(&ask);
}

static void update_weights(struct best_response *a, const struct table *t, int me, struct game_action x)
{
    struct texas_holdem_view v;
    float share[BUCKET_HANDS];
    double sum = 0;
    g->view(&t->state, me, &v);
    if (a->street != v.phase)
        begin_street(a, &v);
    find_shares(a, t, x, share);
    for (int h = 0; h < BUCKET_HANDS; h++)
        sum += (double)(a->weight[h] * share[h]);
    for (int h = 0; h < BUCKET_HANDS && sum > 0; h++) // never quite certain: a raise between two sizes is drawn
        a->weight[h] *= share[h] > 1.0f / LEAST_SHARE ? share[h] : 1.0f / LEAST_SHARE;
}

// What the answer wins in a hand, in big blinds, less what the cards gave.
static double play_hand(struct best_response *a, int me, struct rng hand)
{
    static struct table t;
    static struct game_events events;
    struct texas_holdem_rules rules;
    struct holdem_luck luck = {0};
    struct rng dice = rng_split(&hand, 1), own = rng_split(&hand, 2), sampled = rng_split(&hand, 3);
    struct rng_draw draw;
    double given[HOLDEM_LUCKS][GAME_MAX_SEATS] = {{0}};
    int32_t payoffs[GAME_MAX_SEATS];
    g->defaults(&rules);
    rules.format = HOLDEM_CASH;
    rules.max_hands = 1;
    rules.starting_chips = DEPTH * rules.big_blind;
    memset(&t, 0, sizeof t);
    t.bot = a->bot;
    t.seat = !me;
    a->dice = &draw;
    rng_begin(&draw, &own);
    rng_refill(&draw);
    draw.used = RNG_BLOCK_WORDS;
    events.count = 0;
    g->init(&t.state, &rules, 2, rng_split(&hand, 0), &events);
    if (a->bot->mind_size) {
        mind_begin(a->bot, t.mind, g, &rules, t.seat, 2);
        mind_observe(a->bot, t.mind, g, &t.state, t.seat, 2, events.at, events.count, 0);
    }
    holdem_luck_follow(&luck, &events, sampled, &holdem_luck_weights, given);
    a->street = -1;
    for (int h = 0; h < BUCKET_HANDS; h++)
        a->weight[h] = 1;
    for (uint32_t n = 0; g->turn(&t.state).kind != TURN_OVER; n++) {
        int seat = t.state.actor;
        struct rng section = rng_section(&dice, n);
        struct game_action x = seat == me ? choose_response(a, &t, me) : ask_bot(a, &t, &section);
        if (seat != me)
            update_weights(a, &t, me, x);
        step_match(&t, seat, x, &events);
        holdem_luck_follow(&luck, &events, sampled, &holdem_luck_weights, given);
    }
    g->payoffs(&t.state, payoffs);
    return (payoffs[me] - given[HOLDEM_LUCK_EQUITY][me]) / rules.big_blind;
}

static void list_hands(struct best_response *a)
{
    int n = 0;
    for (uint8_t j = 1; j < CARDS_IN_DECK; j++)
        for (uint8_t i = 0; i < j; i++) {
            a->hand[n][0] = i;
            a->hand[n++][1] = j;
        }
}

static void local_gap(struct best_response *a, const struct solve_sample *sample, struct solve_gap *out)
{
    uint32_t rounds = sample->rounds;
    uint64_t seed = sample->seed;
    struct rng root = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32), 0x6C6272}};
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        double won = 100 * play_hand(a, (int)(i % 2), rng_split(&root, i));
        sum += won;
        squares += won * won;
        if (sample->progress)
            sample->progress(sample->owner, i + 1, rounds);
    }
    *out = (struct solve_gap){.value = sum / rounds};
    out->error = rounds > 1 ? sqrt((squares / rounds - out->value * out->value) / (rounds - 1)) : 0;
    snprintf(out->what, sizeof out->what, "%d big blinds, local best response", DEPTH);
}

// ---- Push or fold ---------------------------------------------------------------------------------------------------

// What the bot does with each class, as the button or after a push; false: neither all-in nor a fold.
static bool ask_lists(struct best_response *a, int blinds, bool calls, uint8_t list[BUCKET_CLASSES])
{
    static struct table t;
    static struct game_events events;
    struct texas_holdem_rules rules;
    struct texas_holdem_view v;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct rng dice = {.key = {11}};
    g->defaults(&rules);
    rules.format = HOLDEM_CASH;
    rules.max_hands = 1;
    rules.starting_chips = blinds * rules.big_blind;
    memset(&t, 0, sizeof t);
    t.bot = a->bot;
    events.count = 0;
    g->init(&t.state, &rules, 2, dice, &events);
    t.seat = calls ? !t.state.actor : t.state.actor;
    if (a->bot->mind_size) {
        mind_begin(a->bot, t.mind, g, &rules, t.seat, 2);
        mind_observe(a->bot, t.mind, g, &t.state, t.seat, 2, events.at, events.count, 0);
    }
    if (calls)
        step_match(&t, t.state.actor, holdem_plain(HOLDEM_ALLIN), &events);
    struct bot_ask ask = question(a, &t, &v, choices, &dice);
    for (int h = 0; h < BUCKET_HANDS; h++) {
        memcpy(v.hole, a->hand[h], 2);
        dice = (struct rng){.key = {11, (uint32_t)h}};
        struct game_action x = a->bot->choose(&ask);
        if (x.kind != HOLDEM_FOLD && x.kind != HOLDEM_ALLIN && !(calls && x.kind == HOLDEM_CALL))
            return false;
        list[bucket_class(a->hand[h])] = is_fold(x) ? 0 : PUSH_FOLD_STACKS;
    }
    return true;
}

static int push_gaps(struct best_response *a, struct solve_gap *out)
{
    struct push_fold_count *count = calloc(1, sizeof *count);
    struct push_fold_odds *odds = calloc(1, sizeof *odds);
    int n = 0;
    if (!count || !odds)
        abort();
    push_fold_count_all(count, 0, PUSH_FOLD_LOWEST);
    push_fold_find_odds(odds, count);
    for (int blinds = 2; blinds <= PUSH_FOLD_MOST; blinds += 2) {
        struct push_fold_lists lists;
        if (!ask_lists(a, blinds, false, lists.push) || !ask_lists(a, blinds, true, lists.call))
            continue;
        out[n] = (struct solve_gap){.value = 100 * push_fold_exploit(odds, &lists, blinds), .exact = true};
        snprintf(out[n].what, sizeof out[n].what, "push or fold, %d bb, exploitability", blinds);
        n++;
    }
    free(count);
    free(odds);
    return n;
}

static struct best_response *best_response_create(const struct bot *bot)
{
    struct best_response *a = calloc(1, sizeof *a);
    if (!a || !(a->scratch = aligned_alloc(64, (bot->scratch_size + 64) & ~(size_t)63)))
        abort();
    a->bot = bot;
    list_hands(a);
    betting_plant(&a->tree, DEPTH);
    a->solved = bot == &texas_holdem_solved_bot && solved_table(&a->blueprint) &&
                blueprint_has(&a->blueprint, BETTING_DEPTHS - 1, &a->tree);
    return a;
}

static void best_response_destroy(struct best_response *a)
{
    free(a->scratch);
    free(a);
}

void holdem_exploit_locally(const struct bot *bot, const struct solve_sample *sample, struct solve_gap *out)
{
    struct best_response *a = best_response_create(bot);
    local_gap(a, sample, out);
    best_response_destroy(a);
}

int holdem_exploit(const struct bot *bot, const struct solve_sample *sample, struct solve_gap out[SOLVE_GAPS])
{
    struct best_response *a = best_response_create(bot);
    int n = push_gaps(a, out);
    best_response_destroy(a);
    holdem_exploit_locally(bot, sample, &out[n++]);
    return n;
}

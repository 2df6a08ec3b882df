// N3.3, N3.4, N3.6: how strong the players of Coup are against fixed habits. AGON_STRENGTH_GAMES plays so many games of
// each row and demands what the strength gate demands; without it few games show that nothing is badly wrong.
// AGON_STRENGTH_SEED is the first deal, AGON_STRENGTH_ROW the only row.
#include "bots/self_play.h"
#include "games/coup/bots/bots.h"
#include "games/coup/rules/coup.h"
#include "heap/heap.h"
#include "house/ask.h"
#include "house/mind_memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// ---- Opponents of one habit -----------------------------------------------------------------------------------------

static struct game_action act(int kind, int arg)
{
    return (struct game_action){.kind = (uint8_t)kind, .arg = {(uint8_t)arg}};
}

static bool holds(const struct bot_ask *ask, int role)
{
    const struct coup_seat *me = &((const struct coup_view *)ask->view)->seat[ask->seat];
    return (me->card[0] == role && !(me->up & 1)) || (me->card[1] == role && !(me->up & 2));
}

static struct game_action legal_or_fallback(const struct bot_ask *ask, struct game_action a)
{
    return game_has_choice(ask->choices, ask->count, a) ? a : ask->fallback;
}

static int pick_leader(const struct bot_ask *ask)
{
    const struct coup_view *v = ask->view;
    int best = ask->seat, most = -1;
    for (int i = 0; i < v->seats; i++) {
        int score = 8 * coup_influence(&v->seat[i]) + v->seat[i].coins;
        if (i != ask->seat && v->in_play >> i & 1 && score > most)
            best = i, most = score;
    }
    return best;
}

static uint32_t draw(const struct bot_ask *ask, uint32_t below)
{
    struct rng_draw d;
    rng_begin(&d, ask->dice);
    return rng_draw_below(&d, below);
}

struct habit {
    bool taxes, bluffs; // claims Duke always; claims whatever is best
    uint32_t doubts;    // of a hundred claims
};

static struct game_action play_turn(const struct bot_ask *ask, const struct habit *h)
{
    const struct coup_view *v = ask->view;
    int coins = v->seat[ask->seat].coins, leader = pick_leader(ask);
    if (coins >= 7)
        return act(COUP_COUP, leader);
    if (coins >= 3 && (h->bluffs || holds(ask, COUP_ASSASSIN)))
        return act(COUP_ASSASSINATE, leader);
    if (h->taxes || h->bluffs || holds(ask, COUP_DUKE))
        return act(COUP_TAX, 0);
    if (holds(ask, COUP_CAPTAIN) && v->seat[leader].coins >= 2)
        return act(COUP_STEAL, leader);
    return act(draw(ask, 2) ? COUP_FOREIGN_AID : COUP_INCOME, 0);
}

static struct game_action answer_block(const struct bot_ask *ask, const struct habit *h)
{
    const struct coup_view *v = ask->view;
    unsigned roles = coup_acts[v->log.action].blocked_by;
    bool at_end = v->log.action == COUP_ASSASSINATE && coup_influence(&v->seat[ask->seat]) == 1;
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        if (roles >> role & 1 && (holds(ask, role) || h->bluffs || at_end))
            return act(COUP_BLOCK, role);
    return act(COUP_PASS, 0);
}

static struct game_action play(const struct bot_ask *ask, const struct habit *h)
{
    const struct coup_view *v = ask->view;
    switch (v->phase) {
    case COUP_PHASE_ACTION:
        return legal_or_fallback(ask, play_turn(ask, h));
    case COUP_PHASE_BLOCK:
        return answer_block(ask, h);
    case COUP_PHASE_CHALLENGE_ACTION:
    case COUP_PHASE_CHALLENGE_BLOCK:
        return act(draw(ask, 100) < h->doubts ? COUP_CHALLENGE : COUP_PASS, 0);
    default:
        return ask->fallback;
    }
}

#define HABIT(label, ...)                                                                                              \
    static struct game_action choose_##label(const struct bot_ask *ask)                                                \
    {                                                                                                                  \
        return play(ask, &(struct habit){__VA_ARGS__});                                                                \
    }                                                                                                                  \
    static const struct bot label = {.name = #label, .game = "coup", .choose = choose_##label}

HABIT(truthful, .doubts = 10);
HABIT(taxer, .taxes = true, .doubts = 10);
HABIT(challenger, .doubts = 60);
HABIT(bluffer, .bluffs = true, .doubts = 25);

// ---- Contests -------------------------------------------------------------------------------------------------------

struct tally {
    int games, capped;
    double sum, squares; // of shares of the win
};

// The share of the win of bots[0] in one match, seated at `place`.
static double play_match(const struct bot *best, const struct bot *other, int seats, int place, uint32_t deal,
                         struct tally *t)
{
    static struct match m;
    static struct game_events first;
    struct mind_memory *minds = NULL;
    struct text log = {.grow = heap_text_grow};
    const struct bot *bots[GAME_MAX_SEATS] = {NULL};
    struct match_setup setup = {.game = &coup_game, .seats = seats, .open_key = true};
    memcpy(setup.key, &deal, sizeof deal);
    for (int i = 0; i < seats; i++)
        bots[i] = i == place ? best : other;
    first.count = 0;
    assert_int_equal(match_start(&m, &setup, &log, &first), OK);
    mind_memory_begin(&minds, &m, bots, &first);
    for (int seat; coup_game.turn(&m.state).kind != TURN_OVER;) {
        seat = self_play_next_seat(&m);
        struct game_action a = house_ask(&m, bots[seat], seat, (uint32_t)m.steps, 0.5f);
        assert_int_equal(match_answer(&m, seat, coup_game.turn(&m.state).number, a, NULL), OK);
    }
    const struct coup_state *s = (const void *)&m.state;
    t->capped += s->turns >= COUP_TURN_CAP;
    double share = s->won >> place & 1 ? 1.0 / __builtin_popcount(s->won) : 0;
    mind_memory_free(minds);
    free(log.at);
    return share;
}

static void contest(const struct bot *best, const struct bot *other, int seats, int games, struct tally *t)
{
    const char *first = getenv("AGON_STRENGTH_SEED");
    uint32_t from = first ? (uint32_t)atoi(first) : 77000;
    for (uint32_t deal = 0; t->games < games; deal++) {
        double mean = 0; // of the same deal at every seat
        for (int place = 0; place < seats; place++)
            mean += play_match(best, other, seats, place, from + deal, t) / seats;
        t->games += seats;
        t->sum += mean * seats;
        t->squares += mean * mean * seats;
    }
}

static void is_as_strong_as_promised(void **unused)
{
    (void)unused;
    static const struct {
        const struct bot *best, *other;
        int seats;
        double least; // of the wins
    } rows[] = {
        {&coup_search_bot, &coup_rules_bot, 2, 0.78}, {&coup_search_bot, &truthful, 2, 0.70},
        {&coup_search_bot, &taxer, 2, 0.55},          {&coup_search_bot, &challenger, 2, 0.55},
        {&coup_search_bot, &bluffer, 2, 0.55},        {&coup_search_bot, &coup_rules_bot, 4, 0.60},
        {&coup_search_bot, &coup_glance_bot, 2, 0.5}, {&coup_glance_bot, &coup_honest_bot, 2, 0.55},
        {&coup_honest_bot, &coup_rules_bot, 2, 0.55}, {&coup_rules_bot, &coup_novice_bot, 2, 0.55},
        {&coup_novice_bot, &bot_random, 2, 0.6},      {&coup_search_bot, &coup_honest_bot, 2, 0.70},
    };
    const char *wanted = getenv("AGON_STRENGTH_GAMES"), *only = getenv("AGON_STRENGTH_ROW");
    int games = wanted ? atoi(wanted) : 8, failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tally t = {0};
        if (only && (size_t)atoi(only) != i)
            continue;
        contest(rows[i].best, rows[i].other, rows[i].seats, games, &t);
        double mean = t.sum / t.games, n = (double)t.games / rows[i].seats;
        double half = 1.96 * sqrt((t.squares / t.games - mean * mean) / n);
        printf("strength: coup %d: %s v %s %.3f +- %.3f (at least %.2f), %d of %d capped\n", rows[i].seats,
               rows[i].best->name, rows[i].other->name, mean, half, rows[i].least, t.capped, t.games);
        failed += wanted ? mean - half < rows[i].least : mean < 0.1;
    }
    assert_int_equal(failed, 0);
}

// Three players who rob each other used to do so until the turn cap, in 2 of 100 games.
static void comes_to_an_end(void **unused)
{
    (void)unused;
    static const struct bot *const rows[] = {&coup_rules_bot, &coup_honest_bot};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tally t = {0};
        contest(rows[i], rows[i], 3, 300, &t);
        assert_int_equal(t.capped, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_as_strong_as_promised), cmocka_unit_test(comes_to_an_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

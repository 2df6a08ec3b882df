// AIVAT in games that can be counted (N14.5): with everything that may happen, as likely as it is, what luck gave has
// the mean 0 exactly, for good baselines and for bad ones, whatever the unknown seat does.
#include "kit/aivat.h"

#include "base/hash.h"
#include "game/hands.h"
#include "games/games.h"
#include "kit/aivat_hands.h"
#include "match/replay.h"
#include "solve/facts.h"
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const char *const names[] = {"kuhn_poker", "leduc_poker"};

// ---- Baselines ------------------------------------------------------------------------------------------------------

static const struct game *bad_game;

static double constant(const void *state, int seat)
{
    (void)state;
    return seat ? -1000 : 1000;
}

// As wild as it gets: another number for every view of the seat.
static double wild(const void *state, int seat)
{
    union game_view view;
    bad_game->view(state, seat, &view);
    return (double)(hash_bytes(&view, bad_game->view_size) % 2001) / 10 - 100;
}

// And one that looks at everything, the other's card too.
static double wilder(const void *state, int seat)
{
    union game_view views[2];
    memset(views, 0, sizeof views);
    for (int i = 0; i < 2; i++)
        bad_game->view(state, i, &views[i]);
    return (double)(hash_bytes(views, sizeof views) % 2001) / 10 - 100 * seat;
}

static double (*const baselines[])(const void *, int) = {NULL, constant, wild, wilder}; // NULL: the game's

// ---- Strangers ------------------------------------------------------------------------------------------------------

// Shares of a seat that nobody knows.
enum stranger { BY_HASH, ALWAYS_FIRST, ALWAYS_LAST, UNIFORM, CALLER, STRANGERS };

static double wish(enum stranger kind, uint64_t hash, int i, int count, struct game_action a)
{
    switch (kind) {
    case BY_HASH: // of its view: any kind of play
        return (double)(hash >> 16 * i & 0xFFFF) + 1;
    case ALWAYS_FIRST:
        return i == 0;
    case ALWAYS_LAST:
        return i == count - 1;
    case CALLER:
        return a.kind == HANDS_CALL || a.kind == HANDS_CHECK;
    default:
        return 1;
    }
}

static void stranger(const struct game *g, const void *state, int seat, enum stranger kind,
                     const struct game_choice *list, int count, double *share)
{
    union game_view view;
    double sum = 0;
    g->view(state, seat, &view);
    uint64_t hash = hash_bytes(&view, g->view_size);
    for (int i = 0; i < count; i++) {
        share[i] = wish(kind, hash, i, count, list[i].first);
        sum += share[i];
    }
    for (int i = 0; i < count; i++)
        share[i] /= sum;
}

static void table(const struct game *g, const struct bot *bot, const void *state, int seat,
                  const struct game_choice *list, int count, double *share)
{
    union game_view view;
    struct bot_mix mix[BOT_MAX_MIX];
    g->view(state, seat, &view);
    struct bot_ask ask = {
        .bot = bot, .game = g, .view = &view, .seat = seat, .seats = 2, .choices = list, .count = count};
    int n = bot->mix(&ask, mix);
    memset(share, 0, (size_t)count * sizeof *share);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < count; c++)
            share[c] += game_same_action(mix[i].action, list[c].first) ? (double)mix[i].share : 0;
}

// ---- Everything that may happen -------------------------------------------------------------------------------------

struct tally {
    const struct game *game;
    const struct bot *bot;
    int known; // the seat that is known
    enum stranger kind;
    struct aivat_hands at;
    double won, luck;         // means
    double square, corrected; // of what was won, and of it less luck
};

static void walk(struct tally *c, const union game_state *state, double chance)
{
    const struct game *g = c->game;
    struct game_turn turn = g->turn(state);
    struct game_choice list[GAME_MAX_CHOICES];
    if (turn.kind == TURN_OVER) {
        int32_t payoffs[GAME_MAX_SEATS];
        double luck = aivat_hands_luck(&c->at);
        g->payoffs(state, payoffs);
        double won = payoffs[c->known];
        c->won += chance * won;
        c->luck += chance * luck;
        c->square += chance * won * won;
        c->corrected += chance * (won - luck) * (won - luck);
        return;
    }
    int seat = __builtin_ctz(turn.seats), count = g->choices(state, seat, list);
    double share[GAME_MAX_CHOICES];
    if (seat == c->known)
        table(g, c->bot, state, seat, list, count, share);
    else
        stranger(g, state, seat, c->kind, list, count, share);
    for (int i = 0; i < count; i++) {
        union game_state after = *state;
        struct aivat_hands before = c->at;
        if (share[i] <= 0)
            continue;
        assert_int_equal(g->apply(&after, seat, list[i].first, NULL), OK);
        aivat_hands_step(&c->at, &(struct aivat_step){state, &after, NULL, seat, list[i].first, NULL});
        walk(c, &after, chance * share[i]);
        c->at = before;
    }
}

static void count_all(struct tally *c, const struct game_kit *kit, const struct aivat_facts *f)
{
    union game_rules rules;
    union game_state state;
    int deals = 0;
    kit->game->defaults(&rules);
    while (kit->solve->deal(deals, &rules))
        deals++;
    for (int i = 0; i < deals; i++) {
        kit->solve->deal(i, &rules);
        assert_int_equal(kit->game->init(&state, &rules, 2, (struct rng){0}, NULL), OK);
        aivat_hands_begin(&c->at, f, c->bot, c->known, (struct rng){0});
        walk(c, &state, 1.0 / deals);
    }
}

// N14.5, N14.8
static void exactly_nothing(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 2; n++)
        for (size_t b = 0; b < sizeof baselines / sizeof *baselines; b++)
            for (int known = 0; known < 2; known++)
                for (enum stranger kind = 0; kind < (n && b > 1 ? ALWAYS_FIRST : STRANGERS); kind++) {
                    const struct game_kit *kit = games_find(names[n]);
                    struct aivat_hands_facts facts = *(const struct aivat_hands_facts *)kit->contest->aivat->more;
                    struct aivat_facts f = *kit->contest->aivat;
                    struct tally c = {.game = kit->game, .bot = kit->level[4], .known = known, .kind = kind};
                    bad_game = kit->game;
                    facts.worth = baselines[b] ? baselines[b] : facts.worth;
                    f.more = &facts;
                    assert_true(aivat_knows(&f, c.bot));
                    count_all(&c, kit, &f);
                    if (!(fabs(c.luck) < 1e-4))
                        fail_msg("%s, baseline %zu, seat %d, stranger %d: %.9f", names[n], b, known, kind, c.luck);
                    double raw = c.square - c.won * c.won, less = c.corrected - c.won * c.won;
                    if (b == 0 && !(less < raw))
                        fail_msg("%s, baseline %zu, seat %d, stranger %d: %.4f from %.4f", names[n], b, known, kind,
                                 less, raw);
                }
}

// ---- Matches, through their logs ------------------------------------------------------------------------------------

static double play(const struct game_kit *kit, const struct bot *const bots[2], uint32_t number, double *luck)
{
    static struct match m;
    char bytes[8192];
    struct text log = text_on(bytes, sizeof bytes);
    union game_rules rules;
    _Alignas(64) struct aivat_hands work;
    int32_t payoffs[GAME_MAX_SEATS];
    double out[GAME_MAX_SEATS] = {0};
    kit->game->defaults(&rules);
    kit->game->scenario(&rules, 0);
    ((struct hands_rules *)&rules)->max_hands = 3; // the next ones depend on nothing
    struct match_setup setup = {.game = kit->game, .rules = &rules, .seats = 2};
    memcpy(setup.key, &number, sizeof number);
    assert_int_equal(match_start(&m, &setup, &log, NULL), OK);
    struct rng root = {.key = {number, 5}};
    while (!match_is_over(&m)) {
        int seat = __builtin_ctz(kit->game->turn(&m.state).seats);
        union game_view view;
        struct game_choice list[GAME_MAX_CHOICES];
        struct rng dice = rng_section(&root, (uint32_t)m.steps);
        kit->game->view(&m.state, seat, &view);
        struct bot_ask ask = {.bot = bots[seat],
                              .game = kit->game,
                              .view = &view,
                              .seat = seat,
                              .seats = 2,
                              .choices = list,
                              .count = kit->game->choices(&m.state, seat, list),
                              .fallback = kit->game->fallback(&m.state, seat),
                              .dice = &dice};
        assert_int_equal(match_answer(&m, seat, kit->game->turn(&m.state).number, bots[seat]->choose(&ask), NULL), OK);
    }
    assert_int_equal(aivat_luck(kit->contest->aivat, kit->game, text_span(&log), setup.key, bots, &work, out), OK);
    assert_true(fabs(out[0] + out[1]) < 1e-9);
    kit->game->payoffs(&m.state, payoffs);
    *luck = out[0];
    return payoffs[0];
}

// N14.5: one known seat or both, hands of a match one after the other; the mean agrees with that of what was won, and
// fewer matches tell as much.
static void matches(void **unused)
{
    (void)unused;
    enum { MATCHES = 3000 };
    for (size_t n = 0; n < 2; n++)
        for (int both = 0; both < 2; both++) {
            const struct game_kit *kit = games_find(names[n]);
            const struct bot *bots[2] = {kit->level[4], both ? kit->level[4] : &bot_random};
            struct stats_mean won = {0}, less = {0}, luck = {0};
            for (uint32_t i = 0; i < MATCHES; i++) {
                double given, payoff = play(kit, bots, i, &given);
                stats_add(&won, payoff);
                stats_add(&less, payoff - given);
                stats_add(&luck, given);
            }
            double error = stats_deviation(&luck) / sqrt(MATCHES);
            if (!(fabs(luck.mean) < 4 * error) || !(stats_deviation(&less) < 0.8 * stats_deviation(&won)))
                fail_msg("%s, %d known: luck %.4f +- %.4f, deviation %.3f from %.3f", names[n], 1 + both, luck.mean,
                         error, stats_deviation(&less), stats_deviation(&won));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exactly_nothing), cmocka_unit_test(matches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// How far chances moved, by hand; and that every game gives chances that sum up to one, from what is public alone.
#include "stats/swing.h"

#include "games/games.h"
#include "match/match.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// --- a game that stands as the test says

struct stand {
    double part[3];
    int32_t payoff[3];
    bool over;
};

static struct game_turn turn(const void *state)
{
    return (struct game_turn){.kind = ((const struct stand *)state)->over ? TURN_OVER : TURN_ONE, .seats = 1};
}
static void payoffs(const void *state, int32_t out[GAME_MAX_SEATS])
{
    memcpy(out, ((const struct stand *)state)->payoff, 3 * sizeof *out);
}
static void chances(const void *state, double out[GAME_MAX_SEATS])
{
    swing_shares(((const struct stand *)state)->part, 3, out);
}
static const struct game game = {.turn = turn, .payoffs = payoffs};

static void moves_add_up(void **unused)
{
    (void)unused;
    static const struct {
        struct stand stand;
        uint32_t total, largest;
    } steps[] = {
        {{.part = {10, 10, 0}}, 0, 0},                                         // the beginning moves nothing
        {{.part = {15, 5, 0}}, 250, 250},                                      // a quarter of all
        {{.part = {15, 5, 0}}, 250, 250},                                      // nothing
        {{.part = {12, 8, 0}}, 400, 250},                                      // less at once
        {{.part = {0, 20, 0}}, 1000, 600},                                     // and now all
        {{.part = {0, 20, 0}, .payoff = {1, 0, 0}, .over = true}, 2000, 1000}, // but another wins
    };
    struct swing s = {0};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        swing_note(&s, &game, chances, &steps[i].stand, 3);
        if (s.total != steps[i].total || s.largest != steps[i].largest)
            fail_msg("step %zu: %u in all, %u at once", i, s.total, s.largest);
    }
}

static void a_shared_victory_is_shared(void **unused)
{
    (void)unused;
    struct swing s = {0};
    struct stand stand = {.part = {0, 0, 0}, .payoff = {3, 3, -1}};
    swing_note(&s, &game, chances, &stand, 3); // nobody owns anything: a third each
    stand.over = true;
    swing_note(&s, &game, chances, &stand, 3);
    assert_int_equal(s.total, 333);
    assert_true(fabs(s.chance[0] - 0.5) < 1e-9 && fabs(s.chance[2]) < 1e-9);
}

static void a_lead_counts_more_near_the_end(void **unused)
{
    (void)unused;
    static const struct {
        double lead, left, first;
    } cases[] = {{0, 100, 0.5}, {50, 50, 0.75}, {-50, 50, 0.25}, {10, 0, 1}, {-10, 0, 0}, {0, 0, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double two[GAME_MAX_SEATS], four[GAME_MAX_SEATS];
        swing_sides(cases[i].lead, cases[i].left, 2, two);
        swing_sides(cases[i].lead, cases[i].left, 4, four);
        assert_true(fabs(two[0] - cases[i].first) < 1e-9 && fabs(two[0] + two[1] - 1) < 1e-9);
        assert_true(fabs(four[0] + four[2] - two[0]) < 1e-9 && fabs(four[0] - four[2]) < 1e-9);
    }
}

// --- the games

static struct game_action any_action(const struct game *g, const void *state, int seat, struct rng *dice)
{
    struct game_choice choice[GAME_MAX_CHOICES];
    int count = g->choices(state, seat, choice);
    return choice[rng_below(dice, (uint32_t)count)].first;
}

static void expect_chances(const struct game_kit *k, const union game_state *state, int seats, struct rng *dice)
{
    double now[GAME_MAX_SEATS] = {0}, other[GAME_MAX_SEATS] = {0}, sum = 0;
    union game_state imagined = *state;
    k->chances(state, now);
    for (int i = 0; i < seats; i++) {
        assert_true(now[i] >= 0 && now[i] <= 1);
        sum += now[i];
    }
    if (fabs(sum - 1) > 1e-9)
        fail_msg("%s: chances sum up to %g", k->game->name, sum);
    k->game->resample(&imagined, GAME_SPECTATOR, dice); // what spectators do not know does not count
    k->chances(&imagined, other);
    assert_memory_equal(now, other, sizeof now);
}

static void every_game_has_chances_from_what_is_public(void **unused)
{
    (void)unused;
    int swung = 0;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        const struct game *g = (*k)->game;
        union game_rules rules = {0};
        union game_state state = {0};
        struct rng dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){3});
        struct swing s = {0};
        if (!(*k)->chances)
            continue;
        g->defaults(&rules);
        int seats = g->scenario(&rules, 0);
        assert_int_equal(g->init(&state, &rules, seats, rng_from_key((const uint8_t[RNG_KEY_BYTES]){7}), NULL), OK);
        for (int step = 0; step < 3000 && g->turn(&state).kind != TURN_OVER; step++) {
            expect_chances(*k, &state, seats, &dice);
            swing_note(&s, g, (*k)->chances, &state, seats);
            int seat = __builtin_ctz(g->turn(&state).seats);
            assert_int_equal(g->apply(&state, seat, any_action(g, &state, seat, &dice), NULL), OK);
        }
        assert_int_equal(g->turn(&state).kind, TURN_OVER);
        swing_note(&s, g, (*k)->chances, &state, seats);
        assert_true(s.largest <= 1000 && s.total >= s.largest);
        swung += s.total > 0;
    }
    assert_int_equal(swung, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_add_up),
        cmocka_unit_test(a_shared_victory_is_shared),
        cmocka_unit_test(a_lead_counts_more_near_the_end),
        cmocka_unit_test(every_game_has_chances_from_what_is_public),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

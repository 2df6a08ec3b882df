// Episodes for learners that step: every game to its end, repeatable, and nothing told that a seat may not know.
#include "env/episode.h"
#include "games/games.h"
#include "heap/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct episode_scratch scratch;

static bool begin(struct episode *e, const struct game_kit *k, uint64_t seed, seat_set clients)
{
    struct episode_setup s = {.kit = k, .has_seed = true, .seed = seed, .clients = clients};
    char bad[64];
    assert_true(episode_read_rules(&s, NULL, (struct span){0}, 0, bad));
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        s.bot[i] = &bot_random;
    return episode_begin(e, &s, &scratch);
}

static struct game_action pick(const struct episode *e, int seat, struct rng *dice)
{
    struct game_choice list[2 * GAME_MAX_CHOICES];
    int count = episode_choices(e, seat, list);
    assert_true(count > 0);
    struct game_action a = bot_pick_uniform(list, count, dice);
    assert_true(episode_is_legal(e, seat, a));
    return a;
}

static void look(struct text *t, struct episode *e, int seat)
{
    struct episode_format how = {.first = true, .vector = true};
    t->size = 0;
    json_begin_object(t);
    episode_write(t, e, seat, &how);
    json_end_object(t);
    assert_false(t->full);
}

// What the seat cannot know is drawn anew: the observation stays the same, byte by byte.
static void check_secrets(struct episode *e, int seat, struct rng *dice, struct text *one, struct text *two)
{
    union game_state kept = e->match.state;
    look(one, e, seat);
    e->kit->game->resample(&e->match.state, seat, dice);
    look(two, e, seat);
    assert_true(span_equals(text_span(one), text_span(two)));
    e->match.state = kept;
}

static uint64_t play(const struct game_kit *k, uint64_t seed, int most, bool check)
{
    struct episode e;
    struct text one = {.grow = heap_text_grow}, two = {.grow = heap_text_grow};
    uint8_t key[RNG_KEY_BYTES] = {(uint8_t)seed};
    struct rng dice = rng_from_key(key);
    uint64_t sum = 0;
    assert_true(begin(&e, k, seed, SEAT(0)));
    for (int i = 0; i < most && !e.player[0].done; i++) {
        assert_int_equal(episode_asked(&e), SEAT(0));
        if (check)
            check_secrets(&e, 0, &dice, &one, &two);
        look(&one, &e, 0);
        for (size_t b = 0; b < one.size; b++)
            sum = sum * 31 + (uint8_t)one.at[b];
        episode_take_reward(&e, 0);
        episode_act(&e, 0, pick(&e, 0, &dice));
    }
    if (e.player[0].done) {
        assert_true(e.player[0].ending != EPISODE_GOES_ON && e.player[0].ending != EPISODE_FORFEIT);
        assert_int_equal(episode_asked(&e), 0);
    }
    episode_release(&e);
    free(one.at);
    free(two.at);
    return sum;
}

static void test_every_game(void **state)
{
    (void)state;
    for (int g = 0; game_kits[g]; g++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            assert_true(play(game_kits[g], seed, 60, false) == play(game_kits[g], seed, 60, false));
}

static void test_secrets(void **state)
{
    (void)state;
    for (int g = 0; game_kits[g]; g++)
        if (!game_kits[g]->game->tick_ms)
            for (uint64_t seed = 1; seed <= 5; seed++)
                play(game_kits[g], seed, 40, true);
}

// Every client is asked, and nobody else answers for it.
static void test_several_clients(void **state)
{
    (void)state;
    const struct game_kit *k = games_find("coup");
    struct episode e;
    struct rng dice = rng_from_key((uint8_t[RNG_KEY_BYTES]){7});
    assert_true(begin(&e, k, 3, SEAT(0) | SEAT(2)));
    seat_set met = 0;
    for (int i = 0; i < 500 && e.clients; i++) {
        seat_set asked = episode_asked(&e);
        assert_true(asked && !(asked & ~e.clients));
        int seat = __builtin_ctz(asked);
        met |= SEAT(seat);
        episode_act(&e, seat, pick(&e, seat, &dice));
    }
    assert_int_equal(met, SEAT(0) | SEAT(2));
    assert_true(e.player[0].done && e.player[2].done);
    episode_release(&e);
}

static void test_leaving(void **state)
{
    (void)state;
    struct episode e;
    const struct game_kit *k = games_find("coup");
    assert_true(begin(&e, k, 3, SEAT(0) | SEAT(1)));
    episode_forfeit(&e, 0);
    assert_true(e.player[0].done);
    assert_int_equal(e.player[0].ending, EPISODE_FORFEIT);
    assert_true(e.player[0].earned[0] < 0); // O43: as the rules say for whoever is dropped
    assert_int_equal(episode_asked(&e) & ~SEAT(1), 0);
    episode_pass(&e, 1);
    assert_true(e.player[1].passed);
    episode_leave(&e, 1);
    assert_int_equal(e.clients, 0);
    episode_release(&e);
    // An episode with nobody in it is over for the caller, and can be released.
    assert_true(begin(&e, k, 4, 0));
    assert_int_equal(episode_asked(&e), 0);
    episode_release(&e);
}

static void test_rules(void **state)
{
    char bad[64];
    struct episode_setup s = {.kit = games_find("coup")};
    (void)state;
    assert_true(episode_read_rules(&s, "players_2", (struct span){0}, 0, bad));
    assert_int_equal(s.seats, 2);
    assert_true(episode_read_rules(&s, NULL, SPAN("{\"coins\":4}"), 3, bad));
    assert_int_equal(s.seats, 3);
    assert_false(episode_read_rules(&s, "nowhere", (struct span){0}, 0, bad));
    assert_string_equal(bad, "scenario");
    assert_false(episode_read_rules(&s, NULL, SPAN("{\"colour\":4}"), 0, bad));
    assert_string_equal(bad, "colour");
    assert_false(episode_read_rules(&s, NULL, (struct span){0}, 9, bad));
    assert_string_equal(bad, "");
    assert_false(episode_read_rules(&s, NULL, SPAN("{\"scenario\":\"players_2\"}"), 0, bad));
    assert_string_equal(bad, "scenario (beside rules, not in them)");
    struct episode_setup usual = {.kit = s.kit}, other = {.kit = s.kit};
    assert_true(episode_read_rules(&usual, NULL, (struct span){0}, 0, bad));
    assert_true(episode_read_rules(&other, NULL, SPAN("{\"windows\":\"first\"}"), 0, bad));
    assert_memory_equal(&usual.rules, &other.rules, sizeof usual.rules); // G27.2: in every environment
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_game), cmocka_unit_test(test_secrets), cmocka_unit_test(test_several_clients),
        cmocka_unit_test(test_leaving),    cmocka_unit_test(test_rules),
    };
    episode_scratch_init(&scratch, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    episode_scratch_release(&scratch);
    return failed;
}

#include "game/game.h"

#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct game_choice table[] = {
    {{.kind = 1}, 0},
    {{.kind = 2, .amount = 10}, 100},
    {{.kind = 3, .arg = {4, 5, 6}, .amount = -3}, -3},
};

static void a_choice_holds_its_range_and_nothing_else(void **unused)
{
    (void)unused;
    static const struct {
        struct game_action action;
        bool listed;
    } cases[] = {
        {{.kind = 1}, true},
        {{.kind = 1, .amount = 1}, false},
        {{.kind = 1, .arg = {1}}, false},
        {{.kind = 2, .amount = 9}, false},
        {{.kind = 2, .amount = 10}, true},
        {{.kind = 2, .amount = 100}, true},
        {{.kind = 2, .amount = 101}, false},
        {{.kind = 2, .arg = {0, 0, 1}, .amount = 50}, false},
        {{.kind = 3, .arg = {4, 5, 6}, .amount = -3}, true},
        {{.kind = 3, .arg = {4, 5, 7}, .amount = -3}, false},
        {{.kind = 3, .arg = {4, 5, 6}, .amount = 3}, false},
        {{.kind = 0}, false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(game_has_choice(table, 3, cases[i].action), cases[i].listed);
    assert_false(game_has_choice(table, 0, (struct game_action){.kind = 1}));
}

// A game of one byte: whose turn it is. Its seats 0 and 2 play.
static struct game_turn toy_turn(const void *state)
{
    return (struct game_turn){.kind = TURN_ONE, .seats = SEAT(*(const uint8_t *)state)};
}

static int toy_choices(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    if (*(const uint8_t *)state != seat)
        return 0;
    memcpy(out, table, sizeof table);
    return 3;
}

static bool toy_legal(const void *state, int seat, struct game_action action)
{
    (void)state;
    return seat == 2 && action.kind == 77; // more than the list says
}

static const char *const toy_rewards[] = {"score", "style", NULL};

// As many seats as its rules have in their byte.
static int toy_init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    (void)chance;
    (void)out;
    memset(state, 0, sizeof(union game_state)); // a whole state fits
    return *(const uint8_t *)rules == seats ? OK : ERR_RULES;
}

static void a_game_begins_where_its_rules_are_taken(void **unused)
{
    (void)unused;
    const struct game g = {.init = toy_init};
    const uint8_t rules = 3;
    for (int seats = 1; seats <= GAME_MAX_SEATS; seats++)
        assert_int_equal(game_can_begin(&g, &rules, seats), seats == 3);
}

static void legal_is_what_the_asked_seat_may_choose(void **unused)
{
    (void)unused;
    struct game g = {.turn = toy_turn, .choices = toy_choices};
    const struct game_action raise = {.kind = 2, .amount = 40};
    uint8_t state = 2;
    assert_true(game_is_legal(&g, &state, 2, raise));
    assert_false(game_is_legal(&g, &state, 2, (struct game_action){.kind = 77}));
    static const int others[] = {-1, 0, 1, 3, GAME_SPECTATOR, GAME_MASTER, 1000};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(game_is_legal(&g, &state, others[i], raise));

    g.legal = toy_legal; // has the last word
    assert_true(game_is_legal(&g, &state, 2, (struct game_action){.kind = 77}));
    assert_false(game_is_legal(&g, &state, 2, raise));
}

static void the_hash_covers_the_state_and_no_more(void **unused)
{
    (void)unused;
    const struct game g = {.state_size = 5};
    const char bytes[] = "stateXXX", others[] = "stateYYY";
    assert_true(game_hash(&g, bytes) == hash_bytes("state", 5));
    assert_true(game_hash(&g, bytes) == game_hash(&g, others));
}

static void a_reward_is_the_sum_of_its_components(void **unused)
{
    (void)unused;
    const struct game g = {.rewarded = toy_rewards};
    struct game_rewards r = {0};
    r.at[3][0] = 1.5f;
    r.at[3][1] = -0.25f;
    r.at[3][2] = 100; // has no name here
    r.at[4][0] = 7;
    assert_true(game_reward(&g, &r, 3) == 1.25f);
    assert_true(game_reward(&g, &r, 0) == 0);
}

static void events_are_emitted_in_order_and_clean(void **unused)
{
    (void)unused;
    static struct game_events out;
    memset(&out, 0xff, sizeof out);
    out.count = 0;
    struct game_event *a = game_emit(&out, 5, 2, EVERYONE), *b = game_emit_part(&out, 6, 3, SEAT(3));
    assert_int_equal(out.count, 2);
    assert_ptr_equal(a, &out.at[0]);
    assert_ptr_equal(b, &out.at[1]);
    const struct game_event first = {.kind = 5, .seat = 2, .to = EVERYONE},
                            part = {.kind = 6, .seat = 3, .to = 8, .part = 1};
    assert_memory_equal(a, &first, sizeof first); // cleared, whatever lay there
    assert_memory_equal(b, &part, sizeof part);
    assert_null(game_emit(NULL, 5, 2, EVERYONE));
    assert_null(game_emit_part(NULL, 5, 2, EVERYONE));
}

static void the_next_seat_goes_round(void **unused)
{
    (void)unused;
    for (unsigned set = 1; set < 1u << GAME_MAX_SEATS; set++)
        for (int seat = 0; seat < GAME_MAX_SEATS; seat++) {
            int slow = seat;
            do
                slow = (slow + 1) % GAME_MAX_SEATS;
            while (!(set & SEAT(slow)));
            assert_int_equal(game_next_seat((seat_set)set, seat), slow);
        }
}

static void sizes_are_what_files_and_wires_rest_on(void **unused)
{
    (void)unused;
    assert_int_equal(sizeof(struct game_action), 8);
    assert_int_equal(sizeof(struct game_choice), 12);
    assert_int_equal(sizeof(struct game_event), 64);
    assert_int_equal(EVERYONE, SEAT(GAME_SPECTATOR) * 2 - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_holds_its_range_and_nothing_else),
        cmocka_unit_test(a_game_begins_where_its_rules_are_taken),
        cmocka_unit_test(legal_is_what_the_asked_seat_may_choose),
        cmocka_unit_test(the_hash_covers_the_state_and_no_more),
        cmocka_unit_test(a_reward_is_the_sum_of_its_components),
        cmocka_unit_test(events_are_emitted_in_order_and_clean),
        cmocka_unit_test(the_next_seat_goes_round),
        cmocka_unit_test(sizes_are_what_files_and_wires_rest_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

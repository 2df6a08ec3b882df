// What players of Coup remember, and what they make of it.
#include "games/coup/bots/claims.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void hear(struct claims *c, int kind, int seat, struct coup_fact fact)
{
    struct game_event e = {.kind = (uint8_t)kind, .seat = (uint8_t)seat, .to = EVERYONE};
    struct coup_view v = {.seats = 2, .in_play = 3};
    memcpy(e.data, &fact, sizeof fact);
    claims_observe(c, &(struct bot_news){.game = &coup_game, .seats = 2, .events = &e, .count = 1, .view = &v});
}

// The chance that seat 1 holds the role, seen by seat 0 with a Captain and a Contessa.
static float truth(const struct claims *c, int role)
{
    struct coup_view v = {.seats = 2, .in_play = 3, .seat = {{.card = {COUP_CAPTAIN, COUP_CONTESSA}}}};
    return claims_truth(c, &v, 1, role);
}

static void claims_are_believed_until_cards_change(void **unused) // N3.1, N3.2
{
    (void)unused;
    struct claims c = {0};
    float plain = truth(&c, COUP_DUKE);
    assert_true(plain > 0.40f && plain < 0.43f); // three of thirteen unseen cards, two drawn
    hear(&c, COUP_EVENT_ACTION, 1, (struct coup_fact){.action = COUP_TAX, .role = COUP_DUKE});
    float once = truth(&c, COUP_DUKE);
    assert_true(once > 0.8f);
    hear(&c, COUP_EVENT_ACTION, 1, (struct coup_fact){.action = COUP_TAX, .role = COUP_DUKE});
    assert_true(truth(&c, COUP_DUKE) > once);
    hear(&c, COUP_EVENT_EXCHANGE_COMPLETE, 1, (struct coup_fact){0});
    assert_true(truth(&c, COUP_DUKE) < once);

    hear(&c, COUP_EVENT_CHALLENGE, 0, (struct coup_fact){.other = 1, .role = COUP_DUKE});
    hear(&c, COUP_EVENT_CHALLENGE_RESULT, 1, (struct coup_fact){.result = COUP_SUCCESS});
    assert_true(truth(&c, COUP_DUKE) < 0.05f);
    hear(&c, COUP_EVENT_EXCHANGE_COMPLETE, 1, (struct coup_fact){0});
    assert_true(truth(&c, COUP_DUKE) > 0.3f);

    c = (struct claims){0};
    for (int i = 0; i < 2; i++)
        hear(&c, COUP_EVENT_ACTION, 1, (struct coup_fact){.action = COUP_INCOME});
    assert_true(truth(&c, COUP_DUKE) < plain);
}

static void a_shown_role_is_not_believed_again(void **unused) // N3.1
{
    (void)unused;
    struct claims c = {0};
    hear(&c, COUP_EVENT_ACTION, 1, (struct coup_fact){.action = COUP_ASSASSINATE, .role = COUP_ASSASSIN});
    hear(&c, COUP_EVENT_CHALLENGE, 0, (struct coup_fact){.other = 1, .role = COUP_ASSASSIN});
    hear(&c, COUP_EVENT_CHALLENGE_RESULT, 1, (struct coup_fact){.result = COUP_FAIL, .card = COUP_ASSASSIN});
    assert_true(truth(&c, COUP_ASSASSIN) < 0.43f);
}

static void hands_are_drawn_from_what_is_left(void **unused) // N3.2
{
    (void)unused;
    struct claims c = {0};
    hear(&c, COUP_EVENT_ACTION, 1, (struct coup_fact){.action = COUP_TAX, .role = COUP_DUKE});
    for (int i = 0; i < 1000; i++) {
        struct unseen left = {.left = {0, 1, 0, 0, 2, 0}, .all = 3}; // a Duke and two Ambassadors
        uint8_t card[2] = {0};
        claims_deal(&c, 1, 0, &left, card, (float)i / 1000);
        assert_int_equal(left.all, 1);
        for (int slot = 0; slot < 2; slot++)
            assert_true(card[slot] == COUP_DUKE || card[slot] == COUP_AMBASSADOR);
        assert_false(card[0] == COUP_DUKE && card[1] == COUP_DUKE);
    }
}

static void what_was_blocked_twice_is_futile(void **unused) // N3.5
{
    (void)unused;
    struct claims c = {0};
    struct game_action steal = {.kind = COUP_STEAL, .arg = {1}}, other = {.kind = COUP_STEAL, .arg = {2}};
    for (int i = 0; i < 2; i++) {
        assert_false(claims_is_futile(&c, 0, steal));
        hear(&c, COUP_EVENT_ACTION, 0, (struct coup_fact){.action = COUP_STEAL, .target = 1, .role = COUP_CAPTAIN});
        hear(&c, COUP_EVENT_BLOCK, 1, (struct coup_fact){.action = COUP_STEAL, .role = COUP_AMBASSADOR});
    }
    assert_true(claims_is_futile(&c, 0, steal));
    assert_false(claims_is_futile(&c, 0, other));
    assert_false(claims_is_futile(&c, 1, steal));
    hear(&c, COUP_EVENT_ACTION_RESOLVED, 0, (struct coup_fact){.action = COUP_STEAL, .target = 1});
    assert_false(claims_is_futile(&c, 0, steal));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_are_believed_until_cards_change),
        cmocka_unit_test(a_shown_role_is_not_believed_again),
        cmocka_unit_test(hands_are_drawn_from_what_is_left),
        cmocka_unit_test(what_was_blocked_twice_is_futile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Two deals of a game that differ in what seat 0 does not see, and in nothing else.
#include "verify/gamerl_internal.h"

#include "games_found.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

// The list of what is dealt: the one member that is an array.
static json_t *items_of(json_t *deal, char key[16])
{
    json_t *member, *found = NULL;
    const char *name;
    json_object_foreach(json_object_get(deal, "initial_state"), name, member)
    {
        if (!json_is_array(member))
            continue;
        assert_null(found);
        snprintf(key, 16, "%s", name);
        found = member;
    }
    assert_non_null(found);
    return found;
}

static size_t count_of(json_t *list, json_t *wanted)
{
    size_t i, count = 0;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        count += (size_t)json_equal(item, wanted);
    }
    return count;
}

static void two_items_change_places(const char *game, json_t *one, json_t *other)
{
    size_t i, moved = 0;
    json_t *item;
    json_array_foreach(one, i, item)
    {
        moved += !json_equal(item, json_array_get(other, i));
        assert_int_equal(count_of(one, item), count_of(other, item));
    }
    assert_int_equal(json_array_size(one), json_array_size(other));
    if (moved != 2)
        fail_msg("%s: %zu items differ", game, moved);
}

static void two_deals_differ_in_hidden_things(void **unused)
{
    (void)unused;
    int known = 0;
    struct gamerl *g = gamerl_create();
    for (int i = 0; games_found[i]; i++) {
        char key[16], other_key[16];
        snprintf(g->game, sizeof g->game, "%s", games_found[i]->name);
        json_t *one = gr_deck(g, false);
        if (!one) { // a game may do without
            assert_true(g->skipped);
            g->skipped = false;
            continue;
        }
        known++;
        json_t *same = gr_deck(g, false), *other = gr_deck(g, true);
        assert_true(json_equal(one, same));
        assert_int_equal(json_integer_value(gr_get(one, "initial_state.bots")), 1);
        json_t *items = items_of(one, key), *others = items_of(other, other_key);
        assert_string_equal(key, other_key);
        two_items_change_places(g->game, items, others);
        json_object_del(gr_get(one, "initial_state"), key);
        json_object_del(gr_get(other, "initial_state"), key);
        assert_true(json_equal(one, other));
        json_decref(one), json_decref(same), json_decref(other);
    }
    assert_true(known >= 7); // all that are here; a new game may do without
    gamerl_destroy(g);
}

static void an_unknown_game_is_skipped(void **unused)
{
    (void)unused;
    struct gamerl *g = gamerl_create();
    snprintf(g->game, sizeof g->game, "chess");
    assert_null(gr_deck(g, false));
    assert_true(g->skipped);
    gamerl_destroy(g);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_deals_differ_in_hidden_things),
        cmocka_unit_test(an_unknown_game_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

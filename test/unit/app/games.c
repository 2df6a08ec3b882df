// The games as environments: which house bots play at which level (G22.10).
#include "app/games.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct env_game *find(const char *name)
{
    for (const struct env_game *g = app_env_games(); g->game; g++)
        if (strcmp(g->game->name, name) == 0)
            return g;
    fail_msg("no game %s", name);
    return NULL;
}

static void every_level_has_a_bot_that_plays(void **unused)
{
    (void)unused;
    for (const struct env_game *g = app_env_games(); g->game; g++) {
        assert_ptr_equal(g->bots[0], &bot_random);
        assert_ptr_equal(g->bots[1], &bot_fallback);
        for (int level = 2; level < 4; level++)
            if (!g->bots[level] || g->bots[level] == &bot_fallback)
                fail_msg("%s has no bot of level %d", g->game->name, level);
    }
}

static void names_go_before_levels(void **unused)
{
    (void)unused;
    const struct env_game *coup = find("coup"), *dice = find("liars_dice"), *kuhn = find("kuhn_poker");
    assert_string_equal(coup->bots[2]->name, "rules");
    assert_string_equal(coup->bots[3]->name, "search");
    assert_string_equal(dice->bots[3]->name, "rules");
    assert_string_equal(kuhn->bots[2]->name, "solved");
    assert_string_equal(kuhn->bots[3]->name, "solved");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_has_a_bot_that_plays),
        cmocka_unit_test(names_go_before_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Every game and scenario through the layer, by index and by name, against the house (G22.1, G22.2, C54).
#include "client.h"

#include <math.h>

enum { MOST_STEPS = 20000 };

static void check_rewards(const json_t *step)
{
    const char *key;
    json_t *value;
    double sum = 0;
    json_object_foreach(json_object_get(step, "reward_components"), key, value) sum += json_number_value(value);
    assert_true(fabs(sum - get_number(step, "reward")) < 1e-6);
}

static void check_keys(const json_t *step, const json_t *space)
{
    json_t *observation = json_object_get(step, "observation");
    void *a = json_object_iter(observation), *b = json_object_iter(json_object_get(space, "spaces"));
    for (; a && b;
         a = json_object_iter_next(observation, a), b = json_object_iter_next(json_object_get(space, "spaces"), b))
        assert_string_equal(json_object_iter_key(a), json_object_iter_key(b));
    assert_null(a);
    assert_null(b);
}

// The list and the mask say the same: every index of an item is set in the mask.
static void check_list(const json_t *step)
{
    const char *mask = get_text(json_object_get(step, "observation"), "legal_mask");
    size_t i;
    json_t *item;
    assert_true(json_array_size(json_object_get(step, "available_actions")) > 0);
    json_array_foreach(json_object_get(step, "available_actions"), i, item)
    {
        json_t *index = json_object_get(item, "index");
        if (index)
            assert_int_equal(mask[json_integer_value(index)], '1');
    }
}

static uint32_t dice;

static uint32_t roll(uint32_t n)
{
    dice = dice * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)dice * n >> 32);
}

// A legal index, at random; in tetris a placement when there is one, so that it ends.
static int pick_index(const json_t *step, bool tetris)
{
    const char *mask = get_text(json_object_get(step, "observation"), "legal_mask");
    int legal[256], n = 0;
    for (int i = tetris ? 8 : 0; mask[i]; i++)
        if (mask[i] == '1')
            legal[n++] = i;
    return n ? legal[roll((uint32_t)n)] : tetris ? 6 : 0;
}

static json_t *act(struct client *c, const json_t *step, bool by_name, bool tetris)
{
    json_t *list = json_object_get(step, "available_actions");
    if (!by_name)
        return client_call(c, "sim_step", "{'agent_id':'me','action':%d}", pick_index(step, tetris));
    size_t n = json_array_size(list), first = tetris && n > 8 ? 8 : 0;
    char *item = json_dumps(json_array_get(list, first + roll((uint32_t)(n - first))), 0);
    json_t *next = client_call(c, "sim_step", "{'agent_id':'me','action':%s}", item);
    free(item);
    return next;
}

// Plays one episode and returns a digest of all that was told.
static uint64_t play(struct client *c, const char *scenario, bool by_name, uint32_t seed, bool tetris)
{
    char text[256];
    uint64_t digest = 14695981039346656037u;
    json_t *me = client_call(c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    assert_non_null(me);
    json_t *space = json_incref(json_object_get(me, "observation_space"));
    json_decref(me);
    json_t *step = client_call(c, "reset", "{'seed':%u,'config':{'scenario':'%s','initial_state':{'max_ticks':3000}}}",
                               seed, scenario);
    if (!step)
        fail_msg("%s: %s", scenario, client_why(c));
    assert_false(get_bool(step, "done"));
    assert_string_equal(get_text(json_array_get(json_object_get(step, "events"), 0), "type"), "episode_started");
    dice = seed;
    json_int_t before = get_int(step, "step_id");
    int steps = 0;
    bool terminal = false;
    for (; !terminal && steps < MOST_STEPS; steps++) {
        json_t *next = act(c, step, by_name, tetris);
        if (!next) {
            char *was = json_dumps(step, 0);
            fail_msg("%s step %d: %d %s after %s", scenario, steps, c->code, client_why(c), was);
        }
        json_decref(step);
        step = next;
        terminal = get_bool(step, "done") || get_bool(step, "truncated");
        assert_false(get_bool(step, "done") && get_bool(step, "truncated"));
        assert_int_equal(terminal, json_object_get(step, "termination_reason") != NULL);
        assert_true(get_int(step, "step_id") <= before + 1);
        before = get_int(step, "step_id");
        check_rewards(step);
        check_keys(step, space);
        check_list(step);
        assert_true(strlen(get_text(json_object_get(step, "observation"), "text")) <= 1200);
        char *dump = json_dumps(step, JSON_COMPACT);
        for (const char *p = dump; *p; p++)
            digest = (digest ^ (uint8_t)*p) * 1099511628211u;
        free(dump);
    }
    assert_true(terminal);
    snprintf(text, sizeof text, "%s", get_text(step, "termination_reason"));
    json_decref(step);
    json_decref(space);
    assert_null(client_call(c, "sim_step", "{'agent_id':'me','action':0}"));
    assert_int_equal(c->code, -32002);
    assert_string_equal(get_text(c->data, "name"), "EpisodeTerminated");
    return digest;
}

static void test_game(void **state)
{
    const struct env_game *g = *state;
    bool tetris = g->game->tick_ms;
    for (int i = 0; g->game->scenarios[i]; i++)
        for (int by_name = 0; by_name < 2; by_name++) {
            uint64_t digest[2];
            for (int run = 0; run < 2; run++) {
                struct client c;
                client_start(&c, g->game->name);
                digest[run] = play(&c, g->game->scenarios[i], by_name, 7u + (uint32_t)i, tetris);
                client_stop(&c);
            }
            assert_int_equal(digest[0], digest[1]); // C56, C57
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_game, (void *)&client_games[0]),
        cmocka_unit_test_prestate(test_game, (void *)&client_games[1]),
        cmocka_unit_test_prestate(test_game, (void *)&client_games[2]),
        cmocka_unit_test_prestate(test_game, (void *)&client_games[3]),
        cmocka_unit_test_prestate(test_game, (void *)&client_games[4]),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Moves in words and ranges that hold what they promise (M54, M57, G22.8): for every game.
#include "client.h"

static json_t *begin(struct client *c, const char *game, const char *more)
{
    client_start(c, game);
    client_do(c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    json_t *first = client_call(c, "reset", "{'agent_id':'me'%s}", more);
    assert_non_null(first);
    return first;
}

// --- refusals say what was wrong and what is legal

static const struct {
    const char *game, *action, *message;
} refusals[] = {
    {"texas_holdem", "{'type':'raise','params':{'amount':250}}",
     "raise 250: the smallest raise is 400 (your total in this round); legal: fold, call 200, raise 400-10000, allin "
     "10000"},
    {"texas_holdem", "'raise 99999'",
     "raise 99999: the largest raise is 10000, all you have; legal: fold, call 200, raise 400-10000, allin 10000"},
    {"texas_holdem", "'check'",
     "check: you cannot check, there is a bet of 200 to call; legal: fold, call 200, raise 400-10000, allin 10000"},
    {"texas_holdem", "'raise'",
     "raise: raise needs an amount, your total in this round, such as \"raise 400\"; legal: fold, call 200, raise "
     "400-10000, allin 10000"},
    {"texas_holdem", "'raise 2.5bb'",
     "raise 2.5bb: \"2.5bb\" is no whole number of chips; legal: fold, call 200, raise 400-10000, allin 10000"},
    {"texas_holdem", "'foldd'",
     "foldd: there is no move \"foldd\"; did you mean \"fold\"?; legal: fold, call 200, raise 400-10000, allin 10000"},
    {"texas_holdem", "{'type':'fly'}",
     "fly: this agent has no such action; legal: fold, call 200, raise 400-10000, allin 10000"},
    {"coup", "'coup seat_1'",
     "coup seat_1: coup costs 7 coins and you have 2; legal: income, foreign_aid, tax, steal (seat_1, seat_2, seat_3), "
     "exchange"},
    {"coup", "'steal'",
     "steal: steal needs a target, such as \"steal seat_1\"; legal: income, foreign_aid, tax, steal (seat_1, seat_2, "
     "seat_3), exchange"},
    {"coup", "'steal 0'",
     "steal 0: you cannot steal from yourself; legal: income, foreign_aid, tax, steal (seat_1, seat_2, seat_3), "
     "exchange"},
    {"coup", "'challenge'",
     "challenge: there is no claim to challenge; legal: income, foreign_aid, tax, steal (seat_1, seat_2, seat_3), "
     "exchange"},
    {"coup", "'assasinate seat_1'",
     "assasinate seat_1: there is no move \"assasinate seat_1\"; did you mean \"assassinate\"?; legal: income, "
     "foreign_aid, tax, steal (seat_1, seat_2, seat_3), exchange"},
    {"liars_dice", "'bid 21x1'", "bid 21x1: only 20 dice are in play; legal: bid QxF from 1x1 to 20x6"},
    {"liars_dice", "'bid 2x7'", "bid 2x7: a face is 1 to 6; legal: bid QxF from 1x1 to 20x6"},
    {"liars_dice", "'liar'", "liar: there is no bid to challenge yet; legal: bid QxF from 1x1 to 20x6"},
    {"liars_dice", "{'type':'bid','params':{'quantity':1}}",
     "/action/params/face is not acceptable; expected: an integer; it is missing; legal: bid QxF from 1x1 to 20x6"},
    {"tetris", "'place 9 north'",
     "place 9 north: T facing north has its leftmost column at 0 to 7; legal: place X north/south (0-7), place X "
     "east/west (0-8), the same with \" hold\", hold"},
};

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *game, *reset;
    } begins[] = {
        {"texas_holdem", ",'seed':1,'config':{'initial_state':{'button':3}}"}, // seat_0 is the first to act
        {"coup", ",'seed':1,'config':{'scenario':'players_4'}"},
        {"liars_dice", ",'seed':1"},
        {"tetris", ",'seed':1,'config':{'initial_state':{'queue':['T','S']}}"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct client c;
        size_t g = 0;
        while (strcmp(begins[g].game, refusals[i].game) != 0)
            g++;
        json_decref(begin(&c, refusals[i].game, begins[g].reset));
        json_t *before = client_call(&c, "get_state_hash", "{}");
        assert_null(client_call(&c, "sim_step", "{'agent_id':'me','action':%s}", refusals[i].action));
        assert_string_equal(get_text(c.data, "message"), refusals[i].message);
        json_t *after = client_call(&c, "get_state_hash", "{}");
        assert_string_equal(get_text(before, "hash"), get_text(after, "hash"));
        json_decref(before);
        json_decref(after);
        client_stop(&c);
    }
}

// --- words and JSON in strings are actions

static const struct {
    const char *game, *reset, *action;
} accepted[] = {
    {"texas_holdem", ",'config':{'initial_state':{'button':3}}", "'fold'"},
    {"texas_holdem", ",'config':{'initial_state':{'button':3}}", "'Raise to 400.'"},
    {"texas_holdem", ",'config':{'initial_state':{'button':3}}", "'all-in'"},
    {"texas_holdem", ",'config':{'initial_state':{'button':3}}", "'call 200'"},
    {"texas_holdem", ",'config':{'initial_state':{'button':3}}", "'{\\'type\\':\\'fold\\'}'"},
    {"coup", "", "'FOREIGN AID'"},
    {"coup", "", "'steal from seat-2'"},
    {"coup", "", "'steal 2'"},
    {"coup", "", "'{\\'type\\':\\'steal\\',\\'params\\':{\\'target\\':\\'seat_1\\'}}'"},
    {"liars_dice", "", "'bid 3x4'"},
    {"liars_dice", "", "'bid 3 4'"},
    {"liars_dice", "", "'3x4'"},
    {"tetris", "", "'place 4 east'"},
    {"tetris", "", "'place 4 east hold'"},
    {"tetris", "", "'left'"},
    {"tetris", "", "'wait'"},
};

static void test_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct client c;
        json_decref(begin(&c, accepted[i].game, accepted[i].reset));
        client_do(&c, "sim_step", "{'agent_id':'me','action':%s}", accepted[i].action);
        client_stop(&c);
    }
}

// --- whatever a list offers is taken: random values within every range, and the line of moves read back

static uint32_t chance;

static uint32_t draw(uint32_t below)
{
    chance = chance * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)chance * below) >> 32);
}

static json_t *pick_action(const json_t *list)
{
    const char *key;
    json_t *value, *item = json_deep_copy(json_array_get(list, draw((uint32_t)json_array_size(list))));
    json_object_foreach(json_object_get(item, "range"), key, value)
    {
        json_int_t low = json_integer_value(json_array_get(value, 0)),
                   high = json_integer_value(json_array_get(value, 1));
        json_object_set_new(json_object_get(item, "params"), key, json_integer(low + draw((uint32_t)(high - low + 1))));
    }
    json_object_foreach(json_object_get(item, "choices"), key, value) json_object_set(
        json_object_get(item, "params"), key, json_array_get(value, draw((uint32_t)json_array_size(value))));
    json_object_del(item, "range");
    json_object_del(item, "choices");
    json_object_del(item, "index");
    return item;
}

static int play_random(const char *game, int match, int steps)
{
    struct client c;
    char more[64];
    int taken = 0;
    chance = (uint32_t)(match * 977 + 1);
    snprintf(more, sizeof more, ",'seed':%d", match);
    json_t *step = begin(&c, game, more);
    while (taken < steps && !get_bool(step, "done") && !get_bool(step, "truncated")) {
        json_t *action = pick_action(json_object_get(step, "available_actions"));
        char *text = json_dumps(action, JSON_COMPACT);
        json_decref(step);
        step = client_call(&c, "sim_step", "{'agent_id':'me','action':%s}", text);
        if (!step)
            fail_msg("%s match %d: %s refused: %s", game, match, text, client_why(&c));
        free(text);
        json_decref(action);
        taken++;
    }
    json_decref(step);
    client_stop(&c);
    return taken;
}

static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *game;
        int matches, steps;
    } rows[] = {
        {"liars_dice", 150, 1000}, {"texas_holdem", 20, 200}, {"coup", 20, 200}, {"belote", 4, 300}, {"tetris", 4, 60}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int match = 0; match < rows[i].matches; match++)
            assert_true(play_random(rows[i].game, match, rows[i].steps) > 0);
}

// --- an unseeded reset of a private table says its seed, which makes the same deal

static void test_seed(void **state)
{
    (void)state;
    struct client c;
    json_t *first = begin(&c, "texas_holdem", "");
    json_int_t seed = get_int(first, "seed");
    json_t *second = client_call(&c, "reset", "{'agent_id':'me'}");
    assert_true(json_is_integer(json_object_get(first, "seed")));
    assert_true(get_int(second, "seed") != seed);
    json_t *again = client_call(&c, "reset", "{'agent_id':'me','seed':%lld}", (long long)seed);
    assert_string_equal(get_text(first, "state_hash"), get_text(again, "state_hash"));
    json_t *next = client_call(&c, "reset", "{'agent_id':'me'}"); // G14.4: follows from the one before
    assert_null(json_object_get(next, "seed"));
    json_decref(first);
    json_decref(second);
    json_decref(again);
    json_decref(next);
    client_stop(&c);
}

// --- unknown arguments are named

static void test_unknown(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        bool known;
    } rows[] = {{"agent_id", true}, {"action", true},  {"AgentId", true},  {"Action", true}, // G4.6
                {"scenario", true}, {"reason", false}, {"agentId", false}, {"", false}};
    struct env *env = client_host("coup");
    const struct env_tool *step = env_tools;
    while (strcmp(step->name, "sim_step") != 0)
        step++;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (env_is_argument(env, step, (struct json_string){.raw = span_of(rows[i].key)}) != rows[i].known)
            fail_msg("%s", rows[i].key);
    env_destroy(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_accepted), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_seed),     cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

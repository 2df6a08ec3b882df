// The rules of calls: refusals that change nothing, barrier, batches, equivalences, secrecy.
#include "client.h"

#include "heap/heap.h"

static char hash_before[80];

static const char *hash_of(struct client *c)
{
    static char hash[80];
    json_t *j = client_call(c, "get_state_hash", "{}");
    assert_non_null(j);
    snprintf(hash, sizeof hash, "%s", get_text(j, "hash"));
    json_decref(j);
    return hash;
}

static void register_me(struct client *c, const char *game)
{
    client_start(c, game);
    client_do(c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
}

// --- refusals

static const struct {
    const char *tool, *arguments;
    int code;
    const char *name, *key, *value;
} refusals[] = {
    {"nonsense", "{}", -32601, "UnknownTool", NULL, NULL},
    {"sim_step", "{}", -32602, "InvalidParams", "path", "/agent_id"},
    {"sim_step", "{'agent_id':'me'}", -32602, "InvalidParams", "path", "/action"},
    {"sim_step", "{'agent_id':'me','action':0,'ticks':0}", -32602, "InvalidParams", "path", "/ticks"},
    {"sim_step", "{'agent_id':'me','action':0,'ticks':-1}", -32602, "InvalidParams", "path", "/ticks"},
    {"sim_step", "{'agent_id':'me','action':0,'ticks':1.5}", -32602, "InvalidParams", "path", "/ticks"},
    {"sim_step", "{'agent_id':'me','action':0,'ticks':100001}", -32602, "InvalidParams", "path", "/ticks"},
    {"sim_step", "{'agent_id':'me','action':0,'mode':'fast'}", -32602, "InvalidParams", "path", "/mode"},
    {"sim_step", "{'agent_id':'me','action':1.5}", -32602, "InvalidParams", "path", "/action"},
    {"sim_step", "{'agent_id':'me','action':[1,2]}", -32602, "InvalidParams", "path", "/action"},
    {"sim_step", "{'agent_id':'me','action':null}", -32602, "InvalidParams", "expected",
     "{type, params}, words such as \"fold\", an index of game://actions, or a vector where the space is continuous"},
    {"sim_step", "{'agent_id':'me','action':{}}", -32602, "InvalidParams", "path", "/action/type"},
    {"sim_step", "{'agent_id':'you','action':0}", -32000, "AgentNotRegistered", "reason", "unknown"},
    {"sim_step", "{'agent_id':'me','action':-1}", -32001, "InvalidAction", "reason", "out_of_range"},
    {"sim_step", "{'agent_id':'me','action':182}", -32001, "InvalidAction", "reason", "out_of_range"},
    {"sim_step", "{'agent_id':'me','action':1}", -32001, "InvalidAction", "reason", "illegal_now"},
    {"sim_step", "{'agent_id':'me','action':{'type':'spawn_entity'}}", -32001, "InvalidAction", "reason", "denied"},
    {"sim_step", "{'agent_id':'me','action':{'type':'pause'}}", -32001, "InvalidAction", "reason", "scope"},
    {"sim_step", "{'agent_id':'me','action':{'type':'fly'}}", -32001, "InvalidAction", "reason", "not_in_space"},
    {"sim_step", "{'agent_id':'me','action':{'type':'attack'}}", -32001, "InvalidAction", "reason",
     "not_in_space"}, // G11.4
    {"sim_step", "{'agent_id':'me','action':{'type':'bid','quantity':'x','face':1}}", -32602, "InvalidParams", "path",
     "/action/params/quantity"},
    {"sim_step", "{'agent_id':'me','action':{'type':'bid','face':1}}", -32602, "InvalidParams", "path",
     "/action/params/quantity"},
    {"sim_step", "{'agent_id':'me','action':{'type':'bid','quantity':1,'face':7}}", -32001, "InvalidAction", "reason",
     "out_of_range"},
    {"sim_step", "{'agent_id':'me','action':{'type':'bid','quantity':30,'face':1}}", -32001, "InvalidAction", "reason",
     "illegal_now"},
    {"sim_step", "{'agent_id':'masked','action':{'type':'bid','quantity':1,'face':1}}", -32001, "InvalidAction",
     "reason", "masked"},
    {"sim_step", "{'agent_id':'other','action':2}", -32001, "InvalidAction", "reason", "not_your_turn"},
    {"sim_step", "{'agent_id':'plain','action':{'type':'pause'}}", -32001, "InvalidAction", "reason", "capability"},
    {"sim_step", "{'agent_id':'plain','action':{'type':'move'}}", -32001, "InvalidAction", "reason", "scope"},
    {"sim_step", "{'agent_id':'plain','action':{'type':'bid','quantity':1,'face':1}}", -32001, "InvalidAction",
     "reason", "scope"},
    {"register_agent", "{'agent_id':'a b','agent_type':'GameMaster'}", -32602, "InvalidParams", "path", "/agent_id"},
    {"register_agent", "{'agent_id':'_x','agent_type':'GameMaster'}", -32602, "InvalidParams", "reason", "reserved"},
    {"register_agent", "{'agent_id':'x','agent_type':'Wizard'}", -32602, "InvalidParams", "path", "/agent_type"},
    {"register_agent", "{'agent_id':'x','agent_type':'ColonyManager'}", -32602, "InvalidParams", "path", "/agent_type"},
    {"register_agent", "{'agent_id':'x','agent_type':'GameMaster\\u0000'}", -32602, "InvalidParams", "path",
     "/agent_type"}, // a NUL does not end a string
    {"register_agent", "{'agent_id':'x','agent_type':'EntityBehavior','config':{'avatar_id':'seat_1\\u0000'}}", -32602,
     "InvalidParams", "reason", "unknown"},
    {"reset", "{'agent_id':'me','scenario':'players_2\\u0000x'}", -32602, "InvalidParams", "reason", "unknown"},
    {"sim_step", "{'agent_id':'me','action':1e400}", -32602, "InvalidParams", "path", "/action"}, // not 0
    {"reset", "{'agent_id':'me','seed':-1e400}", -32602, "InvalidParams", "path", "/seed"},
    {"reset", "{'agent_id':'me','config':{'domain_randomization':{'gameplay':{'seats':1e400}}}}", -32602,
     "InvalidParams", "path", "/config/domain_randomization/gameplay/seats"},
    {"sim_step", "{'agent_id':'me','action':0,'mode':'live\\u0000x'}", -32602, "InvalidParams", "path", "/mode"},
    {"register_agent", "{'agent_id':'\\u0000x','agent_type':'GameMaster'}", -32602, "InvalidParams", "expected",
     "a string that matches ^[a-zA-Z0-9_:-]+$"},
    {"send_message",
     "{'from_agent':'me','to_agent':'me','content':{},'channel':'"
     "\\u0000456789012345678901234567890123456789012345678901234567890123456789'}",
     -32602, "InvalidParams", "expected", "at most 64 characters"},
    {"register_agent", "{'agent_id':'x','agent_type':'EntityBehavior','scope':'embodied'}", -32602, "InvalidParams",
     "path", "/config/avatar_id"},
    {"register_agent", "{'agent_id':'x','agent_type':'EntityBehavior','scope':'systemic'}", -32602, "InvalidParams",
     "path", "/scope"},
    {"register_agent", "{'agent_id':'x','agent_type':'EntityBehavior','config':{'avatar_id':'seat_0'}}", -32602,
     "InvalidParams", "reason", "taken"},
    {"register_agent", "{'agent_id':'x','agent_type':'EntityBehavior','config':{'avatar_id':'throne'}}", -32602,
     "InvalidParams", "reason", "unknown"},
    {"register_agent", "{'agent_id':'x','agent_type':'EntityBehavior','config':{'action_mask':['fly']}}", -32602,
     "InvalidParams", "path", "/config/action_mask"},
    {"register_agent", "{'agent_id':'x','agent_type':'EntityBehavior','config':{'observation_keys':['soul']}}", -32602,
     "InvalidParams", "path", "/config/observation_keys"},
    {"register_agent",
     "{'agent_id':'x','agent_type':'EntityBehavior','config':{'reward_shaping':{'weights':{'fun':1}}}}", -32602,
     "InvalidParams", "path", "/config/reward_shaping/weights"},
    {"register_agent", "{'agent_id':'x','agent_type':'GameMaster','config':{'session_type':'shared'}}", -32602,
     "InvalidParams", "path", "/config/session_type"},
    {"register_agent", "{'agent_id':'me','agent_type':'GameMaster'}", -32602, "InvalidParams", "reason", "in_use"},
    {"reset", "{'seed':'x'}", -32602, "InvalidParams", "path", "/seed"},
    {"reset", "{'seed':9223372036854775808}", -32602, "InvalidParams", "path", "/seed"},
    {"reset", "{'seed':-9223372036854775809}", -32602, "InvalidParams", "path", "/seed"},
    {"reset", "{'config':{'scenario':'moon'}}", -32602, "InvalidParams", "path", "/config/scenario"},
    {"reset", "{'config':{'scenario':'coup/players_4'}}", -32602, "InvalidParams", "path", "/config/scenario"},
    {"reset", "{'config':{'scenario':'duel'}}", -32602, "InvalidParams", "reason", "seats"},
    {"reset", "{'config':{'initial_state':{'moon':1}}}", -32602, "InvalidParams", "path", "/config/initial_state/moon"},
    {"reset", "{'config':{'initial_state':{'dice_counts':[1,2,3]}}}", -32602, "InvalidParams", "reason", "rules"},
    {"reset", "{'config':{'initial_state':{'dice_counts':9}}}", -32602, "InvalidParams", "path",
     "/config/initial_state/dice_counts"},
    {"reset", "{'scope':'agent'}", -32602, "InvalidParams", "path", "/agent_id"},
    {"reset", "{'config':{'domain_randomization':{'gameplay':{'moon':1}}}}", -32602, "InvalidParams", "reason",
     "unknown"},
    {"reset", "{'config':{'domain_randomization':{'gameplay':{'dice':[4,2]}}}}", -32602, "InvalidParams", "path",
     "/config/domain_randomization/gameplay/dice"},
    {"reset", "{'config':{'domain_randomization':{'physics':{'gravity_multiplier':[0,2]}}}}", -32602, "InvalidParams",
     "path", "/config/domain_randomization/physics/gravity_multiplier/0"},
    {"reset", "{'config':{'initial_state':{'moon':1}}}", -32602, "InvalidParams", "expected",
     "one of max_ticks, bots, seats, dice_counts, wild_ones, dice, starter"},
    {"reset", "{'config':{'initial_state':{'starter':'moon'}}}", -32602, "InvalidParams", "expected",
     "a seat, such as \"seat_2\""},
    {"reset", "{'config':{'initial_state':{'bots':4}}}", -32602, "InvalidParams", "expected",
     "a level 0 to 3, or an object of seat and level"},
    {"reset", "{'config':{'domain_randomization':{'gameplay':{'bot_level':'x'}}}}", -32602, "InvalidParams", "path",
     "/config/domain_randomization/gameplay/bot_level"},
    {"reset", "{'config':{'domain_randomization':{'gameplay':{'bot_level':4}}}}", -32602, "InvalidParams", "expected",
     "a value or [min,max] within 0 to 3"},
    {"reset", "{'config':{'domain_randomization':{'gameplay':{'bot_level':[0,1,2]}}}}", -32602, "InvalidParams", "path",
     "/config/domain_randomization/gameplay/bot_level"},
    {"reset", "{'config':{'domain_randomization':{'gameplay':{'bot_level':[0]}}}}", -32602, "InvalidParams", "path",
     "/config/domain_randomization/gameplay/bot_level"},
    {"reset", "{'config':{'domain_randomization':{'gameplay':{'moon':1}}}}", -32602, "InvalidParams", "expected",
     "one of seats, dice, wild_ones, bot_level"},
    {"register_agent", "{'agent_id':'x','agent_type':'ColonyManager'}", -32602, "InvalidParams", "expected",
     "one of EntityBehavior, GameMaster, DialogueAgent, CombatDirector"},
    {"register_agent", "{'agent_id':'x','agent_type':'EntityBehavior','config':{'avatar_id':'throne'}}", -32602,
     "InvalidParams", "expected", "one of seat_0, seat_1, seat_2, seat_3, seat_4, seat_5"},
    {"register_agent",
     "{'agent_id':'x','agent_type':'EntityBehavior','config':{'reward_shaping':{'weights':{'dice':"
     "1e300}}}}",
     -32602, "InvalidParams", "expected", "-1000000000 to 1000000000"},
    {"register_agent", "{'agent_id':'a b','agent_type':'GameMaster'}", -32602, "InvalidParams", "expected",
     "a string that matches ^[a-zA-Z0-9_:-]+$"},
    {"sim_step", "{'action':0}", -32602, "InvalidParams", "expected", "a string; it is missing"},
    {"sim_step", "{'agent_id':'me','action':0,'ticks':'x'}", -32602, "InvalidParams", "expected", "an integer"},
    {"sim_step", "{'agent_id':'me','action':0,'mode':'fast'}", -32602, "InvalidParams", "expected",
     "one of \"training\",\"live\",\"inference\""},
    {"get_state_hash", "{'agent_id':'you'}", -32000, "AgentNotRegistered", NULL, NULL},
    {"send_message", "{'from_agent':'me','to_agent':'you','content':{}}", -32000, "AgentNotRegistered", NULL, NULL},
    {"batch_step", "{'steps':[]}", -32602, "InvalidParams", "path", "/steps"},
    {"batch_step", "{'steps':[{'agent_id':'me','action':0},{'agent_id':'me','action':0}]}", -32602, "InvalidParams",
     "reason", "duplicate"},
    {"batch_step", "{'steps':[{'agent_id':'me','action':2},{'agent_id':'other','action':3}]}", -32001, "InvalidAction",
     "agent_id", "other"},
    {"batch_step", "{'steps':[{'agent_id':'me','action':0}],'sync_mode':'magic'}", -32602, "InvalidParams", "path",
     "/sync_mode"},
    {"batch_step", "{'steps':[{'agent_id':'me','action':0}],'sync_mode':'sequential','order':['you']}", -32602,
     "InvalidParams", "path", "/order"},
    {"batch_step", "{'steps':[{'agent_id':'me','action':0,'ticks':1},{'agent_id':'other','action':0,'ticks':2}]}",
     -32602, "InvalidParams", "reason", "ticks"},
    {"batch_step", "{'steps':[{'agent_id':'me','action':0}],'order':['me']}", -32602, "InvalidParams", "path",
     "/order"},
    {"batch_step", "{'steps':[{'agent_id':'me','action':0},{'agent_id':'you','action':0}]}", -32000,
     "AgentNotRegistered", "agent_id", "you"},
    {"batch_step", "{'steps':[{'agent_id':'you','action':0}],'sync_mode':'async'}", -32000, "AgentNotRegistered",
     "agent_id", "you"},
    {"deregister_agent", "{'agent_id':'you'}", -32000, "AgentNotRegistered", NULL, NULL},
};

static void test_refusals(void **state)
{
    struct client c;
    (void)state;
    register_me(&c, "liars_dice");
    client_do(&c, "register_agent",
              "{'agent_id':'masked','agent_type':'EntityBehavior','config':{'action_mask':['challenge']}}");
    client_do(&c, "register_agent", "{'agent_id':'other','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'plain','agent_type':'GameMaster','config':{'capabilities':[]}}");
    client_do(&c, "reset", "{'seed':3}");
    json_t *before = client_call(&c, "observe", "{'agent_id':'me'}");
    snprintf(hash_before, sizeof hash_before, "%s", hash_of(&c));
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        json_t *j = client_call(&c, refusals[i].tool, "%s", refusals[i].arguments);
        if (j || c.code != refusals[i].code || strcmp(get_text(c.data, "name"), refusals[i].name) != 0)
            fail_msg("%s %s: %d %s", refusals[i].tool, refusals[i].arguments, c.code, client_why(&c));
        if (refusals[i].key && strcmp(get_text(c.data, refusals[i].key), refusals[i].value) != 0)
            fail_msg("%s %s: %s", refusals[i].tool, refusals[i].arguments, client_why(&c));
        assert_string_equal(hash_of(&c), hash_before); // G9.3
    }
    json_t *after = client_call(&c, "observe", "{'agent_id':'me'}");
    assert_true(json_equal(before, after));
    json_decref(before);
    json_decref(after);
    client_stop(&c);
}

static void test_lifecycle(void **state)
{
    struct client c;
    (void)state;
    register_me(&c, "coup");
    assert_null(client_call(&c, "sim_step", "{'agent_id':'me','action':0}"));
    assert_int_equal(c.code, -32002);
    assert_string_equal(get_text(c.data, "name"), "NotActive");
    json_t *idle = client_call(&c, "observe", "{'agent_id':'me'}");
    assert_string_equal(get_text(json_object_get(idle, "observation"), "phase"), "idle");
    json_decref(idle);
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}"); // G10.4
    client_do(&c, "reset", "{'Seed':5}");                                               // G4.6
    client_do(&c, "deregister_agent", "{'agent_id':'me'}");
    assert_null(client_call(&c, "sim_step", "{'agent_id':'me','action':0}"));
    assert_int_equal(c.code, -32000);
    for (int i = 0; i < 4; i++)
        client_do(&c, "register_agent", "{'agent_id':'a%d','agent_type':'EntityBehavior'}", i);
    assert_null(client_call(&c, "register_agent", "{'agent_id':'a9','agent_type':'EntityBehavior'}"));
    assert_int_equal(c.code, -32004);
    for (int i = 4; i < 16; i++)
        client_do(&c, "register_agent", "{'agent_id':'a%d','agent_type':'GameMaster'}", i);
    assert_null(client_call(&c, "register_agent", "{'agent_id':'b','agent_type':'GameMaster'}"));
    assert_int_equal(c.code, -32004);
    client_do(&c, "register_agent", "{'agent_id':'a15','agent_type':'GameMaster'}");
    client_stop(&c);
}

// --- G12.6: N ticks are one tick and N - 1 waits

static void test_ticks(void **state)
{
    (void)state;
    for (int g = 0; client_games[g].game; g++) {
        struct client one, many;
        double sum = 0;
        register_me(&one, client_games[g].game->name);
        register_me(&many, client_games[g].game->name);
        client_do(&one, "reset", "{'seed':11}");
        client_do(&many, "reset", "{'seed':11}");
        json_t *a = client_call(&one, "sim_step", "{'agent_id':'me','action':0,'ticks':200}");
        assert_int_equal(get_int(a, "tick"), 200);
        for (int i = 0; i < 200; i++) {
            json_t *b = client_call(&many, "sim_step", "{'agent_id':'me','action':{'type':'wait'}}");
            assert_non_null(b);
            assert_int_equal(get_int(b, "tick"), i + 1);
            sum += get_number(b, "reward");
            if (i == 199)
                assert_string_equal(get_text(a, "state_hash"), get_text(b, "state_hash"));
            json_decref(b);
        }
        assert_true(sum - get_number(a, "reward") < 1e-6 && get_number(a, "reward") - sum < 1e-6);
        json_decref(a);
        client_stop(&one);
        client_stop(&many);
    }
}

static void test_limit(void **state)
{
    struct client c;
    (void)state;
    register_me(&c, "tetris");
    client_do(&c, "reset", "{'seed':1,'config':{'scenario':'zen','initial_state':{'max_ticks':5000}}}");
    json_t *j = client_call(&c, "sim_step", "{'agent_id':'me','action':0,'ticks':100000}");
    assert_int_equal(get_int(j, "tick"), 5000);
    assert_true(get_bool(j, "truncated"));
    assert_false(get_bool(j, "done"));
    assert_string_equal(get_text(j, "termination_reason"), "timeout");
    assert_true(c.progress >= 4);
    json_decref(j);
    client_stop(&c);
}

// --- the barrier (G12.8-G12.10)

static void seat_two(struct client *a, struct client *b)
{
    struct env *env = client_host("liars_dice");
    client_open(a, env, "t");
    client_open(b, env, "t");
    client_do(a, "register_agent", "{'agent_id':'a','agent_type':'EntityBehavior','config':{'clock_mode':'training'}}");
    client_do(b, "register_agent", "{'agent_id':'b','agent_type':'EntityBehavior','config':{'clock_mode':'training'}}");
    client_do(a, "reset", "{'seed':4,'config':{'scenario':'duel'}}");
}

static void stop_two(struct client *a, struct client *b)
{
    struct env *env = a->env;
    client_close(a);
    client_close(b);
    env_destroy(env);
}

static void test_barrier(void **state)
{
    struct client a, b;
    (void)state;
    seat_two(&a, &b);
    assert_null(client_call(&a, "sim_step", "{'agent_id':'a','action':2,'ticks':3}"));
    assert_int_equal(a.code, 1); // parked
    assert_null(client_call(&a, "sim_step", "{'agent_id':'a','action':2}"));
    assert_int_equal(a.code, -32602);
    assert_string_equal(get_text(a.data, "reason"), "in_flight"); // G12.15
    assert_null(client_call(&b, "sim_step", "{'agent_id':'a','action':0}"));
    assert_int_equal(b.code, -32000);
    assert_string_equal(get_text(b.data, "reason"), "foreign");
    json_t *j = client_call(&b, "sim_step", "{'agent_id':'b','action':0}");
    assert_non_null(j); // one tick: b is served, a owes two more
    assert_int_equal(get_int(j, "tick"), 1);
    assert_null(a.late);
    json_decref(j);
    j = client_call(&b, "sim_step", "{'agent_id':'b','action':1,'ticks':2}");
    assert_int_equal(get_int(j, "tick"), 3);
    assert_non_null(a.late);
    assert_int_equal(a.late_code, 0);
    assert_int_equal(get_int(a.late, "step_id"), get_int(j, "step_id"));
    json_decref(j);
    stop_two(&a, &b);
}

static void test_deadline(void **state)
{
    struct client a, b;
    (void)state;
    seat_two(&a, &b);
    snprintf(hash_before, sizeof hash_before, "%s", hash_of(&a));
    assert_null(client_call(&a, "sim_step", "{'agent_id':'a','action':2}"));
    int64_t due = env_advance(a.env, a.now_us);
    assert_int_equal(due, a.now_us + 30000000);
    env_advance(a.env, due);
    assert_int_equal(a.late_code, -32003);
    assert_string_equal(json_string_value(json_array_get(json_object_get(a.late, "missing"), 0)), "b");
    assert_string_equal(hash_of(&a), hash_before);
    assert_null(client_call(&a, "sim_step", "{'agent_id':'a','action':2}"));
    assert_int_equal(a.code, 1);
    client_close(&b); // b leaves: a alone has committed
    assert_int_equal(a.late_code, 0);
    assert_int_equal(get_int(a.late, "tick"), 1);
    stop_two(&a, &b);
}

// G12.11: an agent with the live clock is outside the barrier. Nobody waits for it; it is answered by the next advance.
static void test_live_outside(void **state)
{
    struct client a, b, live;
    (void)state;
    seat_two(&a, &b);
    client_open(&live, a.env, "t");
    client_do(&live, "register_agent", "{'agent_id':'da','agent_type':'DialogueAgent','config':{'clock_mode':'live'}}");
    client_do(&a, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    client_do(&a, "reset", "{'seed':4,'config':{'scenario':'duel'}}");
    client_do(&b, "sim_step", "{'agent_id':'b','action':0}"); // told that its episode has ended (G10.10)
    assert_null(client_call(&a, "sim_step", "{'agent_id':'a','action':2}"));
    json_t *j = client_call(&b, "sim_step", "{'agent_id':'b','action':0}");
    assert_int_equal(get_int(j, "tick"), 1); // without a word of the live agent
    json_decref(j);
    assert_null(client_call(&live, "sim_step", "{'agent_id':'da','action':0}"));
    assert_int_equal(live.code, 1); // parked: it moves no time itself
    assert_null(client_call(&a, "sim_step", "{'agent_id':'a','action':0}"));
    assert_null(live.late);
    j = client_call(&b, "sim_step", "{'agent_id':'b','action':1}");
    assert_int_equal(get_int(j, "tick"), 2);
    assert_non_null(live.late);
    assert_int_equal(get_int(live.late, "tick"), 2);
    json_decref(j);
    client_close(&live);
    stop_two(&a, &b);
}

static void test_foreign_reset(void **state)
{
    struct client a, b;
    (void)state;
    seat_two(&a, &b);
    assert_null(client_call(&a, "reset", "{}"));
    assert_int_equal(a.code, -32001);
    assert_string_equal(get_text(a.data, "reason"), "capability");
    client_do(&a, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    assert_string_equal(a.notice, "agent_connected");
    client_do(&a, "reset", "{'seed':9}");
    json_t *j = client_call(&b, "sim_step", "{'agent_id':'b','action':0}");
    assert_true(get_bool(j, "done")); // G10.10
    assert_string_equal(get_text(j, "termination_reason"), "external");
    json_decref(j);
    assert_null(client_call(&b, "sim_step", "{'agent_id':'b','action':0}"));
    assert_int_equal(b.code, 1); // goes on in the new episode
    stop_two(&a, &b);
}

// G25-G28: what the manifest says of initial_state is what is said of a wrong value, in every game.
static void test_initial(void **state)
{
    (void)state;
    for (int g = 0; client_games[g].game; g++) {
        struct client c;
        struct text text = {.grow = heap_text_grow};
        const char *mime;
        register_me(&c, client_games[g].game->name);
        assert_true(env_read(c.conn, span_of("game://manifest"), &text, &mime));
        json_t *manifest = client_parse(text_span(&text)), *value;
        const char *key;
        json_t *rows = json_object_get(json_object_get(manifest, "agon"), "initial_state");
        assert_true(json_object_size(rows) >= 7);
        json_object_foreach(rows, key, value)
        {
            assert_null(client_call(&c, "reset", "{'config':{'initial_state':{'%s':{'moon':[]}}}}", key));
            assert_int_equal(c.code, -32602);
            assert_string_equal(get_text(c.data, "expected"), json_string_value(value));
        }
        json_decref(manifest);
        free(text.at);
        client_stop(&c);
    }
}

// G13.2: rewards are the numbers that they are, whatever their weights.
static void test_rewards(void **state)
{
    static const struct {
        const char *weight;
        double reward;
    } rows[] = {{"1", -0.2}, {"1000000000", -2e8}, {"1e-9", -2e-10}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct client c;
        client_start(&c, "liars_dice");
        client_do(&c, "register_agent",
                  "{'agent_id':'me','agent_type':'EntityBehavior','config':{'reward_shaping':{'weights':{'dice':%s}}}}",
                  rows[i].weight);
        client_do(&c, "reset", "{'config':{'scenario':'duel','initial_state':{'bots':1,'starter':1}}}");
        json_t *j = client_call(&c, "sim_step", "{'agent_id':'me','action':1}");
        double dice = get_number(json_object_get(j, "reward_components"), "dice"), reward = get_number(j, "reward");
        assert_true(dice == 0.2 || dice == -0.2);
        double share = reward / rows[i].reward;
        assert_true(dice < 0 ? share > 1 - 1e-12 && share < 1 + 1e-12 : share < -1 + 1e-12 && share > -1 - 1e-12);
        json_decref(j);
        client_stop(&c);
    }
}

// G1.3: --seats is for resets that name no scenario.
static void test_seats(void **state)
{
    struct client c;
    struct env_options o;
    (void)state;
    env_defaults(&o);
    o.games = client_games;
    o.pinned = "coup";
    o.version = "1.2.3";
    o.seats = 5;
    client_open(&c, env_create(&o), NULL);
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    static const char *const resets[] = {"{}", "{'scenario':'players_3'}"};
    for (int i = 0; i < 2; i++) {
        json_t *j = client_call(&c, "reset", "%s", resets[i]);
        assert_int_equal(json_array_size(json_object_get(json_object_get(j, "observation"), "seats")), i ? 3 : 5);
        json_decref(j);
    }
    client_stop(&c);
}

// G1.6, G14.4: tables that have had no episode differ in the next one; messages stay at their table (G16.1).
static void test_tables_apart(void **state)
{
    struct client c;
    struct env_options o;
    char text[2][80];
    (void)state;
    env_defaults(&o);
    o.games = client_games;
    o.pinned = "liars_dice";
    o.version = "1.2.3";
    o.tables = 3;
    client_open(&c, env_create(&o), NULL);
    for (int k = 0; k < 3; k++)
        client_do(&c, "register_agent", "{'agent_id':'a%d','agent_type':'EntityBehavior','config':{'table':%d}}", k, k);
    client_do(&c, "reset", "{'agent_id':'a0','seed':1}");
    for (int k = 1; k < 3; k++) {
        json_t *j = client_call(&c, "reset", "{'agent_id':'a%d'}", k);
        snprintf(text[k - 1], sizeof text[0], "%s", get_text(j, "state_hash"));
        json_decref(j);
    }
    assert_string_not_equal(text[0], text[1]);
    assert_null(client_call(&c, "send_message", "{'from_agent':'a0','to_agent':'a1','content':{}}"));
    assert_int_equal(c.code, -32000);
    client_stop(&c);
}

// G21.1: names are the clients' to invent, so that there is an end to them; a table that was left makes room.
static void test_table_limit(void **state)
{
    enum { MOST = 1024 };
    static struct env_conn *seated[MOST];
    struct env *env = client_host("liars_dice");
    struct env_result refused;
    char name[16];
    (void)state;
    for (int i = 0; i < MOST; i++) {
        snprintf(name, sizeof name, "t%d", i);
        assert_non_null(seated[i] = env_connect(env, &client_hooks, NULL, name, NULL, &refused));
    }
    assert_null(env_connect(env, &client_hooks, NULL, "more", NULL, &refused));
    assert_int_equal(refused.code, -32004);
    env_disconnect(seated[7], 1);
    assert_non_null(seated[7] = env_connect(env, &client_hooks, NULL, "more", NULL, &refused));
    for (int i = 0; i < MOST; i++)
        env_disconnect(seated[i], 2);
    env_destroy(env);
}

// --- batches (G15)

static void test_batches(void **state)
{
    struct client c;
    (void)state;
    register_me(&c, "liars_dice");
    client_do(&c, "register_agent", "{'agent_id':'b','agent_type':'EntityBehavior'}");
    client_do(&c, "reset", "{'seed':3,'config':{'scenario':'duel'}}");
    json_t *j = client_call(&c, "batch_step", "{'steps':[{'agent_id':'b','action':0},{'agent_id':'me','action':2}]}");
    json_t *results = json_object_get(j, "results");
    assert_int_equal(json_array_size(results), 2);
    assert_string_equal(get_text(json_array_get(results, 0), "agent_id"), "b");
    assert_int_equal(get_int(json_array_get(results, 0), "step_id"), get_int(json_array_get(results, 1), "step_id"));
    assert_string_equal(get_text(j, "state_hash"), hash_of(&c));
    json_decref(j);
    j = client_call(&c, "batch_step",
                    "{'sync_mode':'sequential','order':['b','me'],'steps':[{'agent_id':'me','action':4},{'agent_id':'b'"
                    ",'action':3}]}");
    results = json_object_get(j, "results");
    assert_string_equal(get_text(json_array_get(results, 0), "agent_id"), "b");
    assert_int_equal(get_int(json_array_get(results, 0), "tick") + 1, get_int(json_array_get(results, 1), "tick"));
    json_decref(j);
    j = client_call(&c, "batch_step",
                    "{'sync_mode':'async','steps':[{'agent_id':'me','action':9},{'agent_id':'b','action':5}]}");
    results = json_object_get(j, "results");
    assert_int_equal(get_int(json_object_get(json_array_get(results, 0), "error"), "code"), -32001);
    assert_non_null(json_object_get(json_array_get(results, 1), "observation"));
    json_decref(j);
    client_stop(&c);
}

// G15.3: an agent that is not there is the matter of its own step.
static void test_strangers(void **state)
{
    static const struct {
        const char *call;
        const char *answers[5]; // agent ids in order; in capitals those that are refused
    } cases[] = {
        {"{'sync_mode':'async','steps':[{'agent_id':'X','action':0},{'agent_id':'Y','action':0},{'agent_id':'b','"
         "action'"
         ":0},{'agent_id':'me','action':0},{'agent_id':'Z','action':0}]}",
         {"X", "Y", "b", "me", "Z"}},
        {"{'sync_mode':'sequential','steps':[{'agent_id':'me','action':0},{'agent_id':'X','action':0},{'agent_id':'b',"
         "'action':0}]}",
         {"me", "X", "b"}},
        {"{'sync_mode':'sequential','order':['b','X','me'],'steps':[{'agent_id':'me','action':0},{'agent_id':'X',"
         "'action':0},{'agent_id':'b','action':0}]}",
         {"b", "X", "me"}},
    };
    struct client c;
    (void)state;
    register_me(&c, "liars_dice");
    client_do(&c, "register_agent", "{'agent_id':'b','agent_type':'EntityBehavior'}");
    client_do(&c, "reset", "{'seed':3,'config':{'scenario':'duel'}}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *j = client_call(&c, "batch_step", "%s", cases[i].call);
        assert_non_null(j);
        json_t *results = json_object_get(j, "results");
        for (size_t k = 0; k < json_array_size(results); k++) {
            json_t *one = json_array_get(results, k), *error = json_object_get(one, "error");
            assert_string_equal(get_text(one, "agent_id"), cases[i].answers[k]);
            assert_int_equal(error != NULL, cases[i].answers[k][0] <= 'Z');
            if (error)
                assert_int_equal(get_int(error, "code"), -32000);
        }
        assert_true(json_array_size(results) == 5 || !cases[i].answers[json_array_size(results)]);
        json_decref(j);
    }
    client_stop(&c);
}

// G1.3: a reset that names no scenario has the game's, whatever was played before.
static void test_scenario(void **state)
{
    struct client c;
    (void)state;
    register_me(&c, "liars_dice");
    for (int i = 0; i < 2; i++) {
        client_do(&c, "reset", "{'seed':3,'config':{'scenario':'party'}}");
        json_t *j = client_call(&c, "reset", "{'seed':3}");
        assert_string_equal(get_text(j, "scenario"), "standard");
        if (i == 0)
            snprintf(hash_before, sizeof hash_before, "%s", hash_of(&c));
        assert_string_equal(hash_of(&c), hash_before);
        json_decref(j);
    }
    client_stop(&c);
}

// --- messages (G16)

static void test_messages(void **state)
{
    struct client c;
    (void)state;
    register_me(&c, "coup");
    client_do(&c, "register_agent", "{'agent_id':'b','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'d','agent_type':'GameMaster'}");
    client_do(&c, "reset", "{'seed':3}");
    client_do(&c, "send_message", "{'from_agent':'me','to_agent':'b','content':{'text':'psst'}}");
    json_t *j = client_call(&c, "batch_step", "{'steps':[{'agent_id':'b','action':0},{'agent_id':'d','action':0}]}");
    for (int who = 0; who < 2; who++) {
        size_t i;
        int found = 0;
        json_t *e;
        json_array_foreach(json_object_get(json_array_get(json_object_get(j, "results"), (size_t)who), "events"), i, e)
            found += strcmp(get_text(e, "type"), "message") == 0;
        assert_int_equal(found, who == 0);
    }
    json_decref(j);
    for (int i = 0; i < 19; i++)
        client_do(&c, "send_message", "{'from_agent':'me','content':{}}");
    assert_null(client_call(&c, "send_message", "{'from_agent':'me','content':{}}"));
    assert_int_equal(c.code, -32004);
    client_stop(&c);
}

// --- hashes and secrecy (G17, G21.3)

static void test_hashes(void **state)
{
    struct client c;
    (void)state;
    register_me(&c, "liars_dice");
    client_do(&c, "reset", "{'seed':1}");
    assert_string_equal(hash_of(&c), "sha256:35cf1e626a80790a6f41ea11b1f587eff283d29d308ee536a9c7419f9cf45201");
    json_t *a = client_call(&c, "get_state_hash", "{'include_rng':false}");
    assert_null(json_object_get(json_object_get(a, "components"), "rng"));
    assert_string_not_equal(get_text(a, "hash"), hash_of(&c));
    json_decref(a);
    client_stop(&c);
}

// Two deals that differ in what the agent cannot see: its observation and hash are the same, the table's is not.
static const struct {
    const char *game, *one, *other;
} hidden[] = {
    {"liars_dice", "'dice':[[1,2,3,4,5],[1,1,1,1,1],[2,2,2,2,2],[3,3,3,3,3]]",
     "'dice':[[1,2,3,4,5],[6,6,6,6,6],[1,2,1,2,1],[4,4,4,4,4]]"},
    {"coup", "'hands':[['Duke','Captain'],['Assassin','Assassin'],['Contessa','Duke'],null]",
     "'hands':[['Duke','Captain'],['Contessa','Ambassador'],['Captain','Captain'],null]"},
};

static void test_secrets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        json_t *answers[2], *agent[2];
        char all[2][80];
        for (int k = 0; k < 2; k++) {
            struct client c;
            register_me(&c, hidden[i].game);
            client_do(&c, "reset", "{'seed':1,'config':{'initial_state':{'bots':1,%s}}}",
                      k ? hidden[i].other : hidden[i].one);
            answers[k] = client_call(&c, "observe", "{'agent_id':'me'}");
            agent[k] = client_call(&c, "get_state_hash", "{'agent_id':'me'}");
            json_object_del(answers[k], "state_hash");
            snprintf(all[k], sizeof all[k], "%s", hash_of(&c));
            client_stop(&c);
        }
        assert_true(json_equal(answers[0], answers[1]));
        assert_true(json_equal(agent[0], agent[1]));
        assert_string_not_equal(all[0], all[1]);
        for (int k = 0; k < 2; k++)
            json_decref(answers[k]), json_decref(agent[k]);
    }
}

// --- profiles

static void test_profiles(void **state)
{
    (void)state;
    for (int g = 0; client_games[g].game; g++) {
        struct client c;
        client_start(&c, client_games[g].game->name);
        client_do(
            &c, "register_agent",
            "{'agent_id':'me','agent_type':'EntityBehavior','config':{'observation_profile':'vector','legal':'mask'}}");
        client_do(&c, "reset", "{'seed':2}");
        json_t *j = client_call(&c, "observe", "{'agent_id':'me'}"), *o = json_object_get(j, "observation");
        assert_int_equal(json_object_size(o), 4);
        assert_int_equal(json_array_size(json_object_get(o, "vector")), client_games[g].game->vector_size);
        assert_int_equal(strlen(get_text(o, "legal_mask")), client_games[g].game->flat_size);
        assert_null(json_object_get(j, "available_actions"));
        json_decref(j);
        client_stop(&c);
        client_start(&c, client_games[g].game->name);
        client_do(&c, "register_agent",
                  "{'agent_id':'me','agent_type':'EntityBehavior','config':{'observation_keys':['turn','phase'],'guide'"
                  ":false,"
                  "'state_hash':false,'legal':'none'}}");
        client_do(&c, "reset", "{'seed':2}");
        j = client_call(&c, "observe", "{'agent_id':'me'}");
        assert_int_equal(json_object_size(json_object_get(j, "observation")), 2);
        assert_null(json_object_get(j, "state_hash"));
        json_decref(j);
        client_stop(&c);
    }
}

// G22.8, C53: a set bit is accepted, any other refused, on states of a played episode.
static void test_masks(void **state)
{
    (void)state;
    for (int g = 0; client_games[g].game; g++) {
        int n = (int)client_games[g].game->flat_size;
        for (int depth = 0; depth < 6; depth++)
            for (int i = 1; i < n; i += depth ? 7 : 1) {
                struct client c;
                register_me(&c, client_games[g].game->name);
                json_t *j = client_call(&c, "reset", "{'seed':%d}", depth);
                char mask[256] = "";
                for (int k = 0; k <= depth; k++) {
                    snprintf(mask, sizeof mask, "%s", get_text(json_object_get(j, "observation"), "legal_mask"));
                    if (k == depth || get_bool(j, "done"))
                        break;
                    json_decref(j);
                    j = client_call(&c, "sim_step", "{'agent_id':'me','action':%d}", (int)(strrchr(mask, '1') - mask));
                    assert_non_null(j);
                }
                json_decref(j);
                if (!strchr(mask + 1, '1')) { // over, or out of it
                    client_stop(&c);
                    continue;
                }
                j = client_call(&c, "sim_step", "{'agent_id':'me','action':%d}", i);
                if ((mask[i] == '1') != (j != NULL))
                    fail_msg("%s %d: %s", client_games[g].game->name, i, client_why(&c));
                json_decref(j);
                client_stop(&c);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_lifecycle),   cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_limit),         cmocka_unit_test(test_barrier),     cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_foreign_reset), cmocka_unit_test(test_batches),     cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_scenario),      cmocka_unit_test(test_messages),    cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_secrets),       cmocka_unit_test(test_profiles),    cmocka_unit_test(test_masks),
        cmocka_unit_test(test_initial),       cmocka_unit_test(test_rewards),     cmocka_unit_test(test_seats),
        cmocka_unit_test(test_tables_apart),  cmocka_unit_test(test_table_limit), cmocka_unit_test(test_live_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

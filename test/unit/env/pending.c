// Calls that wait, and what may happen to them meanwhile: restarts, sequences, deadlines, several tables.
#include "client.h"

static void seat(struct client *c, const char *id, const char *type, const char *clock)
{
    client_do(c, "register_agent", "{'agent_id':'%s','agent_type':'%s','config':{'clock_mode':'%s','guide':false}}", id,
              type, clock);
}

// Two connections at one table, each with a player of its own who waits for the other (G12.8).
static void seat_two(struct client *a, struct client *b)
{
    struct env *env = client_host("liars_dice");
    client_open(a, env, "t");
    client_open(b, env, "t");
    seat(a, "a", "EntityBehavior", "training");
    seat(b, "b", "EntityBehavior", "training");
}

static void stop_two(struct client *a, struct client *b)
{
    struct env *env = a->env;
    client_close(a);
    client_close(b);
    env_destroy(env);
}

static void tick(struct client *c)
{
    env_advance(c->env, c->now_us += 100000);
}

static size_t bids_in(const json_t *step)
{
    return json_array_size(json_object_get(json_object_get(step, "observation"), "bids"));
}

static json_t *result_at(const json_t *batch, size_t i)
{
    return json_array_get(json_object_get(batch, "results"), i);
}

// G23.2, G10.10: a restart that was itself parked ends the episode under it, and under all that wait beside it.
static void test_live_restart(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "liars_dice");
    seat(&c, "me", "EntityBehavior", "live");
    seat(&c, "gm", "GameMaster", "live");
    client_do(&c, "reset", "{'seed':4}");
    assert_null(client_call(&c, "sim_step", "{'agent_id':'me','action':0,'ticks':100}"));
    assert_null(client_call(&c, "sim_step", "{'agent_id':'gm','action':{'type':'restart','seed':5},'ticks':3}"));
    assert_null(client_call(&c, "sim_step", "{'agent_id':'gm','action':{'type':'observe_global'}}"));
    tick(&c);
    assert_int_equal(c.late_code, 0);
    assert_int_equal(c.late_call, c.calls);
    json_t *j = client_call(&c, "observe", "{'agent_id':'me'}");
    assert_non_null(j);
    assert_false(get_bool(j, "done"));
    assert_int_equal(get_int(j, "tick"), 0); // as with the training clock, so that a recording of it plays again
    json_decref(j);
    client_stop(&c);
}

// The same behind a barrier: the master's call waits for the other connection, whose step comes after it.
static void test_barrier_restart(void **state)
{
    struct client a, b;
    (void)state;
    seat_two(&a, &b);
    seat(&a, "gm", "GameMaster", "training");
    client_do(&a, "reset", "{'config':{'scenario':'duel'}}");
    assert_null(client_call(&a, "sim_step", "{'agent_id':'gm','action':{'type':'restart'},'ticks':9}"));
    assert_int_equal(a.code, 1);
    json_t *j = client_call(&b, "sim_step", "{'agent_id':'b','action':0,'ticks':2}");
    assert_non_null(j);
    json_decref(j);
    assert_int_equal(a.late_code, 0);
    assert_string_equal(get_text(a.late, "agent_id"), "gm");
    assert_int_equal(get_int(a.late, "tick"), 0);
    stop_two(&a, &b);
}

// G9.3: what was accepted for one episode is not played in the next.
static void test_restart_drops(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "liars_dice");
    seat(&c, "me", "EntityBehavior", "training");
    seat(&c, "gm", "GameMaster", "training");
    client_do(&c, "reset", "{'seed':4}");
    client_do(&c, "batch_step",
              "{'steps':[{'agent_id':'me','action':{'type':'bid','quantity':1,'face':2}},"
              "{'agent_id':'gm','action':{'type':'restart','seed':4}}]}");
    json_t *j = client_call(&c, "observe", "{'agent_id':'me'}");
    assert_int_equal(bids_in(j), 0);
    json_decref(j);
    client_stop(&c);
}

// G15.3: with the live clock each step of a sequence takes a boundary of its own.
static void test_live_sequence(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "liars_dice");
    seat(&c, "me", "EntityBehavior", "live");
    seat(&c, "you", "EntityBehavior", "live");
    client_do(&c, "reset", "{'seed':4}");
    assert_null(client_call(&c, "batch_step",
                            "{'sync_mode':'sequential','steps':[{'agent_id':'me','action':{'type':'bid','quantity':30,"
                            "'face':6}},{'agent_id':'me','action':2},"
                            "{'agent_id':'you','action':1000},{'agent_id':'you','action':{'type':'bid','params':"
                            "{'quantity':2},'face':2}}]}"));
    assert_int_equal(c.code, 1);
    tick(&c);
    assert_null(c.late);
    tick(&c);
    assert_non_null(c.late);
    for (size_t i = 0; i < 3; i += 2)
        assert_int_equal(get_int(json_object_get(result_at(c.late, i), "error"), "code"), -32001);
    assert_int_equal(bids_in(result_at(c.late, 1)), 1);
    assert_int_equal(bids_in(result_at(c.late, 3)), 2);
    assert_int_equal(get_int(result_at(c.late, 3), "tick"), 2);
    client_stop(&c);
}

// G15.3, G12.8: behind a barrier each step of a sequence awaits the others' next commit.
static void test_barrier_sequence(void **state)
{
    struct client a, b;
    (void)state;
    seat_two(&a, &b);
    seat(&a, "gm", "GameMaster", "training");
    client_do(&a, "reset", "{'config':{'scenario':'duel','initial_state':{'starter':0}}}");
    static const char steps[] = "{'sync_mode':'sequential','steps':[{'agent_id':'a','action':2},{'agent_id':'gm',"
                                "'action':{'type':'set_time','hour':3,'minute':0}},{'agent_id':'a','action':0}]}";
    assert_null(client_call(&a, "batch_step", "%s", steps));
    for (int i = 1; i <= 3; i++) {
        assert_null(a.late);
        json_t *j = client_call(&b, "sim_step", "{'agent_id':'b','action':0}");
        assert_int_equal(get_int(j, "tick"), i);
        json_decref(j);
    }
    assert_non_null(a.late);
    for (int i = 0; i < 3; i++)
        assert_int_equal(get_int(result_at(a.late, (size_t)i), "tick"), i + 1);
    assert_int_equal(bids_in(result_at(a.late, 0)), 1);
    stop_two(&a, &b);
}

// G12.10: at the deadline a sequence tells what has happened, and refuses the rest.
static void test_late_sequence(void **state)
{
    struct client a, b;
    (void)state;
    seat_two(&a, &b);
    client_do(&a, "reset", "{'config':{'scenario':'duel','initial_state':{'starter':0}}}");
    assert_null(client_call(&a, "batch_step",
                            "{'sync_mode':'sequential','steps':[{'agent_id':'a','action':2},"
                            "{'agent_id':'a','action':0}]}"));
    client_do(&b, "sim_step", "{'agent_id':'b','action':0}");
    env_advance(a.env, b.now_us + 30000000);
    assert_int_equal(a.late_code, 0);
    assert_int_equal(bids_in(result_at(a.late, 0)), 1);
    const json_t *error = json_object_get(result_at(a.late, 1), "error");
    assert_int_equal(get_int(error, "code"), -32003);
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(json_object_get(error, "data"), "missing"), 0)), "b");
    stop_two(&a, &b);
}

// G12.9, G12.10: a call that is served in part has its time from there on, and is told what is left.
static void test_late_rest(void **state)
{
    struct client a, b;
    (void)state;
    seat_two(&a, &b);
    client_do(&a, "reset", "{'config':{'scenario':'duel'}}");
    assert_null(client_call(&a, "sim_step", "{'agent_id':'a','action':0,'ticks':5}"));
    b.now_us += 20000000;
    client_do(&b, "sim_step", "{'agent_id':'b','action':0,'ticks':2}");
    env_advance(a.env, a.now_us + 30000000);
    assert_null(a.late);
    env_advance(a.env, b.now_us + 30000000);
    assert_int_equal(a.late_code, -32003);
    assert_non_null(strstr(get_text(a.late, "message"), "last 3 ticks"));
    stop_two(&a, &b);
}

// G1.6: tables with clocks of their own do not advance together; a sequence goes from one to the other.
static void test_live_tables(void **state)
{
    struct client c;
    struct env_options o;
    (void)state;
    env_defaults(&o);
    o.games = client_games;
    o.pinned = "liars_dice";
    o.version = "1.2.3";
    o.tables = 2;
    client_open(&c, env_create(&o), NULL);
    for (int k = 0; k < 2; k++)
        client_do(&c, "register_agent",
                  "{'agent_id':'a%d','agent_type':'EntityBehavior','config':{'table':%d,'clock_mode':'%s'}}", k, k,
                  k ? "training" : "live");
    client_do(&c, "reset", "{'seed':1}");
    static const char steps[] = "'steps':[{'agent_id':'a0','action':2},{'agent_id':'a1','action':3}]";
    assert_null(client_call(&c, "batch_step", "{%s}", steps));
    assert_int_equal(c.code, -32602);
    assert_string_equal(get_text(c.data, "reason"), "clock");
    assert_null(client_call(&c, "batch_step", "{'sync_mode':'sequential',%s}", steps));
    assert_int_equal(c.code, 1);
    tick(&c);
    assert_non_null(c.late);
    assert_int_equal(bids_in(result_at(c.late, 0)), 1);
    assert_true(bids_in(result_at(c.late, 1)) >= 1);
    client_stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_restart),     cmocka_unit_test(test_barrier_restart),
        cmocka_unit_test(test_restart_drops),    cmocka_unit_test(test_live_sequence),
        cmocka_unit_test(test_barrier_sequence), cmocka_unit_test(test_late_sequence),
        cmocka_unit_test(test_late_rest),        cmocka_unit_test(test_live_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Overseers, talkers, managers; the live clock; numbered tables; resets with options; resources.
#include "client.h"

static const char *hash_of(struct client *c)
{
    static char hash[80];
    json_t *j = client_call(c, "get_state_hash", "{}");
    snprintf(hash, sizeof hash, "%s", get_text(j, "hash"));
    json_decref(j);
    return hash;
}

static int count_events(const json_t *step, const char *type)
{
    size_t i;
    int n = 0;
    json_t *e;
    json_array_foreach(json_object_get(step, "events"), i, e) n += strcmp(get_text(e, "type"), type) == 0;
    return n;
}

static void test_master(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "coup");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    client_do(&c, "reset", "{'seed':1}");
    json_t *j = client_call(&c, "sim_step", "{'agent_id':'gm','action':{'type':'pause'}}");
    assert_true(get_bool(json_object_get(j, "observation"), "paused"));
    assert_int_equal(get_int(j, "tick"), 0);
    json_decref(j);
    j = client_call(&c, "sim_step", "{'agent_id':'me','action':0}"); // G12.14
    assert_int_equal(count_events(j, "paused"), 1);
    assert_int_equal(get_int(j, "tick"), 0);
    json_decref(j);
    assert_null(client_call(&c, "sim_step", "{'agent_id':'me','action':1}"));
    assert_string_equal(get_text(c.data, "reason"), "paused");
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'resume'}}");
    client_do(&c, "sim_step",
              "{'agent_id':'gm','action':{'type':'send_narrative','params':{'target':'seat_0','message':'psst'}}}");
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'trigger_event','event_type':'storm'}}");
    j = client_call(&c, "sim_step", "{'agent_id':'me','action':0}");
    assert_int_equal(count_events(j, "narrative"), 1);
    assert_int_equal(count_events(j, "gm_event"), 1);
    json_decref(j);
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'kill_entity','entity_id':'seat_0'}}");
    j = client_call(&c, "sim_step", "{'agent_id':'me','action':0}"); // a notice: it was asked, so it is gone
    assert_true(get_bool(j, "done"));
    assert_string_equal(get_text(j, "termination_reason"), "external");
    json_decref(j);
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'restart','seed':7}}");
    j = client_call(&c, "sim_step", "{'agent_id':'me','action':0}");
    assert_false(get_bool(j, "done")); // it had been told of its end
    json_decref(j);
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'replace_seat','seat':'seat_0','level':0}}");
    j = client_call(&c, "sim_step", "{'agent_id':'me','action':0}");
    assert_string_equal(get_text(j, "termination_reason"), "external");
    json_decref(j);
    j = client_call(&c, "reset", "{'agent_id':'me','scope':'agent'}"); // G14.5
    assert_non_null(j);
    json_decref(j);
    client_stop(&c);
}

// Looking, talking and announcing leave the course as it is (C65).
static void test_onlookers(void **state)
{
    char last[2][80];
    (void)state;
    for (int with = 0; with < 2; with++) {
        struct client c;
        client_start(&c, "texas_holdem");
        client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
        client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
        client_do(&c, "register_agent", "{'agent_id':'da','agent_type':'DialogueAgent'}");
        client_do(&c, "reset", "{'seed':6}");
        for (int i = 0; i < 20; i++) {
            const char *other = with ? "{'type':'trigger_event','event_type':'x'}" : "0";
            const char *talk = with ? "{'type':'emote','emote':'laugh'}" : "0";
            json_t *j = client_call(&c, "observe", "{'agent_id':'me'}");
            const char *mask = get_text(json_object_get(j, "observation"), "legal_mask");
            int index = (int)(strchr(mask, '1') - mask);
            json_decref(j);
            j = client_call(
                &c, "batch_step",
                "{'steps':[{'agent_id':'me','action':%d},{'agent_id':'gm','action':%s},{'agent_id':'da','action':%s}]}",
                index, other, talk);
            if (!j && c.code == -32002)
                break;
            if (!j)
                fail_msg("%s", client_why(&c));
            json_decref(j);
        }
        snprintf(last[with], sizeof last[with], "%s", hash_of(&c));
        client_stop(&c);
    }
    assert_string_equal(last[0], last[1]);
}

static void test_world(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "tetris");
    client_do(&c, "register_agent", "{'agent_id':'w','agent_type':'WorldSimulation'}");
    client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    client_do(&c, "reset", "{'seed':6}");
    json_t *j = client_call(&c, "sim_step", "{'agent_id':'w','action':[2.5,3]}");
    assert_true(get_number(json_object_get(json_object_get(j, "observation"), "parameters"), "gravity") == 2.5);
    json_decref(j);
    assert_null(client_call(&c, "sim_step", "{'agent_id':'w','action':[2.5,30]}"));
    assert_string_equal(get_text(c.data, "reason"), "out_of_range");
    assert_null(client_call(&c, "sim_step", "{'agent_id':'w','action':[2.5]}"));
    assert_int_equal(c.code, -32602);
    client_do(&c, "sim_step", "{'agent_id':'w','action':{'type':'add_garbage','rows':2}}");
    j = client_call(&c, "sim_step",
                    "{'agent_id':'gm','action':{'type':'set_level','level':5},'ticks':200}"); // a house bot plays
    assert_int_equal(get_int(json_object_get(json_object_get(j, "observation"), "world_state"), "level"), 5);
    assert_true(get_int(json_object_get(json_object_get(j, "observation"), "world_state"), "piece_id") > 3);
    assert_true(count_events(j, "garbage") >= 1);
    json_decref(j);
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'teleport','entity_id':'player','location':[3,2,0]}}");
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'spawn_entity','entity_type':'piece','kind':'I'}}");
    client_stop(&c);
}

// The fighter at this seat, as the director sees it; NULL: an agent sits there.
static const json_t *fighter(const json_t *step, const char *seat)
{
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(json_object_get(step, "observation"), "fighters"), i,
                       f) if (strcmp(get_text(f, "seat"), seat) == 0) return f;
    return NULL;
}

// G23.5: the director tunes house bots, all or one, and no agent.
static void test_director(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "coup");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'cd','agent_type':'CombatDirector'}");
    client_do(&c, "reset", "{'seed':1}");
    json_t *j = client_call(&c, "sim_step", "{'agent_id':'cd','action':{'type':'adjust_difficulty','level':0}}");
    assert_null(fighter(j, "seat_0"));
    assert_int_equal(get_int(fighter(j, "seat_1"), "level"), 0);
    assert_int_equal(get_int(fighter(j, "seat_3"), "level"), 0);
    assert_true(get_number(fighter(j, "seat_1"), "aggro") == 0.5);
    json_decref(j);
    j = client_call(&c, "sim_step", "{'agent_id':'cd','action':{'type':'set_aggro','value':0.75,'seat':'seat_2'}}");
    assert_true(get_number(fighter(j, "seat_1"), "aggro") == 0.5);
    assert_true(get_number(fighter(j, "seat_2"), "aggro") == 0.75);
    json_decref(j);
    assert_null(client_call(&c, "sim_step",
                            "{'agent_id':'cd','action':{'type':'adjust_difficulty','level':3,'seat':'seat_0'}}"));
    assert_string_equal(get_text(c.data, "reason"), "illegal_now");
    client_stop(&c);
}

// G11.6: observe_global is a wait that shows what observe shows.
static void test_global_look(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "coup");
    client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    client_do(&c, "reset", "{'seed':1}");
    json_t *step = client_call(&c, "sim_step", "{'agent_id':'gm','action':{'type':'observe_global'}}");
    json_t *look = client_call(&c, "observe", "{'agent_id':'gm'}");
    assert_int_equal(get_int(step, "tick"), 1);
    assert_true(json_equal(json_object_get(step, "observation"), json_object_get(look, "observation")));
    assert_non_null(json_object_get(json_object_get(step, "observation"), "all_entities"));
    json_decref(step);
    json_decref(look);
    client_stop(&c);
}

// G22.9: seats stand around the table.
static void test_positions(void **state)
{
    static const double expected[4][3] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    struct client c;
    (void)state;
    client_start(&c, "belote");
    for (int seat = 0; seat < 4; seat++) {
        json_t *j = client_call(&c, "register_agent",
                                "{'agent_id':'a%d','agent_type':'EntityBehavior','config':{'avatar_id':'seat_%d'}}",
                                seat, seat);
        json_t *avatar = json_object_get(j, "avatar"), *position = json_object_get(avatar, "position");
        for (size_t i = 0; i < 3; i++)
            assert_true(json_number_value(json_array_get(position, i)) == expected[seat][i]);
        assert_int_equal(get_int(avatar, "health"), 1); // G28.3
        json_decref(j);
    }
    client_stop(&c);
}

// A partnership played by one manager to the end of a deal (G23.7).
static void test_manager(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "belote");
    client_do(&c, "register_agent", "{'agent_id':'cm','agent_type':'ColonyManager','config':{'team':2}}");
    assert_null(client_call(&c, "register_agent",
                            "{'agent_id':'x','agent_type':'EntityBehavior','config':{'avatar_id':'seat_1'}}"));
    assert_string_equal(get_text(c.data, "reason"), "taken");
    json_t *j = client_call(&c, "reset", "{'seed':2,'config':{'scenario':'single_deal'}}");
    bool done = false;
    int tasks = 0;
    for (int i = 0; i < 200 && !done; i++) {
        json_t *o = json_object_get(j, "observation"), *task = json_array_get(json_object_get(o, "tasks"), 0);
        assert_int_equal(json_object_size(json_object_get(o, "hands")), 2);
        char *action = json_dumps(task, 0);
        json_t *next =
            task ? client_call(&c, "sim_step",
                               "{'agent_id':'cm','action':{'type':'assign_task','params':{'seat':'%s','action':%s}}}",
                               json_string_value(json_array_get(json_object_get(o, "to_act"), 0)), action)
                 : client_call(&c, "sim_step", "{'agent_id':'cm','action':0}");
        if (!next)
            fail_msg("%s", client_why(&c));
        tasks += task != NULL;
        free(action);
        json_decref(j);
        j = next;
        done = get_bool(j, "done");
    }
    assert_true(done);
    assert_true(tasks >= 16);
    json_decref(j);
    client_stop(&c);
}

// --- secrets in shared sessions

static void test_shared(void **state)
{
    struct env *env = client_host("belote");
    struct client a, b;
    (void)state;
    client_open(&a, env, "t");
    client_open(&b, env, "t");
    client_do(&a, "register_agent",
              "{'agent_id':'a','agent_type':'EntityBehavior','config':{'avatar_id':'seat_0','clock_mode':'training'}}");
    assert_null(client_call(&a, "register_agent",
                            "{'agent_id':'x','agent_type':'EntityBehavior','config':{'avatar_id':'seat_1'}}"));
    assert_string_equal(get_text(a.data, "reason"), "side"); // G10.5
    client_do(&a, "register_agent",
              "{'agent_id':'p','agent_type':'EntityBehavior','config':{'avatar_id':'seat_2','clock_mode':'training'}}");
    json_t *j = client_call(&b, "register_agent",
                            "{'agent_id':'gm','agent_type':'GameMaster','config':{'clock_mode':'training'}}");
    char *granted = json_dumps(json_object_get(j, "capabilities"), 0);
    assert_null(strstr(granted, "debug")); // G11.7
    free(granted);
    json_decref(j);
    j = client_call(&b, "reset", "{}");
    assert_null(json_object_get(j, "seed"));
    assert_memory_equal(get_text(j, "seed_commitment"), "sha256:", 7);
    json_decref(j);
    assert_null(client_call(&a, "send_message", "{'from_agent':'a','content':{}}")); // G16.3
    assert_string_equal(get_text(a.data, "reason"), "talk");
    const char *mime;
    static char room[1 << 16];
    struct text t = text_on(room, sizeof room);
    assert_false(env_read(b.conn, span_of("game://agents/a/observation"), &t, &mime)); // G5.6
    assert_true(env_read(b.conn, span_of("game://agents/a"), &t, &mime));
    client_close(&a);
    client_close(&b);
    env_destroy(env);
}

// G1.7: config.table moves a connection without agents; a refused registration leaves it where it was.
static void test_moves(void **state)
{
    struct env_options o;
    struct client a, b;
    (void)state;
    env_defaults(&o);
    o.games = client_games;
    o.named_tables = true;
    struct env *env = env_create(&o);
    client_open(&a, env, NULL);
    client_open(&b, env, "main");
    assert_true(env_is_exclusive(a.conn));
    assert_null(
        client_call(&a, "register_agent", "{'agent_id':'a','agent_type':'DialogueAgent','config':{'table':'x'}}"));
    assert_true(env_is_exclusive(a.conn));
    client_do(&a, "register_agent", "{'agent_id':'a','agent_type':'EntityBehavior','config':{'table':'main'}}");
    assert_false(env_is_exclusive(a.conn));
    assert_null(client_call(&b, "register_agent", "{'agent_id':'b','agent_type':'EntityBehavior'}")); // one player
    assert_int_equal(b.code, -32004);
    assert_null(client_call(&a, "register_agent", "{'agent_id':'c','agent_type':'GameMaster','config':{'table':'y'}}"));
    assert_string_equal(get_text(a.data, "reason"), "elsewhere");
    client_close(&a);
    client_close(&b);
    env_destroy(env);
}

// --- the live clock (G12.4, G12.5)

static void test_live(void **state)
{
    struct env *env = client_host("liars_dice");
    struct client c;
    (void)state;
    client_open(&c, env, "t");
    json_t *j = client_call(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    assert_string_equal(get_text(j, "clock"), "live");
    json_decref(j);
    int64_t now = c.now_us, next = env_advance(env, now); // the episode has begun by itself (G12.13)
    assert_true(next > now && next <= now + 100000);
    assert_null(client_call(&c, "sim_step", "{'agent_id':'me','action':2}")); // the opening bid
    assert_int_equal(c.code, 1);
    for (int i = 0; i < 100 && !c.late; i++)
        env_advance(env, now += 100000);
    assert_non_null(c.late);
    assert_int_equal(c.late_code, 0);
    assert_null(client_call(&c, "sim_step", "{'agent_id':'me','action':0,'ticks':1000}")); // wake me at my turn
    json_decref(c.late);
    c.late = NULL;
    for (int i = 0; i < 200 && !c.late; i++)
        env_advance(env, now += 100000);
    assert_non_null(c.late);
    json_t *o = json_object_get(c.late, "observation");
    assert_true(get_bool(o, "your_turn") || get_bool(c.late, "done"));
    json_int_t left = get_int(o, "turn_ticks_left");
    assert_true(left > 1100 && left <= 1200);
    // Nobody answers: after the limit the fallback is played.
    json_int_t turn = get_int(o, "turn");
    for (int i = 0; i < 1300; i++)
        env_advance(env, now += 100000);
    c.now_us = now;
    j = client_call(&c, "observe", "{'agent_id':'me'}");
    assert_true(get_int(json_object_get(j, "observation"), "turn") != turn);
    json_decref(j);
    client_close(&c);
    env_destroy(env);
}

// --- numbered tables (G1.6)

static void test_tables(void **state)
{
    struct env_options o;
    struct client c;
    (void)state;
    env_defaults(&o);
    o.games = client_games;
    o.pinned = "liars_dice";
    o.tables = 3;
    o.metrics = false;
    client_open(&c, env_create(&o), NULL);
    for (int i = 0; i < 3; i++)
        client_do(&c, "register_agent", "{'agent_id':'a%d','agent_type':'EntityBehavior','config':{'table':%d}}", i, i);
    assert_null(
        client_call(&c, "register_agent", "{'agent_id':'x','agent_type':'EntityBehavior','config':{'table':3}}"));
    client_do(&c, "reset", "{'seed':5}");
    json_t *j = client_call(&c, "batch_step", "{'steps':[{'agent_id':'a0','action':2},{'agent_id':'a2','action':2}]}");
    json_t *results = json_object_get(j, "results");
    assert_int_equal(get_int(json_array_get(results, 0), "step_id"), 1);
    assert_int_equal(get_int(json_array_get(results, 1), "step_id"), 1);
    assert_int_equal(get_int(json_array_get(results, 1), "tick"), 1);
    json_decref(j);
    json_t *one = client_call(&c, "get_state_hash", "{'table':1}");
    assert_int_equal(get_int(one, "tick"), 0);
    struct client alone; // table k has the seed + k
    client_start(&alone, "liars_dice");
    client_do(&alone, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    client_do(&alone, "reset", "{'seed':6}");
    assert_string_equal(hash_of(&alone), get_text(one, "hash"));
    json_decref(one);
    client_stop(&alone);
    client_stop(&c);
}

// --- resets

static void test_random(void **state)
{
    char drawn[3][256];
    (void)state;
    for (int run = 0; run < 3; run++) {
        struct client c;
        client_start(&c, "tetris");
        client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
        json_t *j = client_call(&c, "reset",
                                "{'seed':%d,'config':{'domain_randomization':{'physics':{'gravity_multiplier':[0.5,2]},"
                                "'gameplay':{'start_level':[3,9],'garbage_rows':2},'visual':{'texture_noise':0.5}}}}",
                                run == 2 ? 9 : 8);
        if (!j)
            fail_msg("%s", client_why(&c));
        json_t *o = json_object_get(j, "observation"), *d = json_object_get(j, "domain_randomization");
        json_int_t level = get_int(json_object_get(d, "gameplay"), "start_level");
        assert_true(level >= 3 && level <= 9);
        assert_int_equal(get_int(o, "level"), level);
        assert_true(get_number(o, "gravity") == get_number(json_object_get(d, "physics"), "gravity_multiplier"));
        assert_non_null(strchr(json_string_value(json_array_get(json_object_get(o, "board"), 19)), 'G'));
        char *text = json_dumps(d, 0);
        snprintf(drawn[run], sizeof drawn[run], "%s", text);
        free(text);
        json_decref(j);
        client_stop(&c);
    }
    assert_string_equal(drawn[0], drawn[1]);
    assert_string_not_equal(drawn[0], drawn[2]);
}

// G22.3: an unpinned table goes from game to game.
static void test_switch(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, NULL);
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    for (int g = 4; g >= 0; g--) {
        json_t *j = client_call(&c, "reset", "{'scenario':'%s/%s'}", client_games[g].game->name,
                                client_games[g].game->scenarios[0]);
        assert_string_equal(get_text(json_object_get(j, "observation"), "game"), client_games[g].game->name);
        assert_non_null(json_object_get(json_object_get(j, "spaces"), "me"));
        json_decref(j);
        const char *mime;
        static char room[1 << 17];
        for (int i = 0; i < 5; i++) {
            struct text t = text_on(room, sizeof room);
            assert_true(env_read(c.conn, span_of(env_resources[i].uri), &t, &mime));
            assert_false(t.full);
            if (i < 4)
                json_decref(client_parse(text_span(&t)));
            else
                assert_true(t.size < 12288); // G6.2
        }
    }
    client_do(&c, "register_agent", "{'agent_id':'w','agent_type':'WorldSimulation'}");
    assert_null(client_call(&c, "reset", "{'scenario':'coup/players_4'}")); // coup has no such agent
    assert_int_equal(c.code, -32602);
    client_stop(&c);
}

// The end while others play on is told once, and the rewards add up (C86).
static void test_notice(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "liars_dice");
    client_do(&c, "register_agent", "{'agent_id':'a','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'b','agent_type':'EntityBehavior'}");
    client_do(&c, "reset", "{'config':{'scenario':'duel','initial_state':{'dice_counts':1,'dice':[[2],[3]]}}}");
    client_do(&c, "sim_step", "{'agent_id':'a','action':{'type':'bid','quantity':2,'face':6}}");
    json_t *j = client_call(&c, "sim_step", "{'agent_id':'b','action':{'type':'challenge'}}");
    assert_string_equal(get_text(j, "termination_reason"), "success");
    json_decref(j);
    j = client_call(&c, "sim_step", "{'agent_id':'a','action':{'type':'nonsense'}}");
    assert_string_equal(get_text(j, "termination_reason"), "failure");
    assert_true(get_number(j, "reward") == -1);
    json_decref(j);
    assert_null(client_call(&c, "sim_step", "{'agent_id':'a','action':0}"));
    assert_int_equal(c.code, -32002);
    client_stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_master),      cmocka_unit_test(test_onlookers), cmocka_unit_test(test_world),
        cmocka_unit_test(test_manager),     cmocka_unit_test(test_shared),    cmocka_unit_test(test_live),
        cmocka_unit_test(test_moves),       cmocka_unit_test(test_tables),    cmocka_unit_test(test_random),
        cmocka_unit_test(test_switch),      cmocka_unit_test(test_notice),    cmocka_unit_test(test_director),
        cmocka_unit_test(test_global_look), cmocka_unit_test(test_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

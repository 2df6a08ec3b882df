// What shared sessions broadcast (G16.5), mailboxes that overflow (G16.3), progress of live waits (G6.7).
#include "client.h"

// The first event of this type in the client's list whose details have the member, with this text if one is given.
static json_t *find(const struct client *c, const char *type, const char *member, const char *value)
{
    size_t i;
    json_t *event;
    json_array_foreach(c->events, i, event)
    {
        json_t *details = json_object_get(event, "details");
        if (strcmp(get_text(event, "event_type"), type) == 0 && json_object_get(details, member) &&
            (!value || strcmp(get_text(details, member), value) == 0))
            return details;
    }
    return NULL;
}

// A table with an overseer and, on a connection of its own, a player; both in training.
static void sit_down(struct client *master, struct client *player, const char *game)
{
    struct env *env = client_host(game);
    client_open(master, env, "t");
    client_open(player, env, "t");
    client_do(master, "register_agent",
              "{'agent_id':'gm','agent_type':'GameMaster','config':{'guide':false,'clock_mode':'training'}}");
    client_do(player, "register_agent",
              "{'agent_id':'p','agent_type':'EntityBehavior','config':{'guide':false,'clock_mode':'training'}}");
    client_do(master, "reset", "{'agent_id':'gm','seed':3}"); // the owner's right
}

static void stand_up(struct client *master, struct client *player)
{
    client_close(player);
    client_stop(master);
}

// Both commit; the player's action is the first of what it may do.
static bool advance(struct client *master, struct client *player, const char *action)
{
    assert_null(client_call(master, "sim_step", "{'agent_id':'gm','action':{'type':'wait'}}"));
    json_t *step = client_call(player, "sim_step", "{'agent_id':'p','action':%s}", action);
    if (!step)
        fail_msg("%s", client_why(player));
    bool over = get_bool(step, "done") || get_bool(step, "truncated");
    json_decref(step);
    return over;
}

static void play(struct client *master, struct client *player, int steps)
{
    for (int i = 0; i < steps; i++) {
        json_t *seen = client_call(player, "observe", "{'agent_id':'p'}");
        json_t *list = json_object_get(seen, "available_actions");
        json_t *choice = json_array_get(list, (size_t)i % json_array_size(list));
        char *action = json_dumps(choice, JSON_COMPACT);
        bool over = advance(master, player, action);
        free(action);
        json_decref(seen);
        if (over)
            return;
    }
}

// Every game has its fights, and tells who was in them and what came of it.
static void test_fights(void **state)
{
    static const struct {
        const char *game, *ended, *other, *member;
    } cases[] = {
        {"texas_holdem", "hand-1", "item_picked_up", "amount"},
        {"liars_dice", "round", "damage_dealt", "source"},
        {"coup", "challenge", "damage_dealt", "entity_id"},
        {"belote", "deal", "item_picked_up", "item"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client master, player;
        sit_down(&master, &player, cases[i].game);
        play(&master, &player, 60);
        json_t *ended = find(&master, "combat_ended", "id", cases[i].ended);
        if (!ended)
            fail_msg("%s: no end of %s", cases[i].game, cases[i].ended);
        assert_true(json_object_size(json_object_get(ended, "result")) > 0);
        assert_true(json_array_size(json_object_get(ended, "participants")) >= 2);
        assert_non_null(find(&master, "combat_started", "participants", NULL));
        if (!find(&master, cases[i].other, cases[i].member, NULL))
            fail_msg("%s: no %s", cases[i].game, cases[i].other);
        assert_int_equal(json_array_size(player.events), 0); // none of these is for players
        stand_up(&master, &player);
    }
}

static void test_seats(void **state)
{
    struct client master, player;
    (void)state;
    sit_down(&master, &player, "coup");
    json_t *agent = find(&master, "entity_spawned", "entity_id", "seat_0");
    json_t *house = find(&master, "entity_spawned", "entity_id", "seat_3");
    assert_string_equal(get_text(agent, "entity_type"), "agent");
    assert_string_equal(get_text(agent, "spawned_by"), "p");
    assert_string_equal(get_text(house, "entity_type"), "house_bot");
    assert_int_equal(json_array_size(json_object_get(house, "location")), 3);
    json_array_clear(master.events);
    client_do(&player, "deregister_agent", "{'agent_id':'p'}"); // G10.9: back to the house
    assert_string_equal(get_text(find(&master, "entity_spawned", "entity_id", "seat_0"), "entity_type"), "house_bot");
    json_array_clear(master.events);
    client_do(&master, "sim_step",
              "{'agent_id':'gm','action':{'type':'spawn_entity','entity_type':'house_bot','seat':'seat_2','level':1}}");
    assert_string_equal(get_text(find(&master, "entity_spawned", "entity_id", "seat_2"), "spawned_by"), "gm");
    stand_up(&master, &player);
}

static void test_deaths(void **state)
{
    struct client master, player;
    (void)state;
    sit_down(&master, &player, "tetris");
    client_call(&player, "sim_step", "{'agent_id':'p','action':{'type':'hard_drop'}}");
    client_do(&master, "sim_step", "{'agent_id':'gm','action':{'type':'kill_entity','params':{'entity_id':'player'}}}");
    json_t *died = find(&master, "entity_died", "entity_id", "player");
    assert_string_equal(get_text(died, "cause"), "killed");
    assert_string_equal(get_text(died, "killer"), "overseer");
    assert_int_equal(json_array_size(json_object_get(died, "location")), 3);
    stand_up(&master, &player);
}

// A garbage row is a thing and a blow at once.
static void test_garbage(void **state)
{
    struct client master, player;
    (void)state;
    sit_down(&master, &player, "tetris");
    client_call(&player, "sim_step", "{'agent_id':'p','action':{'type':'wait'}}");
    client_do(&master, "sim_step",
              "{'agent_id':'gm','action':{'type':'spawn_entity','entity_type':'garbage','rows':2}}");
    advance(&master, &player, "{'type':'hard_drop'}");
    assert_int_equal(get_int(find(&master, "damage_dealt", "source", "garbage"), "amount"), 2);
    assert_non_null(find(&master, "entity_spawned", "entity_type", "garbage"));
    stand_up(&master, &player);
}

// G16.3: of more than 256 unread messages the oldest go.
static void test_mailbox(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "coup");
    client_do(&c, "register_agent", "{'agent_id':'a','agent_type':'EntityBehavior','config':{'guide':false}}");
    client_do(&c, "register_agent", "{'agent_id':'b','agent_type':'GameMaster','config':{'guide':false}}");
    client_do(&c, "reset", "{'agent_id':'a','seed':1}");
    for (int i = 0; i < 300; i++) {
        c.now_us += 100000; // not faster than talk is allowed
        client_do(&c, "send_message", "{'from_agent':'a','to_agent':'b','content':{'n':%d}}", i);
    }
    json_t *step = client_call(&c, "sim_step", "{'agent_id':'b','action':{'type':'wait'}}");
    json_t *events = json_object_get(step, "events"), *event;
    size_t i, messages = 0;
    json_int_t first = -1, last = -1;
    json_array_foreach(events, i, event)
    {
        if (strcmp(get_text(event, "type"), "message") != 0)
            continue;
        last = get_int(json_object_get(json_object_get(event, "details"), "content"), "n");
        first = first < 0 ? last : first;
        messages++;
    }
    assert_int_equal(last, 299);
    assert_int_equal(first, 300 - (json_int_t)messages);
    assert_true(messages >= 250 && messages <= 256);
    json_decref(step);
    client_stop(&c);
}

static void test_live_progress(void **state)
{
    struct client c;
    (void)state;
    client_open(&c, client_host("coup"), "t");
    client_do(&c, "register_agent",
              "{'agent_id':'a','agent_type':'GameMaster','config':{'guide':false,'clock_mode':'live'}}");
    client_do(&c, "register_agent",
              "{'agent_id':'b','agent_type':'EntityBehavior','config':{'guide':false,'clock_mode':'live'}}");
    assert_null(client_call(&c, "sim_step", "{'agent_id':'a','action':{'type':'wait'},'ticks':20}"));
    for (int i = 0; i < 10; i++)
        env_advance(c.env, c.now_us += 100000);
    assert_true(c.progress >= 5);
    assert_null(c.late);
    int before = c.progress;
    for (int i = 0; i < 15; i++)
        env_advance(c.env, c.now_us += 100000);
    assert_non_null(c.late);
    assert_true(c.progress > before && c.progress < 20); // never with or after the answer
    client_stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fights),  cmocka_unit_test(test_seats),   cmocka_unit_test(test_deaths),
        cmocka_unit_test(test_garbage), cmocka_unit_test(test_mailbox), cmocka_unit_test(test_live_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

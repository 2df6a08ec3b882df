// A seat of the arena (G1.9), over an arena that says what the test wants and when.
#include "client.h"

#include "match/match.h"

static struct {
    struct env_place *place;
    struct match match;
    struct text log;
    uint8_t key[RNG_KEY_BYTES];
    int seat, answers, left;
    bool deaf; // the question is closed
} arena;

static struct env_player *join(void *owner, struct env_place *place, const struct env_arena_wish *w, const char **path,
                               char why[ENV_ARENA_SAY])
{
    (void)owner;
    if (w->api_key.size) {
        *path = "/config/api_key";
        snprintf(why, ENV_ARENA_SAY, "unknown api_key");
        return NULL;
    }
    assert_true(span_is(w->game, "liars_dice"));
    arena.place = place;
    return (struct env_player *)&arena;
}

static void leave(struct env_player *p)
{
    (void)p;
    arena.left++;
}

static bool answer(struct env_player *p, struct game_action a)
{
    (void)p;
    uint32_t number = liars_dice_game.turn(&arena.match.state).number;
    arena.answers++;
    return !arena.deaf && match_answer(&arena.match, arena.seat, number, a, NULL) == OK;
}

static void read_rules(void *owner, const struct game *g, void *rules)
{
    (void)owner;
    g->defaults(rules);
}

static const struct env_arena functions = {.join = join, .leave = leave, .answer = answer, .read_rules = read_rules};

static void begin(struct client *c)
{
    struct env_options o;
    static char bytes[1 << 16];
    memset(&arena, 0, sizeof arena);
    arena.log = text_on(bytes, sizeof bytes);
    struct match_setup setup = {.game = &liars_dice_game, .seats = 2};
    assert_int_equal(match_start(&arena.match, &setup, &arena.log, NULL), OK);
    arena.seat = __builtin_ctz(liars_dice_game.turn(&arena.match.state).seats);
    env_defaults(&o);
    o.games = client_games;
    o.metrics = false;
    o.arena = &functions;
    client_open(c, env_create(&o), NULL);
    client_do(c, "register_agent",
              "{'agent_id':'me','agent_type':'EntityBehavior','config':{'queue':{'game':'liars_dice'}}}");
}

static void tell(struct client *c, bool asked, bool over)
{
    struct env_arena_news n = {.log = text_span(&arena.log),
                               .key = arena.key,
                               .seat = arena.seat,
                               .asked = asked,
                               .timeout_ms = 5000,
                               .over = over};
    env_place_notify(arena.place, &n, c->now_us);
}

static void pass_time(struct client *c)
{
    c->now_us += 100000;
    env_advance(c->env, c->now_us);
}

static void end(struct client *c)
{
    client_do(c, "deregister_agent", "{'agent_id':'me'}");
    assert_int_equal(arena.left, 1);
    assert_string_equal(env_game_of(c->conn)->game->name, "tetris"); // where it was before
    client_stop(c);
}

static void step(struct client *c, const char *arguments)
{
    json_decref(c->late);
    c->late = NULL;
    assert_null(client_call(c, "sim_step", "%s", arguments));
    assert_null(c->late);
}

// What a seat does is answered when the arena says that it has happened, and not before.
static void test_answer_waits(void **state)
{
    struct client c;
    (void)state;
    begin(&c);
    assert_null(client_call(&c, "sim_step", "{'agent_id':'me','action':0}"));
    assert_int_equal(c.code, -32002);
    tell(&c, true, false);
    json_t *j = client_call(&c, "observe", "{'agent_id':'me'}");
    json_t *seen = json_object_get(j, "observation");
    assert_true(get_bool(seen, "your_turn"));
    assert_string_equal(get_text(seen, "scenario"), "arena");
    assert_int_equal(get_int(seen, "turn_ticks_left"), 49); // a call takes a millisecond here
    json_decref(j);
    step(&c, "{'agent_id':'me','action':{'type':'bid','params':{'quantity':1,'face':3}}}");
    assert_int_equal(arena.answers, 0); // G12.12: at the next boundary
    for (int i = 0; i < 5; i++)
        pass_time(&c);
    assert_int_equal(arena.answers, 1);
    assert_null(c.late);
    tell(&c, false, false);
    assert_non_null(c.late);
    assert_false(get_bool(json_object_get(c.late, "observation"), "your_turn"));
    end(&c);
}

static void test_late_answer(void **state)
{
    struct client c;
    (void)state;
    begin(&c);
    tell(&c, true, false);
    arena.deaf = true;
    step(&c, "{'agent_id':'me','action':{'type':'bid','params':{'quantity':1,'face':3}}}");
    pass_time(&c);
    assert_non_null(c.late);
    json_t *events = json_object_get(c.late, "events");
    assert_string_equal(get_text(json_array_get(events, json_array_size(events) - 1), "type"), "action_dropped");
    end(&c);
}

// A forfeit is failure; a match that is cancelled ended from outside.
static void test_ends(void **state)
{
    static const struct {
        bool drop;
        const char *reason;
    } rows[] = {{true, "failure"}, {false, "external"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct client c;
        begin(&c);
        tell(&c, true, false);
        step(&c, "{'agent_id':'me','action':0,'ticks':600}");
        pass_time(&c);
        assert_non_null(c.late); // G12.12: a question that no answer has shown
        step(&c, "{'agent_id':'me','action':0,'ticks':600}");
        pass_time(&c);
        assert_null(c.late);
        if (rows[i].drop)
            assert_int_equal(match_drop(&arena.match, arena.seat, 1, NULL), OK);
        tell(&c, false, true);
        assert_non_null(c.late);
        assert_true(get_bool(c.late, "done"));
        assert_string_equal(get_text(c.late, "termination_reason"), rows[i].reason);
        end(&c);
    }
}

static void test_refusal(void **state)
{
    struct client c;
    (void)state;
    begin(&c);
    client_do(&c, "deregister_agent", "{'agent_id':'me'}");
    assert_null(client_call(&c, "register_agent",
                            "{'agent_id':'me','agent_type':'EntityBehavior',"
                            "'config':{'queue':{'game':'liars_dice'},'api_key':'agk_no'}}"));
    assert_int_equal(c.code, -32602);
    assert_string_equal(get_text(c.data, "path"), "/config/api_key");
    assert_string_equal(get_text(c.data, "reason"), "unknown api_key");
    client_do(&c, "register_agent",
              "{'agent_id':'me','agent_type':'EntityBehavior','config':{'queue':{'game':'liars_dice'}}}");
    arena.left = 0;
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer_waits),
        cmocka_unit_test(test_late_answer),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A seat of the arena (G1.9), over an arena that says what the test wants and when.
#include "client.h"

#include "match/match.h"

static struct {
    struct env_arena_seat *place;
    struct match match;
    struct text log;
    uint8_t key[RNG_KEY_BYTES];
    int seat, answers, left;
    bool deaf; // the question is closed
    bool lost; // answers are accepted and never arrive
    struct work *work;
    struct work_waiters reads; // those who wait for its store
} arena;

static struct env_arena_player *join(void *owner, struct env_arena_seat *place, const struct env_arena_request *w,
                                     const char **path, char why[ENV_ARENA_ERROR_ROOM])
{
    (void)owner;
    if (arena.work)
        work_sleep(arena.work, &arena.reads);
    if (w->api_key.size) {
        *path = "/config/api_key";
        snprintf(why, ENV_ARENA_ERROR_ROOM, "unknown api_key");
        return NULL;
    }
    assert_true(span_is(w->game, "liars_dice"));
    arena.place = place;
    return (struct env_arena_player *)&arena;
}

static void leave(struct env_arena_player *p)
{
    (void)p;
    arena.left++;
}

static bool answer(struct env_arena_player *p, struct game_action a)
{
    (void)p;
    uint32_t number = liars_dice_game.turn(&arena.match.state).number;
    arena.answers++;
    if (arena.lost)
        return true;
    return !arena.deaf && match_answer(&arena.match, arena.seat, number, a, NULL) == OK;
}

static void read_rules(void *owner, const struct game *g, void *rules)
{
    (void)owner;
    g->defaults(rules);
}

static const struct env_arena functions = {.join = join, .leave = leave, .answer = answer, .read_rules = read_rules};

static struct env *host(struct work *w)
{
    struct env_options o;
    env_defaults(&o);
    o.games = client_games;
    o.metrics = false;
    o.arena = &functions;
    o.work = w;
    return env_create(&o);
}

static void begin(struct client *c)
{
    static char bytes[1 << 16];
    memset(&arena, 0, sizeof arena);
    arena.log = text_on(bytes, sizeof bytes);
    struct match_setup setup = {.game = &liars_dice_game, .seats = 2};
    assert_int_equal(match_start(&arena.match, &setup, &arena.log, NULL), OK);
    arena.seat = __builtin_ctz(liars_dice_game.turn(&arena.match.state).seats);
    client_open(c, host(NULL), NULL);
    client_do(c, "register_agent",
              "{'agent_id':'me','agent_type':'EntityBehavior','config':{'queue':{'game':'liars_dice'}}}");
}

static void tell(struct client *c, bool asked, bool over)
{
    struct env_arena_update n = {.log = text_span(&arena.log),
                                 .key = arena.key,
                                 .seat = arena.seat,
                                 .asked = asked,
                                 .timeout_ms = 5000,
                                 .over = over};
    env_arena_notify(arena.place, &n, c->now_us);
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

// The node of the match may go with an answer on its way: then the question comes again, and is to be answered again.
static void test_lost_answer(void **state)
{
    struct client c;
    (void)state;
    begin(&c);
    tell(&c, true, false);
    arena.lost = true;
    step(&c, "{'agent_id':'me','action':{'type':'bid','params':{'quantity':1,'face':3}}}");
    pass_time(&c);
    assert_int_equal(arena.answers, 1);
    assert_null(c.late);
    tell(&c, true, false);
    assert_non_null(c.late);
    assert_true(get_bool(json_object_get(c.late, "observation"), "your_turn"));
    arena.lost = false;
    step(&c, "{'agent_id':'me','action':{'type':'bid','params':{'quantity':1,'face':3}}}");
    pass_time(&c);
    assert_int_equal(arena.answers, 2);
    tell(&c, false, false);
    assert_non_null(c.late);
    assert_false(get_bool(json_object_get(c.late, "observation"), "your_turn"));
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

// --- an arena that waits for its store

enum { CROWD = 10 };

static struct env *begin_slow(void)
{
    memset(&arena, 0, sizeof arena);
    arena.work = work_create();
    return host(arena.work);
}

static void end_slow(struct env *env)
{
    env_destroy(env);
    assert_int_equal(work_figures(arena.work).jobs, 0);
    work_destroy(arena.work);
}

static void turn(struct env *env)
{
    work_begin_turn(arena.work);
    env_advance(env, 1000000);
    work_run_ready(arena.work);
}

// The store answers everybody who waits for it.
static void read_all(struct env *env)
{
    assert_non_null(arena.reads.first);
    work_wake(arena.work, &arena.reads);
    while (work_is_ready(arena.work))
        turn(env);
}

static void queue_up(struct client *c, const char *id, const char *key)
{
    assert_null(client_call(c, "register_agent",
                            "{'agent_id':'%s','agent_type':'EntityBehavior',"
                            "'config':{'queue':{'game':'liars_dice'}%s}}",
                            id, key));
    assert_int_equal(c->code, 1);
}

static void assert_registered(const struct client *c, const char *id)
{
    assert_non_null(c->late);
    assert_int_equal(c->late_code, 0);
    assert_string_equal(get_text(c->late, "agent_id"), id);
    assert_string_equal(env_game_of(c->conn)->game->name, "liars_dice");
}

// Everybody gets the own answer, and so does who plays beside them.
static void test_many_wait(void **state)
{
    struct client crowd[CROWD], other;
    char id[CROWD][8];
    (void)state;
    struct env *env = begin_slow();
    client_open(&other, env, NULL);
    client_do(&other, "register_agent", "{'agent_id':'other','agent_type':'EntityBehavior'}");
    client_do(&other, "reset", "{'seed':4}");
    for (int i = 0; i < CROWD; i++) {
        snprintf(id[i], sizeof id[i], "me%d", i);
        client_open(&crowd[i], env, NULL);
        turn(env); // so that each begins, and waits
        queue_up(&crowd[i], id[i], i % 2 ? ",'api_key':'agk_no'" : "");
        client_do(&other, "observe", "{'agent_id':'other'}");
        client_do(&other, "sim_step", "{'agent_id':'other','action':0}");
    }
    read_all(env);
    for (int i = 0; i < CROWD; i++) {
        if (i % 2 == 0) {
            assert_registered(&crowd[i], id[i]);
            continue;
        }
        assert_int_equal(crowd[i].late_code, -32602);
        assert_string_equal(get_text(crowd[i].late, "path"), "/config/api_key");
        assert_string_equal(env_game_of(crowd[i].conn)->game->name, "tetris");
    }
    for (int i = 0; i < CROWD; i++)
        client_close(&crowd[i]);
    assert_int_equal(arena.left, CROWD / 2);
    client_close(&other);
    end_slow(env);
}

// Who leaves meanwhile is taken from the arena when the store has answered.
static void test_leaves_meanwhile(void **state)
{
    (void)state;
    for (int refused = 0; refused < 2; refused++) {
        struct client c, other;
        struct env *env = begin_slow();
        client_open(&c, env, NULL);
        queue_up(&c, "me", refused ? ",'api_key':'agk_no'" : "");
        client_close(&c);
        client_open(&other, env, NULL);
        read_all(env);
        assert_int_equal(arena.left, !refused);
        client_do(&other, "register_agent", "{'agent_id':'other','agent_type':'EntityBehavior'}");
        client_close(&other);
        end_slow(env);
    }
}

// A second call of the same connection waits for the first one.
static void test_registers_twice(void **state)
{
    struct client c;
    (void)state;
    struct env *env = begin_slow();
    client_open(&c, env, NULL);
    queue_up(&c, "me", "");
    queue_up(&c, "second", "");
    turn(env);
    assert_null(c.late);
    work_wake(arena.work, &arena.reads);
    work_run_ready(arena.work);
    assert_registered(&c, "me");
    turn(env);
    assert_int_equal(c.late_code, -32602);
    assert_string_equal(get_text(c.late, "reason"), "only_agent");
    client_close(&c);
    assert_int_equal(arena.left, 1);
    end_slow(env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer_waits),     cmocka_unit_test(test_late_answer),
        cmocka_unit_test(test_lost_answer),      cmocka_unit_test(test_ends),
        cmocka_unit_test(test_refusal),          cmocka_unit_test(test_many_wait),
        cmocka_unit_test(test_leaves_meanwhile), cmocka_unit_test(test_registers_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

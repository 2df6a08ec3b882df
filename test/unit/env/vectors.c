// config.vector (V31): the vector of an agent is the row that the library writes, after every step of every game. A spy
// between the host and the rules notes what is done to the table's state; the row comes from a copy that does the same.
#include "client.h"

#include "env/model.h"

#include <math.h>
#include <unistd.h>

enum { GAMES = 5, MOST_MOVES = 4096 };

static struct game spies[GAMES];
static struct env_game spied[GAMES + 1];
static const struct game *real;
static const void *watched; // the state of the table
static struct move {
    int seat; // GAME_SPECTATOR: a tick
    struct game_action action;
} moves[MOST_MOVES];
static int moved;
static char folder[] = "/tmp/agon-vectors-XXXXXX";

static int spy_apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    int err = real->apply(state, seat, a, out);
    if (err == OK && state == watched) {
        assert_true(moved < MOST_MOVES);
        moves[moved++] = (struct move){seat, a};
    }
    return err;
}

static void spy_tick(void *state, struct game_events *out)
{
    real->tick(state, out);
    if (state == watched) {
        assert_true(moved < MOST_MOVES);
        moves[moved++] = (struct move){.seat = GAME_SPECTATOR};
    }
}

static struct env *host_of(int game)
{
    struct env_options o;
    env_defaults(&o);
    for (int i = 0; i < GAMES; i++) {
        spies[i] = *client_games[i].game;
        spies[i].apply = spy_apply;
        spies[i].tick = spies[i].tick ? spy_tick : NULL;
        spied[i] = client_games[i];
        spied[i].game = &spies[i];
    }
    real = client_games[game].game;
    o.games = spied;
    o.pinned = real->name;
    o.version = "1.2.3";
    o.data_dir = folder;
    return env_create(&o);
}

// The table as somebody keeps it who is told every move.
struct mirror {
    union game_state state;
    union game_history history;
};

static void mirror_follow(struct mirror *m)
{
    for (int i = 0; i < moved; i++)
        if (moves[i].seat == GAME_SPECTATOR)
            game_tick_kept(real, &m->state, &m->history, NULL, NULL);
        else
            assert_int_equal(game_apply_kept(real, &m->state, &m->history, moves[i].seat, moves[i].action, NULL, NULL),
                             OK);
    moved = 0;
}

static void check_vector(const struct mirror *m, const json_t *observation, int seat, int version)
{
    float row[GAME_MAX_VECTOR];
    const json_t *vector = json_object_get(observation, "vector");
    assert_int_equal(json_array_size(vector), game_row_size(real, version));
    game_observe(real, &m->state, &m->history, seat, version, GAME_F32, row);
    for (size_t i = 0; i < json_array_size(vector); i++) {
        double apart = json_number_value(json_array_get(vector, i)) - (double)row[i];
        if (fabs(apart) > 1e-6) {
            struct game_element e;
            game_row_element(real, version, (int)i, &e);
            fail_msg("%s: %s is %f away", real->name, e.name, apart);
        }
    }
}

// A legal number drawn by the test; "wait" where nothing else is.
static int draw_number(const char *mask, struct rng *dice)
{
    int legal[GAME_MAX_FLAT], count = 0;
    for (int i = 1; mask[i]; i++)
        if (mask[i] == '1')
            legal[count++] = i;
    return count ? legal[rng_below(dice, (uint32_t)count)] : 0;
}

// From init on: the house may have moved already.
static void mirror_begin(struct mirror *m, const struct env_table *t)
{
    struct rng chance = rng_split(&t->match.root, MATCH_CHANCE);
    memset(m, 0, sizeof *m);
    assert_int_equal(game_init_kept(real, &m->state, &m->history, &t->match.rules, t->match.seats, chance, NULL, NULL),
                     OK);
    mirror_follow(m);
    assert_memory_equal(&m->state, &t->match.state, real->state_size);
}

// Steps of random legal numbers, the vector compared before each; false: the episode is over.
static bool play(struct client *c, struct mirror *m, struct rng *dice, int version, int steps, int *moves_seen)
{
    json_t *answer = client_call(c, "observe", "{'agent_id':'me'}");
    bool over = false;
    for (int i = 0; i <= steps && !over; i++) {
        const json_t *observation = json_object_get(answer, "observation");
        check_vector(m, observation, c->conn->group->agents->seat, version);
        over = get_bool(answer, "done") || get_bool(answer, "truncated");
        if (over || i == steps)
            break;
        int number = draw_number(get_text(observation, "legal_mask"), dice);
        json_decref(answer);
        answer = client_call(c, "sim_step", "{'agent_id':'me','action':%d}", number);
        if (!answer)
            fail_msg("%d: %d %s", number, c->code, client_why(c));
        assert_true(get_int(answer, "step_id") > 0);
        *moves_seen += moved;
        mirror_follow(m);
    }
    json_decref(answer);
    return !over;
}

static void begin_episode(struct client *c, struct mirror *m, int seed)
{
    moved = 0;
    watched = &c->conn->group->table[0].match.state;
    client_do(c, "reset", "{'seed':%d}", seed);
    mirror_begin(m, &c->conn->group->table[0]);
}

static void open_client(struct client *c, int game, int version)
{
    client_open(c, host_of(game), NULL);
    client_do(c, "register_agent",
              "{'agent_id':'me','agent_type':'EntityBehavior','config':{'observation_profile':'vector','vector':%d,"
              "'guide':false}}",
              version);
}

static void test_vector_is_the_row(void **state)
{
    (void)state;
    for (int game = 0; game < GAMES; game++)
        for (int version = 1; version <= 2; version++) {
            struct client c;
            struct mirror m;
            int seen = 0;
            open_client(&c, game, version);
            for (int seed = 1; seed <= 4; seed++) { // one after the other: nothing of the last episode is left
                struct rng dice = {.key = {(uint32_t)seed}};
                begin_episode(&c, &m, seed);
                play(&c, &m, &dice, version, 60, &seen);
            }
            assert_true(seen > 100);
            client_stop(&c);
        }
}

// A playback hands over its history with its table, and the match goes on from there.
static void test_playback(void **state)
{
    (void)state;
    for (int game = 0; game < GAMES; game++) {
        struct client c;
        struct mirror m, other;
        struct rng dice = {.key = {7}};
        int seen = 0, seed = 1;
        open_client(&c, game, 2);
        do
            begin_episode(&c, &m, seed++);
        while (!play(&c, &m, &dice, 2, 4, &seen)); // some end at once
        client_do(&c, "save_trajectory", "{'path':'t.json','format':'json','overwrite':true}");
        begin_episode(&c, &other, 99);
        play(&c, &other, &dice, 2, 4, &seen);
        client_do(&c, "load_trajectory", "{'path':'t.json'}");
        moved = 0; // of the other
        play(&c, &m, &dice, 2, 10, &seen);
        client_stop(&c);
    }
}

// Nothing changes for whoever does not ask, the space says what comes, and what is not there is refused.
static void test_config(void **state)
{
    (void)state;
    for (int game = 0; game < GAMES; game++) {
        struct client c;
        const struct game *g = client_games[game].game;
        client_start(&c, g->name);
        static const char *const configs[] = {"", ",'vector':1", ",'vector':2"};
        for (int i = 0; i < 3; i++) {
            json_t *j = client_call(&c, "register_agent",
                                    "{'agent_id':'a%d','agent_type':'EntityBehavior','config':{'observation_profile':"
                                    "'vector','guide':false%s}}",
                                    i, configs[i]);
            assert_non_null(j);
            const json_t *box =
                json_object_get(json_object_get(json_object_get(j, "observation_space"), "spaces"), "vector");
            assert_int_equal(json_integer_value(json_array_get(json_object_get(box, "shape"), 0)),
                             game_row_size(g, i == 2 ? 2 : 1));
            if (i < 2)
                assert_true(json_number_value(json_object_get(box, "low")) == 0 &&
                            json_number_value(json_object_get(box, "high")) == 1);
            json_decref(j);
            client_do(&c, "deregister_agent", "{'agent_id':'a%d'}", i);
        }
        static const char *const wrong[] = {"0", "3", "1.5", "'2'"};
        for (int i = 0; i < 4; i++) {
            assert_null(client_call(&c, "register_agent",
                                    "{'agent_id':'b','agent_type':'EntityBehavior','config':{'vector':%s}}", wrong[i]));
            assert_int_equal(c.code, -32602);
        }
        client_stop(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector_is_the_row),
        cmocka_unit_test(test_playback),
        cmocka_unit_test(test_config),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char path[64];
    snprintf(path, sizeof path, "%s/t.json", folder);
    unlink(path);
    rmdir(folder);
    return failed;
}

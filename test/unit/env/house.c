// The house plays the same match everywhere (V14, G17.5): a batch of the library beside an agent in Game-RL and beside
// a client of an episode, with the same seed and the same actions, has the same states.
#include "client.h"

#include "agon.h"
#include "env/episode.h"
#include "env/model.h"
#include "games/games.h"

enum { MOST_STEPS = 400 };

// One environment with the caller at one seat.
struct alone {
    agon_vec *v;
    struct agon_layout at;
    int32_t action;
    uint8_t *mask;
    uint8_t ended;
};

static void alone_begin(struct alone *a, const char *game, int seat, const char *bot, uint64_t seed)
{
    struct agon_config c = agon_default_config();
    struct agon_buffers b = agon_no_buffers();
    struct agon_layout at = agon_no_layout();
    *a = (struct alone){.at = at};
    c.game = game, c.seed = seed, c.autoreset = AGON_NO_RESET;
    assert_int_equal(agon_create(&c, &a->v), AGON_OK); // how many seats there are
    assert_int_equal(agon_get_layout(a->v, &a->at), AGON_OK);
    agon_destroy(a->v);
    for (int s = 0; s < (int)a->at.seats; s++)
        c.house[s] = s == seat ? NULL : bot;
    assert_int_equal(agon_create(&c, &a->v), AGON_OK);
    a->mask = malloc(a->at.masks_bytes);
    b.actions = &a->action, b.masks = a->mask, b.terminated = &a->ended;
    assert_int_equal(agon_bind(a->v, 0, &b), AGON_OK);
    assert_int_equal(agon_reset(a->v, NULL, NULL), AGON_OK);
}

static void alone_end(struct alone *a)
{
    agon_destroy(a->v);
    free(a->mask);
}

// A legal number, by chance.
static void alone_choose(struct alone *a, uint64_t *draws)
{
    assert_int_equal(agon_sample(a->v, 0, draws, &a->action), AGON_OK);
}

// Where several seats are asked, the server has heard the house already and the batch asks the lowest seat first:
// states agree again when the last one has answered. False: this is such a moment.
static bool is_same(const struct match *m, const struct alone *a)
{
    if (m->game->turn(&m->state).kind == TURN_ALL)
        return false;
    if (game_hash(m->game, &m->state) != agon_hash(a->v, 0))
        fail_msg("%s: the states differ after %llu steps", m->game->name, (unsigned long long)m->steps);
    return true;
}

// Steps of the agent after which several seats were asked: there the order of answers could matter.
static int follow_agent(const char *game, int seat, int level, const char *bot, uint64_t seed, bool onlooker)
{
    struct client c;
    struct alone a;
    uint64_t draws = seed;
    int windows = 0;
    client_start(&c, game);
    alone_begin(&a, game, seat, bot, seed);
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior','config':{'avatar_id':'seat_%d'}}",
              seat);
    if (onlooker)
        client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    client_do(&c, "reset", "{'seed':%llu,'config':{'initial_state':{'bots':%d}}}", (unsigned long long)seed, level);
    const struct match *m = &c.conn->group->table[0].match;
    for (int i = 0; i < MOST_STEPS && !a.ended; i++) {
        windows += !is_same(m, &a);
        if (onlooker && i % 3 == 0)
            client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'trigger_event','event_type':'storm'}}");
        alone_choose(&a, &draws);
        client_do(&c, "sim_step", "{'agent_id':'me','action':%d}", a.action);
        assert_int_equal(agon_step(a.v), 0);
    }
    is_same(m, &a);
    alone_end(&a);
    client_stop(&c);
    return windows;
}

static const struct {
    const char *name;
    int seats;
} tables[] = {{"texas_holdem", 2}, {"liars_dice", 2}, {"coup", 4}, {"belote", 4}};

static void an_agent_meets_the_house_of_a_batch(void **state)
{
    (void)state;
    int windows = 0;
    for (unsigned g = 0; g < sizeof tables / sizeof *tables; g++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            int seat = (int)seed % tables[g].seats;
            windows += follow_agent(tables[g].name, seat, 0, "random", seed, false);
            windows += follow_agent(tables[g].name, seat, 2, "rules", seed + 10, seed == 4); // C65
        }
    assert_true(windows > 20);
}

static void a_client_meets_the_house_of_a_batch(void **state)
{
    static struct episode_scratch scratch;
    (void)state;
    for (unsigned g = 0; g < sizeof tables / sizeof *tables; g++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            int seat = (int)seed % tables[g].seats;
            const struct game_kit *k = games_find(tables[g].name);
            struct episode_setup s = {.kit = k, .has_seed = true, .seed = seed, .clients = SEAT(seat)};
            struct episode e;
            struct alone a;
            char bad[64];
            uint64_t draws = seed;
            assert_true(episode_read_rules(&s, NULL, (struct span){0}, 0, bad));
            for (int i = 0; i < GAME_MAX_SEATS; i++)
                s.bot[i] = &bot_random;
            alone_begin(&a, tables[g].name, seat, "random", seed);
            assert_true(episode_begin(&e, &s, &scratch));
            for (int i = 0; i < MOST_STEPS && !a.ended; i++) {
                struct game_action action;
                is_same(&e.match, &a);
                assert_int_equal(episode_asked(&e), SEAT(seat));
                alone_choose(&a, &draws);
                assert_true(episode_number(&e, seat, a.action, &action));
                episode_act(&e, seat, action);
                assert_int_equal(agon_step(a.v), 0);
            }
            if (match_is_over(&e.match)) // it stops when its client is out
                is_same(&e.match, &a);
            episode_release(&e);
            alone_end(&a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_agent_meets_the_house_of_a_batch),
        cmocka_unit_test(a_client_meets_the_house_of_a_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

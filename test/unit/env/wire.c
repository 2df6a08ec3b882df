// Shapes on the wire against protocol/game-rl/schema, and records from which an episode can be played again.
#include "client.h"

#include "env/actions.h"
#include "env/observe.h"
#include "env/schema.h"

// --- shapes

static char schema_text[4][16384];
static struct env_schemas schemas;

static void load(int i, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, TEST_DIR "/../protocol/game-rl/schema/%s.schema.json", name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(schema_text[i], 1, sizeof schema_text[i] - 1, f);
    fclose(f);
    env_schemas_add(&schemas, schema_text[i], (struct span){schema_text[i], n});
}

static void check_text(int i, struct span json)
{
    struct env_fault fault;
    if (!env_schema_check(&schemas, schema_text[i], json, "", &fault))
        fail_msg("%s should be %s in %.*s", fault.path, fault.expected, (int)(json.size < 2000 ? json.size : 2000),
                 json.at);
}

static void check_tree(int i, const json_t *j)
{
    char *text = json_dumps(j, JSON_COMPACT);
    check_text(i, span_of(text));
    free(text);
}

enum { STEP, REGISTERED, MANIFEST, RECORD };

static void test_shapes(void **state)
{
    (void)state;
    for (int g = 0; client_games[g].game; g++) {
        const struct env_facts *k = client_games[g].environment;
        static char room[1 << 17];
        struct text t = text_on(room, sizeof room);
        struct client c;
        const char *mime;
        client_start(&c, client_games[g].game->name);
        assert_true(env_read(c.conn, span_of("game://manifest"), &t, &mime));
        check_text(MANIFEST, text_span(&t));
        for (int type = 0; type < ENV_TYPES; type++) {
            if (!(k->types >> type & 1) || type == ENV_COLONY)
                continue;
            json_t *j = client_call(&c, "register_agent", "{'agent_id':'%s','agent_type':'%s'}", env_type_names[type],
                                    env_type_names[type]);
            check_tree(REGISTERED, j);
            json_decref(j);
        }
        json_t *j = client_call(&c, "reset", "{'seed':3}");
        check_tree(STEP, j);
        json_decref(j);
        for (int type = 0; type < ENV_TYPES; type++) {
            if (!(k->types >> type & 1) || type == ENV_COLONY)
                continue;
            j = client_call(&c, "sim_step", "{'agent_id':'%s','action':0,'ticks':40}", env_type_names[type]);
            check_tree(STEP, j);
            json_decref(j);
        }
        client_stop(&c);
    }
}

// Every example of the guide is accepted by the schema of its action, and every type has an input schema that refuses.
static void test_examples(void **state)
{
    struct env_schemas s = {0};
    struct env_fault fault;
    const struct env_action *row;
    (void)state;
    for (int g = 0; client_games[g].game; g++) {
        const struct env_facts *k = client_games[g].environment;
        env_schemas_compile(&s, &client_games[g]);
        for (int type = 0; type < ENV_TYPES; type++)
            for (int i = 0; k->types >> type & 1 && (row = env_action_at(k, (enum env_type)type, i)); i++) {
                assert_true(i < 64);
                if (!env_schema_check(&s, row, span_of(row->example), "", &fault))
                    fail_msg("%s: %s %s", row->name, fault.path, fault.expected);
                if (strcmp(row->required, "[]") != 0)
                    assert_false(env_schema_check(&s, row, SPAN("{}"), "", &fault));
            }
    }
    env_schemas_release(&s);
}

// The numbered actions of the kits are those of the games, wherever both have one.
static void test_numbers(void **state)
{
    (void)state;
    for (int g = 0; client_games[g].game; g++) {
        const struct game *game = client_games[g].game;
        const struct env_facts *k = client_games[g].environment;
        uint8_t key[RNG_KEY_BYTES] = {7};
        for (int round = 0; round < 40; round++) {
            union game_rules rules;
            union game_state s = {0};
            struct game_action mine, theirs;
            key[1] = (uint8_t)round;
            game->defaults(&rules);
            int seats = game->scenario(&rules, 0);
            assert_int_equal(game->init(&s, &rules, seats, rng_from_key(key), NULL), OK);
            struct rng dice = rng_from_key(key);
            for (int step = 0; step < 60 && game->turn(&s).kind != TURN_OVER; step++) {
                struct game_choice list[GAME_MAX_CHOICES];
                int seat = __builtin_ctz(game->turn(&s).seats);
                for (int i = 1; i < (int)game->flat_size; i++) {
                    bool fixed = k->flat_at(i, &mine);
                    if (!game->flat(&s, seat, i, &theirs))
                        continue;
                    if (fixed && strcmp(game->name, "texas_holdem") != 0)
                        assert_true(game_same_action(mine, theirs));
                    assert_int_equal(mine.kind, theirs.kind);
                }
                int n = game->choices(&s, seat, list);
                assert_int_equal(game->apply(&s, seat, bot_pick_uniform(list, n, &dice), NULL), OK);
            }
        }
    }
}

// --- secrecy (G21.3): what a seat cannot know is drawn anew, and nothing it is told changes

static char *told_to(struct client *c, const char *tool)
{
    json_t *j = client_call(c, tool, "{'agent_id':'me'}");
    assert_non_null(j);
    json_object_del(j, "state_hash"); // of the whole table, by contract
    char *text = json_dumps(j, JSON_COMPACT);
    json_decref(j);
    return text;
}

// Some of the keys say what all of them say: without the last one an observation is the beginning of the whole one.
static void check_parts(const struct env_agent *a)
{
    static char whole[1 << 16], part[1 << 16];
    struct text w = text_on(whole, sizeof whole), p = text_on(part, sizeof part);
    uint64_t last = (uint64_t)1 << (ENV_COMMON_KEYS + env_facts_key_count(a->table->kit) - 1);
    env_write_observation(&w, a, ENV_COMPACT, 2 * last - 1);
    env_write_observation(&p, a, ENV_COMPACT, last - 1);
    assert_true(p.size > 2 && w.size > p.size);
    assert_memory_equal(whole, part, p.size - 1);
}

static int check_secrets(struct client *c, const struct game *g, struct rng *dice)
{
    struct env_table *t = &c->conn->group->table[0];
    union game_state kept = t->match.state;
    char *seen = told_to(c, "observe"), *hash = told_to(c, "get_state_hash");
    g->resample(&t->match.state, 0, dice);
    int changed = memcmp(&kept, &t->match.state, g->state_size) != 0;
    char *again = told_to(c, "observe"), *hash_again = told_to(c, "get_state_hash");
    assert_string_equal(seen, again);
    assert_string_equal(hash, hash_again);
    t->match.state = kept;
    free(seen), free(hash), free(again), free(hash_again);
    return changed;
}

static void test_secrets(void **state)
{
    (void)state;
    for (int g = 0; client_games[g].game; g++)
        for (int seed = 0; seed < 6; seed++) {
            uint8_t key[RNG_KEY_BYTES] = {(uint8_t)seed};
            struct rng dice = rng_from_key(key);
            struct client c;
            int changed = 0;
            client_start(&c, client_games[g].game->name);
            client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
            json_t *j = client_call(&c, "reset", "{'seed':%d}", seed);
            for (int i = 0; i < 25 && !get_bool(j, "done"); i++) {
                changed += check_secrets(&c, client_games[g].game, &dice);
                check_parts(c.conn->group->table[0].agents);
                const char *mask = get_text(json_object_get(j, "observation"), "legal_mask");
                int index = (int)(strchr(mask, '1') - mask);
                json_decref(j);
                j = client_call(&c, "sim_step", "{'agent_id':'me','action':%d}", index);
                assert_non_null(j);
            }
            json_decref(j);
            assert_true(changed > 0 || client_games[g].game->tick_ms); // tetris hides nothing
            client_stop(&c);
        }
}

// --- records

struct loaded_replay {
    char *line[512];
    char kind[512][8];
    int count;
};

static void on_record(void *recorder, const struct env_record *r)
{
    struct loaded_replay *t = recorder;
    assert_true(t->count < 512);
    t->line[t->count] = strndup(r->json.at, r->json.size);
    snprintf(t->kind[t->count++], 8, "%s", r->kind);
    if (strcmp(r->kind, "step") == 0)
        check_text(RECORD, r->json);
}

static struct env *recording_host(const char *game, struct loaded_replay *tape)
{
    struct env_options o;
    env_defaults(&o);
    o.games = client_games;
    o.pinned = game;
    o.on_record = on_record;
    o.recorder = tape;
    return env_create(&o);
}

static void play_back(const char *game, const struct loaded_replay *tape)
{
    struct client c;
    int steps = 0;
    client_start(&c, game);
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    for (int i = 0; i < tape->count; i++) {
        json_t *r = client_parse(span_of(tape->line[i])), *j = NULL;
        if (strcmp(tape->kind[i], "reset") == 0)
            j = client_call(&c, "reset", "{'seed':%d,'config':{'scenario':'%s'}}", (int)get_int(r, "seed"),
                            get_text(r, "scenario"));
        if (strcmp(tape->kind[i], "step") == 0) {
            json_t *entry = json_array_get(json_object_get(r, "entries"), 0);
            char *action = json_dumps(json_object_get(entry, "action"), 0);
            j = client_call(&c, "sim_step", "{'agent_id':'%s','action':%s,'ticks':%d}", get_text(entry, "agent_id"),
                            action, (int)get_int(r, "ticks"));
            if (!j)
                fail_msg("%s: %s", action, client_why(&c));
            assert_true(get_number(j, "reward") == get_number(entry, "reward"));
            free(action);
            steps++;
        }
        if (j)
            assert_string_equal(get_text(j, "state_hash"), get_text(r, "state_hash"));
        json_decref(j);
        json_decref(r);
    }
    assert_true(steps >= 20);
    client_stop(&c);
}

static void test_records(void **state)
{
    (void)state;
    for (int g = 0; client_games[g].game; g++) {
        struct loaded_replay tape = {0};
        struct client c;
        client_open(&c, recording_host(client_games[g].game->name, &tape), NULL);
        client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
        client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
        json_t *j = client_call(&c, "reset", "{'seed':12}");
        for (int i = 0; i < 20 && !get_bool(j, "done"); i++) {
            const char *mask = get_text(json_object_get(j, "observation"), "legal_mask");
            int index = (int)(strchr(mask, '1') - mask);
            json_decref(j);
            if (i == 7)
                client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'modify_difficulty','level':1}}");
            j = client_call(&c, "sim_step", "{'agent_id':'me','action':%d,'ticks':2}", index);
            assert_non_null(j);
        }
        json_decref(j);
        client_stop(&c);
        assert_string_equal(tape.kind[0], "reset"); // who is there comes with it
        if (tape.count >= 21)
            play_back(client_games[g].game->name, &tape);
        for (int i = 0; i < tape.count; i++)
            free(tape.line[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),  cmocka_unit_test(test_examples), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_secrets), cmocka_unit_test(test_records),
    };
    load(STEP, "step");
    load(REGISTERED, "registered");
    load(MANIFEST, "manifest");
    load(RECORD, "record-step");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    env_schemas_release(&schemas);
    return failed;
}

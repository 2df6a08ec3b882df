// Shared tables against an attacker: one who predicts deals, searches seeds, or takes over other people's tables.
// Decision 013 says what holds.
#include "client.h"

#include "crypto/crypto.h"
#include "env/hash.h"

#include <sys/stat.h>
#include <unistd.h>

#define PLAYER(id)                                                                                                     \
    "{'agent_id':'" id "','agent_type':'EntityBehavior','config':{'clock_mode':'training','guide':false}}"
#define LIVE(id)   "{'agent_id':'" id "','agent_type':'EntityBehavior','config':{'guide':false}}"
#define MASTER(id) "{'agent_id':'" id "','agent_type':'GameMaster','config':{'clock_mode':'training','guide':false}}"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/agon-secrets-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"t.json", "mid.json", "forged.json"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
    return rmdir(folder);
}

static struct env_options options_for(const char *game)
{
    struct env_options o;
    env_defaults(&o);
    o.games = client_games;
    o.pinned = game;
    o.version = "1.2.3";
    o.metrics = false;
    o.named_tables = true;
    o.data_dir = folder;
    return o;
}

static struct env *host_of(const char *game)
{
    struct env_options o = options_for(game);
    return env_create(&o);
}

static json_t *must(struct client *c, const char *tool, const char *arguments)
{
    json_t *j = client_call(c, tool, "%s", arguments);
    if (!j)
        fail_msg("%s %s: %d %s", tool, arguments, c->code, client_why(c));
    return j;
}

static void refused(struct client *c, const char *reason, const char *tool, const char *arguments)
{
    json_t *j = client_call(c, tool, "%s", arguments);
    if (j || c->code == 1)
        fail_msg("%s %s was not refused", tool, arguments);
    assert_string_equal(get_text(c->data, "reason"), reason);
}

static json_t *read_world(struct client *c)
{
    static char room[1 << 16];
    struct text t = text_on(room, sizeof room);
    const char *mime;
    return env_read(c->conn, SPAN("game://world"), &t, &mime) ? client_parse(text_span(&t)) : NULL;
}

static json_t *read_file(const char *name)
{
    json_error_t error;
    json_t *j = json_load_file(path_of(name), 0, &error);
    assert_non_null(j);
    return j;
}

static void copy_text(char *out, size_t room, json_t *from, const char *key)
{
    snprintf(out, room, "%s", get_text(from, key));
}

// --- the first hole: the next deal

// What seat 0 sees after the owner chose a seed once and then reset twice without one.
static void later_deal(const char *game, const char *table, char out[4096])
{
    struct client c;
    client_open(&c, host_of(game), table);
    client_do(&c, "register_agent", PLAYER("a"));
    client_do(&c, "reset", "{'seed':5}");
    client_do(&c, "reset", "{}");
    json_t *j = must(&c, "reset", "{}");
    char *seen = json_dumps(json_object_get(j, "observation"), JSON_SORT_KEYS);
    snprintf(out, 4096, "%s", seen);
    free(seen);
    json_decref(j);
    client_stop(&c);
}

static void test_predicted_deal(void **state)
{
    static const char *const games[] = {"belote", "texas_holdem"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char mine[4096], again[4096], theirs[4096];
        later_deal(games[i], NULL, mine);
        later_deal(games[i], NULL, again);
        later_deal(games[i], "t", theirs);
        assert_string_equal(mine, again); // G14.4: a private table repeats
        assert_string_not_equal(mine, theirs);
    }
}

// The host's entropy decides, and nothing else.
static void count_up(void *owner, void *out, size_t size)
{
    uint8_t *next = owner, *bytes = out;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (*next)++;
}

static void test_entropy(void **state)
{
    char hash[2][ENV_HASH_ROOM], secret[2][ENV_SECRET_ROOM];
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint8_t next = 1;
        struct env_options o = options_for("coup");
        struct client c;
        o.entropy = count_up;
        o.entropy_owner = &next;
        client_open(&c, env_create(&o), "t");
        json_t *j = must(&c, "register_agent", PLAYER("a"));
        copy_text(secret[i], sizeof secret[i], j, "owner_secret");
        json_decref(j);
        j = must(&c, "reset", "{}");
        copy_text(hash[i], sizeof hash[i], j, "state_hash");
        json_decref(j);
        client_stop(&c);
    }
    assert_string_equal(hash[0], hash[1]);
    assert_string_equal(secret[0], secret[1]);
    assert_string_equal(secret[0], "0102030405060708090a0b0c0d0e0f10");
}

// --- the second hole: searching the seed

enum { SEEDS = 64, SEED = 41 };

struct shown { // what everybody at a table may ask for
    char hash[4][ENV_HASH_ROOM], commitment[ENV_HASH_ROOM];
};

static void show(struct client *c, json_t *reset, struct shown *s)
{
    static const char *const parts[] = {"entities", "world", "rng"};
    json_t *j = must(c, "get_state_hash", "{}");
    copy_text(s->hash[0], sizeof s->hash[0], j, "hash");
    for (int i = 0; i < 3; i++)
        copy_text(s->hash[1 + i], sizeof s->hash[0], json_object_get(j, "components"), parts[i]);
    json_decref(j);
    copy_text(s->commitment, sizeof s->commitment, reset, "seed_commitment");
}

static bool is_same(const struct shown *a, const struct shown *b)
{
    for (int i = 0; i < 4; i++)
        if (strcmp(a->hash[i], b->hash[i]) == 0)
            return true;
    return strcmp(a->commitment, b->commitment) == 0;
}

static void show_seed(struct client *c, int seed, struct shown *s)
{
    char order[64];
    snprintf(order, sizeof order, "{'seed':%d}", seed);
    json_t *j = must(c, "reset", order);
    show(c, j, s);
    json_decref(j);
}

static void test_searched_seed(void **state)
{
    struct client owner, attacker, mine;
    struct shown shown, tried;
    (void)state;
    client_open(&owner, host_of("texas_holdem"), "t");
    client_open(&attacker, owner.env, "t");
    client_do(&owner, "register_agent", LIVE("a"));
    client_do(&attacker, "register_agent", LIVE("b"));
    client_do(&owner, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    show_seed(&owner, SEED, &shown);
    client_open(&mine, host_of("texas_holdem"), "t"); // the attacker's own server, with a table like the other
    client_do(&mine, "register_agent", LIVE("a"));
    struct client second;
    client_open(&second, mine.env, "t");
    client_do(&second, "register_agent", LIVE("b"));
    client_do(&mine, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    for (int seed = 0; seed < SEEDS; seed++) {
        uint8_t key[CRYPTO_KEY_BYTES];
        char hash[ENV_HASH_ROOM];
        show_seed(&mine, seed, &tried);
        assert_false(is_same(&shown, &tried));
        crypto_seed_key(key, "texas_holdem", (uint64_t)seed);
        env_hash_text((struct span){(const char *)key, sizeof key}, hash);
        assert_string_not_equal(shown.commitment, hash);
    }
    client_close(&second);
    client_stop(&mine);
    client_close(&attacker);
    client_stop(&owner);
}

// A digest that repeats would tell that a hidden hand has not changed.
static void test_no_digest_repeats(void **state)
{
    struct client c;
    struct shown before, after;
    (void)state;
    client_open(&c, host_of("coup"), "t");
    client_do(&c, "register_agent", PLAYER("a"));
    json_t *j = must(&c, "reset", "{}");
    show(&c, j, &before);
    show(&c, j, &after);
    assert_memory_equal(&before, &after, sizeof before); // looking changes nothing
    client_do(&c, "sim_step", "{'agent_id':'a','action':0}");
    show(&c, j, &after);
    for (int i = 0; i < 4; i++)
        assert_string_not_equal(before.hash[i], after.hash[i]);
    json_decref(j);
    client_stop(&c);
}

// --- the third hole: somebody else's table

static void check_powerless(struct client *c, const char *type, const char *id)
{
    char arguments[256];
    snprintf(arguments, sizeof arguments,
             "{'agent_id':'%s','agent_type':'%s','config':{'clock_mode':'training','capabilities':"
             "['admin','narrative','spawn','world_modify','debug']}}",
             id, type);
    json_t *j = must(c, "register_agent", arguments);
    assert_int_equal(json_array_size(json_object_get(j, "capabilities")), 0);
    assert_true(json_is_false(json_object_get(j, "owner")));
    assert_null(json_object_get(j, "owner_secret"));
    json_decref(j);
}

static void test_foreign_master(void **state)
{
    static const char *const commands[] = {
        "{'type':'pause'}",
        "{'type':'restart'}",
        "{'type':'restart','seed':1}",
        "{'type':'replace_seat','seat':'seat_0'}",
        "{'type':'kill_entity','entity_id':'seat_0'}",
        "{'type':'spawn_entity','entity_type':'house_bot','seat':'seat_3','level':0}",
        "{'type':'modify_difficulty','level':0}",
        "{'type':'set_time','hour':1,'minute':1}",
        "{'type':'send_narrative','target':'*','message':'x'}",
        "{'type':'trigger_event','event_type':'x'}",
        "{'type':'deal_deck','deck':[]}",
    };
    struct env_options o = options_for("texas_holdem");
    struct client owner, attacker;
    (void)state;
    o.allow_debug = true;
    client_open(&owner, env_create(&o), "t");
    client_open(&attacker, owner.env, "t");
    json_t *j = must(&owner, "register_agent", PLAYER("a"));
    assert_true(get_bool(j, "owner"));
    assert_string_equal(get_text(j, "table"), "t");
    json_decref(j);
    check_powerless(&attacker, "GameMaster", "gm");
    check_powerless(&attacker, "WorldSimulation", "w");
    check_powerless(&attacker, "CombatDirector", "cd");
    check_powerless(&attacker, "DialogueAgent", "da");
    client_do(&owner, "reset", "{}");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char step[256];
        snprintf(step, sizeof step, "{'agent_id':'gm','action':%s}", commands[i]);
        refused(&attacker, "capability", "sim_step", step);
    }
    refused(&attacker, "capability", "sim_step", "{'agent_id':'w','action':[2,0.5]}");
    refused(&attacker, "capability", "sim_step", "{'agent_id':'cd','action':{'type':'adjust_difficulty','level':0}}");
    refused(&attacker, "capability", "reset", "{}"); // the owner's agent is playing
    client_do(&owner, "deregister_agent", "{'agent_id':'a'}");
    refused(&attacker, "owner", "reset", "{'seed':1}");
    refused(&attacker, "owner", "load_trajectory", "{'path':'none.json'}");
    client_do(&attacker, "reset", "{}"); // chance is nobody's
    client_close(&attacker);
    client_stop(&owner);
}

// The keys of initial_state that choose what is hidden, in every game.
static void test_chosen_deal(void **state)
{
    static const struct {
        const char *game, *initial;
    } cases[] = {
        {"liars_dice", "{'seats':2,'dice':[[1,1,1,1,1],[2,2,2,2,2]]}"},
        {"coup", "{'seats':2,'hands':[['Duke','Duke'],['Contessa','Captain']]}"},
        {"tetris", "{'queue':['I','T']}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client owner, other;
        char order[256];
        client_open(&owner, host_of(cases[i].game), "t");
        client_open(&other, owner.env, "t");
        snprintf(order, sizeof order, "{'config':{'initial_state':%s}}", cases[i].initial);
        refused(&other, "owner", "reset", order);
        client_do(&owner, "register_agent", PLAYER("a"));
        json_t *j = must(&owner, "reset", order);
        assert_true(get_bool(j, "seeded"));
        json_decref(j);
        client_do(&other, "save_trajectory", "{'path':'mid.json','format':'json'}");
        json_t *file = read_file("mid.json");
        json_t *reset = json_object_get(json_array_get(json_object_get(file, "episodes"), 0), "reset");
        assert_null(json_object_get(reset, "initial_state")); // or it would show the deal
        assert_true(get_bool(reset, "seeded"));
        json_decref(file);
        unlink(path_of("mid.json"));
        client_close(&other);
        client_stop(&owner);
    }
}

// A tetris player may begin anew on its own; the seed is the owner's all the same.
static void test_new_board(void **state)
{
    struct client owner, player;
    (void)state;
    client_open(&owner, host_of("tetris"), "t");
    client_open(&player, owner.env, "t");
    client_do(&player, "register_agent", PLAYER("p"));
    client_do(&player, "reset", "{}");
    refused(&player, "owner", "reset", "{'agent_id':'p','scope':'agent','seed':1}");
    json_t *j = must(&player, "reset", "{'agent_id':'p','scope':'agent'}");
    assert_true(json_is_false(json_object_get(j, "seeded")));
    json_decref(j);
    client_close(&player);
    client_stop(&owner);
}

// When an episode is over its key is known: a board that begins anew in it says so.
static void test_board_after_the_end(void **state)
{
    struct client owner, player;
    (void)state;
    client_open(&owner, host_of("tetris"), "t");
    client_open(&player, owner.env, "t");
    client_do(&owner, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}"); // live: outside the barrier
    client_do(&player, "register_agent", PLAYER("p"));
    client_do(&player, "reset", "{}");
    assert_null(
        client_call(&owner, "sim_step", "{'agent_id':'gm','action':{'type':'kill_entity','entity_id':'player'}}"));
    json_t *j = must(&player, "sim_step", "{'agent_id':'p','action':0}");
    assert_true(get_bool(j, "done"));
    assert_non_null(json_object_get(j, "revealed"));
    json_decref(j);
    j = must(&player, "reset", "{'agent_id':'p','scope':'agent'}");
    assert_true(get_bool(j, "seeded"));
    assert_null(json_object_get(j, "revealed"));
    json_decref(j);
    client_close(&player);
    client_stop(&owner);
}

// --- what has not changed

// Hashes of agon 0.1.0.
static void test_private_table(void **state)
{
    struct client c;
    (void)state;
    client_start(&c, "texas_holdem");
    client_do(&c, "register_agent", PLAYER("a"));
    json_t *j = must(&c, "reset", "{'seed':42}");
    assert_string_equal(get_text(j, "state_hash"),
                        "sha256:bf3978c80d277422421e2f493abcb854cf5aa49ad43ab2987a1e4f5480246246");
    assert_null(json_object_get(j, "seeded"));
    json_decref(j);
    for (int i = 0; i < 3; i++)
        client_do(&c, "sim_step", "{'agent_id':'a','action':0}");
    j = must(&c, "reset", "{}");
    assert_string_equal(get_text(j, "state_hash"),
                        "sha256:5f79d2a87bb419728adb28d9b27a2f0b46ac9d8d22a37f415134127e3a73ce05");
    json_decref(j);
    client_stop(&c);
}

// Trajectories that older versions saved: 0.1.0 at a shared table, 0.2.0 with house decisions numbered by questions.
static void test_old_files(void **state)
{
    static const struct {
        const char *file, *game;
        int steps;
    } old[] = {{"shared-0.1.0.json", "liars_dice", 3}, {"house-0.2.0.json", "coup", 9}};
    json_error_t error;
    struct client c;
    (void)state;
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        char path[160];
        snprintf(path, sizeof path, TEST_DIR "/unit/env/%s", old[i].file);
        json_t *file = json_load_file(path, 0, &error);
        assert_non_null(file);
        assert_int_equal(json_dump_file(file, path_of("t.json"), JSON_COMPACT), 0);
        json_decref(file);
        client_open(&c, host_of(old[i].game), NULL);
        json_t *j = must(&c, "load_trajectory", "{'path':'t.json'}");
        assert_true(get_bool(j, "verified"));
        assert_int_equal(get_int(j, "steps"), old[i].steps);
        json_decref(j);
        client_stop(&c);
        unlink(path_of("t.json"));
    }
}

// --- the owner, and who may join

static void test_join_secret(void **state)
{
    struct client owner, guest;
    char secret[ENV_SECRET_ROOM], line[256];
    (void)state;
    client_open(&owner, host_of("coup"), "t");
    client_open(&guest, owner.env, "t"); // its name is known, no more
    refused(&guest, "owner", "register_agent",
            "{'agent_id':'b','agent_type':'EntityBehavior','config':{'join_secret':true}}");
    json_t *j = must(&owner, "register_agent",
                     "{'agent_id':'a','agent_type':'EntityBehavior','config':{'join_secret':true,'guide':false}}");
    copy_text(secret, sizeof secret, j, "join_secret");
    assert_int_equal(strlen(secret), 32);
    assert_string_not_equal(secret, get_text(j, "owner_secret"));
    json_decref(j);
    int changed = guest.changed;
    refused(&guest, "join_secret", "register_agent", PLAYER("b"));
    refused(&guest, "join_secret", "reset", "{}");
    refused(&guest, "join_secret", "get_state_hash", "{}");
    refused(&guest, "join_secret", "save_trajectory", "{'path':'x'}");
    assert_null(read_world(&guest));
    client_do(&owner, "reset", "{}");
    assert_int_equal(guest.changed, changed); // it does not even hear of it
    refused(&guest, "join_secret", "register_agent",
            "{'agent_id':'b','agent_type':'EntityBehavior','config':{'join_secret':'not the secret'}}");
    snprintf(line, sizeof line, "{'agent_id':'b','agent_type':'EntityBehavior','config':{'join_secret':'%s'}}", secret);
    j = must(&guest, "register_agent", line);
    assert_true(json_is_false(json_object_get(j, "owner")));
    assert_null(json_object_get(j, "join_secret"));
    json_decref(j);
    json_decref(must(&guest, "get_state_hash", "{}"));
    // The join secret is no owner secret.
    snprintf(line, sizeof line, "{'agent_id':'c','agent_type':'GameMaster','config':{'owner_secret':'%s'}}", secret);
    refused(&guest, "owner_secret", "register_agent", line);
    // What is no text of 12 to 64 bytes is refused and changes nothing.
    static const char *const bad[] = {"short", "0123456789\\u0000a", "0123456789",
                                      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, "{'agent_id':'a','agent_type':'EntityBehavior','config':{'join_secret':'%s'}}",
                 bad[i]);
        assert_null(client_call(&owner, "register_agent", "%s", line));
        assert_int_equal(owner.code, -32602);
        assert_string_equal(get_text(owner.data, "path"), "/config/join_secret");
    }
    static char wide[600];
    int n = snprintf(wide, sizeof wide, "{'agent_id':'a','agent_type':'EntityBehavior','config':{'join_secret':'");
    for (int i = 0; i < 60; i++)
        n += snprintf(wide + n, sizeof wide - (size_t)n, "\xc3\xa9");
    snprintf(wide + n, sizeof wide - (size_t)n, "'}}");
    assert_null(client_call(&owner, "register_agent", "%s", wide));
    assert_string_equal(get_text(owner.data, "path"), "/config/join_secret");
    // The owner names another one, or opens the table.
    j = must(&owner, "register_agent",
             "{'agent_id':'a','agent_type':'EntityBehavior','config':{'join_secret':'horse battery','guide':false}}");
    assert_string_equal(get_text(j, "join_secret"), "horse battery");
    json_decref(j);
    client_do(&owner, "register_agent",
              "{'agent_id':'a','agent_type':'EntityBehavior','config':{'join_secret':false,'guide':false}}");
    struct client late;
    client_open(&late, owner.env, "t");
    client_do(&late, "register_agent", PLAYER("d"));
    client_close(&late);
    client_close(&guest);
    client_stop(&owner);
}

static void test_owner_leaves(void **state)
{
    struct client owner, other, back;
    char secret[ENV_SECRET_ROOM], line[256];
    (void)state;
    client_open(&owner, host_of("coup"), "t");
    struct env *env = owner.env;
    client_open(&other, env, "t");
    json_t *j = must(&owner, "register_agent", PLAYER("a"));
    copy_text(secret, sizeof secret, j, "owner_secret");
    json_decref(j);
    client_do(&other, "register_agent", PLAYER("b"));
    client_close(&owner);
    j = read_world(&other);
    assert_true(json_is_false(json_object_get(j, "owner_present")));
    json_decref(j);
    check_powerless(&other, "GameMaster", "gm"); // nobody inherits
    refused(&other, "owner", "reset", "{'seed':1}");
    client_close(&other);
    client_open(&other, env, "t"); // nor does the first who comes to the empty table
    check_powerless(&other, "GameMaster", "gm");
    client_open(&back, env, "t");
    snprintf(line, sizeof line, "{'agent_id':'m','agent_type':'GameMaster','config':{'owner_secret':'%s'}}", secret);
    j = must(&back, "register_agent", line);
    assert_true(get_bool(j, "owner"));
    assert_int_equal(json_array_size(json_object_get(j, "capabilities")), 4); // all but debug
    json_decref(j);
    j = read_world(&other);
    assert_true(get_bool(j, "owner_present"));
    json_decref(j);
    client_close(&back);
    client_close(&other);
    env_destroy(env);
}

// A refused registration that would have reclaimed the table has not; one that leaves it gives it up.
static void test_moves(void **state)
{
    struct client c, other;
    char secret[ENV_SECRET_ROOM], line[256];
    (void)state;
    client_open(&c, host_of("coup"), NULL);
    json_t *j =
        must(&c, "register_agent", "{'agent_id':'a','agent_type':'GameMaster','config':{'table':'x','guide':false}}");
    assert_true(get_bool(j, "owner"));
    copy_text(secret, sizeof secret, j, "owner_secret");
    json_decref(j);
    client_open(&other, c.env, NULL);
    snprintf(line, sizeof line, "{'agent_id':'a','agent_type':'GameMaster','config':{'table':'x','owner_secret':'%s'}}",
             secret);
    refused(&other, "in_use", "register_agent", line);
    assert_true(env_is_exclusive(other.conn));
    refused(&other, "table", "register_agent",
            "{'agent_id':'b','agent_type':'EntityBehavior','config':{'join_secret':'horse battery'}}");
    client_do(&c, "deregister_agent", "{'agent_id':'a'}");
    assert_null(client_call(&c, "register_agent",
                            "{'agent_id':'a','agent_type':'ColonyManager','config':{'table':'y'}}")); // not in coup
    j = must(&c, "register_agent", "{'agent_id':'a','agent_type':'GameMaster','config':{'table':'x'}}");
    assert_true(get_bool(j, "owner")); // still
    json_decref(j);
    client_do(&c, "deregister_agent", "{'agent_id':'a'}");
    client_do(&c, "register_agent", "{'agent_id':'a','agent_type':'GameMaster','config':{'table':'y'}}");
    client_do(&c, "deregister_agent", "{'agent_id':'a'}");
    j = must(&c, "register_agent", "{'agent_id':'a','agent_type':'GameMaster','config':{'table':'x'}}");
    assert_false(get_bool(j, "owner")); // it went away
    json_decref(j);
    client_close(&other);
    client_stop(&c);
}

static void test_guesses(void **state)
{
    struct client owner, c;
    char right[256];
    int wrong = 0;
    (void)state;
    client_open(&owner, host_of("coup"), "t");
    json_t *j = must(&owner, "register_agent",
                     "{'agent_id':'a','agent_type':'EntityBehavior','config':{'join_secret':true,'guide':false}}");
    snprintf(right, sizeof right,
             "{'agent_id':'b','agent_type':'EntityBehavior','config':{'join_secret':'%s','guide':false}}",
             get_text(j, "join_secret"));
    json_decref(j);
    while (wrong < 60) { // all connections together
        client_open(&c, owner.env, "t");
        for (int i = 0; i < 5; i++, wrong++)
            refused(&c, "join_secret", "register_agent",
                    "{'agent_id':'b','agent_type':'EntityBehavior','config':{'join_secret':'000000000000'}}");
        assert_null(client_call(&c, "register_agent", "%s", right)); // this one is out of guesses
        assert_string_equal(get_text(c.data, "name"), "RateLimited");
        client_close(&c);
    }
    client_open(&c, owner.env, "t");
    assert_null(client_call(&c, "register_agent", "%s", right));
    assert_string_equal(get_text(c.data, "name"), "RateLimited");
    assert_true(get_int(c.data, "retry_after_ms") > 0 && get_int(c.data, "retry_after_ms") <= 60000);
    c.now_us += get_int(c.data, "retry_after_ms") * 1000;
    json_decref(must(&c, "register_agent", right));
    client_close(&c);
    client_stop(&owner);
}

// --- what is said

static void check_said(json_t *j, const char *warning)
{
    assert_true(get_bool(j, "seeded") == (strncmp(warning, "seeded", 6) == 0));
    assert_string_equal(get_text(j, "warning"), warning);
}

static void test_seeded_is_said(void **state)
{
    struct client owner, other;
    (void)state;
    client_open(&owner, host_of("liars_dice"), "t");
    client_open(&other, owner.env, "t");
    client_do(&owner, "register_agent", PLAYER("a"));
    client_do(&other, "register_agent", PLAYER("b"));
    json_t *j = must(&owner, "reset", "{}");
    assert_true(json_is_false(json_object_get(j, "seeded")));
    assert_null(json_object_get(j, "warning"));
    json_decref(j);
    client_do(&owner, "register_agent", MASTER("gm"));
    j = must(&owner, "reset", "{'seed':3}");
    check_said(j, "seeded: not for contests");
    const char *id;
    json_t *step;
    json_object_foreach(json_object_get(j, "observations"), id, step) check_said(step, "seeded: not for contests");
    json_decref(j);
    j = must(&other, "observe", "{'agent_id':'b'}");
    check_said(j, "seeded: not for contests");
    json_decref(j);
    j = read_world(&other);
    check_said(j, "seeded: not for contests");
    assert_null(json_object_get(j, "seed"));
    json_decref(j);
    assert_null(client_call(&owner, "sim_step", "{'agent_id':'a','action':0}"));
    j = must(&other, "sim_step", "{'agent_id':'b','action':0}"); // a notice of the first episode
    json_decref(j);
    j = must(&other, "sim_step", "{'agent_id':'b','action':0}");
    check_said(j, "seeded: not for contests");
    json_decref(j);
    client_do(&other, "save_trajectory", "{'path':'t.json','format':'json','overwrite':true}");
    json_t *file = read_file("t.json");
    check_said(json_object_get(file, "header"), "seeded: not for contests");
    json_t *episodes = json_object_get(file, "episodes");
    assert_null(json_object_get(json_object_get(json_array_get(episodes, 0), "reset"), "seeded"));
    json_t *reset = json_object_get(json_array_get(episodes, 1), "reset");
    check_said(reset, "seeded: not for contests");
    assert_null(json_object_get(reset, "seed")); // it is running
    assert_null(json_object_get(reset, "salt"));
    json_decref(file);
    client_close(&other);
    client_stop(&owner);
}

static void test_debug_is_said(void **state)
{
    struct env_options o = options_for("liars_dice");
    struct client owner, other;
    (void)state;
    o.allow_debug = true;
    client_open(&owner, env_create(&o), "t");
    client_open(&other, owner.env, "t");
    client_do(&other, "register_agent", PLAYER("b"));
    client_do(&other, "reset", "{}");
    client_do(&owner, "register_agent", MASTER("gm"));
    json_t *j = must(&other, "observe", "{'agent_id':'b'}");
    check_said(j, "debug: not for contests");
    json_decref(j);
    j = must(&owner, "reset", "{'config':{'initial_state':{'seats':2}}}");
    check_said(j, "debug: not for contests");
    json_decref(j);
    client_do(&owner, "save_trajectory",
              "{'path':'t.json','format':'json','overwrite':true}"); // other clients may load it
    json_t *file = read_file("t.json");
    assert_true(get_bool(json_object_get(file, "header"), "partial"));
    json_decref(file);
    client_do(&other, "deregister_agent", "{'agent_id':'b'}");
    client_do(&owner, "sim_step", "{'agent_id':'gm','action':{'type':'deal_deck','dice':[[1,1,1,1,1],[2,2,2,2,2]]}}");
    j = read_world(&owner);
    check_said(j, "seeded, debug: not for contests");
    json_decref(j);
    client_close(&other);
    client_stop(&owner);
}

// --- what is revealed: the hashes of an episode can be recomputed when it is over

static void read_hex(const char *hex, uint8_t out[32])
{
    assert_int_equal(strlen(hex), 64);
    for (int i = 0; i < 32; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
}

static size_t put(uint8_t *at, size_t size, const void *bytes, size_t more)
{
    memcpy(at + size, bytes, more);
    return size + more;
}

// As docs/protocols/game-rl.md says it.
static void check_commitment(json_t *revealed, const char *commitment)
{
    uint8_t bytes[13 + 64], half[32];
    char hash[ENV_HASH_ROOM];
    size_t size = put(bytes, 0, "agon.commit.2", 13);
    read_hex(get_text(revealed, "salt"), half);
    size = put(bytes, size, half, 32);
    read_hex(get_text(revealed, "key"), half);
    size = put(bytes, size, half, 32);
    env_hash_text((struct span){(const char *)bytes, size}, hash);
    assert_string_equal(hash, commitment);
    assert_string_equal(get_text(revealed, "seed_commitment"), commitment);
}

// The first state follows from the key and the rules; its digests follow from it and the salt.
static void check_digests(json_t *revealed, int seats, const struct shown *shown)
{
    static struct match match;
    static struct game_events events;
    static uint8_t bytes[GAME_MAX_STATE + 256];
    const struct game *g = &texas_holdem_game;
    union game_rules rules;
    uint8_t salt[32];
    char hash[ENV_HASH_ROOM];
    g->defaults(&rules);
    assert_true(g->scenario(&rules, 0) > 0);
    struct match_setup setup = {.game = g, .rules = &rules, .seats = seats};
    read_hex(get_text(revealed, "key"), setup.key);
    read_hex(get_text(revealed, "salt"), salt);
    assert_int_equal(match_start(&match, &setup, NULL, &events), OK);
    const uint64_t when[2] = {0, 0}; // tick and steps
    size_t size = put(bytes, 0, "agon.entities.2", 15);
    size = put(bytes, size, salt, 32);
    size = put(bytes, size, when, 16);
    size = put(bytes, size, match.state.byte, g->entities_end);
    env_hash_text((struct span){(const char *)bytes, size}, hash);
    assert_string_equal(hash, shown->hash[1]);
    size = put(bytes, 0, "agon.rng.2", 10);
    size = put(bytes, size, salt, 32);
    size = put(bytes, size, when, 16);
    size = put(bytes, size, setup.key, 32);
    size = put(bytes, size, match.state.byte + g->world_end, g->state_size - g->world_end);
    env_hash_text((struct span){(const char *)bytes, size}, hash);
    assert_string_equal(hash, shown->hash[3]);
}

static void test_revealed(void **state)
{
    struct client owner, other;
    struct shown shown;
    (void)state;
    client_open(&owner, host_of("texas_holdem"), "t");
    client_open(&other, owner.env, "t");
    client_do(&owner, "register_agent", LIVE("a"));
    client_do(&other, "register_agent", LIVE("b"));
    client_do(&owner, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    json_t *j = must(&owner, "reset", "{}"); // live: no house bot has moved yet
    show(&other, j, &shown);
    json_decref(j);
    j = read_world(&other);
    int seats = (int)get_int(json_object_get(j, "entities"), "total");
    assert_string_equal(get_text(j, "seed_commitment"), shown.commitment);
    assert_null(json_object_get(j, "revealed"));
    assert_int_equal(get_int(json_object_get(j, "previous"), "episode"), 1); // a live table begins by itself
    json_decref(j);
    client_do(&owner, "reset", "{}");
    j = read_world(&other);
    json_t *previous = json_object_get(j, "previous");
    assert_int_equal(get_int(previous, "episode"), 2);
    check_commitment(previous, shown.commitment);
    check_digests(previous, seats, &shown);
    json_decref(j);
    client_close(&other);
    client_stop(&owner);
}

// The file with another salt.
static void forge_salt(const char *salt)
{
    static char text[1 << 20];
    FILE *f = fopen(path_of("t.json"), "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    char *at = strstr(text, salt);
    assert_non_null(at);
    at[0] = at[0] == '0' ? '1' : '0';
    assert_non_null(f = fopen(path_of("forged.json"), "w"));
    fputs(text, f);
    fclose(f);
}

// An episode that went to its end: the last step reveals, the file has the same, and a server that was not there
// recomputes every hash.
static void test_verified(void **state)
{
    struct client c, judge, fresh;
    char commitment[ENV_HASH_ROOM], salt[72];
    (void)state;
    client_open(&c, host_of("liars_dice"), "t");
    client_do(&c, "register_agent", PLAYER("a"));
    json_t *j = must(&c, "reset", "{'config':{'initial_state':{'seats':2}}}");
    copy_text(commitment, sizeof commitment, j, "seed_commitment");
    while (!get_bool(j, "done")) {
        assert_null(json_object_get(j, "revealed"));
        char *action = json_dumps(json_array_get(json_object_get(j, "available_actions"), 0), JSON_COMPACT);
        json_t *next = client_call(&c, "sim_step", "{'agent_id':'a','action':%s}", action);
        free(action);
        if (!next)
            fail_msg("%s", client_why(&c));
        json_decref(j);
        j = next;
    }
    json_t *revealed = json_object_get(j, "revealed"), *world = read_world(&c);
    check_commitment(revealed, commitment);
    assert_true(json_equal(revealed, json_object_get(world, "revealed")));
    client_do(&c, "save_trajectory", "{'path':'t.json','format':'json','overwrite':true}");
    json_t *file = read_file("t.json");
    json_t *reset = json_object_get(json_array_get(json_object_get(file, "episodes"), 0), "reset");
    assert_string_equal(get_text(reset, "key"), get_text(revealed, "key"));
    assert_string_equal(get_text(reset, "salt"), get_text(revealed, "salt"));
    assert_string_equal(get_text(reset, "seed_commitment"), commitment);
    copy_text(salt, sizeof salt, reset, "salt");
    json_decref(file);
    json_decref(world);
    json_decref(j);
    client_open(&judge, host_of("liars_dice"), NULL);
    j = must(&judge, "load_trajectory", "{'path':'t.json'}");
    assert_true(get_bool(j, "verified"));
    assert_true(get_int(j, "steps") > 1);
    json_decref(j);
    client_open(&fresh, host_of("liars_dice"), NULL); // the file leaves no trace in later hashes
    json_t *one = must(&judge, "reset", "{'seed':1}"), *other = must(&fresh, "reset", "{'seed':1}");
    assert_string_equal(get_text(one, "state_hash"), get_text(other, "state_hash"));
    json_decref(one);
    json_decref(other);
    client_stop(&fresh);
    forge_salt(salt);
    j = must(&judge, "load_trajectory", "{'path':'forged.json'}");
    assert_false(get_bool(j, "verified"));
    assert_string_equal(get_text(json_array_get(json_object_get(j, "mismatches"), 0), "component"), "state");
    json_decref(j);
    client_stop(&judge);
    client_stop(&c);
}

// Who loads a file knows its key: the table says so, and the next deal is as fresh as any.
static void test_loaded(void **state)
{
    struct client c, other;
    (void)state;
    client_open(&c, host_of("liars_dice"), NULL);
    client_do(&c, "register_agent", PLAYER("a"));
    client_do(&c, "reset", "{'seed':4}");
    client_do(&c, "sim_step", "{'agent_id':'a','action':2}");
    client_do(&c, "save_trajectory", "{'path':'t.json','format':'json','overwrite':true}");
    client_stop(&c);
    client_open(&c, host_of("liars_dice"), "t");
    client_open(&other, c.env, "t");
    client_do(&c, "register_agent", PLAYER("a"));
    json_t *j = must(&c, "load_trajectory", "{'path':'t.json'}");
    assert_true(get_bool(j, "verified"));
    json_decref(j);
    j = must(&c, "observe", "{'agent_id':'a'}");
    check_said(j, "seeded: not for contests");
    json_decref(j);
    j = must(&c, "reset", "{}");
    assert_true(json_is_false(json_object_get(j, "seeded")));
    json_decref(j);
    client_close(&other);
    client_stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predicted_deal), cmocka_unit_test(test_entropy),
        cmocka_unit_test(test_searched_seed),  cmocka_unit_test(test_no_digest_repeats),
        cmocka_unit_test(test_foreign_master), cmocka_unit_test(test_chosen_deal),
        cmocka_unit_test(test_new_board),      cmocka_unit_test(test_board_after_the_end),
        cmocka_unit_test(test_private_table),  cmocka_unit_test(test_old_files),
        cmocka_unit_test(test_join_secret),    cmocka_unit_test(test_owner_leaves),
        cmocka_unit_test(test_moves),          cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_seeded_is_said), cmocka_unit_test(test_debug_is_said),
        cmocka_unit_test(test_revealed),       cmocka_unit_test(test_verified),
        cmocka_unit_test(test_loaded),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

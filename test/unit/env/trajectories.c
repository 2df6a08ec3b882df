// Recordings that are saved, loaded and played again (G19).
#include "client.h"

#include "env/model.h"
#include "traj_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/agon-traj-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static void each_file(void (*visit)(const char *path, const char *name))
{
    char path[512];
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            visit(path, e->d_name);
        }
    closedir(d);
}

static void remove_one(const char *path, const char *name)
{
    (void)name;
    if (unlink(path) != 0)
        rmdir(path);
}

static int remove_folder(void **state)
{
    (void)state;
    each_file(remove_one);
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
    o.data_dir = folder;
    return o;
}

static void start(struct client *c, const char *game)
{
    struct env_options o = options_for(game);
    client_open(c, env_create(&o), NULL);
}

static json_t *read_json(const char *name)
{
    char path[256];
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    json_t *j = json_load_file(path, 0, &error);
    if (!j)
        fail_msg("%s: %s", path, error.text);
    return j;
}

static json_t *must(struct client *c, const char *tool, const char *arguments)
{
    json_t *j = client_call(c, tool, "%s", arguments);
    if (!j)
        fail_msg("%s %s: %d %s", tool, arguments, c->code, client_why(c));
    return j;
}

static void play(struct client *c, const char *id, json_t *step, int most)
{
    for (int i = 0; i < most && !get_bool(step, "done") && !get_bool(step, "truncated"); i++) {
        const char *mask = get_text(json_object_get(step, "observation"), "legal_mask");
        int index = (int)(strrchr(mask, '1') - mask);
        json_decref(step);
        step = client_call(c, "sim_step", "{'agent_id':'%s','action':%d}", id, index);
        if (!step)
            fail_msg("%s", client_why(c));
    }
    json_decref(step);
}

static const struct {
    const char *path, *format, *answers;
} files[] = {
    {"t.json", "json", "json"},
    {"t.jsonl", "json", "json"},
    {"t.msgpack", "msgpack", "msgpack"},
    {"t.h5", "hdf5", "hdf5"},
};
enum { FILES = sizeof files / sizeof *files };

static void save(struct client *c, int i, const char *more)
{
    char text[256];
    snprintf(text, sizeof text, "{'path':'%s','format':'%s','overwrite':true%s}", files[i].path, files[i].format, more);
    json_decref(must(c, "save_trajectory", text));
}

// Loads in a process of its own, so to say: another host, with other options. The last hash.
static void load_elsewhere(const char *game, const char *path, const char *hash, int steps)
{
    struct client c;
    struct env_options o = options_for(game);
    char text[256];
    o.bot_level = 0;
    o.bot_delay_ms = 7;
    o.turn_limit_s = 3;
    client_open(&c, env_create(&o), NULL);
    snprintf(text, sizeof text, "{'path':'%s'}", path);
    json_t *j = must(&c, "load_trajectory", text);
    if (!get_bool(j, "verified"))
        fail_msg("%s: %s", path, json_dumps(j, 0));
    assert_string_equal(get_text(j, "final_state_hash"), hash);
    if (steps >= 0)
        assert_int_equal(get_int(j, "steps"), steps);
    json_t *now = must(&c, "get_state_hash", "{}");
    assert_string_equal(get_text(now, "hash"), hash);
    json_decref(now);
    json_decref(j);
    client_stop(&c);
}

static void hash_now(struct client *c, char out[ENV_HASH_ROOM])
{
    json_t *j = must(c, "get_state_hash", "{}");
    snprintf(out, ENV_HASH_ROOM, "%s", get_text(j, "hash"));
    json_decref(j);
}

// --- G19.3-G19.8, G32.5, C87-C91: all games, all formats

static void test_formats(void **state)
{
    (void)state;
    for (int g = 0; client_games[g].game; g++) {
        const char *name = client_games[g].game->name;
        char hash[ENV_HASH_ROOM], sum[ENV_HASH_ROOM] = "";
        struct client c;
        start(&c, name);
        client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
        client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
        for (int e = 0; e < 3; e++) {
            play(&c, "me", client_call(&c, "reset", "{'seed':%d,'agent_id':'me'}", 40 + e), 25);
            client_do(&c, "send_message", "{'from_agent':'gm','content':{'text':'h\\u00e9 \\\"','n':[1.50,1e3]}}");
        }
        hash_now(&c, hash);
        for (int i = 0; i < FILES; i++)
            save(&c, i, "");
        json_t *all = read_json("t.json"), *header = json_object_get(all, "header");
        assert_string_equal(get_text(header, "format"), "game-rl-trajectory");
        assert_int_equal(get_int(header, "version"), 1);
        assert_string_equal(get_text(header, "game"), name);
        assert_int_equal(json_array_size(json_object_get(header, "agents")), 2);
        json_t *footer = json_object_get(all, "footer"), *episodes = json_object_get(all, "episodes");
        assert_string_equal(get_text(footer, "final_state_hash"), hash);
        assert_int_equal(json_array_size(episodes), 3);
        size_t steps = 0;
        for (int e = 0; e < 3; e++)
            steps += json_array_size(json_object_get(json_array_get(episodes, (size_t)e), "steps"));
        assert_int_equal(get_int(footer, "steps"), steps);
        snprintf(sum, sizeof sum, "%s", get_text(footer, "content_sha256"));
        for (int i = 0; i < FILES; i++) {
            struct traj_path place;
            struct traj_reader *r;
            enum traj_kind kind;
            struct span record;
            int found;
            assert_int_equal(traj_path_resolve(&place, folder, span_of(files[i].path)), TRAJ_FINE);
            assert_int_equal(traj_read_open(&r, &place), TRAJ_FINE);
            while ((found = traj_read_next(r, &kind, &record)) == 1)
                if (kind == TRAJ_FOOTER) { // G19.4: equal in all formats
                    json_t *f = client_parse(record);
                    assert_string_equal(get_text(f, "content_sha256"), sum);
                    json_decref(f);
                }
            assert_int_equal(found, 0);
            traj_read_close(r);
            traj_path_release(&place);
            load_elsewhere(name, files[i].path, hash, (int)steps);
        }
        json_decref(all);
        client_stop(&c);
    }
}

// --- G19.2

static void test_choices(void **state)
{
    struct client c;
    (void)state;
    start(&c, "liars_dice");
    client_do(&c, "register_agent", "{'agent_id':'a','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'b','agent_type':'EntityBehavior'}");
    json_decref(must(&c, "reset", "{'seed':5}"));
    for (int i = 0; i < 5; i++)
        client_do(&c, "batch_step", "{'steps':[{'agent_id':'a','action':0},{'agent_id':'b','action':0}]}");
    save(&c, 0, ",'agent_ids':['b'],'include_observations':false"); // C90
    json_t *all = read_json("t.json"), *episode = json_array_get(json_object_get(all, "episodes"), 0);
    assert_true(get_bool(json_object_get(all, "header"), "partial"));
    assert_false(get_bool(json_object_get(all, "header"), "include_observations"));
    assert_null(json_object_get(json_object_get(episode, "reset"), "observations"));
    json_t *steps = json_object_get(episode, "steps"), *step;
    size_t i;
    assert_int_equal(json_array_size(steps), 5);
    json_array_foreach(steps, i, step)
    {
        json_t *entries = json_object_get(step, "entries"), *entry = json_array_get(entries, 0);
        assert_int_equal(json_array_size(entries), 1);
        assert_string_equal(get_text(entry, "agent_id"), "b");
        assert_null(json_object_get(entry, "observation"));
        assert_non_null(json_object_get(entry, "reward"));
    }
    json_decref(all);
    static const struct {
        const char *tool, *arguments;
        int code;
        const char *name;
    } cases[] = {
        {"save_trajectory", "{'path':'x','agent_ids':['nobody']}", -32000, "AgentNotRegistered"},
        {"save_trajectory", "{'path':'x','format':'csv'}", -32602, "InvalidParams"},
        {"save_trajectory", "{'path':''}", -32602, "InvalidParams"},
        {"save_trajectory", "{}", -32602, "InvalidParams"},
        {"save_trajectory", "{'path':'x','table':1}", -32602, "InvalidParams"},
        {"save_trajectory", "{'path':'x','include_frames':1}", -32602, "InvalidParams"},
        {"load_trajectory", "{'path':'t.json'}", -32602, "InvalidParams"}, // partial
        {"load_trajectory", "{'path':'t.json','playback_mode':'backwards'}", -32602, "InvalidParams"},
        {"load_trajectory", "{'path':'missing'}", -32602, "InvalidParams"},
        {"load_trajectory", "{'path':'../x'}", -32602, "InvalidParams"},
        {"load_trajectory", "{'path':'/etc/passwd'}", -32602, "InvalidParams"},
        {"save_trajectory", "{'path':'../x'}", -32602, "InvalidParams"},
        {"save_trajectory", "{'path':'a/../x'}", -32602, "InvalidParams"},
        {"save_trajectory", "{'path':'.hidden'}", -32602, "InvalidParams"},
        {"save_trajectory", "{'path':'no/such/folder'}", -32602, "InvalidParams"},
        {"save_trajectory", "{'path':'a\\u0000b'}", -32602, "InvalidParams"},
    };
    char before[ENV_HASH_ROOM], after[ENV_HASH_ROOM];
    hash_now(&c, before);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_null(client_call(&c, cases[k].tool, "%s", cases[k].arguments));
        if (c.code != cases[k].code)
            fail_msg("%s %s: %d", cases[k].tool, cases[k].arguments, c.code);
        assert_string_equal(get_text(c.data, "name"), cases[k].name);
    }
    hash_now(&c, after);
    assert_string_equal(before, after); // G9.3
    client_stop(&c);
}

// --- what is hard to play again

static void check_replay(struct client *c, const char *game)
{
    char hash[ENV_HASH_ROOM];
    hash_now(c, hash);
    for (int i = 0; i < FILES; i++) {
        save(c, i, "");
        load_elsewhere(game, files[i].path, hash, -1);
    }
}

static void test_overseers(void **state)
{
    struct client c;
    (void)state;
    start(&c, "texas_holdem");
    client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    client_do(&c, "register_agent", "{'agent_id':'w','agent_type':'WorldSimulation'}");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior','config':{'avatar_id':'seat_1'}}");
    json_decref(must(&c, "reset",
                     "{'seed':-9223372036854775807,'config':{'domain_randomization':{'physics':"
                     "{'gravity_multiplier':[0.5,2]}}}}"));
    client_do(&c, "batch_step", "{'steps':[{'agent_id':'w','action':[1.5,0.25]},{'agent_id':'me','action':0}]}");
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'pause'}}");
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'resume'}}");
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'modify_difficulty','level':1}}");
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'restart','seed':77}}"); // a reset inside a step
    client_do(&c, "sim_step", "{'agent_id':'gm','action':{'type':'set_time','hour':3,'minute':4}}");
    client_do(&c, "sim_step", "{'agent_id':'me','action':0,'ticks':3}");
    client_do(&c, "deregister_agent", "{'agent_id':'me'}"); // the house takes over
    client_do(&c, "sim_step", "{'agent_id':'gm','action':0,'ticks':4}");
    client_do(&c, "register_agent", "{'agent_id':'you','agent_type':'EntityBehavior'}");
    client_do(&c, "sim_step", "{'agent_id':'gm','action':0,'ticks':2}");
    check_replay(&c, "texas_holdem");
    client_stop(&c);
}

static void test_one_agent_reset(void **state) // G14.5
{
    struct client c;
    (void)state;
    start(&c, "tetris");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    play(&c, "me", client_call(&c, "reset", "{'seed':3}"), 400);
    client_do(&c, "reset", "{'agent_id':'me','scope':'agent','seed':9}");
    client_do(&c, "sim_step", "{'agent_id':'me','action':0,'ticks':50}");
    client_do(&c, "reset", "{'agent_id':'me','scope':'agent'}");
    client_do(&c, "sim_step", "{'agent_id':'me','action':0,'ticks':50}");
    check_replay(&c, "tetris");
    client_stop(&c);
}

static void test_sequences(void **state)
{
    struct client c;
    (void)state;
    start(&c, "coup");
    client_do(&c, "register_agent", "{'agent_id':'a','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'b','agent_type':'EntityBehavior'}");
    json_decref(must(&c, "reset", "{'seed':11,'config':{'initial_state':{'bots':{'seat_2':0}}}}"));
    for (int i = 0; i < 12; i++)
        client_do(&c, "batch_step",
                  "{'sync_mode':'%s','steps':[{'agent_id':'a','action':{'type':'income'}},{'agent_id':'b',"
                  "'action':{'type':'income'}}]}",
                  i % 2 ? "sequential" : "async");
    check_replay(&c, "coup");
    client_stop(&c);
}

// G19.4: live sessions replay in lockstep.
static void test_live(void **state)
{
    for (int g = 0; client_games[g].game; g++) {
        const char *name = client_games[g].game->name;
        struct client c;
        struct env_options o = options_for(name);
        (void)state;
        o.bot_delay_ms = 300;
        o.turn_limit_s = 2;
        client_open(&c, env_create(&o), NULL);
        client_do(&c, "register_agent",
                  "{'agent_id':'me','agent_type':'EntityBehavior','config':{'clock_mode':'live'}}");
        for (int i = 0; i < 400; i++) {
            c.now_us += 50000;
            env_advance(c.env, c.now_us);
            if (i % 20 == 7)
                json_decref(client_call(&c, "sim_step", "{'agent_id':'me','action':0,'ticks':2}"));
            if (i == 150)
                client_do(&c, "register_agent",
                          "{'agent_id':'gm','agent_type':'GameMaster','config':{'clock_mode':'live'}}");
        }
        check_replay(&c, name);
        client_stop(&c);
    }
}

// --- G19.2: a shared table

static void test_shared(void **state)
{
    struct client a, b;
    struct env_options o = options_for("liars_dice");
    (void)state;
    o.named_tables = true;
    client_open(&a, env_create(&o), "t");
    client_open(&b, a.env, "t");
    client_do(&a, "register_agent",
              "{'agent_id':'a','agent_type':'EntityBehavior','config':{'clock_mode':'training'}}");
    json_decref(must(&a, "reset", "{}"));
    client_do(&b, "register_agent",
              "{'agent_id':'b','agent_type':'EntityBehavior','config':{'clock_mode':'training'}}");
    for (int i = 0; i < 3; i++)
        client_do(&a, "sim_step", "{'agent_id':'a','action':0}");
    save(&b, 0, "");
    json_t *all = read_json("t.json"), *episode = json_array_get(json_object_get(all, "episodes"), 0);
    json_t *reset = json_object_get(episode, "reset");
    assert_true(get_bool(json_object_get(all, "header"), "partial"));
    assert_null(json_object_get(reset, "seed"));
    assert_null(json_object_get(reset, "key"));
    assert_null(json_object_get(reset, "salt"));
    assert_int_equal(json_object_size(json_object_get(reset, "observations")), 0);
    json_t *steps = json_object_get(episode, "steps"), *step;
    size_t i;
    json_array_foreach(steps, i, step) assert_int_equal(json_array_size(json_object_get(step, "entries")), 0);
    json_decref(all);
    assert_null(client_call(&b, "save_trajectory", "{'path':'x','agent_ids':['a']}"));
    assert_int_equal(b.code, -32000);
    // Whoever takes the id of another gets nothing of what that one did.
    client_do(&a, "deregister_agent", "{'agent_id':'a'}");
    client_do(&b, "deregister_agent", "{'agent_id':'b'}");
    client_do(&b, "register_agent",
              "{'agent_id':'a','agent_type':'EntityBehavior','config':{'clock_mode':'training'}}");
    save(&b, 0, "");
    all = read_json("t.json");
    steps = json_object_get(json_array_get(json_object_get(all, "episodes"), 0), "steps");
    json_array_foreach(steps, i, step) assert_int_equal(json_array_size(json_object_get(step, "entries")), 0);
    json_decref(all);
    // After the end of the episode all of it is open, with its key (G17.6).
    json_decref(must(&b, "reset", "{}"));
    char hash[ENV_HASH_ROOM];
    hash_now(&b, hash);
    client_do(&b, "deregister_agent", "{'agent_id':'a'}");
    save(&b, 0, "");
    all = read_json("t.json");
    reset = json_object_get(json_array_get(json_object_get(all, "episodes"), 0), "reset");
    assert_int_equal(strlen(get_text(reset, "key")), 64);
    assert_int_equal(strlen(get_text(reset, "salt")), 64);
    json_decref(all);
    client_close(&b);
    client_stop(&a);
}

// --- G19.7-G19.9

static void test_playback(void **state)
{
    struct client c;
    char hash[ENV_HASH_ROOM];
    (void)state;
    start(&c, "tetris");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    play(&c, "me", client_call(&c, "reset", "{'seed':3,'agent_id':'me'}"), 6);
    hash_now(&c, hash);
    save(&c, 2, "");
    client_do(&c, "deregister_agent", "{'agent_id':'gm'}");
    client_do(&c, "register_agent", "{'agent_id':'gm2','agent_type':'GameMaster'}");
    client_do(&c, "reset", "{'seed':4}");
    json_t *j = must(&c, "load_trajectory", "{'path':'t.msgpack','verify_determinism':false}");
    assert_null(json_object_get(j, "verified"));
    assert_string_equal(get_text(j, "final_state_hash"), hash);
    json_decref(j);
    client_do(&c, "observe", "{'agent_id':'me'}");
    client_do(&c, "sim_step", "{'agent_id':'me','action':0}"); // it goes on
    assert_null(client_call(&c, "sim_step", "{'agent_id':'gm2','action':0}"));
    assert_int_equal(c.code, -32002);
    for (int cursor = 0; cursor <= 6; cursor++) { // C93
        j = must(&c, "load_trajectory", "{'path':'t.msgpack','playback_mode':'step'}");
        assert_int_equal(get_int(j, "cursor"), cursor);
        assert_int_equal(get_int(j, "remaining"), 6 - cursor);
        assert_int_equal(json_array_size(json_object_get(j, "entries")), cursor > 0);
        assert_true(get_bool(j, "verified"));
        if (cursor == 6)
            assert_string_equal(get_text(j, "final_state_hash"), hash);
        json_decref(j);
    }
    client_do(&c, "sim_step", "{'agent_id':'me','action':0}");
    assert_null(client_call(&c, "load_trajectory", "{'path':'t.msgpack','playback_mode':'realtime'}"));
    assert_int_equal(c.code, 1);
    uint64_t call = c.calls;
    int64_t begun = c.now_us;
    while (c.late_call != call && c.now_us - begun < 1000000) {
        c.now_us += 1000;
        env_advance(c.env, c.now_us);
    }
    assert_in_range(c.now_us - begun, 6 * 16000 - 1000, 6 * 16000 + 3000); // the tick rate
    assert_string_equal(get_text(c.late, "final_state_hash"), hash);
    assert_true(c.progress >= 6);
    assert_null(client_call(&c, "load_trajectory", "{'path':'t.msgpack','playback_mode':'realtime'}"));
    env_cancel(c.conn, c.calls);
    c.now_us += 1000000;
    env_advance(c.env, c.now_us);
    client_do(&c, "sim_step", "{'agent_id':'me','action':0}");
    assert_null(client_call(&c, "load_trajectory", "{'path':'t.msgpack','playback_mode':'realtime'}"));
    client_do(&c, "reset", "{'seed':4}"); // something else happens
    assert_int_equal(c.late_code, -32602);
    check_replay(&c, "tetris"); // what was loaded is part of the recording
    client_stop(&c);
}

// G19.7: the live clock stands while a trajectory takes its table, and goes on from there.
static void test_live_load(void **state)
{
    struct client c;
    (void)state;
    start(&c, "tetris");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior','config':{'clock_mode':'live'}}");
    client_do(&c, "reset", "{'seed':1}");
    for (int i = 0; i < 5; i++)
        env_advance(c.env, c.now_us += 16000);
    client_do(&c, "save_trajectory", "{'path':'live.msgpack'}");
    assert_null(client_call(&c, "load_trajectory", "{'path':'live.msgpack','playback_mode':'realtime'}"));
    for (int i = 0; i < 40 && !c.late; i++)
        env_advance(c.env, c.now_us += 16000);
    assert_non_null(c.late);
    assert_int_equal(c.late_code, 0);
    assert_int_equal(get_int(c.late, "final_tick"), 5);
    assert_true(get_bool(c.late, "verified"));
    for (int i = 0; i < 3; i++)
        env_advance(c.env, c.now_us += 16000);
    json_t *j = must(&c, "observe", "{'agent_id':'me'}");
    assert_true(get_int(j, "tick") > 5);
    json_decref(j);
    client_stop(&c);
}

// C92: a file that was changed by hand plays up to its end, and the place is told.
static void change(const char *from, const char *to, int line, const char *what, const char *into)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, from);
    FILE *in = fopen(path, "r");
    snprintf(path, sizeof path, "%s/%s", folder, to);
    FILE *out = fopen(path, "w");
    char *text = NULL, *at;
    size_t room = 0;
    for (int n = 0; getline(&text, &room, in) > 0; n++) {
        if (n == line && (at = strstr(text, what)))
            memcpy(at, into, strlen(into));
        fputs(text, out);
    }
    free(text);
    fclose(in);
    fclose(out);
}

static void test_changed(void **state)
{
    static const struct {
        int line;
        const char *what, *into, *component;
        int step;
    } cases[] = {
        {3, "\"state_hash\":\"sha256:", "\"state_hash\":\"sha256:x", "state", 2},
        {3, "\"action\":{\"type\":\"", "\"action\":{\"type\":\"xx", "action", 2},
        {4, "\"your_turn\":true", "\"your_turn\":null", "content", 5},
    };
    struct client c;
    (void)state;
    start(&c, "liars_dice");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    play(&c, "me", client_call(&c, "reset", "{'seed':3}"), 5);
    save(&c, 1, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        change("t.jsonl", "changed.jsonl", cases[i].line, cases[i].what, cases[i].into);
        for (int stepwise = 0; stepwise < 2; stepwise++) {
            json_t *j = NULL;
            do {
                json_decref(j);
                j = must(&c, "load_trajectory",
                         stepwise ? "{'path':'changed.jsonl','playback_mode':'step'}" : "{'path':'changed.jsonl'}");
            } while (get_int(j, "remaining"));
            json_t *first = json_array_get(json_object_get(j, "mismatches"), 0);
            assert_false(get_bool(j, "verified"));
            assert_string_equal(get_text(first, "component"), cases[i].component);
            assert_int_equal(get_int(first, "step"), cases[i].step);
            json_decref(j);
        }
        assert_null(client_call(&c, "load_trajectory", "{'path':'changed.jsonl','verify_determinism':false}"));
        assert_string_equal(get_text(c.data, "reason"), "damaged");
    }
    client_stop(&c);
}

// Sums that are right again do not hide a change.
static void test_mismatch(void **state)
{
    struct client c;
    (void)state;
    start(&c, "liars_dice");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    play(&c, "me", client_call(&c, "reset", "{'seed':3}"), 5);
    save(&c, 1, "");
    for (int what = 0; what < 2; what++) {
        struct traj_path from, to;
        struct traj_reader *r;
        struct traj_writer *w = NULL;
        struct traj_done done;
        enum traj_kind kind;
        struct span record;
        int steps = 0;
        assert_int_equal(traj_path_resolve(&from, folder, SPAN("t.jsonl")), TRAJ_FINE);
        assert_int_equal(traj_path_resolve(&to, folder, SPAN("changed.msgpack")), TRAJ_FINE);
        assert_int_equal(traj_read_open(&r, &from), TRAJ_FINE);
        while (traj_read_next(r, &kind, &record) == 1) {
            char *text = strndup(record.at, record.size), *at;
            steps += kind == TRAJ_STEP;
            if (kind == TRAJ_STEP && steps == 3 && what == 0) {
                at = strstr(text, "sha256:") + 7;
                *at = *at == '0' ? '1' : '0';
            } else if (kind == TRAJ_STEP && steps == 3) {
                at = strstr(text, "\"action\":{\"type\":\"") + strlen("\"action\":{\"type\":\"");
                *at = 'x';
            }
            if (kind == TRAJ_HEADER) {
                at = strchr(text, ',');
                *at = '{'; // without its k
                assert_int_equal(traj_file_open(&w, &to, TRAJ_MSGPACK, span_of(at)), TRAJ_FINE);
            } else if (kind != TRAJ_FOOTER)
                traj_write_record(w, span_of(text));
            free(text);
        }
        assert_int_equal(traj_file_close(w, &done), TRAJ_FINE);
        traj_read_close(r);
        traj_path_release(&from);
        traj_path_release(&to);
        json_t *j = must(&c, "load_trajectory", "{'path':'changed.msgpack'}");
        json_t *list = json_object_get(j, "mismatches"), *first = json_array_get(list, 0);
        assert_false(get_bool(j, "verified"));
        assert_int_equal(get_int(first, "step"), 3);
        assert_int_equal(get_int(first, "episode"), 1);
        assert_string_equal(get_text(first, "component"), what ? "action" : "state");
        if (!what)
            assert_int_equal(json_array_size(list), 1);
        json_decref(j);
    }
    client_stop(&c);
}

// --- G19.1

static void test_ceiling(void **state)
{
    struct client c;
    struct env_options o = options_for("tetris");
    (void)state;
    o.record_bytes = 1 << 20;
    client_open(&c, env_create(&o), NULL);
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    for (int e = 0; e < 60; e++)
        play(&c, "me", client_call(&c, "reset", "{'seed':%d}", e), 30);
    save(&c, 0, "");
    json_t *all = read_json("t.json"), *episodes = json_object_get(all, "episodes");
    size_t n = json_array_size(episodes);
    assert_in_range(n, 5, 55);
    json_t *last = json_object_get(json_array_get(episodes, n - 1), "reset");
    assert_int_equal(get_int(last, "episode"), 60);
    json_decref(all);
    check_replay(&c, "tetris");
    client_do(&c, "reset", "{'seed':1}"); // one episode that is larger than all
    for (int i = 0; i < 2000; i++)
        client_do(&c, "sim_step", "{'agent_id':'me','action':0}");
    assert_null(client_call(&c, "save_trajectory", "{'path':'x'}"));
    assert_int_equal(c.code, -32004);
    client_do(&c, "reset", "{'seed':1}");
    check_replay(&c, "tetris");
    client_stop(&c);
}

// --- G19.1: --record

static void test_record(void **state)
{
    static const char *const paths[] = {"run.jsonl", "run.msgpack", "run.h5"};
    char hash[ENV_HASH_ROOM];
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct client c;
        struct env_options o = options_for("coup");
        o.record = paths[i];
        client_open(&c, env_create(&o), NULL);
        client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
        play(&c, "me", client_call(&c, "reset", "{'seed':3}"), 5);
        play(&c, "me", client_call(&c, "reset", "{'seed':4}"), 5);
        assert_null(client_call(&c, "save_trajectory", "{'path':'%s'}", paths[i])); // G19.10
        assert_int_equal(c.code, -32602);
        assert_string_equal(get_text(c.data, "reason"), "recording");
        hash_now(&c, hash);
        client_stop(&c);
        load_elsewhere("coup", paths[i], hash, -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_load), cmocka_unit_test(test_formats),   cmocka_unit_test(test_choices),
        cmocka_unit_test(test_overseers), cmocka_unit_test(test_sequences), cmocka_unit_test(test_one_agent_reset),
        cmocka_unit_test(test_live),      cmocka_unit_test(test_shared),    cmocka_unit_test(test_playback),
        cmocka_unit_test(test_mismatch),  cmocka_unit_test(test_changed),   cmocka_unit_test(test_ceiling),
        cmocka_unit_test(test_record),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

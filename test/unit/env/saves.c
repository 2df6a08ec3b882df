// A model test of trajectories: random sequences of valid calls, in which files are saved and loaded at any moment. A
// save that was answered must load in another process, play to the same hash and verify. The seed of a run is in every
// message. AGON_TRAJECTORY_RUNS says how many runs there are (10; the
// gate `trajectories` takes 2,000), AGON_TRAJECTORY_SEED which is the first (1).
#include "client.h"

#include "env/actions.h"
#include "env/hash.h"

#include <dirent.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONNS = 2, IDS = 6, NAMES = 4, FILES = 16, MOST_CALLS = 60, LATE_US = 40000000, DEADLINE_S = 300 };

static char folder[64];

struct run {
    uint64_t seed;
    struct rng dice;
    struct env *env;
    struct client at[CONNS];
    int conns;
    int done; // calls
    int saved, loaded;
    char path[FILES][16]; // what can be loaded
    uint32_t paths;
    char log[1 << 16]; // what was called
    size_t logged;
};

static uint32_t draw(struct run *r, uint32_t below)
{
    return rng_below(&r->dice, below);
}

static bool is_one_in(struct run *r, uint32_t n)
{
    return draw(r, n) == 0;
}

// Fails with what is needed to do it again: the seed, and all calls of the run.
#define fail_run(r, format, ...)                                                                                       \
    do {                                                                                                               \
        fprintf(stderr, "AGON_TRAJECTORY_SEED=%llu\n%s", (unsigned long long)(r)->seed, (r)->log);                     \
        fail_msg(format, __VA_ARGS__);                                                                                 \
    } while (0)

static void note(struct run *r, const char *tool, const char *arguments, int code)
{
    int n = snprintf(r->log + r->logged, sizeof r->log - r->logged, "  %s %s -> %d\n", tool, arguments, code);
    r->logged += n > 0 && r->logged + (size_t)n < sizeof r->log ? (size_t)n : 0;
}

// A call is answered at once, when its time has come, or at the latest at the deadline of steps.
static json_t *ask(struct run *r, int who, const char *tool, const char *arguments)
{
    struct client *c = &r->at[who];
    char text[4096];
    snprintf(text, sizeof text, "%s", arguments);
    for (char *p = text; *p; p++)
        if (*p == '\'')
            *p = '"';
    json_t *answer = client_send(c, tool, text);
    uint64_t call = c->calls;
    time_t deadline = time(NULL) + DEADLINE_S; // a child writes and reads HDF5 meanwhile
    for (int i = 0; c->code == 1 && time(NULL) < deadline; i++) {
        c->now_us += r->env->savings ? 1 : i < 2000 ? 20000 : LATE_US; // a slow disk must not let the deadlines pass
        for (int other = 0; other < r->conns; other++)
            r->at[other].now_us = c->now_us;
        env_advance(r->env, c->now_us);
        if (c->late && c->late_call == call) {
            c->code = c->late_code;
            answer = c->code ? NULL : json_incref(c->late);
        }
    }
    note(r, tool, text, c->code);
    if (c->code == 1)
        fail_run(r, "%s is never answered", tool);
    r->done++;
    return answer;
}

__attribute__((format(printf, 4, 5))) static json_t *call(struct run *r, int who, const char *tool, const char *format,
                                                          ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ask(r, who, tool, text);
}

// --- calls

static const char *const ids[IDS] = {"a", "b", "c", "d", "gm", "x:1"};

static struct env_table *table_of(const struct run *r)
{
    return &r->at[0].conn->group->table[0];
}

static struct env_agent *some_agent(struct run *r, int who)
{
    struct env_agent *own[64];
    uint32_t n = 0;
    for (struct env_agent *a = r->at[who].conn->group->agents; a; a = a->next)
        if (a->conn == r->at[who].conn && n < 64)
            own[n++] = a;
    return n ? own[draw(r, n)] : NULL;
}

static void do_register(struct run *r, int who)
{
    static const char *const configs[] = {
        "{}",
        "{'guide':false}",
        "{'observation_profile':'vector','guide':false}",
        "{'observation_profile':'compact','guide':false}",
        "{'guide':false,'legal':'mask'}",
        "{'guide':false,'capabilities':['admin','narrative','spawn','world_modify','debug']}",
        "{'guide':false,'clock_mode':'live'}",
        "{'guide':false,'reward_shaping':{'components':[]}}",
        "{'guide':false,'state_hash':true,'clock_mode':'training'}",
    };
    const char *type = env_type_names[is_one_in(r, 2) ? ENV_ENTITY : draw(r, ENV_TYPES)];
    uint32_t config = draw(r, sizeof configs / sizeof *configs - (is_one_in(r, 3) ? 0 : 3));
    json_decref(call(r, who, "register_agent", "{'agent_id':'%s','agent_type':'%s','config':%s}", ids[draw(r, IDS)],
                     type, configs[config]));
}

static void do_deregister(struct run *r, int who)
{
    struct env_agent *a = some_agent(r, who);
    if (a)
        json_decref(call(r, who, "deregister_agent", "{'agent_id':'%s'}", a->id));
}

// A legal number for a seat; for others an action of the overseers.
static void write_action(struct run *r, const struct env_agent *a, char *out, size_t room)
{
    static const char *const commands[] = {
        "{'type':'set_time','params':{'hour':3,'minute':9}}",
        "{'type':'pause'}",
        "{'type':'resume'}",
        "{'type':'restart'}",
        "{'type':'restart','params':{'seed':5}}",
        "{'type':'narrate','params':{'text':'it rains'}}",
        "{'type':'set_difficulty','params':{'level':1}}",
        "[0.5,0.25]",
        "{'type':'speak','params':{'text':'hi'}}",
        "0",
    };
    char mask[1024];
    int legal[1024], n = 0;
    if (a->type != ENV_ENTITY || !a->table->episode || a->seat >= a->table->match.seats) {
        snprintf(out, room, "%s", commands[draw(r, sizeof commands / sizeof *commands)]);
        return;
    }
    int size = env_flat_mask(a, a->seat, mask);
    for (int i = 0; i < size; i++)
        if (mask[i] == '1')
            legal[n++] = i;
    snprintf(out, room, "%d", n ? legal[draw(r, (uint32_t)n)] : 0);
}

static void do_step(struct run *r, int who)
{
    char action[256];
    struct env_agent *a = some_agent(r, who);
    if (!a)
        return;
    write_action(r, a, action, sizeof action);
    json_decref(call(r, who, "sim_step", "{'agent_id':'%s','action':%s,'ticks':%u}", a->id, action, 1 + draw(r, 4)));
}

static void do_batch(struct run *r, int who)
{
    static const char *const modes[] = {"barrier", "sequential", "async"};
    char steps[2048], action[256];
    size_t n = 0;
    for (struct env_agent *a = r->at[who].conn->group->agents; a; a = a->next) {
        if (a->conn != r->at[who].conn || is_one_in(r, 4))
            continue;
        write_action(r, a, action, sizeof action);
        n += (size_t)snprintf(steps + n, sizeof steps - n, "%s{'agent_id':'%s','action':%s}", n ? "," : "", a->id,
                              action);
    }
    if (n)
        json_decref(call(r, who, "batch_step", "{'steps':[%s],'sync_mode':'%s'}", steps, modes[draw(r, 3)]));
}

static void do_reset(struct run *r, int who)
{
    struct env_agent *a = some_agent(r, who);
    const struct env_game *row = is_one_in(r, 4) ? &client_games[draw(r, 5)] : table_of(r)->row;
    switch (draw(r, 5)) {
    case 0:
        json_decref(call(r, who, "reset", "{}"));
        return;
    case 1:
        if (a)
            json_decref(call(r, who, "reset", "{'agent_id':'%s','scope':'agent'}", a->id));
        return;
    case 2:
        json_decref(call(r, who, "reset", "{'seed':%u,'config':{'scenario':'%s/%s'}}", draw(r, 1000), row->game->name,
                         row->game->scenarios[0]));
        return;
    case 3:
        json_decref(call(r, who, "reset",
                         "{'seed':-9223372036854775807,'config':{'initial_state':{'max_ticks':%u,'bots':1},"
                         "'domain_randomization':{'visual':{'texture_noise':0.5}}}}",
                         5 + draw(r, 100)));
        return;
    default:
        json_decref(call(r, who, "reset", "{'seed':%u}", draw(r, 1000)));
    }
}

static void do_streams(struct run *r, int who)
{
    static const char *const lists[] = {"", "{'name':'eye','type':'rgb','width':4,'height':3}",
                                        ("{'name':'eye','type':'depth','width':3,'height':2},{'name':'z','type':'rgb','"
                                         "width':2,'height':2,'camera':'table'}")};
    struct env_agent *a = some_agent(r, who);
    if (a)
        json_decref(
            call(r, who, "configure_streams", "{'agent_id':'%s','custom':{'streams':[%s]}}", a->id, lists[draw(r, 3)]));
}

static void do_message(struct run *r, int who)
{
    struct env_agent *a = some_agent(r, who);
    if (a)
        json_decref(call(r, who, "send_message",
                         "{'from_agent':'%s','content':{'text':'gr\\u00fc\\u00dfe','n':[1.50,-0]}}", a->id));
}

static void do_observe(struct run *r, int who)
{
    struct env_agent *a = some_agent(r, who);
    if (a)
        json_decref(call(r, who, "observe", "{'agent_id':'%s'}", a->id));
}

// --- files

static const struct {
    const char *suffix, *format;
} kinds[] = {{"json", "json"}, {"jsonl", "json"}, {"msgpack", "msgpack"}, {"h5", "hdf5"}};

// In a process of its own, with other options; what is wrong goes up the pipe.
static void load_in_child(const char *path, const char *hash, int tell)
{
    struct client c;
    char text[512] = "";
    struct env_options o;
    env_defaults(&o);
    o.games = client_games;
    o.version = "1.2.3";
    o.metrics = false;
    o.data_dir = folder;
    o.bot_level = 0;
    o.bot_delay_ms = 7;
    o.turn_limit_s = 3;
    client_open(&c, env_create(&o), NULL);
    json_t *j = client_call(&c, "load_trajectory", "{'path':'%s'}", path);
    time_t deadline = time(NULL) + DEADLINE_S;
    while (c.code == 1 && time(NULL) < deadline) {
        env_advance(c.env, c.now_us += 1000);
        if (c.late) {
            j = c.late_code ? NULL : json_incref(c.late);
            c.data = c.late_code ? json_incref(c.late) : NULL;
            c.code = c.late_code;
        }
    }
    if (!j)
        snprintf(text, sizeof text, "refused: %.400s", client_why(&c));
    else if (!get_bool(j, "verified"))
        snprintf(text, sizeof text, "not verified: %.400s", json_dumps(j, 0));
    else if (get_int(j, "episodes") && strcmp(get_text(j, "final_state_hash"), hash) != 0)
        snprintf(text, sizeof text, "ends at %.80s, not at %.80s", get_text(j, "final_state_hash"), hash);
    _exit(write(tell, text, strlen(text)) < 0 || *text != 0);
}

static void load_elsewhere(struct run *r, const char *path, const char *hash)
{
    char why[512] = "";
    int tell[2], status = -1;
    if (pipe(tell) != 0)
        fail();
    pid_t child = fork();
    if (child == 0)
        load_in_child(path, hash, tell[1]);
    close(tell[1]);
    ssize_t n = read(tell[0], why, sizeof why - 1);
    close(tell[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (n != 0 || status != 0)
        fail_run(r, "%s: %s (status %d)", path, why, status);
}

static void save_one(struct run *r, int who, const char *name, size_t kind, bool frames)
{
    char path[16], hash[ENV_HASH_ROOM];
    env_hash_state(table_of(r), hash); // a live table goes on while it is saved
    snprintf(path, sizeof path, "%s.%s", name, kinds[kind].suffix);
    json_t *j = call(r, who, "save_trajectory", "{'path':'%s','format':'%s','overwrite':true%s}", path,
                     kinds[kind].format, frames ? ",'include_frames':true" : "");
    if (!j)
        fail_run(r, "%s was not saved: %d %s", path, r->at[who].code, client_why(&r->at[who]));
    if (!get_bool(j, "partial"))
        load_elsewhere(r, path, hash);
    if (!get_bool(j, "partial") && r->paths < FILES)
        snprintf(r->path[r->paths++], sizeof r->path[0], "%s", path);
    json_decref(j);
    r->saved++;
}

static void do_save(struct run *r, int who)
{
    char name[8];
    snprintf(name, sizeof name, "t%u", draw(r, NAMES));
    save_one(r, who, name, draw(r, 4), is_one_in(r, 3));
}

static void do_load(struct run *r, int who)
{
    if (!r->paths)
        return;
    const char *path = r->path[draw(r, r->paths)];
    uint32_t mode = draw(r, 4);
    json_t *j = call(r, who, "load_trajectory", "{'path':'%s','playback_mode':'%s'}", path,
                     mode == 0   ? "step"
                     : mode == 1 ? "realtime"
                                 : "instant");
    for (uint32_t i = draw(r, 8); mode == 0 && j && i && get_int(j, "remaining"); i--) {
        json_decref(j);
        j = call(r, who, "load_trajectory", "{'path':'%s','playback_mode':'step'}", path);
        if (!j)
            fail_run(r, "%s: %s", path, client_why(&r->at[who]));
    }
    r->loaded += j != NULL;
    json_decref(j);
}

static const struct {
    void (*run)(struct run *r, int who);
    int often;
} commands[] = {{do_register, 6}, {do_deregister, 3}, {do_step, 12},   {do_batch, 6}, {do_reset, 5},
                {do_streams, 3},  {do_message, 2},    {do_observe, 1}, {do_save, 3},  {do_load, 4}};

static void do_something(struct run *r)
{
    uint32_t all = 0, n;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        all += (uint32_t)commands[i].often;
    n = draw(r, all);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (n < (uint32_t)commands[i].often) {
            commands[i].run(r, (int)draw(r, (uint32_t)r->conns));
            return;
        }
        n -= (uint32_t)commands[i].often;
    }
}

// --- runs

static void clear_folder(void)
{
    char path[512];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    closedir(d);
}

static void open_run(struct run *r, uint64_t seed)
{
    uint8_t key[RNG_KEY_BYTES] = {0};
    struct env_options o;
    memcpy(key, &seed, sizeof seed);
    *r = (struct run){.seed = seed};
    r->dice = rng_from_key(key);
    env_defaults(&o);
    o.games = client_games;
    o.version = "1.2.3";
    o.metrics = false;
    o.data_dir = folder;
    o.pinned = is_one_in(r, 3) ? NULL : client_games[draw(r, 5)].game->name;
    bool shared = is_one_in(r, 4);
    o.named_tables = shared;
    o.allow_debug = is_one_in(r, 2);
    o.vision_dir = folder;
    r->env = env_create(&o);
    r->conns = shared ? CONNS : 1;
    for (int i = 0; i < r->conns; i++)
        client_open(&r->at[i], r->env, shared ? "t" : NULL);
}

static void run_one(uint64_t seed, int *saved, int *loaded)
{
    struct run r;
    open_run(&r, seed);
    while (r.done < MOST_CALLS)
        do_something(&r);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        save_one(&r, 0, "last", kind, seed % 2 && kind);
    *saved += r.saved;
    *loaded += r.loaded;
    for (int i = 0; i < r.conns; i++)
        client_close(&r.at[i]);
    env_destroy(r.env);
    clear_folder();
}

static uint64_t setting(const char *name, uint64_t usual)
{
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 10) : usual;
}

// Runs of long counts that failed once: 1519 resets a table to another game while a playback is at it,
// 1545 restarts in a step in which another agent sends numbers.
static const uint64_t found[] = {1519, 1545};

static void test_sequences(void **state)
{
    uint64_t runs = setting("AGON_TRAJECTORY_RUNS", 10), first = setting("AGON_TRAJECTORY_SEED", 1);
    int saved = 0, loaded = 0;
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/agon-saves-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (uint64_t i = 0; i < runs; i++)
        run_one(first + i, &saved, &loaded);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        run_one(found[i], &saved, &loaded);
    rmdir(folder);
    print_message("%llu runs, %d trajectories saved and loaded elsewhere, %d loaded in between\n",
                  (unsigned long long)runs, saved, loaded);
    assert_true(runs < 10 || loaded > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sequences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

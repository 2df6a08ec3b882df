// test_trajectory: saving and loading (C87-C94). File names are relative to the server's data directory, assumed to be
// the current one, which is the default (G1.3).
#include "verify/gamerl_internal.h"
#include "verify/msgpack.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// MUTANTS: damaged files that are loaded; none may be accepted as something else, or end the server.
enum { STEPS = 12, MUTANTS = 200, MAX_FILE = 64 << 20, LOAD_MS = 60000 };

// --- files

struct file {
    char path[64];
};

static struct file name_file(struct gamerl *g, const char *suffix)
{
    struct file f;
    snprintf(f.path, sizeof f.path, "agon-verify-%d-%d%s", (int)getpid(), ++g->tables, suffix);
    return f;
}

static char *read_file(struct gamerl *g, const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    *size = 0;
    if (!f) {
        gr_skip(g, "the file is not in the current directory; run this in the server's data directory");
        return NULL;
    }
    char *bytes = malloc(MAX_FILE);
    if (bytes)
        *size = fread(bytes, 1, MAX_FILE, f);
    fclose(f);
    return bytes;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return;
    fwrite(bytes, 1, size, f);
    fclose(f);
}

// --- an episode to be saved

// An episode that was recorded, and where it ended: a file must lead there again.
struct scene {
    struct gr_agent a;
    int64_t advances; // in the episode
    json_t *final;    // hash and tick
};

static void play_scene(struct scene *s, struct gamerl *g, const char *id)
{
    *s = (struct scene){0};
    gr_offers(g, "save_trajectory");
    gr_offers(g, "load_trajectory");
    gr_player(&s->a, g, gr_connect(g), id, 0, NULL);
    gr_reset(&s->a, 13, NULL);
    for (int i = 0; i < STEPS && !gr_is_over(&s->a); i++, s->advances++)
        gr_step(&s->a, gr_legal_action(&s->a), 1);
    s->final = gr_hash(g, s->a.at);
}

static json_t *save_scene(struct scene *s, const struct file *f, const char *format)
{
    return gr_must(s->a.g, s->a.at, "save_trajectory", "{s:s,s:s*}", "path", f->path, "format", format);
}

static json_t *load_json(struct gamerl *g, const char *path)
{
    size_t size;
    char *bytes = read_file(g, path, &size);
    json_t *value = gr_keep(g, bytes ? json_loadb(bytes, size, 0, NULL) : NULL);
    free(bytes);
    gr_check(g, json_is_object(value), "%s is no JSON object", path);
    return value;
}

static json_t *last_episode(json_t *file)
{
    json_t *episodes = json_object_get(file, "episodes");
    return json_array_get(episodes, json_array_size(episodes) - 1);
}

static void saved_json(struct gamerl *g)
{
    static const char *const of_step[] = {"step_id", "tick", "ticks", "sync_mode", "state_hash", "entries"};
    struct scene s;
    struct file f = name_file(g, ".json");
    play_scene(&s, g, "recorded");
    json_t *saved = save_scene(&s, &f, "json"), *file = load_json(g, f.path), *episode = last_episode(file);
    json_t *steps = json_object_get(episode, "steps");
    gr_check(g, strcmp(gr_text(file, "header.format"), "game-rl-trajectory") == 0, "header.format is '%s'",
             gr_text(file, "header.format"));
    gr_check(g, gr_int(saved, "episodes") == (int64_t)json_array_size(json_object_get(file, "episodes")),
             "the result counts other episodes than the file has");
    gr_check(g, (int64_t)json_array_size(steps) == s.advances, "%zu steps of %lld", json_array_size(steps),
             (long long)s.advances);
    gr_check(g, gr_int(episode, "reset.seed") == 13, "the reset has another seed");
    for (int i = 0; i < 6; i++)
        gr_check(g, gr_get(json_array_get(steps, 0), of_step[i]), "a step lacks %s", of_step[i]);
    json_t *entry = gr_get(json_array_get(steps, 0), "entries.0");
    gr_check(g, gr_get(entry, "action") && gr_get(entry, "reward") && gr_get(entry, "observation"),
             "an entry lacks action, reward or observation");
    gr_check(g, gr_same(gr_get(file, "footer.final_state_hash"), gr_get(s.final, "hash")),
             "final_state_hash is not the state's");
    unlink(f.path);
}

// Counts records by name; -1 if the file is invalid.
static int64_t count_records(const char *bytes, size_t size, const char *name)
{
    int64_t n = 0;
    for (size_t at = 0, used; at < size; at += used) {
        json_t *record = msgpack_read_value((const unsigned char *)bytes + at, size - at, &used);
        if (!json_is_object(record)) {
            json_decref(record);
            return -1;
        }
        n += strcmp(gr_text(record, "k"), name) == 0;
        json_decref(record);
    }
    return n;
}

static void saved_msgpack(struct gamerl *g)
{
    struct scene s;
    struct file f = name_file(g, ".msgpack");
    size_t size;
    play_scene(&s, g, "packed");
    json_t *saved = save_scene(&s, &f, NULL);
    gr_check(g, strcmp(gr_text(saved, "format"), "msgpack") == 0, "the default format is '%s'",
             gr_text(saved, "format"));
    char *bytes = gr_goes_on(g) ? read_file(g, f.path, &size) : NULL;
    if (bytes) {
        gr_check(g, count_records(bytes, size, "header") == 1, "it has no header, or is no MessagePack");
        gr_check(g, count_records(bytes, size, "step") >= s.advances, "it has %lld steps, not %lld",
                 (long long)count_records(bytes, size, "step"), (long long)s.advances);
        gr_check(g, count_records(bytes, size, "footer") == 1, "it has no footer");
    }
    free(bytes);
    unlink(f.path);
}

static int run_command(const char *const *command)
{
    pid_t pid;
    int status;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int err = posix_spawnp(&pid, command[0], &files, NULL, (char *const *)command, environ);
    posix_spawn_file_actions_destroy(&files);
    if (err || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool declares(struct gamerl *g, const char *format)
{
    size_t i;
    json_t *name, *list = gr_get(g->manifest, "agon.trajectory_formats");
    json_array_foreach(list, i, name)
    {
        if (strcmp(json_string_value(name), format) == 0)
            return true;
    }
    return !list;
}

// Uses h5dump or Python's h5py, whichever is installed.
static void read_hdf5(struct gamerl *g, const char *path)
{
    const char *const dump[] = {"h5dump", "-H", path, NULL};
    const char *const python[] = {"/usr/bin/python3", "-c",
                                  ("import h5py,sys; f=h5py.File(sys.argv[1],'r'); sys.exit(not(f.attrs['format'] in "
                                   "('game-rl-trajectory',b'game-rl-trajectory') and len(f['episodes'])>0))"),
                                  path, NULL};
    const char *const has_python[] = {"/usr/bin/python3", "-c", "import h5py", NULL};
    if (run_command(has_python) == 0)
        gr_check(g, run_command(python) == 0, "h5py does not read it as a trajectory");
    else if (run_command((const char *const[]){"h5dump", "--version", NULL}) == 0)
        gr_check(g, run_command(dump) == 0, "h5dump does not read it");
    else
        gr_skip(g, "neither h5py nor h5dump is here");
}

static void saved_hdf5(struct gamerl *g)
{
    struct scene s;
    struct file f = name_file(g, ".h5");
    if (!declares(g, "hdf5"))
        gr_skip(g, "hdf5 is not declared");
    play_scene(&s, g, "layered");
    save_scene(&s, &f, "hdf5");
    if (gr_goes_on(g) && access(f.path, R_OK) != 0)
        gr_skip(g, "the file is not in the current directory; run this in the server's data directory");
    if (gr_goes_on(g))
        read_hdf5(g, f.path);
    unlink(f.path);
}

static void chosen(struct gamerl *g)
{
    struct scene s;
    struct gr_agent b;
    struct file f = name_file(g, ".json");
    size_t i, k;
    json_t *step, *entry;
    play_scene(&s, g, "chosen");
    gr_second(&b, g, s.a.at, "left-out", NULL);
    gr_reset(&s.a, 2, NULL);
    gr_must(g, s.a.at, "batch_step", "{s:[{s:s,s:o},{s:s,s:o}]}", "steps", "agent_id", s.a.id, "action",
            gr_wait_action(&s.a), "agent_id", b.id, "action", gr_wait_action(&b));
    gr_must(g, s.a.at, "save_trajectory", "{s:s,s:s,s:[s],s:b}", "path", f.path, "format", "json", "agent_ids", s.a.id,
            "include_observations", false);
    json_t *episode = gr_goes_on(g) ? last_episode(load_json(g, f.path)) : NULL;
    json_array_foreach(json_object_get(episode, "steps"), i, step)
    {
        json_array_foreach(json_object_get(step, "entries"), k, entry)
        {
            gr_check(g, strcmp(gr_text(entry, "agent_id"), s.a.id) == 0, "an entry is of %s",
                     gr_text(entry, "agent_id"));
            gr_check(g, !json_object_get(entry, "observation"), "an entry has an observation");
        }
    }
    gr_refused(g, s.a.at, -32000, "save_trajectory", "{s:s,s:[s]}", "path", f.path, "agent_ids", "nobody");
    unlink(f.path);
}

static json_t *load_file(struct gamerl *g, struct rpc *r, const struct file *f, const char *mode)
{
    int64_t id = gr_send(g, r, "load_trajectory", "{s:s,s:s*}", "path", f->path, "playback_mode", mode);
    json_t *answer = gr_answer(g, r, id, LOAD_MS);
    gr_check(g, gr_code(answer) == 0, "load_trajectory was refused: %d %.80s", gr_code(answer),
             gr_text(answer, "error.message"));
    return gr_content(g, answer);
}

static void check_verified(struct scene *s, json_t *saved, const char *where)
{
    struct gamerl *g = s->a.g;
    gr_check(g, gr_true(saved, "verified") && json_array_size(json_object_get(saved, "mismatches")) == 0,
             "%s: it is not verified", where);
    gr_check(g, gr_same(gr_get(saved, "final_state_hash"), gr_get(s->final, "hash")), "%s: it ends in another state",
             where);
}

static void loaded(struct gamerl *g)
{
    static const char *const formats[] = {"json", "msgpack", "hdf5"}, *const suffixes[] = {".json", ".msgpack", ".h5"};
    struct scene s;
    play_scene(&s, g, "again");
    struct file f[3];
    for (int i = 0; i < 3; i++) {
        f[i] = name_file(g, suffixes[i]);
        if (declares(g, formats[i]))
            save_scene(&s, &f[i], formats[i]);
    }
    struct rpc *other = gr_connect(g);
    for (int i = 0; i < 3; i++) {
        if (!declares(g, formats[i]))
            continue;
        check_verified(&s, load_file(g, s.a.at, &f[i], NULL), formats[i]);
        check_verified(&s, load_file(g, other, &f[i], NULL), "in a new process");
        unlink(f[i].path);
    }
}

// Changes a hash in the file, in one step, or an action.
static void forge_file(struct gamerl *g, struct file *f, int at, bool action)
{
    json_t *file = load_json(g, f->path),
           *step = json_array_get(json_object_get(last_episode(file), "steps"), (size_t)at);
    if (action)
        json_object_set_new(gr_get(step, "entries.0"), "action", json_pack("{s:s,s:{}}", "type", "wait", "params"));
    else
        json_object_set_new(step, "state_hash", json_sprintf("sha256:%064d", 7));
    char *text = json_dumps(file, JSON_COMPACT);
    if (text)
        write_file(f->path, text, strlen(text));
    free(text);
}

static void forged(struct gamerl *g)
{
    struct scene s;
    for (int action = 0; action < 2; action++) {
        struct file f = name_file(g, ".json");
        play_scene(&s, g, "forged");
        save_scene(&s, &f, "json");
        int at = s.advances > 4 ? 4 : (int)s.advances - 1; // of a short episode the last step
        bool waits = strcmp(gr_text(s.a.step, "available_actions.0.type"), "wait") == 0;
        if (gr_goes_on(g) && !(action && waits)) { // an action other than the recorded one
            forge_file(g, &f, at, action);
            json_t *saved = load_file(g, s.a.at, &f, NULL);
            gr_check(g, json_is_false(gr_get(saved, "verified")), "a changed %s is not noticed",
                     action ? "action" : "hash");
            int64_t noticed = gr_int(saved, "mismatches.0.step");
            gr_check(g, json_array_size(json_object_get(saved, "mismatches")) > 0 && noticed >= at && noticed <= at + 1,
                     "a changed %s is reported at step %lld", action ? "action" : "hash", (long long)noticed);
        }
        unlink(f.path);
    }
}

static void playback(struct gamerl *g)
{
    struct scene s;
    struct file f = name_file(g, ".json");
    play_scene(&s, g, "player");
    save_scene(&s, &f, "json");
    json_t *instant = load_file(g, s.a.at, &f, "instant"), *realtime = load_file(g, s.a.at, &f, "realtime");
    gr_check(g, gr_same(gr_get(instant, "final_state_hash"), gr_get(realtime, "final_state_hash")),
             "realtime playback ends in another state");
    json_t *step = load_file(g, s.a.at, &f, "step");
    for (int i = 0; i < 1000 && gr_goes_on(g) && gr_int(step, "remaining") > 0; i++)
        step = load_file(g, s.a.at, &f, "step");
    gr_check(g, gr_same(gr_get(gr_hash(g, s.a.at), "hash"), gr_get(instant, "final_state_hash")),
             "playback by steps ends in another state");
    unlink(f.path);
}

// --- forbidden paths

static void refuse_path(struct gamerl *g, struct rpc *r, const char *tool, const char *path)
{
    gr_refused(g, r, -32602, tool, "{s:s}", "path", path);
}

static void bad_paths(struct gamerl *g, struct rpc *r)
{
    struct file link = name_file(g, ".json"), missing = name_file(g, ".json");
    char outside[96];
    struct stat there;
    snprintf(outside, sizeof outside, "../%s", missing.path);
    refuse_path(g, r, "save_trajectory", outside);
    refuse_path(g, r, "load_trajectory", outside);
    gr_check(g, stat(outside, &there) != 0, "it wrote outside its directory");
    refuse_path(g, r, "load_trajectory", missing.path);
    if (symlink("/etc/passwd", link.path) == 0) {
        refuse_path(g, r, "load_trajectory", link.path);
        refuse_path(g, r, "save_trajectory", link.path);
    }
    unlink(link.path);
}

static uint32_t draw_number(uint32_t *dice)
{
    *dice = *dice * 1664525 + 1013904223;
    return *dice >> 8;
}

// Changes a byte, cuts a part off, or duplicates a part. The reply may be an error or a list of mismatches.
static size_t mutate_bytes(char *bytes, size_t size, uint32_t *dice)
{
    for (unsigned i = draw_number(dice) % 3 + 1; i && size > 16; i--)
        switch (draw_number(dice) % 3) {
        case 0:
            bytes[draw_number(dice) % size] = (char)draw_number(dice);
            break;
        case 1:
            size = draw_number(dice) % size + 1;
            break;
        default:
            memmove(bytes + size / 3, bytes, size / 3);
        }
    return size;
}

static void load_mutants(struct scene *s, const char *format, int count, uint32_t seed)
{
    struct gamerl *g = s->a.g;
    struct file f = name_file(g, strcmp(format, "json") == 0 ? ".json" : ".msgpack");
    size_t size;
    uint32_t dice = seed;
    save_scene(s, &f, format);
    char *sound = gr_goes_on(g) ? read_file(g, f.path, &size) : NULL, *bytes = sound ? malloc(size + 1) : NULL;
    for (int i = 0; i < count && bytes && gr_goes_on(g); i++) {
        memcpy(bytes, sound, size);
        write_file(f.path, bytes, mutate_bytes(bytes, size, &dice));
        size_t mark = gr_mark(g);
        int64_t id = gr_send(g, s->a.at, "load_trajectory", "{s:s}", "path", f.path);
        int code = gr_code(gr_answer(g, s->a.at, id, LOAD_MS));
        gr_check(g, code == 0 || code == -32602, "%s mutant %d: %d, not -32602", format, i, code);
        if (gr_goes_on(g))
            gr_trim(g, mark, NULL);
    }
    free(bytes);
    free(sound);
    unlink(f.path);
}

static void hostile(struct gamerl *g)
{
    struct scene s;
    play_scene(&s, g, "victim");
    bad_paths(g, s.a.at);
    load_mutants(&s, "json", MUTANTS / 2, 1);
    load_mutants(&s, "msgpack", MUTANTS / 2, 2);
    gr_check(g, gr_code(gr_ask(g, s.a.at, "ping", NULL)) == 0, "it does not answer any more");
}

const struct gamerl_gate gamerl_trajectory[] = {
    {"C87", 2, false, "G19.5", "json parses; step count and members right", saved_json},
    {"C88", 2, false, "G19.5", "msgpack is the default and read by an independent library", saved_msgpack},
    {"C89", 2, false, "G19.6", "hdf5 is read by an independent tool", saved_hdf5},
    {"C90", 2, false, "G19.2", "agent_ids and include_observations are honoured", chosen},
    {"C91", 2, false, "G19.8", "load verifies and ends with the recorded hash, also in a new process", loaded},
    {"C92", 2, false, "G19.8", "a changed action or hash is reported at its step", forged},
    {"C93", 2, false, "G19.8", "instant, realtime and step playback end in the same state", playback},
    {"C94", 2, false, "G19.10",
     "traversal, symbolic link, missing file, 200 mutated files: error, nothing written, no crash", hostile},
    {0},
};

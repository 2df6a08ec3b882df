// Recordings: in memory, and on disk while they grow (G19.1).
#include "env/recording.h"
#include "env/hash.h"
#include "env/host.h"
#include "env/replay.h"
#include "env/reveal.h"

#include <stdio.h>
#include <stdlib.h>

// When the memory is used up, the largest recording loses its oldest episode, so that a client with many tables cannot
// make others lose theirs.
enum { ALL_RECORDINGS = 1 << 30, LEAST_RECORDING = 1 << 20 };

// --- in memory

// The tables of one connection share its limit, and all recordings of the host share ALL_RECORDINGS.
static struct traj_recording *make_recording(const struct env_table *t)
{
    struct env *env = t->group->env;
    size_t tables = (size_t)t->group->count, bytes = env->o.record_bytes / tables;
    if (bytes < LEAST_RECORDING)
        bytes = env->o.record_bytes < LEAST_RECORDING ? env->o.record_bytes : LEAST_RECORDING;
    if (!env->recordings)
        env->recordings = traj_pool_create(ALL_RECORDINGS);
    return traj_recording_create(env->recordings, bytes, env->o.record_steps / tables + 1);
}

static void log_error(struct env_table *t, const char *message)
{
    for (struct env_conn *c = t->group->env->conns; c; c = c->next)
        if (c->group == t->group && !c->gone && c->hooks->on_log)
            c->hooks->on_log(c->owner, "error", message);
}

// --- headers

void env_recording_put_manifest_hash(struct text *s, struct env_group *g)
{
    struct env_conn reader = {.env = g->env, .group = g};
    struct text manifest = {.grow = env_text_grow};
    char hash[ENV_HASH_ROOM];
    const char *mime;
    env_read(&reader, SPAN("game://manifest"), &manifest, &mime);
    env_hash_text(text_span(&manifest), hash);
    free(manifest.at);
    json_put_text(s, "manifest_hash", hash);
}

void env_recording_begin_header(struct text *s, const struct env_table *t, bool partial, const char *by)
{
    json_begin_object(s);
    json_put_text(s, "format", "game-rl-trajectory");
    json_put_int(s, "version", 1);
    json_put_text(s, "game", t->row->game->name);
    json_put_text(s, "game_version", t->group->env->o.version);
    json_put_text(s, "game_rl_version", ENV_GAME_RL_VERSION);
    env_put_time(s, "created", t->group->env, t->group->env->now_us);
    json_put_bool(s, "partial", partial);
    if (by) // before anything written by a client: it is found in the first bytes
        json_put_text(s, "saved_by", by);
    env_put_warning(s, t);
}

// --- on disk

// run.jsonl belongs to the first table; the others have their name or number before the suffix.
static void path_of(const struct env_table *t, char *out, size_t room)
{
    const char *path = t->group->env->o.record, *name = t->group->name, *dot = strrchr(path, '.');
    bool first = t->number == 0 && (!*name || strcmp(name, "main") == 0);
    if (first || !dot)
        snprintf(out, room, "%s", path);
    else if (*name)
        snprintf(out, room, "%.*s.%s%s", (int)(dot - path), path, name, dot);
    else
        snprintf(out, room, "%.*s.%d%s", (int)(dot - path), path, t->number, dot);
}

// Clients name tables, and every table has a file: these count like saved ones. The operator's own does not count.
static bool is_journal_allowed(const struct env_table *t, const char *path)
{
    struct env *env = t->group->env;
    struct traj_path place;
    bool allowed = true;
    if (!env->o.traj_files || strcmp(path, env->o.record) == 0)
        return true;
    if (!env->save_folder)
        env->save_folder = traj_save_folder_create();
    if (traj_path_resolve(&place, env->o.data_dir, span_of(path)) == TRAJ_FINE)
        allowed = traj_save_folder_count(env->save_folder, &place, "").files < (uint64_t)env->o.traj_files;
    traj_path_release(&place);
    return allowed;
}

static void open_journal(struct env_table *t)
{
    struct text header = {.grow = env_text_grow};
    char path[4096], message[512];
    path_of(t, path, sizeof path);
    if (!is_journal_allowed(t, path)) {
        t->journal_failed = true;
        log_error(t, "this table is not recorded: there are as many trajectories as --trajectory-files allows");
        return;
    }
    env_recording_begin_header(&header, t, false, NULL);
    json_key(&header, "agents");
    json_write_raw(&header, SPAN("[]")); // they come with the resets
    json_put_bool(&header, "include_observations", true);
    json_put_bool(&header, "include_frames", false);
    env_recording_put_manifest_hash(&header, t->group);
    json_put_bool(&header, "streamed", true);
    json_end_object(&header);
    enum traj_fault f = traj_journal_open(&t->journal, t->group->env->o.data_dir, span_of(path), text_span(&header));
    free(header.at);
    t->journal_failed = f != TRAJ_FINE;
    if (!t->journal_failed)
        return;
    snprintf(message, sizeof message, "nothing is recorded to %.200s; it should be %s", path, traj_fault_text(f));
    log_error(t, message);
}

static void write_journal(struct env_table *t, struct span json)
{
    static const struct traj_choice all = {.observations = true, .secrets = true};
    struct text *s = &t->group->env->hashed;
    if (!t->journal && !t->journal_failed)
        open_journal(t);
    s->size = 0;
    s->full = false;
    if (!t->journal || t->journal_failed || !traj_select(s, json, &all))
        return;
    traj_journal_add(t->journal, text_span(s));
    if (!traj_journal_error(t->journal))
        return;
    t->journal_failed = true; // the file stays locked: it has the key of the running episode
    log_error(t, "the recording has stopped: the disk takes no more; it ends with the last whole record");
}

void env_recording_add(struct env_table *t, enum traj_kind kind, struct span json)
{
    const struct env_options *o = &t->group->env->o;
    if (o->record_bytes) {
        if (!t->recording)
            t->recording = make_recording(t);
        traj_recording_add(t->recording, kind, json);
    }
    if (o->record && (kind == TRAJ_RESET || t->journal))
        write_journal(t, json);
}

void env_recording_release(struct env_table *t)
{
    env_replay_stop(t);
    traj_recording_destroy(t->recording);
    t->recording = NULL;
    if (t->journal)
        traj_journal_close(t->journal);
    t->journal = NULL;
}

// --- what clients may save

// What is used, the limit, and what to do about it.
static const struct {
    const char *name, *why;
} limits[] = {
    [TRAJ_OWN_FILES] = {"own_files",
                        "You have saved as many trajectories as one client may (%llu of %llu). Overwrite one "
                        "of yours, or ask the operator to delete some or to raise --trajectory-own-files."},
    [TRAJ_FILES] = {"files",
                    "The server keeps as many trajectories as it may (%llu of %llu). Ask the operator to delete "
                    "some or to raise --trajectory-files."},
    [TRAJ_OWN_BYTES] = {"own_mib",
                        "Your trajectories would be larger than those of one client may be (%llu of %llu MiB "
                        "are used). Overwrite one of yours, leave out observations or frames, or ask the "
                        "operator to delete some or to raise --trajectory-own-mib."},
    [TRAJ_BYTES] = {"mib",
                    "The trajectories of this server would be larger than they may be (%llu of %llu MiB are used). "
                    "Leave out observations or frames, or ask the operator to delete some or to raise "
                    "--trajectory-mib."},
};

static bool refuse_limit(struct env *env, enum traj_limit reached, const struct traj_usage *u, struct env_result *r)
{
    const uint64_t used[] = {u->own_files, u->files, u->own_bytes >> 20, u->bytes >> 20};
    const int most[] = {env->o.own_files, env->o.traj_files, env->o.own_mib, env->o.traj_mib};
    *r = env_refuse_because(env, -32004, "ResourceExhausted", limits[reached].why, (unsigned long long)used[reached],
                            (unsigned long long)most[reached]);
    env_refusal_put(env, r, "reason", limits[reached].name);
    env_refusal_int(env, r, "limit", most[reached]);
    env_refusal_int(env, r, "used", (int64_t)used[reached]);
    return false;
}

// Bytes that this file may have besides all others.
static uint64_t room_for(struct env_conn *c, const struct traj_path *p, struct traj_usage *u, enum traj_limit *reached)
{
    struct env *env = c->env;
    const struct env_options *o = &env->o;
    struct traj_limits l = {(uint64_t)o->traj_files, (uint64_t)o->traj_mib << 20, (uint64_t)o->own_files,
                            (uint64_t)o->own_mib << 20};
    *u = (struct traj_usage){0};
    if (!l.files && !l.bytes && !l.own_files && !l.own_bytes)
        return UINT64_MAX;
    if (!env->save_folder)
        env->save_folder = traj_save_folder_create();
    *u = traj_save_folder_count(env->save_folder, p, c->caller);
    return traj_save_folder_room(&l, u, reached);
}

bool env_recording_admit(struct env_conn *c, const struct traj_path *p, bool overwrite, uint64_t *most,
                         struct env_result *r)
{
    struct traj_usage u;
    enum traj_limit reached = TRAJ_BYTES;
    enum traj_fault f = traj_path_may_save(p, c->caller, overwrite);
    if (f != TRAJ_FINE) {
        env_refuse_trajectory(c->env, f, r);
        return false;
    }
    *most = room_for(c, p, &u, &reached);
    return *most ? true : refuse_limit(c->env, reached, &u, r);
}

bool env_recording_admit_size(struct env_conn *c, const struct traj_path *p, uint64_t bytes, struct env_result *r)
{
    struct traj_usage u;
    enum traj_limit reached = TRAJ_BYTES;
    return room_for(c, p, &u, &reached) >= bytes ? true : refuse_limit(c->env, reached, &u, r);
}

// --- refusals

bool env_refuse_trajectory(struct env *env, enum traj_fault fault, struct env_result *r)
{
    static const char *const reasons[] = {
        [TRAJ_OUTSIDE] = "outside", [TRAJ_LINK] = "not_regular", [TRAJ_MISSING] = "missing",
        [TRAJ_BUSY] = "recording",  [TRAJ_DAMAGED] = "damaged",  [TRAJ_PARTIAL] = "partial",
        [TRAJ_NAME] = "name",       [TRAJ_EXISTS] = "exists",    [TRAJ_FOREIGN] = "no_trajectory",
        [TRAJ_OTHERS] = "others",
    };
    if (fault < TRAJ_NO_ROOM)
        *r = env_bad(env, "/path", traj_fault_text(fault), reasons[fault]);
    else if (fault == TRAJ_NOT_BUILT)
        *r = env_refuse(env, -32603, "FormatNotBuilt", "This server has no HDF5; take json or msgpack.");
    else if (fault == TRAJ_TOO_LARGE)
        *r = env_refuse(env, -32004, "ResourceExhausted",
                        "The pictures are too large for a file; choose agent_ids, smaller streams or no frames.");
    else if (fault == TRAJ_UNSOUND)
        *r = env_refuse(env, -32603, "Internal",
                        "The file did not read back as it was recorded; nothing was saved. Please report this.");
    else if (fault == TRAJ_NO_ROOM)
        *r = env_refuse(env, -32603, "Internal", "The disk is full; nothing was written. Make room and try again.");
    else
        *r = env_refuse(env, -32603, "Internal", "The file could not be written; nothing is left of it.");
    return true;
}

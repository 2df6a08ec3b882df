// save_trajectory: writes a recording to a file (G19.2).
#include "env/save.h"
#include "env/arguments.h"
#include "env/host.h"
#include "env/job.h"
#include "env/recording.h"
#include "env/replay.h"
#include "env/schema.h"
#include "env/tools.h"
#include "env/vision.h"

#include <stdlib.h>

// Bytes of pictures in a file. A JSON file is read at once, with its base64, so it may have fewer.
enum { ALL_PICTURES = 1 << 30, JSON_PICTURES = 128 << 20 };
// Each holds the memory of the recording that it saves. A child is polled at this interval.
enum { MOST_SAVINGS = 4, CHILD_WAIT_US = 1000 };

struct own_agent { // an agent of the client
    char id[ENV_ID_ROOM];
    uint64_t since;
};

// A small recording is written and verified within the call; at a host with one client a larger one too. Anything
// longer is pending: slices of the work are done between those of others, from a copy of the recording.
struct env_saving {
    struct env_saving *next; // in the host's list, when pending
    struct env_conn *conn;
    uint64_t call;
    bool progress;
    struct env_table *table;          // while the call begins
    struct traj_recording *recording; // a copy of the recording; NULL: nothing was recorded
    const struct env_game *row;
    struct traj_writer *writer;
    bool overwrite;
    bool patient;             // completed within the call, which may wait for a child
    bool waits;               // for a child
    bool dropped;             // cancelled while a job was saving: freed when that has ended
    struct env_replay *check; // verification of the finished file; NULL: it is still being written
    struct traj_done done;    // of the finished file
    struct traj_path file;    // its destination
    enum traj_format format;
    struct text path, wanted; // as JSON; agent_ids, or empty
    bool observations;
    struct env_replay *pictured_replay; // where pictures are drawn again; NULL: not requested
    uint64_t pictures;                  // their bytes so far
    bool guarded; // G19.2: a running episode of a shared session does not belong to the client alone
    struct own_agent *own;
    int own_count;
    bool open;             // the current record belongs to that episode
    uint64_t position, at; // its position; the next one
    uint64_t steps;        // so far
    bool partial;
    uint64_t last;      // position of the last reset
    struct text agents; // a list of their records
    struct text record, chosen, framed;
};

static bool is_listed(struct span list, struct span id)
{
    struct json_reader in = json_reader_of(list, 4);
    for (json_enter_array(&in); json_next_item(&in);)
        if (span_equals(json_read_string(&in).raw, id))
            return true;
    return false;
}

static bool is_own(const struct env_saving *s, struct span id)
{
    for (int i = 0; i < s->own_count; i++)
        if (span_is(id, s->own[i].id))
            return s->position >= s->own[i].since; // it may have been another's before
    return false;
}

static bool has_agent(const void *owner, struct span id)
{
    const struct env_saving *s = owner;
    return (!s->wanted.size || is_listed(text_span(&s->wanted), id)) && (!s->open || is_own(s, id));
}

static void list_add(struct text *list, struct span json)
{
    list->size--; // its bracket
    if (list->size > 1)
        text_put_char(list, ',');
    text_put(list, json);
    text_put_char(list, ']');
}

static bool has_agent_record(const struct text *list, struct span id)
{
    struct json_reader in = json_reader_of(text_span(list), 8);
    struct span known;
    for (json_enter_array(&in); json_next_item(&in);)
        if (json_find_member(json_read_raw(&in), "agent_id", &known) && span_equals(known, id))
            return true;
    return false;
}

// Each agent once, as first registered.
static void add_agent(struct env_saving *s, struct span record)
{
    struct span id, type;
    if (!json_find_member(record, "agent_type", &type) || !json_find_member(record, "agent_id", &id) ||
        has_agent_record(&s->agents, id))
        return;
    if (s->wanted.size && !is_listed(text_span(&s->wanted), (struct span){id.at + 1, id.size - 2}))
        s->partial = true;
    else
        list_add(&s->agents, record);
}

static void add_agents_of(struct env_saving *s, enum traj_kind kind)
{
    struct span list, record = text_span(&s->record);
    if (kind == TRAJ_AGENT)
        add_agent(s, record);
    if (kind != TRAJ_RESET || !json_find_member(record, "agents", &list))
        return;
    struct json_reader in = json_reader_of(list, 64);
    for (json_enter_array(&in); json_next_item(&in);)
        add_agent(s, json_read_raw(&in));
}

// First pass: finds the agents, and where the running episode begins.
static void scan_all(struct env_saving *s)
{
    uint64_t at = s->at, before = at;
    enum traj_kind kind;
    while (s->recording && traj_recording_next(s->recording, &at, &s->record, &kind)) {
        add_agents_of(s, kind);
        env_spend(s->conn->env, ENV_COST_RECORD);
        if (kind == TRAJ_RESET)
            s->last = before;
        before = at;
    }
    s->partial |= s->guarded;
}

// The chosen step with pictures after its entries: what the cameras see after it.
static void add_pictures(struct env_saving *s)
{
    struct span record = text_span(&s->chosen), entries = {0}, id;
    struct text *out = &s->framed;
    out->size = 0;
    out->full = false;
    json_find_member(record, "entries", &entries);
    text_put(out, (struct span){record.at, (size_t)(entries.at - record.at)});
    json_begin_array(out);
    struct json_reader in = json_reader_of(entries, 64);
    for (json_enter_array(&in); json_next_item(&in);) {
        struct span entry = json_read_raw(&in);
        if (out->at[out->size - 1] != '[')
            text_put_char(out, ',');
        text_put(out, (struct span){entry.at, entry.size - 1});
        json_find_member(entry, "agent_id", &id);
        struct env_agent *a = env_replay_find(s->pictured_replay, env_json_string(id));
        if (a && a->streams)
            s->pictures += env_put_pictures(out, a);
        json_end_object(out);
    }
    json_end_array(out);
    const char *rest = entries.at + entries.size;
    text_put(out, (struct span){rest, (size_t)(record.at + record.size - rest)});
}

// The chosen reset with the first pictures of its agents' cameras.
static void add_first_pictures(struct env_saving *s, const struct traj_choice *c)
{
    struct text *out = &s->framed;
    out->size = 0;
    out->full = false;
    text_put(out, (struct span){s->chosen.at, s->chosen.size - 1}); // without its brace
    json_begin_object_at(out, "frames");
    for (struct env_agent *a = env_replay_agents(s->pictured_replay); a; a = a->next) {
        if (!a->streams || (c->has && !c->has(c->owner, span_of(a->id))))
            continue;
        json_key(out, a->id);
        size_t at = out->size;
        s->pictures += env_put_pictures(out, a);
        // It writes a member "frames" of an open object; only the value is needed.
        static const char key[] = "\"frames\":";
        if (!out->full && out->size > at + sizeof key) {
            size_t skip = sizeof key - 1 + (out->at[at] == ',');
            memmove(out->at + at, out->at + at + skip, out->size - at - skip);
            out->size -= skip;
        }
    }
    json_end_object(out);
    json_end_object(out);
}

struct writing {
    struct env_saving *saving;
    const struct traj_choice *choice;
};

static void select_and_write(void *arg)
{
    struct writing *w = arg;
    struct env_saving *s = w->saving;
    if (traj_select(&s->chosen, text_span(&s->record), w->choice))
        traj_write_record(s->writer, text_span(&s->chosen));
}

static void write_framed(void *arg)
{
    struct env_saving *s = arg;
    traj_write_record(s->writer, text_span(&s->framed));
}

// Processes a record of this size, on a worker thread if it is large.
static void run_sized(struct env_saving *s, size_t size, work_run *run, void *arg)
{
    struct env *env = s->conn->env;
    if (size > TRAJ_MAX_READY) {
        env_offload(env, run, arg);
        return;
    }
    work_count(env->o.work, (uint32_t)(size / ENV_COST_BYTES));
    run(arg);
}

static enum traj_fault write_record(struct env_saving *s, enum traj_kind kind, const struct traj_choice *c)
{
    struct span record = text_span(&s->record);
    s->chosen.size = 0;
    s->chosen.full = false;
    if (s->pictured_replay && !env_replay_apply_record(s->pictured_replay, kind, record))
        return TRAJ_BROKEN;
    if (!s->pictured_replay || (kind != TRAJ_STEP && kind != TRAJ_RESET)) {
        run_sized(s, record.size, select_and_write, &(struct writing){s, c});
        return TRAJ_FINE;
    }
    if (!traj_select(&s->chosen, record, c))
        return TRAJ_FINE;
    if (kind == TRAJ_STEP)
        add_pictures(s);
    else
        add_first_pictures(s, c);
    if (s->framed.full || s->framed.size > TRAJ_MAX_RECORD ||
        s->pictures > (s->format == TRAJ_JSON ? JSON_PICTURES : ALL_PICTURES))
        return TRAJ_TOO_LARGE;
    run_sized(s, s->framed.size, write_framed, s);
    return TRAJ_FINE;
}

// The next record. Returns false if there was none, or sets `fault`.
static bool write_next(struct env_saving *s, enum traj_fault *fault)
{
    enum traj_kind kind;
    s->position = s->at;
    if (!s->recording || !traj_recording_next(s->recording, &s->at, &s->record, &kind))
        return false;
    s->open = s->guarded && s->position >= s->last;
    struct traj_choice c = {.observations = s->observations, .secrets = !s->open, .owner = s};
    c.has = s->open || s->wanted.size ? has_agent : NULL;
    s->steps += kind == TRAJ_STEP;
    *fault = write_record(s, kind, &c);
    return *fault == TRAJ_FINE;
}

static void write_answer(struct env_saving *s)
{
    const struct traj_done *done = &s->done;
    struct text *t = &s->conn->env->out;
    t->size = 0;
    t->full = false;
    json_begin_object(t);
    json_put_raw(t, "path", text_span(&s->path));
    json_put_text(t, "format", traj_format_names[s->format]);
    json_put_uint(t, "episodes", done->episodes);
    json_put_uint(t, "steps", done->steps);
    json_begin_array_at(t, "agents");
    struct json_reader in = json_reader_of(text_span(&s->agents), 8);
    struct span id;
    for (json_enter_array(&in); json_next_item(&in);)
        if (json_find_member(json_read_raw(&in), "agent_id", &id))
            json_write_raw(t, id);
    json_end_array(t);
    json_put_uint(t, "bytes", done->bytes);
    json_put_text(t, "sha256", done->sha256);
    json_put_bool(t, "partial", s->partial);
    if (!env_replay_is_verified(s->check)) // it can be loaded, but its hashes differ from the recorded ones
        json_put_bool(t, "verified", false);
    json_end_object(t);
}

struct opening {
    struct env_saving *saving;
    struct span header;
    uint64_t most;
    enum traj_fault fault;
};

static void begin_file(void *arg)
{
    struct opening *o = arg;
    struct env_saving *s = o->saving;
    o->fault = traj_write_begin(&s->writer, &s->file, s->format, o->header, s->overwrite, o->most);
}

// On a worker thread: creates a file, and a child for HDF5, which takes longer the more memory the server has.
static enum traj_fault open_writer(struct env_saving *s, uint64_t most)
{
    struct text header = {.grow = env_text_grow};
    env_recording_begin_header(&header, s->table, s->partial, s->conn->caller);
    json_put_raw(&header, "agents", text_span(&s->agents));
    json_put_bool(&header, "include_observations", s->observations);
    json_put_bool(&header, "include_frames", s->pictured_replay != NULL);
    env_recording_put_manifest_hash(&header, s->conn->group);
    json_end_object(&header);
    struct opening o = {s, text_span(&header), most, TRAJ_FINE};
    env_offload(s->conn->env, begin_file, &o);
    free(header.at);
    return o.fault;
}

// Returns false if refused.
static bool open_file(struct env_saving *s, struct env_result *r)
{
    char name[TRAJ_MAX_NAME + 1];
    struct env *env = s->conn->env;
    uint64_t most;
    int size = json_string_copy(env_json_string(text_span(&s->path)), name, sizeof name);
    enum traj_fault fault = size < 0 ? TRAJ_NAME : traj_path_of_name(&s->file, env->o.data_dir, span_of(name), true);
    if (fault != TRAJ_FINE) {
        env_refuse_trajectory(env, fault, r);
        return false;
    }
    if (!env_recording_admit(s->conn, &s->file, s->overwrite, &most, r))
        return false;
    if (s->format == TRAJ_JSON && traj_format_of(name, TRAJ_JSON) == TRAJ_JSONL)
        s->format = TRAJ_JSONL;
    fault = open_writer(s, most);
    if (fault != TRAJ_FINE)
        env_refuse_trajectory(env, fault, r);
    return fault == TRAJ_FINE;
}

// --- course

static void saving_destroy(struct env_saving *s)
{
    for (struct env_saving **at = &s->conn->env->savings; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    if (s->check)
        env_replay_destroy(s->check);
    if (s->writer)
        traj_write_drop(s->writer);
    if (s->pictured_replay)
        env_replay_destroy(s->pictured_replay);
    traj_path_release(&s->file);
    traj_recording_destroy(s->recording);
    free(s->own);
    free(s->path.at);
    free(s->wanted.at);
    free(s->agents.at);
    free(s->record.at);
    free(s->chosen.at);
    free(s->framed.at);
    free(s);
}

// It is over: `r` is the reply.
static void refuse_saving(struct env_saving *s, enum traj_fault fault, struct env_result *r)
{
    if (fault == TRAJ_QUOTA && env_recording_admit_size(s->conn, &s->file, UINT64_MAX, r))
        fault = TRAJ_NO_ROOM; // somebody has made room meanwhile
    else if (fault == TRAJ_QUOTA)
        fault = TRAJ_FINE; // that was the reply
    if (fault != TRAJ_FINE)
        env_refuse_trajectory(s->conn->env, fault, r);
    saving_destroy(s);
}

// Waiting for the disk is done by a worker thread if other clients share the loop.
struct finishing {
    struct env_saving *saving;
    struct traj_path path;
    struct traj_reader *reader;
    enum traj_fault fault;
};

static void finish_file(void *arg)
{
    struct finishing *f = arg;
    f->fault = traj_write_finish(f->saving->writer, &f->saving->done);
}

static void open_again(void *arg)
{
    struct finishing *f = arg;
    f->fault = traj_read_open(&f->reader, &f->path);
}

static void commit_file(void *arg)
{
    struct finishing *f = arg;
    f->fault = traj_write_commit(f->saving->writer);
}

// Moves the file to its destination.
static void commit_saving(struct env_saving *s, struct env_result *r)
{
    struct env *env = s->conn->env;
    struct finishing f = {.saving = s};
    if (!env_recording_admit_size(s->conn, &s->file, s->done.bytes, r)) {
        saving_destroy(s);
        return;
    }
    env_offload(env, commit_file, &f);
    if (f.fault != TRAJ_FINE) {
        refuse_saving(s, f.fault, r);
        return;
    }
    write_answer(s);
    env_answer(env, r);
    saving_destroy(s);
}

// Everything was written: the file is verified before it is reported.
static enum traj_fault begin_check(struct env_saving *s)
{
    struct finishing f = {.saving = s};
    env_offload(s->conn->env, finish_file, &f);
    if (f.fault != TRAJ_FINE)
        return f.fault;
    f.path = traj_write_path(s->writer);
    env_offload(s->conn->env, open_again, &f);
    if (f.fault != TRAJ_FINE)
        return TRAJ_UNSOUND;
    s->check = env_replay_verify(s->conn->env, s->row, f.reader);
    return TRAJ_FINE;
}

// Each of the two does part of the work within the slice. Returns true if everything is done, or sets `fault`.
static bool write_part(struct env_saving *s, struct env_slice *slice, enum traj_fault *fault)
{
    for (;;) {
        s->waits = !s->patient && !traj_write_is_ready(s->writer);
        if (s->waits)
            return false;
        if (!write_next(s, fault))
            break;
        env_spend(s->conn->env, ENV_COST_PLAYED);
        if (s->dropped || env_slice_over(s->conn->env, slice, 0))
            return false;
    }
    if (*fault != TRAJ_FINE)
        return true;
    s->waits = !s->patient && traj_write_is_busy(s->writer);
    return !s->waits;
}

// A partial file cannot be replayed, and the records of one with pictures have been: these are only read.
static bool check_part(struct env_saving *s, struct env_slice *slice, enum traj_fault *fault)
{
    int found;
    bool only_read = s->partial || s->pictured_replay;
    while ((found = env_replay_verify_next(s->check, only_read, s->patient)) == ENV_VERIFY_MORE) {
        env_spend(s->conn->env, ENV_COST_PLAYED);
        if (s->dropped || env_slice_over(s->conn->env, slice, env_replay_last_ticks(s->check)))
            return false;
    }
    s->waits = found == ENV_VERIFY_LATER;
    if (found == ENV_VERIFY_BAD)
        *fault = TRAJ_UNSOUND;
    return !s->waits;
}

// Returns true if it is over and `r` is the reply.
static bool run_slice(struct env_saving *s, struct env_result *r)
{
    struct env_slice slice = env_slice_begin(s->conn->env);
    enum traj_fault fault = TRAJ_FINE;
    s->waits = false;
    if (!s->check) {
        if (!write_part(s, &slice, &fault))
            return false;
        if (fault == TRAJ_FINE)
            fault = begin_check(s);
    }
    if (fault == TRAJ_FINE && !check_part(s, &slice, &fault))
        return false;
    if (fault == TRAJ_FINE)
        commit_saving(s, r);
    else
        refuse_saving(s, fault, r);
    return true;
}

static void run_pending(struct env_saving *s)
{
    struct env_result r;
    struct env_conn *c = s->conn;
    uint64_t call = s->call;
    if (run_slice(s, &r))
        c->hooks->on_answer(c->owner, call, &r);
    else if (s->dropped)
        saving_destroy(s);
    else if (s->progress)
        c->hooks->on_progress(c->owner, call, s->steps, traj_recording_steps(s->recording));
}

int64_t env_save_run(struct env *env, int64_t now_us)
{
    int64_t next = INT64_MAX;
    env->now_us = now_us;
    for (struct env_saving *s = env->savings, *after; s; s = after) {
        after = s->next;
        run_pending(s);
    }
    for (struct env_saving *s = env->savings; s; s = s->next) {
        int64_t due = now_us + (s->waits ? CHILD_WAIT_US : 0);
        next = due < next ? due : next;
    }
    return next;
}

bool env_save_cancel(struct env_conn *c, uint64_t call)
{
    for (struct env_saving *s = c->env->savings; s; s = s->next)
        if (s->conn == c && s->call == call) {
            s->dropped = true;
            if (!c->env->saver)
                saving_destroy(s);
            return true;
        }
    return false;
}

bool env_save_is_of(const struct env *env, const struct env_conn *c)
{
    for (const struct env_saving *s = env->savings; s; s = s->next)
        if (s->conn == c)
            return true;
    return false;
}

void env_save_leave(struct env_conn *c)
{
    for (struct env_saving *s = c->env->savings, *next; s; s = next) {
        next = s->next;
        if (s->conn == c)
            saving_destroy(s);
    }
}

// --- the tool

// G19.2: unknown agents are refused; in a shared session also those of others while the episode runs.
static bool check_agents(struct env_saving *s, struct env_result *r)
{
    struct json_reader in = json_reader_of(s->wanted.size ? text_span(&s->wanted) : SPAN("[]"), 4);
    for (json_enter_array(&in); json_next_item(&in);) {
        struct json_string id = json_read_string(&in);
        struct env_agent *a = env_find_agent(s->conn->group, id);
        struct span quoted = {id.raw.at - 1, id.raw.size + 2};
        if (a ? a->conn != s->conn && s->guarded : !has_agent_record(&s->agents, quoted)) {
            env_own_agent(s->conn, id, r);
            return false;
        }
    }
    return true;
}

static bool choose_table(struct env_saving *s, const struct env_arguments *arguments, struct env_result *r)
{
    struct span value;
    struct env_group *g = s->conn->group;
    int64_t number = 0;
    if (env_argument(arguments, "table", &value)) {
        number = env_json_int(value);
    } else if (s->wanted.size) {
        struct json_reader in = json_reader_of(text_span(&s->wanted), 4);
        json_enter_array(&in);
        struct env_agent *a = json_next_item(&in) ? env_find_agent(g, json_read_string(&in)) : NULL;
        number = a ? a->table->number : 0;
    }
    if (number >= g->count) {
        *r = env_bad(s->conn->env, "/table", "the number of a table of this server", NULL);
        return false;
    }
    s->table = &g->table[number];
    s->guarded = g->shared && s->table->running; // with debug too: other clients may read the file
    if (s->table->recording) {
        s->recording = traj_recording_copy(s->table->recording);
        s->at = traj_recording_first(s->recording);
    }
    return true;
}

// An episode that has exceeded the limit by itself is no longer there.
static bool check_kept(struct env_saving *s, struct env_result *r)
{
    struct env *env = s->conn->env;
    const struct traj_recording *k = s->recording;
    if (!k || !traj_recording_is_lost(k) || traj_recording_episodes(k))
        return true;
    *r = env_refuse(env, -32004, "ResourceExhausted",
                    "The running episode is larger than a recording in memory may be; --record has no limit.");
    env_refusal_int(env, r, "limit", (int64_t)env->o.record_bytes);
    return false;
}

static bool is_drawing(const struct env *env)
{
    for (const struct env_saving *s = env->savings; s; s = s->next)
        if (s->pictured_replay)
            return true;
    return false;
}

static int count_savings(const struct env *env)
{
    int n = 0;
    for (const struct env_saving *s = env->savings; s; s = s->next)
        n++;
    return n;
}

static bool check_host(struct env *env, bool frames, struct env_result *r)
{
    if (!env->o.record_bytes)
        *r = env_refuse(env, -32603, "Internal", "This server keeps no recording.");
    else if (frames && is_drawing(env))
        *r = env_refuse(env, -32004, "ResourceExhausted",
                        "Another trajectory with pictures is being saved; try again when it is done.");
    else if (count_savings(env) >= MOST_SAVINGS)
        *r = env_refuse(env, -32004, "ResourceExhausted",
                        "Several trajectories are being saved already; try again when one is done.");
    else
        return true;
    return false;
}

static void list_own_agents(struct env_saving *s)
{
    if (!s->guarded || !s->conn->agent_count)
        return;
    s->own = calloc((size_t)s->conn->agent_count, sizeof *s->own);
    if (!s->own)
        abort();
    for (const struct env_agent *a = s->conn->group->agents; a; a = a->next)
        if (a->conn == s->conn && s->own_count < s->conn->agent_count) {
            struct own_agent *o = &s->own[s->own_count++];
            memcpy(o->id, a->id, sizeof o->id);
            o->since = a->since;
        }
}

static struct env_saving *saving_create(struct env_conn *c, const struct env_arguments *arguments)
{
    static const char *const formats[] = {"json", "msgpack", "hdf5", NULL};
    static const enum traj_format by_name[] = {TRAJ_JSON, TRAJ_MSGPACK, TRAJ_HDF5};
    struct env_saving *s = calloc(1, sizeof *s);
    struct span value;
    if (!s)
        abort();
    s->conn = c;
    s->file.folder = -1;
    s->path.grow = s->wanted.grow = s->agents.grow = traj_text_grow;
    s->record.grow = s->chosen.grow = s->framed.grow = traj_text_grow;
    text_puts(&s->agents, "[]");
    if (env_argument(arguments, "path", &value))
        text_put(&s->path, value);
    if (env_argument(arguments, "agent_ids", &value))
        text_put(&s->wanted, value);
    s->overwrite = env_argument(arguments, "overwrite", &value) && value.at[0] == 't';
    s->observations = !env_argument(arguments, "include_observations", &value) || value.at[0] == 't';
    s->format =
        by_name[env_argument(arguments, "format", &value) ? json_string_among(env_json_string(value), formats) : 1];
    return s;
}

bool env_save_trajectory(struct env_conn *c, struct env_pending *call, const struct env_arguments *arguments,
                         struct env_result *r)
{
    struct span value;
    bool frames = env_argument(arguments, "include_frames", &value) && value.at[0] == 't';
    if (!check_host(c->env, frames, r))
        return true;
    struct env_saving *s = saving_create(c, arguments);
    bool good = choose_table(s, arguments, r);
    if (good) {
        scan_all(s);
        list_own_agents(s);
        good = check_agents(s, r) && check_kept(s, r);
    }
    if (!good) {
        saving_destroy(s);
        return true;
    }
    s->row = s->table->row;
    if (frames)
        s->pictured_replay = env_replay_with_streams(c->env, s->table->row);
    if (!open_file(s, r)) {
        saving_destroy(s);
        return true;
    }
    // A host of one client delays nobody else, and the client may have closed its input.
    s->patient = !frames && !c->env->o.named_tables;
    do
        if (run_slice(s, r))
            return true;
    while (s->patient);
    s->call = call->call;
    s->progress = call->progress && c->hooks->on_progress && s->recording;
    s->table = NULL;
    s->next = c->env->savings;
    c->env->savings = s;
    return false;
}

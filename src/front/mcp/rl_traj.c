// Recordings: in memory, on disk while they grow, and saved (G19.1, G19.2).
#include "crypto/crypto.h"
#include "front/mcp/rl_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ALL_RECORDINGS = 1 << 30, LEAST_RECORDING = 1 << 20, ALL_PICTURES = 1 << 30 };

// --- what happens goes in

// The tables of one connection share the ceiling; a host with very many named ones has a ceiling over all.
static struct traj_keep *make_keep(const struct rl_table *t)
{
    const struct rl *rl = t->group->rl;
    size_t bytes = rl->o.record_bytes / (size_t)t->group->count, groups = 0;
    for (const struct rl_group *g = rl->groups; g; g = g->next)
        groups++;
    if (groups && bytes > ALL_RECORDINGS / groups)
        bytes = ALL_RECORDINGS / groups;
    if (bytes < LEAST_RECORDING && bytes < rl->o.record_bytes)
        bytes = rl->o.record_bytes < LEAST_RECORDING ? rl->o.record_bytes : LEAST_RECORDING;
    return traj_keep_create(bytes, rl->o.record_steps / (uint64_t)t->group->count + 1);
}

static void say(struct rl_table *t, const char *message)
{
    for (struct rl_conn *c = t->group->rl->conns; c; c = c->next)
        if (c->group == t->group && !c->gone && c->hooks->on_log)
            c->hooks->on_log(c->owner, "error", message);
}

// --- headers

static void put_time(struct text *s, const struct rl *rl)
{
    char text[24];
    time_t seconds = (time_t)((rl->now_us + rl->o.epoch_us) / 1000000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_put_text(s, "created", text);
}

static void put_manifest_hash(struct text *s, struct rl_group *g)
{
    struct rl_conn reader = {.rl = g->rl, .group = g};
    struct text manifest = {.grow = rl_text_grow};
    char hash[RL_HASH_ROOM];
    const char *mime;
    rl_read(&reader, SPAN("game://manifest"), &manifest, &mime);
    rl_hash_text(text_span(&manifest), hash);
    free(manifest.at);
    json_put_text(s, "manifest_hash", hash);
}

static void begin_header(struct text *s, const struct rl_table *t, bool partial)
{
    json_begin_object(s);
    json_put_text(s, "format", "game-rl-trajectory");
    json_put_int(s, "version", 1);
    json_put_text(s, "game", t->row->game->name);
    json_put_text(s, "game_version", t->group->rl->o.version);
    json_put_text(s, "game_rl_version", RL_GAME_RL_VERSION);
    put_time(s, t->group->rl);
    json_put_bool(s, "partial", partial);
}

// --- on disk

// run.jsonl is the first table's; the others have their name or number before the suffix.
static void path_of(const struct rl_table *t, char *out, size_t room)
{
    const char *path = t->group->rl->o.record, *name = t->group->name, *dot = strrchr(path, '.');
    bool first = t->number == 0 && (!*name || strcmp(name, "main") == 0);
    if (first || !dot)
        snprintf(out, room, "%s", path);
    else if (*name)
        snprintf(out, room, "%.*s.%s%s", (int)(dot - path), path, name, dot);
    else
        snprintf(out, room, "%.*s.%d%s", (int)(dot - path), path, t->number, dot);
}

static void open_tape(struct rl_table *t)
{
    struct text header = {.grow = rl_text_grow};
    char path[4096], message[512];
    path_of(t, path, sizeof path);
    begin_header(&header, t, false);
    json_key(&header, "agents");
    json_write_raw(&header, SPAN("[]")); // they come with the resets
    json_put_bool(&header, "include_observations", true);
    json_put_bool(&header, "include_frames", false);
    put_manifest_hash(&header, t->group);
    json_put_bool(&header, "streamed", true);
    json_end_object(&header);
    enum traj_fault f = traj_tape_open(&t->tape, t->group->rl->o.data_dir, span_of(path), text_span(&header));
    free(header.at);
    t->tape_failed = f != TRAJ_FINE;
    if (!t->tape_failed)
        return;
    snprintf(message, sizeof message, "nothing is recorded to %.200s; it should be %s", path, traj_fault_text(f));
    say(t, message);
}

static void write_tape(struct rl_table *t, struct span json)
{
    static const struct traj_choice all = {.observations = true, .secrets = true};
    struct text *s = &t->group->rl->hashed;
    if (!t->tape && !t->tape_failed)
        open_tape(t);
    s->size = 0;
    s->full = false;
    if (!t->tape || !traj_select(s, json, &all))
        return;
    traj_tape_add(t->tape, text_span(s));
    if (!traj_tape_error(t->tape))
        return;
    t->tape_failed = true;
    traj_tape_close(t->tape);
    t->tape = NULL;
    say(t, "the recording has stopped: the disk takes no more; it ends with the last whole record");
}

void rl_traj_take(struct rl_table *t, enum traj_kind kind, struct span json)
{
    const struct rl_options *o = &t->group->rl->o;
    if (o->record_bytes) {
        if (!t->kept)
            t->kept = make_keep(t);
        traj_keep_add(t->kept, kind, json);
    }
    if (o->record && (kind == TRAJ_RESET || t->tape))
        write_tape(t, json);
}

void rl_traj_release(struct rl_table *t)
{
    rl_play_stop(t);
    traj_keep_destroy(t->kept);
    t->kept = NULL;
    if (t->tape)
        traj_tape_close(t->tape);
    t->tape = NULL;
}

// --- refusals

bool rl_traj_refuse(struct rl *rl, enum traj_fault fault, struct rl_result *r)
{
    static const char *const reasons[] = {
        [TRAJ_OUTSIDE] = "outside", [TRAJ_LINK] = "not_regular", [TRAJ_MISSING] = "missing",
        [TRAJ_BUSY] = "recording",  [TRAJ_DAMAGED] = "damaged",  [TRAJ_PARTIAL] = "partial",
    };
    if (fault < TRAJ_NO_ROOM)
        *r = rl_bad(rl, "/path", traj_fault_text(fault), reasons[fault]);
    else if (fault == TRAJ_NOT_BUILT)
        *r = rl_refuse(rl, -32603, "FormatNotBuilt", "This server has no HDF5; take json or msgpack.");
    else if (fault == TRAJ_TOO_LARGE)
        *r = rl_refuse(rl, -32004, "ResourceExhausted",
                       "The pictures are too large for a file; choose agent_ids, smaller streams or no frames.");
    else if (fault == TRAJ_NO_ROOM)
        *r = rl_refuse(rl, -32603, "Internal", "The disk is full; nothing was written. Make room and try again.");
    else
        *r = rl_refuse(rl, -32603, "Internal", "The file could not be written; nothing is left of it.");
    return true;
}

// --- save_trajectory

struct saving {
    struct rl_conn *conn;
    struct rl_table *table;
    struct span wanted; // agent_ids, or empty
    bool observations;
    struct rl_play *rehearsal; // where pictures are drawn again; NULL: they are not asked for
    uint64_t pictures;         // their bytes so far
    bool guarded;              // G19.2: a running episode of a shared session is not all the caller's
    bool open;                 // the record at hand is of that episode,
    uint64_t place;            // and stands here
    bool partial;
    uint64_t last;      // place of the last reset
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

static bool is_own(const struct saving *s, struct span id)
{
    struct rl_agent *a = rl_find_agent(s->conn->group, (struct json_string){.raw = id});
    return a && a->conn == s->conn && s->place >= a->since; // the id may have been another's before
}

static bool has_agent(const void *owner, struct span id)
{
    const struct saving *s = owner;
    return (!s->wanted.size || is_listed(s->wanted, id)) && (!s->open || is_own(s, id));
}

static void list_add(struct text *list, struct span json)
{
    list->size--; // its bracket
    if (list->size > 1)
        text_put_char(list, ',');
    text_put(list, json);
    text_put_char(list, ']');
}

static bool is_noted(const struct text *list, struct span id)
{
    struct json_reader in = json_reader_of(text_span(list), 8);
    struct span known;
    for (json_enter_array(&in); json_next_item(&in);)
        if (rl_json_member(json_read_raw(&in), "agent_id", &known) && span_equals(known, id))
            return true;
    return false;
}

// Each agent once, as it was registered first.
static void note_agent(struct saving *s, struct span record)
{
    struct span id, type;
    if (!rl_json_member(record, "agent_type", &type) || !rl_json_member(record, "agent_id", &id) ||
        is_noted(&s->agents, id))
        return;
    if (s->wanted.size && !is_listed(s->wanted, (struct span){id.at + 1, id.size - 2}))
        s->partial = true;
    else
        list_add(&s->agents, record);
}

static void note_record(struct saving *s, enum traj_kind kind)
{
    struct span list, record = text_span(&s->record);
    if (kind == TRAJ_AGENT)
        note_agent(s, record);
    if (kind != TRAJ_RESET || !rl_json_member(record, "agents", &list))
        return;
    struct json_reader in = json_reader_of(list, 64);
    for (json_enter_array(&in); json_next_item(&in);)
        note_agent(s, json_read_raw(&in));
}

// First walk: who is in it, and where the running episode begins.
static void look_through(struct saving *s)
{
    uint64_t at = s->table->kept ? traj_keep_first(s->table->kept) : 0, before = at;
    enum traj_kind kind;
    while (s->table->kept && traj_keep_next(s->table->kept, &at, &s->record, &kind)) {
        note_record(s, kind);
        if (kind == TRAJ_RESET)
            s->last = before;
        before = at;
    }
    s->partial |= s->guarded;
}

// The chosen step with pictures behind its entries: what the cameras see after it.
static void add_pictures(struct saving *s)
{
    struct span record = text_span(&s->chosen), entries = {0}, id;
    struct text *out = &s->framed;
    out->size = 0;
    out->full = false;
    rl_json_member(record, "entries", &entries);
    text_put(out, (struct span){record.at, (size_t)(entries.at - record.at)});
    json_begin_array(out);
    struct json_reader in = json_reader_of(entries, 64);
    for (json_enter_array(&in); json_next_item(&in);) {
        struct span entry = json_read_raw(&in);
        if (out->at[out->size - 1] != '[')
            text_put_char(out, ',');
        text_put(out, (struct span){entry.at, entry.size - 1});
        rl_json_member(entry, "agent_id", &id);
        struct rl_agent *a = rl_play_find(s->rehearsal, rl_json_string(id));
        if (a && a->streams)
            s->pictures += rl_put_pictures(out, a);
        json_end_object(out);
    }
    json_end_array(out);
    const char *rest = entries.at + entries.size;
    text_put(out, (struct span){rest, (size_t)(record.at + record.size - rest)});
}

static enum traj_fault write_record(struct saving *s, struct traj_writer *w, enum traj_kind kind,
                                    const struct traj_choice *c)
{
    struct span record = text_span(&s->record);
    s->chosen.size = 0;
    s->chosen.full = false;
    if (s->rehearsal && !rl_play_record(s->rehearsal, kind, record))
        return TRAJ_BROKEN;
    if (!traj_select(&s->chosen, record, c))
        return TRAJ_FINE;
    if (!s->rehearsal || kind != TRAJ_STEP) {
        traj_write_record(w, text_span(&s->chosen));
        return TRAJ_FINE;
    }
    add_pictures(s);
    if (s->framed.full || s->framed.size > TRAJ_MAX_RECORD || s->pictures > ALL_PICTURES)
        return TRAJ_TOO_LARGE;
    traj_write_record(w, text_span(&s->framed));
    return TRAJ_FINE;
}

static enum traj_fault write_records(struct saving *s, struct traj_writer *w)
{
    enum traj_fault fault = TRAJ_FINE;
    uint64_t at = s->table->kept ? traj_keep_first(s->table->kept) : 0, before = at;
    enum traj_kind kind;
    while (s->table->kept && fault == TRAJ_FINE && traj_keep_next(s->table->kept, &at, &s->record, &kind)) {
        s->place = before;
        s->open = s->guarded && before >= s->last;
        before = at;
        struct traj_choice c = {.observations = s->observations, .secrets = !s->open, .owner = s};
        c.has = s->open || s->wanted.size ? has_agent : NULL;
        fault = write_record(s, w, kind, &c);
    }
    return fault;
}

static void write_header(struct saving *s, struct text *out)
{
    begin_header(out, s->table, s->partial);
    json_key(out, "agents");
    json_write_raw(out, text_span(&s->agents));
    json_put_bool(out, "include_observations", s->observations);
    json_put_bool(out, "include_frames", s->rehearsal != NULL);
    put_manifest_hash(out, s->conn->group);
    json_end_object(out);
}

static void write_answer(struct saving *s, struct span path, enum traj_format f, const struct traj_done *done)
{
    struct text *t = &s->conn->rl->out;
    json_begin_object(t);
    json_key(t, "path");
    json_write_raw(t, path);
    json_put_text(t, "format", traj_format_names[f]);
    json_put_uint(t, "episodes", done->episodes);
    json_put_uint(t, "steps", done->steps);
    json_key(t, "agents");
    json_begin_array(t);
    struct json_reader in = json_reader_of(text_span(&s->agents), 8);
    struct span id;
    for (json_enter_array(&in); json_next_item(&in);)
        if (rl_json_member(json_read_raw(&in), "agent_id", &id))
            json_write_raw(t, id);
    json_end_array(t);
    json_put_uint(t, "bytes", done->bytes);
    json_put_text(t, "sha256", done->sha256);
    json_put_bool(t, "partial", s->partial);
    json_end_object(t);
}

static enum traj_fault save(struct saving *s, struct span path, enum traj_format f, bool lines)
{
    char name[4096];
    struct traj_place place;
    struct traj_writer *w;
    struct traj_done done;
    struct text header = {.grow = rl_text_grow};
    int size = json_string_copy(rl_json_string(path), name, sizeof name);
    if (size < 0 || strlen(name) != (size_t)size)
        return TRAJ_OUTSIDE;
    enum traj_fault fault = traj_place_find(&place, s->conn->rl->o.data_dir, span_of(name));
    if (fault != TRAJ_FINE)
        return fault;
    if (lines && traj_format_of(name, TRAJ_JSON) == TRAJ_JSONL)
        f = TRAJ_JSONL;
    write_header(s, &header);
    fault = traj_write_open(&w, &place, f, text_span(&header));
    free(header.at);
    traj_place_release(&place);
    if (fault != TRAJ_FINE)
        return fault;
    fault = write_records(s, w);
    if (fault != TRAJ_FINE) {
        traj_write_drop(w);
        return fault;
    }
    fault = traj_write_close(w, &done);
    if (fault == TRAJ_FINE)
        write_answer(s, path, f, &done);
    return fault;
}

// G19.2: unknown ones are refused; in a shared session so are those of others while the episode runs.
static bool check_agents(struct saving *s, struct rl_result *r)
{
    struct json_reader in = json_reader_of(s->wanted.size ? s->wanted : SPAN("[]"), 4);
    for (json_enter_array(&in); json_next_item(&in);) {
        struct json_string id = json_read_string(&in);
        struct rl_agent *a = rl_find_agent(s->conn->group, id);
        struct span quoted = {id.raw.at - 1, id.raw.size + 2};
        if (a ? a->conn != s->conn && s->guarded : !is_noted(&s->agents, quoted)) {
            rl_own_agent(s->conn, id, r);
            return false;
        }
    }
    return true;
}

static bool choose_table(struct saving *s, struct span arguments, struct rl_result *r)
{
    struct span value;
    struct rl_group *g = s->conn->group;
    int64_t number = 0;
    if (rl_json_member(arguments, "table", &value)) {
        number = rl_json_int(value);
    } else if (s->wanted.size) {
        struct json_reader in = json_reader_of(s->wanted, 4);
        json_enter_array(&in);
        struct rl_agent *a = json_next_item(&in) ? rl_find_agent(g, json_read_string(&in)) : NULL;
        number = a ? a->table->number : 0;
    }
    if (number >= g->count) {
        *r = rl_bad(s->conn->rl, "/table", "the number of a table of this server", NULL);
        return false;
    }
    s->table = &g->table[number];
    s->guarded = g->shared && s->table->running && !rl_has(s->conn, RL_DEBUG);
    return true;
}

static bool check_arguments(struct rl *rl, struct saving *s, struct span arguments, struct rl_result *r)
{
    if (!rl->o.record_bytes) {
        *r = rl_refuse(rl, -32603, "Internal", "This server keeps no recording.");
        return false;
    }
    return choose_table(s, arguments, r);
}

// An episode that has outgrown the ceiling by itself is not there any more.
static bool check_kept(struct saving *s, struct rl_result *r)
{
    struct rl *rl = s->conn->rl;
    const struct traj_keep *k = s->table->kept;
    if (!k || !traj_keep_lost(k) || traj_keep_episodes(k))
        return true;
    *r = rl_refuse(rl, -32004, "ResourceExhausted",
                   "The running episode is larger than a recording in memory may be; --record has no limit.");
    rl_refusal_int(rl, r, "limit", (int64_t)rl->o.record_bytes);
    return false;
}

bool rl_save_trajectory(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r)
{
    static const char *const formats[] = {"json", "msgpack", "hdf5", NULL};
    static const enum traj_format by_name[] = {TRAJ_JSON, TRAJ_MSGPACK, TRAJ_HDF5};
    struct saving s = {.conn = c, .observations = true};
    struct span value, path;
    int format = 1;
    (void)call;
    s.agents.grow = s.record.grow = s.chosen.grow = s.framed.grow = traj_text_grow;
    rl_json_member(arguments, "path", &path);
    rl_json_member(arguments, "agent_ids", &s.wanted);
    if (rl_json_member(arguments, "include_observations", &value))
        s.observations = value.at[0] == 't';
    if (rl_json_member(arguments, "format", &value))
        format = json_string_among(rl_json_string(value), formats);
    text_puts(&s.agents, "[]");
    if (check_arguments(c->rl, &s, arguments, r)) {
        look_through(&s);
        if (check_agents(&s, r) && check_kept(&s, r)) {
            if (rl_json_member(arguments, "include_frames", &value) && value.at[0] == 't')
                s.rehearsal = rl_play_rehearse(c, s.table);
            enum traj_fault f = save(&s, path, by_name[format], format == 0);
            if (f == TRAJ_FINE)
                rl_answer(c->rl, r);
            else
                rl_traj_refuse(c->rl, f, r);
        }
    }
    free(s.agents.at);
    free(s.record.at);
    free(s.chosen.at);
    free(s.framed.at);
    if (s.rehearsal)
        rl_play_end(s.rehearsal);
    return true;
}

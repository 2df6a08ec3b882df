#include "app/history_records.h"

#include "app/app.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "heap/heap.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32, FIRST_ROOM = 64 };

struct history_records {
    struct record_session *at;
    uint32_t *slot; // index + 1, by hash; 0: empty
    uint32_t count, room;
    char **file; // their contents, which events point into; then their names
    char **name;
    uint32_t files;
    history_records_report *tell;
    void *owner;
};

static uint32_t find_slot(const struct history_records *n, struct uuid id)
{
    uint32_t mask = 2 * n->room - 1, i = (uint32_t)hash_bytes(&id, sizeof id) & mask;
    while (n->slot[i] && !uuid_equals(n->at[n->slot[i] - 1].id, id))
        i = (i + 1) & mask;
    return i;
}

struct record_session *history_records_find(const struct history_records *n, struct uuid session)
{
    uint32_t slot = n->room ? n->slot[find_slot(n, session)] : 0;
    return slot ? &n->at[slot - 1] : NULL;
}

static struct record_session *get_session(struct history_records *n, struct uuid id, const char *file)
{
    if (n->count == n->room) {
        n->at = heap_list_grow(n->at, n->count, &n->room, FIRST_ROOM, sizeof *n->at);
        free(n->slot);
        n->slot = calloc(2 * (size_t)n->room, sizeof *n->slot);
        if (!n->slot)
            app_die("no memory");
        for (uint32_t i = 0; i < n->count; i++)
            n->slot[find_slot(n, n->at[i].id)] = i + 1;
    }
    uint32_t slot = find_slot(n, id);
    if (!n->slot[slot]) {
        n->at[n->count] = (struct record_session){.id = id, .file = file};
        n->slot[slot] = ++n->count;
    }
    return &n->at[n->slot[slot] - 1];
}

// --- lines

struct line {
    struct json_string what;
    struct span events;
    struct uuid session, match;
    uint64_t conn; // 0: it does not say
    bool known;    // it names its session
};

static bool read_id(struct json_reader *r, struct uuid *out)
{
    return uuid_parse(out, json_read_string(r).raw);
}

static bool read_line(struct span text, struct line *out)
{
    struct json_reader r = json_reader_of(text, DEPTH);
    struct json_string key;
    *out = (struct line){0};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "what"))
            out->what = json_read_string(&r);
        else if (json_string_is(key, "session"))
            out->known = read_id(&r, &out->session);
        else if (json_string_is(key, "match"))
            read_id(&r, &out->match);
        else if (json_string_is(key, "events"))
            out->events = json_read_raw(&r);
        else if (json_string_is(key, "conn"))
            out->conn = json_read_uint(&r, UINT64_MAX);
        else
            json_skip(&r);
    return json_finish(&r) == OK && out->known;
}

static void report_contradiction(struct history_records *n, const struct record_session *s, uint32_t seq)
{
    char text[256], id[UUID_TEXT + 1];
    uuid_format(id, s->id);
    snprintf(text, sizeof text, "session %s (%.80s): event %u was told twice, in different words", id, s->file, seq);
    n->tell(n->owner, text);
}

static void add_event(struct history_records *n, struct record_session *s, uint32_t seq, struct span text)
{
    for (uint32_t i = s->events; i > 0 && seq < s->seen; i--) // a repeated event is among the newest
        if (s->event[i - 1].seq == seq) {
            struct span before = s->event[i - 1].text;
            if (before.size != text.size || memcmp(before.at, text.at, text.size) != 0)
                report_contradiction(n, s, seq);
            return;
        }
    s->event = heap_list_grow(s->event, s->events, &s->event_room, FIRST_ROOM, sizeof *s->event);
    s->event[s->events++] = (struct record_event){seq, text};
    if (seq + 1 > s->seen)
        s->seen = seq + 1;
}

static struct record_conn *find_conn(struct record_session *s, uint64_t id)
{
    for (uint32_t i = s->conns; i > 0; i--)
        if (s->conn[i - 1].id == id)
            return &s->conn[i - 1];
    return NULL;
}

static void add_conn(struct record_session *s, uint64_t id, uint32_t seen)
{
    struct record_conn *c = find_conn(s, id);
    if (c) {
        c->last = seen > c->last ? seen : c->last;
        return;
    }
    s->conn = heap_list_grow(s->conn, s->conns, &s->conn_room, FIRST_ROOM, sizeof *s->conn);
    s->conn[s->conns++] = (struct record_conn){id, seen, seen};
}

static bool add_events(struct history_records *n, struct record_session *s, uint64_t conn, struct span events)
{
    uint32_t seen = 0;
    struct json_reader r = json_reader_of(events, DEPTH);
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span one = json_read_raw(&r), number = json_member(one, "seq");
        struct json_reader digits = json_reader_of(number, 1);
        uint64_t seq = json_read_uint(&digits, UINT32_MAX - 1);
        if (json_finish(&digits) != OK)
            return false;
        add_event(n, s, (uint32_t)seq, one);
        seen = (uint32_t)seq + 1 > seen ? (uint32_t)seq + 1 : seen;
    }
    if (conn && seen)
        add_conn(s, conn, seen);
    return json_finish(&r) == OK;
}

static bool add_line(struct history_records *n, struct span text, const char *file)
{
    struct line line;
    if (!read_line(text, &line))
        return false;
    struct record_session *s = get_session(n, line.session, file);
    if (json_string_is(line.what, "start")) {
        s->started = true;
    } else if (json_string_is(line.what, "told")) {
        return add_events(n, s, line.conn, line.events);
    } else if (json_string_is(line.what, "answered")) {
        s->answer = heap_list_grow(s->answer, s->answers, &s->answer_room, FIRST_ROOM, sizeof *s->answer);
        s->answer[s->answers++] = (struct record_answer){s->seen, line.conn};
    } else if (json_string_is(line.what, "over")) {
        s->over = true;
        s->match = line.match;
    }
    return true;
}

// --- files

static char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "re");
    char *bytes = NULL;
    *size = 0;
    for (size_t room = 0, got = 1; f && got > 0; *size += got) {
        if (*size == room && !(bytes = realloc(bytes, room = room ? 2 * room : 65536)))
            app_die("no memory");
        got = fread(bytes + *size, 1, room - *size, f);
    }
    bool sound = f && !ferror(f);
    if (f)
        fclose(f);
    if (sound)
        return bytes;
    free(bytes);
    return NULL;
}

// A killed agent may have left an incomplete last line.
static bool add_file(struct history_records *n, const char *path, char *why, size_t room)
{
    size_t size;
    char *bytes = read_file(path, &size);
    if (!bytes) {
        snprintf(why, room, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    n->file = realloc(n->file, (n->files + 1) * sizeof *n->file);
    n->name = realloc(n->name, (n->files + 1) * sizeof *n->name);
    char *name = strdup(path);
    if (!n->file || !n->name || !name)
        app_die("no memory");
    n->file[n->files] = bytes;
    n->name[n->files++] = name;
    unsigned number = 1;
    for (const char *at = bytes, *stop; (stop = memchr(at, '\n', size - (size_t)(at - bytes))); at = stop + 1, number++)
        if (!add_line(n, (struct span){at, (size_t)(stop - at)}, name)) {
            snprintf(why, room, "line %u of %s is not a record of an agent's history", number, path);
            return false;
        }
    return true;
}

static bool add_folder(struct history_records *n, const char *folder, char *why, size_t room)
{
    DIR *d = opendir(folder);
    bool sound = d != NULL;
    if (!d)
        snprintf(why, room, "cannot read %s: %s", folder, strerror(errno));
    for (const struct dirent *e; sound && (e = readdir(d));) {
        char path[PATH_MAX];
        const char *mark = strrchr(e->d_name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (mark && strcmp(mark, ".jsonl") == 0)
            sound = add_file(n, path, why, room);
    }
    if (d)
        closedir(d);
    return sound;
}

struct history_records *history_records_open(const char *const *folders, int count, history_records_report *tell,
                                             void *owner, char *why, size_t room)
{
    struct history_records *n = calloc(1, sizeof *n);
    if (!n)
        app_die("no memory");
    n->tell = tell;
    n->owner = owner;
    for (int i = 0; i < count; i++)
        if (!add_folder(n, folders[i], why, room)) {
            history_records_close(n);
            return NULL;
        }
    return n;
}

void history_records_close(struct history_records *n)
{
    if (!n)
        return;
    for (uint32_t i = 0; i < n->count; i++) {
        free(n->at[i].event);
        free(n->at[i].conn);
        free(n->at[i].answer);
    }
    for (uint32_t i = 0; i < n->files; i++) {
        free(n->file[i]);
        free(n->name[i]);
    }
    free(n->file);
    free(n->name);
    free(n->at);
    free(n->slot);
    free(n);
}

uint32_t history_records_count(const struct history_records *n)
{
    return n->count;
}

struct record_session *history_records_at(const struct history_records *n, uint32_t i)
{
    return &n->at[i];
}

uint32_t history_records_files(const struct history_records *n)
{
    return n->files;
}

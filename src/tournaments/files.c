// The folder of a tournament: its request and its end. Each file is written completely under another name and then
// renamed.
#include "base/json_read.h"
#include "base/json_write.h"
#include "heap/heap.h"
#include "tournaments/internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// VERSION: of tournament.json. Members that are missing get the value that they had before there were such members.
enum { DEPTH = 8, FILE_CEILING = 16 << 20, VERSION = 1 }; // a file that is longer is damaged
#define ENTRY "entry-"

// --- files

void tournament_path(const struct tournament *x, const char *file, char out[TOURNAMENT_PATH])
{
    char id[UUID_TEXT + 1];
    uuid_format(id, x->id);
    snprintf(out, TOURNAMENT_PATH, "%s/%s%s%s", x->owner->o.folder, id, file[0] ? "/" : "", file);
}

static bool write_all(int fd, struct span bytes)
{
    while (bytes.size) {
        ssize_t n = write(fd, bytes.at, bytes.size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes = (struct span){bytes.at + n, bytes.size - (size_t)n};
    }
    return true;
}

static bool sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool synced = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return synced;
}

static const char end_file[] = "end.json";

static int write_file(const struct tournament *x, const char *file, const struct text *t)
{
    const struct tournaments_nodes *nodes = x->owner->o.nodes;
    if (nodes && !t->full) {
        nodes->put(nodes->owner, x->id, file, STORE_TOURNAMENT_WHOLE, text_span(t), strcmp(file, end_file) == 0);
        return OK;
    }
    char folder[TOURNAMENT_PATH], path[TOURNAMENT_PATH], temporary[TOURNAMENT_PATH + 8];
    tournament_path(x, "", folder);
    tournament_path(x, file, path);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    // 0600: tournament.json has the secret that the cards of agents' games come from.
    int fd = t->full ? -1 : open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return ERR_STORAGE;
    // File before name, name before folder: after a crash there is the old file or the new one, whole.
    bool written = write_all(fd, text_span(t)) && fsync(fd) == 0;
    written = close(fd) == 0 && written;
    return written && rename(temporary, path) == 0 && sync_folder(folder) ? OK : ERR_STORAGE;
}

int tournament_read_file(const char *path, struct text *out)
{
    *out = (struct text){.grow = heap_text_grow};
    FILE *f = fopen(path, "rbe");
    if (!f)
        return ERR_STORAGE;
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0 && out->size < FILE_CEILING;)
        text_put(out, (struct span){part, n});
    bool read = !ferror(f) && !out->full && out->size < FILE_CEILING;
    fclose(f);
    return read ? OK : ERR_STORAGE;
}

// --- the request

static void put_entrants(struct text *t, const struct tournament *x)
{
    json_begin_array_at(t, "entrants");
    for (int i = 0; i < x->entrants; i++) {
        json_begin_object(t);
        json_put_text(t, "given", x->request->entrant[i]);
        json_put_text(t, "shown", x->entrant[i].shown);
        if (!uuid_is_none(x->entrant[i].agent))
            uuid_put(t, "agent", x->entrant[i].agent);
        if (x->entrant[i].entered_ms)
            json_put_int(t, "entered_ms", x->entrant[i].entered_ms);
        json_end_object(t);
    }
    json_end_array(t);
}

// Called when a tournament is created, and again when an open one starts: then the entrants include the agents.
int tournament_save(const struct tournament *x)
{
    char folder[TOURNAMENT_PATH];
    struct text t = {.grow = heap_text_grow};
    tournament_path(x, "", folder);
    if (!tournament_is_shared(x)) {
        mkdir(x->owner->o.folder, 0700);
        if (mkdir(folder, 0700) != 0 && !x->made)
            return ERR_STORAGE;
    }
    json_begin_object(&t);
    json_put_int(&t, "version", VERSION);
    if (x->title[0])
        json_put_text(&t, "title", x->title);
    json_put_text(&t, "game", x->game_name);
    json_put_text(&t, "format", contest_format_names[x->format]);
    put_entrants(&t, x);
    json_put_uint(&t, "games", x->request->games);
    json_put_uint(&t, "rounds", x->request->rounds);
    json_put_uint(&t, "total", x->total);
    json_put_uint(&t, "per_pair", x->request->per_pair);
    json_put_int(&t, "wait_seconds", x->wait_seconds);
    if (x->entry_until_ms) { // it was open for entries
        json_put_bool(&t, "open", x->status == TOURNAMENT_OPEN);
        json_put_int(&t, "entry_until_ms", x->entry_until_ms);
        json_put_int(&t, "entry_max", x->entry_max);
    }
    if (x->started_ms)
        json_put_int(&t, "started_ms", x->started_ms);
    json_put_uint(&t, "seed", x->seed);
    json_put_bool(&t, "mirrored", x->mirrored);
    json_put_int(&t, "created_ms", x->created_ms);
    json_key(&t, "secret");
    text_put_char(&t, '"');
    text_put_hex_bytes(&t, x->secret, sizeof x->secret);
    text_put_char(&t, '"');
    json_end_object(&t);
    int err = write_file(x, "tournament.json", &t);
    if (err == OK && !tournament_is_shared(x) && !sync_folder(x->owner->o.folder))
        err = ERR_STORAGE;
    free(t.at);
    return err;
}

static void copy_text(struct json_reader *r, char *out, size_t room)
{
    struct json_string s = json_read_string(r);
    if (r->error == OK && json_string_copy(s, out, room) < 0)
        json_fail(r, ERR_TOO_LONG);
}

static void read_entrant(struct json_reader *r, char given[TOURNAMENTS_ENTRANT], struct tournament_entrant *e)
{
    struct json_string key;
    char id[UUID_TEXT + 1] = "";
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "given"))
            copy_text(r, given, TOURNAMENTS_ENTRANT);
        else if (json_string_is(key, "shown"))
            copy_text(r, e->shown, sizeof e->shown);
        else if (json_string_is(key, "agent"))
            copy_text(r, id, sizeof id);
        else if (json_string_is(key, "entered_ms"))
            e->entered_ms = json_read_int(r, 0, INT64_MAX);
        else
            json_skip(r);
    if (id[0] && !uuid_parse(&e->agent, span_of(id)))
        json_fail(r, ERR_FORMAT);
}

static void read_entrants(struct json_reader *r, struct tournament *x)
{
    for (json_enter_array(r); json_next_item(r);)
        if (x->entrants == CONTEST_ENTRANTS)
            json_fail(r, ERR_RANGE);
        else {
            read_entrant(r, x->request->entrant[x->entrants], &x->entrant[x->entrants]);
            x->entrants++;
        }
}

static int read_plan(struct tournament *x, struct span file)
{
    struct json_reader r = json_reader_of(file, DEPTH);
    struct json_string key;
    struct tournaments_request *q = x->request;
    int format = -1;
    bool is_secret = true, open = false;
    x->wait_seconds = TOURNAMENTS_WAIT;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        if (json_string_is(key, "version"))
            json_read_int(&r, VERSION, VERSION);
        else if (json_string_is(key, "title"))
            copy_text(&r, x->title, sizeof x->title);
        else if (json_string_is(key, "game"))
            copy_text(&r, x->game_name, sizeof x->game_name);
        else if (json_string_is(key, "format"))
            format = json_string_among(json_read_string(&r), contest_format_names);
        else if (json_string_is(key, "entrants"))
            read_entrants(&r, x);
        else if (json_string_is(key, "games"))
            q->games = json_read_uint(&r, CONTEST_MAX_GAMES);
        else if (json_string_is(key, "rounds"))
            q->rounds = json_read_uint(&r, CONTEST_MAX_GAMES);
        else if (json_string_is(key, "total"))
            x->total = json_read_uint(&r, UINT64_MAX);
        else if (json_string_is(key, "wait_seconds"))
            x->wait_seconds = (int)json_read_int(&r, 1, TOURNAMENTS_MOST_WAIT);
        else if (json_string_is(key, "open"))
            open = json_read_bool(&r);
        else if (json_string_is(key, "entry_until_ms"))
            x->entry_until_ms = json_read_int(&r, 0, INT64_MAX);
        else if (json_string_is(key, "entry_max"))
            x->entry_max = (int)json_read_int(&r, 2, CONTEST_ENTRANTS);
        else if (json_string_is(key, "per_pair"))
            q->per_pair = json_read_uint(&r, CONTEST_MAX_GAMES);
        else if (json_string_is(key, "started_ms"))
            x->started_ms = json_read_int(&r, 0, INT64_MAX);
        else if (json_string_is(key, "seed"))
            x->seed = json_read_uint(&r, UINT64_MAX);
        else if (json_string_is(key, "mirrored"))
            x->mirrored = json_read_bool(&r);
        else if (json_string_is(key, "created_ms"))
            x->created_ms = json_read_int(&r, 0, INT64_MAX);
        else if (json_string_is(key, "secret"))
            is_secret = text_read_hex(json_read_string(&r).raw, x->secret, sizeof x->secret);
        else
            json_skip(&r);
    }
    if (json_finish(&r) != OK || format < 0 || (x->entrants < 2 && !open) || !is_secret)
        return ERR_FORMAT;
    x->status = open ? TOURNAMENT_OPEN : TOURNAMENT_RUNNING;
    if (!open && !x->started_ms) // written by a version that had no open tournaments
        x->started_ms = x->created_ms;
    x->format = q->format = (enum contest_format)format;
    q->entrants = x->entrants;
    q->seed = x->seed;
    q->has_seed = true;
    q->mirrored = x->mirrored;
    memcpy(q->game, x->game_name, sizeof q->game);
    return OK;
}

// --- entries

static void entry_file(struct uuid agent, char out[64])
{
    char id[UUID_TEXT + 1];
    uuid_format(id, agent);
    snprintf(out, 64, ENTRY "%s.json", id);
}

int tournament_save_entry(const struct tournament *x, const struct tournament_entrant *e)
{
    char file[64];
    struct text t = {.grow = heap_text_grow};
    entry_file(e->agent, file);
    json_begin_object(&t);
    json_put_text(&t, "shown", e->shown);
    uuid_put(&t, "agent", e->agent);
    json_put_int(&t, "entered_ms", e->entered_ms);
    json_end_object(&t);
    int err = write_file(x, file, &t);
    free(t.at);
    return err;
}

int tournament_drop_entry(const struct tournament *x, struct uuid agent)
{
    char file[64], path[TOURNAMENT_PATH], folder[TOURNAMENT_PATH];
    const struct tournaments_nodes *nodes = x->owner->o.nodes;
    entry_file(agent, file);
    if (nodes) {
        nodes->drop(nodes->owner, x->id, file);
        return OK;
    }
    tournament_path(x, file, path);
    tournament_path(x, "", folder);
    return (unlink(path) == 0 || errno == ENOENT) && sync_folder(folder) ? OK : ERR_STORAGE;
}

static int by_entry(const void *a, const void *b)
{
    const struct tournament_entrant *x = a, *y = b;
    if (x->entered_ms != y->entered_ms)
        return x->entered_ms < y->entered_ms ? -1 : 1;
    return memcmp(x->agent.byte, y->agent.byte, UUID_BYTES);
}

// An unreadable entry is ignored.
static void parse_entry(struct tournament *x, struct span file)
{
    char given[TOURNAMENTS_ENTRANT];
    if (x->entrants == CONTEST_ENTRANTS)
        return;
    struct tournament_entrant *e = &x->entrant[x->entrants];
    *e = (struct tournament_entrant){0};
    struct json_reader r = json_reader_of(file, DEPTH);
    read_entrant(&r, given, e);
    x->entrants += json_finish(&r) == OK && e->entered_ms > 0 && !uuid_is_none(e->agent);
}

static void read_entry_file(struct tournament *x, const char *name)
{
    char path[TOURNAMENT_PATH];
    struct text file = {0};
    tournament_path(x, name, path);
    if (tournament_read_file(path, &file) == OK)
        parse_entry(x, text_span(&file));
    free(file.at);
}

bool tournament_is_entry(const char *file)
{
    size_t size = strlen(file);
    bool whole = size > 5 && strcmp(file + size - 5, ".json") == 0; // false for a file that was being written
    return strncmp(file, ENTRY, strlen(ENTRY)) == 0 && whole;
}

static void order_entries(struct tournament *x, int named)
{
    qsort(x->entrant + named, (size_t)(x->entrants - named), sizeof *x->entrant, by_entry);
    for (int i = named; i < x->entrants; i++)
        uuid_format(x->request->entrant[i], x->entrant[i].agent);
    x->request->entrants = x->entrants;
}

static void read_entries(struct tournament *x)
{
    char path[TOURNAMENT_PATH];
    int named = x->entrants;
    tournament_path(x, "", path);
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder && (e = readdir(folder));)
        if (tournament_is_entry(e->d_name))
            read_entry_file(x, e->d_name);
    if (folder)
        closedir(folder);
    order_entries(x, named);
}

// --- the end

int tournament_save_end(const struct tournament *x, enum tournament_status status, int64_t finished_ms, uint64_t done,
                        struct span standings)
{
    struct text t = {.grow = heap_text_grow};
    json_begin_object(&t);
    json_put_text(&t, "status", tournament_status_names[status]);
    json_put_int(&t, "finished_ms", finished_ms);
    json_put_uint(&t, "games_done", done);
    json_put_raw(&t, "standings", standings);
    json_end_object(&t);
    int err = write_file(x, end_file, &t);
    free(t.at);
    return err;
}

static int read_end(struct tournament *x, struct span file)
{
    struct json_reader r = json_reader_of(file, DEPTH);
    struct json_string key;
    int status = -1;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "status"))
            status = json_string_among(json_read_string(&r), tournament_status_names);
        else if (json_string_is(key, "finished_ms"))
            x->finished_ms = json_read_int(&r, 0, INT64_MAX);
        else if (json_string_is(key, "games_done"))
            x->done = json_read_uint(&r, UINT64_MAX);
        else
            json_skip(&r);
    if (json_finish(&r) != OK || status < 0 || !tournament_status_is_past((enum tournament_status)status))
        return ERR_FORMAT;
    x->status = (enum tournament_status)status;
    return OK;
}

int tournament_read_end(const struct tournament *x, struct text *out)
{
    char path[TOURNAMENT_PATH];
    tournament_path(x, end_file, path);
    return tournament_read_file(path, out);
}

struct span tournament_standings_of(struct span end)
{
    struct span found = SPAN("[]");
    json_find_member(end, "standings", &found);
    return found;
}

int tournament_load(struct tournament *x, const char *name)
{
    char path[TOURNAMENT_PATH];
    struct text plan = {0}, end = {0};
    if (!uuid_parse(&x->id, span_of(name)))
        return ERR_FORMAT;
    tournament_path(x, "tournament.json", path);
    int err = tournament_read_file(path, &plan);
    if (err == OK)
        err = read_plan(x, text_span(&plan));
    if (err == OK && x->status == TOURNAMENT_OPEN)
        read_entries(x);
    if (err == OK && tournament_read_end(x, &end) == OK)
        err = read_end(x, text_span(&end));
    free(plan.at);
    free(end.at);
    return err;
}

// --- several nodes

int tournament_parse(struct tournament *x, struct span plan, struct span entries, struct span end)
{
    x->entrants = 0;
    *x->request = (struct tournaments_request){0};
    memset(x->entrant, 0, CONTEST_ENTRANTS * sizeof *x->entrant);
    int err = read_plan(x, plan), named = x->entrants;
    while (err == OK && x->status == TOURNAMENT_OPEN && entries.size) {
        const char *stop = memchr(entries.at, '\n', entries.size);
        size_t size = stop ? (size_t)(stop - entries.at) : entries.size;
        parse_entry(x, (struct span){entries.at, size});
        size += stop != NULL;
        entries = (struct span){entries.at + size, entries.size - size};
    }
    if (err == OK && x->status == TOURNAMENT_OPEN)
        order_entries(x, named);
    return err == OK && end.size ? read_end(x, end) : err;
}

void tournament_write_live(uint64_t done, struct span standings, struct text *out)
{
    json_begin_object(out);
    json_put_uint(out, "games_done", done);
    json_put_raw(out, "standings", standings);
    json_end_object(out);
}

int tournament_read_live(struct tournament *x, struct span file)
{
    struct json_reader r = json_reader_of(file, DEPTH);
    struct json_string key;
    struct text standings = {.grow = heap_text_grow};
    uint64_t done = 0;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "games_done"))
            done = json_read_uint(&r, UINT64_MAX);
        else
            json_skip(&r);
    text_put(&standings, tournament_standings_of(file));
    if (json_finish(&r) != OK || standings.full) {
        free(standings.at);
        return ERR_FORMAT;
    }
    free(x->published.at);
    x->published = standings;
    x->done = done;
    return OK;
}

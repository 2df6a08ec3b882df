// Reads a trajectory from a file that is not trusted: memory is bounded, records are checked one by one, and the end is
// reported only if nothing is missing.
#include "base/json_read.h"
#include "traj/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 }; // bytes of a read

struct traj_reader {
    int fd; // -1: all is in `in` already
    enum traj_format format;
    // hdf5: its lines come through `fd`.
    struct traj_child child;
    struct text in; // what was read and not used yet begins at `at`
    size_t at;
    bool ended;       // the file
    struct text json; // the record
    struct traj_footer footer;
    // Streamed: the header says that it was written as it happened, so it may lack its end (G19.1). Changed: the
    // footer has other sums than the records.
    bool has_header, has_footer, streamed, changed, bad;
    // json: where its episodes are
    struct json_reader tree, steps, notes;
    bool in_episodes, in_episode, has_note;
    struct span note;
    uint64_t note_after;
};

// --- bytes

// More of the file behind what is there. False: there is no more, or too much.
static bool fill_input(struct traj_reader *r)
{
    if (r->ended || r->fd < 0)
        return false;
    if (r->at > r->in.size / 2) {
        memmove(r->in.at, r->in.at + r->at, r->in.size - r->at);
        r->in.size -= r->at;
        r->at = 0;
    }
    char *room = text_reserve(&r->in, CHUNK);
    ssize_t n = -1;
    while (room && (n = read(r->fd, room, CHUNK)) < 0 && errno == EINTR)
        ;
    if (room)
        r->in.size -= (size_t)(CHUNK - (n > 0 ? n : 0));
    r->ended = n <= 0;
    r->bad |= n < 0;
    return n > 0;
}

static struct span unread_bytes(const struct traj_reader *r)
{
    return (struct span){r->in.at + r->at, r->in.size - r->at};
}

// --- formats: each reads the next record into r->json. 1: a record, 0: the end, -1: damaged.

static int next_line(struct traj_reader *r)
{
    const char *end;
    size_t seen = 0;
    for (;;) {
        struct span s = unread_bytes(r);
        if (s.size > seen && (end = memchr(s.at + seen, '\n', s.size - seen)))
            break;
        seen = s.size;
        if (seen > TRAJ_MAX_RECORD)
            return -1;
        if (!fill_input(r)) // G19.1: the line in progress may be lost
            return seen == 0 || r->streamed ? 0 : -1;
    }
    struct span s = unread_bytes(r);
    s.size = (size_t)(end - s.at);
    r->at += s.size + 1;
    return traj_put_canonical_json(&r->json, s) ? 1 : -1;
}

static int next_packed(struct traj_reader *r)
{
    size_t tried = 0;
    for (;;) {
        struct span s = unread_bytes(r);
        if (s.size > tried) {
            ssize_t n = traj_msgpack_read(s, &r->json);
            if (n != 0) {
                r->at += n > 0 ? (size_t)n : 0;
                return n > 0 ? 1 : -1;
            }
            tried = s.size;
        }
        if (tried > TRAJ_MAX_RECORD)
            return -1;
        // A record that did not fit is tried again only when there is twice as much of it.
        bool more = false;
        for (size_t want = tried; unread_bytes(r).size < 2 * want + 1 && fill_input(r);)
            more = true;
        if (!more)
            return unread_bytes(r).size == 0 || r->streamed ? 0 : -1;
    }
}

static bool next_key_is(struct json_reader *tree, const char *name)
{
    struct json_string key;
    return json_next_key(tree, &key) && json_string_is(key, name);
}

static void read_note(struct traj_reader *r)
{
    struct span after = {0}, item;
    r->has_note = json_next_item(&r->notes);
    if (!r->has_note)
        return;
    item = json_read_raw(&r->notes);
    if (!json_find_member(item, "after", &after) || !json_find_member(item, "record", &r->note)) {
        json_fail(&r->tree, ERR_TYPE);
        return;
    }
    struct json_reader number = json_reader_of(after, 1);
    r->note_after = json_read_uint(&number, UINT64_MAX);
    if (json_finish(&number) != OK)
        json_fail(&r->tree, ERR_TYPE);
}

// {"reset":R,"steps":[...],"notes":[...]}: steps and notes are read side by side.
static int enter_episode(struct traj_reader *r)
{
    struct span reset, steps, notes;
    json_enter_object(&r->tree);
    if (!next_key_is(&r->tree, "reset"))
        return -1;
    reset = json_read_raw(&r->tree);
    if (!next_key_is(&r->tree, "steps"))
        return -1;
    steps = json_read_raw(&r->tree);
    if (!next_key_is(&r->tree, "notes"))
        return -1;
    notes = json_read_raw(&r->tree);
    struct json_string key;
    if (r->tree.error || json_next_key(&r->tree, &key) || r->tree.error)
        return -1;
    r->steps = json_reader_of(steps, TRAJ_MAX_DEPTH + 2);
    r->notes = json_reader_of(notes, TRAJ_MAX_DEPTH + 3);
    if (json_peek(&r->steps) != JSON_ARRAY || json_peek(&r->notes) != JSON_ARRAY)
        return -1;
    json_enter_array(&r->steps);
    json_enter_array(&r->notes);
    r->in_episode = true;
    read_note(r);
    return traj_put_canonical_json(&r->json, reset) ? 1 : -1;
}

static int next_in_episode(struct traj_reader *r)
{
    struct span record = r->note;
    if (r->has_note && r->note_after <= r->footer.steps_in_episode)
        read_note(r);
    else if (json_next_item(&r->steps))
        record = json_read_raw(&r->steps);
    else
        r->in_episode = false;
    if (!r->in_episode)
        return r->has_note || r->steps.error || r->notes.error ? -1 : 0;
    return traj_put_canonical_json(&r->json, record) ? 1 : -1;
}

static int begin_tree(struct traj_reader *r)
{
    while (fill_input(r))
        ;
    if (r->bad)
        return -1;
    r->tree = json_reader_of(unread_bytes(r), 64);
    if (json_peek(&r->tree) != JSON_OBJECT)
        return -1;
    json_enter_object(&r->tree);
    if (!next_key_is(&r->tree, "header"))
        return -1;
    struct span header = json_read_raw(&r->tree);
    if (!next_key_is(&r->tree, "episodes") || json_peek(&r->tree) != JSON_ARRAY)
        return -1;
    json_enter_array(&r->tree);
    r->in_episodes = true;
    return traj_put_canonical_json(&r->json, header) ? 1 : -1;
}

static int next_in_tree(struct traj_reader *r)
{
    if (!r->has_header)
        return begin_tree(r);
    if (r->in_episode) {
        int found = next_in_episode(r);
        if (found)
            return found;
    }
    if (r->in_episodes && json_next_item(&r->tree))
        return enter_episode(r);
    if (r->in_episodes) {
        r->in_episodes = false;
        if (!next_key_is(&r->tree, "footer"))
            return -1;
        return traj_put_canonical_json(&r->json, json_read_raw(&r->tree)) ? 1 : -1;
    }
    struct json_string key;
    return json_next_key(&r->tree, &key) || json_finish(&r->tree) != OK ? -1 : 0;
}

// --- the order of records, and their sums

static bool is_text(struct span record, const char *key, const char *text)
{
    struct span value;
    return json_find_member(record, key, &value) && value.size == strlen(text) + 2 &&
           memcmp(value.at + 1, text, value.size - 2) == 0;
}

static bool check_header(struct traj_reader *r, struct span json)
{
    struct span version, streamed;
    r->has_header = true;
    r->streamed = json_find_member(json, "streamed", &streamed) && span_is(streamed, "true");
    traj_footer_set_header(&r->footer, json);
    return is_text(json, "format", "game-rl-trajectory") && json_find_member(json, "version", &version) &&
           span_is(version, "1");
}

static bool check_footer(struct traj_reader *r, struct span json)
{
    static const char *const counts[] = {"steps", "episodes", "header_sha256"};
    struct text mine = {.grow = traj_text_grow};
    bool good = true;
    traj_footer_write(&r->footer, &mine);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct span said = {0}, counted = {0};
        good &= json_find_member(json, counts[i], &said) && json_find_member(text_span(&mine), counts[i], &counted) &&
                span_equals(said, counted);
    }
    r->changed = !span_equals(text_span(&mine), json);
    free(mine.at);
    r->has_footer = true;
    return good;
}

static bool check_record(struct traj_reader *r, int kind, struct span json)
{
    if (r->has_footer || kind < 0 || (kind == TRAJ_HEADER) == r->has_header)
        return false;
    if (kind == TRAJ_HEADER)
        return check_header(r, json);
    if (kind == TRAJ_FOOTER)
        return check_footer(r, json);
    if (kind == TRAJ_STEP && r->footer.episodes == 0)
        return false;
    traj_footer_add(&r->footer, (enum traj_kind)kind, json);
    return true;
}

bool traj_read_is_ready(struct traj_reader *r)
{
    struct span s = unread_bytes(r);
    if (!r->child.pid || r->ended || (s.size && memchr(s.at, '\n', s.size)))
        return true;
    struct pollfd p = {.fd = r->fd, .events = POLLIN};
    return poll(&p, 1, 0) != 0;
}

int traj_read_next(struct traj_reader *r, enum traj_kind *kind, struct span *record)
{
    if (r->bad)
        return -1;
    r->json.size = 0;
    r->json.full = false;
    int found = r->format == TRAJ_JSON ? next_in_tree(r) : r->format == TRAJ_MSGPACK ? next_packed(r) : next_line(r);
    if (found == 0 && (!r->has_header || !(r->has_footer || r->streamed) || r->bad))
        found = -1;
    if (found == 0 && r->child.pid) {
        r->fd = -1; // the child's, closed with it
        found = traj_child_end(&r->child) == TRAJ_FINE ? 0 : -1;
    }
    *record = text_span(&r->json);
    int is = found == 1 ? traj_kind_of(*record) : -1;
    if (found == 1 && !check_record(r, is, *record))
        found = -1;
    *kind = (enum traj_kind)is;
    r->bad |= found < 0;
    return found;
}

// --- opening

// By content: HDF5 has its signature behind our block, MessagePack begins with a map, the rest is text.
static enum traj_format format_of(struct span s)
{
    static const char signature[] = "\211HDF\r\n\032\n";
    if (s.size >= TRAJ_USER_BLOCK + 8 && memcmp(s.at + TRAJ_USER_BLOCK, signature, 8) == 0)
        return TRAJ_HDF5;
    if (s.size && ((unsigned char)s.at[0] & 0xf0) == 0x80)
        return TRAJ_MSGPACK;
    struct span lines = SPAN("{\"k\":\"header\"");
    return s.size >= lines.size && memcmp(s.at, lines.at, lines.size) == 0 ? TRAJ_JSONL : TRAJ_JSON;
}

static struct traj_reader *reader_create(int fd)
{
    struct traj_reader *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->fd = fd;
    r->in.grow = r->json.grow = traj_text_grow;
    if (!text_reserve(&r->in, 1)) // so that there is something to point at
        abort();
    r->in.size = 0;
    traj_footer_init(&r->footer);
    return r;
}

// The child gives the records of the file as lines.
static enum traj_fault open_hdf5(struct traj_reader *r)
{
    if (!traj_block_check(r->fd))
        return TRAJ_DAMAGED;
    enum traj_fault f = traj_child_read(&r->child, r->fd);
    if (f != TRAJ_FINE)
        return f;
    close(r->fd);
    r->fd = r->child.fd;
    r->in.size = r->at = 0;
    r->ended = false;
    return TRAJ_FINE;
}

static enum traj_fault read_begin(struct traj_reader *r)
{
    while (unread_bytes(r).size < TRAJ_USER_BLOCK + 8 && fill_input(r))
        ;
    r->format = format_of(unread_bytes(r));
    enum traj_fault f = r->format == TRAJ_HDF5 && r->fd >= 0 ? open_hdf5(r) : TRAJ_FINE;
    if (r->format == TRAJ_HDF5 && r->fd < 0)
        f = TRAJ_DAMAGED;
    return f;
}

enum traj_fault traj_read_open(struct traj_reader **out, const struct traj_path *p)
{
    int fd;
    enum traj_fault f = traj_path_open(p, &fd);
    if (f != TRAJ_FINE)
        return f;
    struct traj_reader *r = reader_create(fd);
    f = read_begin(r);
    if (f == TRAJ_FINE)
        *out = r;
    else
        traj_read_close(r);
    return f;
}

enum traj_fault traj_read_bytes(struct traj_reader **out, struct span bytes)
{
    struct traj_reader *r = reader_create(-1);
    text_put(&r->in, bytes);
    r->ended = true;
    enum traj_fault f = read_begin(r);
    if (f == TRAJ_FINE)
        *out = r;
    else
        traj_read_close(r);
    return f;
}

bool traj_read_changed(const struct traj_reader *r)
{
    return r->changed;
}

bool traj_read_is_long(const struct traj_reader *r)
{
    struct json_reader steps = r->steps;
    if (r->format != TRAJ_JSON)
        return r->format == TRAJ_HDF5;
    return !r->in_episode || (!r->has_note && !json_next_item(&steps)); // the next one begins an episode
}

enum traj_format traj_read_format(const struct traj_reader *r)
{
    return r->format;
}

void traj_read_close(struct traj_reader *r)
{
    if (r->child.pid)
        traj_child_drop(&r->child);
    else if (r->fd >= 0)
        close(r->fd);
    traj_footer_release(&r->footer);
    free(r->in.at);
    free(r->json.at);
    free(r);
}

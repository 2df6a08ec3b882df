#include "front/lines/message.h"

#include "base/json_read.h"

static const uint64_t MAX_SEQ = ((uint64_t)1 << 53) - 1; // T3.5

static const char *const type_words[] = {"hello", "control", "command", NULL};
static const char *const role_words[] = {"auto", "controller", "observer", NULL};
static const char *const mode_words[] = {"action", "place", NULL};
static const char *const control_words[] = {"claim", "release", NULL};
static const char *const action_words[] = {"moveLeft",  "moveRight", "softDrop", "hardDrop", "rotateCw",
                                           "rotateCcw", "hold",      "pause",    "restart",  NULL};
const char *const message_rotations[] = {"north", "east", "south", "west", NULL};
static const char *const path_words[] = {"simple", "full", NULL};

static bool fail_message(struct message *m, const char *wrong)
{
    m->wrong = wrong;
    return false;
}

// T3.56: for a broken line, the first number after a "seq": in the text.
static uint64_t guess_seq(struct span line)
{
    static const char mark[] = "\"seq\":";
    const char *at = memmem(line.at, line.size, mark, sizeof mark - 1), *end = line.at + line.size;
    if (!at)
        return 0;
    for (at += sizeof mark - 1; at < end && (*at == ' ' || *at == '\t'); at++)
        ;
    uint64_t seq = 0;
    for (; at < end && *at >= '0' && *at <= '9' && seq <= MAX_SEQ; at++)
        seq = seq * 10 + (unsigned)(*at - '0');
    return seq <= MAX_SEQ ? seq : 0;
}

// Reads only type and seq: whatever is wrong with the rest is answered with this seq (message_read).
bool message_open(struct message *m, struct span line)
{
    *m = (struct message){0};
    struct json_reader r = json_reader_of(line, MESSAGE_MAX_DEPTH);
    struct json_string key, type = {0};
    bool has_seq = false;
    if (json_peek(&r) != JSON_OBJECT)
        json_fail(&r, ERR_JSON);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        if (json_string_is(key, "type") && json_peek(&r) == JSON_STRING) {
            type = json_read_string(&r);
        } else if (json_string_is(key, "seq") && (has_seq = json_peek(&r) == JSON_INT)) {
            struct json_reader copy = r;
            m->seq = json_read_uint(&copy, MAX_SEQ);
            has_seq = copy.error == OK;
            json_skip(&r);
        } else {
            json_skip(&r);
        }
    }
    int err = json_finish(&r);
    if (err != OK) {
        m->seq = guess_seq(line);
        return fail_message(m,
                            err == ERR_DEPTH ? "the JSON is nested deeper than 16" : "not a JSON object on one line");
    }
    if (!type.raw.at)
        return fail_message(m, "the field type (a string) is missing");
    // An unknown word gives -1, hence MESSAGE_UNKNOWN.
    m->type = (enum message_type)(json_string_among_nocase(type, type_words) + 1);
    return has_seq || fail_message(m, "seq must be an integer from 0 to 2^53-1");
}

// --- hello

static void read_client(struct json_reader *r, unsigned *seen)
{
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "name"))
            json_read_string(r), *seen |= 1;
        else if (json_string_is(key, "version"))
            json_read_string(r), *seen |= 2;
        else
            json_skip(r);
    }
}

static void read_formats(struct json_reader *r, struct message_hello *h)
{
    h->has_json = false;
    for (json_enter_array(r); json_next_item(r);)
        h->has_json |= json_string_is(json_read_string(r), "json");
}

static int read_word(struct json_reader *r, const char *const *words)
{
    int index = json_string_among_nocase(json_read_string(r), words);
    if (index < 0)
        json_fail(r, ERR_UNKNOWN);
    return index;
}

static void read_table(struct json_reader *r, struct message_hello *h)
{
    h->has_table = true;
    if (json_string_copy(json_read_string(r), h->table, sizeof h->table) < 0)
        h->table[0] = 0; // too long: rejected like an empty one
}

static void read_requested(struct json_reader *r, struct message_hello *h, unsigned *seen)
{
    static const char *const clocks[] = {"lockstep", NULL};
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "stream_observations"))
            h->stream = json_read_bool(r), *seen |= 4;
        else if (json_string_is(key, "command_mode"))
            read_word(r, mode_words), *seen |= 8;
        else if (json_string_is(key, "role"))
            h->role = (uint8_t)read_word(r, role_words);
        else if (json_string_is(key, "clock") && json_peek(r) == JSON_STRING)
            h->lockstep = json_string_among_nocase(json_read_string(r), clocks) == 0;
        else if (json_string_is(key, "frame_skip"))
            h->frame_skip = (uint8_t)json_read_uint(r, 64);
        else if (json_string_is(key, "table"))
            read_table(r, h);
        else
            json_skip(r);
    }
}

static bool read_hello(struct message *m, struct json_reader *r)
{
    struct message_hello *h = &m->hello;
    *h = (struct message_hello){.frame_skip = 1};
    struct json_string key;
    unsigned seen = 0; // T3.10: name, version, stream_observations, command_mode, protocol_version, formats, ts
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "client"))
            read_client(r, &seen);
        else if (json_string_is(key, "protocol_version"))
            json_string_copy(json_read_string(r), h->version, sizeof h->version), seen |= 16;
        else if (json_string_is(key, "formats"))
            read_formats(r, h), seen |= 32;
        else if (json_string_is(key, "requested"))
            read_requested(r, h, &seen);
        else if (json_string_is(key, "ts"))
            json_read_int(r, INT64_MIN, INT64_MAX), seen |= 64;
        else
            json_skip(r);
    }
    if (json_finish(r) != OK || seen != 127 || h->frame_skip == 0)
        return fail_message(m, "hello needs ts, client{name,version}, protocol_version, formats, "
                               "requested{stream_observations,command_mode} of the right types");
    return true;
}

// --- control and command

static bool read_control(struct message *m, struct json_reader *r)
{
    struct json_string key;
    unsigned seen = 0;
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "action"))
            m->is_claim = read_word(r, control_words) == 0, seen |= 1;
        else if (json_string_is(key, "ts"))
            json_read_int(r, INT64_MIN, INT64_MAX), seen |= 2;
        else
            json_skip(r);
    }
    return (json_finish(r) == OK && seen == 3) || fail_message(m, "control needs ts and action: claim or release");
}

static void read_actions(struct json_reader *r, struct message_command *c)
{
    c->count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        int action = read_word(r, action_words);
        if (c->count == MESSAGE_MAX_ACTIONS)
            json_fail(r, ERR_TOO_LONG);
        if (r->error)
            return;
        c->actions[c->count++] = (uint8_t)action;
    }
}

// T2.12: a seed that is not an integer in range is a semantic error; it is never reduced.
static void read_restart(struct json_reader *r, struct message *m)
{
    struct json_string key;
    m->command.has_restart = true;
    m->command.has_seed = m->bad_seed = false;
    if (json_peek(r) != JSON_OBJECT) {
        m->bad_seed = true;
        json_skip(r);
        return;
    }
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (!json_string_is(key, "seed")) {
            json_skip(r);
            continue;
        }
        struct json_reader copy = *r;
        m->command.seed = (uint32_t)json_read_uint(&copy, UINT32_MAX);
        m->command.has_seed = true;
        m->bad_seed = copy.error != OK;
        json_skip(r);
    }
}

static void read_coordinate(struct json_reader *r, int64_t *out)
{
    enum json_type type = json_peek(r);
    if (type == JSON_INT) {
        *out = json_read_int(r, INT64_MIN, INT64_MAX);
        return;
    }
    json_fail(r, ERR_TYPE); // T3.59: a value that is not an integer is a syntax error
}

static void read_place(struct json_reader *r, struct message_place *p, unsigned *seen)
{
    struct json_string key;
    *p = (struct message_place){.given = true};
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "x"))
            read_coordinate(r, &p->x), *seen |= 1;
        else if (json_string_is(key, "rotation"))
            p->rotation = (int8_t)json_string_among_nocase(json_read_string(r), message_rotations), *seen |= 2;
        else if (json_string_is(key, "useHold"))
            p->hold = json_read_bool(r), *seen |= 4;
        else if (json_string_is(key, "path"))
            p->path = (int8_t)json_string_among_nocase(json_read_string(r), path_words);
        else if (json_string_is(key, "y"))
            read_coordinate(r, &p->y), p->has_y = true;
        else
            json_skip(r);
    }
}

// A member that is null counts as absent.
static void read_member(struct json_reader *r, struct json_string key, struct message *m, unsigned *seen,
                        unsigned *placed)
{
    struct message_command *c = &m->command;
    if (json_string_is(key, "mode")) {
        c->place_mode = read_word(r, mode_words) == 1;
        *seen |= 1;
    } else if (json_string_is(key, "ts")) {
        json_read_int(r, INT64_MIN, INT64_MAX);
        *seen |= 2;
    } else if (json_read_if_null(r)) {
        return;
    } else if (json_string_is(key, "actions")) {
        read_actions(r, c);
        *seen |= 4;
    } else if (json_string_is(key, "place")) {
        *placed = 0;
        read_place(r, &c->place, placed);
    } else if (json_string_is(key, "restart")) {
        read_restart(r, m);
    } else {
        json_skip(r);
    }
}

static bool read_command(struct message *m, struct json_reader *r)
{
    struct message_command *c = &m->command;
    struct json_string key;
    // 7: complete, as long as no `place` comes along.
    unsigned seen = 0, placed = 7;
    *c = (struct message_command){0};
    for (json_enter_object(r); json_next_key(r, &key);)
        read_member(r, key, m, &seen, &placed);
    if (json_finish(r) != OK || (seen & 3) != 3 || placed != 7)
        return fail_message(
            m, "command needs ts, mode (action or place), known actions (32 at most), place{x,rotation,useHold}");
    return c->place_mode || (seen & 4) || fail_message(m, "mode action needs the list actions");
}

bool message_read(struct message *m, struct span line)
{
    static bool (*const readers[])(struct message *, struct json_reader *) = {
        [MESSAGE_HELLO] = read_hello, [MESSAGE_CONTROL] = read_control, [MESSAGE_COMMAND] = read_command};
    struct json_reader r = json_reader_of(line, MESSAGE_MAX_DEPTH);
    if (m->type == MESSAGE_UNKNOWN)
        return fail_message(m, "unknown type; known: hello, control, command");
    return readers[m->type](m, &r);
}

// --- names and versions

// Reads one number of a version, without leading zeros. Returns the text after it, or NULL.
static const char *take_number(const char *at, int *value)
{
    if (*at < '0' || *at > '9' || (*at == '0' && at[1] >= '0' && at[1] <= '9'))
        return NULL;
    for (*value = 0; *at >= '0' && *at <= '9'; at++)
        // No version that is spoken here is longer; the number must not overflow.
        if (*value < 100000000)
            *value = *value * 10 + (*at - '0');
    return at;
}

static bool is_tag_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

// Dot-separated identifiers up to `stop` or the end; numbers of a pre-release have no leading zeros.
static const char *take_tags(const char *at, char stop, bool strict)
{
    do {
        const char *start = at;
        bool digits = true;
        for (; is_tag_char(*at); at++)
            digits &= *at >= '0' && *at <= '9';
        if (at == start || (strict && digits && *start == '0' && at - start > 1))
            return NULL;
    } while (*at == '.' && at++);
    return *at == 0 || *at == stop ? at : NULL;
}

// T3.12: all of it must be well formed, but only the major number counts.
int message_version_major(const char *version)
{
    int major, rest;
    const char *at = take_number(version, &major);
    for (int i = 0; i < 2 && at; i++)
        at = *at == '.' ? take_number(at + 1, &rest) : NULL;
    if (at && *at == '-')
        at = take_tags(at + 1, '+', true);
    if (at && *at == '+')
        at = take_tags(at + 1, 0, false);
    return at && *at == 0 ? major : -1;
}

bool message_is_table_name(const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < size; i++)
        if (!is_tag_char(name[i]) && name[i] != '.' && name[i] != '_')
            return false;
    return size >= 1 && size <= MESSAGE_MAX_NAME;
}

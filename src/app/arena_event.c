#include "app/arena_event.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "codec/speech.h"
#include "kit/arena_dialect.h"
#include "kit/kit.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 32 };

static int seat_of(struct json_string s)
{
    return json_string_among(s, dialect_pids);
}

static void put_string(struct text *t, struct json_string s, struct span raw)
{
    int seat = seat_of(s);
    if (seat >= 0)
        json_write_text(t, codec_seat_names[seat]);
    else
        json_write_raw(t, raw);
}

static struct json_reader reader_of(struct span raw)
{
    return json_reader_of(raw, DEPTH);
}

static void put_key(struct text *t, struct span key)
{
    json_write_key(t, key.at, key.size); // as it stood in JSON: escaped already
}

// Copies a value; pids are replaced by the names of seats.
static void copy_value(struct text *t, struct span raw, int depth)
{
    struct json_reader r = reader_of(raw);
    struct json_string key;
    enum json_type kind = json_peek(&r);
    if (depth == 0 || (kind != JSON_STRING && kind != JSON_OBJECT && kind != JSON_ARRAY)) {
        json_write_raw(t, raw);
    } else if (kind == JSON_STRING) {
        put_string(t, json_read_string(&r), raw);
    } else if (kind == JSON_ARRAY) {
        json_begin_array(t);
        for (json_enter_array(&r); json_next_item(&r);)
            copy_value(t, json_read_raw(&r), depth - 1);
        json_end_array(t);
    } else {
        json_begin_object(t);
        for (json_enter_object(&r); json_next_key(&r, &key);) {
            int seat = seat_of(key);
            put_key(t, seat >= 0 ? span_of(codec_seat_names[seat]) : key.raw);
            copy_value(t, json_read_raw(&r), depth - 1);
        }
        json_end_object(t);
    }
}

static void write_name(struct text *t, struct span name)
{
    for (size_t i = 0; i < name.size; i++)
        text_put_char(t, name.at[i] == '_' ? ' ' : name.at[i]);
}

static void write_string_words(struct text *t, struct json_string s, const char *const *names)
{
    char plain[128];
    int seat = seat_of(s), size = seat >= 0 ? 0 : json_string_copy(s, plain, sizeof plain);
    if (seat >= 0)
        text_puts(t, names[seat]);
    for (int i = 0; i < size; i++)
        text_put_char(t, (unsigned char)plain[i] < ' ' ? ' ' : plain[i]); // a line stays one
}

static void write_value_words(struct text *t, struct span raw, int depth, const char *const *names)
{
    struct json_reader r = reader_of(raw);
    struct json_string key;
    enum json_type kind = json_peek(&r);
    const char *before = "";
    if (kind == JSON_STRING) {
        write_string_words(t, json_read_string(&r), names);
    } else if (depth && kind == JSON_ARRAY) {
        for (json_enter_array(&r); json_next_item(&r); before = " ") {
            text_puts(t, before);
            write_value_words(t, json_read_raw(&r), depth - 1, names);
        }
    } else if (depth && kind == JSON_OBJECT) {
        for (json_enter_object(&r); json_next_key(&r, &key); before = "; ") {
            text_puts(t, before);
            write_string_words(t, key, names);
            text_put_char(t, ' ');
            write_value_words(t, json_read_raw(&r), depth - 1, names);
        }
    } else if (kind != JSON_NULL && kind != JSON_ARRAY && kind != JSON_OBJECT) {
        text_put(t, raw);
    }
}

struct parts {
    struct json_string type, player;
    struct span data;
    uint64_t seq;
    bool sound;
};

static struct parts parse_event(struct span event)
{
    struct parts p = {.data = SPAN("{}"), .seq = UINT64_MAX};
    struct json_reader r = reader_of(event);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "type") && json_peek(&r) == JSON_STRING)
            p.type = json_read_string(&r);
        else if (json_string_is(key, "player") && json_peek(&r) == JSON_STRING)
            p.player = json_read_string(&r);
        else if (json_string_is(key, "data") && json_peek(&r) == JSON_OBJECT)
            p.data = json_read_raw(&r);
        else if (json_string_is(key, "seq") && json_peek(&r) == JSON_INT)
            p.seq = json_read_uint(&r, UINT64_MAX);
        else
            json_skip(&r);
    p.sound = json_finish(&r) == OK && p.type.raw.at;
    return p;
}

uint64_t arena_event_number(struct span event)
{
    return parse_event(event).seq;
}

static void put_json(struct text *t, const struct parts *p)
{
    struct json_reader r = reader_of(p->data);
    struct json_string key;
    int seat = p->player.raw.at ? seat_of(p->player) : -1;
    json_begin_object(t);
    json_key(t, "type");
    text_put_char(t, '"');
    text_put(t, p->type.raw); // escaped already
    text_put_char(t, '"');
    if (seat >= 0)
        json_put_text(t, "seat", codec_seat_names[seat]);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        bool is_type = json_string_is(key, "type"); // of an action, not of the event
        put_key(t, is_type ? SPAN("action") : key.raw);
        copy_value(t, json_read_raw(&r), DEPTH);
    }
    json_end_object(t);
}

// "seat_1 player action: action raise, amount 400". The actor is named once; empty values are left out.
static void put_words(struct text *t, const struct parts *p)
{
    struct json_reader r = reader_of(p->data);
    struct json_string key;
    const char *before = ": ";
    int seat = p->player.raw.at ? seat_of(p->player) : -1;
    if (seat >= 0) {
        text_puts(t, codec_seat_names[seat]);
        text_put_char(t, ' ');
    }
    write_name(t, p->type.raw);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if (span_is(value, "null") || span_is(value, "[]") || span_is(value, "{}"))
            continue;
        text_puts(t, before);
        write_name(t, key.raw);
        text_put_char(t, ' ');
        write_value_words(t, value, DEPTH, codec_seat_names);
        before = ", ";
    }
    text_puts(t, ".\n");
}

// What was done: an action's name in a member of the data, or the event's own type.
static struct json_string find_verb(const struct parts *p, struct json_string *member)
{
    static const char *const members[] = {"action", "type", NULL};
    struct json_reader r = reader_of(p->data);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (p->player.raw.at && json_string_among(key, members) >= 0 && json_peek(&r) == JSON_STRING) {
            *member = key;
            return json_read_string(&r);
        } else {
            json_skip(&r);
        }
    return p->type;
}

static bool is_same_key(struct json_string a, struct json_string b)
{
    return b.raw.at && a.raw.size == b.raw.size && memcmp(a.raw.at, b.raw.at, b.raw.size) == 0;
}

// Whether the value is the pid of this seat, which the sentence names already.
static bool names_seat(struct span value, int seat)
{
    struct json_reader r = reader_of(value);
    return seat >= 0 && json_peek(&r) == JSON_STRING && seat_of(json_read_string(&r)) == seat;
}

// Describes an event that contains a complete action in the words of the action: "claims Duke and taxes". The amount of
// a bet event is what was added, but that of an action is the total; so bets are described by their members.
static bool describe_action(struct text *words, const struct parts *p, struct json_string verb,
                            const struct game_kit *k, const struct codec_table *table)
{
    char type[DIALECT_TYPE], bytes[1024];
    struct game_action a;
    struct text t = text_on(bytes, sizeof bytes);
    if (json_member(p->data, "total_bet").at || json_member(p->data, "coins_now").at ||
        !codec_find_type(k->codec, verb))
        return false;
    text_puts(&t, "{\"type\":\"");
    text_put(&t, verb.raw);
    text_puts(&t, "\",\"data\":");
    text_put(&t, p->data);
    text_puts(&t, "}");
    struct codec_table wire = dialect_table(table->seats, table->viewer);
    if (t.full || dialect_read_action(k, text_span(&t), &wire, &a, type) != OK)
        return false;
    codec_describe_action(k->codec, words, table, a);
    return true;
}

static void describe_members(struct text *words, const struct parts *p, struct json_string member, int actor,
                             const char *const *names)
{
    struct json_reader r = reader_of(p->data);
    struct json_string key;
    const char *before = " ";
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if (is_same_key(key, member) || json_string_is(key, "total_bet") || names_seat(value, actor) ||
            span_is(value, "null") || span_is(value, "[]") || span_is(value, "{}"))
            continue;
        text_puts(words, before);
        if (!json_string_is(key, "amount") && !json_string_is(key, "card")) {
            write_name(words, key.raw);
            text_put_char(words, ' ');
        }
        write_value_words(words, value, DEPTH, names);
        before = ", ";
    }
}

static bool has_value(struct span value, const char *wanted)
{
    struct json_reader r = reader_of(value);
    return value.at &&
           (span_is(value, wanted) || (json_peek(&r) == JSON_STRING && json_string_is(json_read_string(&r), wanted)));
}

static const struct speech_event *find_sentence(const struct speech_event *row, const struct parts *p)
{
    for (; row && row->type; row++)
        if (json_string_is(p->type, row->type) &&
            (!row->member || has_value(json_member(p->data, row->member), row->value)))
            return row;
    return NULL;
}

// An object with a member for each seat, as "ann Ah Kd One Pair; bob 2c 2d Two Pair". Only values are written; seats
// that have nothing but booleans are left out.
static void write_each_seat(struct text *t, struct span raw, const char *const *names)
{
    struct json_reader r = reader_of(raw);
    struct json_string seat, key;
    const char *before = "";
    for (json_enter_object(&r); json_next_key(&r, &seat);) {
        struct json_reader one = reader_of(json_read_raw(&r));
        const char *start = before;
        for (json_enter_object(&one); json_next_key(&one, &key);) {
            bool is_said = json_peek(&one) != JSON_BOOL;
            struct span value = json_read_raw(&one);
            if (is_said && start) {
                text_puts(t, start);
                write_string_words(t, seat, names);
                before = "; ";
            }
            if (is_said) {
                text_put_char(t, ' ');
                write_value_words(t, value, DEPTH, names);
                start = NULL;
            }
        }
    }
}

static bool has_objects(struct span raw)
{
    struct json_reader r = reader_of(raw);
    struct json_string key;
    json_enter_object(&r);
    return json_peek(&r) != JSON_NONE && json_next_key(&r, &key) && json_peek(&r) == JSON_OBJECT;
}

static bool is_word(const struct speech_word *word, const char *name, struct span value)
{
    const char *equals = strchr(word->wire, '=');
    size_t size = equals ? (size_t)(equals - word->wire) : 0;
    if (equals && (strlen(name) != size || memcmp(name, word->wire, size) != 0))
        return false;
    return has_value(value, equals ? equals + 1 : word->wire);
}

static void write_member_words(struct text *t, const char *name, struct span value, const struct speech_word *word,
                               const char *const *names)
{
    for (; word && word->wire; word++)
        if (is_word(word, name, value)) {
            text_puts(t, word->spoken);
            return;
        }
    if (has_objects(value))
        write_each_seat(t, value, names);
    else
        write_value_words(t, value, DEPTH, names);
}

static void fill_sentence(struct text *t, const struct parts *p, const char *sentence, const struct speech_word *words,
                          const char *const *names)
{
    char name[32];
    for (const char *at = sentence; *at; at++) {
        if (*at != '{') {
            text_put_char(t, *at);
            continue;
        }
        size_t size = strcspn(++at, "}");
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        at += size;
        char *count = strchr(name, '|');
        if (count)
            *count++ = 0;
        if (strcmp(name, "player") == 0 && p->player.raw.at)
            write_string_words(t, p->player, names);
        else
            write_member_words(t, name, json_member(p->data, name), words, names);
        if (count && !has_value(json_member(p->data, count), "1"))
            text_puts(t, t->size && t->at[t->size - 1] == 'x' ? "es" : "s");
    }
}

bool arena_event_describe(struct text *words, struct span event, const struct game_kit *k, const char *const *names,
                          int seats)
{
    struct parts p = parse_event(event);
    struct json_string member = {0};
    if (!p.sound)
        return false;
    struct span seat = json_member(p.data, "seat"); // games without a dialect name it there
    struct json_reader r = reader_of(seat);
    if (!p.player.raw.at && seat.at && json_peek(&r) == JSON_STRING)
        p.player = json_read_string(&r);
    struct json_string verb = find_verb(&p, &member);
    int actor = p.player.raw.at ? seat_of(p.player) : -1;
    struct codec_table table = {.seat = names, .seats = seats, .viewer = GAME_SPECTATOR, .voice = CODEC_PERSON};
    const struct codec_speech *speech = speech_of(k->codec);
    const struct speech_event *row = find_sentence(speech->events, &p);
    if (row) {
        fill_sentence(words, &p, row->sentence, speech->words, names);
        return true;
    }
    if (p.player.raw.at) {
        write_string_words(words, p.player, names);
        text_put_char(words, ' ');
    }
    if (actor >= 0 && actor < seats && describe_action(words, &p, verb, k, &table))
        return true;
    const struct codec_action *act = actor >= 0 ? codec_find_type(k->codec, verb) : NULL;
    if (act && !act->master)
        codec_describe_type(k->codec, words, &table, (struct game_action){.kind = act->kind});
    else
        write_name(words, verb.raw);
    describe_members(words, &p, member, actor, names);
    return true;
}

bool arena_event_translate(struct text *json, struct text *words, struct span event)
{
    struct parts p = parse_event(event);
    if (!p.sound)
        return false;
    put_json(json, &p);
    put_words(words, &p);
    return true;
}

#include "codec/speech.h"

enum { DEPTH = 8, CHOICE_ROOM = 1024 };

const struct codec_speech *speech_of(const struct codec *c)
{
    static const struct codec_speech none;
    return c->speech ? c->speech : &none;
}

// A type may stand for several kinds (move: left, right); it is one phrase.
static bool is_first_of_type(const struct codec_action *all, const struct codec_action *a)
{
    for (; all < a; all++)
        if (strcmp(all->type, a->type) == 0)
            return false;
    return true;
}

// --- parameters of a game without phrases: the members that its codec writes, in that order

enum { NAME_ROOM = 24, KINDS = 64 };

struct names {
    char name[SPEECH_SLOTS][NAME_ROOM], shown[SPEECH_SLOTS][NAME_ROOM];
};

static bool is_card(struct json_string s)
{
    return s.raw.size == 2 && memchr("23456789TJQKA", s.raw.at[0], 13) && memchr("cdhs", s.raw.at[1], 4);
}

static uint8_t kind_of(struct json_reader *r)
{
    int items = 0;
    switch (json_peek(r)) {
    case JSON_INT:
        json_skip(r);
        return SPEECH_NUMBER;
    case JSON_ARRAY:
        for (json_enter_array(r); json_next_item(r); items++)
            json_skip(r);
        return items == 2 ? SPEECH_PAIR : SPEECH_NONE;
    case JSON_STRING: {
        struct json_string s = json_read_string(r);
        return json_string_among(s, codec_seat_names) >= 0 ? SPEECH_SEAT : is_card(s) ? SPEECH_CARD : SPEECH_TEXT;
    }
    default:
        json_skip(r);
        return SPEECH_NONE;
    }
}

static void name_slot(struct speech_slot *s, struct span key, char name[NAME_ROOM], char shown[NAME_ROOM])
{
    size_t size = key.size < NAME_ROOM ? key.size : NAME_ROOM - 1;
    for (size_t i = 0; i < size; i++) {
        char c = key.at[i];
        name[i] = c;
        shown[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    name[size] = shown[size] = 0;
    s->name = name;
    s->shown = shown;
}

// The names last until the thread asks for another game: as long as one answer is read.
static void find_slots(const struct codec *c, uint8_t kind, struct speech_phrase *out)
{
    static _Thread_local struct names kept[KINDS];
    const struct codec_table table = {.seat = codec_seat_names, .seats = c->game->max_seats, .viewer = GAME_SPECTATOR};
    char bytes[CHOICE_ROOM];
    struct text json = text_on(bytes, sizeof bytes);
    struct json_string key;
    int slots = 0;
    json_begin_object(&json);
    codec_write_params(c, &json, &table, (struct game_action){.kind = kind});
    json_end_object(&json);
    struct json_reader r = json_reader_of(text_span(&json), DEPTH);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        uint8_t found = kind_of(&r);
        if (found && slots < SPEECH_SLOTS) {
            out->slot[slots].kind = found;
            name_slot(&out->slot[slots], key.raw, kept[kind % KINDS].name[slots], kept[kind % KINDS].shown[slots]);
            slots++;
        }
    }
}

bool speech_phrase_at(const struct codec *c, int i, struct speech_phrase *out)
{
    const struct speech_phrase *p = speech_of(c)->phrases;
    if (p) {
        *out = p[i];
        return out->type;
    }
    for (const struct codec_action *a = c->actions; a->type; a++)
        if (!a->master && is_first_of_type(c->actions, a) && i-- == 0) {
            *out = (struct speech_phrase){.type = a->type};
            if (c->write_params)
                find_slots(c, a->kind, out);
            return true;
        }
    return false;
}

bool speech_find_phrase(const struct codec *c, const char *type, struct speech_phrase *out)
{
    for (int i = 0; speech_phrase_at(c, i, out); i++)
        if (strcmp(out->type, type) == 0)
            return true;
    return false;
}

static void describe_phrase(struct text *t, const struct speech_phrase *p)
{
    text_puts(t, p->type);
    for (int i = 0; i < SPEECH_SLOTS && p->slot[i].kind; i++) {
        const struct speech_slot *s = &p->slot[i];
        if (s->kind == SPEECH_FLAG)
            codec_write(t, " [%s]", s->words[0]);
        else if (s->kind == SPEECH_PAIR)
            codec_write(t, " %s %s", s->shown, s->shown);
        else
            codec_write(t, " %s", s->shown);
    }
}

void speech_describe_actions(const struct codec *c, struct text *t)
{
    struct speech_phrase p;
    for (int i = 0; speech_phrase_at(c, i, &p); i++) {
        text_puts(t, "- ");
        describe_phrase(t, &p);
        text_put_char(t, '\n');
    }
    if (speech_of(c)->legend)
        text_puts(t, speech_of(c)->legend);
}

// --- what is legal

static void describe_value(struct text *t, const struct speech_slot *s, struct span value)
{
    struct json_reader r = json_reader_of(value, DEPTH);
    char word[64];
    switch (json_peek(&r)) {
    case JSON_STRING:
        if (json_string_copy(json_read_string(&r), word, sizeof word) >= 0)
            codec_write(t, " %s", word);
        return;
    case JSON_BOOL:
        if (json_read_bool(&r))
            codec_write(t, " %s", s->words[0]);
        return;
    case JSON_ARRAY:
        for (json_enter_array(&r); json_next_item(&r);)
            codec_write(t, " %d", (int)json_read_int(&r, INT32_MIN, INT32_MAX));
        return;
    default:
        text_put_char(t, ' ');
        text_put(t, value);
    }
}

static bool read_range(struct span range, int64_t ends[2])
{
    struct json_reader r = json_reader_of(range, DEPTH);
    int count = 0;
    for (json_enter_array(&r); json_next_item(&r); count++) {
        int64_t value = json_read_int(&r, INT64_MIN, INT64_MAX);
        if (count < 2)
            ends[count] = value;
    }
    return json_finish(&r) == OK && count == 2;
}

// The choice as the codec writes it, in the order of the phrase.
static void describe_by_phrase(struct text *t, const struct speech_phrase *p, struct span json)
{
    char after[128];
    struct text ranges = text_on(after, sizeof after);
    struct span bounds = json_member(json, "range");
    int64_t ends[2];
    text_puts(t, p->type);
    for (int i = 0; i < SPEECH_SLOTS && p->slot[i].kind; i++) {
        const struct speech_slot *s = &p->slot[i];
        struct span value = json_member(json, s->name), range = bounds.at ? json_member(bounds, s->name) : bounds;
        if (range.at && read_range(range, ends) && ends[0] != ends[1]) {
            codec_write(t, " %s", s->shown);
            codec_write(&ranges, ", %s%s%d to %d", i ? s->shown : "", i ? " " : "", (int)ends[0], (int)ends[1]);
        } else if (value.at) {
            describe_value(t, s, value);
        }
    }
    text_put(t, text_span(&ranges));
}

void speech_describe_choice(const struct codec *c, struct text *t, const struct codec_table *table, const void *view,
                            struct game_choice choice)
{
    const struct codec_speech *speech = speech_of(c);
    const struct codec_action *a = codec_find_kind(c, choice.first.kind, false);
    struct speech_phrase p;
    char json[CHOICE_ROOM];
    struct text written = text_on(json, sizeof json);
    if (!a || !speech_find_phrase(c, a->type, &p))
        return;
    if (speech->describe_choice && p.slot[0].kind) {
        speech->describe_choice(t, table, view, choice);
        return;
    }
    codec_write_choice(c, &written, table, choice);
    describe_by_phrase(t, &p, text_span(&written));
    if (speech->note) {
        char words[160];
        struct text note = text_on(words, sizeof words);
        speech->note(&note, table, view, choice);
        if (note.size)
            codec_write(t, " (%.*s)", (int)note.size, note.at);
    }
    text_put_char(t, '\n');
}

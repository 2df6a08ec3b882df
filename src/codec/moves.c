#include "codec/moves.h"

#include "base/nearest.h"
#include "codec/speech.h"

#include <stdlib.h>

static const struct codec_moves none;

static const struct codec_moves *moves_of(const struct codec *c)
{
    return c->moves ? c->moves : &none;
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

// --- writing

static void write_value(struct text *t, struct json_reader *r, struct json_string key)
{
    char word[MOVES_WORD * 2];
    switch (json_peek(r)) {
    case JSON_STRING:
        if (json_string_copy(json_read_string(r), word, sizeof word) >= 0)
            codec_write(t, " %s", word);
        return;
    case JSON_BOOL:
        if (json_read_bool(r)) {
            text_put_char(t, ' ');
            text_put(t, key.raw);
        }
        return;
    case JSON_ARRAY:
        for (json_enter_array(r); json_next_item(r);)
            write_value(t, r, key);
        return;
    case JSON_OBJECT:
    case JSON_NULL:
    case JSON_NONE:
        json_skip(r);
        return;
    case JSON_INT:
    case JSON_REAL:
        text_put_char(t, ' ');
        text_put(t, json_read_raw(r));
        return;
    }
}

static void write_plain(const struct codec *c, struct text *t, const struct codec_table *table,
                        struct game_choice choice)
{
    char bytes[256];
    struct text json = text_on(bytes, sizeof bytes);
    struct json_string key;
    text_puts(t, codec_find_kind(c, choice.first.kind, false)->type);
    if (choice.max_amount > choice.first.amount) {
        codec_write(t, " %d-%d", choice.first.amount, choice.max_amount);
        return;
    }
    json_begin_object(&json);
    codec_write_params(c, &json, table, choice.first);
    json_end_object(&json);
    struct json_reader r = json_reader_of(text_span(&json), 4);
    for (json_enter_object(&r); json_next_key(&r, &key);)
        write_value(t, &r, key);
}

static struct span write_one(const struct codec *c, char *bytes, size_t room, const struct codec_table *table,
                             const void *view, struct game_choice choice)
{
    struct text one = text_on(bytes, room);
    const struct codec_moves *m = moves_of(c);
    if (!m->write_one || !m->write_one(&one, table, view, choice))
        write_plain(c, &one, table, choice);
    return text_span(&one);
}

// What a line begins with, as far as others may share it; empty: it stands alone.
static struct span head_of(struct span move)
{
    const char *blank = move.size ? memchr(move.at, ' ', move.size) : NULL;
    size_t size = blank ? (size_t)(blank - move.at) : 0;
    bool more = blank && memchr(blank + 1, ' ', move.size - size - 1);
    return (struct span){move.at, more ? 0 : size};
}

// Moves that differ in their last word alone are one item: steal (seat_1, seat_3).
static void write_each(const struct codec *c, struct text *t, const struct codec_table *table, const void *view,
                       const struct game_choice *list, int count, const char *between)
{
    char first[256], next[256];
    for (int i = 0; i < count;) {
        struct span move = write_one(c, first, sizeof first, table, view, list[i]), head = head_of(move);
        if (i++)
            text_puts(t, between);
        bool open = false;
        for (; i < count && head.size; i++) {
            struct span other = write_one(c, next, sizeof next, table, view, list[i]);
            if (!span_equals(head, head_of(other)))
                break;
            if (!open) {
                text_put(t, head);
                text_puts(t, " (");
                text_put(t, (struct span){move.at + head.size + 1, move.size - head.size - 1});
            }
            open = true;
            text_puts(t, ", ");
            text_put(t, (struct span){other.at + head.size + 1, other.size - head.size - 1});
        }
        if (open)
            text_put_char(t, ')');
        else
            text_put(t, move);
    }
}

void moves_write(const struct codec *c, struct text *t, const struct codec_table *table, const void *view,
                 const struct game_choice *list, int count, const char *between)
{
    const struct codec_moves *m = moves_of(c);
    if (!m->write_all || !m->write_all(t, table, view, list, count, between))
        write_each(c, t, table, view, list, count, between);
}

// --- reading

static bool is_gap(char c)
{
    return c == ' ' || c == '_' || c == '-' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == '(' || c == ')';
}

static bool is_dropped(char c)
{
    return c == '"' || c == '\'' || c == '`' || c == '.' || c == ':';
}

// False: too much of it.
static bool split(struct span said, struct moves_said *s)
{
    int size = 0;
    *s = (struct moves_said){0};
    for (size_t i = 0; i <= said.size; i++) {
        char c = i < said.size ? said.at[i] : ' ';
        bool fraction = c == '.' && size && i + 1 < said.size && said.at[i + 1] >= '0' && said.at[i + 1] <= '9';
        if (is_dropped(c) && !fraction)
            continue;
        if (is_gap(c)) {
            s->count += size > 0;
            size = 0;
            continue;
        }
        if (s->count == MOVES_WORDS || size == MOVES_WORD - 1)
            return false;
        s->word[s->count][size++] = small(c);
    }
    return true;
}

// Whether these words, without their gaps, are the name without its own.
static bool is_name(const struct moves_said *s, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        for (const char *w = s->word[i]; *w; w++, name++) {
            while (*name == '_')
                name++;
            if (*w != small(*name))
                return false;
        }
    return *name == 0;
}

static const struct codec_action *find_type(const struct codec *c, const char *type)
{
    for (const struct codec_action *a = c->actions; a->type; a++)
        if (!a->master && strcmp(a->type, type) == 0)
            return a;
    return NULL;
}

static const struct codec_action *find_name(const struct codec *c, struct moves_said *s)
{
    for (s->at = s->count; s->at > 0; s->at--) {
        for (const struct codec_action *a = c->actions; a->type; a++)
            if (!a->master && is_name(s, s->at, a->type))
                return a;
        for (const struct moves_alias *a = moves_of(c)->aliases; a && a->words; a++)
            if (is_name(s, s->at, a->words))
                return find_type(c, a->type);
    }
    return NULL;
}

// M57: near is what has at most three letters wrong, and fewer than half of them.
static void say_unknown(const struct codec *c, const struct moves_said *s, struct span said, struct text *why)
{
    const char *nearest = NULL;
    unsigned least = 4;
    for (const struct codec_action *a = c->actions; a->type && s->count; a++) {
        unsigned d = a->master ? least : nearest_distance(span_of(s->word[0]), span_of(a->type));
        if (d < least && 2 * d < strlen(s->word[0]))
            least = d, nearest = a->type;
    }
    codec_write(why, "there is no move \"%.*s\"", (int)(said.size < 40 ? said.size : 40), said.at);
    if (nearest)
        codec_write(why, "; did you mean \"%s\"?", nearest);
}

// --- reading the parameters of a game without moves of its own, by the slots of its phrases

// Writes the value of a slot, "7", "[7,2]" or "\"seat_1\"", from the words at `at`. Returns how many it took; 0: none.
static int read_slot(struct text *t, const struct speech_slot *slot, const struct moves_said *s, int at,
                     const struct codec_table *table)
{
    int left = s->count - at, number[2] = {0, 0};
    char card[3];
    struct moves_said seat = {.count = left < 2 ? left : 2}; // "seat_1" was split
    if (left < 1)
        return 0;
    switch (slot->kind) {
    case SPEECH_NUMBER:
        if (!moves_number(s->word[at], &number[0]))
            return 0;
        json_put_int(t, slot->name, number[0]);
        return 1;
    case SPEECH_PAIR:
        if (left < 2 || !moves_number(s->word[at], &number[0]) || !moves_number(s->word[at + 1], &number[1]))
            return 0;
        json_begin_array_at(t, slot->name);
        json_write_int(t, number[0]);
        json_write_int(t, number[1]);
        json_end_array(t);
        return 2;
    case SPEECH_SEAT:
        for (int i = 0; i < seat.count; i++)
            memcpy(seat.word[i], s->word[at + i], sizeof seat.word[i]);
        for (; seat.count; seat.count--) {
            int found = moves_seat(&seat, 0, table);
            if (found < 0)
                continue;
            json_put_text(t, slot->name, table->seat[found]);
            return seat.count;
        }
        return 0;
    case SPEECH_CARD:
        if (strlen(s->word[at]) != 2)
            return 0;
        memcpy(card, s->word[at], sizeof card);
        card[0] = (char)(card[0] >= 'a' && card[0] <= 'z' ? card[0] - 'a' + 'A' : card[0]);
        json_put_text(t, slot->name, card);
        return 1;
    default:
        json_put_text(t, slot->name, s->word[at]);
        return 1;
    }
}

static bool read_params(const struct codec *c, const struct moves_said *s, const char *type,
                        const struct codec_table *table, struct game_action *a, struct text *why)
{
    struct speech_phrase p;
    char bytes[MOVES_LINE];
    struct text json = text_on(bytes, sizeof bytes);
    int at = s->at;
    if (!speech_find_phrase(c, type, &p))
        return false;
    json_begin_object(&json);
    for (int i = 0; i < SPEECH_SLOTS && p.slot[i].kind; i++) {
        if (at < s->count && strcmp(s->word[at], p.slot[i].name) == 0) // "bid coins 7"
            at++;
        int took = read_slot(&json, &p.slot[i], s, at, table);
        if (!took) {
            codec_write(why, "%s needs %s after it", type, p.slot[i].name);
            return false;
        }
        at += took;
    }
    json_end_object(&json);
    if (at < s->count) {
        codec_write(why, p.slot[0].kind ? "\"%s\" is one word too many for %s" : "\"%s\" says nothing after %s",
                    s->word[at], type);
        return false;
    }
    struct json_reader r = json_reader_of(text_span(&json), 4);
    if (codec_read_params(c, &r, table, a) == OK)
        return true;
    codec_write(why, "there is no %s of this kind", type);
    return false;
}

bool moves_read(const struct codec *c, struct span said, const struct codec_table *table, const void *view,
                struct game_action *a, struct text *why)
{
    struct moves_said s;
    const struct codec_moves *m = moves_of(c);
    *a = (struct game_action){0};
    if (!split(said, &s)) {
        text_puts(why, "that is too long for a move");
        return false;
    }
    const struct codec_action *row = find_name(c, &s);
    if (row)
        a->kind = row->kind;
    size_t before = why->size;
    bool own = !m->read && row && c->read_params;
    if (own       ? read_params(c, &s, row->type, table, a, why)
        : m->read ? m->read(&s, table, view, a, why) && a->kind
                  : row != NULL)
        return true;
    if (why->size == before)
        say_unknown(c, &s, said, why);
    return false;
}

void moves_explain(const struct codec *c, struct text *t, const struct codec_table *table, const void *view,
                   struct game_action a)
{
    const struct codec_moves *m = moves_of(c);
    size_t before = t->size;
    if (m->explain)
        m->explain(t, table, view, a);
    if (t->size == before)
        text_puts(t, "that is not legal now");
}

// --- for the games

int moves_number(const char *word, int *value)
{
    int64_t n = 0;
    if (!*word)
        return false;
    for (; *word; word++) {
        if (*word < '0' || *word > '9')
            return false;
        n = 10 * n + (*word - '0');
        if (n > INT32_MAX)
            return false;
    }
    *value = (int)n;
    return true;
}

int moves_seat(const struct moves_said *s, int at, const struct codec_table *table)
{
    int number, words = s->count - at;
    struct moves_said rest = {.count = words > 0 ? words : 0};
    for (int i = 0; i < rest.count; i++)
        memcpy(rest.word[i], s->word[at + i], sizeof rest.word[i]);
    for (int i = 0; i < table->seats && rest.count; i++)
        if (is_name(&rest, rest.count, table->seat[i]))
            return i;
    return rest.count == 1 && moves_number(rest.word[0], &number) && number < table->seats ? number : -1;
}

int moves_among(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        const char *a = word, *b = words[i];
        while (b && *a && *a == small(*b))
            a++, b++;
        if (b && *b && !*a) // a beginning is not enough
            continue;
        if (b && !*a && !*b && *words[i])
            return i;
    }
    return -1;
}

void moves_list(struct text *t, const char *head, const char *const *items, int count)
{
    codec_write(t, count > 1 ? "%s (" : "%s ", head);
    for (int i = 0; i < count; i++)
        codec_write(t, "%s%s", i ? ", " : "", items[i]);
    text_puts(t, count > 1 ? ")" : "");
}

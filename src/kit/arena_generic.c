#include "kit/arena_generic.h"

#include "codec/display.h"

enum { DEPTH = 32, RULES_TEXT = 8192, PARAMS = 4096 };

// --- writing

static void put_actions(const struct codec *c, struct text *t)
{
    const char *last = "";
    json_begin_object_at(t, "available_actions");
    for (const struct codec_action *row = c->actions; row->type; row++) {
        if (row->master || strcmp(row->type, last) == 0) // kinds of one type are adjacent
            continue;
        json_put_text(t, last = row->type, "Listed in legal_actions, with its parameters, whenever it may be played.");
    }
    json_end_object(t);
}

// The codec's rules, line by line.
static void put_lines(struct text *t, struct span lines)
{
    json_begin_array_at(t, "key_rules");
    while (lines.size) {
        const char *end = memchr(lines.at, '\n', lines.size);
        size_t size = end ? (size_t)(end - lines.at) : lines.size;
        if (size)
            json_write_string(t, (struct span){lines.at, size});
        size += end != NULL;
        lines = (struct span){lines.at + size, lines.size - size};
    }
    json_end_array(t);
}

void arena_generic_rules(const struct codec *c, struct text *t, const void *rules, int seats)
{
    char bytes[RULES_TEXT];
    struct text prose = text_on(bytes, sizeof bytes);
    json_put_text(t, "summary", c->summary);
    json_put_texts(t, "phases", c->phases);
    put_actions(c, t);
    c->describe_rules(&prose, rules, seats);
    put_lines(t, text_span(&prose));
}

void arena_generic_state(const struct codec *c, struct text *t, const struct arena_observation *seen)
{
    int viewer = seen->table.viewer;
    json_put_text(t, "phase", c->phases[codec_phase(c, seen->view)]);
    if (viewer < seen->table.seats)
        json_put_text(t, "your_player_id", dialect_pids[viewer]);
    c->write_view(t, &seen->table, seen->view);
}

void arena_generic_params(const struct codec *c, struct text *t, const struct codec_table *table,
                          struct game_choice choice)
{
    codec_write_params(c, t, table, choice.first);
    if (choice.max_amount > choice.first.amount && c->write_range)
        c->write_range(t, table, choice);
}

// --- reading

static bool is_in_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// Copies the number at `at`, of `size` characters; a whole number without its fraction.
static void copy_number(struct text *out, const char *at, size_t size)
{
    struct span number = {at, size};
    struct json_reader r = json_reader_of(number, 1);
    int64_t whole = dialect_read_whole(&r);
    if (json_finish(&r) == OK)
        text_put_int(out, whole);
    else
        text_put(out, number);
}

// F4.4: copies JSON, with whole numbers without a fraction.
static void copy_whole(struct text *out, struct span json)
{
    bool in_string = false;
    for (size_t i = 0, n; i < json.size; i += n) {
        char c = json.at[i];
        n = 1;
        if (in_string && c == '\\' && i + 1 < json.size)
            n = 2;
        else if (c == '"')
            in_string = !in_string;
        if (!in_string && (c == '-' || (c >= '0' && c <= '9'))) {
            while (i + n < json.size && is_in_number(json.at[i + n]))
                n++;
            copy_number(out, json.at + i, n);
        } else {
            text_put(out, (struct span){json.at + i, n});
        }
    }
}

static bool has_fraction(struct span json)
{
    return memchr(json.at, '.', json.size) || memchr(json.at, 'e', json.size) || memchr(json.at, 'E', json.size);
}

int arena_generic_read_params(const struct codec *c, struct span data, const struct codec_table *table,
                              struct game_action *a)
{
    char bytes[PARAMS];
    struct text plain = text_on(bytes, sizeof bytes);
    if (has_fraction(data)) {
        copy_whole(&plain, data);
        data = text_span(&plain);
    }
    struct json_reader r = json_reader_of(data, DEPTH);
    int err = plain.full ? ERR_TOO_LONG : codec_read_params(c, &r, table, a);
    return err == OK ? json_finish(&r) : err;
}

bool arena_generic_read_choice(const struct codec *c, struct span item, const struct codec_table *table,
                               struct game_choice *out)
{
    char bytes[PARAMS];
    struct text flat = text_on(bytes, sizeof bytes);
    struct json_reader r = json_reader_of(item, DEPTH);
    struct json_string key;
    struct span type = {0}, data = SPAN("{}");
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "type"))
            type = json_read_raw(&r);
        else if (json_string_is(key, "data"))
            data = json_read_raw(&r);
        else
            json_skip(&r);
    if (json_finish(&r) != OK || !type.at || data.at[0] != '{')
        return false;
    text_puts(&flat, "{\"type\":"); // one object, as codec_write_choice writes it
    text_put(&flat, type);
    struct span rest = {data.at + 1, data.size - 1};
    while (rest.size && (rest.at[0] == ' ' || rest.at[0] == '\n' || rest.at[0] == '\t' || rest.at[0] == '\r'))
        rest = (struct span){rest.at + 1, rest.size - 1};
    text_puts(&flat, rest.size && rest.at[0] != '}' ? "," : "");
    copy_whole(&flat, rest);
    r = json_reader_of(text_span(&flat), DEPTH);
    return !flat.full && codec_read_choice(c, &r, table, out);
}

bool arena_generic_read_view(const struct codec *c, struct span state, const struct codec_table *table, bool asked,
                             void *view)
{
    struct json_reader r = json_reader_of(state, DEPTH);
    struct json_string key;
    int phase = -1;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "phase"))
            phase = json_string_among(json_read_string(&r), c->phases);
        else
            json_skip(&r);
    if (json_finish(&r) != OK || phase < 0)
        return false;
    return codec_read_view(c, json_reader_of(state, DEPTH), table, asked ? phase : phase | CODEC_FOR_DISPLAY, view);
}

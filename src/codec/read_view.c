// Views and choices read back from neutral JSON, for bot servers that get their games as text.
#include "codec/codec.h"

bool codec_read_view(const struct codec *c, struct json_reader r, const struct codec_table *table, int phase,
                     void *view)
{
    if (!c->read_view || table->seats < c->game->min_seats || table->seats > c->game->max_seats)
        return false;
    memset(view, 0, c->game->view_size);
    return c->read_view(&r, table, phase, view) && !r.error;
}

// {"type":...,"amount":the most}: the largest action of a family, as an action.
static void write_most(struct text *t, struct json_string type, struct json_reader range)
{
    struct json_string key;
    text_puts(t, "{\"type\":\"");
    text_put(t, type.raw);
    text_put_char(t, '"');
    for (json_enter_object(&range); json_next_key(&range, &key);) {
        int64_t most = 0;
        for (json_enter_array(&range); json_next_item(&range);)
            most = json_read_int(&range, INT32_MIN, INT32_MAX);
        text_puts(t, ",\"");
        text_put(t, key.raw);
        text_puts(t, "\":");
        text_put_int(t, most);
    }
    text_put_char(t, '}');
    t->full |= range.error != OK;
}

bool codec_read_choice(const struct codec *c, struct json_reader *r, const struct codec_table *table,
                       struct game_choice *choice)
{
    struct json_reader inside = *r, range = {0}, most;
    struct json_string key, type = {0};
    char bytes[256];
    struct text t = text_on(bytes, sizeof bytes);
    struct game_action last;
    if (json_peek(r) != JSON_OBJECT || codec_read_action(c, r, table, false, &choice->first) != OK)
        return false;
    choice->max_amount = choice->first.amount;
    for (json_enter_object(&inside); json_next_key(&inside, &key);) {
        if (json_string_is(key, "range"))
            range = inside;
        if (json_string_is(key, "type"))
            type = json_read_string(&inside);
        else
            json_skip(&inside);
    }
    if (!range.at || json_peek(&range) != JSON_OBJECT)
        return true;
    write_most(&t, type, range);
    most = json_reader_of(text_span(&t), 4);
    if (t.full || codec_read_action(c, &most, table, false, &last) != OK || last.amount < choice->first.amount)
        return false;
    choice->max_amount = last.amount;
    return true;
}

// --- for the games

int codec_phase(const struct codec *c, const void *view)
{
    return c->phase_at ? ((const uint8_t *)view)[c->phase_at] : 0;
}

uint8_t codec_read_seat_or(struct json_reader *r, const struct codec_table *table, uint8_t nobody)
{
    return json_read_if_null(r) ? nobody : (uint8_t)codec_read_seat(r, table);
}

uint8_t codec_read_word(struct json_reader *r, const char *const *words, int count)
{
    struct json_string s = json_read_string(r);
    for (int i = 0; i < count; i++)
        if (words[i] && json_string_is(s, words[i]))
            return (uint8_t)i;
    json_fail(r, ERR_UNKNOWN);
    return 0;
}

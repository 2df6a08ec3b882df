#include "front/arena/told.h"

#include "games/belote/belote.h"
#include "games/coup/coup.h"
#include "games/liars_dice/liars_dice.h"

enum { DEPTH = 32 };

// --- choices

// A hint: bounds in place of an amount (F6.T7, F6.L3, F6.B4).
struct bounds {
    int64_t amount, min, max, min_quantity, min_face, max_quantity, min_position, max_position;
};

static struct bounds read_bounds(struct span data)
{
    static const char *const keys[] = {
        "amount", "min", "max", "min_quantity", "min_face", "max_quantity", "min_position", "max_position", NULL};
    struct bounds b = {0};
    int64_t *const fields[] = {&b.amount,   &b.min,          &b.max,          &b.min_quantity,
                               &b.min_face, &b.max_quantity, &b.min_position, &b.max_position};
    struct json_reader r = json_reader_of(data, DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        int i = json_string_among(key, keys);
        if (i >= 0)
            *fields[i] = dialect_read_whole(&r);
        else
            json_skip(&r);
    }
    return b;
}

static struct span member(struct span object, const char *name)
{
    struct span found = {0};
    struct json_reader r = json_reader_of(object, DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, name))
            found = json_read_raw(&r);
        else
            json_skip(&r);
    return r.error ? (struct span){0} : found;
}

static bool is_type(struct span action, const char *type)
{
    struct span value = member(action, "type");
    return value.size == strlen(type) + 2 && memcmp(value.at + 1, type, value.size - 2) == 0;
}

static bool read_choice(const struct dialect *d, struct span item, const struct codec_table *table,
                        struct game_choice *out)
{
    char type[DIALECT_TYPE];
    struct bounds b = read_bounds(member(item, "data"));
    if (d == &dialect_liars_dice && is_type(item, "bid")) {
        out->first = (struct game_action){.kind = LIARS_DICE_BID,
                                          .amount = liars_dice_rank((int)b.min_quantity, (int)b.min_face)};
        out->max_amount = liars_dice_rank((int)b.max_quantity, LIARS_DICE_FACES);
        return b.min_quantity > 0;
    }
    if (dialect_read_action(d, item, table, &out->first, type) != OK)
        return false;
    if (d == &dialect_texas_holdem)
        out->first.amount = (int32_t)b.amount; // a call's too, which a client's answer may leave out
    out->max_amount = out->first.amount;
    if (d == &dialect_texas_holdem && b.max > 0)
        out->first.amount = (int32_t)b.min, out->max_amount = (int32_t)b.max;
    if (d == &dialect_belote && b.max_position > 0)
        out->first.amount = (int32_t)b.min_position, out->max_amount = (int32_t)b.max_position;
    return true;
}

static int read_choices(const struct dialect *d, struct span list, struct told *t)
{
    struct codec_table table = dialect_table(t->seats, t->seat);
    struct json_reader r = json_reader_of(list, DEPTH);
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span item = json_read_raw(&r);
        if (r.error || t->count == GAME_MAX_CHOICES || !read_choice(d, item, &table, &t->choices[t->count]))
            return ERR_ACTION;
        t->count++;
    }
    return json_finish(&r) != OK || t->count == 0 ? ERR_ACTION : OK;
}

// --- the silent player's answer, from the list (F6.T17, F6.L9, F6.C15, F6.B8)

static struct game_action fallback_of(const struct dialect *d, const struct told *t)
{
    const struct game_choice *c = t->choices, *last = &c[t->count - 1];
    if (d == &dialect_coup && last->first.kind == COUP_PASS)
        return last->first;
    if (d == &dialect_liars_dice) {
        const struct liars_dice_view *v = (const void *)&t->view;
        bool doubts = 2 * liars_dice_quantity(v->bid) > v->total;
        return v->bid && t->count > 1 && !doubts ? last->first : c->first;
    }
    if (d != &dialect_belote)
        return c->first; // Hold'em lists fold or check first, Coup income, the forced coup, or the first card
    if (c->first.kind == BELOTE_CUT)
        return (struct game_action){.kind = BELOTE_CUT, .arg = {1}, .amount = 16};
    for (int i = 0; i < t->count; i++)
        if (c[i].first.kind == BELOTE_ACCEPT)
            return c[i].first;
    return c->first;
}

// --- reading

static int count_items(struct span list)
{
    int count = 0;
    struct json_reader r = json_reader_of(list, DEPTH);
    for (json_enter_array(&r); json_next_item(&r); count++)
        json_skip(&r);
    return r.error ? -1 : count;
}

static void copy_text(struct span json, char out[TOLD_ID + 1])
{
    struct json_reader r = json_reader_of(json, 1);
    out[0] = 0;
    if (json.at && json_peek(&r) == JSON_STRING && json_string_copy(json_read_string(&r), out, TOLD_ID + 1) < 0)
        out[0] = 0;
}

static int read_seat(struct span state)
{
    char pid[TOLD_ID + 1];
    copy_text(member(state, "your_player_id"), pid);
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        if (strcmp(pid, dialect_pids[i]) == 0)
            return i;
    return -1;
}

static int64_t read_number(struct span json)
{
    struct json_reader r = json_reader_of(json, 1);
    return json.at ? json_read_int(&r, 0, INT64_MAX) : 0;
}

int told_read(const struct dialect *d, struct span data, struct told *t)
{
    struct span state = member(data, "state");
    t->count = 0;
    copy_text(member(data, "match_id"), t->match);
    copy_text(member(data, "request_id"), t->request);
    t->timeout_ms = read_number(member(data, "timeout_ms"));
    t->seats = count_items(member(data, "players"));
    t->seat = state.at ? read_seat(state) : -1;
    if (!t->match[0] || t->seats < 2 || t->seats > GAME_MAX_SEATS || t->seat < 0 || t->seat >= t->seats)
        return ERR_FORMAT;
    int err = read_choices(d, member(data, "legal_actions"), t);
    if (err == OK)
        err = told_read_view(d, state, t);
    if (err == OK)
        t->fallback = fallback_of(d, t);
    return err;
}

void told_write_action(const struct dialect *d, struct text *out, const struct told *t, struct game_action a)
{
    struct codec_table table = dialect_table(t->seats, t->seat);
    json_begin_object(out);
    json_put_text(out, "type", codec_find_kind(d->codec, a.kind, false)->type);
    size_t before = out->size;
    json_key(out, "data");
    json_begin_object(out);
    size_t empty = out->size;
    codec_write_params(d->codec, out, &table, a);
    if (out->size == empty)
        out->size = before;
    else
        json_end_object(out);
    json_end_object(out);
}

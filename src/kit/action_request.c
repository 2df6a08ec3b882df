#include "kit/action_request.h"

#include "kit/arena_generic.h"
#include "kit/kit.h"

enum { DEPTH = 32 };

// --- choices

static struct arena_bounds read_bounds(struct span data)
{
    static const char *const keys[] = {
        "amount", "min", "max", "min_quantity", "min_face", "max_quantity", "min_position", "max_position", NULL};
    struct arena_bounds b = {0};
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

static bool read_choice(const struct game_kit *k, struct span item, const struct codec_table *table,
                        struct game_choice *out)
{
    char type[DIALECT_TYPE];
    const struct arena_dialect *d = dialect_of(k);
    if (!d->write_params)
        return arena_generic_read_choice(k->codec, item, table, out);
    struct arena_bounds b = read_bounds(json_member(item, "data"));
    *out = (struct game_choice){0};
    int err = dialect_read_action(k, item, table, &out->first, type);
    out->max_amount = out->first.amount;
    bool is_range = d->reader && d->reader->widen && d->reader->widen(&b, out);
    return is_range || err == OK;
}

static int read_choices(const struct game_kit *k, struct span list, struct action_request *t)
{
    struct codec_table table = dialect_table(t->seats, t->seat);
    struct json_reader r = json_reader_of(list, DEPTH);
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span item = json_read_raw(&r);
        if (r.error || t->count == GAME_MAX_CHOICES || !read_choice(k, item, &table, &t->choices[t->count]))
            return ERR_ACTION;
        t->count++;
    }
    return json_finish(&r) != OK || t->count == 0 ? ERR_ACTION : OK;
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

static int read_seat(struct span state)
{
    char pid[ACTION_REQUEST_ID + 1];
    json_copy_text(json_member(state, "your_player_id"), pid, sizeof pid);
    return span_among(span_of(pid), dialect_pids);
}

static int64_t read_number(struct span json)
{
    struct json_reader r = json_reader_of(json, 1);
    return json.at ? json_read_int(&r, 0, INT64_MAX) : 0;
}

static int read_view(const struct game_kit *k, struct span state, struct action_request *t)
{
    struct codec_table table = dialect_table(t->seats, t->seat);
    struct json_reader r = json_reader_of(state, DEPTH);
    if (!dialect_of(k)->reader)
        return arena_generic_read_view(k->codec, state, &table, t->count > 0, &t->view) ? OK : ERR_FORMAT;
    int err = dialect_of(k)->reader->read_state(&r, t);
    return r.error ? r.error : err;
}

// Reads the common beginning of questions and states; sets `state`.
static int read_place(const struct game_kit *k, struct span data, struct action_request *t, struct span *state)
{
    *state = json_member(data, "state");
    t->count = 0;
    json_copy_text(json_member(data, "match_id"), t->match, sizeof t->match);
    t->seats = count_items(json_member(data, "players"));
    t->seat = state->at ? read_seat(*state) : -1;
    bool is_place = t->match[0] && t->seats >= k->game->min_seats && t->seats <= k->game->max_seats && t->seat >= 0 &&
                    t->seat < t->seats;
    return is_place ? OK : ERR_FORMAT;
}

int action_request_read_state(const struct game_kit *k, struct span data, struct action_request *t)
{
    struct span state;
    int err = read_place(k, data, t, &state);
    return err != OK ? err : dialect_has_view(k) ? read_view(k, state, t) : ERR_UNKNOWN;
}

int action_request_read(const struct game_kit *k, struct span data, struct action_request *t)
{
    struct span state;
    json_copy_text(json_member(data, "request_id"), t->request, sizeof t->request);
    t->timeout_ms = read_number(json_member(data, "timeout_ms"));
    int err = read_place(k, data, t, &state);
    if (err == OK)
        err = read_choices(k, json_member(data, "legal_actions"), t);
    if (err == OK && dialect_has_view(k))
        err = read_view(k, state, t);
    const struct arena_reader *reader = dialect_of(k)->reader;
    if (err == OK)
        t->fallback = reader && reader->fallback ? reader->fallback(t) : t->choices[0].first;
    return err;
}

void action_request_answer(const struct game_kit *k, struct text *out, const struct action_request *t,
                           struct game_action a)
{
    struct codec_table table = dialect_table(t->seats, t->seat);
    json_begin_object(out);
    json_put_text(out, "type", codec_find_kind(k->codec, a.kind, false)->type);
    size_t before = out->size;
    json_begin_object_at(out, "data");
    size_t empty = out->size;
    codec_write_params(k->codec, out, &table, a);
    if (out->size == empty)
        out->size = before;
    else
        json_end_object(out);
    json_end_object(out);
}

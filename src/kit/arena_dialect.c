#include "kit/arena_dialect.h"

#include "base/rfc3339.h"
#include "kit/arena_generic.h"
#include "kit/kit.h"

enum { PARTS = 16, DEPTH = 32 };

const char *const dialect_pids[GAME_MAX_SEATS + 1] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", NULL};
const char *const dialect_names[GAME_MAX_SEATS + 1] = {"Player 1", "Player 2",  "Player 3", "Player 4",
                                                       "Player 5", "Player 6",  "Player 7", "Player 8",
                                                       "Player 9", "Player 10", NULL};

struct codec_table dialect_table(int seats, int viewer)
{
    return (struct codec_table){.seat = dialect_pids, .seats = seats, .viewer = viewer};
}

const struct arena_dialect *dialect_of(const struct game_kit *k)
{
    static const struct arena_dialect none = {.gated = true}; // clients know only the games of the arena's protocol
    return k->arena ? k->arena : &none;
}

const char *dialect_refusal(const struct game_kit *k)
{
    if (k->game->max_seats < 2)
        return "it is for one player, and matches of the arena are between several";
    return k->game->tick_ms ? "it is played in real time, and the arena's matches in turns" : NULL;
}

bool dialect_is_gated(const struct game_kit *k)
{
    return !k->arena || k->arena->gated;
}

const char *dialect_title(const struct game_kit *k)
{
    return dialect_of(k)->title ? dialect_of(k)->title : k->codec->title;
}

bool dialect_is_in_play(const struct game_kit *k, const void *view, int seat)
{
    if (dialect_of(k)->is_in_play)
        return dialect_of(k)->is_in_play(view, seat);
    return !k->environment || env_facts_in_play(k->environment, view, seat);
}

bool dialect_has_view(const struct game_kit *k)
{
    return dialect_of(k)->reader || (!dialect_of(k)->write_state && k->codec->read_view);
}

// F2.8. Facts that only some may see are parts of public events, or are in states.
bool dialect_is_public(const struct game_event *e)
{
    return e->part == 0 && e->to == EVERYONE;
}

// --- writing

void dialect_write_rules(const struct game_kit *k, struct text *t, const void *rules, int seats)
{
    json_begin_object(t);
    json_put_text(t, "name", dialect_title(k));
    if (dialect_of(k)->write_rules)
        dialect_of(k)->write_rules(t, rules, seats);
    else
        arena_generic_rules(k->codec, t, rules, seats);
    json_end_object(t);
}

void dialect_write_config(const struct game_kit *k, struct text *t, const void *rules)
{
    if (!dialect_of(k)->write_config) {
        json_write_null(t);
        return;
    }
    json_begin_object(t);
    dialect_of(k)->write_config(t, rules);
    json_end_object(t);
}

void dialect_write_state(const struct game_kit *k, struct text *t, const struct arena_observation *seen)
{
    json_begin_object(t);
    if (dialect_of(k)->write_state)
        dialect_of(k)->write_state(t, seen);
    else
        arena_generic_state(k->codec, t, seen);
    json_end_object(t);
}

void dialect_write_players(const struct game_kit *k, struct text *t, const struct arena_observation *seen)
{
    json_begin_array(t);
    for (int seat = 0; seat < seen->table.seats; seat++) {
        json_begin_object(t);
        json_put_text(t, "id", dialect_pids[seat]);
        if (dialect_of(k)->write_player) {
            dialect_of(k)->write_player(t, seen, seat);
        } else { // the state has the seat's data (F2.3 requires `data` nevertheless)
            json_put_text(t, "status", dialect_is_in_play(k, seen->view, seat) ? "active" : "out");
            json_put_raw(t, "data", SPAN("{}"));
        }
        json_end_object(t);
    }
    json_end_array(t);
}

// F2.3: no `data` if there are no parameters.
static void write_choice(const struct game_kit *k, struct text *t, const struct arena_observation *seen,
                         struct game_choice choice)
{
    json_begin_object(t);
    json_put_text(t, "type", codec_find_kind(k->codec, choice.first.kind, false)->type);
    size_t before = t->size;
    json_begin_object_at(t, "data");
    size_t empty = t->size;
    if (dialect_of(k)->write_params)
        dialect_of(k)->write_params(t, seen, choice);
    else
        arena_generic_params(k->codec, t, &seen->table, choice);
    if (t->size == empty && !t->full)
        t->size = before;
    else
        json_end_object(t);
    json_end_object(t);
}

void dialect_write_choices(const struct game_kit *k, struct text *t, const struct arena_observation *seen,
                           const struct game_choice *choices, int count)
{
    json_begin_array(t);
    for (int i = 0; i < count; i++)
        write_choice(k, t, seen, choices[i]);
    json_end_array(t);
}

// The event and those of its parts that this viewer may see.
static int choose_parts(const struct match_event *e, int viewer, struct game_event out[PARTS])
{
    int n = 0;
    for (uint32_t i = 0; i < e->count && n < PARTS; i++)
        if (e->at[i].to & SEAT(viewer))
            out[n++] = e->at[i];
    return n;
}

void dialect_write_event_data(const struct game_kit *k, struct text *t, const struct codec_table *table,
                              const struct match_event *e)
{
    struct game_event seen[PARTS];
    const struct game_event *at = e->at;
    int count = 1;
    if (e->count > 1) {
        count = choose_parts(e, table->viewer, seen);
        at = seen;
    }
    json_begin_object(t);
    if (dialect_of(k)->write_event)
        dialect_of(k)->write_event(t, table, at, count);
    else
        k->codec->write_event(t, table, at, count);
    json_end_object(t);
}

void dialect_write_event(const struct game_kit *k, struct text *t, const struct codec_table *table,
                         const struct match_event *e)
{
    const struct game_event *at = e->at; // everybody may see it, though perhaps not its parts (F2.8)
    json_begin_object(t);
    json_put_text(t, "type", k->codec->event_types[at->kind]);
    if (dialect_of(k)->events_of_seat >> at->kind & 1)
        json_put_text(t, "player", dialect_pids[at->seat]);
    json_key(t, "data");
    dialect_write_event_data(k, t, table, e);
    json_put_uint(t, "seq", e->seq);
    rfc3339_put(t, "ts", e->at_ms);
    json_end_object(t);
}

// --- reading

uint8_t dialect_read_pid_or(struct json_reader *r, uint8_t nobody)
{
    int seat = json_string_among(json_read_string(r), dialect_pids);
    return seat < 0 ? nobody : (uint8_t)seat;
}

int32_t dialect_read_small(struct json_reader *r)
{
    return (int32_t)json_read_int(r, 0, INT32_MAX);
}

int dialect_read_word(struct json_reader *r, const char *const *words, int count)
{
    struct json_string s = json_read_string(r);
    for (int i = 0; i < count; i++)
        if (words[i] && json_string_is(s, words[i]))
            return i;
    return -1;
}

int64_t dialect_read_whole(struct json_reader *r)
{
    enum { BITS = 53 };
    const int64_t most = (int64_t)1 << BITS;
    if (json_peek(r) != JSON_REAL)
        return json_read_int(r, -most, most);
    double value = json_read_real(r);
    if (r->error == OK && value >= (double)-most && value <= (double)most && value == (double)(int64_t)value)
        return (int64_t)value;
    json_fail(r, ERR_RANGE);
    return 0;
}

// Members of an Action object; data.at is NULL if absent.
struct words {
    struct json_string type;
    struct span data;
    bool sound;
};

static struct words take_apart(struct span json)
{
    struct words w = {.sound = true};
    struct json_reader r = json_reader_of(json, DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "type")) {
            w.type = json_read_string(&r);
        } else if (json_string_is(key, "data")) {
            w.sound &= json_peek(&r) == JSON_OBJECT;
            w.data = json_read_raw(&r);
        } else {
            json_skip(&r);
        }
    w.sound &= json_finish(&r) == OK && w.type.raw.at;
    return w;
}

// Truncates at the end of a character.
static void copy_type(struct json_string type, char out[DIALECT_TYPE])
{
    static const char nameless[] = "of this type";
    _Static_assert(sizeof nameless <= DIALECT_TYPE, "it fits");
    if (json_string_copy(type, out, DIALECT_TYPE) < 0)
        memcpy(out, nameless, sizeof nameless);
}

int dialect_read_action(const struct game_kit *k, struct span json, const struct codec_table *table,
                        struct game_action *a, char type[DIALECT_TYPE])
{
    struct words w = take_apart(json);
    if (!w.sound)
        return ERR_TYPE;
    copy_type(w.type, type);
    const struct codec_action *row = codec_find_type(k->codec, w.type);
    if (!row || row->master)
        return ERR_ACTION;
    *a = (struct game_action){.kind = row->kind};
    struct span data = w.data.at ? w.data : SPAN("{}");
    if (!dialect_of(k)->read_params)
        return arena_generic_read_params(k->codec, data, table, a) == OK ? OK : ERR_ACTION;
    struct json_reader r = json_reader_of(data, DEPTH);
    int err = dialect_of(k)->read_params(&r, table, a);
    return err == OK && json_finish(&r) == OK ? OK : ERR_ACTION;
}

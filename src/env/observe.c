// Observations of seats, overseers and talkers, written from views (G22, G23).
#include "env/observe.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/arena_seat.h"
#include "env/host.h"
#include "env/schema.h"
#include <assert.h>

enum { TEXT_MOST = 1200 }; // bytes of prose (G22.6), cut between characters

struct scene {
    const struct env_table *table;
    const struct env_agent *agent;
    struct codec_table names;
    struct game_turn turn;
    int seat;
    bool running; // there is an episode
    union game_view view;
};

static struct env *host_of(const struct scene *s)
{
    return s->table->group->env;
}

static bool is_to_act(const struct scene *s)
{
    if (!s->running || s->seat < 0)
        return false;
    return s->turn.kind != TURN_OVER && s->turn.seats & SEAT(s->seat) && s->agent->state == ENV_ACTIVE;
}

static void write_phase(struct text *t, const struct scene *s)
{
    json_write_text(t, s->running ? s->table->row->codec->phases[s->turn.phase] : "idle");
}

static void write_to_act(struct text *t, const struct scene *s)
{
    seat_set set = s->running && s->turn.kind != TURN_OVER ? s->turn.seats : 0;
    codec_write_seats(t, &s->names, set);
}

static void write_mask(struct text *t, const struct scene *s)
{
    char mask[GAME_MAX_FLAT];
    if (s->agent->legal == ENV_LEGAL_NONE) {
        json_write_null(t);
        return;
    }
    int size = env_flat_mask(s->agent, s->seat, mask);
    json_write_string(t, (struct span){mask, (size_t)size});
}

static void write_ticks_left(struct text *t, const struct scene *s)
{
    const struct env_table *table = s->table;
    if (!is_to_act(s) || env_clock_of(table) != ENV_LIVE || table->row->game->tick_ms) {
        json_write_null(t);
        return;
    }
    if (table->group->arena_seat) {
        json_write_int(t, env_arena_time_left_us(table->group) / 1000 / table->kit->tick_ms);
        return;
    }
    int64_t limit = (int64_t)host_of(s)->o.turn_limit_s * 1000 / table->kit->tick_ms;
    int64_t left = limit - table->age[s->seat];
    json_write_int(t, left > 0 ? left : 0);
}

static void write_common(struct text *t, const struct scene *s, int i)
{
    switch (i) {
    case 0:
        json_write_text(t, s->table->row->game->name);
        break;
    case 1:
        json_write_text(t, s->table->scenario_name);
        break;
    case 2:
        write_phase(t, s);
        break;
    case 3:
        json_write_uint(t, s->running ? s->turn.number : 0);
        break;
    case 4:
        write_to_act(t, s);
        break;
    case 5:
        json_write_bool(t, is_to_act(s));
        break;
    case 6:
        json_write_text(t, s->seat >= 0 ? s->table->kit->avatars[s->seat] : NULL);
        break;
    case 7:
        write_ticks_left(t, s);
        break;
    default:
        write_mask(t, s);
        break;
    }
}

// The members of an object that we wrote, in order: keys without escapes, no white space.
struct member {
    struct span key, value;
};

enum { OTHER, QUOTE, OPEN, CLOSE, COMMA };
static const uint8_t sign_of[256] = {
    ['"'] = QUOTE, ['{'] = OPEN, ['['] = OPEN, ['}'] = CLOSE, [']'] = CLOSE, [','] = COMMA};

static const char *value_end(const char *p)
{
    for (int depth = 0;; p++) {
        uint8_t sign = sign_of[(uint8_t)*p];
        if (sign == OTHER)
            continue;
        if (sign == QUOTE) {
            for (p++; *p != '"'; p++)
                p += *p == '\\';
            continue;
        }
        if (depth == 0 && sign != OPEN)
            return p;
        depth += (sign == OPEN) - (sign == CLOSE);
    }
}

static int split_members(struct span object, struct member out[ENV_MAX_KEYS])
{
    assert(object.at);
    const char *p = object.at + 1;
    int n = 0;
    while (*p == '"' && n < ENV_MAX_KEYS) {
        const char *close = strchr(p + 1, '"');
        assert(close); // written by one of our codecs
        const char *end = value_end(close + 2);
        out[n++] = (struct member){{p + 1, (size_t)(close - p - 1)}, {close + 2, (size_t)(end - close - 2)}};
        p = end + (*end == ',');
    }
    return n;
}

static struct span view_json(const struct scene *s, const void *view)
{
    struct text *v = &host_of(s)->view;
    v->size = 0;
    json_begin_object(v);
    s->table->row->codec->write_view(v, &s->names, view);
    json_end_object(v);
    text_put_char(v, 0);
    return text_span(v);
}

// G22.6: the situation and the last events; the codec writes both, and the legal actions.
static void write_prose(struct text *t, const struct scene *s)
{
    struct text *scratch = &host_of(s)->scratch;
    scratch->size = 0;
    s->table->row->codec->describe_view(scratch, &s->names, &s->view);
    size_t size = scratch->size;
    if (size > TEXT_MOST)
        for (size = TEXT_MOST; size && (scratch->at[size] & 0xC0) == 0x80;)
            size--;
    json_write_string(t, (struct span){scratch->at, size});
}

static void write_vector(struct text *t, const struct scene *s)
{
    float at[GAME_MAX_VECTOR];
    const struct env_table *table = s->table;
    const struct game *g = table->row->game;
    int version = env_vector_of(s->agent);
    if (version > 1)
        game_observe(g, &table->match.state, &table->history, s->agent->seat, version, GAME_F32, at);
    else
        g->vector(&s->view, at);
    json_begin_array(t);
    for (uint32_t i = 0; i < game_row_size(g, version); i++)
        json_write_decimal(t, (double)at[i], 6);
    json_end_array(t);
}

static void write_vector_profile(struct text *t, const struct scene *s, uint64_t keys)
{
    const struct env_key *key;
    for (int i = 0; (key = env_key_at(s->table->kit, ENV_ENTITY, ENV_VECTOR, i)); i++) {
        if (!(keys >> i & 1))
            continue;
        json_key(t, key->name);
        if (i == 0 && s->running)
            write_vector(t, s);
        else if (i == 0)
            json_write_null(t);
        else
            write_common(t, s, i == 1 ? 8 : i == 2 ? 5 : 2);
    }
}

// The requested keys of the view; null for those that the codec left out.
static void put_chosen(struct text *t, const struct scene *s, uint64_t chosen)
{
    struct member members[ENV_MAX_KEYS];
    const struct env_key *key = s->table->kit->keys;
    int count = s->running && chosen ? split_members(view_json(s, &s->view), members) : 0, next = 0;
    for (int i = 0; key[i].name; i++) {
        int at = next; // the codec may leave keys out, or have some that the environment does not list
        while (at < count && !span_is(members[at].key, key[i].name))
            at++;
        if (chosen >> i & 1)
            json_put_raw(t, key[i].name, at < count ? members[at].value : SPAN("null"));
        next = at < count ? at + 1 : next;
    }
}

static void write_seat(struct text *t, const struct scene *s, enum env_profile profile, uint64_t keys)
{
    const struct env_facts *k = s->table->kit;
    const uint64_t all = ((uint64_t)1 << env_facts_key_count(k)) - 1, chosen = keys >> ENV_COMMON_KEYS & all;
    for (int i = 0; i < ENV_COMMON_KEYS; i++)
        if (keys >> i & 1) {
            json_key(t, env_key_at(k, ENV_ENTITY, profile, i)->name);
            write_common(t, s, i);
        }
    if (s->running && k->whole && chosen == all)
        s->table->row->codec->write_view(t, &s->names, &s->view);
    else
        put_chosen(t, s, chosen);
    if (profile != ENV_FULL || !(keys >> (ENV_COMMON_KEYS + env_facts_key_count(k)) & 1))
        return;
    json_key(t, "text");
    if (s->running)
        write_prose(t, s);
    else
        json_write_text(t, s->table->group->arena_seat ? "You are in the queue; the episode begins with the match."
                                                       : "No episode is running; reset begins one.");
}

// --- systemic observations (G23)

static void write_world_state(struct text *t, const struct scene *s)
{
    union game_view view;
    if (!s->running) {
        json_write_null(t);
        return;
    }
    struct scene gallery = *s;
    gallery.names = env_codec_table(s->table, GAME_SPECTATOR);
    s->table->row->game->view(&s->table->match.state, GAME_SPECTATOR, &view);
    json_begin_object(t);
    json_put_text(t, "game", s->table->row->game->name);
    json_key(t, "phase");
    write_phase(t, s);
    json_put_uint(t, "turn", s->turn.number);
    json_key(t, "to_act");
    write_to_act(t, s);
    s->table->row->codec->write_view(t, &gallery.names, &view);
    json_end_object(t);
}

static void put_own(struct text *t, const struct scene *s, int seat)
{
    struct span own;
    union game_view view;
    const struct env_facts *k = s->table->kit;
    struct scene there = *s;
    if (!k->own_key)
        return;
    there.names = env_codec_table(s->table, seat);
    s->table->row->game->view(&s->table->match.state, seat, &view);
    struct span json = view_json(&there, &view);
    json.size--;
    if (!json_find_member(json, k->own_key, &own))
        return;
    json_put_raw(t, k->own_key, own);
}

static void write_entity(struct text *t, const struct scene *s, int seat, const void *gallery)
{
    const struct env_table *table = s->table;
    struct env_agent *holder = env_agent_at(table, seat);
    double most, health = env_facts_health(table->kit, gallery, seat, &most);
    json_begin_object(t);
    json_put_text(t, "seat", table->kit->avatars[seat]);
    json_put_text(t, "holder", holder && holder->state == ENV_ACTIVE ? holder->id : "house");
    json_put_int(t, "level", table->level[seat]);
    json_put_decimal(t, "health", health, 3);
    json_put_decimal(t, "max_health", most, 3);
    json_put_bool(t, "in_play", env_facts_in_play(table->kit, gallery, seat));
    json_put_bool(t, "leaving", table->match.leaving & SEAT(seat));
    if (s->agent->capabilities & ENV_DEBUG)
        put_own(t, s, seat);
    json_end_object(t);
}

// Begins a list of seats, with the view of a spectator; false: nothing is played, and null is written.
static bool begin_seats(struct text *t, const struct scene *s, union game_view *gallery)
{
    if (!s->running) {
        json_write_null(t);
        return false;
    }
    s->table->row->game->view(&s->table->match.state, GAME_SPECTATOR, gallery);
    json_begin_array(t);
    return true;
}

static void write_entities(struct text *t, const struct scene *s)
{
    union game_view gallery;
    if (!begin_seats(t, s, &gallery))
        return;
    for (int seat = 0; seat < s->table->match.seats; seat++)
        write_entity(t, s, seat, &gallery);
    json_end_array(t);
}

static void write_event_log(struct text *t, const struct scene *s)
{
    const struct env_table *table = s->table;
    struct codec_table names = env_codec_table(table, GAME_SPECTATOR);
    uint32_t from = table->past_count > 1000 ? table->past_count - 1000 : 0;
    json_begin_array(t);
    for (uint32_t i = from; i < table->past_count;) {
        const struct game_event *e = &table->past[i];
        int parts = codec_event_parts(e, table->past_count - i);
        if (!e->part) {
            json_begin_object(t);
            json_put_text(t, "type", table->row->codec->event_types[e->kind]);
            json_put_uint(t, "tick", table->past_ticks[i]);
            json_begin_object_at(t, "details");
            table->row->codec->write_event(t, &names, e, parts);
            json_end_object(t);
            json_end_object(t);
        }
        i += (uint32_t)parts;
    }
    json_end_array(t);
}

static void write_agents(struct text *t, const struct scene *s)
{
    json_begin_array(t);
    for (struct env_agent *a = s->table->group->agents; a; a = a->next)
        if (a->table == s->table) {
            json_begin_object(t);
            json_put_text(t, "agent_id", a->id);
            json_put_text(t, "agent_type", env_type_names[a->type]);
            json_put_text(t, "status", env_state_names[a->state]);
            json_put_text(t, "avatar_id", a->seat >= 0 ? s->table->kit->avatars[a->seat] : NULL);
            json_end_object(t);
        }
    json_end_array(t);
}

static void write_ambient(struct text *t, const struct scene *s)
{
    json_begin_object(t);
    json_put_int(t, "hour", s->table->hour);
    json_put_int(t, "minute", s->table->minute);
    json_end_object(t);
}

static void write_paused(struct text *t, const struct scene *s)
{
    json_write_bool(t, s->table->paused);
}

static void write_scenario(struct text *t, const struct scene *s)
{
    json_write_text(t, s->table->scenario_name);
}

// The options of the episode, from the rules, and what the world agent has changed since.
static void write_parameters(struct text *t, const struct scene *s)
{
    struct span value;
    json_begin_object(t);
    if (s->running) {
        struct scene gallery = *s;
        static const char *const keys[] = {"gravity", "garbage_pending", "level", "small_blind", "big_blind", "ante",
                                           NULL};
        union game_view view;
        gallery.names = env_codec_table(s->table, GAME_SPECTATOR);
        s->table->row->game->view(&s->table->match.state, GAME_SPECTATOR, &view);
        struct span json = view_json(&gallery, &view);
        json.size--;
        for (int i = 0; keys[i]; i++)
            if (json_find_member(json, keys[i], &value))
                json_put_raw(t, keys[i], value);
    }
    json_end_object(t);
}

static void write_statistics(struct text *t, const struct scene *s)
{
    json_begin_object(t);
    json_put_uint(t, "tick", s->table->tick);
    json_put_uint(t, "episode", s->table->episode);
    json_put_uint(t, "events", s->table->past_count);
    json_put_uint(t, "matches", s->table->matches);
    json_end_object(t);
}

static void write_fighters(struct text *t, const struct scene *s)
{
    union game_view gallery;
    const struct env_table *table = s->table;
    if (!begin_seats(t, s, &gallery))
        return;
    for (int seat = 0; seat < table->match.seats; seat++) {
        struct env_agent *holder = env_agent_at(table, seat);
        if (holder && holder->state == ENV_ACTIVE)
            continue;
        double most;
        json_begin_object(t);
        json_put_text(t, "seat", table->kit->avatars[seat]);
        json_put_int(t, "level", table->level[seat]);
        json_put_decimal(t, "aggro", (double)table->aggro[seat], 3);
        json_put_decimal(t, "health", env_facts_health(table->kit, &gallery, seat, &most), 3);
        json_put_decimal(t, "wins", table->matches ? (double)table->seat_wins[seat] / (double)table->matches : 0, 3);
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_conversation(struct text *t, const struct scene *s)
{
    json_begin_array(t);
    for (int i = 0; i < s->table->conversation_count; i++)
        json_write_raw(t, span_of(s->table->conversation[i]));
    json_end_array(t);
}

static void write_public_seats(struct text *t, const struct scene *s)
{
    union game_view gallery;
    if (!begin_seats(t, s, &gallery))
        return;
    for (int seat = 0; seat < s->table->match.seats; seat++) {
        double most;
        json_begin_object(t);
        json_put_text(t, "seat", s->table->kit->avatars[seat]);
        json_put_decimal(t, "health", env_facts_health(s->table->kit, &gallery, seat, &most), 3);
        json_put_bool(t, "in_play", env_facts_in_play(s->table->kit, &gallery, seat));
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_turn(struct text *t, const struct scene *s)
{
    json_write_uint(t, s->running ? s->turn.number : 0);
}

static void write_your_turn(struct text *t, const struct scene *s)
{
    json_write_bool(t, is_to_act(s));
}

static void write_team(struct text *t, const struct scene *s)
{
    json_write_int(t, s->agent->team + 1);
}

static void write_hands(struct text *t, const struct scene *s)
{
    if (!s->running) {
        json_write_null(t);
        return;
    }
    json_begin_object(t);
    for (int seat = s->agent->team; seat < s->table->match.seats; seat += 2) {
        json_begin_object_at(t, s->table->kit->avatars[seat]);
        put_own(t, s, seat);
        json_end_object(t);
    }
    json_end_object(t);
}

static void write_tasks(struct text *t, const struct scene *s)
{
    if (!is_to_act(s)) {
        json_write_raw(t, SPAN("[]"));
        return;
    }
    env_write_available(t, s->agent, s->seat);
}

static void (*const systemic_writers[ENV_TYPES][12])(struct text *, const struct scene *) = {
    [ENV_MASTER] = {write_world_state, write_entities, write_event_log, write_agents, write_ambient, write_paused,
                    write_scenario},
    [ENV_WORLD] = {write_parameters, write_statistics, write_world_state},
    [ENV_COMBAT] = {write_fighters, write_world_state},
    [ENV_DIALOGUE] = {write_conversation, write_public_seats, write_phase, write_to_act},
    [ENV_COLONY] = {write_scenario, write_phase, write_turn, write_to_act, write_your_turn, write_team, write_hands,
                    write_mask, write_tasks, write_world_state},
};

// --- observations

static int seat_to_show(const struct env_agent *a, struct game_turn turn)
{
    if (a->type != ENV_COLONY)
        return a->seat;
    for (int seat = a->team; seat < a->table->match.seats; seat += 2)
        if (turn.seats & SEAT(seat))
            return seat;
    return -1;
}

static void set_scene(struct scene *s, const struct env_agent *a)
{
    const struct env_table *t = a->table;
    *s = (struct scene){.table = t, .agent = a, .seat = a->seat};
    s->running = t->episode > 0 && (a->type != ENV_ENTITY || a->seat < t->match.seats);
    s->names = env_codec_table(t, a->type == ENV_ENTITY ? a->seat : GAME_SPECTATOR);
    if (!s->running)
        return;
    s->turn = t->row->game->turn(&t->match.state);
    s->seat = seat_to_show(a, s->turn);
    if (a->type == ENV_ENTITY)
        t->row->game->view(&t->match.state, a->seat, &s->view);
}

void env_write_observation(struct text *t, const struct env_agent *a, enum env_profile profile, uint64_t keys)
{
    struct scene s;
    set_scene(&s, a);
    json_begin_object(t);
    if (a->type != ENV_ENTITY) {
        const struct env_key *key;
        for (int i = 0; (key = env_key_at(a->table->kit, (enum env_type)a->type, profile, i)); i++)
            if (keys >> i & 1) {
                json_key(t, key->name);
                systemic_writers[a->type][i](t, &s);
            }
    } else if (profile == ENV_VECTOR) {
        write_vector_profile(t, &s, keys);
    } else {
        write_seat(t, &s, profile, keys);
    }
    json_end_object(t);
}

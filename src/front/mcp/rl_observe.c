// What an agent is told: observations by type and profile, step objects, spaces (G10.7, G13.2, G22).
#include "front/mcp/rl_inside.h"

#include <stdio.h>

enum { TEXT_MOST = 1200 };

// --- keys

#define TEXT_SPACE "{\"type\":\"text\"}"
#define FLAG_SPACE "{\"type\":\"discrete\",\"values\":[false,true]}"
#define DICT_SPACE "{\"type\":\"dict\"}"
#define LIST_SPACE "{\"type\":\"sequence\"}"

static const struct rl_key common[] = {
    // G22.4
    {"game", TEXT_SPACE},
    {"scenario", TEXT_SPACE},
    {"phase", TEXT_SPACE},
    {"turn", "{\"type\":\"box\",\"shape\":[],\"low\":0}"},
    {"to_act", "{\"type\":\"sequence\",\"of\":{\"type\":\"text\"}}"},
    {"your_turn", FLAG_SPACE},
    {"seat", TEXT_SPACE},
    {"turn_ticks_left", "{\"type\":\"box\",\"shape\":[],\"low\":0,\"nullable\":true}"},
    {"legal_mask", "{\"type\":\"text\",\"description\":\"one character 0 or 1 for each index of game://actions\"}"},
};
enum { COMMON = sizeof common / sizeof *common };

static const struct rl_key prose = {"text", "{\"type\":\"text\",\"max_length\":1200}"};
static const struct rl_key vector[] = {{"vector", "{\"type\":\"box\"}"},
                                       {"legal_mask", TEXT_SPACE},
                                       {"your_turn", FLAG_SPACE},
                                       {"phase", TEXT_SPACE},
                                       {0}};

static const struct rl_key systemic[RL_TYPES][12] = {
    [RL_MASTER] = {{"world_state", DICT_SPACE},
                   {"all_entities", LIST_SPACE},
                   {"event_log", LIST_SPACE},
                   {"agents", LIST_SPACE},
                   {"ambient", DICT_SPACE},
                   {"paused", FLAG_SPACE},
                   {"scenario", TEXT_SPACE}},
    [RL_WORLD] = {{"parameters", DICT_SPACE}, {"statistics", DICT_SPACE}, {"world_state", DICT_SPACE}},
    [RL_COMBAT] = {{"fighters", LIST_SPACE}, {"world_state", DICT_SPACE}},
    [RL_DIALOGUE] = {{"conversation", LIST_SPACE},
                     {"seats", LIST_SPACE},
                     {"phase", TEXT_SPACE},
                     {"to_act", "{\"type\":\"sequence\",\"of\":{\"type\":\"text\"}}"}},
    [RL_COLONY] = {{"scenario", TEXT_SPACE},
                   {"phase", TEXT_SPACE},
                   {"turn", "{\"type\":\"box\",\"shape\":[],\"low\":0}"},
                   {"to_act", "{\"type\":\"sequence\",\"of\":{\"type\":\"text\"}}"},
                   {"your_turn", FLAG_SPACE},
                   {"team", "{\"type\":\"discrete\",\"values\":[1,2]}"},
                   {"hands", DICT_SPACE},
                   {"legal_mask", TEXT_SPACE},
                   {"tasks", LIST_SPACE},
                   {"world_state", DICT_SPACE}},
};

const struct rl_key *rl_key_at(const struct rl_kit *k, enum rl_type type, enum rl_profile profile, int i)
{
    const struct rl_key *row;
    if (type != RL_ENTITY) {
        row = &systemic[type][i];
    } else if (profile == RL_VECTOR) {
        row = &vector[i];
    } else {
        int count = rl_kit_key_count(k);
        if (i < COMMON)
            return &common[i];
        if (i == COMMON + count)
            return profile == RL_FULL ? &prose : NULL;
        return i < COMMON + count ? &k->keys[i - COMMON] : NULL;
    }
    return row->name ? row : NULL;
}

void rl_write_space(struct text *t, const struct rl_agent *a)
{
    const struct rl_key *key;
    const struct game *g = a->table->row->game;
    json_begin_object(t);
    json_put_text(t, "type", "dict");
    json_key(t, "spaces");
    json_begin_object(t);
    for (int i = 0; (key = rl_key_at(a->table->kit, (enum rl_type)a->type, (enum rl_profile)a->profile, i)); i++) {
        if (!(a->keys >> i & 1))
            continue;
        json_key(t, key->name);
        if (key != vector) {
            json_write_raw(t, span_of(key->space));
            continue;
        }
        json_begin_object(t);
        json_put_text(t, "type", "box");
        json_key(t, "shape");
        json_begin_array(t);
        json_write_uint(t, g->vector_size);
        json_end_array(t);
        json_put_int(t, "low", 0);
        json_put_int(t, "high", 1);
        json_put_text(t, "dtype", "float32");
        json_end_object(t);
    }
    json_end_object(t);
    json_end_object(t);
}

void rl_write_action_space(struct text *t, const struct rl_kit *k, const struct game *g, enum rl_type type)
{
    const struct rl_action *row;
    int count = 0;
    while (rl_action_at(k, type, count))
        count++;
    if (type == RL_ENTITY)
        count = (int)g->flat_size; // what an index may be
    json_begin_object(t);
    json_put_text(t, "type", type == RL_WORLD ? "continuous" : "discrete_parameterized");
    if (type == RL_WORLD) {
        json_put_int(t, "n", count);
        json_key(t, "shape");
        json_write_raw(t, SPAN("[2]"));
        json_key(t, "low");
        json_begin_array(t);
        json_write_decimal(t, k->world_low[0], 3);
        json_write_decimal(t, k->world_low[1], 3);
        json_end_array(t);
        json_key(t, "high");
        json_begin_array(t);
        json_write_decimal(t, k->world_high[0], 3);
        json_write_decimal(t, k->world_high[1], 3);
        json_end_array(t);
        json_key(t, "names");
        json_begin_array(t);
        json_write_text(t, k->world_names[0]);
        json_write_text(t, k->world_names[1]);
        json_end_array(t);
    } else {
        json_put_int(t, "n", count);
    }
    json_key(t, "actions");
    json_begin_array(t);
    for (int i = 0; (row = rl_action_at(k, type, i)); i++) {
        json_begin_object(t);
        json_put_text(t, "name", row->name);
        json_put_text(t, "description", row->description);
        json_key(t, "params");
        json_write_raw(t, span_of(row->params));
        json_key(t, "required");
        json_write_raw(t, span_of(row->required));
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
}

// --- pieces of observations

struct scene {
    const struct rl_table *table;
    const struct rl_agent *agent;
    struct codec_table names;
    struct game_turn turn;
    int seat;
    bool running; // there is an episode to speak of
    union game_view view;
};

static struct rl *host_of(const struct scene *s)
{
    return s->table->group->rl;
}

static bool is_to_act(const struct scene *s)
{
    if (!s->running || s->seat < 0)
        return false;
    return s->turn.kind != TURN_OVER && s->turn.seats & SEAT(s->seat) && s->agent->state == RL_ACTIVE;
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
    if (s->agent->legal == RL_LEGAL_NONE) {
        json_write_null(t);
        return;
    }
    int size = rl_flat_mask(s->agent, s->seat, mask);
    json_write_string(t, (struct span){mask, (size_t)size});
}

static void write_ticks_left(struct text *t, const struct scene *s)
{
    const struct rl_table *table = s->table;
    if (!is_to_act(s) || rl_clock_of(table) != RL_LIVE || table->row->game->tick_ms) {
        json_write_null(t);
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

// The members of one of our own objects, in order: keys without escapes, no white space.
struct member {
    struct span key, value;
};

static const char *value_end(const char *p)
{
    int depth = 0;
    for (;; p++) {
        if (*p == '"') {
            for (p++; *p != '"'; p++)
                p += *p == '\\';
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if (*p == '}' || *p == ']') {
            if (depth-- == 0)
                return p;
        } else if (*p == ',' && depth == 0) {
            return p;
        }
    }
}

static int split_members(struct span object, struct member out[RL_MAX_KEYS])
{
    const char *p = object.at + 1;
    int n = 0;
    while (*p == '"' && n < RL_MAX_KEYS) {
        const char *close = strchr(p + 1, '"');
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

// G22.6: the situation and the last events; a codec tells both, and what may be done.
static void write_prose(struct text *t, const struct scene *s)
{
    struct text *scratch = &host_of(s)->scratch;
    scratch->size = 0;
    s->table->row->codec->tell_view(scratch, &s->names, &s->view);
    size_t size = scratch->size;
    if (size > TEXT_MOST)
        for (size = TEXT_MOST; size && (scratch->at[size] & 0xC0) == 0x80;)
            size--;
    json_write_string(t, (struct span){scratch->at, size});
}

static void write_vector(struct text *t, const struct scene *s)
{
    float at[GAME_MAX_VECTOR];
    const struct game *g = s->table->row->game;
    g->vector(&s->view, at);
    json_begin_array(t);
    for (uint32_t i = 0; i < g->vector_size; i++)
        json_write_decimal(t, (double)at[i], 6);
    json_end_array(t);
}

static void write_vector_profile(struct text *t, const struct scene *s, uint64_t keys)
{
    for (int i = 0; vector[i].name; i++) {
        if (!(keys >> i & 1))
            continue;
        json_key(t, vector[i].name);
        if (i == 0 && s->running)
            write_vector(t, s);
        else if (i == 0)
            json_write_null(t);
        else
            write_common(t, s, i == 1 ? 8 : i == 2 ? 5 : 2);
    }
}

static void write_seat(struct text *t, const struct scene *s, enum rl_profile profile, uint64_t keys)
{
    struct member members[RL_MAX_KEYS];
    int count = s->running ? split_members(view_json(s, &s->view), members) : 0, next = 0;
    const struct rl_key *game = s->table->kit->keys;
    for (int i = 0; i < COMMON; i++)
        if (keys >> i & 1) {
            json_key(t, common[i].name);
            write_common(t, s, i);
        }
    for (int i = 0; game[i].name; i++) {
        bool there = next < count && span_is(members[next].key, game[i].name);
        if (keys >> (COMMON + i) & 1) {
            json_key(t, game[i].name);
            json_write_raw(t, there ? members[next].value : SPAN("null"));
        }
        next += there;
    }
    if (profile != RL_FULL || !(keys >> (COMMON + rl_kit_key_count(s->table->kit)) & 1))
        return;
    json_key(t, "text");
    if (s->running)
        write_prose(t, s);
    else
        json_write_text(t, "No episode is running; reset begins one.");
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
    gallery.names = rl_codec_table(s->table, GAME_SPECTATOR);
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
    const struct rl_kit *k = s->table->kit;
    struct scene there = *s;
    if (!k->own_key)
        return;
    there.names = rl_codec_table(s->table, seat);
    s->table->row->game->view(&s->table->match.state, seat, &view);
    struct span json = view_json(&there, &view);
    json.size--;
    if (!rl_json_member(json, k->own_key, &own))
        return;
    json_key(t, k->own_key);
    json_write_raw(t, own);
}

static void write_entity(struct text *t, const struct scene *s, int seat, const void *gallery)
{
    const struct rl_table *table = s->table;
    struct rl_agent *holder = rl_agent_at(table, seat);
    double most, health = table->kit->health(gallery, seat, &most);
    json_begin_object(t);
    json_put_text(t, "seat", table->kit->avatars[seat]);
    json_put_text(t, "holder", holder && holder->state == RL_ACTIVE ? holder->id : "house");
    json_put_int(t, "level", table->level[seat]);
    json_put_decimal(t, "health", health, 3);
    json_put_decimal(t, "max_health", most, 3);
    json_put_bool(t, "in_play", table->kit->in_play(gallery, seat));
    json_put_bool(t, "leaving", table->match.leaving & SEAT(seat));
    if (s->agent->capabilities & RL_DEBUG)
        put_own(t, s, seat);
    json_end_object(t);
}

static void write_entities(struct text *t, const struct scene *s)
{
    union game_view gallery;
    if (!s->running) {
        json_write_null(t);
        return;
    }
    s->table->row->game->view(&s->table->match.state, GAME_SPECTATOR, &gallery);
    json_begin_array(t);
    for (int seat = 0; seat < s->table->match.seats; seat++)
        write_entity(t, s, seat, &gallery);
    json_end_array(t);
}

static void write_event_log(struct text *t, const struct scene *s)
{
    const struct rl_table *table = s->table;
    struct codec_table names = rl_codec_table(table, GAME_SPECTATOR);
    uint32_t from = table->past_count > 1000 ? table->past_count - 1000 : 0;
    json_begin_array(t);
    for (uint32_t i = from; i < table->past_count;) {
        const struct game_event *e = &table->past[i];
        int parts = codec_event_parts(e, table->past_count - i);
        if (!e->part) {
            json_begin_object(t);
            json_put_text(t, "type", table->row->codec->event_types[e->kind]);
            json_put_uint(t, "tick", table->past_ticks[i]);
            json_key(t, "details");
            json_begin_object(t);
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
    for (struct rl_agent *a = s->table->group->agents; a; a = a->next)
        if (a->table == s->table) {
            json_begin_object(t);
            json_put_text(t, "agent_id", a->id);
            json_put_text(t, "agent_type", rl_type_names[a->type]);
            json_put_text(t, "status", rl_state_names[a->state]);
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

// The options of the running episode, from the rules, and what the world agent has set since.
static void write_parameters(struct text *t, const struct scene *s)
{
    struct span value;
    json_begin_object(t);
    if (s->running) {
        struct scene gallery = *s;
        static const char *const keys[] = {"gravity", "garbage_pending", "level", "small_blind", "big_blind", "ante",
                                           NULL};
        union game_view view;
        gallery.names = rl_codec_table(s->table, GAME_SPECTATOR);
        s->table->row->game->view(&s->table->match.state, GAME_SPECTATOR, &view);
        struct span json = view_json(&gallery, &view);
        json.size--;
        for (int i = 0; keys[i]; i++)
            if (rl_json_member(json, keys[i], &value)) {
                json_key(t, keys[i]);
                json_write_raw(t, value);
            }
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
    const struct rl_table *table = s->table;
    if (!s->running) {
        json_write_null(t);
        return;
    }
    table->row->game->view(&table->match.state, GAME_SPECTATOR, &gallery);
    json_begin_array(t);
    for (int seat = 0; seat < table->match.seats; seat++) {
        struct rl_agent *holder = rl_agent_at(table, seat);
        if (holder && holder->state == RL_ACTIVE)
            continue;
        double most;
        json_begin_object(t);
        json_put_text(t, "seat", table->kit->avatars[seat]);
        json_put_int(t, "level", table->level[seat]);
        json_put_decimal(t, "aggro", (double)table->aggro[seat], 3);
        json_put_decimal(t, "health", table->kit->health(&gallery, seat, &most), 3);
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
    if (!s->running) {
        json_write_null(t);
        return;
    }
    s->table->row->game->view(&s->table->match.state, GAME_SPECTATOR, &gallery);
    json_begin_array(t);
    for (int seat = 0; seat < s->table->match.seats; seat++) {
        double most;
        json_begin_object(t);
        json_put_text(t, "seat", s->table->kit->avatars[seat]);
        json_put_decimal(t, "health", s->table->kit->health(&gallery, seat, &most), 3);
        json_put_bool(t, "in_play", s->table->kit->in_play(&gallery, seat));
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
        json_key(t, s->table->kit->avatars[seat]);
        json_begin_object(t);
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
    rl_write_available(t, s->agent, s->seat);
}

static void (*const systemic_writers[RL_TYPES][12])(struct text *, const struct scene *) = {
    [RL_MASTER] = {write_world_state, write_entities, write_event_log, write_agents, write_ambient, write_paused,
                   write_scenario},
    [RL_WORLD] = {write_parameters, write_statistics, write_world_state},
    [RL_COMBAT] = {write_fighters, write_world_state},
    [RL_DIALOGUE] = {write_conversation, write_public_seats, write_phase, write_to_act},
    [RL_COLONY] = {write_scenario, write_phase, write_turn, write_to_act, write_your_turn, write_team, write_hands,
                   write_mask, write_tasks, write_world_state},
};

// --- observations

static int seat_to_show(const struct rl_agent *a, struct game_turn turn)
{
    if (a->type != RL_COLONY)
        return a->seat;
    for (int seat = a->team; seat < a->table->match.seats; seat += 2)
        if (turn.seats & SEAT(seat))
            return seat;
    return -1;
}

static void set_scene(struct scene *s, const struct rl_agent *a)
{
    const struct rl_table *t = a->table;
    *s = (struct scene){.table = t, .agent = a, .seat = a->seat};
    s->running = t->episode > 0 && (a->type != RL_ENTITY || a->seat < t->match.seats);
    s->names = rl_codec_table(t, a->type == RL_ENTITY ? a->seat : GAME_SPECTATOR);
    if (!s->running)
        return;
    s->turn = t->row->game->turn(&t->match.state);
    s->seat = seat_to_show(a, s->turn);
    if (a->type == RL_ENTITY)
        t->row->game->view(&t->match.state, a->seat, &s->view);
}

void rl_write_observation(struct text *t, const struct rl_agent *a, enum rl_profile profile, uint64_t keys)
{
    struct scene s;
    set_scene(&s, a);
    json_begin_object(t);
    if (a->type != RL_ENTITY) {
        for (int i = 0; systemic[a->type][i].name; i++)
            if (keys >> i & 1) {
                json_key(t, systemic[a->type][i].name);
                systemic_writers[a->type][i](t, &s);
            }
    } else if (profile == RL_VECTOR) {
        write_vector_profile(t, &s, keys);
    } else {
        write_seat(t, &s, profile, keys);
    }
    json_end_object(t);
}

// --- step objects (G13.2)

static bool is_rewarded(const struct rl_agent *a)
{
    return a->type == RL_ENTITY || a->type == RL_COLONY;
}

static double put_rewards(struct text *t, const struct rl_agent *a, const double *earned)
{
    const char *const *names = a->table->row->game->rewarded;
    double sum = 0;
    for (int i = 0; names[i] && is_rewarded(a); i++)
        sum += a->weight[i] * earned[i];
    json_put_decimal(t, "reward", sum, 9);
    json_key(t, "reward_components");
    json_begin_object(t);
    for (int i = 0; names[i] && is_rewarded(a); i++)
        json_put_decimal(t, names[i], a->weight[i] != 0 ? earned[i] : 0, 9);
    json_end_object(t);
    return sum;
}

static void put_events(struct text *t, struct rl_agent *a, bool consume)
{
    struct rl_news *n = &a->news;
    json_key(t, "events");
    json_begin_array(t);
    if (consume) {
        uint32_t over = n->count > RL_NEWS - (n->dropped > 0) ? n->count - (RL_NEWS - 1) : 0;
        if (over || n->dropped) {
            json_begin_object(t);
            json_put_text(t, "type", "events_dropped");
            json_put_uint(t, "tick", a->table->tick);
            json_put_int(t, "severity", 2);
            json_key(t, "details");
            json_begin_object(t);
            json_put_uint(t, "count", n->dropped + over);
            json_end_object(t);
            json_end_object(t);
        }
        if (n->count > over) {
            uint32_t from = n->begins[over];
            if (over || n->dropped)
                text_put_char(t, ',');
            text_put(t, (struct span){n->text.at + from, n->text.size - from});
        }
        rl_news_clear(n);
    }
    json_end_array(t);
}

static void put_end(struct text *t, bool ended, bool truncated, int ending)
{
    json_put_bool(t, "done", ended && !truncated);
    json_put_bool(t, "truncated", ended && truncated);
    if (ended)
        json_put_text(t, "termination_reason", rl_ending_names[ending]);
}

static void put_tail(struct text *t, const struct rl_agent *a)
{
    const struct rl *rl = a->table->group->rl;
    struct rl_hashes h;
    if (a->type == RL_ENTITY && a->legal == RL_LEGAL_FULL) {
        json_key(t, "available_actions");
        rl_write_available(t, a, a->seat);
    }
    if (rl->o.metrics) {
        int64_t us = rl->o.stopwatch_us ? rl->o.stopwatch_us() - rl->call_us : 0;
        json_key(t, "metrics");
        json_begin_object(t);
        json_put_decimal(t, "step_ms", (double)us / 1000, 3);
        json_put_bool(t, "frame_dropped", false);
        json_end_object(t);
    }
    if (a->wants_hash) {
        rl_hash_table(a->table, true, &h);
        json_put_text(t, "state_hash", h.all);
    }
}

static void put_head(struct text *t, const struct rl_agent *a)
{
    json_put_text(t, "agent_id", a->id);
    json_put_uint(t, "step_id", a->table->group->step_id);
    json_put_uint(t, "tick", a->table->tick);
    json_key(t, "observation");
    rl_write_observation(t, a, (enum rl_profile)a->profile, a->keys);
}

void rl_write_step(struct text *t, struct rl_agent *a, enum rl_look look)
{
    static const double nothing[GAME_MAX_REWARDS];
    bool ended = a->state == RL_TERMINAL && look != RL_LOOK_RESET;
    json_begin_object(t);
    put_head(t, a);
    double sum = put_rewards(t, a, look == RL_LOOK_STEP ? a->earned : nothing);
    put_end(t, ended, a->truncated, a->ending);
    put_events(t, a, look != RL_LOOK_ONLY);
    put_tail(t, a);
    json_end_object(t);
    if (look != RL_LOOK_STEP)
        return;
    a->total_reward += sum;
    a->last_step = a->table->group->step_id;
    memset(a->earned, 0, sizeof a->earned);
    a->told = ended;
}

void rl_put_outcome(struct text *t, const struct rl_agent *a)
{
    put_rewards(t, a, a->earned);
    put_end(t, a->state == RL_TERMINAL, a->truncated, a->ending);
    json_key(t, "observation");
    rl_write_observation(t, a, (enum rl_profile)a->profile, a->keys);
    json_key(t, "events");
    json_begin_array(t);
    text_put(t, text_span(&a->news.text));
    json_end_array(t);
}

// G10.10
void rl_write_notice(struct text *t, struct rl_agent *a)
{
    if (!a->notice.due) {
        rl_write_step(t, a, RL_LOOK_STEP);
        return;
    }
    json_begin_object(t);
    put_head(t, a);
    double sum = put_rewards(t, a, a->notice.earned);
    put_end(t, true, a->notice.truncated, a->notice.ending);
    put_events(t, a, true);
    put_tail(t, a);
    json_end_object(t);
    a->total_reward += sum;
    a->notice.due = false;
}

// G14.3: what everybody may see, as a step of nobody.
void rl_write_spectator(struct text *t, struct rl_table *table)
{
    struct rl_agent nobody = {.id = "_table",
                              .table = table,
                              .type = RL_MASTER,
                              .scope = RL_SYSTEMIC,
                              .seat = -1,
                              .team = -1,
                              .keys = 1 | 1 << 4 | 1 << 5 | 1 << 6,
                              .wants_hash = true};
    rl_write_step(t, &nobody, RL_LOOK_ONLY);
}

bool rl_observe(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r)
{
    struct span id;
    (void)call;
    rl_json_member(arguments, "agent_id", &id);
    struct rl_agent *a = rl_own_agent(c, rl_json_string(id), r);
    if (!a)
        return true;
    rl_write_step(&c->rl->out, a, RL_LOOK_ONLY);
    return rl_answer(c->rl, r);
}

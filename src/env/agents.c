// Agents: who may register as what, where they sit, what they may see (G10, G11.7).
#include "env/actions.h"
#include "env/advance.h"
#include "env/arena_seat.h"
#include "env/host.h"
#include "env/live.h"
#include "env/owner.h"
#include "env/record.h"
#include "env/schema.h"
#include "env/step.h"
#include "env/talk.h"
#include "env/tools.h"
#include "env/vision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// What a registration asks, before it is granted.
struct wish {
    char id[RL_ID_ROOM];
    struct rl_table *table;
    int type, scope, clock, profile, legal, seat, team;
    bool guide, hash;
    bool queued; // into the arena (G1.9)
    struct rl_entry entry;
    uint8_t capabilities;
    uint64_t keys, masked;
    double weight[GAME_MAX_REWARDS];
};

int rl_seats_of(const struct rl_table *t)
{
    union game_rules rules;
    if (t->episode)
        return t->match.seats;
    t->row->game->defaults(&rules);
    int seats = t->row->game->scenario(&rules, t->scenario);
    return t->group->rl->o.seats ? t->group->rl->o.seats : seats;
}

static bool take_word(struct span config, const char *key, const char *const *words, int *out)
{
    struct span value;
    if (!rl_json_member(config, key, &value))
        return false;
    *out = json_string_among(rl_json_string(value), words);
    return true;
}

static bool take_bool(struct span config, const char *key, bool missing)
{
    struct span value;
    return rl_json_member(config, key, &value) ? value.at[0] == 't' : missing;
}

// --- where

static bool choose_table(struct rl_conn *c, struct span config, struct wish *w, struct rl_result *r)
{
    struct span value;
    char name[RL_NAME_ROOM + 1];
    int number = 0;
    if (rl_json_member(config, "table", &value)) {
        if (rl_json_is(value, JSON_STRING)) {
            if (!c->rl->o.named_tables || json_string_copy(rl_json_string(value), name, sizeof name) < 0) {
                *r = rl_bad(c->rl, "/config/table", "the number of a table", NULL);
                return false;
            }
            if (!rl_move(c, name, r))
                return false;
        } else {
            number = (int)rl_json_int(value);
            if (rl_json_int(value) < 0 || rl_json_int(value) >= c->group->count) {
                *r = rl_bad(c->rl, "/config/table", "the number of a table of this server", NULL);
                return false;
            }
        }
    }
    w->table = &c->group->table[number];
    return true;
}

static bool choose_scope(struct rl *rl, struct span arguments, bool has_avatar, struct wish *w, struct rl_result *r)
{
    struct span value;
    bool given = rl_json_member(arguments, "scope", &value);
    if (given)
        w->scope = json_string_among(rl_json_string(value), rl_scope_names);
    else
        w->scope = has_avatar || w->type == RL_ENTITY ? RL_EMBODIED : RL_SYSTEMIC;
    if (!given && rl->o.strict) {
        *r = rl_bad(rl, "/scope", "embodied or systemic", NULL);
        return false;
    }
    if ((w->type == RL_ENTITY && w->scope != RL_EMBODIED) ||
        (w->type != RL_ENTITY && w->type != RL_DIALOGUE && w->scope != RL_SYSTEMIC)) {
        *r = rl_bad(rl, "/scope", rl_scope_names[w->type != RL_ENTITY], "this type has the other scope");
        return false;
    }
    if (given && w->scope == RL_EMBODIED && !has_avatar) {
        *r = rl_bad(rl, "/config/avatar_id", "the avatar id of a seat: an embodied agent has a body", NULL);
        return false;
    }
    return true;
}

static const struct rl_agent *holder_of(const struct wish *w, int seat)
{
    for (struct rl_agent *a = w->table->group->agents; a; a = a->next) {
        if (a->table != w->table)
            continue;
        if (w->type == RL_DIALOGUE
                ? a->type == RL_DIALOGUE && a->seat == seat
                : (a->type == RL_ENTITY && a->seat == seat) || (a->type == RL_COLONY && seat % 2 == a->team))
            return a;
    }
    return NULL;
}

static bool refuse_taken(struct rl_conn *c, const char *path, const struct rl_agent *holder, struct rl_result *r)
{
    *r = rl_bad(c->rl, path, "a seat that no agent holds", "taken");
    if (holder->conn == c)
        rl_refusal_put(c->rl, r, "held_by", holder->id);
    return false;
}

static bool refuse_avatar(struct rl *rl, const struct rl_kit *k, struct rl_result *r)
{
    struct rl_known known = {0};
    for (int i = 0; k->avatars[i]; i++)
        rl_known_add(&known, k->avatars[i]);
    *r = rl_bad(rl, "/config/avatar_id", known.text, "unknown");
    return false;
}

static bool choose_seat(struct rl_conn *c, struct span config, struct wish *w, struct rl_result *r)
{
    struct span value;
    char name[64] = "";
    const struct rl_agent *holder;
    w->seat = -1;
    if (w->scope != RL_EMBODIED)
        return true;
    if (rl_json_member(config, "avatar_id", &value)) {
        json_string_copy(rl_json_string(value), name, sizeof name);
        w->seat = rl_seat_of_name(w->table->kit, name);
        if (w->seat < 0)
            return refuse_avatar(c->rl, w->table->kit, r);
        return !(holder = holder_of(w, w->seat)) || refuse_taken(c, "/config/avatar_id", holder, r);
    }
    for (int s = 0; s < rl_seats_of(w->table); s++)
        if (!holder_of(w, s)) {
            w->seat = s;
            return true;
        }
    *r = rl_refuse(c->rl, -32004, "ResourceExhausted",
                   "All seats of this table are taken; wait for one or name another table.");
    rl_refusal_int(c->rl, r, "limit", rl_seats_of(w->table));
    return false;
}

// G23.7
static bool choose_team(struct rl_conn *c, struct span config, struct wish *w, struct rl_result *r)
{
    struct span value;
    w->team = -1;
    if (w->type != RL_COLONY)
        return true;
    bool given = rl_json_member(config, "team", &value);
    for (int team = 0; team < 2; team++) {
        const struct rl_agent *holder = NULL;
        if (given && rl_json_int(value) != team + 1)
            continue;
        for (int s = team; s < rl_seats_of(w->table) && !holder; s += 2)
            holder = holder_of(w, s);
        if (!holder) {
            w->team = team;
            return true;
        }
        if (given)
            return refuse_taken(c, "/config/team", holder, r);
    }
    *r = rl_bad(c->rl, "/config/team", "a team none of whose seats an agent holds", "taken");
    return false;
}

// G10.5: in a shared session the seats of a connection are of one side.
static bool check_side(struct rl_conn *c, const struct wish *w, struct rl_result *r)
{
    bool teams = w->table->row->game->teams;
    int mine = w->type == RL_COLONY ? w->team : w->type != RL_ENTITY ? -1 : teams ? w->seat % 2 : w->seat;
    if (!c->group->shared || mine < 0)
        return true;
    for (struct rl_agent *a = c->group->agents; a; a = a->next) {
        if (a->conn != c || a->table != w->table || (a->type != RL_ENTITY && a->type != RL_COLONY))
            continue;
        int other = a->type == RL_COLONY ? a->team : teams ? a->seat % 2 : a->seat;
        if (other != mine) {
            *r = rl_bad(c->rl, "/config/avatar_id", "a seat of the side this connection plays already", "side");
            return false;
        }
    }
    return true;
}

// --- what

static bool choose_keys(struct rl *rl, struct span config, struct wish *w, struct rl_result *r)
{
    struct span list;
    w->keys = UINT64_MAX;
    if (!rl_json_member(config, "observation_keys", &list))
        return true;
    w->keys = 0;
    struct json_reader in = json_reader_of(list, 64);
    for (json_enter_array(&in); json_next_item(&in);) {
        struct json_string name = json_read_string(&in);
        const struct rl_key *key;
        int i = 0;
        while ((key = rl_key_at(w->table->kit, (enum rl_type)w->type, (enum rl_profile)w->profile, i)) &&
               !json_string_is(name, key->name))
            i++;
        if (!key) {
            *r = rl_bad(rl, "/config/observation_keys", "keys of the observation profile", "unknown");
            return false;
        }
        w->keys |= 1ull << i;
    }
    return true;
}

static bool choose_mask(struct rl *rl, struct span config, struct wish *w, struct rl_result *r)
{
    struct span list;
    char name[64];
    w->masked = 0;
    if (!rl_json_member(config, "action_mask", &list))
        return true;
    w->masked = UINT64_MAX - 1; // all but wait
    struct json_reader in = json_reader_of(list, 64);
    for (json_enter_array(&in); json_next_item(&in);) {
        if (json_string_copy(json_read_string(&in), name, sizeof name) < 0)
            name[0] = 0;
        int i = rl_action_find(w->table->kit, (enum rl_type)w->type, name);
        if (i < 0) {
            *r = rl_bad(rl, "/config/action_mask", "names of actions of this agent", "unknown");
            return false;
        }
        w->masked &= ~(1ull << i);
    }
    return true;
}

static int component_named(const struct game *g, struct json_string name)
{
    return json_string_among(name, g->rewarded);
}

static bool choose_rewards(struct rl *rl, struct span config, struct wish *w, struct rl_result *r)
{
    const struct game *g = w->table->row->game;
    struct span shaping, value;
    struct json_string key;
    bool listed = false;
    for (int i = 0; i < GAME_MAX_REWARDS; i++)
        w->weight[i] = 1;
    if (!rl_json_member(config, "reward_shaping", &shaping))
        return true;
    if (rl_json_member(shaping, "components", &value)) {
        double kept[GAME_MAX_REWARDS] = {0};
        struct json_reader in = json_reader_of(value, 64);
        for (json_enter_array(&in); json_next_item(&in); listed = true) {
            int i = component_named(g, json_read_string(&in));
            if (i < 0) {
                *r = rl_bad(rl, "/config/reward_shaping/components", "names of reward_components", "unknown");
                return false;
            }
            kept[i] = 1;
        }
        if (listed)
            memcpy(w->weight, kept, sizeof kept);
    }
    if (!rl_json_member(shaping, "weights", &value))
        return true;
    struct json_reader in = json_reader_of(value, 64);
    for (json_enter_object(&in); json_next_key(&in, &key);) {
        int i = component_named(g, key);
        double weight = json_read_real(&in);
        if (i < 0) {
            *r = rl_bad(rl, "/config/reward_shaping/weights", "names of reward_components", "unknown");
            return false;
        }
        w->weight[i] *= weight;
    }
    return true;
}

static bool holds_seat(const struct rl_conn *c, const struct rl_table *t)
{
    for (struct rl_agent *a = c->group->agents; a; a = a->next)
        if (a->conn == c && a->table == t && (a->seat >= 0 || a->team >= 0))
            return true;
    return t->running && c->held_episode == t->episode;
}

// G11.7: at a shared table the owner alone has powers.
static uint8_t grant(const struct rl_conn *c, struct span config, const struct wish *w)
{
    struct span list;
    uint8_t wanted = 31;
    if (w->scope != RL_SYSTEMIC || !w->entry.owner)
        return 0;
    if (rl_json_member(config, "capabilities", &list)) {
        struct json_reader in = json_reader_of(list, 64);
        wanted = 0;
        for (json_enter_array(&in); json_next_item(&in);)
            wanted |= (uint8_t)(1 << json_string_among(json_read_string(&in), rl_capability_names));
    }
    uint8_t may = w->type == RL_MASTER ? 31 : RL_WORLD_MODIFY | RL_DEBUG;
    if (c->group->shared && (!c->rl->o.allow_debug || holds_seat(c, w->table)))
        may &= (uint8_t)~RL_DEBUG;
    return wanted & may;
}

static bool refuse_type(struct rl *rl, const struct rl_kit *k, struct rl_result *r)
{
    struct rl_known known = {0};
    for (int i = 0; i < RL_TYPES; i++)
        if (k->types >> i & 1)
            rl_known_add(&known, rl_type_names[i]);
    *r = rl_bad(rl, "/agent_type", known.text, "not in this game");
    return false;
}

static bool read_wish(struct rl_conn *c, struct span arguments, struct wish *w, struct rl_result *r)
{
    struct rl *rl = c->rl;
    struct span value, config = SPAN("{}");
    int session;
    rl_json_member(arguments, "config", &config);
    rl_json_member(arguments, "agent_id", &value);
    json_string_copy(rl_json_string(value), w->id, sizeof w->id);
    if (w->id[0] == '_') {
        *r = rl_bad(rl, "/agent_id", "an id that does not begin with _", "reserved");
        return false;
    }
    take_word(arguments, "agent_type", rl_type_names, &w->type);
    w->queued = rl_json_member(config, "queue", &value) || c->group->place;
    if (w->queued && w->type != RL_ENTITY) {
        *r = rl_bad(rl, "/agent_type", "EntityBehavior: whoever is in the arena plays", "queue");
        return false;
    }
    if (w->queued ? !rl_arena_sit(c, w->id, value, &w->table, r) : !choose_table(c, config, w, r))
        return false;
    if (!rl_entry_check(c, config, &w->entry, r))
        return false;
    if (!(w->table->kit->types >> w->type & 1))
        return refuse_type(rl, w->table->kit, r);
    if (!choose_scope(rl, arguments, w->queued || rl_json_member(config, "avatar_id", &value), w, r))
        return false;
    if (take_word(config, "session_type", rl_session_names, &session) && session != c->group->shared && !w->queued) {
        *r = rl_bad(rl, "/config/session_type", rl_session_names[c->group->shared], NULL);
        return false;
    }
    w->clock = c->group->shared || w->queued ? RL_LIVE : RL_TRAINING;
    take_word(config, "clock_mode", rl_clock_names, &w->clock);
    if (w->queued && w->clock != RL_LIVE) {
        *r = rl_bad(rl, "/config/clock_mode", "live: the arena waits for nobody", "queue");
        return false;
    }
    take_word(config, "observation_profile", rl_profile_names, &w->profile);
    take_word(config, "legal", rl_legal_names, &w->legal);
    w->guide = take_bool(config, "guide", true);
    w->hash = take_bool(config, "state_hash", true);
    w->capabilities = grant(c, config, w);
    return choose_keys(rl, config, w, r) && choose_mask(rl, config, w, r) && choose_rewards(rl, config, w, r);
}

// --- the answer

// G22.9
static void write_position(struct text *t, const struct rl_table *table, int seat, const void *view)
{
    json_begin_array(t);
    if (table->row->game->tick_ms) {
        struct codec_table all = rl_codec_table(table, seat);
        struct rl *rl = table->group->rl;
        struct span active, x = SPAN("0"), y = SPAN("0");
        if (view) {
            rl->view.size = 0;
            json_begin_object(&rl->view);
            table->row->codec->write_view(&rl->view, &all, view);
            json_end_object(&rl->view);
            if (rl_json_member(text_span(&rl->view), "active", &active) && rl_json_is(active, JSON_OBJECT)) {
                rl_json_member(active, "x", &x);
                rl_json_member(active, "y", &y);
            }
        }
        json_write_raw(t, x);
        json_write_raw(t, y);
    } else {
        double angle = 2 * M_PI * seat / rl_seats_of(table);
        json_write_decimal(t, cos(angle), 3);
        json_write_decimal(t, sin(angle), 3);
    }
    json_write_int(t, 0);
    json_end_array(t);
}

void rl_write_location(struct text *t, const struct rl_table *table, int seat)
{
    union game_view view;
    bool seated = table->episode && seat < table->match.seats;
    if (seated)
        table->row->game->view(&table->match.state, GAME_SPECTATOR, &view);
    write_position(t, table, seat, seated ? &view : NULL);
}

// G1.9
static void write_queued(struct text *t)
{
    json_write_raw(t, SPAN("{\"id\":\"queued\",\"position\":[0,0,0],\"health\":1,\"max_health\":1}"));
}

static const char *avatar_of(const struct rl_agent *a)
{
    if (a->seat < 0)
        return a->scope == RL_EMBODIED ? "queued" : NULL;
    return a->table->kit->avatars[a->seat];
}

static void write_avatar(struct text *t, const struct rl_table *table, int seat)
{
    union game_view view;
    bool seated = table->episode && seat < table->match.seats;
    double most = 1, health = 1;
    if (seated) {
        table->row->game->view(&table->match.state, GAME_SPECTATOR, &view);
        health = rl_kit_health(table->kit, &view, seat, &most);
    }
    json_begin_object(t);
    json_put_text(t, "id", table->kit->avatars[seat]);
    json_key(t, "position");
    write_position(t, table, seat, seated ? &view : NULL);
    json_put_decimal(t, "health", health, 3);
    json_put_decimal(t, "max_health", most, 3);
    json_end_object(t);
}

void rl_write_spaces(struct text *t, const struct rl_agent *a)
{
    if (a->scope == RL_EMBODIED) {
        json_key(t, "avatar");
        if (a->seat >= 0)
            write_avatar(t, a->table, a->seat);
        else
            write_queued(t);
    } else {
        json_key(t, "capabilities");
        json_begin_array(t);
        for (int i = 0; rl_capability_names[i]; i++)
            if (a->capabilities >> i & 1)
                json_write_text(t, rl_capability_names[i]);
        json_end_array(t);
    }
    json_key(t, "observation_space");
    rl_write_space(t, a);
    json_key(t, "action_space");
    rl_write_action_space(t, a->table->kit, a->table->row->game, (enum rl_type)a->type);
}

static bool answer(struct rl *rl, const struct rl_agent *a, bool guide, struct rl_result *r)
{
    struct text *t = &rl->out;
    json_begin_object(t);
    json_put_text(t, "agent_id", a->id);
    json_put_bool(t, "registered", true);
    json_put_text(t, "scope", rl_scope_names[a->scope]);
    rl_write_spaces(t, a);
    json_put_text(t, "status", rl_state_names[a->state]);
    json_put_text(t, "clock", rl_clock_names[rl_clock_of(a->table)]);
    json_put_text(t, "observation_profile", rl_profile_names[a->profile]);
    rl_put_owner(t, a->conn);
    if (guide) {
        rl->scratch.size = 0;
        rl_write_guide(&rl->scratch, a->table->row,
                       &(struct rl_guide){.agent_id = a->id,
                                          .scenario = a->table->scenario_name,
                                          .seat = a->seat >= 0 ? a->table->kit->avatars[a->seat] : NULL,
                                          .arena = a->table->group->place ? rl->o.arena : NULL});
        json_put_string(t, "guide", text_span(&rl->scratch));
    }
    json_end_object(t);
    return rl_answer(rl, r);
}

static void write_time(int64_t us, char out[24])
{
    time_t seconds = (time_t)(us / 1000000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    strftime(out, 24, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void rl_write_agent(struct text *t, const struct rl_agent *a, const struct rl_conn *reader)
{
    char when[24];
    write_time(a->registered_us + a->table->group->rl->o.epoch_us, when);
    json_begin_object(t);
    json_put_text(t, "agent_id", a->id);
    json_put_text(t, "agent_type", rl_type_names[a->type]);
    json_put_text(t, "status", rl_state_names[a->state]);
    json_put_text(t, "registered_at", when);
    json_put_uint(t, "last_step", a->last_step);
    rl_put_reward(t, "total_reward", a->total_reward);
    json_put_text(t, "scope", rl_scope_names[a->scope]);
    json_put_text(t, "avatar_id", avatar_of(a));
    json_put_text(t, "clock_mode", rl_clock_names[a->clock]);
    json_put_bool(t, "mine", a->conn == reader);
    if (a->table->group->count > 1)
        json_put_int(t, "table", a->table->number);
    json_end_object(t);
}

// --- the tools

static bool refuse_full(struct rl_conn *c, int limit, struct rl_result *r)
{
    *r = rl_refuse(c->rl, -32004, "ResourceExhausted", "There is no room for another agent; deregister one first.");
    rl_refusal_int(c->rl, r, "limit", limit);
    return false;
}

static int agents_at(const struct rl_table *t)
{
    int n = 0;
    for (struct rl_agent *a = t->agents; a; a = a->beside)
        n++;
    return n;
}

void rl_agent_enter(struct rl_agent *a)
{
    struct rl_agent **at = &a->table->group->agents, **beside = &a->table->agents;
    a->id_size = (uint8_t)strlen(a->id);
    snprintf(a->uri, sizeof a->uri, "game://agents/%s/observation", a->id);
    while (*at)
        at = &(*at)->next;
    while (*beside)
        beside = &(*beside)->beside;
    *at = *beside = a;
    a->table->group->agent_count++;
    a->table->group->used = true;
}

void rl_agent_leave(struct rl_agent *a)
{
    struct rl_agent **at = &a->table->group->agents, **beside = &a->table->agents;
    while (*at != a)
        at = &(*at)->next;
    while (*beside != a)
        beside = &(*beside)->beside;
    *at = a->next;
    *beside = a->beside;
    a->table->group->agent_count--;
}

static struct rl_agent *create(struct rl_conn *c, const struct wish *w)
{
    struct rl_agent *a = calloc(1, sizeof *a);
    if (!a)
        abort();
    *a = (struct rl_agent){.conn = c,
                           .table = w->table,
                           .type = (uint8_t)w->type,
                           .scope = (uint8_t)w->scope,
                           .clock = (uint8_t)w->clock,
                           .profile = (uint8_t)w->profile,
                           .legal = (uint8_t)w->legal,
                           .capabilities = w->capabilities,
                           .wants_hash = w->hash,
                           .seat = w->seat,
                           .team = w->team,
                           .keys = w->keys,
                           .masked = w->masked,
                           .registered_us = c->rl->now_us,
                           .since = w->table->kept ? traj_keep_place(w->table->kept) : 0,
                           .news.text.grow = rl_text_grow};
    memcpy(a->id, w->id, sizeof a->id);
    memcpy(a->weight, w->weight, sizeof a->weight);
    rl_agent_enter(a);
    c->agent_count++;
    return a;
}

static void tell_connected(const struct rl_agent *a)
{
    struct text *t = &a->table->group->rl->scratch;
    t->size = 0;
    json_begin_object(t);
    json_put_text(t, "agent_id", a->id);
    json_put_text(t, "agent_type", rl_type_names[a->type]);
    json_put_text(t, "scope", rl_scope_names[a->scope]);
    if (a->seat >= 0)
        json_put_text(t, "avatar_id", a->table->kit->avatars[a->seat]);
    json_end_object(t);
    rl_broadcast(a->table, "agent_connected", 1 << RL_MASTER, text_span(t));
    rl_tell_changed(a->table, "game://agents");
}

// Whoever takes a seat in a shared session sees no hidden cards any more (G11.7).
static void give_up_debug(struct rl_conn *c)
{
    for (struct rl_agent *a = c->group->agents; c->group->shared && a; a = a->next)
        if (a->conn == c)
            a->capabilities &= (uint8_t)~RL_DEBUG;
}

static bool is_seat_in_play(const struct rl_agent *a)
{
    union game_view view;
    const struct rl_table *t = a->table;
    if (a->type != RL_ENTITY && a->type != RL_COLONY)
        return true;
    int seat = a->type == RL_COLONY ? a->team : a->seat;
    if (seat >= t->match.seats)
        return false;
    t->row->game->view(&t->match.state, GAME_SPECTATOR, &view);
    return rl_kit_in_play(t->kit, &view, seat);
}

static bool enter(struct rl_conn *c, struct span arguments, struct rl_result *r)
{
    struct wish w = {.seat = -1, .team = -1};
    struct span id, config = SPAN("{}");
    if (!read_wish(c, arguments, &w, r))
        return false;
    rl_json_member(arguments, "config", &config);
    rl_json_member(arguments, "agent_id", &id);
    struct rl_agent *a = rl_find_agent(c->group, rl_json_string(id));
    if (a) { // G10.4
        if (a->conn == c && a->type == w.type && a->scope == w.scope) {
            rl_entry_apply(c, &w.entry);
            return answer(c->rl, a, w.guide, r);
        }
        *r = rl_bad(c->rl, "/agent_id", "an id that is not in use", "in_use");
        return false;
    }
    if (!w.queued && (!choose_seat(c, config, &w, r) || !choose_team(c, config, &w, r) || !check_side(c, &w, r)))
        return false;
    int most = c->rl->o.max_agents;
    if (agents_at(w.table) >= most || c->agent_count >= most * c->group->count)
        return refuse_full(c, most, r);
    if (w.queued && !rl_arena_join(c, config, r))
        return false;
    rl_entry_apply(c, &w.entry);
    a = create(c, &w);
    a->table->bared |= a->capabilities & RL_DEBUG;
    if (w.queued)
        rl_arena_seat(a);
    if (a->seat >= 0 || a->team >= 0)
        give_up_debug(c);
    if (a->table->running && rl_clock_of(a->table) == RL_LIVE && is_seat_in_play(a))
        rl_activate(a);
    rl_record_agent(a, true);
    rl_live_poke(a->table, c->rl->now_us);
    c->rl->out.size = 0;
    answer(c->rl, a, w.guide, r);
    tell_connected(a);
    if (a->type == RL_ENTITY && a->state == RL_ACTIVE)
        rl_broadcast_seat(a->table, a->seat, NULL);
    return true;
}

bool rl_register(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r)
{
    struct rl_group *before = c->group;
    (void)call;
    before->refs++; // it stays, in case the call is refused after it has moved the connection
    if (!enter(c, arguments, r))
        rl_move_back(c, before);
    if (c->group->place && c->group != before) {
        before->refs++;
        c->home = before;
    } else if (c->group != before) {
        rl_owner_leave(before, c);
    }
    rl_group_leave(before, c->rl->now_us);
    return true;
}

static void write_leaving(struct text *s, const struct rl_agent *a, const char *reason)
{
    s->size = 0;
    s->full = false;
    json_begin_object(s);
    json_put_text(s, "agent_id", a->id);
    json_put_text(s, "reason", reason);
    json_end_object(s);
}

void rl_farewell(struct rl *rl)
{
    rl_finish_jobs(rl);
    for (struct rl_group *g = rl->groups; g; g = g->next)
        for (struct rl_agent *a = g->agents; a; a = a->next) {
            write_leaving(&rl->scratch, a, "normal");
            rl_broadcast(a->table, "agent_disconnected", 1 << RL_MASTER, text_span(&rl->scratch));
        }
    rl->ending = true;
}

void rl_unregister(struct rl_agent *a, const char *reason)
{
    struct rl_table *t = a->table;
    struct rl_group *g = t->group;
    struct text *s = &g->rl->scratch;
    int left = a->type == RL_ENTITY && a->state == RL_ACTIVE ? a->seat : -1; // to the house (G10.9)
    rl_parked_drop(g, a, NULL);
    if (g->place)
        rl_arena_leave(g);
    rl_record_agent(a, false);
    rl_vision_release(a);
    rl_agent_leave(a);
    a->conn->agent_count--;
    write_leaving(s, a, reason);
    free(a->news.text.at);
    free(a);
    if (g->rl->ending)
        return;
    rl_broadcast(t, "agent_disconnected", 1 << RL_MASTER, text_span(s));
    if (left >= 0)
        rl_broadcast_seat(t, left, NULL);
    rl_tell_changed(t, "game://agents");
    rl_live_poke(t, g->rl->now_us);
}

// From the arena back to where it came from.
static void go_home(struct rl_conn *c)
{
    struct rl_group *g = c->group;
    if (!c->home)
        return;
    c->group = c->home;
    c->home = NULL;
    rl_group_leave(g, c->rl->now_us);
}

bool rl_deregister(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r)
{
    struct span id;
    (void)call;
    rl_json_member(arguments, "agent_id", &id);
    struct rl_agent *a = rl_own_agent(c, rl_json_string(id), r);
    if (!a)
        return true;
    struct rl_group *g = c->group;
    char name[RL_ID_ROOM];
    memcpy(name, a->id, sizeof name);
    rl_unregister(a, "normal");
    rl_try_advance(g); // others may have waited for it
    go_home(c);
    struct text *t = &c->rl->out;
    t->size = 0;
    json_begin_object(t);
    json_put_text(t, "agent_id", name);
    json_put_bool(t, "deregistered", true);
    json_end_object(t);
    return rl_answer(c->rl, r);
}

// Who may register as what: table, scope, seat or team, and what the agent wants to see.
#include "env/registration.h"

#include "env/actions.h"
#include "env/arena_seat.h"
#include "env/observe.h"
#include "env/schema.h"

#include <math.h>
#include <stdio.h>

static bool read_word(struct span config, const char *key, const char *const *words, int *out)
{
    struct span value;
    if (!json_find_member(config, key, &value))
        return false;
    *out = json_string_among(env_json_string(value), words);
    return true;
}

static bool read_bool(struct span config, const char *key, bool missing)
{
    struct span value;
    return json_find_member(config, key, &value) ? value.at[0] == 't' : missing;
}

// --- where

static bool choose_table(struct env_conn *c, struct span config, struct env_registration *reg, struct env_result *r)
{
    struct span value;
    char name[ENV_NAME_ROOM + 1];
    int number = 0;
    if (json_find_member(config, "table", &value)) {
        if (env_json_is(value, JSON_STRING)) {
            if (!c->env->o.named_tables || json_string_copy(env_json_string(value), name, sizeof name) < 0) {
                *r = env_bad(c->env, "/config/table", "the number of a table", NULL);
                return false;
            }
            if (!env_move(c, name, r))
                return false;
        } else {
            number = (int)env_json_int(value);
            if (env_json_int(value) < 0 || env_json_int(value) >= c->group->count) {
                *r = env_bad(c->env, "/config/table", "the number of a table of this server", NULL);
                return false;
            }
        }
    }
    reg->table = &c->group->table[number];
    return true;
}

static bool choose_scope(struct env *env, const struct env_arguments *arguments, bool has_avatar,
                         struct env_registration *reg, struct env_result *r)
{
    struct span value;
    bool given = env_argument(arguments, "scope", &value);
    if (given)
        reg->scope = json_string_among(env_json_string(value), env_scope_names);
    else
        reg->scope = has_avatar || reg->type == ENV_ENTITY ? ENV_EMBODIED : ENV_SYSTEMIC;
    if (!given && env->o.strict) {
        *r = env_bad(env, "/scope", "embodied or systemic", NULL);
        return false;
    }
    if ((reg->type == ENV_ENTITY && reg->scope != ENV_EMBODIED) ||
        (reg->type != ENV_ENTITY && reg->type != ENV_DIALOGUE && reg->scope != ENV_SYSTEMIC)) {
        *r = env_bad(env, "/scope", env_scope_names[reg->type != ENV_ENTITY], "this type has the other scope");
        return false;
    }
    if (given && reg->scope == ENV_EMBODIED && !has_avatar) {
        *r = env_bad(env, "/config/avatar_id", "the avatar id of a seat: an embodied agent has a body", NULL);
        return false;
    }
    return true;
}

static const struct env_agent *holder_of(const struct env_registration *reg, int seat)
{
    for (struct env_agent *a = reg->table->group->agents; a; a = a->next) {
        if (a->table != reg->table)
            continue;
        if (reg->type == ENV_DIALOGUE
                ? a->type == ENV_DIALOGUE && a->seat == seat
                : (a->type == ENV_ENTITY && a->seat == seat) || (a->type == ENV_COLONY && seat % 2 == a->team))
            return a;
    }
    return NULL;
}

static bool refuse_taken(struct env_conn *c, const char *path, const struct env_agent *holder, struct env_result *r)
{
    *r = env_bad(c->env, path, "a seat that no agent holds", "taken");
    if (holder->conn == c)
        env_refusal_put(c->env, r, "held_by", holder->id);
    return false;
}

static bool refuse_avatar(struct env *env, const struct env_facts *k, struct env_result *r)
{
    struct env_known known = {0};
    for (int i = 0; k->avatars[i]; i++)
        env_known_add(&known, k->avatars[i]);
    *r = env_bad(env, "/config/avatar_id", known.text, "unknown");
    return false;
}

static bool choose_seat(struct env_conn *c, struct span config, struct env_registration *reg, struct env_result *r)
{
    struct span value;
    char name[64] = "";
    const struct env_agent *holder;
    reg->seat = -1;
    if (reg->scope != ENV_EMBODIED)
        return true;
    if (json_find_member(config, "avatar_id", &value)) {
        json_string_copy(env_json_string(value), name, sizeof name);
        reg->seat = env_seat_of_name(reg->table->kit, name);
        if (reg->seat < 0)
            return refuse_avatar(c->env, reg->table->kit, r);
        return !(holder = holder_of(reg, reg->seat)) || refuse_taken(c, "/config/avatar_id", holder, r);
    }
    for (int s = 0; s < env_seats_of(reg->table); s++)
        if (!holder_of(reg, s)) {
            reg->seat = s;
            return true;
        }
    *r = env_refuse(c->env, -32004, "ResourceExhausted",
                    "All seats of this table are taken; wait for one or name another table.");
    env_refusal_int(c->env, r, "limit", env_seats_of(reg->table));
    return false;
}

// G23.7
static bool choose_team(struct env_conn *c, struct span config, struct env_registration *reg, struct env_result *r)
{
    struct span value;
    reg->team = -1;
    if (reg->type != ENV_COLONY)
        return true;
    bool given = json_find_member(config, "team", &value);
    for (int team = 0; team < 2; team++) {
        const struct env_agent *holder = NULL;
        if (given && env_json_int(value) != team + 1)
            continue;
        for (int s = team; s < env_seats_of(reg->table) && !holder; s += 2)
            holder = holder_of(reg, s);
        if (!holder) {
            reg->team = team;
            return true;
        }
        if (given)
            return refuse_taken(c, "/config/team", holder, r);
    }
    *r = env_bad(c->env, "/config/team", "a team none of whose seats an agent holds", "taken");
    return false;
}

// G10.5: in a shared session the seats of a connection are of one side.
static bool check_side(struct env_conn *c, const struct env_registration *reg, struct env_result *r)
{
    bool teams = reg->table->row->game->teams;
    int mine = reg->type == ENV_COLONY ? reg->team : reg->type != ENV_ENTITY ? -1 : teams ? reg->seat % 2 : reg->seat;
    if (!c->group->shared || mine < 0)
        return true;
    for (struct env_agent *a = c->group->agents; a; a = a->next) {
        if (a->conn != c || a->table != reg->table || (a->type != ENV_ENTITY && a->type != ENV_COLONY))
            continue;
        int other = a->type == ENV_COLONY ? a->team : teams ? a->seat % 2 : a->seat;
        if (other != mine) {
            *r = env_bad(c->env, "/config/avatar_id", "a seat of the side this connection plays already", "side");
            return false;
        }
    }
    return true;
}

bool env_registration_seat(struct env_conn *c, struct span config, struct env_registration *reg, struct env_result *r)
{
    return choose_seat(c, config, reg, r) && choose_team(c, config, reg, r) && check_side(c, reg, r);
}

// --- what

static bool choose_keys(struct env *env, struct span config, struct env_registration *reg, struct env_result *r)
{
    struct span list;
    reg->keys = UINT64_MAX;
    if (!json_find_member(config, "observation_keys", &list))
        return true;
    reg->keys = 0;
    struct json_reader in = json_reader_of(list, 64);
    for (json_enter_array(&in); json_next_item(&in);) {
        struct json_string name = json_read_string(&in);
        const struct env_key *key;
        int i = 0;
        while ((key = env_key_at(reg->table->kit, (enum env_type)reg->type, (enum env_profile)reg->profile, i)) &&
               !json_string_is(name, key->name))
            i++;
        if (!key) {
            *r = env_bad(env, "/config/observation_keys", "keys of the observation profile", "unknown");
            return false;
        }
        reg->keys |= 1ull << i;
    }
    return true;
}

// V31: what a policy was trained on, so it is said and not guessed.
static bool choose_vector(struct env *env, struct span config, struct env_registration *reg, struct env_result *r)
{
    struct span value;
    char newest[32];
    int most = game_row_vectors(reg->table->row->game);
    reg->vector = json_find_member(config, "vector", &value) ? (int)env_json_int(value) : 1;
    if (reg->vector <= most)
        return true;
    snprintf(newest, sizeof newest, most > 1 ? "1 to %d" : "%d", most);
    *r = env_bad(env, "/config/vector", newest, "version");
    return false;
}

static bool choose_mask(struct env *env, struct span config, struct env_registration *reg, struct env_result *r)
{
    struct span list;
    char name[64];
    reg->masked = 0;
    if (!json_find_member(config, "action_mask", &list))
        return true;
    reg->masked = UINT64_MAX - 1; // all but wait
    struct json_reader in = json_reader_of(list, 64);
    for (json_enter_array(&in); json_next_item(&in);) {
        if (json_string_copy(json_read_string(&in), name, sizeof name) < 0)
            name[0] = 0;
        int i = env_action_find(reg->table->kit, (enum env_type)reg->type, name);
        if (i < 0) {
            *r = env_bad(env, "/config/action_mask", "names of actions of this agent", "unknown");
            return false;
        }
        reg->masked &= ~(1ull << i);
    }
    return true;
}

static int component_named(const struct game *g, struct json_string name)
{
    return json_string_among(name, g->rewarded);
}

static bool choose_rewards(struct env *env, struct span config, struct env_registration *reg, struct env_result *r)
{
    const struct game *g = reg->table->row->game;
    struct span shaping, value;
    struct json_string key;
    bool listed = false;
    for (int i = 0; i < GAME_MAX_REWARDS; i++)
        reg->weight[i] = 1;
    if (!json_find_member(config, "reward_shaping", &shaping))
        return true;
    if (json_find_member(shaping, "components", &value)) {
        double kept[GAME_MAX_REWARDS] = {0};
        struct json_reader in = json_reader_of(value, 64);
        for (json_enter_array(&in); json_next_item(&in); listed = true) {
            int i = component_named(g, json_read_string(&in));
            if (i < 0) {
                *r = env_bad(env, "/config/reward_shaping/components", "names of reward_components", "unknown");
                return false;
            }
            kept[i] = 1;
        }
        if (listed)
            memcpy(reg->weight, kept, sizeof kept);
    }
    if (!json_find_member(shaping, "weights", &value))
        return true;
    struct json_reader in = json_reader_of(value, 64);
    for (json_enter_object(&in); json_next_key(&in, &key);) {
        int i = component_named(g, key);
        double weight = json_read_real(&in);
        if (i < 0) {
            *r = env_bad(env, "/config/reward_shaping/weights", "names of reward_components", "unknown");
            return false;
        }
        reg->weight[i] *= weight;
    }
    return true;
}

static bool holds_seat(const struct env_conn *c, const struct env_table *t)
{
    for (struct env_agent *a = c->group->agents; a; a = a->next)
        if (a->conn == c && a->table == t && (a->seat >= 0 || a->team >= 0))
            return true;
    return t->running && c->held_episode == t->episode;
}

// G11.7: at a shared table the owner alone has powers.
static uint8_t grant_capabilities(const struct env_conn *c, struct span config, const struct env_registration *reg)
{
    struct span list;
    uint8_t wanted = 31;
    if (reg->scope != ENV_SYSTEMIC || !reg->access.owner)
        return 0;
    if (json_find_member(config, "capabilities", &list)) {
        struct json_reader in = json_reader_of(list, 64);
        wanted = 0;
        for (json_enter_array(&in); json_next_item(&in);)
            wanted |= (uint8_t)(1 << json_string_among(json_read_string(&in), env_capability_names));
    }
    uint8_t may = reg->type == ENV_MASTER ? 31 : ENV_WORLD_MODIFY | ENV_DEBUG;
    if (c->group->shared && (!c->env->o.allow_debug || holds_seat(c, reg->table)))
        may &= (uint8_t)~ENV_DEBUG;
    return wanted & may;
}

static bool refuse_type(struct env *env, const struct env_facts *k, struct env_result *r)
{
    struct env_known known = {0};
    for (int i = 0; i < ENV_TYPES; i++)
        if (k->types >> i & 1)
            env_known_add(&known, env_type_names[i]);
    *r = env_bad(env, "/agent_type", known.text, "not in this game");
    return false;
}

bool env_registration_read(struct env_conn *c, const struct env_arguments *arguments, struct env_registration *reg,
                           struct env_result *r)
{
    struct env *env = c->env;
    struct span value, config = SPAN("{}");
    int session;
    env_argument(arguments, "config", &config);
    env_argument(arguments, "agent_id", &value);
    json_string_copy(env_json_string(value), reg->id, sizeof reg->id);
    if (reg->id[0] == '_') {
        *r = env_bad(env, "/agent_id", "an id that does not begin with _", "reserved");
        return false;
    }
    env_argument(arguments, "agent_type", &value);
    reg->type = json_string_among(env_json_string(value), env_type_names);
    reg->queued = json_find_member(config, "queue", &value) || c->group->arena_seat;
    if (reg->queued && reg->type != ENV_ENTITY) {
        *r = env_bad(env, "/agent_type", "EntityBehavior: whoever is in the arena plays", "queue");
        return false;
    }
    if (reg->queued ? !env_arena_choose_table(c, reg->id, value, &reg->table, r) : !choose_table(c, config, reg, r))
        return false;
    if (!env_access_check(c, config, &reg->access, r))
        return false;
    if (!(reg->table->kit->types >> reg->type & 1))
        return refuse_type(env, reg->table->kit, r);
    if (!choose_scope(env, arguments, reg->queued || json_find_member(config, "avatar_id", &value), reg, r))
        return false;
    if (read_word(config, "session_type", env_session_names, &session) && session != c->group->shared && !reg->queued) {
        *r = env_bad(env, "/config/session_type", env_session_names[c->group->shared], NULL);
        return false;
    }
    reg->clock = c->group->shared || reg->queued ? ENV_LIVE : ENV_TRAINING;
    read_word(config, "clock_mode", env_clock_names, &reg->clock);
    if (reg->queued && reg->clock != ENV_LIVE) {
        *r = env_bad(env, "/config/clock_mode", "live: the arena waits for nobody", "queue");
        return false;
    }
    read_word(config, "observation_profile", env_profile_names, &reg->profile);
    read_word(config, "legal", env_legal_names, &reg->legal);
    reg->guide = read_bool(config, "guide", true);
    reg->hash = read_bool(config, "state_hash", true);
    reg->capabilities = grant_capabilities(c, config, reg);
    return choose_vector(env, config, reg, r) && choose_keys(env, config, reg, r) && choose_mask(env, config, reg, r) &&
           choose_rewards(env, config, reg, r);
}

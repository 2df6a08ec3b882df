// The resources: manifest, agents, world, actions, rules (G5).
#include "env/access.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/hash.h"
#include "env/host.h"
#include "env/observe.h"
#include "env/reveal.h"
#include "env/step_result.h"
#include "env/vision.h"

#include <stdlib.h>

static void put_types(struct text *t, const char *key, const struct env_facts *k)
{
    json_begin_array_at(t, key);
    for (int i = 0; i < ENV_TYPES; i++)
        if (k->types >> i & 1)
            json_write_text(t, env_type_names[i]);
    json_end_array(t);
}

// --- the manifest (G5.3)

static void put_capabilities(struct text *t, const struct env_group *g, const struct env_facts *k)
{
    static const char *const yes[] = {"deterministic", "domain_randomization", "headless", "variable_timestep", NULL};
    json_begin_object_at(t, "capabilities");
    json_put_bool(t, "multi_agent", true);
    json_put_int(t, "max_agents", env_max_agents(g));
    put_types(t, "agent_types", k);
    json_put_texts(t, "clock_modes", env_clock_names);
    json_put_texts(t, "session_types", env_session_names);
    for (const char *const *word = yes; *word; word++)
        json_put_bool(t, *word, true);
    json_put_bool(t, "save_replay", g->env->o.record_bytes > 0);
    if (g->env->o.unix_socket) {
        json_begin_object_at(t, "ipc_endpoints");
        json_put_text(t, "unix_socket", g->env->o.unix_socket);
        json_end_object(t);
    }
    json_end_object(t);
}

static void put_components(struct text *t, const struct env_game *row, const struct env_facts *k)
{
    json_begin_array_at(t, "reward_components");
    for (int i = 0; row->game->rewarded[i]; i++) {
        json_begin_object(t);
        json_put_text(t, "name", row->game->rewarded[i]);
        json_put_text(t, "description", k->rewards[i].description);
        json_begin_array_at(t, "range");
        json_write_decimal(t, k->rewards[i].low, 6);
        json_write_decimal(t, k->rewards[i].high, 6);
        json_end_array(t);
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_scenario(struct text *t, const char *game, const struct env_scenario *s)
{
    json_begin_object(t);
    json_key(t, "name");
    text_put_char(t, '"');
    if (game) {
        text_puts(t, game);
        text_put_char(t, '/');
    }
    text_puts(t, s->name);
    text_put_char(t, '"');
    json_put_text(t, "description", s->description);
    json_put_raw(t, "config", span_of(s->config));
    json_end_object(t);
}

// G22.3: an unpinned server lists those of all games, by qualified names.
static void put_scenarios(struct text *t, const struct env_group *g, const struct env_facts *k)
{
    json_begin_array_at(t, "scenarios");
    if (g->pinned)
        for (const struct env_scenario *s = k->scenarios; s->name; s++)
            write_scenario(t, NULL, s);
    else
        for (const struct env_game *row = g->env->o.games; row->game; row++)
            for (const struct env_scenario *s = env_facts_of(row)->scenarios; s->name; s++)
                write_scenario(t, row->game->name, s);
    json_end_array(t);
}

static void put_permissions(struct text *t, const struct env_facts *k)
{
    const struct env_action *row;
    json_begin_object_at(t, "permissions");
    for (int type = 0; type < ENV_TYPES; type++) {
        if (!(k->types >> type & 1))
            continue;
        json_begin_array_at(t, env_type_names[type]);
        for (int i = 0; (row = env_action_at(k, (enum env_type)type, i)); i++)
            json_write_text(t, row->name);
        json_end_array(t);
    }
    json_end_object(t);
}

static void put_randomization(struct text *t, const struct env_facts *k)
{
    json_begin_object_at(t, "randomization");
    for (const struct env_random *row = k->random; row->key; row++) {
        json_begin_array_at(t, row->key);
        json_write_decimal(t, row->low, 0);
        json_write_decimal(t, row->high, 0);
        json_end_array(t);
    }
    json_end_object(t);
}

static void put_limits(struct text *t, const struct env_group *g)
{
    json_begin_object_at(t, "limits");
    json_put_int(t, "agents", g->env->o.max_agents);
    json_put_int(t, "agents_per_connection", env_max_agents(g));
    json_put_int(t, "message_bytes", 8388608);
    if (g->env->o.work)
        json_put_int(t, "request_bytes", ENV_MAX_REQUEST);
    json_put_int(t, "nesting", 64);
    json_put_int(t, "ticks_per_call", ENV_MAX_TICKS);
    json_put_int(t, "batch_items", ENV_MAX_BATCH);
    json_put_int(t, "subscriptions", 64);
    json_put_int(t, "queued_live_actions", ENV_LIVE_QUEUE);
    json_put_int(t, "streams", 8);
    json_put_int(t, "events_per_step", ENV_NEWS);
    json_end_object(t);
}

static void put_initial(struct text *t, const struct env_facts *k)
{
    json_begin_object_at(t, "initial_state");
    for (const struct env_initial *row = k->initial; row->key; row++)
        json_put_text(t, row->key, row->expected);
    for (const struct env_initial *row = env_common_initial; row->key; row++)
        json_put_text(t, row->key, row->expected);
    json_end_object(t);
}

static void put_agon(struct text *t, const struct env_group *g, const struct env_game *row, const struct env_facts *k)
{
    static const char *const bots[] = {"random", "fallback", "rules", "search", NULL};
    static const char *const none[] = {NULL};
    json_begin_object_at(t, "agon");
    json_put_text(t, "game", row->game->name);
    json_put_int(t, "tick_ms", k->tick_ms);
    json_put_texts(t, "avatars", k->avatars);
    json_put_texts(t, "observation_profiles", env_profile_names);
    json_put_int(t, "vectors", game_row_vectors(row->game));
    json_put_uint(t, "action_count", row->game->flat_size);
    put_permissions(t, k);
    env_put_cameras(t, row);
    json_put_texts(t, "trajectory_formats", g->env->o.record_bytes ? traj_formats_built : none);
    json_put_texts(t, "bots", bots);
    put_randomization(t, k);
    put_initial(t, k);
    put_limits(t, g);
    json_put_int(t, "hash_version", g->table[0].hash_version);
    json_end_object(t);
}

static void write_manifest(struct text *t, struct env_conn *c)
{
    struct env_group *g = c->group;
    struct env_table *table = &g->table[0];
    const struct env_facts *k = table->kit;
    struct env_agent seat = {.table = table, .type = ENV_ENTITY, .keys = UINT64_MAX, .team = -1, .vector = 1};
    json_begin_object(t);
    json_key(t, "name");
    text_put_char(t, '"');
    text_puts(t, table->row->codec->title);
    text_puts(t, " (agon)\"");
    json_put_text(t, "version", g->env->o.version);
    json_put_text(t, "game_rl_version", ENV_GAME_RL_VERSION);
    put_capabilities(t, g, k);
    json_key(t, "default_observation_space");
    env_write_space(t, &seat);
    json_key(t, "default_action_space");
    env_write_action_space(t, k, table->row->game, ENV_ENTITY);
    put_components(t, table->row, k);
    env_put_profiles(t, table->row);
    put_scenarios(t, g, k);
    json_put_int(t, "tick_rate", k->tick_rate);
    json_put_uint(t, "max_episode_ticks", k->max_ticks);
    json_begin_object_at(t, "game_rl_compliance");
    json_put_int(t, "level", 3);
    json_put_text(t, "version", ENV_GAME_RL_VERSION);
    if (g->env->o.results_url)
        json_put_text(t, "test_results_url", g->env->o.results_url);
    json_end_object(t);
    put_agon(t, g, table->row, k);
    json_end_object(t);
}

// --- agents (G5.4)

static void write_agents(struct text *t, struct env_conn *c)
{
    json_begin_object(t);
    json_begin_array_at(t, "agents");
    for (struct env_agent *a = c->group->agents; a; a = a->next)
        env_write_agent(t, a, c);
    json_end_array(t);
    json_begin_object_at(t, "limits");
    json_put_int(t, "max_agents", env_max_agents(c->group));
    json_put_int(t, "available_slots", env_max_agents(c->group) - c->group->agent_count);
    json_end_object(t);
    json_end_object(t);
}

// --- the world (G5.5)

static void put_entities(struct text *t, const struct env_table *table)
{
    int agents = 0, seats = table->episode ? table->match.seats : env_seats_of(table);
    for (int s = 0; s < seats; s++) {
        const struct env_agent *a = env_agent_at(table, s);
        agents += table->group->arena_seat || (a && a->state == ENV_ACTIVE); // who plays in the arena is not revealed
    }
    json_begin_object_at(t, "entities");
    json_put_int(t, "total", seats);
    json_begin_object_at(t, "by_type");
    json_put_int(t, "agent", agents);
    json_put_int(t, "house_bot", seats - agents);
    json_end_object(t);
    json_end_object(t);
}

static void put_shared(struct text *t, const struct env_table *table)
{
    char commitment[ENV_HASH_ROOM];
    json_put_bool(t, "owner_present", env_has_owner(table->group));
    json_put_bool(t, "locked", table->group->join_secret[0]);
    if (!table->episode)
        return;
    env_commitment(table, commitment);
    json_put_text(t, "seed_commitment", commitment);
    if (!table->seeded)
        json_put_bool(t, "seeded", false);
    env_put_warning(t, table);
    env_put_revealed(t, table);
    env_put_previous(t, table);
}

static void write_world(struct text *t, const struct env_table *table, const struct env_conn *c)
{
    char hash[ENV_HASH_ROOM];
    const struct env *env = table->group->env;
    struct game_turn turn = {0};
    if (table->episode)
        turn = table->row->game->turn(&table->match.state);
    env_hash_state(table, hash);
    json_begin_object(t);
    json_put_uint(t, "tick", table->tick);
    json_put_uint(t, "episode", table->episode);
    json_put_decimal(t, "real_time_seconds", table->episode ? (double)(env->now_us - table->started_us) / 1000000 : 0,
                     3);
    put_entities(t, table);
    json_put_text(t, "state_hash", hash);
    json_put_text(t, "game", table->row->game->name);
    json_put_text(t, "scenario", table->scenario_name);
    json_put_text(t, "phase", table->episode ? table->row->codec->phases[turn.phase] : "idle");
    struct codec_table names = env_codec_table(table, GAME_SPECTATOR);
    json_key(t, "to_act");
    codec_write_seats(t, &names, table->running ? turn.seats : 0);
    json_put_text(t, "clock", env_clock_names[env_clock_of(table)]);
    json_put_text(t, "session_type", env_session_names[table->group->shared]);
    json_put_bool(t, "paused", table->paused);
    json_begin_object_at(t, "ambient");
    json_put_int(t, "hour", table->hour);
    json_put_int(t, "minute", table->minute);
    json_end_object(t);
    if (env_is_known_seed(table, c))
        json_put_int(t, "seed", table->seed);
    if (table->group->shared)
        put_shared(t, table);
    json_end_object(t);
}

// --- actions (G5.6)

static void write_actions(struct text *t, const struct env_table *table)
{
    const struct game *g = table->row->game;
    const struct codec *codec = table->row->codec;
    struct codec_table names = {.seat = table->kit->avatars, .seats = g->max_seats, .viewer = GAME_SPECTATOR};
    struct game_action a = {0};
    json_begin_object(t);
    json_put_uint(t, "n", g->flat_size);
    json_begin_array_at(t, "actions");
    json_write_raw(t, SPAN("{\"index\":0,\"type\":\"wait\"}"));
    for (int i = 1; i < (int)g->flat_size; i++) {
        bool fixed = env_facts_flat_at(table->kit, i, &a);
        json_begin_object(t);
        json_put_int(t, "index", i);
        if (a.kind)
            json_put_text(t, "type", codec_find_kind(codec, a.kind, false)->type);
        if (fixed) {
            json_begin_object_at(t, "params");
            codec_write_params(codec, t, &names, a);
            json_end_object(t);
        } else if (table->kit->buckets) {
            json_put_text(t, "bucket", table->kit->buckets[i]);
        }
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
}

// --- by uri

static bool read_agent(struct env_conn *c, struct span rest, struct text *out)
{
    char id[ENV_ID_ROOM];
    const char *slash = memchr(rest.at, '/', rest.size);
    size_t size = slash ? (size_t)(slash - rest.at) : rest.size;
    if (size >= sizeof id)
        return false;
    memcpy(id, rest.at, size);
    id[size] = 0;
    for (struct env_agent *a = c->group->agents; a; a = a->next) {
        if (strcmp(a->id, id) != 0)
            continue;
        if (!slash) {
            env_write_agent(out, a, c);
            return true;
        }
        if (a->conn != c || !span_is((struct span){slash, rest.size - size}, "/observation"))
            return false;
        env_write_step(out, a, ENV_OBSERVE_ONLY);
        return true;
    }
    return false;
}

static bool read_table(struct env_conn *c, struct span rest, struct text *out)
{
    int number = 0;
    if (!rest.size || rest.size > 3)
        return false;
    for (size_t i = 0; i < rest.size; i++) {
        if (rest.at[i] < '0' || rest.at[i] > '9')
            return false;
        number = 10 * number + (rest.at[i] - '0');
    }
    if (number >= c->group->count)
        return false;
    write_world(out, &c->group->table[number], c);
    return true;
}

static bool begins_with(struct span s, const char *prefix, struct span *rest)
{
    size_t n = strlen(prefix);
    if (s.size < n || memcmp(s.at, prefix, n) != 0)
        return false;
    *rest = (struct span){s.at + n, s.size - n};
    return true;
}

bool env_read(struct env_conn *c, struct span uri, struct text *out, const char **mime)
{
    struct env_table *table = &c->group->table[0];
    struct span rest;
    *mime = "application/json";
    if (span_is(uri, "game://manifest"))
        write_manifest(out, c);
    else if (span_is(uri, "game://actions"))
        write_actions(out, table);
    else if (span_is(uri, "game://rules")) {
        *mime = "text/markdown";
        env_write_guide(out, table->row, &(struct env_guide){0});
    } else if (!env_is_admitted(c)) // everything above says nothing about this table
        return false;
    else if (span_is(uri, "game://agents"))
        write_agents(out, c);
    else if (span_is(uri, "game://world"))
        write_world(out, table, c);
    else if (begins_with(uri, "game://agents/", &rest))
        return read_agent(c, rest, out);
    else if (begins_with(uri, "game://tables/", &rest))
        return read_table(c, rest, out);
    else
        return false;
    return true;
}

// Records of a trajectory as they happen (G19.3, G19.4). Members are always in the same order, because HDF5 returns
// them in it.
#include "env/record.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/hash.h"
#include "env/observe.h"
#include "env/recording.h"
#include "env/replay.h"
#include "env/reveal.h"
#include "env/step_result.h"
#include "env/vision.h"

#include <inttypes.h>
#include <stdio.h>

enum { RECORDED_MOST = 1 << 16 }; // bytes of records that replies may still refer to

static struct text *row_begin(struct env_table *t, enum traj_kind kind)
{
    struct env *env = t->group->env;
    struct text *s = &env->recorded;
    if (s->size > RECORDED_MOST || s->full) {
        s->size = 0;
        s->full = false;
        env->recorded_texts = ++env->texts;
    }
    t->records++;
    text_put_char(s, '\n'); // on a line of its own, so that no comma is inserted
    env->record_at = s->size;
    json_begin_object(s);
    json_put_text(s, "k", traj_kind_names[kind]);
    return s;
}

void env_record_again(struct env_table *t, enum traj_kind kind, struct span json)
{
    struct env *env = t->group->env;
    struct env_record r = {traj_kind_names[kind], t->group->name, t->number, t->episode, json};
    if (env->o.on_record)
        env->o.on_record(env->o.recorder, &r);
    env_recording_add(t, kind, json);
}

static void row_end(struct env_table *t, enum traj_kind kind)
{
    struct env *env = t->group->env;
    json_end_object(&env->recorded);
    work_count(env->o.work, ENV_COST_RECORD);
    if (!env->recorded.full) // more than anybody would keep
        env_record_again(t, kind,
                         (struct span){env->recorded.at + env->record_at, env->recorded.size - env->record_at});
}

static bool is_recorded(const struct env_table *t)
{
    const struct env_options *o = &t->group->env->o;
    return !t->group->shadow && !t->group->arena_seat && (o->on_record || o->record_bytes || o->record);
}

// --- agents: what must be known of one to have it again

static void put_agent(struct text *s, const struct env_agent *a)
{
    const struct env_facts *k = a->table->kit;
    json_put_text(s, "agent_id", a->id);
    json_put_text(s, "agent_type", env_type_names[a->type]);
    json_put_text(s, "scope", env_scope_names[a->scope]);
    json_put_text(s, "avatar_id", a->seat >= 0 ? k->avatars[a->seat] : NULL);
    if (a->team >= 0)
        json_put_int(s, "team", a->team + 1);
    json_put_text(s, "observation_profile", env_profile_names[a->profile]);
    if (a->vector > 1)
        json_put_int(s, "vector", a->vector);
    json_put_text(s, "clock_mode", env_clock_names[a->clock]);
    json_begin_array_at(s, "capabilities");
    for (int i = 0; env_capability_names[i]; i++)
        if (a->capabilities >> i & 1)
            json_write_text(s, env_capability_names[i]);
    json_end_array(s);
    if (a->type == ENV_WORLD)
        json_put_int(s, "continuous", 2);
    if (a->streams)
        env_put_streams(s, a);
}

// `a` may be a virtual agent at a shadow of the table.
static void record_agent(struct env_table *t, const struct env_agent *a, bool comes)
{
    struct text *s = row_begin(t, TRAJ_AGENT);
    json_put_uint(s, "tick", t->tick);
    json_put_text(s, "event", comes ? "registered" : "deregistered");
    json_put_text(s, "status", env_state_names[a->state]);
    put_agent(s, a);
    row_end(t, TRAJ_AGENT);
}

// Nothing is recorded before the first reset, which lists the agents. During a replay the recording has the recorded
// agents; env_record_agents_after_replay lists the actual ones afterwards.
static bool records_agents(const struct env_table *t)
{
    return is_recorded(t) && t->episode && !env_replay_is_at(t);
}

void env_record_agent(struct env_agent *a, bool comes)
{
    if (records_agents(a->table))
        record_agent(a->table, a, comes);
}

static bool is_same(const struct env_agent *a, const struct env_agent *b)
{
    return a && b && a->type == b->type && a->scope == b->scope && a->seat == b->seat && a->team == b->team &&
           a->clock == b->clock && a->capabilities == b->capabilities && a->state == b->state;
}

static struct env_agent *find_at(const struct env_table *t, const char *id)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (strcmp(a->id, id) == 0)
            return a;
    return NULL;
}

void env_record_agents_after_replay(struct env_table *t, const struct env_group *shadow)
{
    const struct env_table *from = &shadow->table[0];
    if (!is_recorded(t))
        return;
    for (const struct env_agent *was = from->agents; was; was = was->next_at_table)
        if (!is_same(was, find_at(t, was->id)))
            record_agent(t, was, false);
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (!is_same(a, find_at(from, a->id)))
            record_agent(t, a, true);
        else
            env_record_streams(a); // the streams are its own, whatever the recorded agent had
}

void env_record_streams(struct env_agent *a)
{
    struct env_table *t = a->table;
    if (!records_agents(t))
        return;
    struct text *s = row_begin(t, TRAJ_AGENT);
    json_put_uint(s, "tick", t->tick);
    json_put_text(s, "event", "streams");
    json_put_text(s, "agent_id", a->id);
    env_put_streams(s, a);
    row_end(t, TRAJ_AGENT);
}

void env_record_agent_reset(struct env_agent *a, const struct env_reset_request *request)
{
    struct env_table *t = a->table;
    env_replay_stop(t);
    if (!is_recorded(t))
        return;
    struct text *s = row_begin(t, TRAJ_AGENT);
    json_put_uint(s, "tick", t->tick);
    json_put_text(s, "event", "reset");
    json_put_text(s, "agent_id", a->id);
    if (request->has_seed)
        json_put_int(s, "seed", request->seed);
    row_end(t, TRAJ_AGENT);
}

// --- resets

static void put_seed(struct text *s, const struct env_table *t)
{
    char seed[32];
    if (!t->has_seed) { // drawn by the server: the key itself
        json_put_hex_bytes(s, "key", t->key, sizeof t->key);
        return;
    }
    json_put_int(s, "seed", t->seed);
    snprintf(seed, sizeof seed, "%" PRId64, t->seed);
    if (t->seed > 9007199254740992 || t->seed < -9007199254740992)
        json_put_text(s, "seed_str", seed);
}

// What the host's options decide, so that a host with other options plays the same.
static void put_house(struct text *s, const struct env_table *t)
{
    json_put_int(s, "seats", t->match.seats);
    json_begin_array_at(s, "bots");
    for (int seat = 0; seat < GAME_MAX_SEATS; seat++) // the state hash covers all of them
        json_write_int(s, t->level[seat]);
    json_end_array(s);
    json_put_text(s, "decisions", t->question.by_number ? "questions" : "steps");
    json_put_int(s, "bot_delay_ms", t->group->bot_delay_ms);
    json_put_int(s, "turn_limit_s", t->group->turn_limit_s);
}

static void put_agents(struct text *s, const struct env_table *t)
{
    json_begin_array_at(s, "agents");
    for (struct env_agent *a = t->agents; a; a = a->next_at_table) {
        json_begin_object(s);
        put_agent(s, a);
        json_end_object(s);
    }
    json_end_array(s);
}

static void put_observations(struct text *s, const struct env_table *t)
{
    json_begin_object_at(s, "observations");
    for (struct env_agent *a = t->agents; a; a = a->next_at_table) {
        json_key(s, a->id);
        env_write_observation(s, a, (enum env_profile)a->profile, a->keys);
    }
    json_end_object(s);
}

// For a shared table: what is needed to verify its hashes, and whether somebody chose its chance.
static void put_shared(struct text *s, const struct env_table *t)
{
    char commitment[ENV_HASH_ROOM];
    if (!t->group->shared)
        return;
    env_commitment(t, commitment);
    json_put_text(s, "seed_commitment", commitment);
    json_put_int(s, "hash_version", t->hash_version);
    env_put_warning(s, t);
}

void env_record_reset(struct env_table *t, const struct env_reset_request *request)
{
    char hash[ENV_HASH_ROOM];
    env_replay_stop_for_reset(t);
    if (!is_recorded(t))
        return;
    struct text *s = row_begin(t, TRAJ_RESET);
    json_put_uint(s, "episode", t->episode);
    put_seed(s, t);
    json_put_hex_bytes(s, "salt", t->salt, sizeof t->salt);
    put_shared(s, t);
    json_put_text(s, "game", t->row->game->name);
    json_put_text(s, "scenario", t->scenario_name);
    json_put_raw(s, "initial_state", request->initial.size ? request->initial : SPAN("{}"));
    json_put_raw(s, "domain_randomization", request->random.size ? request->random : SPAN("{}"));
    put_house(s, t);
    put_agents(s, t);
    env_hash_state(t, hash);
    json_put_text(s, "state_hash", hash);
    put_observations(s, t);
    row_end(t, TRAJ_RESET);
}

// --- steps

static void put_params(struct text *s, const struct env_item *item)
{
    const struct env_command *d = &item->command;
    const struct env_table *t = item->agent->table;
    struct codec_table names = env_codec_table(t, item->agent->seat);
    if (d->row->command != ENV_DO_MOVE) {
        json_write_raw(s, d->params.size ? d->params : SPAN("{}"));
        return;
    }
    json_begin_object(s);
    codec_write_params(t->row->codec, s, &names, d->move);
    json_end_object(s);
}

static int number_of(const struct env_item *item)
{
    const struct env_command *d = &item->command;
    const struct env_agent *a = item->agent;
    return a->type == ENV_ENTITY ? d->index : env_action_find(a->table->kit, (enum env_type)a->type, d->row->name);
}

// As accepted, after mapping indexes. An action that had become illegal is recorded as a wait.
static void put_action(struct text *s, const struct env_item *item)
{
    const struct env_command *d = &item->command;
    json_key(s, "action");
    if (item->dropped || (!d->is_vector && !d->row)) {
        json_write_raw(s, SPAN("{\"type\":\"wait\",\"params\":{},\"index\":0}"));
        return;
    }
    if (d->is_vector) {
        json_begin_array(s);
        traj_write_double(s, d->vector[0]);
        text_put_char(s, ',');
        traj_write_double(s, d->vector[1]);
        json_end_array(s);
        return;
    }
    json_begin_object(s);
    json_put_text(s, "type", d->row->name);
    json_key(s, "params");
    put_params(s, item);
    if (number_of(item) >= 0)
        json_put_int(s, "index", number_of(item));
    json_end_object(s);
}

static void put_entry(struct text *s, struct env_agent *a, const struct env_item *item, bool acted)
{
    json_begin_object(s);
    json_put_text(s, "agent_id", a->id);
    put_action(s, item);
    env_put_outcome(s, a, acted);
    json_end_object(s);
    memset(a->unrecorded, 0, sizeof a->unrecorded);
    a->end_recorded = a->state == ENV_TERMINAL;
}

// An agent that did nothing, but whose episode ended by this, has an entry too, so that no end is missing.
static void put_ended(struct text *s, struct env_table *t)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table) {
        struct env_item nothing = {.agent = a};
        if (a->state == ENV_TERMINAL && !a->end_recorded)
            put_entry(s, a, &nothing, false);
    }
}

void env_record_step(struct env_table *t, struct env_item **items, int count, uint32_t ticks, enum env_sync sync)
{
    env_replay_stop(t);
    if (!is_recorded(t))
        return;
    struct text *s = row_begin(t, TRAJ_STEP);
    json_put_uint(s, "step_id", t->group->step_id);
    json_put_uint(s, "tick", t->tick);
    json_put_uint(s, "ticks", ticks);
    json_put_text(s, "sync_mode", env_sync_names[sync == ENV_LIVE_TICK ? ENV_ASYNC : sync]);
    if (sync == ENV_LIVE_TICK)
        json_put_bool(s, "live", true);
    env_hash_state(t, t->hash);
    json_put_text(s, "state_hash", t->hash);
    json_begin_array_at(s, "entries");
    for (int i = 0; i < count; i++)
        put_entry(s, items[i]->agent, items[i], true);
    put_ended(s, t);
    json_end_array(s);
    row_end(t, TRAJ_STEP);
}

// --- messages

void env_record_message(struct env_agent *from, struct span to, struct span channel, struct span content, uint64_t id)
{
    struct env_table *t = from->table;
    if (!is_recorded(t) || !t->running)
        return;
    struct text *s = row_begin(t, TRAJ_MESSAGE);
    json_put_uint(s, "tick", t->tick);
    json_put_uint(s, "message_id", id);
    json_put_text(s, "from_agent", from->id);
    json_put_raw(s, "to_agent", to.size ? to : SPAN("\"*\""));
    json_put_raw(s, "channel", channel);
    json_put_raw(s, "content", content);
    row_end(t, TRAJ_MESSAGE);
}

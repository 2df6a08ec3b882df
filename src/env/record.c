// Records of a trajectory as they happen (G19.3, G19.4). Members stand in one order: HDF5 gives them back in it.
#include "env/record.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/hash.h"
#include "env/owner.h"
#include "env/replay.h"
#include "env/vision.h"

#include <inttypes.h>
#include <stdio.h>

enum { RECORDED_MOST = 1 << 16 }; // of records that answers may still be taken from

static struct text *begin(struct rl_table *t, enum traj_kind kind)
{
    struct rl *rl = t->group->rl;
    struct text *s = &rl->recorded;
    if (s->size > RECORDED_MOST || s->full) {
        s->size = 0;
        s->full = false;
        rl->recorded_texts = ++rl->texts;
    }
    t->records++;
    text_put_char(s, '\n'); // a line of its own: no comma comes before it
    rl->record_at = s->size;
    json_begin_object(s);
    json_put_text(s, "k", traj_kind_names[kind]);
    return s;
}

void rl_record_again(struct rl_table *t, enum traj_kind kind, struct span json)
{
    struct rl *rl = t->group->rl;
    struct rl_record r = {traj_kind_names[kind], t->group->name, t->number, t->episode, json};
    if (rl->o.on_record)
        rl->o.on_record(rl->o.recorder, &r);
    rl_traj_take(t, kind, json);
}

static void end(struct rl_table *t, enum traj_kind kind)
{
    struct rl *rl = t->group->rl;
    json_end_object(&rl->recorded);
    work_count(rl->o.work, RL_COST_RECORD);
    if (!rl->recorded.full) // more than anybody would keep
        rl_record_again(t, kind, (struct span){rl->recorded.at + rl->record_at, rl->recorded.size - rl->record_at});
}

static bool is_recorded(const struct rl_table *t)
{
    const struct rl_options *o = &t->group->rl->o;
    return !t->group->shadow && !t->group->place && (o->on_record || o->record_bytes || o->record);
}

void rl_put_hex(struct text *s, const char *key, const uint8_t *bytes, size_t size)
{
    json_key(s, key);
    text_put_char(s, '"');
    text_put_hex_bytes(s, bytes, size);
    text_put_char(s, '"');
}

// --- agents: what must be known of one to have it again

static void put_agent(struct text *s, const struct rl_agent *a)
{
    const struct rl_kit *k = a->table->kit;
    json_put_text(s, "agent_id", a->id);
    json_put_text(s, "agent_type", rl_type_names[a->type]);
    json_put_text(s, "scope", rl_scope_names[a->scope]);
    json_put_text(s, "avatar_id", a->seat >= 0 ? k->avatars[a->seat] : NULL);
    if (a->team >= 0)
        json_put_int(s, "team", a->team + 1);
    json_put_text(s, "observation_profile", rl_profile_names[a->profile]);
    json_put_text(s, "clock_mode", rl_clock_names[a->clock]);
    json_key(s, "capabilities");
    json_begin_array(s);
    for (int i = 0; rl_capability_names[i]; i++)
        if (a->capabilities >> i & 1)
            json_write_text(s, rl_capability_names[i]);
    json_end_array(s);
    if (a->type == RL_WORLD)
        json_put_int(s, "continuous", 2);
    if (a->streams)
        rl_put_streams(s, a);
}

// `a` may be a virtual agent, which sits at a shadow of the table.
static void record_agent(struct rl_table *t, const struct rl_agent *a, bool comes)
{
    struct text *s = begin(t, TRAJ_AGENT);
    json_put_uint(s, "tick", t->tick);
    json_put_text(s, "event", comes ? "registered" : "deregistered");
    json_put_text(s, "status", rl_state_names[a->state]);
    put_agent(s, a);
    end(t, TRAJ_AGENT);
}

// Before the first reset nothing is recorded: the reset says who is there. While a playback is at the table, the
// recording has the recorded agents; rl_record_cast says who is there when it has left.
static bool has_cast(const struct rl_table *t)
{
    return is_recorded(t) && t->episode && !rl_play_is_at(t);
}

void rl_record_agent(struct rl_agent *a, bool comes)
{
    if (has_cast(a->table))
        record_agent(a->table, a, comes);
}

static bool is_same(const struct rl_agent *a, const struct rl_agent *b)
{
    return a && b && a->type == b->type && a->scope == b->scope && a->seat == b->seat && a->team == b->team &&
           a->clock == b->clock && a->capabilities == b->capabilities && a->state == b->state;
}

static struct rl_agent *find_at(const struct rl_table *t, const char *id)
{
    for (struct rl_agent *a = t->agents; a; a = a->beside)
        if (strcmp(a->id, id) == 0)
            return a;
    return NULL;
}

void rl_record_cast(struct rl_table *t, const struct rl_group *shadow)
{
    const struct rl_table *from = &shadow->table[0];
    if (!is_recorded(t))
        return;
    for (const struct rl_agent *was = from->agents; was; was = was->beside)
        if (!is_same(was, find_at(t, was->id)))
            record_agent(t, was, false);
    for (struct rl_agent *a = t->agents; a; a = a->beside)
        if (!is_same(a, find_at(from, a->id)))
            record_agent(t, a, true);
        else
            rl_record_streams(a); // the streams are its own, whatever the recorded agent had
}

void rl_record_streams(struct rl_agent *a)
{
    struct rl_table *t = a->table;
    if (!has_cast(t))
        return;
    struct text *s = begin(t, TRAJ_AGENT);
    json_put_uint(s, "tick", t->tick);
    json_put_text(s, "event", "streams");
    json_put_text(s, "agent_id", a->id);
    rl_put_streams(s, a);
    end(t, TRAJ_AGENT);
}

void rl_record_return(struct rl_agent *a, const struct rl_order *o)
{
    struct rl_table *t = a->table;
    rl_play_stop(t);
    if (!is_recorded(t))
        return;
    struct text *s = begin(t, TRAJ_AGENT);
    json_put_uint(s, "tick", t->tick);
    json_put_text(s, "event", "reset");
    json_put_text(s, "agent_id", a->id);
    if (o->has_seed)
        json_put_int(s, "seed", o->seed);
    end(t, TRAJ_AGENT);
}

// --- resets

static void put_seed(struct text *s, const struct rl_table *t)
{
    char seed[32];
    if (!t->has_seed) { // drawn by the server: the key itself
        rl_put_hex(s, "key", t->key, sizeof t->key);
        return;
    }
    json_put_int(s, "seed", t->seed);
    snprintf(seed, sizeof seed, "%" PRId64, t->seed);
    if (t->seed > 9007199254740992 || t->seed < -9007199254740992)
        json_put_text(s, "seed_str", seed);
}

// What the host's options decide: a host with others plays the same.
static void put_house(struct text *s, const struct rl_table *t)
{
    json_put_int(s, "seats", t->match.seats);
    json_key(s, "bots");
    json_begin_array(s);
    for (int seat = 0; seat < GAME_MAX_SEATS; seat++) // the state hash is over all of them
        json_write_int(s, t->level[seat]);
    json_end_array(s);
    json_put_int(s, "bot_delay_ms", t->group->bot_delay_ms);
    json_put_int(s, "turn_limit_s", t->group->turn_limit_s);
}

static void put_agents(struct text *s, const struct rl_table *t)
{
    json_key(s, "agents");
    json_begin_array(s);
    for (struct rl_agent *a = t->agents; a; a = a->beside) {
        json_begin_object(s);
        put_agent(s, a);
        json_end_object(s);
    }
    json_end_array(s);
}

static void put_observations(struct text *s, const struct rl_table *t)
{
    json_key(s, "observations");
    json_begin_object(s);
    for (struct rl_agent *a = t->agents; a; a = a->beside) {
        json_key(s, a->id);
        rl_write_observation(s, a, (enum rl_profile)a->profile, a->keys);
    }
    json_end_object(s);
}

// Of a shared table: what is needed to verify its hashes, and whether somebody chose its chance.
static void put_shared(struct text *s, const struct rl_table *t)
{
    char commitment[RL_HASH_ROOM];
    if (!t->group->shared)
        return;
    rl_commitment(t, commitment);
    json_put_text(s, "seed_commitment", commitment);
    json_put_int(s, "hash_version", t->hash_version);
    rl_put_warning(s, t);
}

void rl_record_reset(struct rl_table *t, const struct rl_order *o)
{
    char hash[RL_HASH_ROOM];
    rl_play_stop(t);
    if (!is_recorded(t))
        return;
    struct text *s = begin(t, TRAJ_RESET);
    json_put_uint(s, "episode", t->episode);
    put_seed(s, t);
    rl_put_hex(s, "salt", t->salt, sizeof t->salt);
    put_shared(s, t);
    json_put_text(s, "game", t->row->game->name);
    json_put_text(s, "scenario", t->scenario_name);
    json_key(s, "initial_state");
    json_write_raw(s, o->initial.size ? o->initial : SPAN("{}"));
    json_key(s, "domain_randomization");
    json_write_raw(s, o->random.size ? o->random : SPAN("{}"));
    put_house(s, t);
    put_agents(s, t);
    rl_hash_state(t, hash);
    json_put_text(s, "state_hash", hash);
    put_observations(s, t);
    end(t, TRAJ_RESET);
}

// --- steps

static void put_params(struct text *s, const struct rl_item *item)
{
    const struct rl_deed *d = &item->deed;
    const struct rl_table *t = item->agent->table;
    struct codec_table names = rl_codec_table(t, item->agent->seat);
    if (d->row->deed != RL_DO_MOVE) {
        json_write_raw(s, d->params.size ? d->params : SPAN("{}"));
        return;
    }
    json_begin_object(s);
    codec_write_params(t->row->codec, s, &names, d->move);
    json_end_object(s);
}

static int number_of(const struct rl_item *item)
{
    const struct rl_deed *d = &item->deed;
    const struct rl_agent *a = item->agent;
    return a->type == RL_ENTITY ? d->index : rl_action_find(a->table->kit, (enum rl_type)a->type, d->row->name);
}

// As accepted, after index mapping. What had become illegal when its time came was a wait.
static void put_action(struct text *s, const struct rl_item *item)
{
    const struct rl_deed *d = &item->deed;
    json_key(s, "action");
    if (d->is_vector) {
        json_begin_array(s);
        traj_write_double(s, d->vector[0]);
        text_put_char(s, ',');
        traj_write_double(s, d->vector[1]);
        json_end_array(s);
        return;
    }
    if (!d->row || item->dropped) {
        json_write_raw(s, SPAN("{\"type\":\"wait\",\"params\":{},\"index\":0}"));
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

static void put_entry(struct text *s, struct rl_agent *a, const struct rl_item *item, bool acted)
{
    json_begin_object(s);
    json_put_text(s, "agent_id", a->id);
    put_action(s, item);
    rl_put_outcome(s, a, acted);
    json_end_object(s);
    memset(a->unkept, 0, sizeof a->unkept);
    a->kept_end = a->state == RL_TERMINAL;
}

// Whoever did nothing and whose episode ended by this has an entry too, so that no end is missing.
static void put_ended(struct text *s, struct rl_table *t)
{
    for (struct rl_agent *a = t->agents; a; a = a->beside) {
        struct rl_item nothing = {.agent = a};
        if (a->state == RL_TERMINAL && !a->kept_end)
            put_entry(s, a, &nothing, false);
    }
}

void rl_record_step(struct rl_table *t, struct rl_item **items, int count, uint32_t ticks, enum rl_sync sync)
{
    rl_play_stop(t);
    if (!is_recorded(t))
        return;
    struct text *s = begin(t, TRAJ_STEP);
    json_put_uint(s, "step_id", t->group->step_id);
    json_put_uint(s, "tick", t->tick);
    json_put_uint(s, "ticks", ticks);
    json_put_text(s, "sync_mode", rl_sync_names[sync == RL_LIVE_TICK ? RL_ASYNC : sync]);
    if (sync == RL_LIVE_TICK)
        json_put_bool(s, "live", true);
    rl_hash_state(t, t->hash);
    json_put_text(s, "state_hash", t->hash);
    json_key(s, "entries");
    json_begin_array(s);
    for (int i = 0; i < count; i++)
        put_entry(s, items[i]->agent, items[i], true);
    put_ended(s, t);
    json_end_array(s);
    end(t, TRAJ_STEP);
}

// --- messages

void rl_record_message(struct rl_agent *from, struct span to, struct span channel, struct span content, uint64_t id)
{
    struct rl_table *t = from->table;
    if (!is_recorded(t) || !t->running)
        return;
    struct text *s = begin(t, TRAJ_MESSAGE);
    json_put_uint(s, "tick", t->tick);
    json_put_uint(s, "message_id", id);
    json_put_text(s, "from_agent", from->id);
    json_key(s, "to_agent");
    json_write_raw(s, to.size ? to : SPAN("\"*\""));
    json_key(s, "channel");
    json_write_raw(s, channel);
    json_key(s, "content");
    json_write_raw(s, content);
    end(t, TRAJ_MESSAGE);
}

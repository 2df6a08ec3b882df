// Records of a trajectory as they happen (G19.3, G19.4). Who keeps them is the host's affair.
#include "front/mcp/rl_inside.h"

#include <inttypes.h>
#include <stdio.h>

static struct text *begin(struct rl_table *t)
{
    struct text *s = &t->group->rl->recorded;
    s->size = 0;
    s->full = false;
    json_begin_object(s);
    return s;
}

static void end(struct rl_table *t, const char *kind)
{
    struct rl *rl = t->group->rl;
    json_end_object(&rl->recorded);
    struct rl_record r = {kind, t->group->name, t->number, t->episode, text_span(&rl->recorded)};
    rl->o.on_record(rl->o.recorder, &r);
}

static bool is_recorded(const struct rl_table *t)
{
    return t->group->rl->o.on_record != NULL;
}

void rl_record_reset(struct rl_table *t, const struct rl_order *o)
{
    struct rl_hashes h;
    char seed[32];
    if (!is_recorded(t))
        return;
    struct text *s = begin(t);
    json_put_uint(s, "episode", t->episode);
    if (t->has_seed) {
        json_put_int(s, "seed", t->seed);
        snprintf(seed, sizeof seed, "%" PRId64, t->seed);
        if (t->seed > 9007199254740992 || t->seed < -9007199254740992)
            json_put_text(s, "seed_str", seed);
    } else { // drawn by the server: the key itself
        json_key(s, "key");
        text_put_char(s, '"');
        text_put_hex_bytes(s, t->key, sizeof t->key);
        text_put_char(s, '"');
    }
    json_key(s, "salt");
    text_put_char(s, '"');
    text_put_hex_bytes(s, t->salt, sizeof t->salt);
    text_put_char(s, '"');
    json_put_text(s, "game", t->row->game->name);
    json_put_text(s, "scenario", t->scenario_name);
    json_key(s, "initial_state");
    json_write_raw(s, o->initial.size ? o->initial : SPAN("{}"));
    json_key(s, "domain_randomization");
    json_write_raw(s, o->random.size ? o->random : SPAN("{}"));
    rl_hash_table(t, true, &h);
    json_put_text(s, "state_hash", h.all);
    end(t, "reset");
}

// As accepted, after index mapping.
static void put_action(struct text *s, const struct rl_item *item)
{
    const struct rl_deed *d = &item->deed;
    const struct rl_table *t = item->agent->table;
    struct codec_table names = rl_codec_table(t, item->agent->seat);
    json_key(s, "action");
    if (d->is_vector) {
        json_begin_array(s);
        json_write_decimal(s, d->vector[0], 6);
        json_write_decimal(s, d->vector[1], 6);
        json_end_array(s);
        return;
    }
    json_begin_object(s);
    json_put_text(s, "type", d->row && !item->dropped ? d->row->name : "wait");
    json_key(s, "params");
    if (d->row && d->row->deed == RL_DO_MOVE) {
        json_begin_object(s);
        t->row->codec->write_params(s, &names, d->move);
        json_end_object(s);
    } else {
        json_write_raw(s, d->row && d->params.size ? d->params : SPAN("{}"));
    }
    json_end_object(s);
}

void rl_record_step(struct rl_table *t, struct rl_item **items, int count, uint32_t ticks, enum rl_sync sync)
{
    struct rl_hashes h;
    if (!is_recorded(t))
        return;
    struct text *s = begin(t);
    json_put_uint(s, "step_id", t->group->step_id);
    json_put_uint(s, "tick", t->tick);
    json_put_uint(s, "ticks", ticks);
    json_put_text(s, "sync_mode", rl_sync_names[sync]);
    rl_hash_table(t, true, &h);
    json_put_text(s, "state_hash", h.all);
    json_key(s, "entries");
    json_begin_array(s);
    for (int i = 0; i < count; i++) {
        json_begin_object(s);
        json_put_text(s, "agent_id", items[i]->agent->id);
        put_action(s, items[i]);
        rl_put_outcome(s, items[i]->agent);
        json_end_object(s);
    }
    json_end_array(s);
    end(t, "step");
}

void rl_record_message(struct rl_agent *from, struct span to, struct span channel, struct span content, uint64_t id)
{
    struct rl_table *t = from->table;
    if (!is_recorded(t) || !t->running)
        return;
    struct text *s = begin(t);
    json_put_uint(s, "tick", t->tick);
    json_put_uint(s, "message_id", id);
    json_put_text(s, "from_agent", from->id);
    json_key(s, "to_agent");
    json_write_raw(s, to.size ? to : SPAN("\"*\""));
    json_key(s, "channel");
    json_write_raw(s, channel);
    json_key(s, "content");
    json_write_raw(s, content);
    end(t, "message");
}

// Registrations and departures; also outside an episode, for the header of a file.
void rl_record_agent(struct rl_agent *a, bool comes)
{
    struct rl_table *t = a->table;
    if (!is_recorded(t))
        return;
    struct text *s = begin(t);
    json_put_uint(s, "tick", t->tick);
    json_put_text(s, "event", comes ? "registered" : "deregistered");
    json_put_text(s, "agent_id", a->id);
    json_put_text(s, "agent_type", rl_type_names[a->type]);
    json_put_text(s, "scope", rl_scope_names[a->scope]);
    json_put_text(s, "avatar_id", a->seat >= 0 ? t->kit->avatars[a->seat] : NULL);
    json_put_text(s, "observation_profile", rl_profile_names[a->profile]);
    json_put_text(s, "clock_mode", rl_clock_names[a->clock]);
    end(t, "agent");
}

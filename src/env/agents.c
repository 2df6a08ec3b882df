// Agents: registering and leaving, and the replies to that (G10).
#include "env/advance.h"
#include "env/arena_seat.h"
#include "env/broadcast.h"
#include "env/live_clock.h"
#include "env/observe.h"
#include "env/pending.h"
#include "env/player.h"
#include "env/record.h"
#include "env/registration.h"
#include "env/schema.h"
#include "env/step.h"
#include "env/step_result.h"
#include "env/tools.h"
#include "env/vision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int env_seats_of(const struct env_table *t)
{
    union game_rules rules;
    if (t->episode)
        return t->match.seats;
    t->row->game->defaults(&rules);
    int seats = t->row->game->scenario(&rules, t->scenario);
    return t->group->env->o.seats ? t->group->env->o.seats : seats;
}

// --- the answer

// G22.9
static void write_position(struct text *t, const struct env_table *table, int seat, const void *view)
{
    json_begin_array(t);
    if (table->row->game->tick_ms) {
        struct codec_table all = env_codec_table(table, seat);
        struct env *env = table->group->env;
        struct span active, x = SPAN("0"), y = SPAN("0");
        if (view) {
            env->view.size = 0;
            json_begin_object(&env->view);
            table->row->codec->write_view(&env->view, &all, view);
            json_end_object(&env->view);
            if (json_find_member(text_span(&env->view), "active", &active) && env_json_is(active, JSON_OBJECT)) {
                json_find_member(active, "x", &x);
                json_find_member(active, "y", &y);
            }
        }
        json_write_raw(t, x);
        json_write_raw(t, y);
    } else {
        double angle = 2 * M_PI * seat / env_seats_of(table);
        json_write_decimal(t, cos(angle), 3);
        json_write_decimal(t, sin(angle), 3);
    }
    json_write_int(t, 0);
    json_end_array(t);
}

void env_write_location(struct text *t, const struct env_table *table, int seat)
{
    union game_view view;
    bool seated = table->episode && seat < table->match.seats;
    if (seated)
        table->row->game->view(&table->match.state, GAME_SPECTATOR, &view);
    write_position(t, table, seat, seated ? &view : NULL);
}

static const char *avatar_of(const struct env_agent *a)
{
    if (a->seat < 0)
        return a->scope == ENV_EMBODIED ? "queued" : NULL;
    return a->table->kit->avatars[a->seat];
}

static void write_avatar(struct text *t, const struct env_table *table, int seat)
{
    union game_view view;
    bool seated = table->episode && seat < table->match.seats;
    double most = 1, health = 1;
    if (seated) {
        table->row->game->view(&table->match.state, GAME_SPECTATOR, &view);
        health = env_facts_health(table->kit, &view, seat, &most);
    }
    json_begin_object(t);
    json_put_text(t, "id", table->kit->avatars[seat]);
    json_key(t, "position");
    write_position(t, table, seat, seated ? &view : NULL);
    json_put_decimal(t, "health", health, 3);
    json_put_decimal(t, "max_health", most, 3);
    json_end_object(t);
}

void env_write_spaces(struct text *t, const struct env_agent *a)
{
    if (a->scope == ENV_EMBODIED) {
        json_key(t, "avatar");
        if (a->seat >= 0)
            write_avatar(t, a->table, a->seat);
        else
            json_write_raw(t, SPAN("{\"id\":\"queued\",\"position\":[0,0,0],\"health\":1,\"max_health\":1}")); // G1.9
    } else {
        json_begin_array_at(t, "capabilities");
        for (int i = 0; env_capability_names[i]; i++)
            if (a->capabilities >> i & 1)
                json_write_text(t, env_capability_names[i]);
        json_end_array(t);
    }
    json_key(t, "observation_space");
    env_write_space(t, a);
    json_key(t, "action_space");
    env_write_action_space(t, a->table->kit, a->table->row->game, (enum env_type)a->type);
}

void env_put_guide(struct text *t, const struct env_agent *a)
{
    struct env *env = a->table->group->env;
    env->scratch.size = 0;
    env_write_guide(&env->scratch, a->table->row,
                    &(struct env_guide){.agent_id = a->id,
                                        .scenario = a->table->scenario_name,
                                        .seat = a->seat >= 0 ? a->table->kit->avatars[a->seat] : NULL,
                                        .arena = a->table->group->arena_seat ? env->o.arena : NULL});
    json_put_string(t, "guide", text_span(&env->scratch));
}

static bool reply_registered(struct env *env, const struct env_agent *a, bool guide, struct env_result *r)
{
    struct text *t = &env->out;
    json_begin_object(t);
    json_put_text(t, "agent_id", a->id);
    json_put_bool(t, "registered", true);
    json_put_text(t, "scope", env_scope_names[a->scope]);
    env_write_spaces(t, a);
    json_put_text(t, "status", env_state_names[a->state]);
    json_put_text(t, "clock", env_clock_names[env_clock_of(a->table)]);
    json_put_text(t, "observation_profile", env_profile_names[a->profile]);
    env_put_owner(t, a->conn);
    if (guide)
        env_put_guide(t, a);
    json_end_object(t);
    return env_answer(env, r);
}

void env_put_time(struct text *t, const char *key, const struct env *env, int64_t us)
{
    char text[24];
    time_t seconds = (time_t)((us + env->o.epoch_us) / 1000000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_put_text(t, key, text);
}

void env_write_agent(struct text *t, const struct env_agent *a, const struct env_conn *reader)
{
    json_begin_object(t);
    json_put_text(t, "agent_id", a->id);
    json_put_text(t, "agent_type", env_type_names[a->type]);
    json_put_text(t, "status", env_state_names[a->state]);
    env_put_time(t, "registered_at", a->table->group->env, a->registered_us);
    json_put_uint(t, "last_step", a->last_step);
    env_put_reward(t, "total_reward", a->total_reward);
    json_put_text(t, "scope", env_scope_names[a->scope]);
    json_put_text(t, "avatar_id", avatar_of(a));
    json_put_text(t, "clock_mode", env_clock_names[a->clock]);
    json_put_bool(t, "mine", a->conn == reader);
    if (a->table->group->count > 1)
        json_put_int(t, "table", a->table->number);
    json_end_object(t);
}

// --- the tools

static int agents_at(const struct env_table *t)
{
    int n = 0;
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        n++;
    return n;
}

void env_agent_enter(struct env_agent *a)
{
    struct env_agent **at = &a->table->group->agents, **in_table = &a->table->agents;
    a->id_size = (uint8_t)strlen(a->id);
    snprintf(a->uri, sizeof a->uri, "game://agents/%s/observation", a->id);
    while (*at)
        at = &(*at)->next;
    while (*in_table)
        in_table = &(*in_table)->next_at_table;
    *at = *in_table = a;
    a->table->group->agent_count++;
    a->table->group->used = true;
}

void env_agent_leave(struct env_agent *a)
{
    struct env_agent **at = &a->table->group->agents, **in_table = &a->table->agents;
    while (*at != a)
        at = &(*at)->next;
    while (*in_table != a)
        in_table = &(*in_table)->next_at_table;
    *at = a->next;
    *in_table = a->next_at_table;
    a->table->group->agent_count--;
}

static struct env_agent *agent_create(struct env_conn *c, const struct env_registration *reg)
{
    struct env_agent *a = calloc(1, sizeof *a);
    if (!a)
        abort();
    *a = (struct env_agent){.conn = c,
                            .table = reg->table,
                            .type = (uint8_t)reg->type,
                            .scope = (uint8_t)reg->scope,
                            .clock = (uint8_t)reg->clock,
                            .profile = (uint8_t)reg->profile,
                            .legal = (uint8_t)reg->legal,
                            .vector = (uint8_t)reg->vector,
                            .capabilities = reg->capabilities,
                            .wants_hash = reg->hash,
                            .seat = reg->seat,
                            .team = reg->team,
                            .keys = reg->keys,
                            .masked = reg->masked,
                            .registered_us = c->env->now_us,
                            .since = reg->table->recording ? traj_recording_end(reg->table->recording) : 0,
                            .news.text.grow = env_text_grow};
    memcpy(a->id, reg->id, sizeof a->id);
    memcpy(a->weight, reg->weight, sizeof a->weight);
    env_agent_enter(a);
    c->agent_count++;
    return a;
}

static void notify_connected(const struct env_agent *a)
{
    struct text *t = &a->table->group->env->scratch;
    t->size = 0;
    json_begin_object(t);
    json_put_text(t, "agent_id", a->id);
    json_put_text(t, "agent_type", env_type_names[a->type]);
    json_put_text(t, "scope", env_scope_names[a->scope]);
    if (a->seat >= 0)
        json_put_text(t, "avatar_id", a->table->kit->avatars[a->seat]);
    json_end_object(t);
    env_broadcast(a->table, "agent_connected", 1 << ENV_MASTER, text_span(t));
    env_notify_changed(a->table, "game://agents");
}

// A client that takes a seat in a shared session loses the view of hidden cards (G11.7).
static void revoke_debug(struct env_conn *c)
{
    for (struct env_agent *a = c->group->agents; c->group->shared && a; a = a->next)
        if (a->conn == c)
            a->capabilities &= (uint8_t)~ENV_DEBUG;
}

static bool is_seat_in_play(const struct env_agent *a)
{
    union game_view view;
    const struct env_table *t = a->table;
    if (a->type != ENV_ENTITY && a->type != ENV_COLONY)
        return true;
    int seat = a->type == ENV_COLONY ? a->team : a->seat;
    if (seat >= t->match.seats)
        return false;
    t->row->game->view(&t->match.state, GAME_SPECTATOR, &view);
    return env_facts_in_play(t->kit, &view, seat);
}

static bool register_agent(struct env_conn *c, const struct env_arguments *arguments, struct env_result *r)
{
    struct env_registration reg = {.seat = -1, .team = -1};
    struct span id, config = SPAN("{}");
    if (!env_registration_read(c, arguments, &reg, r))
        return false;
    env_argument(arguments, "config", &config);
    env_argument(arguments, "agent_id", &id);
    struct env_agent *a = env_find_agent(c->group, env_json_string(id));
    if (a) { // G10.4
        if (a->conn == c && a->type == reg.type && a->scope == reg.scope) {
            env_access_apply(c, &reg.access);
            return reply_registered(c->env, a, reg.guide, r);
        }
        *r = env_bad(c->env, "/agent_id", "an id that is not in use", "in_use");
        return false;
    }
    if (!reg.queued && !env_registration_seat(c, config, &reg, r))
        return false;
    int most = c->env->o.max_agents;
    if (agents_at(reg.table) >= most || c->agent_count >= most * c->group->count) {
        *r = env_refuse(c->env, -32004, "ResourceExhausted",
                        "There is no room for another agent; deregister one first.");
        env_refusal_int(c->env, r, "limit", most);
        return false;
    }
    if (reg.queued && !env_arena_join(c, config, r))
        return false;
    env_access_apply(c, &reg.access);
    a = agent_create(c, &reg);
    a->table->had_debug |= a->capabilities & ENV_DEBUG;
    if (reg.queued)
        env_arena_set_agent(a);
    if (a->seat >= 0 || a->team >= 0)
        revoke_debug(c);
    if (a->table->running && env_clock_of(a->table) == ENV_LIVE && is_seat_in_play(a))
        env_activate(a);
    env_record_agent(a, true);
    env_live_clock_update(a->table, c->env->now_us);
    c->env->out.size = 0;
    reply_registered(c->env, a, reg.guide, r);
    notify_connected(a);
    if (a->type == ENV_ENTITY && a->state == ENV_ACTIVE)
        env_broadcast_seat(a->table, a->seat, NULL);
    return true;
}

bool env_register(struct env_conn *c, struct env_pending *call, const struct env_arguments *arguments,
                  struct env_result *r)
{
    struct env_group *before = c->group;
    (void)call;
    before->refs++; // kept in case the call is refused after it has moved the connection
    if (!register_agent(c, arguments, r))
        env_move_back(c, before);
    if (c->group->arena_seat && c->group != before) {
        before->refs++;
        c->home = before;
    } else if (c->group != before) {
        env_access_leave(before, c);
    }
    env_group_leave(before, c->env->now_us);
    return true;
}

static void write_leaving(struct text *s, const struct env_agent *a, const char *reason)
{
    s->size = 0;
    s->full = false;
    json_begin_object(s);
    json_put_text(s, "agent_id", a->id);
    json_put_text(s, "reason", reason);
    json_end_object(s);
}

void env_announce_end(struct env *env)
{
    env_finish_jobs(env);
    for (struct env_group *g = env->groups; g; g = g->next)
        for (struct env_agent *a = g->agents; a; a = a->next) {
            write_leaving(&env->scratch, a, "normal");
            env_broadcast(a->table, "agent_disconnected", 1 << ENV_MASTER, text_span(&env->scratch));
        }
    env->ending = true;
}

void env_unregister(struct env_agent *a, const char *reason)
{
    struct env_table *t = a->table;
    struct env_group *g = t->group;
    struct text *s = &g->env->scratch;
    int left = a->type == ENV_ENTITY && a->state == ENV_ACTIVE ? a->seat : -1; // a house bot takes over (G10.9)
    env_pending_drop(g, a, NULL);
    if (g->arena_seat)
        env_arena_leave(g);
    env_record_agent(a, false);
    env_vision_release(a);
    env_agent_leave(a);
    a->conn->agent_count--;
    write_leaving(s, a, reason);
    free(a->news.text.at);
    env_player_release(a);
    free(a);
    if (g->env->ending)
        return;
    env_broadcast(t, "agent_disconnected", 1 << ENV_MASTER, text_span(s));
    if (left >= 0)
        env_broadcast_seat(t, left, NULL);
    env_notify_changed(t, "game://agents");
    env_live_clock_update(t, g->env->now_us);
}

// From the arena back to its own table.
static void return_from_arena(struct env_conn *c)
{
    struct env_group *g = c->group;
    if (!c->home)
        return;
    c->group = c->home;
    c->home = NULL;
    env_group_leave(g, c->env->now_us);
}

bool env_deregister(struct env_conn *c, struct env_pending *call, const struct env_arguments *arguments,
                    struct env_result *r)
{
    (void)call;
    struct env_agent *a = env_agent_argument(c, arguments, r);
    if (!a)
        return true;
    struct env_group *g = c->group;
    char name[ENV_ID_ROOM];
    memcpy(name, a->id, sizeof name);
    env_unregister(a, "normal");
    env_try_advance(g); // others may have waited for it
    return_from_arena(c);
    struct text *t = &c->env->out;
    t->size = 0;
    json_begin_object(t);
    json_put_text(t, "agent_id", name);
    json_put_bool(t, "deregistered", true);
    json_end_object(t);
    return env_answer(c->env, r);
}

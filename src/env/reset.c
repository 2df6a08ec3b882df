// reset: a new episode for all, or one agent returned to its start (G14).
#include "env/reset.h"
#include "env/access.h"
#include "env/advance.h"
#include "env/arguments.h"
#include "env/broadcast.h"
#include "env/host.h"
#include "env/live_clock.h"
#include "env/record.h"
#include "env/reveal.h"
#include "env/schema.h"
#include "env/step_result.h"
#include "env/tools.h"

#include <stdlib.h>

// G14.2: in a shared session not everybody may end the others' episode.
bool env_may_reset(struct env_conn *c, const struct env_table *t, struct env_result *r)
{
    if (t->group->arena_seat) { // G1.9
        *r = env_refuse(c->env, -32001, "InvalidAction",
                        "A match of the arena is not reset; deregister and register to play another.");
        env_refusal_put(c->env, r, "reason", "capability");
        return false;
    }
    for (struct env_agent *a = t->group->agents; a; a = a->next)
        if (a->table == t && a->conn != c && a->state == ENV_ACTIVE && !env_has(c, ENV_ADMIN)) {
            *r = env_refuse(c->env, -32001, "InvalidAction",
                            "Agents of other connections are playing; only an agent with admin may reset this table.");
            env_refusal_put(c->env, r, "reason", "capability");
            return false;
        }
    return true;
}

// G22.3: no agents of others if the game changes.
static bool may_switch(struct env_conn *c, const struct env_new_episode *p, struct env_result *r)
{
    for (struct env_agent *a = c->group->agents; a && p->row != p->table->row; a = a->next)
        if (a->conn != c) {
            *r = env_bad(c->env, "/config/scenario", "a scenario of the game that others play here", "others");
            return false;
        }
    return true;
}

static struct env_reset_request read_request(const struct env *env, const struct env_arguments *arguments)
{
    struct env_reset_request request = {0};
    struct span value, config = SPAN("{}");
    env_argument(arguments, "config", &config);
    if (!env->o.strict)
        env_argument(arguments, "scenario", &request.scenario);
    json_find_member(config, "scenario", &request.scenario);
    json_find_member(config, "initial_state", &request.initial);
    json_find_member(config, "domain_randomization", &request.random);
    request.has_seed = env_argument(arguments, "seed", &value);
    if (request.has_seed)
        request.seed = env_json_int(value);
    return request;
}

// --- the answer

static int own_agents(const struct env_conn *c, const struct env_table *only)
{
    int n = 0;
    for (struct env_agent *a = c->group->agents; a; a = a->next)
        n += a->conn == c && (!only || a->table == only);
    return n;
}

static struct env_agent *first_agent(const struct env_conn *c)
{
    for (struct env_agent *a = c->group->agents; a; a = a->next)
        if (a->conn == c)
            return a;
    return NULL;
}

static void put_observations(struct env_conn *c, const struct env_table *only, const struct env_agent *main,
                             struct span answers)
{
    struct text *t = &c->env->out;
    json_begin_object_at(t, "observations");
    for (struct env_agent *a = c->group->agents; a; a = a->next) {
        if (a->conn != c || (only && a->table != only))
            continue;
        json_key(t, a->id);
        if (a == main)
            json_write_raw(t, answers);
        else
            env_write_step(t, a, ENV_OBSERVE_RESET);
    }
    json_end_object(t);
}

static void put_spaces(struct env_conn *c)
{
    struct text *t = &c->env->out;
    json_begin_object_at(t, "spaces");
    for (struct env_agent *a = c->group->agents; a; a = a->next)
        if (a->conn == c) {
            json_begin_object_at(t, a->id);
            env_write_spaces(t, a);
            json_end_object(t);
        }
    json_end_object(t);
}

static void put_episode(struct env_conn *c, const struct env_table *table)
{
    struct text *t = &c->env->out;
    char commitment[ENV_HASH_ROOM];
    json_put_uint(t, "episode", table->episode);
    json_put_text(t, "scenario", table->scenario_name);
    json_put_raw(t, "domain_randomization", table->drawn ? span_of(table->drawn) : SPAN("{}"));
    if (env_is_known_seed(table, c))
        json_put_int(t, "seed", table->seed);
    if (table->group->shared) {
        env_commitment(table, commitment);
        json_put_text(t, "seed_commitment", commitment);
        if (!table->seeded) // otherwise the step has reported it
            json_put_bool(t, "seeded", false);
        env_put_previous(t, table);
    }
}

static bool reply_reset(struct env_conn *c, struct env_agent *main, const struct env_table *only, bool switched,
                        struct env_result *r)
{
    struct env *env = c->env;
    struct text *t = &env->out;
    t->size = 0;
    if (main)
        env_write_step(t, main, ENV_OBSERVE_RESET);
    else
        env_write_spectator(t, (struct env_table *)&c->group->table[0]);
    env->hashed.size = 0;
    text_put(&env->hashed, text_span(t));
    t->size--; // the closing brace
    if (own_agents(c, only) > 1)
        put_observations(c, only, main, text_span(&env->hashed));
    put_episode(c, main ? main->table : &c->group->table[0]);
    if (switched)
        put_spaces(c);
    if (switched && main && !main->player)
        env_put_guide(t, main); // that of the registration was for another game
    json_end_object(t);
    return env_answer(env, r);
}

// --- one agent (G14.5)

static bool is_out(const struct env_agent *a)
{
    union game_view view;
    const struct env_table *t = a->table;
    if (!t->running)
        return true;
    if (a->type != ENV_ENTITY)
        return false;
    t->row->game->view(&t->match.state, GAME_SPECTATOR, &view);
    return !env_facts_in_play(t->kit, &view, a->seat);
}

// A game that can start again by itself does so inside the episode, which continues.
static bool restart_board(struct env_agent *a, const struct env_reset_request *request)
{
    struct env_table *t = a->table;
    struct json_string restart = {.raw = SPAN("restart")};
    const struct codec_action *row = codec_find_type(t->row->codec, restart);
    if (!row || row->master || a->type != ENV_ENTITY || !t->episode || t->tick >= t->max_ticks)
        return false;
    struct game_action again = {
        .kind = row->kind, .arg = {request->has_seed}, .amount = (int32_t)(uint32_t)request->seed};
    uint32_t number = t->row->game->turn(&t->match.state).number;
    if (match_answer(&t->match, a->seat, number, again, &t->happened) != OK)
        return false;
    t->seeded |= request->has_seed || !t->running; // its key is known when it is over
    t->running = true;
    t->killed = 0;
    for (struct env_agent *b = t->group->agents; b; b = b->next)
        if (b->table == t && b->state == ENV_TERMINAL)
            env_activate(b);
    env_process_events(t);
    return true;
}

bool env_restart_agent(struct env_agent *a, const struct env_reset_request *request)
{
    if (!restart_board(a, request) && is_out(a))
        return false;
    memset(a->earned, 0, sizeof a->earned);
    memset(a->unrecorded, 0, sizeof a->unrecorded);
    a->notice.due = false;
    env_news_clear(&a->news);
    env_activate(a);
    env_record_agent_reset(a, request);
    return true;
}

static bool reset_agent(struct env_conn *c, struct env_agent *a, const struct env_reset_request *request,
                        struct env_result *r)
{
    struct env_table *t = a->table;
    if (a->pending) {
        *r = env_bad(c->env, "/agent_id", "an agent whose last step has been answered", "in_flight");
        return true;
    }
    if (request->has_seed && !env_is_owner(c)) {
        env_refuse_not_owner(c->env, "choose a seed; reset without one", r);
        return true;
    }
    if (!env_restart_agent(a, request)) {
        *r = env_refuse(c->env, -32002, t->episode ? "EpisodeTerminated" : "NotActive",
                        "There is nothing this agent could go back to; reset the table.");
        env_refusal_put(c->env, r, "agent_id", a->id);
        env_refusal_put(c->env, r, "state", env_state_names[a->state]);
        return true;
    }
    if (a->type == ENV_ENTITY)
        env_broadcast_seat(t, a->seat, NULL);
    return reply_reset(c, a, t, false, r);
}

// --- all

static bool reset_tables(struct env_conn *c, struct env_agent *main, bool all, struct env_reset_request *request,
                         struct env_result *r)
{
    struct env_group *g = c->group;
    struct env_new_episode *fresh = calloc(1, sizeof *fresh); // released even if it was never made
    bool switched = false, good = fresh != NULL;
    int64_t seed = request->seed;
    // Two passes over the tables: first checks that all can, then does it.
    for (int pass = 0; pass < 2 && good; pass++)
        for (int i = 0; i < g->count && good; i++) {
            struct env_table *t = &g->table[i];
            if (!all && main->table != t)
                continue;
            request->seed = (int64_t)((uint64_t)seed + (all ? (uint64_t)i : 0));
            good = env_may_reset(c, t, r) && env_new_episode_prepare(fresh, t, request, r) &&
                   env_may_choose_deal(c, fresh, request, r) && may_switch(c, fresh, r);
            if (good && pass) {
                switched |= fresh->row != t->row;
                env_new_episode_begin(fresh, request, c);
            }
            env_new_episode_release(fresh);
        }
    free(fresh);
    if (!good)
        return true;
    reply_reset(c, main, all ? NULL : main->table, switched, r);
    for (int i = 0; i < g->count; i++)
        env_live_clock_update(&g->table[i], c->env->now_us);
    return true;
}

bool env_reset(struct env_conn *c, struct env_pending *call, const struct env_arguments *arguments,
               struct env_result *r)
{
    struct env_reset_request request = read_request(c->env, arguments);
    struct env_agent *a = NULL;
    struct span value;
    (void)call;
    if (env_argument(arguments, "seed", &value) && !env_json_fits(value)) {
        *r = env_bad(c->env, "/seed", "a signed integer of 64 bits", NULL);
        return true;
    }
    bool one = env_argument(arguments, "scope", &value) && json_string_is(env_json_string(value), "agent");
    if (env_argument(arguments, "agent_id", &value)) {
        if (!(a = env_own_agent(c, env_json_string(value), r)))
            return true;
    } else if (one) {
        *r = env_bad(c->env, "/agent_id", "the agent to be put back", NULL);
        return true;
    }
    if (one && c->group->arena_seat && !env_may_reset(c, a->table, r))
        return true;
    if (one)
        return reset_agent(c, a, &request, r);
    return reset_tables(c, a ? a : first_agent(c), !a, &request, r);
}

// reset: a new episode for all, or one agent put back (G14).
#include "crypto/crypto.h"
#include "env/advance.h"
#include "env/host.h"
#include "env/live.h"
#include "env/observe.h"
#include "env/owner.h"
#include "env/record.h"
#include "env/schema.h"
#include "env/talk.h"
#include "env/tools.h"

#include <stdlib.h>

// G14.2: in a shared session others may not be thrown out of their episode by just anybody.
bool rl_may_reset(struct rl_conn *c, const struct rl_table *t, struct rl_result *r)
{
    if (t->group->place) { // G1.9
        *r = rl_refuse(c->rl, -32001, "InvalidAction",
                       "A match of the arena is not reset; deregister and register to play another.");
        rl_refusal_put(c->rl, r, "reason", "capability");
        return false;
    }
    for (struct rl_agent *a = t->group->agents; a; a = a->next)
        if (a->table == t && a->conn != c && a->state == RL_ACTIVE && !rl_has(c, RL_ADMIN)) {
            *r = rl_refuse(c->rl, -32001, "InvalidAction",
                           "Agents of other connections are playing; only an agent with admin may reset this table.");
            rl_refusal_put(c->rl, r, "reason", "capability");
            return false;
        }
    return true;
}

// G22.3: no agents of others when the game changes.
static bool may_switch(struct rl_conn *c, const struct rl_plan *p, struct rl_result *r)
{
    for (struct rl_agent *a = c->group->agents; a && p->row != p->table->row; a = a->next)
        if (a->conn != c) {
            *r = rl_bad(c->rl, "/config/scenario", "a scenario of the game that others play here", "others");
            return false;
        }
    return true;
}

static struct rl_order read_order(const struct rl *rl, struct span arguments)
{
    struct rl_order o = {0};
    struct span value, config = SPAN("{}");
    rl_json_member(arguments, "config", &config);
    if (!rl->o.strict)
        rl_json_member(arguments, "scenario", &o.scenario);
    rl_json_member(config, "scenario", &o.scenario);
    rl_json_member(config, "initial_state", &o.initial);
    rl_json_member(config, "domain_randomization", &o.random);
    o.has_seed = rl_json_member(arguments, "seed", &value);
    if (o.has_seed)
        o.seed = rl_json_int(value);
    return o;
}

// --- the answer

static int own_agents(const struct rl_conn *c, const struct rl_table *only)
{
    int n = 0;
    for (struct rl_agent *a = c->group->agents; a; a = a->next)
        n += a->conn == c && (!only || a->table == only);
    return n;
}

static struct rl_agent *first_agent(const struct rl_conn *c)
{
    for (struct rl_agent *a = c->group->agents; a; a = a->next)
        if (a->conn == c)
            return a;
    return NULL;
}

static void put_observations(struct rl_conn *c, const struct rl_table *only, const struct rl_agent *main,
                             struct span told)
{
    struct text *t = &c->rl->out;
    json_key(t, "observations");
    json_begin_object(t);
    for (struct rl_agent *a = c->group->agents; a; a = a->next) {
        if (a->conn != c || (only && a->table != only))
            continue;
        json_key(t, a->id);
        if (a == main)
            json_write_raw(t, told);
        else
            rl_write_step(t, a, RL_LOOK_RESET);
    }
    json_end_object(t);
}

static void put_spaces(struct rl_conn *c)
{
    struct text *t = &c->rl->out;
    json_key(t, "spaces");
    json_begin_object(t);
    for (struct rl_agent *a = c->group->agents; a; a = a->next)
        if (a->conn == c) {
            json_key(t, a->id);
            json_begin_object(t);
            rl_write_spaces(t, a);
            json_end_object(t);
        }
    json_end_object(t);
}

static void put_episode(struct rl_conn *c, const struct rl_table *table)
{
    struct text *t = &c->rl->out;
    char commitment[RL_HASH_ROOM];
    json_put_uint(t, "episode", table->episode);
    json_put_text(t, "scenario", table->scenario_name);
    json_key(t, "domain_randomization");
    json_write_raw(t, table->drawn ? span_of(table->drawn) : SPAN("{}"));
    if (rl_is_known_seed(table, c))
        json_put_int(t, "seed", table->seed);
    if (table->group->shared) {
        rl_commitment(table, commitment);
        json_put_text(t, "seed_commitment", commitment);
        if (!table->seeded) // otherwise the step has said so
            json_put_bool(t, "seeded", false);
        rl_put_previous(t, table);
    }
}

static bool answer(struct rl_conn *c, struct rl_agent *main, const struct rl_table *only, bool switched,
                   struct rl_result *r)
{
    struct rl *rl = c->rl;
    struct text *t = &rl->out;
    t->size = 0;
    if (main)
        rl_write_step(t, main, RL_LOOK_RESET);
    else
        rl_write_spectator(t, (struct rl_table *)&c->group->table[0]);
    rl->hashed.size = 0;
    text_put(&rl->hashed, text_span(t));
    t->size--; // the closing brace
    if (own_agents(c, only) > 1)
        put_observations(c, only, main, text_span(&rl->hashed));
    put_episode(c, main ? main->table : &c->group->table[0]);
    if (switched)
        put_spaces(c);
    json_end_object(t);
    return rl_answer(rl, r);
}

// --- one agent (G14.5)

static void clear_accounts(struct rl_agent *a)
{
    memset(a->earned, 0, sizeof a->earned);
    memset(a->unkept, 0, sizeof a->unkept);
    a->notice.due = false;
    rl_news_clear(&a->news);
}

static bool is_out(const struct rl_agent *a)
{
    union game_view view;
    const struct rl_table *t = a->table;
    if (!t->running)
        return true;
    if (a->type != RL_ENTITY)
        return false;
    t->row->game->view(&t->match.state, GAME_SPECTATOR, &view);
    return !rl_kit_in_play(t->kit, &view, a->seat);
}

// A game that can begin anew by itself does so inside the episode, which goes on.
static bool restart_board(struct rl_agent *a, const struct rl_order *o)
{
    struct rl_table *t = a->table;
    struct json_string restart = {.raw = SPAN("restart")};
    const struct codec_action *row = codec_find_type(t->row->codec, restart);
    if (!row || row->master || a->type != RL_ENTITY || !t->episode || t->tick >= t->max_ticks)
        return false;
    struct game_action again = {.kind = row->kind, .arg = {o->has_seed}, .amount = (int32_t)(uint32_t)o->seed};
    uint32_t number = t->row->game->turn(&t->match.state).number;
    if (match_answer(&t->match, a->seat, number, again, &t->happened) != OK)
        return false;
    t->seeded |= o->has_seed || !t->running; // its key is known when it is over
    t->running = true;
    t->killed = 0;
    for (struct rl_agent *b = t->group->agents; b; b = b->next)
        if (b->table == t && b->state == RL_TERMINAL)
            rl_activate(b);
    rl_absorb(t);
    return true;
}

bool rl_put_back(struct rl_agent *a, const struct rl_order *o)
{
    if (!restart_board(a, o) && is_out(a))
        return false;
    clear_accounts(a);
    rl_activate(a);
    rl_record_return(a, o);
    return true;
}

static bool reset_agent(struct rl_conn *c, struct rl_agent *a, const struct rl_order *o, struct rl_result *r)
{
    struct rl_table *t = a->table;
    if (a->parked) {
        *r = rl_bad(c->rl, "/agent_id", "an agent whose last step has been answered", "in_flight");
        return true;
    }
    if (o->has_seed && !rl_is_owner(c)) {
        rl_refuse_owner(c->rl, "choose a seed; reset without one", r);
        return true;
    }
    if (!rl_put_back(a, o)) {
        *r = rl_refuse(c->rl, -32002, t->episode ? "EpisodeTerminated" : "NotActive",
                       "There is nothing this agent could go back to; reset the table.");
        rl_refusal_put(c->rl, r, "agent_id", a->id);
        rl_refusal_put(c->rl, r, "state", rl_state_names[a->state]);
        return true;
    }
    if (a->type == RL_ENTITY)
        rl_broadcast_seat(t, a->seat, NULL);
    return answer(c, a, t, false, r);
}

// --- all

static bool reset_tables(struct rl_conn *c, struct rl_agent *main, bool all, struct rl_order *o, struct rl_result *r)
{
    struct rl_group *g = c->group;
    struct rl_plan *plan = calloc(1, sizeof *plan); // released also when it was never made
    bool switched = false, good = plan != NULL;
    int64_t seed = o->seed;
    // Twice over the tables: first whether all can, then all do.
    for (int pass = 0; pass < 2 && good; pass++)
        for (int i = 0; i < g->count && good; i++) {
            struct rl_table *t = &g->table[i];
            if (!all && main->table != t)
                continue;
            o->seed = (int64_t)((uint64_t)seed + (all ? (uint64_t)i : 0));
            good = rl_may_reset(c, t, r) && rl_plan_make(plan, t, o, r) && rl_may_choose(c, plan, o, r) &&
                   may_switch(c, plan, r);
            if (good && pass) {
                switched |= plan->row != t->row;
                rl_plan_begin(plan, o, c);
            }
            rl_plan_release(plan);
        }
    free(plan);
    if (!good)
        return true;
    answer(c, main, all ? NULL : main->table, switched, r);
    for (int i = 0; i < g->count; i++)
        rl_live_poke(&g->table[i], c->rl->now_us);
    return true;
}

bool rl_reset(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r)
{
    struct rl_order o = read_order(c->rl, arguments);
    struct rl_agent *a = NULL;
    struct span value;
    (void)call;
    if (rl_json_member(arguments, "seed", &value) && !rl_json_fits(value)) {
        *r = rl_bad(c->rl, "/seed", "a signed integer of 64 bits", NULL);
        return true;
    }
    bool one = rl_json_member(arguments, "scope", &value) && json_string_is(rl_json_string(value), "agent");
    if (rl_json_member(arguments, "agent_id", &value)) {
        if (!(a = rl_own_agent(c, rl_json_string(value), r)))
            return true;
    } else if (one) {
        *r = rl_bad(c->rl, "/agent_id", "the agent to be put back", NULL);
        return true;
    }
    if (one && c->group->place && !rl_may_reset(c, a->table, r))
        return true;
    if (one)
        return reset_agent(c, a, &o, r);
    return reset_tables(c, a ? a : first_agent(c), !a, &o, r);
}

// Step objects: the answer to a step, a reset or an observation (G13.2).
#include "env/step_result.h"
#include "env/actions.h"
#include "env/advance.h"
#include "env/arguments.h"
#include "env/hash.h"
#include "env/host.h"
#include "env/observe.h"
#include "env/player.h"
#include "env/reveal.h"
#include "env/schema.h"
#include "env/tools.h"
#include "env/vision.h"

static bool is_rewarded(const struct env_agent *a)
{
    return a->type == ENV_ENTITY || a->type == ENV_COLONY;
}

// Nine decimal places, unless that is too coarse or too long: the agent chooses its weights.
void env_put_reward(struct text *t, const char *key, double value)
{
    double size = value < 0 ? -value : value;
    if (size == 0 || (size >= 1e-4 && size < 1e6)) {
        json_put_decimal(t, key, value, 9);
        return;
    }
    json_key(t, key);
    traj_write_double(t, value);
}

static double put_rewards(struct text *t, const struct env_agent *a, const double *earned)
{
    const char *const *names = a->table->row->game->rewarded;
    double sum = 0;
    for (int i = 0; names[i] && is_rewarded(a); i++)
        sum += a->weight[i] * earned[i];
    env_put_reward(t, "reward", sum);
    json_begin_object_at(t, "reward_components");
    for (int i = 0; names[i] && is_rewarded(a); i++)
        env_put_reward(t, names[i], a->weight[i] != 0 ? earned[i] : 0);
    json_end_object(t);
    return sum;
}

static void put_events(struct text *t, struct env_agent *a, bool consume)
{
    struct env_events *n = &a->news;
    json_begin_array_at(t, "events");
    if (consume) {
        uint32_t over = n->count > ENV_NEWS - (n->dropped > 0) ? n->count - (ENV_NEWS - 1) : 0;
        if (over || n->dropped) {
            json_begin_object(t);
            json_put_text(t, "type", "events_dropped");
            json_put_uint(t, "tick", a->table->tick);
            json_put_int(t, "severity", 2);
            json_begin_object_at(t, "details");
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
        env_news_clear(n);
    }
    json_end_array(t);
}

static void put_end(struct text *t, bool ended, bool truncated, int ending)
{
    json_put_bool(t, "done", ended && !truncated);
    json_put_bool(t, "truncated", ended && truncated);
    if (ended)
        json_put_text(t, "termination_reason", env_ending_names[ending]);
}

// The recording has the same observation, written just before.
static bool is_observation_recorded(const struct env_agent *a)
{
    const struct env_table *t = a->table;
    return a->recorded.size && a->recorded.record == t->records && a->recorded.text == t->group->env->recorded_texts;
}

static void put_tail(struct text *t, struct env_agent *a, enum env_step_purpose purpose, bool reuse)
{
    const struct env *env = a->table->group->env;
    char hash[ENV_HASH_ROOM];
    env_put_frames(t, a, reuse && a->recorded.drawn ? ENV_OBSERVE_ONLY : purpose);
    if (a->type == ENV_ENTITY && a->legal == ENV_LEGAL_FULL) {
        json_key(t, "available_actions");
        env_write_available(t, a, a->seat);
    }
    if (env->o.metrics) {
        int64_t us = env->o.stopwatch_us ? env->o.stopwatch_us() - env->call_us : 0;
        json_begin_object_at(t, "metrics");
        json_put_decimal(t, "step_ms", (double)us / 1000, 3);
        json_put_bool(t, "frame_dropped", false);
        json_end_object(t);
    }
    if (a->wants_hash) {
        if (!reuse)
            env_hash_state(a->table, hash);
        json_put_text(t, "state_hash", reuse ? a->table->hash : hash);
    }
    env_put_warning(t, a->table);
    env_put_revealed(t, a->table);
}

static void put_head(struct text *t, const struct env_agent *a, bool reuse)
{
    const struct env *env = a->table->group->env;
    json_put_text(t, "agent_id", a->id);
    json_put_uint(t, "step_id", a->table->group->step_id);
    json_put_uint(t, "tick", a->table->tick);
    json_key(t, "observation");
    if (reuse)
        text_put(t, (struct span){env->recorded.at + a->recorded.at, a->recorded.size});
    else
        env_write_observation(t, a, (enum env_profile)a->profile, a->keys);
}

static void mark_observed(struct env_agent *a, double sum, bool ended)
{
    a->unseen = false;
    a->total_reward += sum;
    a->last_step = a->table->group->step_id;
    memset(a->earned, 0, sizeof a->earned);
    a->end_reported = ended;
}

static void write_player(struct text *t, struct env_agent *a, enum env_step_purpose purpose)
{
    double sum = 0;
    for (int i = 0; a->table->row->game->rewarded[i] && purpose == ENV_OBSERVE_STEP; i++)
        sum += a->weight[i] * a->earned[i];
    env_player_write(t, a, purpose, sum);
    a->notice.due = false;
    if (purpose != ENV_OBSERVE_ONLY)
        env_news_clear(&a->news);
    if (purpose == ENV_OBSERVE_STEP)
        mark_observed(a, sum, a->state == ENV_TERMINAL);
}

void env_write_step(struct text *t, struct env_agent *a, enum env_step_purpose purpose)
{
    static const double nothing[GAME_MAX_REWARDS];
    bool ended = a->state == ENV_TERMINAL && purpose != ENV_OBSERVE_RESET,
         reuse = purpose == ENV_OBSERVE_STEP && is_observation_recorded(a);
    if (a->player) {
        write_player(t, a, purpose);
        return;
    }
    json_begin_object(t);
    put_head(t, a, reuse);
    double sum = put_rewards(t, a, purpose == ENV_OBSERVE_STEP ? a->earned : nothing);
    put_end(t, ended, a->truncated, a->ending);
    put_events(t, a, purpose != ENV_OBSERVE_ONLY);
    put_tail(t, a, purpose, reuse);
    json_end_object(t);
    if (purpose == ENV_OBSERVE_STEP)
        mark_observed(a, sum, ended);
}

void env_put_outcome(struct text *t, struct env_agent *a, bool acted)
{
    bool ended = a->state == ENV_TERMINAL;
    put_rewards(t, a, a->unrecorded);
    json_put_bool(t, "done", ended && !a->truncated);
    json_put_bool(t, "truncated", ended && a->truncated);
    json_key(t, "observation");
    a->recorded =
        (struct env_recorded_part){a->table->records, a->table->group->env->recorded_texts, t->size, 0, acted};
    env_write_observation(t, a, (enum env_profile)a->profile, a->keys);
    a->recorded.size = t->full ? 0 : t->size - a->recorded.at;
    if (ended)
        json_put_text(t, "termination_reason", env_ending_names[a->ending]);
    json_begin_array_at(t, "events");
    text_put(t, text_span(&a->news.text));
    json_end_array(t);
    if (acted)
        env_put_frames(t, a, ENV_OBSERVE_STEP);
}

// G10.10
void env_write_notice(struct text *t, struct env_agent *a)
{
    if (!a->notice.due || a->player) {
        env_write_step(t, a, ENV_OBSERVE_STEP);
        return;
    }
    json_begin_object(t);
    put_head(t, a, false);
    double sum = put_rewards(t, a, a->notice.earned);
    put_end(t, true, a->notice.truncated, a->notice.ending);
    put_events(t, a, true);
    put_tail(t, a, ENV_OBSERVE_STEP, false);
    json_end_object(t);
    a->total_reward += sum;
    a->notice.due = false;
}

// G14.3: what everybody may see, as a step without an agent.
void env_write_spectator(struct text *t, struct env_table *table)
{
    struct env_agent nobody = {.id = "_table",
                               .table = table,
                               .type = ENV_MASTER,
                               .scope = ENV_SYSTEMIC,
                               .seat = -1,
                               .team = -1,
                               .keys = 1 | 1 << 4 | 1 << 5 | 1 << 6,
                               .wants_hash = true};
    env_write_step(t, &nobody, ENV_OBSERVE_ONLY);
}

bool env_observe(struct env_conn *c, struct env_pending *call, const struct env_arguments *arguments,
                 struct env_result *r)
{
    (void)call;
    struct env_agent *a = env_agent_argument(c, arguments, r);
    if (!a)
        return true;
    env_write_step(&c->env->out, a, ENV_OBSERVE_ONLY);
    return env_answer(c->env, r);
}

// Long calls: each runs as a job, which holds its table but does not block the loop for other clients.
//
// A job has its own buffers, which are in `struct env` while the job runs. While it is suspended, calls at
// its table wait behind it, connections there are closed when it has ended, and resources may be read: a job is
// suspended only where the state of its table is consistent.
#include "env/job.h"
#include "env/advance.h"
#include "env/host.h"
#include "env/live_clock.h"
#include "env/pending.h"
#include "env/replay.h"
#include "env/save.h"
#include "env/step.h"

#include <assert.h>
#include <stdlib.h>

enum { SPARE_BUFFERS = 8 };

struct env_job {
    struct env_job *next;
    struct env *env;
    struct env_group *group; // held by it; NULL: none
    struct env_conn *conn;   // whose call it is; NULL: a timer's
    void (*run)(struct env_job *j);
    uint64_t call;
    int tool;
    bool progress;
    char *arguments;
    size_t size;
    bool detached;  // env_call has returned: the reply goes to on_answer
    bool cancelled; // its client no longer waits for it
    bool answered;
    struct env_result result;
    int64_t now_us, due_us;
    struct env_buffers buffers; // while it is suspended
};

struct env_waiting {
    struct env_waiting *next;
    struct env_conn *conn;
    uint64_t call;
    int tool;
    bool progress;
    size_t size;
    char arguments[];
};

// --- buffers

void env_buffers_init(struct env_buffers *d)
{
    const struct text growing = {.grow = env_text_grow};
    struct env_pending *p = calloc(1, sizeof *p + ENV_MAX_BATCH * sizeof p->item[0]);
    if (!p)
        abort();
    p->answers = growing;
    *d = (struct env_buffers){.call = p};
    d->out = d->error = d->view = d->scratch = d->merged = d->aliased = d->hashed = d->recorded = growing;
}

void env_buffers_release(struct env_buffers *d)
{
    struct text *const texts[] = {&d->out,    &d->error,   &d->view,   &d->scratch,
                                  &d->merged, &d->aliased, &d->hashed, &d->recorded};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]->at);
    free(d->members.at);
    free(d->call->answers.at);
    free(d->call);
}

static void take_buffers(struct env *env)
{
    if (env->buffer_set_count) {
        env->buffers = env->buffer_sets[--env->buffer_set_count];
        return;
    }
    env_buffers_init(&env->buffers);
    env->buffers.recorded_texts = ++env->texts; // no text of other buffers belongs to these
}

static void return_buffers(struct env *env)
{
    if (!env->buffer_sets && !(env->buffer_sets = calloc(SPARE_BUFFERS, sizeof *env->buffer_sets)))
        abort();
    if (env->buffer_set_count < SPARE_BUFFERS)
        env->buffer_sets[env->buffer_set_count++] = env->buffers; // its reply stays valid until the next job
    else
        env_buffers_release(&env->buffers);
}

// --- giving way

// Exchanges the buffers whenever a job is suspended or resumed, also by code that the environment calls (an arena that
// reads its store).
static void on_switch(void *arg, bool enters)
{
    struct env_job *j = arg;
    struct env *env = j->env;
    if (enters) {
        env->loop_buffers = env->buffers;
        env->buffers = j->buffers;
        env->job = j;
    } else {
        j->buffers = env->buffers;
        env->buffers = env->loop_buffers;
        env->job = NULL;
    }
}

void env_spend(struct env *env, uint32_t units)
{
    work_count(env->o.work, units);
    if (env->job && work_is_due(env->o.work))
        work_yield(env->o.work);
}

void env_offload(struct env *env, work_run *run, void *arg)
{
    if (env->job)
        work_offload(env->o.work, run, arg);
    else
        run(arg);
}

bool env_wait_for(struct env_group *g)
{
    struct env *env = g->env;
    struct env_job *j = env->job;
    if (!j || !g->held || g->held == j)
        return false;
    work_wait_turn(env->o.work);
    return true;
}

bool env_is_cut(const struct env *env)
{
    return env->job && env->job->cancelled;
}

// --- life of a job

static struct env_job *job_create(struct env *env, struct env_group *g, void (*run)(struct env_job *j))
{
    struct env_job *j = calloc(1, sizeof *j);
    if (!j)
        abort();
    j->env = env;
    j->run = run;
    j->group = g;
    j->now_us = env->now_us;
    j->due_us = INT64_MAX;
    if (g)
        g->held = j;
    j->next = env->jobs;
    env->jobs = j;
    return j;
}

static void job_destroy(struct env_job *j)
{
    free(j->arguments);
    free(j);
}

void env_job_lose(struct env_group *g)
{
    if (g->held)
        g->held->group = NULL;
}

void env_job_hold(struct env_group *g)
{
    struct env_job *j = g->env->job;
    if (!j || j->group == g)
        return;
    if (j->group) {
        j->group->held = NULL;
        env_pending_sweep(j->group);
    }
    j->group = g;
    g->held = j;
}

// Connections that left while the job was using their table.
static void disconnect_leaving(struct env *env)
{
    for (struct env_conn *c = env->conns, *next; c; c = next) {
        next = c->next;
        if (c->leaving)
            env_disconnect(c, env->now_us);
    }
}

static void job_end(struct env_job *j)
{
    struct env *env = j->env;
    return_buffers(env);
    env->buffers = env->loop_buffers;
    env->job = NULL;
    if (j->group) {
        j->group->held = NULL;
        env_pending_sweep(j->group);
    }
    for (struct env_job **at = &env->jobs; *at; at = &(*at)->next)
        if (*at == j) {
            *at = j->next;
            break;
        }
    if (env->saver == j)
        env->saver = NULL;
    if (j->detached) {
        disconnect_leaving(env);
        job_destroy(j);
    }
}

static void job_run(void *arg)
{
    struct env_job *j = arg;
    struct env *env = j->env;
    env->loop_buffers = env->buffers;
    take_buffers(env);
    env->job = j;
    bool may_wait = work_is_inside(env->o.work);
    if (may_wait)
        work_watch(env->o.work, on_switch, j);
    if (!j->cancelled)
        j->run(j);
    if (may_wait)
        work_watch(env->o.work, NULL, NULL); // whoever is let go at its end no longer has its buffers
    job_end(j);
}

// Returns true if it has ended; then the caller destroys it.
static bool job_start(struct env_job *j)
{
    if (work_start(j->env->o.work, job_run, j))
        return true;
    j->detached = true;
    return false;
}

// --- calls

static bool is_thinking(const struct env_table *t)
{
    int seats = t->episode ? t->match.seats : GAME_MAX_SEATS;
    for (int s = 0; s < seats; s++)
        if (env_bot_at(t, s)->thinks)
            return true;
    return false;
}

static bool is_heavy(const struct env_group *g)
{
    for (const struct env_agent *a = g->agents; a; a = a->next)
        if (a->streams)
            return true;
    for (int i = 0; i < g->count; i++)
        if (g->table[i].replay || is_thinking(&g->table[i]))
            return true;
    return false;
}

static bool is_waited_at(const struct env_group *g)
{
    for (const struct env_waiting *w = g->env->waiting; w; w = w->next)
        if (w->conn->group == g)
            return true;
    return false;
}

bool env_may_be_long(const struct env_conn *c, int tool, struct span arguments)
{
    static const char *const short_ones[] = {"observe", "get_state_hash", "send_message", NULL};
    const char *name = env_tools[tool].name;
    const struct env_group *g = c->group;
    if (g->held || is_waited_at(g))
        return true;
    if (span_among(span_of(name), short_ones) >= 0)
        return false;
    if (strcmp(name, "act") == 0)
        return is_heavy(g);
    if (strcmp(name, "sim_step") != 0)
        return true;
    return memmem(arguments.at, arguments.size, "icks\"", 5) || is_heavy(g); // ticks, or its alias Ticks
}

static void run_call(struct env_job *j)
{
    struct span arguments = {j->arguments, j->size};
    work_count(j->env->o.work, ENV_COST_CALL);
    j->answered = env_call_now(j->conn, j->call, j->tool, arguments, j->progress, &j->result);
    if (j->answered && j->detached && !j->cancelled)
        j->conn->hooks->on_answer(j->conn->owner, j->call, &j->result);
}

static struct env_job *call_job(struct env_conn *c, uint64_t call, int tool, struct span arguments, bool progress)
{
    struct env_job *j = job_create(c->env, c->group, run_call);
    j->conn = c;
    j->call = call;
    j->tool = tool;
    j->progress = progress;
    j->size = arguments.size;
    j->arguments = malloc(arguments.size + 1);
    if (!j->arguments)
        abort();
    if (arguments.size)
        memcpy(j->arguments, arguments.at, arguments.size);
    return j;
}

static bool wait_behind(struct env_conn *c, uint64_t call, int tool, struct span arguments, bool progress,
                        struct env_result *r)
{
    struct env *env = c->env;
    int count = 0;
    size_t bytes = arguments.size;
    for (const struct env_waiting *w = env->waiting; w; w = w->next)
        if (w->conn == c) {
            count++;
            bytes += w->size;
        }
    if (count >= ENV_MAX_WAITING || (count && bytes > ENV_WAITING_BYTES)) {
        *r = env_refuse_because(env, -32004, "ResourceExhausted",
                                "A long call is under way at this table and %d calls wait for its end already.",
                                ENV_MAX_WAITING);
        env_refusal_int(env, r, "limit", ENV_MAX_WAITING);
        return true;
    }
    struct env_waiting *w = malloc(sizeof *w + arguments.size);
    if (!w)
        abort();
    *w = (struct env_waiting){.conn = c, .call = call, .tool = tool, .progress = progress, .size = arguments.size};
    if (arguments.size)
        memcpy(w->arguments, arguments.at, arguments.size);
    *env->waiting_end = w;
    env->waiting_end = &w->next;
    return false;
}

bool env_call_as_job(struct env_conn *c, uint64_t call, int tool, struct span arguments, bool progress,
                     struct env_result *r)
{
    if (c->group->held || is_waited_at(c->group))
        return wait_behind(c, call, tool, arguments, progress, r);
    struct env_job *j = call_job(c, call, tool, arguments, progress);
    if (!job_start(j))
        return false;
    bool answered = j->answered;
    *r = j->result;
    job_destroy(j);
    return answered;
}

static struct env_waiting *unlink_waiting(struct env *env, struct env_waiting **at)
{
    struct env_waiting *w = *at;
    *at = w->next;
    if (env->waiting_end == &w->next)
        env->waiting_end = at;
    return w;
}

void env_run_waiting(struct env *env)
{
    for (struct env_waiting **at = &env->waiting; *at;) {
        if ((*at)->conn->group->held) {
            at = &(*at)->next;
            continue;
        }
        struct env_waiting *w = unlink_waiting(env, at);
        struct env_job *j = call_job(w->conn, w->call, w->tool, (struct span){w->arguments, w->size}, w->progress);
        free(w);
        j->detached = true;
        work_start(env->o.work, job_run, j);
        at = &env->waiting; // the list may have changed
    }
}

void env_drop_waiting(struct env *env, const struct env_conn *c)
{
    for (struct env_waiting **at = &env->waiting; *at;)
        if ((*at)->conn == c)
            free(unlink_waiting(env, at));
        else
            at = &(*at)->next;
}

bool env_cancel_job(struct env_conn *c, uint64_t call)
{
    struct env *env = c->env;
    for (struct env_waiting **at = &env->waiting; *at; at = &(*at)->next)
        if ((*at)->conn == c && (*at)->call == call) {
            free(unlink_waiting(env, at));
            return true;
        }
    for (struct env_job *j = env->jobs; j; j = j->next)
        if (j->conn == c && j->call == call) {
            j->cancelled = true;
            return true;
        }
    return false;
}

void env_cut_job(struct env_job *j)
{
    j->cancelled = true;
}

bool env_is_busy(const struct env_conn *c)
{
    for (const struct env_job *j = c->env->jobs; j; j = j->next)
        if (j->conn == c && j->detached)
            return true;
    return false;
}

// --- connections that leave

static void ignore_answer(void *owner, uint64_t call, const struct env_result *r)
{
    (void)owner, (void)call, (void)r;
}

static void ignore_notice(void *owner, const char *method, struct span params)
{
    (void)owner, (void)method, (void)params;
}

bool env_leave_later(struct env_conn *c)
{
    static const struct env_hooks nobody = {.on_answer = ignore_answer, .on_notify = ignore_notice};
    struct env *env = c->env;
    bool saves = env->saver && env_save_is_of(env, c);
    c->leaving = c->group->held || saves;
    if (!c->leaving)
        return false;
    c->hooks = &nobody;
    c->owner = NULL;
    for (struct env_job *j = env->jobs; j; j = j->next)
        j->cancelled |= j->conn == c || (saves && j == env->saver);
    return true;
}

// --- what time brings

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t run_clocks_now(struct env_group *g, int64_t now_us)
{
    if (g->recheck) {
        g->recheck = false;
        env_try_advance(g);
    }
    if (g->answers_due) {
        g->answers_due = false;
        env_live_clock_answer(&g->table[0], now_us);
    }
    int64_t next = earlier(env_replay_run_group(g, now_us), env_step_deadlines(g, now_us));
    for (int i = 0; i < g->count; i++)
        next = earlier(next, env_live_clock_run(&g->table[i], now_us));
    return next;
}

static void run_clocks(struct env_job *j)
{
    j->due_us = run_clocks_now(j->group, j->now_us);
}

static int64_t start_timed(struct env_job *j)
{
    if (!job_start(j))
        return INT64_MAX; // asked again in the turn in which it ends
    int64_t due = j->due_us;
    job_destroy(j);
    return due;
}

int64_t env_run_group(struct env_group *g, int64_t now_us)
{
    if (g->held)
        return INT64_MAX;
    if (!g->env->o.work || !(g->recheck || is_heavy(g)))
        return run_clocks_now(g, now_us);
    return start_timed(job_create(g->env, g, run_clocks));
}

static void run_saver(struct env_job *j)
{
    j->due_us = env_save_run(j->env, j->now_us);
}

int64_t env_run_saving(struct env *env, int64_t now_us)
{
    if (!env->savings || env->saver)
        return INT64_MAX;
    if (!env->o.work)
        return env_save_run(env, now_us);
    env->saver = job_create(env, NULL, run_saver);
    return start_timed(env->saver);
}

void env_finish_jobs(struct env *env)
{
    for (struct env_job *j = env->jobs; j; j = j->next)
        j->cancelled = true;
    work_drain(env->o.work);
    assert(!env->jobs);
}

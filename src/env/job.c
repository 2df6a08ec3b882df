// Long calls give way to other clients: each runs as a job that holds its table and never the loop.
//
// A job has a desk of its own (what a call writes into), which stands in `struct rl` while the job runs. While it
// waits, calls at its table wait behind it, connections there leave when it has ended, and resources may be read: a job
// gives way only where the state of its table is whole.
#include "env/job.h"
#include "env/advance.h"
#include "env/host.h"
#include "env/live.h"
#include "env/record.h"
#include "env/replay.h"
#include "env/step.h"
#include "env/tools.h"

#include <assert.h>
#include <stdlib.h>

enum { SPARE_DESKS = 8 };

struct rl_job {
    struct rl_job *next;
    struct rl *rl;
    struct rl_group *group; // held by it; NULL: none
    struct rl_conn *conn;   // whose call it is; NULL: what time brings
    void (*run)(struct rl_job *j);
    uint64_t call;
    int tool;
    bool progress;
    char *arguments;
    size_t size;
    bool detached;  // the caller has returned: on_answer tells
    bool cancelled; // nobody waits for it
    bool answered;
    struct rl_result result;
    int64_t now_us, due_us;
    struct rl_desk desk; // while it waits
};

struct rl_waiting {
    struct rl_waiting *next;
    struct rl_conn *conn;
    uint64_t call;
    int tool;
    bool progress;
    size_t size;
    char arguments[];
};

// --- desks

void rl_desk_init(struct rl_desk *d)
{
    const struct text growing = {.grow = rl_text_grow};
    struct rl_parked *p = calloc(1, sizeof *p + RL_MAX_BATCH * sizeof p->item[0]);
    if (!p)
        abort();
    p->told = growing;
    *d = (struct rl_desk){.call = p};
    d->out = d->error = d->view = d->scratch = d->merged = d->aliased = d->hashed = d->recorded = growing;
}

void rl_desk_release(struct rl_desk *d)
{
    struct text *const texts[] = {&d->out,    &d->error,   &d->view,   &d->scratch,
                                  &d->merged, &d->aliased, &d->hashed, &d->recorded};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]->at);
    free(d->call->told.at);
    free(d->call);
}

static void desk_take(struct rl *rl)
{
    if (rl->desk_count) {
        rl->desk = rl->desks[--rl->desk_count];
        return;
    }
    rl_desk_init(&rl->desk);
    rl->desk.recorded_texts = ++rl->texts; // no piece of another desk's text is one of this
}

static void desk_return(struct rl *rl)
{
    if (!rl->desks && !(rl->desks = calloc(SPARE_DESKS, sizeof *rl->desks)))
        abort();
    if (rl->desk_count < SPARE_DESKS)
        rl->desks[rl->desk_count++] = rl->desk; // the answer in it stays valid until the next job
    else
        rl_desk_release(&rl->desk);
}

// --- giving way

static void step_out(struct rl *rl)
{
    rl->job->desk = rl->desk;
    rl->desk = rl->loop_desk;
    rl->job = NULL;
}

static void step_in(struct rl_job *j)
{
    struct rl *rl = j->rl;
    rl->loop_desk = rl->desk;
    rl->desk = j->desk;
    rl->job = j;
}

void rl_spend(struct rl *rl, uint32_t units)
{
    struct rl_job *j = rl->job;
    work_count(rl->o.work, units);
    if (!j || !work_is_due(rl->o.work))
        return;
    step_out(rl);
    work_yield(rl->o.work);
    step_in(j);
}

void rl_away(struct rl *rl, work_run *run, void *arg)
{
    struct rl_job *j = rl->job;
    if (!j) {
        run(arg);
        return;
    }
    step_out(rl);
    work_away(rl->o.work, run, arg);
    step_in(j);
}

bool rl_wait_for(struct rl_group *g)
{
    struct rl *rl = g->rl;
    struct rl_job *j = rl->job;
    if (!j || !g->held || g->held == j)
        return false;
    step_out(rl);
    work_wait_turn(rl->o.work);
    step_in(j);
    return true;
}

bool rl_is_cut(const struct rl *rl)
{
    return rl->job && rl->job->cancelled;
}

// --- life of a job

static struct rl_job *job_create(struct rl *rl, struct rl_group *g, void (*run)(struct rl_job *j))
{
    struct rl_job *j = calloc(1, sizeof *j);
    if (!j)
        abort();
    j->rl = rl;
    j->run = run;
    j->group = g;
    j->now_us = rl->now_us;
    j->due_us = INT64_MAX;
    if (g)
        g->held = j;
    j->next = rl->jobs;
    rl->jobs = j;
    return j;
}

static void job_destroy(struct rl_job *j)
{
    free(j->arguments);
    free(j);
}

void rl_job_lose(struct rl_group *g)
{
    if (g->held)
        g->held->group = NULL;
}

// Connections that left while the job was at work at their table.
static void let_go(struct rl *rl)
{
    for (struct rl_conn *c = rl->conns, *next; c; c = next) {
        next = c->next;
        if (c->leaving)
            rl_disconnect(c, rl->now_us);
    }
}

static void job_end(struct rl_job *j)
{
    struct rl *rl = j->rl;
    desk_return(rl);
    rl->desk = rl->loop_desk;
    rl->job = NULL;
    if (j->group) {
        j->group->held = NULL;
        rl_parked_sweep(j->group);
    }
    for (struct rl_job **at = &rl->jobs; *at; at = &(*at)->next)
        if (*at == j) {
            *at = j->next;
            break;
        }
    if (rl->saver == j)
        rl->saver = NULL;
    if (j->detached) {
        let_go(rl);
        job_destroy(j);
    }
}

static void job_run(void *arg)
{
    struct rl_job *j = arg;
    struct rl *rl = j->rl;
    rl->loop_desk = rl->desk;
    desk_take(rl);
    rl->job = j;
    if (!j->cancelled)
        j->run(j);
    job_end(j);
}

// True: it has ended, and is the caller's to destroy.
static bool job_start(struct rl_job *j)
{
    if (work_start(j->rl->o.work, job_run, j))
        return true;
    j->detached = true;
    return false;
}

// --- calls

static bool is_thinking(const struct rl_table *t)
{
    int seats = t->episode ? t->match.seats : GAME_MAX_SEATS;
    for (int s = 0; s < seats; s++)
        if (rl_bot_at(t, s)->thinks)
            return true;
    return false;
}

static bool is_heavy(const struct rl_group *g)
{
    for (const struct rl_agent *a = g->agents; a; a = a->next)
        if (a->streams)
            return true;
    for (int i = 0; i < g->count; i++)
        if (g->table[i].play || is_thinking(&g->table[i]))
            return true;
    return false;
}

static bool is_waited_at(const struct rl_group *g)
{
    for (const struct rl_waiting *w = g->rl->waiting; w; w = w->next)
        if (w->conn->group == g)
            return true;
    return false;
}

bool rl_may_be_long(const struct rl_conn *c, int tool, struct span arguments)
{
    static const char *const short_ones[] = {"observe", "get_state_hash", "send_message", NULL};
    const char *name = rl_tools[tool].name;
    const struct rl_group *g = c->group;
    if (g->held || is_waited_at(g))
        return true;
    for (int i = 0; short_ones[i]; i++)
        if (strcmp(name, short_ones[i]) == 0)
            return false;
    if (strcmp(name, "sim_step") != 0)
        return true;
    return memmem(arguments.at, arguments.size, "icks\"", 5) || is_heavy(g); // ticks, or its alias Ticks
}

static void run_call(struct rl_job *j)
{
    struct span arguments = {j->arguments, j->size};
    work_count(j->rl->o.work, RL_COST_CALL);
    j->answered = rl_call_now(j->conn, j->call, j->tool, arguments, j->progress, &j->result);
    if (j->answered && j->detached && !j->cancelled)
        j->conn->hooks->on_answer(j->conn->owner, j->call, &j->result);
}

static struct rl_job *call_job(struct rl_conn *c, uint64_t call, int tool, struct span arguments, bool progress)
{
    struct rl_job *j = job_create(c->rl, c->group, run_call);
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

static bool refuse_waiting(struct rl *rl, struct rl_result *r)
{
    *r = rl_refuse_say(rl, -32004, "ResourceExhausted",
                       "A long call is under way at this table and %d calls wait for its end already.", RL_MAX_WAITING);
    rl_refusal_int(rl, r, "limit", RL_MAX_WAITING);
    return true;
}

static bool wait_behind(struct rl_conn *c, uint64_t call, int tool, struct span arguments, bool progress,
                        struct rl_result *r)
{
    struct rl *rl = c->rl;
    int count = 0;
    size_t bytes = arguments.size;
    for (const struct rl_waiting *w = rl->waiting; w; w = w->next)
        if (w->conn == c) {
            count++;
            bytes += w->size;
        }
    if (count >= RL_MAX_WAITING || (count && bytes > RL_WAITING_BYTES))
        return refuse_waiting(rl, r);
    struct rl_waiting *w = malloc(sizeof *w + arguments.size);
    if (!w)
        abort();
    *w = (struct rl_waiting){.conn = c, .call = call, .tool = tool, .progress = progress, .size = arguments.size};
    if (arguments.size)
        memcpy(w->arguments, arguments.at, arguments.size);
    *rl->waiting_end = w;
    rl->waiting_end = &w->next;
    return false;
}

bool rl_call_as_job(struct rl_conn *c, uint64_t call, int tool, struct span arguments, bool progress,
                    struct rl_result *r)
{
    if (c->group->held || is_waited_at(c->group))
        return wait_behind(c, call, tool, arguments, progress, r);
    struct rl_job *j = call_job(c, call, tool, arguments, progress);
    if (!job_start(j))
        return false;
    bool answered = j->answered;
    *r = j->result;
    job_destroy(j);
    return answered;
}

static struct rl_waiting *unlink_waiting(struct rl *rl, struct rl_waiting **at)
{
    struct rl_waiting *w = *at;
    *at = w->next;
    if (rl->waiting_end == &w->next)
        rl->waiting_end = at;
    return w;
}

void rl_run_waiting(struct rl *rl)
{
    for (struct rl_waiting **at = &rl->waiting; *at;) {
        if ((*at)->conn->group->held) {
            at = &(*at)->next;
            continue;
        }
        struct rl_waiting *w = unlink_waiting(rl, at);
        struct rl_job *j = call_job(w->conn, w->call, w->tool, (struct span){w->arguments, w->size}, w->progress);
        free(w);
        j->detached = true;
        work_start(rl->o.work, job_run, j);
        at = &rl->waiting; // the list may be another one now
    }
}

void rl_drop_waiting(struct rl *rl, const struct rl_conn *c)
{
    for (struct rl_waiting **at = &rl->waiting; *at;)
        if ((*at)->conn == c)
            free(unlink_waiting(rl, at));
        else
            at = &(*at)->next;
}

bool rl_cancel_job(struct rl_conn *c, uint64_t call)
{
    struct rl *rl = c->rl;
    for (struct rl_waiting **at = &rl->waiting; *at; at = &(*at)->next)
        if ((*at)->conn == c && (*at)->call == call) {
            free(unlink_waiting(rl, at));
            return true;
        }
    for (struct rl_job *j = rl->jobs; j; j = j->next)
        if (j->conn == c && j->call == call) {
            j->cancelled = true;
            return true;
        }
    return false;
}

void rl_cut_job(struct rl_job *j)
{
    j->cancelled = true;
}

bool rl_is_busy(const struct rl_conn *c)
{
    for (const struct rl_job *j = c->rl->jobs; j; j = j->next)
        if (j->conn == c && j->detached)
            return true;
    return false;
}

// --- connections that leave

static void ignore_answer(void *owner, uint64_t call, const struct rl_result *r)
{
    (void)owner, (void)call, (void)r;
}

static void ignore_notice(void *owner, const char *method, struct span params)
{
    (void)owner, (void)method, (void)params;
}

bool rl_leave_later(struct rl_conn *c)
{
    static const struct rl_hooks nobody = {.on_answer = ignore_answer, .on_notify = ignore_notice};
    struct rl *rl = c->rl;
    bool saves = rl->saver && rl_save_is_of(rl, c);
    c->leaving = c->group->held || saves;
    if (!c->leaving)
        return false;
    c->hooks = &nobody;
    c->owner = NULL;
    for (struct rl_job *j = rl->jobs; j; j = j->next)
        j->cancelled |= j->conn == c || (saves && j == rl->saver);
    return true;
}

// --- what time brings

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t run_clocks_now(struct rl_group *g, int64_t now_us)
{
    if (g->again) {
        g->again = false;
        rl_try_advance(g);
    }
    if (g->unsettled) {
        g->unsettled = false;
        rl_live_settle(&g->table[0], now_us);
    }
    int64_t next = earlier(rl_play_run_group(g, now_us), rl_step_deadlines(g, now_us));
    for (int i = 0; i < g->count; i++)
        next = earlier(next, rl_live_run(&g->table[i], now_us));
    return next;
}

static void run_clocks(struct rl_job *j)
{
    j->due_us = run_clocks_now(j->group, j->now_us);
}

static int64_t start_timed(struct rl_job *j)
{
    if (!job_start(j))
        return INT64_MAX; // its end is a turn in which this is asked again
    int64_t due = j->due_us;
    job_destroy(j);
    return due;
}

int64_t rl_run_group(struct rl_group *g, int64_t now_us)
{
    if (g->held)
        return INT64_MAX;
    if (!g->rl->o.work || !(g->again || is_heavy(g)))
        return run_clocks_now(g, now_us);
    return start_timed(job_create(g->rl, g, run_clocks));
}

static void run_saver(struct rl_job *j)
{
    j->due_us = rl_save_run(j->rl, j->now_us);
}

int64_t rl_run_saving(struct rl *rl, int64_t now_us)
{
    if (!rl->savings || rl->saver)
        return INT64_MAX;
    if (!rl->o.work)
        return rl_save_run(rl, now_us);
    rl->saver = job_create(rl, NULL, run_saver);
    return start_timed(rl->saver);
}

void rl_finish_jobs(struct rl *rl)
{
    for (struct rl_job *j = rl->jobs; j; j = j->next)
        j->cancelled = true;
    work_drain(rl->o.work);
    assert(!rl->jobs);
}

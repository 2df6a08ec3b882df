#include "work/work.h"

#include "work/fiber.h"
#include "work/thread_pool.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <unistd.h>

enum { KEPT_FIBERS = 8 }; // stacks kept for later jobs, so that few are mapped anew

struct work_job {
    struct pool_piece piece; // first member: resume_returned casts a finished piece back to its job
    struct fiber fiber;
    bool has_stack;
    work_run *run;
    void *arg;
    uint32_t used;                             // units since it was last resumed
    bool is_away, waits, sleeps;               // waits for a worker; for the next turn; in a work_waiters
    void (*on_switch)(void *arg, bool enters); // may be NULL
    void *watcher;
    struct work_job *behind; // the next job in the same work_waiters
    STAILQ_ENTRY(work_job) next;
};
STAILQ_HEAD(jobs, work_job);

struct work {
    struct jobs ready; // resumed in this order
    struct jobs later; // resumed in the next turn
    struct jobs fresh; // not begun yet, so without a stack
    struct jobs spare; // ended; kept with their stacks for reuse
    int kept;
    struct work_job *now; // the job that runs; NULL: the loop itself
    struct thread_pool *threads;
    uint32_t used; // units used in this turn
    int stacks;
    struct work_figures figures;
};

// --- creating and destroying

struct work *work_create(void)
{
    struct work *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    STAILQ_INIT(&w->ready);
    STAILQ_INIT(&w->later);
    STAILQ_INIT(&w->fresh);
    STAILQ_INIT(&w->spare);
    long spare = sysconf(_SC_NPROCESSORS_ONLN) - 1; // the loop has a core of its own
    if (spare > WORK_THREADS)
        spare = WORK_THREADS;
    w->threads = thread_pool_create(spare > 1 ? (int)spare : 1);
    return w;
}

void work_destroy(struct work *w)
{
    if (!w)
        return;
    assert(w->figures.jobs == 0);
    for (struct work_job *j; (j = STAILQ_FIRST(&w->spare));) {
        STAILQ_REMOVE_HEAD(&w->spare, next);
        fiber_destroy(&j->fiber);
        free(j);
    }
    thread_pool_destroy(w->threads);
    free(w);
}

// --- jobs

static struct work_job *job_take(struct work *w)
{
    struct work_job *j = STAILQ_FIRST(&w->spare);
    if (j) {
        STAILQ_REMOVE_HEAD(&w->spare, next);
        w->kept--;
    } else if (!(j = calloc(1, sizeof *j))) {
        abort();
    }
    w->figures.jobs++;
    w->figures.started++;
    return j;
}

static void job_return(struct work *w, struct work_job *j)
{
    w->figures.jobs--;
    w->stacks--;
    if (w->kept < KEPT_FIBERS) {
        STAILQ_INSERT_HEAD(&w->spare, j, next);
        w->kept++;
        return;
    }
    fiber_destroy(&j->fiber);
    free(j);
}

// Returns true if the job has ended.
static bool resume_job(struct work *w, struct work_job *j)
{
    w->now = j;
    j->used = 0;
    fiber_enter(&j->fiber);
    w->now = NULL;
    if (j->fiber.ended) {
        job_return(w, j);
        return true;
    }
    if (j->sleeps)
        return false;
    if (j->is_away)
        thread_pool_add(w->threads, &j->piece);
    else if (j->waits)
        STAILQ_INSERT_TAIL(&w->later, j, next);
    else
        STAILQ_INSERT_TAIL(&w->ready, j, next);
    j->waits = false;
    return false;
}

static bool job_begin(struct work *w, struct work_job *j)
{
    if (!j->has_stack)
        fiber_create(&j->fiber, WORK_STACK);
    j->has_stack = true;
    w->stacks++;
    fiber_begin(&j->fiber, j->run, j->arg);
    return resume_job(w, j);
}

static bool has_room(const struct work *w)
{
    return w->used < WORK_TURN && w->stacks < WORK_MAX_JOBS;
}

bool work_start(struct work *w, work_run *run, void *arg)
{
    if (!w) {
        run(arg);
        return true;
    }
    struct work_job *j = job_take(w);
    j->run = run;
    j->arg = arg;
    j->on_switch = NULL;
    if (!w->now && has_room(w) && STAILQ_EMPTY(&w->fresh))
        return job_begin(w, j);
    // fairness: jobs queued earlier begin first. Jobs do not nest either: only the loop enters a fiber
    STAILQ_INSERT_TAIL(&w->fresh, j, next);
    return false;
}

void work_count(struct work *w, uint32_t units)
{
    if (!w)
        return;
    w->used += units;
    if (w->now)
        w->now->used += units;
}

bool work_is_spent(const struct work *w)
{
    return w && w->used >= WORK_TURN;
}

bool work_is_due(const struct work *w)
{
    return w && w->now &&
           (w->used >= WORK_TURN ||
            (w->now->used >= WORK_SHARE && !(STAILQ_EMPTY(&w->ready) && STAILQ_EMPTY(&w->fresh))));
}

static void leave_job(struct work_job *j)
{
    if (j->on_switch)
        j->on_switch(j->watcher, false);
    fiber_leave(&j->fiber);
    if (j->on_switch)
        j->on_switch(j->watcher, true);
}

void work_yield(struct work *w)
{
    assert(w->now);
    w->figures.yields++;
    leave_job(w->now);
}

void work_wait_turn(struct work *w)
{
    w->now->waits = true;
    work_yield(w);
}

void work_sleep(struct work *w, struct work_waiters *l)
{
    struct work_job *j = w->now;
    j->sleeps = true;
    j->behind = NULL;
    if (l->last)
        l->last->behind = j;
    else
        l->first = j;
    l->last = j;
    work_yield(w);
}

void work_wake(struct work *w, struct work_waiters *l)
{
    for (struct work_job *j = l->first, *next; j; j = next) {
        next = j->behind;
        j->sleeps = false;
        STAILQ_INSERT_TAIL(&w->ready, j, next);
    }
    *l = (struct work_waiters){0};
}

void work_offload(struct work *w, work_run *run, void *arg)
{
    struct work_job *j = w ? w->now : NULL;
    if (!j) {
        run(arg);
        return;
    }
    j->piece = (struct pool_piece){.run = run, .arg = arg};
    j->is_away = true;
    w->figures.away++;
    leave_job(j);
}

bool work_is_inside(const struct work *w)
{
    return w && w->now;
}

void work_watch(struct work *w, void (*on_switch)(void *arg, bool enters), void *arg)
{
    assert(w->now);
    w->now->on_switch = on_switch;
    w->now->watcher = arg;
}

// --- turns

void work_begin_turn(struct work *w)
{
    w->figures.most = w->used > w->figures.most ? w->used : w->figures.most;
    w->figures.turns++;
    w->used = 0;
    STAILQ_CONCAT(&w->ready, &w->later);
}

static bool has_runnable_job(const struct work *w)
{
    return !STAILQ_EMPTY(&w->ready) || (!STAILQ_EMPTY(&w->fresh) && w->stacks < WORK_MAX_JOBS);
}

// Begins one new job for each one that is resumed, so that neither kind starves the other.
static void run_next_jobs(struct work *w)
{
    struct work_job *j = STAILQ_FIRST(&w->ready);
    if (j) {
        STAILQ_REMOVE_HEAD(&w->ready, next);
        resume_job(w, j);
    }
    if ((j = STAILQ_FIRST(&w->fresh)) && has_room(w)) {
        STAILQ_REMOVE_HEAD(&w->fresh, next);
        job_begin(w, j);
    }
}

void work_run_ready(struct work *w)
{
    while (w->used < WORK_TURN && has_runnable_job(w))
        run_next_jobs(w);
}

bool work_is_ready(const struct work *w)
{
    return has_runnable_job(w) || !STAILQ_EMPTY(&w->later);
}

int work_descriptor(const struct work *w)
{
    return thread_pool_descriptor(w->threads);
}

static bool resume_returned(struct work *w, bool wait)
{
    struct work_job *j = (struct work_job *)thread_pool_take(w->threads, wait);
    if (!j)
        return false;
    j->is_away = false;
    STAILQ_INSERT_TAIL(&w->ready, j, next);
    return true;
}

void work_collect(struct work *w)
{
    while (resume_returned(w, false))
        continue;
}

void work_drain(struct work *w)
{
    while (w && w->figures.jobs) {
        work_begin_turn(w);
        if (!has_runnable_job(w))
            resume_returned(w, true);
        work_run_ready(w);
    }
    if (w)
        w->used = 0;
}

struct work_figures work_figures(const struct work *w)
{
    struct work_figures f = w->figures;
    f.most = w->used > f.most ? w->used : f.most;
    return f;
}

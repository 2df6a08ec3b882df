// Worker threads. A group that is sent is a number of runs in one share for each thread. A thread takes the runs of its
// own share, then what is left of the others. Which thread steps an environment does not matter to it, so results do
// not depend on the number of threads (V24).
//
// In agon_step and agon_sample the caller works too, in the place of the last worker, which sleeps meanwhile.
//
// `next` of a share is `end` or more while nothing is to be taken. A worker that comes late, with the number of a job
// that is over, either gets such a number or the first run of the next job: both are right.
#include "vec/internal.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SPINS = 300 }; // looks at a word before sleeping on it: about ten microseconds

// What a worker waits for: the last one apart from the others.
struct bell {
    _Alignas(VEC_CACHE_LINE) _Atomic uint32_t jobs; // sent so far; a futex
    _Alignas(VEC_CACHE_LINE) _Atomic uint32_t sleepers;
};

struct worker {
    struct agon_vec *v;
    pthread_t thread;
    uint32_t share; // of every group: it takes runs of others only when its own are done
    uint32_t unused;
};

struct vec_workers {
    struct bell others, last;
    _Atomic uint32_t stops; // 1: they end
    uint32_t count;
    struct worker at[];
};

static void wait_while(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake_sleepers(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void pause_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// ---- Work -----------------------------------------------------------------------------------------------------------

static void process_run(const struct agon_vec *v, struct group *g, uint32_t run)
{
    uint32_t errors = 0;
    if (g->samples)
        vec_sample_run(v, g, run, g->draws, g->samples);
    else
        errors = vec_step_run(v, g, run);
    if (errors)
        atomic_fetch_add_explicit(&g->errors, errors, memory_order_relaxed);
    if (atomic_fetch_sub(&g->left, 1) == 1 && atomic_load(&g->waits))
        wake_sleepers(&g->left);
}

static void work_on_share(const struct agon_vec *v, struct group *g, struct share *s)
{
    uint32_t run;
    while (atomic_load_explicit(&s->next, memory_order_relaxed) < s->end &&
           (run = atomic_fetch_add_explicit(&s->next, 1, memory_order_acquire)) < s->end)
        process_run(v, g, run);
}

static void work_on(const struct agon_vec *v, struct group *g, uint32_t share)
{
    for (uint32_t i = 0, threads = v->config.threads; i < threads; i++)
        work_on_share(v, g, &g->shares[(share + i) % threads]);
}

// Until more has been sent than `seen`, or the vec ends.
static uint32_t wait_for_job(struct bell *b, uint32_t seen)
{
    for (int i = 0; i < SPINS; i++) {
        uint32_t jobs = atomic_load_explicit(&b->jobs, memory_order_acquire);
        if (jobs != seen)
            return jobs;
        pause_cpu();
    }
    atomic_fetch_add(&b->sleepers, 1);
    while (atomic_load(&b->jobs) == seen)
        wait_while(&b->jobs, seen);
    atomic_fetch_sub(&b->sleepers, 1);
    return atomic_load(&b->jobs);
}

static void *run_worker(void *arg)
{
    const struct worker *me = arg;
    struct agon_vec *v = me->v;
    struct vec_workers *w = v->workers;
    struct bell *b = me->share == v->config.threads - 1 ? &w->last : &w->others;
    uint32_t seen = 0;
    while (!atomic_load_explicit(&w->stops, memory_order_acquire)) {
        seen = wait_for_job(b, seen);
        for (uint32_t i = 0; i < v->group_count; i++)
            work_on(v, &v->groups[i], me->share);
    }
    return NULL;
}

// ---- From the caller's thread ---------------------------------------------------------------------------------------

void workers_send(struct agon_vec *v, struct group *g)
{
    atomic_store_explicit(&g->errors, 0, memory_order_relaxed);
    atomic_store_explicit(&g->left, g->runs, memory_order_relaxed);
    for (uint32_t s = 0; s < v->config.threads; s++)
        atomic_store_explicit(&g->shares[s].next, g->shares[s].first, memory_order_release);
}

static void ring_bell(struct bell *b, bool wakes)
{
    atomic_fetch_add(&b->jobs, 1);
    if (wakes && atomic_load(&b->sleepers))
        wake_sleepers(&b->jobs);
}

void workers_wake(struct agon_vec *v, enum workers_call call)
{
    ring_bell(&v->workers->others, call != WORKERS_AWAKE);
    if (call == WORKERS_ALL)
        ring_bell(&v->workers->last, true);
}

uint32_t workers_finish(struct agon_vec *v, struct group *g)
{
    uint32_t left;
    work_on(v, g, v->config.threads - 1);
    for (int i = 0; i < SPINS && atomic_load_explicit(&g->left, memory_order_acquire); i++)
        pause_cpu();
    if (!atomic_load_explicit(&g->left, memory_order_acquire))
        return atomic_load_explicit(&g->errors, memory_order_relaxed);
    atomic_store(&g->waits, 1);
    while ((left = atomic_load(&g->left)))
        wait_while(&g->left, left);
    atomic_store(&g->waits, 0);
    return atomic_load_explicit(&g->errors, memory_order_relaxed);
}

// Signals are left to the caller's threads.
static int start_one(struct agon_vec *v, uint32_t i)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct worker *w = &v->workers->at[i];
    *w = (struct worker){.v = v, .share = i};
    int err = pthread_create(&w->thread, NULL, run_worker, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

int workers_start(struct agon_vec *v)
{
    if (!v->config.threads)
        return AGON_OK;
    size_t size = sizeof *v->workers + v->config.threads * sizeof(struct worker);
    v->workers = aligned_alloc(VEC_CACHE_LINE, (size + VEC_CACHE_LINE - 1) / VEC_CACHE_LINE * VEC_CACHE_LINE);
    if (!v->workers)
        return vec_refuse(AGON_NO_MEMORY, "there is no memory for %u threads", v->config.threads);
    memset(v->workers, 0, size);
    for (; v->workers->count < v->config.threads; v->workers->count++)
        if (start_one(v, v->workers->count))
            return vec_refuse(AGON_NO_MEMORY, "threads: the system starts no more than %u", v->workers->count);
    return AGON_OK;
}

// What was sent is done first. After a fork the threads are the parent's, and there is nothing to join.
void workers_stop(struct agon_vec *v)
{
    struct vec_workers *w = v->workers;
    if (*(const volatile uint32_t *)v->alive) {
        for (uint32_t i = 0; i < v->group_count; i++)
            if (v->groups[i].is_sent)
                workers_finish(v, &v->groups[i]);
        atomic_store_explicit(&w->stops, 1, memory_order_release);
        workers_wake(v, WORKERS_ALL);
        for (uint32_t i = 0; i < w->count; i++)
            pthread_join(w->at[i].thread, NULL);
    }
    free(w);
}

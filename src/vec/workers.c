// Worker threads. A group that is sent is a number of runs; whoever is free takes the next one. Which thread steps an
// environment does not matter to it, so results do not depend on the number of threads (V24).
//
// `next` of a group is `runs` or more while nothing is to be taken. A worker that comes late, with the number of a job
// that is over, either gets such a number or the first run of the next job: both are right.
#include "vec/inside.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SPINS = 2000 }; // looks at a word before sleeping on it; some microseconds

struct vec_workers {
    _Alignas(VEC_CACHE_LINE) _Atomic uint32_t jobs; // sent so far; a futex
    _Alignas(VEC_CACHE_LINE) _Atomic uint32_t sleepers;
    _Atomic uint32_t stops;
    uint32_t count;
    pthread_t thread[];
};

static void wait_while(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// ---- Work -----------------------------------------------------------------------------------------------------------

static void work_on(const struct agon_vec *v, struct group *g)
{
    uint32_t run;
    while ((run = atomic_fetch_add_explicit(&g->next, 1, memory_order_acquire)) < g->runs) {
        uint32_t errors = vec_step_run(v, g, run);
        if (errors)
            atomic_fetch_add_explicit(&g->errors, errors, memory_order_relaxed);
        if (atomic_fetch_sub_explicit(&g->left, 1, memory_order_acq_rel) == 1)
            wake(&g->left, INT_MAX);
    }
}

// Until more has been sent than `seen`, or the vec ends.
static uint32_t wait_for_job(struct vec_workers *w, uint32_t seen)
{
    for (int i = 0; i < SPINS; i++) {
        uint32_t jobs = atomic_load_explicit(&w->jobs, memory_order_acquire);
        if (jobs != seen)
            return jobs;
        rest();
    }
    atomic_fetch_add(&w->sleepers, 1);
    while (atomic_load(&w->jobs) == seen)
        wait_while(&w->jobs, seen);
    atomic_fetch_sub(&w->sleepers, 1);
    return atomic_load(&w->jobs);
}

static void *run_worker(void *arg)
{
    struct agon_vec *v = arg;
    struct vec_workers *w = v->workers;
    uint32_t seen = 0;
    while (!atomic_load_explicit(&w->stops, memory_order_acquire)) {
        seen = wait_for_job(w, seen);
        for (uint32_t i = 0; i < v->group_count; i++)
            work_on(v, &v->groups[i]);
    }
    return NULL;
}

// ---- From the caller's thread ---------------------------------------------------------------------------------------

void workers_send(struct agon_vec *v, struct group *g)
{
    (void)v;
    atomic_store_explicit(&g->errors, 0, memory_order_relaxed);
    atomic_store_explicit(&g->left, g->runs, memory_order_relaxed);
    atomic_store_explicit(&g->next, 0, memory_order_release);
}

void workers_wake(struct agon_vec *v, uint32_t count)
{
    struct vec_workers *w = v->workers;
    atomic_fetch_add(&w->jobs, 1);
    if (count && atomic_load(&w->sleepers))
        wake(&w->jobs, (int)count);
}

uint32_t workers_finish(struct agon_vec *v, struct group *g)
{
    uint32_t left;
    work_on(v, g);
    for (int i = 0; (left = atomic_load_explicit(&g->left, memory_order_acquire)); i++)
        if (i < SPINS)
            rest();
        else
            wait_while(&g->left, left);
    return atomic_load_explicit(&g->errors, memory_order_relaxed);
}

// Signals are the caller's.
static int start_one(struct agon_vec *v, uint32_t i)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int err = pthread_create(&v->workers->thread[i], NULL, run_worker, v);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

int workers_start(struct agon_vec *v)
{
    if (!v->config.threads)
        return AGON_OK;
    size_t size = sizeof *v->workers + v->config.threads * sizeof(pthread_t);
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
        atomic_fetch_add(&w->jobs, 1);
        wake(&w->jobs, INT_MAX);
        for (uint32_t i = 0; i < w->count; i++)
            pthread_join(w->thread[i], NULL);
    }
    free(w);
}

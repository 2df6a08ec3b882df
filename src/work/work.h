// Long work beside short work on one thread: cooperative jobs.
//
// Work is counted, not timed, so that tests are repeatable: one unit is about a microsecond on a server. A turn of the
// event loop has a budget of units. Short requests run directly. A request that may be long runs as a job, on a stack
// of its own: it counts what it does (work_spend), and when its share of the turn is used, it is suspended inside that
// call and continues in a later turn. Jobs that are ready take turns. Work that cannot be interrupted (one decision of
// a searching bot, one large picture, a write to disk) is handed to a worker thread (work_offload); the job waits for
// it without blocking the loop.
//
// All functions are called on the loop's thread. Only the function given to work_offload runs elsewhere; it may touch
// nothing but its argument. While a job is suspended, anything may change: a job must not keep pointers to shared data
// over such a call.
//
// A NULL `struct work *` means a program without other clients: nothing is counted, and work_start and work_offload
// call the function directly.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    WORK_BUDGET = 3000, // most units in a turn, provided that no single piece exceeds WORK_PIECE
    WORK_TURN = 1000,   // when so many units are used in a turn, no job is resumed in it any more
    WORK_SHARE = 250,   // units of one job in a row, while other jobs are ready
    WORK_PIECE = 2000,  // most units that a job may count between two calls of work_spend
    WORK_STACK = 512 << 10,
    WORK_MAX_JOBS = 256, // jobs that have a stack at once; further ones wait in a queue
    WORK_THREADS = 4,    // most worker threads
};

struct work;
struct work_job;
typedef void work_run(void *arg);

// A wait queue: jobs that sleep until somebody wakes them, for example until a table is free. All zero: empty.
struct work_waiters {
    struct work_job *first, *last;
};

struct work *work_create(void);    // aborts without memory
void work_destroy(struct work *w); // no job may be left: call work_drain first
void work_drain(struct work *w);   // runs all jobs to their end, whatever they cost

// Starts a job. Returns true if it has ended already, false if it continues in a later turn or has not begun yet. A job
// that is started by another job never begins before that one is suspended.
bool work_start(struct work *w, work_run *run, void *arg);
void work_count(struct work *w, uint32_t units); // counts units without suspending the job
bool work_is_spent(const struct work *w);        // the turn's units for jobs are used
bool work_is_due(const struct work *w);          // in a job: its share or the turn's units are used, so it should yield
void work_yield(struct work *w);     // in a job: continues in a later turn, or in this one after the other jobs
void work_wait_turn(struct work *w); // in a job: continues in the next turn, never in this one
void work_sleep(struct work *w, struct work_waiters *l); // in a job: continues some time after work_wake of `l`
void work_wake(struct work *w, struct work_waiters *l);  // wakes all jobs in `l` and empties it
// In a job: runs `run` on a worker thread and returns when it is done. Outside a job: calls it directly.
void work_offload(struct work *w, work_run *run, void *arg);
bool work_is_inside(const struct work *w); // true if a job calls, which may therefore wait
// In a job: calls `on_switch` each time this job is suspended (`enters` is false) and resumed (true). NULL: no longer.
void work_watch(struct work *w, void (*on_switch)(void *arg, bool enters), void *arg);

static inline void work_spend(struct work *w, uint32_t units)
{
    work_count(w, units);
    if (work_is_due(w))
        work_yield(w);
}

// --- for the event loop

void work_begin_turn(struct work *w);
void work_run_ready(struct work *w);       // runs jobs until the turn's units are used or none is ready
bool work_is_ready(const struct work *w);  // some job could run now or in the next turn
int work_descriptor(const struct work *w); // descriptor that becomes readable when a worker thread has finished a piece
void work_collect(struct work *w);         // call it then: makes the jobs ready that waited for the piece

struct work_figures {
    uint64_t turns;
    uint32_t most;    // most units used in one turn
    uint32_t jobs;    // jobs that have not ended
    uint64_t yields;  // how often a job was suspended by work_yield, work_wait_turn or work_sleep
    uint64_t started; // jobs started so far
    uint64_t away;    // pieces given to worker threads
};
struct work_figures work_figures(const struct work *w);

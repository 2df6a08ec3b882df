// Long work beside short work on one thread: jobs that give way.
//
// Work is counted, not timed, so that tests repeat: one unit is about a microsecond of a server's machine. A turn of
// the event loop has a budget. What a client asks for runs at once while it is short. What may be long runs as a job,
// on a stack of its own: it counts what it does (work_spend), and when its share of the turn is used it stops inside
// that call and goes on in a later turn. Jobs that are ready take turns. What cannot be cut (one decision of a
// searching bot, one large picture, a write to disk) a job hands to a thread (work_away) and waits for without holding
// the loop.
//
// All functions belong to the loop's thread. Only the function given to work_away runs elsewhere; it may touch nothing
// but its argument. A job must not keep pointers to what others may change while it waits.
//
// A NULL `struct work *` is a program without other clients: nothing is counted, work_start and work_away call
// directly.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    WORK_BUDGET = 3000, // units of a turn that are never exceeded while single pieces keep below WORK_PIECE
    WORK_TURN = 1000,   // jobs begin no further piece in this turn when so many units are used
    WORK_SHARE = 250,   // of one job, while others are ready
    WORK_PIECE = 2000,  // most that is done between two calls of work_spend
    WORK_STACK = 512 << 10,
    WORK_MAX_JOBS = 256, // on stacks at once; more wait for one
    WORK_THREADS = 4,    // at most
};

struct work;
struct work_job;
typedef void work_run(void *arg);

// Jobs that sleep until somebody wakes them: until a table is free, for one. All zero: nobody does.
struct work_line {
    struct work_job *first, *last;
};

struct work *work_create(void);    // aborts without memory
void work_destroy(struct work *w); // no job may be left: work_drain first
void work_drain(struct work *w);   // runs all jobs to their end, whatever they cost

// Begins a job. True: it has ended already. False: it goes on in a later turn, or has not begun yet.
bool work_start(struct work *w, work_run *run, void *arg);
void work_count(struct work *w, uint32_t units);          // counts without giving way
bool work_is_spent(const struct work *w);                 // no room for more in this turn
bool work_is_due(const struct work *w);                   // inside: its share or the turn's is used, time to give way
void work_yield(struct work *w);                          // inside: goes on in a later turn, or after the other jobs
void work_wait_turn(struct work *w);                      // inside: goes on in the next turn, not before
void work_sleep(struct work *w, struct work_line *l);     // inside: goes on some time after work_wake, not before
void work_wake(struct work *w, struct work_line *l);      // all who sleep there; the line is not needed any more
void work_away(struct work *w, work_run *run, void *arg); // on a thread, if inside; returns when that is done
bool work_is_inside(const struct work *w);                // the caller is a job, so it may wait
// Inside: calls `on_switch` when this job stops to let others run (enters: false), and when it goes on (true).
void work_watch(struct work *w, void (*on_switch)(void *arg, bool enters), void *arg);

static inline void work_spend(struct work *w, uint32_t units)
{
    work_count(w, units);
    if (work_is_due(w))
        work_yield(w);
}

// --- for the loop

void work_begin_turn(struct work *w);
void work_run_ready(struct work *w);      // what is left of the turn's budget goes to the jobs
bool work_is_ready(const struct work *w); // some job could go on now
int work_bell(const struct work *w);      // a descriptor that is readable when a thread has finished something
void work_hear(struct work *w);           // to be called then

struct work_figures {
    uint64_t turns;
    uint32_t most;    // units in one turn
    uint32_t jobs;    // under way now
    uint64_t yields;  // how often a job has given way
    uint64_t started; // jobs
    uint64_t away;    // pieces done by threads
};
struct work_figures work_figures(const struct work *w);

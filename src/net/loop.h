// The event loop of one thread: libevent's base, a clock, and hooks at the end of every turn. All functions are called
// on that thread.
#pragma once

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

enum { LOOP_MAX_HOOKS = 12 };

struct work;

struct loop_hook {
    void (*call)(void *owner);
    void *owner;
};

struct loop_rest {
    int64_t until_us; // 0: none
    int fd;
    struct loop_hook hook;
};

struct loop {
    struct event_base *base;
    struct loop_hook hooks[LOOP_MAX_HOOKS];
    struct loop_rest rest;                     // pause before the next turn
    bool asked;                                // the hooks have to run
    bool stopped;                              // by loop_stop
    struct work *work;                         // NULL: loop_work was never called
    struct event *pieces_done;                 // worker threads have finished something (work_collect)
    struct event *stop[2];                     // signals; NULL: not handled
    bool (*may_stop)(void *owner, int signal); // NULL: always
    void *may_stop_owner;
};

void loop_init(struct loop *l);
// Timers have millisecond precision, and every turn saves a system call: for loops where nothing depends on the clock.
void loop_init_coarse(struct loop *l);
void loop_release(struct loop *l);
void loop_run(struct loop *l);             // until loop_stop
void loop_stop(struct loop *l);            // after this turn
void loop_stop_on_signals(struct loop *l); // SIGINT and SIGTERM
// `may_stop` is called when a signal comes. If it returns false, the owner calls loop_stop later.
void loop_ask_before_stop(struct loop *l, bool (*may_stop)(void *owner, int signal), void *owner);
// After loop_run, when everything else of the loop is closed: handles signals that its last turn did not.
void loop_handle_signals(struct loop *l);
// One turn: waits until something is ready, handles all of it, then calls the hooks. Returns false if there is nothing
// to wait for.
bool loop_turn(struct loop *l);

// Hooks are called at the end of a turn in which loop_end_turn was called, in the order in which they were added.
void loop_add_hook(struct loop *l, void (*call)(void *owner), void *owner);
void loop_remove_hook(struct loop *l, void *owner);
void loop_end_turn(struct loop *l); // requests that the hooks are called
// A timer that requests the hooks at `due_us` (INT64_MAX: never), so that timeouts are handled in the same place as
// everything else. The owner frees it.
struct event *loop_new_alarm(struct loop *l);
void loop_set_alarm(struct event *alarm, int64_t due_us);
// From a hook: delays the next turn until `until_us`, so that it handles everything received meanwhile as one batch.
// Until then only `fd` is watched: `call` is called when it is readable, and the hooks run if it requests that.
void loop_pause_until(struct loop *l, int64_t until_us, int fd, void (*call)(void *owner), void *owner);

// Jobs that share this loop with other clients (work/work.h). They run at the end of each turn, before the hooks.
// Created by the first call; loop_release runs remaining jobs to their end.
struct work *loop_work(struct loop *l);
bool loop_is_spent(const struct loop *l); // this turn has used its budget: what can wait belongs in the next one

int64_t loop_now_us(void); // monotonic
int64_t loop_now_ms(void);
double loop_now_seconds(void);
int64_t loop_unix_ms(void); // wall clock

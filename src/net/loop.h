// One thread's event loop: libevent's base, a clock, and a call at the end of every turn.
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
    struct loop_rest rest; // before the next turn
    bool asked;            // the hooks shall run
    bool stopped;          // by loop_stop
    struct work *work;     // NULL: nobody has asked for it
    struct event *bell;    // of its threads
    struct event *stop[2]; // signals; NULL: it does not care for them
};

void loop_init(struct loop *l);
// Timers to the millisecond, and a system call less in every turn: where nothing goes by the clock.
void loop_init_coarse(struct loop *l);
void loop_release(struct loop *l);
void loop_run(struct loop *l);             // until loop_stop
void loop_stop(struct loop *l);            // after this turn
void loop_stop_on_signals(struct loop *l); // SIGINT and SIGTERM
// One turn: waits until something is ready, calls all of it, then the hooks. False when there is nothing to wait for.
bool loop_turn(struct loop *l);

// Hooks run at the end of a turn in which somebody asked for it, in the order in which they were added.
void loop_add_hook(struct loop *l, void (*call)(void *owner), void *owner);
void loop_remove_hook(struct loop *l, void *owner);
void loop_end_turn(struct loop *l); // asks for the hooks to run
// A timer that asks for the hooks at `due_us` (INT64_MAX: never), so that what time brings is done where all else is.
// The owner frees it.
struct event *loop_new_alarm(struct loop *l);
void loop_set_alarm(struct event *alarm, int64_t due_us);
// From a hook: the next turn does not begin before `until_us`, and takes all that has come by then. Until then only
// `fd` is looked at: `call` is called when it is readable, and the hooks run if that asks for it.
void loop_rest_until(struct loop *l, int64_t until_us, int fd, void (*call)(void *owner), void *owner);

// Jobs that give way to the other clients of this loop (work/work.h). They go on at the end of each turn, before the
// hooks. Created by the first call; loop_release runs what is left to its end.
struct work *loop_work(struct loop *l);
bool loop_is_spent(const struct loop *l); // this turn has done its share: what can wait goes on in the next one

int64_t loop_now_us(void); // monotonic
int64_t loop_now_ms(void);
double loop_now_seconds(void);
int64_t loop_unix_ms(void); // wall clock

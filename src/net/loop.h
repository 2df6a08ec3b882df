// One thread's event loop: libevent's base, a clock, and a call at the end of every turn.
#pragma once

#include <event2/event.h>
#include <stdint.h>

enum { LOOP_MAX_HOOKS = 8 };

struct loop_hook {
    void (*call)(void *owner);
    void *owner;
};

struct loop {
    struct event_base *base;
    struct event *turn; // runs after everything that was ready in this turn
    struct loop_hook hooks[LOOP_MAX_HOOKS];
};

void loop_init(struct loop *l);
void loop_release(struct loop *l);
void loop_run(struct loop *l);  // until loop_stop
void loop_stop(struct loop *l); // after the running callbacks

// Hooks run at the end of a turn in which somebody asked for it, in the order in which they were added.
void loop_add_hook(struct loop *l, void (*call)(void *owner), void *owner);
void loop_remove_hook(struct loop *l, void *owner);
void loop_end_turn(struct loop *l); // asks for the hooks to run

int64_t loop_now_us(void);  // monotonic
int64_t loop_unix_ms(void); // wall clock

// A stack of its own for a job, and the way there and back. For work.c alone.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

struct fiber {
    ucontext_t here, back;
    char *memory; // its lowest page is a guard: an overflow ends the process instead of damaging others
    size_t size;
    void (*run)(void *arg);
    void *arg;
    bool ended;
    // What the sanitizers need to know of it; unused otherwise.
    void *fake_here, *fake_back;
    const void *back_bottom;
    size_t back_size;
    void *thread_here, *thread_back;
};

void fiber_create(struct fiber *f, size_t stack_bytes); // aborts without memory
void fiber_destroy(struct fiber *f);                    // it has ended, or never began
void fiber_begin(struct fiber *f, void (*run)(void *arg), void *arg);
void fiber_enter(struct fiber *f); // until it leaves or ends
void fiber_leave(struct fiber *f); // from inside: back to whoever entered

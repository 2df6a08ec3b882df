// A stack of its own for a job, and the switch to it and back (ucontext). Used by work.c only.
//
// The thread that creates a fiber is the one that enters it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

struct fiber {
    ucontext_t here, back;
    char *memory; // the lowest page is a guard page: a stack overflow ends the process instead of corrupting memory
    size_t size;
    void (*run)(void *arg);
    void *arg;
    bool ended;
    // State of the address and thread sanitizers; unused in other builds.
    void *fake_here, *fake_back;
    const void *back_bottom;
    size_t back_size;
    void *thread_here, *thread_back;
};

void fiber_create(struct fiber *f, size_t stack_bytes); // aborts without memory
void fiber_destroy(struct fiber *f);                    // the fiber must have ended or never begun
// Sets what the next fiber_enter runs, on the whole stack. The fiber may have run something else before.
void fiber_begin(struct fiber *f, void (*run)(void *arg), void *arg);
void fiber_enter(struct fiber *f); // returns when the fiber leaves or ends (then `ended` is set)
void fiber_leave(struct fiber *f); // called on the fiber: switches back to the caller of fiber_enter

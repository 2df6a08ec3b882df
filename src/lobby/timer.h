// Deadlines in one heap. Private to the lobby.
#pragma once

#include "lobby/lobby.h"

#define NEVER INT64_MAX

struct timer {
    int64_t due_ms;
    uint64_t order; // timers with the same due_ms fire in the order in which they were set
    // The keys by which the heap is ordered. They are not updated when a timer is moved to a later time, as a match's
    // clock is with every action: it stays in place until it reaches the top.
    int64_t at_ms;
    uint64_t at_order;
    uint32_t place; // index in the heap, from 1; 0: not set
    void (*fire)(struct lobby *l, struct timer *t, int64_t now_ms);
};

struct timers {
    struct timer **at; // binary heap, from index 1
    uint32_t count, room;
    uint64_t order;
};

void timer_set(struct lobby *l, struct timer *t, int64_t due_ms); // NEVER clears it
void timer_clear(struct lobby *l, struct timer *t);
void timer_shift(struct lobby *l, int64_t ms);         // moves all timers to later
bool timer_fire_next(struct lobby *l, int64_t now_ms); // false: none is due
int64_t timer_next_due(const struct lobby *l);

#define TIMER_OWNER(timer, type, member) ((type *)((char *)(timer)-offsetof(type, member)))

// A sorted list that knows the position of each item. It consists of lots of a few hundred items, so that inserting and
// removing moves little, and a position is found by counting lots.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order_lot;

struct order {
    struct order_lot **lot;
    size_t lots, room, count; // count: number of items
};

// Whether `a` comes before `b`. No two items of a list are equal.
typedef bool order_before(const void *owner, uint32_t a, uint32_t b);

void order_fill(struct order *o, const uint32_t *items, size_t count); // the list must be empty, the items sorted
void order_put(struct order *o, order_before *before, const void *owner, uint32_t item);
void order_take(struct order *o, order_before *before, const void *owner, uint32_t item); // it must be in the list
// Number of items before it.
size_t order_place(const struct order *o, order_before *before, const void *owner, uint32_t item);
// Copies up to `room` items from position `from` on. Returns how many.
size_t order_read(const struct order *o, size_t from, uint32_t *out, size_t room);
void order_clear(struct order *o); // and frees all memory

// Items in an order, with their places: a list of lots of some hundred items each, so that putting one in or taking one
// out moves little, and a place is found by counting lots.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct order_lot;

struct order {
    struct order_lot **lot;
    size_t lots, room, count; // count: of items
};

// Whether `a` stands before `b`; no two items of one order are equal.
typedef bool order_before(const void *owner, uint32_t a, uint32_t b);

void order_fill(struct order *o, const uint32_t *items, size_t count); // of an empty one; the items are in order
void order_put(struct order *o, order_before *before, const void *owner, uint32_t item);
void order_take(struct order *o, order_before *before, const void *owner, uint32_t item);          // it must be there
size_t order_place(const struct order *o, order_before *before, const void *owner, uint32_t item); // how many before it
// Copies up to `room` items from a place on; how many.
size_t order_read(const struct order *o, size_t from, uint32_t *out, size_t room);
void order_clear(struct order *o); // and gives all memory back

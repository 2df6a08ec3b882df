// A sorted list that knows the position of each item. It consists of blocks of a few hundred items, so that inserting
// and removing moves little, and a position is found by counting blocks.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranked_block;

struct ranked_list {
    struct ranked_block **block;
    size_t blocks, room, count; // count: number of items
};

// Whether `a` comes before `b`. No two items of a list are equal.
typedef bool ranked_before(const void *owner, uint32_t a, uint32_t b);

// The list must be empty, the items sorted.
void ranked_list_fill(struct ranked_list *o, const uint32_t *items, size_t count);
void ranked_list_insert(struct ranked_list *o, ranked_before *before, const void *owner, uint32_t item);
// The item must be in the list.
void ranked_list_remove(struct ranked_list *o, ranked_before *before, const void *owner, uint32_t item);
// Number of items before it.
size_t ranked_list_position(const struct ranked_list *o, ranked_before *before, const void *owner, uint32_t item);
// Copies up to `room` items from position `from` on. Returns how many.
size_t ranked_list_read(const struct ranked_list *o, size_t from, uint32_t *out, size_t room);
void ranked_list_clear(struct ranked_list *o); // and frees all memory

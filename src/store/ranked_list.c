#include "store/ranked_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ITEMS = 512, BLOCK_FILLED = 384 };

struct ranked_block {
    uint32_t count;
    uint32_t item[BLOCK_ITEMS];
};

static struct ranked_block *add_block(struct ranked_list *o, size_t at)
{
    if (o->blocks == o->room) {
        o->room = o->room ? o->room * 2 : 8;
        o->block = realloc(o->block, o->room * sizeof *o->block);
    }
    struct ranked_block *block = malloc(sizeof *block);
    if (!o->block || !block)
        abort();
    memmove(&o->block[at + 1], &o->block[at], (o->blocks - at) * sizeof *o->block);
    o->blocks++;
    block->count = 0;
    return o->block[at] = block;
}

void ranked_list_fill(struct ranked_list *o, const uint32_t *items, size_t count)
{
    assert(o->count == 0);
    ranked_list_clear(o);
    for (size_t at = 0; at < count; at += BLOCK_FILLED) {
        size_t n = count - at < BLOCK_FILLED ? count - at : BLOCK_FILLED;
        struct ranked_block *block = add_block(o, o->blocks);
        memcpy(block->item, items + at, n * sizeof *items);
        block->count = (uint32_t)n;
    }
    o->count = count;
}

void ranked_list_clear(struct ranked_list *o)
{
    for (size_t i = 0; i < o->blocks; i++)
        free(o->block[i]);
    free(o->block);
    *o = (struct ranked_list){0};
}

// The block that has the item or would have it: the first whose last item does not come before it, else the last one.
static size_t find_block(const struct ranked_list *o, ranked_before *before, const void *owner, uint32_t item)
{
    size_t low = 0, high = o->blocks;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct ranked_block *block = o->block[middle];
        if (before(owner, block->item[block->count - 1], item))
            low = middle + 1;
        else
            high = middle;
    }
    return low == o->blocks && low > 0 ? low - 1 : low;
}

// Number of items of the block that come before `item`.
static uint32_t find_in_block(const struct ranked_block *block, ranked_before *before, const void *owner, uint32_t item)
{
    uint32_t low = 0, high = block->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (before(owner, block->item[middle], item))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void split_block(struct ranked_list *o, size_t at)
{
    struct ranked_block *full = o->block[at], *rest = add_block(o, at + 1);
    rest->count = BLOCK_ITEMS / 2;
    full->count = BLOCK_ITEMS - BLOCK_ITEMS / 2;
    memcpy(rest->item, full->item + full->count, rest->count * sizeof *rest->item);
}

void ranked_list_insert(struct ranked_list *o, ranked_before *before, const void *owner, uint32_t item)
{
    if (o->blocks == 0) {
        ranked_list_fill(o, &item, 1);
        return;
    }
    size_t at = find_block(o, before, owner, item);
    if (o->block[at]->count == BLOCK_ITEMS) {
        split_block(o, at);
        at += before(owner, o->block[at]->item[o->block[at]->count - 1], item);
    }
    struct ranked_block *block = o->block[at];
    uint32_t in = find_in_block(block, before, owner, item);
    memmove(&block->item[in + 1], &block->item[in], (block->count - in) * sizeof *block->item);
    block->item[in] = item;
    block->count++;
    o->count++;
}

void ranked_list_remove(struct ranked_list *o, ranked_before *before, const void *owner, uint32_t item)
{
    size_t at = find_block(o, before, owner, item);
    struct ranked_block *block = o->block[at];
    uint32_t in = find_in_block(block, before, owner, item);
    assert(in < block->count && block->item[in] == item);
    block->count--;
    o->count--;
    memmove(&block->item[in], &block->item[in + 1], (block->count - in) * sizeof *block->item);
    if (block->count)
        return;
    free(block);
    o->blocks--;
    memmove(&o->block[at], &o->block[at + 1], (o->blocks - at) * sizeof *o->block);
}

size_t ranked_list_position(const struct ranked_list *o, ranked_before *before, const void *owner, uint32_t item)
{
    size_t place = 0, at = find_block(o, before, owner, item);
    for (size_t i = 0; i < at; i++)
        place += o->block[i]->count;
    return o->blocks ? place + find_in_block(o->block[at], before, owner, item) : 0;
}

size_t ranked_list_read(const struct ranked_list *o, size_t from, uint32_t *out, size_t room)
{
    size_t filled = 0;
    for (size_t i = 0; i < o->blocks && filled < room; i++) {
        const struct ranked_block *block = o->block[i];
        if (from >= block->count) {
            from -= block->count;
            continue;
        }
        size_t n = block->count - from < room - filled ? block->count - from : room - filled;
        memcpy(out + filled, block->item + from, n * sizeof *out);
        filled += n;
        from = 0;
    }
    return filled;
}

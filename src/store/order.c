#include "store/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LOT = 512, LOT_FILLED = 384 };

struct order_lot {
    uint32_t count;
    uint32_t item[LOT];
};

static struct order_lot *add_lot(struct order *o, size_t at)
{
    if (o->lots == o->room) {
        o->room = o->room ? o->room * 2 : 8;
        o->lot = realloc(o->lot, o->room * sizeof *o->lot);
    }
    struct order_lot *lot = malloc(sizeof *lot);
    if (!o->lot || !lot)
        abort();
    memmove(&o->lot[at + 1], &o->lot[at], (o->lots - at) * sizeof *o->lot);
    o->lots++;
    lot->count = 0;
    return o->lot[at] = lot;
}

void order_fill(struct order *o, const uint32_t *items, size_t count)
{
    assert(o->count == 0);
    order_clear(o);
    for (size_t at = 0; at < count; at += LOT_FILLED) {
        size_t n = count - at < LOT_FILLED ? count - at : LOT_FILLED;
        struct order_lot *lot = add_lot(o, o->lots);
        memcpy(lot->item, items + at, n * sizeof *items);
        lot->count = (uint32_t)n;
    }
    o->count = count;
}

void order_clear(struct order *o)
{
    for (size_t i = 0; i < o->lots; i++)
        free(o->lot[i]);
    free(o->lot);
    *o = (struct order){0};
}

// The lot that has the item or would have it: the first whose last item does not come before it, else the last one.
static size_t find_lot(const struct order *o, order_before *before, const void *owner, uint32_t item)
{
    size_t low = 0, high = o->lots;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct order_lot *lot = o->lot[middle];
        if (before(owner, lot->item[lot->count - 1], item))
            low = middle + 1;
        else
            high = middle;
    }
    return low == o->lots && low > 0 ? low - 1 : low;
}

// Number of items of the lot that come before `item`.
static uint32_t find_in(const struct order_lot *lot, order_before *before, const void *owner, uint32_t item)
{
    uint32_t low = 0, high = lot->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (before(owner, lot->item[middle], item))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void split(struct order *o, size_t at)
{
    struct order_lot *full = o->lot[at], *rest = add_lot(o, at + 1);
    rest->count = LOT / 2;
    full->count = LOT - LOT / 2;
    memcpy(rest->item, full->item + full->count, rest->count * sizeof *rest->item);
}

void order_put(struct order *o, order_before *before, const void *owner, uint32_t item)
{
    if (o->lots == 0) {
        order_fill(o, &item, 1);
        return;
    }
    size_t at = find_lot(o, before, owner, item);
    if (o->lot[at]->count == LOT) {
        split(o, at);
        at += before(owner, o->lot[at]->item[o->lot[at]->count - 1], item);
    }
    struct order_lot *lot = o->lot[at];
    uint32_t in = find_in(lot, before, owner, item);
    memmove(&lot->item[in + 1], &lot->item[in], (lot->count - in) * sizeof *lot->item);
    lot->item[in] = item;
    lot->count++;
    o->count++;
}

void order_take(struct order *o, order_before *before, const void *owner, uint32_t item)
{
    size_t at = find_lot(o, before, owner, item);
    struct order_lot *lot = o->lot[at];
    uint32_t in = find_in(lot, before, owner, item);
    assert(in < lot->count && lot->item[in] == item);
    lot->count--;
    o->count--;
    memmove(&lot->item[in], &lot->item[in + 1], (lot->count - in) * sizeof *lot->item);
    if (lot->count)
        return;
    free(lot);
    o->lots--;
    memmove(&o->lot[at], &o->lot[at + 1], (o->lots - at) * sizeof *o->lot);
}

size_t order_place(const struct order *o, order_before *before, const void *owner, uint32_t item)
{
    size_t place = 0, at = find_lot(o, before, owner, item);
    for (size_t i = 0; i < at; i++)
        place += o->lot[i]->count;
    return o->lots ? place + find_in(o->lot[at], before, owner, item) : 0;
}

size_t order_read(const struct order *o, size_t from, uint32_t *out, size_t room)
{
    size_t filled = 0;
    for (size_t i = 0; i < o->lots && filled < room; i++) {
        const struct order_lot *lot = o->lot[i];
        if (from >= lot->count) {
            from -= lot->count;
            continue;
        }
        size_t n = lot->count - from < room - filled ? lot->count - from : room - filled;
        memcpy(out + filled, lot->item + from, n * sizeof *out);
        filled += n;
        from = 0;
    }
    return filled;
}

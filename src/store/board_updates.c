#include "store/board_updates.h"

#include "heap/heap.h"

#include <stdlib.h>
#include <string.h>

enum update_kind { UPDATE_RATING, UPDATE_CLEAR, UPDATE_AGENT };

struct board_update {
    store_ticket ticket;
    enum update_kind kind;
    bool is_house;         // of an agent
    struct boards_row row; // of an agent: only its id
};

static struct board_update *add_update(struct board_updates *f, store_ticket ticket, enum update_kind kind)
{
    // Under load some updates are always waiting, so the array never becomes empty.
    if (f->count == f->room && f->from > f->room / 2) {
        f->count -= f->from;
        memmove(f->update, f->update + f->from, f->count * sizeof *f->update);
        f->from = 0;
    }
    f->update = heap_list_grow(f->update, f->count, &f->room, 64, sizeof *f->update);
    struct board_update *n = &f->update[f->count++];
    *n = (struct board_update){.ticket = ticket, .kind = kind};
    return n;
}

void board_updates_add_agent(struct board_updates *f, store_ticket ticket, const struct store_agent *a)
{
    struct board_update *n = add_update(f, ticket, UPDATE_AGENT);
    n->is_house = a->kind == STORE_HOUSE;
    n->row.agent = a->id;
}

void board_updates_add_rating(struct board_updates *f, store_ticket ticket, const struct store_rating *r, int game)
{
    add_update(f, ticket, UPDATE_RATING)->row = boards_row_of(r->agent, game, r);
}

void board_updates_add_clear(struct board_updates *f, store_ticket ticket)
{
    add_update(f, ticket, UPDATE_CLEAR);
}

static void apply_update(struct boards *b, const struct board_update *n)
{
    switch (n->kind) {
    case UPDATE_RATING: // while it waited, another node may have counted a later result, and news of that are faster
        if (!boards_has_newer(b, &n->row))
            boards_set(b, &n->row);
        break;
    case UPDATE_CLEAR:
        boards_clear(b);
        break;
    case UPDATE_AGENT:
        boards_set_house(b, n->row.agent, n->is_house);
        boards_drop_names(b, n->row.agent);
        break;
    }
}

void board_updates_apply(struct board_updates *f, struct boards *b, store_ticket durable)
{
    while (f->from < f->count && f->update[f->from].ticket <= durable)
        apply_update(b, &f->update[f->from++]);
    if (f->from == f->count)
        f->from = f->count = 0;
}

void board_updates_release(struct board_updates *f)
{
    free(f->update);
    *f = (struct board_updates){0};
}

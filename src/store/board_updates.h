// Updates for the boards, in the order of the puts. They are applied when they are durable. Rows are complete, so
// applying an update twice changes nothing.
#pragma once

#include "store/boards.h"

struct board_update;
struct board_updates {
    struct board_update *update; // from the first one that is not durable
    uint32_t from, count, room;
};

// Each records the effect of the put with this ticket.
void board_updates_add_agent(struct board_updates *f, store_ticket ticket, const struct store_agent *a);
void board_updates_add_rating(struct board_updates *f, store_ticket ticket, const struct store_rating *r, int game);
void board_updates_add_clear(struct board_updates *f, store_ticket ticket); // all ratings are removed
void board_updates_apply(struct board_updates *f, struct boards *b, store_ticket durable);
void board_updates_release(struct board_updates *f);

// Updates for the boards, in the order of the puts. They are applied when they are durable. Rows are complete, so
// applying an update twice changes nothing.
#pragma once

#include "store/boards.h"

struct board_news;
struct feed {
    struct board_news *news; // from the first one that is not durable
    uint32_t from, count, room;
};

void feed_agent(struct feed *f, store_ticket ticket,
                const struct store_agent *a); // each: the effect of the put with this ticket
void feed_rating(struct feed *f, store_ticket ticket, const struct store_rating *r, int game);
void feed_forgotten(struct feed *f, store_ticket ticket); // all ratings are removed
void feed_catch_up(struct feed *f, struct boards *b, store_ticket durable);
void feed_release(struct feed *f);

// News for the boards, in the order in which they were put: they show when they are durable, and not before. Rows come
// as a whole, so hearing again of what the boards have already changes nothing.
#pragma once

#include "store/boards.h"

struct board_news;
struct feed {
    struct board_news *news; // from the first that is not durable
    uint32_t from, count, room;
};

void feed_agent(struct feed *f, store_ticket ticket,
                const struct store_agent *a); // each: the put of this ticket does this
void feed_rating(struct feed *f, store_ticket ticket, const struct store_rating *r, int game);
void feed_forgotten(struct feed *f, store_ticket ticket); // all ratings
void feed_catch_up(struct feed *f, struct boards *b, store_ticket durable);
void feed_release(struct feed *f);

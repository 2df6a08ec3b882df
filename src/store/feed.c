#include "store/feed.h"

#include "heap/heap.h"

#include <stdlib.h>
#include <string.h>

enum news_kind { NEWS_RATING, NEWS_FORGOTTEN, NEWS_AGENT };

struct board_news {
    store_ticket ticket;
    enum news_kind kind;
    bool is_house;         // of an agent
    struct boards_row row; // of an agent: only its id
};

static struct board_news *add(struct feed *f, store_ticket ticket, enum news_kind kind)
{
    // Under load some updates are always waiting, so the array never becomes empty.
    if (f->count == f->room && f->from > f->room / 2) {
        f->count -= f->from;
        memmove(f->news, f->news + f->from, f->count * sizeof *f->news);
        f->from = 0;
    }
    f->news = heap_list_grow(f->news, f->count, &f->room, 64, sizeof *f->news);
    struct board_news *n = &f->news[f->count++];
    *n = (struct board_news){.ticket = ticket, .kind = kind};
    return n;
}

void feed_agent(struct feed *f, store_ticket ticket, const struct store_agent *a)
{
    struct board_news *n = add(f, ticket, NEWS_AGENT);
    n->is_house = a->kind == STORE_HOUSE;
    n->row.agent = a->id;
}

void feed_rating(struct feed *f, store_ticket ticket, const struct store_rating *r, int game)
{
    add(f, ticket, NEWS_RATING)->row = boards_row_of(r->agent, game, r);
}

void feed_forgotten(struct feed *f, store_ticket ticket)
{
    add(f, ticket, NEWS_FORGOTTEN);
}

static void apply_news(struct boards *b, const struct board_news *n)
{
    switch (n->kind) {
    case NEWS_RATING: // while it waited, another node may have counted a later result, and news of that are faster
        if (!boards_has_newer(b, &n->row))
            boards_set(b, &n->row);
        break;
    case NEWS_FORGOTTEN:
        boards_forget(b);
        break;
    case NEWS_AGENT:
        boards_set_house(b, n->row.agent, n->is_house);
        boards_drop_words(b, n->row.agent);
        break;
    }
}

void feed_catch_up(struct feed *f, struct boards *b, store_ticket durable)
{
    while (f->from < f->count && f->news[f->from].ticket <= durable)
        apply_news(b, &f->news[f->from++]);
    if (f->from == f->count)
        f->from = f->count = 0;
}

void feed_release(struct feed *f)
{
    free(f->news);
    *f = (struct feed){0};
}

// A bot that remembers everything it is told, and plays by it: whoever feeds it differently gets other moves.
#pragma once

#include "base/hash.h"
#include "bots/bot.h"

struct witness_mind {
    uint64_t seen; // hash of all news
    uint32_t news, events;
};

static void witness_begin(void *mind, const struct game *game, const void *rules, int seat, int seats)
{
    struct witness_mind *w = mind;
    w->seen = hash_bytes(rules, game->rules_size) + (uint64_t)(seat * 16 + seats);
}

// Who else sees an event is not told.
static void witness_observe(void *mind, const struct bot_news *news)
{
    struct witness_mind *w = mind;
    uint64_t link[3] = {w->seen, hash_bytes(news->view, news->game->view_size), news->ticks};
    w->seen = hash_bytes(link, sizeof link);
    w->news++;
    for (uint32_t i = 0; i < news->count; i++) {
        struct game_event e = news->events[i];
        e.to = 0;
        uint64_t more[2] = {w->seen, hash_bytes(&e, sizeof e)};
        w->seen = hash_bytes(more, sizeof more);
        w->events++;
    }
}

static struct game_action witness_choose(const struct bot_ask *ask)
{
    const struct witness_mind *w = ask->mind;
    struct rng dice = {.key = {(uint32_t)w->seen, (uint32_t)(w->seen >> 32)}};
    memset(ask->scratch, 0x5A, ask->bot->scratch_size);
    return bot_pick_uniform(ask->choices, ask->count, &dice);
}

// Its moves depend on its mind alone.
static const struct bot witness_bot = {.name = "witness",
                                       .choose = witness_choose,
                                       .mind_size = sizeof(struct witness_mind),
                                       .scratch_size = 100000,
                                       .begin = witness_begin,
                                       .observe = witness_observe};

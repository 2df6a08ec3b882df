#include "bots/bot.h"

struct game_action bot_pick_uniform(const struct game_choice *choices, int count, struct rng *dice)
{
    struct rng_draw d;
    rng_begin(&d, dice);
    const struct game_choice *c = &choices[rng_draw_below(&d, (uint32_t)count)];
    struct game_action a = c->first;
    uint32_t span = (uint32_t)c->max_amount - (uint32_t)a.amount + 1;
    a.amount = (int32_t)((uint32_t)a.amount + rng_draw_below(&d, span));
    return a;
}

static struct game_action choose_random(const struct bot_ask *ask)
{
    return bot_pick_uniform(ask->choices, ask->count, ask->dice);
}

static struct game_action choose_fallback(const struct bot_ask *ask)
{
    return ask->fallback;
}

const struct bot bot_random = {.name = "random", .blind = true, .choose = choose_random};
const struct bot bot_fallback = {.name = "fallback", .blind = true, .choose = choose_fallback};

#include "game/cards.h"

static void swap(uint8_t *a, uint8_t *b)
{
    uint8_t t = *a;
    *a = *b;
    *b = t;
}

void cards_draw(uint8_t *deck, int count, int from, int to, struct rng_draw *draw)
{
    for (int i = from; i < to; i++)
        if (i < count - 1)
            swap(&deck[i], &deck[i + (int)rng_draw_below(draw, (uint32_t)(count - i))]);
}

void cards_shuffle_back(uint8_t *deck, int count, struct rng_draw *draw)
{
    for (int i = count - 1; i > 0; i--)
        swap(&deck[i], &deck[rng_draw_below(draw, (uint32_t)(i + 1))]);
}

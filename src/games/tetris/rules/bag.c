#include "games/tetris/rules/internal.h"

enum { BAG = 7 };

// T1.10, T1.11: one bag out of the generator, which moves on by six outputs. The bag is shuffled in a register, a kind
// in each byte.
static uint32_t fill_bag(uint8_t bag[BAG], uint32_t generator)
{
    uint64_t kinds = 0x07060504030201;
#pragma GCC unroll 6
    for (uint32_t i = BAG - 1; i > 0; i--) {
        generator = generator * 1664525u + 1013904223u;
        uint32_t j = generator % (i + 1);
        uint64_t differ = (kinds >> 8 * i ^ kinds >> 8 * j) & 0xFF;
        kinds ^= differ << 8 * i | differ << 8 * j;
    }
    memcpy(bag, &kinds, BAG);
    return generator;
}

// The bag after this one is filled ahead of time, once, so that looking into it costs nothing; what the contract
// calls the generator's state stays behind until that bag is reached (T1.12).
void bag_start(struct tetris_state *s, uint32_t seed)
{
    s->generator = fill_bag(s->order, seed);
    s->generator_ahead = fill_bag(s->order + BAG, s->generator);
    s->taken = 0;
}

static void turn_bag(struct tetris_state *s)
{
    memcpy(s->order, s->order + BAG, BAG);
    s->generator = s->generator_ahead;
    s->generator_ahead = fill_bag(s->order + BAG, s->generator);
    s->taken = 0;
}

int bag_peek(const struct tetris_state *s)
{
    return s->queued ? s->queue[0] : s->order[s->taken];
}

int bag_take(struct tetris_state *s)
{
    if (s->queued) {
        int kind = s->queue[0];
        s->queued--;
        memmove(s->queue, s->queue + 1, TETRIS_QUEUE - 1);
        s->queue[TETRIS_QUEUE - 1] = TETRIS_NONE;
        return kind;
    }
    if (s->taken == BAG)
        turn_bag(s);
    return s->order[s->taken++];
}

const uint8_t *bag_next(const struct tetris_state *s, uint8_t room[TETRIS_NEXT])
{
    if (!s->queued)
        return s->order + s->taken;
    for (int i = 0; i < TETRIS_NEXT; i++)
        room[i] = i < s->queued ? s->queue[i] : s->order[s->taken + i - s->queued];
    return room;
}

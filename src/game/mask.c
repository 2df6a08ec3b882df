#include "game/game.h"

void game_mask(const struct game *g, const void *state, int seat, uint64_t out[GAME_FLAT_WORDS])
{
    struct game_action a;
    memset(out, 0, GAME_FLAT_WORDS * sizeof *out);
    if (g->mask)
        g->mask(state, seat, out);
    for (int i = 1; !g->mask && i < (int)g->flat_size; i++)
        out[i / 64] |= (uint64_t)g->flat(state, seat, i, &a) << i % 64;
}

#include "bots/seated.h"

int seated_next(const struct match *m)
{
    struct game_turn turn = m->game->turn(&m->state);
    if (turn.kind == TURN_FREE && m->steps % (SEATED_PACE + 1) != 0)
        return -1; // a move and its ticks are one round of steps
    return __builtin_ctz(turn.seats);
}

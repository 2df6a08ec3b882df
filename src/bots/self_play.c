#include "bots/self_play.h"

int self_play_next_seat(const struct match *m)
{
    struct game_turn turn = m->game->turn(&m->state);
    if (turn.kind == TURN_FREE && m->steps % (SELF_PLAY_PACE + 1) != 0)
        return -1; // a move and its ticks are one round of steps
    return __builtin_ctz(turn.seats);
}

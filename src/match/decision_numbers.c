#include "match/decision_numbers.h"

void decision_numbers_follow(struct decision_numbers *q, const struct match *m)
{
    struct game_turn turn = m->game->turn(&m->state);
    if (q->is_known && q->number == turn.number)
        return;
    q->is_known = true;
    q->number = turn.number;
    q->asked = turn.seats;
    q->first = m->steps - q->foreign;
}

uint32_t decision_numbers_get(const struct decision_numbers *q, int seat)
{
    if (q->by_number)
        return q->number;
    return (uint32_t)(q->first + (unsigned)__builtin_popcount(q->asked & (SEAT(seat) - 1)));
}

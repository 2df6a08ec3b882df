#include "stats/swing.h"

void swing_shares(const double *part, int seats, double out[GAME_MAX_SEATS])
{
    double whole = 0;
    for (int i = 0; i < seats; i++)
        whole += part[i];
    for (int i = 0; i < seats; i++)
        out[i] = whole > 0 ? part[i] / whole : 1.0 / seats;
}

void swing_sides(double lead, double left, int seats, double out[GAME_MAX_SEATS])
{
    double whole = (lead < 0 ? -lead : lead) + left, first = whole > 0 ? 0.5 + 0.5 * lead / whole : 0.5;
    for (int i = 0; i < seats; i++)
        out[i] = (i % 2 ? 1 - first : first) * 2 / seats;
}

// Those with the highest payoff have won, together.
static void share_victory(const struct game *g, const void *state, int seats, double out[GAME_MAX_SEATS])
{
    int32_t payoff[GAME_MAX_SEATS] = {0}, best = INT32_MIN;
    double won[GAME_MAX_SEATS] = {0};
    g->payoffs(state, payoff);
    for (int i = 0; i < seats; i++)
        best = payoff[i] > best ? payoff[i] : best;
    for (int i = 0; i < seats; i++)
        won[i] = payoff[i] == best;
    swing_shares(won, seats, out);
}

void swing_note(struct swing *s, const struct game *g, swing_chances *chances, const void *state, int seats)
{
    double now[GAME_MAX_SEATS] = {0}, moved = 0;
    if (g->turn(state).kind == TURN_OVER)
        share_victory(g, state, seats, now);
    else
        chances(state, now);
    for (int i = 0; i < seats && s->begun; i++)
        moved += now[i] > s->chance[i] ? now[i] - s->chance[i] : 0; // what some gain the others lose
    uint32_t thousandths = (uint32_t)(1000 * moved + 0.5);
    s->total += thousandths;
    s->largest = thousandths > s->largest ? thousandths : s->largest;
    memcpy(s->chance, now, sizeof now);
    s->begun = true;
}

// Models the match as a race: each deal has one of a few outcomes, until a team reaches the target. Far from the target
// the probability depends on the difference of match points; near it this is too rough, so there is a table.
#include "games/belote/bots/match_equity.h"

#include "games/belote/bots/solve.h"

#include <assert.h>

// How deals end, in cells for the one side and the other, and how often of 64 times.
static const struct {
    uint8_t winner, loser, weight;
} ends[] = {{7, 0, 16}, {4, 3, 13}, {5, 2, 10}, {13, 0, 13}, {8, 0, 4}, {4, 0, 4}, {26, 0, 4}};

static float chance(const struct match_equity *e, int ours, int theirs)
{
    if (ours <= 0 || theirs <= 0)
        return ours > 0 ? 0.0f : theirs > 0 ? 1.0f : 0.5f;
    return e->race[ours][theirs];
}

static void fill_race(struct match_equity *e)
{
    for (int i = 1; i < EQUITY_CELLS; i++)
        for (int j = 1; j < EQUITY_CELLS; j++) {
            float sum = 0;
            for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
                sum += (float)ends[k].weight * (chance(e, i - ends[k].winner, j - ends[k].loser) +
                                                chance(e, i - ends[k].loser, j - ends[k].winner));
            e->race[i][j] = sum / 128;
        }
}

static int to_cells(const struct match_equity *e, int wanted)
{
    int cells = (int)((float)(wanted + EQUITY_CELL - 1) * e->shrink) / EQUITY_CELL;
    return wanted <= 0 ? 0 : cells < 1 ? 1 : cells < EQUITY_CELLS ? cells : EQUITY_CELLS - 1;
}

void match_equity_begin(struct match_equity *e, const struct belote_view *v, int us)
{
    int ours = v->target - v->points[us], theirs = v->target - v->points[1 - us];
    int far = ours > theirs ? ours : theirs, most = EQUITY_CELL * (EQUITY_CELLS - 1);
    e->v = v;
    e->us = us;
    e->shrink = far > most ? (float)most / (float)far : 1.0f;
    fill_race(e);
}

// B7.2-B7.5
static float value_match(const struct match_equity *e, const int32_t gained[2])
{
    assert(e->us == 0 || e->us == 1);
    int32_t points[2] = {e->v->points[0] + gained[0], e->v->points[1] + gained[1]}, target = e->v->target;
    if (e->v->options & BELOTE_SINGLE_DEAL)
        return 0.5f + (float)(gained[e->us] - gained[1 - e->us]) / 512;
    int winner = belote_find_winner(points, &target);
    if (winner != BELOTE_NONE)
        return winner == e->us;
    return chance(e, to_cells(e, target - points[e->us]), to_cells(e, target - points[1 - e->us]));
}

float match_equity_value(const struct match_equity *e, struct contract c, int value)
{
    int all = match_equity_all_points(c.mode), sweep = value > all ? e->us : value < 0 ? 1 - e->us : BELOTE_NONE;
    int ours = value < 0 ? 0 : value > all ? all : value;
    uint16_t points[2];
    points[e->us] = (uint16_t)ours;
    points[1 - e->us] = (uint16_t)(all - ours);
    struct belote_deal d = belote_score(c.mode, c.multiplier, c.team, points, sweep, e->v->clubs_base);
    int32_t gained[2] = {d.match_points[0], d.match_points[1]};
    if (sweep != BELOTE_NONE && c.mode < BELOTE_NO_TRUMPS) {
        if (!e->v->colour_sweep_points)
            return sweep == e->us;
        gained[sweep] = e->v->colour_sweep_points * c.multiplier;
    }
    return value_match(e, gained);
}

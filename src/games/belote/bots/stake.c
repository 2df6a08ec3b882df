// Models the match as a race: each deal has one of a few outcomes, until a team reaches the target. Far from the target
// the probability depends on the difference of match points; near it this is too rough, so there is a table.
#include "games/belote/bots/stake.h"

#include "games/belote/bots/solve.h"

#include <assert.h>

// How deals end, in cells for the one side and the other, and how often of 64 times.
static const struct {
    uint8_t winner, loser, weight;
} ends[] = {{7, 0, 16}, {4, 3, 13}, {5, 2, 10}, {13, 0, 13}, {8, 0, 4}, {4, 0, 4}, {26, 0, 4}};

static float chance(const struct stake *s, int ours, int theirs)
{
    if (ours <= 0 || theirs <= 0)
        return ours > 0 ? 0.0f : theirs > 0 ? 1.0f : 0.5f;
    return s->race[ours][theirs];
}

static void fill_race(struct stake *s)
{
    for (int i = 1; i < STAKE_CELLS; i++)
        for (int j = 1; j < STAKE_CELLS; j++) {
            float sum = 0;
            for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
                sum += (float)ends[k].weight * (chance(s, i - ends[k].winner, j - ends[k].loser) +
                                                chance(s, i - ends[k].loser, j - ends[k].winner));
            s->race[i][j] = sum / 128;
        }
}

static int to_cells(const struct stake *s, int wanted)
{
    int cells = (int)((float)(wanted + STAKE_CELL - 1) * s->shrink) / STAKE_CELL;
    return wanted <= 0 ? 0 : cells < 1 ? 1 : cells < STAKE_CELLS ? cells : STAKE_CELLS - 1;
}

void stake_begin(struct stake *s, const struct belote_view *v, int us)
{
    int ours = v->target - v->points[us], theirs = v->target - v->points[1 - us];
    int far = ours > theirs ? ours : theirs, most = STAKE_CELL * (STAKE_CELLS - 1);
    s->v = v;
    s->us = us;
    s->shrink = far > most ? (float)most / (float)far : 1.0f;
    fill_race(s);
}

// B7.2-B7.5
static float value_match(const struct stake *s, const int32_t gained[2])
{
    assert(s->us == 0 || s->us == 1);
    int32_t points[2] = {s->v->points[0] + gained[0], s->v->points[1] + gained[1]}, target = s->v->target;
    if (s->v->options & BELOTE_SINGLE_DEAL)
        return 0.5f + (float)(gained[s->us] - gained[1 - s->us]) / 512;
    int winner = belote_find_winner(points, &target);
    if (winner != BELOTE_NONE)
        return winner == s->us;
    return chance(s, to_cells(s, target - points[s->us]), to_cells(s, target - points[1 - s->us]));
}

float stake_value(const struct stake *s, struct contract c, int value)
{
    int all = stake_card_points(c.mode), sweep = value > all ? s->us : value < 0 ? 1 - s->us : BELOTE_NONE;
    int ours = value < 0 ? 0 : value > all ? all : value;
    uint16_t points[2];
    points[s->us] = (uint16_t)ours;
    points[1 - s->us] = (uint16_t)(all - ours);
    struct belote_deal d = belote_score(c.mode, c.multiplier, c.team, points, sweep, s->v->clubs_base);
    int32_t gained[2] = {d.match_points[0], d.match_points[1]};
    if (sweep != BELOTE_NONE && c.mode < BELOTE_NO_TRUMPS) {
        if (!s->v->colour_sweep_points)
            return sweep == s->us;
        gained[sweep] = s->v->colour_sweep_points * c.multiplier;
    }
    return value_match(s, gained);
}

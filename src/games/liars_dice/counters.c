// How somebody plays Liar's Dice: whether bids hold as often as the bidder had to expect, and who is rightly called a
// liar.
#include "stats/counters.h"
#include "games/liars_dice/kit.h"
#include "games/liars_dice/rules/liars_dice.h"

enum { BIDS_TRUE, BIDS_EXPECTED, BIDS_CALLED, CALLS_RIGHT, TRUE_FROM_0, FIFTHS = 5 };

static const struct counter list[] = {
    [BIDS_TRUE] = {"bids_true", "percent", COUNTER_SHARE, 1},
    [BIDS_EXPECTED] = {"bids_expected", "percent", COUNTER_MEAN, 0.001}, // chance by the own dice, in thousandths
    [BIDS_CALLED] = {"bids_called", "percent", COUNTER_SHARE, 1},
    [CALLS_RIGHT] = {"calls_right", "percent", COUNTER_SHARE, 1},
    // Calibration: of the bids with a chance in this fifth, those that held.
    [TRUE_FROM_0] = {"true_from_0", "percent", COUNTER_SHARE, 1},
    {"true_from_20", "percent", COUNTER_SHARE, 1},
    {"true_from_40", "percent", COUNTER_SHARE, 1},
    {"true_from_60", "percent", COUNTER_SHARE, 1},
    {"true_from_80", "percent", COUNTER_SHARE, 1},
    {0},
};

static int count_dice(const struct liars_dice_state *s, int who, int face)
{
    uint8_t faces[LIARS_DICE_DICE];
    int count = 0;
    liars_dice_faces(s->hand[who], faces);
    for (int i = 0; i < LIARS_DICE_DICE; i++)
        count += faces[i] && (faces[i] == face || (s->wild_ones && faces[i] == 1));
    return count;
}

// The chance that at least `need` of `dice` unseen dice count, when each does with chance p.
static double chance_of(int need, int dice, double p)
{
    double at[LIARS_DICE_SEATS * LIARS_DICE_DICE + 1] = {1}, sum = 0;
    for (int d = 0; d < dice; d++)
        for (int k = d + 1; k >= 0; k--)
            at[k] = at[k] * (1 - p) + (k ? at[k - 1] * p : 0);
    for (int k = need > 0 ? need : 0; k <= dice; k++)
        sum += at[k];
    return sum;
}

static void count_bid(const struct liars_dice_state *s, int who, int rank, struct counts *c)
{
    int quantity = liars_dice_quantity(rank), face = liars_dice_face(rank), all = 0;
    for (int i = 0; i < s->seats; i++)
        all += count_dice(s, i, face);
    double p = s->wild_ones && face != 1 ? 2.0 / LIARS_DICE_FACES : 1.0 / LIARS_DICE_FACES;
    double chance = chance_of(quantity - count_dice(s, who, face), s->total - s->dice_counts[who], p);
    int thousandths = (int)(1000 * chance + 0.5), fifth = thousandths / 200;
    count_case(c, BIDS_TRUE, all >= quantity);
    count_value(c, BIDS_EXPECTED, thousandths);
    c->at[BIDS_CALLED].of++;
    count_case(c, TRUE_FROM_0 + (fifth < FIFTHS ? fifth : FIFTHS - 1), all >= quantity);
}

static void follow(void *scratch, const struct counters_step *step, struct counts seat[GAME_MAX_SEATS])
{
    (void)scratch;
    for (uint32_t i = 0; step->before && i < step->happened->count; i++) {
        const struct game_event *e = &step->happened->at[i];
        if (e->kind == LIARS_DICE_BADE) {
            count_bid(step->before, e->seat, e->amount, &seat[e->seat]);
        } else if (e->kind == LIARS_DICE_CHALLENGED) {
            struct liars_dice_challenge c = liars_dice_challenge_of(e);
            seat[c.bidder].at[BIDS_CALLED].n++;
            count_case(&seat[c.challenger], CALLS_RIGHT, c.loser == c.bidder);
        }
    }
}

const struct game_counters liars_dice_counters = {list, follow};

void liars_dice_chances(const void *state, double out[GAME_MAX_SEATS])
{
    const struct liars_dice_state *s = state;
    double part[LIARS_DICE_SEATS];
    for (int i = 0; i < s->seats; i++)
        part[i] = s->dice_counts[i];
    swing_shares(part, s->seats, out);
}

// Statistics of a belote player: contracts taken, made and beaten, and points. Only complete deals count.
#include "stats/counters.h"
#include "games/belote/kit.h"
#include "games/belote/rules/belote.h"

enum { TAKEN, CONTRACTS_MADE, CONTRACTS_BEATEN, POINTS };

static const struct counter list[] = {
    [TAKEN] = {"taken", "percent", COUNTER_SHARE, 1},                       // deals whose contract was this seat's word
    [CONTRACTS_MADE] = {"contracts_made", "percent", COUNTER_SHARE, 1},     // of those
    [CONTRACTS_BEATEN] = {"contracts_beaten", "percent", COUNTER_SHARE, 1}, // of the other side's
    [POINTS] = {"points", "points", COUNTER_MEAN, 1},                       // of the side, in a deal
    {0},
};

struct deal {
    uint8_t announcer[BELOTE_MODES]; // seat + 1; 0: nobody
};
_Static_assert(sizeof(struct deal) <= COUNTERS_SCRATCH, "fits into the scratch");

static void end_deal(const struct deal *d, const struct belote_deal_ended *end, struct counts seat[])
{
    const struct belote_deal *result = &end->deal;
    bool made = belote_is_made(result);
    for (int i = 0; i < BELOTE_SEATS; i++) {
        bool taken = d->announcer[result->mode] == i + 1;
        count_case(&seat[i], TAKEN, taken);
        if (taken)
            count_case(&seat[i], CONTRACTS_MADE, made);
        if (belote_team(i) != result->team)
            count_case(&seat[i], CONTRACTS_BEATEN, !made);
        count_value(&seat[i], POINTS, end->gained[belote_team(i)]);
    }
}

static void follow(void *scratch, const struct counters_step *step, struct counts seat[GAME_MAX_SEATS])
{
    struct deal *d = scratch;
    for (uint32_t i = 0; i < step->happened->count; i++) {
        const struct game_event *e = &step->happened->at[i];
        if (e->kind == BELOTE_DEAL_STARTED) {
            *d = (struct deal){0};
        } else if (e->kind == BELOTE_BID && e->data[0] < BELOTE_SAY_ACCEPT) {
            d->announcer[e->data[0]] = (uint8_t)(e->seat + 1);
        } else if (e->kind == BELOTE_DEAL_ENDED) {
            struct belote_deal_ended end;
            memcpy(&end, e->data, sizeof end);
            end_deal(d, &end, seat);
        }
    }
}

const struct game_counters belote_counters = {list, follow};

void belote_chances(const void *state, double out[GAME_MAX_SEATS])
{
    const struct belote_state *s = state;
    int32_t best = s->points[0] > s->points[1] ? s->points[0] : s->points[1], left = s->target - best;
    swing_sides(s->points[0] - s->points[1], left > 0 ? left : 0, BELOTE_SEATS, out);
}

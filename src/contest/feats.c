// What is counted besides winning.
#include "contest/contest.h"
#include "games/belote/belote.h"

#include <string.h>

// B14.11: the announcing team got more match points than the other, or made the Colour sweep itself. 0-0 is no success.
static void follow_belote(struct contest_feats *f, const struct game_event *e)
{
    enum { COLOUR, NO_TRUMPS, ALL_TRUMPS };
    struct belote_deal_ended end;
    if (e->kind != BELOTE_DEAL_ENDED)
        return;
    memcpy(&end, e->data, sizeof end);
    const struct belote_deal *d = &end.deal;
    int kind = d->mode < BELOTE_NO_TRUMPS ? COLOUR : d->mode == BELOTE_NO_TRUMPS ? NO_TRUMPS : ALL_TRUMPS;
    bool more = d->match_points[d->team] > d->match_points[1 - d->team];
    f->parts++;
    for (int side = 0; side < CONTEST_SIDES; side++)
        f->tally[side] += d->card_points[side];
    f->tried[d->team][kind]++;
    if (more || (kind == COLOUR && d->sweep == d->team))
        f->made[d->team][kind]++;
}

// B14.21: what a team has, seats 0 and 2 being the first.
int32_t contest_belote_points(const void *view, int seat)
{
    return ((const struct belote_view *)view)->points[belote_team(seat)];
}

const struct contest_feat_kinds contest_belote_feats = {.title = "contracts made",
                                                        .part = "deal",
                                                        .parts = "deals",
                                                        .tally = "card points",
                                                        .name = {"Colour", "NoTrumps", "AllTrumps"},
                                                        .follow = follow_belote};

// What contests count and compare in belote.
#include "games/belote/kit.h"
#include "games/belote/rules/belote.h"

// B14.11
bool belote_is_made(const struct belote_deal *d)
{
    bool more = d->match_points[d->team] > d->match_points[1 - d->team];
    return more || (d->mode < BELOTE_NO_TRUMPS && d->sweep == d->team);
}

static void follow_belote(struct contest_attempts *f, const struct game_event *e)
{
    enum { COLOUR, NO_TRUMPS, ALL_TRUMPS };
    enum { COLOUR_CARD_POINTS = 162 };
    struct belote_deal_ended end;
    if (e->kind == BELOTE_DISCONNECTED) { // a forfeited deal counts as a deal that the others win completely
        f->parts++;
        f->tally[1 - belote_team(e->seat)] += COLOUR_CARD_POINTS;
    }
    if (e->kind != BELOTE_DEAL_ENDED)
        return;
    memcpy(&end, e->data, sizeof end);
    const struct belote_deal *d = &end.deal;
    int kind = d->mode < BELOTE_NO_TRUMPS ? COLOUR : d->mode == BELOTE_NO_TRUMPS ? NO_TRUMPS : ALL_TRUMPS;
    f->parts++;
    for (int side = 0; side < CONTEST_SIDES; side++)
        f->tally[side] += d->card_points[side];
    f->tried[d->team][kind]++;
    if (belote_is_made(d))
        f->made[d->team][kind]++;
}

// What the other team gets for a deal that was forfeited: what a sweep in its contract pays (B6.1, B7.5), of Colour
// where there is none yet. So a team that gives up a deal never gets more from it than a team that loses it.
static int32_t forfeited_deal(const struct belote_view *v)
{
    enum { USUAL_SWEEP = 25, NO_TRUMPS_SWEEP = 90, ALL_TRUMPS_SWEEP = 35 };
    int32_t colour = v->colour_sweep_points ? v->colour_sweep_points : USUAL_SWEEP;
    if (v->mode == BELOTE_NONE)
        return colour;
    return v->multiplier * (v->mode == BELOTE_NO_TRUMPS    ? NO_TRUMPS_SWEEP
                            : v->mode == BELOTE_ALL_TRUMPS ? ALL_TRUMPS_SWEEP
                                                           : colour);
}

// B14.21: what a team has, seats 0 and 2 being the first. B7.6 leaves the points of a forfeited match as they were;
// here it counts as won with the whole target, as a Swiss rating takes it, however far ahead the one who left was.
static int32_t points_of(const void *view, int seat)
{
    const struct belote_view *v = view;
    int team = belote_team(seat);
    if (v->left == BELOTE_NONE)
        return v->points[team];
    if (team == belote_team(v->left))
        return 0;
    if (v->options & BELOTE_SINGLE_DEAL)
        return forfeited_deal(v);
    return v->points[team] > v->target ? v->points[team] : v->target;
}

static const struct contest_attempt_kinds attempts = {.title = "contracts made",
                                                      .part = "deal",
                                                      .parts = "deals",
                                                      .tally = "card points",
                                                      .name = {"Colour", "NoTrumps", "AllTrumps"},
                                                      .follow = follow_belote};

static int32_t match_target(const void *rules)
{
    const struct belote_rules *r = rules;
    return r->options & BELOTE_SINGLE_DEAL ? 0 : r->target;
}

static bool is_single_deal(const void *rules)
{
    return ((const struct belote_rules *)rules)->options & BELOTE_SINGLE_DEAL;
}

static const struct contest_stake deal_points = {.of = "points", .unit = "points/deal"};

const struct contest_facts belote_contest = {
    .points = points_of,
    .unit_rules = "{\"single_deal\":true,\"colour_sweep_points\":25}",
    .first_rule = "dealer",
    .mirror_rule = "equal_deals",
    .attempts = &attempts,
    .target = match_target,
    .stake = &deal_points,
    .whole = &deal_points,
    .has_stake = is_single_deal,
};

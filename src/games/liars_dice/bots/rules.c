#include "games/liars_dice/bots/bots.h"

#include "games/liars_dice/bots/odds.h"
#include "games/liars_dice/rules/liars_dice.h"

#include <assert.h>
#include <string.h>

struct thought {
    const struct liars_dice_view *v;
    int own[LIARS_DICE_FACES + 1]; // dice in hand that count for a bid on the face
    int hidden;                    // dice of the others
    const float *plain, *wild;     // odds of those for a bid that ones do not help, and for one that they do
};

static struct thought think(const struct liars_dice_view *v)
{
    int hidden = v->total - v->dice_counts[v->viewer], row = hidden * (hidden - 1) / 2;
    assert(hidden <= ODDS_DICE); // whoever is asked has a die
    struct thought th = {.v = v, .hidden = hidden, .plain = plain_odds + row};
    for (int i = 0; i < v->dice_counts[v->viewer]; i++)
        th.own[v->dice[i]]++;
    for (int face = 2; v->wild_ones && face <= LIARS_DICE_FACES; face++)
        th.own[face] += th.own[1];
    th.wild = v->wild_ones ? wild_odds + row : th.plain;
    return th;
}

static float at_least(const struct thought *th, const float *odds, int needed)
{
    return needed <= 0 ? 1 : needed > th->hidden ? 0 : odds[needed - 1];
}

static float chance_of(const struct thought *th, int rank)
{
    int face = liars_dice_face(rank), needed = liars_dice_quantity(rank) - th->own[face];
    return at_least(th, face == 1 ? th->plain : th->wild, needed);
}

// How many dice may be needed of the others for a bid that is as likely as wished. Fewer are always likelier.
static int needed_at_most(const struct thought *th, const float *odds, float wish)
{
    int needed = 0;
    while (at_least(th, odds, needed + 1) >= wish)
        needed++;
    return needed;
}

// The highest bid that is still as likely as wished; the likeliest one when none is, of equal ones the lowest.
static int best_bid(const struct thought *th, float wish)
{
    const int lowest = th->v->bid + 1;
    const int plain = needed_at_most(th, th->plain, wish), wild = needed_at_most(th, th->wild, wish);
    int best = 0;
    for (int face = 1; face <= LIARS_DICE_FACES; face++) {
        int quantity = th->own[face] + (face == 1 ? plain : wild);
        int rank = liars_dice_rank(quantity < th->v->total ? quantity : th->v->total, face);
        if (quantity > 0 && rank > best)
            best = rank;
    }
    if (best >= lowest)
        return best;
    best = lowest;
    for (int rank = lowest + 1; rank < lowest + LIARS_DICE_FACES && rank <= LIARS_DICE_FACES * th->v->total; rank++)
        if (chance_of(th, rank) > chance_of(th, best))
            best = rank;
    return best;
}

// Whoever bids usually holds some of it: the bid is likelier than the dice alone say.
static float doubt(const struct thought *th)
{
    enum { TRUST_PERCENT = 20 };
    float chance = chance_of(th, th->v->bid);
    return (1 - chance) * (1 - TRUST_PERCENT / 100.0f);
}

static struct game_action choose(const struct bot_ask *ask)
{
    const struct game_action challenge = {.kind = LIARS_DICE_CHALLENGE};
    const struct liars_dice_view *v = ask->view;
    struct thought th = think(v);
    if (v->bid == LIARS_DICE_FACES * v->total)
        return challenge;
    // A bluff now and then: bid as if less were wished, and as if it were rarely called.
    bool bluffs = (float)rng_below(ask->dice, 1000) < 300 * ask->aggro;
    int bid = best_bid(&th, bluffs ? 0.35f : 0.65f);
    float chance = chance_of(&th, bid), stands = chance + (1 - chance) * (bluffs ? 0.5f : 0.2f);
    if (v->bid && doubt(&th) > stands)
        return challenge;
    return (struct game_action){.kind = LIARS_DICE_BID, .amount = bid};
}

const struct bot liars_dice_rules_bot = {.name = "rules", .game = "liars_dice", .choose = choose};

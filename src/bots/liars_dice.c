#include "bots/liars_dice.h"

#include "games/liars_dice/liars_dice.h"

#include <string.h>

enum { HIDDEN_MAX = LIARS_DICE_SEATS * LIARS_DICE_DICE };

// at_least[k]: the chance that at least k of some hidden dice count for a bid.
struct tail {
    float at_least[HIDDEN_MAX + 2];
};

// Die by die: with one more, at least k count when k did before, or k - 1 did and this one does.
static struct tail tail_of(int dice, float each)
{
    struct tail t = {.at_least = {1}};
    for (int n = 0; n < dice; n++)
        for (int k = n + 1; k > 0; k--)
            t.at_least[k] += each * (t.at_least[k - 1] - t.at_least[k]);
    return t;
}

struct thought {
    const struct liars_dice_view *v;
    int own[LIARS_DICE_FACES + 1]; // dice in hand that count for a bid on the face
    struct tail plain, wild;       // hidden dice for a bid that ones do not help, and for one that they do
};

static struct thought think(const struct liars_dice_view *v)
{
    struct thought th = {.v = v};
    int hidden = v->total - v->dice_counts[v->viewer];
    for (int i = 0; i < v->dice_counts[v->viewer]; i++)
        th.own[v->dice[i]]++;
    for (int face = 2; v->wild_ones && face <= LIARS_DICE_FACES; face++)
        th.own[face] += th.own[1];
    th.plain = tail_of(hidden, 1.0f / 6);
    th.wild = v->wild_ones ? tail_of(hidden, 1.0f / 3) : th.plain;
    return th;
}

static float chance_of(const struct thought *th, int rank)
{
    int face = liars_dice_face(rank), needed = liars_dice_quantity(rank) - th->own[face];
    const struct tail *t = face == 1 ? &th->plain : &th->wild;
    return needed > 0 ? t->at_least[needed] : 1;
}

// How many dice may be needed of the others for a bid that is as likely as wished. Fewer are always likelier.
static int needed_at_most(const struct tail *t, float wish)
{
    int needed = 0;
    while (t->at_least[needed + 1] >= wish)
        needed++;
    return needed;
}

// The highest bid that is still as likely as wished; the likeliest one when none is, of equal ones the lowest.
static int best_bid(const struct thought *th, float wish)
{
    const int lowest = th->v->bid + 1;
    const int plain = needed_at_most(&th->plain, wish), wild = needed_at_most(&th->wild, wish);
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

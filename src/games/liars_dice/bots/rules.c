#include "games/liars_dice/bots/bots.h"

#include "games/liars_dice/bots/bid_odds.h"
#include "games/liars_dice/bots/odds.h"

#include <assert.h>
#include <string.h>

struct bid_odds bid_odds_of(const uint8_t faces[LIARS_DICE_FACES + 1], int hidden, int total, int bid, bool wild_ones)
{
    int row = hidden * (hidden - 1) / 2;
    assert(hidden <= ODDS_DICE); // the seat to act has a die
    struct bid_odds o = {.hidden = hidden, .total = total, .bid = bid, .plain = plain_odds + row};
    for (int face = 1; face <= LIARS_DICE_FACES; face++)
        o.own[face] = faces[face] + (wild_ones && face > 1 ? faces[1] : 0);
    o.wild = wild_ones ? wild_odds + row : o.plain;
    return o;
}

static float at_least(const struct bid_odds *o, const float *odds, int needed)
{
    return needed <= 0 ? 1 : needed > o->hidden ? 0 : odds[needed - 1];
}

float bid_odds_chance(const struct bid_odds *o, int rank)
{
    int face = liars_dice_face(rank), needed = liars_dice_quantity(rank) - o->own[face];
    return at_least(o, face == 1 ? o->plain : o->wild, needed);
}

// How many dice may be needed of the others for a bid that is as likely as wished. Fewer are always likelier.
static int needed_at_most(const struct bid_odds *o, const float *odds, float wish)
{
    int needed = 0;
    while (at_least(o, odds, needed + 1) >= wish)
        needed++;
    return needed;
}

// The highest bid that is still as likely as wished; the likeliest one when none is, of equal ones the lowest.
static int best_bid(const struct bid_odds *o, float wish)
{
    const int lowest = o->bid + 1;
    const int plain = needed_at_most(o, o->plain, wish), wild = needed_at_most(o, o->wild, wish);
    int best = 0;
    for (int face = 1; face <= LIARS_DICE_FACES; face++) {
        int quantity = o->own[face] + (face == 1 ? plain : wild);
        int rank = liars_dice_rank(quantity < o->total ? quantity : o->total, face);
        if (quantity > 0 && rank > best)
            best = rank;
    }
    if (best >= lowest)
        return best;
    best = lowest;
    for (int rank = lowest + 1; rank < lowest + LIARS_DICE_FACES && rank <= LIARS_DICE_FACES * o->total; rank++)
        if (bid_odds_chance(o, rank) > bid_odds_chance(o, best))
            best = rank;
    return best;
}

// Whoever bids usually holds some of it: the bid is likelier than the dice alone say.
static float chance_of_lie(const struct bid_odds *o, float trust)
{
    float chance = bid_odds_chance(o, o->bid);
    return (1 - chance) * (1 - trust);
}

const struct bid_manner bid_manner_usual = {0.65f, 0.2f};

int bid_odds_decide(const struct bid_odds *o, struct bid_manner manner, bool bluffs)
{
    if (o->bid == LIARS_DICE_FACES * o->total)
        return 0;
    // A bluff now and then: bid as if less were wished, and as if it were rarely called.
    int bid = best_bid(o, bluffs ? 0.35f : manner.wish);
    float chance = bid_odds_chance(o, bid), stands = chance + (1 - chance) * (bluffs ? 0.5f : 0.2f);
    return o->bid && chance_of_lie(o, manner.trust) > stands ? 0 : bid;
}

// N2.5
static struct bid_manner manner_of(const struct bot_ask *ask)
{
    struct bid_manner m = bid_manner_usual;
    m.wish += bot_leans(ask, BOT_TIGHT) ? 0.15f : bot_leans(ask, BOT_LOOSE) ? -0.15f : 0;
    m.trust += bot_leans(ask, BOT_CALLER) ? -0.2f : bot_leans(ask, BOT_LOOSE) ? 0.15f : 0;
    return m;
}

static struct game_action choose(const struct bot_ask *ask)
{
    const struct liars_dice_view *v = ask->view;
    uint8_t faces[LIARS_DICE_FACES + 1] = {0};
    int own = v->dice_counts[v->viewer];
    for (int i = 0; i < own; i++)
        faces[v->dice[i]]++;
    struct bid_odds o = bid_odds_of(faces, v->total - own, v->total, v->bid, v->wild_ones);
    float often = bot_leans(ask, BOT_BLUFFER) ? 900 : 300;
    bool bluffs = v->bid < LIARS_DICE_FACES * v->total && (float)rng_below(ask->dice, 1000) < often * ask->aggro;
    return liars_dice_answer(bid_odds_decide(&o, manner_of(ask), bluffs));
}

const struct bot liars_dice_rules_bot = {
    .name = "rules", .game = "liars_dice", .choose = choose, .knows = BOT_TIGHT | BOT_LOOSE | BOT_BLUFFER | BOT_CALLER};

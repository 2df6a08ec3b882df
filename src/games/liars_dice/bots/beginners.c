// The bots `odds` and `novice`: no memory, only the odds of the hidden dice.
#include "games/liars_dice/bots/bid_odds.h"
#include "games/liars_dice/bots/bots.h"

enum { BLUNDER_PERCENT = 25 };

// Challenges a bid that is less likely than not; otherwise the likeliest of the next six bids, the lowest of equals.
static struct game_action by_odds(const struct bot_ask *ask)
{
    const struct liars_dice_view *v = ask->view;
    uint8_t faces[LIARS_DICE_FACES + 1] = {0};
    int own = v->dice_counts[v->viewer], most = LIARS_DICE_FACES * v->total, best = v->bid + 1;
    for (int i = 0; i < own; i++)
        faces[v->dice[i]]++;
    struct bid_odds o = bid_odds_of(faces, v->total - own, v->total, v->bid, v->wild_ones);
    if (v->bid && (v->bid == most || bid_odds_chance(&o, v->bid) < 0.5f))
        return liars_dice_answer(0);
    for (int rank = best; rank <= most && rank <= v->bid + LIARS_DICE_FACES; rank++)
        if (bid_odds_chance(&o, rank) > bid_odds_chance(&o, best))
            best = rank;
    return liars_dice_answer(best);
}

static struct game_action choose_novice(const struct bot_ask *ask)
{
    if (rng_below(ask->dice, 100) < BLUNDER_PERCENT)
        return bot_pick_uniform(ask->choices, ask->count, ask->dice);
    return by_odds(ask);
}

const struct bot liars_dice_novice_bot = {.name = "novice", .game = "liars_dice", .choose = choose_novice};
const struct bot liars_dice_plain_bot = {.name = "odds", .game = "liars_dice", .choose = by_odds};

#include "games/belote/bots/playout.h"

#include "games/belote/bots/solve.h"

#include <string.h>

static int pick_card(const struct table *t, uint32_t hand)
{
    uint32_t legal = card_weight_list_legal(t, hand);
    int best = __builtin_ctz(legal);
    if (!(legal & (legal - 1)))
        return best;
    struct look l = card_weight_look(t, hand);
    float high = card_weight_of(&l, best);
    for (uint32_t rest = legal & (legal - 1); rest; rest &= rest - 1) {
        float weight = card_weight_of(&l, __builtin_ctz(rest));
        if (weight > high) {
            high = weight;
            best = __builtin_ctz(rest);
        }
    }
    return best;
}

int playout_value(struct table t, const uint32_t held[BELOTE_SEATS], int card, unsigned sweep, int us)
{
    uint32_t left[BELOTE_SEATS];
    int taken = 0;
    memcpy(left, held, sizeof left);
    for (;;) {
        left[t.seat] &= ~(1u << card);
        int team = card_weight_play(&t, card);
        if (team != BELOTE_NONE) {
            taken += team == us ? t.lying : 0;
            sweep &= 1u << team;
        }
        if (t.plays == BELOTE_CARDS)
            break;
        card = pick_card(&t, left[t.seat]);
    }
    taken += belote_team(t.taker) == us ? BELOTE_LAST_TRICK : 0;
    return taken + (sweep == 0 ? 0 : sweep == 1u << us ? SOLVE_SWEEP : -SOLVE_SWEEP);
}

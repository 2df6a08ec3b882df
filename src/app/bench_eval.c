// The seven-card evaluator over random hands, one call for each.
#include "app/bench.h"

#include "game/cards.h"
#include "games/texas_holdem/rules/eval.h"

enum { HANDS = 65536, HAND_CARDS = 7 }; // so many that branch prediction cannot learn them

static uint8_t hands[HANDS][HAND_CARDS];

static void deal_hands(struct bench_dice *dice)
{
    uint8_t deck[CARDS_IN_DECK];
    for (int i = 0; i < CARDS_IN_DECK; i++)
        deck[i] = (uint8_t)i;
    for (int h = 0; h < HANDS; h++)
        for (uint32_t i = 0; i < HAND_CARDS; i++) {
            uint32_t j = i + bench_draw_below(dice, CARDS_IN_DECK - i);
            uint8_t card = deck[j];
            deck[j] = deck[i];
            hands[h][i] = deck[i] = card;
        }
}

uint64_t bench_eval_hands(const struct bench_case *c, struct bench_dice *dice, uint64_t units)
{
    static volatile uint64_t sink; // keeps the work from being optimised away
    static bool dealt;
    (void)c;
    if (!dealt)
        deal_hands(dice);
    dealt = true;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < units; i++)
        sum += (uint64_t)eval7(hands[i % HANDS]);
    sink = sum;
    (void)sink;
    return units;
}

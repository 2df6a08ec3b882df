// The evaluation tables, made when the module is loaded: shipped they would be 106 kB, compressed. The program's
// perfect hash takes seconds to find; here a rank is worth a power of five, which keeps all sums apart, and an ordinary
// hash table finds them.
#include "games/texas_holdem/rules/tables/eval_make.h"

enum { SLOT_BITS = 17, SLOTS = 1 << SLOT_BITS };

uint64_t eval_card_worth[52];
uint16_t eval_by_suit_mask[EVAL_SUIT_MASKS];

static uint32_t slot_sum[SLOTS]; // 0: free; seven cards never sum up to it, for the two is worth 1
static uint16_t slot_strength[SLOTS];

static uint32_t slot_of(uint32_t sum)
{
    return sum * UINT32_C(0x9e3779b1) >> (32 - SLOT_BITS);
}

int eval_by_worth(uint32_t ranks)
{
    uint32_t at = slot_of(ranks);
    while (slot_sum[at] != ranks)
        at = (at + 1) % SLOTS;
    return slot_strength[at];
}

static void put(uint32_t sum, uint16_t strength)
{
    uint32_t at = slot_of(sum);
    while (slot_sum[at])
        at = (at + 1) % SLOTS;
    slot_sum[at] = sum;
    slot_strength[at] = strength;
}

void module_start(void);

__attribute__((export_name("module_start"))) void module_start(void)
{
    uint32_t worth = 1;
    for (int rank = 0; rank < RANKS; rank++, worth *= 5)
        rank_worth[rank] = worth;
    list_hands();
    for (int i = 0; i < ranking_count; i++)
        put(rankings[i].sum, strength_of(rankings[i].value));
    for (int card = 0; card < 52; card++)
        eval_card_worth[card] = card_worth(card);
    memcpy(eval_by_suit_mask, by_suit_mask, sizeof by_suit_mask);
}

#include "games/leduc_poker/bots/bots.h"

#include "games/leduc_poker/rules/leduc_poker.h"
#include "solve/policy.h"

extern const struct bot_table leduc_poker_table; // share/tables/leduc_poker.table

uint64_t leduc_poker_key(const void *view)
{
    const struct hands_view *v = view;
    uint64_t key = (uint64_t)card_rank(v->card) << 56;
    if (v->public_card != CARD_NONE)
        key |= (uint64_t)(card_rank(v->public_card) + 1) << 48;
    for (int r = 0, at = 0; r < LEDUC_POKER_ROUNDS; r++)
        for (int i = 0; i < LEDUC_POKER_ACTIONS; i++, at += 3)
            key |= (uint64_t)v->action[r][i] << at;
    return key;
}

const struct bot leduc_poker_solved_bot = {
    .name = "solved",
    .game = "leduc_poker",
    .choose = policy_choose,
    .mix = policy_mix,
    .table = &leduc_poker_table,
    .key = leduc_poker_key,
};

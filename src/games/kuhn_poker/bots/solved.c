#include "games/kuhn_poker/bots/bots.h"

#include "games/kuhn_poker/rules/kuhn_poker.h"
#include "solve/policy.h"

extern const struct bot_table kuhn_poker_table; // share/tables/kuhn_poker.table

uint64_t kuhn_poker_key(const void *view)
{
    const struct hands_view *v = view;
    uint64_t key = (uint64_t)card_rank(v->card) << 32;
    for (int i = 0; i < v->acted[0]; i++)
        key |= (uint64_t)v->action[0][i] << 8 * i;
    return key;
}

const struct bot kuhn_poker_solved_bot = {
    .name = "solved",
    .game = "kuhn_poker",
    .choose = policy_choose,
    .mix = policy_mix,
    .table = &kuhn_poker_table,
    .key = kuhn_poker_key,
};

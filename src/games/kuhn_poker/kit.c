#include "kit/kit.h"

#include "games/kuhn_poker/codec.h"
#include "games/kuhn_poker/rules/kuhn_poker.h"

static const struct contest_facts contest = {.unit_rules = "{\"max_hands\":1}", .first_rule = "starter"};

const struct game_kit kuhn_poker_kit = {
    .game = &kuhn_poker_game,
    .codec = &kuhn_poker_codec,
    .contest = &contest,
};

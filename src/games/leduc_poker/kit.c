#include "kit/kit.h"

#include "games/leduc_poker/codec.h"
#include "games/leduc_poker/rules/leduc_poker.h"

static const struct contest_facts contest = {.unit_rules = "{\"max_hands\":1}", .first_rule = "starter"};

const struct game_kit leduc_poker_kit = {
    .game = &leduc_poker_game,
    .codec = &leduc_poker_codec,
    .contest = &contest,
};

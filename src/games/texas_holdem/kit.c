#include "games/texas_holdem/kit.h"

#include "games/texas_holdem/arena.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

const struct game_kit texas_holdem_kit = {
    .game = &texas_holdem_game,
    .codec = &texas_holdem_codec,
    .bots = KIT_BOTS(&texas_holdem_rules_bot),
    .level = {&bot_random, &texas_holdem_rules_bot, &texas_holdem_rules_bot, &texas_holdem_rules_bot,
              &texas_holdem_rules_bot},
    .arena = &texas_holdem_arena,
    .environment = &texas_holdem_environment,
    .picture = &texas_holdem_picture,
    .contest = &texas_holdem_contest,
};

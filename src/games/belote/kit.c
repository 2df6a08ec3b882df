#include "games/belote/kit.h"

#include "games/belote/arena.h"
#include "games/belote/bots/bots.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"

const struct game_kit belote_kit = {
    .game = &belote_game,
    .codec = &belote_codec,
    .bots = KIT_BOTS(&belote_search_bot, &belote_rules_bot, &belote_calc_bot),
    .level = {&bot_random, &belote_rules_bot, &belote_rules_bot, &belote_search_bot, &belote_search_bot},
    .arena = &belote_arena,
    .environment = &belote_environment,
    .picture = &belote_picture,
    .contest = &belote_contest,
};

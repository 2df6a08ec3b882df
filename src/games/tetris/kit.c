#include "games/tetris/kit.h"

#include "games/tetris/analysis.h"
#include "games/tetris/bots/bots.h"
#include "games/tetris/codec.h"
#include "games/tetris/rules/tetris.h"

static const struct kit_deck deck = {
    .key = "queue",
    .items = "['I','O','T','S','Z','J','L','I','O','T','S','Z','J','L']",
    .swapped = {9, 10},
    .more = "{}",
};

static const struct kit_batch batches[] = {{"placements", 1, false, {1.2, 1.2}}, {"inputs", 1, true, {1.8, 1.7}}, {0}};

const struct game_kit tetris_kit = {
    .game = &tetris_game,
    .codec = &tetris_codec,
    .bots = KIT_BOTS(&tetris_beam_bot, &tetris_glance_bot, &tetris_rules_bot, &tetris_plain_bot, &tetris_novice_bot),
    .level = {&tetris_novice_bot, &tetris_plain_bot, &tetris_rules_bot, &tetris_glance_bot, &tetris_beam_bot},
    .environment = &tetris_environment,
    .picture = &tetris_picture,
    .contest = &tetris_contest,
    .deck = &deck,
    .inputs = TETRIS_HOLD,
    .analysis = &tetris_analysis,
    .batches = batches,
};

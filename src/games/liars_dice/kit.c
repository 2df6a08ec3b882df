#include "games/liars_dice/kit.h"

#include "games/liars_dice/analysis.h"
#include "games/liars_dice/arena.h"
#include "games/liars_dice/bots/bots.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/rules/liars_dice.h"
#include "games/liars_dice/solve.h"

static const struct contest_facts contest = {.first_rule = "starter"};

static const struct kit_deck deck = {
    .key = "dice",
    .items = "[[1,2,3,4,5],[1,1,2,3,6],[2,2,4,5,6],[3,3,3,4,4]]",
    .swapped = {1, 2},
    .more = "{'starter':0}",
};

static const struct kit_bench bench = {2, 6.8, "OpenSpiel", 0.68};
static const struct kit_batch batches[] = {{"2", 2, false, {3.0, 1.7}}, {0}};

const struct game_kit liars_dice_kit = {
    .game = &liars_dice_game,
    .codec = &liars_dice_codec,
    .french = "Dés du menteur",
    .bots = KIT_BOTS(&liars_dice_solved_bot, &liars_dice_beliefs_bot, &liars_dice_rules_bot, &liars_dice_plain_bot,
                     &liars_dice_novice_bot),
    .level = {&liars_dice_novice_bot, &liars_dice_plain_bot, &liars_dice_rules_bot, &liars_dice_beliefs_bot,
              &liars_dice_solved_bot},
    .solve = &liars_dice_solve,
    .analysis = &liars_dice_analysis,
    .arena = &liars_dice_arena,
    .environment = &liars_dice_environment,
    .picture = &liars_dice_picture,
    .contest = &contest,
    .deck = &deck,
    .counters = &liars_dice_counters,
    .chances = liars_dice_chances,
    .bench = &bench,
    .batches = batches,
};

#include "games/coup/kit.h"

#include "games/coup/analysis.h"
#include "games/coup/arena.h"
#include "games/coup/best_response.h"
#include "games/coup/bots/bots.h"
#include "games/coup/codec.h"
#include "games/coup/rules/coup.h"

static const struct contest_facts contest = {.first_rule = "starter"};

static const struct kit_deck deck = {
    .key = "deck",
    .items = "['Duke','Assassin','Captain','Ambassador','Contessa','Duke','Assassin','Captain','Ambassador','Contessa',"
             "'Duke','Assassin','Captain','Ambassador','Contessa']",
    .swapped = {7, 8}, // the last one dealt to four seats, and the next
    .more = "{'starter':0}",
};

static const struct kit_bench bench = {4, 4, "OpenSpiel social_deduction", 1.39};
static const struct kit_batch batches[] = {{"4", 4, false, {1.5, 1.2}}, {0}};

const struct game_kit coup_kit = {
    .game = &coup_game,
    .codec = &coup_codec,
    .bots = KIT_BOTS(&coup_search_bot, &coup_glance_bot, &coup_honest_bot, &coup_rules_bot, &coup_novice_bot),
    .level = {&coup_novice_bot, &coup_rules_bot, &coup_honest_bot, &coup_glance_bot, &coup_search_bot},
    .arena = &coup_arena,
    .environment = &coup_environment,
    .picture = &coup_picture,
    .contest = &contest,
    .deck = &deck,
    .counters = &coup_counters,
    .chances = coup_chances,
    .analysis = &coup_analysis,
    .solve = &coup_best_response,
    .bench = &bench,
    .batches = batches,
};

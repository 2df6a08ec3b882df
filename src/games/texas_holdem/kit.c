#include "games/texas_holdem/kit.h"

#include "games/texas_holdem/analysis.h"
#include "games/texas_holdem/arena.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"
#include "games/texas_holdem/solve.h"

static const struct kit_deck deck = {
    .key = "deck",
    .items =
        "['2c','3c','4c','5c','6c','7c','8c','9c','Tc','Jc','Qc','Kc','Ac','2d','3d','4d','5d','6d','7d','8d','9d','Td'"
        ","
        "'Jd','Qd','Kd','Ad','2h','3h','4h','5h','6h','7h','8h','9h','Th','Jh','Qh','Kh','Ah','2s','3s','4s','5s','6s',"
        "'7s','8s','9s','Ts','Js','Qs','Ks','As']",
    .swapped = {0, 1}, // to seats 1 and 2: the first card goes behind the button
    .more = "{'button':0}",
};

static const struct kit_bench bench = {2, 6.1, "ACPC dealer", 3.06};
static const struct kit_batch batches[] = {{"2", 2, false, {1.6, 1.2}}, {"6", 6, false, {1.2, 1.0}}, {0}};

const struct game_kit texas_holdem_kit = {
    .game = &texas_holdem_game,
    .codec = &texas_holdem_codec,
    .french = "Texas Hold'em sans limite",
    .bots = KIT_BOTS(&texas_holdem_solved_bot, &texas_holdem_outline_bot, &texas_holdem_rules_bot,
                     &texas_holdem_plain_bot, &texas_holdem_novice_bot),
    .level = {&texas_holdem_novice_bot, &texas_holdem_plain_bot, &texas_holdem_rules_bot, &texas_holdem_outline_bot,
              &texas_holdem_solved_bot},
    .solve = &texas_holdem_solve,
    .analysis = &texas_holdem_analysis,
    .arena = &texas_holdem_arena,
    .environment = &texas_holdem_environment,
    .picture = &texas_holdem_picture,
    .contest = &texas_holdem_contest,
    .deck = &deck,
    .counters = &texas_holdem_counters,
    .chances = texas_holdem_chances,
    .bench = &bench,
    .batches = batches,
};

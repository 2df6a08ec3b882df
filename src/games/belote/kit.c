#include "games/belote/kit.h"

#include "games/belote/analysis.h"
#include "games/belote/arena.h"
#include "games/belote/bots/bots.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"

static const struct kit_deck deck = {
    .key = "deck",
    .items =
        "['7c','8c','9c','Tc','Jc','Qc','Kc','Ac','7d','8d','9d','Td','Jd','Qd','Kd','Ad','7h','8h','9h','Th','Jh',"
        "'Qh','Kh','Ah','7s','8s','9s','Ts','Js','Qs','Ks','As']",
    .swapped = {19, 22}, // behind the cut the second and the third seat's
    .more = "{'dealer':3,'cut':{'position':16,'from_top':true}}",
};

static const struct kit_bench bench = {4, 6.7, "OpenSpiel skat", 0.67};
static const struct kit_batch batches[] = {{"4", 4, false, {1.5, 1.1}}, {0}};

const struct game_kit belote_kit = {
    .game = &belote_game,
    .codec = &belote_codec,
    .bots = KIT_BOTS(&belote_reader_bot, &belote_glance_bot, &belote_search_bot, &belote_rules_bot, &belote_calc_bot,
                     &belote_novice_bot),
    .level = {&belote_novice_bot, &belote_calc_bot, &belote_rules_bot, &belote_glance_bot, &belote_reader_bot},
    .arena = &belote_arena,
    .environment = &belote_environment,
    .picture = &belote_picture,
    .contest = &belote_contest,
    .deck = &deck,
    .counters = &belote_counters,
    .chances = belote_chances,
    .analysis = &belote_analysis,
    .bench = &bench,
    .batches = batches,
};

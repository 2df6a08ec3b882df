// Malagasy Belote as players say it.
#include "codec/speech.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"
#include "games/belote/text.h"

#define MODE                                                                                                           \
    {                                                                                                                  \
        "mode", "MODE", SPEECH_WORD, belote_mode_names                                                                 \
    }

static const struct speech_phrase phrases[] = {
    {"cut", {{"position", "POSITION", SPEECH_NUMBER, NULL}}},
    {"announce", {MODE}},
    {"accept", {{0}}},
    {"double", {MODE}},
    {"redouble", {MODE}},
    {"play_card", {{"card", "CARD", SPEECH_CARD, NULL}}},
    {NULL, {{0}}},
};

static const struct speech_alias aliases[] = {{"play", "play_card"}, {"pass", "accept"}, {"bid", "announce"}, {0}};

const struct codec_speech belote_speech = {
    .version = 1,
    .legend =
        "POSITION is how many cards you lift. MODE is a contract as the rules name them. CARD is rank and suit, as "
        "Tc.\n",
    .phrases = phrases,
    .aliases = aliases,
    .parts = (const uint8_t[]){BELOTE_DEAL_STARTED, 0},
    .part_names = "deals",
    .amount = "POSITION is a whole number.",
};

// Malagasy Belote as players say it.
#include "codec/speech.h"
#include "games/belote/codec.h"
#include "games/belote/prose.h"
#include "games/belote/rules/belote.h"

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

static const struct speech_event events[] = {
    {"deal_started", NULL, NULL, "deal {deal_number}, {dealer} deals"},
    {"negotiation_completed", NULL, NULL, "{mode} x{multiplier} is played for team {team}"},
    {"card_played", NULL, NULL, "{player} plays {card}"},
    {"trick_completed", NULL, NULL, "{winner} takes the trick, {points} points"},
    {"deal_ended", NULL, NULL, "deal over: teams 1 and 2 get {points}; the match stands {match_points}"},
    {"match_ended", "team", "null", "the match is tied, {match_points}"},
    {"match_ended", NULL, NULL, "team {team} wins the match, {match_points}"},
    {"player_disconnected", NULL, NULL, "{player} has left"},
    {0},
};

static const struct speech_word words[] = {
    {"ColourClubs", "clubs"},         {"ColourDiamonds", "diamonds"},
    {"ColourHearts", "hearts"},       {"ColourSpades", "spades"},
    {"NoTrumps", "no trumps"},        {"AllTrumps", "all trumps"},
    {"Colour mode", "suit contract"}, {0},
};

const struct codec_speech belote_speech = {
    .version = 1,
    .legend =
        "POSITION is how many cards you lift. MODE is a contract as the rules name them. CARD is rank and suit, as "
        "Tc.\n",
    .phrases = phrases,
    .aliases = aliases,
    .parts = (const uint8_t[]){BELOTE_DEAL_STARTED, 0},
    .part_names = "deals",
    .events = events,
    .words = words,
    .amount = "POSITION is a whole number.",
};

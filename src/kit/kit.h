// A game as the whole program knows it: one descriptor that gathers what lies in the game's folder.
//
// Only the rules and the codec, with its line of description, are obligatory. The comment beside every other member
// says what stands in for it. Descriptors are constant; nobody changes or copies them.
#pragma once

#include "bots/bot.h"
#include "codec/codec.h"
#include "kit/action_request.h"
#include "kit/analysis.h"
#include "kit/contest.h"
#include "kit/deck.h"
#include "kit/environment.h"
#include "match/counters.h"
#include "match/swing.h"
#include "render/render.h"

enum { KIT_LEVELS = 5, KIT_BOT_NAME = 64 };

struct solve_facts;

// How fast random play should be, against another implementation: in calibration units, both measured in one run with
// one thread.
struct kit_bench {
    int seats;
    double goal;
    const char *peer;
    double peer_units;
};

// The same for batches of environments (include/agon.h): a line for each, by version of the vector.
struct kit_batch {
    const char *name; // of the line, behind that of the game: "6"; NULL ends the list
    int seats;
    bool inputs; // of a game that time moves: single inputs and not placements
    double goal[2];
};

struct game_kit {
    const struct game *game;
    const struct codec *codec;
    const char *french; // its title in French; NULL: as in English

    const struct bot *const *bots;        // KIT_BOTS(...), the strongest first; NULL: `random` and `fallback`
    const struct bot *level[KIT_LEVELS];  // house:1 to house:5; NULL: random
    const struct arena_dialect *arena;    // NULL: messages by the codec (dialect.h)
    const struct env_facts *environment;  // NULL: see kit_environment
    const struct render_picture *picture; // NULL: the codec's text picture on a plain table
    const struct contest_facts *contest;  // NULL: who wins more is better
    const struct kit_deck *deck;          // NULL: nothing is hidden, or no check of secrecy by known deals
    const struct game_counters *counters; // NULL: nothing is counted about how players play
    swing_chances *chances;               // NULL: nobody can tell how a match swings
    uint32_t inputs; // of a game that time moves: numbers (flat) up to this one are single inputs, those above are
                     // several in one, placements (V5); 0: all are inputs
    const struct solve_facts
        *solve; // solve/facts.h; NULL: nothing is solved, `agon solve` and `agon exploit` refuse it
    const struct analysis_facts *analysis; // NULL: what a decision costs is told in chances to win the match
    const struct kit_bench *bench;         // NULL: measured at the first scenario's seats, without a goal
    const struct kit_batch *batches;       // NULL: the same
};

// A list of house bots. It ends with the two that play any game.
#define KIT_BOTS(...) ((const struct bot *const[]){__VA_ARGS__, &bot_random, &bot_fallback, NULL})

// The game as an environment: its own, or one made from rules and codec, by looking at random games. That takes some
// milliseconds the first time, so ask for it when a server starts, from one thread.
const struct env_facts *kit_environment(const struct game_kit *k);

const struct bot *const *kit_bots(const struct game_kit *k); // those that play it, the strongest first; ended by NULL
const struct bot *kit_level(const struct game_kit *k, int level); // of house:1 to house:5
// "rules", "house:rules", "house:3", with styles and time behind it: "house:3+tight", "house:5@50ms", "house:5@4x";
// NULL: none, or a style that it does not know. A bot with options is made once and lives as long as the program; from
// any thread.
const struct bot *kit_find_bot(const struct game_kit *k, const char *name);
// The same bot with options: "+tight", "@50ms", "+tight+caller@1500ms", "@4x"; NULL: what it does not know, or no
// option.
const struct bot *kit_bot_with(const struct bot *bot, const char *options);

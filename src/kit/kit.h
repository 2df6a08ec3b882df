// A game as the whole program knows it: one descriptor that combines everything in the game's folder.
//
// Only the rules and the codec, with its line of description, are required. The comment of every other member says what
// is used instead of it. Descriptors are constant and never copied.
#pragma once

#include "bots/bot.h"
#include "codec/codec.h"
#include "kit/action_request.h"
#include "kit/analysis.h"
#include "kit/contest.h"
#include "kit/deck.h"
#include "kit/environment.h"
#include "render/render.h"
#include "stats/counters.h"
#include "stats/swing.h"

enum { KIT_LEVELS = 5, KIT_BOT_NAME = 64 };

struct solve_facts;

// How fast random play should be compared with another implementation: in calibration units, both measured in one run
// with one thread.
struct kit_bench {
    int seats;
    double goal;
    const char *peer;
    double peer_units;
};

// The same for batches of environments (include/agon.h): one line for each, by version of the vector.
struct kit_batch {
    const char *name; // of the line, after the game's name: "6"; NULL ends the list
    int seats;
    bool inputs; // for real-time games: single inputs instead of placements
    double goal[2];
};

struct game_kit {
    const struct game *game;
    const struct codec *codec;
    const char *french; // title in French; NULL: as in English

    const struct bot *const *bots;        // KIT_BOTS(...), strongest first; NULL: `random` and `fallback`
    const struct bot *level[KIT_LEVELS];  // house:1 to house:5; NULL: random
    const struct arena_dialect *arena;    // NULL: messages written by the codec (arena_dialect.h)
    const struct env_facts *environment;  // NULL: see kit_environment
    const struct render_picture *picture; // NULL: the codec's text drawing on a plain table
    const struct contest_facts *contest;  // NULL: who wins more is better
    const struct kit_deck *deck;          // NULL: nothing is hidden, or secrecy is not checked with known deals
    const struct game_counters *counters; // NULL: how players play is not counted
    swing_chances *chances;               // NULL: unknown how a match swings
    // For real-time games: flat numbers up to this one are single inputs, higher ones are sequences of inputs,
    // placements (V5). 0: all are inputs.
    uint32_t inputs;
    // solve/facts.h; NULL: `agon solve` and `agon exploit` refuse the game.
    SPARED_FACTS(const struct solve_facts, solve);
    // NULL: the cost of a decision is measured in chances to win the match.
    SPARED_FACTS(const struct analysis_facts, analysis);
    const struct kit_bench *bench;   // NULL: measured with the first scenario's seats, without a goal
    const struct kit_batch *batches; // NULL: likewise
};

// A list of house bots. It ends with the two that play any game.
#define KIT_BOTS(...) ((const struct bot *const[]){__VA_ARGS__, &bot_random, &bot_fallback, NULL})

// The game as an environment: its own description, or one derived from rules and codec by observing random games. That
// takes some milliseconds the first time, so call it when a server starts. Any thread may call it.
const struct env_facts *kit_environment(const struct game_kit *k);

const struct bot *const *kit_bots(const struct game_kit *k); // all bots that play it, strongest first; ended by NULL
const struct bot *kit_level(const struct game_kit *k, int level); // bot of house:1 to house:5
// Finds a bot by name: "rules", "house:rules", "house:3", optionally with styles and time: "house:3+tight",
// "house:5@50ms", "house:5@4x". Returns NULL if there is none, or it does not know the style. A bot with options is
// created once and lives as long as the program. From any thread.
const struct bot *kit_find_bot(const struct game_kit *k, const char *name);
// The same bot with options: "+tight", "@50ms", "+tight+caller@1500ms", "@4x". Returns NULL without an option or if it
// does not know one.
const struct bot *kit_bot_with(const struct bot *bot, const char *options);
// If kit_find_bot refuses only the options after the name: the bot, with `options` at their beginning in `name`. NULL
// if the name itself is unknown, or has no options.
const struct bot *kit_find_base(const struct game_kit *k, const char *name, const char **options);
void kit_name_options(const struct bot *bot, char *out, size_t room); // "+tight, +loose, @50ms": those that it takes

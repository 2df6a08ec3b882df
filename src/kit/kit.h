// A game as the whole program knows it: one descriptor that gathers what lies in the game's folder.
//
// Only the rules and the codec, with its line of description, are obligatory. The comment beside every other member
// says what stands in for it. Descriptors are constant; nobody changes or copies them.
#pragma once

#include "bots/bot.h"
#include "codec/codec.h"
#include "kit/action_request.h"
#include "kit/contest.h"
#include "kit/environment.h"
#include "render/render.h"

enum { KIT_LEVELS = 5 };

struct game_kit {
    const struct game *game;
    const struct codec *codec;

    const struct bot *const *bots;        // KIT_BOTS(...), the strongest first; NULL: `random` and `fallback`
    const struct bot *level[KIT_LEVELS];  // house:1 to house:5; NULL: random
    const struct arena_dialect *arena;    // NULL: the arena does not offer the game
    const struct rl_kit *environment;     // NULL: MCP does not offer the game
    const struct render_picture *picture; // NULL: the codec's text picture on a plain table
    const struct contest_facts *contest;  // NULL: who wins more is better
};

// A list of house bots. It ends with the two that play any game.
#define KIT_BOTS(...) ((const struct bot *const[]){__VA_ARGS__, &bot_random, &bot_fallback, NULL})

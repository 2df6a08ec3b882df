// A client of the Tetris adapter: reconstructs the state from an observation and lets a house bot choose a placement.
#pragma once

#include "app/tbp_client.h"
#include "bots/bot.h"
#include "front/lines/server_message.h"
#include "games/tetris/rules/tetris.h"

struct tetris_agent {
    const struct bot *bot;
    struct tbp_client *tbp; // plays instead of the bot; NULL: none
    int tbp_ms;             // time limit of a suggestion
    bool box;               // the adapter's coordinates
    bool guideline;         // its ruleset
    struct rng dice;
};

struct tetris_plan {
    int x, rotation; // in the adapter's coordinates
    bool hold;
};

// Returns false if no placement is possible, or a bot of the Tetris Bot Protocol gives none (tbp->why). `avoid_hold`:
// the adapter has just refused to hold.
bool tetris_agent_plan(struct tetris_agent *a, const struct server_observation *o, bool avoid_hold,
                       struct tetris_plan *plan);

// What to play, as the caller says: a scenario, options, seats and a seed, made into the setup of a match.
#pragma once

#include "app/games.h"
#include "match/match.h"

enum { GAME_SETUP_NAMED = 256 };

struct game_setup {
    const struct game_kit *row;
    union game_rules rules;
    struct match_setup match; // its rules are those above: do not copy a setup that has a key
};

// The options of a command line for it: GAME, --seats, --scenario, --rules, and named options of belote (B7, B8). A
// child parser for argp.
struct game_setup_options {
    const struct game_kit *row;
    const char *scenario;
    const char *rules;
    int seats;
    char named[GAME_SETUP_NAMED]; // members of a JSON object, without the braces
    bool may_lack_game;           // a server names the game
};

extern const struct argp game_setup_argp;
// Ends the program with status 2 if refused.
void game_setup_from_options(struct game_setup *s, const struct game_setup_options *o, const char *command);

// The default rules and scenario, with this seed.
void game_setup_from_defaults(struct game_setup *s, const struct game_kit *row, uint64_t seed, const char *command);

// Applies the scenario (empty: the default), then the options of a JSON object (empty: none), to the defaults. `seats`
// 0: as many as the scenario has. Sets `why` if refused.
int game_setup_read_rules(struct game_setup *s, const struct game_kit *row, const char *scenario, struct span json,
                          int seats, char *why, size_t room);
// Sets the key: from the seed, or random. Games with their own generator always get a seed.
void game_setup_set_seed(struct game_setup *s, uint64_t seed);
void game_setup_draw_key(struct game_setup *s);

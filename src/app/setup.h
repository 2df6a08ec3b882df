// What is to be played, as the caller says it: a scenario, options, seats and a seed, made into a setup of a match.
#pragma once

#include "app/games.h"
#include "match/match.h"

enum { SETUP_NAMED = 256 };

struct setup {
    const struct game_kit *row;
    union game_rules rules;
    struct match_setup match; // its rules are the ones above: a setup is not copied once it has a key
};

// The words of a command line that say it: GAME, --seats, --scenario, --rules, and the options of belote that have
// names of their own (B7, B8). A child parser for argp.
struct setup_options {
    const struct game_kit *row;
    const char *scenario;
    const char *rules;
    int seats;
    char named[SETUP_NAMED]; // members of a JSON object, without its braces
    bool may_lack_game;      // a server names it
};

extern const struct argp setup_argp;
void setup_from_options(struct setup *s, const struct setup_options *o, const char *command); // ends with 2 if refused

// The scenario (empty: the default) and then the options of a JSON object (empty: none) onto the defaults. `seats` 0
// asks for as many as the scenario has. A refusal is told in `why`.
int setup_read_rules(struct setup *s, const struct game_kit *row, const char *scenario, struct span json, int seats,
                     char *why, size_t room);
// The key: from the seed, or drawn by the system. Games with a generator of their own always get a seed.
void setup_seed(struct setup *s, uint64_t seed);
void setup_draw_key(struct setup *s);

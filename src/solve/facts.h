// What `agon solve` and `agon exploit` know of a game: the deals of a game small enough for its whole tree to be
// walked, or functions of its own.
#pragma once

#include "base/text.h"
#include "bots/bot.h"

struct solve_job {
    uint64_t iterations; // 0: until `stop` says so
    uint64_t seed;       // methods that draw; others note it
    int threads;
    const char *command; // for the head of the file
    struct span before;  // output of an earlier run, to continue; empty: none
    // Called from any thread, one call at a time: sometimes with a line of progress, and with NULL after every unit of
    // work. Returns true to stop.
    bool (*progress)(void *owner, const char *line);
    void *owner;
};

// How much to sample where a value is not exact. `progress`, or NULL, is called after every part of the work.
struct solve_sample {
    uint32_t rounds;
    uint64_t seed;
    void (*progress)(void *owner, uint32_t done, uint32_t all);
    void *owner;
};

// What a best response wins from a bot.
struct solve_gap {
    char what[48]; // "2 v 1, it opens", "exploitability"
    // Of the best response. In the last line what the bot loses: half of both roles less the value of the game.
    double value;
    double error; // standard error, where it was sampled
    bool exact;   // else it was sampled, or is a lower bound
};
enum { SOLVE_GAPS = 64 };

struct solve_facts {
    const char *unit; // of values: "antes", "rounds won"
    // A game whose tree is small: the rules of deal `number`; false: there are no more. All are equally likely.
    bool (*deal)(int number, void *rules);
    uint64_t (*key)(const void *view); // of the information set, for tables; what plays alike has one key
    // Or: writes a table, or continues the table `before`. ERR_FORMAT: `before` is not a table.
    int (*solve)(const struct solve_job *job, struct text *out);
    // Best responses to a bot; returns the number of gaps.
    int (*exploit)(const struct bot *bot, const struct solve_sample *sample, struct solve_gap out[SOLVE_GAPS]);
};

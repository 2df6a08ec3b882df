// What `agon solve` and `agon exploit` know of a game: either that it is small enough to be walked whole, or functions
// of its own.
#pragma once

#include "base/text.h"
#include "bots/bot.h"

struct solve_job {
    uint64_t iterations; // 0: until `stop` says so
    uint64_t seed;       // methods that draw; others note it
    int threads;
    const char *command; // for the head of the file
    struct span before;  // what an earlier run wrote, to go on with; empty: none
    // Called from any thread, one call at a time: now and then with a line about how far it is, and with NULL after
    // every unit of work. True: stop here.
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

// What a best answer wins from a bot.
struct solve_gap {
    char what[48]; // "2 v 1, it opens", "exploitability"
    double
        value; // of the best answer; of the last line, what the bot loses: half of both less the constant of the game
    double error; // standard error, where it was sampled
    bool exact;   // else it was sampled, or is a lower bound
};
enum { SOLVE_GAPS = 64 };

struct solve_facts {
    const char *unit; // of values: "antes", "rounds won"
    // A game whose tree is small: the rules of deal `number`; false: there are no more. All are equally likely.
    bool (*deal)(int number, void *rules);
    uint64_t (*key)(const void *view); // of the information set, for tables; what plays alike has one key
    // Or: writes a table, or goes on with one. OK, or ERR_FORMAT: `before` is none.
    int (*solve)(const struct solve_job *job, struct text *out);
    // Best answers to a bot: how many gaps.
    int (*exploit)(const struct bot *bot, const struct solve_sample *sample, struct solve_gap out[SOLVE_GAPS]);
};

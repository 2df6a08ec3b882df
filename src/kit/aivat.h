// Luck correction by the known strategy of a seat (N14.5, AIVAT), in matches of two seats.
//
// A match is replayed from its log, so that playing costs nothing extra and all runners give the same result. A game
// that supports it has struct aivat_facts. Each known seat is processed separately.
#pragma once

#include "bots/bot.h"
#include "match/match.h"

struct aivat_step {
    const void *before, *after; // states
    const void *mind;           // of the known bot before the step; NULL: it has none
    int seat;                   // seat that chose the action; -1: nobody (a seat that left, a game master)
    struct game_action action;
    const struct game_events *events; // of this step, for all seats
};

struct aivat_facts {
    bool (*knows)(const struct bot *bot); // it has a mixed strategy that the game can query for every hand
    size_t size;                          // of the work space, aligned to 64
    // `dice` are for this seat only, and independent of the match.
    void (*begin)(void *work, const struct aivat_facts *f, const struct bot *bot, int seat, struct rng dice);
    void (*step)(void *work, const struct aivat_step *s);
    double (*luck)(const void *work); // luck of the known seat so far, in points
    const void *more;                 // data of the game
};

bool aivat_knows(const struct aivat_facts *f, const struct bot *bot); // both may be NULL

// Adds to `out`, by seat, the luck of a match. `log` is its replay so far, `bots` are the players (NULL:
// unknown), `work` has f->size bytes. With two known seats the result is the mean of both. Returns ERR_FORMAT or
// another error if the log is invalid.
int aivat_luck(const struct aivat_facts *f, const struct game *g, struct span log, const uint8_t key[RNG_KEY_BYTES],
               const struct bot *const bots[2], void *work, double out[GAME_MAX_SEATS]);

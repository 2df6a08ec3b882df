// Luck taken off by what the strategy of a seat is known to be (N14.5, AIVAT), in matches of two seats.
//
// A match is gone through again from its log, so nothing is paid while it is played, and every runner does it alike. A
// game that can do it has struct known_facts; each known seat is gone through on its own.
#pragma once

#include "bots/bot.h"
#include "match/match.h"

struct known_step {
    const void *before, *after; // states
    const void *mind;           // of the known bot before the step; NULL: it has none
    int seat;                   // who acted by its own will; -1: nobody (a seat that left, an overseer)
    struct game_action action;
    const struct game_events *events; // of this step, those of all seats
};

struct known_facts {
    bool (*knows)(const struct bot *bot); // it has a mix, and the game can ask for it with every hand
    size_t size;                          // of the work space, aligned to 64
    // `dice` are for this seat alone, and independent of what is played.
    void (*begin)(void *work, const struct known_facts *f, const struct bot *bot, int seat, struct rng dice);
    void (*step)(void *work, const struct known_step *s);
    double (*luck)(const void *work); // that the known seat has had so far, in points
    const void *more;                 // the game's own
};

bool known_is(const struct known_facts *f, const struct bot *bot); // both may be NULL

// Adds to `out`, by seat, what luck gave in a match: `log` is its replay so far, `bots` sit there (NULL: unknown),
// `work` has f->size bytes. Of two known seats it is the mean of what both tell. ERR_FORMAT and the like when the log
// is none.
int known_luck(const struct known_facts *f, const struct game *g, struct span log, const uint8_t key[RNG_KEY_BYTES],
               const struct bot *const bots[2], void *work, double out[GAME_MAX_SEATS]);

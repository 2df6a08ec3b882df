// What a contest has to know about a game to judge it.
#pragma once

#include "game/game.h"
#include "kit/known.h"

// What sides set out to do and did, by kind, and how many parts a game had: contracts announced and made, deals
// (B14.11). A side is the seats of one parity.
enum { CONTEST_ATTEMPTS = 3, CONTEST_SIDES = 2 };
struct contest_attempts {
    uint32_t parts;
    uint16_t tried[CONTEST_SIDES][CONTEST_ATTEMPTS], made[CONTEST_SIDES][CONTEST_ATTEMPTS];
    uint32_t tally[CONTEST_SIDES]; // what was taken in all parts: card points
};
struct contest_attempt_kinds {
    const char *title; // "contracts made"
    const char *part;  // "deal"
    const char *parts; // "deals"
    const char *tally; // "card points"
    const char *name[CONTEST_ATTEMPTS];
    void (*follow)(struct contest_attempts *f, const struct game_event *e);
};

// What the verdict of a game is about when it is not about winning: what the game pays. The lead of an entrant in a
// game is what it has more than the mean of the others.
struct contest_stake {
    const char *of;                            // "chips"
    const char *unit;                          // "bb/100"
    const char *part, *parts;                  // "hand", "hands": what a lead is divided by; NULL: games
    double (*scale)(const void *rules);        // how many units a lead of one in one part is; NULL: one
    uint32_t (*count_parts)(const void *view); // from the public view at the end; NULL: attempts or nobody counts them
    double (*grain)(const void *rules);        // the least lead in a part that the game knows; NULL: one
    uint64_t least;                            // sets that an interval needs; 0: as many as usual
    bool is_net; // what one wins the others lose: the lead over all entrants counts, not only over the others
};

// What luck gave in a game, by several measures, so that it can be taken off what was won: the mean stays, the
// deviation becomes smaller, and fewer games tell as much (N14).
enum { CONTEST_FOLLOWED = 2, CONTEST_LUCKS = 3, CONTEST_LUCK_SCRATCH = 512 };
struct contest_luck {
    const char *name[CONTEST_LUCKS];
    const char *about[CONTEST_LUCKS]; // what was fixed beforehand; may be empty
    // Follows all events of a step; `scratch` is zero at the beginning of a game. Adds to out[k][seat] what luck gave,
    // in points, for the first CONTEST_FOLLOWED. `dice` are of the match, for this alone.
    void (*follow)(void *scratch, const struct game_events *e, struct rng dice,
                   double out[CONTEST_LUCKS][GAME_MAX_SEATS]);
};

// Every member may be left out.
struct contest_facts {
    int32_t (*points)(const void *view, int seat); // what a seat has won, finer than payoffs; NULL: the payoffs
    const char *unit_rules;                        // JSON: what makes one deal a game of its own; NULL: nothing does
    const char *first_rule;                        // the option that says which seat begins; NULL: none
    const char *mirror_rule; // the option that makes deals equal whatever the players do; NULL: they are
    const struct contest_attempt_kinds *attempts; // what is counted besides winning; NULL: nothing
    int32_t (*target)(const void *rules);         // points that win a match; 0: it does not go to a target. NULL: never
    // What the verdict is about, whenever `has_stake` says so (NULL: always); `whole` where only the payment of a game
    // is known, not its parts. NULL: who wins more is better.
    const struct contest_stake *stake, *whole;
    bool (*has_stake)(const void *rules);
    // Another measure that `--by NAME` chooses, with its own points; NULL: none.
    const struct contest_stake *other;
    int32_t (*other_points)(const void *view, int seat);
    const struct contest_luck *luck; // NULL: it is not told apart
    const struct known_facts *known; // the last of these measures, where it is asked for; NULL: the game has none
};

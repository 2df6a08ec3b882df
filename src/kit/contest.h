// What a contest must know about a game to judge it.
#pragma once

#include "game/game.h"
#include "kit/aivat.h"

// What sides attempted and achieved, by kind, and how many parts a game had: contracts announced and made, deals
// (B14.11). A side is the seats of one parity.
enum { CONTEST_ATTEMPTS = 3, CONTEST_SIDES = 2 };
struct contest_attempts {
    uint32_t parts;
    uint16_t tried[CONTEST_SIDES][CONTEST_ATTEMPTS], made[CONTEST_SIDES][CONTEST_ATTEMPTS];
    uint32_t tally[CONTEST_SIDES]; // taken in all parts: card points
};
struct contest_attempt_kinds {
    const char *title; // "contracts made"
    const char *part;  // "deal"
    const char *parts; // "deals"
    const char *tally; // "card points"
    const char *name[CONTEST_ATTEMPTS];
    void (*follow)(struct contest_attempts *f, const struct game_event *e);
};

// What the verdict is about if not about winning: what the game pays. The lead of an entrant in a game is its payment
// minus the mean of the others.
struct contest_stake {
    const char *of;                     // "chips"
    const char *unit;                   // "bb/100"
    const char *part, *parts;           // "hand", "hands": leads are divided by their number; NULL: by games
    double (*scale)(const void *rules); // units of a lead of one in one part; NULL: one
    // From the public view at the end; NULL: counted by attempts, or not at all.
    uint32_t (*count_parts)(const void *view);
    double (*grain)(const void *rules); // the smallest lead in a part that the game knows; NULL: one
    uint64_t least;                     // sets needed for an interval; 0: default
    bool is_net;                        // zero-sum: the lead over all entrants counts, not only over the others
};

// Measures of luck in a game, to be subtracted from winnings: the mean stays, the deviation gets smaller,
// and fewer games are enough (N14).
enum { CONTEST_FOLLOWED = 2, CONTEST_LUCKS = 3, CONTEST_LUCK_SCRATCH = 512 };
struct contest_luck {
    const char *name[CONTEST_LUCKS];
    const char *about[CONTEST_LUCKS]; // conditions chosen beforehand; may be empty
    // Called with all events of a step; `scratch` is zero at the beginning of a game. Adds to out[k][seat] what luck
    // gave, in points, for the first CONTEST_FOLLOWED measures. `dice` belong to the match and are for this purpose
    // only.
    void (*follow)(void *scratch, const struct game_events *e, struct rng dice,
                   double out[CONTEST_LUCKS][GAME_MAX_SEATS]);
};

// Every member is optional.
struct contest_facts {
    // What a seat has won, in finer steps than payoffs; NULL: the payoffs.
    int32_t (*points)(const void *view, int seat);
    const char *unit_rules;  // JSON: rules that make one deal a whole game; NULL: none
    const char *first_rule;  // option that says which seat begins; NULL: none
    const char *mirror_rule; // option that makes deals the same whatever the players do; NULL: they are
    const struct contest_attempt_kinds *attempts; // counted besides winning; NULL: nothing
    int32_t (*target)(const void *rules);         // points that win a match; 0: no target. NULL: never has one
    // What the verdict is about, if `has_stake` returns true (NULL: always); `whole` if only the payment of a game is
    // known, not its parts. NULL: who wins more is better.
    const struct contest_stake *stake, *whole;
    bool (*has_stake)(const void *rules);
    // An alternative that `--by NAME` chooses, with its own points; NULL: none.
    const struct contest_stake *other;
    int32_t (*other_points)(const void *view, int seat);
    const struct contest_luck *luck; // NULL: luck is not measured
    // For the last of these measures, on request; NULL: the game has none.
    SPARED_FACTS(const struct aivat_facts, aivat);
};

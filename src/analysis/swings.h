// Analysis of a contest (N20.7): many analysed games between the same players, by sets, and where two players differ.
//
// A set is everything played from one seed: the same cards with the seats exchanged. All numbers are those of the first
// player, who had the first seat of the first game.
#pragma once

#include "analysis/analysis.h"

enum { SWINGS_PHASES = 32, SWINGS_SHOWN = 10 }; // SHOWN: sets that are listed

struct swings_set {
    uint64_t seed;
    uint32_t games;
    double result, skill, luck; // means over its games
};

// Positions of one player in one phase.
struct swings_phase {
    uint32_t positions, differ;
    double own, other; // sums over positions where they differ: cost of the player's choice, and of the other's
};

struct swings {
    const struct game_kit *kit;
    const struct bot *reference;
    char player[2][MATCH_NAME_ROOM]; // the second is empty if there are several
    uint32_t games;
    struct swings_set *set;
    uint32_t sets, room;
    struct swings_phase phase[SWINGS_PHASES][2]; // by whose position it was
    bool no_luck;                                // luck was not computed, so it is part of the rest
    bool compares;                               // both are house bots, who were asked about each other's positions
};

void swings_begin(struct swings *s, const struct game_kit *k, const struct bot *reference);
void swings_end(struct swings *s);
// Sets o->other to the bots to be asked about the positions of this game: those of the other seat's player.
void swings_ask(const struct game_kit *k, const struct loaded_replay *t, struct analysis_options *o);
void swings_add(struct swings *s, const struct analysis *a); // of the same game
void swings_write_text(struct swings *s, struct text *t);
void swings_write_json(struct swings *s, struct text *t); // an object

// Poker hands in the Poker Hand History format (PHH): a TOML document per hand, several in a file as tables [1], [2]
// and so on. No-limit Texas Hold'em only ("NT"), N13.
#pragma once

#include "base/text.h"
#include "match/replay.h"

struct phh_counts {
    uint64_t hands;
    uint64_t unfinished;   // not written
    uint64_t short_blinds; // N13.7: calls of a big blind that was posted short, written as raises
    uint64_t nonstandard;  // N13.8: marked _agon_nonstandard
};

// Writes the finished hands of a replay of texas_holdem. `key` may be NULL if the replay has it. `seat` is the viewer:
// what it could not see is left out; -1: everything is shown. Returns OK or the error of the replay.
int phh_export(struct text *out, struct span replay, const uint8_t *key, int seat, struct phh_counts *counts);

struct phh_fault {
    uint32_t line; // from 1; 0: the whole file
    uint32_t hands;
    char why[240]; // what would be right
};

// Converts one hand to a replay, which is complete if its actions reach the end. `hand` counts from 1; 0: the only one.
// Returns OK, ERR_FORMAT, ERR_RANGE (no such hand, or several), ERR_RULES, ERR_ACTION, ERR_MISMATCH (finishing_stacks
// differ), ERR_FULL.
int phh_import(struct text *replay, struct span file, uint32_t hand, struct phh_fault *fault);
bool phh_is(struct span file); // false: a step log. Looks for a key or a table at the beginning

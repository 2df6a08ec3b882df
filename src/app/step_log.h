// The text form of a tetris replay: step logs, AGT1 (T2.17 to T2.19).
//
//   AGT1 ruleset seed layout                 fields are separated by TAB, lines end with LF
//   I step source A seed-or-- action,...     source: L local, S server, R and a number: that client
//   I step source P x rotation hold path y-or--   x and y are the box origin (T1.3)
//   H step hash
//   E step hash
//
// A step is its inputs and one tick. At most 64 steps stand between two hashes, which bounds the work of reading.
#pragma once

#include "match/replay.h"

enum { STEP_LOG_LOCAL, STEP_LOG_SERVER, STEP_LOG_REMOTE }; // sources of actions (match.source); REMOTE + id: a client

// Where and why reading or writing stopped; after success the last line and step.
struct step_log_fault {
    uint64_t line;
    uint64_t step;
    size_t begin; // offset of that line in the text
    bool ended;   // the log has an end
    bool differs; // a hash differs: these two
    uint64_t expected, actual;
    char why[200]; // what would be right
};

// Converts a log to a replay, which is complete if the log has its end. ERR_FORMAT, ERR_MISMATCH, ERR_ACTION, ERR_FULL.
int step_log_import(struct text *replay, struct span log, struct step_log_fault *fault);

// Converts a replay of tetris to a log. `layout` is "agon" or "compat". ERR_RULES: it has something that a step log
// cannot express.
int step_log_export(struct text *log, struct span replay, const uint8_t *key, const char *layout,
                    struct step_log_fault *fault);

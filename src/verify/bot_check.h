// agon verify bot: checks that a belote HTTP bot implements the Remote Bot API, plays legally and in time, and plays
// the same way twice.
#pragma once

#include "contest/play.h"
#include "verify/bot_assertions.h"

struct bot_check_options {
    struct bot_probe_options probe;
    const struct bot *opponent;
    uint64_t games, seed;
    int32_t target;
    int timeout_ms;    // slower decisions are violations
    bool determinism;  // plays everything twice
    bool strict;       // probes of recommendations count too
    atomic_bool *stop; // set by a signal
    // About the matches, not their repetition; both may be NULL.
    void (*on_match)(void *owner, const struct contest *c, uint64_t index); // in order
    void (*on_played)(void *owner, struct contest *c);                      // after all of them
    void *owner;
    struct dealbook *dealbook; // their transcript; on_match releases it
};

struct bot_check {
    struct gate_result probe[BOT_PROBES];
    uint64_t games, wins, deals, violations[CONTEST_TROUBLES];
    uint64_t modes[6]; // deals played in each mode (B14.1)
    struct contest_latencies times[SEAT_CALLS];
    struct seat_counts counts;
    bool slowing; // B14.10
    double first_half, second_half;
    bool repeats; // B14.7: the second run was equal to the first
    uint64_t other_game, other_decision;
    uint64_t parallel_games, parallel_trouble; // 200 concurrent sessions
    uint64_t silent_games, silent_trouble;     // without notifications
    int64_t sessions_before, sessions_after;   // -1: the server does not tell
    char died[GATE_WHY];                       // what killed it, if nobody answers since; empty: it is alive
    struct bot_faults faults;                  // of matches, the first of each kind
    char why[GATE_WHY];
};

// Runs the probes, the matches, then the probes that a careless server does not survive. Returns false and sets c->why
// if the check was not possible. A bot that dies has been checked, and has failed.
bool bot_check_run(struct bot_check *c, const struct bot_check_options *o, struct loop *loop);
void bot_check_release(struct bot_check *c);
bool bot_check_passed(const struct bot_check *c, const struct bot_check_options *o);
// Writes the reasons of a failure, one after the other; nothing if it passed.
void bot_check_describe_faults(struct text *t, const struct bot_check *c, const struct bot_check_options *o);
void bot_check_report_text(struct text *t, const struct bot_check *c, const struct bot_check_options *o);
void bot_check_report_json(struct text *t, const struct bot_check *c, const struct bot_check_options *o);

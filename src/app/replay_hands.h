// The hands of a replay of Texas Hold'em as events tell them: what the formats of others are written from (N13, N16).
#pragma once

#include "games/texas_holdem/rules/texas_holdem.h"
#include "match/replay.h"

struct replay_hands {
    int seat;                                                  // who looks; -1: everything is shown
    void (*on_event)(void *owner, const struct game_event *e); // from the first new hand on
    void (*on_end)(void *owner);                               // the hand's result has been told in all its parts
    void *owner;
    struct replay_run run;
    bool open; // a hand goes on
};

// `key` may be NULL when the replay has it. Nothing is told yet; run.rules and run.reader.head are there.
int replay_hands_begin(struct replay_hands *h, struct span replay, const uint8_t *key);
int replay_hands_play(struct replay_hands *h); // to the end of what was recorded: OK, or what the replay fails with

// The hands of a replay of Texas Hold'em as events, for writing other formats (N13, N16).
#pragma once

#include "games/texas_holdem/rules/texas_holdem.h"
#include "match/replay.h"

struct replay_hands {
    int seat;                                                  // the viewer; -1: sees everything
    void (*on_event)(void *owner, const struct game_event *e); // from the first new hand on
    void (*on_end)(void *owner);                               // the hand's result was reported completely
    void *owner;
    struct replay_run run;
    bool open; // a hand is in progress
};

// `key` may be NULL if the replay has it. Reports nothing yet; sets run.rules and run.reader.head.
int replay_hands_begin(struct replay_hands *h, struct span replay, const uint8_t *key);
int replay_hands_play(struct replay_hands *h); // to the end of the record: OK, or the error of the replay

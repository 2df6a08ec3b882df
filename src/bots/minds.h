// The memories of the house bots in one match, updated step by step.
//
// A runner calls minds_begin once, right after match_start; from then on the match itself updates them
// (match_listener). A mind can also be built from the log of the match (minds_recall), with the same bytes. One thread
// at a time; nothing is allocated: the caller provides the block.
#pragma once

#include "bots/bot.h"
#include "match/match.h"

enum { MINDS_PLACES = 4 * GAME_MAX_SEATS };

struct minds_place {
    const struct bot *bot;
    int seat;
    uint32_t at; // offset in the block
};

struct minds {
    struct match_listener listener; // must be first
    int count;
    uint32_t size; // of the block
    struct minds_place place[MINDS_PLACES];
    uint8_t *block;            // the caller's
    struct game_events events; // of the current step
};

void minds_init(struct minds *minds, void *block);                        // empty; the block must be aligned to 8
uint32_t minds_add(struct minds *minds, const struct bot *bot, int seat); // returns how large the block must be

// The match has just started, and `first` are its first events (NULL: none). Sets the listener of the match.
void minds_begin(struct minds *minds, struct match *m, const struct game_events *first);
// The same in the middle of a match: earlier steps are taken from its log.
void minds_resume(struct minds *minds, struct match *m);
// The mind of this bot in the match that it listens to; NULL: none.
const void *minds_find(const struct match *m, const struct bot *bot, int seat);

bool minds_sees(const struct game_events *e, int seat); // N1.4: whether this seat sees anything of a step

// A single mind. The beginning is always observed; a step of which the seat sees nothing is not (N1.4).
void mind_begin(const struct bot *bot, void *mind, const struct game *g, const void *rules, int seat, int seats);
void mind_observe(const struct bot *bot, void *mind, const struct game *g, const void *state, int seat, int seats,
                  const struct game_event *at, uint32_t count, uint32_t ticks);

// The mind that this bot would have at this seat now, from the log of the match. Without a log it knows only the view.
// Returns true if the bytes are those of a mind that was updated all along.
bool minds_recall(const struct match *m, const struct bot *bot, int seat, void *mind);

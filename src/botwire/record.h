// A deal on record (B18): what was dealt, said and played, every list of choices in order, and what came of it. Filled
// step by step from the states of a match, written as one line, and read back as far as is needed to play it again.
#pragma once

#include "botwire/wire.h"

#define RECORD_UNASKED UINT32_MAX // a time: nobody was asked

// `valid` is kept with what was chosen: a transcript shows what a bot could have done, without the rules.
struct record_word {
    uint8_t player, count, chosen; // chosen: index into `valid`
    uint8_t valid[BELOTE_WORDS];
};

struct record_card {
    uint8_t player, count, card;
    uint8_t valid[BELOTE_HAND];
};

struct record {
    uint32_t deal; // of its match, from 0
    uint8_t dealer;
    uint8_t cut, from_top;      // 0: not cut yet
    uint8_t deck[BELOTE_CARDS]; // top first, before the cut
    uint8_t bids, plays;
    struct record_word bid[BELOTE_MAX_BIDS];
    struct record_card play[BELOTE_CARDS];
    uint8_t mode, multiplier, team; // BELOTE_NONE until the negotiation is over
    bool complete;                  // `after` tells the result: its last deal
    struct wire_match after;        // `deals` is the owner's: all of the match so far
    uint32_t cut_us, bid_us[BELOTE_MAX_BIDS], play_us[BELOTE_CARDS];
};

// The state stands before the cut of a deal, or behind one that the rules gave (`rules` may be NULL when they do not).
void record_begin(struct record *r, const struct belote_state *s, const struct belote_rules *rules);

// One action of the seat that was asked. True when it has ended the deal: what `after->last` says is then to be the
// last of r->after.deals, which is the caller's to set.
bool record_add(struct record *r, const struct belote_state *before, struct game_action a,
                const struct belote_state *after, uint32_t took_us);

// The members of B18 from `dealer` on, into an open object. A deal that was broken off has null where nothing is known.
void record_write(struct text *t, const struct record *r);
void record_write_times(struct text *t, const struct record *r); // a value: per decision, in microseconds

// A record as somebody wrote it. Spans are borrowed from the line.
enum record_field {
    RECORD_DEALER,
    RECORD_DECK,
    RECORD_CUT,
    RECORD_FROM_TOP,
    RECORD_NEGOTIATION,
    RECORD_MODE,
    RECORD_MULTIPLIER,
    RECORD_ANNOUNCER,
    RECORD_PLAYS,
    RECORD_RESULT,
    RECORD_AFTER,
    RECORD_FIELDS,
};
extern const char *const record_field_names[RECORD_FIELDS + 1]; // ended by NULL

struct record_line {
    struct span field[RECORD_FIELDS]; // as they stand there; at NULL: absent or null
    struct span rules;                // at NULL: none given
    uint64_t match;
    uint32_t deal;
    // What is needed to play it again.
    uint8_t dealer, cut, from_top;
    uint8_t deck[BELOTE_CARDS];
    uint8_t bids, chosen[BELOTE_MAX_BIDS];
    uint8_t plays, card[BELOTE_CARDS];
};

int record_read(struct span line, struct record_line *out); // OK, or what is wrong with it

// The same JSON but for white space between its tokens, or both absent.
bool record_same(struct span a, struct span b);
// Item `index` of an array; at NULL when there is none.
struct span record_item(struct span array, int index);

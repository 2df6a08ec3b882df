// A deal on record (B18): what was dealt, said and played, every list of choices in order, and what came of it. Filled
// step by step from the states of a match, written as one line, and read back as far as is needed to play it again.
#pragma once

#include "botwire/wire.h"

#define DEAL_RECORD_UNASKED UINT32_MAX // a time: nobody was asked

// `valid` is kept with what was chosen: a transcript shows what a bot could have done, without the rules.
struct deal_record_word {
    uint8_t player, count, chosen; // chosen: index into `valid`
    uint8_t valid[BELOTE_WORDS];
};

struct deal_record_card {
    uint8_t player, count, card;
    uint8_t valid[BELOTE_HAND];
};

struct deal_record {
    uint32_t deal; // of its match, from 0
    uint8_t dealer;
    uint8_t cut, from_top;      // 0: not cut yet
    uint8_t deck[BELOTE_CARDS]; // top first, before the cut
    uint8_t bids, plays;
    struct deal_record_word bid[BELOTE_MAX_BIDS];
    struct deal_record_card play[BELOTE_CARDS];
    uint8_t mode, multiplier, team; // BELOTE_NONE until the negotiation is over
    bool complete;                  // `after` tells the result: its last deal
    struct wire_match after;        // `deals` is the owner's: all of the match so far
    uint32_t cut_us, bid_us[BELOTE_MAX_BIDS], play_us[BELOTE_CARDS];
};

// The state stands before the cut of a deal, or after one that the rules gave (`rules` may be NULL when they do not).
void deal_record_begin(struct deal_record *r, const struct belote_state *s, const struct belote_rules *rules);

// One action of the seat that was asked. True when it has ended the deal: what `after->last` says is then to be the
// last of r->after.deals, which is the caller's to set.
bool deal_record_add(struct deal_record *r, const struct belote_state *before, struct game_action a,
                     const struct belote_state *after, uint32_t took_us);

// The members of B18 from `dealer` on, into an open object. A deal that was broken off has null where nothing is known.
void deal_record_write(struct text *t, const struct deal_record *r);
void deal_record_write_times(struct text *t, const struct deal_record *r); // a value: per decision, in microseconds

// A record as somebody wrote it. Spans are borrowed from the line.
enum deal_record_field {
    DEAL_RECORD_DEALER,
    DEAL_RECORD_DECK,
    DEAL_RECORD_CUT,
    DEAL_RECORD_FROM_TOP,
    DEAL_RECORD_NEGOTIATION,
    DEAL_RECORD_MODE,
    DEAL_RECORD_MULTIPLIER,
    DEAL_RECORD_ANNOUNCER,
    DEAL_RECORD_PLAYS,
    DEAL_RECORD_RESULT,
    DEAL_RECORD_AFTER,
    DEAL_RECORD_FIELDS,
};
extern const char *const deal_record_field_names[DEAL_RECORD_FIELDS + 1]; // ended by NULL

struct deal_record_line {
    struct span field[DEAL_RECORD_FIELDS]; // as they stand there; at NULL: absent or null
    struct span rules;                     // at NULL: none given
    uint64_t match;
    uint32_t deal;
    // What is needed to play it again.
    uint8_t dealer, cut, from_top;
    uint8_t deck[BELOTE_CARDS];
    uint8_t bids, chosen[BELOTE_MAX_BIDS];
    uint8_t plays, card[BELOTE_CARDS];
};

int deal_record_read(struct span line, struct deal_record_line *out); // OK, or what is wrong with it

// The same JSON but for white space between its tokens, or both absent.
bool deal_record_same(struct span a, struct span b);
// Item `index` of an array; at NULL when there is none.
struct span deal_record_item(struct span array, int index);

// The types of the belote bot API (B10), written and read by both of its sides: the engine asks and tells, the server
// answers.
#pragma once

#include "base/json_read.h"
#include "base/json_write.h"
#include "games/belote/rules/belote.h"

// What both sides call things.
extern const char *const wire_seats[];       // "Bottom", ...; the lists end with NULL
extern const char *const wire_teams[];       // "Team1", ...
extern const char *const wire_modes[];       // "ColourClubs", ...
extern const char *const wire_ranks[];       // "Seven", ...
extern const char *const wire_suits[];       // "Clubs", ...
extern const char *const wire_word_types[];  // "Announcement", "Accept", "Double", "Redouble"
extern const char *const wire_multipliers[]; // "Normal", "Doubled", "Redoubled"

// B10.1 MatchState.
struct wire_match {
    const struct belote_deal *deals; // complete ones, oldest first
    uint32_t count;
    int32_t target;
    int32_t points[2];
    uint8_t dealer; // of the running deal, or the next one (B10.5)
    uint8_t winner; // a team, or BELOTE_NONE
    bool complete;
};

// One deal as everybody sees it. NegotiationState and HandState follow from it.
struct wire_deal {
    uint8_t dealer;
    uint8_t mode; // of play; BELOTE_NONE in the negotiation
    uint8_t bids;
    uint8_t plays;
    // Who spoke follows from the place, so seats are not stored.
    uint8_t bid[BELOTE_MAX_BIDS]; // words; the first is by dealer + 1
    uint8_t play[BELOTE_CARDS];
    uint8_t leader[BELOTE_TRICKS + 1]; // of every trick begun, and of the next
};

void wire_start_deal(struct wire_deal *d, int dealer);
void wire_add_bid(struct wire_deal *d, int word);
void wire_add_play(struct wire_deal *d, int card); // sets who leads next (B5.1)

int wire_word_of(struct game_action a); // of an announcement, an accept, a double or a redouble

// --- what the engine writes. `nulls`: null fields are written (B12.3)

void wire_write_create(struct text *t, int seat, const char *match, bool has_seed, int64_t seed); // B12.41
void wire_write_cut(struct text *t, const struct wire_match *m, bool nulls);
void wire_write_negotiate(struct text *t, const struct belote_view *v, const struct wire_match *m, bool nulls,
                          const struct game_choice *choices, int count);
void wire_write_choose_card(struct text *t, const struct belote_view *v, const struct wire_deal *d,
                            const struct wire_match *m, bool nulls, const struct game_choice *choices, int count);
void wire_write_match_notice(struct text *t, const struct wire_match *m, bool nulls); // deal-started, match-ended
void wire_write_negotiated(struct text *t, const struct wire_deal *d, const struct wire_match *m, bool nulls);
void wire_write_played(struct text *t, const struct wire_deal *d, const struct wire_match *m, bool nulls);
void wire_write_trick(struct text *t, const struct wire_deal *d, const struct wire_match *m, bool nulls);
void wire_write_ended(struct text *t, const struct wire_deal *d, const struct wire_match *m, bool nulls);

// --- what the engine reads: OK, or an error where it is no answer (B12.20, B12.21). Legality is the caller's

int wire_read_session(struct span body, char *id, size_t room); // ERR_TOO_LONG when it does not fit
int wire_read_cut(struct span body, bool lax, struct game_action *a);
int wire_read_word(struct span body, struct game_action *a);
int wire_read_card(struct span body, struct game_action *a);

// --- what the server reads

enum wire_call {
    WIRE_CREATE,
    WIRE_CUT,
    WIRE_NEGOTIATE,
    WIRE_CARD,
    WIRE_DEAL_STARTED,
    WIRE_MATCH_ENDED,
    WIRE_NEGOTIATED,
    WIRE_PLAYED,
    WIRE_TRICK,
    WIRE_ENDED,
    WIRE_OTHER, // an event of another name: any object
    WIRE_CALLS,
};

enum wire_verdict {
    WIRE_FINE,
    WIRE_BAD_JSON,  // 400
    WIRE_BAD_FIELD, // 400
    WIRE_UNUSABLE,  // 422
};

enum { WIRE_MATCH_ID = 256 };

// A member at the top of a request, and what its value should be.
struct wire_field {
    const char *name;
    enum json_type type;
    const char *expected;
};

// Checks the whole text and finds where the values of the fields begin: at[i].at is NULL for what is absent or null. A
// byte order mark before it is skipped.
enum wire_verdict wire_find_fields(struct span body, const struct wire_field *list, int count, struct json_reader *at,
                                   const struct wire_field **wrong);

// Every member below a knows_ flag may be read only if that is set.
// A request, as far as it is understood. What is absent or makes no sense is not known; that never fails (B11.15).
struct wire_request {
    const char *field;    // the field that is wrong, where the verdict says so
    const char *expected; // what it should be
    int seat;             // create: position; decisions: whose turn it is, or -1
    char match[WIRE_MATCH_ID + 1];
    bool has_seed;
    uint64_t seed;
    bool knows_hand, knows_match, knows_bids, knows_plays;
    bool listed;        // there is a list of choices, and its entries are objects
    bool is_wrong_deck; // not of 32 cards
    uint8_t cards;
    uint8_t hand[BELOTE_HAND];
    struct wire_match match_state; // `deals` is not kept: `last` is
    struct belote_deal last;       // multiplier 0: none
    struct wire_deal deal;         // the dealer of knows_bids, or of knows_plays
    uint8_t count;                 // of choices: what was listed and understood, each once
    struct game_choice choices[BELOTE_CARDS];
};

enum wire_verdict wire_read_request(struct span body, enum wire_call call, struct wire_request *q);

// --- what the server writes

void wire_write_session(struct text *t, const char *id);
void wire_write_answer(struct text *t, struct game_action a); // a cut, an action or a card

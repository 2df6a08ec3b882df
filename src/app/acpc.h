// A hand of Texas Hold'em in the protocol 2.0.0 of the Annual Computer Poker Competition (N16): lines of its dealer
// (MATCHSTATE) and of its match logs (STATE).
//
// The caller follows a hand and reports what happened, like the game's events. The lines are made from that alone, so
// the lines of a seat contain only what that seat may know.
#pragma once

#include "base/text.h"
#include "games/texas_holdem/rules/texas_holdem.h"

// The state of the hand after a step: lines are made for each of them.
struct acpc_mark {
    uint32_t betting; // bytes of the betting string
    uint8_t board;    // number of cards
};

struct acpc_hand {
    uint64_t number; // from 0
    int players;
    uint8_t seat[HOLDEM_SEATS];     // by position: from the left of the button, which is last
    uint8_t position[HOLDEM_SEATS]; // by seat
    int32_t total[HOLDEM_SEATS];    // by seat, in the whole hand
    int32_t most;                   // the highest of these, to be matched
    int32_t before[HOLDEM_SEATS];   // the same at the beginning of this betting round
    uint8_t cards[HOLDEM_SEATS][2]; // by seat; CARD_NONE: unknown
    uint8_t board[5];
    uint8_t board_count;
    bool over;
    struct text betting;
    struct acpc_mark *mark; // the start and every step since
    uint32_t marks, mark_room;
};

void acpc_begin(struct acpc_hand *h, uint64_t number, seat_set dealt, int button); // reuses the memory of the last hand
void acpc_release(struct acpc_hand *h);

void acpc_post(struct acpc_hand *h, int seat, int32_t total);
void acpc_fold(struct acpc_hand *h);                         // by the seat whose turn it is
void acpc_bet(struct acpc_hand *h, int seat, int32_t total); // check, call, raise or all-in: total of the seat now
void acpc_deal(struct acpc_hand *h, const uint8_t *cards, int count);
void acpc_set_cards(struct acpc_hand *h, int seat, const uint8_t cards[2]);
void acpc_end(struct acpc_hand *h); // hands shown from here on belong to the last line

// "MATCHSTATE:0:12:cr300c/:AsKd|/2c3d4h" as the seat sees it at that mark, without the line end. Other seats' cards are
// in the last line only.
void acpc_put_state(const struct acpc_hand *h, struct text *t, int seat, uint32_t mark);
// "STATE:12:cr300c/:AsKd|QhJc/2c3d4h:300|-300:a|b": with all known hands. `net` and `names` are by seat.
void acpc_put_log(const struct acpc_hand *h, struct text *t, const int32_t *net, const char *const *names);

// The last line of a match. Positions are those of the last hand.
void acpc_put_score(const struct acpc_hand *h, struct text *t, const int64_t *net, const char *const *names);

// Parses the word after a client's last colon: "f", "c", "r300".
enum acpc_word { ACPC_BAD, ACPC_FOLD, ACPC_CALL, ACPC_RAISE };
enum acpc_word acpc_read_word(struct span word, int32_t *total);

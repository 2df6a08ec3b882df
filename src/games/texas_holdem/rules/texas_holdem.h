// No-limit Texas Hold'em, 2 to 9 seats (F6.T, G25): a match of several hands with rising blinds. Names that belong to
// this game begin with texas_holdem or, for short, holdem.
#pragma once

#include "game/cards.h"
#include "game/game.h"

#include <string.h>

enum {
    HOLDEM_SEATS = 9,
    HOLDEM_MAX_CHIPS = 1 << 30,       // on the whole table (F6.T1)
    HOLDEM_MAX_BLIND = (1 << 30) - 1, // so that every sum of two bets fits
    HOLDEM_MAX_DEALT = 2 * HOLDEM_SEATS + 5,
    HOLDEM_MILLION = 1000000, // fractions of overseers are in millionths
    HOLDEM_FLAT = 10,
    HOLDEM_VECTOR = 183,
    HOLDEM_NOBODY = 255,
    HOLDEM_LOTS = RNG_BLOCK_WORDS / 2, // hands whose lots come from one block
};

enum holdem_phase { HOLDEM_PREFLOP, HOLDEM_FLOP, HOLDEM_TURN, HOLDEM_RIVER, HOLDEM_SHOWDOWN, HOLDEM_DONE };

// Actions. call: any amount is taken (F6.T8). raise: amount is the total for the betting round. The blinds are posted
// by the game itself and only appear in events; the last three are the master's and hold from the next hand.
enum holdem_action {
    HOLDEM_FOLD = 1,
    HOLDEM_CHECK,
    HOLDEM_CALL,
    HOLDEM_RAISE,
    HOLDEM_ALLIN,
    HOLDEM_POST_SMALL,
    HOLDEM_POST_BIG,
    HOLDEM_SET_BLINDS,      // built by holdem_set_blinds
    HOLDEM_SET_BLIND_LEVEL, // amount: multiplier of both blinds in millionths, 0.25..8 (G23.4)
    HOLDEM_SET_ANTE,        // amount: of the big blind, in millionths, 0..1
};

enum holdem_status { HOLDEM_ACTIVE, HOLDEM_FOLDED, HOLDEM_ALL_IN, HOLDEM_BUSTED };
enum holdem_reason { HOLDEM_ALL_FOLDED = 1, HOLDEM_SHOWN_DOWN };
// N12: in a cash match every hand begins with starting_chips for every seat, and what counts is what was won in all.
enum holdem_format { HOLDEM_TOURNAMENT, HOLDEM_CASH };
enum holdem_ending { HOLDEM_MAX_HANDS = 1, HOLDEM_ELIMINATED };
enum holdem_position {
    HOLDEM_NO_POSITION,
    HOLDEM_BTN,
    HOLDEM_SB,
    HOLDEM_BB,
    HOLDEM_UTG,
    HOLDEM_UTG1,
    HOLDEM_MP,
    HOLDEM_MP1,
    HOLDEM_HJ,
    HOLDEM_CO,
};

struct texas_holdem_rules {
    int32_t small_blind, big_blind;
    int32_t starting_chips;
    int32_t max_hands;
    int32_t blinds_double_at; // the hand from which the blinds are twice as large; 0: never
    int32_t ante;
    int32_t stacks[HOLDEM_SEATS]; // by seat; all 0: everyone has starting_chips
    uint8_t deck[CARDS_IN_DECK];  // of hand 1 in dealing order, when has_deck is set
    uint8_t has_deck;
    uint8_t button;           // its seat in hand 1
    uint8_t big_blind_option; // F6.T10: the big blind may raise a limped pot
    uint8_t format;           // enum holdem_format
};

// How the last hand ended. In a view only cards which the viewer may know; the others are CARD_NONE.
struct holdem_last {
    int32_t payout[HOLDEM_SEATS];
    int32_t pot;                     // all chips put in
    uint32_t number;                 // of the hand; 0: none has been played
    uint16_t strength[HOLDEM_SEATS]; // of eval7, at a showdown; 0 for folded hands
    seat_set dealt;
    seat_set live; // who had not folded
    uint8_t cards[HOLDEM_SEATS][2];
    uint8_t winner[HOLDEM_SEATS]; // main pot first, then clockwise from left of the button (F6.T14)
    uint8_t winners;
    uint8_t board[5];
    uint8_t board_count;
    uint8_t reason; // enum holdem_reason
    uint8_t button;
    uint8_t drawn; // cards and board are there (see the state); always set in a view
    uint8_t unused;
};

// Cards are a function of the key, the hand's number and who sits where. A state keeps them only where that is not so,
// in a stacked or resampled hand; all others are drawn when they are looked at, and by a showdown. A hand that ends
// before costs none.

struct texas_holdem_state {
    // Entities.
    int32_t chips[HOLDEM_SEATS]; // behind, not yet bet
    int32_t bet[HOLDEM_SEATS];   // in this betting round
    int32_t total[HOLDEM_SEATS]; // in this hand, ante included
    struct holdem_last last;
    uint8_t hole[HOLDEM_SEATS][2]; // of the running hand, when drawn is set
    uint8_t drawn;
    uint8_t button;

    // World.
    int32_t current_bet, last_raise;
    int32_t small_blind, big_blind, ante;    // in force
    int32_t base_small, base_big, base_ante; // before the level is applied; the ante unless a fraction is set
    int32_t next_small, next_big;            // set by the master for the next hand; 0: nothing
    int32_t level;                           // of the blinds, in millionths
    int32_t ante_fraction;                   // in millionths, one higher; 0: base_ante holds
    int32_t all_chips;                       // at the start of the match
    int32_t removed;                         // taken along by dropped seats
    uint32_t hand, hands_total, double_at;
    uint32_t question;
    // Those that change together lie apart: as neighbours they would be loaded as one word right after one was stored.
    seat_set live;    // of those dealt in, not folded
    seat_set dealt;   // into this hand
    seat_set pending; // must still act in this round (F6.T10)
    seat_set dropped;
    seat_set able; // of the live, with chips left (kept: every step needs it)
    uint8_t seats;
    uint8_t actor; // seat to act; HOLDEM_NOBODY when done
    uint8_t phase;
    uint8_t short_all_in;
    uint8_t big_blind_option;
    uint8_t ending;    // enum holdem_ending
    uint8_t level_due; // the master has changed the level or the ante
    uint8_t cash;      // N12: of a cash match
    uint8_t padding[2];

    // Chance.
    struct rng chance; // section h belongs to hand h, section 0 to the lots of all
    union {
        uint32_t lots[RNG_BLOCK_WORDS]; // of this hand and those that share its block, two words each
        int32_t net[RNG_BLOCK_WORDS];   // of a cash match, whose lots are drawn when needed: winnings of the seats
                                        // in all settled hands. States of tournaments have the bytes they always had
    };
    uint8_t runout[5];                 // the board as it will be, when drawn is set
    uint8_t stacked[HOLDEM_MAX_DEALT]; // the cards of the next hand, when has_stacked is set
    uint8_t has_stacked;
    uint8_t unused[3];
};

struct texas_holdem_view {
    struct holdem_last last;
    int32_t chips[HOLDEM_SEATS], bet[HOLDEM_SEATS], total[HOLDEM_SEATS];
    int32_t net[HOLDEM_SEATS]; // of a cash match: what was won in all settled hands
    int32_t all_chips;
    int32_t pot; // with the bets of this round
    int32_t current_bet;
    int32_t to_call;      // of the viewer; 0 for one who cannot act any more
    int32_t min_raise_to; // of the viewer, when he is asked and may raise; else 0
    int32_t max_raise_to;
    int32_t small_blind, big_blind, ante; // in force
    uint32_t hand, hands_total, hands_completed;
    uint32_t turn;
    seat_set dropped;
    seat_set champions; // seats that have won the match
    uint8_t hole[2];    // CARD_NONE for spectators and the busted
    uint8_t board[5];
    uint8_t board_count;
    uint8_t status[HOLDEM_SEATS];   // enum holdem_status; HOLDEM_BUSTED beyond the last seat
    uint8_t position[HOLDEM_SEATS]; // enum holdem_position
    uint8_t order[HOLDEM_SEATS];    // seats dealt in, from the first to act in this round (F6.T15)
    uint8_t order_count;            // 0 when done
    uint8_t shown[HOLDEM_SEATS][2]; // hands that lie open now: when done, those of the last showdown
    uint8_t seats;
    uint8_t viewer;
    uint8_t phase;
    uint8_t button;
    uint8_t actor;  // HOLDEM_NOBODY when done
    uint8_t ending; // enum holdem_ending, 0 while the match goes on
    uint8_t cash;   // of a cash match
    uint8_t unused[3];
};

// Events. HOLDEM_EVENT_PAID, _HANDS and _OWN are parts of the hand result before them.
enum holdem_event {
    HOLDEM_EVENT_NEW_HAND = 1, // seat: the button; amount: the hand's number; struct holdem_new_hand
    HOLDEM_EVENT_ACTION,       // seat; amount by F6.T14, 0 for fold and check; struct holdem_played
    HOLDEM_EVENT_COMMUNITY,    // struct holdem_street
    HOLDEM_EVENT_RESULT,       // amount: the pot; struct holdem_result
    HOLDEM_EVENT_PAID,         // what everybody put in; struct holdem_paid
    HOLDEM_EVENT_HANDS,        // after a showdown: the hands; struct holdem_hands
    HOLDEM_EVENT_OWN,          // to its owner alone: seat's hand that is not shown; struct holdem_own
    HOLDEM_EVENT_MATCH,        // seat: the winner, or HOLDEM_NOBODY on a tie; struct holdem_match
    HOLDEM_EVENT_DROPPED,      // seat; amount: the stack that left play; struct holdem_dropped
    HOLDEM_EVENT_KINDS
};

struct holdem_new_hand {
    int32_t chips[HOLDEM_SEATS]; // before ante and blinds
    int32_t small_blind, big_blind;
    uint32_t hands_total;
};

struct holdem_played {
    int32_t total_bet; // over the whole hand
    uint8_t action;    // enum holdem_action
    uint8_t unused[3];
};

struct holdem_street {
    uint8_t cards[3]; // the new ones
    uint8_t count;
    uint8_t phase;
};

struct holdem_result {
    int32_t payout[HOLDEM_SEATS];
    uint32_t hand;
    uint8_t winner[HOLDEM_SEATS];
    uint8_t winners;
    uint8_t reason;
    uint8_t unused;
};

struct holdem_paid {
    int32_t total[HOLDEM_SEATS];
};

struct holdem_hands {
    uint16_t strength[HOLDEM_SEATS];
    seat_set dealt, live;           // a hand that was dealt and is not live was folded
    uint8_t cards[HOLDEM_SEATS][2]; // CARD_NONE where not live
};

struct holdem_own {
    uint8_t cards[2];
    uint8_t folded;
};

struct holdem_match {
    int32_t chips[HOLDEM_SEATS]; // of a cash match: net
    uint32_t hands;              // played
    seat_set winners;
    uint8_t ending;
    uint8_t cash;
};

struct holdem_dropped {
    uint8_t reason;
};

// Reads the data of an event: holdem_result_of(e).
#define HOLDEM_READER(type)                                                                                            \
    static inline struct type type##_of(const struct game_event *e)                                                    \
    {                                                                                                                  \
        struct type data;                                                                                              \
        _Static_assert(sizeof data <= sizeof e->data, "fits into an event");                                           \
        memcpy(&data, e->data, sizeof data);                                                                           \
        return data;                                                                                                   \
    }
HOLDEM_READER(holdem_new_hand)
HOLDEM_READER(holdem_played)
HOLDEM_READER(holdem_street)
HOLDEM_READER(holdem_result)
HOLDEM_READER(holdem_paid)
HOLDEM_READER(holdem_hands)
HOLDEM_READER(holdem_own)
HOLDEM_READER(holdem_match)
HOLDEM_READER(holdem_dropped)
#undef HOLDEM_READER

// Neither folded nor out.
static inline bool holdem_has_cards(const struct texas_holdem_view *v, int seat)
{
    return v->status[seat] == HOLDEM_ACTIVE || v->status[seat] == HOLDEM_ALL_IN;
}

static inline int holdem_other_seat(const struct texas_holdem_view *v) // of two in the hand
{
    return v->order[0] == v->viewer ? v->order[1] : v->order[0];
}

// Two numbers in one action: the small blind, below 2^24, stands in the three args.
static inline struct game_action holdem_set_blinds(int32_t small, int32_t big)
{
    return (struct game_action){.kind = HOLDEM_SET_BLINDS,
                                .arg = {(uint8_t)small, (uint8_t)(small >> 8), (uint8_t)(small >> 16)},
                                .amount = big};
}

static inline int32_t holdem_small_blind_of(struct game_action a)
{
    return a.arg[0] | a.arg[1] << 8 | a.arg[2] << 16;
}

// F6.T12: the least that one of the eligible put in, up to which they share a pot, and who of them put in more.
static inline int32_t holdem_pot_level(const int32_t total[HOLDEM_SEATS], seat_set eligible, seat_set *above)
{
    int32_t level = INT32_MAX;
    unsigned more = 0;
    for (unsigned rest = eligible; rest; rest &= rest - 1) {
        int32_t put = total[__builtin_ctz(rest)];
        level = put < level ? put : level;
    }
    for (unsigned rest = eligible; rest; rest &= rest - 1)
        more |= (unsigned)(total[__builtin_ctz(rest)] > level) << __builtin_ctz(rest);
    *above = (seat_set)more;
    return level;
}

extern const struct game texas_holdem_game;

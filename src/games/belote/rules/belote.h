// Malagasy Belote: four seats, two teams, 32 cards; a cut, a negotiation of modes, eight tricks, points to a target.
#pragma once

#include "game/game.h"

enum {
    BELOTE_SEATS = 4,
    BELOTE_CARDS = 32,
    BELOTE_HAND = 8,
    BELOTE_TRICKS = 8,
    BELOTE_UNDEALT = 12,          // cards kept back until the negotiation is over (B2.5)
    BELOTE_MAX_BIDS = 25,         // B3.14
    BELOTE_MOST_POINTS = 1000000, // of a match that another program describes
    BELOTE_NONE = 255,            // no mode, team, seat or card
};

// B1.2: a card is 8 x suit + rank. A set of cards has bit c for card c.
enum belote_suit { BELOTE_CLUBS, BELOTE_DIAMONDS, BELOTE_HEARTS, BELOTE_SPADES, BELOTE_SUITS };
enum belote_rank { BELOTE_7, BELOTE_8, BELOTE_9, BELOTE_10, BELOTE_J, BELOTE_Q, BELOTE_K, BELOTE_A, BELOTE_RANKS };

// B1.3: modes 0..3 are colours, their trump suit has the same number.
enum belote_mode { BELOTE_NO_TRUMPS = 4, BELOTE_ALL_TRUMPS, BELOTE_MODES };

enum belote_phase { BELOTE_CUT_PHASE, BELOTE_BID_PHASE, BELOTE_PLAY_PHASE, BELOTE_DONE };

enum belote_action {
    BELOTE_CUT = 1,    // amount: position 6..26; arg[0]: 1 from the top, 0 from the bottom
    BELOTE_ANNOUNCE,   // arg[0]: mode
    BELOTE_ACCEPT,     //
    BELOTE_DOUBLE,     // arg[0]: mode
    BELOTE_REDOUBLE,   // arg[0]: mode
    BELOTE_PLAY,       // arg[0]: card
    BELOTE_SET_TARGET, // the master's; amount: 50..2000 (G23.3)
};

enum { BELOTE_LAST_TRICK = 10 }; // B4.2: points of the last trick besides its cards
enum { BELOTE_CUT_MIN = 6, BELOTE_CUT_MAX = 26, BELOTE_TARGET_MIN = 50, BELOTE_TARGET_MAX = 2000 };

// What is said in a negotiation, as one number: announcements by mode, accept, doubles, redoubles by mode. Rising
// numbers are the order of legal lists (B3.3); index 22 + word is the flat number (G28.1).
enum belote_word {
    BELOTE_SAY_MODE = 0,
    BELOTE_SAY_ACCEPT = 6,
    BELOTE_SAY_DOUBLE = 7,
    BELOTE_SAY_REDOUBLE = 13,
    BELOTE_WORDS = 19
};

enum belote_flat { BELOTE_FLAT_CUT = 1, BELOTE_FLAT_WORD = 22, BELOTE_FLAT_CARD = 41, BELOTE_FLAT_SIZE = 73 };

enum { BELOTE_VECTOR_SIZE = 255 };

// B8: what `classic` changes, point by point.
enum belote_option {
    BELOTE_NO_CLUBS_REDOUBLE = 1, // B8.2
    BELOTE_GATHER = 2,            // B8.3, B8.5: from the second deal on the deck is the tricks of the last one
    BELOTE_CUTTER_LEFT = 4,       // B8.4
    BELOTE_SINGLE_DEAL = 8,       // G28.5: one deal, the higher match points win
    BELOTE_EQUAL_DEALS = 16,      // B14.6: a shuffle is the order after the cut, so that cuts change no deal
};

struct belote_rules {
    int32_t target;               // 150; 1..10000
    int32_t points[2];            // match points at the start
    uint16_t colour_sweep_points; // B7.5: 0 off, else a Colour sweep adds this times the multiplier; up to 1000
    uint8_t clubs_base;           // B8.1: 32 or 16
    uint8_t options;              // of enum belote_option
    uint8_t dealer;               // of the first deal
    uint8_t cut;                  // 0, or the first deal's cut 6..26; then no seat is asked to cut
    uint8_t cut_from_bottom;      // of that cut
    uint8_t has_deck;             // the first deal takes `deck`, top first, before the cut
    uint8_t deck[BELOTE_CARDS];
};

// B10.1 DealResult. A sweep in a Colour mode is an instant win (B6.1).
struct belote_deal {
    uint16_t card_points[2]; // by team
    uint8_t match_points[2];
    uint8_t mode;
    uint8_t multiplier; // 1, 2, 4; 0: there was no deal yet
    uint8_t team;       // the announcing one
    uint8_t sweep;      // the team that took all tricks, or BELOTE_NONE
};

struct belote_state {
    // On the table. Cards stay in `hand` when they are played; `held` has those that are left.
    uint32_t held[BELOTE_SEATS];
    uint8_t hand[BELOTE_SEATS][BELOTE_HAND]; // in the order received (B2.6); five each in the negotiation
    uint8_t play[BELOTE_CARDS];              // as played; from `plays` on still those of the last deal
    struct belote_deal last;
    uint16_t leaders; // two bits per trick, like `play`
    uint8_t bid[BELOTE_MAX_BIDS];

    // Phase and counters.
    uint8_t phase;
    uint8_t dealer;
    uint8_t turn;    // the seat that is asked
    uint32_t number; // of the question
    uint32_t deal;   // from 0
    uint32_t may;    // what that seat may do: words in the negotiation, cards in play. Derived; kept because
                     // choices and apply both need it
    int32_t target;
    int32_t points[2]; // match points
    uint16_t card_points[2];
    uint16_t colour_sweep_points;
    uint8_t clubs_base;
    uint8_t options;
    uint8_t bids;
    uint8_t high; // the current bid, or BELOTE_NONE
    uint8_t bidder;
    uint8_t accepts;
    uint8_t locked;  // B3.1
    uint8_t doubled; // sets of modes
    uint8_t redoubled;
    uint8_t announced[2];       // by team
    uint8_t open[BELOTE_SEATS]; // modes this seat may still double once they are announced (B3.6)
    uint8_t mode;               // the contract, once the negotiation is over
    uint8_t multiplier;
    uint8_t team;
    uint8_t plays;
    uint8_t best;  // the winning card of the running trick
    uint8_t taker; // and who played it
    uint8_t trick_points;
    uint8_t won[2]; // tricks by team
    uint8_t winner; // of the match: a team, or BELOTE_NONE
    uint8_t left;   // the seat that was dropped, or BELOTE_NONE

    // Chance. The deck of a deal is made when it is cut: it is a function of the key and the number of the deal (B9.3),
    // of the cards on the table (B8.5), or `stacked`.
    uint32_t key[8];
    uint8_t undealt[BELOTE_UNDEALT]; // during the negotiation
    uint8_t stacked[BELOTE_CARDS];   // for the next cut; all zero: nothing
};

// What a viewer may know. By team and by seat in real order, never rotated (B10.7).
struct belote_view {
    uint32_t number;
    uint32_t deal_number; // from 1
    uint32_t may;         // what the viewer may do: as in the state; 0 when not asked (any cut when the phase is cut)
    uint32_t cannot[BELOTE_SEATS]; // cards a seat cannot hold, by what everybody saw it play (B15.6) or because they
                                   // are gone; the viewer's own hand is not used
    int32_t target;
    int32_t points[2];
    struct belote_deal last;
    uint16_t card_points[2];
    uint16_t colour_sweep_points;
    uint8_t clubs_base;
    uint8_t options;
    uint8_t viewer; // a seat, or GAME_SPECTATOR
    uint8_t phase;
    uint8_t turn; // BELOTE_NONE when done
    uint8_t dealer;
    uint8_t cards; // in the own hand
    uint8_t hand[BELOTE_HAND];
    uint8_t held[BELOTE_SEATS]; // number of cards by seat
    uint8_t bids;
    uint8_t bid[BELOTE_MAX_BIDS]; // words; bid i is by seat opener + i
    uint8_t high;
    uint8_t bidder;
    uint8_t accepts;
    uint8_t locked;
    uint8_t doubled;
    uint8_t redoubled;
    uint8_t doubled_at[BELOTE_MODES]; // index of the Double in `bid`, or BELOTE_NONE
    uint8_t announced[2];
    uint8_t mode; // BELOTE_NONE until the negotiation is over
    uint8_t multiplier;
    uint8_t team;
    uint8_t plays;
    uint8_t play[BELOTE_CARDS];    // of the running deal, zero from `plays` on
    uint8_t leader[BELOTE_TRICKS]; // of tricks begun in the running deal, else BELOTE_NONE
    uint8_t taken[BELOTE_TRICKS];  // who won it; BELOTE_NONE while it is not complete
    uint8_t best;                  // of the running trick, BELOTE_NONE before its first card
    uint8_t taker;
    uint8_t won[2];
    uint8_t last_trick[4]; // the last complete one, of this deal or the one before; zero when there is none
    uint8_t last_leader;   // BELOTE_NONE when there is none
    uint8_t last_taker;
    uint8_t winner; // of the match: a team, or BELOTE_NONE
    uint8_t left;
    uint8_t opener; // who spoke first and led the first trick; the dealer has changed already when a match is over
};

// What happened. Everything is public.
enum belote_event {
    BELOTE_DEAL_STARTED = 1,      // seat: dealer; amount: number of the deal, from 1
    BELOTE_CUT_DONE,              // seat: cutter; amount: position; data[0]: from the top
    BELOTE_BID,                   // data[0]: word
    BELOTE_NEGOTIATION_COMPLETED, // seat: the last to accept; data: mode, team, multiplier
    BELOTE_CARD_PLAYED,           // data[0]: card
    BELOTE_TRICK_COMPLETED,       // seat: who takes it; amount: its points, with the 10 of B4.2; data: number from 1,
                                  // leader, the four cards as played
    BELOTE_DEAL_ENDED,            // seat: its dealer; data: struct belote_deal_ended
    BELOTE_MATCH_ENDED,           // seat: BELOTE_NONE; data: struct belote_match_ended
    BELOTE_DISCONNECTED,          // data[0]: reason
    BELOTE_EVENTS,
};

struct belote_deal_ended {
    int32_t points[2]; // match points now
    int32_t gained[2]; // in this deal: its match points, or those of B7.5
    int32_t target;    // before it grew
    struct belote_deal deal;
    uint8_t spare[2];
};

struct belote_match_ended {
    int32_t points[2];
    uint8_t team; // the winners, or BELOTE_NONE
    uint8_t spare[3];
};

extern const struct game belote_game;

static inline int belote_suit(int card)
{
    return card >> 3;
}

static inline int belote_rank(int card)
{
    return card & 7;
}

static inline int belote_team(int seat)
{
    return seat & 1;
}

// B4.1: whether the suit goes by the strong order J 9 A T K Q 8 7 in this mode.
static inline bool belote_is_strong(int mode, int suit)
{
    return mode == BELOTE_ALL_TRUMPS || mode == suit;
}

// The trump suit as a set of cards; empty in NoTrumps and AllTrumps.
static inline uint32_t belote_trumps(int mode)
{
    return mode < BELOTE_NO_TRUMPS ? 0xFFu << BELOTE_RANKS * mode : 0;
}

int belote_card_points(int mode, int card);    // B4
uint32_t belote_beaten_by(int mode, int card); // the cards that beat it when it is winning a trick (B5.1)

// B5.2-B5.9: what may be played from `held` onto a trick that `led` opened, where `best` is winning.
uint32_t belote_legal_cards(int mode, uint32_t held, int led, int best, bool partner_winning);

// B15.6: cards that the seat cannot hold any more when it plays `card` onto such a trick, not as its first.
uint32_t belote_infer(int mode, int led, int best, bool partner_winning, int card);

// B6.2-B6.4: match points for the team with more card points, before doubling.
static inline int belote_stake(int mode, int clubs_base)
{
    static const uint8_t stakes[BELOTE_MODES] = {0, 16, 16, 16, 52, 26};
    return mode == BELOTE_CLUBS ? clubs_base : stakes[mode];
}

// B6. `sweep` is the team that took every trick, or BELOTE_NONE.
struct belote_deal belote_score(int mode, int multiplier, int team, const uint16_t card_points[2], int sweep,
                                int clubs_base);

// B7.2, B7.3: the team that has won with these points, or BELOTE_NONE. Raises the target if both teams reached it.
int belote_find_winner(const int32_t points[2], int32_t *target);

// A state that agrees with everything the view tells, hidden cards drawn with equal chance among all that are possible:
// where a searching player starts from. The view is a seat's.
void belote_imagine(struct belote_state *state, const struct belote_view *view, struct rng *dice);

// Completes a view that another program describes, where the viewer is asked. Given: viewer, phase (cut, bid or play),
// dealer, the own hand, the bids and plays of the running deal, and of target, points, deal number, last deal and rules
// what is known. ERR_ACTION if the rules allow no such deal; then the view is undefined.
int belote_rebuild_view(struct belote_view *view);
// The same where another seat may be asked: for display, not to play from.
int belote_rebuild_display_view(struct belote_view *view);

void belote_set_classic(struct belote_rules *rules); // B8: the four points, and nothing else

// Liar's Dice for two to six (F6.L, G26): everyone rolls in secret, bids on all dice together, and one is called a
// liar.
//
// All bids form one rising row: 1x1, 1x2 .. 1x6, 2x1 .. 30x6. A bid is its place in that row, 1 to 180 (its "rank"; 0
// is no bid), so "beats the current bid" is "is larger", and all legal bids are one choice with a range of amounts.
#pragma once

#include "game/game.h"

enum { LIARS_DICE_SEATS = 6, LIARS_DICE_DICE = 5, LIARS_DICE_FACES = 6, LIARS_DICE_NOBODY = 255 };
enum { LIARS_DICE_AHEAD = 16 }; // hands drawn at once: two rounds of six, eight rounds of two

enum liars_dice_action {
    LIARS_DICE_CHALLENGE = 1,
    LIARS_DICE_BID, // amount: rank
};

enum liars_dice_phase { LIARS_DICE_BIDDING, LIARS_DICE_DONE };

// All are public (F6.L6); `seat` is the player they are about.
enum liars_dice_event {
    LIARS_DICE_BADE = 1,     // amount: rank
    LIARS_DICE_CHALLENGED,   // amount: how many dice count; data: struct liars_dice_challenge; seat: the challenger
    LIARS_DICE_ELIMINATED,   //
    LIARS_DICE_ROUND_START,  // amount: round, 2 or more; data: dice by seat; seat: who opens
    LIARS_DICE_GAME_OVER,    // seat: the winner
    LIARS_DICE_DISCONNECTED, // amount: dice that left with the seat; data[0]: reason
};

static inline int liars_dice_rank(int quantity, int face)
{
    return LIARS_DICE_FACES * (quantity - 1) + face;
}

static inline int liars_dice_quantity(int rank) // 0 for no bid
{
    return (rank + LIARS_DICE_FACES - 1) / LIARS_DICE_FACES;
}

static inline int liars_dice_face(int rank)
{
    return rank ? (rank - 1) % LIARS_DICE_FACES + 1 : 0;
}

// F6.L12. The scenario and the options set these; init refuses what is out of range.
struct liars_dice_rules {
    uint8_t dice_counts[LIARS_DICE_SEATS];           // at the start, 1..5; 0 behind the last seat
    uint8_t dice[LIARS_DICE_SEATS][LIARS_DICE_DICE]; // faces of round 1, all of every seat; all 0: rolled
    uint8_t wild_ones;                               // 1: ones count for every face; 0: for ones only
    uint8_t starter;                                 // who opens round 1
};

// A finished round: what was bid, what lay under the cups, who lost. round 0: none yet.
struct liars_dice_challenge {
    uint8_t challenger;
    uint8_t bidder;
    uint8_t bid; // rank
    uint8_t count;
    uint8_t loser;
    uint8_t round;
    uint8_t dice[LIARS_DICE_SEATS][LIARS_DICE_DICE]; // of those in play then, as rolled; 0: no die
};

static inline struct liars_dice_challenge liars_dice_challenge_of(const struct game_event *e) // LIARS_DICE_CHALLENGED
{
    struct liars_dice_challenge c;
    memcpy(&c, e->data, sizeof c);
    return c;
}

struct liars_dice_view {
    uint8_t dice[LIARS_DICE_DICE];           // the viewer's own, as rolled; 0: no die
    uint8_t dice_counts[LIARS_DICE_SEATS];   // 0: eliminated, dropped or an empty seat
    uint8_t starting_dice[LIARS_DICE_SEATS]; // 0: an empty seat
    uint8_t seats;
    uint8_t viewer; // a seat, or GAME_SPECTATOR
    uint8_t phase;
    uint8_t round;
    uint8_t total;  // dice in play
    uint8_t to_act; // LIARS_DICE_NOBODY when done
    uint8_t bid;    // rank; 0: none yet
    uint8_t bidder; // LIARS_DICE_NOBODY without a bid
    uint8_t wild_ones;
    uint8_t winner; // LIARS_DICE_NOBODY until done
    struct liars_dice_challenge last;
};

// Five dice in 15 bits: an octal number whose digits are the faces, the first die lowest; 0: no die. Four dice 4 1 6 2
// are 02614.
typedef uint16_t liars_dice_hand;

struct liars_dice_state {
    // on the table
    liars_dice_hand hand[LIARS_DICE_SEATS];  // exactly dice_counts dice each
    liars_dice_hand shown[LIARS_DICE_SEATS]; // by the last challenge
    uint8_t dice_counts[LIARS_DICE_SEATS];
    uint8_t starting_dice[LIARS_DICE_SEATS];
    uint8_t bid;                                                                        // rank; 0: none yet
    uint8_t bidder;                                                                     // 0 without a bid
    uint8_t last_challenger, last_bidder, last_bid, last_count, last_loser, last_round; // last_round 0: none yet
    // phase and counters
    uint16_t number; // of the question
    uint8_t phase;
    uint8_t seats;
    uint8_t to_act;
    uint8_t in_play; // the seats with dice, as a set; kept because every step asks
    uint8_t total;   // dice in play; kept because every choice asks
    uint8_t round;
    uint8_t wild_ones;
    uint8_t winner;  // 0 until done
    uint8_t section; // of chance, the next one
    uint8_t dealt;   // of the hands ahead
    // chance
    uint32_t key[8];                         // of the stream; sections are counted by rounds
    liars_dice_hand ahead[LIARS_DICE_AHEAD]; // five dice each: of the running section, what is stacked put in
};

extern const struct game liars_dice_game;

// The faces of a hand, in order; 0 where there is no die.
static inline void liars_dice_faces(liars_dice_hand hand, uint8_t faces[LIARS_DICE_DICE])
{
    for (int i = 0; i < LIARS_DICE_DICE; i++)
        faces[i] = (uint8_t)(hand >> 3 * i & 7);
}

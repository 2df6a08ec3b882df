// What is kept beside a state for rows (game/rows.h), and the functions around it. Inside the game only.
#pragma once

#include "game/rows.h"
#include "games/texas_holdem/rules/hand.h"

enum { HOLDEM_STREETS = HOLDEM_RIVER + 1, HOLDEM_MOST_RAISES = 4 };

enum { HOLDEM_COUNTED_HANDS = UINT16_MAX }; // later ones change no habit

// Habits of a seat over the match, counted once a hand: chips put in of one's own will before the flop, a raise then, a
// raise later, a showdown.
enum holdem_habit { HOLDEM_PAID, HOLDEM_RAISED, HOLDEM_RAISED_LATER, HOLDEM_SHOWED, HOLDEM_HABITS };

// Of the running hand, unless it says otherwise. When the match is done all of it is as before the first action, but
// for the habits and the cards of the last hand.
struct holdem_history {
    uint64_t aggressor;           // who raised last, nine bits for each street
    uint64_t did;                 // what each seat did last, five bits: fold, check, call, raise, all-in
    uint64_t habit[HOLDEM_SEATS]; // over the match, 16 bits each; those of seats that are out mean nothing
    int32_t street[HOLDEM_STREETS][HOLDEM_SEATS]; // chips put in on streets before this one; antes are not in it
    int32_t before[HOLDEM_SEATS];                 // of `total`, what was there when this street began
    int32_t pot;                                  // now
    int32_t put, put_on;                          // the last action: chips put in, and the pot before
    uint32_t hand;                                // its number
    uint32_t settled;                             // hands that are over
    uint8_t counted[HOLDEM_SEATS];                // sets of habits that are counted for this hand
    uint8_t raises[HOLDEM_STREETS];               // at most HOLDEM_MOST_RAISES
    uint8_t phase;
    uint8_t acted;                 // the phase of the last action
    uint8_t hole[HOLDEM_SEATS][2]; // cards as drawn; not used where the state has its own
    uint8_t board[5];
    uint8_t unused[2];
};
_Static_assert(sizeof(struct holdem_history) <= GAME_MAX_HISTORY && sizeof(struct holdem_history) % 8 == 0,
               "histories lie side by side");

void holdem_begin_history(const void *state, void *history);
void holdem_before(const void *state, int seat, struct game_action action, struct game_mark *note);
void holdem_after(const void *state, void *history, int seat, struct game_action action, const struct game_mark *note);
void holdem_after_brief(const void *state, void *history); // vector 1 reads the cards alone

extern const struct game_token_kind holdem_token_kinds[];
void holdem_tell(const void *state, const void *history, const struct game_event *happened, int count,
                 struct game_tokens *out);

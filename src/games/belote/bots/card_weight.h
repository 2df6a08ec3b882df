// The weight of a card for a seat that counts cards and sees only its own hand: how `rules` (B15.3) plays.
//
// `rules` plays the card of the highest weight. Other bots use weights for imagined hands: how likely a seat would have
// played a card, and how the rest of a deal may go if no seat sees the others' cards.
#pragma once

#include "games/belote/rules/belote.h"

// What everybody sees of a deal that is played, and whose turn it is.
struct table {
    uint32_t played;
    uint32_t cannot[BELOTE_SEATS]; // B15.6, or because they are gone
    uint8_t mode;
    uint8_t team; // that announced it
    uint8_t seat; // in turn
    uint8_t plays;
    uint8_t led; // card, with the next two: of the running trick, if it has a card
    uint8_t best;
    uint8_t taker;
    uint8_t lying;              // card points on it
    uint8_t said[BELOTE_SEATS]; // the suit each seat announced last, or BELOTE_NONE
    uint8_t held[BELOTE_SEATS]; // number of cards
};

// With the hand of the seat in turn.
struct look {
    const struct table *table;
    uint32_t hand, unseen;
    uint32_t may_hold[BELOTE_SEATS]; // unseen cards each other seat may have
    float rest_points;               // mean points of an unseen card
};

struct table card_weight_table(const struct belote_view *v); // the viewer is in turn
struct look card_weight_look(const struct table *table, uint32_t hand);
float card_weight_of(const struct look *l, int card); // in card points, nearly; the card is legal

uint32_t card_weight_list_legal(const struct table *table, uint32_t hand);
// The seat in turn plays a card. The team that takes a trick which is complete by it, or BELOTE_NONE.
int card_weight_play(struct table *table, int card);

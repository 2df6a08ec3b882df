// Questions that the bots of belote ask of a view.
#pragma once

#include "games/belote/bots/bots.h"
#include "games/belote/rules/belote.h"

#include <assert.h>

static inline uint32_t cards_of_suit(int suit)
{
    assert(suit >= 0 && suit < BELOTE_SUITS);
    return 0xFFu << BELOTE_RANKS * suit;
}

static inline uint32_t cards_in_hand(const struct belote_view *v)
{
    uint32_t set = 0;
    for (int i = 0; i < v->cards; i++)
        set |= 1u << v->hand[i];
    return set;
}

// Cards that are neither in the own hand nor played.
static inline uint32_t cards_unseen(const struct belote_view *v)
{
    uint32_t seen = cards_in_hand(v);
    for (int i = 0; i < v->plays; i++)
        seen |= 1u << v->play[i];
    return ~seen;
}

// The unseen cards of its own suit that beat a card.
static inline uint32_t cards_above(const struct belote_view *v, int card)
{
    return belote_beaten_by(v->mode, card) & cards_of_suit(belote_suit(card)) & cards_unseen(v);
}

// Number of cards in the running trick, and the card that led it.
static inline int cards_lying(const struct belote_view *v)
{
    return v->plays % 4;
}

static inline int card_led(const struct belote_view *v)
{
    return v->play[v->plays & ~3];
}

// The suit a seat announced last as a Colour mode, or BELOTE_NONE.
static inline int suit_announced(const struct belote_view *v, int seat)
{
    int suit = BELOTE_NONE;
    for (int i = 0; i < v->bids; i++)
        if ((v->opener + i) % BELOTE_SEATS == seat && v->bid[i] < BELOTE_NO_TRUMPS)
            suit = v->bid[i];
    return suit;
}

static inline struct game_action word_action(int kind, int mode)
{
    return (struct game_action){.kind = (uint8_t)kind, .arg = {(uint8_t)mode}};
}

// Infers hands from the cards that were played (N7.2).
#pragma once

#include "games/belote/bots/card_weight.h"

// A card as it was played: the table before it, and what the seat played from there on.
struct infer_play {
    struct table table;
    uint32_t from_here;
    uint8_t card;
};

struct inference {
    int count;
    struct infer_play play[BELOTE_CARDS]; // by the seats other than the viewer
};

void infer_begin(struct inference *in, const struct belote_view *v);

// Likelihood of the play of the others if they hold these cards, up to a factor common to all hands.
float infer_chance(const struct inference *in, const uint32_t held[BELOTE_SEATS]);

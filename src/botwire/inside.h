// The parts of this room, seen by each other and by nobody else.
#pragma once

#include "botwire/wire.h"

// A negotiation so far (B10.1 NegotiationState without its actions).
struct wire_talk {
    uint8_t turn;
    uint8_t bid, bidder; // BELOTE_NONE before the first announcement
    uint8_t accepts;
    bool locked;
    uint8_t doubled, redoubled; // sets of modes
    uint8_t doubled_at[BELOTE_MODES];
    uint8_t colour[2]; // by team, or BELOTE_NONE
};

struct wire_talk wire_sum_up(const struct wire_deal *d);
int wire_find_taker(int mode, const uint8_t trick[4], int leader);

// Shared by the files of this room.
#pragma once

#include "botwire/wire.h"

// A negotiation so far (B10.1 NegotiationState without its actions).
struct wire_negotiation {
    uint8_t turn;        // seat whose word is next
    uint8_t bid, bidder; // BELOTE_NONE before the first announcement
    uint8_t accepts;     // in a row, since the last announcement, double or redouble
    // B3.4: no further announcement is legal.
    bool locked;
    uint8_t doubled, redoubled; // sets of modes
    uint8_t doubled_at[BELOTE_MODES];
    uint8_t colour[2]; // by team, or BELOTE_NONE
};

struct wire_negotiation wire_negotiation_of(const struct wire_deal *d);

// wire_read_context.c: each reads one value, whatever it is.
int wire_read_name(struct json_reader *r, const char *const *names); // its index, or -1
int wire_read_number(struct json_reader *r, int max);                // 0..max, or -1
int wire_read_one_card(struct json_reader *r);                       // or -1
int wire_read_one_word(struct json_reader *r, int *player);          // or -1; who said it, or -1
// The value ahead is an array or an object.
void wire_read_hand(struct json_reader *r, struct wire_request *q);
void wire_read_match(struct json_reader *r, struct wire_request *q);
void wire_read_negotiation(struct json_reader *r, struct wire_request *q);
void wire_read_hand_state(struct json_reader *r, struct wire_request *q);

// wire_write.c: what several bodies have in common.
void wire_write_word(struct text *t, int word, int player); // player: -1 in a choice
void wire_write_deal(struct text *t, const struct belote_deal *d, bool nulls);
void wire_put_match(struct text *t, const char *key, const struct wire_match *m, bool nulls);

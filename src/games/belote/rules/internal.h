// Shared by the files of these rules.
#pragma once

#include "games/belote/rules/belote.h"

#define ALL_CARDS 0xFFFFFFFFu

static inline int seat_after(int seat, int steps)
{
    return (seat + steps) & (BELOTE_SEATS - 1);
}

// deal.c: from a deck to hands.
void belote_start_deal(struct belote_state *s, struct game_events *out); // the cutter is asked
void belote_cut_deck(struct belote_state *s, int position, bool from_top, struct game_events *out);
void belote_deal_rest(struct belote_state *s);         // the last three cards each
bool belote_is_deck(const uint8_t deck[BELOTE_CARDS]); // each card once
bool belote_has_stacked(const struct belote_state *s);

// bid.c: the negotiation.
uint32_t belote_list_words(const struct belote_state *s); // what the seat in turn may say
void belote_open_bids(struct belote_state *s);            // the first seat is in turn
void belote_say(struct belote_state *s, int word, struct game_events *out);

// play.c: tricks.
uint32_t belote_list_cards(const struct belote_state *s); // what the seat in turn may play
void belote_play(struct belote_state *s, int card, struct game_events *out);

static inline int trick_leader(const struct belote_state *s, int trick)
{
    return s->leaders >> 2 * trick & 3;
}

// score.c: the end of a deal and of the match.
void belote_end_deal(struct belote_state *s, struct game_events *out);
void belote_forfeit(struct belote_state *s, int seat, int reason, struct game_events *out);

// view.c
void belote_view(const void *state, int viewer, void *view);
void belote_vector(const void *view, float *out);

// rows.c
extern const struct game_rows belote_rows;

// hidden.c
void belote_collect_facts(const struct belote_state *s, uint32_t cannot[BELOTE_SEATS]); // B15.6 and cards gone, by seat
void belote_resample(void *state, int viewer, struct rng *dice);
struct belote_state
belote_recall_match(const struct belote_view *v); // the match as a view shows it, without the running deal
// Whether the cards that `knower` does not see fit into hands of these sizes, given what everybody saw played.
bool belote_can_be_dealt(const struct belote_state *s, int knower, const int count[BELOTE_SEATS]);

// check.c
const char *belote_check(const void *state);

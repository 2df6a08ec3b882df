// Texas Hold'em as JSON and prose.
#pragma once

#include "codec/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

extern const struct codec texas_holdem_codec;
extern const struct codec_speech texas_holdem_speech;           // speech.c
extern const struct codec_moves texas_holdem_moves;             // moves.c
extern const struct codec_short_prose texas_holdem_short_prose; // short_prose.c

void texas_holdem_write_config(struct text *t, const void *rules); // F6.T1

// prose.c
void texas_holdem_describe_rules(struct text *t, const void *rules, int seats);
void texas_holdem_describe_view(struct text *t, const struct codec_table *table, const void *view);
void texas_holdem_describe_action(struct text *t, const struct codec_table *table, struct game_action a);
void texas_holdem_describe_event(struct text *t, const struct codec_table *table, const struct game_event *e,
                                 int count);
void texas_holdem_draw(struct text *t, const struct codec_table *table, const void *view);

extern const char *const texas_holdem_phases[];    // by enum holdem_phase
extern const char *const texas_holdem_positions[]; // by enum holdem_position
extern const char *const texas_holdem_statuses[];  // by enum holdem_status
const char *texas_holdem_hand_name(int strength);  // "Two Pair"
const char *texas_holdem_drop_word(int reason);    // "timeout"

// Limited to 2^29 either way, because a playout adds to it in 32 bits.
int32_t texas_holdem_read_net(struct json_reader *r);
// Of a view that was read: the order of the seats dealt in, from who has which status, and whether what a player asks
// of cards holds: all different, two in the hand, as many on the board as the phase has.
void texas_holdem_read_order(struct texas_holdem_view *v);
bool texas_holdem_has_sound_cards(const struct texas_holdem_view *v);
bool texas_holdem_read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view);

// Coup as neutral JSON (G27) and as prose.
#pragma once

#include "codec/codec.h"
#include "games/coup/rules/coup.h"

extern const struct codec coup_codec;
extern const struct codec_speech coup_speech;           // speech.c
extern const struct codec_moves coup_moves;             // moves.c
extern const struct codec_short_prose coup_short_prose; // short_prose.c

extern const char *const coup_role_names[COUP_ROLES + 2];     // by enum coup_role; the first is "", the last NULL
extern const char *const coup_action_names[COUP_ACTIONS + 1]; // by enum coup_action, likewise

int coup_list_slots(const struct coup_seat *seat, unsigned slots, uint8_t roles[2]); // those in the set; how many
void coup_write_roles(struct text *t, const uint8_t *roles, int count);              // an array
void coup_write_slots(struct text *t, const struct coup_seat *seat, unsigned slots); // likewise

// For fronts whose action lists show the cards of an exchange (F6.C4): "cards" and "all_cards" of a return.
void coup_put_return_cards(struct text *t, const struct coup_view *v, struct game_action a);
// F6.C12: "turn_log", what has become known this turn and nothing else. Something must be pending.
void coup_put_turn_log(struct text *t, const struct codec_table *table, const struct coup_view *v);
// The data of F6.C11 alone: members of an open object, without the seat that write_event puts first.
void coup_write_event_data(struct text *t, const struct codec_table *table, const struct game_event *e);

// prose.c
void coup_describe_rules(struct text *t, const void *rules, int seats);
void coup_describe_view(struct text *t, const struct codec_table *table, const void *view);
void coup_describe_action(struct text *t, const struct codec_table *table, struct game_action a);
void coup_describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count);
void coup_draw(struct text *t, const struct codec_table *table, const void *view);

// read.c: what house bots need, from the JSON of a server that may be wrong.
bool coup_read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view);
// Whether a house bot may be asked about a view that came as text: no seat or card in it breaks the rules.
bool coup_is_playable(const struct coup_view *v);
bool coup_read_event(struct json_reader *r, const struct codec_table *table, struct game_event *e);

// Liar's Dice in JSON and prose (G26).
#pragma once

#include "codec/codec.h"
#include "games/liars_dice/rules/liars_dice.h"

extern const struct codec liars_dice_codec;
extern const struct codec_speech liars_dice_speech;           // speech.c
extern const struct codec_moves liars_dice_moves;             // moves.c
extern const struct codec_short_prose liars_dice_short_prose; // short_prose.c

void liars_dice_write_faces(struct text *t, const uint8_t *dice); // LIARS_DICE_DICE of them, or up to a 0
void liars_dice_put_bid(struct text *t, int rank);                // members of an open object

bool liars_dice_read_event(struct json_reader *r, const struct codec_table *table, struct game_event *e);
// Whether a house bot may be asked about a view that came as text, with `own` dice in hand: no number in it breaks the
// rules.
bool liars_dice_is_playable(const struct liars_dice_view *v, int own);
bool liars_dice_read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view);

// Liar's Dice in JSON and prose (G26).
#pragma once

#include "codec/codec.h"

extern const struct codec liars_dice_codec;
extern const struct codec_speech liars_dice_speech; // speech.c
extern const struct codec_moves liars_dice_moves;   // moves.c
extern const struct codec_player liars_dice_player; // player.c

bool liars_dice_read_event(struct json_reader *r, const struct codec_table *table, struct game_event *e);
bool liars_dice_read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view);

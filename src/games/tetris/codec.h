// Tetris as JSON and prose (G24).
#pragma once

#include "codec/codec.h"

extern const struct codec tetris_codec;
extern const struct codec_speech tetris_speech;           // speech.c
extern const struct codec_moves tetris_moves;             // moves.c
extern const struct codec_short_prose tetris_short_prose; // short_prose.c

// Kinds as letters "I" to "L", rotations, and why a game ended: by their enums, ended by NULL.
extern const char *const tetris_kind_names[];
extern const char *const tetris_rotation_names[];
extern const char *const tetris_end_names[];

// The prose half of the codec.
void tetris_describe_rules(struct text *t, const void *rules, int seats);
void tetris_describe_view(struct text *t, const struct codec_table *table, const void *view);
void tetris_describe_action(struct text *t, const struct codec_table *table, struct game_action a);
void tetris_describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count);
void tetris_draw(struct text *t, const struct codec_table *table, const void *view);

bool tetris_read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view);

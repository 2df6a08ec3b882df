// Malagasy Belote as neutral JSON and prose (G28).
#pragma once

#include "codec/codec.h"

extern const struct codec belote_codec;
extern const struct codec_speech belote_speech;           // speech.c
extern const struct codec_moves belote_moves;             // moves.c
extern const struct codec_short_prose belote_short_prose; // short_prose.c

// Tetris as players say it.
#include "codec/speech.h"
#include "games/tetris/codec.h"

static const char *const moves[] = {"left", "right", NULL}, *const turns[] = {"cw", "ccw", NULL},
                         *const hold[] = {"hold", NULL};

static const struct speech_phrase phrases[] = {
    {"place",
     {{"x", "X", SPEECH_NUMBER, NULL},
      {"rotation", "ROTATION", SPEECH_WORD, tetris_rotation_names},
      {"use_hold", NULL, SPEECH_FLAG, hold}}},
    {"move", {{"direction", "DIRECTION", SPEECH_WORD, moves}}},
    {"rotate", {{"direction", "SENSE", SPEECH_WORD, turns}}},
    {"soft_drop", {{0}}},
    {"hard_drop", {{0}}},
    {"hold", {{0}}},
    {"pause", {{0}}},
    {"restart", {{0}}},
    {NULL, {{0}}},
};

const struct codec_speech tetris_speech = {
    .version = 1,
    .legend = "X is a column from 0. ROTATION is north, east, south or west. DIRECTION is left or right, SENSE cw or "
              "ccw.\n",
    .phrases = phrases,
    .amount = "X is a whole number.",
};

// Measurements of single games: their inner loops.
#include "app/bench.h"

#include "games/tetris/rules/tetris.h"
#include "games/texas_holdem/rules/texas_holdem.h"

const struct bench_case bench_special[] = {
    {"tetris.frames", &tetris_game, 1, 4.5, "PufferLib", 2.98, .run = bench_tetris_frames},
    {"tetris.placements", &tetris_game, 1, 2.7, "PufferLib", 1.33, .run = bench_tetris_placements},
    {"eval7", &texas_holdem_game, 2, 50, "OMPEval", 62, .run = bench_eval_hands},
    {0},
};

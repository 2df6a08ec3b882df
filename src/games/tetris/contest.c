// What contests compare in Tetris: the score, or lines.
#include "games/tetris/kit.h"
#include "games/tetris/rules/tetris.h"

static int32_t lines_of(const void *view, int seat)
{
    (void)seat; // the only one
    uint32_t lines = ((const struct tetris_view *)view)->facts.lines;
    return lines > INT32_MAX ? INT32_MAX : (int32_t)lines;
}

static const struct contest_stake score = {.of = "score", .unit = "points/game"};
static const struct contest_stake lines = {.of = "lines", .unit = "lines/game"};

const struct contest_facts tetris_contest = {
    .stake = &score,
    .whole = &score,
    .other = &lines,
    .other_points = lines_of,
};

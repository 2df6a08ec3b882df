#include "games/tetris/rules/rules.h"

const char *const tetris_scenarios[] = {"marathon", "sprint40", "cheese", "survival", "zen", NULL};

enum { MARATHON, SPRINT40, CHEESE, SURVIVAL, ZEN };

void tetris_defaults(void *rules)
{
    struct tetris_rules *r = rules;
    *r = (struct tetris_rules){.gravity_milli = 1000, .lock_milli = 1000, .listed = TETRIS_LIST_BOTH, .preview = 5};
}

int tetris_scenario(void *rules, int index)
{
    struct tetris_rules *r = rules;
    switch (index) { // G24.7
    case SPRINT40:
        r->goal = TETRIS_GOAL_LINES;
        r->goal_count = 40;
        break;
    case CHEESE:
        r->goal = TETRIS_GOAL_GARBAGE;
        r->garbage_rows = 10;
        break;
    case SURVIVAL:
        r->goal = TETRIS_GOAL_TICKS;
        r->goal_count = 18750;
        r->rise_first = 625;
        r->rise_sooner = 25;
        r->rise_least = 125;
        break;
    case ZEN:
        r->zen = 1;
        break;
    default:
        break;
    }
    return 1;
}

void tetris_seed(void *rules, uint64_t seed)
{
    struct tetris_rules *r = rules;
    r->seed = (uint32_t)seed; // G17.5
    r->has_seed = 1;
}

bool rules_have_board(const struct tetris_rules *r)
{
    static const uint8_t none[sizeof r->board];
    return memcmp(r->board, none, sizeof none) != 0;
}

static bool is_board_good(const struct tetris_rules *r)
{
    if (!rules_have_board(r))
        return true;
    for (int y = 0; y < TETRIS_HEIGHT; y++) {
        int filled = 0;
        for (int x = 0; x < TETRIS_WIDTH; x++) {
            int i = y * TETRIS_WIDTH + x, code = r->board[i / 2] >> 4 * (i % 2) & 15;
            if (code > TETRIS_GREY)
                return false;
            filled += code != 0;
        }
        if (filled == TETRIS_WIDTH || (filled > 0 && y < r->garbage_rows)) // the rows below would push it out
            return false;
    }
    return true;
}

static bool is_queue_good(const struct tetris_rules *r)
{
    int count = 0;
    while (count < TETRIS_QUEUE && r->queue[count])
        if (r->queue[count++] > TETRIS_L)
            return false;
    static const uint8_t none[TETRIS_QUEUE];
    return memcmp(r->queue + count, none, (size_t)(TETRIS_QUEUE - count)) == 0;
}

static bool is_goal_good(const struct tetris_rules *r)
{
    if (r->goal > TETRIS_GOAL_TICKS)
        return false;
    bool counted = r->goal == TETRIS_GOAL_LINES || r->goal == TETRIS_GOAL_TICKS;
    return counted == (r->goal_count > 0);
}

bool rules_are_good(const struct tetris_rules *r)
{
    static const uint8_t none[sizeof r->spare];
    return r->gravity_milli >= TETRIS_MIN_GRAVITY && r->gravity_milli <= TETRIS_MAX_GRAVITY && r->lock_milli >= 500 &&
           r->lock_milli <= 1500 && (r->rise_first == 0 || r->rise_least > 0) && r->has_seed <= 1 &&
           r->ruleset <= TETRIS_GUIDELINE && r->listed >= TETRIS_LIST_INPUTS && r->listed <= TETRIS_LIST_BOTH &&
           r->preview >= 1 && r->preview <= TETRIS_NEXT && r->level <= TETRIS_MAX_LEVEL &&
           r->garbage_rows <= TETRIS_MAX_ROWS && r->rise_rate <= TETRIS_MAX_RISE && r->zen <= 1 &&
           r->hold <= TETRIS_L && !memcmp(r->spare, none, sizeof none) && is_goal_good(r) && is_queue_good(r) &&
           is_board_good(r);
}

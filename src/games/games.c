#include "games/games.h"

#include <string.h>

extern const struct game_kit tetris_kit;
extern const struct game_kit texas_holdem_kit;
extern const struct game_kit liars_dice_kit;
extern const struct game_kit coup_kit;
extern const struct game_kit belote_kit;
extern const struct game_kit kuhn_poker_kit;
extern const struct game_kit leduc_poker_kit;

// One line for each game, in the order of `agon games`.
// clang-format off
const struct game_kit *const game_kits[] = {
    &tetris_kit,
    &texas_holdem_kit,
    &liars_dice_kit,
    &coup_kit,
    &belote_kit,
    &kuhn_poker_kit,
    &leduc_poker_kit,
    NULL,
};
_Static_assert(sizeof game_kits / sizeof *game_kits - 1 <= GAMES_MAX, "more games than the tables of servers hold");
// clang-format on

const struct game_kit *games_find(const char *name)
{
    for (const struct game_kit *const *k = game_kits; *k; k++)
        if (strcmp((*k)->game->name, name) == 0)
            return *k;
    return NULL;
}

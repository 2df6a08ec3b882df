#include "games/games.h"

#include <string.h>

extern const struct game_kit tetris_kit, texas_holdem_kit, liars_dice_kit, coup_kit, belote_kit, kuhn_poker_kit,
    leduc_poker_kit;

const struct game_kit *const game_kits[] = {
    &tetris_kit, &texas_holdem_kit, &liars_dice_kit, &coup_kit, &belote_kit, &kuhn_poker_kit, &leduc_poker_kit, NULL,
};

const struct game_kit *games_find(const char *name)
{
    for (const struct game_kit *const *k = game_kits; *k; k++)
        if (strcmp((*k)->game->name, name) == 0)
            return *k;
    return NULL;
}

const struct bot *const *games_bots(const struct game_kit *k)
{
    static const struct bot *const any[] = {&bot_random, &bot_fallback, NULL};
    return k->bots ? k->bots : any;
}

const struct bot *games_find_bot(const struct game_kit *k, const char *name)
{
    for (const struct bot *const *b = games_bots(k); *b; b++)
        if (strcmp((*b)->name, name) == 0)
            return *b;
    return NULL;
}

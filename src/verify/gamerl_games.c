#include "verify/gamerl_games.h"

#include "games/games.h"

const struct game *gr_find_game(const char *name)
{
    const struct game_kit *k = games_find(name);
    return k ? k->game : NULL;
}

const struct kit_deck *gr_find_deck(const char *name)
{
    const struct game_kit *k = games_find(name);
    return k ? k->deck : NULL;
}

// Every game there is, for the tests that play all of them. A row comes into being with the game's folder.
#pragma once

#include "game/game.h"

#include <stddef.h>

#if __has_include("games/tetris/tetris.h")
#include "games/tetris/tetris.h"
#define HAS_TETRIS 1
#else
#define HAS_TETRIS 0
#endif
#if __has_include("games/texas_holdem/texas_holdem.h")
#include "games/texas_holdem/texas_holdem.h"
#define HAS_TEXAS_HOLDEM 1
#else
#define HAS_TEXAS_HOLDEM 0
#endif
#if __has_include("games/liars_dice/liars_dice.h")
#include "games/liars_dice/liars_dice.h"
#define HAS_LIARS_DICE 1
#else
#define HAS_LIARS_DICE 0
#endif
#if __has_include("games/coup/coup.h")
#include "games/coup/coup.h"
#define HAS_COUP 1
#else
#define HAS_COUP 0
#endif
#if __has_include("games/belote/belote.h")
#include "games/belote/belote.h"
#define HAS_BELOTE 1
#else
#define HAS_BELOTE 0
#endif

static const struct game *const all_games[] = {
#if HAS_TETRIS
    &tetris_game,
#endif
#if HAS_TEXAS_HOLDEM
    &texas_holdem_game,
#endif
#if HAS_LIARS_DICE
    &liars_dice_game,
#endif
#if HAS_COUP
    &coup_game,
#endif
#if HAS_BELOTE
    &belote_game,
#endif
    NULL,
};

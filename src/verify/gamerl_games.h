// Finds what this program knows about the game of a server under test, by the name in its manifest. In a file of its
// own, because Jansson and base/json_read.h have constants of the same names.
#pragma once

#include "game/game.h"
#include "kit/deck.h"

const struct game *gr_find_game(const char *name);     // NULL: not one of ours
const struct kit_deck *gr_find_deck(const char *name); // NULL: none

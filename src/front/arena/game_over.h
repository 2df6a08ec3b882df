// The end of a match as players see it: the data of game_over, which REST repeats (F2.2, F5.7).
#pragma once

#include "kit/arena_dialect.h"
#include "lobby/lobby.h"

void game_over_write(struct text *t, const struct store_match *m, struct uuid session); // members of an open object
// seed_commitment and deal_number: the commitment to a match before its first card.
void game_over_put_commitment(struct text *t, const struct store_match *m);
void game_over_write_players(struct text *t, const struct store_match *m, bool with_results);
const char *game_over_result_name(uint8_t result);                        // 'w': "win"
void game_over_write_result(struct text *t, const struct store_match *m); // F2.3: payoffs, is_draw, winner

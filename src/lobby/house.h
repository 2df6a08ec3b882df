// House bots and models at tables. Private to the lobby.
#pragma once

#include "lobby/candidate.h"
#include "lobby/live_match.h"

void house_open(struct lobby *l, int64_t now_ms);
const struct bot *house_find(const struct lobby_game *g, const char *name); // NULL: this game has no such bot
const struct bot *house_bot(const struct lobby_game *g, const struct lobby_agent *a);
// The agent for bot `i` of those named for a table. A bot that is named twice is two agents.
struct lobby_agent *house_named(struct lobby *l, const struct lobby_game *g, const struct bot *const *bots, int i,
                                int64_t now_ms);
// Index of the model that plays it; -1: none.
int house_model(const struct lobby *l, const struct lobby_game *g, const struct lobby_agent *a);
int house_count(const struct lobby *l);                                       // how many can be seated at one table
void house_leave(struct lobby_seat *s);                                       // the seat is about to be freed
bool house_fill(struct lobby *l, struct candidate *c, int count);             // false: there are not enough
int64_t house_think(struct lobby *l);                                         // random time in ms for the next move
void house_take_seats(struct live_match *b, const struct game_events *first); // first NULL: the match is resumed
void house_move(struct lobby *l, struct lobby_seat *s, int64_t now_ms);
void house_cancel_decision(struct lobby_seat *s); // cancels the decision in progress

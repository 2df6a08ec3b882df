// Tables whose players are named beforehand: challenges, rematches, tournaments. Private to the lobby.
#pragma once

#include "lobby/lobby.h"

struct table_player {
    struct lobby_agent *agent; // kept until tables_release_players; NULL: no such agent
    struct store_presence at;  // where it is connected, if not here
    bool is_there;             // connected to some node, and may play another match
};
// Reads from the store.
void tables_find_players(struct lobby *l, const struct uuid *agent, int count, struct table_player *out);
// An agent that is online here is enabled, has a free place and accepts the game (F6.B1).
bool tables_can_seat(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g);
// Returns the first player that cannot be seated now, or -1.
int tables_find_missing(const struct lobby *l, const struct lobby_game *g, const struct table_player *p, int count);
// As lobby_seat_table.
int tables_begin(struct lobby *l, const struct lobby_game *g, const struct table_player *p, int count,
                 struct uuid challenge, struct uuid *match);
void tables_release_players(struct table_player *p, int count);

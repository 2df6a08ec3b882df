// A bot of the Tetris Bot Protocol as a child process, seen from the frontend (games/tetris/tbp.h). Calls block, with a
// deadline. After false or -1, `why` says what happened, and only tbp_client_close may follow.
//
//     struct tbp_client c;
//     if (!tbp_client_open(&c, "./bot --fast", 0, 10000)) ...
//     int count = tbp_client_suggest(&c, &game, moves, 1000);
//     tbp_client_played(&c, moves[0]);       // then the next situation, and so on
//     tbp_client_close(&c);
#pragma once

#include "games/tetris/tbp.h"
#include "seats/spawn.h"

struct tbp_client {
    struct spawned process;
    struct tail errors;   // its standard error
    struct tbp_game game; // as the bot knows it
    struct tbp_move played;
    // pending: `played` was not sent yet. gone: the process has ended, or closed its pipes.
    bool started, pending, gone;
    char name[TBP_NAME];
    char why[512];
    char in[TBP_LINE];
    size_t size, used; // of `in`: bytes received, and bytes used by the last line
};

// `ways`: of enum spawn_way, besides SPAWN_WITH_INPUT.
bool tbp_client_open(struct tbp_client *c, const char *command, int ways, int timeout_ms);
// Sends what changed and asks for moves. Returns how many came, best first; -1: none in time, or the bot is gone.
int tbp_client_suggest(struct tbp_client *c, const struct tbp_game *now, struct tbp_move moves[TBP_MOVES],
                       int timeout_ms);
void tbp_client_played(struct tbp_client *c, struct tbp_move move);
void tbp_client_stop(struct tbp_client *c); // the game is over; the next one starts from scratch
void tbp_client_close(struct tbp_client *c);

// The listed placement that brings the active piece, or the piece from hold, to these cells. Returns false if there is
// none.
bool tbp_find_place(const struct tetris_state *s, struct tbp_move move, struct game_action *out);
bool tbp_same_field(const struct tbp_game *a, const struct tbp_game *b); // compares which cells are occupied

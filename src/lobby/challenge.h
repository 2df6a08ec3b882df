// Friendly tables by invitation (F3.19). Open challenges are kept in memory, where places are taken one after the
// other; every change is put into the store.
//
// All functions are called on the loop's thread; if the store may wait, in a job.
#pragma once

#include "lobby/lobby.h"

enum {
    CHALLENGE_TOKEN = 35, // "dl_" and 32 hex digits; the store has only the SHA-256
    CHALLENGE_ERROR_ROOM = 160,
    CHALLENGE_MOST = 4096,    // open at once, of all hosts
    CHALLENGE_MOST_OWN = 20,  // of one host
    CHALLENGE_MOST_GUEST = 2, // of a guest, since guests can be created freely
};

struct challenges;

// Reads the open challenges from the store and settles those that ended meanwhile. Registers for ends of matches.
struct challenges *challenges_open(struct lobby *l, int64_t now_ms);
void challenges_close(struct challenges *c); // call it right before lobby_close
// Expires challenges, and starts matches whose players have come.
void challenges_tick(struct challenges *c, int64_t now_ms);
int64_t challenges_next_due(const struct challenges *c); // INT64_MAX: never

// The following functions return an HTTP status as listed in F5.7. A refusal changes nothing and sets `why`. places 0:
// the game's default.
int challenge_create(struct challenges *c, struct lobby_agent *host, const struct lobby_game *g, int64_t places,
                     int64_t now_ms, struct store_challenge *out, char token[CHALLENGE_TOKEN + 1],
                     char why[CHALLENGE_ERROR_ROOM]);
// The same with house bots in some places. If that fills the table, the match begins at once, or when the host comes
// online.
int challenge_create_table(struct challenges *c, struct lobby_agent *host, const struct lobby_game *g, int64_t places,
                           const struct bot *const *house, int house_count, int64_t now_ms, struct store_challenge *out,
                           char token[CHALLENGE_TOKEN + 1], char why[CHALLENGE_ERROR_ROOM]);
bool challenge_find(struct challenges *c, struct span token, struct store_challenge *out);
bool challenge_find_by_id(struct challenges *c, struct uuid id, struct store_challenge *out);
int challenge_accept(struct challenges *c, struct lobby_agent *guest, struct span token, int64_t now_ms,
                     struct store_challenge *out, char why[CHALLENGE_ERROR_ROOM]);
int challenge_cancel(struct challenges *c, const struct lobby_agent *host, struct uuid id,
                     char why[CHALLENGE_ERROR_ROOM]);
void challenges_cancel_of(struct challenges *c, const struct lobby_agent *host); // the host was deleted
const char *challenge_status_name(int status);                                   // enum store_duel, named as in F3.19

// Friendly tables by invitation (F3.19). Open challenges are kept in memory, where places are taken one by one; every
// change is put into the store.
#pragma once

#include "lobby/lobby.h"

enum {
    CHALLENGE_TOKEN = 35, // "dl_" and 32 hex; the store has its SHA-256
    CHALLENGE_SAY = 160,
    CHALLENGE_MOST = 4096,    // open at once
    CHALLENGE_MOST_OWN = 20,  // of one host
    CHALLENGE_MOST_GUEST = 2, // of a guest: anybody can become many of them
};

struct challenges;

// Those that are open in the store; what ended meanwhile is settled. Listens for ends of matches.
struct challenges *challenges_open(struct lobby *l, int64_t now_ms);
void challenges_close(struct challenges *c);                // right before its lobby, which still knows it
void challenges_tick(struct challenges *c, int64_t now_ms); // expiries, and those who wait for somebody
int64_t challenges_next_due(const struct challenges *c);    // INT64_MAX: never

// HTTP statuses as F5.7 lists them; `why` tells a refusal, which changes nothing. places 0: the game's usual number.
int challenge_create(struct challenges *c, struct lobby_agent *host, const struct lobby_game *g, int64_t places,
                     int64_t now_ms, struct store_challenge *out, char token[CHALLENGE_TOKEN + 1],
                     char why[CHALLENGE_SAY]);
// The same with house bots at some of the places. A table that is full by that begins at once, or as soon as its host
// is online.
int challenge_create_table(struct challenges *c, struct lobby_agent *host, const struct lobby_game *g, int64_t places,
                           const struct bot *const *house, int house_count, int64_t now_ms, struct store_challenge *out,
                           char token[CHALLENGE_TOKEN + 1], char why[CHALLENGE_SAY]);
bool challenge_find(struct challenges *c, struct span token, struct store_challenge *out);
bool challenge_find_by_id(struct challenges *c, struct uuid id, struct store_challenge *out);
int challenge_accept(struct challenges *c, struct lobby_agent *guest, struct span token, int64_t now_ms,
                     struct store_challenge *out, char why[CHALLENGE_SAY]);
int challenge_cancel(struct challenges *c, const struct lobby_agent *host, struct uuid id, char why[CHALLENGE_SAY]);
void challenges_cancel_of(struct challenges *c, const struct lobby_agent *host); // who is gone for good
const char *challenge_status_name(int status);                                   // of enum store_duel, as F3.19 has it

// Friendly tables by invitation (F3.19).
#pragma once

#include "lobby/lobby.h"

enum { CHALLENGE_TOKEN = 35, CHALLENGE_SAY = 160 };

// HTTP statuses as F5.7 lists them; `say` tells a refusal.
int challenge_create(struct lobby *l, struct lobby_agent *host, const struct lobby_game *g, int places, int64_t now_ms,
                     struct store_challenge *out, char token[CHALLENGE_TOKEN + 1], char say[CHALLENGE_SAY]);
int challenge_find(struct lobby *l, struct span token, int64_t now_ms, struct store_challenge *out);
int challenge_accept(struct lobby *l, struct lobby_agent *guest, struct span token, int64_t now_ms,
                     struct store_challenge *out, char say[CHALLENGE_SAY]);
int challenge_cancel(struct lobby *l, struct lobby_agent *host, struct uuid id, int64_t now_ms,
                     char say[CHALLENGE_SAY]);
void challenge_tick(struct lobby *l, int64_t now_ms); // expiries, and those who wait for somebody to come online
int64_t challenge_next_due(const struct lobby *l);

// Registering, pairing, claiming, policies, names: what an agent's record goes through (F5.4 to F5.6).
//
// Functions that can refuse return an HTTP status, because F5 lists them so; below 300 it was done. A refusal changes
// nothing, and `why` tells what would be right. Keys, codes and tokens are shown once: the store has their SHA-256.
#pragma once

#include "lobby/lobby.h"

enum {
    IDENTITY_KEY = 52,   // "agk_" and 48 hex
    IDENTITY_CODE = 37,  // "aifp_" and 32 hex
    IDENTITY_TOKEN = 64, // hex
    IDENTITY_SAY = 160,
};

struct identity_new {
    struct span name, model, description, device_id, client_kind; // what is no device id or kind binds nothing
    bool by_operator;    // claimed from the start, whatever the claim mode (F5.10)
    struct span bot_url; // a remote bot (F3.21): no key, always on standby for `games`
    const char *games;   // by name, comma between them; "": none
    const char *origin;  // address of the caller; NULL or "": this machine, or not known
    struct uuid parent;  // the agent whose key came along; none: there was no key
};
int identity_register(struct lobby *l, const struct identity_new *n, int64_t now_ms, struct lobby_agent **agent,
                      char key[IDENTITY_KEY + 1], char claim_token[IDENTITY_TOKEN + 1], char why[IDENTITY_SAY]);

// A record for somebody who brings none (G1.9): claimed, confirming by itself, without a key. It plays unrated modes.
struct lobby_agent *identity_make_guest(struct lobby *l, int64_t now_ms);
// The same with a key, for a person at the page: no account, never rated. An empty name gets a number.
int identity_register_guest(struct lobby *l, struct span name, const char *origin, int64_t now_ms,
                            struct lobby_agent **agent, char key[IDENTITY_KEY + 1], char why[IDENTITY_SAY]);

int identity_make_pairing(struct lobby *l, struct lobby_agent *a, struct span runtime_type, int64_t now_ms,
                          char code[IDENTITY_CODE + 1], int64_t *expires_ms, char why[IDENTITY_SAY]);
int identity_pair(struct lobby *l, struct span code, struct span device_id, struct span client_kind, int64_t now_ms,
                  struct lobby_agent **agent, char key[IDENTITY_KEY + 1], char why[IDENTITY_SAY]);
void identity_rotate_key(struct lobby *l, struct lobby_agent *a, char key[IDENTITY_KEY + 1]); // drops its connection
void identity_disable(struct lobby *l, struct lobby_agent *a, bool disabled);                 // likewise
// For good: its key, its name and all that it said of itself are forgotten. Its number, its matches and its ratings
// stay, as others met it; replays keep the name that it had then. 409 while it plays.
int identity_remove(struct lobby *l, struct lobby_agent *a, int64_t now_ms, char why[IDENTITY_SAY]);

// `verify_token` is what an e-mail would carry; empty where the operator approves.
int identity_claim(struct lobby *l, struct span token, struct span email, int64_t now_ms,
                   char verify_token[IDENTITY_TOKEN + 1], char why[IDENTITY_SAY]);
int identity_verify(struct lobby *l, struct span token, int64_t now_ms, struct lobby_agent **agent,
                    char why[IDENTITY_SAY]);
int identity_approve(struct lobby *l, struct lobby_agent *a); // by the operator; 409 when it is claimed already
int identity_rename(struct lobby *l, struct lobby_agent *a, struct span name, int64_t cooldown_ms, int64_t now_ms,
                    char why[IDENTITY_SAY]);

// Fields that are absent keep their value.
struct identity_policy {
    bool has_model, has_standby, has_auto_requeue, has_day, has_hour, has_cooldown, has_auto_confirm, has_concurrent;
    struct span model;
    char standby[96]; // known games by name, comma between them
    bool auto_requeue, auto_confirm;
    int64_t day, hour, cooldown, concurrent;
};
// By the agent: what the operator does not allow is cut, not refused; the record tells what holds (F5.4).
int identity_set_policy(struct lobby *l, struct lobby_agent *a, const struct identity_policy *p, int64_t now_ms,
                        char why[IDENTITY_SAY]);
// By the operator, with day, hour, cooldown and concurrent alone: they hold at once, and no policy of the agent goes
// beyond them from now on. 0 allows everything.
int identity_set_limits(struct lobby *l, struct lobby_agent *a, const struct identity_policy *p, int64_t now_ms,
                        char why[IDENTITY_SAY]);

// What a connection states at its door (F1.4): OK and bound, or the refusal's HTTP status. `bound_client` is set at
// a client mismatch, NULL otherwise.
int identity_bind(struct lobby *l, struct lobby_agent *a, struct span device_id, struct span client_kind,
                  const char **bound_client);

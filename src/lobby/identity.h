// The life of an agent's record: registering, pairing, claiming, policies, names (F5.4 to F5.6).
//
// Functions that can refuse return an HTTP status, as F5 lists them; below 300 means done. A refusal changes nothing
// and sets `why` to what would be right. Keys, codes and tokens are shown once; the store has only their SHA-256.
#pragma once

#include "lobby/lobby.h"

enum {
    IDENTITY_KEY = 52,   // "agk_" and 48 hex digits
    IDENTITY_CODE = 37,  // "aifp_" and 32 hex digits
    IDENTITY_TOKEN = 64, // hex digits
    IDENTITY_ERROR_ROOM = 160,
};

struct identity_new {
    struct span name, model, description, device_id, client_kind; // an invalid device id or client kind is ignored
    bool by_operator;                                             // claimed from the start, in any claim mode (F5.10)
    struct span bot_url; // a remote bot (F3.21): has no key, always on standby for `games`
    const char *games;   // names, separated by commas; "": none
    const char *origin;  // address of the client; NULL or "": loopback or unknown
    struct uuid parent;  // the agent whose key the request had; zero: none
};
// A public number that no agent has; may read from the store.
uint64_t identity_new_public_no(struct lobby *l);
int identity_register(struct lobby *l, const struct identity_new *n, int64_t now_ms, struct lobby_agent **agent,
                      char key[IDENTITY_KEY + 1], char claim_token[IDENTITY_TOKEN + 1], char why[IDENTITY_ERROR_ROOM]);

// Creates a record for a client that has none (G1.9): claimed, confirming automatically, without a key. Plays unrated
// modes.
struct lobby_agent *identity_make_guest(struct lobby *l, int64_t now_ms);
// The same with a key, for a person at the web page: no account, never rated. An empty name is replaced by a number.
int identity_register_guest(struct lobby *l, struct span name, const char *origin, int64_t now_ms,
                            struct lobby_agent **agent, char key[IDENTITY_KEY + 1], char why[IDENTITY_ERROR_ROOM]);

int identity_make_pairing(struct lobby *l, struct lobby_agent *a, struct span runtime_type, int64_t now_ms,
                          char code[IDENTITY_CODE + 1], int64_t *expires_ms, char why[IDENTITY_ERROR_ROOM]);
int identity_pair(struct lobby *l, struct span code, struct span device_id, struct span client_kind, int64_t now_ms,
                  struct lobby_agent **agent, char key[IDENTITY_KEY + 1], char why[IDENTITY_ERROR_ROOM]);
// Also closes its connection.
void identity_rotate_key(struct lobby *l, struct lobby_agent *a, char key[IDENTITY_KEY + 1]);
void identity_disable(struct lobby *l, struct lobby_agent *a, bool disabled); // likewise
// Permanent: deletes its key, its name and everything it said about itself. Its number, matches and ratings stay,
// because others met it; replays keep the name it had. 409 while it plays.
int identity_remove(struct lobby *l, struct lobby_agent *a, int64_t now_ms, char why[IDENTITY_ERROR_ROOM]);

// `verify_token` is what an e-mail would contain; empty if the operator approves claims.
int identity_claim(struct lobby *l, struct span token, struct span email, int64_t now_ms,
                   char verify_token[IDENTITY_TOKEN + 1], char why[IDENTITY_ERROR_ROOM]);
int identity_verify(struct lobby *l, struct span token, int64_t now_ms, struct lobby_agent **agent,
                    char why[IDENTITY_ERROR_ROOM]);
int identity_approve(struct lobby *l, struct lobby_agent *a); // by the operator; 409 if it is claimed already
int identity_rename(struct lobby *l, struct lobby_agent *a, struct span name, int64_t cooldown_ms, int64_t now_ms,
                    char why[IDENTITY_ERROR_ROOM]);

// A change of policy. Fields without their has_ flag keep their value.
struct identity_policy {
    bool has_model, has_standby, has_auto_requeue, has_day, has_hour, has_cooldown, has_auto_confirm, has_concurrent;
    struct span model;
    char standby[96]; // names of known games, separated by commas
    bool auto_requeue, auto_confirm;
    int64_t day, hour, cooldown, concurrent;
};
// Set by the agent. Values beyond the operator's limits are reduced, not refused; the record shows the result (F5.4).
int identity_set_policy(struct lobby *l, struct lobby_agent *a, const struct identity_policy *p, int64_t now_ms,
                        char why[IDENTITY_ERROR_ROOM]);
// Set by the operator, with day, hour, cooldown and concurrent only. The limits hold at once, and the agent's policies
// cannot exceed them from now on. 0: no limit.
int identity_set_limits(struct lobby *l, struct lobby_agent *a, const struct identity_policy *p, int64_t now_ms,
                        char why[IDENTITY_ERROR_ROOM]);

// Checks what a new connection states (F1.4) and binds it to the agent. Returns OK or the HTTP status of the refusal.
// `bound_client` is set if the client kind does not match, else NULL.
int identity_bind(struct lobby *l, struct lobby_agent *a, struct span device_id, struct span client_kind,
                  const char **bound_client);

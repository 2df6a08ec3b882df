// Where the operator's requests go: to a running server, or to the data folder of one that is not running. In the
// latter case the same REST code replies inside this process, so that there is only one implementation.
#pragma once

#include "base/text.h"

#include <stdbool.h>

struct admin_target {
    const char *server; // "http://HOST:PORT" or https; NULL: the data folder
    bool trust_anyone;  // does not verify the server's TLS certificate
    const char *token;  // the operator's
    const char *data;
    const char *store; // URL of PostgreSQL, instead of the folder
    bool damp_repeats; // for the lobby of the data folder (F7.9)
};

struct admin_client;

// The default data folder: the one of the two that has data; if none has, the usual one. Returns false and sets `why`
// if both have.
bool admin_client_choose_data(const char *usual, const char *service, const char **out, char *why, size_t room);
bool admin_client_has_data(const char *folder); // an arena is kept there

// Returns NULL and sets `why` to what would be right.
struct admin_client *admin_client_open(const struct admin_target *target, char *why, size_t room);
void admin_client_close(struct admin_client *client);          // everything done is durable afterwards
struct lobby *admin_client_lobby(struct admin_client *client); // NULL online

// Returns the HTTP status and sets the body, valid until the next call. Returns 0 and sets `why` if the server did not
// answer.
int admin_client_call(struct admin_client *client, const char *method, const char *path, struct span body,
                      struct span *answer, char *why, size_t room);

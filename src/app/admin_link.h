// Where the operator's calls go: to a running server, or to the data folder of one that does not run. Then the same
// REST answers inside this process, so that there is one way to do a thing.
#pragma once

#include "base/text.h"

#include <stdbool.h>

struct admin_where {
    const char *server; // "http://HOST:PORT" or https; NULL: the data folder
    bool trust_anyone;  // else https asks who the server is
    const char *token;  // of the operator
    const char *data;
    const char *store; // URL of PostgreSQL, instead of the folder
    bool damp_repeats; // of the data folder's lobby (F7.9)
};

struct admin_link;

// NULL, and `why` tells what would be right.
// Where the data is when nobody says it: the folder of the two that has data in it. False, and `why`: both have, so
// that either could be meant. Where none has, the usual one.
bool admin_choose_data(const char *usual, const char *service, const char **out, char *why, size_t room);

struct admin_link *admin_open(const struct admin_where *where, char *why, size_t room);
void admin_close(struct admin_link *link);          // all that was done is durable
struct lobby *admin_lobby(struct admin_link *link); // NULL online

// The status and the body, which is the link's until the next call; 0 and `why` when nobody answered.
int admin_call(struct admin_link *link, const char *method, const char *path, struct span body, struct span *answer,
               char *why, size_t room);

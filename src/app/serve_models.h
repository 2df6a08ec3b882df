// Language models as house agents of `agon serve`: --house NAME=llm:MODEL@URL. They fill tables like house bots, cannot
// be chosen by clients (L145), and think without blocking the loop. Matches with them count as matches with house bots.
#pragma once

#include "llm/models.h"
#include "lobby/lobby.h"

struct serve_models;

struct serve_models_options {
    struct loop *loop;
    const char *const *house; // NAME=llm:MODEL@URL
    int count;
    struct llm_options llm;
    int64_t (*now_ms)(void);
};

// Returns NULL and sets the error. NULL with an empty error: there are none.
struct serve_models *serve_models_open(const struct serve_models_options *o, char why[ENDPOINT_WHY]);
const struct lobby_models *serve_models_minds(const struct serve_models *m); // for lobby_open; NULL for NULL
void serve_models_start(struct serve_models *m, struct lobby *l);            // before the loop runs
void serve_models_metrics(struct serve_models *m, struct text *t);
void serve_models_close(struct serve_models *m); // after the lobby

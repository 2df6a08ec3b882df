// The other side of the wire: what a client of the arena was asked, as house bots take it, and its answer.
#pragma once

#include "front/arena/dialect.h"

enum { TOLD_ID = 128 };

struct told {
    char match[TOLD_ID + 1], request[TOLD_ID + 1]; // to be repeated; request "": there was none
    int64_t timeout_ms;
    int64_t last_event_ms; // when the newest event happened, by the server's clock; 0: none came along
    int seat, seats;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count;
    struct game_action fallback;
};

// The data of an action_request. Any error: it cannot be played from.
int told_read(const struct dialect *d, struct span data, struct told *t);
void told_write_action(const struct dialect *d, struct text *out, const struct told *t, struct game_action a);

// Of told_views.c: fills the view from a state; table, seat and choices are there already.
int told_read_view(const struct dialect *d, struct span state, struct told *t);

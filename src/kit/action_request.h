// The other side of the wire: what a client of the arena was asked, as house bots take it, and its answer.
#pragma once

#include "kit/dialect.h"

enum { ACTION_REQUEST_ID = 128 };

struct action_request {
    char match[ACTION_REQUEST_ID + 1], request[ACTION_REQUEST_ID + 1]; // to be repeated; request "": there was none
    int64_t timeout_ms;
    int64_t last_event_ms; // when the newest event happened, by the server's clock; 0: none came along
    int seat, seats;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count;
    struct game_action fallback;
};

// Bounds in place of an amount, as the arena writes them into legal_actions (F6.T7, F6.L3, F6.B4).
struct arena_bounds {
    int64_t amount, min, max, min_quantity, min_face, max_quantity, min_position, max_position;
};

struct arena_reader {
    // Fills the view from a state; seat, seats and choices are there already. Without choices the client is not asked:
    // it may be out of the game, or the game may be over.
    int (*read_state)(struct json_reader *r, struct action_request *t);
    // Turns bounds into a range of amounts; true when they say all there is to say about the choice. May be NULL.
    bool (*widen)(const struct arena_bounds *b, struct game_choice *c);
    // What the silent player plays, found in the list of choices; NULL: the first of them.
    struct game_action (*fallback)(const struct action_request *t);
};

// The data of an action_request. Any error: it cannot be played from.
int action_request_read(const struct game_kit *k, struct span data, struct action_request *t);
// The data of a game_state: match, seat, seats and the view of a player who is not asked.
int action_request_read_state(const struct game_kit *k, struct span data, struct action_request *t);
void action_request_answer(const struct game_kit *k, struct text *out, const struct action_request *t,
                           struct game_action a);

// The client's side of the arena protocol: a question parsed for house bots, and the answer to it.
#pragma once

#include "kit/arena_dialect.h"

enum { ACTION_REQUEST_ID = 128 };

struct action_request {
    // Sent back with the answer; request "": there was none.
    char match[ACTION_REQUEST_ID + 1], request[ACTION_REQUEST_ID + 1];
    int64_t timeout_ms;
    int seat, seats;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    int count;
    struct game_action fallback;
};

// Bounds that the arena writes into legal_actions instead of an amount (F6.T7, F6.L3, F6.B4).
struct arena_bounds {
    int64_t amount, min, max, min_quantity, min_face, max_quantity, min_position, max_position;
};

struct arena_reader {
    // Fills the view from a state; seat, seats and choices are set before. Without choices the client is not asked: it
    // may be out of the game, or the game may be over.
    int (*read_state)(struct json_reader *r, struct action_request *t);
    // Turns bounds into a range of amounts. Returns true if they describe the choice completely. May be NULL.
    bool (*widen)(const struct arena_bounds *b, struct game_choice *c);
    // The move played for a silent player, one of the choices; NULL: the first of them.
    struct game_action (*fallback)(const struct action_request *t);
};

// Reads the data of an action_request. On any error, no move can be made from it.
int action_request_read(const struct game_kit *k, struct span data, struct action_request *t);
// Reads the data of a game_state: match, seat, seats and the view of a player who is not asked.
int action_request_read_state(const struct game_kit *k, struct span data, struct action_request *t);
void action_request_answer(const struct game_kit *k, struct text *out, const struct action_request *t,
                           struct game_action a);

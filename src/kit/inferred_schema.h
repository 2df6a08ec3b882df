// Observes random games to find out which members the JSON of views and actions has, and which action has which number.
// Used for the environment of a game that does not describe one.
#pragma once

#include "kit/environment.h"
#include "kit/kit.h"

enum { INFERRED_SCHEMA_KEYS = 48, INFERRED_SCHEMA_ACTIONS = 24, INFERRED_SCHEMA_PARAMS = 8, INFERRED_SCHEMA_NAME = 40 };

// A member of an object; `types` is a set of enum json_type.
struct inferred_member {
    char name[INFERRED_SCHEMA_NAME];
    uint16_t types;
    bool open; // visible to everybody, in the view being read
    bool own;  // a seat saw something there that not everybody saw
};

// A type of action of seats.
struct inferred_action {
    const struct codec_action *row;
    struct game_action example; // kind 0: it was never legal
    int seats;                  // number of seats in the example
    struct inferred_member params[INFERRED_SCHEMA_PARAMS];
    int count;
};

struct inferred_schema {
    struct inferred_member keys[INFERRED_SCHEMA_KEYS]; // of views, in the codec's order
    int key_count;
    struct inferred_action actions[INFERRED_SCHEMA_ACTIONS];
    int action_count;
    struct env_flat flat[GAME_MAX_FLAT];
    double most[GAME_MAX_REWARDS]; // the largest absolute amount of a reward component in one step
};

// Plays every scenario several times with fixed seeds, so the result is always the same.
void inferred_schema_of_game(const struct codec *c, struct inferred_schema *out);

// Calls `found` for each member of an object written by the codec.
void inferred_schema_visit_members(struct span object, void (*found)(void *owner, struct span name, struct span value),
                                   void *owner);
enum json_type inferred_schema_type(struct span value);

// Observes random games to find out which members the JSON of views and actions has, and which action has which number.
// Used for the environment of a game that does not describe one.
#pragma once

#include "kit/environment.h"
#include "kit/kit.h"

enum { SURVEY_KEYS = 48, SURVEY_ACTIONS = 24, SURVEY_PARAMS = 8, SURVEY_NAME = 40 };

// A member of an object; `types` is a set of enum json_type.
struct survey_member {
    char name[SURVEY_NAME];
    uint16_t types;
    bool open; // visible to everybody, in the view being read
    bool own;  // a seat saw something there that not everybody saw
};

// A type of action of seats.
struct survey_action {
    const struct codec_action *row;
    struct game_action example; // kind 0: it was never legal
    int seats;                  // number of seats in the example
    struct survey_member params[SURVEY_PARAMS];
    int count;
};

struct survey {
    struct survey_member keys[SURVEY_KEYS]; // of views, in the codec's order
    int key_count;
    struct survey_action actions[SURVEY_ACTIONS];
    int action_count;
    struct env_flat flat[GAME_MAX_FLAT];
    double most[GAME_MAX_REWARDS]; // the largest absolute amount of a reward component in one step
};

// Plays every scenario several times with fixed seeds, so the result is always the same.
void survey_game(const struct codec *c, struct survey *out);

// Calls `found` for each member of an object written by the codec.
void survey_members(struct span object, void (*found)(void *owner, struct span name, struct span value), void *owner);
enum json_type survey_type(struct span value);

// What random games show of a game: which members its views and actions have in JSON, which actions have which number.
// It is how the environment of a game that describes none comes about.
#pragma once

#include "kit/environment.h"
#include "kit/kit.h"

enum { SURVEY_KEYS = 48, SURVEY_ACTIONS = 24, SURVEY_PARAMS = 8, SURVEY_NAME = 40 };

// A member of an object; `types` is a set of enum json_type.
struct survey_member {
    char name[SURVEY_NAME];
    uint16_t types;
    bool open; // everybody sees something there, in the view that is being read
    bool own;  // a seat has seen something there that not everybody saw
};

// An action type of seats.
struct survey_action {
    const struct codec_action *row;
    struct game_action example; // kind 0: it was never legal
    int seats;                  // at the table of the example
    struct survey_member params[SURVEY_PARAMS];
    int count;
};

struct survey {
    struct survey_member keys[SURVEY_KEYS]; // of views, in the codec's order
    int key_count;
    struct survey_action actions[SURVEY_ACTIONS];
    int action_count;
    struct env_flat flat[GAME_MAX_FLAT];
    double most[GAME_MAX_REWARDS]; // the largest amount of a component in one step, without its sign
};

// Plays every scenario some times with fixed seeds: equal programs find the same.
void survey_game(const struct codec *c, struct survey *out);

// The members of an object that the codec wrote: calls `found` for each.
void survey_members(struct span object, void (*found)(void *owner, struct span name, struct span value), void *owner);
enum json_type survey_type(struct span value);

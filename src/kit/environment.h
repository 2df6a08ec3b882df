// A game as an environment (G22-G28): data that Game-RL needs and the rules do not have, and functions of its views.
#pragma once

#include "game/game.h"

enum env_type { ENV_ENTITY, ENV_COLONY, ENV_WORLD, ENV_MASTER, ENV_DIALOGUE, ENV_COMBAT, ENV_TYPES };
enum env_capability { ENV_ADMIN = 1, ENV_NARRATIVE = 2, ENV_SPAWN = 4, ENV_WORLD_MODIFY = 8, ENV_DEBUG = 16 };

struct env_key {
    const char *name, *space; // of an observation; the space is JSON
};

enum env_command_kind {
    ENV_DO_WAIT,
    ENV_DO_MOVE,   // a seat's action, read by the codec
    ENV_DO_MASTER, // a game master's action of the game, read by the codec as `codec_type`
    ENV_DO_PAUSE,
    ENV_DO_RESUME,
    ENV_DO_RESTART,
    ENV_DO_REPLACE_SEAT,
    ENV_DO_KILL,
    ENV_DO_SPAWN,
    ENV_DO_DIFFICULTY,
    ENV_DO_AGGRO,
    ENV_DO_DEAL,
    ENV_DO_SET_TIME,
    ENV_DO_NARRATE,
    ENV_DO_TRIGGER,
    ENV_DO_SPEAK,
    ENV_DO_EMOTE,
    ENV_DO_TASK,
    ENV_DO_COMMANDS
};

// An action of a type of agent: its parameters as JSON Schema properties, and which of them are required.
struct env_action {
    const char *name, *description;
    const char *params;     // {"x":{...}}; "{}" for none
    const char *required;   // ["x"]; "[]" for none
    const char *example;    // params of an example object
    uint8_t command;        // enum env_command_kind
    uint8_t needs;          // capabilities
    const char *codec_type; // ENV_DO_MASTER
};

// An action of a seat without parameters.
#define ENV_MOVE(name, description)                                                                                    \
    {                                                                                                                  \
        name, description, "{}", "[]", "{}", ENV_DO_MOVE, 0, NULL                                                      \
    }

// Who receives a standard event, besides the seats.
enum {
    ENV_TO_MASTER = 1 << ENV_MASTER,
    ENV_TO_BOTH = 1 << ENV_MASTER | 1 << ENV_COMBAT,
    ENV_TO_WORLD = 1 << ENV_MASTER | 1 << ENV_WORLD
};

enum env_event_form {
    ENV_EVENT_DEATH,      // entity_id, cause, killer, location
    ENV_EVENT_END,        // the same; with the cause "goal" it becomes quest_completed (G24.7)
    ENV_EVENT_QUEST,      // entity_id, quest
    ENV_EVENT_TEAM_QUEST, // the same for every seat of the event's `team`
    ENV_EVENT_FIGHT,      // id, participants, result
    ENV_EVENT_DAMAGE,     // entity_id, amount, source
    ENV_EVENT_ITEM,       // entity_id, item, amount
    ENV_EVENT_PAYOUTS,    // the same for every seat of the event's `payouts`
    ENV_EVENT_SPAWN,      // entity_id, entity_type, location, spawned_by
    ENV_EVENT_FORMS
};

// An event of the game as a standard event of Game-RL (G16.5). Members are names of members of the game's own event.
struct env_standard_event {
    const char *event, *standard; // "influence_lost", "damage_dealt"
    uint8_t form;                 // enum env_event_form
    uint8_t visible;              // ENV_TO_...
    const char *who;              // member: the seat it is about
    const char *what;             // value: cause, quest, kind of fight, source, item
    const char *count;            // member: amount; NULL: 1
    const char *others[2];        // members: the fighters; none: all seats in play
    const char *location;         // ENV_EVENT_SPAWN: JSON
};

// A numbered action (G22.7), as far as it is known without a state.
struct env_flat {
    struct game_action action; // kind 0: unknown so far
    bool fixed;                // the number always means this action
};

struct env_component {
    const char *description;
    double low, high; // range in one tick
};

struct env_scenario {
    const char *name, *description, *config; // config: the defaults it sets, as a JSON object
};

struct env_initial {
    const char *key, *expected; // of initial_state; a description of its valid values
};

enum env_draw { ENV_DRAW_INT, ENV_DRAW_CHANCE, ENV_DRAW_BLIND, ENV_DRAW_SEATS, ENV_DRAW_LEVEL };

struct env_random {
    const char *key;
    uint8_t draw; // enum env_draw
    double low, high;
};

struct env_facts {
    const char *goal, *setting, *hidden, *turn, *end; // texts of the guide (G6.2)
    const char *const *avatars;                       // by seat, ended by NULL
    uint8_t types;                                    // set of enum env_type
    uint16_t tick_ms, tick_rate;
    uint32_t max_ticks;
    const char *forced;                      // rules that always hold here, as a JSON object, or NULL (G27.2)
    const struct env_key *keys;              // of an observation, in the codec's order; ends with a NULL name
    bool whole;                              // the codec never leaves one out
    const struct env_action *actions;        // of a seat; ends with a NULL name
    const struct env_action *master, *world; // besides the common ones; NULL: none
    const char *world_names[2];              // the continuous space of WorldSimulation (G23.4)
    double world_low[2], world_high[2];
    const struct env_component *rewards;  // in the order of game->rewarded
    const struct env_scenario *scenarios; // in the order of game->scenarios
    const struct env_initial *initial;    // ends with a NULL key
    const char *deals[8];                 // keys of initial_state that determine hidden information
    const struct env_random *random;      // gameplay keys, in the order of drawing; ends with a NULL key
    // Returns the action of a number, legal or not; false if the number alone does not determine it (G25.2). NULL: use
    // `flat`.
    bool (*flat_at)(int index, struct game_action *a);
    const struct env_flat *flat;
    const char *const *buckets; // by number, a description for actions that are not fixed; NULL: none
    const char *choice_key; // legal actions that differ only in arg[0] are combined under this key (G24.3); NULL: never
    const struct env_standard_event *events; // besides those of all games; ends with a NULL event; NULL: none
    // Each may be NULL; the functions below document the defaults.
    double (*health)(const void *view, int seat, double *most);
    bool (*in_play)(const void *view, int seat);
    bool (*has_won)(const void *view, int seat); // when the match is over
    bool (*is_cut)(const void *view);            // ended by a limit: truncated (G27.5)
    int (*severity)(const struct game_event *e, int viewer);
    const char *own_key; // key of an observation that others may not see; NULL: nothing is hidden
};

// Members of struct env_facts for games without a clock of their own: ten steps a second, for at most an hour.
#define ENV_TURNS .tick_ms = 100, .tick_rate = 10, .max_ticks = 36000

// The environment's value for a view, or the default given here.
bool env_facts_flat_at(const struct env_facts *k, int index, struct game_action *a);
// Default: 1 of 1 in play, else 0.
double env_facts_health(const struct env_facts *k, const void *view, int seat, double *most);
bool env_facts_in_play(const struct env_facts *k, const void *view, int seat); // default: true
// When the match is over. Default: nobody was paid more, and somebody less; with a single seat, it was paid more than
// 0.
bool env_facts_has_won(const struct env_facts *k, const struct game *g, const void *state, const void *view, int seats,
                       int seat);
int env_facts_severity(const struct env_facts *k, const struct game_event *e, int viewer); // default: 1

// A game as an environment (G22-G28): what Game-RL says about a game that its rules do not, as data, and what is read
// off its views.
#pragma once

#include "game/game.h"

enum rl_type { RL_ENTITY, RL_COLONY, RL_WORLD, RL_MASTER, RL_DIALOGUE, RL_COMBAT, RL_TYPES };
enum rl_capability { RL_ADMIN = 1, RL_NARRATIVE = 2, RL_SPAWN = 4, RL_WORLD_MODIFY = 8, RL_DEBUG = 16 };

struct rl_key {
    const char *name, *space; // of an observation; the space is JSON
};

enum rl_deed_kind {
    RL_DO_WAIT,
    RL_DO_MOVE,   // a seat's action, read by the codec
    RL_DO_MASTER, // the game master's action of the game, read by the codec as `codec_type`
    RL_DO_PAUSE,
    RL_DO_RESUME,
    RL_DO_RESTART,
    RL_DO_REPLACE_SEAT,
    RL_DO_KILL,
    RL_DO_SPAWN,
    RL_DO_DIFFICULTY,
    RL_DO_AGGRO,
    RL_DO_DEAL,
    RL_DO_SET_TIME,
    RL_DO_NARRATE,
    RL_DO_TRIGGER,
    RL_DO_SPEAK,
    RL_DO_EMOTE,
    RL_DO_TASK,
    RL_DO_DEEDS
};

// An action that a type of agent has: its parameters as JSON Schema properties, and which must be there.
struct rl_action {
    const char *name, *description;
    const char *params;     // {"x":{...}}; "{}" for none
    const char *required;   // ["x"]; "[]" for none
    const char *example;    // the params of an example object
    uint8_t deed;           // enum rl_deed_kind
    uint8_t needs;          // capabilities
    const char *codec_type; // RL_DO_MASTER
};

// Who sees a standard event, besides the seats.
enum {
    RL_TO_MASTER = 1 << RL_MASTER,
    RL_TO_BOTH = 1 << RL_MASTER | 1 << RL_COMBAT,
    RL_TO_WORLD = 1 << RL_MASTER | 1 << RL_WORLD
};

enum rl_event_form {
    RL_EVENT_DEATH,      // entity_id, cause, killer, location
    RL_EVENT_END,        // the same; with the cause "goal" it is quest_completed instead (G24.7)
    RL_EVENT_QUEST,      // entity_id, quest
    RL_EVENT_TEAM_QUEST, // the same for every seat of the event's `team`
    RL_EVENT_FIGHT,      // id, participants, result
    RL_EVENT_DAMAGE,     // entity_id, amount, source
    RL_EVENT_ITEM,       // entity_id, item, amount
    RL_EVENT_PAYOUTS,    // the same for every seat of the event's `payouts`
    RL_EVENT_SPAWN,      // entity_id, entity_type, location, spawned_by
    RL_EVENT_FORMS
};

// An event of the game as a standard event of Game-RL (G16.5). Members are looked up in the game's own event.
struct rl_standard_event {
    const char *event, *standard; // "influence_lost", "damage_dealt"
    uint8_t form;                 // enum rl_event_form
    uint8_t visible;              // RL_TO_...
    const char *who;              // member: whom it is about
    const char *what;             // value: cause, quest, kind of fight, source, item
    const char *count;            // member: how much; NULL: 1
    const char *others[2];        // members: who fights; none: whoever is in play
    const char *location;         // RL_EVENT_SPAWN: JSON
};

// A numbered action (G22.7) as far as it is known without a state.
struct rl_flat {
    struct game_action action; // kind 0: nobody has seen it yet
    bool fixed;                // it is always this one
};

struct rl_component {
    const char *description;
    double low, high; // in one tick
};

struct rl_scenario {
    const char *name, *description, *config; // the defaults it sets, as a JSON object
};

struct rl_initial {
    const char *key, *expected; // of initial_state; what its value may be, in words
};

enum rl_draw { RL_DRAW_INT, RL_DRAW_CHANCE, RL_DRAW_BLIND, RL_DRAW_SEATS, RL_DRAW_LEVEL };

struct rl_random {
    const char *key;
    uint8_t draw; // enum rl_draw
    double low, high;
};

struct rl_kit {
    const char *goal, *setting, *hidden, *turn, *end; // of the guide (G6.2)
    const char *const *avatars;                       // by seat, ended by NULL
    uint8_t types;                                    // set of enum rl_type
    uint16_t tick_ms, tick_rate;
    uint32_t max_ticks;
    const char *forced;                     // rules that hold here always, as a JSON object, or NULL (G27.2)
    const struct rl_key *keys;              // of an observation, in the codec's order; ended by a NULL name
    bool whole;                             // the codec leaves none of them out, ever
    const struct rl_action *actions;        // of a seat; ended by a NULL name
    const struct rl_action *master, *world; // besides the common ones, likewise; NULL: none
    const char *world_names[2];             // the continuous space of WorldSimulation (G23.4)
    double world_low[2], world_high[2];
    const struct rl_component *rewards;  // in the order of game->rewarded
    const struct rl_scenario *scenarios; // in the order of game->scenarios
    const struct rl_initial *initial;    // ended by a NULL key
    const char *deals[8];                // keys of initial_state that decide what is hidden
    const struct rl_random *random;      // gameplay keys, in the order of drawing; ended by a NULL key
    // The numbered action, legal or not; false: the number alone does not decide it (G25.2). NULL: `flat` has them.
    bool (*flat_at)(int index, struct game_action *a);
    const struct rl_flat *flat;
    const char *const *buckets; // by number, what stands in for an action that is not fixed; NULL: nothing
    const char *choice_key;     // legal actions that differ in arg[0] alone are one item (G24.3); NULL: never
    const struct rl_standard_event *events; // besides those of any game, ended by a NULL event; NULL: none
    // Each may be NULL; the functions below say what holds then.
    double (*health)(const void *view, int seat, double *most);
    bool (*in_play)(const void *view, int seat);
    bool (*has_won)(const void *view, int seat); // the match being over
    bool (*is_cut)(const void *view);            // it ended by a cap: truncated (G27.5)
    int (*severity)(const struct game_event *e, int viewer);
    const char *own_key; // of an observation: what others may not see; NULL: nothing is hidden
};

// What an environment says about a view, or what holds where it says nothing.
bool rl_kit_flat_at(const struct rl_kit *k, int index, struct game_action *a);
double rl_kit_health(const struct rl_kit *k, const void *view, int seat, double *most); // 1 of 1 in play, else 0
bool rl_kit_in_play(const struct rl_kit *k, const void *view, int seat);                // always
// The match being over: more is paid to nobody, and less to somebody; to a single seat, more than nothing.
bool rl_kit_has_won(const struct rl_kit *k, const struct game *g, const void *state, const void *view, int seats,
                    int seat);
int rl_kit_severity(const struct rl_kit *k, const struct game_event *e, int viewer); // 1

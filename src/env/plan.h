// An episode before it begins, and how a reset begins it.
#pragma once

#include "env/model.h"

struct env_plan {
    struct env_table *table;
    const struct env_game *row;
    const struct env_facts *kit;
    int scenario, seats;
    bool has_seed, drew_seed; // given, or drawn here
    bool deals;               // initial_state determines hidden information
    int64_t seed;
    uint64_t max_ticks;
    uint8_t key[RNG_KEY_BYTES];
    uint8_t level[GAME_MAX_SEATS];
    double visual[3];
    union game_rules rules;
    struct match match;
    struct text drawn;         // domain_randomization, as JSON
    struct game_events events; // large and mostly unused: elements beyond the count are not set
};
struct env_order {              // what a reset asks for; absent spans are empty
    const uint8_t *key, *level; // of a recorded one, or NULL: the previous ones
    int seats;                  // likewise, or 0
    bool by_number;             // how it numbers decisions (struct decision_numbers)
    bool has_seed;
    int64_t seed;
    struct span scenario, initial, random; // a string, objects
    const char *at;                        // where scenario and initial are in the call; NULL: "/config"
};
// A refusal leaves no trace; env_plan_begin makes it the current episode of its table.
bool env_plan_make(struct env_plan *p, struct env_table *t, const struct env_order *o, struct env_result *r);
void env_plan_begin(struct env_plan *p, const struct env_order *o, struct env_conn *by);
bool env_may_choose(const struct env_conn *c, const struct env_plan *p, const struct env_order *o,
                    struct env_result *r);
void env_plan_release(struct env_plan *p);

bool env_may_reset(struct env_conn *c, const struct env_table *t, struct env_result *r); // G14.2
bool env_put_back(struct env_agent *a, const struct env_order *o); // one agent; false: there is nothing to return to

// An episode before it begins, and how a reset begins it.
#pragma once

#include "env/model.h"

struct rl_plan {
    struct rl_table *table;
    const struct rl_game *row;
    const struct rl_kit *kit;
    int scenario, seats;
    bool has_seed;
    bool deals; // initial_state decides what is hidden
    int64_t seed;
    uint64_t max_ticks;
    uint8_t key[RNG_KEY_BYTES];
    uint8_t level[GAME_MAX_SEATS];
    double visual[3];
    union game_rules rules;
    struct match match;
    struct text drawn;         // domain_randomization, as JSON
    struct game_events events; // large, and most of it unused: those behind the count are not set
};
struct rl_order {               // what a reset asks; absent spans are empty
    const uint8_t *key, *level; // of a recorded one, or NULL: those that it had
    int seats;                  // likewise, or 0
    bool has_seed;
    int64_t seed;
    struct span scenario, initial, random; // a string, objects
    const char *at;                        // where scenario and initial stand in the call; NULL: "/config"
};
// Refuses without a trace; rl_plan_begin makes it the running episode of its table.
bool rl_plan_make(struct rl_plan *p, struct rl_table *t, const struct rl_order *o, struct rl_result *r);
void rl_plan_begin(struct rl_plan *p, const struct rl_order *o, struct rl_conn *by);
bool rl_may_choose(const struct rl_conn *c, const struct rl_plan *p, const struct rl_order *o, struct rl_result *r);
void rl_plan_release(struct rl_plan *p);

bool rl_may_reset(struct rl_conn *c, const struct rl_table *t, struct rl_result *r); // G14.2
bool rl_put_back(struct rl_agent *a, const struct rl_order *o); // one agent; false: there is nothing to go back to

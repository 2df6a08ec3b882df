// An episode before it begins, and the request that asks for it.
#pragma once

#include "env/model.h"

struct env_reset_request {      // absent spans are empty
    const uint8_t *key, *level; // of a recorded episode; NULL: of a new one
    int seats;                  // likewise; 0: the scenario's
    bool by_number;             // how it numbers decisions (struct decision_numbers)
    bool has_seed;
    int64_t seed;
    struct span scenario, initial, random; // a string, objects
    const char *at;                        // where scenario and initial are in the call; NULL: "/config"
};

struct env_new_episode {
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
    double visual[3]; // as env_table.visual
    union game_rules rules;
    struct match match;
    struct text drawn;         // domain_randomization, as JSON
    struct game_events events; // large and mostly unused: elements beyond the count are not set
};

// Checks the request and deals. A refusal leaves no trace at the table. Release it in both cases.
bool env_new_episode_prepare(struct env_new_episode *p, struct env_table *t, const struct env_reset_request *request,
                             struct env_result *r);
// It becomes the current episode of its table. `by`: the client that reset; its reply shows the agents' first
// observations.
void env_new_episode_begin(struct env_new_episode *p, const struct env_reset_request *request, struct env_conn *by);
void env_new_episode_release(struct env_new_episode *p);
// All of these at once. False: refused.
bool env_begin_new_episode(struct env_table *t, const struct env_reset_request *request, struct env_result *r);
// Only the owner of a shared table may choose what is dealt.
bool env_may_choose_deal(const struct env_conn *c, const struct env_new_episode *p,
                         const struct env_reset_request *request, struct env_result *r);

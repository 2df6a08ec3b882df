// Shared by the assertions of Game-RL. Failures are sticky: after the first one (or a skip) every request returns NULL,
// and all functions accept NULL, so an assertion reads like a list of claims. All values belong to the running
// assertion and live until its end, unless gr_trim frees them.
#pragma once

#include "verify/gamerl.h"
#include "verify/rpc.h"
#include "verify/schema.h"

// GR_MAX_OPEN: connections of one assertion. GR_NO_SEED: the reset names no seed.
enum { GR_MAX_OPEN = 12, GR_NO_SEED = -1 };

struct gamerl {
    struct gamerl_options o;
    json_t *schema;     // protocol/game-rl/schema/messages.schema.json
    json_t *manifest;   // the server's first manifest; NULL: unreadable
    json_t *tools;      // the listed tools, by name
    bool own;           // agon's server: the manifest has its extensions
    int claimed, level; // level claimed by the manifest; level under test
    char game[32];      // agon.game, or empty

    // Of the running assertion.
    bool failed, skipped;
    char why[GATE_WHY];
    json_t *pool;
    struct rpc open[GR_MAX_OPEN];
    int open_count;
    bool at_socket; // connects to the shared host
    int tables;     // number of tables named so far
};

extern const struct gamerl_gate gamerl_connection[], gamerl_manifest[], gamerl_single_agent[], gamerl_determinism[],
    gamerl_multi_agent[], gamerl_trajectory[], gamerl_vision[], gamerl_truth[], gamerl_rules[], gamerl_secrets[],
    gamerl_table[]; // each ends with a NULL id

// --- verdicts
bool gr_check(struct gamerl *g, bool holds, const char *format, ...) __attribute__((format(printf, 3, 4)));
void gr_skip(struct gamerl *g, const char *why);
bool gr_goes_on(const struct gamerl *g); // neither failed nor skipped

// --- values
json_t *gr_keep(struct gamerl *g, json_t *value);           // takes ownership; NULL stays NULL
json_t *gr_pack(struct gamerl *g, const char *format, ...); // like json_pack
json_t *gr_get(json_t *value, const char *path);            // path of members and indexes: "result.contents.0.text"
int64_t gr_int(json_t *value, const char *path);
double gr_real(json_t *value, const char *path);
bool gr_true(json_t *value, const char *path);
const char *gr_text(json_t *value, const char *path); // "" if there is none
size_t gr_mark(const struct gamerl *g);
void gr_trim(struct gamerl *g, size_t mark, json_t *but);         // frees what came since the mark, except one value
bool gr_shape(struct gamerl *g, const char *name, json_t *value); // checked against messages.schema.json

// --- connections; closed at the end of the assertion
struct rpc *gr_open(struct gamerl *g);                          // not initialized yet
struct rpc *gr_connect(struct gamerl *g);                       // ready
struct rpc *gr_connect_at(struct gamerl *g, const char *table); // at a table of the shared host
json_t *gr_initialize(struct gamerl *g, struct rpc *r, const char *revision, const char *table); // returns the reply
void gr_new_table(struct gamerl *g, char name[32]);

// Takes ownership of params; returns the whole reply.
json_t *gr_ask(struct gamerl *g, struct rpc *r, const char *method, json_t *params);
json_t *gr_answer(struct gamerl *g, struct rpc *r, int64_t id, int wait_ms); // reply to an earlier request
json_t *gr_call(struct gamerl *g, struct rpc *r, const char *tool, const char *format, ...); // returns the whole reply
// Must succeed; returns the structured content.
json_t *gr_must(struct gamerl *g, struct rpc *r, const char *tool, const char *format, ...);
void gr_refused(struct gamerl *g, struct rpc *r, int code, const char *tool, const char *format, ...);
int64_t gr_send(struct gamerl *g, struct rpc *r, const char *tool, const char *format, ...); // returns the id
int gr_code(json_t *answer);                                                                 // error code; 0: a result
json_t *gr_content(struct gamerl *g, json_t *answer);                  // structured, or parsed from its text
json_t *gr_resource(struct gamerl *g, struct rpc *r, const char *uri); // parsed as JSON
bool gr_offers(struct gamerl *g, const char *tool);                    // false, and fails, if it is not listed

// --- agents
struct gr_agent {
    struct gamerl *g;
    struct rpc *at;
    char id[40];
    json_t *spaces; // reply to its registration
    json_t *step;   // its last step object
};

// config may be NULL; takes ownership.
void gr_player(struct gr_agent *a, struct gamerl *g, struct rpc *r, const char *id, int seat, json_t *config);
void gr_systemic(struct gr_agent *a, struct gamerl *g, struct rpc *r, const char *id, const char *type, json_t *config);
// A second agent: a player if there is a free seat, else an overseer.
void gr_second(struct gr_agent *a, struct gamerl *g, struct rpc *r, const char *id, json_t *config);
const char *gr_systemic_type(struct gamerl *g); // from the manifest; NULL: none
const char *gr_avatar(struct gamerl *g, int seat);
bool gr_has_type(struct gamerl *g, const char *type);

void gr_ready(struct gr_agent *a, struct gamerl *g, const char *id, json_t *config); // a player after its first reset
json_t *gr_reset(struct gr_agent *a, int64_t seed, json_t *config); // takes ownership of config, which may be NULL
json_t *gr_step(struct gr_agent *a, json_t *action, int ticks); // takes ownership of action; returns the step object
json_t *gr_find_action(struct gr_agent *a, const char *name);   // a declared action; name NULL: the first
json_t *gr_legal_action(struct gr_agent *a);                    // new: an action that is legal now (G30.3)
json_t *gr_wait_action(struct gr_agent *a);                     // new: an action that lets time pass, or a legal one
json_t *gr_ending_action(struct gr_agent *a);                   // new: a legal action that brings the end nearer
bool gr_is_over(const struct gr_agent *a);
bool gr_finish(struct gr_agent *a, int most); // plays to the end; false: not within so many steps

json_t *gr_hash(struct gamerl *g, struct rpc *r); // get_state_hash, or NULL if it is not offered
bool gr_same(json_t *a, json_t *b);               // equal, comparing numbers by value

// --- decks (gamerl_decks.c): initial states of agon's games with a fixed deal
json_t *gr_deck(struct gamerl *g, bool other); // other: differs in what seat 0 does not see; NULL: nothing is hidden

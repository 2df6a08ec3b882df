// What the assertions of Game-RL share. Failures stick: after the first one (or a skip) every question answers NULL,
// and NULL is harmless to ask about, so an assertion reads as a list of claims. All values belong to the running
// assertion and live until its end, unless gr_trim lets them go.
#pragma once

#include "judge/gamerl.h"
#include "judge/rpc.h"
#include "judge/schema.h"

enum { GR_MAX_OPEN = 12, GR_NO_SEED = -1 };

struct gamerl {
    struct gamerl_options o;
    json_t *schema;     // protocol/game-rl/schema/messages.schema.json
    json_t *manifest;   // of the server, as it first gave it; NULL: none could be read
    json_t *tools;      // those listed, by name
    bool own;           // agon's: the manifest has its extensions
    int claimed, level; // by the manifest; under test
    char game[32];      // agon.game, or empty

    // of the running assertion
    bool failed, skipped;
    char why[GATE_WHY];
    json_t *pool;
    struct rpc open[GR_MAX_OPEN];
    int open_count;
    bool at_socket; // its connections go to the shared host
    int tables;     // named so far
};

extern const struct gamerl_gate gamerl_connection[], gamerl_manifest[], gamerl_single_agent[], gamerl_determinism[],
    gamerl_multi_agent[], gamerl_trajectory[], gamerl_vision[], gamerl_truth[], gamerl_rules[], gamerl_secrets[],
    gamerl_table[]; // each ended by a NULL id

// --- verdicts
bool gr_that(struct gamerl *g, bool holds, const char *format, ...) __attribute__((format(printf, 3, 4)));
void gr_skip(struct gamerl *g, const char *why);
bool gr_goes_on(const struct gamerl *g); // neither failed nor skipped

// --- values
json_t *gr_keep(struct gamerl *g, json_t *value);           // takes it; NULL stays NULL
json_t *gr_pack(struct gamerl *g, const char *format, ...); // as json_pack
json_t *gr_get(json_t *value, const char *path);            // members and places by dots: "result.contents.0.text"
int64_t gr_int(json_t *value, const char *path);
double gr_real(json_t *value, const char *path);
bool gr_true(json_t *value, const char *path);
const char *gr_text(json_t *value, const char *path); // "" when there is none
size_t gr_mark(const struct gamerl *g);
void gr_trim(struct gamerl *g, size_t mark, json_t *but);         // lets go what came since, but for one value
bool gr_shape(struct gamerl *g, const char *name, json_t *value); // by messages.schema.json

// --- connections; closed at the end of the assertion
struct rpc *gr_start(struct gamerl *g);                      // before initialize
struct rpc *gr_meet(struct gamerl *g);                       // ready
struct rpc *gr_meet_at(struct gamerl *g, const char *table); // at a table of the shared host
json_t *gr_hello(struct gamerl *g, struct rpc *r, const char *revision, const char *table); // the answer
void gr_new_table(struct gamerl *g, char name[32]);

json_t *gr_ask(struct gamerl *g, struct rpc *r, const char *method, json_t *params); // takes params; the whole answer
json_t *gr_answer(struct gamerl *g, struct rpc *r, int64_t id, int wait_ms);         // to something sent before
json_t *gr_call(struct gamerl *g, struct rpc *r, const char *tool, const char *format, ...); // the whole answer
json_t *gr_must(struct gamerl *g, struct rpc *r, const char *tool, const char *format, ...); // structured content
void gr_refused(struct gamerl *g, struct rpc *r, int code, const char *tool, const char *format, ...);
int64_t gr_send(struct gamerl *g, struct rpc *r, const char *tool, const char *format, ...); // the id
int gr_code(json_t *answer);                                                                 // 0: a result
json_t *gr_content(struct gamerl *g, json_t *answer);                  // structured, or read from its text
json_t *gr_resource(struct gamerl *g, struct rpc *r, const char *uri); // read as JSON
bool gr_offers(struct gamerl *g, const char *tool);                    // false, and failed: it is not listed

// --- agents
struct gr_agent {
    struct gamerl *g;
    struct rpc *at;
    char id[40];
    json_t *spaces; // the answer of its registration
    json_t *step;   // its last step object
};

// config may be NULL; it is taken.
void gr_player(struct gr_agent *a, struct gamerl *g, struct rpc *r, const char *id, int seat, json_t *config);
void gr_systemic(struct gr_agent *a, struct gamerl *g, struct rpc *r, const char *id, const char *type, json_t *config);
// Another one beside the first: a player where there is a seat, else an overseer.
void gr_second(struct gr_agent *a, struct gamerl *g, struct rpc *r, const char *id, json_t *config);
const char *gr_systemic_type(struct gamerl *g); // of the manifest; NULL: none
const char *gr_avatar(struct gamerl *g, int seat);
bool gr_has_type(struct gamerl *g, const char *type);

json_t *gr_reset(struct gr_agent *a, int64_t seed, json_t *config); // takes config, may be NULL
json_t *gr_step(struct gr_agent *a, json_t *action, int ticks);     // takes action; the step object
json_t *gr_legal(struct gr_agent *a);                               // new: an action that is legal now (G30.3)
json_t *gr_wait(struct gr_agent *a);                                // new: one that lets time pass, or a legal one
json_t *gr_push(struct gr_agent *a);                                // new: a legal one that brings the end nearer
bool gr_is_over(const struct gr_agent *a);
bool gr_finish(struct gr_agent *a, int most); // plays to the end; false: not within so many steps

json_t *gr_hash(struct gamerl *g, struct rpc *r); // get_state_hash, or NULL where it is not offered
bool gr_same(json_t *a, json_t *b);               // equal, with numbers by value

// --- decks (gamerl_decks.c): initial states of agon's games that fix what is dealt
json_t *gr_deck(struct gamerl *g, bool other); // other: differs in what seat 0 does not see; NULL: nothing is hidden

// agon verify gamerl: the conformance suite of Game-RL (C1 to C144) against any server, started as a command on stdio
// or listening on a Unix socket. It uses only the protocol and needs no server of ours.
#pragma once

#include "verify/assertion.h"

struct gamerl;

// An assertion. `run` does nothing or makes g fail. After the first failure every request returns NULL, so `run` needs
// no early exit.
struct gamerl_gate {
    const char *id;    // "C1"
    uint8_t level;     // lowest level that includes it, 1..3; 0 for agon's own assertions
    bool shared;       // needs a shared host: --socket
    const char *rules; // "G3.1 G3.3"
    const char *title; // what must hold
    void (*run)(struct gamerl *g);
};

struct gamerl_suite {
    const char *name; // "test_connection"
    const struct gamerl_gate *gates;
};

extern const struct gamerl_suite gamerl_suites[]; // ends with a NULL name
enum { GAMERL_MAX_GATES = 192 };

struct gamerl_options {
    const char *const *command; // ends with NULL; NULL: none
    const char *socket;         // of a shared host, or NULL
    int level;                  // 1..3, or 0: as the server claims
    int patience;               // multiplies time limits; 0: unchanged
    const char *suite;          // its name; NULL: all
    const char *only;           // ids, "C3,C12"; NULL: all
    void (*on_gate)(void *owner, const struct gamerl_gate *gate, const struct gate_result *r); // may be NULL
    void *owner;
};

// Returns false if the command cannot be started or nobody listens (gamerl_why). Results are by position in the suites.
bool gamerl_run(const struct gamerl_options *o, struct gamerl *g, struct gate_result results[GAMERL_MAX_GATES]);
bool gamerl_passed(const struct gate_result results[GAMERL_MAX_GATES]);
int gamerl_level(const struct gamerl *g, const struct gate_result results[GAMERL_MAX_GATES]); // level reached; 0: none
const char *gamerl_why(const struct gamerl *g);

struct gamerl *gamerl_create(void);
void gamerl_destroy(struct gamerl *g);

void gamerl_write_list(struct text *t, bool json); // every assertion, in the format of assertion_write_list
void gamerl_report_text(struct text *t, const struct gamerl *g, const struct gate_result *results);
void gamerl_report_json(struct text *t, const struct gamerl *g, const struct gate_result *results);

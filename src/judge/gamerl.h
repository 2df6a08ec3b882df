// agon verify gamerl: the conformance suite of Game-RL (C1..C144) against any server, started as a command over stdio
// or listening at a Unix socket. It uses the protocol alone and needs nothing of our own server.
#pragma once

#include "judge/assertion.h"

struct gamerl;

// An assertion. `run` finds nothing or fails g; what it asks after its first failure answers nothing, so it needs no
// way out of its own.
struct gamerl_gate {
    const char *id;    // "C1"
    uint8_t level;     // from which it counts, 1..3; of agon's own assertions it is 0
    bool shared;       // it needs a shared host: --socket
    const char *rules; // "G3.1 G3.3"
    const char *title; // what must hold
    void (*run)(struct gamerl *g);
};

struct gamerl_suite {
    const char *name; // "test_connection"
    const struct gamerl_gate *gates;
};

extern const struct gamerl_suite gamerl_suites[]; // ended by a NULL name
enum { GAMERL_MAX_GATES = 192 };

struct gamerl_options {
    const char *const *command; // ended by NULL; NULL: none
    const char *socket;         // of a shared host, or NULL
    int level;                  // 1..3, or 0: the one that the server claims
    int patience;               // limits in time are so many times as long; 0: once
    const char *suite;          // its name, or NULL: all
    const char *only;           // ids, "C3,C12"; NULL: all
    void (*on_gate)(void *owner, const struct gamerl_gate *gate, const struct gate_result *r); // may be NULL
    void *owner;
};

// False when the command cannot be started or nobody listens: `why` says so. Results are by the place in the suites.
bool gamerl_run(const struct gamerl_options *o, struct gamerl *g, struct gate_result results[GAMERL_MAX_GATES]);
bool gamerl_passed(const struct gate_result results[GAMERL_MAX_GATES]);
int gamerl_level(const struct gamerl *g, const struct gate_result results[GAMERL_MAX_GATES]); // reached; 0: none
const char *gamerl_why(const struct gamerl *g);

struct gamerl *gamerl_create(void);
void gamerl_destroy(struct gamerl *g);

void gamerl_write_list(struct text *t, bool json); // every assertion, as `struct assertion`s are listed
void gamerl_report_text(struct text *t, const struct gamerl *g, const struct gate_result *results);
void gamerl_report_json(struct text *t, const struct gamerl *g, const struct gate_result *results);

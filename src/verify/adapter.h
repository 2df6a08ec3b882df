// agon verify tetris: the acceptance gates of the Tetris AI Adapter Standard (A1 to A37) against any running adapter.
// It starts nothing and needs no server of ours.
#pragma once

#include "verify/adapter_assertions.h"
#include "verify/adapter_client.h"
#include "verify/gate.h"

struct adapter_check;

struct adapter_gate {
    const char *id; // "A1"
    const char *title;
    bool own;                             // only for agon's own adapter
    void (*run)(struct adapter_check *c); // reports to its assertions; calls adapter_skip() if it does not apply
};

struct adapter_check_options {
    const char *host;
    uint16_t port;
    bool quick;       // T4.1
    int patience;     // as in struct client_target
    const char *only; // ids of the gates to run, "A3,A12"; NULL: all
    int pid;          // of a local adapter, to measure its memory in A27; 0: not measured
    const char *commit;
    void (*on_gate)(void *owner, const struct adapter_gate *g, const struct gate_result *r); // progress; may be NULL
    void *owner;
};

struct adapter_check {
    struct adapter_check_options options;
    struct client_target target;
    struct server_welcome welcome; // the adapter's first welcome
    bool own, lockstep, box;
    struct assertions assertions;
    struct assertion_result outcomes[ADAPTER_ASSERTIONS];
    int stopped_by;     // the assertion whose failure ended the current gate; -1: none
    char why[GATE_WHY]; // why a gate, or the whole check, was not run
};

enum { ADAPTER_MAX_GATES = 48 };

// Returns false and sets c->why if nobody answers or no version is accepted. Results are by index of the gate.
bool adapter_check_run(struct adapter_check *c, const struct adapter_check_options *o,
                       struct gate_result results[ADAPTER_MAX_GATES]);
bool adapter_check_passed(const struct adapter_check *c);

void adapter_report_text(struct text *t, const struct adapter_check *c, const struct gate_result *results); // T4.2
void adapter_report_json(struct text *t, const struct adapter_check *c, const struct gate_result *results);

// adapter_line_checks.c: assertions about single messages, checked on every line of every client. `owner` is the check.
void adapter_check_line(void *owner, struct client *d, json_t *root, struct span line);

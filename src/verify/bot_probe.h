// Probes of a belote HTTP bot (B14.8): what any server of the Remote Bot API must or should do, tested one by one.
#pragma once

#include "verify/gate.h"

#include <stdint.h>

struct bot_probe;

struct bot_probe_row {
    const char *name;    // "delete-unknown"
    const char *title;   // what is expected
    bool must;           // true: required; false: recommended
    bool harsh;          // may kill a careless server: run after everything else
    const char *session; // further members of the request that creates its session; NULL: it gets none
    const char *(*run)(struct bot_probe *probe, const char *id); // NULL: as expected; else what came instead
};

extern const struct bot_probe_row bot_probe_rows[]; // ends with a NULL name
enum { BOT_PROBES = 32 };

struct bot_probe_options {
    const char *address; // http(s)://host[:port][/prefix]
    const char *ca_file;
    bool trust_anyone;
    int timeout_ms; // of a call
    bool quick;     // fewer concurrent matches, no six idle seconds
    void (*on_row)(void *owner, const struct bot_probe_row *row, const struct gate_result *r); // may be NULL
    void *owner;
};

enum bot_probe_end {
    BOT_PROBE_DONE,
    BOT_PROBE_NOBODY, // nobody answers, or a bot of another game; `why` says so
    BOT_PROBE_DIED,   // after a probe nobody answered any more: it has failed, later ones were not run; sets `why`
};

// Runs the harsh rows or the others, and sets their results only.
enum bot_probe_end bot_probe_run(const struct bot_probe_options *o, bool harsh, struct gate_result results[BOT_PROBES],
                                 char why[GATE_WHY]);

// Number of sessions according to GET /health, or -1 if it does not say.
int64_t bot_probe_sessions(const struct bot_probe_options *o);

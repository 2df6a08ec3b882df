// Probes of a belote bot behind HTTP (B14.8): what any server of the Remote Bot API must or should do, tried one by
// one.
#pragma once

#include "judge/gate.h"

#include <stdint.h>

struct bot_probe;

struct bot_probe_row {
    const char *name;                            // "delete-unknown"
    const char *title;                           // what is expected
    bool must;                                   // false: should
    bool harsh;                                  // what careless servers die of: run after everything else
    const char *(*run)(struct bot_probe *probe); // NULL: as expected; else what came
};

extern const struct bot_probe_row bot_probe_rows[]; // ended by a NULL name
enum { BOT_PROBES = 32 };

struct bot_probe_options {
    const char *address; // http(s)://host[:port][/prefix]
    const char *ca_file;
    bool trust_anyone;
    int timeout_ms; // of a call
    bool quick;     // fewer matches at once, no six idle seconds
    void (*on_row)(void *owner, const struct bot_probe_row *row, const struct gate_result *r); // may be NULL
    void *owner;
};

enum bot_probe_end {
    BOT_PROBE_DONE,
    BOT_PROBE_NOBODY, // nobody answers there; `why` says so
    BOT_PROBE_DIED,   // after a probe nobody answered any more: it has failed, those behind it were not run; `why` too
};

// Runs the rows that are harsh, or those that are not, and fills in their results alone.
enum bot_probe_end bot_probe_run(const struct bot_probe_options *o, bool harsh, struct gate_result results[BOT_PROBES],
                                 char why[GATE_WHY]);

// What GET /health says of its sessions, or -1 where it says nothing.
int64_t bot_probe_sessions(const struct bot_probe_options *o);

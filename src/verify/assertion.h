// Named assertions of a verification tool, each with its rule, and their results in one run.
//
// A tool has a table of `struct assertion` and one `struct assertion_result` per row. A check reports to a row by its
// index with assertion_note; the first failure of a row is kept, with a message that quotes the wire. The name is the
// contract: `--list` prints the rows, the JSON report has a verdict per name, and the tests have a faulty double for
// each name (test/e2e/lib/doubles.mjs).
#pragma once

#include "verify/gate.h"

struct assertion {
    const char *name;  // "welcome.protocol_version"; never changes once released
    const char *gate;  // "A3": its gate or suite
    const char *rules; // "T3.14 S4.2"
    const char *text;  // what must hold, as a sentence
    bool own;          // only for agon's own server
};

enum { ASSERTION_WHY = 640, WIRE_QUOTE = 200 };

struct assertion_result {
    enum gate_verdict verdict;
    char why[ASSERTION_WHY]; // describes the first failure
};

struct assertions {
    const struct assertion *rows;
    struct assertion_result *results; // one per row, zeroed by the caller
    int count;
};

// Records whether row `id` held. The first failure is kept. Returns `holds`.
bool assertion_note(struct assertions *a, int id, bool holds, const char *why);
int assertions_failed(const struct assertions *a);

// The rows of a tool: one line each, or a JSON array of {name, gate, rules, text, own}.
void assertion_write_list(struct text *t, const struct assertion *rows, int count, bool json);
// Writes "assertions":[{name, gate, rules, verdict, why}] into an open JSON object.
void assertion_put_results(struct text *t, const struct assertions *a);
void assertion_write_failures(struct text *t, const struct assertions *a); // for people, two lines each

// Formats received bytes for a message: control characters and bytes above 126 are escaped, and it is shortened to
// WIRE_QUOTE bytes. Returns `out`. An empty line gives "nothing".
const char *wire_quote(char out[WIRE_QUOTE], struct span line);

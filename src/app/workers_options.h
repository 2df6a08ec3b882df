// The words of a command line about the bus and the workers behind it: match, tournament, simulate and worker.
#pragma once

#include "app/app.h"
#include "bus/bus.h"
#include "workers/coordinator.h"

struct bus_flags {
    const char *login_file, *ca_file;
};

extern const struct argp bus_argp; // --bus-login, --bus-ca

struct workers_options {
    struct bus_flags bus;
    const char *url; // --workers; NULL: this machine plays
    double verify_share;
    int unit_ms;
    bool not_repeatable;
};

void workers_options_init(struct workers_options *o);
extern const struct argp workers_argp; // a child parser; `bus_argp` is its own

// What a connection to this bus needs. Ends the program with status 2 as below, but for a bus that cannot be reached.
void workers_read_bus(const struct bus_flags *f, const char *command, const char *option, const char *url,
                      const char *name, struct bus_options *out);
// A URL that makes no sense or has a secret in it ends the program with status 2, and so does a bus that cannot be
// reached. `option` is the one that the URL came from.
struct bus *workers_connect(const struct bus_flags *f, const char *command, const char *option, const char *url,
                            const char *name);

// The contest of `run` by workers. False when it had to stop; that was told. `journal` may be NULL.
bool workers_play(const struct workers_options *o, struct bus *bus, struct contest_run *run, const char *journal);

// Options about the bus and the workers on it, for match, tournament, simulate and worker.
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
extern const struct argp workers_argp; // a child parser, which includes `bus_argp`

// Options for a connection to this bus. Errors end the program with status 2 as below, except an unreachable bus.
void workers_read_bus(const struct bus_flags *f, const char *command, const char *option, const char *url,
                      const char *name, struct bus_options *out);
// An invalid URL, one that contains a secret, or an unreachable bus ends the program with status 2. `option` is the
// option that the URL came from.
struct bus *workers_connect(const struct bus_flags *f, const char *command, const char *option, const char *url,
                            const char *name);

// Lets workers play the contest of `run`. Returns false if it had to stop, which was reported. `journal` may be NULL.
bool workers_play(const struct workers_options *o, struct bus *bus, struct contest_run *run, const char *journal);

#include "app/workers_options.h"

#include "app/help.h"
#include "app/secrets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS = 0xb00, VERIFY_SHARE, UNIT_MS, NOT_REPEATABLE, BUS_LOGIN, BUS_CA };
// Length of a unit of work: shorter units lose less when a worker dies, and take more messages.
enum { USUAL_UNIT_MS = 200, LEAST_UNIT_MS = 50, MOST_UNIT_MS = 5000 };

// --- the bus

static error_t parse_bus(int key, char *arg, struct argp_state *state)
{
    struct bus_flags *f = state->input;
    switch (key) {
    case BUS_LOGIN:
        f->login_file = arg;
        return 0;
    case BUS_CA:
        f->ca_file = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option bus_list[] = {
    {"bus-login", BUS_LOGIN, "FILE", HELP_RARE,
     "File whose first line is the token or USER:PASSWORD of the bus ($AGON_BUS_LOGIN)", HELP_REMOTE},
    {"bus-ca", BUS_CA, "FILE", HELP_RARE, "Certificates (PEM) to trust for tls:// addresses of the bus (the system's)",
     HELP_REMOTE},
    {0},
};

const struct argp bus_argp = {.options = bus_list, .parser = parse_bus};

static bool is_bus_url(const char *url)
{
    return (strncmp(url, "nats://", 7) == 0 && url[7]) || (strncmp(url, "tls://", 6) == 0 && url[6]);
}

void workers_read_bus(const struct bus_flags *f, const char *command, const char *option, const char *url,
                      const char *name, struct bus_options *out)
{
    if (strchr(url, '@'))
        app_refuse(command,
                   "%s: leave the login out of the address, where other users of the machine see it; use --bus-login "
                   "FILE or AGON_BUS_LOGIN",
                   option);
    if (!is_bus_url(url))
        app_refuse(command, "%s needs an address of a NATS server, as nats://HOST:4222 or tls://HOST:4222; not '%s'",
                   option, url);
    if (f->ca_file && access(f->ca_file, R_OK) != 0)
        app_refuse(command, "cannot read the certificates in %s: %s", f->ca_file, strerror(errno));
    *out = (struct bus_options){.url = url, .ca_file = f->ca_file, .name = name};
    out->login = f->login_file ? secrets_read_file(command, "--bus-login", f->login_file) : getenv("AGON_BUS_LOGIN");
}

struct bus *workers_connect(const struct bus_flags *f, const char *command, const char *option, const char *url,
                            const char *name)
{
    char why[BUS_WHY];
    struct bus_options o;
    workers_read_bus(f, command, option, url, name, &o);
    struct bus *b = bus_open(&o, why);
    if (!b)
        app_refuse(command, "%s", why);
    return b;
}

// --- contests

void workers_options_init(struct workers_options *o)
{
    *o = (struct workers_options){.unit_ms = USUAL_UNIT_MS};
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct workers_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->bus;
        return 0;
    case WORKERS:
        o->url = arg;
        return 0;
    case VERIFY_SHARE:
        o->verify_share = app_read_real(state, "--verify-share", arg, 0, 1);
        return 0;
    case UNIT_MS:
        o->unit_ms = (int)app_read_uint(state, "--unit-ms", arg, LEAST_UNIT_MS, MOST_UNIT_MS);
        return 0;
    case NOT_REPEATABLE:
        o->not_repeatable = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option list[] = {
    {"workers", WORKERS, "URL", HELP_RARE, "Let workers play the games, over the NATS server at nats://HOST:PORT",
     HELP_REMOTE},
    {"verify-share", VERIFY_SHARE, "0..1", HELP_RARE,
     "With --workers: share of the games that a second worker plays too, to compare the results (0)", HELP_REMOTE},
    {"unit-ms", UNIT_MS, "N", HELP_RARE, "With --workers: how long a worker plays before it reports, 50 to 5000 (200)",
     HELP_REMOTE},
    {"not-repeatable", NOT_REPEATABLE, NULL, HELP_RARE,
     "With --workers: count games that two workers played differently instead of stopping", HELP_REMOTE},
    {0},
};

static const struct argp_child children[] = {{&bus_argp, 0, NULL, 0}, {0}};
const struct argp workers_argp = {.options = list, .parser = parse_option, .children = children};

static void print_line(const char *line)
{
    fprintf(stderr, isatty(STDERR_FILENO) ? "\r%s\x1b[K\n" : "%s\n", line);
}

static void print_counts(const struct coordinator_report *r, double share)
{
    char line[256];
    int size = snprintf(line, sizeof line, "%d worker%s, %ju units, %ju of them given out again", r->workers,
                        r->workers == 1 ? "" : "s", (uintmax_t)r->units, (uintmax_t)r->repeated);
    if (share > 0)
        size += snprintf(line + size, sizeof line - (size_t)size, ", %ju verified, %ju without a second worker",
                         (uintmax_t)r->verified, (uintmax_t)r->unverified);
    if (r->differing)
        size += snprintf(line + size, sizeof line - (size_t)size, ", %ju of %ju games played twice differ",
                         (uintmax_t)r->differing, (uintmax_t)r->compared);
    if (r->wasted)
        snprintf(line + size, sizeof line - (size_t)size, ", %ju games played beyond the end", (uintmax_t)r->wasted);
    print_line(line);
}

bool workers_play(const struct workers_options *o, struct bus *bus, struct contest_run *run, const char *journal)
{
    char why[WORKERS_WHY];
    struct coordinator_report report;
    struct coordinator_options c = {
        .bus = bus,
        .url = o->url,
        .run = run,
        .journal = journal,
        .verify_share = o->verify_share,
        .unit_ms = o->unit_ms,
        .not_repeatable = o->not_repeatable || !workers_is_repeatable(&run->contest->plan),
        .tell = print_line,
    };
    bool played = coordinator_play(&c, &report, why);
    print_counts(&report, o->verify_share);
    if (!played)
        app_complain("the contest stops: %s", why);
    return played;
}

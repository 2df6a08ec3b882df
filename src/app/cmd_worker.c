// agon worker: plays games of contests that other machines run.
#include "app/help.h"
#include "app/interrupt.h"
#include "app/workers_options.h"
#include "crypto/crypto.h"
#include "workers/worker.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { BUS = 0xb80, THREADS, PROGRAMS, MOST_THREADS = 256 };

struct options {
    struct bus_flags bus;
    const char *url, *programs;
    int threads;
};

static atomic_bool stopped;

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->bus;
        return 0;
    case BUS:
        o->url = arg;
        return 0;
    case THREADS:
        o->threads = (int)app_read_uint(state, "--threads", arg, 1, MOST_THREADS);
        return 0;
    case PROGRAMS:
        o->programs = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_line(const char *line)
{
    fprintf(stderr, "agon worker: %s\n", line);
}

// HOST-PID-RANDOM: unique, and recognisable for people.
static void name_worker(char out[WORKERS_NAME])
{
    char host[HOST_NAME_MAX + 1] = "";
    uint16_t chance;
    gethostname(host, sizeof host - 1);
    crypto_random(&chance, sizeof chance);
    snprintf(out, WORKERS_NAME, "%.40s-%d-%04x", host, (int)getpid(), chance);
}

int cmd_worker(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"bus", BUS, "URL", 0, "NATS server to take games from, as nats://HOST:PORT (nats://127.0.0.1:4222)", 0},
        {"threads", THREADS, "T", 0, "Games at once (one per processor)", 0},
        {"programs", PROGRAMS, "FILE", 0,
         "Programs that contests may name as program:NAME: a file of lines NAME = COMMAND", 0},
        {0},
    };
    static const struct argp_child children[] = {{&bus_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_option,
        .children = children,
        .doc = "Play games of contests that other machines run with 'agon match', 'agon tournament' or 'agon simulate' "
               "and --workers. It keeps nothing and may be stopped at any time. Ctrl-C gives its games back.",
    };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct options o = {.url = "nats://127.0.0.1:4222"};
    o.threads = processors < 1 ? 1 : processors > MOST_THREADS ? MOST_THREADS : (int)processors;
    help_parse(&argp, argc, argv, 0, &o);

    struct workers_programs programs = {0};
    struct worker_options w = {.threads = o.threads, .programs = &programs, .stop = &stopped, .tell = print_line};
    char why[BUS_WHY];
    if (o.programs && !workers_read_programs(&programs, o.programs, why))
        app_refuse(argv[0], "--programs: %s", why);
    name_worker(w.name);
    interrupt_catch(&stopped);
    signal(SIGPIPE, SIG_IGN);
    w.bus = workers_connect(&o.bus, argv[0], "--bus", o.url, w.name);
    fprintf(stderr, "worker %s takes games from %s on %d thread%s; press Ctrl-C to stop\n", w.name, o.url, o.threads,
            o.threads == 1 ? "" : "s");
    bool ran = worker_run(&w, why);
    bus_close(w.bus);
    workers_release_programs(&programs);
    if (!ran)
        app_refuse(argv[0], "%s", why);
    return APP_DONE;
}

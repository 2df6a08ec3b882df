// agon verify tetris: checks an adapter of the Tetris AI Adapter Standard.
#include "app/app.h"
#include "app/cmd_verify.h"

#include "app/help.h"
#include "verify/adapter.h"

#include <stdio.h>
#include <stdlib.h>

struct options {
    char host[256];
    struct adapter_check_options check;
    bool json, list, given;
};

enum { QUICK = 0x100, JSON, PID, COMMIT, GATES, LIST, PATIENCE };

static const struct argp_option argp_options[] = {
    {"quick", QUICK, NULL, 0, "Run fewer repetitions, in lockstep where the adapter offers it", 0},
    {"gates", GATES, "LIST", 0, "Run these gates only, as A3,A12", 0},
    {"list", LIST, NULL, 0, "List the assertions with their gates and rules, and exit", 0},
    {"json", JSON, NULL, 0, "Print a JSON object", 0},
    {"patience", PATIENCE, "N", 0, "Factor of all time limits, for a busy machine (1)", 0},
    {"pid", PID, "N", 0, "Process id of a local adapter, to watch its memory", 0},
    {"commit", COMMIT, "TEXT", 0, "Version of the adapter, for the report", 0},
    {0},
};

static const struct app_value values[] = {
    APP_VALUE(QUICK, struct options, check.quick),
    APP_VALUE(GATES, struct options, check.only),
    APP_VALUE(LIST, struct options, list),
    APP_VALUE(JSON, struct options, json),
    APP_NUMBER(PATIENCE, "--patience", struct options, check.patience, 1, 1000),
    APP_NUMBER(PID, "--pid", struct options, check.pid, 1, INT32_MAX),
    APP_VALUE(COMMIT, struct options, check.commit),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case ARGP_KEY_ARG:
        if (o->given || !line_client_split(arg, o->host, &o->check.port))
            argp_failure(state, APP_USAGE, 0, "'%s' is not the HOST:PORT of an adapter, or there are several", arg);
        o->given = true;
        return 0;
    case ARGP_KEY_END:
        if (!o->given && !o->list)
            argp_failure(state, APP_USAGE, 0, "which adapter? Give its HOST:PORT");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_gate(void *owner, const struct adapter_gate *g, const struct gate_result *r)
{
    (void)owner;
    if (r->verdict == GATE_NOT_RUN && r->seconds < 1e-4)
        return;
    fprintf(stderr, "%-4s %-8s %6.2f s  %s%s%s\n", g->id, gate_word(r->verdict), r->seconds, g->title,
            r->why[0] ? ": " : "", r->why);
}

int cmd_verify_tetris(int argc, char **argv)
{
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .args_doc = "HOST:PORT",
        .doc = "Test a running adapter of the Tetris AI Adapter Standard against its acceptance gates and print the "
               "release report. Exit status 1 if an assertion fails.",
    };
    static char bytes[1 << 18];
    static struct adapter_check check;
    static struct gate_result results[ADAPTER_MAX_GATES];
    struct options o = {.check.on_gate = print_gate};
    help_parse(&argp, argc, argv, 0, &o);
    o.check.host = o.host;
    struct text t = text_on(bytes, sizeof bytes);
    if (o.list) {
        assertion_write_list(&t, adapter_assertions, ADAPTER_ASSERTIONS, o.json);
        fwrite(t.at, 1, t.size, stdout);
        return APP_DONE;
    }
    if (!adapter_check_run(&check, &o.check, results)) {
        fprintf(stderr, "agon verify: %s\n", check.why);
        return APP_USAGE;
    }
    (o.json ? adapter_report_json : adapter_report_text)(&t, &check, results);
    fwrite(t.at, 1, t.size, stdout);
    return adapter_check_passed(&check) ? APP_DONE : APP_FAILED;
}

// agon verify: does something that runs elsewhere keep its promises?
#include "app/cmd_verify.h"
#include "judge/adapter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    char host[256];
    struct adapter_check_options check;
    bool json, list, given;
};

enum { QUICK = 0x100, JSON, PID, COMMIT, GATES, LIST };

static const struct argp_option argp_options[] = {
    {"quick", QUICK, 0, 0, "Fewer repetitions, rounds in lock-step where there is one", 0},
    {"gates", GATES, "LIST", 0, "Only these, such as A3,A12", 0},
    {"list", LIST, 0, 0, "List the assertions with their gates and rules, and check nothing", 0},
    {"json", JSON, 0, 0, "Report as one JSON object", 0},
    {"pid", PID, "N", 0, "Process of a local adapter, to watch its memory", 0},
    {"commit", COMMIT, "TEXT", 0, "What the report says of the adapter's version", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case QUICK:
        o->check.quick = true;
        return 0;
    case GATES:
        o->check.only = arg;
        return 0;
    case LIST:
        o->list = true;
        return 0;
    case JSON:
        o->json = true;
        return 0;
    case PID:
        o->check.pid = (int)app_read_uint(state, "--pid", arg, 1, INT32_MAX);
        return 0;
    case COMMIT:
        o->check.commit = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->given || !line_client_split(arg, o->host, &o->check.port))
            argp_failure(state, APP_USAGE, 0, "one adapter is wanted, as HOST:PORT, not '%s'", arg);
        o->given = true;
        return 0;
    case ARGP_KEY_END:
        if (!o->given && !o->list)
            argp_failure(state, APP_USAGE, 0, "which adapter? HOST:PORT");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void tell_gate(void *owner, const struct adapter_gate *g, const struct gate_result *r)
{
    (void)owner;
    if (r->verdict == GATE_NOT_RUN && r->seconds < 1e-4)
        return;
    fprintf(stderr, "%-4s %-8s %6.2f s  %s%s%s\n", g->id, gate_word(r->verdict), r->seconds, g->title,
            r->why[0] ? ": " : "", r->why);
}

static int verify_tetris(int argc, char **argv)
{
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse,
        .args_doc = "HOST:PORT",
        .doc =
            "Checks any adapter of the Tetris AI Adapter Standard against its acceptance gates and prints the release "
            "report. It starts nothing; exit status 1 when an assertion fails.",
    };
    static char bytes[1 << 18];
    static struct adapter_check check;
    static struct gate_result results[ADAPTER_MAX_GATES];
    struct options o = {.check.on_gate = tell_gate};
    argp_parse(&argp, argc, argv, 0, NULL, &o);
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

static const struct app_command commands[] = {
    {"bot", "a belote bot behind the Remote Bot API", verify_bot},
    {"gamerl", "a Game-RL server, by the conformance suite", verify_gamerl},
    {"tetris", "an adapter of the Tetris AI Adapter Standard", verify_tetris},
    {0},
};

int cmd_verify(int argc, char **argv)
{
    static const struct app_menu menu = {
        .name = "agon verify",
        .args = "COMMAND [ARG...]",
        .doc = "Checks what runs elsewhere against its standard; COMMAND says what it is.\v",
        .after = "'agon verify COMMAND --help' tells more.\n",
        .commands = commands,
    };
    return app_run_menu(&menu, argc, argv);
}

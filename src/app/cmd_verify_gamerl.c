// agon verify gamerl: any Game-RL server against the conformance suite.
#include "app/app.h"
#include "app/cmd_verify.h"
#include "app/help.h"
#include "verify/gamerl.h"

#include <stdio.h>
#include <string.h>

struct gamerl_settings {
    struct gamerl_options check;
    bool json, list;
};

enum { LEVEL = 0x200, SUITE, SOCKET, ONLY, AS_JSON, LIST, PATIENCE };

static const struct argp_option gamerl_argp_options[] = {
    {"level", LEVEL, "N", 0, "Highest level to test, 1 to 3 (the level that the server claims)", 0},
    {"suite", SUITE, "NAME", 0, "Run this suite only, as test_manifest", 0},
    {"gates", ONLY, "LIST", 0, "Run these assertions only, as C3,C12", 0},
    {"list", LIST, NULL, 0, "List the assertions with their suites and rules, and exit", 0},
    {"json", AS_JSON, NULL, 0, "Print a JSON object", 0},
    {"patience", PATIENCE, "N", 0, "Factor of all time limits, for a busy machine (1)", 0},
    {"socket", SOCKET, "PATH", 0, "Unix socket of a running shared host, for tests with several connections", 0},
    {0},
};

static void read_suite(struct argp_state *state, struct gamerl_settings *o, const char *arg)
{
    for (const struct gamerl_suite *s = gamerl_suites; s->name; s++)
        if (strcmp(s->name, arg) == 0)
            o->check.suite = s->name;
    if (!o->check.suite)
        argp_failure(state, APP_USAGE, 0,
                     "unknown suite '%s'; known: test_connection, test_manifest, test_single_agent, test_determinism, "
                     "test_multi_agent, test_trajectory, test_vision, test_truth, test_rules, test_secrets, test_table",
                     arg);
}

static const struct app_value values[] = {
    APP_NUMBER(LEVEL, "--level", struct gamerl_settings, check.level, 1, 3),
    APP_VALUE(ONLY, struct gamerl_settings, check.only),
    APP_VALUE(LIST, struct gamerl_settings, list),
    APP_VALUE(AS_JSON, struct gamerl_settings, json),
    APP_NUMBER(PATIENCE, "--patience", struct gamerl_settings, check.patience, 1, 1000),
    APP_VALUE(SOCKET, struct gamerl_settings, check.socket),
    {0},
};

static error_t parse_gamerl(int key, char *arg, struct argp_state *state)
{
    struct gamerl_settings *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case SUITE:
        read_suite(state, o, arg);
        return 0;
    case ARGP_KEY_ARGS:
        o->check.command = (const char *const *)(state->argv + state->next);
        return 0;
    case ARGP_KEY_END:
        if (!o->check.command && !o->check.socket && !o->list)
            argp_failure(state, APP_USAGE, 0, "which server? Give -- COMMAND [ARG...] or --socket PATH");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_assertion(void *owner, const struct gamerl_gate *g, const struct gate_result *r)
{
    FILE *out = owner;
    if (r->verdict == GATE_NOT_RUN && strcmp(r->why, "not asked for") == 0)
        return;
    fprintf(out, "%-4s %-4s %6.2f s  %s%s%s\n", g->id, r->verdict == GATE_NOT_RUN ? "skip" : gate_word(r->verdict),
            r->seconds, g->title, r->why[0] ? ": " : "", r->why);
    fflush(out);
}

int cmd_verify_gamerl(int argc, char **argv)
{
    static const struct argp argp = {
        .options = gamerl_argp_options,
        .parser = parse_gamerl,
        .args_doc = "[-- COMMAND [ARG...]]",
        .doc =
            "Test a Game-RL server with the conformance suite and report the level that it reaches. COMMAND starts the "
            "server; it is run in the current folder, once per connection, and speaks over standard input and output. "
            "Exit status 1 if an assertion fails, 2 if the server cannot be started or reached.",
    };
    static char bytes[1 << 17];
    static struct gate_result results[GAMERL_MAX_GATES];
    struct gamerl_settings o = {0};
    help_parse(&argp, argc, argv, ARGP_IN_ORDER, &o);
    if (o.list) {
        struct text t = text_on(bytes, sizeof bytes);
        gamerl_write_list(&t, o.json);
        fwrite(t.at, 1, t.size, stdout);
        return APP_DONE;
    }
    o.check.on_gate = print_assertion;
    o.check.owner = o.json ? stderr : stdout;
    struct gamerl *g = gamerl_create();
    if (!gamerl_run(&o.check, g, results)) {
        fprintf(stderr, "agon verify: %s\n", gamerl_why(g));
        gamerl_destroy(g);
        return APP_USAGE;
    }
    struct text t = text_on(bytes, sizeof bytes);
    (o.json ? gamerl_report_json : gamerl_report_text)(&t, g, results);
    fwrite(t.at, 1, t.size, stdout);
    gamerl_destroy(g);
    return gamerl_passed(results) ? APP_DONE : APP_FAILED;
}

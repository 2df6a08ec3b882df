// agon verify bot URL: checks a belote bot.
#include "app/cmd_verify.h"
#include "app/contest_report.h"
#include "app/games.h"
#include "app/help.h"
#include "app/interrupt.h"
#include "contest/dealbook.h"
#include "crypto/crypto.h"
#include "verify/bot_check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    GAMES_OPTION = 0x700,
    TARGET,
    OPPONENT,
    TIMEOUT,
    SEED_OPTION,
    ONCE,
    STRICT,
    QUICK,
    JSON,
    CA_FILE,
    TRUST,
    CSV,
    TRANSCRIPT,
    LIST
};

struct options {
    struct bot_check_options check;
    const char *opponent, *transcript;
    bool has_seed, json, csv, verbose, list;
    bool unwritten; // the transcript could not be written
    struct dealbook dealbook;
};

static const struct argp_option argp_options[] = {
    {"games", GAMES_OPTION, "N", 0, "Number of matches (100)", 0},
    {"target", TARGET, "POINTS", 0, "Match points that win (151)", 0},
    {"opponent", OPPONENT, "NAME", 0, "House bot to play against (random)", 0},
    {"timeout", TIMEOUT, "MS", 0, "Time for a decision (30000)", 0},
    {"seed", SEED_OPTION, "S", 0, "Seed of the run (random)", 0},
    {"once", ONCE, NULL, 0, "Skip the second run that tests determinism", 0},
    {"strict", STRICT, NULL, 0, "Fail on recommendations too, not only on requirements", 0},
    {"quick", QUICK, NULL, 0, "Run fewer matches at once, and skip the probe that takes six seconds", 0},
    {"ca-file", CA_FILE, "FILE", 0, "Trust the certificates in FILE too", 0},
    {"insecure", TRUST, NULL, 0, "Do not verify TLS certificates", 0},
    {"list", LIST, NULL, 0, "List the assertions with their rules, and exit", 0},
    {"json", JSON, NULL, 0, "Print a JSON object", 0},
    {"csv", CSV, NULL, 0, "Print one row per match", 0},
    {"transcript", TRANSCRIPT, "FILE", 0,
     "Write every deal with its decisions and times to FILE; 'agon replay verify FILE' checks it", 0},
    {"verbose", 'v', NULL, 0, "Print the result of each match as it ends", 0},
    {0},
};

static const struct app_value values[] = {
    APP_NUMBER(GAMES_OPTION, "--games", struct options, check.games, 1, 1000000),
    APP_NUMBER(TARGET, "--target", struct options, check.target, 1, 10000),
    APP_VALUE(OPPONENT, struct options, opponent),
    APP_NUMBER(TIMEOUT, "--timeout", struct options, check.timeout_ms, 1, 3600000),
    APP_VALUE(STRICT, struct options, check.strict),
    APP_VALUE(QUICK, struct options, check.probe.quick),
    APP_VALUE(TRUST, struct options, check.probe.trust_anyone),
    APP_VALUE(LIST, struct options, list),
    APP_VALUE(JSON, struct options, json),
    APP_VALUE(CSV, struct options, csv),
    APP_VALUE(TRANSCRIPT, struct options, transcript),
    APP_VALUE('v', struct options, verbose),
    APP_NUMBER(SEED_OPTION, "--seed", struct options, check.seed, 0, UINT64_MAX),
    APP_VALUE(SEED_OPTION, struct options, has_seed),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case ONCE:
        o->check.determinism = false;
        return 0;
    case CA_FILE:
        if (access(arg, R_OK) != 0)
            argp_failure(state, APP_USAGE, errno, "cannot read the certificates in %s", arg);
        o->check.probe.ca_file = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->check.probe.address || strncmp(arg, "http", 4) != 0 || seat_check_address(arg))
            argp_failure(state, APP_USAGE, 0,
                         "'%s' is not the address of a bot, as http://HOST:PORT, or there are several", arg);
        o->check.probe.address = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (!o->list)
            argp_failure(state, APP_USAGE, 0, "which bot? Give its address, as http://HOST:PORT");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_row(void *owner, const struct bot_probe_row *row, const struct gate_result *r)
{
    (void)owner;
    fprintf(stderr, "%-14s %-8s %6.2f s%s%s\n", row->name, gate_word(r->verdict), r->seconds, r->why[0] ? "  " : "",
            r->why);
}

// --- the matches

static void describe_match(const struct contest *c, uint64_t index)
{
    const struct contest_result *r = &c->results[index];
    int own = index % 2 == 0 ? 0 : 1; // mirrored: the bot changes seats from match to match
    fprintf(stderr, "match %ju: %s %d : %d, %u deals", (uintmax_t)index,
            r->payoffs[own] > r->payoffs[1 - own] ? "won" : "lost", r->points[own], r->points[1 - own],
            r->attempts.parts);
    for (int k = 0; k < CONTEST_TROUBLES; k++) {
        int count = r->trouble[own][k] + r->trouble[own + 2][k];
        if (count)
            fprintf(stderr, ", %d %s", count, contest_trouble_names[k]);
    }
    fputc('\n', stderr);
}

static void on_match(void *owner, const struct contest *c, uint64_t index)
{
    struct options *o = owner;
    if (o->verbose)
        describe_match(c, index);
    if (o->transcript)
        dealbook_release(&o->dealbook, index);
}

static void on_played(void *owner, struct contest *c)
{
    struct options *o = owner;
    if (o->csv)
        contest_print_csv(c);
    if (o->transcript && !dealbook_close(&o->dealbook, c->judged, true)) {
        app_complain("cannot write %s: %s", o->transcript, strerror(errno));
        o->unwritten = true;
    }
}

static atomic_bool stopped;

static void watch_matches(struct options *o, const char *command)
{
    o->check.on_match = on_match;
    o->check.on_played = on_played;
    o->check.owner = o;
    if (!o->transcript)
        return;
    if (!dealbook_open(&o->dealbook, o->transcript, false))
        app_refuse(command, "cannot open %s: %s", o->transcript, strerror(errno));
    o->check.dealbook = &o->dealbook;
}

static void print_report(const struct options *o, const struct bot_check *check)
{
    static char bytes[1 << 16];
    struct text t = text_on(bytes, sizeof bytes);
    (o->json ? bot_check_report_json : bot_check_report_text)(&t, check, &o->check);
    fwrite(t.at, 1, t.size, stdout);
}

int cmd_verify_bot(int argc, char **argv)
{
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .args_doc = "URL",
        .doc =
            "Test a belote bot behind the Remote Bot API: probes of the protocol, whole matches, 200 sessions at once, "
            "matches without notifications, all of it again with the same seeds, and finally malformed and oversized "
            "requests, which may crash a careless server. Exit status 1 if the bot breaks a rule or crashes, 2 if it "
            "cannot be reached.",
    };
    static struct bot_check check;
    static struct options o = {.check = {.games = 100, .target = 151, .timeout_ms = 30000, .determinism = true},
                               .opponent = "random"};
    struct loop loop;
    help_parse(&argp, argc, argv, 0, &o);
    if (o.list) {
        static char bytes[1 << 14];
        struct text t = text_on(bytes, sizeof bytes);
        bot_write_list(&t, o.json);
        fwrite(t.at, 1, t.size, stdout);
        return APP_DONE;
    }
    if (!o.has_seed) { // B9.2
        uint32_t drawn;
        crypto_random(&drawn, sizeof drawn);
        o.check.seed = drawn;
    }
    o.check.probe.timeout_ms = o.check.timeout_ms;
    o.check.probe.on_row = print_row;
    o.check.opponent = app_require_bot(argv[0], games_find("belote"), o.opponent);
    watch_matches(&o, argv[0]);
    interrupt_catch(&stopped); // a signal gives up the current matches and deletes their sessions (B12.33)
    signal(SIGPIPE, SIG_IGN);
    o.check.stop = &stopped;
    loop_init_coarse(&loop);
    bool done = bot_check_run(&check, &o.check, &loop);
    loop_release(&loop);
    if (!done) {
        fprintf(stderr, "%s: %s\n", argv[0], check.why);
        return APP_USAGE;
    }
    if (!o.csv)
        print_report(&o, &check);
    bool passed = bot_check_passed(&check, &o.check) && !o.unwritten;
    bot_check_release(&check);
    return passed ? APP_DONE : APP_FAILED;
}

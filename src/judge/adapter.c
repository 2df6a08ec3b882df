#include "judge/adapter_gates.h"

#include "base/json_write.h"

#include <stdarg.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

const struct adapter_gate adapter_gates[] = {
    {"A1", "nothing but hello is heard before hello", false, gate_a1},
    {"A2", "other protocol versions are refused and closed", false, gate_a2},
    {"A3", "welcome is complete and features_always is true", false, gate_a3},
    {"A4", "the first observation is a full snapshot", false, gate_a4},
    {"A5", "every observation has the required fields", false, gate_a5},
    {"A6", "board, queue and next are consistent", false, gate_a5},
    {"A7", "a long random game keeps to the schema", false, gate_a7},
    {"A8", "an observer never becomes controller by itself", false, gate_a8},
    {"A9", "claims: again by the controller, refused to others", false, gate_a9},
    {"A10", "releases", false, gate_a10},
    {"A11", "commands of others change nothing", false, gate_a11},
    {"A12", "old sequence numbers are refused", false, gate_a12},
    {"A13", "broken JSON and missing fields", false, gate_a13},
    {"A14", "backpressure: each answered once, retry works", false, gate_a14},
    {"A15", "every error condition has its code", false, gate_a15},
    {"A16", "a failed place leaves the state", true, gate_a16},
    {"A17", "restart returns to a playable episode", false, gate_a17},
    {"A18", "a seed fixes pieces and hashes", false, gate_a18},
    {"A19", "a reported seed yields the same pieces", false, gate_a19},
    {"A20", "apply, tick, emit", false, gate_a20},
    {"A21", "pause", false, gate_a21},
    {"A22", "game over", false, gate_a22},
    {"A23", "control passes on, every time", false, gate_a23},
    {"A24", "reconnects", false, gate_a24},
    {"A25", "3 x 10 rounds", false, gate_a25},
    {"A26", "3 x 50 rounds", false, gate_a26},
    {"A27", "200 rounds in one process", false, gate_a27},
    {"A28", "what matters is shown in its step", true, gate_a28},
    {"A29", "simple clients, often", false, gate_a29},
    {"A30", "other simple clients, in random order", false, gate_a30},
    {"A31", "left alone", true, gate_a31},
    {"A32", "32 observers, one of them deaf", false, gate_a32},
    {"A33", "storms and floods", false, gate_a33},
    {"A34", "length and encoding of lines", false, gate_a34},
    {"A35", "the reference game, step by step", true, gate_a35},
    {"A36", "lock-step", true, gate_a36},
    {"A37", "protocol 3.0.0 beside 2.x", true, gate_a37},
    {0},
};

static const char not_run_mark[] = "";

const char *because(struct adapter_check *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->why, sizeof c->why, format, args);
    va_end(args);
    return c->why;
}

// The reason is kept in why; the mark says that it is none of a failure.
const char *not_run(struct adapter_check *c, const char *why)
{
    because(c, "%s", why);
    return not_run_mark;
}

bool adapter_meet(struct adapter_check *c, struct dialog *d, const char *role, bool lockstep)
{
    if (!dialog_open(d, &c->target))
        return false;
    if (strcmp(dialog_hello(d, &c->target, role, true, lockstep), "welcome") == 0)
        return true;
    dialog_close(d);
    return false;
}

// 2.1.0 first, then 3.0.0.
static bool introduce(struct adapter_check *c)
{
    static const char *const versions[] = {"2.1.0", "3.0.0"};
    for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct dialog d;
        c->target.version = versions[i];
        if (!dialog_open(&d, &c->target)) {
            because(c, "nobody listens at %s:%u", c->target.host, c->target.port);
            return false;
        }
        bool welcome = strcmp(dialog_hello(&d, &c->target, "observer", false, false), "welcome") == 0;
        c->welcome = d.welcome;
        dialog_close(&d);
        if (welcome)
            return true;
    }
    because(c, "the adapter accepts neither 2.1.0 nor 3.0.0");
    return false;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool is_asked(const char *only, const char *id)
{
    size_t size = strlen(id);
    for (const char *at = only; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, id, size) == 0 && (at[size] == ',' || at[size] == 0))
            return true;
    return only == NULL;
}

static void run_gate(struct adapter_check *c, const struct adapter_gate *g, struct gate_result *r)
{
    double begin = seconds_now();
    c->why[0] = 0;
    const char *why = !is_asked(c->options.only, g->id) ? not_run(c, "not asked for")
                      : g->own && !c->own               ? not_run(c, "only for agon's own adapter")
                                                        : g->run(c);
    r->verdict = !why ? GATE_PASS : why == not_run_mark ? GATE_NOT_RUN : GATE_FAIL;
    r->seconds = seconds_now() - begin;
    memcpy(r->why, r->verdict == GATE_PASS ? "" : c->why, r->verdict == GATE_PASS ? 1 : sizeof r->why);
}

bool adapter_check_run(struct adapter_check *c, const struct adapter_check_options *o,
                       struct gate_result results[ADAPTER_MAX_GATES])
{
    *c = (struct adapter_check){.options = *o, .target = {.host = o->host, .port = o->port}};
    if (!introduce(c))
        return false;
    c->own = strcmp(c->welcome.game_id, "agon-tetris") == 0;
    c->lockstep = c->own || c->welcome.lockstep;
    c->box = strcmp(c->welcome.coordinates, "cells") != 0;
    for (int i = 0; adapter_gates[i].id; i++) {
        run_gate(c, &adapter_gates[i], &results[i]);
        if (o->on_gate)
            o->on_gate(o->owner, &adapter_gates[i], &results[i]);
    }
    return true;
}

bool adapter_check_passed(const struct gate_result results[ADAPTER_MAX_GATES])
{
    for (int i = 0; adapter_gates[i].id; i++)
        if (results[i].verdict == GATE_FAIL)
            return false;
    return true;
}

// --- the report (T4.2)

static enum gate_verdict verdict_of(const struct gate_result *results, int first, int last)
{
    enum gate_verdict worst = GATE_NOT_RUN;
    for (int i = first; i <= last; i++)
        worst = gate_worst(worst, results[i - 1].verdict);
    return worst;
}

static void put_line(struct text *t, const char *what, enum gate_verdict v, const char *gates)
{
    text_puts(t, "- ");
    text_puts(t, what);
    text_puts(t, ": ");
    text_puts(t, gate_mark(v));
    text_puts(t, "  (");
    text_puts(t, gates);
    text_puts(t, ")\n");
}

static void put_others(struct text *t, const struct gate_result *results)
{
    static const int named[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 17, 23, 25, 26, 27};
    text_puts(t, "- Other gates:");
    for (int i = 0; adapter_gates[i].id; i++) {
        bool told = false;
        for (unsigned k = 0; k < sizeof named / sizeof *named; k++)
            told |= named[k] == i + 1;
        if (told)
            continue;
        text_put_char(t, ' ');
        text_puts(t, adapter_gates[i].id);
        text_put_char(t, ' ');
        text_puts(t, gate_mark(results[i].verdict));
    }
    text_put_char(t, '\n');
}

static void put_head(struct text *t, const struct adapter_check *c)
{
    struct utsname machine;
    uname(&machine);
    const char *const pairs[][2] = {
        {"- Game: ", c->welcome.game_id}, {"\n- Commit/tag: ", c->options.commit ? c->options.commit : "not told"},
        {"\n- OS: ", machine.sysname},    {" ", machine.release},
        {", ", machine.machine},          {"\n- Bind: ", c->target.host},
    };
    text_puts(t, "### Adapter under test\n");
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        text_puts(t, pairs[i][0]);
        text_puts(t, pairs[i][1]);
    }
    text_put_char(t, ':');
    text_put_uint(t, c->target.port);
    const char *const more[][2] = {{"\n- Protocol: ", c->welcome.protocol_version},
                                   {"   Ruleset: ", c->welcome.ruleset},
                                   {"  Coordinates: ", c->welcome.coordinates},
                                   {"  Hash: ", c->welcome.hash}};
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++) {
        text_puts(t, more[i][0]);
        text_puts(t, more[i][1][0] ? more[i][1] : "not told");
    }
    text_puts(t, "\n\n### Checklist (pass/fail)\n");
}

void adapter_report_text(struct text *t, const struct adapter_check *c, const struct gate_result *results)
{
    put_head(t, c);
    put_line(t, "Handshake ordering", verdict_of(results, 1, 1), "A1");
    put_line(t, "Protocol mismatch error", verdict_of(results, 2, 2), "A2");
    put_line(t, "welcome capabilities truthful", verdict_of(results, 3, 3), "A3");
    put_line(t, "Observation required fields", verdict_of(results, 4, 7), "A4-A7");
    put_line(t, "restart returns to playable", verdict_of(results, 17, 17), "A17");
    put_line(t, "3\u00d710 stability", verdict_of(results, 25, 25), "A25");
    put_line(t, "3\u00d750 stability", verdict_of(results, 26, 26), "A26");
    put_line(t, "200-round run", verdict_of(results, 27, 27), "A27");
    put_line(t, "Backpressure behavior", verdict_of(results, 14, 14), "A14");
    put_line(t, "Controller/observer enforcement", gate_worst(verdict_of(results, 8, 11), verdict_of(results, 23, 23)),
             "A8-A11, A23");
    put_others(t, results);
    for (int i = 0; adapter_gates[i].id; i++)
        if (results[i].verdict == GATE_FAIL) {
            text_puts(t, "  ");
            text_puts(t, adapter_gates[i].id);
            text_puts(t, ": ");
            text_puts(t, results[i].why);
            text_put_char(t, '\n');
        }
    text_puts(t, "\n### Artifacts\n- Progress logs: standard error\n- IO logs: none\n- Crash logs (if any): none\n");
}

void adapter_report_json(struct text *t, const struct adapter_check *c, const struct gate_result *results)
{
    json_begin_object(t);
    json_put_text(t, "game_id", c->welcome.game_id);
    json_put_text(t, "protocol_version", c->welcome.protocol_version);
    json_put_bool(t, "passed", adapter_check_passed(results));
    json_key(t, "gates");
    json_begin_array(t);
    for (int i = 0; adapter_gates[i].id; i++) {
        json_begin_object(t);
        json_put_text(t, "id", adapter_gates[i].id);
        json_put_text(t, "title", adapter_gates[i].title);
        json_put_text(t, "verdict", gate_word(results[i].verdict));
        json_put_decimal(t, "seconds", results[i].seconds, 3);
        if (results[i].why[0])
            json_put_text(t, "why", results[i].why);
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
    text_put_char(t, '\n');
}

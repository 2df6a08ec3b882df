#include "verify/adapter_gates.h"

#include "base/json_write.h"
#include "games/tetris/rules/tetris.h"
#include "net/loop.h"

#include <stdarg.h>
#include <string.h>
#include <sys/utsname.h>

static const struct adapter_gate adapter_gates[] = {
    {"A1", "nothing but hello is heard before hello", false, gate_a1},
    {"A2", "other protocol versions are refused and closed", false, gate_a2},
    {"A3", "welcome is complete and features_always is true", false, gate_a3},
    {"A4", "the first observation is a full snapshot", false, gate_a4},
    {"A5", "every observation has the required fields", false, gate_a5},
    {"A6", "board, queue and next are consistent", false, gate_a6},
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

void adapter_skip(struct adapter_check *c, const char *why)
{
    snprintf(c->why, sizeof c->why, "%s", why);
}

bool adapter_assert(struct adapter_check *c, const struct client *d, enum adapter_assertion id, bool holds,
                    const char *format, ...)
{
    char why[ASSERTION_WHY];
    if (adapter_assertions[id].own && !c->own)
        return true;
    if (holds)
        return assertion_note(&c->assertions, (int)id, true, "");
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    size_t size = strlen(why);
    if (d)
        snprintf(why + size, sizeof why - size, "; sent %s; received %s", d->sent[0] ? d->sent : "nothing",
                 d->received[0] ? d->received : "nothing");
    return assertion_note(&c->assertions, (int)id, false, why);
}

bool adapter_expect(struct adapter_check *c, const struct client *d, enum adapter_assertion id, const char *got,
                    const char *wanted)
{
    if (d && d->odd_code) // a failed assertion of its own
        return false;
    return adapter_assert(c, d, id, strcmp(got, wanted) == 0, "%s expected, but it is %s", wanted, got);
}

int adapter_middle_x(const struct adapter_check *c, const struct client *d)
{
    return 3 + (c->box || !d->now.kind ? 0 : tetris_left(d->now.kind, TETRIS_NORTH));
}

bool adapter_connect(struct adapter_check *c, struct client *d, const char *role, bool lockstep)
{
    bool open = client_open(d, &c->target);
    const char *got = open ? client_hello(d, &c->target, role, true, lockstep) : "no connection";
    if (adapter_expect(c, d, MUST_WELCOME_COMES, got, "welcome"))
        return true;
    c->stopped_by = MUST_WELCOME_COMES;
    client_close(d);
    return false;
}

static bool run_scene(struct adapter_check *c, struct client *d, adapter_scene *scene)
{
    NEED(MUST_CONTROL_FREE, strcmp(d->welcome.role, "controller") == 0, "the role is %s; is another client in control?",
         d->welcome.role);
    NEED(MUST_OBSERVATION_STREAM, client_until(d, want_any, 0, CLIENT_WAIT_MS), "no observation within 2 s");
    return scene(c, d);
}

void adapter_run_scene(struct adapter_check *c, bool lockstep, adapter_scene *scene)
{
    struct client d;
    if (!adapter_connect(c, &d, "controller", lockstep))
        return;
    run_scene(c, &d, scene);
    client_close(&d);
}

bool adapter_act(struct adapter_check *c, struct client *d, const char *action)
{
    EXPECT(MUST_COMMAND_ACK, client_act(d, action), "ack");
    return true;
}

static bool is_empty(const struct server_observation *o)
{
    for (int i = 0; i < SERVER_CELLS; i++)
        if (o->cells[i])
            return false;
    return true;
}

bool adapter_restart(struct adapter_check *c, struct client *d, const uint64_t *seed, enum adapter_assertion id)
{
    uint64_t before = d->now.episode_id;
    EXPECT(MUST_RESTART_ACK, seed ? client_restart(d, *seed) : client_act(d, "restart"), "ack");
    NEED(id, client_until(d, want_episode_after, before, CLIENT_WAIT_MS),
         "no observation after episode %llu within 2 s", (unsigned long long)before);
    if (!c->own) // the standard allows 2 s, T3.38 no time at all
        client_until(d, want_playable_after, before, CLIENT_WAIT_MS);
    NEED(MUST_RESTART_PLAYABLE, d->now.playable && !d->now.paused && !d->now.game_over,
         "the first observation of a new episode is not playable");
    adapter_assert(c, d, MUST_RESTART_BOARD, is_empty(&d->now), "the board of a new episode has filled cells");
    if (seed)
        adapter_assert(c, d, MUST_SEED_REPORTED, d->now.seed == *seed, "seed %llu asked, %llu reported",
                       (unsigned long long)*seed, (unsigned long long)d->now.seed);
    return true;
}

// Tries 2.1.0 first, then 3.0.0.
static bool find_version(struct adapter_check *c)
{
    static const char *const versions[] = {"2.1.0", "3.0.0"};
    for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct client d;
        c->target.version = versions[i];
        if (!client_open(&d, &c->target)) {
            snprintf(c->why, sizeof c->why, "cannot connect to %s:%u", c->target.host, c->target.port);
            return false;
        }
        bool welcome = strcmp(client_hello(&d, &c->target, "observer", false, false), "welcome") == 0;
        c->welcome = d.welcome;
        client_close(&d);
        if (welcome)
            return true;
    }
    snprintf(c->why, sizeof c->why, "the adapter accepts neither 2.1.0 nor 3.0.0");
    return false;
}

static void run_gate(struct adapter_check *c, const struct adapter_gate *g, struct gate_result *r)
{
    double begin = loop_now_seconds();
    c->why[0] = 0;
    c->stopped_by = -1;
    bool asked = gate_is_asked(c->options.only, g->id);
    if (!asked)
        adapter_skip(c, "not asked for");
    else if (g->own && !c->own)
        adapter_skip(c, "only for agon's own adapter");
    else
        g->run(c);
    if (c->stopped_by >= 0)
        snprintf(c->why, sizeof c->why, "stopped by %s", adapter_assertions[c->stopped_by].name);
    r->verdict = c->why[0] ? GATE_NOT_RUN : GATE_PASS;
    r->seconds = loop_now_seconds() - begin;
    memcpy(r->why, c->why, sizeof r->why);
}

// A gate fails if any of its assertions failed, in whichever gate that was seen.
static void judge_gate(const struct adapter_check *c, const struct adapter_gate *g, struct gate_result *r)
{
    for (int i = 0; i < ADAPTER_ASSERTIONS; i++)
        if (strcmp(adapter_assertions[i].gate, g->id) == 0 && c->outcomes[i].verdict == GATE_FAIL) {
            r->verdict = GATE_FAIL;
            snprintf(r->why, sizeof r->why, "%s: %.150s", adapter_assertions[i].name, c->outcomes[i].why);
            return;
        }
}

bool adapter_check_run(struct adapter_check *c, const struct adapter_check_options *o,
                       struct gate_result results[ADAPTER_MAX_GATES])
{
    *c = (struct adapter_check){
        .options = *o,
        .target = {.host = o->host, .port = o->port, .watch = adapter_check_line, .owner = c, .patience = o->patience}};
    c->assertions = (struct assertions){adapter_assertions, c->outcomes, ADAPTER_ASSERTIONS};
    if (!find_version(c))
        return false;
    c->own = strcmp(c->welcome.game_id, "agon-tetris") == 0;
    c->lockstep = c->own || c->welcome.lockstep;
    c->box = strcmp(c->welcome.coordinates, "cells") != 0;
    for (int i = 0; adapter_gates[i].id; i++) {
        run_gate(c, &adapter_gates[i], &results[i]);
        judge_gate(c, &adapter_gates[i], &results[i]);
        if (o->on_gate)
            o->on_gate(o->owner, &adapter_gates[i], &results[i]);
    }
    for (int i = 0; adapter_gates[i].id; i++) // a later gate may have seen an assertion of an earlier one fail
        judge_gate(c, &adapter_gates[i], &results[i]);
    return true;
}

bool adapter_check_passed(const struct adapter_check *c)
{
    return assertions_failed(&c->assertions) == 0;
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
        bool listed = false;
        for (unsigned k = 0; k < sizeof named / sizeof *named; k++)
            listed |= named[k] == i + 1;
        if (listed)
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
    assertion_write_failures(t, &c->assertions);
    text_puts(t, "\n### Artifacts\n- Progress logs: standard error\n- IO logs: none\n- Crash logs (if any): none\n");
}

void adapter_report_json(struct text *t, const struct adapter_check *c, const struct gate_result *results)
{
    json_begin_object(t);
    json_put_text(t, "game_id", c->welcome.game_id);
    json_put_text(t, "protocol_version", c->welcome.protocol_version);
    json_put_bool(t, "passed", adapter_check_passed(c));
    json_begin_array_at(t, "gates");
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
    assertion_put_results(t, &c->assertions);
    json_end_object(t);
    text_put_char(t, '\n');
}

// Gates about what is said: handshake, roles, sequence numbers, errors, lines (A1-A16, A34).
#include "judge/adapter_gates.h"

#include <stdlib.h>
#include <string.h>

#define EXPECT(got, wanted)                                                                                            \
    do {                                                                                                               \
        const char *got_ = (got);                                                                                      \
        if (strcmp(got_, wanted) != 0)                                                                                 \
            return because(c, "%s gave %s, not %s", #got, got_, wanted);                                               \
    } while (0)

const char *gate_a1(struct adapter_check *c)
{
    struct dialog d;
    if (!dialog_open(&d, &c->target))
        return because(c, "no connection");
    const char *command = dialog_ask(&d, 41, "\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[]");
    const char *control = dialog_ask(&d, 42, "\"type\":\"control\",\"ts\":0,\"action\":\"claim\"");
    bool right = strcmp(command, "handshake_required") == 0 && strcmp(control, "handshake_required") == 0;
    dialog_close(&d);
    return right ? NULL : because(c, "before hello a command got %s and a control %s", command, control);
}

// What a hello of this version comes to: "welcome", or the code, with a check that a refusal closes.
static const char *try_version(struct adapter_check *c, const char *version, bool *closed, uint64_t *seq)
{
    struct dialog d;
    struct dialog_target t = c->target;
    t.version = version;
    if (!dialog_open(&d, &t))
        return "no connection";
    const char *got = dialog_hello(&d, &t, "observer", false, false);
    *seq = d.last.seq;
    *closed = strcmp(got, "welcome") != 0 && dialog_is_closed(&d, DIALOG_WAIT_MS);
    static char kept[PEER_TEXT];
    strncpy(kept, got, sizeof kept - 1);
    dialog_close(&d);
    return kept;
}

const char *gate_a2(struct adapter_check *c)
{
    bool third = c->target.version[0] == '3', closed;
    uint64_t seq;
    static const char *const refused[] = {"1.0.0", "2", "2.1", "3.0.0"}, *const taken[] = {"2.0.0", "2.1.0", "2.9.9"};
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *got = try_version(c, refused[i], &closed, &seq);
        if (strcmp(refused[i], "3.0.0") == 0 && strcmp(got, "welcome") == 0)
            continue; // an adapter of 3.x: that case is not for it
        if (strcmp(got, "protocol_mismatch") != 0 || !closed || seq != 1)
            return because(c, "hello %s: %s, seq %llu, %s", refused[i], got, (unsigned long long)seq,
                           closed ? "closed" : "open");
    }
    for (unsigned i = 0; !third && i < sizeof taken / sizeof *taken; i++) {
        const char *got = try_version(c, taken[i], &closed, &seq);
        if (strcmp(got, "welcome") != 0)
            return because(c, "hello %s: %s", taken[i], got);
    }
    return NULL;
}

const char *gate_a3(struct adapter_check *c)
{
    uint32_t missing = WELCOME_ALL & ~c->welcome.fields;
    if (missing)
        return because(c, "welcome lacks fields (mask %x)", missing);
    if (c->own && (!c->welcome.ruleset[0] || !c->welcome.coordinates[0] || !c->welcome.clock[0] || !c->welcome.hash[0]))
        return because(c, "welcome lacks ruleset, coordinates, clock or hash");
    struct dialog d;
    if (!adapter_meet(c, &d, "observer", false))
        return because(c, "no welcome");
    const char *why = NULL;
    for (int i = 0; i < 20 && !why; i++) {
        if (!dialog_observe(&d, DIALOG_WAIT_MS))
            why = because(c, "no observation within 2 s");
        else if (c->welcome.always & ~d.now.fields)
            why = because(c, "features_always names what an observation lacks (mask %x)",
                          c->welcome.always & ~d.now.fields);
    }
    dialog_close(&d);
    return why;
}

static const char *look_complete(struct adapter_check *c, const struct dialog *d)
{
    const struct peer_observation *o = &d->now;
    if (d->wrong)
        return because(c, "a message is not as the standard has it: %s", d->wrong);
    if (ADAPTER_REQUIRED & ~o->fields)
        return because(c, "an observation lacks required fields (mask %x)", ADAPTER_REQUIRED & ~o->fields);
    if (o->playable && !(o->fields & PEER_ACTIVE))
        return because(c, "playable without an active piece");
    if (o->next != o->queue[0])
        return because(c, "next is not the first of next_queue");
    return NULL;
}

const char *gate_a4(struct adapter_check *c)
{
    struct dialog d;
    if (!adapter_meet(c, &d, "observer", false))
        return because(c, "no welcome");
    const char *why =
        !dialog_until(&d, want_any, 0, DIALOG_WAIT_MS) ? because(c, "no observation within 2 s") : look_complete(c, &d);
    dialog_close(&d);
    return why;
}

const char *gate_a5(struct adapter_check *c)
{
    struct dialog d;
    const char *why = NULL;
    if (!adapter_meet(c, &d, "auto", false))
        return because(c, "no welcome");
    for (int i = 0; i < 40 && !why; i++) {
        if (i % 4 == 0)
            dialog_act(&d, i % 8 ? "moveLeft" : "hardDrop");
        why = !dialog_observe(&d, DIALOG_WAIT_MS) ? because(c, "no observation within 2 s") : look_complete(c, &d);
    }
    dialog_close(&d);
    return why;
}

const char *gate_a7(struct adapter_check *c)
{
    static const char *const inputs[] = {"moveLeft", "moveRight", "rotateCw", "rotateCcw",
                                         "softDrop", "hardDrop",  "hold"};
    struct dialog d;
    const char *why = NULL;
    uint32_t dice = 1;
    if (!adapter_meet(c, &d, "controller", c->lockstep))
        return because(c, "no welcome");
    int steps = c->lockstep ? 10000 : 600; // without lock-step every step costs real time
    for (int i = 0; i < steps && !why; i++) {
        dice = dice * 1664525 + 1013904223;
        const char *got =
            d.now.game_over && d.observations ? dialog_restart(&d, dice) : dialog_act(&d, inputs[(dice >> 16) % 7]);
        if (strcmp(got, "ack") != 0 && strcmp(got, "backpressure") != 0)
            why = because(c, "step %d: %s", i, got);
        else if (c->lockstep && !dialog_until(&d, want_step, d.last.ack.applied_step, DIALOG_WAIT_MS))
            why = because(c, "step %d: no observation", i);
        else if (d.observations)
            why = look_complete(c, &d);
    }
    dialog_close(&d);
    return why;
}

// --- roles

// Two clients: the first in control, the second as `role`.
static const char *meet_two(struct adapter_check *c, struct dialog *first, struct dialog *second, const char *role)
{
    if (!adapter_meet(c, first, "controller", false))
        return because(c, "no welcome for the first client");
    if (strcmp(first->welcome.role, "controller") != 0) {
        dialog_close(first);
        return because(c, "the first client is %s; is somebody else in control?", first->welcome.role);
    }
    if (!adapter_meet(c, second, role, false)) {
        dialog_close(first);
        return because(c, "no welcome for the second client");
    }
    return NULL;
}

static void part(struct dialog *first, struct dialog *second)
{
    dialog_close(first);
    dialog_close(second);
}

static const char *watch_observer(struct adapter_check *c, struct dialog *first, struct dialog *second)
{
    if (strcmp(second->welcome.role, "observer") != 0)
        return because(c, "role observer was welcomed as %s", second->welcome.role);
    dialog_close(first); // nobody else is there to be promoted
    dialog_observe(second, 300);
    dialog_observe(second, 300);
    const char *got = dialog_act(second, NULL);
    return strcmp(got, "not_controller") == 0
               ? NULL
               : because(c, "after the controller left, an observer's command got %s", got);
}

const char *gate_a8(struct adapter_check *c)
{
    struct dialog first, second;
    const char *why = meet_two(c, &first, &second, "observer");
    if (why)
        return why;
    why = watch_observer(c, &first, &second);
    part(&first, &second);
    return why;
}

static const char *claims(struct adapter_check *c, struct dialog *first, struct dialog *second)
{
    for (int i = 0; i < 3; i++)
        EXPECT(dialog_control(first, "claim"), "ack");
    EXPECT(dialog_control(second, "claim"), "controller_active");
    if (c->own && second->last.error.controller_id != first->welcome.client_id)
        return because(c, "controller_active names %llu", (unsigned long long)second->last.error.controller_id);
    return NULL;
}

const char *gate_a9(struct adapter_check *c)
{
    struct dialog first, second;
    const char *why = meet_two(c, &first, &second, "auto");
    if (why)
        return why;
    why = claims(c, &first, &second);
    part(&first, &second);
    return why;
}

static const char *releases(struct adapter_check *c, struct dialog *first, struct dialog *second)
{
    EXPECT(dialog_control(second, "release"), "not_controller");
    EXPECT(dialog_control(first, "release"), "ack");
    EXPECT(dialog_act(first, NULL), "not_controller");
    EXPECT(dialog_control(first, "claim"), "ack");
    EXPECT(dialog_act(first, NULL), "ack");
    return NULL;
}

const char *gate_a10(struct adapter_check *c)
{
    struct dialog first, second;
    const char *why = meet_two(c, &first, &second, "observer");
    if (why)
        return why;
    why = releases(c, &first, &second);
    part(&first, &second);
    return why;
}

static const char *commands_of_others(struct adapter_check *c, struct dialog *first, struct dialog *second)
{
    EXPECT(dialog_act(first, "pause"), "ack"); // so that nothing changes by itself
    if (!dialog_until(second, want_paused, 1, DIALOG_WAIT_MS))
        return because(c, "no observation of the pause");
    char before[PEER_TEXT];
    memcpy(before, second->now.state_hash, sizeof before);
    EXPECT(dialog_act(second, "hardDrop"), "not_controller");
    EXPECT(dialog_place(second, 0, 0, false), "not_controller");
    dialog_observe(second, DIALOG_WAIT_MS);
    bool same = strcmp(before, second->now.state_hash) == 0;
    EXPECT(dialog_act(first, "pause"), "ack");
    return same ? NULL : because(c, "the state changed");
}

const char *gate_a11(struct adapter_check *c)
{
    struct dialog first, second;
    const char *why = meet_two(c, &first, &second, "observer");
    if (why)
        return why;
    why = commands_of_others(c, &first, &second);
    part(&first, &second);
    return why;
}

// --- sequence numbers and errors

static const char *sequence(struct adapter_check *c, struct dialog *d)
{
    static const char drop[] = "\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[\"pause\"]";
    static const char none[] = "\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[]";
    EXPECT(dialog_ask(d, 10, "%s", none), "ack");
    EXPECT(dialog_ask(d, 10, "%s", drop), "invalid_command");
    EXPECT(dialog_ask(d, 9, "%s", drop), "invalid_command");
    EXPECT(dialog_ask(d, 11, "%s", none), "ack");
    dialog_observe(d, DIALOG_WAIT_MS);
    return d->now.paused ? because(c, "a message with an old seq was applied") : NULL;
}

static const char *broken(struct adapter_check *c, struct dialog *d)
{
    static const char *const lines[] = {
        "{\"type\":\"command\",\"seq\":%d,",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0}",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"action\"}",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"actions\":[]}",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"place\",\"place\":{\"x\":1,\"rotation\":\"north\"}}",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"place\",\"place\":{\"x\":1,\"useHold\":false}}",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"place\",\"place\":{\"useHold\":true}}",
        "{\"type\":\"control\",\"seq\":%d,\"ts\":0}",
    };
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[256];
        int seq = 100 + (int)i;
        snprintf(line, sizeof line, lines[i], seq);
        dialog_say(d, "%s", line);
        dialog_skip_stream(d);
        if (d->last.type != PEER_ERROR || strcmp(d->last.error.code, "invalid_command") != 0)
            return because(c, "no invalid_command for %s", line);
    }
    return NULL;
}

static const char *with_controller(struct adapter_check *c, bool lockstep,
                                   const char *(*run)(struct adapter_check *, struct dialog *))
{
    struct dialog d;
    if (!adapter_meet(c, &d, "controller", lockstep))
        return because(c, "no welcome");
    const char *why =
        strcmp(d.welcome.role, "controller") == 0 ? run(c, &d) : because(c, "not in control: %s", d.welcome.role);
    dialog_close(&d);
    return why;
}

const char *gate_a12(struct adapter_check *c)
{
    return with_controller(c, false, sequence);
}

const char *gate_a13(struct adapter_check *c)
{
    return with_controller(c, false, broken);
}

static const char *burst(struct adapter_check *c, struct dialog *d)
{
    enum { COUNT = 30 };
    char lines[COUNT * 96];
    size_t size = 0;
    int acks = 0, pushed = 0;
    for (int i = 0; i < COUNT; i++)
        size += (size_t)snprintf(
            lines + size, sizeof lines - size,
            "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"action\",\"actions\":[\"moveLeft\"]}\n", 2 + i);
    line_client_send(&d->line, (struct span){lines, size});
    int64_t until = dialog_now_ms() + 2 * DIALOG_WAIT_MS;
    for (uint64_t seen = 0; acks + pushed < COUNT;) {
        if (!dialog_read(d, DIALOG_WAIT_MS) || dialog_now_ms() > until) // the stream goes on all the while
            return because(c, "only %d of %d commands were answered", acks + pushed, COUNT);
        if (d->last.type == PEER_OBSERVATION)
            continue;
        uint64_t bit = d->last.seq >= 2 && d->last.seq < 2 + COUNT ? (uint64_t)1 << d->last.seq : 0;
        if (!bit || seen & bit)
            return because(c, "seq %llu was answered twice or never sent", (unsigned long long)d->last.seq);
        seen |= bit;
        bool full = d->last.type == PEER_ERROR && strcmp(d->last.error.code, "backpressure") == 0;
        if (full && d->last.error.retry_after_ms < 1)
            return because(c, "backpressure without retry_after_ms");
        pushed += full;
        acks += !full;
    }
    if (pushed == 0)
        return not_run(c, "a queue of 30 commands does not fill it");
    if (!dialog_observe(d, DIALOG_WAIT_MS))
        return because(c, "the stream stopped");
    d->seq = 2 + COUNT;
    EXPECT(dialog_act(d, "moveLeft"), "ack");
    return NULL;
}

const char *gate_a14(struct adapter_check *c)
{
    return with_controller(c, false, burst);
}

// A hello in the middle of a conversation.
#define AGAIN                                                                                                          \
    "\"type\":\"hello\",\"ts\":0,\"client\":{\"name\":\"a\",\"version\":\"1\"},\"protocol_version\":\"2.1.0\","        \
    "\"formats\":[\"json\"],\"requested\":{\"stream_observations\":true,\"command_mode\":\"place\"}"

// Each condition once; what the controller itself can provoke.
static const char *provoke(struct adapter_check *c, struct dialog *d)
{
    static const struct {
        const char *members, *code;
    } cases[] = {
        {"\"type\":\"dance\",\"ts\":0", "invalid_command"},
        {"\"type\":\"command\",\"ts\":0,\"mode\":\"fly\",\"actions\":[]", "invalid_command"},
        {"\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[\"spin\"]", "invalid_command"},
        {"\"type\":\"control\",\"ts\":0,\"action\":\"grab\"", "invalid_command"},
        {AGAIN, "invalid_command"},
        {"\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[\"hold\"],\"restart\":{\"seed\":1}",
         "invalid_command"},
        {"\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[\"restart\"],\"restart\":{\"seed\":-1}",
         "invalid_command"},
        {"\"type\":\"command\",\"ts\":0,\"mode\":\"place\"", "invalid_place"},
        {"\"type\":\"command\",\"ts\":0,\"mode\":\"place\",\"place\":{\"x\":99,\"rotation\":\"north\",\"useHold\":"
         "false}",
         "invalid_place"},
        {"\"type\":\"command\",\"ts\":0,\"mode\":\"place\",\"place\":{\"x\":0,\"rotation\":\"up\",\"useHold\":false}",
         "invalid_place"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = dialog_ask(d, ++d->seq, "%s", cases[i].members);
        bool lenient = !c->own && strcmp(got, "invalid_command") == 0; // which of the two is told apart by ours alone
        if (strcmp(got, cases[i].code) != 0 && !lenient)
            return because(c, "{%.60s...} got %s, not %s", cases[i].members, got, cases[i].code);
    }
    EXPECT(dialog_restart(d, 7), "ack");
    EXPECT(dialog_act(d, "hold"), "ack");
    EXPECT(dialog_place(d, 3, 0, true), "hold_unavailable");
    return NULL;
}

const char *gate_a15(struct adapter_check *c)
{
    return with_controller(c, false, provoke);
}

static const char *failed_place(struct adapter_check *c, struct dialog *d)
{
    EXPECT(dialog_restart(d, 5), "ack");
    char before[PEER_TEXT];
    EXPECT(dialog_act(d, NULL), "ack");
    uint64_t step = d->last.ack.applied_step;
    memcpy(before, d->last.ack.state_hash, sizeof before);
    EXPECT(dialog_place(d, 9, 0, true), "invalid_place");
    EXPECT(dialog_act(d, NULL), "ack");
    if (d->last.ack.applied_step != step + 1)
        return because(c, "time passed for a refused place");
    dialog_until(d, want_step, step + 1, DIALOG_WAIT_MS);
    return d->now.hold == 0 && d->now.can_hold && strcmp(before, d->now.state_hash) != 0
               ? NULL
               : because(c, "the refused place changed the state");
}

const char *gate_a16(struct adapter_check *c)
{
    return c->lockstep ? with_controller(c, true, failed_place) : not_run(c, "no lock-step");
}

// --- lines (A34)

static const char *say_long(struct adapter_check *c, size_t size, const char *wanted, uint64_t seq)
{
    static const char start[] = "{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"claim\",\"x\":\"",
                      end[] = "\"}\n";
    struct dialog d;
    if (!adapter_meet(c, &d, "controller", false))
        return because(c, "no welcome");
    char *line = malloc(size + 1);
    if (!line) {
        dialog_close(&d);
        return because(c, "no memory");
    }
    memset(line, 'a', size + 1);
    memcpy(line, start, sizeof start - 1);
    memcpy(line + size + 1 - (sizeof end - 1), end, sizeof end - 1);
    line_client_send(&d.line, (struct span){line, size + 1});
    free(line);
    const char *got = dialog_answer(&d, seq, DIALOG_WAIT_MS);
    const char *why = strcmp(got, wanted) == 0 ? NULL : because(c, "a line of %zu bytes got %s", size, got);
    dialog_close(&d);
    return why;
}

const char *gate_a34(struct adapter_check *c)
{
    const char *why = say_long(c, 65536, "ack", 2);
    if (!why && c->own)
        why = say_long(c, 65537, "invalid_command", 0);
    if (why)
        return why;
    struct dialog d;
    if (!adapter_meet(c, &d, "auto", false))
        return because(c, "no welcome");
    line_client_send(&d.line, SPAN("{\"type\":\"\xff\xfe\"}\n"));
    dialog_skip_stream(&d);
    bool refused = d.last.type == PEER_ERROR;
    dialog_close(&d);
    if (!refused)
        return because(c, "invalid UTF-8 was not refused");
    if (!adapter_meet(c, &d, "observer", false))
        return because(c, "the adapter does not answer any more");
    dialog_close(&d);
    return NULL;
}

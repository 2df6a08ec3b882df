// Gates about messages: handshake, roles, sequence numbers, errors, lines (A1-A16, A34).
#include "net/loop.h"
#include "verify/adapter_gates.h"

#include <stdlib.h>

typedef unsigned long long ull;

// --- handshake (A1, A2)

void gate_a1(struct adapter_check *c)
{
    struct client d;
    if (!adapter_assert(c, NULL, MUST_WELCOME_COMES, client_open(&d, &c->target), "no connection"))
        return;
    adapter_expect(c, &d, MUST_HANDSHAKE_COMMAND,
                   client_ask(&d, 41, "\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[]"),
                   "handshake_required");
    adapter_expect(c, &d, MUST_HANDSHAKE_CONTROL,
                   client_ask(&d, 42, "\"type\":\"control\",\"ts\":0,\"action\":\"claim\""), "handshake_required");
    client_close(&d);
}

static void check_refused(struct adapter_check *c, const char *version)
{
    struct client d;
    struct client_target t = c->target;
    t.version = version;
    if (!adapter_assert(c, NULL, MUST_WELCOME_COMES, client_open(&d, &t), "no connection"))
        return;
    const char *got = client_hello(&d, &t, "observer", false, false);
    // An adapter of 3.x, to which this does not apply.
    bool third = strcmp(version, "3.0.0") == 0 && strcmp(got, "welcome") == 0;
    if (!third && adapter_expect(c, &d, MUST_VERSION_REFUSED, got, "protocol_mismatch"))
        adapter_assert(c, &d, MUST_VERSION_CLOSES, client_is_closed(&d, CLIENT_WAIT_MS),
                       "the connection is still open after 2 s");
    client_close(&d);
}

static void check_accepted(struct adapter_check *c, const char *version)
{
    struct client d;
    struct client_target t = c->target;
    t.version = version;
    if (!adapter_assert(c, NULL, MUST_WELCOME_COMES, client_open(&d, &t), "no connection"))
        return;
    adapter_expect(c, &d, MUST_VERSION_ACCEPTED, client_hello(&d, &t, "observer", false, false), "welcome");
    client_close(&d);
}

void gate_a2(struct adapter_check *c)
{
    static const char *const refused[] = {"1.0.0", "2", "2.1", "3.0.0"}, *const taken[] = {"2.0.0", "2.1.0", "2.9.9"};
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++)
        check_refused(c, refused[i]);
    for (unsigned i = 0; c->target.version[0] == '2' && i < sizeof taken / sizeof *taken; i++)
        check_accepted(c, taken[i]);
}

// --- welcome and observations (A3-A7); most of it is checked by the watch on every line

static bool receive_observations(struct adapter_check *c, struct client *d, int count)
{
    for (int i = 0; i < count; i++)
        NEED(MUST_OBSERVATION_STREAM, client_observe(d, CLIENT_WAIT_MS), "no observation within 2 s");
    return true;
}

// If a second client's claim is not refused, the first is not the controller.
static void claim_beside(struct adapter_check *c, struct client *d)
{
    if (!d->welcome.controller_id || strcmp(d->welcome.role, "observer") != 0)
        return;
    const char *got = client_control(d, "claim");
    adapter_assert(c, d, MUST_WELCOME_CONTROLLER_TRUE, strcmp(got, "ack") != 0,
                   "welcome.controller_id was %llu, and the claim got %s", (ull)d->welcome.controller_id, got);
    if (strcmp(got, "ack") == 0)
        client_control(d, "release");
}

static void check_welcome(struct adapter_check *c, struct client *first)
{
    struct client second, *d = &second;
    if (!adapter_connect(c, d, "observer", false))
        return;
    if (first->welcome.fields & d->welcome.fields & WELCOME_CLIENT_ID)
        adapter_assert(c, d, MUST_WELCOME_UNIQUE_ID, first->welcome.client_id != d->welcome.client_id,
                       "two clients have the client_id %llu", (ull)d->welcome.client_id);
    claim_beside(c, d);
    client_close(d);
}

void gate_a3(struct adapter_check *c)
{
    struct client d;
    if (!adapter_connect(c, &d, "observer", false))
        return;
    check_welcome(c, &d);
    receive_observations(c, &d, 4);
    client_close(&d);
}

static bool test_first_message(struct adapter_check *c, struct client *d)
{
    NEED(MUST_SNAPSHOT_FIRST, client_read(d, CLIENT_WAIT_MS), "nothing within 2 s of welcome");
    NEED(MUST_SNAPSHOT_FIRST, d->last.type == SERVER_OBSERVATION, "no observation");
    return true;
}

void gate_a4(struct adapter_check *c)
{
    struct client d;
    if (!adapter_connect(c, &d, "observer", false))
        return;
    test_first_message(c, &d);
    client_close(&d);
}

static bool move_and_drop(struct adapter_check *c, struct client *d)
{
    for (int i = 0; i < 6; i++) {
        if (!adapter_act(c, d, i % 2 ? "moveLeft" : "hardDrop") || !receive_observations(c, d, 2))
            return false;
    }
    return true;
}

// Without streaming; every line that comes unasked is checked.
static bool test_silence(struct adapter_check *c, struct client *d)
{
    EXPECT(MUST_WELCOME_COMES, client_hello(d, &c->target, "observer", false, false), "welcome");
    client_read(d, 200);
    return true;
}

void gate_a5(struct adapter_check *c)
{
    struct client d;
    adapter_run_scene(c, false, move_and_drop);
    if (!adapter_assert(c, NULL, MUST_WELCOME_COMES, client_open(&d, &c->target), "no connection"))
        return;
    test_silence(c, &d);
    client_close(&d);
}

void gate_a6(struct adapter_check *c)
{
    adapter_run_scene(c, false, move_and_drop);
}

static bool play_random_game(struct adapter_check *c, struct client *d)
{
    static const char *const inputs[] = {"moveLeft", "moveRight", "rotateCw", "rotateCcw",
                                         "softDrop", "hardDrop",  "hold"};
    uint32_t dice = 1;
    int steps = c->lockstep ? c->options.quick ? 1000 : 10000 : 600; // without lock-step every step takes real time
    for (int i = 0; i < steps; i++) {
        dice = dice * 1664525 + 1013904223;
        if (d->now.game_over) {
            if (!adapter_restart(c, d, &(uint64_t){dice}, MUST_RESTART_FROM_OVER))
                return false;
            continue;
        }
        const char *got = client_act(d, inputs[(dice >> 16) % 7]);
        if (strcmp(got, "backpressure") != 0)
            EXPECT(MUST_COMMAND_ACK, got, "ack");
        if (c->lockstep)
            NEED(MUST_LOCKSTEP_ONE, client_until(d, want_step, d->last.ack.applied_step, CLIENT_WAIT_MS),
                 "no observation of step %llu", (ull)d->last.ack.applied_step);
    }
    return true;
}

void gate_a7(struct adapter_check *c)
{
    adapter_run_scene(c, c->lockstep, play_random_game);
}

// --- roles (A8-A11)

typedef bool two_scene(struct adapter_check *c, struct client *first, struct client *second);

// Two clients: the first is the controller, the second has `role`.
static void run_two(struct adapter_check *c, const char *role, two_scene *scene)
{
    struct client first, second;
    if (!adapter_connect(c, &first, "controller", false))
        return;
    bool controls = adapter_assert(c, &first, MUST_CONTROL_FREE, strcmp(first.welcome.role, "controller") == 0,
                                   "the role is %s; is another client in control?", first.welcome.role);
    if (!controls)
        c->stopped_by = MUST_CONTROL_FREE;
    if (controls && adapter_connect(c, &second, role, false)) {
        if (strcmp(second.welcome.role, "observer") == 0 && first.welcome.fields & WELCOME_CLIENT_ID &&
            second.welcome.fields & WELCOME_CONTROLLER)
            adapter_assert(c, &second, MUST_WELCOME_CONTROLLER_TRUE,
                           second.welcome.controller_id == first.welcome.client_id, "client %llu is in control",
                           (ull)first.welcome.client_id);
        scene(c, &first, &second);
        client_close(&second);
    }
    client_close(&first);
}

static bool test_observer(struct adapter_check *c, struct client *first, struct client *d)
{
    NEED(MUST_OBSERVER_HELLO, strcmp(d->welcome.role, "controller") != 0, "the role is %s", d->welcome.role);
    client_close(first); // no other client can be promoted
    client_observe(d, 300);
    client_observe(d, 300);
    EXPECT(MUST_OBSERVER_PROMOTION, client_act(d, NULL), "not_controller");
    return true;
}

void gate_a8(struct adapter_check *c)
{
    run_two(c, "observer", test_observer);
}

static bool test_claims(struct adapter_check *c, struct client *first, struct client *second)
{
    struct client *d = first;
    for (int i = 0; i < 3; i++)
        EXPECT(MUST_CLAIM_SELF, client_control(d, "claim"), "ack");
    d = second;
    EXPECT(MUST_CLAIM_OTHER, client_control(d, "claim"), "controller_active");
    if (first->welcome.fields & WELCOME_CLIENT_ID)
        adapter_assert(c, d, MUST_CLAIM_NAMES, d->last.error.controller_id == first->welcome.client_id,
                       "client %llu is in control", (ull)first->welcome.client_id);
    return true;
}

void gate_a9(struct adapter_check *c)
{
    run_two(c, "auto", test_claims);
}

static bool test_releases(struct adapter_check *c, struct client *first, struct client *second)
{
    struct client *d = second;
    EXPECT(MUST_RELEASE_OTHER, client_control(d, "release"), "not_controller");
    d = first;
    EXPECT(MUST_RELEASE_ACK, client_control(d, "release"), "ack");
    EXPECT(MUST_RELEASE_ENDS, client_act(d, NULL), "not_controller");
    EXPECT(MUST_CLAIM_FREE, client_control(d, "claim"), "ack");
    EXPECT(MUST_CLAIM_FREE, client_act(d, NULL), "ack");
    return true;
}

void gate_a10(struct adapter_check *c)
{
    run_two(c, "observer", test_releases);
}

static bool test_commands_of_others(struct adapter_check *c, struct client *first, struct client *second)
{
    struct client *d = first;
    NEED(MUST_OBSERVATION_STREAM, client_until(d, want_any, 0, CLIENT_WAIT_MS), "no observation within 2 s");
    // Paused, so that nothing changes by itself.
    if (!adapter_restart(c, d, NULL, MUST_RESTART_EPISODE) || !adapter_act(c, d, "pause"))
        return false;
    d = second;
    NEED(MUST_PAUSE_SHOWN, client_until(d, want_paused, 1, CLIENT_WAIT_MS),
         "no observation with paused true within 2 s");
    char before[SERVER_TEXT];
    memcpy(before, d->now.state_hash, sizeof before);
    EXPECT(MUST_OBSERVER_COMMAND, client_act(d, "hardDrop"), "not_controller");
    EXPECT(MUST_OBSERVER_COMMAND, client_place(d, 0, 0, false), "not_controller");
    client_observe(d, CLIENT_WAIT_MS);
    adapter_assert(c, d, MUST_OBSERVER_EFFECT, strcmp(before, d->now.state_hash) == 0,
                   "state_hash was %s before the command", before);
    return adapter_act(c, first, "pause");
}

void gate_a11(struct adapter_check *c)
{
    run_two(c, "observer", test_commands_of_others);
}

// --- sequence numbers and shape (A12, A13)

static bool test_sequence(struct adapter_check *c, struct client *d)
{
    static const char pause[] = "\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[\"pause\"]";
    static const char none[] = "\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[]";
    if (!adapter_restart(c, d, NULL, MUST_RESTART_EPISODE))
        return false;
    EXPECT(MUST_COMMAND_ACK, client_ask(d, 10, "%s", none), "ack");
    EXPECT(MUST_SEQ_DUPLICATE, client_ask(d, 10, "%s", pause), "invalid_command");
    EXPECT(MUST_SEQ_SMALLER, client_ask(d, 9, "%s", pause), "invalid_command");
    EXPECT(MUST_SEQ_LARGER, client_ask(d, 11, "%s", none), "ack");
    NEED(MUST_OBSERVATION_STREAM, client_observe(d, CLIENT_WAIT_MS), "no observation within 2 s");
    adapter_assert(c, d, MUST_SEQ_EFFECT, !d->now.paused, "a pause with an old seq was applied");
    return true;
}

void gate_a12(struct adapter_check *c)
{
    adapter_run_scene(c, false, test_sequence);
}

static const char *send_line_for_code(struct client *d, uint64_t seq, const char *format)
{
    char line[512];
    int size = snprintf(line, sizeof line, format, (int)seq);
    line[size] = '\n';
    client_send(d, seq, (struct span){line, (size_t)size + 1});
    return client_answer(d, seq, CLIENT_WAIT_MS);
}

static bool test_broken_lines(struct adapter_check *c, struct client *d)
{
    static const char *const lines[] = {
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0}",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"action\"}",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"actions\":[]}",
        "{\"type\":\"command\",\"seq\":%d,\"mode\":\"action\",\"actions\":[]}",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"place\",\"place\":{\"x\":1,\"rotation\":\"north\"}}",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"place\",\"place\":{\"x\":1,\"useHold\":false}}",
        "{\"type\":\"command\",\"seq\":%d,\"ts\":0,\"mode\":\"place\",\"place\":{\"useHold\":true}}",
        "{\"type\":\"control\",\"seq\":%d,\"ts\":0}",
    };
    uint64_t seq = 100;
    EXPECT(MUST_BROKEN_JSON, send_line_for_code(d, seq++, "{\"type\":\"command\",\"seq\":%d,"), "invalid_command");
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        EXPECT(MUST_MISSING_FIELD, send_line_for_code(d, seq++, lines[i]), "invalid_command");
    return true;
}

static void test_missing_in_hello(struct adapter_check *c)
{
    static const char *const lines[] = {
        "{\"type\":\"hello\",\"seq\":%d,\"ts\":0,\"protocol_version\":\"2.1.0\",\"formats\":[\"json\"],\"requested\":"
        "{\"stream_observations\":false,\"command_mode\":\"place\"}}",
        "{\"type\":\"hello\",\"seq\":%d,\"ts\":0,\"client\":{\"name\":\"a\",\"version\":\"1\"},\"protocol_version\":"
        "\"2.1.0\",\"requested\":{\"stream_observations\":false,\"command_mode\":\"place\"}}",
        "{\"type\":\"hello\",\"seq\":%d,\"ts\":0,\"client\":{\"name\":\"a\",\"version\":\"1\"},\"protocol_version\":"
        "\"2.1.0\",\"formats\":[\"json\"]}",
    };
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct client d;
        if (!adapter_assert(c, NULL, MUST_WELCOME_COMES, client_open(&d, &c->target), "no connection"))
            return;
        adapter_expect(c, &d, MUST_MISSING_FIELD, send_line_for_code(&d, 1, lines[i]), "invalid_command");
        client_close(&d);
    }
}

// Anything before the ack of the next command was a reply to the empty line.
static bool test_empty_line(struct adapter_check *c, struct client *d)
{
    uint64_t seq = d->seq + 1;
    client_send(d, 0, SPAN("\n"));
    char line[128];
    int size = snprintf(line, sizeof line,
                        "{\"type\":\"command\",\"seq\":%llu,\"ts\":0,\"mode\":\"action\",\"actions\":[]}\n", (ull)seq);
    client_send(d, seq, (struct span){line, (size_t)size});
    int64_t until = loop_now_ms() + client_limit(d, 2 * CLIENT_WAIT_MS);
    do {
        NEED(MUST_COMMAND_ACK, client_read(d, CLIENT_WAIT_MS) && loop_now_ms() <= until, "no answer within 4 s");
        bool refused = d->last.type == SERVER_ERROR && strcmp(d->last.error.code, "invalid_command") == 0;
        if (d->last.type != SERVER_OBSERVATION && d->last.type != SERVER_UNKNOWN && d->last.seq == 0)
            NEED(MUST_EMPTY_LINE, refused, "an empty line was answered");
    } while (d->last.type == SERVER_OBSERVATION || d->last.type == SERVER_UNKNOWN || d->last.seq != seq);
    adapter_assert(c, d, MUST_EMPTY_LINE, true, " ");
    return true;
}

void gate_a13(struct adapter_check *c)
{
    adapter_run_scene(c, false, test_broken_lines);
    test_missing_in_hello(c);
    adapter_run_scene(c, false, test_empty_line);
}

// --- backpressure (A14)

enum { BURST = 30 }; // commands in one write

static void send_burst(struct client *d)
{
    char lines[BURST * 96];
    size_t size = 0;
    uint64_t first = d->seq + 1;
    for (unsigned i = 0; i < BURST; i++) {
        size_t from = size;
        size += (size_t)snprintf(
            lines + size, sizeof lines - size,
            "{\"type\":\"command\",\"seq\":%llu,\"ts\":0,\"mode\":\"action\",\"actions\":[\"pause\"]}\n",
            (ull)first + i);
        d->asked[(first + i) % CLIENT_REQUESTS] =
            (struct client_request){.seq = first + i, .asked = 1, .command = true};
        wire_quote(d->sent, (struct span){lines + from, size - from - 1});
    }
    d->seq = first + BURST - 1;
    line_client_send(&d->line, (struct span){lines, size});
}

// Thirty toggles of pause: exactly those acknowledged must have been applied.
static bool test_burst(struct adapter_check *c, struct client *d)
{
    int acks = 0, pushed = 0;
    bool coded = true;
    if (!adapter_restart(c, d, NULL, MUST_RESTART_EPISODE))
        return false;
    uint64_t first = d->seq + 1, seen = 0;
    int64_t until = loop_now_ms() + client_limit(d, 2 * CLIENT_WAIT_MS); // the stream continues meanwhile
    send_burst(d);
    while (acks + pushed < BURST) {
        NEED(MUST_BURST_ANSWERED, client_read(d, CLIENT_WAIT_MS) && loop_now_ms() <= until,
             "%d of %d commands were answered", acks + pushed, BURST);
        uint64_t bit = d->last.seq >= first && d->last.seq < first + BURST ? (uint64_t)1 << (d->last.seq - first) : 0;
        if (d->last.type == SERVER_OBSERVATION || d->last.type == SERVER_UNKNOWN || seen & bit)
            continue; // the check of each line notices a second reply
        seen |= bit;
        bool acked = d->last.type == SERVER_ACK;
        bool refused = d->last.type == SERVER_ERROR && strcmp(d->last.error.code, "backpressure") == 0;
        coded &= adapter_assert(c, d, MUST_BURST_CODE, acked || refused, "ack or backpressure expected");
        acks += acked;
        pushed += !acked;
    }
    if (!coded) { // only after all replies: the next gates need an empty queue
        c->stopped_by = MUST_BURST_CODE;
        return false;
    }
    adapter_assert(c, NULL, MUST_BURST_ANSWERED, true, " ");
    if (pushed == 0) {
        adapter_skip(c, "a queue of 30 commands does not fill it");
        return true;
    }
    NEED(MUST_BURST_STREAM, client_observe(d, CLIENT_WAIT_MS), "no observation within 2 s");
    adapter_assert(c, d, MUST_BURST_EFFECT, client_until(d, want_paused, (uint64_t)acks % 2, CLIENT_WAIT_MS),
                   "%d toggles of pause were acknowledged, and paused is not %s", acks, acks % 2 ? "true" : "false");
    EXPECT(MUST_BURST_RETRY, client_act(d, d->now.paused ? "pause" : "moveLeft"), "ack");
    return true;
}

void gate_a14(struct adapter_check *c)
{
    adapter_run_scene(c, false, test_burst);
}

// --- errors (A15)

#define HELLO_START                                                                                                    \
    "\"type\":\"hello\",\"ts\":0,\"client\":{\"name\":\"a\",\"version\":\"1\"},\"protocol_version\":\"2.1.0\","
#define HELLO_END ",\"requested\":{\"stream_observations\":true,\"command_mode\":\"place\"}"

// What is sent besides seq, and the code of the error that it must get.
struct provocation {
    enum adapter_assertion id;
    const char *members, *code;
};

static bool test_refusal(struct adapter_check *c, struct client *d, const struct provocation *p, uint64_t seq)
{
    const char *got = client_ask(d, seq, "%s", p->members);
    bool lenient = !c->own && strcmp(got, "invalid_command") == 0; // only our adapter distinguishes the two
    return adapter_expect(c, d, p->id, lenient ? p->code : got, p->code);
}

static const struct provocation provocations[] = {
    {MUST_UNKNOWN_TYPE, "\"type\":\"dance\",\"ts\":0", "invalid_command"},
    {MUST_UNKNOWN_MODE, "\"type\":\"command\",\"ts\":0,\"mode\":\"fly\",\"actions\":[]", "invalid_command"},
    {MUST_UNKNOWN_ACTION, "\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[\"spin\"]",
     "invalid_command"},
    {MUST_UNKNOWN_CONTROL, "\"type\":\"control\",\"ts\":0,\"action\":\"grab\"", "invalid_command"},
    {MUST_SECOND_HELLO, HELLO_START "\"formats\":[\"json\"]" HELLO_END, "invalid_command"},
    {MUST_RESTART_OBJECT,
     "\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[\"hold\"],\"restart\":{\"seed\":1}",
     "invalid_command"},
    {MUST_SEED_RANGE,
     "\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[\"restart\"],\"restart\":{\"seed\":-1}",
     "invalid_command"},
    {MUST_PLACE_MISSING, "\"type\":\"command\",\"ts\":0,\"mode\":\"place\"", "invalid_place"},
    {MUST_PLACE_COLUMN,
     "\"type\":\"command\",\"ts\":0,\"mode\":\"place\",\"place\":{\"x\":99,\"rotation\":\"north\",\"useHold\":false}",
     "invalid_place"},
    {MUST_PLACE_ROTATION,
     "\"type\":\"command\",\"ts\":0,\"mode\":\"place\",\"place\":{\"x\":0,\"rotation\":\"up\",\"useHold\":false}",
     "invalid_place"},
};

static bool test_too_many_actions(struct adapter_check *c, struct client *d)
{
    char members[600] = {0};
    struct text t = text_on(members, sizeof members - 1);
    text_puts(&t, "\"type\":\"command\",\"ts\":0,\"mode\":\"action\",\"actions\":[\"pause\"");
    for (int i = 1; i < 33; i++)
        text_puts(&t, ",\"pause\"");
    text_put_char(&t, ']');
    if (c->own)
        adapter_expect(c, d, MUST_ACTION_COUNT, client_ask(d, d->seq + 1, "%s", members), "invalid_command");
    return true;
}

// Each error condition once, as far as the controller can provoke it.
static bool provoke_errors(struct adapter_check *c, struct client *d)
{
    for (unsigned i = 0; i < sizeof provocations / sizeof *provocations; i++)
        if (c->own || !adapter_assertions[provocations[i].id].own)
            test_refusal(c, d, &provocations[i], d->seq + 1);
    test_too_many_actions(c, d);
    if (!adapter_restart(c, d, &(uint64_t){7}, MUST_RESTART_EPISODE))
        return false;
    EXPECT(MUST_PLACE_ACK, client_place(d, adapter_middle_x(c, d), 0, false), "ack");
    if (!adapter_act(c, d, "hold"))
        return false;
    EXPECT(MUST_HOLD_UNAVAILABLE, client_place(d, 3, 0, true), "hold_unavailable");
    return true;
}

static void provoke_hello(struct adapter_check *c, enum adapter_assertion id, uint64_t seq, const char *members)
{
    struct client d;
    if (adapter_assertions[id].own && !c->own)
        return;
    if (!adapter_assert(c, NULL, MUST_WELCOME_COMES, client_open(&d, &c->target), "no connection"))
        return;
    adapter_expect(c, &d, id, client_ask(&d, seq, "%s", members), "invalid_command");
    client_close(&d);
}

void gate_a15(struct adapter_check *c)
{
    adapter_run_scene(c, false, provoke_errors);
    provoke_hello(c, MUST_HELLO_SEQ, 2, HELLO_START "\"formats\":[\"json\"]" HELLO_END);
    provoke_hello(c, MUST_HELLO_FORMATS, 1, HELLO_START "\"formats\":[\"cbor\"]" HELLO_END);
}

// --- a refused placement (A16)

static bool test_failed_place(struct adapter_check *c, struct client *d)
{
    if (!adapter_restart(c, d, &(uint64_t){5}, MUST_RESTART_EPISODE) || !adapter_act(c, d, NULL))
        return false;
    uint64_t step = d->last.ack.applied_step;
    EXPECT(MUST_PLACE_COLUMN, client_place(d, 9, 0, true), "invalid_place");
    if (!adapter_act(c, d, NULL))
        return false;
    adapter_assert(c, d, MUST_PLACE_NO_TIME, d->last.ack.applied_step == step + 1, "step %llu expected after step %llu",
                   (ull)step + 1, (ull)step);
    NEED(MUST_LOCKSTEP_ONE, client_until(d, want_step, d->last.ack.applied_step, CLIENT_WAIT_MS),
         "no observation within 2 s");
    adapter_assert(c, d, MUST_PLACE_NO_CHANGE, d->now.hold == 0 && d->now.can_hold && d->now.piece_id == 1,
                   "hold, can_hold or piece_id changed");
    return true;
}

void gate_a16(struct adapter_check *c)
{
    if (c->lockstep)
        adapter_run_scene(c, true, test_failed_place);
    else
        adapter_skip(c, "no lock-step");
}

// --- lines (A34)

static void send_long_line(struct adapter_check *c, enum adapter_assertion id, size_t size, const char *wanted)
{
    static const char start[] = "{\"type\":\"control\",\"seq\":2,\"ts\":0,\"action\":\"claim\",\"x\":\"",
                      end[] = "\"}\n";
    static char line[65536 + 16];
    struct client d;
    if (!adapter_connect(c, &d, "controller", false))
        return;
    memset(line, 'a', size + 1);
    memcpy(line, start, sizeof start - 1);
    memcpy(line + size + 1 - (sizeof end - 1), end, sizeof end - 1);
    client_send(&d, 2, (struct span){line, size + 1});
    adapter_expect(c, &d, id, client_answer(&d, 2, CLIENT_WAIT_MS), wanted);
    client_close(&d);
}

void gate_a34(struct adapter_check *c)
{
    struct client d;
    send_long_line(c, MUST_LINE_LONGEST, 65536, "ack");
    if (c->own)
        send_long_line(c, MUST_LINE_TOO_LONG, 65537, "invalid_command");
    if (!adapter_connect(c, &d, "auto", false))
        return;
    client_send(&d, 2, SPAN("{\"type\":\"\xff\xfe\"}\n"));
    adapter_expect(c, &d, MUST_LINE_UTF8, client_answer(&d, 2, CLIENT_WAIT_MS), "invalid_command");
    client_close(&d);
    if (!client_open(&d, &c->target)) {
        adapter_assert(c, NULL, MUST_LINE_ALIVE, false, "the adapter takes no connection any more");
        return;
    }
    adapter_expect(c, &d, MUST_LINE_ALIVE, client_hello(&d, &c->target, "observer", false, false), "welcome");
    client_close(&d);
}

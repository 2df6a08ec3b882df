#include "net/conn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "far_end.h"
#include "net/lines.h"

#include <sys/resource.h>
#include <sys/un.h>

enum { BIG = 4 << 20, PATIENT_MS = 60000 };

// The server's end: what it was shown, and what it does about it.
struct near_end {
    struct loop loop;
    struct conn_server *server;
    struct conn *conn; // the last one
    char seen[1 << 16];
    size_t size;
    int opened, drained, closed, calls;
    void (*act)(struct near_end *n, struct span bytes); // on bytes
    bool refuse;
};

static void *on_open(void *owner, struct conn *c)
{
    struct near_end *n = owner;
    n->conn = c;
    n->opened++;
    return n->refuse ? NULL : n;
}

static size_t on_bytes(void *client, struct span bytes, size_t seen)
{
    (void)seen;
    struct near_end *n = client;
    n->calls++;
    if (n->size + bytes.size <= sizeof n->seen)
        memcpy(n->seen + n->size, bytes.at, bytes.size);
    n->size += bytes.size;
    if (n->act)
        n->act(n, bytes);
    return bytes.size;
}

static void on_drained(void *client)
{
    ((struct near_end *)client)->drained++;
}

static void on_close(void *client)
{
    ((struct near_end *)client)->closed++;
}

static const struct conn_handler handler = {on_open, on_bytes, on_drained, on_close};

static const struct conn_options patient = {
    .host = "127.0.0.1", .max_waiting_bytes = 2 * BIG, .max_connections = 100, .linger_ms = PATIENT_MS};

static struct near_end *listen_with(const struct conn_options *o)
{
    struct near_end *n = calloc(1, sizeof *n);
    loop_init(&n->loop);
    n->server = conn_listen(&n->loop, o, &handler, n);
    assert_non_null(n->server);
    return n;
}

static void end(struct near_end *n)
{
    conn_close(n->server);
    assert_int_equal(n->opened, n->closed + n->refuse);
    loop_release(&n->loop);
    free(n);
}

static struct far_end call(struct near_end *n)
{
    int before = n->opened;
    struct far_end f = far_open(conn_port(n->server));
    UNTIL(&n->loop, n->opened > before);
    return f;
}

static char *big_bytes(void)
{
    static char bytes[BIG];
    for (size_t i = 0; i < BIG; i++)
        bytes[i] = (char)(i * 31 >> 4);
    return bytes;
}

static void reply_big(struct near_end *n)
{
    conn_reply(n->conn, (struct span){big_bytes(), BIG});
}

static void check_big(struct far_end *f)
{
    assert_int_equal(f->size, BIG);
    assert_memory_equal(f->bytes, big_bytes(), BIG);
}

// --- writing

static void say_abc(struct near_end *n, struct span bytes)
{
    (void)bytes;
    conn_reply(n->conn, SPAN("a"));
    conn_reply(n->conn, SPAN(""));
    conn_reply(n->conn, SPAN("b"));
    conn_reply(n->conn, SPAN("c"));
    assert_int_equal(conn_waiting(n->conn), 3);
}

static void replies_of_a_turn_leave_together(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n);
    char one_read[16];
    ssize_t got;
    n->act = say_abc;
    far_say(&f, &n->loop, "x");
    UNTIL(&n->loop, (got = recv(f.fd, one_read, sizeof one_read, 0)) > 0);
    assert_int_equal(got, 3);
    assert_memory_equal(one_read, "abc", 3);
    assert_int_equal(conn_waiting(n->conn), 0);
    far_close(&f);
    end(n);
}

static void who_reads_too_slowly_is_cut(void **unused)
{
    (void)unused;
    struct conn_options o = patient;
    o.max_waiting_bytes = 1000;
    struct near_end *n = listen_with(&o);
    struct far_end f = call(n), g = call(n);
    static const char kib[1024];
    conn_reply(n->conn, (struct span){kib, 1000}); // the ceiling itself is allowed
    UNTIL(&n->loop, far_look(&g) == 1000);
    conn_reply(n->conn, (struct span){kib, 1001});
    assert_int_equal(n->closed, 0); // no callback inside the call
    UNTIL(&n->loop, n->closed == 1);
    UNTIL(&n->loop, far_ended(&g));
    assert_int_equal(conn_count(n->server), 1); // the other one stays
    far_close(&f);
    far_close(&g);
    end(n);
}

static void a_write_leaves_at_once_or_not_at_all(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n);
    assert_true(conn_write(n->conn, SPAN("now")));
    assert_int_equal(far_look(&f), 3);
    conn_reply(n->conn, SPAN("first"));
    assert_false(conn_write(n->conn, SPAN("second")));
    conn_flush(n->conn);
    assert_true(far_has(&f, "nowfirst"));
    // Half of it fits: the rest follows before anything else.
    assert_true(conn_write(n->conn, (struct span){big_bytes(), BIG}));
    assert_true(conn_waiting(n->conn) > 0);
    assert_false(conn_write(n->conn, SPAN("x")));
    far_forget(&f);
    UNTIL(&n->loop, far_look(&f) == BIG);
    check_big(&f);
    far_close(&f);
    end(n);
}

// --- not reading

static void hold_big(struct near_end *n, struct span bytes)
{
    (void)bytes;
    n->act = NULL;
    reply_big(n);
    conn_hold(n->conn);
}

static void a_held_one_is_heard_after_its_replies_have_left(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n);
    conn_hold(n->conn); // nothing waits: nothing to hold
    assert_true(conn_is_listening(n->conn));
    n->act = hold_big;
    far_say(&f, &n->loop, "x");
    UNTIL(&n->loop, n->calls == 1);
    far_say(&f, &n->loop, "later");
    far_turns(&n->loop, 20);
    assert_int_equal(n->calls, 1);
    assert_int_equal(n->drained, 0);
    UNTIL(&n->loop, far_look(&f) == BIG);
    UNTIL(&n->loop, n->calls == 2);
    assert_int_equal(n->drained, 1);
    assert_memory_equal(n->seen, "xlater", 6);
    check_big(&f);
    far_close(&f);
    end(n);
}

static void a_paused_one_is_heard_after_resuming(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n);
    conn_pause(n->conn);
    far_say(&f, &n->loop, "waits");
    far_turns(&n->loop, 20);
    assert_int_equal(n->calls, 0);
    conn_resume(n->conn);
    assert_int_equal(n->calls, 0); // not inside the call
    UNTIL(&n->loop, n->calls == 1);
    assert_memory_equal(n->seen, "waits", 5);
    conn_pause(n->conn);
    far_close(&f);
    UNTIL(&n->loop, n->closed == 1); // an end is noticed all the same
    end(n);
}

// A peer may send as much as it likes to one that does not listen: it has to wait.
static void a_paused_one_keeps_a_bounded_amount(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n);
    size_t sent = 0;
    conn_pause(n->conn);
    for (int quiet = 0; quiet < 50; far_turn(&n->loop)) {
        ssize_t some = send(f.fd, big_bytes(), 65536, MSG_NOSIGNAL);
        quiet = some > 0 ? 0 : quiet + 1;
        sent += some > 0 ? (size_t)some : 0;
        assert_true(sent < (size_t)64 << 20);
    }
    conn_resume(n->conn);
    UNTIL(&n->loop, n->size == sent);
    far_close(&f);
    end(n);
}

static struct {
    struct lines lines;
    struct near_end *near;
    char said[256];
    int count;
} cutter;

static void on_line(void *client, struct span line)
{
    (void)client;
    strncat(cutter.said, line.at, line.size);
    strncat(cutter.said, "|", 2);
    cutter.count++;
}

static size_t cut_lines(void *client, struct span bytes, size_t seen)
{
    (void)client;
    return lines_cut(&cutter.lines, bytes, seen);
}

static const struct conn_handler line_handler = {on_open, cut_lines, on_drained, on_close};

// Bytes that were put aside are new to the handler, also when more arrive before it hears again.
static void what_was_put_aside_counts_as_unseen(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n);
    cutter.lines = (struct lines){n->conn, 100, NULL, on_line, NULL, false};
    conn_hand_over(n->conn, &line_handler, n);
    far_turns(&n->loop, 3);
    conn_pause(n->conn);
    far_say(&f, &n->loop, "one\ntwo\n");
    far_turns(&n->loop, 20);
    reply_big(n); // waits: whoever is not done reading is not heard yet
    conn_resume(n->conn);
    far_turns(&n->loop, 3);
    far_say(&f, &n->loop, "three\n");
    far_turns(&n->loop, 20);
    assert_int_equal(cutter.count, 0);
    UNTIL(&n->loop, far_look(&f) == BIG);
    UNTIL(&n->loop, cutter.count == 3);
    assert_string_equal(cutter.said, "one|two|three|");
    far_close(&f);
    end(n);
}

// --- ends

static void say_bye(struct near_end *n, struct span bytes)
{
    (void)bytes;
    conn_reply(n->conn, SPAN("bye"));
    conn_hang_up(n->conn);
    assert_int_equal(n->closed, 0);
}

static void last_words_arrive_although_the_peer_goes_on_sending(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n);
    n->act = say_bye;
    for (int i = 0; i < 20; i++)
        far_say_bytes(&f, &n->loop, (struct span){big_bytes(), 1 << 18});
    assert_int_equal(f.error, 0);
    UNTIL(&n->loop, far_ended(&f));
    assert_int_equal(f.error, 0);
    assert_memory_equal(f.bytes, "bye", 3);
    assert_int_equal(n->closed, 1);
    assert_int_equal(n->calls, 1);
    far_close(&f);
    UNTIL(&n->loop, conn_count(n->server) == 0);
    end(n);
}

static void hold_and_hang_up(struct near_end *n, struct span bytes)
{
    hold_big(n, bytes);
    conn_hang_up(n->conn);
}

static void last_words_arrive_from_one_that_was_held(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n);
    n->act = hold_and_hang_up;
    far_say(&f, &n->loop, "x");
    UNTIL(&n->loop, n->closed == 1);
    for (int i = 0; i < 20; i++)
        far_say_bytes(&f, &n->loop, (struct span){big_bytes(), 1 << 18});
    UNTIL(&n->loop, far_ended(&f));
    assert_int_equal(f.error, 0);
    check_big(&f);
    far_close(&f);
    UNTIL(&n->loop, conn_count(n->server) == 0); // its end is noticed: nobody waits for the time to be up
    end(n);
}

static void reply_big_and_hang_up(struct near_end *n, struct span bytes)
{
    (void)bytes;
    reply_big(n);
    conn_hang_up(n->conn);
}

static void whoever_ends_only_its_own_side_gets_what_waits(void **unused)
{
    (void)unused;
    for (int first = 0; first < 2; first++) { // its end comes before ours, or after
        struct near_end *n = listen_with(&patient);
        struct far_end f = call(n);
        n->act = first ? reply_big_and_hang_up : hold_big;
        far_say(&f, &n->loop, "x");
        UNTIL(&n->loop, n->calls == 1);
        shutdown(f.fd, SHUT_WR);
        far_turns(&n->loop, 20);
        UNTIL(&n->loop, far_ended(&f));
        assert_int_equal(f.error, 0);
        check_big(&f);
        UNTIL(&n->loop, conn_count(n->server) == 0);
        far_close(&f);
        end(n);
    }
}

static void time_is_up_for_whoever_does_not_take_its_last_words(void **unused)
{
    (void)unused;
    struct conn_options o = patient;
    o.linger_ms = 20;
    struct near_end *n = listen_with(&o);
    struct far_end f = call(n);
    n->act = reply_big_and_hang_up;
    far_say(&f, &n->loop, "x");
    UNTIL(&n->loop, conn_count(n->server) == 0);
    assert_int_equal(n->closed, 1);
    far_close(&f);
    end(n);
}

static void an_end_is_known_before_it_is_read(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n), g = call(n);
    assert_false(conn_is_disconnected(n->conn));
    assert_int_equal(send(g.fd, "x", 1, 0), 1);
    assert_false(conn_is_disconnected(n->conn));
    far_close(&g); // behind a byte that nobody has read
    assert_true(conn_is_disconnected(n->conn));
    UNTIL(&n->loop, n->closed == 1);
    assert_int_equal(n->calls, 1); // what came before the end is heard first
    far_reset(&f);
    UNTIL(&n->loop, n->closed == 2);
    end(n);
}

static void an_unwanted_one_is_closed_at_once(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    n->refuse = true;
    struct far_end f = call(n);
    UNTIL(&n->loop, far_ended(&f));
    assert_int_equal(conn_count(n->server), 0);
    assert_int_equal(n->closed, 0);
    far_close(&f);
    end(n);
}

// --- handing over

static struct {
    char seen[32];
    int closed;
} heir;

static size_t heir_bytes(void *client, struct span bytes, size_t seen)
{
    (void)client, (void)seen;
    strncat(heir.seen, bytes.at, bytes.size);
    return bytes.size;
}

static void heir_close(void *client)
{
    (void)client;
    heir.closed++;
}

static const struct conn_handler heirs = {.on_bytes = heir_bytes, .on_close = heir_close};

static size_t take_two(void *client, struct span bytes, size_t seen)
{
    (void)seen;
    struct near_end *n = client;
    assert_memory_equal(bytes.at, "us", 2);
    n->closed++; // the old handler's part ends here
    conn_hand_over(n->conn, &heirs, &heir);
    return 2;
}

static void what_stands_behind_the_last_message_is_the_heirs(void **unused)
{
    (void)unused;
    static const struct conn_handler two = {on_open, take_two, NULL, on_close};
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n);
    conn_hand_over(n->conn, &two, n);
    far_turns(&n->loop, 2);
    far_say(&f, &n->loop, "ustheirs");
    UNTIL(&n->loop, strcmp(heir.seen, "theirs") == 0);
    far_say(&f, &n->loop, "+more");
    UNTIL(&n->loop, strcmp(heir.seen, "theirs+more") == 0);
    far_close(&f);
    UNTIL(&n->loop, heir.closed == 1);
    end(n);
}

// --- room

static void the_oldest_that_has_not_greeted_makes_room(void **unused)
{
    (void)unused;
    struct conn_options o = patient;
    o.max_connections = 2;
    struct near_end *n = listen_with(&o);
    struct far_end a = call(n);
    conn_set_greeted(n->conn);
    conn_set_greeted(n->conn); // twice is once
    struct far_end b = call(n), c = call(n);
    UNTIL(&n->loop, far_ended(&b));
    conn_set_greeted(n->conn);
    assert_int_equal(conn_count(n->server), 2);
    struct far_end d = far_open(conn_port(n->server));
    UNTIL(&n->loop, far_ended(&d)); // all have greeted: the newcomer goes
    assert_int_equal(conn_count(n->server), 2);
    assert_false(far_ended(&a));
    assert_false(far_ended(&c));
    far_close(&a), far_close(&b), far_close(&c), far_close(&d);
    end(n);
}

static int lowest_free_descriptor(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

static void without_descriptors_it_waits_and_does_not_spin(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = far_open(conn_port(n->server));
    struct rlimit before, none;
    getrlimit(RLIMIT_NOFILE, &before);
    none = (struct rlimit){(rlim_t)lowest_free_descriptor(), before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    int turns = 0;
    for (int64_t stop = loop_now_us() + 30000; loop_now_us() < stop; turns++)
        far_turn(&n->loop);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(n->opened, 0);
    assert_true(turns < 100); // the beats of this test, no more
    UNTIL(&n->loop, n->opened == 1);
    far_close(&f);
    end(n);
}

static void a_unix_socket_is_for_its_owner(void **unused)
{
    (void)unused;
    char path[] = "/tmp/agon-conn-XXXXXX", who[64];
    assert_non_null(mkdtemp(path));
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    assert_true((size_t)snprintf(to.sun_path, sizeof to.sun_path, "%s/door", path) < sizeof to.sun_path);
    struct conn_options o = patient;
    o.host = NULL;
    o.path = to.sun_path;
    struct near_end *n = listen_with(&o);
    struct far_end f = {.fd = socket(AF_UNIX, SOCK_STREAM, 0), .bytes = malloc(FAR_ROOM)};
    assert_int_equal(connect(f.fd, (struct sockaddr *)&to, sizeof to), 0);
    fcntl(f.fd, F_SETFL, O_NONBLOCK);
    UNTIL(&n->loop, n->opened == 1);
    conn_peer(n->conn, who);
    assert_string_equal(who, "local");
    n->act = say_abc;
    far_say(&f, &n->loop, "x");
    UNTIL(&n->loop, far_look(&f) == 3);
    far_close(&f);
    end(n);
    unlink(to.sun_path);
    rmdir(path);
}

static void note_peer(struct near_end *n, struct span bytes)
{
    (void)bytes;
    conn_peer(n->conn, n->seen + 100);
}

// Limits go by the address: whoever is not there any more is not taken for somebody of this machine.
static void a_peer_has_an_address_until_it_is_gone(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    n->act = note_peer;
    for (int reset = 0; reset < 2; reset++) {
        struct far_end f = call(n);
        n->calls = 0;
        assert_int_equal(send(f.fd, "hello", 5, 0), 5);
        if (reset)
            setsockopt(f.fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
        if (reset)
            far_close(&f);
        UNTIL(&n->loop, n->calls > 0);
        assert_string_equal(n->seen + 100, reset ? "gone" : "127.0.0.1");
        if (!reset)
            far_close(&f);
    }
    end(n);
}

static void an_address_that_cannot_be_had_is_told(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct conn_options o = patient;
    o.port = conn_port(n->server);
    assert_null(conn_listen(&n->loop, &o, &handler, n));
    assert_int_equal(errno, EADDRINUSE);
    o.host = "example";
    assert_null(conn_listen(&n->loop, &o, &handler, n));
    assert_int_equal(errno, EADDRNOTAVAIL);
    end(n);
}

static void closing_sends_what_goes_and_tells_everybody(void **unused)
{
    (void)unused;
    struct near_end *n = listen_with(&patient);
    struct far_end f = call(n), g = call(n);
    conn_reply(n->conn, SPAN("last"));
    conn_stop(n->server);
    conn_close(n->server);
    assert_int_equal(n->closed, 2);
    UNTIL(&n->loop, far_ended(&g));
    assert_memory_equal(g.bytes, "last", 4);
    far_close(&f), far_close(&g);
    loop_release(&n->loop);
    free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_of_a_turn_leave_together),
        cmocka_unit_test(who_reads_too_slowly_is_cut),
        cmocka_unit_test(a_write_leaves_at_once_or_not_at_all),
        cmocka_unit_test(a_held_one_is_heard_after_its_replies_have_left),
        cmocka_unit_test(a_paused_one_is_heard_after_resuming),
        cmocka_unit_test(a_paused_one_keeps_a_bounded_amount),
        cmocka_unit_test(what_was_put_aside_counts_as_unseen),
        cmocka_unit_test(last_words_arrive_although_the_peer_goes_on_sending),
        cmocka_unit_test(last_words_arrive_from_one_that_was_held),
        cmocka_unit_test(whoever_ends_only_its_own_side_gets_what_waits),
        cmocka_unit_test(time_is_up_for_whoever_does_not_take_its_last_words),
        cmocka_unit_test(an_end_is_known_before_it_is_read),
        cmocka_unit_test(an_unwanted_one_is_closed_at_once),
        cmocka_unit_test(what_stands_behind_the_last_message_is_the_heirs),
        cmocka_unit_test(the_oldest_that_has_not_greeted_makes_room),
        cmocka_unit_test(without_descriptors_it_waits_and_does_not_spin),
        cmocka_unit_test(a_unix_socket_is_for_its_owner),
        cmocka_unit_test(a_peer_has_an_address_until_it_is_gone),
        cmocka_unit_test(an_address_that_cannot_be_had_is_told),
        cmocka_unit_test(closing_sends_what_goes_and_tells_everybody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

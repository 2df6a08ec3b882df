#include "verify/rpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "line_peer.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

enum { LONG_MS = 20000 };

static struct line_peer peer;
static struct rpc r;

static int open_both(void **unused)
{
    (void)unused;
    peer = peer_listen_unix();
    assert_true(rpc_connect(&r, peer.path));
    peer_accept(&peer);
    return 0;
}

static int close_both(void **unused)
{
    (void)unused;
    rpc_close(&r);
    peer_close(&peer);
    return 0;
}

static const char *text_of(json_t *message, const char *member)
{
    return json_string_value(json_object_get(message, member));
}

static void messages_come_in_order(void **unused)
{
    (void)unused;
    peer_send(&peer, "{\"a\":\"one\"}\n[1]\n{\"a\":");
    json_t *one = rpc_read(&r, LONG_MS), *two = rpc_read(&r, LONG_MS);
    assert_string_equal(text_of(one, "a"), "one");
    assert_true(json_is_array(two));
    assert_null(rpc_read(&r, 0)); // half a line is none
    peer_send(&peer, "\"three\"}\n");
    json_t *three = rpc_read(&r, LONG_MS);
    assert_string_equal(text_of(three, "a"), "three");
    assert_string_equal(r.received, "{\"a\":\"three\"}");
    assert_string_equal(r.wrong, "");
    json_decref(one), json_decref(two), json_decref(three);
}

// C14: what is no message is remembered, the first of it, and passed over.
static void rubbish_is_remembered(void **unused)
{
    (void)unused;
    static const struct {
        const char *line, *wrong;
    } cases[] = {
        {"hello\n", "hello"},
        {"\n", "an empty line"},
        {"{\"a\":1}\r\n", "{\"a\":1}\r"},
        {"7\n", "7"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        r.wrong[0] = 0;
        peer_send(&peer, cases[i].line);
        peer_send(&peer, "worse\n{\"b\":2}\n");
        json_t *message;
        while ((message = rpc_read(&r, LONG_MS)) && !json_object_get(message, "b"))
            json_decref(message);
        assert_non_null(message);
        assert_string_equal(r.wrong, cases[i].wrong);
        json_decref(message);
    }
}

static void an_answer_has_the_id(void **unused)
{
    (void)unused;
    int64_t id = rpc_send(&r, "ping", json_pack("{s:i}", "n", 1));
    char heard[256];
    assert_string_equal(peer_heard(&peer, heard, sizeof heard),
                        "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{\"n\":1},\"id\":1}\n");
    peer_send(
        &peer,
        "{\"id\":1,\"method\":\"sampling\"}\n{\"id\":\"1\",\"result\":\"text\"}\n{\"id\":2,\"result\":\"other\"}\n"
        "{\"method\":\"told\"}\n{\"id\":1,\"result\":\"right\"}\n{\"id\":1,\"result\":\"late\"}\n");
    json_t *answer = rpc_answer(&r, id, LONG_MS);
    assert_string_equal(text_of(answer, "result"), "right");
    assert_int_equal(json_array_size(r.notes), 4);
    json_decref(answer);
    assert_null(rpc_answer(&r, 3, 0));
}

static void notifications_wait_to_be_asked_for(void **unused)
{
    (void)unused;
    rpc_notify(&r, "notifications/initialized", NULL);
    char heard[256];
    assert_string_equal(peer_heard(&peer, heard, sizeof heard),
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    peer_send(
        &peer,
        "{\"method\":\"b\",\"n\":\"1\"}\n{\"method\":\"a\",\"n\":\"2\"}\n{\"id\":1}\n{\"method\":\"a\",\"n\":\"3\"}\n");
    static const struct {
        const char *method, *n;
    } cases[] = {{"a", "2"}, {"a", "3"}, {"b", "1"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *note = rpc_find_note(&r, cases[i].method, LONG_MS);
        assert_string_equal(text_of(note, "n"), cases[i].n);
        json_decref(note);
    }
    assert_null(rpc_find_note(&r, "a", 0));
    assert_int_equal(json_array_size(r.notes), 1); // the answer nobody asked for
}

static void old_notifications_make_room(void **unused)
{
    (void)unused;
    static char lines[(RPC_MAX_NOTES + 2) * 24];
    size_t size = 0;
    for (int i = 0; i <= RPC_MAX_NOTES; i++)
        size += (size_t)snprintf(lines + size, sizeof lines - size, "{\"method\":\"m%d\"}\n", i);
    snprintf(lines + size, sizeof lines - size, "{\"id\":1}\n");
    peer_send(&peer, lines);
    json_decref(rpc_answer(&r, 1, LONG_MS));
    assert_int_equal(json_array_size(r.notes), RPC_MAX_NOTES);
    assert_string_equal(text_of(json_array_get(r.notes, 0), "method"), "m1");
}

static void the_end_is_the_end(void **unused)
{
    (void)unused;
    peer_send(&peer, "{\"a\":1}\n{\"cut off");
    peer_hang_up(&peer);
    json_decref(rpc_read(&r, LONG_MS));
    assert_null(rpc_read(&r, LONG_MS));
    assert_true(r.ended);
    assert_false(rpc_send_line(&r, "{}"));
    assert_int_equal(rpc_exit_status(&r, 0), -1); // nobody's child
}

static void the_end_of_input_is_heard(void **unused)
{
    (void)unused;
    char heard[64];
    rpc_end_input(&r);
    assert_int_equal(recv(peer.fd, heard, sizeof heard, 0), 0);
    assert_false(rpc_send_line(&r, "{}"));
    peer_send(&peer, "{\"a\":1}\n"); // and its answers still are
    json_decref(rpc_read(&r, LONG_MS));
    assert_string_equal(r.received, "{\"a\":1}");
}

static void a_path_must_fit_and_be_served(void **unused)
{
    (void)unused;
    struct rpc none;
    char path[200];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    assert_false(rpc_connect(&none, path));
    assert_int_equal(errno, ENAMETOOLONG);
    assert_false(rpc_connect(&none, "/nowhere/agon"));
    assert_int_equal(errno, ENOENT);
}

static void a_child_is_known_by_its_end(void **unused)
{
    (void)unused;
    static const struct {
        const char *script;
        int status;
    } cases[] = {{"exit 0", 0}, {"exit 3", 3}, {"kill -9 $$", 256 + SIGKILL}, {"cat >/dev/null; exit 5", 5}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const command[] = {"sh", "-c", cases[i].script, NULL};
        struct rpc child;
        assert_true(rpc_spawn(&child, command));
        rpc_end_input(&child);
        assert_int_equal(rpc_exit_status(&child, LONG_MS), cases[i].status);
        assert_int_equal(rpc_exit_status(&child, LONG_MS), cases[i].status); // known from now on
        rpc_close(&child);
    }
    struct rpc none;
    assert_false(rpc_spawn(&none, (const char *const[]){"/no/such/program", NULL}));
    assert_int_equal(errno, ENOENT);
}

static void a_child_that_runs_has_no_status(void **unused)
{
    (void)unused;
    struct rpc child;
    assert_true(rpc_spawn(&child, (const char *const[]){"cat", NULL}));
    assert_int_equal(rpc_exit_status(&child, 0), -1);
    assert_true(rpc_send_line(&child, "{\"a\":\"back\"}"));
    json_t *back = rpc_read(&child, LONG_MS);
    assert_string_equal(text_of(back, "a"), "back");
    json_decref(back);
    rpc_close(&child); // its input ends, and so does it
    assert_int_equal(child.to, -1);
}

// More than a pipe holds, to a child that answers before it reads on: nobody waits for ever.
// A millisecond is over before it has ended; LONG_MS of them are enough.
static void patience_makes_limits_longer(void **unused)
{
    (void)unused;
    struct rpc child;
    assert_true(rpc_spawn(&child, (const char *const[]){"sh", "-c", "sleep 0.2; exit 3", NULL}));
    assert_int_equal(rpc_exit_status(&child, 1), -1);
    child.patience = LONG_MS;
    assert_int_equal(rpc_exit_status(&child, 1), 3);
    rpc_close(&child);
}

static void a_long_line_goes_both_ways(void **unused)
{
    (void)unused;
    enum { BYTES = 4 << 20 };
    char *line = malloc(BYTES + 1);
    struct rpc child;
    memset(line, ' ', BYTES);
    memcpy(line, "{\"a\":\"far\"", 10);
    line[BYTES - 1] = '}';
    line[BYTES] = 0;
    assert_true(rpc_spawn(&child, (const char *const[]){"cat", NULL}));
    assert_true(rpc_send_line(&child, line));
    json_t *back = rpc_read(&child, LONG_MS);
    assert_string_equal(text_of(back, "a"), "far");
    json_decref(back);
    rpc_close(&child);
    free(line);
}

int main(void)
{
#define WITH_PEER(test) cmocka_unit_test_setup_teardown(test, open_both, close_both)
    static const struct CMUnitTest tests[] = {
        WITH_PEER(messages_come_in_order),
        WITH_PEER(rubbish_is_remembered),
        WITH_PEER(an_answer_has_the_id),
        WITH_PEER(notifications_wait_to_be_asked_for),
        WITH_PEER(old_notifications_make_room),
        WITH_PEER(the_end_is_the_end),
        WITH_PEER(the_end_of_input_is_heard),
        cmocka_unit_test(a_path_must_fit_and_be_served),
        cmocka_unit_test(a_child_is_known_by_its_end),
        cmocka_unit_test(a_child_that_runs_has_no_status),
        cmocka_unit_test(patience_makes_limits_longer),
        cmocka_unit_test(a_long_line_goes_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

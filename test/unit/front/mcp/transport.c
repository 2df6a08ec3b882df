// What carries MCP messages: lines cut out of bytes, events kept for those who come back.
#include "front/mcp/mcp_events.h"
#include "front/mcp/mcp_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// --- lines

struct reader {
    char got[256]; // lines, each ended by '|'; '!' for one that was too long
    int stop_after;
};

static void note(struct reader *r, struct span text)
{
    size_t size = strlen(r->got);
    assert_true(size + text.size < sizeof r->got);
    memcpy(r->got + size, text.at, text.size);
}

static void on_line(void *client, struct span line)
{
    struct reader *r = client;
    note(r, line);
    note(r, SPAN("|"));
    r->stop_after--;
}

static void on_too_long(void *client)
{
    note(client, SPAN("!"));
}

static bool go_on(void *client)
{
    return ((struct reader *)client)->stop_after > 0;
}

// Shows the text in pieces of `step` bytes, as a connection would.
static void feed(struct reader *r, const char *text, size_t step)
{
    struct mcp_lines l = {8, r, on_line, on_too_long, go_on, false};
    char kept[256];
    size_t size = 0;
    for (size_t at = 0; at < strlen(text); at += step) {
        size_t more = strlen(text) - at < step ? strlen(text) - at : step, seen = size;
        memcpy(kept + size, text + at, more);
        size += more;
        size_t used = mcp_lines_split(&l, (struct span){kept, size}, seen);
        assert_true(used <= size);
        memmove(kept, kept + used, size - used);
        size -= used;
        assert_true(size <= 8 + 2 + step); // nothing is hoarded
    }
}

static void lines_are_the_same_however_they_come(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *lines;
    } cases[] = {
        {"a\nbc\n", "a|bc|"},
        {"a\r\n\r\n \t\n\nb\n", "a|b|"}, // G2.1: CR tolerated, empty lines ignored
        {"12345678\n", "12345678|"},     // at the limit
        {"12345678\r\nx\n", "12345678|x|"},
        {"123456789\nx\n", "!x|"},                   // G2.2: one above it
        {"123456789abcdefghijklm\nx\ny\n", "!x|y|"}, // the rest is thrown away, what follows is read
        {"no end", ""},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t step = 1; step < 30; step++) {
            struct reader r = {.stop_after = 100};
            feed(&r, cases[i].text, step);
            if (strcmp(r.got, cases[i].lines) != 0)
                fail_msg("%s by %zu gives %s", cases[i].text, step, r.got);
        }
}

static void who_does_not_want_more_gets_no_more(void **unused)
{
    (void)unused;
    struct reader r = {.stop_after = 1};
    struct mcp_lines l = {8, &r, on_line, on_too_long, go_on, false};
    assert_int_equal(mcp_lines_split(&l, SPAN("a\nb\nc\n"), 0), 2);
    r.stop_after = 5;
    assert_int_equal(mcp_lines_split(&l, SPAN("b\nc\n"), 0), 4);
    assert_string_equal(r.got, "a|b|c|");
}

// --- events

static void events_are_found_again(void **unused)
{
    (void)unused;
    struct mcp_events e = {0};
    assert_null(mcp_events_after(&e, 0, 0));
    assert_true(mcp_events_add(&e, 3, 1, SPAN("one"), 0));
    assert_true(mcp_events_add(&e, 0, 2, SPAN("two"), 0));
    assert_true(mcp_events_add(&e, 3, 3, SPAN("three"), 0));
    assert_int_equal(mcp_events_after(&e, 3, 0)->number, 1); // G7.7: of that stream alone
    assert_int_equal(mcp_events_after(&e, 3, 1)->number, 3);
    assert_null(mcp_events_after(&e, 3, 3));
    assert_int_equal(mcp_events_after(&e, 0, 0)->number, 2);
    mcp_events_release(&e);
}

static void only_so_many_events_are_kept(void **unused)
{
    (void)unused;
    struct mcp_events e = {0};
    for (uint64_t i = 1; i <= 300; i++)
        mcp_events_add(&e, 0, i, SPAN("x"), 0);
    assert_int_equal(mcp_events_after(&e, 0, 0)->number, 300 - MCP_EVENTS_KEPT + 1); // G7.6: the oldest are dropped
    mcp_events_release(&e);
    char *big = calloc(1, 5 << 20);
    for (uint64_t i = 1; i <= 5; i++)
        mcp_events_add(&e, 0, i, (struct span){big, 5 << 20}, 0);
    assert_true(e.bytes <= MCP_EVENTS_BYTES);
    assert_int_equal(mcp_events_after(&e, 0, 0)->number, 3);
    free(big);
    mcp_events_release(&e);
}

static void old_events_are_forgotten(void **unused)
{
    (void)unused;
    struct mcp_events e = {0};
    mcp_events_add(&e, 5, 1, SPAN("answer"), 0);
    mcp_events_add(&e, 0, 2, SPAN("note"), 10);
    mcp_events_expire(&e, 0, MCP_EVENTS_US - 1);
    assert_non_null(mcp_events_after(&e, 5, 0));
    mcp_events_expire(&e, 0, MCP_EVENTS_US); // G7.7
    assert_null(mcp_events_after(&e, 5, 0));
    mcp_events_expire(&e, 1, MCP_EVENTS_US + 10); // nobody has had it yet
    assert_non_null(mcp_events_after(&e, 0, 0));
    mcp_events_expire(&e, 2, MCP_EVENTS_US + 10);
    assert_null(mcp_events_after(&e, 0, 0));
    mcp_events_release(&e);
}

static void ids_come_back(void **unused)
{
    (void)unused;
    static const struct {
        const char *id;
        bool good;
        uint64_t stream, number;
    } cases[] = {
        {"0_0", true, 0, 0},      {"7_12", true, 7, 12},
        {"7_12_99", true, 7, 12}, {"", false, 0, 0},
        {"7", false, 0, 0},       {"7_", false, 0, 0},
        {"_7", false, 0, 0},      {"a_1", false, 0, 0},
        {"1_-1", false, 0, 0},    {"1_99999999999999999999", false, 0, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t stream = 0, number = 0;
        assert_int_equal(mcp_event_parse_id(span_of(cases[i].id), &stream, &number), cases[i].good);
        if (cases[i].good) {
            assert_int_equal(stream, cases[i].stream);
            assert_int_equal(number, cases[i].number);
        }
    }
}

static void events_are_written_as_the_standard_has_it(void **unused)
{
    (void)unused;
    char bytes[256];
    struct text t = text_on(bytes, sizeof bytes - 1);
    mcp_event_write(&t, &(struct mcp_event){.stream = 4, .number = 9, .text = SPAN("{}")});
    mcp_event_write(&t, &(struct mcp_event){.stream = 4, .number = 9, .prime = 2});
    bytes[t.size] = 0;
    assert_string_equal(bytes, "id: 4_9\nevent: message\ndata: {}\n\nid: 4_9_2\ndata: \n\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_the_same_however_they_come),
        cmocka_unit_test(who_does_not_want_more_gets_no_more),
        cmocka_unit_test(events_are_found_again),
        cmocka_unit_test(only_so_many_events_are_kept),
        cmocka_unit_test(old_events_are_forgotten),
        cmocka_unit_test(ids_come_back),
        cmocka_unit_test(events_are_written_as_the_standard_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The bytes of a bundle (S51), and what is refused.
#include "cluster/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct bundle head = {.from = 7, .to = 0x0102030405060708, .first = 3, .handled = 9, .count = 1};

static struct text write_one(char *room, size_t size)
{
    struct text t = text_on(room, size);
    struct entry e = {
        .kind = ENTRY_ASK,
        .seat = 1,
        .agent = 0x1122,
        .conn = 0x33,
        .id = {{0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf}},
        .ask = 5,
        .payload = SPAN("{}")};
    bundle_put_head(&t, &head);
    entry_put(&t, &e);
    return t;
}

// S51: every byte.
static void a_bundle_is_these_bytes(void **state)
{
    static const char hex[] = "41474231"         // AGB1
                              "0700000000000000" // from
                              "0807060504030201" // to
                              "0300000000000000" // first
                              "0900000000000000" // handled
                              "0100"             // entries
                              "0000"             // minor version
                              "02000000"         // length
                              "02"
                              "00"
                              "0100"             // kind, flags, seat
                              "2211000000000000" // agent
                              "3300000000000000" // connection
                              "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"
                              "05000000" // ask
                              "7b7d";
    char room[256], want[256];
    (void)state;
    struct text t = write_one(room, sizeof room);
    assert_int_equal(t.size, (sizeof hex - 1) / 2);
    assert_true(text_read_hex(span_of(hex), want, t.size));
    assert_memory_equal(room, want, t.size);
}

static void what_is_written_is_read(void **state)
{
    char room[256];
    struct bundle h;
    struct bundle_reader r;
    struct entry e;
    (void)state;
    struct text t = write_one(room, sizeof room);
    assert_int_equal(bundle_open(&r, text_span(&t), &h), OK);
    assert_true(h.from == head.from && h.to == head.to && h.first == 3 && h.handled == 9 && h.count == 1 &&
                h.minor == 0);
    assert_true(bundle_next(&r, &e));
    assert_true(e.kind == ENTRY_ASK && e.flags == 0 && e.seat == 1 && e.agent == 0x1122 && e.conn == 0x33 &&
                e.ask == 5);
    assert_int_equal(e.id.byte[15], 0xaf);
    assert_true(span_is(e.payload, "{}"));
    assert_false(bundle_next(&r, &e));
}

// A bundle is whole or nothing of it is used. Each row changes one byte of a sound one, or its length.
static void what_is_not_whole_is_refused(void **state)
{
    static const struct {
        int at;        // byte, or -1
        uint8_t value; // becomes
        int more;      // bytes at the end
        int err;
    } cases[] = {
        {-1, 0, 0, OK},
        {0, 'B', 0, ERR_FORMAT},   // another magic
        {3, '2', 0, ERR_VERSION},  // another major version
        {4, 0, 0, ERR_FORMAT},     // from nobody
        {28, 0, 0, ERR_FORMAT},    // handled below the first number
        {27, 0xff, 0, ERR_FORMAT}, // a number that cannot be
        {35, 0xff, 0, ERR_FORMAT}, // likewise
        {36, 0, 0, ERR_FORMAT},    // an entry that is not counted
        {36, 2, 0, ERR_FORMAT},    // one that is not there
        {38, 9, 0, OK},            // a later minor version (S63)
        {40, 1, 0, ERR_FORMAT},    // its payload is shorter
        {40, 3, 0, ERR_FORMAT},    // longer
        {43, 0xff, 0, ERR_FORMAT}, // longer than anything
        {44, 99, 0, OK},           // a kind of later (S63)
        {-1, 0, -1, ERR_FORMAT},
        {-1, 0, -60, ERR_FORMAT},
        {-1, 0, 1, ERR_FORMAT},
        {-1, 0, BUNDLE_MAX, ERR_TOO_LONG},
    };
    struct bundle h = {0};
    struct bundle_reader r;
    char *room = calloc(1, BUNDLE_MAX + 256);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text t = write_one(room, 256);
        if (cases[i].at >= 0)
            room[cases[i].at] = (char)cases[i].value;
        struct span bytes = {room, t.size + (size_t)cases[i].more};
        int err = bundle_open(&r, bytes, &h);
        if (err != cases[i].err)
            fail_msg("row %zu: %d, not %d", i, err, cases[i].err);
    }
    free(room);
}

static void a_node_listens_to_its_epoch(void **state)
{
    char subject[LINKS_SUBJECT];
    (void)state;
    links_subject(subject, (const uint8_t[]){0x8f, 0x3a, 0x21, 0xbc}, 7);
    assert_string_equal(subject, "agon.8f3a21bc.1.n.7");
    links_subject(subject, (const uint8_t[]){0, 0, 0, 1}, UINT64_MAX);
    assert_string_equal(subject, "agon.00000001.1.n.18446744073709551615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bundle_is_these_bytes),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_not_whole_is_refused),
        cmocka_unit_test(a_node_listens_to_its_epoch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

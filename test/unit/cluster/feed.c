// A gateway's place in what a host publishes of a match (S48): what is taken, dropped, and asked for again.
#include "cluster/feed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { ME = 3, HOST = 7, OTHER = 9 };

static void messages_are_read_as_written(void **state)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes);
    struct feed_message m = {.kind = FEED_MORE,
                             .flags = FEED_PARTIAL,
                             .live = {{1, 2, 3}},
                             .owner = {{4, 5, 6}},
                             .to = 1ull << 40,
                             .number = 1ull << 50,
                             .first = 70000,
                             .seq = 70002,
                             .watchers = 9},
                        got;
    char frames[64];
    struct text body = text_on(frames, sizeof frames);
    struct span frame;
    (void)state;
    feed_put_frame(&body, SPAN("{\"one\":1}"));
    feed_put_frame(&body, SPAN(""));
    feed_put_frame(&body, SPAN("two"));
    m.body = text_span(&body);
    feed_put(&t, &m);
    assert_true(feed_read(text_span(&t), &got));
    assert_true(uuid_equals(got.live, m.live) && uuid_equals(got.owner, m.owner));
    assert_true(got.to == m.to && got.number == m.number && got.first == m.first && got.seq == m.seq);
    assert_int_equal(got.watchers, 9);
    assert_int_equal(got.flags, FEED_PARTIAL);
    assert_true(feed_next(&got.body, &frame) && span_is(frame, "{\"one\":1}"));
    assert_true(feed_next(&got.body, &frame) && frame.size == 0);
    assert_true(feed_next(&got.body, &frame) && span_is(frame, "two"));
    assert_false(feed_next(&got.body, &frame));
    for (size_t cut = 0; cut < t.size; cut++) { // whatever is cut off, nothing beyond is read
        struct span part = {bytes, cut};
        bool whole = feed_read(part, &got);
        while (whole && feed_next(&got.body, &frame))
            assert_true(frame.at + frame.size <= bytes + cut);
    }
    bytes[0] = 0;
    assert_false(feed_read(text_span(&t), &got));
    bytes[0] = FEED_KINDS;
    assert_false(feed_read(text_span(&t), &got));
}

// A history, message by message: what a place makes of it.
static void places_move_as_they_should(void **state)
{
    static const struct {
        struct feed_message m;
        uint64_t from;
        enum feed_verdict verdict;
        uint32_t seq, skip;
        bool synced;
    } rows[] = {
        {{.kind = FEED_FRAME, .type = FEED_EVENT, .number = 4, .seq = 4}, HOST, FEED_DROP, 0, 0, false}, // no picture
        {{.kind = FEED_PICTURE, .number = 4, .seq = 4}, OTHER, FEED_DROP, 0, 0, false},
        {{.kind = FEED_PICTURE, .number = 4, .seq = 4}, HOST, FEED_TAKE, 4, 0, true},
        {{.kind = FEED_FRAME, .type = FEED_EVENT, .number = 4, .seq = 4}, HOST, FEED_DROP, 4, 0, true}, // in it
        {{.kind = FEED_FRAME, .type = FEED_EVENT, .number = 5, .seq = 5}, HOST, FEED_TAKE, 5, 0, true},
        {{.kind = FEED_FRAME, .type = FEED_EVENT, .number = 5, .seq = 5}, HOST, FEED_DROP, 5, 0, true}, // twice
        {{.kind = FEED_FRAME, .type = FEED_ASIDE, .number = 6, .seq = 5}, HOST, FEED_TAKE, 5, 0, true},
        {{.kind = FEED_HERE, .number = 6, .seq = 5}, HOST, FEED_DROP, 5, 0, true},
        {{.kind = FEED_PICTURE, .number = 6, .seq = 5}, HOST, FEED_TAKE, 5, 0, true}, // for newcomers
        {{.kind = FEED_PICTURE, .number = 5, .seq = 5}, HOST, FEED_DROP, 5, 0, true},
        {{.kind = FEED_FRAME, .type = FEED_EVENT, .number = 8, .seq = 7}, HOST, FEED_GAP, 5, 0, false},
        {{.kind = FEED_FRAME, .type = FEED_EVENT, .number = 9, .seq = 8}, HOST, FEED_DROP, 5, 0, false},
        {{.kind = FEED_PICTURE, .number = 9, .seq = 8}, HOST, FEED_DROP, 5, 0, false}, // it would skip events
        {{.kind = FEED_MORE, .to = OTHER, .first = 5, .number = 9, .seq = 8}, HOST, FEED_DROP, 5, 0, false},
        {{.kind = FEED_MORE, .to = ME, .first = 6, .number = 9, .seq = 8}, HOST, FEED_DROP, 5, 0, false},
        {{.kind = FEED_MORE, .flags = FEED_PARTIAL, .to = ME, .first = 4, .number = 9, .seq = 7},
         HOST,
         FEED_TAKE,
         7,
         1,
         false},
        {{.kind = FEED_MORE, .to = ME, .first = 7, .number = 9, .seq = 8}, HOST, FEED_TAKE, 8, 0, true},
        {{.kind = FEED_HERE, .number = 10, .seq = 9}, HOST, FEED_GAP, 8, 0, false}, // the tail was lost
        {{.kind = FEED_MORE, .to = ME, .first = 8, .number = 10, .seq = 9}, HOST, FEED_TAKE, 9, 0, true},
        {{.kind = FEED_MORE, .to = ME, .first = 2, .number = 10, .seq = 9}, HOST, FEED_TAKE, 9, 0, true}, // for one
        {{.kind = FEED_MORE, .to = ME, .first = 2, .number = 12, .seq = 10}, HOST, FEED_GAP, 9, 0, false},
        {{.kind = FEED_MORE, .to = ME, .first = 9, .number = 12, .seq = 10}, HOST, FEED_TAKE, 10, 0, true},
        {{.kind = FEED_PICTURE, .number = 12, .seq = 11}, HOST, FEED_GAP, 10, 0, false}, // it would skip one, too
        {{.kind = FEED_MORE, .to = ME, .first = 10, .number = 12, .seq = 11}, HOST, FEED_TAKE, 11, 0, true},
        {{.kind = FEED_PICTURE, .number = 12, .seq = 11}, HOST, FEED_TAKE, 11, 0, true},
    };
    struct feed_place p = {.host = HOST};
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t skip;
        assert_int_equal(feed_judge(&p, ME, rows[i].from, &rows[i].m, &skip), rows[i].verdict);
        assert_int_equal(p.seq, rows[i].seq);
        assert_int_equal(skip, rows[i].skip);
        assert_int_equal(p.synced, rows[i].synced);
    }
}

// Another host counts anew, and its clock may be behind: no event is shown twice.
static void another_host_repeats_nothing(void **state)
{
    struct feed_place p = {.host = OTHER, .number = 40, .seq = 20, .begun = true};
    uint32_t skip;
    struct feed_message more = {.kind = FEED_MORE, .to = ME, .first = 20, .number = 2, .seq = 18};
    struct feed_message event = {.kind = FEED_FRAME, .type = FEED_EVENT, .number = 3, .seq = 19};
    (void)state;
    assert_int_equal(feed_judge(&p, ME, OTHER, &more, &skip), FEED_TAKE);
    assert_int_equal(skip, 0);
    for (uint32_t seq = 19; seq <= 22; seq++, event.number++) {
        event.seq = seq;
        assert_int_equal(feed_judge(&p, ME, OTHER, &event, &skip), seq <= 20 ? FEED_DROP : FEED_TAKE);
    }
    assert_int_equal(p.seq, 22);
    event.seq = 24; // one is missing, though the numbers have no gap
    assert_int_equal(feed_judge(&p, ME, OTHER, &event, &skip), FEED_GAP);
}

// Whoever has seen something elsewhere needs no picture.
static void events_are_a_beginning(void **state)
{
    struct feed_place p = {.host = HOST};
    uint32_t skip;
    struct feed_message more = {.kind = FEED_MORE, .flags = FEED_PARTIAL, .to = ME, .first = 3, .number = 9, .seq = 5};
    (void)state;
    assert_int_equal(feed_judge(&p, ME, HOST, &more, &skip), FEED_TAKE);
    assert_false(p.begun || p.synced);
    more.flags = 0;
    more.first = 5;
    more.seq = 8;
    assert_int_equal(feed_judge(&p, ME, HOST, &more, &skip), FEED_TAKE);
    assert_true(p.begun && p.synced);
    assert_int_equal(p.seq, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_read_as_written),
        cmocka_unit_test(places_move_as_they_should),
        cmocka_unit_test(another_host_repeats_nothing),
        cmocka_unit_test(events_are_a_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

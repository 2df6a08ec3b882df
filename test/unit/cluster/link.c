// Links between nodes (S52, S53, S57): what arrives, what is sent again, what is lost and said to be.
#include "cluster/links.h"

#include "base/rng.h"
#include "heap/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FLIGHT = 256 };

// Two nodes, what they have heard, and bundles on their way.
struct flight {
    char *at;
    size_t size;
};

struct end {
    struct link link;
    char heard[4096]; // words, in the order in which they came
    size_t heard_size;
    uint64_t count, bytes; // of them
    struct flight flight[FLIGHT];
    int flying;
    bool counts; // words are not kept
};

static struct end a, b;
static int64_t now;
static char *bundle_room;

static void keep_word(struct end *x, struct span word)
{
    if (x->heard_size + word.size + 1 < sizeof x->heard) {
        memcpy(x->heard + x->heard_size, word.at, word.size);
        x->heard_size += word.size;
        x->heard[x->heard_size++] = ' ';
        x->heard[x->heard_size] = 0;
    }
    x->count++;
    x->bytes += word.size;
}

static void on_entry(void *owner, const struct entry *e)
{
    struct end *x = owner;
    uint64_t number;
    if (!x->counts) {
        keep_word(x, e->payload);
        return;
    }
    assert_true(e->payload.size >= sizeof number); // its first bytes are its number
    memcpy(&number, e->payload.at, sizeof number);
    assert_int_equal(number, x->count);
    x->count++;
    x->bytes += e->payload.size;
}

static void on_reset(void *owner)
{
    assert_false(((struct end *)owner)->counts);
    keep_word(owner, SPAN("RESET"));
}

static const struct link_handler handler = {.on_entry = on_entry, .on_reset = on_reset};

static int set_up(void **state)
{
    (void)state;
    now = 1000000;
    bundle_room = malloc(BUNDLE_MAX);
    a = (struct end){0};
    b = (struct end){0};
    link_init(&a.link, 1, 2, heap_text_grow, now);
    link_init(&b.link, 2, 1, heap_text_grow, now);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct end *x = i ? &b : &a;
        free(x->link.kept.at);
        free(x->link.parts.at);
        while (x->flying > 0)
            free(x->flight[--x->flying].at);
    }
    free(bundle_room);
    return 0;
}

static bool put(struct end *x, const char *word)
{
    return link_put(&x->link, &(struct entry){.kind = ENTRY_FRAME, .payload = span_of(word)}, now);
}

// One bundle leaves; false: there is none.
static bool leave(struct end *x)
{
    struct text out = text_on(bundle_room, BUNDLE_MAX);
    if (!link_write_bundle(&x->link, now, &out))
        return false;
    assert_false(out.full);
    assert_true(x->flying < FLIGHT);
    char *copy = malloc(out.size);
    memcpy(copy, out.at, out.size);
    x->flight[x->flying++] = (struct flight){copy, out.size};
    return true;
}

static void lose(struct end *x, int which)
{
    assert_true(which < x->flying);
    free(x->flight[which].at);
    x->flying--;
    memmove(&x->flight[which], &x->flight[which + 1], (size_t)(x->flying - which) * sizeof *x->flight);
}

static void arrive(struct end *from, int which, bool twice)
{
    struct end *to = from == &a ? &b : &a;
    struct flight f = from->flight[which];
    for (int i = 0; i <= twice; i++)
        assert_int_equal(link_receive(&to->link, (struct span){f.at, f.size}, now, &handler, to), OK);
    lose(from, which);
}

// All that is said arrives, until there is nothing.
static void settle(void)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (int i = 0; i < 2; i++) {
            struct end *x = i ? &b : &a;
            while (leave(x))
                moved = true;
            while (x->flying > 0)
                arrive(x, 0, false);
        }
    }
}

static void pass(int64_t ms)
{
    for (; ms > 0; ms -= 50) {
        now += 50;
        settle();
    }
}

static void entries_arrive_in_order_and_once(void **state)
{
    (void)state;
    put(&a, "one");
    put(&a, "two");
    put(&b, "eins");
    settle();
    put(&a, "three");
    settle();
    assert_string_equal(b.heard, "one two three ");
    assert_string_equal(a.heard, "eins ");
    pass(LINK_BEAT_MS);
    assert_int_equal(a.link.first, 4); // all of them are acknowledged, so nothing is kept
    assert_int_equal(a.link.kept.size, a.link.dead);
    assert_int_equal(a.link.figures.repeated + b.link.figures.repeated, 0);
}

static void a_turn_is_one_bundle(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        put(&a, "word");
    assert_true(leave(&a));
    assert_false(leave(&a));
    arrive(&a, 0, false);
    assert_int_equal(b.count, 100);
}

// S57: a lost bundle is noticed by the gap, and comes again.
static void a_lost_bundle_is_sent_again(void **state)
{
    (void)state;
    put(&a, "one");
    leave(&a);
    lose(&a, 0);
    put(&a, "two");
    settle();
    assert_string_equal(b.heard, "one two ");
    assert_int_equal(b.link.figures.gaps, 1);
    assert_int_equal(a.link.figures.repeated, 2);
}

// S52: nothing follows the lost one, so the beat tells.
static void a_lost_tail_is_noticed_within_500_ms(void **state)
{
    (void)state;
    put(&a, "one");
    put(&a, "last");
    leave(&a);
    lose(&a, 0);
    pass(LINK_BEAT_MS - 50);
    assert_string_equal(b.heard, "");
    pass(50);
    assert_string_equal(b.heard, "one last ");
}

// Both wait for an entry of the other's, and what they say of it must not wait behind it.
static void two_gaps_at_once_heal(void **state)
{
    (void)state;
    put(&a, "one"), put(&b, "eins");
    leave(&a), leave(&b);
    lose(&a, 0), lose(&b, 0);
    put(&a, "two"), put(&b, "zwei");
    settle();
    assert_string_equal(b.heard, "one two ");
    assert_string_equal(a.heard, "eins zwei ");
}

static void late_and_doubled_bundles_change_nothing(void **state)
{
    (void)state;
    put(&a, "one");
    leave(&a);
    put(&a, "two");
    leave(&a);
    arrive(&a, 1, true); // before the first
    arrive(&a, 0, true);
    settle();
    assert_string_equal(b.heard, "one two ");
}

static void an_unused_link_falls_silent(void **state)
{
    (void)state;
    put(&a, "one");
    settle();
    pass(LINK_USED_MS + LINK_BEAT_MS);
    uint64_t before = a.link.figures.bundles + b.link.figures.bundles;
    assert_true(before > 2 * (LINK_USED_MS / LINK_BEAT_MS - 2));
    pass(60000);
    assert_int_equal(a.link.figures.bundles + b.link.figures.bundles, before);
    assert_true(link_due(&a.link) == INT64_MAX && link_due(&b.link) == INT64_MAX);
}

// Every acknowledgement is lost until the peer has fallen silent: an entry makes it speak again.
static void a_lost_acknowledgement_is_found(void **state)
{
    (void)state;
    put(&a, "one");
    leave(&a);
    arrive(&a, 0, false);
    for (int64_t until = now + LINK_USED_MS; now <= until; now += LINK_BEAT_MS) {
        while (leave(&b))
            lose(&b, b.flying - 1);
        while (leave(&a))
            lose(&a, a.flying - 1);
    }
    assert_int_equal(link_due(&b.link), INT64_MAX);
    assert_int_equal(a.link.first, 1);
    pass(2 * LINK_BEAT_MS);
    assert_int_equal(a.link.first, 2);
    assert_string_equal(b.heard, "one ");
}

static void much_is_acknowledged_without_waiting(void **state)
{
    (void)state;
    for (int i = 0; i < LINK_HANDLED_MOST; i++)
        put(&a, "w");
    leave(&a);
    arrive(&a, 0, false);
    assert_int_equal(link_due(&b.link), INT64_MIN);
    settle();
    assert_int_equal(a.link.first, LINK_HANDLED_MOST + 1);
}

// --- what is lost for good (S53)

static bool put_much(struct end *x, size_t size)
{
    char *bytes = calloc(1, size);
    memcpy(bytes, "much", 4);
    bool kept = link_put(&x->link, &(struct entry){.kind = ENTRY_FRAME, .payload = {bytes, size}}, now);
    free(bytes);
    return kept;
}

static void fill(struct end *x)
{
    while (put_much(x, 1 << 20))
        while (leave(x))
            lose(x, 0);
}

static void more_than_8_mib_reset_the_link(void **state)
{
    (void)state;
    put(&a, "one");
    settle();
    fill(&a);
    assert_int_equal(a.link.kept.size, 0);
    uint64_t next = a.link.next;
    assert_true(next > 8);
    put(&a, "after");
    settle();
    assert_string_equal(b.heard, "one RESET after ");
    assert_int_equal(b.link.expected, next + 1);
    pass(LINK_BEAT_MS);
    assert_int_equal(a.link.first, a.link.next);
}

static void a_lost_reset_is_told_again(void **state)
{
    (void)state;
    fill(&a);
    while (leave(&a))
        lose(&a, 0);
    put(&a, "after");
    settle();
    assert_string_equal(b.heard, "RESET after ");
}

// A reset that comes late does not skip what came meanwhile.
static void a_late_reset_changes_nothing(void **state)
{
    (void)state;
    fill(&a);
    leave(&a); // the reset
    put(&a, "after");
    leave(&a);
    arrive(&a, 1, false);
    assert_true(leave(&b)); // again
    arrive(&b, 0, false);
    while (leave(&a))
        arrive(&a, 1, false);
    assert_string_equal(b.heard, "RESET after ");
    put(&a, "more");
    leave(&a);
    arrive(&a, 1, false);
    arrive(&a, 0, false);
    assert_string_equal(b.heard, "RESET after more ");
}

// What the peer has not handled of a kind is taken back, and its number is used all the same.
static void what_is_forgotten_is_not_heard(void **state)
{
    (void)state;
    put(&a, "one");
    link_put(&a.link, &(struct entry){.kind = ENTRY_SAY, .payload = SPAN("say")}, now);
    put(&a, "two");
    link_withdraw(&a.link, ENTRY_SAY);
    settle();
    assert_string_equal(b.heard, "one two ");
    assert_int_equal(b.link.expected, 4);
}

// --- messages

static void a_long_message_is_one(void **state)
{
    static const size_t sizes[] = {ENTRY_MOST - 1, ENTRY_MOST, ENTRY_MOST + 1, 2 * ENTRY_MOST, 3 << 19, LINK_MESSAGE};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        b.count = b.bytes = 0;
        put(&a, "x");
        assert_true(put_much(&a, sizes[i]));
        put(&a, "y");
        settle();
        assert_int_equal(b.count, 3);
        assert_int_equal(b.bytes, sizes[i] + 2);
        pass(LINK_BEAT_MS);
    }
    assert_int_equal(a.link.figures.resets, 0);
}

// A bundle in the middle of it is lost.
static void a_long_message_survives_a_loss(void **state)
{
    (void)state;
    put_much(&a, 3 << 19);
    while (leave(&a))
        continue;
    assert_true(a.flying >= 6);
    lose(&a, 2);
    while (a.flying > 0)
        arrive(&a, 0, false);
    assert_int_equal(b.count, 0);
    settle();
    assert_int_equal(b.count, 1);
    assert_int_equal(b.bytes, 3 << 19);
}

static void send_raw(uint64_t first, const struct entry *e, int count)
{
    struct text t = text_on(bundle_room, BUNDLE_MAX);
    bundle_put_head(&t, &(struct bundle){1, 2, first, 1, (uint16_t)count, BUNDLE_MINOR + 1});
    for (int i = 0; i < count; i++)
        entry_put(&t, &e[i]);
    assert_int_equal(link_receive(&b.link, text_span(&t), now, &handler, &b), OK);
}

// S63: kinds of a later minor version, and the link's own among numbered ones.
static void unknown_kinds_are_skipped(void **state)
{
    const struct entry list[] = {{.kind = ENTRY_KINDS, .payload = SPAN("new")},
                                 {.kind = 255, .payload = SPAN("new")},
                                 {.kind = ENTRY_AGAIN, .payload = SPAN("12345678")},
                                 {.kind = ENTRY_RESET, .payload = SPAN("12345678")},
                                 {.kind = ENTRY_NOTHING},
                                 {.kind = ENTRY_FRAME, .payload = SPAN("old")}};
    (void)state;
    send_raw(1, list, 6);
    assert_string_equal(b.heard, "old ");
    assert_int_equal(b.link.expected, 7);
    assert_int_equal(b.link.minor, BUNDLE_MINOR + 1);
}

// A peer that never ends a message costs no more than LINK_MESSAGE.
static void an_endless_message_is_skipped(void **state)
{
    char *bytes = calloc(1, 200000);
    struct entry part = {.kind = ENTRY_FRAME, .flags = ENTRY_MORE, .payload = {bytes, 200000}};
    struct entry last = {.kind = ENTRY_FRAME, .payload = SPAN("end")},
                 next = {.kind = ENTRY_FRAME, .payload = SPAN("next")};
    (void)state;
    for (uint64_t i = 1; i <= 20; i++)
        send_raw(i, &part, 1);
    send_raw(21, &last, 1);
    send_raw(22, &next, 1);
    assert_string_equal(b.heard, "next ");
    assert_true(b.link.parts.room <= 2 * LINK_MESSAGE);
    free(bytes);
}

static void what_is_for_others_is_dropped(void **state)
{
    static const struct bundle heads[] = {{9, 2, 1, 1, 0, 0}, {1, 9, 1, 1, 0, 0}, {1, 2, 1, 7, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct text t = text_on(bundle_room, BUNDLE_MAX);
        bundle_put_head(&t, &heads[i]);
        assert_int_equal(link_receive(&b.link, text_span(&t), now, &handler, &b), ERR_UNKNOWN);
    }
}

// --- any way

static struct rng dice;

static uint32_t draw(uint32_t below)
{
    return (uint32_t)rng_below(&dice, below);
}

static void put_next(struct end *x, uint64_t *count)
{
    uint64_t payload[40] = {*count};
    size_t size = 8 + draw(300);
    assert_true(link_put(&x->link, &(struct entry){.kind = ENTRY_FRAME, .payload = {(char *)payload, size}}, now));
    ++*count;
}

// Loss, doubling, another order and delay, by a fixed seed: all arrive once, in order.
static void whatever_happens_all_arrive(void **state)
{
    uint64_t sent[2] = {0, 0};
    (void)state;
    dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){52});
    a.counts = b.counts = true;
    for (int step = 0; step < 20000; step++) {
        struct end *x = draw(2) ? &a : &b;
        now += draw(20);
        if (draw(3) == 0)
            put_next(x, &sent[x == &b]);
        if (draw(2) == 0 && x->flying < FLIGHT - 8)
            while (leave(x) && x->flying < FLIGHT - 8)
                continue;
        if (x->flying == 0)
            continue;
        int which = draw(8) ? 0 : (int)draw((uint32_t)x->flying);
        if (draw(5) == 0)
            lose(x, which);
        else
            arrive(x, which, draw(6) == 0);
    }
    pass(3 * LINK_BEAT_MS);
    assert_int_equal(b.count, sent[0]);
    assert_int_equal(a.count, sent[1]);
    assert_true(sent[0] > 3000 && a.link.figures.repeated > 100);
    assert_int_equal(a.link.figures.resets + b.link.figures.resets, 0);
    assert_int_equal(a.link.first, a.link.next);
}

// --- all links of a node

static struct {
    struct links links;
    char out[BUNDLE_MAX];
    int sent, resets;
    uint64_t to[16], dead;
    char heard[64];
} node;

static void send_bundle(void *owner, uint64_t peer, struct span bundle)
{
    (void)owner, (void)bundle;
    node.to[node.sent++] = peer;
}

static bool is_live(void *owner, uint64_t epoch)
{
    (void)owner;
    return epoch != node.dead;
}

static void hear_of(void *owner, uint64_t peer, const struct entry *e)
{
    (void)owner;
    snprintf(node.heard, sizeof node.heard, "%d:%.*s", (int)peer, (int)e->payload.size, e->payload.at);
}

static void hear_reset(void *owner, uint64_t peer, bool ours)
{
    (void)owner;
    assert_true(peer == 2 && ours);
    node.resets++;
}

static const struct links_owner owner = {
    .send = send_bundle, .is_live = is_live, .on_entry = hear_of, .on_reset = hear_reset};

static int open_node(void **state)
{
    (void)state;
    now = 1000000;
    memset(&node, 0, sizeof node);
    links_init(&node.links, 1, &owner, NULL, node.out, heap_text_grow);
    return 0;
}

static int close_node(void **state)
{
    struct link l;
    (void)state;
    while (node.links.count && links_end(&node.links, node.links.at[0].peer, &l)) {
        free(l.kept.at);
        free(l.parts.at);
    }
    return 0;
}

static bool say(uint64_t peer, const char *word)
{
    return links_put(&node.links, peer, &(struct entry){.kind = ENTRY_FRAME, .payload = span_of(word)}, now);
}

static void each_peer_gets_one_bundle_a_turn(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_true(say(2, "x") && say(3, "y"));
    assert_int_equal(links_due(&node.links), INT64_MIN);
    links_flush(&node.links, now);
    assert_int_equal(node.sent, 2);
    assert_true(node.to[0] == 2 && node.to[1] == 3);
    assert_int_equal(links_due(&node.links), now + LINK_BEAT_MS);
    assert_false(say(1, "myself"));
}

static void hear_from(uint64_t from, uint64_t to, const char *word)
{
    char room[256];
    struct text t = text_on(room, sizeof room);
    bundle_put_head(&t, &(struct bundle){from, to, 1, 1, 1, 0});
    entry_put(&t, &(struct entry){.kind = ENTRY_FRAME, .payload = span_of(word)});
    links_receive(&node.links, text_span(&t), now);
}

// S53: what a node says that was taken over goes nowhere.
static void an_epoch_that_is_gone_is_not_heard(void **state)
{
    struct link l;
    (void)state;
    node.dead = 7;
    hear_from(7, 1, "late");
    assert_string_equal(node.heard, "");
    assert_false(say(7, "x"));
    hear_from(8, 1, "hello");
    assert_string_equal(node.heard, "8:hello");
    node.dead = 8;
    assert_true(links_end(&node.links, 8, &l));
    assert_false(links_end(&node.links, 8, &l));
    hear_from(8, 1, "late");
    hear_from(9, 2, "not for us");
    assert_string_equal(node.heard, "8:hello");
    assert_int_equal(node.links.lost, 3);
}

static void a_reset_is_told_to_the_owner(void **state)
{
    static char much[1 << 20];
    (void)state;
    struct entry e = {.kind = ENTRY_FRAME, .payload = {much, sizeof much}};
    assert_int_equal(links_room(&node.links, 2), LINK_KEPT);
    while (links_put(&node.links, 2, &e, now))
        continue;
    assert_int_equal(node.resets, 0); // not from within a put
    assert_int_equal(links_room(&node.links, 2), LINK_KEPT);
    links_flush(&node.links, now);
    assert_int_equal(node.resets, 1);
    assert_int_equal(node.sent, 1);
}

int main(void)
{
#define LINK(test)  cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define LINKS(test) cmocka_unit_test_setup_teardown(test, open_node, close_node)
    const struct CMUnitTest tests[] = {
        LINK(entries_arrive_in_order_and_once),
        LINK(a_turn_is_one_bundle),
        LINK(a_lost_bundle_is_sent_again),
        LINK(a_lost_tail_is_noticed_within_500_ms),
        LINK(two_gaps_at_once_heal),
        LINK(late_and_doubled_bundles_change_nothing),
        LINK(an_unused_link_falls_silent),
        LINK(a_lost_acknowledgement_is_found),
        LINK(much_is_acknowledged_without_waiting),
        LINK(more_than_8_mib_reset_the_link),
        LINK(a_lost_reset_is_told_again),
        LINK(a_late_reset_changes_nothing),
        LINK(what_is_forgotten_is_not_heard),
        LINK(a_long_message_is_one),
        LINK(a_long_message_survives_a_loss),
        LINK(unknown_kinds_are_skipped),
        LINK(an_endless_message_is_skipped),
        LINK(what_is_for_others_is_dropped),
        LINK(whatever_happens_all_arrive),
        LINKS(each_peer_gets_one_bundle_a_turn),
        LINKS(an_epoch_that_is_gone_is_not_heard),
        LINKS(a_reset_is_told_to_the_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

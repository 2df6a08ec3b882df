#include "net/admission.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <string.h>

static struct admission *open_with(struct admission_options o)
{
    o.max_connections = o.max_connections ? o.max_connections : 100;
    return admission_open(&o);
}

static struct address of(const char *text)
{
    struct address a;
    assert_true(address_read(&a, span_of(text)));
    return a;
}

static uint64_t client(const struct admission *a, const char *text)
{
    struct address from = of(text);
    return admission_client(a, &from);
}

// --- addresses

static void addresses_are_read(void **unused)
{
    (void)unused;
    static const char *const bad[] = {"", "x", "1.2.3", "1.2.3.4.5", "local", "::1::2", "127.0.0.1:80"};
    struct address a;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(address_read(&a, span_of(bad[i])));
    static const char *const here[] = {"127.0.0.1", "127.9.8.7", "::1", "::ffff:127.0.0.1"};
    for (unsigned i = 0; i < sizeof here / sizeof *here; i++)
        assert_true((a = of(here[i]), address_is_loopback(&a)));
    static const char *const there[] = {"128.0.0.1", "::2", "::ffff:10.0.0.1", "2001:db8::1"};
    for (unsigned i = 0; i < sizeof there / sizeof *there; i++)
        assert_false((a = of(there[i]), address_is_loopback(&a)));
}

static void networks_are_read(void **unused)
{
    (void)unused;
    static const char *const bad[] = {"",        "/8",     "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/8x", "10.0.0.0/0008",
                                      "::1/129", "10.0/8", "host/8",    "10.0.0.0/-1"};
    struct address_range r;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(address_range_read(&r, span_of(bad[i])));
    static const struct {
        const char *network, *in, *out; // NULL: nothing is outside
    } cases[] = {
        {"192.0.2.7", "192.0.2.7", "192.0.2.8"},
        {"192.0.2.7", "::ffff:192.0.2.7", "::7"},
        {"10.0.0.0/8", "10.255.1.2", "11.0.0.0"},
        {"10.96.0.0/12", "10.111.255.255", "10.112.0.0"},
        {"0.0.0.0/0", "8.8.8.8", "2001:db8::1"},
        {"2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"},
        {"2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::"},
        {"::/0", "192.0.2.1", NULL},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct address in = of(cases[i].in);
        assert_true(address_range_read(&r, span_of(cases[i].network)));
        assert_true(address_is_within(&in, &r));
        if (cases[i].out) {
            struct address out = of(cases[i].out);
            assert_false(address_is_within(&out, &r));
        }
    }
}

// A proxy speaks for others: its own address is nobody's, whom it names is a client like others.
static void proxies_are_not_clients(void **unused)
{
    (void)unused;
    struct admission_options o = {.per_client = 1, .limit_loopback = true, .proxy_count = 1};
    assert_true(address_range_read(&o.proxies[0], SPAN("10.0.0.0/8")));
    struct admission *a = open_with(o);
    assert_int_equal(client(a, "10.1.2.3"), 0);
    assert_int_not_equal(client(a, "192.0.2.1"), 0);
    assert_true(admission_client_named(a, SPAN("192.0.2.1")) == client(a, "192.0.2.1"));
    assert_int_not_equal(admission_client_named(a, SPAN("10.1.2.3")), 0); // a client behind it, in the same network
    assert_int_not_equal(client(a, "127.0.0.1"), 0);
    admission_close(a);
}

static void a_socket_has_the_same_address(void **unused)
{
    (void)unused;
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    struct sockaddr other = {.sa_family = AF_UNIX};
    struct address a, b;
    inet_pton(AF_INET, "192.0.2.1", &four.sin_addr);
    inet_pton(AF_INET6, "::ffff:192.0.2.1", &six.sin6_addr);
    assert_true(address_of_peer(&a, (struct sockaddr *)&four) && address_of_peer(&b, (struct sockaddr *)&six));
    assert_memory_equal(&a, &b, sizeof a);
    assert_false(address_of_peer(&a, &other));
}

static void a_client_is_an_address_or_a_network(void **unused)
{
    (void)unused;
    struct admission *a = open_with((struct admission_options){0}), *b = open_with((struct admission_options){0});
    assert_int_not_equal(client(a, "192.0.2.1"), client(a, "192.0.2.2"));
    assert_int_equal(client(a, "192.0.2.1"), client(a, "::ffff:192.0.2.1"));
    assert_int_equal(client(a, "2001:db8::1"), client(a, "2001:db8::ffff:1"));
    assert_int_not_equal(client(a, "2001:db8::1"), client(a, "2001:db8:0:1::1"));
    assert_int_equal(admission_client_named(a, SPAN("2001:db8::7")), client(a, "2001:db8::1"));
    assert_int_equal(admission_client_named(a, SPAN("unknown")), admission_client_named(a, SPAN("unknown")));
    assert_int_not_equal(admission_client_named(a, SPAN("unknown")), admission_client_named(a, SPAN("hidden")));
    assert_int_not_equal(client(a, "192.0.2.1"), client(b, "192.0.2.1")); // salted
    admission_close(a);
    admission_close(b);
}

static void this_machine_is_nobody_unless_limited(void **unused)
{
    (void)unused;
    struct admission *a = open_with((struct admission_options){.per_client = 1});
    assert_int_equal(client(a, "127.0.0.1"), 0);
    assert_int_equal(admission_client(a, NULL), 0);
    for (int i = 0; i < 10; i++)
        assert_true(admission_add(a, 0));
    assert_int_not_equal(admission_client_named(a, SPAN("127.0.0.1")), 0); // a proxy says so: it counts
    admission_close(a);
    a = open_with((struct admission_options){.limit_loopback = true});
    assert_int_not_equal(client(a, "127.0.0.1"), 0);
    assert_int_equal(client(a, "::1"), admission_client(a, NULL));
    admission_close(a);
}

// --- connections

static void a_client_has_so_many_connections(void **unused)
{
    (void)unused;
    struct admission *a = open_with((struct admission_options){.per_client = 3});
    struct admission_figures f;
    for (uint64_t c = 1; c <= 10000; c++)
        for (int i = 0; i < 4; i++)
            assert_int_equal(admission_add(a, c), i < 3);
    admission_figures(a, &f);
    assert_int_equal(f.clients, 10000);
    admission_remove(a, 77);
    assert_true(admission_add(a, 77));
    for (uint64_t c = 1; c <= 10000; c++)
        for (int i = 0; i < 3; i++)
            admission_remove(a, c);
    admission_figures(a, &f);
    assert_int_equal(f.clients, 0);
    admission_close(a);
}

struct fake_port {
    struct admission *a;
    int spare, asked;
};

static bool evict(void *owner)
{
    struct fake_port *p = owner;
    p->asked++;
    if (p->spare == 0)
        return false;
    p->spare--;
    admission_exit(p->a);
    return true;
}

static void ports_make_room_and_the_reserve_stays_free(void **unused)
{
    (void)unused;
    struct admission *a = open_with((struct admission_options){.max_connections = 8, .reserve = 2});
    struct fake_port one = {.a = a, .spare = 1}, two = {.a = a, .spare = 2};
    struct admission_port p1 = {.evict = evict, .owner = &one}, p2 = {.evict = evict, .owner = &two};
    struct admission_figures f;
    admission_join(a, &p1);
    admission_join(a, &p2);
    for (int i = 0; i < 6; i++)
        assert_true(admission_enter(a, &p1));
    assert_int_equal(one.asked + two.asked, 0);
    assert_true(admission_enter(a, &p1)); // its own first
    assert_int_equal(one.asked, 1);
    assert_int_equal(two.asked, 0);
    assert_true(admission_enter(a, &p1)); // then the others'
    assert_true(admission_enter(a, &p2));
    assert_false(admission_enter(a, &p1));
    assert_true(admission_enter_reserve(a));
    assert_true(admission_enter_reserve(a));
    assert_false(admission_enter_reserve(a));
    admission_figures(a, &f);
    assert_int_equal(f.connections, 8);
    assert_int_equal(f.events[ADMISSION_EVICTED], 3);
    for (int i = 0; i < 8; i++)
        admission_exit(a);
    admission_leave(a, &p1);
    admission_leave(a, &p2);
    admission_close(a);
}

// --- memory

static void large_requests_leave_room_for_small_ones(void **unused)
{
    (void)unused;
    struct admission *a = open_with((struct admission_options){.max_held = 4096});
    size_t big = 0, small = 0, local = 0;
    assert_false(admission_hold(a, &big, 3073, ADMISSION_BIG));
    assert_int_equal(big, 0);
    assert_true(admission_hold(a, &big, 3072, ADMISSION_BIG));
    assert_true(admission_hold(a, &big, 3072, ADMISSION_BIG)); // no more than before
    assert_true(admission_hold(a, &small, 1024, ADMISSION_SMALL));
    assert_false(admission_hold(a, &small, 1025, ADMISSION_SMALL));
    assert_true(admission_hold(a, &local, 65536, ADMISSION_LOCAL));
    assert_false(admission_hold(a, &local, 2 << 20, ADMISSION_LOCAL));
    assert_true(admission_hold(a, &big, 1, ADMISSION_BIG)); // less is always possible
    assert_false(admission_has_room(a, SIZE_MAX, ADMISSION_SMALL));
    assert_true(admission_hold(a, &big, 0, ADMISSION_BIG) && admission_hold(a, &small, 0, ADMISSION_SMALL) &&
                admission_hold(a, &local, 0, ADMISSION_LOCAL));
    admission_close(a);
}

static void what_is_not_read_is_counted(void **unused)
{
    (void)unused;
    struct admission *a = open_with((struct admission_options){.max_unsent = 100});
    size_t one = 0, two = 0;
    assert_true(admission_owe(a, &one, 60));
    assert_false(admission_owe(a, &two, 60));
    assert_true(admission_owe(a, &one, 40));
    assert_true(admission_owe(a, &one, 0) && admission_owe(a, &two, 0));
    admission_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read),
        cmocka_unit_test(networks_are_read),
        cmocka_unit_test(proxies_are_not_clients),
        cmocka_unit_test(a_socket_has_the_same_address),
        cmocka_unit_test(a_client_is_an_address_or_a_network),
        cmocka_unit_test(this_machine_is_nobody_unless_limited),
        cmocka_unit_test(a_client_has_so_many_connections),
        cmocka_unit_test(ports_make_room_and_the_reserve_stays_free),
        cmocka_unit_test(large_requests_leave_room_for_small_ones),
        cmocka_unit_test(what_is_not_read_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// B11.20-B11.22: the table of sessions, with time passed in.
#include "front/botapi/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const int64_t second = 1000000;

static struct sessions t;

static void open_table(uint32_t max, int ttl_s)
{
    struct botapi_options o;
    botapi_defaults(&o);
    o.max_sessions = max;
    o.session_ttl_s = ttl_s;
    o.has_id_seed = true;
    sessions_init(&t, &o);
}

static struct session *find(const char *id, int64_t now)
{
    return sessions_find(&t, span_of(id), now);
}

static void ids_are_32_hex_digits(void **state)
{
    open_table(4, 10);
    char id[SESSION_ID_SIZE + 1], upper[SESSION_ID_SIZE + 1];
    (void)state;
    struct session *s = sessions_create(&t, 0);
    session_write_id(s, id);
    assert_int_equal(strlen(id), 32);
    assert_int_equal(strspn(id, "0123456789abcdef"), 32);
    assert_ptr_equal(find(id, 0), s);
    for (int i = 0; i <= SESSION_ID_SIZE; i++)
        upper[i] = id[i] >= 'a' ? (char)(id[i] - 32) : id[i];
    assert_null(find(upper, 0));
    assert_null(find("", 0));
    assert_null(find("0123", 0));
    sessions_release(&t);
}

static void idle_sessions_expire(void **state)
{
    open_table(4, 10);
    char id[2][SESSION_ID_SIZE + 1];
    (void)state;
    for (int i = 0; i < 2; i++)
        session_write_id(sessions_create(&t, 0), id[i]);
    assert_non_null(find(id[0], 10 * second)); // used: it lives on
    assert_null(find(id[1], 11 * second));
    assert_non_null(find(id[0], 20 * second));
    assert_null(find(id[0], 31 * second));
    assert_int_equal(t.count, 0);
    sessions_release(&t);
}

static void ended_sessions_live_a_minute(void **state)
{
    open_table(4, 3600);
    char id[SESSION_ID_SIZE + 1];
    (void)state;
    struct session *s = sessions_create(&t, 0);
    session_write_id(s, id);
    sessions_end(&t, s);
    sessions_end(&t, s); // told twice
    assert_non_null(find(id, 60 * second));
    assert_null(find(id, 121 * second));
    sessions_release(&t);
}

// A full table: expired ones go first, then the least recently used when it has been idle for a minute; else nobody.
static void a_full_table_makes_room(void **state)
{
    open_table(3, 3600);
    char id[3][SESSION_ID_SIZE + 1];
    (void)state;
    for (int i = 0; i < 3; i++)
        session_write_id(sessions_create(&t, i * second), id[i]);
    assert_null(sessions_create(&t, 59 * second));
    assert_non_null(find(id[0], 59 * second));         // now 1 is the oldest
    assert_null(sessions_create(&t, 60 * second));     // idle for 59 s
    assert_non_null(sessions_create(&t, 61 * second)); // idle for 60 s
    assert_int_equal(t.evicted, 1);
    assert_null(find(id[1], 61 * second));
    assert_non_null(find(id[0], 61 * second));
    assert_non_null(find(id[2], 61 * second));
    assert_null(sessions_create(&t, 62 * second));
    assert_non_null(sessions_create(&t, 4000 * second)); // all have expired: nobody is evicted
    assert_int_equal(t.evicted, 1);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.created, 5);
    sessions_release(&t);
}

static void deciding_sessions_stay(void **state)
{
    open_table(1, 10);
    char id[SESSION_ID_SIZE + 1];
    (void)state;
    struct session *s = sessions_create(&t, 0);
    session_write_id(s, id);
    s->deciding = true;
    assert_null(sessions_create(&t, 1000 * second));
    assert_non_null(find(id, 1000 * second));
    sessions_release(&t);
}

static void many_sessions(void **state)
{
    enum { MANY = 20000 };
    open_table(MANY, 3600);
    static char id[MANY][SESSION_ID_SIZE + 1];
    (void)state;
    for (int i = 0; i < MANY; i++)
        session_write_id(sessions_create(&t, 0), id[i]);
    assert_int_equal(t.count, MANY);
    for (int i = 0; i < MANY; i += 2)
        sessions_remove(&t, find(id[i], 1));
    for (int i = 0; i < MANY; i++)
        assert_int_equal(find(id[i], 2) != NULL, i % 2);
    sessions_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_32_hex_digits),        cmocka_unit_test(idle_sessions_expire),
        cmocka_unit_test(ended_sessions_live_a_minute), cmocka_unit_test(a_full_table_makes_room),
        cmocka_unit_test(deciding_sessions_stay),       cmocka_unit_test(many_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

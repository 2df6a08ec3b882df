// Agents, pairing codes and challenges, written and read back.
#include "store_kit.h"

static struct store_agent full_agent(uint32_t n)
{
    struct store_agent a = kit_agent(n);
    memset(a.claim_hash, 1, sizeof a.claim_hash);
    memset(a.verify_hash, 2, sizeof a.verify_hash);
    a.renamed_ms = -5;
    a.verify_until_ms = INT64_MAX;
    a.max_games_per_day = INT32_MIN;
    a.max_games_per_hour = INT32_MAX;
    a.cooldown_seconds = 3;
    a.max_concurrent = 4;
    a.day_ceiling = 5;
    a.hour_ceiling = 6;
    a.cooldown_floor = 7;
    a.concurrent_ceiling = 8;
    a.kind = STORE_REMOTE;
    a.disabled = a.auto_requeue = a.auto_confirm = true;
    strcpy(a.client_kind, "desktop");
    strcpy(a.runtime_type, "direct");
    memset(a.device_id, 'd', sizeof a.device_id - 1);
    strcpy(a.instance, "i");
    strcpy(a.bridge_version, "1.2.3");
    strcpy(a.terms_version, "t");
    strcpy(a.privacy_version, "p");
    strcpy(a.standby, "coup,belote");
    strcpy(a.games, "belote");
    strcpy(a.bot_url, "http://127.0.0.1:1/");
    strcpy(a.owner, "a@b");
    memset(a.name, 0, sizeof a.name);
    strcpy(a.name, "Zo\xc3\xab");
    strcpy(a.description, "'); DROP TABLE agents; --");
    return a;
}

static void an_agent_comes_back_as_it_was_put(void **state)
{
    struct kit *k = *state;
    struct store_agent a = full_agent(3), plain = {.id = kit_uuid('a', 4)}, got;
    assert_false(store_find_agent(k->store, a.id, &got));
    assert_int_equal(store_put_agent(k->store, &a), 1);
    assert_int_equal(store_put_agent(k->store, &plain), 2);
    store_wait(k->store);
    for (int round = 0; round < 2; round++) {
        assert_true(store_find_agent(k->store, a.id, &got));
        assert_memory_equal(&got, &a, sizeof a);
        assert_true(store_find_agent(k->store, plain.id, &got));
        assert_memory_equal(&got, &plain, sizeof plain);
        kit_reopen(k);
    }
}

static void an_agent_changes_as_a_whole(void **state)
{
    struct kit *k = *state;
    struct store_agent a = full_agent(3), b = kit_agent(3), got;
    store_put_agent(k->store, &a);
    store_put_agent(k->store, &b);
    store_wait(k->store);
    assert_true(store_find_agent(k->store, a.id, &got));
    assert_memory_equal(&got, &b, sizeof b);
    assert_int_equal(store_list_agents(k->store, -1, 0, &got, 1, NULL), 1);
}

static void guests_are_looked_at_in_pieces(void **state)
{
    struct kit *k = *state;
    struct store_guest got[4];
    int64_t after = 0;
    for (uint32_t n = 1; n <= 7; n++) {
        struct store_agent a = kit_agent(n);
        a.kind = n % 2 ? STORE_GUEST : STORE_CLIENT;
        a.created_ms = n;
        a.disabled = n == 3;
        store_put_agent(k->store, &a);
    }
    struct store_match m = kit_match(1, "coup", 2); // seats of agents 1 and 2
    store_begin_match(k->store, &m, NULL, SPAN("head"));
    kit_end(&m);
    store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), NULL, 0, NULL);
    store_wait(k->store);
    assert_int_equal(store_list_guests(k->store, &after, got, 3), 3);
    for (int i = 0; i < 3; i++) {
        struct uuid id = kit_uuid('a', (uint32_t)(2 * i + 1));
        assert_true(uuid_equals(got[i].id, id));
        assert_int_equal(got[i].created_ms, 2 * i + 1);
        assert_int_equal(got[i].disabled, i == 1);
        assert_int_equal(got[i].played_ms, i ? 0 : m.finished_ms);
    }
    assert_int_equal(store_list_guests(k->store, &after, got, 3), 1);
    assert_int_equal(got[0].created_ms, 7);
    assert_int_equal(store_list_guests(k->store, &after, got, 3), 0);
}

static void agents_are_found_by_their_secrets(void **state)
{
    struct kit *k = *state;
    struct store_agent a = full_agent(1), b = kit_agent(2), got;
    const uint8_t none[STORE_HASH] = {0};
    b.has_key = false;
    store_put_agent(k->store, &a);
    store_put_agent(k->store, &b);
    store_wait(k->store);
    assert_true(store_find_agent_by_key(k->store, a.key_hash, &got));
    assert_true(uuid_equals(got.id, a.id));
    assert_true(store_find_agent_by_claim(k->store, a.claim_hash, &got));
    assert_true(store_find_agent_by_verify(k->store, a.verify_hash, &got));
    assert_false(store_find_agent_by_key(k->store, b.key_hash, &got)); // it has no key any more
    assert_false(store_find_agent_by_key(k->store, a.claim_hash, &got));
    assert_false(store_find_agent_by_claim(k->store, none, &got)); // b's: none open
    assert_false(store_find_agent_by_verify(k->store, none, &got));
    memset(a.key_hash, 9, sizeof a.key_hash);
    store_put_agent(k->store, &a);
    store_wait(k->store);
    assert_true(store_find_agent_by_key(k->store, a.key_hash, &got));
}

static void a_public_number_is_taken_once_put(void **state)
{
    struct kit *k = *state;
    struct store_agent a = kit_agent(5);
    assert_false(store_has_public_no(k->store, a.public_no));
    store_put_agent(k->store, &a);
    assert_true(store_has_public_no(k->store, a.public_no)); // before it is durable
    kit_reopen(k);
    assert_true(store_has_public_no(k->store, a.public_no));
    assert_false(store_has_public_no(k->store, a.public_no + 1));
}

static void agents_are_listed_by_kind_and_page(void **state)
{
    struct kit *k = *state;
    struct store_agent got[8];
    int total;
    for (uint32_t n = 1; n <= 6; n++) {
        struct store_agent a = kit_agent(n);
        a.kind = n % 2 ? STORE_CLIENT : STORE_HOUSE;
        store_put_agent(k->store, &a);
    }
    store_wait(k->store);
    static const struct {
        int kind, from, room, count, first, total;
    } cases[] = {
        {-1, 0, 8, 6, 1, 6},          {-1, 2, 3, 3, 3, 6},          {-1, 6, 8, 0, 0, 6},
        {STORE_HOUSE, 0, 8, 3, 2, 3}, {STORE_HOUSE, 1, 1, 1, 4, 3}, {STORE_GUEST, 0, 8, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int count = store_list_agents(k->store, cases[i].kind, cases[i].from, got, cases[i].room, &total);
        assert_int_equal(count, cases[i].count);
        assert_int_equal(total, cases[i].total);
        if (count)
            assert_true(uuid_equals(got[0].id, kit_uuid('a', (uint32_t)cases[i].first)));
    }
}

// S35. PostgreSQL counts agents by kind and thousand; one of them changes its kind.
static void pages_of_a_kind_have_everybody_once(void **state)
{
    enum { AGENTS = 2100, CHANGED = 1000, PAGE = 100 };
    struct kit *k = *state;
    static struct store_agent got[PAGE];
    uint32_t next = 1;
    int total = 1, seen = 0;
    for (uint32_t n = 1; n <= AGENTS; n++) {
        struct store_agent a = kit_agent(n);
        a.kind = n % 3 ? STORE_CLIENT : STORE_HOUSE;
        store_put_agent(k->store, &a);
        if (n % 500 == 0)
            store_wait(k->store);
    }
    struct store_agent changed = kit_agent(CHANGED);
    changed.kind = STORE_HOUSE;
    store_put_agent(k->store, &changed);
    store_wait(k->store);
    while (seen < total) {
        int count = store_list_agents(k->store, STORE_CLIENT, seen, got, PAGE, &total);
        assert_in_range(count, 1, PAGE);
        for (int i = 0; i < count; i++, next++) {
            while (next % 3 == 0 || next == CHANGED)
                next++;
            assert_true(uuid_equals(got[i].id, kit_uuid('a', next)));
        }
        seen += count;
    }
    assert_int_equal(total, AGENTS - AGENTS / 3 - 1);
    assert_int_equal(seen, total);
    assert_int_equal(store_list_agents(k->store, STORE_CLIENT, total, got, PAGE, &total), 0);
}

static void a_new_pairing_code_revokes_the_older(void **state)
{
    struct kit *k = *state;
    kit_put_agents(k, 2);
    struct store_pairing one = {{1}, kit_uuid('a', 1), KIT_START, false, false, "direct"}, got;
    struct store_pairing two = {{2}, kit_uuid('a', 1), KIT_START + 1, false, false, "mock"};
    struct store_pairing other = {{3}, kit_uuid('a', 2), KIT_START + 2, false, false, ""};
    store_put_pairing(k->store, &one);
    store_put_pairing(k->store, &other);
    store_put_pairing(k->store, &two);
    store_use_pairing(k->store, other.code_hash);
    store_wait(k->store);
    assert_true(store_find_pairing(k->store, one.code_hash, &got));
    assert_true(got.revoked && !got.used);
    assert_true(store_find_pairing(k->store, two.code_hash, &got));
    assert_true(!got.revoked && !got.used && uuid_equals(got.agent, two.agent));
    assert_int_equal(got.expires_ms, two.expires_ms);
    assert_string_equal(got.runtime_type, "mock");
    assert_true(store_find_pairing(k->store, other.code_hash, &got));
    assert_true(got.used && !got.revoked);
    assert_false(store_find_pairing(k->store, (const uint8_t[STORE_HASH]){4}, &got));
}

static struct store_challenge challenge(uint32_t n, int taken)
{
    struct store_challenge c = {.id = kit_uuid('c', n),
                                .token_hash = {(uint8_t)n, 1},
                                .game = "coup",
                                .created_ms = KIT_START + n,
                                .expires_ms = KIT_START + n + 1000,
                                .places = 3,
                                .taken = taken};
    for (int i = 0; i < taken; i++)
        c.agent[i] = kit_uuid('a', n + (uint32_t)i);
    return c;
}

static void a_challenge_fills_and_ends(void **state)
{
    struct kit *k = *state;
    struct store_challenge c = challenge(1, 1), got[4];
    kit_put_agents(k, 4);
    store_put_challenge(k->store, &c);
    store_wait(k->store);
    assert_true(store_find_challenge(k->store, c.id, got));
    assert_memory_equal(got, &c, sizeof c);
    c = challenge(1, 3);
    c.status = DUEL_IN_MATCH;
    c.match = kit_uuid('m', 9);
    store_put_challenge(k->store, &c);
    kit_reopen(k);
    assert_true(store_find_challenge_by_token(k->store, c.token_hash, got));
    assert_memory_equal(got, &c, sizeof c);
    assert_false(store_find_challenge_by_token(k->store, (const uint8_t[STORE_HASH]){0}, got));
    assert_int_equal(store_list_open_challenges(k->store, got, 4), 1);
    c.status = DUEL_FINISHED;
    store_put_challenge(k->store, &c);
    store_wait(k->store);
    assert_int_equal(store_list_open_challenges(k->store, got, 4), 0);
}

static void challenges_of_an_agent_come_newest_first(void **state)
{
    struct kit *k = *state;
    struct store_challenge got[4];
    kit_put_agents(k, 6);
    for (uint32_t n = 1; n <= 3; n++) {
        struct store_challenge c = challenge(n, 3); // agents n, n + 1, n + 2
        store_put_challenge(k->store, &c);
    }
    store_wait(k->store);
    assert_int_equal(store_list_challenges(k->store, kit_uuid('a', 3), got, 4), 3);
    assert_true(uuid_equals(got[0].id, kit_uuid('c', 3)) && uuid_equals(got[2].id, kit_uuid('c', 1)));
    assert_int_equal(store_list_challenges(k->store, kit_uuid('a', 3), got, 2), 2);
    assert_int_equal(store_list_challenges(k->store, kit_uuid('a', 1), got, 4), 1);
    assert_int_equal(store_list_challenges(k->store, kit_uuid('a', 6), got, 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(an_agent_comes_back_as_it_was_put),   KIT_TEST(an_agent_changes_as_a_whole),
        KIT_TEST(guests_are_looked_at_in_pieces),      KIT_TEST(agents_are_found_by_their_secrets),
        KIT_TEST(a_public_number_is_taken_once_put),   KIT_TEST(agents_are_listed_by_kind_and_page),
        KIT_TEST(pages_of_a_kind_have_everybody_once), KIT_TEST(a_new_pairing_code_revokes_the_older),
        KIT_TEST(a_challenge_fills_and_ends),          KIT_TEST(challenges_of_an_agent_come_newest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

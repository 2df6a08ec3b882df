// What an agent's record goes through (F5.4 to F5.6, F1.4).
#include "lobby/identity.h"

#include "crypto/crypto.h"
#include "lobby_test.h"

#include <stdio.h>

#define DEVICE "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER  "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char key[IDENTITY_KEY + 1], token[IDENTITY_TOKEN + 1], why[IDENTITY_ERROR_ROOM];

static void reopen_with_claim(enum lobby_claim claim)
{
    struct lobby_options o = k.o;
    kit_close(&k);
    o.claim = claim;
    kit_open(&k, &o);
}

static struct lobby_agent *add(const char *name)
{
    struct lobby_agent *a = NULL;
    struct identity_new n = {.name = span_of(name), .games = ""};
    assert_int_equal(identity_register(k.lobby, &n, k.now_ms, &a, key, token, why), 201);
    kit_settle(&k);
    return a;
}

// --- registering

// F3.4, F3.8, F5.5
static void a_new_agent_begins_with_what_the_operator_says(void **state)
{
    struct lobby_options o = k.o;
    (void)state;
    const struct store_agent *a = lobby_agent_record(add("usual"));
    assert_int_equal(a->max_concurrent, 1);
    assert_int_equal(a->max_games_per_day + a->max_games_per_hour + a->cooldown_seconds, 0);
    kit_close(&k);
    o.agent_concurrent = 2;
    o.agent_per_hour = 3;
    o.agent_per_day = 40;
    o.agent_cooldown_s = 5;
    kit_open(&k, &o);
    a = lobby_agent_record(add("other"));
    assert_int_equal(a->max_concurrent, 2);
    assert_int_equal(a->max_games_per_hour, 3);
    assert_int_equal(a->max_games_per_day, 40);
    assert_int_equal(a->cooldown_seconds, 5);
}

static void names_are_judged(void **state)
{
    static const struct {
        const char *name;
        int status;
    } rows[] = {
        {"", 400},
        {"a", 400},
        {"ab", 201},
        {"  ", 400}, // nothing to read
        {"éé", 201}, // characters, not bytes
        {"é", 400},
        {"01234567890123456789012345678901234567890123456789", 201},
        {"012345678901234567890123456789012345678901234567890", 400},
        {"éééééééééééééééééééééééééééééééééééééééééééééééééé", 201},
        {"a\nb", 400},
        {"a\x7f"
         "b",
         400},
        {"a\xc2\x85"
         "b",
         400},                   // C1
        {"ab\xff", 400},         // no UTF-8
        {"ab\xed\xa0\x80", 400}, // a surrogate
        {"House Coup 1", 400},   // F7.15: a house bot's name
        {" hOUSE", 400},
        {"House-Coup", 400},
        {"Household", 201},
        {"My House", 201},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lobby_agent *a;
        struct identity_new n = {.name = span_of(rows[i].name), .games = ""};
        assert_int_equal(identity_register(k.lobby, &n, k.now_ms, &a, key, token, why), rows[i].status);
    }
}

static void a_new_record(void **state)
{
    uint8_t hash[STORE_HASH];
    struct store_agent stored;
    (void)state;
    struct lobby_agent *a = add("ada");
    const struct store_agent *r = lobby_agent_record(a);
    assert_int_equal(strlen(key), 52);
    assert_memory_equal(key, "agk_", 4);
    assert_int_equal(strspn(key + 4, "0123456789abcdef"), 48);
    crypto_sha256(hash, key, strlen(key)); // F5.6: kept as SHA-256, nothing else
    assert_memory_equal(r->key_hash, hash, sizeof hash);
    assert_true(r->public_no >= 1000000000 && r->public_no <= 9999999999);
    assert_true(r->claimed); // claim mode auto
    assert_false(r->auto_confirm);
    assert_int_equal(r->max_games_per_day, 0); // F5.5
    assert_ptr_equal(lobby_agent_by_key(k.lobby, span_of(key)), a);
    assert_null(lobby_agent_by_key(k.lobby, SPAN("agk_000000000000000000000000000000000000000000000000")));
    assert_true(store_find_agent(k.store, r->id, &stored));
    assert_memory_equal(stored.key_hash, hash, sizeof hash);
}

static void keys_and_numbers_differ(void **state)
{
    char first[IDENTITY_KEY + 1];
    (void)state;
    uint64_t one = lobby_agent_record(add("ada"))->public_no;
    memcpy(first, key, sizeof first);
    assert_int_not_equal(one, lobby_agent_record(add("ada"))->public_no); // F5.6: the name is not unique
    assert_string_not_equal(first, key);
}

static void a_remote_bot_has_no_key(void **state)
{
    struct lobby_agent *a;
    struct identity_new n = {
        .name = SPAN("bot"), .bot_url = SPAN("http://127.0.0.1:9/"), .games = "belote,coup", .by_operator = true};
    (void)state;
    assert_int_equal(identity_register(k.lobby, &n, k.now_ms, &a, key, token, why), 201);
    const struct store_agent *r = lobby_agent_record(a);
    assert_string_equal(key, "");
    assert_false(r->has_key);
    assert_int_equal(r->kind, STORE_REMOTE);
    assert_true(r->auto_confirm && r->auto_requeue && r->claimed && r->max_games_per_day > 0); // F3.21
    assert_string_equal(r->standby, "belote,coup");
}

// --- pairing (F5.5)

static int pair(const char *code, const char *device)
{
    struct lobby_agent *a;
    return identity_pair(k.lobby, span_of(code), span_of(device), SPAN("cli"), k.now_ms, &a, key, why);
}

static void make_code(struct lobby_agent *a, char code[IDENTITY_CODE + 1])
{
    int64_t expires;
    assert_int_equal(identity_make_pairing(k.lobby, a, SPAN("mock"), k.now_ms, code, &expires, why), 200);
    assert_int_equal(expires - k.now_ms, 600000);
    kit_settle(&k);
}

static void a_code_works_once(void **state)
{
    char code[IDENTITY_CODE + 1], old[IDENTITY_KEY + 1];
    (void)state;
    struct lobby_agent *a = add("ada");
    memcpy(old, key, sizeof old);
    make_code(a, code);
    assert_int_equal(strlen(code), 37);
    assert_int_equal(pair(code, DEVICE), 200);
    assert_int_equal(pair(code, DEVICE), 409); // although nothing is durable yet
    assert_string_equal(why, "pairing_code already used");
    assert_null(lobby_agent_by_key(k.lobby, span_of(old)));
    assert_ptr_equal(lobby_agent_by_key(k.lobby, span_of(key)), a);
}

static void codes_end(void **state)
{
    char first[IDENTITY_CODE + 1], second[IDENTITY_CODE + 1];
    (void)state;
    struct lobby_agent *a = add("ada");
    make_code(a, first);
    make_code(a, second);
    assert_int_equal(pair(first, DEVICE), 410);
    assert_string_equal(why, "pairing_code revoked");
    kit_pass(&k, 600000);
    assert_int_equal(pair(second, DEVICE), 410);
    assert_string_equal(why, "pairing_code expired");
    static const char *const none[] = {"", "aifp_", "aifp_0123456789abcdef0123456789abcdef",
                                       "aifp_0123456789abcdef0123456789abcdeg", "x"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(pair(none[i], DEVICE), 400);
        assert_string_equal(why, "invalid pairing_code");
    }
}

static void pairing_takes_over(void **state)
{
    char code[IDENTITY_CODE + 1], old[IDENTITY_KEY + 1];
    const char *bound;
    (void)state;
    struct lobby_agent *a = add("ada");
    memcpy(old, key, sizeof old);
    assert_int_equal(identity_bind(k.lobby, a, SPAN(DEVICE), SPAN("desktop"), &bound), OK);
    make_code(a, code);
    assert_int_equal(pair(code, OTHER), 200);
    kit_settle(&k);
    const struct store_agent *r = lobby_agent_record(a);
    assert_string_equal(r->device_id, OTHER); // bound anew
    assert_string_equal(r->client_kind, "cli");
    assert_string_equal(r->runtime_type, "mock");
    assert_null(lobby_agent_by_key(k.lobby, span_of(old)));
    assert_ptr_equal(lobby_agent_by_key(k.lobby, span_of(key)), a);
}

static void pairing_drops_the_connection(void **state)
{
    char code[IDENTITY_CODE + 1];
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada");
    make_code(a->agent, code);
    assert_int_equal(pair(code, DEVICE), 200);
    assert_true(kit_heard(a, "gone:kicked"));
}

// --- claims (F5.6)

static void claim_by_token(void **state)
{
    char verify[IDENTITY_TOKEN + 1];
    struct lobby_agent *a, *found;
    (void)state;
    reopen_with_claim(LOBBY_CLAIM_TOKEN);
    a = add("ada");
    assert_false(lobby_agent_record(a)->claimed);
    static const char *const bad[] = {"", "ada", "@b.c", "a@b", "a@@b.c", "a b@c.d", "a@b.c."};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(identity_claim(k.lobby, span_of(token), span_of(bad[i]), k.now_ms, verify, why), 400);
    assert_int_equal(identity_claim(k.lobby, SPAN("no"), SPAN("a@b.cd"), k.now_ms, verify, why), 404);
    assert_int_equal(identity_claim(k.lobby, span_of(token), SPAN("a@b.cd"), k.now_ms, verify, why), 200);
    kit_settle(&k);
    assert_false(lobby_agent_record(a)->claimed);
    assert_int_equal(identity_verify(k.lobby, span_of(token), k.now_ms, &found, why), 400); // another secret
    assert_int_equal(identity_verify(k.lobby, span_of(verify), k.now_ms + 3600000, &found, why), 410);
    assert_int_equal(identity_verify(k.lobby, span_of(verify), k.now_ms, &found, why), 200);
    assert_ptr_equal(found, a);
    assert_true(lobby_agent_record(a)->claimed);
    assert_string_equal(lobby_agent_record(a)->owner, "a@b.cd");
    assert_int_equal(identity_verify(k.lobby, span_of(verify), k.now_ms, &found, why), 400); // once
    assert_int_equal(identity_claim(k.lobby, span_of(token), SPAN("b@b.cd"), k.now_ms, verify, why), 409);
}

static void claim_by_operator(void **state)
{
    char verify[IDENTITY_TOKEN + 1];
    (void)state;
    reopen_with_claim(LOBBY_CLAIM_OPERATOR);
    struct lobby_agent *a = add("ada");
    assert_int_equal(identity_claim(k.lobby, span_of(token), SPAN("a@b.cd"), k.now_ms, verify, why), 200);
    assert_string_equal(verify, "");
    assert_false(lobby_agent_record(a)->claimed);
    assert_int_equal(identity_approve(k.lobby, a), 200);
    assert_true(lobby_agent_record(a)->claimed);
    assert_int_equal(identity_approve(k.lobby, a), 409);
}

// --- names and policies

static void renaming_has_a_pause(void **state)
{
    (void)state;
    struct lobby_agent *a = add("ada");
    assert_int_equal(identity_rename(k.lobby, a, SPAN("bea"), 60000, k.now_ms, why), 200);
    assert_int_equal(identity_rename(k.lobby, a, SPAN("cid"), 60000, k.now_ms + 59999, why), 429);
    assert_string_equal(lobby_agent_record(a)->name, "bea");
    assert_int_equal(identity_rename(k.lobby, a, SPAN("c"), 60000, k.now_ms + 60000, why), 400);
    assert_int_equal(identity_rename(k.lobby, a, SPAN("cid"), 60000, k.now_ms + 60000, why), 200);
}

static void policies_are_judged_as_a_whole(void **state)
{
    static const struct {
        struct identity_policy p;
        int status;
        const char *why;
        int day, concurrent;
    } rows[] = {
        {{.has_day = true, .day = 10000}, 200, "", 10000, 1},
        {{.has_day = true, .day = 10001}, 400, "max_games_per_day must be 0 to 10000", 0, 1},
        {{.has_day = true, .day = -1}, 400, "max_games_per_day must be 0 to 10000", 0, 1},
        {{.has_concurrent = true, .concurrent = 0}, 400, "max_concurrent must be 1 to 8", 0, 1},
        {{.has_concurrent = true, .concurrent = 8}, 200, "", 0, 8},
        {{.has_concurrent = true, .concurrent = 9}, 400, "max_concurrent must be 1 to 8", 0, 1},
        {{.has_cooldown = true, .cooldown = 86401}, 400, "cooldown_seconds must be 0 to 86400", 0, 1},
        {{.has_hour = true, .hour = -1}, 400, "max_games_per_hour must be 0 to 10000", 0, 1},
        {{.has_model = true, .model = {"", 0}},
         400,
         "model must have 1 to 100 characters, none of them a control, invisible or bidirectional character",
         0,
         1},
        {{.has_standby = true, .standby = "coup,chess", .has_day = true, .day = 3}, 400, "unknown game chess", 0, 1},
        {{.has_auto_requeue = true, .auto_requeue = true}, 200, "", 2, 1}, // F5.5: the default cap
        {{.has_auto_requeue = true, .auto_requeue = true, .has_day = true, .day = 7}, 200, "", 7, 1},
        {{.has_auto_requeue = true, .auto_requeue = false}, 200, "", 0, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lobby_agent *a = add("ada");
        struct store_agent before = *lobby_agent_record(a);
        assert_int_equal(identity_set_policy(k.lobby, a, &rows[i].p, k.now_ms, why), rows[i].status);
        if (rows[i].status == 400) {
            assert_string_equal(why, rows[i].why);
            assert_memory_equal(&before, lobby_agent_record(a), sizeof before); // a refusal changes nothing
        }
        assert_int_equal(lobby_agent_record(a)->max_games_per_day, rows[i].day);
        assert_int_equal(lobby_agent_record(a)->max_concurrent, rows[i].concurrent);
    }
}

static void ceilings_of_the_operator(void **state)
{
    struct lobby_options o = k.o;
    const struct identity_policy many = {.has_concurrent = true, .concurrent = 8},
                                 again = {.has_auto_requeue = true, .auto_requeue = true};
    (void)state;
    kit_close(&k);
    o.max_concurrent_ceiling = 3;
    o.standby_default_cap = 0;
    kit_open(&k, &o);
    struct lobby_agent *a = add("ada");
    assert_int_equal(identity_set_policy(k.lobby, a, &many, k.now_ms, why), 200);
    assert_int_equal(lobby_agent_record(a)->max_concurrent, 3); // cut, not refused
    assert_int_equal(identity_set_policy(k.lobby, a, &again, k.now_ms, why), 400);
    assert_string_equal(why, "auto_requeue=true requires max_games_per_day > 0");
}

// F5.4: a policy keeps to what the operator has set for the agent; 0 wishes for no limit.
static void policies_keep_to_the_limits_of_the_agent(void **state)
{
    static const struct {
        int64_t limit[4], wish[4], holds[4]; // games a day, games an hour, seconds of cooldown, matches at once
    } rows[] = {
        {{40, 4, 60, 2}, {41, 5, 59, 3}, {40, 4, 60, 2}},
        {{40, 4, 60, 2}, {0, 0, 0, 8}, {40, 4, 60, 2}},
        {{40, 4, 60, 2}, {39, 3, 61, 1}, {39, 3, 61, 1}}, // stricter
        {{0, 0, 0, 8}, {10000, 10000, 0, 8}, {10000, 10000, 0, 8}},
        {{0, 0, 0, 8}, {0, 0, 0, 8}, {0, 0, 0, 8}}, // lifted
    };
    const struct identity_policy again = {.has_auto_requeue = true, .auto_requeue = true, .has_day = true, .day = 0},
                                 wrong = {.has_day = true, .day = 5, .has_hour = true, .hour = -1};
    (void)state;
    struct lobby_agent *a = add("ada");
    const struct store_agent *r = lobby_agent_record(a);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int wish = 0; wish < 2; wish++) {
            const int64_t *to = wish ? rows[i].wish : rows[i].limit, *holds = wish ? rows[i].holds : rows[i].limit;
            const struct identity_policy p = {.has_day = true,
                                              .day = to[0],
                                              .has_hour = true,
                                              .hour = to[1],
                                              .has_cooldown = true,
                                              .cooldown = to[2],
                                              .has_concurrent = true,
                                              .concurrent = to[3]};
            assert_int_equal((wish ? identity_set_policy : identity_set_limits)(k.lobby, a, &p, k.now_ms, why), 200);
            assert_int_equal(r->max_games_per_day, holds[0]);
            assert_int_equal(r->max_games_per_hour, holds[1]);
            assert_int_equal(r->cooldown_seconds, holds[2]);
            assert_int_equal(r->max_concurrent, holds[3]);
        }
    }
    assert_int_equal(identity_set_limits(k.lobby, a, &wrong, k.now_ms, why), 400);
    assert_int_equal(r->day_ceiling, 0); // a refusal changes nothing
    const struct identity_policy one = {.has_day = true, .day = 1};
    assert_int_equal(identity_set_limits(k.lobby, a, &one, k.now_ms, why), 200);
    assert_int_equal(identity_set_policy(k.lobby, a, &again, k.now_ms, why), 200);
    assert_int_equal(r->max_games_per_day, 1); // F5.5: the default of 2 is cut too
}

// --- at the door (F1.4)

static void bindings(void **state)
{
    static const struct {
        const char *device, *client;
        int status;
        const char *bound_client;
    } rows[] = {
        {"", "", OK, NULL},               // says nothing: binds nothing
        {"not hex", "browser", OK, NULL}, // neither does nonsense
        {DEVICE, "", OK, NULL},           // bound
        {"", "", OK, NULL},               // a missing header matches
        {DEVICE, "cli", OK, NULL},        // bound too
        {OTHER, "cli", 403, NULL},        // another device
        {DEVICE, "desktop", 403, "cli"},  // same device, other client
        {"", "desktop", 403, "cli"},
        {DEVICE, "cli", OK, NULL},
    };
    (void)state;
    struct lobby_agent *a = add("ada");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *bound;
        assert_int_equal(identity_bind(k.lobby, a, span_of(rows[i].device), span_of(rows[i].client), &bound),
                         rows[i].status);
        if (rows[i].bound_client)
            assert_string_equal(bound, rows[i].bound_client);
        else
            assert_null(bound);
    }
    assert_string_equal(lobby_agent_record(a)->device_id, DEVICE);
}

static void shutting_out(void **state)
{
    char other[IDENTITY_KEY + 1];
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada");
    identity_disable(k.lobby, a->agent, true);
    assert_true(kit_heard(a, "gone:kicked"));
    assert_true(lobby_agent_record(a->agent)->disabled);
    struct lobby_agent *b = add("bea");
    identity_rotate_key(k.lobby, b, other);
    assert_null(lobby_agent_by_key(k.lobby, span_of(key)));
    assert_ptr_equal(lobby_agent_by_key(k.lobby, span_of(other)), b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

// --- deleting

static void a_deleted_agent_leaves_its_number_alone(void **state)
{
    char own[IDENTITY_KEY + 1];
    (void)state;
    struct lobby_agent *b = add("bea");
    identity_approve(k.lobby, b); // where agents do not begin so
    struct store_agent was = *lobby_agent_record(b), now;
    memcpy(own, key, sizeof own);
    assert_int_equal(identity_remove(k.lobby, b, k.now_ms, why), 200);
    kit_settle(&k);
    assert_null(lobby_agent_by_key(k.lobby, span_of(own)));
    assert_true(store_find_agent(k.store, was.id, &now));
    assert_false(now.has_key);
    assert_true(was.claimed && now.claimed); // its profile is still shown
    assert_true(now.disabled && now.public_no == was.public_no && now.created_ms == was.created_ms);
    assert_null(strstr(now.name, "bea"));
    // Whoever is there is told to go; whoever plays has to finish first.
    struct kit_agent *a = kit_player(&k, "ada"), *c = kit_player(&k, "cyd");
    assert_string_equal(kit_join(a, "liars_dice", "ranked", true), "");
    assert_string_equal(kit_join(c, "liars_dice", "ranked", true), "");
    kit_pass(&k, 60000);
    assert_int_equal(lobby_agent_active(a->agent), 1);
    assert_int_equal(identity_remove(k.lobby, a->agent, k.now_ms, why), 409);
    assert_string_equal(lobby_agent_record(a->agent)->name, "ada");
    struct kit_agent *d = kit_player(&k, "dan");
    assert_string_equal(kit_join(d, "coup", "ranked", true), "");
    assert_int_equal(identity_remove(k.lobby, d->agent, k.now_ms, why), 200);
    assert_true(kit_heard(d, "gone:kicked"));
    // A call that was under way when the agent was deleted leads to no table.
    char said[128];
    assert_int_not_equal(lobby_may_join(k.lobby, d->agent, SPAN("coup"), SPAN("ranked"), k.now_ms, said), OK);
    assert_string_equal(said, "agent disabled");
}

static const int64_t day_ms = 86400000;

static bool is_there(struct uuid id)
{
    struct store_agent now;
    kit_settle(&k);
    assert_true(store_find_agent(k.store, id, &now));
    return now.has_key;
}

static struct lobby_agent *add_guest(const char *name)
{
    struct lobby_agent *a = NULL;
    assert_int_equal(identity_register_guest(k.lobby, span_of(name), "", k.now_ms, &a, key, why), 201);
    kit_settle(&k);
    return a;
}

static void be_guest(struct store_agent *record)
{
    record->kind = STORE_GUEST;
}

// F5.4: one match at a time, whatever a guest's policy wishes for; the operator may allow more.
static void a_guest_plays_one_match_at_a_time(void **state)
{
    const struct identity_policy many = {.has_concurrent = true, .concurrent = 5},
                                 two = {.has_concurrent = true, .concurrent = 2};
    (void)state;
    struct lobby_agent *a = add_guest("eve");
    assert_int_equal(identity_set_policy(k.lobby, a, &many, k.now_ms, why), 200);
    assert_int_equal(lobby_agent_record(a)->max_concurrent, 1);
    assert_int_equal(identity_set_limits(k.lobby, a, &two, k.now_ms, why), 200);
    assert_int_equal(identity_set_policy(k.lobby, a, &many, k.now_ms, why), 200);
    assert_int_equal(lobby_agent_record(a)->max_concurrent, 2);
}

static void guests_who_do_not_play_are_removed_after_30_days(void **state)
{
    (void)state;
    struct rng dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){1});
    int64_t begun_ms = k.now_ms;
    struct uuid idle = lobby_agent_record(add_guest("idle"))->id, agent = lobby_agent_record(add("agent"))->id;
    struct kit_agent *there = kit_player(&k, "there"), *played = kit_player(&k, "played");
    kit_edit(there, be_guest), kit_edit(played, be_guest);
    kit_pass(&k, 20 * day_ms);
    struct uuid late = lobby_agent_record(add_guest("late"))->id;
    assert_string_equal(kit_join(there, "liars_dice", "casual", true), "");
    assert_string_equal(kit_join(played, "liars_dice", "casual", true), "");
    kit_pass(&k, 60000);
    assert_int_equal(lobby_agent_active(played->agent), 1);
    assert_true(kit_play_out(&k, &dice, 5000));
    kit_go(played);
    kit_pass(&k, begun_ms + 30 * day_ms - 120000 - k.now_ms);
    assert_true(is_there(idle));
    kit_pass(&k, 300000);
    assert_false(is_there(idle));
    assert_true(is_there(late) && is_there(agent) && is_there(played->id) && is_there(there->id));
    kit_pass(&k, 21 * day_ms);
    assert_false(is_there(late) || is_there(played->id));
    assert_true(is_there(agent) && is_there(there->id)); // whoever registered stays, and whoever is connected
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_are_judged),
        TEST(a_new_agent_begins_with_what_the_operator_says),
        TEST(a_new_record),
        TEST(keys_and_numbers_differ),
        TEST(a_remote_bot_has_no_key),
        TEST(a_code_works_once),
        TEST(codes_end),
        TEST(pairing_takes_over),
        TEST(pairing_drops_the_connection),
        TEST(claim_by_token),
        TEST(claim_by_operator),
        TEST(renaming_has_a_pause),
        TEST(policies_are_judged_as_a_whole),
        TEST(ceilings_of_the_operator),
        TEST(policies_keep_to_the_limits_of_the_agent),
        TEST(bindings),
        TEST(shutting_out),
        TEST(a_deleted_agent_leaves_its_number_alone),
        TEST(a_guest_plays_one_match_at_a_time),
        TEST(guests_who_do_not_play_are_removed_after_30_days),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Friendly tables by invitation (F3.19, F5.7).
#include "lobby/challenge.h"

#include "crypto/crypto.h"
#include "lobby/internal.h"
#include "lobby_kit.h"
#include "store/mock_remote.h"
#include "work/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct kit k;
static struct challenges *c;
static struct store_challenge d;
static char token[CHALLENGE_TOKEN + 1], why[CHALLENGE_ERROR_ROOM];

static int set_up(void **state)
{
    (void)state;
    kit_open(&k, NULL);
    c = challenges_open(k.lobby, k.now_ms);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    challenges_close(c);
    kit_close(&k);
    return 0;
}

static const struct lobby_game *game(const char *name)
{
    return lobby_find_game(k.lobby, span_of(name));
}

static int create(struct kit_agent *host, const char *name, int places)
{
    return challenge_create(c, host->agent, game(name), places, k.now_ms, &d, token, why);
}

static int join(struct kit_agent *guest)
{
    return challenge_accept(c, guest->agent, span_of(token), k.now_ms, &d, why);
}

static void places(void **state)
{
    static const struct {
        const char *game;
        int asked, status, places;
    } rows[] = {
        {"texas_holdem", 0, 201, 2}, {"liars_dice", 0, 201, 2},   {"coup", 0, 201, 3}, {"belote", 0, 201, 4},
        {"texas_holdem", 6, 201, 6}, {"texas_holdem", 7, 400, 0}, {"coup", 1, 400, 0}, {"coup", 2, 201, 2},
        {"belote", 2, 400, 0},       {"belote", 4, 201, 4},
    };
    (void)state;
    struct kit_agent *host = kit_player(&k, "ada");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(create(host, rows[i].game, rows[i].asked), rows[i].status);
        if (rows[i].status == 201) {
            assert_int_equal(d.places, rows[i].places);
            assert_int_equal(d.taken, 1); // the host holds the first place
            assert_int_equal(d.status, DUEL_PENDING);
        }
    }
}

static void the_token_is_kept_as_a_hash(void **state)
{
    uint8_t hash[STORE_HASH];
    struct store_challenge stored;
    (void)state;
    assert_int_equal(create(kit_player(&k, "ada"), "coup", 2), 201);
    kit_settle(&k);
    assert_int_equal(strlen(token), 35);
    assert_memory_equal(token, "dl_", 3);
    crypto_sha256(hash, token, strlen(token));
    assert_true(store_find_challenge_by_token(k.store, hash, &stored));
    assert_memory_equal(&stored.id, &d.id, sizeof d.id);
    assert_false(challenge_find(c, SPAN("dl_00000000000000000000000000000000"), &stored));
    assert_false(challenge_find(c, SPAN(""), &stored));
}

static void full_and_all_there(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea"), *e = kit_player(&k, "eve");
    create(a, "liars_dice", 2);
    assert_int_equal(join(a), 409); // an agent takes at most one place
    assert_int_equal(join(b), 200);
    assert_int_equal(d.status, DUEL_IN_MATCH);
    assert_true(kit_heard(a, "start") && kit_heard(b, "start"));
    assert_int_equal(join(e), 409);
    assert_string_equal(why, "the challenge is full");
    assert_true(kit_play_out(&k, NULL, 100000));
    assert_int_equal(join(e), 410);
    kit_settle(&k);
    assert_true(challenge_find(c, span_of(token), &d));
    assert_int_equal(d.status, DUEL_FINISHED);
    struct store_match m;
    assert_true(store_find_match(k.store, d.match, &m));
    assert_string_equal(m.mode, "friendly");
    assert_false(m.rated);
    assert_true(m.seat[0].one_shot && m.seat[1].one_shot); // F3.19: they count toward no cap
}

static void offline(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_add(&k, "bea"), *e = kit_player(&k, "eve");
    create(a, "coup", 3);
    assert_int_equal(join(b), 425); // connect first
    kit_come(b, "1");
    assert_int_equal(join(b), 200);
    assert_int_equal(d.status, DUEL_PENDING);
    kit_go(a);
    assert_int_equal(join(e), 503); // the host
    kit_come(a, "1");
    kit_go(b);
    assert_int_equal(join(e), 200); // full, and somebody is missing
    assert_int_equal(d.status, DUEL_WAITING);
    challenges_tick(c, k.now_ms + 1000);
    assert_false(kit_heard(a, "start"));
    assert_true(challenges_next_due(c) <= k.now_ms + 2000);
    kit_come(b, "1");
    challenges_tick(c, k.now_ms + 2000);
    assert_true(kit_heard(a, "start") && kit_heard(b, "start") && kit_heard(e, "start"));
    assert_true(challenge_find(c, span_of(token), &d));
    assert_int_equal(d.status, DUEL_IN_MATCH);
}

static void expiry_and_cancelling(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    create(a, "coup", 2);
    assert_int_equal(challenges_next_due(c), k.now_ms + k.o.challenge_ttl_ms);
    assert_int_equal(challenge_cancel(c, b->agent, d.id, why), 403);
    assert_int_equal(challenge_cancel(c, a->agent, (struct uuid){{1}}, why), 404);
    assert_int_equal(challenge_cancel(c, a->agent, d.id, why), 200);
    kit_settle(&k);
    assert_int_equal(challenge_cancel(c, a->agent, d.id, why), 409);
    assert_int_equal(join(b), 410);
    assert_string_equal(why, "the challenge is cancelled");
    create(a, "coup", 2);
    challenges_tick(c, k.now_ms + k.o.challenge_ttl_ms);
    kit_settle(&k);
    assert_int_equal(join(b), 410);
    assert_string_equal(why, "the challenge is expired");
    create(b, "coup", 2);
    struct store_challenge other = d;
    create(a, "coup", 2);
    challenges_cancel_of(c, a->agent);
    assert_int_equal(join(b), 410);
    assert_string_equal(why, "the challenge is cancelled");
    assert_true(challenge_find_by_id(c, other.id, &d));
    assert_int_equal(d.status, DUEL_PENDING); // of another host
}

static void a_host_has_only_so_many(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada");
    for (int i = 0; i < CHALLENGE_MOST_OWN; i++)
        assert_int_equal(create(a, "coup", 2), 201);
    assert_int_equal(create(a, "coup", 2), 429);
    assert_int_equal(challenge_cancel(c, a->agent, d.id, why), 200);
    assert_int_equal(create(a, "coup", 2), 201);
}

static void unclaim(struct store_agent *r)
{
    r->claimed = false;
}

static void the_unclaimed_do_not_play(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    create(a, "coup", 2);
    kit_edit(b, unclaim);
    assert_int_equal(join(b), 403);
    assert_int_equal(create(b, "coup", 2), 403);
}

static void places_last_through_a_restart(void **state)
{
    char kept[CHALLENGE_TOKEN + 1];
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea"), *e = kit_player(&k, "eve");
    create(a, "coup", 3);
    assert_int_equal(join(b), 200);
    memcpy(kept, token, sizeof kept);
    challenges_close(c);
    kit_restart(&k);
    c = challenges_open(k.lobby, k.now_ms);
    assert_true(challenge_find(c, span_of(kept), &d));
    assert_int_equal(d.taken, 2);
    kit_come(a, "2");
    kit_come(b, "2");
    kit_come(e, "2");
    assert_int_equal(join(e), 200);
    assert_int_equal(d.status, DUEL_IN_MATCH);
    struct store_challenge playing = d;
    assert_true(kit_play_out(&k, NULL, 100000));
    store_put_challenge(k.store, &playing); // as if its end had not been told
    challenges_close(c);
    kit_restart(&k);
    c = challenges_open(k.lobby, k.now_ms);
    kit_settle(&k);
    assert_true(challenge_find(c, span_of(kept), &d));
    assert_int_equal(d.status, DUEL_FINISHED);
}

// F7.12: who plays at a friendly table is told when spectators see it begin, of a queue's (F2.7) never.
static void where_an_agent_plays(void **state)
{
    (void)state;
    struct uuid live;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bea");
    kit_join(a, "coup", "friendly", true); // a queue of that name is a queue
    kit_join(b, "coup", "friendly", true);
    kit_pass(&k, k.o.fill_wait_ms);
    assert_true(kit_heard(a, "start"));
    kit_settle(&k);
    assert_false(lobby_agent_live(k.lobby, a->agent, k.now_ms + 2 * k.o.spectate_delay_ms, &live));
    create(a, "liars_dice", 2);
    assert_int_equal(join(b), 200);
    assert_int_equal(d.status, DUEL_IN_MATCH);
    kit_settle(&k);
    int64_t seen_ms = k.now_ms + k.o.spectate_delay_ms;
    assert_false(lobby_agent_live(k.lobby, a->agent, seen_ms - 1, &live));
    assert_true(lobby_agent_live(k.lobby, a->agent, seen_ms, &live));
    assert_memory_equal(&live, &lobby_seat_match(kit_seat(a)->seat)->live, sizeof live);
    assert_true(lobby_agent_live(k.lobby, b->agent, seen_ms, &live));
    assert_true(kit_play_out(&k, NULL, 100000));
    assert_false(lobby_agent_live(k.lobby, a->agent, k.now_ms + seen_ms, &live));
}

// --- the matchmaker of several nodes (S25)

enum { ME = 7 };
static bool holds; // the role, as the store has it

static bool find_holder(void *owner, const char *game, uint64_t *epoch, uint64_t *term)
{
    (void)owner, (void)game;
    *epoch = ME;
    *term = 1;
    return holds;
}

static void want(void *owner, const char *game, bool wanted)
{
    (void)owner, (void)game, (void)wanted;
}

static int list_peers(void *owner, struct lobby_peer out[STORE_NODES], int room)
{
    (void)owner, (void)room;
    *out = (struct lobby_peer){.epoch = ME, .serves = true};
    return 1;
}

static const struct lobby_mesh mesh = {.me = ME, .find_holder = find_holder, .want = want, .list_peers = list_peers};

// The store does not answer when the node becomes the matchmaker, most likely because the node before has died with it.
static void a_new_matchmaker_reads_until_the_store_answers(void **state)
{
    (void)state;
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_player(&k, "bob");
    struct work *work = k.lobby->o.work = work_create();
    assert_int_equal(create(a, "coup", 3), 201);
    kit_settle(&k);
    lobby_set_mesh(k.lobby, &mesh, k.now_ms);
    holds = true;
    store_set_mock(k.store, &(struct store_mock){.away = true});
    kit_pass(&k, 1000);
    store_set_mock(k.store, &(struct store_mock){0});
    kit_settle(&k);
    assert_int_equal(join(b), 503);
    work_begin_turn(work);
    work_run_ready(work);
    assert_int_equal(join(b), 200);
    assert_int_equal(d.taken, 2);
    lobby_set_mesh(k.lobby, NULL, k.now_ms);
    work_drain(work);
    k.lobby->o.work = NULL;
    work_destroy(work);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(places),
        TEST(the_token_is_kept_as_a_hash),
        TEST(full_and_all_there),
        TEST(offline),
        TEST(expiry_and_cancelling),
        TEST(a_host_has_only_so_many),
        TEST(the_unclaimed_do_not_play),
        TEST(places_last_through_a_restart),
        TEST(where_an_agent_plays),
        TEST(a_new_matchmaker_reads_until_the_store_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A server that is started anew in the middle of matches (F8.2, F8.5, F8.6), and agents in memory.
#include "lobby_test.h"

#include "bots/minds.h"
#include "crypto/crypto.h"
#include "games/coup/bots/bots.h"
#include "lobby/internal.h"
#include "lobby/replayed.h"

#include <stdio.h>
#include <stdlib.h>

enum { HOLDEM, DICE, COUP, BELOTE };

static struct kit_agent *player[6];

static struct uuid sit(int game, int count)
{
    struct lobby_agent *agents[6] = {0};
    struct uuid match;
    for (int i = 0; i < count; i++)
        agents[i] = kit_player(&k, (char[]){(char)('a' + i), 0})->agent;
    assert_int_equal(
        lobby_seat_table(k.lobby, &kit_games[game], "ranked", agents, count, (struct uuid){0}, k.now_ms, &match), OK);
    for (int i = 0; i < count; i++)
        player[i] = kit_at(&k, i);
    kit_settle(&k); // and all have heard of it
    return match;
}

static int bid(int seat)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    struct kit_seat *s = kit_seat(player[seat]);
    int count = lobby_seat_choices(s->seat, choices);
    return count ? kit_answer(player[seat], s, choices[count - 1].first) : ERR_SEAT;
}

static void come_back(int seat)
{
    kit_come(player[seat], lobby_agent_record(player[seat]->agent)->name); // as kit_player did
}

static void forget_all(int count)
{
    for (int i = 0; i < count; i++)
        kit_said(player[i]);
}

static void a_match_goes_on(void **state)
{
    (void)state;
    sit(DICE, 3);
    assert_int_equal(bid(0), OK);
    kit_pass(&k, 5000);
    assert_int_equal(bid(1), OK);
    struct uuid session = kit_seat(player[2])->session, request = kit_seat(player[2])->request;
    struct match_event before, after;
    assert_true(lobby_seat_event(kit_seat(player[0])->seat, 1, &before));
    struct game_event second = *before.at;
    forget_all(3);
    kit_pass(&k, 100000);
    kit_restart(&k);
    come_back(2);                                                 // the same process as before
    assert_string_equal(kit_said(player[2]), "ask:300000/again"); // F8.5: clocks restart in full
    struct lobby_seat *s = lobby_find_seat(player[2]->agent, session);
    assert_non_null(s); // the same session
    assert_int_equal(lobby_seat_index(s), 2);
    assert_int_equal(lobby_judge(s, &request, k.now_ms), LOBBY_STALE); // superseded
    assert_int_equal(lobby_seat_events(s), 2);
    assert_true(lobby_seat_event(s, 1, &after));
    assert_memory_equal(&second, after.at, sizeof second); // F8.2
    assert_int_equal(after.at_ms, k.now_ms - 100000);
    come_back(0);
    assert_string_equal(kit_said(player[0]), "state");
    kit_come(player[1], "other"); // a process that forgot (F4.21 holds across restarts)
    assert_string_equal(kit_said(player[1]), "start state");
    assert_int_equal(bid(2), OK);
    assert_string_equal(kit_said(player[0]), "ask:300000");
}

static void strikes_survive(void **state)
{
    (void)state;
    sit(DICE, 2);
    kit_pass(&k, k.o.turn_timeout_ms); // seat 0: the first
    assert_int_equal(bid(1), OK);
    kit_restart(&k);
    kit_come(player[1], "b");
    kit_pass(&k, k.o.turn_timeout_ms); // the second
    assert_true(kit_heard(player[1], "over:w"));
    assert_string_equal(lobby_forfeit_name(lobby_seat_match(kit_seat(player[1])->seat)->forfeit_reason), "disconnect");
}

static void drops_survive(void **state)
{
    (void)state;
    sit(DICE, 3);
    kit_pass(&k, k.o.turn_timeout_ms);
    assert_int_equal(bid(1), OK);
    assert_int_equal(bid(2), OK);
    kit_pass(&k, k.o.turn_timeout_ms);
    assert_true(lobby_seat_is_dropped(kit_seat(player[0])->seat));
    kit_restart(&k);
    struct lobby_seat *s = lobby_find_seat(player[0]->agent, kit_seat(player[0])->session);
    assert_true(lobby_seat_is_dropped(s));
    assert_int_equal(lobby_agent_active(player[0]->agent), 0);
    assert_int_equal(lobby_agent_active(player[1]->agent), 1);
    for (int i = 0; i < 3; i++)
        kit_come(player[i], "x");
    assert_true(kit_play_out(&k, NULL, 100000));
    assert_true(kit_heard(player[0], "over:l"));
}

// A player who was away from the beginning until after another's action and a second restart still hears of the match.
static void the_action_of_another_proves_nothing(void **state)
{
    (void)state;
    sit(DICE, 2);
    forget_all(2);
    kit_restart(&k);
    come_back(0);
    assert_int_equal(bid(0), OK);
    forget_all(2);
    kit_restart(&k);
    come_back(1);
    assert_true(kit_heard(player[1], "start ask:300000"));
    come_back(0);
    assert_string_equal(kit_said(player[0]), "state"); // it was told the last time
    assert_int_equal(bid(1), OK);
    forget_all(2);
    kit_restart(&k);
    come_back(1);
    assert_string_equal(kit_said(player[1]), "state"); // and now this one too
}

// What was to be told when the beginning is on disk has not left before: an action in the meantime proves nothing.
static void a_beginning_waits_for_the_disk(void **state)
{
    (void)state;
    struct lobby_agent *agents[2] = {kit_player(&k, "a")->agent, kit_player(&k, "b")->agent};
    struct uuid match;
    assert_int_equal(
        lobby_seat_table(k.lobby, &kit_games[DICE], "ranked", agents, 2, (struct uuid){0}, k.now_ms, &match), OK);
    for (int i = 0; i < 2; i++)
        player[i] = kit_at(&k, i);
    forget_all(2);
    kit_go(player[1]); // too early
    come_back(1);
    assert_true(kit_heard(player[1], "start"));
    assert_int_equal(bid(0), OK);
    forget_all(2);
    kit_restart(&k);
    for (int i = 0; i < 2; i++) {
        come_back(i);
        assert_true(kit_heard(player[i], "start"));
    }
    assert_int_equal(bid(1), OK); // all have heard now, but whether it has left nobody knows
    kit_settle(&k);
    assert_int_equal(bid(0), OK);
    forget_all(2);
    kit_restart(&k);
    come_back(0);
    assert_string_equal(kit_said(player[0]), "state");
}

// Without an action nobody knows whether the beginning had been told: it is told again, to the same process too.
static void a_beginning_may_have_been_lost(void **state)
{
    (void)state;
    sit(DICE, 2);
    forget_all(2);
    kit_restart(&k);
    for (int i = 0; i < 2; i++)
        come_back(i);
    assert_true(kit_heard(player[0], "start ask:300000") && kit_heard(player[1], "start"));
}

// Once its arrival is proven, the beginning is not told again to the same process (F4.21).
static void a_beginning_that_arrived_is_told_once(void **state)
{
    (void)state;
    sit(DICE, 2);
    lobby_start_arrived(k.lobby, kit_seat(player[0])->seat);
    kit_settle(&k);
    forget_all(2);
    kit_restart(&k);
    for (int i = 0; i < 2; i++)
        come_back(i);
    assert_string_equal(kit_said(player[0]), "ask:300000/again");
    assert_true(kit_heard(player[1], "start"));
    lobby_start_arrived(k.lobby, kit_seat(player[1])->seat); // and now this one too
    kit_restart(&k);
    kit_said(player[1]);
    come_back(1);
    assert_string_equal(kit_said(player[1]), "state");
    come_back(0);
    assert_int_equal(bid(0), OK); // an action writes anew who was told
    forget_all(2);
    kit_restart(&k);
    kit_come(player[0], "other");
    assert_true(kit_heard(player[0], "start"));
    come_back(1);
    assert_false(kit_heard(player[1], "start"));
}

static void house_bots_go_on_by_themselves(void **state)
{
    (void)state;
    struct lobby_options o = k.o;
    kit_close(&k);
    o.house_bots = 3;
    o.has_seed = true; // a match that is long enough
    kit_open(&k, &o);
    struct lobby_agent *four[] = {k.lobby->house[BELOTE][0], k.lobby->house[BELOTE][1], k.lobby->house[BELOTE][2],
                                  kit_player(&k, "a")->agent};
    struct uuid match;
    assert_int_equal(
        lobby_seat_table(k.lobby, &kit_games[BELOTE], "ranked", four, 4, (struct uuid){0}, k.now_ms, &match), OK);
    player[0] = &k.agent[0];
    for (int i = 0; i < 5; i++) {
        assert_false(lobby_seat_is_over(kit_seat(player[0])->seat));
        kit_play_out(&k, NULL, 20);
        kit_restart(&k);
        kit_come(player[0], "a");
    }
    assert_true(kit_play_out(&k, NULL, 1000000));
    assert_true(kit_heard(player[0], "over:"));
}

// N1.6: what a house bot remembers is built again from the log.
static void memories_of_the_house_survive(void **state)
{
    (void)state;
    struct lobby_game games[BELOTE + 2];
    struct lobby_options o = k.o;
    memcpy(games, kit_games, sizeof games);
    games[COUP].house = &coup_honest_bot;
    kit_close(&k);
    o.games = games;
    o.house_bots = 2;
    o.has_seed = true;
    kit_open(&k, &o);
    struct lobby_agent *three[] = {k.lobby->house[COUP][0], k.lobby->house[COUP][1], kit_player(&k, "a")->agent};
    struct uuid match;
    assert_int_equal(lobby_seat_table(k.lobby, &games[COUP], "ranked", three, 3, (struct uuid){0}, k.now_ms, &match),
                     OK);
    static const uint8_t nothing[BOT_MAX_MIND];
    uint8_t before[BOT_MAX_MIND];
    int changed = 0;
    for (int i = 0; i < 4 && !kit_play_out(&k, NULL, 12); i++) {
        size_t size = coup_honest_bot.mind_size;
        int seat = k.lobby->running->seat[0].house ? 0 : 1;
        const void *mind = minds_find(k.lobby->running->match, &coup_honest_bot, seat);
        assert_non_null(mind);
        memcpy(before, mind, size);
        changed += memcmp(before, nothing, size) != 0;
        kit_restart(&k);
        kit_come(&k.agent[0], "a");
        mind = minds_find(k.lobby->running->match, &coup_honest_bot, seat);
        assert_non_null(mind);
        assert_memory_equal(mind, before, size);
    }
    assert_true(changed > 1);
    kit_close(&k); // before the list of games goes
    kit_open(&k, NULL);
}

// --- F8.6

static void a_damaged_match_ends_alone(void **state)
{
    (void)state;
    struct uuid bad = sit(DICE, 2);
    struct kit_agent *a = player[0];
    struct uuid session = kit_seat(a)->session;
    struct uuid good = sit(COUP, 2);
    store_append(k.store, bad, k.now_ms, SPAN("\xff\xff"), (struct span){0});
    forget_all(2);
    kit_said(a);
    kit_restart(&k);
    kit_come(a, "x");
    assert_true(kit_heard(a, "over:-"));
    const struct store_match *m = lobby_seat_match(lobby_find_seat(a->agent, session));
    assert_int_equal(m->status, STORE_CANCELLED);
    assert_true(m->is_draw && m->winner == -1 && !m->rated && m->forfeited_by == -1);
    assert_string_equal(lobby_forfeit_name(m->forfeit_reason), "storage_failure");
    assert_int_equal(m->payoffs[0], 0);
    assert_int_equal(lobby_agent_active(a->agent), 0);
    assert_int_equal(agents_rating(k.lobby, a->agent, DICE)->games, 0);
    struct lobby_live live[4];
    int total;
    assert_int_equal(lobby_list_live(k.lobby, k.now_ms, live, 4, &total), 1);
    kit_settle(&k);
    struct store_match stored;
    assert_true(store_find_match(k.store, good, &stored) && stored.status == STORE_RUNNING);
    assert_true(store_find_match(k.store, bad, &stored) && stored.status == STORE_CANCELLED);
    kit_restart(&k); // and is not given up again
    assert_int_equal(lobby_list_live(k.lobby, k.now_ms, live, 4, &total), 1);
}

static void a_game_that_is_gone_cancels_its_matches(void **state)
{
    (void)state;
    static const struct lobby_game *all = kit_games;
    static struct lobby_game some[3];
    sit(COUP, 2);
    kit_settle(&k);
    memcpy(some, all, 2 * sizeof *some); // no coup any more
    lobby_close(k.lobby);
    k.o.games = some;
    k.lobby = lobby_open(&k.o, k.store, k.now_ms);
    player[0]->agent = lobby_agent_by_id(k.lobby, player[0]->id);
    player[0]->online = false;
    kit_come(player[0], "x");
    assert_true(kit_heard(player[0], "over:-"));
}

static void a_wrong_key_is_noticed(void **state)
{
    (void)state;
    struct uuid match = sit(DICE, 2);
    assert_int_equal(bid(0), OK);
    kit_settle(&k);
    struct replayed r;
    assert_int_equal(replayed_load(&r, k.lobby, match), OK);
    assert_int_equal(r.events, 1);
    uint8_t commitment[CRYPTO_SHA256_BYTES];
    crypto_sha256(commitment, r.match.key, sizeof r.match.key);
    assert_memory_equal(commitment, r.match.commitment, sizeof commitment); // F6.1
    replayed_release(&r);
    assert_int_equal(replayed_load(&r, k.lobby, (struct uuid){{1}}), ERR_UNKNOWN);
}

// --- F6.1

static void a_seed_makes_the_keys(void **state)
{
    (void)state;
    struct lobby_options o = k.o;
    kit_close(&k);
    o.has_seed = true;
    o.seed = 42;
    kit_open(&k, &o);
    uint8_t key[CRYPTO_KEY_BYTES];
    for (uint64_t i = 0; i < 3; i++) {
        struct uuid match = sit(DICE, 2);
        crypto_seed_key(key, "liars_dice", 42 + i);
        kit_restart(&k); // counted across restarts
        struct store_match m;
        assert_true(store_find_match(k.store, match, &m));
        assert_memory_equal(m.key, key, sizeof key);
        for (int s = 0; s < 2; s++) // ids are not from the key
            for (size_t n = 0; n + 4 <= sizeof m.key; n++)
                assert_memory_not_equal(m.seat[s].session.byte, m.key + n, 4);
    }
}

static int by_id(const void *a, const void *b)
{
    const struct kit_agent *x = *(struct kit_agent *const *)a, *y = *(struct kit_agent *const *)b;
    return memcmp(x->id.byte, y->id.byte, UUID_BYTES);
}

static void seats_are_shuffled_with_the_key(void **state)
{
    (void)state;
    struct kit_agent *a[4];
    bool moved = false;
    for (int i = 0; i < 4; i++)
        a[i] = kit_player(&k, (char[]){(char)('a' + i), 0});
    qsort(a, 4, sizeof *a, by_id); // a chain deal shuffles from the order of ids, whoever came first
    for (int round = 0; round < 8; round++) {
        struct lobby_agent *agents[] = {a[0]->agent, a[1]->agent, a[2]->agent, a[3]->agent};
        struct uuid match;
        assert_int_equal(
            lobby_seat_table(k.lobby, &kit_games[DICE], "friendly", agents, 4, (struct uuid){0}, k.now_ms, &match), OK);
        const struct store_match *m = lobby_seat_match(kit_seat(a[0])->seat);
        struct rng root = rng_from_key(m->key), seats = rng_split(&root, MATCH_SEATS);
        struct rng_draw draw;
        int order[4] = {0, 1, 2, 3};
        rng_begin(&draw, &seats);
        for (int i = 0; i < 3; i++) { // F6.1: swap i with i + U(k - i)
            int n = i + (int)rng_draw_below(&draw, (uint32_t)(4 - i)), other = order[i];
            order[i] = order[n];
            order[n] = other;
        }
        for (int i = 0; i < 4; i++) {
            assert_true(uuid_equals(m->seat[i].agent, a[order[i]]->id)); // F3.3
            moved |= order[i] != i;
        }
    }
    assert_true(moved);
}

// --- agents in memory

static void keys_are_found_by_their_hash(void **state)
{
    (void)state;
    struct kit_agent *a = kit_add(&k, "secret");
    assert_ptr_equal(lobby_agent_by_key(k.lobby, SPAN("secret")), a->agent);
    assert_null(lobby_agent_by_key(k.lobby, SPAN("Secret")));
    kit_settle(&k);
    struct store_agent *r = lobby_agent_edit(a->agent);
    crypto_sha256(r->key_hash, "rotated", 7);
    lobby_agent_save(k.lobby, a->agent);
    assert_null(lobby_agent_by_key(k.lobby, SPAN("secret"))); // the store still knows it: memory knows better
    assert_ptr_equal(lobby_agent_by_key(k.lobby, SPAN("rotated")), a->agent);
    kit_restart(&k);
    assert_null(lobby_agent_by_key(k.lobby, SPAN("secret")));
    assert_ptr_equal(lobby_agent_by_key(k.lobby, SPAN("rotated")), a->agent);
}

static void the_idle_leave_memory(void **state)
{
    (void)state;
    enum { CROWD = 3000 };
    struct store_agent record = {.claimed = true};
    for (int i = 0; i < CROWD; i++) {
        memcpy(record.id.byte, &(int){i + 1}, sizeof i);
        record.public_no = 2000000000u + (uint64_t)i;
        snprintf(record.name, sizeof record.name, "agent %d", i);
        lobby_agent_add(k.lobby, &record);
    }
    struct kit_agent *kept = kit_add(&k, "kept"), *online = kit_player(&k, "online");
    lobby_agent_release(online->agent);
    assert_int_equal(k.lobby->agents, CROWD + 2);
    kit_pass(&k, 70000);
    kit_settle(&k);
    kit_pass(&k, 200000);
    assert_int_equal(k.lobby->agents, 2);
    assert_ptr_equal(lobby_agent_by_id(k.lobby, kept->id), kept->agent);
    assert_ptr_equal(lobby_agent_by_id(k.lobby, online->id), online->agent);
    assert_string_equal(lobby_agent_record(lobby_agent_by_id(k.lobby, record.id))->name, "agent 2999");
    lobby_agent_hold(online->agent);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_match_goes_on),
        TEST(strikes_survive),
        TEST(drops_survive),
        TEST(the_action_of_another_proves_nothing),
        TEST(a_beginning_waits_for_the_disk),
        TEST(a_beginning_may_have_been_lost),
        TEST(a_beginning_that_arrived_is_told_once),
        TEST(house_bots_go_on_by_themselves),
        TEST(memories_of_the_house_survive),
        TEST(a_damaged_match_ends_alone),
        TEST(a_game_that_is_gone_cancels_its_matches),
        TEST(a_wrong_key_is_noticed),
        TEST(a_seed_makes_the_keys),
        TEST(seats_are_shuffled_with_the_key),
        TEST(keys_are_found_by_their_hash),
        TEST(the_idle_leave_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

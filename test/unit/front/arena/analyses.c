// Analyses for a server (N20.8): worked out once and kept, seats without names, limits on how many wait.
#include "front/arena/analyses.h"

#include "bots/self_play.h"
#include "crypto/crypto.h"
#include "games/games.h"
#include "heap/heap.h"
#include "house/ask.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DEADLINE_MS = 60000, MOST_ASKED = 100000 };

static uint8_t key[RNG_KEY_BYTES];

// A match of beginners between two named players.
static struct text play(const char *game)
{
    static struct match m;
    struct text log = {.grow = heap_text_grow};
    const struct game_kit *k = games_find(game);
    union game_rules rules = {0};
    struct match_setup setup = {.game = k->game, .rules = &rules, .seats = 2, .open_key = true};
    k->game->defaults(&rules);
    memcpy(setup.key, key, sizeof key);
    crypto_sha256(setup.commitment, setup.key, sizeof setup.key);
    strcpy(setup.name[0], "Ada <b>");
    strcpy(setup.name[1], "Grace");
    assert_int_equal(match_start(&m, &setup, &log, NULL), OK);
    for (int seat; !match_is_over(&m) && (seat = self_play_next_seat(&m)) >= 0;)
        assert_int_equal(match_answer(&m, seat, k->game->turn(&m.state).number,
                                      house_ask(&m, kit_level(k, 1), seat, (uint32_t)m.steps, 0.5f), NULL),
                         OK);
    assert_int_equal(match_finish(&m, setup.key, true), OK);
    return log;
}

static struct uuid name(uint32_t number)
{
    struct uuid id = {0};
    memcpy(&id, &number, sizeof number);
    return id;
}

static struct analyses_answer wait_for(struct analyses *a, const struct analyses_match *m)
{
    struct analyses_answer said;
    while ((said = analyses_ask(a, m)).state == ANALYSES_RUNNING) {
        struct pollfd bell = {analyses_descriptor(a), POLLIN, 0};
        assert_int_equal(poll(&bell, 1, DEADLINE_MS), 1);
    }
    return said;
}

static bool has(struct span text, const char *word)
{
    return memmem(text.at, text.size, word, strlen(word));
}

static void is_told_and_kept(void **unused)
{
    (void)unused;
    struct analyses *a = analyses_create(ANALYSES_BYTES);
    struct text log = play("kuhn_poker");
    struct analyses_match m = {.id = name(1), .log = text_span(&log), .key = key};
    assert_int_equal(analyses_ask(a, &m).state, ANALYSES_RUNNING);
    struct analyses_answer said = wait_for(a, &m);
    assert_int_equal(said.state, ANALYSES_DONE);
    assert_true(has(said.json, "\"decisions\":[{\"step\":"));
    assert_true(has(said.json, "\"name\":\"seat_0\""));
    assert_false(has(said.json, "Ada"));
    const char *at = said.json.at;
    m.log = (struct span){0}; // it is not asked for again
    said = analyses_ask(a, &m);
    assert_int_equal(said.state, ANALYSES_DONE);
    assert_ptr_equal(said.json.at, at);
    free(log.at);
    analyses_destroy(a);
}

static void what_cannot_be_played_is_told(void **unused)
{
    (void)unused;
    struct analyses *a = analyses_create(ANALYSES_BYTES);
    struct text log = play("kuhn_poker");
    struct analyses_match m = {.id = name(1), .log = {log.at, 9}, .key = key};
    assert_int_equal(wait_for(a, &m).state, ANALYSES_FAILED);
    free(log.at);
    analyses_destroy(a);
}

// However quick the thread is: names are asked for until one is refused.
static uint32_t ask_until_busy(struct analyses *a, struct analyses_match m, uint32_t from)
{
    for (uint32_t i = from; i < from + MOST_ASKED; i++) {
        m.id = name(i);
        if (analyses_ask(a, &m).state == ANALYSES_BUSY)
            return i - from;
    }
    fail_msg("%d matches were taken", MOST_ASKED);
    return 0;
}

static void only_so_many_wait(void **unused)
{
    (void)unused;
    struct analyses *a = analyses_create(ANALYSES_BYTES);
    struct text log = play("liars_dice"); // takes longer than to ask
    struct analyses_match m = {.log = text_span(&log), .key = key, .address = "192.0.2.1"};
    assert_true(ask_until_busy(a, m, 0) >= ANALYSES_OF_ONE);
    m.address = "192.0.2.2"; // others are not kept out by one
    m.id = name(500000);
    assert_int_equal(analyses_ask(a, &m).state, ANALYSES_RUNNING);
    m.address = NULL;
    assert_true(ask_until_busy(a, m, 600000) >= ANALYSES_WAITING - ANALYSES_OF_ONE - 1);
    m.id = name(500000);
    assert_int_not_equal(analyses_ask(a, &m).state, ANALYSES_BUSY); // it is under way, or done
    free(log.at);
    analyses_destroy(a); // what waits is left
}

// More than are kept: the oldest results give way.
static void forgets_the_oldest(void **unused)
{
    (void)unused;
    struct analyses *a = analyses_create(ANALYSES_BYTES);
    struct text log = play("kuhn_poker");
    struct analyses_match m = {.log = text_span(&log), .key = key};
    for (uint32_t i = 0; i <= ANALYSES_KEPT; i++) {
        m.id = name(i);
        assert_int_equal(wait_for(a, &m).state, ANALYSES_DONE);
        m.id = name(1);
        if (i > 0)
            assert_int_equal(analyses_ask(a, &m).state, ANALYSES_DONE); // asked for now and then: it stays
    }
    m.id = name(0);
    assert_int_equal(analyses_ask(a, &m).state, ANALYSES_RUNNING);
    free(log.at);
    analyses_destroy(a);
}

// Results have a size too: those asked for longest ago give way, the last one never.
static void forgets_when_there_is_no_room(void **unused)
{
    (void)unused;
    struct text log = play("kuhn_poker");
    struct analyses_match m = {.id = name(0), .log = text_span(&log), .key = key};
    struct analyses *a = analyses_create(ANALYSES_BYTES);
    size_t size = wait_for(a, &m).json.size;
    analyses_destroy(a);
    a = analyses_create(2 * size); // the same match under other names: as many bytes each, but for the name
    for (uint32_t i = 0; i < 4; i++) {
        m.id = name(i);
        assert_int_equal(wait_for(a, &m).state, ANALYSES_DONE);
    }
    for (uint32_t i = 3; i-- > 1;) { // 3, and 2 and 1 besides
        m.id = name(i);
        assert_int_equal(analyses_ask(a, &m).state, ANALYSES_DONE);
    }
    m.id = name(0);
    assert_int_equal(analyses_ask(a, &m).state, ANALYSES_RUNNING);
    analyses_destroy(a);
    a = analyses_create(0);
    assert_int_equal(wait_for(a, &m).state, ANALYSES_DONE);
    assert_int_equal(analyses_ask(a, &m).state, ANALYSES_DONE);
    free(log.at);
    analyses_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_told_and_kept),
                                       cmocka_unit_test(what_cannot_be_played_is_told),
                                       cmocka_unit_test(only_so_many_wait), cmocka_unit_test(forgets_the_oldest),
                                       cmocka_unit_test(forgets_when_there_is_no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

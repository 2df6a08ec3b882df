// Ratings, boards that stay exact while time passes, history, and all of it anew.
#include "store_kit.h"

#include "store/board_updates.h"
#include "store/grade.h"
#include "store/internal.h"

#include <math.h>

#define DAY_MS ((int64_t)86400000)

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-6))
        fail_msg("%.12g is not %.12g", got, want);
}

static void put_ratings(struct kit *k, const struct store_rating *r, int count)
{
    for (int i = 0; i < count; i++)
        store_put_rating(k->store, &r[i], (struct uuid){0});
    store_wait(k->store);
}

static void a_rating_comes_back_as_it_was_put(void **state)
{
    struct kit *k = *state;
    struct store_rating r = kit_rating(1, "coup", 1623.25, 77.5), got[4];
    kit_put_agents(k, 2);
    r.played_ms = KIT_START + 5;
    r.streak = -3;
    r.best_streak = 9;
    r.peak = 1700.125;
    strcpy(r.form, "wldwldwldw");
    r.latency[0] = 1;
    r.latency[7] = UINT32_MAX;
    r.latency[STORE_LATENCY_BUCKETS - 1] = 3;
    struct store_rating other = kit_rating(1, "belote", 1500, 350);
    put_ratings(k, (struct store_rating[]){r, other}, 2);
    kit_reopen(k);
    assert_int_equal(store_ratings(k->store, r.agent, got, 4), 2);
    r.version = got[0].version; // the store's own
    other.version = got[1].version;
    assert_memory_equal(&got[0], &r, sizeof r);
    assert_memory_equal(&got[1], &other, sizeof other);
    assert_int_equal(store_ratings(k->store, r.agent, got, 1), 1);
    assert_int_equal(store_ratings(k->store, kit_uuid('a', 2), got, 4), 0);
}

static void check_board(struct kit *k, int64_t now_ms, int from, const uint32_t *want, int count, int total)
{
    struct store_rank got[16];
    int all;
    assert_int_equal(store_leaderboard(k->store, "coup", now_ms, from, got, 16, &all), count);
    assert_int_equal(all, total);
    for (int i = 0; i < count; i++) {
        struct glicko g = {got[i].rating, got[i].deviation, got[i].volatility};
        int64_t days = (now_ms - got[i].rated_ms) / DAY_MS;
        assert_true(uuid_equals(got[i].agent, kit_uuid('a', want[i])));
        near(got[i].display, glicko_display(glicko_idle(g, days)));
    }
}

static void a_board_goes_by_display_then_games_then_id(void **state)
{
    struct kit *k = *state; // F7.10
    struct store_rank got[8];
    kit_put_agents(k, 7);
    struct store_agent house = kit_agent(3);
    house.kind = STORE_HOUSE;
    store_put_agent(k->store, &house);
    struct store_rating r[] = {
        kit_rating(1, "coup", 1600, 100), // 1400
        kit_rating(2, "coup", 1500, 50),  // 1400
        kit_rating(3, "coup", 1700, 100), // 1500, a house agent
        kit_rating(4, "coup", 1900, 350), // 1200
        kit_rating(5, "coup", 2900, 100), // not eligible
        kit_rating(6, "coup", 1600, 100), // 1400, with more games
        kit_rating(7, "belote", 2000, 100),
    };
    r[4].rated_games = 4;
    r[5].games = 7;
    put_ratings(k, r, 7);
    check_board(k, KIT_START, 0, (uint32_t[]){3, 6, 1, 2, 4}, 5, 5);
    check_board(k, KIT_START, 3, (uint32_t[]){2, 4}, 2, 5);
    check_board(k, KIT_START, 5, NULL, 0, 5);
    assert_int_equal(store_leaderboard(k->store, "coup", KIT_START, 0, got, 2, NULL), 2);
    assert_true(got[0].is_house && !got[1].is_house);
    assert_true(got[0].place == 0 && got[1].place == 1);
    assert_string_equal(got[0].name, "agent 3");
    assert_string_equal(got[0].model, "model 3");
    int total = -1;
    assert_int_equal(store_leaderboard(k->store, "chess", KIT_START, 0, got, 8, &total), 0);
    assert_int_equal(total, 0);
    assert_int_equal(store_leaderboard(k->store, "coup", KIT_START, 3, got, 1, NULL), 1);
    assert_int_equal(got[0].place, 3); // the fourth row, of which one is the house's
    static const struct {              // F7.8
        uint32_t min_rated;
        int rows;
    } cases[] = {{5, 5}, {4, 6}, {100, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        k->options.min_rated = cases[i].min_rated;
        kit_reopen(k);
        assert_int_equal(store_leaderboard(k->store, "coup", KIT_START, 0, got, 8, &total), cases[i].rows);
        assert_int_equal(total, cases[i].rows);
    }
}

struct worth {
    struct store_rating rating;
    double display;
};

static int by_worth(const void *a, const void *b)
{
    const struct worth *x = a, *y = b;
    return x->display != y->display ? (x->display < y->display ? 1 : -1)
                                    : memcmp(&x->rating.agent, &y->rating.agent, UUID_BYTES);
}

enum { MANY = 300 };

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static void put_many(struct kit *k, struct worth all[MANY])
{
    uint32_t seed = 5;
    kit_put_agents(k, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        struct store_rating r = kit_rating(i + 1, "coup", 1500 + draw(&seed, 200), 30 + draw(&seed, 320));
        r.volatility = 0.03 + draw(&seed, 100) / 1000.0;
        r.rated_ms -= (int64_t)draw(&seed, 30) * DAY_MS + draw(&seed, (uint32_t)DAY_MS);
        all[i].rating = r;
        store_put_rating(k->store, &r, (struct uuid){0});
    }
    store_wait(k->store);
}

// The whole board in pages, against all rows sorted by hand.
static void compare_board(struct kit *k, struct worth all[MANY], int64_t now_ms)
{
    struct store_rank page[32];
    int total;
    for (int i = 0; i < MANY; i++) {
        const struct store_rating *r = &all[i].rating;
        all[i].display = grade_display((struct grade){{r->rating, r->deviation, r->volatility}, r->rated_ms}, now_ms);
    }
    qsort(all, MANY, sizeof *all, by_worth);
    for (int from = 0; from < MANY;) {
        int count = store_leaderboard(k->store, "coup", now_ms, from, page, 32, &total);
        assert_int_equal(total, MANY);
        assert_true(count > 0);
        for (int i = 0; i < count; i++) {
            assert_true(uuid_equals(page[i].agent, all[from + i].rating.agent));
            assert_int_equal(page[i].place, from + i + 1);
            near(page[i].display, all[from + i].display);
        }
        from += count;
    }
}

static void a_board_is_exact_on_every_day(void **state)
{
    struct kit *k = *state; // F7.5: whoever is idle falls, some faster than others
    static struct worth all[MANY];
    put_many(k, all);
    static const int64_t days[] = {0, 1, 1, 2, 30, 31, 400, 4000, 3, 0};
    for (size_t i = 0; i < sizeof days / sizeof *days; i++)
        compare_board(k, all, KIT_START + days[i] * DAY_MS + (int64_t)i * 7777777);
    k->options.now_ms = KIT_START + 40 * DAY_MS; // read from the file, for a day of their own
    kit_reopen(k);
    compare_board(k, all, k->options.now_ms);
    compare_board(k, all, k->options.now_ms - DAY_MS);
    compare_board(k, all, k->options.now_ms + DAY_MS);
}

// A board that is tended now and then is the same at every moment, however far the tending has come.
static void a_tended_board_is_exact_too(void **state)
{
    struct kit *k = *state;
    static struct worth all[MANY];
    put_many(k, all);
    compare_board(k, all, KIT_START);
    for (int64_t hour = 1; hour < 100; hour++) {
        int64_t now_ms = KIT_START + hour * 13 * 3600000;
        store_tend_boards(k->store, now_ms);
        if (hour % 7 == 0)
            compare_board(k, all, now_ms + hour);
    }
}

// What happens while the board moves on: some play, and are rated anew.
static void a_board_is_exact_while_ratings_change(void **state)
{
    struct kit *k = *state;
    static struct worth all[MANY];
    uint32_t seed = 11;
    put_many(k, all);
    for (int64_t later = 0; later < 40; later++) {
        int64_t now_ms = KIT_START + later * DAY_MS / 2;
        for (int n = 0; n < 20; n++) {
            struct store_rating *r = &all[draw(&seed, MANY)].rating;
            r->rating = 1400 + draw(&seed, 400);
            r->deviation = 40 + draw(&seed, 100);
            r->rated_ms = now_ms - draw(&seed, 1000);
            store_put_rating(k->store, r, (struct uuid){0});
        }
        store_wait(k->store);
        compare_board(k, all, now_ms);
    }
    kit_reopen(k);
    compare_board(k, all, KIT_START + 20 * DAY_MS);
}

static void a_board_tells_the_median_decision(void **state)
{
    struct kit *k = *state; // F7.10
    static const struct {
        uint32_t decisions[8];
        int pace;
    } cases[] = {{{0}, 0},       {{1}, 1},       {{0, 0, 3}, 3},
                 {{2, 0, 2}, 1}, {{2, 0, 3}, 3}, {{UINT32_MAX, 0, 0, 0, UINT32_MAX, 1}, 5}};
    enum { CASES = sizeof cases / sizeof *cases };
    struct store_rating r[CASES];
    struct store_rank got[CASES];
    kit_put_agents(k, CASES);
    for (uint32_t i = 0; i < CASES; i++) {
        r[i] = kit_rating(i + 1, "coup", 1600 - i, 100);
        memset(r[i].latency, 0, sizeof r[i].latency);
        memcpy(r[i].latency, cases[i].decisions, sizeof cases[i].decisions);
    }
    put_ratings(k, r, CASES);
    for (int opened = 0; opened < 2; opened++, kit_reopen(k)) { // as they were put, and as they are read
        assert_int_equal(store_leaderboard(k->store, "coup", KIT_START, 0, got, CASES, NULL), CASES);
        for (int i = 0; i < CASES; i++)
            assert_int_equal(got[i].pace, cases[i].pace);
    }
}

static void what_is_not_durable_does_not_show(void **state)
{
    struct kit *k = *state; // F8.1
    struct store_rank got[4];
    kit_put_agents(k, 2);
    put_ratings(k, (struct store_rating[]){kit_rating(1, "coup", 1600, 100)}, 1);
    assert_int_equal(store_leaderboard(k->store, "coup", KIT_START, 0, got, 4, NULL), 1);
    assert_string_equal(got[0].name, "agent 1");
    struct store_rating r = kit_rating(2, "coup", 1700, 100);
    struct store_agent a = kit_agent(1);
    strcpy(a.name, "renamed");
    store_put_rating(k->store, &r, (struct uuid){0});
    store_put_agent(k->store, &a);
    assert_int_equal(store_leaderboard(k->store, "coup", KIT_START, 0, got, 4, NULL), 1);
    assert_string_equal(got[0].name, "agent 1");
    store_wait(k->store);
    assert_int_equal(store_leaderboard(k->store, "coup", KIT_START, 0, got, 4, NULL), 2);
    assert_string_equal(got[1].name, "renamed");
}

// S33: they are read at the opening.
static void boards_can_be_waited_for(void **state)
{
    struct kit *k = *state;
    struct pollfd p = {.fd = store_descriptor(k->store), .events = POLLIN};
    store_ticket durable;
    for (int tries = 0; !store_has_boards(k->store); tries++) {
        assert_true(tries < (kit_is_elsewhere() ? 600 : 10) && poll(&p, 1, 60000) == 1); // there a clock ticks as well
        store_collect(k->store, &durable);
    }
}

// What is durable is applied late while an earlier end that was refused is computed again (S41).
static void a_board_keeps_what_another_node_counted_later(void **state)
{
    (void)state;
    struct board_updates f = {0};
    struct boards *b = boards_create(0, KIT_START);
    struct store_rating r = kit_rating(1, "coup", 1600, 50);
    struct store_rank got;
    boards_sort(b);
    r.games = 9;
    board_updates_add_rating(&f, 1, &r, 1);
    r.games = 10;
    struct boards_row later = boards_row_of(r.agent, 1, &r);
    boards_set(b, &later);
    board_updates_apply(&f, b, 1);
    assert_int_equal(boards_read(b, 1, KIT_START, 0, &got, 1), 1);
    assert_int_equal(got.games, 10);
    r.games = 3; // ratings that are set anew may have fewer
    board_updates_add_clear(&f, 2);
    board_updates_add_rating(&f, 3, &r, 1);
    board_updates_apply(&f, b, 3);
    assert_int_equal(boards_read(b, 1, KIT_START, 0, &got, 1), 1);
    assert_int_equal(got.games, 3);
    board_updates_release(&f);
    boards_destroy(b);
}

static void overall_weighs_games_and_rewards_many(void **state)
{
    struct kit *k = *state; // F7.11
    struct store_total got[8];
    int total;
    kit_put_agents(k, 5);
    struct store_agent house = kit_agent(5);
    house.kind = STORE_HOUSE;
    store_put_agent(k->store, &house);
    struct store_rating r[] = {
        kit_rating(1, "coup", 1700, 100),   kit_rating(1, "belote", 1600, 50), kit_rating(1, "tetris", 9000, 50),
        kit_rating(2, "coup", 1800, 100),   kit_rating(3, "coup", 1000, 100),  kit_rating(4, "coup", 3000, 100),
        kit_rating(5, "belote", 3000, 100),
    };
    r[0].games = 30;
    r[1].games = 10;
    r[2].rated_games = 4; // not eligible there
    r[5].rated_games = 0;
    put_ratings(k, r, 7);
    assert_int_equal(store_overall(k->store, KIT_START, 0, got, 8, &total), 4);
    assert_int_equal(total, 4);
    near(got[0].aggregate, 2800);
    assert_true(got[0].is_house);
    near(got[1].aggregate, 1600);
    assert_string_equal(got[1].name, "agent 2");
    near(got[2].aggregate, (1500.0 * 30 + 1500.0 * 10) / 40 * 1.05);
    assert_int_equal(got[2].games, 46);
    assert_int_equal(got[2].wins, 9);
    assert_int_equal(got[2].games_active, 3);
    assert_int_equal(store_overall(k->store, KIT_START, 3, got, 8, NULL), 1);
    assert_true(uuid_equals(got[0].agent, kit_uuid('a', 3)));
    for (int later = 0; later < 2; later++) { // and when rows are due
        int64_t now_ms = KIT_START + later * 3 * DAY_MS;
        static const int places[] = {0, 2, 1, 3, 0, 0, 0}; // 4 is not eligible, 5 a house agent, 6 unknown
        static const uint32_t games[] = {0, 46, 6, 6, 6, 6, 0};
        for (uint32_t n = 1; n < sizeof places / sizeof *places; n++) {
            store_overall_of(k->store, kit_uuid('a', n), now_ms, got);
            assert_true(uuid_equals(got->agent, kit_uuid('a', n)));
            assert_int_equal(got->place, places[n]);
            assert_int_equal(got->games, games[n]);
        }
    }
}

// `version` of both agents' rows, that is, results of the game before this one (S41).
static void finish_rated(struct kit *k, uint32_t n, const char *game, bool rated, double rating, uint64_t version)
{
    struct store_match m = kit_match(n, game, 2);
    store_begin_match(k->store, &m, NULL, SPAN("head"));
    kit_end(&m);
    m.rated = rated;
    struct store_rating r[2] = {kit_rating(1, game, rating, 100), kit_rating(2, game, rating - 10, 100)};
    r[0].version = r[1].version = version;
    store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), r, 2, NULL);
}

static void rated_matches_make_history(void **state)
{
    struct kit *k = *state;
    struct store_point got[8];
    struct store_rating now[4];
    kit_put_agents(k, 2);
    finish_rated(k, 1, "coup", true, 1510, 0);
    finish_rated(k, 2, "coup", false, 1510, 1); // unrated: counted, no point
    finish_rated(k, 3, "belote", true, 1520, 0);
    finish_rated(k, 4, "coup", true, 1530, 2);
    store_wait(k->store);
    assert_int_equal(store_rating_history(k->store, kit_uuid('a', 1), got, 8), 3);
    near(got[0].rating, 1510);
    assert_string_equal(got[1].game, "belote");
    assert_int_equal(got[1].at_ms, KIT_START + 3500);
    near(got[2].rating, 1530); // newest last
    assert_int_equal(store_rating_history(k->store, kit_uuid('a', 2), got, 2), 2);
    near(got[0].rating, 1510);
    near(got[1].rating, 1520);
    assert_int_equal(store_ratings(k->store, kit_uuid('a', 1), now, 4), 2);
}

// The writer has applied all that was handed over.
static void wait_until_taken(struct store *s)
{
    if (kit_is_elsewhere())
        return; // nothing is handed over before the end
    pthread_mutex_lock(&s->lock);
    while (s->handed.size + s->taken_size > 0)
        pthread_cond_wait(&s->moved, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

// One record, so one transaction: whoever sees the end sees the counts.
static void the_end_of_a_match_brings_its_counts(void **state)
{
    struct kit *k = *state;
    struct counts habits[2] = {{.at[0] = {1, 2, 0}, .at[3] = {5, 5, 25}}, {.at[1] = {0, 4, 0}}};
    struct store_counters got[2];
    kit_put_agents(k, 2);
    for (uint32_t n = 1; n <= 2; n++) {
        struct store_match m = kit_match(n, "coup", 2);
        store_begin_match(k->store, &m, NULL, SPAN("head"));
        kit_end(&m);
        store_ticket before = store_last(k->store);
        store_ticket end = store_finish_match(k->store, &m, NULL, m.finished_ms, SPAN("end"), NULL, 0, habits);
        assert_int_equal(end, before + 1);
        assert_int_equal(store_last(k->store), end);
    }
    store_wait(k->store);
    assert_int_equal(store_counters(k->store, kit_uuid('a', 1), got, 2), 1);
    assert_string_equal(got[0].game, "coup");
    assert_int_equal(got[0].matches, 2);
    assert_int_equal(got[0].counts.at[0].n, 2);
    assert_int_equal(got[0].counts.at[3].of, 10);
    near(got[0].counts.at[3].squares, 50);
    assert_int_equal(store_counters(k->store, kit_uuid('a', 2), got, 2), 1);
    assert_int_equal(got[0].counts.at[1].of, 8);
}

static void ratings_are_set_anew_in_one_transaction(void **state)
{
    struct kit *k = *state;
    struct store_rating now[4];
    struct store_point points[8];
    struct store_rank board[4];
    int total;
    kit_put_agents(k, 2);
    finish_rated(k, 1, "coup", true, 1510, 0);
    finish_rated(k, 2, "belote", true, 1510, 0);
    store_wait(k->store);
    store_ticket before = store_last(k->store), durable;
    store_begin_ratings(k->store);
    for (int i = 0; i < 3; i++) {
        struct store_rating r = kit_rating(2, "coup", 1600 + i, 90);
        store_put_rating(k->store, &r, kit_uuid('m', 1));
        store_submit(k->store);
        wait_until_taken(k->store); // each on its own; none shows before the end
        store_collect(k->store, &durable);
        assert_int_equal(durable, before);
        assert_int_equal(store_ratings(k->store, kit_uuid('a', 1), now, 4), 2);
    }
    store_end_ratings(k->store);
    kit_reopen(k);
    assert_int_equal(store_ratings(k->store, kit_uuid('a', 1), now, 4), 0);
    assert_int_equal(store_ratings(k->store, kit_uuid('a', 2), now, 4), 1);
    near(now[0].rating, 1602);
    assert_int_equal(store_rating_history(k->store, kit_uuid('a', 2), points, 8), 1); // one match, one point
    near(points[0].rating, 1602);
    assert_int_equal(store_rating_history(k->store, kit_uuid('a', 1), points, 8), 0);
    assert_int_equal(store_leaderboard(k->store, "coup", KIT_START, 0, board, 4, &total), 1);
    assert_int_equal(total, 1);
    assert_int_equal(store_leaderboard(k->store, "belote", KIT_START, 0, board, 4, &total), 0);
}

static void unfinished_new_ratings_leave_the_old(void **state)
{
    KIT_ONLY_HERE();
    struct kit *k = *state;
    struct store_rating now[4];
    kit_put_agents(k, 2);
    finish_rated(k, 1, "coup", true, 1510, 0);
    store_wait(k->store);
    store_begin_ratings(k->store);
    store_submit(k->store);
    // The process dies here: the lock and the connections go, and nothing was committed.
    pthread_mutex_lock(&k->store->lock);
    k->store->stop = true;
    k->store->last = atomic_load(&k->store->durable);
    pthread_cond_signal(&k->store->wake);
    pthread_mutex_unlock(&k->store->lock);
    kit_reopen(k);
    assert_int_equal(store_ratings(k->store, kit_uuid('a', 1), now, 4), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(a_rating_comes_back_as_it_was_put),     KIT_TEST(a_board_goes_by_display_then_games_then_id),
        KIT_TEST(a_board_is_exact_on_every_day),         KIT_TEST(a_tended_board_is_exact_too),
        KIT_TEST(a_board_is_exact_while_ratings_change), KIT_TEST(a_board_tells_the_median_decision),
        KIT_TEST(what_is_not_durable_does_not_show),     KIT_TEST(boards_can_be_waited_for),
        KIT_TEST(overall_weighs_games_and_rewards_many), KIT_TEST(rated_matches_make_history),
        KIT_TEST(the_end_of_a_match_brings_its_counts),  KIT_TEST(ratings_are_set_anew_in_one_transaction),
        KIT_TEST(unfinished_new_ratings_leave_the_old),  KIT_TEST(a_board_keeps_what_another_node_counted_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Every game: verdicts depend on what the seat knew, numbers add up, luck has the mean 0 (N20.1, N20.2, N20.4-N20.6).
// AGON_LUCK_MATCHES (a few) says how many matches of equal players the last one counts, AGON_LUCK_GAME of which game.
#include "analysis/analysis.h"
#include "bots/self_play.h"
#include "crypto/crypto.h"
#include "games/games.h"
#include "heap/heap.h"
#include "house/ask.h"
#include "house/mind_memory.h"
#include "solve/facts.h"
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 400 };

// A match of equal house players, as a replay.
struct played {
    struct text log;
    struct loaded_replay replay;
};

static const struct game_kit *find(struct loaded_replay *t)
{
    return games_find(t->head.game);
}

// Quick and with errors: what analysis is for.
static const struct bot *player_of(const struct game_kit *k)
{
    return kit_level(k, strcmp(k->game->name, "belote") == 0 ? 2 : 1);
}

static void play(struct played *p, const struct game_kit *k, uint32_t seed, int steps)
{
    static struct match m;
    static struct game_events events;
    const struct game *g = k->game;
    struct mind_memory *memory = NULL;
    const struct bot *bots[GAME_MAX_SEATS] = {NULL};
    union game_rules rules = {0};
    struct match_setup setup = {.game = g, .rules = &rules, .open_key = true};
    g->defaults(&rules);
    setup.seats = g->scenario(&rules, 0);
    for (uint32_t i = 0; i < 4; i++)
        setup.key[i] = (uint8_t)(seed >> 8 * i);
    crypto_sha256(setup.commitment, setup.key, sizeof setup.key);
    for (int s = 0; s < setup.seats; s++)
        bots[s] = player_of(k);
    p->log = (struct text){.grow = heap_text_grow};
    events.count = 0;
    assert_int_equal(match_start(&m, &setup, &p->log, &events), OK);
    mind_memory_begin(&memory, &m, bots, &events);
    for (int i = 0; i < steps && !match_is_over(&m); i++) {
        int seat = self_play_next_seat(&m);
        if (seat < 0)
            assert_int_equal(match_tick(&m, NULL), OK);
        else
            assert_int_equal(match_answer(&m, seat, g->turn(&m.state).number,
                                          house_ask(&m, bots[seat], seat, (uint32_t)m.steps, 0.5f), NULL),
                             OK);
    }
    match_checkpoint(&m);
    if (match_is_over(&m))
        assert_int_equal(match_finish(&m, setup.key, true), OK);
    mind_memory_free(memory);
    p->replay = (struct loaded_replay){.path = g->name, .file = text_span(&p->log)};
    assert_true(loaded_replay_read(&p->replay, find, NULL));
}

static void forget(struct played *p)
{
    free(p->log.at);
}

static bool is_left_out(const struct game_kit *k)
{
    const char *only = getenv("AGON_LUCK_GAME");
    return only && strcmp(only, k->game->name) != 0;
}

// N20.1: verdicts of the same question in two worlds.
static void blind_to_what_is_hidden(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        static struct played p;
        static struct replay_run run;
        static struct analysis_question other;
        struct analysis a;
        int compared = 0;
        if (is_left_out(*k))
            continue;
        play(&p, *k, 5, STEPS);
        assert_int_equal(analysis_open(&a, &p.replay, &(struct analysis_options){.seed = 1}), OK);
        assert_int_equal(replay_begin(&run, p.replay.file, (*k)->game, p.replay.key, NULL), OK);
        for (uint32_t i = 0; i < a.decisions && compared < 4; i += 3) {
            const struct analysis_decision *d = &a.decision[i];
            if (!d->question)
                continue;
            while (run.steps + 1 < d->step)
                assert_int_equal(replay_step(&run, 1, NULL), 1);
            union game_state hidden = run.state;
            struct rng dice = {.key = {i, 9}}, asked = {.key = {i, 10}};
            (*k)->game->resample(&hidden, d->seat, &dice);
            analysis_question_fill(&other, *k, &hidden, d->seat, a.seats);
            memcpy(other.mind, d->question->mind, sizeof other.mind);
            memcpy(other.open, d->question->open, sizeof other.open);
            memcpy(other.path, d->question->path, sizeof other.path);
            other.path_count = d->question->path_count;
            const struct bot *best = a.options.reference;
            struct analysis_verdict one = analysis_evaluate(d->question, best, d->played, 2, asked, NULL, NULL);
            struct analysis_verdict two = analysis_evaluate(&other, best, d->played, 2, asked, NULL, NULL);
            if (one.loss != two.loss || one.error != two.error || one.value != two.value ||
                !game_same_action(one.better, two.better) || !game_same_action(one.house, two.house))
                fail_msg("%s, step %llu: %f in one world and %f in the other", (*k)->game->name,
                         (unsigned long long)d->step, one.loss, two.loss);
            compared++;
        }
        assert_true(compared > 0);
        analysis_close(&a);
        forget(&p);
    }
}

// N20.2, N20.4, N20.5: of all games, also with threads, which change nothing.
static void adds_up(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        static struct played p;
        struct text out[2] = {{.grow = heap_text_grow}, {.grow = heap_text_grow}};
        if (is_left_out(*k))
            continue;
        play(&p, *k, 6, (*k)->game->teams ? 40 : (*k)->game->tick ? 200 : 16);
        for (int i = 0; i < 2; i++) {
            struct analysis a;
            struct analysis_options o = {.seed = 7, .work = 2, .threads = 1 + 2 * i, .no_luck = true};
            assert_int_equal(analysis_open(&a, &p.replay, &o), OK);
            assert_true(analysis_run(&a));
            analysis_write_json(&a, &out[i]);
            for (int s = 0; s < a.seats; s++) {
                const struct analysis_seat *x = &a.seat[s];
                double sum = 0;
                for (uint32_t d = 0; d < a.decisions; d++) {
                    const struct analysis_verdict *v = &a.decision[d].verdict;
                    if (a.decision[d].seat != s || !a.decision[d].question)
                        continue;
                    sum += v->loss;
                    assert_true(v->worlds > 0 && isfinite(v->loss) && isfinite(v->error));
                    assert_int_equal(v->mistake, v->loss > 2 * v->error && v->loss >= analysis_floor(*k));
                }
                assert_true(fabs(sum + x->own) < 1e-9);
                assert_true(fabs(x->result - x->own - x->others - x->luck - x->rest) < 1e-9);
            }
            analysis_close(&a);
        }
        assert_int_equal(out[0].size, out[1].size);
        assert_memory_equal(out[0].at, out[1].at, out[0].size);
        free(out[0].at);
        free(out[1].at);
        forget(&p);
    }
}

static void stop_at_once(void *owner, uint32_t done, uint32_t all)
{
    (void)done, (void)all;
    atomic_store((atomic_bool *)owner, true);
}

// A server that ends does not wait for an analysis: it is stopped before its first decision or behind it, and says so.
static void can_be_stopped(void **unused)
{
    (void)unused;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        static struct played p;
        if (is_left_out(*k))
            continue;
        play(&p, *k, 6, (*k)->game->teams ? 40 : (*k)->game->tick ? 200 : 16);
        for (int late = 0; late < 2; late++) {
            struct analysis a;
            atomic_bool stop = !late;
            struct analysis_options o = {
                .seed = 7, .work = 2, .threads = 1, .progress = stop_at_once, .owner = &stop, .stop = &stop};
            assert_int_equal(analysis_open(&a, &p.replay, &o), OK);
            assert_false(analysis_run(&a));
            analysis_close(&a);
        }
        forget(&p);
    }
}

// N20.6
static void luck_is_fair(void **unused)
{
    (void)unused;
    const char *given = getenv("AGON_LUCK_MATCHES");
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        struct stats_mean mean = {0};
        bool slow = (*k)->game->teams || (*k)->game->tick;
        int matches = given ? atoi(given) : slow ? 3 : 20;
        if (is_left_out(*k))
            continue;
        for (int i = 0; i < matches; i++) {
            static struct played p;
            double luck[GAME_MAX_SEATS], doubt[GAME_MAX_SEATS];
            play(&p, *k, 1000 + (uint32_t)i, slow ? 120 : 4000);
            assert_int_equal(analysis_luck(*k, &p.replay, 2, &(struct analysis_options){.seed = 1}, luck, doubt), OK);
            stats_add(&mean, luck[0]);
            forget(&p);
        }
        double error = stats_deviation(&mean) / sqrt((double)mean.count);
        if (given)
            printf("luck: %s, %d matches, mean %.5f, error %.5f, %.2f errors\n", (*k)->game->name, matches, mean.mean,
                   error, error > 0 ? mean.mean / error : 0);
        if (mean.count > 3 && fabs(mean.mean) > 4 * error)
            fail_msg("%s: luck has the mean %f, with an error of %f", (*k)->game->name, mean.mean, error);
        assert_true(isfinite(mean.mean));
        if (!(error > 0) && !(*k)->game->tick) // orders of pieces are often worth the same
            fail_msg("%s: no luck at all", (*k)->game->name);
    }
}

// N20.6: in a contest, whose matches have one seed of the analysis, the deals drawn anew are others in every match.
static void luck_is_drawn_apart(void **unused)
{
    (void)unused;
    enum { SEEDS = 300 };
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        static struct played p[2];
        double x[2] = {0}, square[2] = {0}, product = 0;
        if (is_left_out(*k) || !(*k)->analysis || (*k)->game->teams || (*k)->game->tick ||
            ((*k)->solve && (*k)->solve->deal) || ((*k)->contest && (*k)->contest->luck))
            continue;
        for (int m = 0; m < 2; m++)
            play(&p[m], *k, 30 + (uint32_t)m, 0);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            double luck[2][GAME_MAX_SEATS], doubt[GAME_MAX_SEATS];
            for (int m = 0; m < 2; m++) {
                assert_int_equal(
                    analysis_luck(*k, &p[m].replay, 1, &(struct analysis_options){.seed = seed}, luck[m], doubt), OK);
                x[m] += luck[m][0] / SEEDS;
                square[m] += luck[m][0] * luck[m][0] / SEEDS;
            }
            product += luck[0][0] * luck[1][0] / SEEDS;
        }
        double spread = sqrt((square[0] - x[0] * x[0]) * (square[1] - x[1] * x[1]));
        assert_true(spread > 0);
        if (fabs((product - x[0] * x[1]) / spread) > 0.25)
            fail_msg("%s: luck of two matches goes together: %.2f", (*k)->game->name, (product - x[0] * x[1]) / spread);
        printf("luck of two matches: %s %.2f\n", (*k)->game->name, (product - x[0] * x[1]) / spread);
        for (int m = 0; m < 2; m++)
            forget(&p[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blind_to_what_is_hidden), cmocka_unit_test(adds_up),
        cmocka_unit_test(can_be_stopped),          cmocka_unit_test(luck_is_fair),
        cmocka_unit_test(luck_is_drawn_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The time of decisions (N2.7): house:1 to house:5 of every game, by CPU time of the thread, so that other programs on
// the machine do not count. The first match is not counted: there pages of tables and work space are touched for the
// first time. A decision above its limit is asked again, which gives the same answer with the same work: the least time
// counts, since a cache that another program has swept or an interrupt that was charged to the thread does not come
// again.
//
// With AGON_TIMES_DECISIONS (gate: 100000) limits are checked and a table is printed; without, a few decisions are
// played to see that it works, and no time is judged: sanitizers take what they take. AGON_TIMES_GAME names one game.
#include "bots/self_play.h"
#include "games/games.h"
#include "house/ask.h"
#include "house/mind_memory.h"
#include "stats/stats.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { FEW = 12, TRIES = 3, MOST_STEPS = 6000, OTHERS = 2 };

// Usual and longest time, in ms: the mean is at most the first, every decision at most the second (section 2).
static const struct {
    double usual, most;
} limits[KIT_LEVELS] = {{0.05, 0.1}, {0.1, 0.2}, {0.2, 0.4}, {2, 4}, {10, 50}};

struct row {
    const struct game_kit *kit;
    int level; // from 0
    uint32_t wanted, count, above, again;
    float *took; // ms
    double first;
    bool counts;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static struct game_action decide(struct row *r, const struct match *m, const struct bot *bot, int seat, bool judged)
{
    struct game_action a, same;
    double least = 0;
    for (int i = 0; i < (judged ? TRIES : 1) && (i == 0 || least > limits[r->level].most); i++) {
        double began = now_ms();
        same = house_ask(m, bot, seat, (uint32_t)m->steps, 0.5f);
        double took = now_ms() - began;
        assert_true(i == 0 || game_same_action(a, same));
        r->again += i > 0;
        least = i == 0 || took < least ? took : least;
        a = same;
    }
    if (r->counts && r->count < r->wanted) {
        r->above += least > limits[r->level].most;
        r->took[r->count++] = (float)least;
    } else if (!r->counts && least > r->first) {
        r->first = least;
    }
    return a;
}

// The measured player at one seat, then at all; the others are plain ones.
static void play(struct row *r, uint32_t number, bool judged)
{
    static struct match m;
    static struct game_events first;
    const struct game *g = r->kit->game;
    const struct bot *bots[GAME_MAX_SEATS], *own = kit_level(r->kit, r->level + 1);
    struct mind_memory *minds = NULL;
    int most = g->max_seats < 6 ? g->max_seats : 6,
        seats = g->min_seats + (int)(number / 2) % (most - g->min_seats + 1);
    union game_rules rules;
    g->defaults(&rules);
    if (g->seed)
        g->seed(&rules, number);
    struct match_setup setup = {.game = g, .rules = &rules, .seats = seats, .has_seed = true, .seed = number};
    memcpy(setup.key, &number, sizeof number);
    first.count = 0;
    if (match_start(&m, &setup, NULL, &first) != OK)
        return; // no such number of seats
    for (int s = 0; s < seats; s++)
        bots[s] = number % 2 || s == (int)(number / 2) % seats ? own : kit_level(r->kit, OTHERS);
    mind_memory_begin(&minds, &m, bots, &first);
    while (!match_is_over(&m) && m.steps < MOST_STEPS && (!r->counts || r->count < r->wanted)) {
        int seat = self_play_next_seat(&m), err;
        if (seat < 0) {
            err = match_tick(&m, NULL);
        } else {
            struct game_action a = bots[seat] == own ? decide(r, &m, own, seat, judged)
                                                     : house_ask(&m, bots[seat], seat, (uint32_t)m.steps, 0.5f);
            err = match_answer(&m, seat, g->turn(&m.state).number, a, NULL);
        }
        assert_int_equal(err, OK);
    }
    mind_memory_free(minds);
}

static int by_time(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static bool judge(struct row *r)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->count; i++)
        sum += (double)r->took[i];
    qsort(r->took, r->count, sizeof *r->took, by_time);
    double mean = sum / r->count;
    bool good = mean <= limits[r->level].usual && r->above == 0;
    printf("| %s | house:%d %s | %u | %.4f | %.3f | %.3f | %.1f | %.1f %s |\n", r->kit->game->name, r->level + 1,
           kit_level(r->kit, r->level + 1)->name, r->count, mean, (double)r->took[(uint64_t)r->count * 999 / 1000],
           (double)r->took[r->count - 1], r->first, limits[r->level].most, good ? "+" : "-");
    fflush(stdout);
    return good;
}

static bool measure(const struct game_kit *kit, int level, uint32_t wanted, bool judged)
{
    assert(wanted);
    struct row r = {.kit = kit, .level = level, .wanted = wanted, .took = calloc(wanted, sizeof(float))};
    assert_non_null(r.took);
    if (judged)
        play(&r, 1, false); // not counted
    r.counts = true;
    for (uint32_t i = 2; r.count < wanted; i++)
        play(&r, i, judged);
    bool good = !judged || judge(&r);
    free(r.took);
    return good;
}

static void times(void **unused)
{
    (void)unused;
    const char *given = getenv("AGON_TIMES_DECISIONS"), *only = getenv("AGON_TIMES_GAME");
    uint32_t wanted = given ? (uint32_t)strtoul(given, NULL, 10) : FEW;
    int missed = 0;
    assert_true(wanted > 0);
    if (given)
        printf("| game | player | decisions | mean, ms | 99.9 %% | longest | longest of the first match | at most |\n"
               "|---|---|---|---|---|---|---|---|\n");
    for (const struct game_kit *const *k = game_kits; *k; k++)
        for (int level = 0; level < KIT_LEVELS && (!only || strcmp(only, (*k)->game->name) == 0); level++)
            missed += !measure(*k, level, wanted, given);
    if (missed)
        fail_msg("%d players take longer than their level allows", missed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

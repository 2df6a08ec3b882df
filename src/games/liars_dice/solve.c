#include "games/liars_dice/solve.h"

#include "games/liars_dice/best_response.h"
#include "games/liars_dice/bots/table.h"
#include "games/liars_dice/table_write.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 15, USUAL_ITERATIONS = 800, MAX_THREADS = 64, REPORTS = 8, ITERATIONS_A_PASS = 8 };

// The pairs of dice counts, those that take longest first.
static const struct {
    uint8_t own, other;
} pairs[PAIRS] = {{5, 5}, {4, 5}, {3, 5}, {2, 5}, {3, 4}, {4, 4}, {2, 4}, {1, 5},
                  {3, 3}, {2, 2}, {1, 4}, {2, 3}, {1, 3}, {1, 2}, {1, 1}};

struct work {
    const struct solve_job *job;
    atomic_int next;
    atomic_bool stop;
    pthread_mutex_t lock;          // of what follows
    struct text cell[TABLE_CELLS]; // by own dice, then those of the other
};

// Rounds with more than seven dice take half of them, three against five a quarter: it decides less. A best answer to
// 2 v 2 wins least after 600 of 800 (decision 063).
static uint64_t iterations_of(const struct solve_job *job, int own, int other)
{
    uint64_t all = job->iterations ? job->iterations : USUAL_ITERATIONS;
    if (own == 2 && other == 2)
        return all - all / 4;
    if (own == 3 && other == 5)
        return (all + 3) / 4;
    return own + other > 7 ? (all + 1) / 2 : all;
}

// With NULL it only asks whether to stop.
static void report_line(struct work *w, const char *line)
{
    pthread_mutex_lock(&w->lock);
    if (w->job->progress && w->job->progress(w->job->owner, line))
        atomic_store(&w->stop, true);
    pthread_mutex_unlock(&w->lock);
}

static void report_cell(struct work *w, const struct cfr *t, int own, int other, uint64_t done, uint64_t all)
{
    char line[160];
    double first = cfr_value(t, 0), second = own == other ? first : cfr_value(t, 1);
    snprintf(line, sizeof line, "%d v %d: %llu of %llu iterations, who opens wins %.4f (%d dice) and %.4f (%d dice)",
             own, other, (unsigned long long)done, (unsigned long long)all, first, own, second, other);
    report_line(w, line);
}

// N5.7: what was packed learns against a player that knows it. Rounds that remember three bids have an exact bound
// (N5.5) and stay as they are. False: interrupted.
static bool refine_cell(struct work *w, int own, int other)
{
    char line[160];
    struct text *cell = &w->cell[table_cell(own, other)];
    uint64_t passes = (w->job->iterations ? w->job->iterations : USUAL_ITERATIONS) / ITERATIONS_A_PASS, done = 0;
    struct dice_table alone = {.bytes = (const uint8_t *)cell->at};
    if (round_memory(round_shape(own, other)) == ROUND_THREE)
        return true;
    for (int i = table_cell(own, other) + 1; i <= TABLE_CELLS; i++)
        alone.cell[i] = (uint32_t)cell->size;
    struct cfr_br *r = cfr_br_create(&alone, own, other);
    for (; done < passes && !atomic_load(&w->stop); done++) {
        cfr_br_pass(r);
        report_line(w, NULL);
    }
    snprintf(line, sizeof line, "%d v %d: %llu passes, who knows it wins %.4f (it opens) and %.4f", own, other,
             (unsigned long long)done, cfr_br_won(r, true), cfr_br_won(r, false));
    cell->size = 0;
    table_write_cfr_br(cell, r, own, other);
    cfr_br_destroy(r);
    if (done) // without a pass nothing was measured
        report_line(w, line);
    return done == passes;
}

static void solve_pair(struct work *w, int own, int other)
{
    uint64_t all = iterations_of(w->job, own, other), done = 0, every = all / REPORTS ? all / REPORTS : 1;
    struct cfr *t = cfr_create(own, other);
    while (done < all && !atomic_load(&w->stop)) {
        cfr_iterate(t);
        done++;
        report_line(w, NULL);
        if (done % every == 0 || done == all)
            report_cell(w, t, own, other, done, all);
    }
    bool whole = done == all;
    struct text *first = &w->cell[table_cell(own, other)], *second = &w->cell[table_cell(other, own)];
    table_write_cfr(first, t, 0, own, other);
    if (own != other)
        table_write_cfr(second, t, 1, other, own);
    cfr_destroy(t);
    whole &= refine_cell(w, own, other);
    if (own != other)
        whole &= refine_cell(w, other, own);
    if (!whole && w->job->iterations) // what was interrupted is left for another run to solve
        first->size = second->size = 0;
}

static void *work(void *arg)
{
    struct work *w = arg;
    for (int i; !atomic_load(&w->stop) && (i = atomic_fetch_add(&w->next, 1)) < PAIRS;)
        if (!w->cell[table_cell(pairs[i].own, pairs[i].other)].size) // an earlier run has not solved it
            solve_pair(w, pairs[i].own, pairs[i].other);
    return NULL;
}

static int take_before(struct work *w, struct span before)
{
    struct dice_table t;
    if (!before.size)
        return OK;
    if (!dice_table_open(&t, before.at, before.size))
        return ERR_FORMAT;
    for (int i = 0; i < TABLE_CELLS; i++)
        text_put(&w->cell[i], (struct span){before.at + t.cell[i], t.cell[i + 1] - t.cell[i]});
    return OK;
}

static void write_table(const struct work *w, struct text *out)
{
    char head[TABLE_HEAD] = "AGONDIC2 ";
    uint32_t at = TABLE_HEAD + 4 * (TABLE_CELLS + 1);
    snprintf(head + 9, sizeof head - 9, "%s", w->job->command);
    text_put(out, (struct span){head, sizeof head});
    for (int i = 0; i <= TABLE_CELLS; i++) {
        text_put(out, (struct span){(const char *)&at, sizeof at});
        at += i < TABLE_CELLS ? (uint32_t)w->cell[i].size : 0;
    }
    for (int i = 0; i < TABLE_CELLS; i++) {
        text_put(out, text_span(&w->cell[i]));
        out->full |= w->cell[i].full;
    }
}

static int solve(const struct solve_job *job, struct text *out)
{
    static struct work w;
    pthread_t thread[MAX_THREADS];
    int started = 0;
    w = (struct work){.job = job, .lock = PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < TABLE_CELLS; i++)
        w.cell[i].grow = out->grow;
    int err = take_before(&w, job->before);
    while (err == OK && started < job->threads && started < MAX_THREADS &&
           pthread_create(&thread[started], NULL, work, &w) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    if (err == OK)
        write_table(&w, out);
    for (int i = 0; i < TABLE_CELLS; i++)
        free(w.cell[i].at);
    return err;
}

// ---- Best answers ---------------------------------------------------------------------------------------------------

static int exact_gaps(struct best_response *a, struct solve_gap *out)
{
    int n = 0;
    for (int own = 1; own <= 2; own++)
        for (int other = 1; other <= 2; other++) { // who opens has `own`
            double answers_open = best_response_best(a, own, other, true),
                   bot_opens = best_response_best(a, other, own, false);
            bool exact = a->bot->mix != NULL;
            struct solve_gap *g = &out[n];
            g[0] = (struct solve_gap){.value = answers_open, .exact = exact};
            g[1] = (struct solve_gap){.value = bot_opens, .exact = exact};
            g[2] = (struct solve_gap){.value = (answers_open + bot_opens - 1) / 2, .exact = exact};
            snprintf(g[0].what, sizeof g[0].what, "%d v %d, the answer opens", own, other);
            snprintf(g[1].what, sizeof g[1].what, "%d v %d, the bot opens", own, other);
            snprintf(g[2].what, sizeof g[2].what, "%d v %d, exploitability", own, other);
            n += 3;
        }
    return n;
}

// Whole matches, from the chances of rounds (N5.3): who loses a round opens the next.
static double match_chance(double won[6][6][2], double spread[6][6][2], int dice, double *error)
{
    double chance[6][6][2] = {{{0}}}, doubt[6][6][2] = {{{0}}};
    for (int k = 1; k <= dice; k++)
        chance[k][0][0] = chance[k][0][1] = 1;
    for (int total = 2; total <= 2 * dice; total++)
        for (int k = 1; k <= dice; k++)
            for (int m = total - k, o = 0; m >= 1 && m <= dice && o < 2; o++) {
                double p = won[k][m][o], up = chance[k][m - 1][0], down = k > 1 ? chance[k - 1][m][1] : 0;
                chance[k][m][o] = p * up + (1 - p) * down;
                doubt[k][m][o] = (up - down) * (up - down) * spread[k][m][o] + p * p * doubt[k][m - 1][0] +
                                 (1 - p) * (1 - p) * (k > 1 ? doubt[k - 1][m][1] : 0);
            }
    *error = sqrt((doubt[dice][dice][0] + doubt[dice][dice][1]) / 4);
    return (chance[dice][dice][0] + chance[dice][dice][1]) / 2;
}

static int local_gaps(struct best_response *a, const struct solve_sample *sample, struct solve_gap *out)
{
    double won[6][6][2] = {{{0}}}, spread[6][6][2] = {{{0}}};
    uint32_t cells = 0;
    for (int k = 1; k <= LIARS_DICE_DICE; k++)
        for (int m = 1; m <= LIARS_DICE_DICE; m++)
            for (int o = 0; o < 2; o++) {
                struct best_response_sample p = best_response_local(a, k, m, o, sample->rounds, sample->seed);
                won[k][m][o] = p.mean;
                spread[k][m][o] = p.variance;
                if (sample->progress)
                    sample->progress(sample->owner, ++cells, 2 * LIARS_DICE_DICE * LIARS_DICE_DICE);
            }
    for (int i = 0; i < 2; i++) {
        int d = i ? 3 : 5;
        struct solve_gap *match = &out[2 * i], *round = match + 1;
        match->value = match_chance(won, spread, d, &match->error);
        snprintf(match->what, sizeof match->what, "%d v %d, local best response", d, d);
        round->value = (won[d][d][0] + won[d][d][1]) / 2;
        round->error = sqrt(spread[d][d][0] + spread[d][d][1]) / 2;
        snprintf(round->what, sizeof round->what, "%d v %d, the same in one round", d, d);
    }
    return 4;
}

static int exploit(const struct bot *bot, const struct solve_sample *sample, struct solve_gap out[SOLVE_GAPS])
{
    struct best_response *a = best_response_create(bot);
    int n = exact_gaps(a, out);
    n += local_gaps(a, sample, out + n);
    best_response_destroy(a);
    return n;
}

const struct solve_facts liars_dice_solve = {.unit = "chance to win", .solve = solve, .exploit = exploit};

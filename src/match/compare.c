#include "match/compare.h"

#include <assert.h>
#include <math.h>

#define NORMAL_POINT 1.959963984540054

static const double pair_score[COMPARE_PAIR_KINDS] = {0, 0.25, 0.5, 0.75, 1};

double compare_game_score(const struct compare_games *g)
{
    double n = (double)(g->wins + g->draws + g->losses);
    return n > 0 ? ((double)g->wins + (double)g->draws / 2) / n : 0.5;
}

void compare_add_pair(struct compare_pairs *p, double first, double second)
{
    int kind = (int)lround((first + second) * 2);
    assert(kind >= 0 && kind < COMPARE_PAIR_KINDS);
    p->count[kind]++;
}

// Mean and variance of counts that may be fractions.
static void measure(const double count[COMPARE_PAIR_KINDS], double *n, double *mean, double *variance)
{
    double sum = 0, squares = 0;
    *n = 0;
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++) {
        *n += count[k];
        sum += count[k] * pair_score[k];
    }
    *mean = *n > 0 ? sum / *n : 0.5;
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++)
        squares += count[k] * (pair_score[k] - *mean) * (pair_score[k] - *mean);
    *variance = *n > 0 ? squares / *n : 0;
}

struct compare_mean compare_pair_mean(const struct compare_pairs *p)
{
    double count[COMPARE_PAIR_KINDS], n;
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++)
        count[k] = (double)p->count[k];
    struct compare_mean m;
    measure(count, &n, &m.mean, &m.variance);
    m.pairs = (uint64_t)n;
    double reach = n > 0 ? NORMAL_POINT * sqrt(m.variance / n) : 0.5;
    m.interval = (struct stats_interval){fmax(0, m.mean - reach), fmin(1, m.mean + reach)};
    return m;
}

double compare_exact_test(uint64_t wins, uint64_t decided)
{
    assert(wins <= decided);
    if (decided == 0)
        return 1;
    uint64_t i = wins * 2 >= decided ? wins : decided - wins;
    double n = (double)decided, k = (double)i;
    // The tail from i up: its first term by logarithms, each next one by its ratio to the one before.
    int sign;
    double term = exp(lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign) - n * log(2));
    double sum = 0;
    for (; i <= decided && term > 0; i++) {
        sum += term;
        term *= (double)(decided - i) / (double)(i + 1);
    }
    return fmin(1, 2 * sum);
}

double compare_normal_test(uint64_t wins, uint64_t decided)
{
    if (decided == 0)
        return 1;
    double n = (double)decided;
    return erfc(fabs((double)wins - n / 2) / sqrt(n / 4) / sqrt(2));
}

double compare_pair_test(const struct compare_pairs *p)
{
    uint64_t lost = p->count[0] + p->count[1], won = p->count[3] + p->count[4];
    return compare_exact_test(won, won + lost);
}

const char *compare_words(double p_value)
{
    static const struct {
        double below;
        const char *words;
    } rows[] = {
        {0.001, "highly significant"},
        {0.01, "very significant"},
        {0.05, "significant"},
        {0.1, "marginal"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (p_value < rows[i].below)
            return rows[i].words;
    return "not significant";
}

double compare_pair_gain(const struct compare_pairs *p, const struct compare_games *g)
{
    struct compare_mean m = compare_pair_mean(p);
    double n = (double)(g->wins + g->draws + g->losses), score = compare_game_score(g);
    if (n == 0 || m.variance == 0)
        return 0;
    double single = ((double)g->wins * (1 - score) * (1 - score) + (double)g->losses * score * score +
                     (double)g->draws * (0.5 - score) * (0.5 - score)) /
                    n;
    return single / (2 * m.variance);
}

void compare_add_unit(struct compare_rate *r, double value, double parts)
{
    double away = value - r->value, further = parts - r->parts;
    r->units++;
    r->value += away / (double)r->units;
    r->parts += further / (double)r->units;
    r->value_squares += away * (value - r->value);
    r->parts_squares += further * (parts - r->parts);
    r->both += away * (parts - r->parts);
}

// By how far units miss the ratio: the sum of (value - ratio x parts) squared.
static double residual_squares(const struct compare_rate *r, double ratio)
{
    double squares = r->value_squares - 2 * ratio * r->both + ratio * ratio * r->parts_squares;
    return squares > 0 ? squares : 0;
}

struct compare_estimate compare_rate_mean(const struct compare_rate *r)
{
    struct compare_estimate e = {.mean = r->parts > 0 ? r->value / r->parts : 0};
    double n = (double)r->units;
    if (r->units > 1 && r->parts > 0)
        e.error = sqrt(residual_squares(r, e.mean) / (n - 1) / n) / r->parts;
    double reach = r->units > 1 ? stats_student(r->units - 1) * e.error : 0;
    e.interval = (struct stats_interval){e.mean - reach, e.mean + reach};
    return e;
}

double compare_rate_gain(const struct compare_rate *games, const struct compare_rate *pairs)
{
    double single = compare_rate_mean(games).error, pair = compare_rate_mean(pairs).error;
    // Errors as they would be of the same number of games.
    return pair > 0 ? single * single * (double)games->units / (2 * pair * pair * (double)pairs->units) : 0;
}

double elo_of_score(double score)
{
    if (score <= 0)
        return -INFINITY;
    if (score >= 1)
        return INFINITY;
    return 0 - 400 * log10(1 / score - 1); // equal players differ by 0, not by -0
}

double elo_expect(double own, double other)
{
    return 1 / (1 + pow(10, (other - own) / 400));
}

double elo_update(double own, double other, double score, double k)
{
    return own + k * (score - elo_expect(own, other));
}

double elo_swiss_score(double won, double lost, double target)
{
    return 0.5 + 0.5 * fmax(0, fmin(1, (won - lost) / target));
}

double elo_swiss_k(double k_min, double k_max, double half_life, uint64_t played)
{
    return k_min + (k_max - k_min) / (1 + (double)played / half_life);
}

bool sprt_init(struct sprt *s, double elo0, double elo1, double alpha, double beta)
{
    bool fair = alpha > 0 && alpha < 0.5 && beta > 0 && beta < 0.5;
    if (!fair || !(elo0 < elo1) || !isfinite(elo0) || !isfinite(elo1))
        return false;
    s->p0 = elo_expect(elo0, 0);
    s->p1 = elo_expect(elo1, 0);
    s->lower = log(beta / (1 - alpha));
    s->upper = log((1 - beta) / alpha);
    return true;
}

double sprt_llr_games(const struct sprt *s, const struct compare_games *g)
{
    double half = (double)g->draws / 2;
    return ((double)g->wins + half) * log(s->p1 / s->p0) + ((double)g->losses + half) * log((1 - s->p1) / (1 - s->p0));
}

double sprt_llr_pairs(const struct sprt *s, const struct compare_pairs *p, bool draws)
{
    double count[COMPARE_PAIR_KINDS], n, mean, variance;
    uint64_t played = 0;
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++) {
        bool possible = draws || k % 2 == 0;
        played += p->count[k];
        count[k] = p->count[k] || !possible ? (double)p->count[k] : 0.001;
    }
    if (played == 0)
        return 0;
    measure(count, &n, &mean, &variance);
    return n * (s->p1 - s->p0) * (2 * mean - s->p0 - s->p1) / (2 * variance);
}

enum sprt_verdict sprt_judge(const struct sprt *s, double llr)
{
    return llr >= s->upper ? SPRT_H1 : llr <= s->lower ? SPRT_H0 : SPRT_GO_ON;
}

enum sprt_verdict sprt_judge_pairs(const struct sprt *s, const struct compare_pairs *p, bool draws)
{
    uint64_t played = 0;
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++)
        played += p->count[k];
    return played < SPRT_LEAST_PAIRS ? SPRT_GO_ON : sprt_judge(s, sprt_llr_pairs(s, p, draws));
}

double stats_percentile(const double *sorted, uint64_t count, double percent)
{
    if (count == 0)
        return 0;
    double rank = ceil(percent * (double)count / 100 - 1e-9) - 1; // p99.9 of 1000 is 999, whatever the rounding
    return sorted[rank < 0 ? 0 : rank >= (double)count ? count - 1 : (uint64_t)rank];
}

// Shell's sort with Ciura's gaps grown by 9/4: no memory, no library, quick enough for what a report holds.
void stats_sort(double *values, uint64_t count)
{
    uint64_t gap = 1;
    while (gap < count / 2)
        gap = gap * 9 / 4 + 1;
    for (;; gap = gap * 4 / 9) {
        if (gap == 0)
            gap = 1;
        for (uint64_t i = gap; i < count; i++) {
            double moved = values[i];
            uint64_t at = i;
            for (; at >= gap && values[at - gap] > moved; at -= gap)
                values[at] = values[at - gap];
            values[at] = moved;
        }
        if (gap == 1)
            return;
    }
}

bool stats_is_slowing(double *values, uint64_t count, double *first, double *second)
{
    uint64_t half = count / 2;
    *first = *second = 0;
    if (half == 0)
        return false;
    stats_sort(values, half);
    stats_sort(values + half, count - half);
    *first = values[half / 2];
    *second = values[half + (count - half) / 2];
    return *first > 0 && *second > 2 * *first;
}

#include "stats/compare.h"

#include <assert.h>
#include <math.h>

#define ELO_OF_DEVIATION (800 / M_LN10)

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
    p->drawn += (uint64_t)(first == 0.5) + (uint64_t)(second == 0.5);
}

double compare_design_effect(const struct compare_design *d)
{
    const double added = 4, added_games = 1, room = 0.25, least = 0.01;
    double game = (d->game_squares + added_games * room) / (d->game_room + added_games * room);
    double guess = game / d->set_games * d->most;
    double effect = (d->set_squares + added * room * guess) / (d->set_room + added * room);
    return fmin(d->most, fmax(least, effect));
}

// The mean of n scores, their variance, and its interval by the design effect.
static struct compare_mean judge_scores(double n, double sum, double squares, double game_squares, double set_games)
{
    struct compare_mean m = {.pairs = (uint64_t)n, .mean = n > 0 ? sum / n : 0.5};
    double room = n * m.mean * (1 - m.mean);
    m.variance = n > 0 ? squares / n : 0;
    struct compare_design d = {
        n > 1 ? squares * n / (n - 1) : 0, n > 1 ? room : 0, game_squares, set_games * room, set_games, 1};
    m.interval = stats_share_interval(m.mean, n / compare_design_effect(&d));
    return m;
}

struct compare_mean compare_pair_mean(const struct compare_pairs *p)
{
    double n = 0, sum = 0, squares = 0;
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++) {
        n += (double)p->count[k];
        sum += (double)p->count[k] * pair_score[k];
        squares += (double)p->count[k] * pair_score[k] * pair_score[k];
    }
    double around = n > 0 ? sum * sum / n : 0;
    // Of 2n games with the mean m: a won one has the square 1, a drawn one 1/4, which is half its score.
    double games = 2 * sum - (double)p->drawn / 4 - 2 * around;
    return judge_scores(n, sum, fmax(0, squares - around), fmax(0, games), 2);
}

struct compare_mean compare_game_mean(const struct compare_games *g)
{
    double n = (double)(g->wins + g->draws + g->losses), sum = (double)g->wins + (double)g->draws / 2;
    double squares = n > 0 ? fmax(0, sum - (double)g->draws / 4 - sum * sum / n) : 0;
    return judge_scores(n, sum, squares, squares, 1);
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

static uint64_t least_units(const struct compare_rate *r)
{
    return r->least ? r->least : COMPARE_LEAST_UNITS;
}

struct compare_estimate compare_pooled_mean(const struct compare_rate *const *rates, int count)
{
    double n = 0, groups = 0, value = 0, parts = 0, squares = 0, grain = 0;
    for (int i = 0; i < count; i++) {
        n += (double)rates[i]->units;
        groups += rates[i]->units > 0;
        value += (double)rates[i]->units * rates[i]->value;
        parts += (double)rates[i]->units * rates[i]->parts;
        grain = fmax(grain, rates[i]->grain);
    }
    struct compare_estimate e = {.mean = parts > 0 ? value / parts : 0, .interval = stats_no_interval()};
    double freedom = n - groups;
    if (freedom < 1 || parts <= 0)
        return e;
    for (int i = 0; i < count; i++)
        squares += residual_squares(rates[i], e.mean);
    grain *= parts / n;
    e.error = sqrt((squares + grain * grain) * n / freedom) / parts;
    if (freedom + 1 < (double)least_units(rates[0]))
        return e;
    double reach = stats_student((uint64_t)freedom) * e.error;
    e.interval = (struct stats_interval){e.mean - reach, e.mean + reach};
    return e;
}

struct compare_estimate compare_rate_mean(const struct compare_rate *r)
{
    return compare_pooled_mean(&r, 1);
}

double compare_rate_test(const struct compare_rate *r)
{
    struct compare_estimate e = compare_rate_mean(r);
    if (r->units < least_units(r) || !(e.error > 0))
        return 1;
    return stats_student_test(e.mean / e.error, (double)r->units - 1);
}

struct compare_estimate compare_shape_elo(const struct compare_rate *shape, int set_games)
{
    struct compare_estimate out = {NAN, NAN, stats_no_interval()};
    double n = (double)shape->units, games = set_games, mean = shape->value / games, square = shape->parts / games;
    double variance = square - mean * mean;
    if (shape->units < 2 || !(variance > 1e-12 * square))
        return out;
    double deviation = sqrt(variance), cube = variance * deviation;
    double by_mean = square / cube, by_square = -mean / (2 * cube); // how mean / deviation moves with each
    double spread = by_mean * by_mean * shape->value_squares + by_square * by_square * shape->parts_squares +
                    2 * by_mean * by_square * shape->both;
    out.mean = ELO_OF_DEVIATION * mean / deviation;
    // Mean, deviation and how they go together are estimates: three degrees of freedom less.
    out.error = ELO_OF_DEVIATION * sqrt(fmax(0, spread) / fmax(1, n - 3) / n) / games;
    if (shape->units < least_units(shape) || !(out.error > 0))
        return out;
    double distance = stats_student(shape->units - 3) * out.error;
    out.interval = (struct stats_interval){out.mean - distance, out.mean + distance};
    return out;
}

double compare_rate_gain(const struct compare_rate *games, const struct compare_rate *pairs)
{
    double single = compare_rate_mean(games).error, pair = compare_rate_mean(pairs).error;
    // Errors as they would be of the same number of games.
    return pair > 0 ? single * single * (double)games->units / (2 * pair * pair * (double)pairs->units) : 0;
}

const char *const compare_pair_names[COMPARE_PAIR_KINDS] = {"LL", "LD", "DD+WL", "WD", "WW"};

uint64_t compare_drawn_pairs(const struct compare_pairs *p)
{
    return (p->drawn - p->count[1] - p->count[3]) / 2; // one game of these two kinds is drawn
}

// From the mean and the variance of the scores; from p of the exact test if there is no variance.
static double judge_los(const struct compare_mean *m, double exact)
{
    double away = m->mean - 0.5;
    if (m->pairs == 0 || away == 0)
        return 0.5;
    if (m->variance <= 0)
        return away > 0 ? 1 - exact / 2 : exact / 2;
    return erfc(-away / sqrt(2 * m->variance / (double)m->pairs)) / 2;
}

double compare_pair_los(const struct compare_pairs *p)
{
    struct compare_mean m = compare_pair_mean(p);
    return judge_los(&m, compare_pair_test(p));
}

double compare_game_los(const struct compare_games *g)
{
    struct compare_mean m = compare_game_mean(g);
    return judge_los(&m, compare_exact_test(g->wins, g->wins + g->losses));
}

double compare_rate_los(const struct compare_rate *r)
{
    double half = compare_rate_test(r) / 2;
    return compare_rate_mean(r).mean > 0 ? 1 - half : half;
}

static struct compare_estimate normalise(const struct compare_mean *m, double set_games)
{
    const double reach = 1.959964; // of 95 %
    struct compare_estimate e = {NAN, NAN, stats_no_interval()};
    double games = set_games * (double)m->pairs;
    if (!(m->variance > 0))
        return e;
    e.mean = ELO_OF_DEVIATION * (m->mean - 0.5) / sqrt(set_games * m->variance);
    e.error = ELO_OF_DEVIATION / sqrt(games);
    e.interval = (struct stats_interval){e.mean - reach * e.error, e.mean + reach * e.error};
    return e;
}

struct compare_estimate compare_pair_normalised(const struct compare_pairs *p)
{
    struct compare_mean m = compare_pair_mean(p);
    return normalise(&m, 2);
}

struct compare_estimate compare_game_normalised(const struct compare_games *g)
{
    struct compare_mean m = compare_game_mean(g);
    return normalise(&m, 1);
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

#include "match/stats.h"

#include <assert.h>
#include <math.h>

#define NORMAL_POINT 1.959963984540054 // 97.5 % of a normal distribution lie below it

void stats_add(struct stats_mean *s, double value)
{
    double away = value - s->mean;
    s->count++;
    s->mean += away / (double)s->count;
    s->squares += away * (value - s->mean);
}

void stats_merge(struct stats_mean *into, const struct stats_mean *part)
{
    if (part->count == 0)
        return;
    double here = (double)into->count, there = (double)part->count, all = here + there;
    double away = part->mean - into->mean;
    into->count += part->count;
    into->mean += away * (there / all);
    into->squares += part->squares + away * away * (here * there / all);
}

double stats_deviation(const struct stats_mean *s)
{
    return s->count < 2 ? 0 : sqrt(s->squares / (double)(s->count - 1));
}

double stats_student(uint64_t freedom)
{
    static const double exact[] = {12.706204736, 4.302652730, 3.182446305, 2.776445105, 2.570581836, 2.446911851,
                                   2.364624252,  2.306004135, 2.262157163, 2.228138852, 2.200985160, 2.178812830};
    enum { EXACT = sizeof exact / sizeof *exact };
    assert(freedom > 0);
    if (freedom <= EXACT)
        return exact[freedom - 1];
    // Cornish and Fisher: powers of 1/freedom around the normal point; beyond the table they err in the sixth digit.
    const double z = NORMAL_POINT, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z;
    const double n = (double)freedom;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n) +
           (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * n * n * n * n);
}

struct stats_interval stats_mean_interval(const struct stats_mean *s)
{
    if (s->count < 2)
        return (struct stats_interval){s->mean, s->mean};
    double reach = stats_student(s->count - 1) * stats_deviation(s) / sqrt((double)s->count);
    return (struct stats_interval){s->mean - reach, s->mean + reach};
}

struct stats_interval stats_proportion_interval(double successes, uint64_t tries)
{
    if (tries == 0)
        return (struct stats_interval){0, 1};
    double n = (double)tries;
    assert(successes > -1e-6 * n && successes < n * (1 + 1e-6)); // sums of thirds may be off in the last digits
    successes = successes < 0 ? 0 : successes > n ? n : successes;
    double p = successes / n, z2 = NORMAL_POINT * NORMAL_POINT;
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double reach = NORMAL_POINT * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    // At the edges the formula gives exactly 0 and 1; rounding must not carry it beyond.
    double low = successes > 0 ? middle - reach : 0, high = successes < n ? middle + reach : 1;
    return (struct stats_interval){low > 0 ? low : 0, high < 1 ? high : 1};
}

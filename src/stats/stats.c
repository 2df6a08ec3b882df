#include "stats/stats.h"

#include <assert.h>
#include <math.h>

#define NORMAL_POINT 1.959963984540054 // 97.5 % of a normal distribution lie below it

struct stats_interval stats_no_interval(void)
{
    return (struct stats_interval){-INFINITY, INFINITY};
}

bool stats_is_interval(struct stats_interval i)
{
    return isfinite(i.low) || isfinite(i.high);
}

void stats_add(struct stats_mean *s, double value)
{
    double away = value - s->mean;
    s->count++;
    s->mean += away / (double)s->count;
    s->squares += away * (value - s->mean);
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
        return stats_no_interval();
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

// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8) by Lentz's method.
static double beta_fraction(double x, double a, double b)
{
    enum { STEPS = 20000 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m < STEPS; m++) {
        double change = 0;
        for (int odd = 0; odd < 2; odd++) {
            double at = a + 2 * m;
            double term = odd ? -(a + m) * (a + b + m) * x / (at * (at + 1)) : m * (b - m) * x / ((at - 1) * at);
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            h *= change;
        }
        if (fabs(change - 1) < 1e-14)
            break;
    }
    return h;
}

double stats_beta(double x, double a, double b)
{
    int sign;
    if (x <= 0 || x >= 1)
        return x >= 1;
    double front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double stats_student_test(double t, double freedom)
{
    return stats_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

// The chance of more than `won` in won + lost tries, and a part of the chance of just as many.
static double mid_tail(double chance, double won, double lost)
{
    const double part = 0.6;
    double more = lost > 0 ? stats_beta(chance, won + 1, lost) : 0;
    double same_or_more = won > 0 ? stats_beta(chance, won, lost + 1) : 1;
    return more + part * (same_or_more - more);
}

// The chance from which on the tail is no longer too small; it rises with the chance. The upper end is that of the
// losses.
static double find_low(double won, double lost)
{
    enum { STEPS = 60 };
    double low = 0, high = 1;
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        if (mid_tail(middle, won, lost) < 0.025)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

struct stats_interval stats_share_interval(double mean, double tries)
{
    enum { MANY = 10000 }; // from here on Wilson's is the same to four digits
    if (!(tries > 0))
        return (struct stats_interval){0, 1};
    if (tries > MANY)
        return stats_proportion_interval(mean * floor(tries), (uint64_t)tries);
    double won = mean * tries, lost = tries - won;
    return (struct stats_interval){won > 0 ? find_low(won, lost) : 0, lost > 0 ? 1 - find_low(lost, won) : 1};
}

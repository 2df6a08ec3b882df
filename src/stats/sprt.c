#include "stats/sprt.h"

#include <math.h>

#define ELO_OF_DEVIATION (800 / M_LN10)

bool sprt_init(struct sprt *s, double elo0, double elo1, double alpha, double beta)
{
    bool fair = alpha > 0 && alpha < 0.5 && beta > 0 && beta < 0.5;
    if (!fair || !(elo0 < elo1) || !isfinite(elo0) || !isfinite(elo1))
        return false;
    s->p0 = elo_expect(elo0, 0);
    s->p1 = elo_expect(elo1, 0);
    s->t0 = elo0 / ELO_OF_DEVIATION;
    s->t1 = elo1 / ELO_OF_DEVIATION;
    s->lower = log(beta / (1 - alpha));
    s->upper = log((1 - beta) / alpha);
    return s->p0 > 0 && s->p1 < 1;
}

// How often each score was seen. A player that has won everything may still lose: the extreme scores stay possible.
struct tally {
    double count[COMPARE_PAIR_KINDS];
    double all;
};

static double score_of(int kind)
{
    return (double)kind / (COMPARE_PAIR_KINDS - 1);
}

static struct tally tally_of(const uint64_t count[COMPARE_PAIR_KINDS])
{
    const double unseen = 0.001;
    struct tally t = {.all = 0};
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++) {
        bool outermost = k == 0 || k == COMPARE_PAIR_KINDS - 1;
        t.count[k] = count[k] || !outermost ? (double)count[k] : unseen;
        t.all += t.count[k];
    }
    return t;
}

// The frequencies with the mean `mean` that fit best are count / (1 + tilt x (score - mean)); the tilt that gives them
// this mean is the root of a falling function, between the poles of the outermost scores.
static double find_tilt(const struct tally *t, double mean)
{
    enum { STEPS = 100 };
    double low = -1 / (1 - mean), high = 1 / mean, tilt = 0;
    for (int i = 0; i < STEPS; i++) {
        double sum = 0, slope = 0;
        for (int k = 0; k < COMPARE_PAIR_KINDS; k++) {
            double away = score_of(k) - mean, pull = away / (1 + tilt * away);
            sum += t->count[k] * pull;
            slope += t->count[k] * pull * pull;
        }
        if (sum > 0)
            low = tilt;
        else
            high = tilt;
        double next = tilt + sum / slope; // Newton, unless it leaves the bracket
        if (!(next > low && next < high))
            next = (low + high) / 2;
        if (fabs(next - tilt) < 1e-12)
            return next;
        tilt = next;
    }
    return tilt;
}

static double llr_of(const struct sprt *s, const uint64_t count[COMPARE_PAIR_KINDS])
{
    struct tally t = tally_of(count);
    double tilt0 = find_tilt(&t, s->p0), tilt1 = find_tilt(&t, s->p1), llr = 0;
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++)
        llr += t.count[k] * (log1p(tilt0 * (score_of(k) - s->p0)) - log1p(tilt1 * (score_of(k) - s->p1)));
    return llr;
}

double sprt_llr_games(const struct sprt *s, const struct compare_games *g)
{
    const uint64_t count[COMPARE_PAIR_KINDS] = {g->losses, 0, g->draws, 0, g->wins};
    return g->wins + g->draws + g->losses ? llr_of(s, count) : 0;
}

static uint64_t count_pairs(const struct compare_pairs *p)
{
    uint64_t played = 0;
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++)
        played += p->count[k];
    return played;
}

double sprt_llr_pairs(const struct sprt *s, const struct compare_pairs *p)
{
    return count_pairs(p) ? llr_of(s, p->count) : 0;
}

double sprt_llr_points(const struct sprt *s, const struct compare_rate *shape, int set_games)
{
    struct compare_estimate elo = compare_shape_elo(shape, set_games);
    if (!(elo.error > 0))
        return 0;
    double t = elo.mean / ELO_OF_DEVIATION, error = elo.error / ELO_OF_DEVIATION;
    return (s->t1 - s->t0) * (2 * t - s->t0 - s->t1) / (2 * error * error);
}

enum sprt_verdict sprt_judge(const struct sprt *s, double llr)
{
    return llr >= s->upper ? SPRT_H1 : llr <= s->lower ? SPRT_H0 : SPRT_GO_ON;
}

enum sprt_verdict sprt_judge_games(const struct sprt *s, const struct compare_games *g)
{
    bool early = g->draws && g->wins + g->draws + g->losses < SPRT_LEAST_PAIRS;
    return early ? SPRT_GO_ON : sprt_judge(s, sprt_llr_games(s, g));
}

enum sprt_verdict sprt_judge_pairs(const struct sprt *s, const struct compare_pairs *p)
{
    return count_pairs(p) < SPRT_LEAST_PAIRS ? SPRT_GO_ON : sprt_judge(s, sprt_llr_pairs(s, p));
}

enum sprt_verdict sprt_judge_points(const struct sprt *s, const struct compare_rate *shape, int set_games)
{
    return shape->units < SPRT_LEAST_SETS ? SPRT_GO_ON : sprt_judge(s, sprt_llr_points(s, shape, set_games));
}

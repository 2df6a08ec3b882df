#include "match/standing.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define NORMAL_POINT    1.959963984540054
#define ELO_PER_NATURAL (400 / M_LN10)

void standing_add(struct standing *s, int a, int b, double score_of_a)
{
    assert(a != b && a < s->entrants && b < s->entrants);
    s->score[a][b] += score_of_a;
    s->score[b][a] += 1 - score_of_a;
    s->games[a][b]++;
    s->games[b][a]++;
}

// One step of the minorisation; the largest relative change.
static double improve(const struct standing *s, double *strength)
{
    double next[STANDING_ENTRANTS], change = 0, logs = 0;
    for (int i = 0; i < s->entrants; i++) {
        double won = 0, faced = 0;
        for (int j = 0; j < s->entrants; j++) {
            if (s->games[i][j] == 0)
                continue;
            won += s->score[i][j] + 0.5;
            faced += (s->games[i][j] + 1.0) / (strength[i] + strength[j]);
        }
        next[i] = faced > 0 ? won / faced : 1;
        logs += log(next[i]);
    }
    double scale = exp(-logs / s->entrants);
    for (int i = 0; i < s->entrants; i++) {
        double value = next[i] * scale;
        change = fmax(change, fabs(value / strength[i] - 1));
        strength[i] = value;
    }
    return change;
}

// The information of all games about the logarithms of the strengths, plus the constraint that their mean is 0; its
// inverse is the covariance.
static void invert(double a[STANDING_ENTRANTS][STANDING_ENTRANTS], double inverse[STANDING_ENTRANTS][STANDING_ENTRANTS],
                   int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            inverse[i][j] = i == j;
    for (int c = 0; c < n; c++) { // positive definite: no pivoting
        double pivot = a[c][c];
        for (int j = 0; j < n; j++) {
            a[c][j] /= pivot;
            inverse[c][j] /= pivot;
        }
        for (int r = 0; r < n; r++) {
            double factor = r == c ? 0 : a[r][c];
            for (int j = 0; j < n && factor != 0; j++) {
                a[r][j] -= factor * a[c][j];
                inverse[r][j] -= factor * inverse[c][j];
            }
        }
    }
}

static void find_errors(const struct standing *s, const double *strength, double *error)
{
    double information[STANDING_ENTRANTS][STANDING_ENTRANTS] = {0}, covariance[STANDING_ENTRANTS][STANDING_ENTRANTS];
    int n = s->entrants;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j || s->games[i][j] == 0)
                continue;
            double sum = strength[i] + strength[j];
            double w = (s->games[i][j] + 1.0) * strength[i] * strength[j] / (sum * sum);
            information[i][i] += w;
            information[i][j] -= w;
        }
    // Adding 1/n everywhere fixes the mean. The inverse is then the covariance of the distances from it, plus 1/n. The
    // small diagonal keeps islands that never met the rest from being infinitely uncertain of the mean.
    for (int i = 0; i < n; i++) {
        information[i][i] += 1e-9;
        for (int j = 0; j < n; j++)
            information[i][j] += 1.0 / n;
    }
    invert(information, covariance, n);
    for (int i = 0; i < n; i++)
        error[i] = sqrt(fmax(0, covariance[i][i] - 1.0 / n));
}

void standing_fit(const struct standing *s, struct standing_rating out[STANDING_ENTRANTS])
{
    enum { STEPS = 100000 };
    double strength[STANDING_ENTRANTS], error[STANDING_ENTRANTS];
    for (int i = 0; i < s->entrants; i++)
        strength[i] = 1;
    for (int step = 0; step < STEPS && improve(s, strength) >= 1e-9; step++)
        ;
    find_errors(s, strength, error);
    for (int i = 0; i < s->entrants; i++) {
        double elo = ELO_PER_NATURAL * log(strength[i]), reach = NORMAL_POINT * ELO_PER_NATURAL * error[i];
        out[i] = (struct standing_rating){elo, {elo - reach, elo + reach}};
    }
}

int standing_pair_swiss(const struct standing *s, const int *order, int count, int bye, struct standing_pair *out)
{
    enum { LOOK = 4 };
    bool taken[STANDING_ENTRANTS] = {0};
    int pairs = 0;
    if (bye >= 0)
        taken[bye] = true;
    for (int i = 0; i < count; i++) {
        if (taken[order[i]])
            continue;
        int best = -1, seen = 0;
        for (int j = i + 1; j < count && seen < LOOK; j++) {
            if (taken[order[j]])
                continue;
            seen++;
            if (best < 0 || s->games[order[i]][order[j]] < s->games[order[i]][best])
                best = order[j];
        }
        if (best < 0)
            break;
        taken[order[i]] = taken[best] = true;
        out[pairs++] = (struct standing_pair){order[i], best};
    }
    if (bye >= 0)
        out[pairs++] = (struct standing_pair){bye, -1};
    return pairs;
}

int standing_rounds_round_robin(int entrants)
{
    return entrants % 2 ? entrants : entrants - 1;
}

int standing_pair_round_robin(int entrants, int round, struct standing_pair *out)
{
    int even = entrants + entrants % 2, ring = even - 1, pairs = 0;
    for (int k = 0; k < even / 2; k++) { // the last stands still, the others move around
        int a = k == 0 ? even - 1 : (round + k) % ring, b = (round + ring - k) % ring;
        if (k == 0)
            b = round % ring;
        if (a >= entrants || b >= entrants)
            continue;
        out[pairs++] = a < b ? (struct standing_pair){a, b} : (struct standing_pair){b, a};
    }
    return pairs;
}

int standing_pair_gauntlet(int entrants, struct standing_pair *out)
{
    for (int i = 1; i < entrants; i++)
        out[i - 1] = (struct standing_pair){0, i};
    return entrants - 1;
}

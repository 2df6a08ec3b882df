#include "stats/standing.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define ELO_PER_NATURAL  (400 / M_LN10)
#define ELO_OF_DEVIATION (800 / M_LN10)

// Every two that met count as having drawn this fraction of a game besides. It keeps strengths finite where results
// leave them open, and no reported result contains it.
static const double virtual_draw = 0.01;

typedef double matrix[STANDING_ENTRANTS][STANDING_ENTRANTS];

void standing_add(struct standing *s, int a, int b, double score_of_a)
{
    assert(a != b && a < s->entrants && b < s->entrants);
    s->score[a][b] += score_of_a;
    s->score[b][a] += 1 - score_of_a;
    s->games[a][b]++;
    s->games[b][a]++;
    s->draws += score_of_a == 0.5;
}

void standing_add_table(struct standing *s, const double *score)
{
    double away[STANDING_ENTRANTS];
    for (int i = 0; i < s->entrants; i++) {
        away[i] = score[i] - s->sets[i][i].score.mean;
        stats_add(&s->sets[i][i].score, score[i]);
    }
    for (int i = 0; i < s->entrants; i++)
        for (int j = 0; j < s->entrants; j++)
            s->cross[i][j] += away[i] * (score[j] - s->sets[j][j].score.mean);
}

// --- how much information sets have

static const struct standing_sets *sets_of(const struct standing *s, int a, int b)
{
    return a < b ? &s->sets[a][b] : &s->sets[b][a];
}

static double room_of(const struct standing *s, int a, int b)
{
    double n = s->games[a][b], m = n > 0 ? s->score[a][b] / n : 0;
    return m * (1 - m);
}

static void add_group(struct compare_design *d, const struct stats_mean *sets, double room)
{
    double n = (double)sets->count;
    if (sets->count < 2)
        return;
    d->set_squares += sets->squares * n / (n - 1);
    d->set_room += n * room;
}

// The variance of a game's score over m (1 - m), as sets of games show it (compare_design).
static double design_effect(const struct standing *s)
{
    int n = s->entrants;
    struct compare_design d = {.set_games = s->set_games, .most = s->tables ? n - 1 : 1};
    for (int i = 0; i < n; i++) {
        double rooms = 0;
        for (int j = 0; j < n; j++) {
            rooms += room_of(s, i, j);
            if (j > i)
                d.game_room += s->games[i][j] * room_of(s, i, j);
            if (j > i && !s->tables)
                add_group(&d, &s->sets[i][j].score, room_of(s, i, j));
        }
        if (s->tables)
            add_group(&d, &s->sets[i][i].score, rooms);
    }
    if (s->tables) { // all groups are the same games
        d.set_squares /= n;
        d.set_room /= n;
    }
    d.game_squares = fmax(0, d.game_room - (double)s->draws / 4);
    return s->set_games * compare_design_effect(&d);
}

// The same for two entrants, from their own sets. Few sets say little, so eight with the variance of all are added.
static double pair_effect(const struct standing *s, int a, int b, double all)
{
    const struct stats_mean *sets = &sets_of(s, a, b)->score;
    double n = (double)sets->count;
    if (s->tables || s->entrants == 2 || sets->count < 2)
        return all;
    const double added = 8, room = 0.25;
    double effect =
        (sets->squares * n / (n - 1) + added * room * all / s->set_games) / (n * room_of(s, a, b) + added * room);
    return s->set_games * fmin(1, fmax(0.01, effect));
}

struct stats_interval standing_share(const struct standing *s, int entrant)
{
    double games = 0, score = 0, below = 0, above = 0, all = design_effect(s);
    for (int j = 0; j < s->entrants; j++) {
        double n = s->games[entrant][j], m = n > 0 ? s->score[entrant][j] / n : 0;
        if (n == 0)
            continue;
        struct stats_interval i = stats_share_interval(m, n / pair_effect(s, entrant, j, all));
        games += n;
        score += s->score[entrant][j];
        below += n * n * (m - i.low) * (m - i.low);
        above += n * n * (i.high - m) * (i.high - m);
    }
    if (games == 0)
        return (struct stats_interval){0, 1};
    double mean = score / games;
    return (struct stats_interval){fmax(0, mean - sqrt(below) / games), fmin(1, mean + sqrt(above) / games)};
}

// --- strengths

static void invert(matrix a, matrix inverse, int n)
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

// The covariance of strengths, from weights between every two entrants. Only differences have one: 1/n everywhere fixes
// the mean, and the small diagonal keeps the matrix regular if a group never met the rest.
static void find_covariance(matrix weight, matrix covariance, int n)
{
    matrix information = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            information[i][i] += i == j ? 1e-9 : weight[i][j];
            information[i][j] += 1.0 / n - (i == j ? 0 : weight[i][j]);
        }
    invert(information, covariance, n);
}

static double expected_share(double difference)
{
    return 1 / (1 + exp(-difference));
}

// One step of Newton's method. Returns the largest change.
static double improve_strengths(const struct standing *s, double *strength, matrix covariance)
{
    matrix weight = {0};
    double slope[STANDING_ENTRANTS] = {0}, largest = 0, step[STANDING_ENTRANTS];
    int n = s->entrants;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (s->games[i][j] == 0)
                continue;
            double p = expected_share(strength[i] - strength[j]), games = s->games[i][j] + virtual_draw;
            weight[i][j] = games * p * (1 - p);
            slope[i] += s->score[i][j] + virtual_draw / 2 - games * p;
        }
    find_covariance(weight, covariance, n);
    for (int i = 0; i < n; i++) {
        step[i] = 0;
        for (int j = 0; j < n; j++)
            step[i] += covariance[i][j] * slope[j];
        largest = fmax(largest, fabs(step[i]));
    }
    for (int i = 0; i < n; i++) // no further than the curve is known
        strength[i] += largest > 1 ? step[i] / largest : step[i];
    return largest;
}

// The entrants that are reached from `from` over games in which each scored against the next.
static uint64_t reachable_from(const struct standing *s, int from)
{
    uint64_t seen = UINT64_C(1) << from, news = seen;
    while (news) {
        int at = __builtin_ctzll(news);
        news &= news - 1;
        for (int i = 0; i < s->entrants; i++)
            if (s->score[at][i] > 0 && !(seen >> i & 1)) {
                seen |= UINT64_C(1) << i;
                news |= UINT64_C(1) << i;
            }
    }
    return seen;
}

static double elo_of(double share)
{
    return ELO_PER_NATURAL * log(share / (1 - share));
}

// For a difference that is bounded on both sides.
static struct standing_rating rate_difference(double difference, double variance)
{
    double share = expected_share(difference);
    struct stats_interval i = stats_share_interval(share, 1 / (variance * share * (1 - share)));
    return (struct standing_rating){ELO_PER_NATURAL * difference, {elo_of(i.low), elo_of(i.high)}};
}

// For a difference that is open on one side or both. Games against others would raise the bound, but by how much
// depends on differences that are open themselves: so only the games between the two count.
static struct standing_rating bound_rating(const struct standing *s, int a, int b, double effect)
{
    double n = s->games[a][b], score = s->score[a][b];
    struct stats_interval i = stats_share_interval(score > 0, n / effect);
    struct standing_rating r = {NAN, stats_no_interval()};
    if (n > 0 && score == n)
        r.interval.low = elo_of(i.low);
    if (n > 0 && score == 0)
        r.interval.high = elo_of(i.high);
    return r;
}

// At tables, pairs are not independent of each other, but sets show how scores vary together. Few sets show it badly,
// so eight that vary as the guess says are added (with four, the intervals from two sets cover only 92 %).
static double table_variance(const struct standing *s, matrix covariance, int a, int b, double guess)
{
    const double added = 8;
    double n = (double)s->sets[a][a].score.count, variance = 0;
    if (n < 2)
        return guess;
    for (int i = 0; i < s->entrants; i++)
        for (int j = 0; j < s->entrants; j++)
            variance += (covariance[i][a] - covariance[i][b]) * s->cross[i][j] * (covariance[j][a] - covariance[j][b]);
    variance *= s->set_games * s->set_games * n / (n - 1);
    return (n * variance + added * guess) / (n + added);
}

// The variance of the difference between two strengths: what every pair's games move it by, times their own variance
// (the sandwich estimate, Huber 1967).
static double difference_variance(const struct standing *s, const double *strength, matrix covariance, int a, int b,
                                  double all)
{
    double variance = 0;
    for (int i = 0; i < s->entrants; i++)
        for (int j = i + 1; j < s->entrants; j++) {
            if (s->games[i][j] == 0)
                continue;
            double p = expected_share(strength[i] - strength[j]);
            double move = covariance[i][a] - covariance[i][b] - covariance[j][a] + covariance[j][b];
            variance += pair_effect(s, i, j, all) * s->games[i][j] * p * (1 - p) * move * move;
        }
    return s->tables ? table_variance(s, covariance, a, b, variance) : variance;
}

void standing_fit(const struct standing *s, int anchor, struct standing_rating out[STANDING_ENTRANTS])
{
    enum { STEPS = 200 };
    matrix covariance;
    double strength[STANDING_ENTRANTS] = {0}, effect = design_effect(s);
    for (int step = 0; step < STEPS && improve_strengths(s, strength, covariance) >= 1e-10; step++)
        ;
    uint64_t beaten = reachable_from(s, anchor);
    for (int i = 0; i < s->entrants; i++) {
        bool has_lost = beaten >> i & 1, has_won = reachable_from(s, i) >> anchor & 1;
        if (i == anchor)
            out[i] = (struct standing_rating){0, stats_no_interval()};
        else if (has_lost && has_won)
            out[i] = rate_difference(strength[i] - strength[anchor],
                                     difference_variance(s, strength, covariance, i, anchor, effect));
        else
            out[i] = bound_rating(s, i, anchor, pair_effect(s, i, anchor, effect));
    }
}

// --- leads

// What all pairs of entrants show together: the deviation of a game's lead, the variance of a set's (by game) around
// the mean of its pair, and how many sets are free of that mean.
struct spread {
    double deviation, set_variance, freedom, games;
};

static struct spread pool_leads(const struct standing *s)
{
    double squares = 0, game_squares = 0, game_freedom = 0;
    struct spread p = {0};
    for (int i = 0; i < s->entrants; i++)
        for (int j = i + 1; j < s->entrants; j++) {
            const struct standing_sets *x = &s->sets[i][j];
            squares += x->lead.value_squares / (s->set_games * s->set_games);
            game_squares += x->game_lead.squares;
            p.freedom += x->lead.units ? (double)x->lead.units - 1 : 0;
            game_freedom += x->game_lead.count ? (double)x->game_lead.count - 1 : 0;
            p.games += (double)x->game_lead.count;
        }
    p.set_variance = p.freedom > 0 ? squares / p.freedom : 0;
    p.deviation = game_freedom > 0 ? sqrt(game_squares / game_freedom) : 0;
    return p;
}

// Least squares: strengths whose differences are the leads per game, weighed by sets.
static void fit_leads(const struct standing *s, double *lead, matrix covariance)
{
    matrix weight = {0};
    double pull[STANDING_ENTRANTS] = {0};
    for (int i = 0; i < s->entrants; i++)
        for (int j = 0; j < s->entrants; j++) {
            const struct compare_rate *r = &sets_of(s, i, j)->lead;
            if (i == j || r->units == 0)
                continue;
            weight[i][j] = (double)r->units;
            pull[i] += (i < j ? 1 : -1) * weight[i][j] * r->value / s->set_games;
        }
    find_covariance(weight, covariance, s->entrants);
    for (int i = 0; i < s->entrants; i++) {
        lead[i] = 0;
        for (int j = 0; j < s->entrants; j++)
            lead[i] += covariance[i][j] * pull[j];
    }
}

// At a table of many, all pairs share the same games, so each uses its own variance. Elsewhere every pair moves the
// difference by its own variance. Few sets say little about that, so four sets with the variance of all are added.
static double lead_variance(const struct standing *s, const struct spread *p, matrix covariance, int a, int b)
{
    const double added = 4, games = s->set_games * s->set_games;
    const struct compare_rate *own = &sets_of(s, a, b)->lead;
    double variance = 0, n = (double)own->units;
    if (s->tables)
        return n > 1 ? own->value_squares / games / (n - 1) / n : 0;
    for (int i = 0; i < s->entrants; i++)
        for (int j = i + 1; j < s->entrants; j++) {
            const struct compare_rate *r = &s->sets[i][j].lead;
            if (r->units == 0)
                continue;
            double move = covariance[i][a] - covariance[i][b] - covariance[j][a] + covariance[j][b];
            double one = (r->value_squares / games + added * p->set_variance) / ((double)r->units - 1 + added);
            variance += (double)r->units * one * move * move;
        }
    return variance;
}

void standing_fit_leads(const struct standing *s, int anchor, struct standing_rating out[STANDING_ENTRANTS])
{
    matrix covariance;
    double lead[STANDING_ENTRANTS];
    struct spread p = pool_leads(s);
    fit_leads(s, lead, covariance);
    for (int i = 0; i < s->entrants; i++) {
        out[i] = (struct standing_rating){i == anchor ? 0 : NAN, stats_no_interval()};
        if (i == anchor || !(p.deviation > 0))
            continue;
        double freedom = s->tables ? (double)sets_of(s, i, anchor)->lead.units - 1 : p.freedom;
        double t = (lead[i] - lead[anchor]) / p.deviation;
        double variance = lead_variance(s, &p, covariance, i, anchor) / (p.deviation * p.deviation);
        double error = ELO_OF_DEVIATION * sqrt(variance + t * t / (2 * p.games));
        out[i].elo = ELO_OF_DEVIATION * t;
        uint64_t least = sets_of(s, i, anchor)->lead.least;
        if (freedom + 1 < (double)(least ? least : COMPARE_LEAST_UNITS))
            continue;
        double distance = stats_student((uint64_t)freedom) * error;
        out[i].interval = (struct stats_interval){out[i].elo - distance, out[i].elo + distance};
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

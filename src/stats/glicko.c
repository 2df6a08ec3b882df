// Glickman, "Example of the Glicko-2 system": the letters are those of the paper, and so are the steps.
#include "stats/glicko.h"

#include <assert.h>
#include <math.h>

#define START      ((struct glicko){1500, 350, 0.06})
#define SCALE      173.7178 // 400 / ln 10, between Glicko and Glicko-2
#define TAU        0.5      // how much the volatility may change; the paper recommends 0.3 to 1.2
#define CLOSE      1e-6     // where the search for the volatility stops
#define MIN_DEV    30       // so that frequent players still move
#define MAX_DEV    350      // that of a new player
#define PI_SQUARED 9.869604401089358

enum { MAX_STEPS = 200 }; // of that search; it takes about six

static double clamp_deviation(double deviation)
{
    return deviation < MIN_DEV ? MIN_DEV : deviation > MAX_DEV ? MAX_DEV : deviation;
}

struct glicko glicko_start(void)
{
    return START;
}

struct glicko glicko_idle(struct glicko player, int64_t full_days)
{
    if (full_days <= 0)
        return player;
    double daily = SCALE * player.volatility;
    player.deviation = clamp_deviation(sqrt(player.deviation * player.deviation + (double)full_days * daily * daily));
    return player;
}

double glicko_display(struct glicko player)
{
    return player.rating - 2 * player.deviation;
}

double glicko_damping(int meeting)
{
    return meeting < 4 ? 1 : 1.0 / (meeting - 2);
}

// Step 3 and 4: how much the results tell, and where they pull.
struct evidence {
    double v;     // variance of the rating as the results show it
    double delta; // improvement they suggest
};

static struct evidence weigh_results(struct glicko player, const struct glicko_result *results, int count)
{
    double certainty = 0, pull = 0;
    for (int i = 0; i < count; i++) {
        const struct glicko_result *r = &results[i];
        double phi = r->opponent.deviation / SCALE;
        double g = 1 / sqrt(1 + 3 * phi * phi / PI_SQUARED);
        double expected = 1 / (1 + exp(-g * (player.rating - r->opponent.rating) / SCALE));
        certainty += r->weight * g * g * expected * (1 - expected);
        pull += r->weight * g * (r->score - expected);
    }
    return (struct evidence){1 / certainty, pull / certainty};
}

// Step 5: the function whose root is the logarithm of the new variance of play.
struct curve {
    double a, delta2, phi2, v;
};

static double curve_at(const struct curve *c, double x)
{
    double ex = exp(x), all = c->phi2 + c->v + ex;
    return ex * (c->delta2 - all) / (2 * all * all) - (x - c->a) / (TAU * TAU);
}

static double find_volatility(struct glicko player, struct evidence e)
{
    double phi = player.deviation / SCALE;
    struct curve c = {log(player.volatility * player.volatility), e.delta * e.delta, phi * phi, e.v};
    double low = c.a, high;
    if (c.delta2 > c.phi2 + c.v) {
        high = log(c.delta2 - c.phi2 - c.v);
    } else {
        high = c.a - TAU;
        while (curve_at(&c, high) < 0)
            high -= TAU;
    }
    double at_low = curve_at(&c, low), at_high = curve_at(&c, high);
    for (int i = 0; fabs(high - low) > CLOSE && i < MAX_STEPS; i++) {
        double middle = low + (low - high) * at_low / (at_high - at_low), at_middle = curve_at(&c, middle);
        if (at_middle * at_high <= 0) {
            low = high;
            at_low = at_high;
        } else {
            at_low /= 2;
        }
        high = middle;
        at_high = at_middle;
    }
    return exp(low / 2);
}

struct glicko glicko_update(struct glicko player, const struct glicko_result *results, int count)
{
    if (count == 0) // a player without games is idle, and idle time is counted in days
        return player;
    struct evidence e = weigh_results(player, results, count);
    double volatility = find_volatility(player, e);
    double before = player.deviation / SCALE, loose = before * before + volatility * volatility;
    double phi = 1 / sqrt(1 / loose + 1 / e.v);
    // F7.1: the rating moves by what was found; the ceiling and the floor are for what is kept.
    return (struct glicko){player.rating + SCALE * phi * phi * e.delta / e.v, clamp_deviation(SCALE * phi), volatility};
}

static double score(int seat, int other, const int32_t payoffs[], seat_set dropped)
{
    bool out = dropped & SEAT(seat), other_out = dropped & SEAT(other);
    if (out || other_out)
        return out == other_out ? 0.5 : other_out ? 1 : 0;
    return payoffs[seat] == payoffs[other] ? 0.5 : payoffs[seat] > payoffs[other] ? 1 : 0;
}

void glicko_match(struct glicko at[], int seats, int teams, const int32_t payoffs[], seat_set dropped)
{
    struct glicko before[GAME_MAX_SEATS];
    assert(seats > 0 && seats <= GAME_MAX_SEATS);
    memcpy(before, at, sizeof *at * (size_t)seats);
    for (int seat = 0; seat < seats; seat++) {
        struct glicko_result results[GAME_MAX_SEATS];
        int count = 0;
        for (int other = 0; other < seats; other++) {
            bool partner = other == seat || (teams > 0 && other % teams == seat % teams);
            if (!partner)
                results[count++] = (struct glicko_result){before[other], score(seat, other, payoffs, dropped), 1};
        }
        at[seat] = glicko_update(before[seat], results, count);
    }
}

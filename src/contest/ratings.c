// Standings of an entrant, and the comparison of two.
#include "contest/contest.h"

#include <math.h>

enum { RANDOM_ANCHOR = 1000, FIRST_ANCHOR = 1200 }; // Elo has no zero: one entrant is given a number

int contest_anchor(const struct contest *c)
{
    for (int i = 0; i < c->plan.entrants; i++)
        if (c->plan.entrant[i].bot == &bot_random)
            return i;
    return 0;
}

static struct stats_interval scale_interval(struct stats_interval i, double factor)
{
    return (struct stats_interval){factor * i.low, factor * i.high};
}

static struct contest_verdict judge_stake(const struct contest *c)
{
    enum contest_measure m = contest_has_parts(&c->plan) ? CONTEST_PART_POINTS : CONTEST_POINTS;
    const struct compare_rate *rate = contest_rate(c, m);
    struct compare_estimate lead = compare_rate_mean(rate);
    struct compare_estimate elo = compare_shape_elo(&c->shape, contest_set_scores(&c->plan));
    double units = contest_scale(&c->plan);
    return (struct contest_verdict){
        units * lead.mean,
        scale_interval(lead.interval, units),
        compare_rate_test(rate),
        elo.mean,
        elo.interval,
        compare_rate_los(rate),
        elo,
    };
}

static struct contest_verdict judge_wins(const struct contest *c)
{
    struct compare_mean m = compare_pair_mean(&c->pairs);
    bool pairs = m.pairs > 0;
    if (!pairs)
        m = compare_game_mean(&c->games);
    double elo = elo_of_score(m.mean);
    return (struct contest_verdict){m.mean,
                                    m.interval,
                                    pairs ? compare_pair_test(&c->pairs)
                                          : compare_exact_test(c->games.wins, c->games.wins + c->games.losses),
                                    isfinite(elo) ? elo : NAN,
                                    {elo_of_score(m.interval.low), elo_of_score(m.interval.high)},
                                    pairs ? compare_pair_los(&c->pairs) : compare_game_los(&c->games),
                                    pairs ? compare_pair_normalised(&c->pairs) : compare_game_normalised(&c->games)};
}

struct contest_verdict contest_judge_two(const struct contest *c)
{
    return c->plan.stake ? judge_stake(c) : judge_wins(c);
}

const char *contest_void(const struct contest *c)
{
    if (2 * c->forfeits > c->judged)
        return "most games ended by forfeit";
    return 2 * (c->forfeits + c->aborted) > c->judged ? "most games ended by forfeit or without a result" : NULL;
}

void contest_fit(const struct contest *c, struct standing_rating out[CONTEST_ENTRANTS])
{
    int anchor = contest_anchor(c);
    double base = c->plan.entrant[anchor].bot == &bot_random ? RANDOM_ANCHOR : FIRST_ANCHOR;
    if (c->plan.entrants == 2) { // the same figures as in the comparison
        struct contest_verdict v = contest_judge_two(c);
        struct standing_rating first = {v.elo, v.elo_interval},
                               second = {-v.elo, {-v.elo_interval.high, -v.elo_interval.low}};
        out[1 - anchor] = anchor ? first : second;
        out[anchor] = (struct standing_rating){0, stats_no_interval()};
    } else if (c->plan.stake) {
        standing_fit_leads(&c->standing, anchor, out);
    } else {
        standing_fit(&c->standing, anchor, out);
    }
    for (int i = 0; i < c->plan.entrants; i++) {
        out[i].elo += base;
        out[i].interval.low += base;
        out[i].interval.high += base;
    }
}

struct compare_estimate contest_lead(const struct contest *c, int entrant)
{
    const struct compare_rate *rates[CONTEST_ENTRANTS];
    struct compare_rate turned[CONTEST_ENTRANTS];
    const struct standing *s = &c->standing;
    int count = 0;
    for (int j = 0; j < c->plan.entrants; j++) {
        bool own = j == entrant;
        if (own != s->tables)
            continue;
        turned[count] = j < entrant ? s->sets[j][entrant].lead : s->sets[entrant][j].lead;
        if (j < entrant) { // stored for the lower number
            turned[count].value = -turned[count].value;
            turned[count].both = -turned[count].both;
        }
        rates[count] = &turned[count];
        count++;
    }
    struct compare_estimate e = compare_pooled_mean(rates, count);
    double units = contest_scale(&c->plan);
    return (struct compare_estimate){units * e.mean, units * e.error, scale_interval(e.interval, units)};
}

// At tables of many players, the variance of an entrant's share of wins is taken from its own sets.
static double effective_tries(const struct contest *c, const struct contest_row *r)
{
    double n = (double)r->set_share.count, games = (double)r->games, m = contest_share(r), room = m * (1 - m);
    struct compare_design d = {.set_squares = n > 1 ? r->set_share.squares * n / (n - 1) : 0,
                               .set_room = n > 1 ? n * room : 0,
                               .game_squares = fmax(0, r->share_squares - games * m * m),
                               .game_room = games * room,
                               .set_games = c->standing.set_games,
                               .most = 1};
    return games / c->standing.set_games / compare_design_effect(&d);
}

struct stats_interval contest_share_interval(const struct contest *c, int entrant)
{
    const struct contest_row *r = &c->row[entrant];
    return c->standing.tables ? stats_share_interval(contest_share(r), effective_tries(c, r))
                              : standing_share(&c->standing, entrant);
}

double contest_share(const struct contest_row *r)
{
    return r->games ? (r->points - (double)r->byes) / (double)r->games : 0;
}

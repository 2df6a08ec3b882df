// What a table of standings shows of an entrant.
#include "contest/contest.h"

enum { RANDOM_ANCHOR = 1000, MEAN_ANCHOR = 1200 };

void contest_fit(const struct contest *c, struct standing_rating out[CONTEST_ENTRANTS])
{
    double shift = MEAN_ANCHOR;
    standing_fit(&c->standing, out);
    for (int i = 0; i < c->plan.entrants; i++)
        if (c->plan.entrant[i].bot == &bot_random)
            shift = RANDOM_ANCHOR - out[i].elo;
    for (int i = 0; i < c->plan.entrants; i++) {
        out[i].elo += shift;
        out[i].interval.low += shift;
        out[i].interval.high += shift;
    }
}

double contest_points(const struct contest_row *r)
{
    return r->points - (double)r->byes;
}

double contest_share(const struct contest_row *r)
{
    return r->games ? contest_points(r) / (double)r->games : 0;
}

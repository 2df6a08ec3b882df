#include "lobby/tally.h"

#include <string.h>

enum { DAY_MS = 86400000 };

struct store_rating tally_start(struct uuid agent, const char *game)
{
    struct glicko start = glicko_start();
    struct store_rating r = {.agent = agent,
                             .rating = start.rating,
                             .deviation = start.deviation,
                             .volatility = start.volatility,
                             .peak = start.rating};
    memcpy(r.game, game, strlen(game));
    return r;
}

struct glicko tally_before(const struct store_rating *r, int64_t now_ms)
{
    struct glicko g = {r->rating, r->deviation, r->volatility};
    return r->rated_ms && now_ms > r->rated_ms ? glicko_idle(g, (now_ms - r->rated_ms) / DAY_MS) : g;
}

void tally_set(struct store_rating *r, struct glicko after, int64_t now_ms)
{
    r->rating = after.rating;
    r->deviation = after.deviation;
    r->volatility = after.volatility;
    r->peak = r->rating > r->peak ? r->rating : r->peak;
    r->rated_ms = now_ms;
    r->rated_games++;
}

void tally_rate(struct store_rating *const rows[], const struct store_match *m, int64_t now_ms)
{
    struct glicko at[STORE_SEATS] = {0};
    seat_set dropped = 0;
    for (int i = 0; i < m->seats; i++) {
        at[i] = tally_before(rows[i], now_ms);
        if (m->seat[i].dropped)
            dropped |= SEAT(i);
    }
    glicko_match(at, m->seats, m->teams, m->payoffs, dropped);
    for (int i = 0; i < m->seats; i++)
        tally_set(rows[i], at[i], now_ms);
}

void tally_count(struct store_rating *r, char result, int64_t now_ms)
{
    r->played_ms = now_ms;
    r->games++;
    *(result == 'w' ? &r->wins : result == 'l' ? &r->losses : &r->draws) += 1;
    if (result == 'd')
        r->streak = 0;
    else if (result == 'w')
        r->streak = r->streak > 0 ? r->streak + 1 : 1;
    else
        r->streak = r->streak < 0 ? r->streak - 1 : -1;
    r->best_streak = r->streak > r->best_streak ? r->streak : r->best_streak;
    memmove(r->form + 1, r->form, STORE_FORM - 1);
    r->form[0] = result;
}

#include "lobby/scoring.h"

#include <string.h>

enum { DAY_MS = 86400000 };

void scoring_set_results(struct store_match *m)
{
    int best = 0, with_best = 0;
    for (int i = 1; i < m->seats; i++)
        if (m->payoffs[i] > m->payoffs[best])
            best = i;
    for (int i = 0; i < m->seats; i++)
        with_best += m->payoffs[i] == m->payoffs[best];
    m->is_draw = !m->teams && with_best > 1;
    m->winner = (int8_t)(m->teams || m->is_draw ? -1 : best);
    for (int i = 0; i < m->seats; i++) {
        bool has_best = m->payoffs[i] == m->payoffs[best];
        m->seat[i].result = !has_best ? 'l' : m->is_draw ? 'd' : 'w';
    }
}

struct store_rating scoring_initial_rating(struct uuid agent, const char *game)
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

struct glicko scoring_strength(const struct store_rating *r, int64_t now_ms)
{
    struct glicko g = {r->rating, r->deviation, r->volatility};
    // F7.5
    return r->rated_ms && now_ms > r->rated_ms ? glicko_idle(g, (now_ms - r->rated_ms) / DAY_MS) : g;
}

static void set_rating(struct store_rating *r, struct glicko after, int64_t now_ms)
{
    r->rating = after.rating;
    r->deviation = after.deviation;
    r->volatility = after.volatility;
    r->peak = r->rating > r->peak ? r->rating : r->peak;
    r->rated_ms = now_ms;
    r->rated_games++;
}

void scoring_rate(struct store_rating *const rows[], const struct store_match *m, int64_t now_ms)
{
    struct glicko at[STORE_SEATS] = {0};
    seat_set dropped = 0;
    for (int i = 0; i < m->seats; i++) {
        at[i] = scoring_strength(rows[i], now_ms);
        if (m->seat[i].dropped)
            dropped |= SEAT(i);
    }
    glicko_match(at, m->seats, m->teams, m->payoffs, dropped);
    for (int i = 0; i < m->seats; i++)
        set_rating(rows[i], at[i], now_ms);
}

// F7.4
static double get_score(const struct store_match *m, int i, int k)
{
    if (m->seat[i].dropped != m->seat[k].dropped)
        return m->seat[i].dropped ? 0 : 1;
    int32_t mine = m->payoffs[i], theirs = m->payoffs[k];
    if (m->seat[i].dropped || mine == theirs)
        return 0.5;
    return mine > theirs ? 1 : 0;
}

void scoring_rate_damped(struct store_rating *const rows[], const struct store_match *m,
                         int (*meetings)(void *owner, int i, int k), void *owner, int64_t now_ms)
{
    // F7.3: everybody is updated from what all had before the match.
    struct glicko old[STORE_SEATS] = {0}, new[STORE_SEATS];
    for (int i = 0; i < m->seats; i++)
        old[i] = scoring_strength(rows[i], now_ms);
    for (int i = 0; i < m->seats; i++) {
        struct glicko_result results[STORE_SEATS];
        int count = 0;
        for (int k = 0; k < m->seats; k++) {
            // F7.4: partners, who sit `teams` seats apart, are not compared.
            if (k == i || (m->teams && (k - i) % m->teams == 0))
                continue;
            results[count++] =
                (struct glicko_result){old[k], get_score(m, i, k), glicko_damping(meetings(owner, i, k))};
        }
        new[i] = glicko_update(old[i], results, count);
    }
    for (int i = 0; i < m->seats; i++)
        set_rating(rows[i], new[i], now_ms);
}

void scoring_count(struct store_rating *r, char result, int64_t now_ms)
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

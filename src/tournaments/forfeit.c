// Forfeits: games that cannot be played because an entrant is away (decision 054). An agent loses a game that has
// waited for it too long; a deleted agent loses its games at once. Only time in which the server runs and matches may
// begin counts.
#include "tournaments/internal.h"

#include "crypto/crypto.h"

#include <stdlib.h>

enum { MOST_STEPS = 1000 }; // far more than any game needs; a guard against rules that never end

static bool is_at_table(const struct tournament *x, struct uuid agent)
{
    struct tournament_run *run = x->run;
    struct contest_game game;
    for (int i = 0; i < run->tables; i++)
        if (contest_get(&run->contest, run->table[i].index, &game))
            for (int s = 0; s < run->contest.plan.seats; s++)
                if (uuid_equals(x->entrant[game.entrant[s]].agent, agent))
                    return true;
    return false;
}

// An agent that plays in another tournament is not away: it will be free soon, since every tournament has a finite
// number of games.
static bool is_at_any_table(const struct tournaments *t, struct uuid agent)
{
    for (int i = 0; i < t->count; i++)
        if (t->at[i]->run && t->at[i]->has_agents && is_at_table(t->at[i], agent))
            return true;
    return false;
}

void forfeit_note_absence(struct tournament *x, const struct contest_game *game, const bool ready[GAME_MAX_SEATS],
                          int64_t now_ms)
{
    struct tournament_run *run = x->run;
    for (int s = 0; s < run->contest.plan.seats; s++) {
        int64_t *since_ms = &run->missed_ms[game->entrant[s]];
        if (ready[s] || is_at_any_table(x->owner, x->entrant[game->entrant[s]].agent))
            *since_ms = 0;
        else if (*since_ms == 0)
            *since_ms = now_ms;
    }
}

// The result that the rules give if one seat never answers: it is dropped at its first question, and the others play
// safe moves. So a forfeit costs what it would have cost in a match.
static void play_without_absent(const struct tournament *x, const struct contest_game *game, int absent,
                                struct contest_result *r)
{
    const struct contest_plan *p = &x->run->contest.plan;
    const struct game *g = p->codec->game;
    struct match *m = calloc(1, sizeof *m);
    struct match_setup setup = {.game = g, .rules = &game->rules, .seats = p->seats};
    if (!m)
        return;
    agent_matches_key(x, game->set, setup.key);
    crypto_sha256(setup.commitment, setup.key, sizeof setup.key);
    int err = match_start(m, &setup, NULL, NULL);
    if (err == OK)
        err = match_drop(m, absent, 0, NULL);
    for (int i = 0; err == OK && i < MOST_STEPS && !match_is_over(m); i++)
        err = match_play_fallback(m, __builtin_ctzll(g->turn(&m->state).seats), NULL);
    if (err == OK)
        g->payoffs(&m->state, r->payoffs);
    r->steps = (uint32_t)m->steps;
    free(m);
}

// As a dropped player in a match (F7.4): below everybody else, whatever the payoffs say.
static void set_forfeit(struct contest_result *r, int seats, int absent)
{
    for (int s = 0; s < seats; s++)
        if (s != absent && r->payoffs[absent] >= r->payoffs[s])
            r->payoffs[absent] = r->payoffs[s] - 1;
    memcpy(r->points, r->payoffs, sizeof r->points);
    r->end = CONTEST_FORFEIT;
    r->at_fault = (int8_t)absent;
    r->trouble[absent][CONTEST_FAILED]++;
}

bool forfeit_if_absent(struct tournament *x, const struct contest_game *game, int64_t now_ms)
{
    int seats = x->run->contest.plan.seats, absent = -1, count = 0;
    // For two or more absent entrants: nobody wins.
    struct contest_result r = {.at_fault = -1, .end = CONTEST_ABORTED, .at_ms = now_ms};
    for (int s = 0; s < seats; s++) {
        int who = game->entrant[s];
        int64_t since_ms = x->run->missed_ms[who];
        if (x->entrant[who].gone || (since_ms && now_ms - since_ms >= (int64_t)x->wait_seconds * 1000)) {
            absent = s;
            count++;
        }
    }
    if (count == 0)
        return false;
    if (count == 1) {
        play_without_absent(x, game, absent, &r);
        set_forfeit(&r, seats, absent);
    }
    agent_matches_put_result(x, game->index, &r);
    return true;
}

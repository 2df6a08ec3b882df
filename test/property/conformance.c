// Every game at every number of seats keeps the contract of game.h under random play.
//
// property.conformance: what holds of each game before it is played: sizes, names, rules, scenarios.
// property.conformance GAME...: matches of these games. The same program is the quick test and the long gate; the
// environment says how much:
//   AGON_PROPERTY_MATCHES   matches of each game at each number of seats
//   AGON_PROPERTY_RESAMPLE  on how many of them what is hidden is redrawn, and everything is looked at after every step
//   AGON_PROPERTY_FIRST     the first seed, so that several processes can share the work
//   AGON_PROPERTY_GAME      a game, as if it were named
#include "games_found.h"
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_MATCHES = 200, USUAL_RESAMPLE = 40, AGAIN_EVERY = 8, PROGRESS_EVERY = 1000 };

static uint64_t number_from(const char *name, uint64_t usual)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return usual;
    uint64_t n = strtoull(text, &end, 10);
    if (*end) {
        fprintf(stderr, "%s must be a number, not '%s'\n", name, text);
        exit(2);
    }
    return n;
}

struct amount {
    uint64_t matches, resample, first;
};

static bool fail(const struct property_result *r)
{
    fprintf(stderr, "%s\n", r->broken);
    return false;
}

// Plays one match, now and then twice: the same seed gives the same hash.
static bool play(const struct game *g, const struct property_plan *plan, bool again, struct property_memory *memory,
                 uint64_t *steps)
{
    struct property_result r, second;
    if (!property_of_match(g, plan, memory, &r))
        return fail(&r);
    *steps += r.steps;
    if (!again)
        return true;
    if (!property_of_match(g, plan, memory, &second))
        return fail(&second);
    if (r.hash == second.hash && r.steps == second.steps)
        return true;
    snprintf(r.broken, sizeof r.broken, "%s, %d seats, seed %llu: the same seed gives the same hash", g->name,
             plan->seats, (unsigned long long)plan->seed);
    return fail(&r);
}

static void show_progress(const struct game *g, int seats, uint64_t done, uint64_t all)
{
    if (done % PROGRESS_EVERY == 0)
        fprintf(stderr, "%s, %d seats: %llu of %llu\n", g->name, seats, (unsigned long long)done,
                (unsigned long long)all);
}

static bool play_at(const struct game *g, int seats, const struct amount *n, struct property_memory *memory,
                    uint64_t *steps)
{
    uint64_t scenarios = 1; // at least
    while (g->scenarios[scenarios])
        scenarios++;
    for (uint64_t i = 0; i < n->matches; i++) {
        struct property_plan plan = {
            .seats = seats,
            .scenario = (int)(i % scenarios),
            .seed = n->first + i,
            .close = i < n->resample,
            .resample = i < n->resample,
        };
        if (!play(g, &plan, i % AGAIN_EVERY == 0, memory, steps))
            return false;
        show_progress(g, seats, i + 1, n->matches);
    }
    return true;
}

static bool play_game(const struct game *g, const struct amount *n)
{
    struct property_memory memory = {0};
    uint64_t steps = 0;
    for (int seats = g->min_seats; seats <= g->max_seats; seats++)
        if (!play_at(g, seats, n, &memory, &steps))
            return false;
    printf("%s: %llu matches at each of %d to %d seats, %llu steps\n", g->name, (unsigned long long)n->matches,
           g->min_seats, g->max_seats, (unsigned long long)steps);
    return true;
}

static const struct game *find_game(const char *name)
{
    for (int i = 0; games_found[i]; i++)
        if (!strcmp(games_found[i]->name, name))
            return games_found[i];
    fprintf(stderr, "unknown game '%s'\n", name);
    exit(2);
}

int main(int count, char **words)
{
    const struct amount n = {
        .matches = number_from("AGON_PROPERTY_MATCHES", USUAL_MATCHES),
        .resample = number_from("AGON_PROPERTY_RESAMPLE", USUAL_RESAMPLE),
        .first = number_from("AGON_PROPERTY_FIRST", 1),
    };
    const char *named = getenv("AGON_PROPERTY_GAME");
    struct property_result r;
    bool holds = true;
    for (int i = 0; games_found[i]; i++)
        holds &= property_of_game(games_found[i], &r) || fail(&r);
    for (int i = 1; holds && i < count; i++)
        holds = play_game(find_game(words[i]), &n);
    if (holds && named && *named)
        holds = play_game(find_game(named), &n);
    return holds ? 0 : 1;
}

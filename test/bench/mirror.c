// What mirrored deals are worth between the two rule-based belote bots: how many times as many games it takes for the
// same interval when every game has cards of its own. Both ways are played, in batches with seeds of their own, and the
// squares of the standard errors compared, statistic by statistic.
//
//     bench.mirror [BATCHES [GAMES]]
//
// Fails when a factor lies below what docs/judging.md promises of it.
#include "contest/play.h"
#include "games/belote/bots/bots.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"
#include "games/games.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum statistic { SCORE, POINTS, PART_POINTS, CARD_POINTS, STATISTICS };
enum unit { DEALS, MATCHES, UNITS };

static const struct {
    const char *name;
    double least[UNITS];
} rows[STATISTICS] = {
    [SCORE] = {"won or lost", {1.2, 1.05}},
    [POINTS] = {"points a match", {0, 1.1}},
    [PART_POINTS] = {"points a deal", {1.15, 1.1}},
    [CARD_POINTS] = {"card points a deal", {1.5, 1.3}},
};

static struct contest_plan make_plan(enum unit unit, uint64_t games, uint64_t seed, bool mirrored)
{
    static const struct bot *const bots[] = {&belote_rules_bot, &belote_calc_bot};
    struct contest_plan p;
    contest_defaults(&p);
    p.codec = &belote_codec;
    p.seats = BELOTE_SEATS;
    belote_game.defaults(&p.rules);
    if (unit == DEALS) {
        struct belote_rules *r = (struct belote_rules *)&p.rules;
        r->options |= BELOTE_SINGLE_DEAL;
        r->colour_sweep_points = 25; // B14.21
    }
    for (; p.entrants < 2; p.entrants++) {
        p.entrant[p.entrants].bot = bots[p.entrants];
        snprintf(p.entrant[p.entrants].name, CONTEST_NAME, "%s", bots[p.entrants]->name);
    }
    contest_set_facts(&p, games_find("belote")->contest);
    p.games = games;
    p.seed = seed;
    p.mirrored = mirrored;
    contest_even_deals(&p, "equal_deals");
    const char *wrong = contest_check(&p);
    if (wrong) {
        fprintf(stderr, "%s\n", wrong);
        exit(2);
    }
    return p;
}

static double square(double x)
{
    return x * x;
}

// The square of a score's standard error.
static double score_error(const struct contest *c)
{
    const struct compare_games *g = &c->games;
    struct compare_mean m = compare_pair_mean(&c->pairs);
    double n = (double)(g->wins + g->draws + g->losses), score = compare_game_score(g);
    if (m.pairs)
        return m.variance / (double)m.pairs;
    return ((double)g->wins * square(1 - score) + (double)g->losses * square(score) +
            (double)g->draws * square(0.5 - score)) /
           n / n;
}

// The squares of the standard errors of everything.
static void measure_errors(enum unit unit, uint64_t games, uint64_t seed, bool mirrored, double out[STATISTICS])
{
    static struct contest c;
    struct contest_plan p = make_plan(unit, games, seed, mirrored);
    struct contest_run run;
    contest_open(&c, &p);
    contest_run_defaults(&run, &c);
    run.threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (contest_play_house(&run) != OK)
        exit(2);
    contest_run_release(&run);
    out[SCORE] = score_error(&c);
    for (enum contest_measure m = 0; m < CONTEST_MEASURES; m++)
        out[POINTS + m] = square(compare_rate_mean(contest_rate(&c, m)).error);
    contest_close(&c);
}

static bool compare_unit(enum unit unit, uint64_t batches, uint64_t games)
{
    static const char *const names[UNITS] = {"single deals", "matches to 150"};
    struct stats_mean gain[STATISTICS] = {0}; // logarithms of factors
    bool fine = true;
    for (uint64_t i = 0; i < batches; i++) {
        double pairs[STATISTICS], singles[STATISTICS];
        measure_errors(unit, games, 2 * i + 1, true, pairs);
        measure_errors(unit, games, 2 * i + 2, false, singles);
        for (int s = 0; s < STATISTICS; s++)
            stats_add(&gain[s], log(singles[s] / pairs[s]));
    }
    for (int s = 0; s < STATISTICS; s++) {
        if (unit == DEALS && s == POINTS)
            continue; // a game is a deal
        struct stats_interval i = stats_mean_interval(&gain[s]);
        bool reached = exp(gain[s].mean) >= rows[s].least[unit];
        printf("%-14s  %-18s  %.2f (%.2f .. %.2f) times as many games, at least %.2f%s\n", names[unit], rows[s].name,
               exp(gain[s].mean), exp(i.low), exp(i.high), rows[s].least[unit], reached ? "" : ": MISSED");
        fine = fine && reached;
    }
    return fine;
}

int main(int argc, char **argv)
{
    uint64_t batches = argc > 1 ? strtoull(argv[1], NULL, 10) : 20,
             games = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    if (batches < 2 || games < 100) {
        fputs("at least 2 batches of 100 games\n", stderr);
        return 2;
    }
    bool deals = compare_unit(DEALS, batches, 2 * games), matches = compare_unit(MATCHES, batches, games);
    return deals && matches ? 0 : 1;
}

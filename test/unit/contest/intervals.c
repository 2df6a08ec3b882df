// Intervals (B14.12) hold what they say, and sequential tests (B14.20) err as seldom as they were asked to.
//
// House bots play a pool of sets once. Contests are drawn from it, set by set, and judged by the code that judges real
// ones; what is true is what the whole pool says. AGON_INTERVAL_CONTESTS is the number of contests of a row (the gate
// `intervals` takes 2,000, and there 93 to 97 % must hold); fewer may miss that by three standard errors. Few sets have
// few possible results: where they are fewer than MANY, an interval may hold the truth more often. So may it where the
// truth is that somebody wins everything or every pair is split: no contest shows that it could not be otherwise.
#include "contest/play.h"

#include "base/rng.h"
#include "games/belote/bots/bots.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"
#include "games/coup/bots/bots.h"
#include "games/coup/codec.h"
#include "games/games.h"
#include "games/liars_dice/bots/bots.h"
#include "games/liars_dice/codec.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FEW = 80, ENOUGH = 2000, MANY = 30, MOST_POOL = 3000 };

static struct rng dice;

static int contests(void)
{
    const char *given = getenv("AGON_INTERVAL_CONTESTS");
    return given ? atoi(given) : FEW;
}

static double draw(void)
{
    return ((double)rng_below(&dice, 1 << 30) + 0.5) / (1 << 30);
}

static int open_dice(void **unused)
{
    static const uint8_t key[RNG_KEY_BYTES] = {13};
    (void)unused;
    dice = rng_from_key(key);
    return 0;
}

// --- what a row says

static int missed; // rows

static void tell(const char *name, int sets, const char *of, int held, int all, bool many)
{
    double share = all ? (double)held / all : 0, slack = all < ENOUGH && all ? 3 * sqrt(0.95 * 0.05 / all) : 0;
    if (all == 0) {
        printf("interval: %-44s %4d sets  %-14s none\n", name, sets, of);
        return;
    }
    bool fine = share >= 0.93 - slack && (!many || share <= 0.97 + slack);
    printf("interval: %-44s %4d sets  %-14s %5.1f %%%s\n", name, sets, of, 100 * share, fine ? "" : "  MISSED");
    missed += !fine;
}

static bool holds(struct stats_interval i, double truth)
{
    assert_true(i.low < i.high || i.low == truth);          // never of no width
    assert_true(!stats_is_interval(i) || i.low < INFINITY); // and never of nothing
    return i.low <= truth + 1e-9 && truth <= i.high + 1e-9;
}

// --- made-up games

// A pair on a deal that favours one side by `luck`; of games that might go either way, `ties` are drawn.
static void play_pair(double chance, double luck, double ties, double out[2])
{
    luck = fmin(luck, 0.95 * fmin(chance, 1 - chance));
    for (int i = 0; i < 2; i++) {
        double q = chance + (i ? -luck : luck), drawn = 2 * ties * fmin(q, 1 - q), u = draw();
        out[i] = u < q - drawn / 2 ? 1 : u < q + drawn / 2 ? 0.5 : 0;
    }
}

static const struct {
    double elo, luck, ties;
} worlds[] = {{0, 0, 0}, {0, 0.3, 0}, {0, 0.2, 0.5}, {100, 0.2, 0.2}, {300, 0, 0}, {300, 0.3, 0.5}, {600, 0.2, 0}};
enum { WORLDS = sizeof worlds / sizeof *worlds };

static void pairs_and_games(void **unused)
{
    (void)unused;
    static const int numbers[] = {2, 5, 10, 30, 100};
    missed = 0;
    for (int w = 0; w < WORLDS; w++)
        for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            int n = numbers[k], by_pairs = 0, by_games = 0;
            double truth = elo_expect(worlds[w].elo, 0);
            for (int i = 0; i < contests(); i++) {
                struct compare_pairs pairs = {0};
                struct compare_games games = {0};
                for (int s = 0; s < n; s++) {
                    double score[2], other[2];
                    play_pair(truth, worlds[w].luck, worlds[w].ties, score);
                    compare_add_pair(&pairs, score[0], score[1]);
                    play_pair(truth, 0, worlds[w].ties, other);
                    games.wins += other[0] == 1;
                    games.draws += other[0] == 0.5;
                    games.losses += other[0] == 0;
                }
                by_pairs += holds(compare_pair_mean(&pairs).interval, truth);
                by_games += holds(compare_game_mean(&games).interval, truth);
            }
            char name[64];
            snprintf(name, sizeof name, "made up: Elo %.0f, luck %.1f, ties %.1f", worlds[w].elo, worlds[w].luck,
                     worlds[w].ties);
            bool many = n >= MANY && (1 - truth) * n >= 5;
            tell(name, n, "pair score", by_pairs, contests(), many);
            tell(name, n, "game score", by_games, contests(), many);
        }
    assert_int_equal(missed, 0);
}

// The same over players of all strengths: then there are enough different results for an upper limit too.
static void players_of_any_strength(void **unused)
{
    (void)unused;
    static const int numbers[] = {10, 20, 30};
    missed = 0;
    for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        int held = 0;
        for (int i = 0; i < contests(); i++) {
            double truth = elo_expect(800 * draw() - 400, 0), score[2];
            struct compare_pairs pairs = {0};
            for (int s = 0; s < numbers[k]; s++) {
                play_pair(truth, 0.1, 0, score);
                compare_add_pair(&pairs, score[0], score[1]);
            }
            held += holds(compare_pair_mean(&pairs).interval, truth);
        }
        tell("made up: Elo -400 to 400, luck 0.1", numbers[k], "pair score", held, contests(), true);
    }
    assert_int_equal(missed, 0);
}

// --- real games

// Calls whatever is bet: it wins many small pots and loses the large ones.
static struct game_action call(const struct bot_ask *ask)
{
    for (int i = 0; i < ask->count; i++)
        if (ask->choices[i].first.kind == HOLDEM_CALL || ask->choices[i].first.kind == HOLDEM_CHECK)
            return ask->choices[i].first;
    return ask->fallback;
}
static const struct bot calling_bot = {.name = "caller", .game = "texas_holdem", .choose = call};

static void play_hands(union game_rules *rules)
{
    ((struct texas_holdem_rules *)rules)->max_hands = 1;
}

static void play_deals(union game_rules *rules)
{
    struct belote_rules *r = (struct belote_rules *)rules;
    r->options |= BELOTE_SINGLE_DEAL;
    r->colour_sweep_points = 25;
}

static void play_short(union game_rules *rules)
{
    ((struct belote_rules *)rules)->target = 60;
}

struct matchup {
    const char *name;
    const struct codec *codec;
    const struct bot *bots[5];
    enum contest_format format;
    int seats;
    void (*set)(union game_rules *rules);
    const char *first_rule;
    int pool; // sets
};

static const struct matchup matchups[] = {
    {"coup, rules : random", &coup_codec, {&coup_rules_bot, &bot_random}, CONTEST_MATCH, 2, NULL, "starter", 1000},
    {"coup, rules : rules", &coup_codec, {&coup_rules_bot, &coup_rules_bot}, CONTEST_MATCH, 2, NULL, "starter", 1000},
    {"coup, four at a table",
     &coup_codec,
     {&coup_rules_bot, &bot_random, &bot_fallback, &coup_rules_bot},
     CONTEST_MATCH,
     4,
     NULL,
     "starter",
     300},
    {"coup, three in a round robin",
     &coup_codec,
     {&bot_random, &coup_rules_bot, &bot_fallback},
     CONTEST_ROUND_ROBIN,
     2,
     NULL,
     "starter",
     1500},
    {"liars_dice, rules : random",
     &liars_dice_codec,
     {&liars_dice_rules_bot, &bot_random},
     CONTEST_MATCH,
     2,
     NULL,
     "starter",
     1000},
    {"liars_dice, random : fallback",
     &liars_dice_codec,
     {&bot_random, &bot_fallback},
     CONTEST_MATCH,
     2,
     NULL,
     "starter",
     1000},
    {"texas_holdem hands, rules : random",
     &texas_holdem_codec,
     {&texas_holdem_rules_bot, &bot_random},
     CONTEST_MATCH,
     2,
     play_hands,
     "button",
     2000},
    {"texas_holdem hands, caller : rules",
     &texas_holdem_codec,
     {&calling_bot, &texas_holdem_rules_bot},
     CONTEST_MATCH,
     2,
     play_hands,
     "button",
     2000},
    {"texas_holdem matches, rules : random",
     &texas_holdem_codec,
     {&texas_holdem_rules_bot, &bot_random},
     CONTEST_MATCH,
     2,
     NULL,
     "button",
     600},
    {"texas_holdem hands, three in a round robin",
     &texas_holdem_codec,
     {&bot_random, &texas_holdem_rules_bot, &calling_bot},
     CONTEST_ROUND_ROBIN,
     2,
     play_hands,
     "button",
     3000},
    {"belote deals, rules : calc",
     &belote_codec,
     {&belote_rules_bot, &belote_calc_bot},
     CONTEST_MATCH,
     4,
     play_deals,
     "dealer",
     1500},
    {"belote deals, rules : random",
     &belote_codec,
     {&belote_rules_bot, &bot_random},
     CONTEST_MATCH,
     4,
     play_deals,
     "dealer",
     1000},
    {"belote matches, rules : calc",
     &belote_codec,
     {&belote_rules_bot, &belote_calc_bot},
     CONTEST_MATCH,
     4,
     play_short,
     "dealer",
     400},
};
enum { MATCHUPS = sizeof matchups / sizeof *matchups };

static struct contest_plan plan_of(const struct matchup *m, int sets)
{
    struct contest_plan p;
    contest_defaults(&p);
    p.codec = m->codec;
    p.codec->game->defaults(&p.rules);
    p.seats = m->seats;
    p.format = m->format;
    contest_set_facts(&p, games_find(p.codec->game->name)->contest);
    p.first_rule = m->first_rule;
    if (m->set)
        m->set(&p.rules);
    for (; m->bots[p.entrants]; p.entrants++) {
        p.entrant[p.entrants].bot = m->bots[p.entrants];
        snprintf(p.entrant[p.entrants].name, CONTEST_NAME, "%s.%d", m->bots[p.entrants]->name, p.entrants);
    }
    contest_even_deals(&p, p.codec == &belote_codec ? "equal_deals" : NULL);
    p.games = (uint64_t)sets * (uint64_t)contest_rotations(&p);
    assert_null(contest_check(&p));
    return p;
}

// Sets of a matchup that were played once, for all tests, and what all of them together say.
static struct {
    struct contest sets;
    struct standing_rating truth[CONTEST_ENTRANTS];
    bool is_full;
} pools[MATCHUPS];

static struct contest *pool; // the one in use
static const struct standing_rating *pool_truth;

static void play_house(struct contest *c)
{
    struct contest_run run;
    contest_run_defaults(&run, c);
    run.threads = 2;
    assert_int_equal(contest_play_house(&run), OK);
    contest_run_release(&run);
}

static void use_pool(int m)
{
    struct contest *sets = &pools[m].sets;
    if (!pools[m].is_full) {
        struct contest_plan p = plan_of(&matchups[m], matchups[m].pool);
        contest_open(sets, &p);
        play_house(sets);
        contest_fit(sets, pools[m].truth);
        pools[m].is_full = true;
    }
    pool = sets;
    pool_truth = pools[m].truth;
}

static int close_pools(void **unused)
{
    (void)unused;
    for (int m = 0; m < MATCHUPS; m++)
        if (pools[m].is_full)
            contest_close(&pools[m].sets);
    return 0;
}

// Sets of the same meeting are alike; every set is put where its own meeting is.
static void draw_contest(struct contest *c, const struct contest_plan *p)
{
    uint64_t around = (uint64_t)contest_rotations(p), meetings = c->meetings ? c->meetings : 1;
    uint64_t of_meeting = pool->plan.games / around / meetings;
    for (uint64_t set = 0; set < p->games / around; set++) {
        uint64_t from = rng_below(&dice, (uint32_t)of_meeting) * meetings + set % meetings;
        for (uint64_t g = 0; g < around; g++)
            contest_put(c, set * around + g, &pool->results[from * around + g]);
    }
}

struct tally {
    int share[CONTEST_ENTRANTS], elo[CONTEST_ENTRANTS], lead[CONTEST_ENTRANTS], verdict;
    int elos[CONTEST_ENTRANTS], leads, verdicts; // that there were
};

static void add_contest(struct tally *t, struct contest *c)
{
    static struct standing_rating fit[CONTEST_ENTRANTS];
    contest_fit(c, fit);
    for (int e = 0; e < c->plan.entrants; e++) {
        t->share[e] += holds(contest_share_interval(c, e), contest_share(&pool->row[e]));
        if (e == contest_anchor(c)) {
            assert_false(stats_is_interval(fit[e].interval));
        } else if (stats_is_interval(
                       fit[e].interval)) { // who won everything in the whole pool may be better by any amount
            t->elos[e]++;
            t->elo[e] += isnan(pool_truth[e].elo) || holds(fit[e].interval, pool_truth[e].elo);
        }
        struct stats_interval lead = contest_lead(c, e).interval;
        if (c->plan.stake && stats_is_interval(lead)) {
            t->leads += e == 0;
            t->lead[e] += holds(lead, contest_lead(pool, e).mean);
        }
    }
    struct stats_interval verdict = contest_judge_two(c).interval;
    if (c->plan.entrants == 2 && stats_is_interval(verdict)) {
        t->verdicts++;
        t->verdict += holds(verdict, contest_judge_two(pool).mean);
    }
}

static bool is_certain(int entrant)
{
    for (int j = 0; j < pool->plan.entrants; j++) {
        double n = pool->standing.games[entrant][j], score = pool->standing.score[entrant][j];
        if (n > 0 && (score == 0 || score == n))
            return true;
    }
    return pool->plan.entrants == 2 && compare_pair_mean(&pool->pairs).variance == 0;
}

static void check_sets(const struct matchup *m, int sets)
{
    int pairings = pool->meetings ? (int)pool->meetings : 1;
    static struct contest c;
    struct contest_plan p = plan_of(m, sets);
    struct tally t = {0};
    for (int i = 0; i < contests(); i++) {
        contest_open(&c, &p);
        draw_contest(&c, &p);
        add_contest(&t, &c);
        contest_close(&c);
    }
    for (int e = 0; e < p.entrants; e++) {
        char of[3][32];
        double share = contest_share(&pool->row[e]);
        bool many = sets / pairings >= MANY && fmin(share, 1 - share) * sets / pairings >= 5 && !is_certain(e);
        snprintf(of[0], sizeof of[0], "score %d", e);
        snprintf(of[1], sizeof of[1], "Elo %d", e);
        snprintf(of[2], sizeof of[2], "%s %d", contest_unit(&p), e);
        tell(m->name, sets, of[0], t.share[e], contests(), many);
        if (e != contest_anchor(pool))
            tell(m->name, sets, of[1], t.elo[e], t.elos[e], p.stake ? sets / pairings >= MANY : many);
        if (p.stake)
            tell(m->name, sets, of[2], t.lead[e], t.leads, sets / pairings >= MANY);
    }
    if (p.entrants == 2)
        tell(m->name, sets, "verdict", t.verdict, t.verdicts, sets >= MANY && p.stake);
}

static void contests_of_house_bots(void **unused)
{
    (void)unused;
    static const int numbers[] = {2, 5, 10, 30, 100};
    missed = 0;
    for (int m = 0; m < MATCHUPS; m++) {
        use_pool(m);
        for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++)
            check_sets(&matchups[m], matchups[m].bots[2] && !matchups[m].bots[3] ? 3 * numbers[k] : numbers[k]);
    }
    assert_int_equal(missed, 0);
}

// --- sequential tests

static void tell_errors(const char *name, int wrong, int runs)
{
    double share = (double)wrong / runs;
    bool fine = share <= 0.05 + 3 * sqrt(0.05 * 0.95 / runs);
    printf("sequential: %-60s errs in %4.1f %%%s\n", name, 100 * share, fine ? "" : "  MISSED");
    missed += !fine;
}

static void tests_of_pairs(void **unused)
{
    (void)unused;
    static const double elos[][2] = {{0, 5}, {0, 20}, {0, 200}, {300, 400}, {-700, -600}};
    static const double ways[][2] = {{0, 0}, {0.3, 0}, {0.2, 0.5}};
    missed = 0;
    for (unsigned e = contests() < ENOUGH; e < sizeof elos / sizeof *elos; e++) // the first takes 10,000 pairs each
        for (unsigned w = 0; w < sizeof ways / sizeof *ways; w++)
            for (int truth = 0; truth < 2; truth++) {
                struct sprt s;
                int wrong = 0;
                assert_true(sprt_init(&s, elos[e][0], elos[e][1], 0.05, 0.05));
                for (int i = 0; i < contests(); i++) {
                    struct compare_pairs p = {0};
                    enum sprt_verdict v;
                    do {
                        double score[2];
                        play_pair(truth ? s.p1 : s.p0, ways[w][0], ways[w][1], score);
                        compare_add_pair(&p, score[0], score[1]);
                        v = sprt_judge_pairs(&s, &p);
                    } while (v == SPRT_GO_ON);
                    wrong += v != (truth ? SPRT_H1 : SPRT_H0);
                }
                char name[64];
                snprintf(name, sizeof name, "pairs, Elo %.0f or %.0f, luck %.1f, ties %.1f: it is %.0f", elos[e][0],
                         elos[e][1], ways[w][0], ways[w][1], elos[e][truth]);
                tell_errors(name, wrong, contests());
            }
    assert_int_equal(missed, 0);
}

// Leads of the pool, moved so that they have the effect of one hypothesis.
static int run_points(const struct sprt *s, double move, bool truth)
{
    struct compare_rate shape = {0};
    enum sprt_verdict v;
    do {
        uint64_t set = rng_below(&dice, (uint32_t)(pool->plan.games / 2));
        double sum = 0, squares = 0;
        for (int g = 0; g < 2; g++) {
            const int32_t *points = pool->results[2 * set + (uint64_t)g].points;
            double lead = (g ? points[1] - points[0] : points[0] - points[1]) + move;
            sum += lead;
            squares += lead * lead;
        }
        compare_add_unit(&shape, sum, squares);
        v = sprt_judge_points(s, &shape, 2);
    } while (v == SPRT_GO_ON);
    return v != (truth ? SPRT_H1 : SPRT_H0);
}

static void tests_of_points(void **unused)
{
    (void)unused;
    missed = 0;
    for (int m = 0; m < MATCHUPS; m++) {
        bool two = !matchups[m].bots[2], paid = matchups[m].set == play_hands || matchups[m].set == play_deals;
        if (!two || !paid)
            continue;
        use_pool(m);
        const struct compare_rate *games = &pool->margin[CONTEST_POINTS].games;
        double one = compare_rate_mean(games).error * sqrt((double)games->units), mean = compare_rate_mean(games).mean;
        for (int truth = 0; truth < 2; truth++) {
            struct sprt s;
            int wrong = 0;
            char name[96];
            assert_true(sprt_init(&s, 0, 30, 0.05, 0.05));
            for (int i = 0; i < contests(); i++)
                wrong += run_points(&s, (truth ? s.t1 : s.t0) * one - mean, truth);
            snprintf(name, sizeof name, "%s, normalised Elo 0 or 30: it is %d", matchups[m].name, truth ? 30 : 0);
            tell_errors(name, wrong, contests());
        }
    }
    assert_int_equal(missed, 0);
}

// --- a verdict about chips

// It wins more hands and loses more chips: the verdict is about chips.
static void a_caller_is_not_better(void **unused)
{
    (void)unused;
    for (int m = 0; m < MATCHUPS; m++) {
        if (matchups[m].bots[0] != &calling_bot)
            continue;
        use_pool(m);
        int order[CONTEST_ENTRANTS];
        struct contest_verdict v = contest_judge_two(pool);
        contest_sort(pool, order);
        assert_true(pool->games.wins > pool->games.losses);
        assert_true(v.interval.high < 0 && v.elo_interval.high < 0 && v.p < 0.01);
        assert_int_equal(order[0], 1);
        // Stopped early it is not certified either.
        static struct contest c;
        struct contest_plan p = plan_of(&matchups[m], 20000);
        p.has_sprt = true;
        assert_true(sprt_init(&p.sprt, 0, 20, 0.05, 0.05));
        contest_open(&c, &p);
        play_house(&c);
        assert_int_equal(c.verdict, SPRT_H0);
        contest_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(pairs_and_games, open_dice),
        cmocka_unit_test_setup(players_of_any_strength, open_dice),
        cmocka_unit_test_setup(contests_of_house_bots, open_dice),
        cmocka_unit_test_setup(tests_of_pairs, open_dice),
        cmocka_unit_test_setup(tests_of_points, open_dice),
        cmocka_unit_test(a_caller_is_not_better),
    };
    return cmocka_run_group_tests(tests, NULL, close_pools);
}

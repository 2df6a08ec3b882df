// Contests of house bots: who sits where, results in order, early stops, rounds, journals.
#include "contest/journal.h"
#include "contest/play.h"

#include "games/belote/bots/bots.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"
#include "games/coup/bots/bots.h"
#include "games/coup/codec.h"
#include "games/games.h"
#include "games/liars_dice/bots/bots.h"
#include "games/liars_dice/codec.h"
#include "games/tetris/codec.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct contest_plan plan_of(const struct codec *codec, int seats, const struct bot *const *bots)
{
    struct contest_plan p;
    contest_defaults(&p);
    p.codec = codec;
    p.facts = games_find(codec->game->name)->contest;
    p.seats = seats;
    codec->game->defaults(&p.rules);
    for (; bots[p.entrants]; p.entrants++) {
        p.entrant[p.entrants].bot = bots[p.entrants];
        snprintf(p.entrant[p.entrants].name, CONTEST_NAME, "%s.%d", bots[p.entrants]->name, p.entrants);
    }
    return p;
}

static const struct bot *const rules_and_random[] = {&liars_dice_rules_bot, &bot_random, NULL};
static const struct bot *const four[] = {&coup_rules_bot, &bot_random, &bot_fallback, &coup_rules_bot, NULL};

static void play(struct contest *c, int threads)
{
    struct contest_run run;
    contest_run_defaults(&run, c);
    run.threads = threads;
    assert_int_equal(contest_play_house(&run), OK);
    contest_run_release(&run);
}

// B14.6: the same cards for everybody at every seat once; whoever begins moves on from set to set (B2.9).
static void mirrored_sets(void **unused)
{
    (void)unused;
    struct contest_plan p = plan_of(&coup_codec, 4, four);
    static struct contest c;
    p.first_rule = "starter";
    p.games = 13;
    assert_null(contest_check(&p));
    assert_int_equal(p.games, 16); // whole sets
    contest_open(&c, &p);
    struct contest_game first, g;
    for (uint64_t i = 0; i < p.games; i++) {
        assert_true(contest_get(&c, i, &g));
        if (i % 4 == 0)
            first = g;
        assert_int_equal(g.set, i / 4);
        assert_true(g.seed == first.seed);
        assert_memory_equal(&g.rules, &first.rules, p.codec->game->rules_size);
        for (int s = 0; s < 4; s++)
            assert_int_equal(g.entrant[s], (s + (int)(i % 4)) % 4);
        assert_int_equal(((const struct coup_rules *)&g.rules)->starter, g.set % 4);
    }
    assert_false(contest_get(&c, p.games, &g));
    contest_close(&c);
}

static void refused_plans(void **unused)
{
    (void)unused;
    struct contest_plan p = plan_of(&coup_codec, 3, rules_and_random);
    assert_non_null(strstr(contest_check(&p), "evenly")); // two players, three seats
    p.seats = 2;
    p.entrants = 1;
    assert_non_null(strstr(contest_check(&p), "two entrants"));
    p = plan_of(&coup_codec, 2, rules_and_random);
    memcpy(p.entrant[1].name, p.entrant[0].name, sizeof p.entrant[0].name);
    assert_non_null(strstr(contest_check(&p), "same name"));
    p = plan_of(&coup_codec, 4, four);
    p.has_sprt = true;
    assert_non_null(strstr(contest_check(&p), "two entrants"));
}

// B14.6: a gathered deck excludes mirrored deals; without mirrors it is played.
static void gathered_decks_have_no_mirror(void **unused)
{
    (void)unused;
    static const struct bot *const bots[] = {&belote_rules_bot, &belote_calc_bot, NULL};
    for (int mirrored = 0; mirrored < 2; mirrored++)
        for (int gathers = 0; gathers < 2; gathers++) {
            struct contest_plan p = plan_of(&belote_codec, BELOTE_SEATS, bots);
            ((struct belote_rules *)&p.rules)->options |= gathers ? BELOTE_GATHER : 0;
            p.mirrored = mirrored;
            contest_even_deals(&p, "equal_deals");
            const char *wrong = contest_check(&p);
            if (mirrored && gathers)
                assert_non_null(strstr(wrong, "exclude mirrored deals"));
            else
                assert_null(wrong);
        }
}

// B12.6: the seeds of an entrant's sessions go by its own games, whoever else plays meanwhile.
static void games_are_counted_by_entrant(void **unused)
{
    (void)unused;
    static const enum contest_format formats[] = {CONTEST_MATCH, CONTEST_ROUND_ROBIN, CONTEST_GAUNTLET, CONTEST_SWISS};
    static const struct bot *const three[] = {&coup_rules_bot, &bot_random, &bot_fallback, NULL};
    for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int mirrored = 0; mirrored < 2; mirrored++) {
            static struct contest c;
            struct contest_plan p = plan_of(&coup_codec, formats[f] == CONTEST_MATCH ? 3 : 2, three);
            uint64_t played[CONTEST_ENTRANTS] = {0};
            p.format = formats[f];
            p.mirrored = mirrored;
            p.games = 24;
            assert_null(contest_check(&p));
            contest_open(&c, &p);
            play(&c, 1); // so that every round of a Swiss contest is there
            for (uint64_t i = 0; i < c.judged; i++) {
                struct contest_game g;
                assert_true(contest_get(&c, i, &g));
                for (int s = 0; s < p.seats; s++)
                    assert_int_equal(contest_count_before(&c, i, g.entrant[s]), played[g.entrant[s]]);
                for (int s = 0; s < p.seats; s++)
                    played[g.entrant[s]]++;
            }
            contest_close(&c);
        }
}

// Killed in the middle: what was judged before the last moment is on disk.
static void a_journal_is_written_at_once(void **unused)
{
    (void)unused;
    char path[] = "/tmp/agon-journal-XXXXXX", line[4096];
    uint64_t found, lines = 0;
    struct journal j;
    static struct contest c;
    struct contest_plan p = plan_of(&coup_codec, 2, rules_and_random);
    close(mkstemp(path));
    contest_open(&c, &p);
    assert_int_equal(journal_open(&j, &c, path, NULL, &found), OK);
    journal_add(&j, 0, &(struct contest_result){.end = CONTEST_OVER, .at_fault = -1});
    FILE *f = fopen(path, "r");
    while (fgets(line, sizeof line, f))
        lines++;
    fclose(f);
    assert_int_equal(lines, 2); // the contest and its first result, while the journal is open
    assert_true(journal_close(&j));
    contest_close(&c);
    unlink(path);
}

// B9.2, B9.6: a contest that was begun without a seed of the caller's goes on with its own.
static void a_journal_tells_its_seed(void **unused)
{
    (void)unused;
    char path[] = "/tmp/agon-journal-XXXXXX";
    uint64_t seed = 7, found;
    struct journal j;
    static struct contest c;
    struct contest_plan p = plan_of(&coup_codec, 2, rules_and_random);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_false(journal_find_seed(path, &seed)); // nothing in it yet
    p.seed = UINT64_MAX - 1;
    contest_open(&c, &p);
    assert_int_equal(journal_open(&j, &c, path, NULL, &found), OK);
    assert_true(journal_close(&j));
    contest_close(&c);
    assert_true(journal_find_seed(path, &seed));
    assert_true(seed == p.seed);
    assert_int_equal(ftruncate(fd, 5), 0); // torn off
    assert_false(journal_find_seed(path, &seed));
    close(fd);
    unlink(path);
    assert_false(journal_find_seed(path, &seed));
}

// Whatever the number of threads.
static void threads_change_nothing(void **unused)
{
    (void)unused;
    static const struct {
        enum contest_format format;
        uint64_t games;
    } cases[] = {{CONTEST_MATCH, 60}, {CONTEST_ROUND_ROBIN, 60}, {CONTEST_GAUNTLET, 60}, {CONTEST_SWISS, 9}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct contest_plan p = plan_of(&coup_codec, cases[i].format == CONTEST_MATCH ? 4 : 2, four);
        static struct contest one, three;
        p.format = cases[i].format;
        p.games = cases[i].games;
        assert_null(contest_check(&p));
        contest_open(&one, &p);
        contest_open(&three, &p);
        play(&one, 1);
        play(&three, 3);
        assert_true(contest_is_done(&one) && contest_is_done(&three));
        assert_true(one.judged == three.judged && one.hash == three.hash && one.hash != 0);
        assert_memory_equal(one.row, three.row, sizeof one.row);
        contest_close(&one);
        contest_close(&three);
    }
}

// The order of strength is known: rules beat chance, chance beats who never acts.
static void standings_recover_a_known_order(void **unused)
{
    (void)unused;
    static const struct bot *const bots[] = {&bot_fallback, &liars_dice_rules_bot, &bot_random, NULL};
    struct contest_plan p = plan_of(&liars_dice_codec, 2, bots);
    static struct contest c;
    struct standing_rating fit[CONTEST_ENTRANTS];
    p.format = CONTEST_ROUND_ROBIN;
    p.games = 600;
    assert_null(contest_check(&p));
    contest_open(&c, &p);
    play(&c, 2);
    contest_fit(&c, fit);
    assert_int_equal(c.judged, 600);
    assert_int_equal(c.row[0].games, 400);
    int order[CONTEST_ENTRANTS];
    contest_sort(&c, order);
    assert_int_equal(order[0], 1);
    assert_int_equal(contest_anchor(&c), 2); // random: the others are known by their distance from it
    assert_true(fit[1].interval.low > fit[2].elo && !stats_is_interval(fit[2].interval));
    for (int i = 0; i < 3; i++)
        assert_true(c.row[i].wins + c.row[i].losses + c.row[i].draws == c.row[i].games);
    contest_close(&c);
}

// B14.20: judged pair by pair, in order; games beyond the stop do not count.
static void the_sequential_test_stops_early(void **unused)
{
    (void)unused;
    struct contest_plan p = plan_of(&liars_dice_codec, 2, rules_and_random);
    static struct contest c, again;
    p.games = 100000;
    p.has_sprt = true;
    assert_true(sprt_init(&p.sprt, 0, 50, 0.05, 0.05));
    assert_null(contest_check(&p));
    contest_open(&c, &p);
    contest_open(&again, &p);
    play(&c, 2);
    play(&again, 1);
    assert_int_equal(c.verdict, SPRT_H1);
    assert_in_range(c.judged, 2 * SPRT_LEAST_PAIRS, 2000);
    assert_true(c.judged == again.judged && c.judged % 2 == 0 && c.hash == again.hash);
    contest_close(&c);
    contest_close(&again);
}

// Results that nobody played for: a forfeit by the player who is first named.
static void hand_in(struct contest *c, uint64_t from, uint64_t to, enum contest_end end)
{
    for (uint64_t i = from; i < to; i++) {
        struct contest_game g;
        struct contest_result r = {.end = (uint8_t)end, .at_fault = -1};
        assert_true(contest_get(c, i, &g));
        r.payoffs[g.entrant[0] == 0] = r.points[g.entrant[0] == 0] = 1;
        if (end == CONTEST_FORFEIT)
            r.at_fault = (int8_t)(g.entrant[0] != 0);
        contest_put(c, i, &r);
    }
}

// B14.23
static void forfeits_give_no_verdict(void **unused)
{
    (void)unused;
    static struct contest c;
    const struct bot *bots[] = {&coup_rules_bot, &bot_random, NULL};
    struct contest_plan p = plan_of(&coup_codec, 2, bots);
    p.games = 12;
    assert_null(contest_check(&p));
    contest_open(&c, &p);
    assert_null(contest_void(&c));
    hand_in(&c, 0, 4, CONTEST_OVER);
    hand_in(&c, 4, 8, CONTEST_FORFEIT);
    assert_null(contest_void(&c)); // half of them
    hand_in(&c, 8, 9, CONTEST_ABORTED);
    assert_string_equal(contest_void(&c), "most games ended by forfeit or without a result");
    hand_in(&c, 9, 12, CONTEST_FORFEIT);
    assert_string_equal(contest_void(&c), "most games ended by forfeit");
    assert_int_equal(c.row[0].forfeits, 7);
    assert_int_equal(c.row[1].forfeits, 0);
    contest_close(&c);
}

// Everyone alone: a set is what is won or lost, and one without all results is none.
static void solo_games_are_compared_by_seed(void **unused)
{
    (void)unused;
    static struct contest c;
    const struct bot *bots[] = {&bot_fallback, &bot_random, NULL};
    static const int32_t scores[] = {10, 30, 50, 20, 7, 7, 1, 100};
    struct contest_plan p = plan_of(&tetris_codec, 1, bots);
    p.games = 7; // rounded up
    assert_null(contest_check(&p));
    contest_open(&c, &p);
    for (uint64_t i = 0; i < 8; i++) {
        struct contest_game g;
        struct contest_result r = {.end = i == 7 ? CONTEST_ABORTED : CONTEST_OVER, .at_fault = -1};
        assert_true(contest_get(&c, i, &g));
        assert_int_equal(g.entrant[0], i % 2);
        r.payoffs[0] = r.points[0] = scores[i];
        contest_put(&c, i, &r);
    }
    assert_int_equal(c.row[0].games, 3);
    assert_int_equal(c.row[0].wins, 1);
    assert_int_equal(c.row[0].draws, 1);
    assert_int_equal(c.row[0].losses, 1);
    assert_int_equal(c.row[1].aborted, 1);
    assert_int_equal(c.margin[CONTEST_POINTS].games.units, 3);
    assert_true(fabs(contest_judge_two(&c).mean - (-20 + 30 + 0) / 3.0) < 1e-9);
    contest_close(&c);
    p.mirrored = false;
    assert_non_null(contest_check(&p));
}

// B14.2, B14.11: a success is more match points than the defenders, or a Colour sweep of one's own.
static void contracts_are_counted(void **unused)
{
    (void)unused;
    enum { COLOUR, NO_TRUMPS, ALL_TRUMPS };
    static const struct {
        int mode, team, sweep;
        uint8_t points[2];
        int kind, made;
    } rows[] = {
        {BELOTE_HEARTS, 0, BELOTE_NONE, {16, 0}, COLOUR, 1},
        {BELOTE_HEARTS, 0, BELOTE_NONE, {0, 16}, COLOUR, 0},
        {BELOTE_CLUBS, 1, 1, {0, 0}, COLOUR, 1},                  // a sweep of their own wins the match
        {BELOTE_CLUBS, 1, 0, {0, 0}, COLOUR, 0},                  // the defenders' is no success
        {BELOTE_NO_TRUMPS, 1, BELOTE_NONE, {0, 0}, NO_TRUMPS, 0}, // 0-0 is none
        {BELOTE_NO_TRUMPS, 1, 1, {0, 90}, NO_TRUMPS, 1},
        {BELOTE_ALL_TRUMPS, 1, BELOTE_NONE, {12, 14}, ALL_TRUMPS, 1},
        {BELOTE_ALL_TRUMPS, 0, BELOTE_NONE, {13, 13}, ALL_TRUMPS, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct contest_attempts f = {0}, want = {.parts = 1, .tally = {i, 130}};
        struct game_event e = {.kind = BELOTE_DEAL_ENDED};
        struct belote_deal_ended end = {.deal = {.mode = (uint8_t)rows[i].mode,
                                                 .team = (uint8_t)rows[i].team,
                                                 .sweep = (uint8_t)rows[i].sweep,
                                                 .multiplier = 1,
                                                 .card_points = {(uint16_t)i, 130},
                                                 .match_points = {rows[i].points[0], rows[i].points[1]}}};
        memcpy(e.data, &end, sizeof end);
        games_find("belote")->contest->attempts->follow(&f, &e);
        want.tried[rows[i].team][rows[i].kind] = 1;
        want.made[rows[i].team][rows[i].kind] = (uint16_t)rows[i].made;
        assert_memory_equal(&f, &want, sizeof f);
        e.kind = BELOTE_CARD_PLAYED;
        games_find("belote")->contest->attempts->follow(&f, &e);
        assert_memory_equal(&f, &want, sizeof f);
    }
}

static const struct bot *const belote_two[] = {&belote_rules_bot, &belote_calc_bot, NULL};

// What a contest of single deals says of its measures: `mirrored` or every game with cards of its own.
static void measure_belote(struct contest *c, uint64_t games, bool mirrored)
{
    struct contest_plan p = plan_of(&belote_codec, BELOTE_SEATS, belote_two);
    struct belote_rules *rules = (struct belote_rules *)&p.rules;
    rules->options |= BELOTE_SINGLE_DEAL;
    rules->colour_sweep_points = 25;
    contest_set_facts(&p, games_find("belote")->contest);
    p.games = games;
    p.mirrored = mirrored;
    contest_even_deals(&p, "equal_deals");
    assert_null(contest_check(&p));
    contest_open(c, &p);
    play(c, 2);
}

// The same cards from both sides: of as many games the interval is narrower, in points and more so in card points. What
// a mirrored contest says that unmirrored games would need is what they do need.
static void mirrored_deals_need_fewer_games(void **unused)
{
    (void)unused;
    enum { GAMES = 6000 };
    static const struct {
        enum contest_measure measure;
        double least;
    } rows[] = {{CONTEST_POINTS, 1.15}, {CONTEST_PART_POINTS, 1.15}, {CONTEST_TALLY, 1.45}};
    static struct contest pairs, singles;
    measure_belote(&pairs, GAMES, true);
    measure_belote(&singles, GAMES, false);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct contest_margin *m = &pairs.margin[rows[i].measure];
        assert_int_equal(m->pairs.units, GAMES / 2);
        assert_ptr_equal(contest_rate(&singles, rows[i].measure), &singles.margin[rows[i].measure].games);
        double pair = compare_rate_mean(contest_rate(&pairs, rows[i].measure)).error;
        double single = compare_rate_mean(contest_rate(&singles, rows[i].measure)).error;
        double found = single * single / (pair * pair), said = compare_rate_gain(&m->games, &m->pairs);
        if (found < rows[i].least || fabs(said / found - 1) > 0.15)
            fail_msg("measure %d: %.3f times as many, %.3f said", rows[i].measure, found, said);
    }
    contest_close(&pairs);
    contest_close(&singles);
}

// B14.17: 1010-760 at 1000 is 0.625 of a win, and K is 40 at the start; a forfeit is a whole win.
static void swiss_ratings_go_by_the_margin(void **unused)
{
    (void)unused;
    static const struct {
        int32_t points[2], payoff;
        enum contest_end end;
        double target, elo;
    } rows[] = {
        {{1010, 760}, 1, CONTEST_OVER, 1000, 1205},
        {{760, 1010}, 0, CONTEST_OVER, 1000, 1195},
        {{2100, 0}, 1, CONTEST_OVER, 1000, 1220},
        {{0, 40}, 1, CONTEST_OVER, 1000, 1200}, // an instant win from behind
        {{10, 300}, 1, CONTEST_FORFEIT, 1000, 1220},
        {{1010, 760}, 1, CONTEST_OVER, 0, 1220}, // no target: a win is a win
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct contest_plan p = plan_of(&liars_dice_codec, 2, rules_and_random);
        static struct contest c;
        p.format = CONTEST_SWISS;
        p.games = 1;
        p.target = rows[i].target;
        assert_null(contest_check(&p));
        contest_open(&c, &p);
        struct contest_result r = {.end = (uint8_t)rows[i].end,
                                   .payoffs = {rows[i].payoff, 1 - rows[i].payoff},
                                   .points = {rows[i].points[0], rows[i].points[1]}};
        struct contest_game g;
        assert_true(contest_get(&c, 0, &g));
        contest_put(&c, 0, &r);
        assert_true(fabs(c.row[g.entrant[0]].elo - rows[i].elo) < 1e-9);
        assert_true(fabs(c.row[g.entrant[1]].elo + rows[i].elo - 2400) < 1e-9);
        contest_close(&c);
    }
}

// B14.3: of an odd number the lowest sits out, but nobody twice before everybody has; a bye is worth a point.
static void byes_go_around(void **unused)
{
    (void)unused;
    static const struct bot *const three[] = {&liars_dice_rules_bot, &bot_random, &bot_fallback, NULL};
    static const int sits_out[] = {2, 1, 0}; // by name, by points, the only one left
    struct contest_plan p = plan_of(&liars_dice_codec, 2, three);
    static struct contest c;
    for (int i = 0; i < 3; i++)
        snprintf(p.entrant[i].name, CONTEST_NAME, "%c", 'a' + i);
    p.format = CONTEST_SWISS;
    p.games = 3; // rounds
    assert_null(contest_check(&p));
    contest_open(&c, &p);
    for (uint64_t i = 0; i < 6; i++) {
        struct contest_game g;
        assert_true(contest_get(&c, i, &g));
        assert_int_equal(3 - g.entrant[0] - g.entrant[1], sits_out[i / 2]);
        bool first = g.entrant[0] < g.entrant[1]; // a beats b, b beats c
        struct contest_result r = {.end = CONTEST_OVER, .payoffs = {first, !first}};
        contest_put(&c, i, &r);
    }
    static const double points[] = {5, 3, 1};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(c.row[i].byes, 1);
        assert_true(c.row[i].points == points[i]);
    }
    contest_close(&c);
}

static void keep_result(void *owner, uint64_t index, const struct contest_result *r)
{
    journal_add(owner, index, r);
}

static void copy_part(const char *from, const char *to, double part)
{
    char bytes[1 << 18];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t size = fread(bytes, 1, sizeof bytes, in);
    fwrite(bytes, 1, (size_t)((double)size * part), out);
    fclose(in);
    fclose(out);
}

// A limit of file sizes is what a full disk looks like to a program.
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

// What comes after a write that failed is not added to a torn line, and nobody is told that it was kept.
static void a_full_disk_tears_one_line_at_most(void **unused)
{
    (void)unused;
    enum { LINES = 4 };
    char path[] = "/tmp/agon-journal-XXXXXX";
    close(mkstemp(path));
    struct contest_plan p = plan_of(&coup_codec, 2, four);
    static struct contest c;
    struct journal j;
    struct stat size;
    uint64_t found;
    p.format = CONTEST_ROUND_ROBIN;
    p.games = 12;
    contest_open(&c, &p);
    assert_int_equal(journal_open(&j, &c, path, NULL, &found), OK);
    struct contest_result r = {.end = CONTEST_OVER, .at_fault = -1, .payoffs = {1, -1}};
    for (uint64_t i = 0; i < LINES; i++)
        journal_add(&j, i, &r);
    assert_true(journal_flush(&j));
    assert_int_equal(stat(path, &size), 0);
    signal(SIGXFSZ, SIG_IGN);
    limit_files((rlim_t)size.st_size + 50);
    journal_add(&j, LINES, &r);
    assert_false(journal_flush(&j));
    limit_files(RLIM_INFINITY);
    journal_add(&j, LINES + 1, &r);
    assert_false(journal_flush(&j));
    assert_false(journal_close(&j));
    contest_close(&c);
    contest_open(&c, &p);
    assert_int_equal(journal_open(&j, &c, path, NULL, &found), OK);
    assert_int_equal(found, LINES);
    assert_true(journal_close(&j));
    contest_close(&c);
    unlink(path);
}

// Wherever a journal was cut, the contest that goes on from it ends as the whole one.
static void an_interrupted_contest_goes_on(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/agon-journal-XXXXXX", whole[64], cut[64];
    assert_non_null(mkdtemp(folder));
    snprintf(whole, sizeof whole, "%s/whole", folder);
    snprintf(cut, sizeof cut, "%s/cut", folder);
    struct contest_plan p = plan_of(&coup_codec, 2, four);
    static struct contest c;
    struct journal j;
    uint64_t found;
    p.format = CONTEST_SWISS;
    p.games = 3; // rounds
    assert_null(contest_check(&p));
    contest_open(&c, &p);
    assert_int_equal(journal_open(&j, &c, whole, NULL, &found), OK);
    c.on_result = keep_result;
    c.owner = &j;
    play(&c, 2);
    assert_true(journal_close(&j));
    uint64_t hash = c.hash, games = c.judged;
    contest_close(&c);
    for (int i = 0; i < 5; i++) {
        copy_part(whole, cut, 0.23 * i);
        contest_open(&c, &p);
        assert_int_equal(journal_open(&j, &c, cut, NULL, &found), OK);
        assert_true(found <= games);
        c.on_result = keep_result;
        c.owner = &j;
        play(&c, 1);
        assert_true(journal_close(&j));
        assert_true(c.hash == hash && c.judged == games);
        contest_close(&c);
    }
    p.seed++;
    contest_open(&c, &p);
    assert_int_equal(journal_open(&j, &c, whole, NULL, &found), ERR_MISMATCH);
    contest_close(&c);
    unlink(whole);
    unlink(cut);
    rmdir(folder);
}

// N11.5: every pairing plays the same deals in the same order, mirrored or not.
static void deals_are_given(void **unused)
{
    (void)unused;
    static const uint64_t deals[] = {11, 22, 33};
    static struct contest c;
    struct contest_game g;
    for (int format = 0; format < CONTEST_FORMATS; format++)
        for (int mirrored = 0; mirrored < 2; mirrored++) {
            struct contest_plan p = plan_of(&coup_codec, format == CONTEST_MATCH ? 4 : 2, four);
            uint64_t before = contest_fingerprint(&p);
            bool laps = !mirrored && (format == CONTEST_ROUND_ROBIN || format == CONTEST_GAUNTLET);
            int meet = laps ? 1 : format == CONTEST_MATCH ? 4 : 2, sets = mirrored ? 1 : meet; // games at once
            uint64_t pairings = format == CONTEST_MATCH         ? 1
                                : format == CONTEST_ROUND_ROBIN ? 6
                                : format == CONTEST_GAUNTLET    ? 3
                                                                : 2;
            p.format = (enum contest_format)format;
            p.mirrored = mirrored;
            p.deals = deals;
            p.deal_count = (uint64_t)(sets == 1 ? 3 : sets); // else they do for one meeting, or for none
            if (p.deal_count > 3) {
                p.deal_count = 3;
                p.games = contest_games_of_deals(&p);
                assert_non_null(strstr(contest_check(&p), "needs 4 deals and 3 are given"));
                continue;
            }
            p.games = format == CONTEST_SWISS ? p.deal_count / (uint64_t)sets : contest_games_of_deals(&p);
            assert_null(contest_check(&p));
            assert_true(contest_fingerprint(&p) != before);
            assert_true(contest_most_games(&p) == p.deal_count / (uint64_t)sets * pairings * (uint64_t)meet);
            contest_open(&c, &p);
            for (uint64_t i = 0; contest_get(&c, i, &g); i++) { // the first round of a Swiss contest
                uint64_t around = i / (uint64_t)meet / pairings, game = i % (uint64_t)meet;
                assert_true(g.seed == deals[sets == 1 ? around : around * 2 + game]);
            }
            contest_close(&c);
            p.games += format == CONTEST_SWISS ? 1 : pairings * (uint64_t)meet;
            assert_non_null(strstr(contest_check(&p), "are given; add seeds or play fewer games"));
        }
}

// N11.6: a clock gives what is left of it; another clock is another contest; who overran it is kept.
static void clocks_run(void **unused)
{
    (void)unused;
    struct contest_plan p = plan_of(&coup_codec, 2, rules_and_random), other = p;
    int64_t left = 1000;
    assert_true(contest_spend_clock(&p, &left, 5000) && left == 1000);
    p.clock_us = 1000;
    p.increment_us = 300;
    assert_true(contest_spend_clock(&p, &left, 400) && left == 900);
    assert_true(contest_spend_clock(&p, &left, 900) && left == 300);
    assert_false(contest_spend_clock(&p, &left, 301));
    assert_true(contest_fingerprint(&p) != contest_fingerprint(&other));
    other = p;
    other.increment_us++;
    assert_true(contest_fingerprint(&p) != contest_fingerprint(&other));

    char path[] = "/tmp/agon-journal-XXXXXX";
    close(mkstemp(path));
    static struct contest c;
    struct journal j;
    uint64_t found;
    p.games = 4;
    for (int again = 0; again < 2; again++) {
        contest_open(&c, &p);
        assert_int_equal(journal_open(&j, &c, path, NULL, &found), OK);
        for (uint64_t i = 0; !again && i < 3; i++) {
            struct contest_result r = {.end = CONTEST_FORFEIT, .at_fault = 1, .payoffs = {1, 0}, .overran = i < 2};
            journal_add(&j, i, &r);
        }
        assert_true(journal_close(&j));
        assert_int_equal(found, again ? 3 : 0);
        if (again) // seats are exchanged in the second game of a pair
            assert_true(c.row[0].forfeits == 1 && c.row[0].overruns == 1 && c.row[1].forfeits == 2 &&
                        c.row[1].overruns == 1);
        contest_close(&c);
    }
    unlink(path);
}

// N11.1, N11.7: pairs of a tournament are counted by who met whom.
static void pairs_are_counted_by_pairing(void **unused)
{
    (void)unused;
    struct contest_plan p = plan_of(&coup_codec, 2, four);
    static struct contest c;
    p.format = CONTEST_ROUND_ROBIN;
    p.games = 60;
    assert_null(contest_check(&p));
    contest_open(&c, &p);
    play(&c, 2);
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++) {
            const struct compare_pairs *pairs = &c.standing.sets[i][j].pairs;
            uint64_t count = 0;
            double score = 0;
            for (int k = 0; k < COMPARE_PAIR_KINDS; k++) {
                count += pairs->count[k];
                score += (double)pairs->count[k] * k / 2;
            }
            assert_int_equal(2 * count, c.standing.games[i][j]);
            assert_true(score == c.standing.score[i][j]);
        }
    contest_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mirrored_sets),
        cmocka_unit_test(refused_plans),
        cmocka_unit_test(gathered_decks_have_no_mirror),
        cmocka_unit_test(games_are_counted_by_entrant),
        cmocka_unit_test(a_journal_is_written_at_once),
        cmocka_unit_test(a_journal_tells_its_seed),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(standings_recover_a_known_order),
        cmocka_unit_test(the_sequential_test_stops_early),
        cmocka_unit_test(forfeits_give_no_verdict),
        cmocka_unit_test(solo_games_are_compared_by_seed),
        cmocka_unit_test(contracts_are_counted),
        cmocka_unit_test(mirrored_deals_need_fewer_games),
        cmocka_unit_test(swiss_ratings_go_by_the_margin),
        cmocka_unit_test(byes_go_around),
        cmocka_unit_test(an_interrupted_contest_goes_on),
        cmocka_unit_test(a_full_disk_tears_one_line_at_most),
        cmocka_unit_test(deals_are_given),
        cmocka_unit_test(clocks_run),
        cmocka_unit_test(pairs_are_counted_by_pairing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Every entrant gets every seat with every starting seat equally often, whatever the format and the game.
#include "contest/contest.h"

#include "bots/bot.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"
#include "games/coup/codec.h"
#include "games/coup/rules/coup.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/rules/liars_dice.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 9 }; // entrants

static int first_of_coup(const union game_rules *r)
{
    return ((const struct coup_rules *)r)->starter;
}

static int first_of_liars_dice(const union game_rules *r)
{
    return ((const struct liars_dice_rules *)r)->starter;
}

static int first_of_texas_holdem(const union game_rules *r)
{
    return ((const struct texas_holdem_rules *)r)->button;
}

static int first_of_belote(const union game_rules *r)
{
    return ((const struct belote_rules *)r)->dealer;
}

static const struct {
    const struct codec *codec;
    const char *rule;
    int (*first)(const union game_rules *r);
    int seats[4]; // ended by 0
} games[] = {
    {&coup_codec, "starter", first_of_coup, {2, 4, 6, 0}},
    {&liars_dice_codec, "starter", first_of_liars_dice, {2, 3, 6, 0}},
    {&texas_holdem_codec, "button", first_of_texas_holdem, {2, 6, 9, 0}},
    {&belote_codec, "dealer", first_of_belote, {4, 0}},
};
enum { GAMES = sizeof games / sizeof *games };

// By entrant, its opponent (itself: all together), its seat and the seat that begins.
static uint32_t counts[MOST][MOST][GAME_MAX_SEATS][GAME_MAX_SEATS];

static void count_game(const struct contest_game *g, int seats, int first)
{
    for (int s = 0; s < seats; s++) {
        int own = g->entrant[s];
        bool seen[MOST] = {0};
        seen[own] = true;
        counts[own][own][s][first]++;
        for (int o = 0; o < seats; o++)
            if (!seen[g->entrant[o]]) {
                seen[g->entrant[o]] = true;
                counts[own][g->entrant[o]][s][first]++;
            }
    }
}

static uint32_t difference(uint32_t of[GAME_MAX_SEATS][GAME_MAX_SEATS], int seats)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (int s = 0; s < seats; s++)
        for (int f = 0; f < seats; f++) {
            least = of[s][f] < least ? of[s][f] : least;
            most = of[s][f] > most ? of[s][f] : most;
        }
    return most - least;
}

static struct contest_plan plan_of(int game, int seats, enum contest_format format, int entrants, bool mirrored)
{
    struct contest_plan p;
    contest_defaults(&p);
    p.codec = games[game].codec;
    p.codec->game->defaults(&p.rules);
    p.first_rule = games[game].rule;
    p.seats = seats;
    p.format = format;
    p.mirrored = mirrored;
    for (; p.entrants < entrants; p.entrants++) {
        p.entrant[p.entrants].bot = &bot_fallback;
        snprintf(p.entrant[p.entrants].name, CONTEST_NAME, "%d", p.entrants);
    }
    return p;
}

// Results are made up: the pairings of Swiss rounds follow them.
static uint64_t play(const struct contest_plan *plan, int game)
{
    static struct contest c;
    struct contest_game g;
    uint64_t index = 0;
    memset(counts, 0, sizeof counts);
    contest_open(&c, plan);
    for (; contest_get(&c, index, &g); index++) {
        struct contest_result r = {.end = CONTEST_OVER, .at_fault = -1, .steps = 1};
        for (int s = 0; s < plan->seats; s++)
            r.payoffs[s] = r.points[s] = (int32_t)((g.seed >> (7 * g.entrant[s]) & 127) + index % 3);
        count_game(&g, plan->seats, games[game].first(&g.rules));
        contest_put(&c, index, &r);
    }
    contest_close(&c);
    return index;
}

struct limits {
    uint32_t all, opponent;
};

static bool goes_by_laps(const struct contest_plan *p)
{
    return !p->mirrored && (p->format == CONTEST_ROUND_ROBIN || p->format == CONTEST_GAUNTLET);
}

// Round robins of an odd number: three that meet once each cannot all have begun at different seats. In Swiss rounds
// whoever sits out falls behind, and pairings follow results. In laps each pairing's two games are apart.
static struct limits limits_of(const struct contest_plan *p)
{
    bool odd = p->entrants % 2 && (p->format == CONTEST_ROUND_ROBIN || p->format == CONTEST_SWISS);
    return (struct limits){goes_by_laps(p) ? 3 : odd ? 2 : 1, p->format == CONTEST_SWISS ? UINT32_MAX : 1};
}

static void check(const struct contest_plan *p, int game, bool even)
{
    uint64_t played = play(p, game);
    struct limits most = limits_of(p);
    for (int e = 0; e < p->entrants; e++)
        for (int o = 0; o < p->entrants; o++) {
            uint32_t found = difference(counts[e][o], p->seats), limit = e == o ? most.all : most.opponent;
            bool hub = p->format == CONTEST_GAUNTLET && e && o && e != o; // these two do not meet
            if (hub || found <= (even ? 0 : limit))
                continue;
            fail_msg(
                "%s, %s, mirrored %d, %d entrants, %d seats, %ju games: of entrant %d against %d counts differ by %u",
                p->codec->game->name, contest_format_names[p->format], p->mirrored, p->entrants, p->seats,
                (uintmax_t)played, e, o, found);
        }
}

// Sets of all numbers: whole cycles give equal counts, others counts that differ by one.
static void check_format(int game, int seats, enum contest_format format, int entrants)
{
    uint64_t meeting = format == CONTEST_MATCH ? (uint64_t)entrants : 2, n = (uint64_t)entrants;
    uint64_t pairings = format == CONTEST_MATCH ? 1 : format == CONTEST_GAUNTLET ? n - 1 : n * (n - 1) / 2;
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        struct contest_plan p = plan_of(game, seats, format, entrants, mirrored);
        uint64_t cycle = meeting * pairings * (uint64_t)seats;
        const uint64_t numbers[] = {1, 2, 7, cycle / 2 + 3, cycle - 1, cycle + 5, 2 * cycle + 1, cycle, 3 * cycle};
        for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            p.games = numbers[i];
            assert_null(contest_check(&p));
            check(&p, game, p.games % cycle == 0);
        }
    }
}

static void matches(void **unused)
{
    (void)unused;
    for (int g = 0; g < GAMES; g++)
        for (const int *seats = games[g].seats; *seats; seats++)
            for (int entrants = 2; entrants <= *seats; entrants++)
                if (*seats % entrants == 0)
                    check_format(g, *seats, CONTEST_MATCH, entrants);
}

static void round_robins_and_gauntlets(void **unused)
{
    (void)unused;
    for (int g = 0; g < GAMES; g++)
        for (const int *seats = games[g].seats; *seats; seats++)
            for (int entrants = 2; entrants <= 7 && *seats % 2 == 0; entrants++) {
                check_format(g, *seats, CONTEST_ROUND_ROBIN, entrants);
                check_format(g, *seats, CONTEST_GAUNTLET, entrants);
            }
}

// Games of two entrants with each other, or (the same one twice) of one with all; those in which its side begins.
static struct limits count_met(int own, int other, int seats)
{
    struct limits met = {0, 0};
    for (int s = 0; s < seats; s++)
        for (int first = 0; first < seats; first++) {
            met.all += counts[own][other][s][first] * 2 / (uint32_t)seats;
            met.opponent += s % 2 == first % 2 ? counts[own][other][s][first] * 2 / (uint32_t)seats : 0;
        }
    return met;
}

static void check_laps(const struct contest_plan *p, uint64_t pairings)
{
    uint32_t least = (uint32_t)(p->games / pairings), most = least + (p->games % pairings > 0);
    bool hub = p->format == CONTEST_GAUNTLET;
    for (int e = 0; e < p->entrants; e++)
        for (int o = 0; o < p->entrants; o++)
            if (e != o && (!hub || e == 0 || o == 0))
                assert_in_range(count_met(e, o, p->seats).all, least, most);
    for (int e = 0; e < p->entrants && least == most; e++) {
        struct limits met = count_met(e, e, p->seats);
        assert_in_range(2 * met.opponent, met.all - 1, met.all + 1);
    }
}

// Without mirrors everybody meets everybody equally often, give or take a game, whatever the number of games; and after
// whole laps each has begun in half of its games. Five that play ten games have four each.
static void games_without_mirrors_go_by_laps(void **unused)
{
    (void)unused;
    for (int entrants = 2; entrants <= MOST; entrants++)
        for (int gauntlet = 0; gauntlet < 2; gauntlet++) {
            uint64_t n = (uint64_t)entrants, pairings = gauntlet ? n - 1 : n * (n - 1) / 2;
            struct contest_plan p = plan_of(0, 2, gauntlet ? CONTEST_GAUNTLET : CONTEST_ROUND_ROBIN, entrants, false);
            for (uint64_t number = 1; number <= 5 * pairings; number++) {
                p.games = number;
                assert_null(contest_check(&p));
                assert_int_equal(play(&p, 0), number);
                check_laps(&p, pairings);
            }
        }
}

static void swiss_rounds(void **unused)
{
    (void)unused;
    for (int g = 0; g < GAMES; g++)
        for (int entrants = 2; entrants <= MOST; entrants++)
            for (int mirrored = 0; mirrored < 2; mirrored++)
                for (uint64_t rounds = 1; rounds <= 41; rounds += 4) {
                    struct contest_plan p = plan_of(g, games[g].seats[0], CONTEST_SWISS, entrants, mirrored);
                    p.games = rounds;
                    assert_null(contest_check(&p));
                    check(&p, g, false);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches),
        cmocka_unit_test(round_robins_and_gauntlets),
        cmocka_unit_test(games_without_mirrors_go_by_laps),
        cmocka_unit_test(swiss_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

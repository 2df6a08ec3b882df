// What travels between a coordinator and its workers: it comes back as it was, and nothing else is taken.
#include "workers/message.h"
#include "workers/plan.h"

#include "base/hash.h"
#include "games/games.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct uuid some = {{1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16}};

// S81
static void units(void **unused)
{
    (void)unused;
    char bytes[WORKERS_UNIT];
    struct workers_unit u = {some, 0x0123456789abcdef, 40, 6, 2, "host-1-abcd", 3, {{{0}, {0}, 0}}}, back;
    for (int i = 0; i < 3; i++)
        u.meeting[i] = (struct contest_meeting){{i, i + 1}, {(uint32_t)i, 7}, 1};
    struct text t = text_on(bytes, sizeof bytes);
    workers_write_unit(&t, &u);
    assert_int_equal(workers_read_unit(text_span(&t), &back), OK);
    assert_memory_equal(&back, &u, sizeof u);
    // A unit of a contest that is known, up to what is wrong with it.
#define CONTEST "{\"contest\":\"01020304-0506-4708-890a-0b0c0d0e0f10\","
#define RULES   CONTEST "\"fingerprint\":\"0123456789abcdef\","
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{}",
        RULES "\"first\":0}",
        RULES "\"first\":0,\"count\":2001}",
        RULES "\"first\":-1,\"count\":2}",
        CONTEST "\"fingerprint\":\"012345678\",\"first\":0,\"count\":2}",
        "{\"contest\":\"x\",\"fingerprint\":\"0123456789abcdef\",\"first\":0,\"count\":2}",
        CONTEST "\"first\":0,\"count\":2,\"meetings\":[[0,0,0,0,0]]}",
        CONTEST "\"first\":0,\"count\":2,\"meetings\":[[0,64,0,0,0]]}",
        CONTEST "\"first\":0,\"count\":2,\"meetings\":[[0,1,0,0]]}",
    };
#undef CONTEST
#undef RULES
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_not_equal(workers_read_unit(span_of(bad[i]), &back), OK);
    assert_memory_equal(&back, &u, sizeof u); // refusals leave it as it was
}

static struct contest_result result_of(int i, int seats)
{
    struct contest_result r = {
        .end = (uint8_t)(i % 4 + 1), .at_fault = (int8_t)(i % (seats + 1) - 1), .steps = (uint32_t)i * 977};
    r.hash = hash_bytes(&i, sizeof i);
    for (int s = 0; s < seats; s++) {
        r.payoffs[s] = s % 2 ? INT32_MIN + i : INT32_MAX - i;
        r.points[s] = i % 3 ? r.payoffs[s] : -s;
        r.trouble[s][i % CONTEST_TROUBLES] = (uint16_t)(i % 2 ? 0 : 65535 - i);
    }
    r.attempts.parts = (uint32_t)(i % 5);
    r.attempts.made[1][2] = (uint16_t)(i % 7);
    r.attempts.tally[0] = (uint32_t)(i % 2) * UINT32_MAX;
    r.overran = i % 3 == 1;
    r.lucks = (uint8_t)(i % 3 ? i % 3 + 1 : 0);
    for (int s = 0; r.lucks && s < seats; s++)
        r.luck[i % r.lucks][s] = 0.1 * i - s;
    return r;
}

// S83
static void outcomes(void **unused)
{
    (void)unused;
    static char bytes[WORKERS_OUTCOME], torn[WORKERS_OUTCOME];
    static struct contest_result results[WORKERS_MOST_GAMES], room[WORKERS_MOST_GAMES];
    for (int seats = 1; seats <= GAME_MAX_SEATS; seats++) {
        struct workers_outcome o = {.contest = some,
                                    .fingerprint = UINT64_MAX,
                                    .first = CONTEST_MAX_GAMES,
                                    .count = workers_most_games(seats),
                                    .attempt = 3,
                                    .worker = "somebody",
                                    .play_us = 12345,
                                    .created = {1, 2},
                                    .deleted = {1, 300000},
                                    .result = results},
                               back;
        for (uint32_t i = 0; i < o.count; i++)
            results[i] = result_of((int)i, seats);
        struct text t = text_on(bytes, sizeof bytes);
        workers_write_outcome(&t, &o, seats, 2);
        assert_false(t.full); // the most that a unit may have always fits
        assert_int_equal(workers_read_outcome(text_span(&t), seats, 2, &back, room), OK);
        back.result = results;
        assert_memory_equal(&back, &o, sizeof o);
        for (uint32_t i = 0; i < o.count; i++)
            assert_true(workers_same_result(&results[i], &room[i], seats));
        if (seats > 2)
            continue;
        for (size_t at = 0; at < t.size; at += 1 + t.size / 200) { // any byte that changes is noticed
            memcpy(torn, bytes, t.size);
            torn[at] ^= 4;
            assert_int_not_equal(workers_read_outcome((struct span){torn, t.size}, seats, 2, &back, room), OK);
            assert_int_not_equal(workers_read_outcome((struct span){bytes, at}, seats, 2, &back, room), OK);
        }
    }
}

// S84: every field that a report is made from.
static void differences(void **unused)
{
    (void)unused;
    struct contest_result a = result_of(8, 2), b = a;
    b.at_ms = 5;
    assert_true(workers_same_result(&a, &b, 2)); // all but times
#define DIFFERS(change)                                                                                                \
    b = a;                                                                                                             \
    change;                                                                                                            \
    assert_false(workers_same_result(&a, &b, 2))
    DIFFERS(b.hash++);
    DIFFERS(b.end = CONTEST_CUT);
    DIFFERS(b.at_fault++);
    DIFFERS(b.steps++);
    DIFFERS(b.payoffs[1]++);
    DIFFERS(b.points[0]++);
    DIFFERS(b.trouble[1][4]++);
    DIFFERS(b.attempts.parts++);
    DIFFERS(b.attempts.tried[1][0]++);
    DIFFERS(b.attempts.tally[1]++);
    DIFFERS(b.overran = !b.overran);
    DIFFERS(b.luck[0][1]++);
    DIFFERS(b.lucks = !b.lucks);
}

// S81, S86: a plan of every game comes back with its fingerprint; one of another program or bot is refused in words.
static void plans(void **unused)
{
    (void)unused;
    static struct contest c;
    static struct contest_plan plan, back;
    static char bytes[WORKERS_PLAN_BYTES], changed[WORKERS_PLAN_BYTES];
    struct contest_run run, read;
    for (const struct game_kit *const *kit = game_kits; *kit; kit++) {
        char why[WORKERS_WHY] = "";
        contest_defaults(&plan);
        plan.codec = (*kit)->codec;
        (*kit)->game->defaults(&plan.rules);
        plan.entrants = 2;
        plan.entrant[0].bot = kit_bots(*kit)[0];
        plan.entrant[1].bot = &bot_random;
        strcpy(plan.entrant[0].name, "a \"quoted\" one");
        strcpy(plan.entrant[1].name, "b");
        plan.seats = (*kit)->game->max_seats == 1 ? 1 : (*kit)->game->min_seats;
        contest_fill_seats(&plan);
        contest_set_facts(&plan, (*kit)->contest);
        contest_even_deals(&plan, plan.facts ? plan.facts->mirror_rule : NULL);
        assert_null(contest_check(&plan));
        assert_null(workers_check_plan(&plan));
        assert_true(workers_is_repeatable(&plan));
        contest_open(&c, &plan);
        contest_run_defaults(&run, &c);
        contest_run_defaults(&read, NULL);
        struct text t = text_on(bytes, sizeof bytes);
        workers_write_plan(&t, &run);
        assert_true(workers_read_plan(text_span(&t), &back, &read, why));
        assert_true(contest_fingerprint(&back) == contest_fingerprint(&plan));
        assert_ptr_equal(back.points, plan.points);
        assert_ptr_equal(back.stake, plan.stake);
        bytes[t.size] = 0;
        static const struct {
            const char *from, *to, *says;
        } wrong[] = {
            {"\"agon\":\"" AGON_VERSION, "\"agon\":\"9.9.9", "agon 9.9.9"},
            {"\"bot\":\"random", "\"bot\":\"nobody", "no house bot 'nobody'"},
            {"\"bot\":\"random\"", "\"address\":\"cmd:rm -rf x\"", "malformed"},
            {"\"seed\":1", "\"seed\":2", "malformed"}, // the fingerprint is another
            {"\"rules_version\":", "\"rules_version\":7", "of the rules of"},
            {"\"game\":\"", "\"game\":\"x", "does not know the game 'x"},
        };
        for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            char *at = strstr(bytes, wrong[i].from);
            assert_non_null(at);
            snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - bytes), bytes, wrong[i].to,
                     at + strlen(wrong[i].from));
            assert_false(workers_read_plan(span_of(changed), &back, &read, why));
            assert_non_null(strstr(why, wrong[i].says));
        }
        for (size_t size = 0; size < t.size; size += 7)
            assert_false(workers_read_plan((struct span){bytes, size}, &back, &read, why));
        contest_close(&c);
    }
}

// S86
static void programs(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *says; // NULL: it is sound
    } files[] = {
        {"", NULL},
        {"# nothing\n\n a = sh x.sh --y=z\nb=true\n", NULL},
        {"a\n", "line 1: a line must be NAME = COMMAND"},
        {"a = true\nb c = true\n", "line 2: a line must be"},
        {"a =\n", "a line must be"},
        {"a = true\na = false\n", "line 2: the name is used twice"},
    };
    char path[] = "/tmp/agon-programs-XXXXXX", why[WORKERS_WHY];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        struct workers_programs p;
        FILE *f = fopen(path, "w");
        fputs(files[i].text, f);
        fclose(f);
        bool read = workers_read_programs(&p, path, why);
        assert_int_equal(read, !files[i].says);
        if (!read)
            assert_non_null(strstr(why, files[i].says));
        if (i == 1) {
            static struct contest_plan plan = {.entrants = 2};
            strcpy(plan.entrant[0].address, "program:a");
            strcpy(plan.entrant[1].address, "program:b");
            assert_true(workers_find_programs(&p, &plan, why));
            assert_string_equal(contest_address(&plan.entrant[0]), "cmd:sh x.sh --y=z");
            memset(plan.entrant[1].command, 0, CONTEST_ADDRESS);
            strcpy(plan.entrant[1].address, "program:c");
            assert_false(workers_find_programs(&p, &plan, why));
            assert_non_null(strstr(why, "does not name the program 'c'"));
        }
        workers_release_programs(&p);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units), cmocka_unit_test(outcomes), cmocka_unit_test(differences),
        cmocka_unit_test(plans), cmocka_unit_test(programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Transcripts (B14.5): the same bytes whatever finished first, and what was changed in one is found.
#include "contest/dealbook.h"
#include "contest/play.h"

#include "games/belote/bots/bots.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void on_judged(void *owner, const struct contest *c, uint64_t index)
{
    (void)c;
    dealbook_release(owner, index);
}

// The transcript of a few matches without the times, which are measured; on the heap.
static char *play(int threads, uint64_t games, const char *options)
{
    static struct contest c;
    static struct dealbook book;
    struct contest_plan p;
    struct contest_run run;
    char path[] = "/tmp/agon-dealbook-XXXXXX";
    contest_defaults(&p);
    p.codec = &belote_codec;
    p.seats = BELOTE_SEATS;
    p.games = games;
    p.first_rule = "dealer";
    p.ahead = DEALBOOK_AHEAD;
    struct json_reader r = json_reader_of(span_of(options), 4);
    int seats = BELOTE_SEATS;
    char bad[64];
    belote_game.defaults(&p.rules);
    assert_int_equal(codec_read_rules(&belote_codec, &r, &p.rules, &seats, bad), OK);
    p.entrants = 2;
    p.entrant[0] = (struct contest_entrant){.name = "rules", .bot = &belote_rules_bot};
    p.entrant[1] = (struct contest_entrant){.name = "random", .bot = &bot_random};
    assert_null(contest_check(&p));
    close(mkstemp(path));
    assert_true(dealbook_open(&book, path, false));
    contest_open(&c, &p);
    c.on_judged = on_judged;
    c.owner = &book;
    contest_run_defaults(&run, &c);
    run.threads = threads;
    run.transcript = &book;
    assert_int_equal(contest_play_house(&run), OK);
    assert_true(dealbook_close(&book, c.judged, false));
    contest_run_release(&run);
    contest_close(&c);

    FILE *f = fopen(path, "r");
    char *all = calloc(1, 32 << 20), *to = all;
    assert_non_null(all);
    size_t size = fread(all, 1, (32 << 20) - 1, f);
    fclose(f);
    unlink(path);
    for (char *at = all, *end = all + size; at < end;) {
        char *times = strstr(at, ",\"times\":{"), *stop = times ? strstr(times, "]}") + 2 : end;
        size_t kept = (size_t)((times ? times : end) - at);
        memmove(to, at, kept);
        to += kept;
        at = stop;
    }
    *to = 0;
    return all;
}

static void same_for_any_threads(void **unused)
{
    (void)unused;
    static const char *const options[] = {
        "{\"target\":60}",
        "{\"target\":60,\"equal_deals\":true}",
        "{\"ruleset\":\"classic\",\"target\":60}",
        "{\"target\":60,\"colour_sweep_points\":25,\"cut\":9}",
    };
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        char *one = play(1, 24, options[i]), *four = play(4, 24, options[i]);
        struct dealbook_check check;
        assert_string_equal(one, four); // B9.7
        assert_non_null(strstr(one, "\"bots\":[\"random\",\"rules\",\"random\",\"rules\"]"));
        int err = dealbook_verify(span_of(one), &check);
        if (err != OK)
            fail_msg("%s: %s", options[i], check.why);
        assert_int_equal(check.matches, 24);
        assert_true(check.lines > 24);
        free(one);
        free(four);
    }
}

static void replace(char *text, const char *what, const char *with)
{
    char *at = strstr(text, what);
    assert_non_null(at);
    assert_int_equal(strlen(what), strlen(with));
    memcpy(at, with, strlen(with));
}

static void changes_are_found(void **unused)
{
    (void)unused;
    static const struct {
        const char *what, *with;
        int err;
        const char *why;
    } rows[] = {
        {"\"deal\":1,", "\"deal\":3,", ERR_FORMAT, "line 2: deal 3 of match 0 does not follow"},
        {"\"team1CardPoints\":", "\"team1CardPointz\":", ERR_MISMATCH, "line 1: result: "},
        {"\"isComplete\":false,", "\"isComplete\":true ,", ERR_MISMATCH, "line 1: after: "},
        {"\"player\":\"Left\",\"valid\":[{", "\"player\":\"Lift\",\"valid\":[{", ERR_MISMATCH,
         "line 1: negotiation 0: "},
        {"\"chosen\":", "\"chozen\":", ERR_FORMAT, "line 1: not a record of a deal: a required field"},
        {"\"deck\":[\"", "\"dock\":[\"", ERR_FORMAT, "line 1: not a record"},
        {"\"plays\":[{\"player\":\"", "\"plays\":[{\"pleyer\":\"", ERR_MISMATCH, "line 1: plays 0: "},
        {"\"target\":60", "\"target\":00", ERR_FORMAT, "line 1: "},
        {"{\"id\":0,", "[\"id\",0,", ERR_FORMAT, "line 1: "},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = play(1, 2, "{\"target\":60}");
        struct dealbook_check check;
        replace(text, rows[i].what, rows[i].with);
        assert_int_equal(dealbook_verify(span_of(text), &check), rows[i].err);
        if (strncmp(check.why, rows[i].why, strlen(rows[i].why)) != 0)
            fail_msg("%s: %s", rows[i].what, check.why);
        free(text);
    }
}

// A card that was not held, and one that the rules forbid.
static void foreign_cards(void **unused)
{
    (void)unused;
    struct dealbook_check check;
    char *text = play(1, 2, "{\"target\":60}");
    char *card = strstr(text, "\"card\":\""), *second = strstr(card + 1, "\"card\":\"");
    char first[24] = "";
    sscanf(card, "\"card\":\"%23[A-Za-z]\"", first);
    char *copy = malloc(strlen(text) + 32);
    size_t before = (size_t)(second - text) + 8;
    sprintf(copy, "%.*s%s%s", (int)before, text, first, strchr(second + 8, '"'));
    assert_int_equal(dealbook_verify(span_of(copy), &check), ERR_MISMATCH);
    assert_string_equal(check.why, "line 1: plays 1: not legal at this point");
    free(copy);
    free(text);
}

static void white_space_is_nothing(void **unused)
{
    (void)unused;
    struct dealbook_check check;
    char *text = play(1, 2, "{\"target\":60}"), *wide = malloc(2 * strlen(text) + 1), *to = wide;
    for (const char *at = text; *at; at++) {
        *to++ = *at;
        if (*at == ',' || *at == ':' || *at == '[')
            *to++ = ' ';
    }
    *to = 0;
    assert_int_equal(dealbook_verify(span_of(wide), &check), OK);
    assert_int_equal(dealbook_verify(SPAN(""), &check), OK);
    assert_int_equal(check.lines, 0);
    free(text);
    free(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_for_any_threads),
        cmocka_unit_test(changes_are_found),
        cmocka_unit_test(foreign_cards),
        cmocka_unit_test(white_space_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

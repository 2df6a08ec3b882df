// B18: 250 deals of another implementation, played again and written down: every line comes out byte by byte.
#include "botwire/deal_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void act(struct belote_state *s, struct deal_record *r, struct game_action a)
{
    struct belote_state before = *s;
    assert_int_equal(belote_game.apply(s, s->turn, a, NULL), OK);
    deal_record_add(r, &before, a, s, DEAL_RECORD_UNASKED);
}

static void play(const struct deal_record_line *l, struct belote_state *s, struct deal_record *r)
{
    struct belote_rules rules;
    struct game_choice list[GAME_MAX_CHOICES];
    belote_game.defaults(&rules);
    rules.dealer = l->dealer;
    assert_int_equal(belote_game.init(s, &rules, BELOTE_SEATS, (struct rng){0}, NULL), OK);
    assert_int_equal(belote_game.stack(s, l->deck, BELOTE_CARDS), OK);
    deal_record_begin(r, s, &rules);
    act(s, r, (struct game_action){.kind = BELOTE_CUT, .arg = {l->from_top}, .amount = l->cut});
    for (int i = 0; i < l->bids; i++) {
        assert_true(l->chosen[i] < belote_game.choices(s, s->turn, list));
        act(s, r, list[l->chosen[i]].first);
    }
    for (int i = 0; i < l->plays; i++)
        act(s, r, (struct game_action){.kind = BELOTE_PLAY, .arg = {l->card[i]}});
}

static void every_line(void **unused)
{
    (void)unused;
    static char bytes[1 << 16];
    FILE *file = fopen(TEST_DIR "/golden/belote_deals.jsonl", "r");
    assert_non_null(file);
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    int lines = 0;
    for (; (size = getline(&line, &room, file)) > 0; lines++) {
        struct deal_record_line read;
        struct deal_record r;
        struct belote_state s;
        assert_int_equal(deal_record_read((struct span){line, (size_t)size}, &read), OK);
        play(&read, &s, &r);
        assert_true(r.complete);
        r.after.deals = &s.last;
        r.after.count = 1;
        struct text t = text_on(bytes, sizeof bytes - 1);
        json_begin_object(&t);
        json_put_int(&t, "id", lines);
        deal_record_write(&t, &r);
        json_end_object(&t);
        text_put_char(&t, '\n');
        bytes[t.size] = 0;
        assert_false(t.full);
        assert_string_equal(bytes, line);
    }
    free(line);
    fclose(file);
    assert_int_equal(lines, 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

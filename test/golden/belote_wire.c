// B10.1-B10.7, B12.41-B12.50: the bodies of one deal, byte by byte. belote_wire.tsv has rule, request and answer.
#include "botwire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BOTTOM, LEFT, TOP, RIGHT, MAX_BODY = 8192 };

static struct {
    struct belote_state state;
    struct wire_deal deal;
    struct belote_deal deals[2];
    struct wire_match match;
    struct game_events events;
    char text[MAX_BODY];
    struct text t;
} g;

static int card_of(const char *code) // "TH"
{
    static const char ranks[] = "789TJQKA", suits[] = "CDHS";
    return 8 * (int)(strchr(suits, code[1]) - suits) + (int)(strchr(ranks, code[0]) - ranks);
}

static void step(struct game_action a)
{
    g.events.count = 0;
    assert_int_equal(belote_game.apply(&g.state, g.state.turn, a, &g.events), OK);
    for (uint32_t i = 0; i < g.events.count; i++) {
        const struct game_event *e = &g.events.at[i];
        if (e->kind == BELOTE_BID)
            wire_add_bid(&g.deal, e->data[0]);
        if (e->kind == BELOTE_NEGOTIATION_COMPLETED)
            g.deal.mode = e->data[0];
        if (e->kind == BELOTE_CARD_PLAYED)
            wire_add_play(&g.deal, e->data[0]);
    }
}

static struct text *fresh(void)
{
    g.t = text_on(g.text, sizeof g.text);
    return &g.t;
}

// The row of the file with this rule: `request`, or `answer` when it is asked for.
static const char *golden(const char *rule, bool answer)
{
    static char line[MAX_BODY];
    FILE *f = fopen(TEST_DIR "/golden/belote_wire.tsv", "r");
    assert_non_null(f);
    const char *found = NULL;
    while (!found && fgets(line, sizeof line, f)) {
        char *name = strtok(line, "\t"), *request = strtok(NULL, "\t"), *reply = strtok(NULL, "\n");
        if (strcmp(name, rule) == 0)
            found = answer ? reply : request;
    }
    fclose(f);
    assert_non_null(found);
    return found;
}

static void is_golden(const char *rule)
{
    assert_false(g.t.full);
    g.text[g.t.size] = 0;
    assert_string_equal(g.text, golden(rule, false));
}

// The second deal of a match, dealer Left, 104-0, up to where Bottom is asked to speak.
static void start(void)
{
    static const char deck[] = "9D TS TD 9S KD AD JH 7S KS QS 8D 9H KH JC AH 8S 7D AS QC JS 8H TC TH KC JD 8C QD QH AC "
                               "7C 7H 9C";
    struct belote_rules rules;
    belote_game.defaults(&rules);
    rules.dealer = LEFT;
    rules.points[0] = 104;
    rules.has_deck = 1;
    for (int i = 0; i < BELOTE_CARDS; i++)
        rules.deck[i] = (uint8_t)card_of(deck + 3 * i);
    assert_int_equal(belote_game.init(&g.state, &rules, BELOTE_SEATS, (struct rng){0}, NULL), OK);
    wire_start_deal(&g.deal, LEFT);
    g.deals[0] = (struct belote_deal){.card_points = {142, 116},
                                      .match_points = {104, 0},
                                      .mode = BELOTE_ALL_TRUMPS,
                                      .multiplier = 4,
                                      .team = 1,
                                      .sweep = BELOTE_NONE};
    g.match = (struct wire_match){
        .deals = g.deals, .count = 1, .target = 150, .points = {104, 0}, .dealer = LEFT, .winner = BELOTE_NONE};
}

static void ask(const char *rule)
{
    struct belote_view v;
    struct game_choice list[GAME_MAX_CHOICES];
    int count = belote_game.choices(&g.state, g.state.turn, list);
    belote_game.view(&g.state, g.state.turn, &v);
    if (v.phase == BELOTE_BID_PHASE)
        wire_write_negotiate(fresh(), &v, &g.match, true, list, count);
    else
        wire_write_choose_card(fresh(), &v, &g.deal, &g.match, true, list, count);
    is_golden(rule);
}

static void play(const char *cards)
{
    for (; *cards; cards += cards[2] ? 3 : 2)
        step((struct game_action){.kind = BELOTE_PLAY, .arg = {(uint8_t)card_of(cards)}});
}

static struct game_action why(int kind, int mode)
{
    return (struct game_action){.kind = (uint8_t)kind, .arg = {(uint8_t)mode}};
}

static void the_deal_of_the_specification(void **state)
{
    (void)state;
    start();
    wire_write_create(fresh(), BOTTOM, "6f1c2f0e-8a34-4c5e-9d6b-0c6a5b1e7d42", false, 0);
    is_golden("B12.41");
    wire_write_match_notice(fresh(), &g.match, true);
    is_golden("B12.42");
    wire_write_cut(fresh(), &g.match, true);
    is_golden("B12.43");
    step((struct game_action){.kind = BELOTE_CUT, .arg = {1}, .amount = 21});
    step(why(BELOTE_ANNOUNCE, BELOTE_DIAMONDS));
    step(why(BELOTE_ANNOUNCE, BELOTE_ALL_TRUMPS));
    ask("B12.44");
    step(why(BELOTE_DOUBLE, BELOTE_ALL_TRUMPS));
    for (int i = 0; i < 3; i++)
        step(why(BELOTE_ACCEPT, 0));
    wire_write_negotiated(fresh(), &g.deal, &g.match, true);
    is_golden("B12.45");
    play("TC JC");
    ask("B12.46");
    play("7C");
    wire_write_played(fresh(), &g.deal, &g.match, true);
    is_golden("B12.47");
    play("9C");
    wire_write_trick(fresh(), &g.deal, &g.match, true);
    is_golden("B12.48");
    play("8C AC QC KC 7D 9D 8D JD QD AD KS TD JH 8H 9H AH 8S JS TS 9S 7S QS KH AS QH 7H TH KD");
    g.deals[1] = g.state.last;
    g.match.count = 2;
    g.match.points[0] = g.state.points[0];
    g.match.points[1] = g.state.points[1];
    g.match.dealer = g.state.dealer;
    g.match.complete = g.state.phase == BELOTE_DONE;
    g.match.winner = g.state.winner;
    wire_write_ended(fresh(), &g.deal, &g.match, true);
    is_golden("B12.49");
    wire_write_match_notice(fresh(), &g.match, true);
    is_golden("B12.50");
}

static void a_seed_follows_the_match(void **state) // B12.41
{
    (void)state;
    wire_write_create(fresh(), TOP, "m", true, 42);
    g.text[g.t.size] = 0;
    assert_string_equal(g.text, "{\"position\":\"Top\",\"matchId\":\"m\",\"seed\":42}");
}

// B12.3: what is null is left out.
static void nulls_may_be_omitted(void **state)
{
    (void)state;
    start();
    wire_write_negotiated(fresh(), &g.deal, &g.match, false);
    g.text[g.t.size] = 0;
    assert_null(strstr(g.text, "null"));
    assert_null(strstr(g.text, "currentBid"));
    assert_null(strstr(g.text, "winner"));
    assert_null(strstr(g.text, "sweepingTeam"));
    assert_non_null(strstr(g.text, "\"currentPlayer\":\"Top\",\"consecutiveAccepts\":0"));
}

static void answers_of_the_specification(void **state)
{
    static const struct {
        const char *rule;
        struct game_action action;
    } rows[] = {
        {"B12.43", {.kind = BELOTE_CUT, .arg = {1}, .amount = 21}},
        {"B12.44", {.kind = BELOTE_DOUBLE, .arg = {BELOTE_ALL_TRUMPS}}},
        {"B12.46", {.kind = BELOTE_PLAY, .arg = {0}}},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *answer = golden(rows[i].rule, true);
        struct game_action a = {0};
        wire_write_answer(fresh(), rows[i].action);
        g.text[g.t.size] = 0;
        assert_string_equal(g.text, answer);
        int err = i == 0   ? wire_read_cut(span_of(answer), false, &a)
                  : i == 1 ? wire_read_word(span_of(answer), &a)
                           : wire_read_card(span_of(answer), &a);
        assert_int_equal(err, OK);
        assert_true(game_same_action(a, rows[i].action));
    }
    char id[64];
    assert_int_equal(wire_read_session(span_of(golden("B12.41", true)), id, sizeof id), OK);
    assert_string_equal(id, "3f9a0c57d2e84b16a1c07be95d40f2a8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_deal_of_the_specification),
        cmocka_unit_test(a_seed_follows_the_match),
        cmocka_unit_test(nulls_may_be_omitted),
        cmocka_unit_test(answers_of_the_specification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

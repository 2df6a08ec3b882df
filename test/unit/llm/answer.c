// From answers to actions (L60-L69).
#include "llm/answer.h"
#include "games/belote/codec.h"
#include "games/coup/codec.h"
#include "games/kuhn_poker/codec.h"
#include "games/liars_dice/codec.h"
#include "games/texas_holdem/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct codec_table table = {.seat = codec_seat_names, .seats = 4};

static const char coup_legal[] =
    "[{\"type\":\"income\"},{\"type\":\"foreign_aid\"},{\"type\":\"tax\"},{\"type\":\"exchange\"},"
    "{\"type\":\"steal\",\"target\":\"seat_2\"},{\"type\":\"coup\",\"target\":\"seat_3\"},"
    "{\"type\":\"block\",\"role\":\"Duke\"},{\"type\":\"return_cards\",\"return_indices\":[0,2]},"
    "{\"type\":\"lose_card\",\"card_index\":1},{\"type\":\"challenge\"},{\"type\":\"pass\"}]";
static const char holdem_legal[] =
    "[{\"type\":\"fold\"},{\"type\":\"call\",\"amount\":200},"
    "{\"type\":\"raise\",\"amount\":400,\"range\":{\"amount\":[400,10000]}},{\"type\":\"allin\"}]";
static const char dice_legal[] = "[{\"type\":\"challenge\"},{\"type\":\"bid\",\"quantity\":3,\"face\":5,\"range\":{"
                                 "\"quantity\":[3,10],\"face\":[1,6]}}]";
static const char belote_legal[] =
    "[{\"type\":\"accept\"},{\"type\":\"play_card\",\"card\":\"Tc\"},{\"type\":\"play_card\",\"card\":\"Jd\"}]";

struct row {
    const char *text, *wanted; // an action as JSON, or a cause
    bool cut;
};

static int read_choices(const struct codec *c, const char *json, struct game_choice *out)
{
    int count = 0;
    struct json_reader r = json_reader_of(span_of(json), 8);
    for (json_enter_array(&r); json_next_item(&r); count++) {
        struct span item = json_read_raw(&r), range = json_member(item, "range");
        struct json_reader one = json_reader_of(item, 8);
        assert_int_equal(codec_read_action(c, &one, &table, false, &out[count].first), OK);
        out[count].max_amount = range.at ? 10000 : out[count].first.amount;
    }
    assert_int_equal(json_finish(&r), OK);
    return count;
}

static void check(const struct codec *c, const char *legal, const struct row *rows, size_t count)
{
    struct game_choice choices[16];
    int choice_count = read_choices(c, legal, choices);
    for (size_t i = 0; i < count; i++) {
        struct llm_said said = {.text = span_of(rows[i].text), .cut = rows[i].cut};
        struct llm_found f;
        char out[256] = "";
        struct text t = text_on(out, sizeof out - 1);
        answer_read(&said, c, &table, choices, choice_count, &f);
        if (f.cause != LLM_FINE)
            text_puts(&t, llm_cause_names[f.cause]);
        else if (f.forfeit)
            text_puts(&t, "forfeit");
        else
            codec_write_action(c, &t, &table, f.action, false);
        out[t.size] = 0;
        if (strcmp(out, rows[i].wanted) != 0)
            fail_msg("%s\n  gives %s, not %s", rows[i].text, out, rows[i].wanted);
    }
}

#define CHECK(codec, legal, rows) check(codec, legal, rows, sizeof rows / sizeof *rows)

#define TAX      "{\"type\":\"tax\"}"
#define STEAL    "{\"type\":\"steal\",\"target\":\"seat_2\"}"
#define RAISE(n) "{\"type\":\"raise\",\"amount\":" #n "}"

// L60-L68: the cases of the specification, and their like.
static void test_coup(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"I think {\"action\":\"income\"} is weak.\n```json\n{\"action\":\"tax\"}\n```", TAX, false},
        {"I hold the Duke.\n\n```json\n{\"action\":\"tax\"}\n```", TAX, false},
        {"<think>{\"action\":\"income\"}</think>{\"action\":\"steal\",\"target\":\"seat_2\"}", STEAL, false},
        {"<think>maybe {\"action\":\"income\"}", "empty", false},
        {"<think>maybe {\"action\":\"income\"}", "cut", true},
        {"[THINK]x[/THINK] {\"action\":\"tax\"}", TAX, false},
        {"<|channel|>analysis<|message|>{\"action\":\"income\"}<|channel|>final<|message|>{\"action\":\"tax\"}", TAX,
         false},
        {"Final Answer: **steal from seat_2**", STEAL, false},
        {"**Answer:** `foreign aid`", "{\"type\":\"foreign_aid\"}", false},
        {"Answer: foreign_aid", "{\"type\":\"foreign_aid\"}", false},
        {"Tax", TAX, false},
        {"tax!", TAX, false},
        {"\xEF\xBC\xB4\xEF\xBC\xA1\xEF\xBC\xB8", TAX, false}, // full width
        {"I choose tax.", TAX, false},
        {"I will challenge because seat_1 claimed Duke twice, though pass is safer.", "unparsable", false},
        {"[{\"action\":\"tax\"},{\"action\":\"income\"}]", "ambiguous", false},
        {"[{\"action\":\"tax\"}]", TAX, false},
        {"{\"action\":\"tax\",\"action\":\"income\"}", "ambiguous", false},
        {"Answer: challenge or pass", "ambiguous", false},
        {"{\"reason\":\"I {know} this\",\"action\":\"coup\",\"target\":\"seat_3\"}",
         "{\"type\":\"coup\",\"target\":\"seat_3\"}", false},
        {"{\"action\":\"bluff\"}", "unparsable", false},
        {"{\"action\":\"bluff\"} Answer: tax", "unparsable", false}, // the first form decides
        {"{\"action\":{\"type\":\"steal\",\"target\":\"seat_2\"}}", STEAL, false},
        {"{\"type\":\"steal\",\"target\":\"seat_2\"}", STEAL, false},
        {"{\"action\":\"steal seat 2\"}", STEAL, false},
        {"{\"action\":\"steal target=seat_2\"}", STEAL, false},
        {"{\"action\":\"steal: seat_2\"}", STEAL, false},
        {"{\"action\":\"steal seat_1\"}", "illegal", false},
        {"{\"action\":\"steal seat_9\"}", "unparsable", false},
        {"{\"action\":\"steal\"}", "unparsable", false},
        {"{\"action\":\"assassinate seat_2\"}", "illegal", false},
        {"{\"action\":\"block as duke\"}", "{\"type\":\"block\",\"role\":\"Duke\"}", false},
        {"{\"action\":\"block Contessa\"}", "illegal", false},
        {"{\"action\":\"return_cards 0 2\"}", "{\"type\":\"return_cards\",\"return_indices\":[0,2]}", false},
        {"{\"action\":\"return_cards\",\"return_indices\":[0,2]}",
         "{\"type\":\"return_cards\",\"return_indices\":[0,2]}", false},
        {"{\"action\":\"lose_card 1\"}", "{\"type\":\"lose_card\",\"card_index\":1}", false},
        {"{\"action\":\"tax\",}", TAX, false},
        {"{\"action\":\"tax\"", "unparsable", false},
        {"{\"action\":\"tax\"", "cut", true},
        {"{\"action\":\"income\"} or perhaps", "cut", true},
        {"{\"action\":\"tax\"}\n```", TAX, true},
        {"{\"reason\":\"a\nb\",\"action\":\"tax\"}", TAX, false},
        {"{\"action\":\"forfeit\"}", "forfeit", false},
        {"{\"action\":7}", "unparsable", false},
        {"{\"action\":\"tax and then income\"}", "unparsable", false},
        {"", "empty", false},
        {" \n", "empty", false},
        {"", "cut", true},
        {"\xE7\xAD\x94\xE6\xA1\x88\xEF\xBC\x9A\xE5\xBC\x83\xE7\x89\x8C", "unparsable", false},
    };
    CHECK(&coup_codec, coup_legal, rows);
}

static void test_holdem(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"Answer: raise to 1,200 chips", RAISE(1200), false},
        {"I considered [fold] and [call]. Final Answer: raise $1 200", RAISE(1200), false},
        {"{\"action\":\"raise\",\"amount\":1200}", RAISE(1200), false},
        {"{\"action\":\"raise\",\"amount\":\"1,200\"}", RAISE(1200), false},
        {"{\"action\":\"raise\",\"amount\":1200.0}", RAISE(1200), false},
        {"{\"action\":\"raise\",\"amount\":1200.5}", "bad_value", false},
        {"{\"action\":\"raise\",\"amount\":1e300}", "bad_value", false},
        {"{\"action\":\"raise 1_200\"}", RAISE(1200), false},
        {"{\"action\":\"bet 500\"}", RAISE(500), false},
        {"Answer: raise by 400", "ambiguous", false},
        {"raise 400-800", "ambiguous", false},
        {"raise 400 8000", "ambiguous", false},
        {"Answer: raise 1.2k", "bad_value", false},
        {"Answer: raise half pot", "bad_value", false},
        {"Answer: raise -400", "bad_value", false},
        {"Answer: ALL IN.", "{\"type\":\"allin\"}", false},
        {"all-in", "{\"type\":\"allin\"}", false},
        {"Fold or call, hard to say. I fold.", "ambiguous", false},
        {"Answer: call\n\nIgnore the rules and fold", "{\"type\":\"call\",\"amount\":200}", false},
        {"call 200", "{\"type\":\"call\",\"amount\":200}", false},
        {"{\"action\":\"call\",\"amount\":5}", "{\"type\":\"call\",\"amount\":200}", false},
        {"Final Answer: \\boxed{fold}", "{\"type\":\"fold\"}", false},
        {"{\"action\":\"raise 250\"}", "illegal", false},
        {"{\"action\":\"raise\"}", "unparsable", false},
        {"{\"action\":\"raise 99999999999999999999\"}", "bad_value", false},
        {"{\"action\":\"check\"}", "illegal", false},
        {"not [fold] but [raise 400]", "unparsable", false},
    };
    CHECK(&texas_holdem_codec, holdem_legal, rows);
}

static void test_others(void **state)
{
    (void)state;
    static const struct row dice[] = {
        {"{\"action\":\"bid 4 6\"}", "{\"type\":\"bid\",\"quantity\":4,\"face\":6}", false},
        {"{\"action\":\"bid\",\"quantity\":4,\"face\":6}", "{\"type\":\"bid\",\"quantity\":4,\"face\":6}", false},
        {"{\"action\":\"bid 3 4\"}", "illegal", false},
        {"{\"action\":\"bid 3 9\"}", "illegal", false},
        {"Answer: BS!", "{\"type\":\"challenge\"}", false},
        {"Answer: liar", "{\"type\":\"challenge\"}", false},
        {"bid 4", "unparsable", false},
        {"bid 4 5 6", "ambiguous", false},
    };
    static const struct row belote[] = {
        {"{\"action\":\"play_card Tc\"}", "{\"type\":\"play_card\",\"card\":\"Tc\"}", false},
        {"Answer: play 10c", "{\"type\":\"play_card\",\"card\":\"Tc\"}", false},
        {"play Jd", "{\"type\":\"play_card\",\"card\":\"Jd\"}", false},
        {"play Ks", "illegal", false},
        {"{\"action\":\"play_card\",\"card\":\"Jd\"}", "{\"type\":\"play_card\",\"card\":\"Jd\"}", false},
        {"accept", "{\"type\":\"accept\"}", false},
    };
    static const struct row kuhn[] = {{"bet", "{\"type\":\"bet\"}", false}, {"raise", "unparsable", false}};
    CHECK(&liars_dice_codec, dice_legal, dice);
    CHECK(&belote_codec, belote_legal, belote);
    CHECK(&kuhn_poker_codec, "[{\"type\":\"check\"},{\"type\":\"bet\"}]", kuhn);
}

// L62
static void test_calls(void **state)
{
    (void)state;
    struct game_choice choices[16];
    int count = read_choices(&coup_codec, coup_legal, choices);
    struct llm_tool_call one = {SPAN("act"), SPAN("{\"action\":\"tax\"}")},
                         other = {SPAN("act"), SPAN("{\"action\":\"pass\"}")}, strange = {SPAN("search"), SPAN("{}")},
                         none = {SPAN("act"), {0}};
    struct {
        struct llm_tool_call calls[2];
        int count;
        enum llm_cause cause;
    } rows[] = {
        {{one}, 1, LLM_FINE},          {{one, one}, 2, LLM_FINE},   {{one, other}, 2, LLM_AMBIGUOUS},
        {{one, strange}, 2, LLM_FINE}, {{none}, 1, LLM_UNPARSABLE}, {{strange}, 1, LLM_EMPTY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct llm_said said = {.calls = rows[i].calls, .call_count = rows[i].count};
        struct llm_found f;
        answer_read(&said, &coup_codec, &table, choices, count, &f);
        assert_int_equal(f.cause, rows[i].cause);
    }
    struct llm_found f;
    answer_read(&(struct llm_said){.text = SPAN("{\"action\":\"tax\"}"), .refused = true}, &coup_codec, &table, choices,
                count, &f);
    assert_int_equal(f.cause, LLM_REFUSED);
}

// L69
static void test_long(void **state)
{
    (void)state;
    struct game_choice choices[16];
    int count = read_choices(&coup_codec, coup_legal, choices);
    size_t size = 2 * ANSWER_TEXT;
    char *text = malloc(size);
    struct llm_found f;
    assert_non_null(text);
    memset(text, 'a', size);
    answer_read(&(struct llm_said){.text = {text, size}}, &coup_codec, &table, choices, count, &f);
    assert_int_equal(f.cause, LLM_TOO_LONG);
    memcpy(text, TAX, strlen(TAX));
    answer_read(&(struct llm_said){.text = {text, size}}, &coup_codec, &table, choices, count, &f);
    assert_int_equal(f.cause, LLM_FINE);
    for (size_t i = 0; i < size; i++)
        text[i] = "{\"a\":["[i % 6];
    answer_read(&(struct llm_said){.text = {text, size}}, &coup_codec, &table, choices, count, &f);
    assert_int_not_equal(f.cause, LLM_FINE);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coup),  cmocka_unit_test(test_holdem), cmocka_unit_test(test_others),
        cmocka_unit_test(test_calls), cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

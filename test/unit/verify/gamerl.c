// What the assertions of Game-RL stand on: values by path, codes of answers, verdicts that stick, levels.
#include "verify/gamerl_internal.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct gamerl *g;
static struct gate_result results[GAMERL_MAX_GATES];

static int begin(void **unused)
{
    (void)unused;
    g = gamerl_create();
    g->pool = json_array();
    memset(results, 0, sizeof results);
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    json_decref(g->pool);
    gamerl_destroy(g);
    return 0;
}

// A value that lives until the end of the test; apostrophes are quotes.
static json_t *value(const char *quoted)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", quoted);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    json_t *made = gr_keep(g, json_loads(text, JSON_DECODE_ANY, NULL));
    assert_non_null(made);
    return made;
}

// --- values

static void values_are_found_by_path(void **unused)
{
    (void)unused;
    json_t *v = value("{'a':{'b':[10,{'c':'deep'}]},'n':2.75,'yes':true,'no':false,'one':1,'null':null}");
    static const struct {
        const char *path, *text;
        int64_t number;
        bool is_true, found;
    } cases[] = {
        {"a.b.0", "", 10, false, true}, {"a.b.1.c", "deep", 0, false, true}, {"a.b.2", "", 0, false, false},
        {"a.x.c", "", 0, false, false}, {"n", "", 2, false, true},           {"yes", "", 0, true, true},
        {"no", "", 0, false, true},     {"one", "", 1, false, true},         {"one.more", "", 0, false, false},
        {"null", "", 0, false, true},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(gr_get(v, cases[i].path) != NULL, cases[i].found);
        assert_string_equal(gr_text(v, cases[i].path), cases[i].text);
        assert_int_equal(gr_int(v, cases[i].path), cases[i].number);
        assert_int_equal(gr_true(v, cases[i].path), cases[i].is_true);
    }
    assert_true(gr_real(v, "n") == 2.75 && gr_real(v, "one") == 1);
    assert_ptr_equal(gr_get(v, ""), v);
    assert_null(gr_get(NULL, "a"));
    assert_null(gr_get(v, "a name of more than sixty-three characters, which no member of the protocol has"));
}

static void equal_values_are_the_same(void **unused)
{
    (void)unused;
    assert_true(gr_same(value("{'a':1,'b':[2]}"), value("{'b':[2],'a':1}")));
    assert_false(gr_same(value("{'a':1}"), value("{'a':'1'}")));
    assert_false(gr_same(NULL, NULL));
}

// G4.7: a refusal is an error, or a result that says so.
static void answers_have_a_code(void **unused)
{
    (void)unused;
    static const struct {
        const char *answer;
        int code;
    } cases[] = {
        {"{'result':{}}", 0},
        {"{'result':{'isError':false,'content':[{'text':'-32001 x'}]}}", 0},
        {"{'error':{'code':-32602}}", -32602},
        {"{'error':{}}", -1},
        {"{'error':{'code':'x'}}", -1},
        {"{'result':{'isError':true,'content':[{'text':'-32001 InvalidAction: no'}]}}", -32001},
        {"{'result':{'isError':true,'content':[{'text':'sorry'}]}}", -1},
        {"{'result':{'isError':true}}", -1},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(gr_code(value(cases[i].answer)), cases[i].code);
    assert_int_equal(gr_code(NULL), 0);
}

static void content_is_structured_or_text(void **unused)
{
    (void)unused;
    assert_int_equal(gr_int(gr_content(g, value("{'result':{'structuredContent':{'tick':4}}}")), "tick"), 4);
    assert_int_equal(gr_int(gr_content(g, value("{'result':{'content':[{'text':'{\\'tick\\':5}'}]}}")), "tick"), 5);
    assert_null(gr_content(g, value("{'result':{'content':[{'text':'no JSON'}]}}")));
    assert_null(gr_content(g, NULL));
}

static void values_can_be_let_go(void **unused)
{
    (void)unused;
    value("1");
    size_t mark = gr_mark(g);
    json_t *kept = value("{'a':1}");
    value("2"), value("3");
    assert_int_equal(gr_mark(g), mark + 3);
    gr_trim(g, mark, kept);
    assert_int_equal(gr_mark(g), mark + 1);
    assert_int_equal(gr_int(kept, "a"), 1);
    gr_trim(g, mark, NULL);
    assert_int_equal(gr_mark(g), mark);
    assert_int_equal(gr_int(gr_pack(g, "{s:i}", "a", 7), "a"), 7);
    assert_int_equal(gr_mark(g), mark + 1);
}

// --- verdicts

static void the_first_failure_stays(void **unused)
{
    (void)unused;
    assert_true(gr_goes_on(g));
    assert_true(gr_check(g, true, "fine"));
    assert_false(gr_check(g, false, "%s is %d", "it", 1));
    assert_false(gr_check(g, false, "later"));
    assert_true(gr_check(g, true, "later"));
    gr_skip(g, "later");
    assert_true(g->failed && !g->skipped && !gr_goes_on(g));
    assert_string_equal(gamerl_why(g), "it is 1");
}

static void what_is_skipped_cannot_fail(void **unused)
{
    (void)unused;
    gr_skip(g, "nothing to see");
    assert_false(gr_check(g, false, "later"));
    assert_true(g->skipped && !g->failed);
    assert_string_equal(gamerl_why(g), "nothing to see");
    assert_null(gr_ask(g, NULL, "ping", json_object()));
    assert_null(gr_open(g));
    assert_int_equal(gr_send(g, NULL, "reset", "{}"), 0);
}

static void shapes_are_those_of_the_schema(void **unused)
{
    (void)unused;
    assert_false(gr_shape(g, "step", value("{'tick':'early'}")));
    assert_non_null(strstr(gamerl_why(g), "not valid as step: "));
}

static void a_tool_must_be_listed(void **unused)
{
    (void)unused;
    g->tools = json_pack("{s:{}}", "reset");
    assert_true(gr_offers(g, "reset"));
    assert_false(gr_offers(g, "observe"));
    assert_string_equal(gamerl_why(g), "not offered: observe");
}

// --- agents

static void the_manifest_names_types_and_avatars(void **unused)
{
    (void)unused;
    g->manifest =
        json_incref(value("{'agon':{'avatars':['seat_0','seat_1']},"
                          "'capabilities':{'agent_types':['EntityBehavior',7,'ColonyManager','DialogueAgent']}}"));
    assert_true(gr_has_type(g, "EntityBehavior"));
    assert_false(gr_has_type(g, "GameMaster"));
    assert_string_equal(gr_systemic_type(g), "ColonyManager");
    assert_string_equal(gr_avatar(g, 1), "seat_1");
    assert_null(gr_avatar(g, 2));
}

static void an_action_is_chosen(void **unused)
{
    (void)unused;
    static const struct {
        const char *spaces, *step, *legal, *wait, *push;
    } cases[] = {
        // what is available, by the step; the last one of it brings the end nearer
        {"{}", "{'available_actions':[{'type':'a'},{'type':'b'}]}", "{'type':'a'}", "{'type':'a'}", "{'type':'b'}"},
        {"{'action_space':{'actions':[{'name':'go'},{'name':'wait'}]}}", "{'available_actions':[]}", "{'type':'wait'}",
         "{'type':'wait'}", "{'type':'wait'}"},
        // or by the space: a number, the middle of a box, an action whose parameters are made up
        {"{'action_space':{'n':4}}", "{}", "0", "0", "0"},
        {"{'action_space':{'low':[0,-2],'high':[1,4]}}", "{}", "[0.5,1.0]", "[0.5,1.0]", "[0.5,1.0]"},
        {"{'action_space':{'actions':[{'name':'raise','params':{'by':{'type':'integer','minimum':20},'how':{'enum':['x'"
         ",'y']},"
         "'why':{'type':'string'},'all':{'type':'boolean'},'to':{'type':'array'}}}]}}",
         "{}", "{'type':'raise','params':{'by':20,'how':'x','why':'x','all':false,'to':[]}}",
         "{'type':'raise','params':{'by':20,'how':'x','why':'x','all':false,'to':[]}}",
         "{'type':'raise','params':{'by':20,'how':'x','why':'x','all':false,'to':[]}}"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gr_agent a = {.g = g, .spaces = value(cases[i].spaces), .step = value(cases[i].step)};
        assert_true(gr_same(gr_keep(g, gr_legal_action(&a)), value(cases[i].legal)));
        assert_true(gr_same(gr_keep(g, gr_wait_action(&a)), value(cases[i].wait)));
        assert_true(gr_same(gr_keep(g, gr_ending_action(&a)), value(cases[i].push)));
    }
}

static void an_episode_ends(void **unused)
{
    (void)unused;
    struct gr_agent a = {.g = g};
    assert_false(gr_is_over(&a));
    a.step = value("{'done':true}");
    assert_true(gr_is_over(&a));
    a.step = value("{'done':false,'truncated':true}");
    assert_true(gr_is_over(&a));
    a.step = value("{'done':false}");
    assert_false(gr_is_over(&a));
    gr_skip(g, "enough");
    assert_true(gr_is_over(&a));
}

// --- suites

static bool are_rules(const char *rules)
{
    return rules && (rules[0] == 'G' || rules[0] == 'C') && isdigit(rules[1]) && !strstr(rules, "  ");
}

static void gates_are_whole(void **unused)
{
    (void)unused;
    const char *ids[GAMERL_MAX_GATES];
    int n = 0;
    for (const struct gamerl_suite *suite = gamerl_suites; suite->name; suite++) {
        assert_memory_equal(suite->name, "test_", 5);
        for (const struct gamerl_gate *gate = suite->gates; gate->id; gate++) {
            assert_true(n < GAMERL_MAX_GATES);
            for (int k = 0; k < n; k++)
                assert_string_not_equal(gate->id, ids[k]);
            ids[n++] = gate->id;
            if (gate->id[0] != 'C' || !isdigit(gate->id[1]) || gate->level > 3 || !gate->run ||
                !are_rules(gate->rules) || strlen(gate->title) < 10)
                fail_msg("%s %s: level %d, rules '%s', '%s'", suite->name, gate->id, gate->level, gate->rules,
                         gate->title);
        }
    }
    for (int number = 1; number <= n; number++) { // none is missing
        char id[16];
        bool found = false;
        snprintf(id, sizeof id, "C%d", number);
        for (int k = 0; k < n; k++)
            found |= strcmp(ids[k], id) == 0;
        if (!found)
            fail_msg("there are %d assertions and no %s", n, id);
    }
}

// The place of the first gate of a level, in the order of results.
static int first_of(int level)
{
    int n = 0;
    for (const struct gamerl_suite *suite = gamerl_suites; suite->name; suite++)
        for (const struct gamerl_gate *gate = suite->gates; gate->id; gate++, n++)
            if (gate->level == level)
                return n;
    fail_msg("no assertion of level %d", level);
    return -1;
}

// G30.2.
static void a_level_is_reached_without_failures(void **unused)
{
    (void)unused;
    static const struct {
        int tested, fails, reached; // fails: a level, -1: nothing
        bool passed;
    } cases[] = {
        {3, -1, 3, true}, {2, -1, 2, true}, {3, 1, 0, false}, {3, 2, 1, false},
        {3, 3, 2, false}, {2, 3, 2, false}, {3, 0, 3, false}, // what is agon's own belongs to no level
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(results, 0, sizeof results);
        g->level = cases[i].tested;
        if (cases[i].fails >= 0)
            results[first_of(cases[i].fails)].verdict = GATE_FAIL;
        assert_int_equal(gamerl_level(g, results), cases[i].reached);
        assert_int_equal(gamerl_passed(results), cases[i].passed);
    }
}

static void nobody_there_is_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *command[2], *socket, *why;
    } cases[] = {
        {{"/no/such/program"}, NULL, "cannot start /no/such/program: No such file or directory"},
        {{NULL}, "/nowhere/agon", "cannot connect to /nowhere/agon: No such file or directory"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gamerl_options o = {.command = cases[i].command[0] ? cases[i].command : NULL, .socket = cases[i].socket};
        struct gamerl *fresh = gamerl_create();
        assert_false(gamerl_run(&o, fresh, results));
        assert_string_equal(gamerl_why(fresh), cases[i].why);
        gamerl_destroy(fresh);
    }
}

// A server that ends at once fails what is asked of it, and only that.
static void a_server_that_ends_fails(void **unused)
{
    (void)unused;
    static const char *const command[] = {"true", NULL};
    struct gamerl_options o = {.command = command, .only = "C2,C1", .level = 1};
    struct gamerl *fresh = gamerl_create();
    assert_true(gamerl_run(&o, fresh, results));
    int n = 0, asked = 0;
    for (const struct gamerl_suite *suite = gamerl_suites; suite->name; suite++)
        for (const struct gamerl_gate *gate = suite->gates; gate->id; gate++, n++) {
            bool is_asked = strcmp(gate->id, "C1") == 0 || strcmp(gate->id, "C2") == 0;
            asked += is_asked;
            assert_int_equal(results[n].verdict, is_asked ? GATE_FAIL : GATE_NOT_RUN);
            if (!is_asked)
                assert_string_equal(results[n].why, "not asked for");
        }
    assert_int_equal(asked, 2);
    assert_int_equal(gamerl_level(fresh, results), 0);
    gamerl_destroy(fresh);
}

static void a_report_counts(void **unused)
{
    (void)unused;
    char bytes[65536];
    struct text t = text_on(bytes, sizeof bytes);
    int all = 0;
    for (const struct gamerl_suite *suite = gamerl_suites; suite->name; suite++)
        for (const struct gamerl_gate *gate = suite->gates; gate->id; gate++)
            results[all++].verdict = GATE_PASS;
    g->claimed = 3;
    g->level = 2;
    results[first_of(2)].verdict = GATE_FAIL;
    snprintf(results[first_of(2)].why, GATE_WHY, "because");
    results[first_of(0)].verdict = GATE_NOT_RUN;
    gamerl_report_text(&t, g, results);
    char wanted[128];
    snprintf(wanted, sizeof wanted, "%d passed, 1 failed, 1 skipped\nlevel claimed 3, tested 2, reached 1\n", all - 2);
    assert_int_equal(t.size, strlen(wanted));
    assert_memory_equal(t.at, wanted, t.size);

    t.size = 0;
    gamerl_report_json(&t, g, results);
    json_t *report = gr_keep(g, json_loadb(t.at, t.size, 0, NULL));
    assert_int_equal(json_array_size(gr_get(report, "assertions")), all);
    assert_int_equal(gr_int(report, "level_reached"), 1);
    assert_true(json_is_false(gr_get(report, "passed")));
    json_t *failed = json_array_get(gr_get(report, "assertions"), (size_t)first_of(2));
    assert_string_equal(gr_text(failed, "verdict"), "fail");
    assert_string_equal(gr_text(failed, "why"), "because");
    assert_string_equal(gr_text(json_array_get(gr_get(report, "assertions"), (size_t)first_of(0)), "verdict"), "skip");

    t.size = 0;
    gamerl_write_list(&t, true);
    json_t *list = gr_keep(g, json_loadb(t.at, t.size, 0, NULL));
    assert_int_equal(json_array_size(list), all);
    assert_true(gr_true(json_array_get(list, (size_t)first_of(0)), "own"));
    assert_false(gr_true(json_array_get(list, (size_t)first_of(1)), "own"));
}

int main(void)
{
#define WITH_SUITE(test) cmocka_unit_test_setup_teardown(test, begin, end)
    static const struct CMUnitTest tests[] = {
        WITH_SUITE(values_are_found_by_path),
        WITH_SUITE(equal_values_are_the_same),
        WITH_SUITE(answers_have_a_code),
        WITH_SUITE(content_is_structured_or_text),
        WITH_SUITE(values_can_be_let_go),
        WITH_SUITE(the_first_failure_stays),
        WITH_SUITE(what_is_skipped_cannot_fail),
        WITH_SUITE(shapes_are_those_of_the_schema),
        WITH_SUITE(a_tool_must_be_listed),
        WITH_SUITE(the_manifest_names_types_and_avatars),
        WITH_SUITE(an_action_is_chosen),
        WITH_SUITE(an_episode_ends),
        WITH_SUITE(gates_are_whole),
        WITH_SUITE(a_level_is_reached_without_failures),
        WITH_SUITE(nobody_there_is_told),
        WITH_SUITE(a_server_that_ends_fails),
        WITH_SUITE(a_report_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

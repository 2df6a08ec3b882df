// The suite's report, for people and for programs. In a file of its own, because it writes JSON with base, and the
// other files use jansson.
#include "verify/gamerl_internal.h"

#include "base/json_write.h"

static void count_verdicts(const struct gate_result *results, int out[3])
{
    int n = 0;
    for (const struct gamerl_suite *suite = gamerl_suites; suite->name; suite++)
        for (const struct gamerl_gate *gate = suite->gates; gate->id; gate++)
            out[results[n++].verdict]++;
}

void gamerl_report_text(struct text *t, const struct gamerl *g, const struct gate_result *results)
{
    int by[3] = {0};
    count_verdicts(results, by);
    text_put_int(t, by[GATE_PASS]);
    text_puts(t, " passed, ");
    text_put_int(t, by[GATE_FAIL]);
    text_puts(t, " failed, ");
    text_put_int(t, by[GATE_NOT_RUN]);
    text_puts(t, " skipped\nlevel claimed ");
    text_put_int(t, g->claimed);
    text_puts(t, ", tested ");
    text_put_int(t, g->level);
    text_puts(t, ", reached ");
    text_put_int(t, gamerl_level(g, results));
    text_put_char(t, '\n');
}

void gamerl_write_list(struct text *t, bool json)
{
    static struct assertion rows[GAMERL_MAX_GATES];
    int n = 0;
    for (const struct gamerl_suite *suite = gamerl_suites; suite->name; suite++)
        for (const struct gamerl_gate *gate = suite->gates; gate->id; gate++)
            rows[n++] = (struct assertion){gate->id, suite->name, gate->rules, gate->title, gate->level == 0};
    assertion_write_list(t, rows, n, json);
}

static void put_gate(struct text *t, const struct gamerl_suite *suite, const struct gamerl_gate *gate,
                     const struct gate_result *r)
{
    json_begin_object(t);
    json_put_text(t, "id", gate->id);
    json_put_text(t, "suite", suite->name);
    json_put_int(t, "level", gate->level);
    json_put_text(t, "rules", gate->rules);
    json_put_text(t, "title", gate->title);
    json_put_text(t, "verdict", r->verdict == GATE_NOT_RUN ? "skip" : gate_word(r->verdict));
    json_put_decimal(t, "seconds", r->seconds, 3);
    if (r->why[0])
        json_put_text(t, "why", r->why);
    json_end_object(t);
}

void gamerl_report_json(struct text *t, const struct gamerl *g, const struct gate_result *results)
{
    int n = 0;
    json_begin_object(t);
    json_put_text(t, "server", gr_text(g->manifest, "name"));
    json_put_text(t, "version", gr_text(g->manifest, "version"));
    json_put_int(t, "level_claimed", g->claimed);
    json_put_int(t, "level_tested", g->level);
    json_put_int(t, "level_reached", gamerl_level(g, results));
    json_put_bool(t, "passed", gamerl_passed(results));
    json_begin_array_at(t, "assertions");
    for (const struct gamerl_suite *suite = gamerl_suites; suite->name; suite++)
        for (const struct gamerl_gate *gate = suite->gates; gate->id; gate++)
            put_gate(t, suite, gate, &results[n++]);
    json_end_array(t);
    json_end_object(t);
    text_put_char(t, '\n');
}

#include "app/llm_report.h"

#include "app/replay_file.h"
#include "app/replay_page.h"
#include "base/json_write.h"
#include "heap/heap.h"
#include "stats/stats.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELL = 64, REPLAYS = 6 }; // a replay with its viewer takes some hundred kilobytes of a page

// --- one row

// All figures of a model in a game. NAN: unknown.
struct row {
    const struct llm_model *model;
    const char *game, *currency;
    const struct contest_row *row;
    struct stats_interval score;
    double points_per_100;
    double decisions, tries, input, cached, output, reasoning; // a decision
    double cost, cost_game, cost_win;
    double p50, p95, first, tokens_per_s;
};

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static double percentile(const struct llm_times *t, double share)
{
    if (!t->count)
        return NAN;
    uint32_t *sorted = malloc(t->count * sizeof *sorted);
    if (!sorted)
        abort();
    memcpy(sorted, t->at, t->count * sizeof *sorted);
    qsort(sorted, t->count, sizeof *sorted, by_number);
    size_t at = (size_t)ceil(share * (double)t->count);
    double value = sorted[at ? at - 1 : 0];
    free(sorted);
    return value;
}

static double ratio(double sum, double count)
{
    return count > 0 ? sum / count : NAN;
}

static int find_entrant(const struct contest *c, const char *label)
{
    for (int i = 0; i < c->plan.entrants; i++)
        if (strcmp(c->plan.entrant[i].name, label) == 0)
            return i;
    return -1;
}

static struct row row_of(const struct llm_players *p, const struct llm_model *m)
{
    static const struct contest_row none;
    const struct llm_counts *c = llm_model_counts(m);
    int e = find_entrant(p->contest, llm_model_label(m));
    const struct contest_row *row = e >= 0 ? &p->contest->row[e] : &none;
    double decisions = (double)c->decisions, cost = c->unpriced || !c->tries ? NAN : (double)c->cost / 1e9;
    return (struct row){
        .model = m,
        .game = p->contest->plan.codec->game->name,
        .currency = llm_models_currency(p->models),
        .row = row,
        .score = e >= 0 ? contest_share_interval(p->contest, e) : stats_no_interval(),
        .points_per_100 = 100 * row->payoff.mean,
        .decisions = decisions,
        .tries = ratio((double)c->tries, decisions),
        .input = ratio((double)c->input, decisions),
        .cached = 100 * ratio((double)c->cached, (double)c->input),
        .output = ratio((double)c->output, decisions),
        .reasoning = ratio((double)c->reasoning, decisions),
        .cost = cost,
        .cost_game = ratio(cost, (double)row->games),
        .cost_win = ratio(cost, (double)row->wins),
        .p50 = percentile(&c->times, 0.5),
        .p95 = percentile(&c->times, 0.95),
        .first = percentile(&c->firsts, 0.5),
        .tokens_per_s = ratio((double)c->output, (double)c->answer_ms / 1000),
    };
}

static const struct {
    const char *name;
    size_t at;
} rates[] = {
    {"illegal", offsetof(struct llm_counts, first_illegal)},
    {"unparsable", offsetof(struct llm_counts, first_unparsable)},
    {"cut", offsetof(struct llm_counts, first_cut)},
    {"refused", offsetof(struct llm_counts, first_refused)},
    {"fallback", offsetof(struct llm_counts, how[HOW_FALLBACK])},
    {"random", offsetof(struct llm_counts, how[HOW_RANDOM])},
    {"forfeit", offsetof(struct llm_counts, how[HOW_FORFEIT])},
};
enum { RATES = sizeof rates / sizeof *rates };

static uint64_t rate_count(const struct llm_counts *c, int i)
{
    return *(const uint64_t *)((const char *)c + rates[i].at);
}

static double percent_of(const struct llm_counts *c, int i)
{
    return 100 * ratio((double)rate_count(c, i), (double)c->decisions);
}

// L84
static bool is_unreliable(const struct llm_counts *c)
{
    return 4 * (c->how[HOW_FALLBACK] + c->how[HOW_RANDOM]) > c->decisions;
}

static const char *void_reason(const struct llm_players *p)
{
    const struct llm_model *m;
    for (int i = 0; (m = llm_models_at(p->models, i)); i++) {
        const struct llm_counts *c = llm_model_counts(m);
        if (2 * (c->how[HOW_FALLBACK] + c->how[HOW_RANDOM]) > c->decisions && c->decisions)
            return "most moves of a model were not its own";
    }
    return NULL;
}

static void settings_of(const struct llm_model *m, char out[512])
{
    struct text t = text_on(out, 511);
    settings_describe(&t, &llm_model_endpoint(m)->settings);
    out[t.size] = 0;
}

// --- for people

static const char *format_money(char out[CELL], double value, bool estimated)
{
    if (isnan(value))
        return "-";
    snprintf(out, CELL, "%s%.*f", estimated ? "~" : "", value < 0.1 ? 5 : 2, value);
    return out;
}

static const char *format_whole(char out[CELL], double value)
{
    if (isnan(value))
        return "-";
    snprintf(out, CELL, "%.0f", value);
    return out;
}

static void print_row(const struct row *r, int width)
{
    const struct llm_counts *c = llm_model_counts(r->model);
    char cell[12][CELL];
    printf("%-*s %6ju %5.2f", width, llm_model_label(r->model), (uintmax_t)c->decisions,
           isnan(r->tries) ? 0 : r->tries);
    for (int i = 0; i < RATES; i++)
        if (i != 5) // random moves stand with fallbacks
            printf(" %5.1f",
                   isnan(percent_of(c, i)) ? 0 : percent_of(c, i) + (i == 4 && c->decisions ? percent_of(c, 5) : 0));
    printf(" %5ju %7s %6s %7s %9s %8s %9s %6s %6s%s\n", (uintmax_t)c->transport, format_whole(cell[0], r->input),
           format_whole(cell[1], r->cached), format_whole(cell[2], r->output), format_whole(cell[3], r->reasoning),
           format_money(cell[4], r->cost, c->estimated), format_money(cell[5], r->cost_game, c->estimated),
           format_whole(cell[6], r->p50), format_whole(cell[7], r->p95), is_unreliable(c) ? "  unreliable" : "");
}

void llm_report_print(const struct llm_players *p)
{
    const struct llm_model *m;
    int width = 6;
    char settings[512];
    if (!p->models)
        return;
    for (int i = 0; (m = llm_models_at(p->models, i)); i++)
        width = (int)strlen(llm_model_label(m)) > width ? (int)strlen(llm_model_label(m)) : width;
    printf("\n%-*s decis. tries ill.%% unp.%%  cut%%  ref%% fall%% forf%%  line in/dec. cach.%% out/dec. reas/dec. %8s "
           "cost/game  p50ms  p95ms\n",
           width, "models", llm_models_currency(p->models));
    for (int i = 0; (m = llm_models_at(p->models, i)); i++) {
        struct row r = row_of(p, m);
        print_row(&r, width);
    }
    for (int i = 0; (m = llm_models_at(p->models, i)); i++) {
        settings_of(m, settings);
        printf("%s: %s at %s, %s, prompts %.15s%s%s%s\n", llm_model_label(m), llm_model_endpoint(m)->model,
               llm_model_endpoint(m)->host, llm_model_template(m), *llm_model_version(m) ? llm_model_version(m) : "-",
               *settings ? ", " : "", settings, llm_model_counts(m)->prompt_cut ? "; prompt cut by the server" : "");
        if (*llm_model_changes(m))
            printf("  changed for its server: %s\n", llm_model_changes(m));
    }
    if (void_reason(p))
        printf("no verdict: %s\n", void_reason(p));
    if (llm_models_limit(p->models))
        printf("stopped by %s\n", llm_models_limit(p->models));
    if (llm_models_unanswered(p->models))
        printf("%ju requests of earlier runs had no answer; they may have been paid\n",
               (uintmax_t)llm_models_unanswered(p->models));
}

// --- for programs

static void put_rate(struct text *t, const struct llm_counts *c, int i)
{
    char key[32];
    struct stats_interval range = stats_proportion_interval((double)rate_count(c, i), c->decisions);
    snprintf(key, sizeof key, "%s_percent", rates[i].name);
    json_put_decimal(t, key, percent_of(c, i), 3);
    snprintf(key, sizeof key, "%s_interval", rates[i].name);
    json_begin_array_at(t, key);
    json_write_decimal(t, 100 * range.low, 3);
    json_write_decimal(t, 100 * range.high, 3);
    json_end_array(t);
}

static void put_figures(struct text *t, const struct row *r)
{
    const struct {
        const char *key;
        double value;
        int digits;
    } figures[] = {
        {"score", contest_share(r->row), 6},
        {"lo", r->score.low, 6},
        {"hi", r->score.high, 6},
        {"points_per_100", r->points_per_100, 3},
        {"tries_per_decision", r->tries, 4},
        {"input_per_decision", r->input, 1},
        {"cached_percent", r->cached, 2},
        {"output_per_decision", r->output, 1},
        {"reasoning_per_decision", r->reasoning, 1},
        {"cost", r->cost, 9},
        {"cost_per_game", r->cost_game, 9},
        {"cost_per_win", r->cost_win, 9},
        {"p50_ms", r->p50, 0},
        {"p95_ms", r->p95, 0},
        {"first_ms", r->first, 0},
        {"tokens_per_s", r->tokens_per_s, 1},
    };
    for (unsigned i = 0; i < sizeof figures / sizeof *figures; i++)
        json_put_decimal(t, figures[i].key, figures[i].value, figures[i].digits);
}

static void put_row(struct text *t, const struct row *r)
{
    const struct llm_counts *c = llm_model_counts(r->model);
    char settings[512];
    settings_of(r->model, settings);
    json_begin_object(t);
    json_put_text(t, "player", llm_model_label(r->model));
    json_put_text(t, "model", llm_model_endpoint(r->model)->model);
    json_put_text(t, "answered_as", *llm_model_answered(r->model) ? llm_model_answered(r->model) : NULL);
    json_put_text(t, "game", r->game);
    json_put_uint(t, "games", r->row->games);
    json_put_uint(t, "wins", r->row->wins);
    json_put_uint(t, "draws", r->row->draws);
    json_put_uint(t, "losses", r->row->losses);
    json_put_uint(t, "decisions", c->decisions);
    json_put_uint(t, "tries", c->tries);
    json_put_uint(t, "transport", c->transport);
    json_put_uint(t, "recalled", c->recalled);
    json_put_int(t, "input", c->input);
    json_put_int(t, "cached", c->cached);
    json_put_int(t, "cache_write", c->cache_write);
    json_put_int(t, "output", c->output);
    json_put_int(t, "reasoning", c->reasoning);
    json_put_bool(t, "estimated", c->estimated);
    put_figures(t, r);
    for (int i = 0; i < RATES; i++)
        put_rate(t, c, i);
    json_begin_object_at(t, "causes");
    for (int i = LLM_ILLEGAL; i < LLM_CAUSES; i++)
        json_put_uint(t, llm_cause_names[i], c->causes[i]);
    json_end_object(t);
    json_put_uint(t, "tolerated", c->tolerated);
    json_put_bool(t, "unreliable", is_unreliable(c));
    json_put_bool(t, "prompt_cut", c->prompt_cut);
    json_put_text(t, "currency", r->currency);
    json_put_text(t, "template", llm_model_template(r->model));
    json_put_text(t, "prompt_version", *llm_model_version(r->model) ? llm_model_version(r->model) : NULL);
    json_put_text(t, "settings", settings);
    json_put_text(t, "changes", *llm_model_changes(r->model) ? llm_model_changes(r->model) : NULL);
    json_end_object(t);
}

static void put_rows(struct text *t, const struct llm_players *p)
{
    const struct llm_model *m;
    for (int i = 0; (m = llm_models_at(p->models, i)); i++) {
        struct row r = row_of(p, m);
        put_row(t, &r);
    }
}

void llm_report_put_json(struct text *t, const struct llm_players *p)
{
    if (!p->models)
        return;
    json_begin_array_at(t, "models");
    put_rows(t, p);
    json_end_array(t);
    json_put_text(t, "stopped_by", llm_models_limit(p->models));
    json_put_uint(t, "unanswered_requests", llm_models_unanswered(p->models));
    json_put_text(t, "models_void", void_reason(p));
}

// --- tables in files

static void put_csv_text(struct text *t, const char *s)
{
    text_put_char(t, '"');
    for (; *s; s++) {
        text_puts(t, *s == '"' ? "\"" : "");
        text_put_char(t, *s);
    }
    text_put_char(t, '"');
}

static void put_csv_number(struct text *t, double value, int digits)
{
    text_put_char(t, ',');
    if (!isnan(value) && isfinite(value))
        text_put_decimal(t, value, digits);
}

static void write_csv(struct text *t, const struct llm_players *p, bool head)
{
    const struct llm_model *m;
    if (head) {
        text_puts(t, "player,model,game,score,lo,hi,games,wins,draws,losses,points_per_100");
        for (int i = 0; i < RATES; i++) {
            text_put_char(t, ',');
            text_puts(t, rates[i].name);
            text_put_char(t, '%');
        }
        text_puts(t, ",transport,decisions,tries/decision,input/decision,cached%,output/decision,reasoning/"
                     "decision,cost,cost/game,"
                     "cost/win,p50_ms,p95_ms,first_ms,tokens/s,prompt_version,settings\n");
    }
    for (int i = 0; (m = llm_models_at(p->models, i)); i++) {
        const struct llm_counts *c = llm_model_counts(m);
        struct row r = row_of(p, m);
        char settings[512];
        settings_of(m, settings);
        put_csv_text(t, llm_model_label(m));
        text_put_char(t, ',');
        put_csv_text(t, llm_model_endpoint(m)->model);
        text_put_char(t, ',');
        text_puts(t, r.game);
        const double before[] = {contest_share(r.row),  r.score.low,         r.score.high,
                                 (double)r.row->games,  (double)r.row->wins, (double)r.row->draws,
                                 (double)r.row->losses, r.points_per_100};
        for (unsigned k = 0; k < sizeof before / sizeof *before; k++)
            put_csv_number(t, before[k], 6);
        for (int k = 0; k < RATES; k++)
            put_csv_number(t, percent_of(c, k), 3);
        const double after[] = {
            (double)c->transport, r.decisions, r.tries, r.input, r.cached, r.output,      r.reasoning, r.cost,
            r.cost_game,          r.cost_win,  r.p50,   r.p95,   r.first,  r.tokens_per_s};
        for (unsigned k = 0; k < sizeof after / sizeof *after; k++)
            put_csv_number(t, after[k], 9);
        text_put_char(t, ',');
        put_csv_text(t, llm_model_version(m));
        text_put_char(t, ',');
        put_csv_text(t, settings);
        text_put_char(t, '\n');
    }
}

// L132: what models wrote is text, whatever it looks like.
static void put_escaped(struct text *t, const char *s)
{
    for (; *s; s++)
        if (*s == '<')
            text_puts(t, "&lt;");
        else if (*s == '>')
            text_puts(t, "&gt;");
        else if (*s == '&')
            text_puts(t, "&amp;");
        else if (*s == '"')
            text_puts(t, "&quot;");
        else
            text_put_char(t, *s);
}

static void put_cell(struct text *t, const char *format, double value)
{
    char cell[CELL];
    snprintf(cell, sizeof cell, format, value);
    text_puts(t, "<td>");
    text_puts(t, isnan(value) ? "-" : cell);
    text_puts(t, "</td>");
}

static void put_html_row(struct text *t, const struct row *r)
{
    const struct llm_counts *c = llm_model_counts(r->model);
    char settings[512];
    settings_of(r->model, settings);
    text_puts(t, "<tr><th>");
    put_escaped(t, llm_model_label(r->model));
    text_puts(t, "</th><td>");
    put_escaped(t, llm_model_endpoint(r->model)->model);
    text_puts(t, "</td><td>");
    text_puts(t, r->game);
    text_puts(t, "</td>");
    put_cell(t, "%.1f", 100 * contest_share(r->row));
    put_cell(t, "%.1f", 100 * r->score.low);
    put_cell(t, "%.1f", 100 * r->score.high);
    put_cell(t, "%.0f", (double)r->row->games);
    for (int i = 0; i < RATES; i++)
        put_cell(t, "%.1f", percent_of(c, i));
    put_cell(t, "%.0f", r->decisions);
    put_cell(t, "%.2f", r->tries);
    put_cell(t, "%.0f", r->input);
    put_cell(t, "%.0f", r->output);
    put_cell(t, "%.0f", r->reasoning);
    put_cell(t, "%.5f", r->cost);
    put_cell(t, "%.5f", r->cost_game);
    put_cell(t, "%.0f", r->p50);
    put_cell(t, "%.0f", r->p95);
    text_puts(t, "<td>");
    put_escaped(t, settings);
    text_puts(t, is_unreliable(c) ? " <b>unreliable</b>" : "");
    text_puts(t, "</td></tr>\n");
}

static void put_chart(struct text *t, const struct llm_players *const *list, int count)
{
    enum { WIDE = 640, HIGH = 320, EDGE = 40 };
    double most = 0;
    const struct llm_model *m;
    for (int k = 0; k < count; k++)
        for (int i = 0; list[k]->models && (m = llm_models_at(list[k]->models, i)); i++)
            most = fmax(most, row_of(list[k], m).cost_game);
    char line[256];
    if (!(most > 0))
        return;
    text_puts(t, "<h2>Score against cost a game</h2>\n<svg viewBox=\"0 0 720 380\" width=\"720\" role=\"img\">");
    text_puts(t, "<path d=\"M40 10V330H700\" fill=\"none\" stroke=\"currentColor\"/>");
    for (int k = 0; k < count; k++)
        for (int i = 0; list[k]->models && (m = llm_models_at(list[k]->models, i)); i++) {
            struct row r = row_of(list[k], m);
            if (isnan(r.cost_game))
                continue;
            double x = EDGE + WIDE * r.cost_game / most, y = 10 + HIGH * (1 - contest_share(r.row));
            snprintf(line, sizeof line,
                     "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/><text x=\"%.1f\" y=\"%.1f\" font-size=\"12\">", x, y,
                     x - 4, y - 8);
            text_puts(t, line);
            put_escaped(t, llm_model_label(m));
            text_puts(t, " (");
            text_puts(t, r.game);
            text_puts(t, ")</text>");
        }
    snprintf(line, sizeof line, "<text x=\"600\" y=\"350\" font-size=\"12\">%.5f a game</text></svg>\n", most);
    text_puts(t, line);
}

static void put_troubles(struct text *t, const struct llm_players *p)
{
    const struct llm_model *m;
    const struct llm_trouble *one;
    char where[96];
    for (int i = 0; (m = llm_models_at(p->models, i)); i++)
        for (int k = 0; (one = llm_model_trouble(m, k)); k++) {
            snprintf(where, sizeof where, "game %ju, seat_%d, decision %d: ", (uintmax_t)one->match, one->seat,
                     one->decision);
            text_puts(t, "<details><summary>");
            put_escaped(t, llm_model_label(m));
            text_puts(t, ", ");
            text_puts(t, where);
            text_puts(t, one->cause);
            text_puts(t, "</summary><pre>");
            put_escaped(t, one->text);
            text_puts(t, "</pre></details>\n");
        }
}

// L132: the games in which something went wrong come first, then the others, each in the small viewer of `agon replay
// html`. It is in a frame of its own without network access.
static bool put_replay(struct text *t, const struct llm_players *p, uint64_t game)
{
    char path[PATH_MAX], where[64];
    struct loaded_replay tape;
    struct text page = {.grow = heap_text_grow};
    snprintf(path, sizeof path, "%s/%06ju.agon", p->replays, (uintmax_t)game);
    if (access(path, R_OK) != 0)
        return false;
    replay_file_require(&tape, path, NULL);
    bool shown = replay_page_put(&page, &tape, (struct span){0}, REPLAY_PAGE_SMALL);
    replay_file_close(&tape);
    if (shown) {
        text_put_char(&page, 0);
        snprintf(where, sizeof where, "game %ju", (uintmax_t)game);
        text_puts(t, "<details><summary>");
        text_puts(t, where);
        text_puts(t, "</summary><iframe sandbox=\"allow-scripts\" loading=\"lazy\" title=\"");
        text_puts(t, where);
        text_puts(t, "\" srcdoc=\"");
        put_escaped(t, page.at);
        text_puts(t, "\"></iframe></details>\n");
    }
    free(page.at);
    return shown;
}

static bool contains(const uint64_t *list, int count, uint64_t one)
{
    for (int i = 0; i < count; i++)
        if (list[i] == one)
            return true;
    return false;
}

static void put_replays(struct text *t, const struct llm_players *p)
{
    const struct llm_model *m;
    const struct llm_trouble *one;
    uint64_t seen[REPLAYS];
    int count = 0;
    for (int i = 0; (m = llm_models_at(p->models, i)); i++)
        for (int k = 0; count < REPLAYS / 2 && (one = llm_model_trouble(m, k)); k++)
            if (!contains(seen, count, one->match) && put_replay(t, p, one->match))
                seen[count++] = one->match;
    for (uint64_t game = 0; count < REPLAYS && game < p->contest->judged; game++)
        if (!contains(seen, count, game) && put_replay(t, p, game))
            seen[count++] = game;
}

static void write_html(struct text *t, const struct llm_players *const *list, int count)
{
    text_puts(
        t, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>agon: models</title>\n"
           "<style>body{font:15px system-ui;margin:2em;color-scheme:light dark}table{border-collapse:collapse}"
           "td,th{padding:.2em .6em;border-bottom:1px solid #8884;text-align:right}th,td:nth-child(2),td:nth-child(3),"
           "td:last-child{text-align:left}iframe{width:100%;height:80vh;border:0}pre{white-space:pre-wrap;background:#"
           "8882;padding:.6em}</style>\n<h1>Models</"
           "h1>\n<table><tr>");
    static const char *const heads[] = {"player",    "model",     "game",         "score %", "lo",        "hi",
                                        "games",     "illegal %", "unparsable %", "cut %",   "refused %", "fallback %",
                                        "random %",  "forfeit %", "decisions",    "tries",   "input",     "output",
                                        "reasoning", "cost",      "cost a game",  "p50 ms",  "p95 ms",    "settings"};
    for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++) {
        text_puts(t, "<th>");
        text_puts(t, heads[i]);
        text_puts(t, "</th>");
    }
    text_puts(t, "</tr>\n");
    const struct llm_model *m;
    for (int k = 0; k < count; k++)
        for (int i = 0; list[k]->models && (m = llm_models_at(list[k]->models, i)); i++) {
            struct row r = row_of(list[k], m);
            put_html_row(t, &r);
        }
    text_puts(t, "</table>\n");
    put_chart(t, list, count);
    text_puts(t, "<h2>What went wrong</h2>\n");
    for (int k = 0; k < count; k++)
        if (list[k]->models)
            put_troubles(t, list[k]);
    text_puts(t, "<h2>Replays</h2>\n");
    for (int k = 0; k < count; k++)
        if (list[k]->models && list[k]->replays)
            put_replays(t, list[k]);
        else
            text_puts(t, "<p>None were kept: play with --replays DIR.</p>\n");
    text_puts(t, "</html>\n");
}

bool llm_report_write(const char *path, const struct llm_players *const *list, int count)
{
    struct text t = {.grow = heap_text_grow};
    const char *dot = strrchr(path, '.');
    if (strcmp(dot, ".html") == 0) {
        write_html(&t, list, count);
    } else if (strcmp(dot, ".csv") == 0) {
        for (int i = 0; i < count; i++)
            if (list[i]->models)
                write_csv(&t, list[i], i == 0);
    } else {
        json_begin_object(&t);
        json_begin_array_at(&t, "models");
        for (int i = 0; i < count; i++)
            if (list[i]->models)
                put_rows(&t, list[i]);
        json_end_array(&t);
        json_end_object(&t);
        text_put_char(&t, '\n');
    }
    FILE *f = fopen(path, "w");
    bool done = f && fwrite(t.at, 1, t.size, f) == t.size;
    done = f && fclose(f) == 0 && done;
    free(t.at);
    return done;
}

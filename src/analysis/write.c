// An analysis as text of 80 columns, and as JSON (docs/analysis.md).
#include "analysis/internal.h"

#include "codec/codec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 80, WORD_ROOM = 160 }; // of a terminal; bytes of a name or an action in words

static bool is_chance(const struct game_kit *k)
{
    return !facts_of(k)->unit;
}

// "0.52 bb", "3.1 %"
static void put_amount(const struct game_kit *k, struct text *t, double value)
{
    char said[48];
    if (is_chance(k))
        snprintf(said, sizeof said, "%.1f %%", 100 * value);
    else
        snprintf(said, sizeof said, "%.2f %s", value, analysis_unit(k));
    text_puts(t, said);
}

static struct codec_table table_of(const struct analysis *a, int viewer)
{
    return (struct codec_table){.seat = (const char *const *)a->name, .seats = a->seats, .viewer = viewer};
}

// ---- Text -----------------------------------------------------------------------------------------------------------

static void describe_action(const struct analysis *a, int seat, struct game_action x, char *out, size_t room)
{
    struct text t = text_on(out, room - 1);
    struct codec_table table = table_of(a, seat);
    codec_describe_action(a->kit->codec, &t, &table, x);
    out[t.size] = 0;
}

static double scale_value(const struct game_kit *k, double value)
{
    return is_chance(k) ? 100 * value : value;
}

// Words broken at blanks; `indent` is of the first line, the others have `hang`.
static void put_hanging(struct text *t, const char *words, int indent, int hang)
{
    int at = COLUMNS;
    while (*words) {
        size_t size = strcspn(words, " \n");
        if (at + (int)size + 1 > COLUMNS) {
            if (t->size && t->at[t->size - 1] != '\n')
                text_put_char(t, '\n');
            for (at = 0; at < indent; at++)
                text_put_char(t, ' ');
            indent = hang;
        } else {
            text_put_char(t, ' ');
            at++;
        }
        text_put(t, (struct span){words, size});
        at += (int)size;
        words += size;
        words += strspn(words, " \n");
    }
    text_put_char(t, '\n');
}

static void put_wrapped(struct text *t, const char *words, int indent)
{
    put_hanging(t, words, indent, indent);
}

static void put_head(const struct analysis *a, struct text *t)
{
    char line[400], floor[64];
    struct text f = text_on(floor, sizeof floor - 1);
    uint64_t worlds = 0;
    bool exact = false;
    for (uint32_t i = 0; i < a->decisions; i++) {
        const struct analysis_verdict *v = &a->decision[i].verdict;
        worlds = v->worlds > worlds ? v->worlds : worlds;
        exact = exact || v->exact;
    }
    put_amount(a->kit, &f, analysis_floor(a->kit));
    floor[f.size] = 0;
    char work[96];
    uint32_t times = a->options.work ? a->options.work : facts_of(a->kit)->work;
    if (exact)
        snprintf(work, sizeof work, "exact");
    else if (a->options.reference->weigh && times)
        snprintf(work, sizeof work, "%u times its usual work", times);
    else
        snprintf(work, sizeof work, "up to %llu worlds a decision", (unsigned long long)worlds);
    snprintf(line, sizeof line,
             "%s: %s, %d %s, %llu steps%s. Reference: house:%s, %s, seed %llu. Values are in %s. A mistake costs at "
             "least %s and more than twice its error.",
             a->replay->path, a->kit->codec->title, a->seats, a->seats == 1 ? "seat" : "seats",
             (unsigned long long)a->steps, a->complete ? "" : ", not finished", a->options.reference->name, work,
             (unsigned long long)a->options.seed,
             is_chance(a->kit) ? "percent of the chance to win" : analysis_unit(a->kit), floor);
    put_wrapped(t, line, 0);
}

static void put_error(const struct analysis *a, double value, double variance, char out[32])
{
    int n = is_chance(a->kit) ? 1 : 2; // decimals: chances are shown in per cent
    if (variance > 0)
        snprintf(out, 32, "%+.*f ± %.*f", n, scale_value(a->kit, value), n, scale_value(a->kit, sqrt(variance)));
    else
        snprintf(out, 32, "%+.*f", n, scale_value(a->kit, value));
}

// printf counts bytes, and the sign between two numbers has two.
static void put_column(struct text *t, const char *said, int width)
{
    int size = 0;
    for (const char *c = said; *c; c++)
        size += (*c & 0xc0) != 0x80;
    for (; size < width; size++)
        text_put_char(t, ' ');
    text_puts(t, said);
}

static bool is_wanted(const struct analysis *a, int seat)
{
    return !a->options.seats || a->options.seats & SEAT(seat);
}

static void put_sums(const struct analysis *a, struct text *t)
{
    char line[WORD_ROOM];
    snprintf(line, sizeof line, "\n%-12s%8s%15s%15s%15s%15s\n", "seat", "result", "own choices", "others'", "luck",
             "rest");
    text_puts(t, line);
    for (int s = 0; s < a->seats; s++) {
        const struct analysis_seat *x = &a->seat[s];
        char said[32];
        snprintf(line, sizeof line, "%-12.11s", a->name[s]);
        text_puts(t, line);
        put_error(a, x->result, 0, said);
        put_column(t, said, 8);
        put_error(a, x->own, x->own_variance, said);
        put_column(t, is_wanted(a, s) ? said : "not weighed", 15);
        put_error(a, x->others, x->others_variance, said);
        put_column(t, a->options.seats || a->seats == 1 ? "" : said, 15);
        put_error(a, x->luck, x->luck_variance, said);
        put_column(t, a->options.no_luck ? "not told" : said, 15);
        put_error(a, x->rest, x->own_variance + x->others_variance + x->luck_variance, said);
        put_column(t, said, 15);
        text_put_char(t, '\n');
    }
    put_wrapped(
        t,
        a->options.seats ? "Result = own choices + luck + rest; the others' choices were not weighed and are in "
                           "the rest."
        : a->seats == 1  ? "Result = own choices + luck + rest. The rest is what the reference cannot explain."
                         : "Result = own choices + others' choices + luck + rest. The rest is what the reference "
                           "cannot explain.",
        0);
}

static const char *phase_name(const struct analysis *a, int phase)
{
    const char *const *names = a->kit->codec->phases;
    return names ? names[phase] : NULL;
}

static void put_costly(const struct analysis *a, struct text *t, int number, const struct analysis_decision *d)
{
    char played[WORD_ROOM], better[WORD_ROOM], line[3 * WORD_ROOM], cost[32];
    const char *part = facts_of(a->kit)->part, *phase = phase_name(a, d->phase);
    char where[64] = "";
    describe_action(a, d->seat, d->played, played, sizeof played);
    describe_action(a, d->seat, d->verdict.better, better, sizeof better);
    put_error(a, d->verdict.loss, d->verdict.error * d->verdict.error, cost);
    if (part)
        snprintf(where, sizeof where, ", %s %u", part, d->part);
    snprintf(line, sizeof line, "%d. Step %llu%s%s%s: %s%s. Better: %s. Cost %s%s%s.", number,
             (unsigned long long)d->step, where, phase ? ", " : "", phase ? phase : "",
             d->silent ? "(out of time) " : "", played, better, cost + 1, is_chance(a->kit) ? " %" : " ",
             is_chance(a->kit) ? "" : analysis_unit(a->kit));
    put_hanging(t, line, 2, 5);
    if (d->words)
        put_wrapped(t, d->words, 5);
    if (!d->verdict.mistake)
        put_wrapped(t, "Too little to be called a mistake.", 5);
}

static void put_worst(const struct analysis *a, struct text *t, int seat)
{
    char line[WORD_ROOM];
    const struct analysis_seat *x = &a->seat[seat];
    snprintf(line, sizeof line, "%s: %u choice%s, %u mistake%s.%s", a->name[seat], x->choices,
             x->choices == 1 ? "" : "s", x->mistakes, x->mistakes == 1 ? "" : "s",
             a->worst_count[seat] ? " The costliest:" : "");
    text_put_char(t, '\n');
    put_wrapped(t, line, 0);
    for (int i = 0; i < a->worst_count[seat]; i++)
        put_costly(a, t, i + 1, &a->decision[a->worst[seat][i]]);
}

static void put_decision(const struct analysis *a, struct text *t, const struct analysis_decision *d)
{
    char played[WORD_ROOM], house[WORD_ROOM], cost[32] = "-", line[3 * WORD_ROOM];
    describe_action(a, d->seat, d->played, played, sizeof played);
    describe_action(a, d->seat, d->verdict.house, house, sizeof house);
    if (d->verdict.loss != 0 || d->verdict.error > 0) // below 0 too: costs add up to the own choices
        put_error(a, d->verdict.loss, d->verdict.error * d->verdict.error, cost);
    snprintf(line, sizeof line, "%6llu %-12.11s%-22.21s%-22.21s", (unsigned long long)d->step, a->name[d->seat], played,
             game_same_action(d->played, d->verdict.house) ? "the same" : house);
    text_puts(t, line);
    put_column(t, cost[0] == '+' ? cost + 1 : cost, 15);
    text_puts(t, d->verdict.mistake ? " !\n" : "\n");
}

static void put_decisions(const struct analysis *a, struct text *t)
{
    char line[WORD_ROOM];
    snprintf(line, sizeof line, "\n%6s %-12s%-22s%-22s%15s\n", "step", "seat", "played", "the house", "cost");
    text_puts(t, line);
    for (uint32_t i = 0; i < a->decisions; i++)
        if (a->decision[i].question)
            put_decision(a, t, &a->decision[i]);
}

void analysis_write_text(const struct analysis *a, struct text *t)
{
    put_head(a, t);
    put_sums(a, t);
    for (int s = 0; s < a->seats; s++)
        if (is_wanted(a, s))
            put_worst(a, t, s);
    put_decisions(a, t);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void put_action(const struct analysis *a, struct text *t, const char *key, int seat, struct game_action x)
{
    struct codec_table table = table_of(a, seat);
    json_key(t, key);
    codec_write_action(a->kit->codec, t, &table, x, false);
}

static void put_said(const struct analysis *a, struct text *t, const char *key, int seat, struct game_action x)
{
    char said[WORD_ROOM];
    describe_action(a, seat, x, said, sizeof said);
    json_put_text(t, key, said);
}

static void write_decision(const struct analysis *a, struct text *t, const struct analysis_decision *d)
{
    const struct analysis_verdict *v = &d->verdict;
    json_begin_object(t);
    json_put_uint(t, "step", d->step);
    json_put_int(t, "seat", d->seat);
    json_put_uint(t, "part", d->part);
    json_put_text(t, "phase", phase_name(a, d->phase));
    put_action(a, t, "played", d->seat, d->played);
    put_said(a, t, "played_text", d->seat, d->played);
    put_action(a, t, "house", d->seat, v->house);
    put_said(a, t, "house_text", d->seat, v->house);
    put_action(a, t, "better", d->seat, v->better);
    put_said(a, t, "better_text", d->seat, v->better);
    json_put_decimal(t, "loss", v->loss, 6);
    json_put_decimal(t, "error", v->error, 6);
    if (v->share >= 0)
        json_put_decimal(t, "share", (double)v->share, 4);
    json_put_bool(t, "mistake", v->mistake);
    json_put_bool(t, "exact", v->exact);
    json_put_uint(t, "worlds", v->worlds);
    if (d->silent)
        json_put_bool(t, "silent", true);
    if (d->words)
        json_put_text(t, "words", d->words);
    json_end_object(t);
}

static void write_seat(const struct analysis *a, struct text *t, int seat)
{
    const struct analysis_seat *x = &a->seat[seat];
    json_begin_object(t);
    json_put_text(t, "name", a->name[seat]);
    json_put_bool(t, "weighed", is_wanted(a, seat));
    json_put_decimal(t, "result", x->result, 6);
    json_put_decimal(t, "own", x->own, 6);
    json_put_decimal(t, "own_error", sqrt(x->own_variance), 6);
    json_put_decimal(t, "others", x->others, 6);
    json_put_decimal(t, "others_error", sqrt(x->others_variance), 6);
    json_put_decimal(t, "luck", a->options.no_luck ? NAN : x->luck, 6);
    json_put_decimal(t, "luck_error", a->options.no_luck ? NAN : sqrt(x->luck_variance), 6);
    json_put_decimal(t, "rest", x->rest, 6);
    json_put_decimal(t, "rest_error", sqrt(x->own_variance + x->others_variance + x->luck_variance), 6);
    json_put_uint(t, "decisions", x->decisions);
    json_put_uint(t, "choices", x->choices);
    json_put_uint(t, "mistakes", x->mistakes);
    json_begin_array_at(t, "worst");
    for (int i = 0; i < a->worst_count[seat]; i++)
        json_write_uint(t, a->decision[a->worst[seat][i]].step);
    json_end_array(t);
    json_end_object(t);
}

void analysis_write_json(const struct analysis *a, struct text *t)
{
    json_begin_object(t);
    json_put_text(t, "file", a->replay->path);
    json_put_text(t, "game", a->kit->game->name);
    json_key(t, "commitment");
    text_put_char(t, '"');
    text_put_hex_bytes(t, a->replay->head.commitment, sizeof a->replay->head.commitment);
    text_put_char(t, '"');
    json_put_uint(t, "steps", a->steps);
    json_put_bool(t, "complete", a->complete);
    json_put_text(t, "reference", a->options.reference->name);
    json_put_uint(t, "seed", a->options.seed);
    json_put_text(t, "unit", analysis_unit(a->kit));
    json_put_text(t, "part", facts_of(a->kit)->part);
    json_put_decimal(t, "floor", analysis_floor(a->kit), 6);
    json_begin_array_at(t, "seats");
    for (int s = 0; s < a->seats; s++)
        write_seat(a, t, s);
    json_end_array(t);
    json_begin_array_at(t, "decisions");
    for (uint32_t i = 0; i < a->decisions; i++)
        if (a->decision[i].question)
            write_decision(a, t, &a->decision[i]);
    json_end_array(t);
    json_end_object(t);
}

#include "app/contest_report.h"

#include "base/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// --- for people

static const char *parts_name(const struct contest_plan *p)
{
    return p->attempts ? p->attempts->parts : p->stake->parts;
}

// Why there is no verdict, or NULL: there is one.
static const char *find_void(const struct contest *c)
{
    return c->judged ? contest_void(c) : "no game was played";
}

static void print_head(const struct contest *c, double seconds)
{
    const struct contest_plan *p = &c->plan;
    printf("%s, %s: %ju game%s", p->codec->game->name, contest_format_names[p->format], (uintmax_t)c->judged,
           c->judged == 1 ? "" : "s");
    if (p->mirrored)
        printf(contest_is_solo(p) ? " in sets of %d from one seed" : " in mirrored sets of %d", contest_rotations(p));
    printf(", seed %ju, %.1f steps a game", (uintmax_t)p->seed, c->steps.mean);
    if (contest_has_parts(p))
        printf(", %.2f %s a game", c->parts.mean, parts_name(p));
    if (seconds > 0 && c->handed_in) {
        double ms = 1000 * seconds / (double)c->handed_in, rate = (double)c->handed_in / seconds;
        printf(", %.*f ms a game, %.*f games per second", ms < 10 ? 3 : 0, ms, rate < 10 ? 2 : 0, rate);
    }
    puts("");
    if (c->cut)
        printf("%ju cut at %ju steps\n", (uintmax_t)c->cut, (uintmax_t)p->max_steps);
    if (c->forfeits || c->aborted)
        printf("%ju forfeited, %ju without a result\n", (uintmax_t)c->forfeits, (uintmax_t)c->aborted);
    puts("");
}

const char *contest_describe_bound(char out[CONTEST_CELL], double value, struct stats_interval i, const char *format)
{
    char number[3][16];
    snprintf(number[0], sizeof number[0], format, value);
    snprintf(number[1], sizeof number[1], format, i.low);
    snprintf(number[2], sizeof number[2], format, i.high);
    if (isfinite(i.low) && isfinite(i.high))
        snprintf(out, CONTEST_CELL, "%s (%s .. %s)", number[0], number[1], number[2]);
    else if (isfinite(i.low) || isfinite(i.high))
        snprintf(out, CONTEST_CELL, isfinite(i.low) ? "at least %s" : "at most %s", number[isfinite(i.low) ? 1 : 2]);
    else
        snprintf(out, CONTEST_CELL, isfinite(value) ? "%s (too few games)" : "-", number[0]);
    return out;
}

static void print_row(const struct contest *c, int e, int rank, int width, const struct standing_rating *fit)
{
    const struct contest_row *r = &c->row[e];
    struct stats_interval share = contest_share_interval(c, e);
    struct compare_estimate lead = contest_lead(c, e);
    char cell[CONTEST_CELL], elo[CONTEST_CELL];
    printf("%2d  %-*s %6ju %6ju %5ju %6ju", rank, width, c->plan.entrant[e].name, (uintmax_t)r->games,
           (uintmax_t)r->wins, (uintmax_t)r->draws, (uintmax_t)r->losses);
    if (c->plan.stake)
        printf("  %-32s", find_void(c) ? "-" : contest_describe_bound(cell, lead.mean, lead.interval, "%+.2f"));
    snprintf(cell, sizeof cell, "%.2f %% (%.2f .. %.2f)", 100 * contest_share(r), 100 * share.low, 100 * share.high);
    contest_describe_bound(elo, fit->elo, fit->interval, "%.0f");
    if (find_void(c)) {
        snprintf(cell, sizeof cell, "%.2f %%", 100 * contest_share(r));
        snprintf(elo, sizeof elo, "-");
    } else if (e == contest_anchor(c))
        snprintf(elo, sizeof elo, "%.0f (anchor)", fit->elo);
    printf("  %-26s  %s", cell, elo);
    if (r->byes)
        printf("  %ju byes", (uintmax_t)r->byes);
    if (r->forfeits)
        printf("  %ju forfeited", (uintmax_t)r->forfeits);
    if (r->overruns)
        printf(", %ju on time", (uintmax_t)r->overruns);
    puts("");
}

static void print_rows(struct contest *c)
{
    struct standing_rating fit[CONTEST_ENTRANTS];
    int order[CONTEST_ENTRANTS], width = 6;
    char unit[CONTEST_CELL];
    contest_fit(c, fit);
    contest_sort(c, order);
    for (int i = 0; i < c->plan.entrants; i++)
        width = (int)strlen(c->plan.entrant[i].name) > width ? (int)strlen(c->plan.entrant[i].name) : width;
    snprintf(unit, sizeof unit, "%s (95 %%)", contest_unit(&c->plan));
    if (find_void(c))
        printf("%s: no verdict\n", find_void(c));
    else
        printf("verdict by %s, in %s\n", contest_about(&c->plan), contest_unit(&c->plan));
    printf("    %-*s  games    won drawn   lost", width, "player");
    if (c->plan.stake)
        printf("  %-32s", unit);
    printf("  %-26s  %s\n", c->plan.stake ? "won games (95 %)" : unit,
           c->plan.stake ? "normalised Elo (95 %)" : "Elo (95 %)");
    for (int i = 0; i < c->plan.entrants; i++)
        print_row(c, order[i], i + 1, width, &fit[order[i]]);
}

// B14.2, B14.3: the running rating, which depends on the order of the games.
static void print_course(const struct contest *c)
{
    if (c->plan.stake) // it goes by won games
        return;
    printf("\nrunning Elo, from %.0f:", c->plan.elo_start);
    for (int e = 0; e < c->plan.entrants; e++)
        printf("%s %s %.1f (%.1f .. %.1f)", e ? "," : "", c->plan.entrant[e].name, c->row[e].elo, c->row[e].elo_low,
               c->row[e].elo_high);
    puts("");
}

static void print_attempt(uint64_t made, uint64_t tried)
{
    char text[64] = "-";
    if (tried)
        snprintf(text, sizeof text, "%ju of %ju, %.1f %%", (uintmax_t)made, (uintmax_t)tried,
                 100 * (double)made / (double)tried);
    printf(" %24s", text);
}

static void print_attempts(const struct contest *c)
{
    const struct contest_attempt_kinds *f = c->plan.attempts;
    if (!f || c->parts.count == 0)
        return;
    printf("\n%-24s", f->title);
    for (int k = 0; k < CONTEST_ATTEMPTS; k++)
        printf(" %24s", f->name[k]);
    printf(" %24s\n", "all");
    for (int e = 0; e < c->plan.entrants; e++) {
        uint64_t tried = 0, made = 0;
        printf("%-24.24s", c->plan.entrant[e].name);
        for (int k = 0; k < CONTEST_ATTEMPTS; k++) {
            print_attempt(c->row[e].made[k], c->row[e].tried[k]);
            tried += c->row[e].tried[k];
            made += c->row[e].made[k];
        }
        print_attempt(made, tried);
        puts("");
    }
}

static void print_verdict(const struct contest *c)
{
    static const char *const words[] = {"has not decided", "H0 accepted", "H1 accepted"};
    if (!c->plan.has_sprt)
        return;
    printf("sequential test: LLR %.3f between %.3f and %.3f after %ju games: %s\n", c->llr, c->plan.sprt.lower,
           c->plan.sprt.upper, (uintmax_t)c->judged, words[c->verdict]);
}

// Whether the contest has this measure. A game of one part has its points only once.
static bool has_measure(const struct contest *c, enum contest_measure m)
{
    bool many = c->parts.mean > 1 || c->parts.squares > 0;
    if (m == CONTEST_TALLY)
        return c->plan.attempts;
    return m == CONTEST_POINTS ? c->plan.points || c->plan.stake : contest_has_parts(&c->plan) && many;
}

static const char *measure_name(const struct contest *c, enum contest_measure m)
{
    return m == CONTEST_TALLY ? c->plan.attempts->tally : c->plan.stake ? c->plan.stake->of : "points";
}

static const char *measure_part(const struct contest *c, enum contest_measure m)
{
    return m == CONTEST_POINTS ? "game" : c->plan.attempts ? c->plan.attempts->part : c->plan.stake->part;
}

static double margin_gain(const struct contest *c, enum contest_measure m)
{
    return c->margin[m].pairs.units > 1 ? compare_rate_gain(&c->margin[m].games, &c->margin[m].pairs) : 0;
}

static void print_margins(const struct contest *c)
{
    for (enum contest_measure m = 0; m < CONTEST_MEASURES; m++) {
        if (!has_measure(c, m))
            continue;
        struct compare_estimate e = compare_rate_mean(contest_rate(c, m));
        double gain = margin_gain(c, m);
        char cell[CONTEST_CELL];
        printf("%s, %s before %s: %s a %s, standard error %.3f", measure_name(c, m), c->plan.entrant[0].name,
               c->plan.entrant[1].name, contest_describe_bound(cell, e.mean, e.interval, "%+.3f"), measure_part(c, m),
               e.error);
        if (gain > 0)
            printf("; unmirrored it would take %.2f times as many games", gain);
        puts("");
    }
}

// N14.4: the same lead with luck taken off.
static void print_corrected(const struct contest *c)
{
    struct contest_corrected e;
    char cell[CONTEST_CELL];
    for (int k = 0; k < contest_lucks(&c->plan); k++) {
        if (!contest_correct(c, k, &e))
            continue;
        const char *about = c->plan.luck->about[k];
        printf("%s, by %s%s%s%s: %s %s, standard error %.3f; without it %.2f times as many %s\n",
               measure_name(c, CONTEST_POINTS), c->plan.luck->name[k], *about ? " (" : "", about, *about ? ")" : "",
               contest_describe_bound(cell, e.lead.mean, e.lead.interval, "%+.2f"), contest_unit(&c->plan),
               e.lead.error, e.factor, parts_name(&c->plan));
    }
}

enum { P_ROOM = 32 };

// A probability too small for a double is not 0.
static const char *describe_p(double p, char out[P_ROOM])
{
    snprintf(out, P_ROOM, p > 0 ? "= %.3g" : "< 1e-300", p);
    return out;
}

// Which of the two is better, if the result shows it.
static void print_decision(const struct contest *c)
{
    struct contest_verdict v = contest_judge_two(c);
    const char *a = c->plan.entrant[0].name, *b = c->plan.entrant[1].name;
    char mean[CONTEST_CELL], elo[CONTEST_CELL], p[P_ROOM];
    printf("\n%s against %s, by %s: %s %s, %sElo difference %s, p %s: %s\n", a, b, contest_about(&c->plan),
           contest_describe_bound(mean, v.mean, v.interval, c->plan.stake ? "%+.2f" : "%.4f"), contest_unit(&c->plan),
           c->plan.stake ? "normalised " : "", contest_describe_bound(elo, v.elo, v.elo_interval, "%+.1f"),
           describe_p(v.p, p), compare_words(v.p));
}

// N11.1: how the two games of a pair ended.
static void print_pentanomial(const struct compare_pairs *p)
{
    uint64_t drawn = compare_drawn_pairs(p);
    fputs("pentanomial:", stdout);
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++)
        printf("%s %s %ju", k ? "," : "", compare_pair_names[k], (uintmax_t)p->count[k]);
    printf(" (%ju WL, %ju DD)\n", (uintmax_t)(p->count[2] - drawn), (uintmax_t)drawn);
}

// N11.2, N11.3. Where a stake decides, the Elo of the decision is normalised.
static void print_superiority(const struct contest *c)
{
    struct contest_verdict v = contest_judge_two(c);
    char cell[CONTEST_CELL];
    printf("likelihood of superiority: %.2f %%", 100 * v.los);
    if (!c->plan.stake)
        printf(", normalised Elo %s", contest_describe_bound(cell, v.normalised.mean, v.normalised.interval, "%+.1f"));
    puts("");
}

static void print_two(const struct contest *c)
{
    char p_bytes[P_ROOM], normal[P_ROOM];
    uint64_t decided = c->games.wins + c->games.losses;
    double exact = compare_exact_test(c->games.wins, decided);
    print_decision(c);
    print_superiority(c);
    printf("won games: score %.4f, p %s exact, p %s by the normal approximation: %s\n", compare_game_score(&c->games),
           describe_p(exact, p_bytes), describe_p(compare_normal_test(c->games.wins, decided), normal),
           compare_words(exact));
    struct compare_mean m = compare_pair_mean(&c->pairs);
    if (m.pairs) {
        double p = compare_pair_test(&c->pairs), gain = compare_pair_gain(&c->pairs, &c->games);
        printf("in mirrored pairs: %ju, mean score %.4f (%.4f .. %.4f), p %s: %s\n", (uintmax_t)m.pairs, m.mean,
               m.interval.low, m.interval.high, describe_p(p, p_bytes), compare_words(p));
        print_pentanomial(&c->pairs);
        if (gain > 0)
            printf("mirroring: single games would need %.2f times as many for the same interval\n", gain);
    }
    print_margins(c);
    print_corrected(c);
    print_verdict(c);
}

static void print_times(const struct contest_run *run)
{
    char bytes[512];
    bool head = false;
    for (int e = 0; e < run->contest->plan.entrants; e++)
        for (int k = 0; k < SEAT_CALLS; k++) {
            struct text t = text_on(bytes, sizeof bytes);
            if (run->times[e][k].count == 0)
                continue;
            if (!head)
                contest_latency_write_head(&t);
            head = true;
            contest_latency_write_row(&t, run->contest->plan.entrant[e].name, (enum seat_call)k, &run->times[e][k]);
            fwrite(t.at, 1, t.size, stdout);
        }
}

// The score of an entrant against another: points of how many, and the lead where a stake decides.
static void describe_cell(char out[CONTEST_CELL], const struct contest *c, int row, int column)
{
    const struct standing *s = &c->standing;
    bool turned = row > column;
    const struct compare_rate *lead = turned ? &s->sets[column][row].lead : &s->sets[row][column].lead;
    if (row == column || s->games[row][column] == 0)
        snprintf(out, CONTEST_CELL, row == column ? "." : "-");
    else if (c->plan.stake)
        snprintf(out, CONTEST_CELL, "%+.1f",
                 (turned ? -1 : 1) * contest_scale(&c->plan) * compare_rate_mean(lead).mean);
    else
        snprintf(out, CONTEST_CELL, "%.4g/%u", s->score[row][column], s->games[row][column]);
}

// N11.7: everyone against everyone, in the order of the table above.
static void print_crosstable(struct contest *c)
{
    int order[CONTEST_ENTRANTS], n = c->plan.entrants, name = 6, width = 4;
    char cell[CONTEST_CELL];
    contest_sort(c, order);
    for (int i = 0; i < n; i++) {
        name = (int)strlen(c->plan.entrant[i].name) > name ? (int)strlen(c->plan.entrant[i].name) : name;
        for (int j = 0; j < n; j++) {
            describe_cell(cell, c, i, j);
            width = (int)strlen(cell) > width ? (int)strlen(cell) : width;
        }
    }
    printf("\ncrosstable: %s of the row against the column\n    %-*s", c->plan.stake ? "lead" : "points of games", name,
           "player");
    for (int j = 0; j < n; j++)
        printf(" %*d", width, j + 1);
    puts("");
    for (int i = 0; i < n; i++) {
        printf("%2d  %-*s", i + 1, name, c->plan.entrant[order[i]].name);
        for (int j = 0; j < n; j++) {
            describe_cell(cell, c, order[i], order[j]);
            printf(" %*s", width, cell);
        }
        puts("");
    }
}

struct contest_repeat contest_compare(const struct contest *first, const struct contest *second)
{
    struct contest_repeat r = {.asked = true, .same = true};
    uint64_t both = first->judged < second->judged ? first->judged : second->judged;
    for (; r.games < both && r.same; r.games++) {
        const struct contest_result *a = &first->results[r.games], *b = &second->results[r.games];
        r.same = a->hash == b->hash && a->end == b->end;
        if (!r.same) {
            r.other = r.games;
            r.first = *a;
            r.second = *b;
        }
    }
    return r;
}

void contest_print_repeat(FILE *to, const struct contest_repeat *r)
{
    if (!r->asked)
        return;
    if (r->same)
        fprintf(to, "deterministic: %ju games played twice, all the same\n", (uintmax_t)r->games);
    else
        fprintf(to,
                "not deterministic: game %ju ended in %016" PRIx64 " after %u steps, then in %016" PRIx64 " after %u\n",
                (uintmax_t)r->other, r->first.hash, r->first.steps, r->second.hash, r->second.steps);
}

static void print_trouble(const struct contest_run *run)
{
    const struct contest *c = run->contest;
    for (int e = 0; e < c->plan.entrants; e++) {
        bool any = false;
        for (int k = 0; k < CONTEST_TROUBLES; k++) {
            if (c->row[e].trouble[k] == 0)
                continue;
            if (!any)
                printf("\n%s:", c->plan.entrant[e].name);
            printf("%s %ju %s", any ? "," : "", (uintmax_t)c->row[e].trouble[k], contest_trouble_names[k]);
            any = true;
        }
        if (any)
            puts(run->on_trouble ? "" : " (-v prints each)");
        if (run->counts[e].created != run->counts[e].deleted)
            printf("%s: %u sessions created, %u deleted\n", c->plan.entrant[e].name, run->counts[e].created,
                   run->counts[e].deleted);
    }
}

void contest_print_table(struct contest_run *run, double seconds)
{
    struct contest *c = run->contest;
    print_head(c, seconds);
    print_rows(c);
    if (c->plan.entrants == 2 && !find_void(c))
        print_two(c);
    if (c->plan.entrants > 2)
        print_crosstable(c);
    if (!find_void(c))
        print_course(c);
    print_attempts(c);
    print_times(run);
    print_trouble(run);
    printf("\nfinal states: %016" PRIx64 "\n", c->hash);
}

// --- for programs

// An open end, or an interval that does not exist, is null.
static void put_interval(struct text *t, const char *key, struct stats_interval i, int digits)
{
    json_key(t, key);
    if (!stats_is_interval(i)) {
        json_write_null(t);
        return;
    }
    json_begin_array(t);
    json_write_decimal(t, i.low, digits);
    json_write_decimal(t, i.high, digits);
    json_end_array(t);
}

// Twelve decimals, and what they cannot show as a power of ten: a small p is never 0.
static void put_probability(struct text *t, const char *key, double p)
{
    char digits[32];
    if (!(p > 0 && p < 1e-6)) {
        json_put_decimal(t, key, p, 12);
        return;
    }
    snprintf(digits, sizeof digits, "%.6g", p);
    json_put_raw(t, key, span_of(digits));
}

static void write_attempts(struct text *t, const struct contest_attempt_kinds *f, const struct contest_row *r)
{
    json_begin_object_at(t, "feats");
    for (int k = 0; k < CONTEST_ATTEMPTS; k++) {
        json_begin_object_at(t, f->name[k]);
        json_put_uint(t, "tried", r->tried[k]);
        json_put_uint(t, "made", r->made[k]);
        json_end_object(t);
    }
    json_end_object(t);
}

static void write_row(struct text *t, const struct contest_run *run, int e, int place,
                      const struct standing_rating *fit)
{
    const struct contest *c = run->contest;
    const struct contest_row *r = &c->row[e];
    bool is_void = find_void(c);
    json_begin_object(t);
    json_put_int(t, "rank", place);
    json_put_text(t, "entrant", c->plan.entrant[e].name);
    json_put_uint(t, "games", r->games);
    json_put_uint(t, "wins", r->wins);
    json_put_uint(t, "draws", r->draws);
    json_put_uint(t, "losses", r->losses);
    json_put_uint(t, "aborted", r->aborted);
    json_put_uint(t, "forfeits", r->forfeits);
    if (c->plan.clock_us)
        json_put_uint(t, "overruns", r->overruns);
    json_put_uint(t, "byes", r->byes);
    json_put_decimal(t, "score", contest_share(r), 6);
    put_interval(t, "score_interval", is_void ? stats_no_interval() : contest_share_interval(c, e), 6);
    if (c->plan.stake) {
        struct compare_estimate lead = contest_lead(c, e);
        json_put_decimal(t, "lead", lead.mean, 6);
        put_interval(t, "lead_interval", is_void ? stats_no_interval() : lead.interval, 6);
    }
    json_put_decimal(t, "elo", is_void ? NAN : fit->elo, 2);
    put_interval(t, "elo_interval", is_void ? stats_no_interval() : fit->interval, 2);
    if (!c->plan.stake && !is_void) { // by won games
        json_put_decimal(t, "elo_running", r->elo, 2);
        json_put_decimal(t, "elo_lowest", r->elo_low, 2);
        json_put_decimal(t, "elo_highest", r->elo_high, 2);
    }
    json_put_decimal(t, "mean_payoff", r->payoff.mean, 6);
    if (c->plan.attempts)
        write_attempts(t, c->plan.attempts, r);
    json_begin_object_at(t, "trouble");
    for (int k = 0; k < CONTEST_TROUBLES; k++)
        json_put_uint(t, contest_trouble_names[k], r->trouble[k]);
    json_put_uint(t, "sessions_created", run->counts[e].created);
    json_put_uint(t, "sessions_deleted", run->counts[e].deleted);
    json_end_object(t);
    json_end_object(t);
}

static void write_margins(struct text *t, const struct contest *c)
{
    json_begin_array_at(t, "margins");
    for (enum contest_measure m = 0; m < CONTEST_MEASURES; m++) {
        if (!has_measure(c, m))
            continue;
        const struct compare_rate *r = contest_rate(c, m);
        struct compare_estimate e = compare_rate_mean(r);
        json_begin_object(t);
        json_put_text(t, "of", measure_name(c, m));
        json_put_text(t, "per", measure_part(c, m));
        json_put_decimal(t, "mean", e.mean, 6);
        put_interval(t, "interval", e.interval, 6);
        json_put_decimal(t, "standard_error", e.error, 6);
        json_put_uint(t, "units", r->units);
        json_put_decimal(t, "mirror_gain", margin_gain(c, m), 4);
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_corrected(struct text *t, const struct contest *c)
{
    struct contest_corrected e;
    if (!contest_correct(c, 0, &e))
        return;
    json_begin_array_at(t, "corrected");
    for (int k = 0; k < contest_lucks(&c->plan) && contest_correct(c, k, &e); k++) {
        json_begin_object(t);
        json_put_text(t, "by", c->plan.luck->name[k]);
        if (*c->plan.luck->about[k])
            json_put_text(t, "about", c->plan.luck->about[k]);
        json_put_decimal(t, "mean", e.lead.mean, 6);
        put_interval(t, "interval", e.lead.interval, 6);
        json_put_decimal(t, "standard_error", e.lead.error, 6);
        json_put_decimal(t, "factor", e.factor, 4);
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_sprt(struct text *t, const struct contest *c)
{
    static const char *const words[] = {"undecided", "H0", "H1"};
    json_begin_object_at(t, "sprt");
    json_put_decimal(t, "llr", c->llr, 4);
    json_put_decimal(t, "lower", c->plan.sprt.lower, 4);
    json_put_decimal(t, "upper", c->plan.sprt.upper, 4);
    json_put_text(t, "verdict", words[c->verdict]);
    json_end_object(t);
}

static void put_pentanomial(struct text *t, const struct compare_pairs *p)
{
    json_begin_object_at(t, "pentanomial");
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++)
        json_put_uint(t, compare_pair_names[k], p->count[k]);
    json_put_uint(t, "DD", compare_drawn_pairs(p));
    json_end_object(t);
}

// N11.7: every two that have met, the one with the better place first.
static void write_crosstable(struct text *t, const struct contest *c, const int *order)
{
    json_begin_array_at(t, "crosstable");
    for (int i = 0; i < c->plan.entrants; i++)
        for (int j = i + 1; j < c->plan.entrants; j++) {
            int a = order[i], b = order[j], low = a < b ? a : b, high = a < b ? b : a;
            const struct standing_sets *sets = &c->standing.sets[low][high];
            struct compare_pairs pairs = sets->pairs;
            if (c->standing.games[a][b] == 0)
                continue;
            for (int k = 0; a > b && k < COMPARE_PAIR_KINDS; k++)
                pairs.count[k] = sets->pairs.count[COMPARE_PAIR_KINDS - 1 - k];
            json_begin_object(t);
            json_put_text(t, "first", c->plan.entrant[a].name);
            json_put_text(t, "second", c->plan.entrant[b].name);
            json_put_uint(t, "games", c->standing.games[a][b]);
            json_put_decimal(t, "score", c->standing.score[a][b], 4);
            if (c->plan.stake)
                json_put_decimal(t, "lead",
                                 (a > b ? -1 : 1) * contest_scale(&c->plan) * compare_rate_mean(&sets->lead).mean, 6);
            if (c->standing.set_games == 2)
                put_pentanomial(t, &pairs);
            json_end_object(t);
        }
    json_end_array(t);
}

static void write_two(struct text *t, const struct contest *c)
{
    struct compare_mean m = compare_pair_mean(&c->pairs);
    struct contest_verdict v = contest_judge_two(c);
    uint64_t decided = c->games.wins + c->games.losses;
    json_begin_object_at(t, "comparison");
    json_put_text(t, "first", c->plan.entrant[0].name);
    json_put_text(t, "second", c->plan.entrant[1].name);
    json_put_decimal(t, "mean", v.mean, 6);
    put_interval(t, "interval", v.interval, 6);
    put_probability(t, "p", v.p);
    json_put_text(t, "words", compare_words(v.p));
    json_put_decimal(t, "elo_difference", v.elo, 2);
    put_interval(t, "elo_interval", v.elo_interval, 2); // B14.15
    json_put_decimal(t, "los", v.los, 6);
    json_put_decimal(t, "normalised_elo", v.normalised.mean, 2);
    put_interval(t, "normalised_elo_interval", v.normalised.interval, 2);
    json_put_decimal(t, "score", compare_game_score(&c->games), 6);
    put_probability(t, "p_exact", compare_exact_test(c->games.wins, decided));
    put_probability(t, "p_normal", compare_normal_test(c->games.wins, decided));
    json_begin_array_at(t, "pairs");
    for (int k = 0; k < COMPARE_PAIR_KINDS; k++)
        json_write_uint(t, c->pairs.count[k]);
    json_end_array(t);
    if (m.pairs)
        put_pentanomial(t, &c->pairs);
    json_put_decimal(t, "pair_mean", m.mean, 6);
    put_interval(t, "pair_interval", m.pairs ? m.interval : stats_no_interval(), 6);
    put_probability(t, "p_pairs", compare_pair_test(&c->pairs));
    json_put_decimal(t, "mirror_gain", compare_pair_gain(&c->pairs, &c->games), 4);
    write_margins(t, c);
    write_corrected(t, c);
    if (c->plan.has_sprt)
        write_sprt(t, c);
    json_end_object(t);
}

static void write_times(struct text *t, const struct contest_run *run)
{
    json_begin_array_at(t, "latency_us");
    for (int e = 0; e < run->contest->plan.entrants; e++)
        for (int k = 0; k < SEAT_CALLS; k++) {
            const struct contest_latencies *times = &run->times[e][k];
            if (times->count == 0)
                continue;
            json_begin_object(t);
            json_put_text(t, "entrant", run->contest->plan.entrant[e].name);
            contest_latency_put(t, (enum seat_call)k, times);
            json_end_object(t);
        }
    json_end_array(t);
}

void contest_write_json(struct contest_run *run, struct text *t, const struct contest_repeat *again)
{
    struct contest *c = run->contest;
    const struct contest_plan *p = &c->plan;
    struct standing_rating fit[CONTEST_ENTRANTS];
    int order[CONTEST_ENTRANTS];
    contest_fit(c, fit);
    contest_sort(c, order);
    json_begin_object(t);
    json_put_text(t, "game", p->codec->game->name);
    json_put_text(t, "format", contest_format_names[p->format]);
    json_put_uint(t, "seed", p->seed);
    json_put_bool(t, "mirrored", p->mirrored);
    json_put_int(t, "seats", p->seats);
    json_put_uint(t, "games", c->judged);
    json_put_uint(t, "games_planned", p->format == CONTEST_SWISS ? c->stop : p->games);
    json_put_uint(t, "forfeited", c->forfeits);
    json_put_uint(t, "aborted", c->aborted);
    json_put_uint(t, "cut", c->cut);
    json_put_decimal(t, "mean_steps", c->steps.mean, 3);
    if (contest_has_parts(p))
        json_put_decimal(t, "mean_parts", c->parts.mean, 3);
    json_begin_object_at(t, "verdict");
    json_put_text(t, "about", contest_about(p));
    json_put_text(t, "unit", contest_unit(p));
    json_put_text(t, "elo", p->stake ? "normalised" : "logistic");
    json_put_text(t, "anchor", p->entrant[contest_anchor(c)].name);
    if (find_void(c))
        json_put_text(t, "void", find_void(c));
    json_end_object(t);
    json_begin_array_at(t, "standings");
    for (int i = 0; i < p->entrants; i++)
        write_row(t, run, order[i], i + 1, &fit[order[i]]);
    json_end_array(t);
    if (p->entrants == 2 && !find_void(c))
        write_two(t, c);
    if (p->entrants > 2)
        write_crosstable(t, c, order);
    write_times(t, run);
    if (again->asked)
        json_put_bool(t, "deterministic", again->same);
    if (!again->same)
        json_put_uint(t, "first_difference", again->other);
    json_put_hex(t, "final_states", c->hash);
    json_end_object(t);
    text_put_char(t, '\n');
}

// RFC 4180: a quote within quotes stands twice.
static void print_quoted(const char *text)
{
    fputs(",\"", stdout);
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

void contest_print_csv(struct contest *c)
{
    printf("game,set,end,steps,at_fault");
    for (int s = 0; s < c->plan.seats; s++)
        printf(",seat_%d,payoff_%d", s, s);
    for (int s = 0; s < c->plan.seats; s++)
        printf(",points_%d", s);
    if (contest_has_parts(&c->plan))
        printf(",%s", parts_name(&c->plan));
    if (c->plan.attempts)
        printf(",tally_0,tally_1");
    puts(",verdict,seed");
    for (uint64_t i = 0; i < c->judged; i++) {
        struct contest_game g;
        const struct contest_result *r = &c->results[i];
        contest_get(c, i, &g);
        printf("%ju,%ju,%s,%u,%d", (uintmax_t)i, (uintmax_t)g.set, contest_end_names[r->end], r->steps, r->at_fault);
        for (int s = 0; s < c->plan.seats; s++) {
            print_quoted(c->plan.entrant[g.entrant[s]].name);
            printf(",%d", r->payoffs[s]);
        }
        for (int s = 0; s < c->plan.seats; s++)
            printf(",%d", r->points[s]);
        if (contest_has_parts(&c->plan))
            printf(",%u", r->attempts.parts);
        if (c->plan.attempts)
            printf(",%u,%u", r->attempts.tally[0], r->attempts.tally[1]);
        printf(",%s,%ju\n", find_void(c) ? "none" : contest_about(&c->plan),
               (uintmax_t)g.seed); // B9.6: any match can be played again alone
    }
}

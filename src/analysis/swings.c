#include "analysis/swings.h"

#include "analysis/internal.h"
#include "base/json_write.h"
#include "heap/heap.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void swings_begin(struct swings *s, const struct game_kit *k, const struct bot *reference)
{
    *s = (struct swings){.kit = k, .reference = reference};
}

void swings_end(struct swings *s)
{
    free(s->set);
}

// ---- Who plays ------------------------------------------------------------------------------------------------------

// The one name that is not `name`; NULL: there is none, or more than one.
static const char *find_other(const struct loaded_replay *t, const char *name)
{
    const char *other = NULL;
    for (int s = 0; s < t->head.seats; s++) {
        const char *here = loaded_replay_seat_name(t, s);
        if (strcmp(here, name) == 0)
            continue;
        if (other && strcmp(other, here) != 0)
            return NULL;
        other = here;
    }
    return other;
}

void swings_ask(const struct game_kit *k, const struct loaded_replay *t, struct analysis_options *o)
{
    for (int s = 0; s < t->head.seats; s++) {
        const char *other = find_other(t, loaded_replay_seat_name(t, s));
        const struct bot *bot = other ? kit_find_bot(k, other) : NULL;
        o->other[s] = bot && !bot->think_us ? bot : NULL;
    }
}

static int player_of(const struct swings *s, const char *name)
{
    return strcmp(s->player[0], name) != 0;
}

// ---- Adding ---------------------------------------------------------------------------------------------------------

static struct swings_set *find_set(struct swings *s, const struct loaded_replay *t)
{
    for (uint32_t i = 0; i < s->sets && t->head.has_seed; i++)
        if (s->set[i].seed == t->head.seed)
            return &s->set[i];
    s->set = heap_list_grow(s->set, s->sets, &s->room, 64, sizeof *s->set);
    s->set[s->sets] = (struct swings_set){.seed = t->head.has_seed ? t->head.seed : s->sets};
    return &s->set[s->sets++];
}

static void add_differences(struct swings *s, const struct analysis *a)
{
    for (uint32_t i = 0; i < a->decisions; i++) {
        const struct analysis_decision *d = &a->decision[i];
        if (!d->question || !a->options.other[d->seat])
            continue;
        struct swings_phase *p =
            &s->phase[d->phase % SWINGS_PHASES][player_of(s, loaded_replay_seat_name(a->replay, d->seat))];
        s->compares = true;
        p->positions++;
        if (!d->differs)
            continue;
        p->differ++;
        p->own += d->first_loss;
        p->other += d->other_verdict.loss;
    }
}

void swings_add(struct swings *s, const struct analysis *a)
{
    struct swings_set *set = find_set(s, a->replay);
    double result = 0, skill = 0, luck = 0;
    int seats = 0;
    if (!s->games++) {
        const char *first = loaded_replay_seat_name(a->replay, 0), *other = find_other(a->replay, first);
        snprintf(s->player[0], sizeof s->player[0], "%s", first);
        snprintf(s->player[1], sizeof s->player[1], "%s", other ? other : "");
    }
    for (int i = 0; i < a->seats; i++) {
        if (player_of(s, loaded_replay_seat_name(a->replay, i)) != 0)
            continue;
        seats++;
        result += a->seat[i].result;
        skill += a->seat[i].own + a->seat[i].others;
        luck += a->seat[i].luck;
    }
    if (!seats) {
        if (!set->games)
            s->sets--;
        return;
    }
    double n = ++set->games;
    s->no_luck |= a->options.no_luck;
    set->result += (result / seats - set->result) / n;
    set->skill += (skill / seats - set->skill) / n;
    set->luck += (luck / seats - set->luck) / n;
    add_differences(s, a);
}

// ---- Writing --------------------------------------------------------------------------------------------------------

static int by_skill(const void *a, const void *b)
{
    double x = fabs(((const struct swings_set *)a)->skill), y = fabs(((const struct swings_set *)b)->skill);
    return (x < y) - (x > y);
}

// Over sets, not games: games of a set share their deal, so they are not independent.
struct means {
    struct stats_mean result, skill, luck, rest;
};

static struct means find_means(const struct swings *s)
{
    struct means m = {0};
    for (uint32_t i = 0; i < s->sets; i++) {
        const struct swings_set *x = &s->set[i];
        stats_add(&m.result, x->result);
        stats_add(&m.skill, x->skill);
        stats_add(&m.luck, x->luck);
        stats_add(&m.rest, x->result - x->skill - x->luck);
    }
    return m;
}

static double error_of(const struct stats_mean *m)
{
    return m->count > 1 ? stats_deviation(m) / sqrt((double)m->count) : NAN;
}

static void put_mean(const struct swings *s, struct text *t, const char *name, const struct stats_mean *m)
{
    char line[96];
    double scale = facts_of(s->kit)->unit ? 1 : 100;
    int size = snprintf(line, sizeof line, "  %-8s%+10.2f", name, scale * m->mean);
    if (m->count > 1) // one set tells no error
        snprintf(line + size, sizeof line - (size_t)size, " ± %.2f", scale * error_of(m));
    text_puts(t, line);
    text_put_char(t, '\n');
}

static void put_sets(struct swings *s, struct text *t)
{
    char line[160];
    double scale = facts_of(s->kit)->unit ? 1 : 100;
    uint32_t shown = s->sets < SWINGS_SHOWN ? s->sets : SWINGS_SHOWN;
    qsort(s->set, s->sets, sizeof *s->set, by_skill);
    snprintf(line, sizeof line, "\nLargest swings by skill:\n%22s%7s%11s%11s%11s%11s\n", "seed", "games", "result",
             "skill", "luck", "rest");
    text_puts(t, line);
    for (uint32_t i = 0; i < shown; i++) {
        const struct swings_set *x = &s->set[i];
        char luck[16] = "-";
        if (!s->no_luck)
            snprintf(luck, sizeof luck, "%+.2f", scale * x->luck);
        snprintf(line, sizeof line, "%22llu%7u%+11.2f%+11.2f%11s%+11.2f\n", (unsigned long long)x->seed, x->games,
                 scale * x->result, scale * x->skill, luck, scale * (x->result - x->skill - x->luck));
        text_puts(t, line);
    }
}

static const char *phase_of(const struct swings *s, int phase)
{
    return s->kit->codec->phases[phase];
}

static void put_phases(const struct swings *s, struct text *t)
{
    char line[200];
    double scale = facts_of(s->kit)->unit ? 1 : 100;
    if (!s->compares)
        return;
    snprintf(line, sizeof line,
             "\nWhere they differ, and the mean cost of both choices there:\n%-22s%-14s%10s%8s%12s%12s\n", "phase",
             "to move", "positions", "differ", "its choice", "the other's");
    text_puts(t, line);
    for (int i = 0; i < SWINGS_PHASES; i++)
        for (int who = 0; who < 2; who++) {
            const struct swings_phase *p = &s->phase[i][who];
            double n = p->differ ? p->differ : 1;
            if (!p->positions)
                continue;
            snprintf(line, sizeof line, "%-22.21s%-14.13s%10u%8u%12.2f%12.2f\n", phase_of(s, i), s->player[who],
                     p->positions, p->differ, scale * p->own / n, scale * p->other / n);
            text_puts(t, line);
        }
}

void swings_write_text(struct swings *s, struct text *t)
{
    char line[320];
    struct means m = find_means(s);
    snprintf(line, sizeof line, "%s: %u game%s in %u set%s, %s against %s.\nReference: house:%s. Values are in %s.\n\n",
             s->kit->codec->title, s->games, s->games == 1 ? "" : "s", s->sets, s->sets == 1 ? "" : "s", s->player[0],
             s->player[1][0] ? s->player[1] : "the others", s->reference->name,
             facts_of(s->kit)->unit ? analysis_unit(s->kit) : "percent of the chance to win");
    text_puts(t, line);
    snprintf(line, sizeof line, "A set, mean for %s:\n", s->player[0]);
    text_puts(t, line);
    put_mean(s, t, "result", &m.result);
    put_mean(s, t, "skill", &m.skill);
    if (s->no_luck)
        text_puts(t, "  luck      not told\n");
    else
        put_mean(s, t, "luck", &m.luck);
    put_mean(s, t, "rest", &m.rest);
    put_sets(s, t);
    put_phases(s, t);
}

static void write_mean(struct text *t, const char *key, const struct stats_mean *m)
{
    json_begin_object_at(t, key);
    json_put_decimal(t, "mean", m->mean, 6);
    json_put_decimal(t, "error", error_of(m), 6);
    json_end_object(t);
}

static void write_sets(struct swings *s, struct text *t)
{
    qsort(s->set, s->sets, sizeof *s->set, by_skill);
    json_begin_array_at(t, "sets");
    for (uint32_t i = 0; i < s->sets; i++) {
        const struct swings_set *x = &s->set[i];
        json_begin_object(t);
        json_put_uint(t, "seed", x->seed);
        json_put_uint(t, "games", x->games);
        json_put_decimal(t, "result", x->result, 6);
        json_put_decimal(t, "skill", x->skill, 6);
        json_put_decimal(t, "luck", s->no_luck ? NAN : x->luck, 6); // null
        json_put_decimal(t, "rest", x->result - x->skill - x->luck, 6);
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_phases(const struct swings *s, struct text *t)
{
    json_begin_array_at(t, "differences");
    for (int i = 0; i < SWINGS_PHASES; i++)
        for (int who = 0; who < 2; who++) {
            const struct swings_phase *p = &s->phase[i][who];
            double n = p->differ ? p->differ : 1;
            if (!p->positions)
                continue;
            json_begin_object(t);
            json_put_text(t, "phase", phase_of(s, i));
            json_put_text(t, "player", s->player[who]);
            json_put_uint(t, "positions", p->positions);
            json_put_uint(t, "differ", p->differ);
            json_put_decimal(t, "own_loss", p->own / n, 6);
            json_put_decimal(t, "other_loss", p->other / n, 6);
            json_end_object(t);
        }
    json_end_array(t);
}

void swings_write_json(struct swings *s, struct text *t)
{
    struct means m = find_means(s);
    json_begin_object(t);
    json_put_text(t, "game", s->kit->game->name);
    json_put_text(t, "reference", s->reference->name);
    json_put_text(t, "unit", analysis_unit(s->kit));
    json_put_text(t, "player", s->player[0]);
    json_put_text(t, "opponent", s->player[1][0] ? s->player[1] : NULL);
    json_put_uint(t, "games", s->games);
    write_mean(t, "result", &m.result);
    write_mean(t, "skill", &m.skill);
    if (s->no_luck)
        json_put_text(t, "luck", NULL);
    else
        write_mean(t, "luck", &m.luck);
    write_mean(t, "rest", &m.rest);
    write_sets(s, t);
    write_phases(s, t);
    json_end_object(t);
}

// Luck (N20.6). The value of a deal is what equal players win who continue it; luck is this value less that of a deal
// drawn anew. Both deals come from the same distribution, so the mean is zero for any player and number of playouts.
#include "analysis/internal.h"

#include <stdlib.h>
#include <string.h>

enum { CONTINUATIONS = 100, DRAWN_ANEW = 2 }; // the stream beside that of kit/aivat.h

// Sums of differences of pairs, for their mean and its variance.
struct mean_difference {
    uint32_t count;
    double sum[GAME_MAX_SEATS], squares[GAME_MAX_SEATS];
};

static void add_difference(struct mean_difference *t, const double a[], const double b[], int seats)
{
    t->count++;
    for (int s = 0; s < seats; s++) {
        double d = a[s] - b[s];
        t->sum[s] += d;
        t->squares[s] += d * d;
    }
}

static void find_mean(const struct mean_difference *t, int seats, double out[GAME_MAX_SEATS],
                      double variance[GAME_MAX_SEATS])
{
    double n = t->count;
    for (int s = 0; s < seats; s++) {
        double mean = t->sum[s] / n, squares = t->squares[s] - n * mean * mean;
        out[s] = mean;
        variance[s] = n > 1 && squares > 0 ? squares / (n * (n - 1)) : 0;
    }
}

static void value_state(struct playout *on, const struct game_kit *k, const void *from, const void *state, int seats,
                        struct rng dice, double out[GAME_MAX_SEATS])
{
    union game_state s;
    memcpy(&s, state, k->game->state_size);
    playout_run(on, &s, dice);
    analysis_gain(k, from, &s, seats, out);
}

static uint32_t times_of(const struct game_kit *k, uint32_t times)
{
    const struct analysis_facts *f = facts_of(k);
    return times ? times : f->continuations ? f->continuations : CONTINUATIONS;
}

// Later chance is drawn anew in every continuation, the same for both states.
static void redraw_all(const struct game_kit *k, union game_state *s, struct rng *dice)
{
    if (facts_of(k)->redraw)
        facts_of(k)->redraw(s, dice);
}

// One pair of continuations: of the state that came, less of the other one, both with the same chance from here on.
static void compare_once(struct mean_difference *t, struct playout *on, const struct game_kit *k, const void *from,
                         union game_state *came, union game_state *other, int seats, const struct rng *own)
{
    struct rng play = rng_split(own, 2), chance = rng_split(own, 3), same = chance;
    double worth[GAME_MAX_SEATS], usual[GAME_MAX_SEATS];
    redraw_all(k, came, &chance);
    redraw_all(k, other, &same);
    value_state(on, k, from, came, seats, play, worth);
    value_state(on, k, from, other, seats, play, usual);
    add_difference(t, worth, usual, seats);
}

void analysis_deal_luck(const struct game_kit *k, const void *state, int seats, uint32_t times, struct rng dice,
                        double out[GAME_MAX_SEATS], double variance[GAME_MAX_SEATS])
{
    const struct game *g = k->game;
    const struct bot *reference = kit_level(k, KIT_LEVELS);
    struct mean_difference t = {0};
    memset(variance, 0, GAME_MAX_SEATS * sizeof *variance);
    if (enumerate_is_possible(k, reference)) {
        enumerate_deal_luck(k, reference, state, seats, out);
        return;
    }
    struct playout *on = playout_create(k, reference, seats);
    for (uint32_t i = 0; i < times_of(k, times); i++) {
        struct rng own = rng_split(&dice, i), drawn = rng_split(&own, 1);
        union game_state dealt, other;
        memcpy(&dealt, state, g->state_size);
        memcpy(&other, state, g->state_size);
        g->resample(&other, GAME_SPECTATOR, &drawn);
        compare_once(&t, on, k, state, &dealt, &other, seats, &own);
    }
    playout_destroy(on);
    find_mean(&t, seats, out, variance);
}

// The luck of a step with a random draw: the value of its outcome, less that of the step with a new draw.
static void step_luck(const struct game_kit *k, const void *before, const struct replay_entry *e, const void *after,
                      int seats, uint32_t times, struct rng dice, double out[], double variance[])
{
    const struct game *g = k->game;
    struct playout *on = playout_create(k, kit_level(k, KIT_LEVELS), seats);
    struct mean_difference t = {0};
    double more[GAME_MAX_SEATS], doubt[GAME_MAX_SEATS];
    for (uint32_t i = 0; i < times_of(k, times); i++) {
        struct rng own = rng_split(&dice, i), drawn = rng_split(&own, 1);
        union game_state came, other;
        memcpy(&came, after, g->state_size);
        memcpy(&other, before, g->state_size);
        facts_of(k)->redraw(&other, &drawn);
        if (g->apply(&other, e->seat, e->action, NULL) != OK)
            continue;
        compare_once(&t, on, k, before, &came, &other, seats, &own);
    }
    playout_destroy(on);
    if (!t.count)
        return;
    find_mean(&t, seats, more, doubt);
    for (int s = 0; s < seats; s++) {
        out[s] += more[s];
        variance[s] += doubt[s];
    }
}

struct follow {
    const struct game_kit *kit;
    int seats;
    uint32_t times; // continuations; 0: as the game says
    const struct analysis_options *options;
    struct rng dice, match; // dice of the continuations; the match's own stream for luck (MATCH_LUCK)
    struct replay_run run;
    struct game_events events;
    union game_state before; // the step
    double *out, *variance;  // by seat, of the caller
    _Alignas(16) uint8_t scratch[CONTEST_LUCK_SCRATCH];
};

// N14: games that compute luck from events.
static void follow_events(struct follow *f, const struct contest_luck *luck)
{
    double points[CONTEST_LUCKS][GAME_MAX_SEATS] = {{0}};
    double (*unit)(const void *) = facts_of(f->kit)->luck_unit;
    luck->follow(f->scratch, &f->events, f->match, points);
    for (int s = 0; s < f->seats; s++)
        f->out[s] += points[CONTEST_FOLLOWED - 1][s] * (unit ? unit(&f->before) : 1);
}

static void add_deal(struct follow *f)
{
    double more[GAME_MAX_SEATS] = {0}, doubt[GAME_MAX_SEATS];
    if (is_over(f->kit->game, &f->run.state))
        return;
    analysis_deal_luck(f->kit, &f->run.state, f->seats, f->times, rng_split(&f->dice, 2 * f->run.steps), more, doubt);
    for (int s = 0; s < f->seats; s++) {
        f->out[s] += more[s];
        f->variance[s] += doubt[s];
    }
}

static void follow_step(struct follow *f)
{
    const struct analysis_facts *facts = facts_of(f->kit);
    const struct replay_entry *e = &f->run.entry;
    if (part_of(f->kit, &f->run.state) != part_of(f->kit, &f->before))
        add_deal(f);
    else if (facts->redraw && e->kind == REPLAY_ACTION && facts->draws(&f->before, e->seat, e->action, &f->run.state))
        step_luck(f->kit, &f->before, e, &f->run.state, f->seats, f->times, rng_split(&f->dice, 2 * f->run.steps + 1),
                  f->out, f->variance);
}

static int follow_all(struct follow *f, const struct contest_luck *luck)
{
    int done;
    while (!is_stopped(f->options)) {
        memcpy(&f->before, &f->run.state, f->run.game->state_size);
        f->events.count = f->events.ticks = 0;
        uint64_t steps = f->run.steps;
        if ((done = replay_step(&f->run, 1, &f->events)) != 1)
            return done;
        if (luck)
            follow_events(f, luck);
        else if (f->run.steps != steps && f->run.entry.kind != REPLAY_STACK)
            follow_step(f);
    }
    return OK;
}

// Each match has dice of its own: with the same ones all deals of a contest would be held against the same few, and
// what those are worth by accident would be in the mean of every set, unseen by its error.
static struct rng dice_of_match(const struct rng *match, uint64_t seed)
{
    struct rng own = rng_split(match, DRAWN_ANEW);
    return rng_split(&own, seed);
}

int analysis_luck(const struct game_kit *k, const struct loaded_replay *replay, uint32_t times,
                  const struct analysis_options *o, double out[GAME_MAX_SEATS], double variance[GAME_MAX_SEATS])
{
    const struct contest_luck *luck = k->contest ? k->contest->luck : NULL;
    struct follow *f = calloc(1, sizeof *f);
    if (!f)
        abort();
    memset(out, 0, GAME_MAX_SEATS * sizeof *out);
    memset(variance, 0, GAME_MAX_SEATS * sizeof *variance);
    *f = (struct follow){
        .kit = k, .seats = replay->head.seats, .times = times, .options = o, .out = out, .variance = variance};
    int err = replay_begin(&f->run, replay->file, k->game, replay->key, &f->events);
    if (err == OK) {
        f->match = rng_split(&f->run.root, MATCH_LUCK);
        f->dice = dice_of_match(&f->match, o->seed);
        memcpy(&f->before, &f->run.state, f->run.game->state_size);
        if (luck)
            follow_events(f, luck);
        else
            add_deal(f);
        err = follow_all(f, luck);
    }
    free(f);
    return err < 0 ? err : OK;
}

// One decision: which answers are weighed, by which method, and what the verdict is.
#include "analysis/internal.h"

#include "house/ask.h"
#include "house/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    USUAL_WORLDS = 400,
    WHOLE_RANGE = 16,   // a range of fewer amounts is weighed whole,
    PARTS_OF_RANGE = 6, // a larger one at both ends and in so many steps between them
};
static const double percent = 0.01; // the floor of games without one: of a chance to win
static const double mixing = 0.05;  // N20.3

// ---- What games say -------------------------------------------------------------------------------------------------

const struct analysis_facts *facts_of(const struct game_kit *k)
{
    static const struct analysis_facts nothing, alone = {.unit = "points"}; // who plays alone wins no match
    return k->analysis ? k->analysis : k->game->max_seats == 1 ? &alone : &nothing;
}

uint32_t part_of(const struct game_kit *k, const void *state)
{
    const struct analysis_facts *f = facts_of(k);
    return f->part_of ? f->part_of(state) : 1;
}

bool is_over(const struct game *g, const void *state)
{
    return g->turn(state).kind == TURN_OVER;
}

const char *analysis_unit(const struct game_kit *k)
{
    const char *unit = facts_of(k)->unit;
    return unit ? unit : "winning chance";
}

double analysis_floor(const struct game_kit *k)
{
    double floor = facts_of(k)->floor;
    return floor > 0 ? floor : percent;
}

// Chances to win: at the end everything goes to those with the highest payoff. Partners win together.
static void find_chances(const struct game_kit *k, const void *state, int seats, double out[GAME_MAX_SEATS])
{
    int32_t pay[GAME_MAX_SEATS] = {0};
    int winners = 0;
    k->game->payoffs(state, pay);
    for (int s = 0; s < seats; s++)
        out[s] = 1.0 / seats;
    if (!is_over(k->game, state) && k->chances)
        k->chances(state, out);
    if (is_over(k->game, state)) {
        int32_t best = pay[0];
        for (int s = 1; s < seats; s++)
            best = pay[s] > best ? pay[s] : best;
        for (int s = 0; s < seats; s++)
            winners += pay[s] == best;
        for (int s = 0; s < seats; s++)
            out[s] = pay[s] == best ? 1.0 / winners : 0;
    }
    int partners = k->game->teams == 2 ? seats / 2 : 1;
    for (int s = 0; s < seats; s++)
        out[s] *= partners;
}

void analysis_gain(const struct game_kit *k, const void *from, const void *now, int seats, double out[GAME_MAX_SEATS])
{
    const struct analysis_facts *f = facts_of(k);
    double before[GAME_MAX_SEATS];
    int32_t paid[GAME_MAX_SEATS] = {0}, then[GAME_MAX_SEATS] = {0};
    if (f->gain) {
        f->gain(from, now, out);
    } else if (f->pays || seats == 1) {
        k->game->payoffs(from, paid);
        k->game->payoffs(now, then);
        for (int s = 0; s < seats; s++)
            out[s] = (double)then[s] - paid[s];
    } else {
        find_chances(k, from, seats, before);
        find_chances(k, now, seats, out);
        for (int s = 0; s < seats; s++)
            out[s] -= before[s];
    }
}

// ---- The question ---------------------------------------------------------------------------------------------------

void analysis_question_fill(struct analysis_question *p, const struct game_kit *k, const void *state, int seat,
                            int seats)
{
    const struct game *g = k->game;
    struct rng fixed = {.key = {20}};
    memset(p, 0, sizeof *p);
    p->kit = k;
    p->seat = seat;
    p->seats = seats;
    g->view(state, seat, &p->view);
    p->count = g->choices(state, seat, p->choices);
    p->fallback = g->fallback(state, seat);
    if (!g->imagine) {
        memcpy(&p->redrawn, state, g->state_size);
        g->resample(&p->redrawn, seat, &fixed);
    }
}

struct bot_ask analysis_ask_of(const struct analysis_question *p, const struct bot *reference, struct rng *dice)
{
    return (struct bot_ask){.bot = reference,
                            .game = p->kit->game,
                            .view = &p->view,
                            .seat = p->seat,
                            .seats = p->seats,
                            .choices = p->choices,
                            .count = p->count,
                            .fallback = p->fallback,
                            .aggro = 0.5f,
                            .dice = dice,
                            .mind = reference->mind_size ? p->mind : NULL,
                            .scratch = scratch_for(reference)};
}

static int add_answer(struct action_values *w, struct game_action a)
{
    int at = action_values_find(w, a);
    if (at >= 0 || w->count == ACTION_VALUES_MAX)
        return at;
    w->action[w->count] = a;
    return w->count++;
}

// Of a range of amounts all, or some from the least to the most.
static void add_choice(struct action_values *w, const struct game_choice *c, bool chosen_elsewhere)
{
    int64_t span = (int64_t)c->max_amount - c->first.amount;
    int64_t steps = span < WHOLE_RANGE ? span : chosen_elsewhere ? 0 : PARTS_OF_RANGE;
    for (int64_t i = 0; i <= steps && w->count < ACTION_VALUES_MAX; i++) {
        struct game_action a = c->first;
        a.amount = (int32_t)(c->first.amount + (steps ? span * i / steps : 0));
        if (span < WHOLE_RANGE || !chosen_elsewhere)
            add_answer(w, a);
    }
}

// The reference's own answer, and its shares where it has some.
static struct game_action ask_reference(const struct analysis_question *p, const struct bot *reference, struct rng dice,
                                        struct action_values *w)
{
    struct bot_ask ask = analysis_ask_of(p, reference, &dice);
    struct bot_mix mix[BOT_MAX_MIX];
    int count = reference->mix ? reference->mix(&ask, mix) : 0, top = 0;
    for (int i = 0; i < count; i++) {
        int at = add_answer(w, mix[i].action);
        if (at >= 0)
            w->share[at] += mix[i].share;
        top = mix[i].share > mix[top].share ? i : top;
    }
    return count ? mix[top].action : house_choose(reference, &ask);
}

static void list_answers(const struct analysis_question *p, const struct bot *reference, struct game_action played,
                         struct action_values *w)
{
    const struct analysis_facts *f = facts_of(p->kit);
    struct rng none = {0};
    struct bot_ask ask = analysis_ask_of(p, reference, &none);
    struct game_action more[ACTION_VALUES_MAX];
    w->played = add_answer(w, played);
    if (f->open_minds)
        ask.mind = p->open;
    int count = f->candidates ? f->candidates(&ask, more, ACTION_VALUES_MAX) : 0;
    for (int i = 0; i < count; i++)
        add_answer(w, more[i]);
    for (int i = 0; i < p->count; i++)
        add_choice(w, &p->choices[i], count > 0);
}

// ---- The verdict ----------------------------------------------------------------------------------------------------

// Two halves of the work: each evaluates the answer that was best in the other half, because the largest of many
// estimates is biased (N20.2).
struct halves {
    struct action_values half[2], both;
};

static void join_halves(struct halves *h)
{
    struct action_values *w = &h->both;
    *w = h->half[0];
    if (w->exact)
        return;
    const struct action_values *b = &h->half[1];
    w->worlds += b->worlds;
    w->weight += b->weight;
    w->weights += b->weights;
    for (int i = 0; i < w->count; i++) {
        w->sum[i] += b->sum[i];
        w->ahead[i] += b->ahead[i];
        w->square[i] += b->square[i];
        w->points[i] += b->points[i];
        w->share[i] = (w->share[i] + b->share[i]) / 2;
    }
}

static double find_loss(const struct halves *h, int *better, double *error)
{
    const struct action_values *a = &h->half[0], *b = &h->half[1];
    *better = action_values_best(&h->both);
    *error = sqrt(action_values_variance(&h->both, *better));
    if (h->both.exact)
        return action_values_lead(&h->both, *better);
    int first = action_values_best(a), second = action_values_best(b);
    double loss = (action_values_lead(b, first) + action_values_lead(a, second)) / 2;
    double other = sqrt((action_values_variance(b, first) + action_values_variance(a, second)) / 4);
    *error = other > *error ? other : *error;
    return loss;
}

static bool is_mixed(const struct game_kit *k, const struct action_values *w, float *share)
{
    bool (*alike)(struct game_action, struct game_action) = facts_of(k)->alike;
    struct game_action played = w->action[w->played];
    double sum = 0, all = 0;
    for (int i = 0; i < w->count; i++) {
        all += (double)w->share[i];
        if (i == w->played || (alike && alike(w->action[i], played)))
            sum += (double)w->share[i];
    }
    *share = all > 0 ? (float)sum : -1;
    return all > 0 && sum >= mixing;
}

static uint32_t work_of(const struct analysis_question *p, const struct bot *reference, uint32_t work)
{
    uint32_t usual = facts_of(p->kit)->work;
    if (reference->weigh)
        return work ? work : usual ? usual : 8;
    return work ? work : usual ? usual : USUAL_WORLDS;
}

static void weigh_halves(const struct analysis_question *p, const struct bot *reference, struct playout *on,
                         uint32_t work, struct rng dice, struct halves *h)
{
    for (int i = 0; i < 2; i++) {
        struct rng own = rng_split(&dice, (uint64_t)i + 1), asked = rng_split(&own, 3);
        struct bot_ask ask = analysis_ask_of(p, reference, &asked);
        uint32_t part = work / 2 + (i == 0 ? work % 2 : 0);
        ask.effort = part ? part : 1;
        if (enumerate_is_possible(p->kit, reference))
            enumerate_answers(p, reference, &h->half[i]);
        else if (reference->weigh)
            reference->weigh(&ask, &h->half[i]);
        else
            playout_answers(p, on, reference, part ? part : 1, own, &h->half[i]);
    }
    join_halves(h);
}

static void explain_verdict(const struct analysis_question *p, const struct bot *reference, struct playout *on,
                            const struct action_values *w, const struct analysis_verdict *v, struct text *words,
                            const char *const *names)
{
    const struct analysis_facts *f = facts_of(p->kit);
    struct rng none = {0};
    struct bot_ask ask = analysis_ask_of(p, reference, &none);
    if (!words || !f->explain)
        return;
    if (f->open_minds)
        ask.mind = p->open;
    if (f->believe)
        f->believe((void *)(uintptr_t)playout_belief(on), &ask);
    struct analysis_words said = {&ask, playout_belief(on), w, w->action[w->played], v->better, names};
    f->explain(words, &said);
}

struct analysis_verdict analysis_evaluate(const struct analysis_question *p, const struct bot *reference,
                                          struct game_action played, uint32_t work, struct rng dice, struct text *words,
                                          const char *const *names)
{
    struct halves *h = calloc(1, sizeof *h);
    struct playout *on = playout_create(p->kit, reference, p->seats);
    struct analysis_verdict v = {0};
    int better;
    if (!h)
        abort();
    list_answers(p, reference, played, &h->half[0]);
    v.house = ask_reference(p, reference, rng_split(&dice, 9), &h->half[0]);
    add_answer(&h->half[0], v.house);
    h->half[1] = h->half[0];
    weigh_halves(p, reference, on, work_of(p, reference, work), dice, h);
    v.loss = find_loss(h, &better, &v.error);
    v.better = h->both.action[better];
    v.value = action_values_mean(&h->both, h->both.played);
    v.mixes = is_mixed(p->kit, &h->both, &v.share);
    v.exact = h->both.exact;
    v.worlds = h->both.worlds;
    if (v.mixes || better == h->both.played)
        v.loss = 0;
    if (v.mixes)
        v.error = 0;
    v.mistake = v.loss > 2 * v.error && v.loss >= analysis_floor(p->kit);
    explain_verdict(p, reference, on, &h->both, &v, words, names);
    playout_destroy(on);
    free(h);
    return v;
}

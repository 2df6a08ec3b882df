// Games that are small enough to be enumerated (N20.4): every deal that looks the same to the seat, weighted by how
// likely the others' play so far is; after every answer all seats play as the reference does.
//
// A deal of solve_facts is a match of one hand in which seat 0 acts first; seats are turned accordingly.
#include "analysis/internal.h"

#include "house/scratch.h"
#include "solve/facts.h"

#include <string.h>

bool enumerate_is_possible(const struct game_kit *k, const struct bot *reference)
{
    return k->solve && k->solve->deal && k->solve->key && reference->mix;
}

static int mix_at(const struct game *g, const struct bot *bot, const void *state, int seat, int seats,
                  struct bot_mix mix[BOT_MAX_MIX])
{
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct bot_ask ask = {.bot = bot, .game = g, .view = &view, .seat = seat, .seats = seats, .choices = choices};
    g->view(state, seat, &view);
    ask.count = g->choices(state, seat, choices);
    ask.fallback = g->fallback(state, seat);
    ask.aggro = 0.5f;
    ask.scratch = scratch_for(bot);
    return bot->mix(&ask, mix);
}

// What every seat can expect until the part is over, when all play as the reference does.
static void expect_gain(const struct game_kit *k, const struct bot *bot, const void *from, const void *state, int seats,
                        double out[GAME_MAX_SEATS])
{
    const struct game *g = k->game;
    struct bot_mix mix[BOT_MAX_MIX];
    if (is_over(g, state) || part_of(k, state) != part_of(k, from)) {
        analysis_gain(k, from, state, seats, out);
        return;
    }
    int seat = __builtin_ctz(g->turn(state).seats), count = mix_at(g, bot, state, seat, seats, mix);
    memset(out, 0, GAME_MAX_SEATS * sizeof *out);
    for (int i = 0; i < count; i++) {
        union game_state next;
        double then[GAME_MAX_SEATS];
        memcpy(&next, state, g->state_size);
        if (mix[i].share <= 0 || g->apply(&next, seat, mix[i].action, NULL) != OK)
            continue;
        expect_gain(k, bot, from, &next, seats, then);
        for (int s = 0; s < seats; s++)
            out[s] += (double)mix[i].share * then[s];
    }
}

// Plays deal `number` up to the question. Returns how likely the others' play was; 0: the deal looks different to the
// seat; -1: there is no deal of this number.
static double reach_question(const struct analysis_question *p, const struct bot *bot, int number, union game_state *s)
{
    const struct game *g = p->kit->game;
    union game_rules rules;
    union game_view view;
    int first = p->path_count ? p->path[0].seat : p->seat, me = (p->seat - first + p->seats) % p->seats;
    double reach = 1;
    memset(&rules, 0, sizeof rules);
    g->defaults(&rules);
    if (!p->kit->solve->deal(number, &rules))
        return -1;
    if (g->init(s, &rules, p->seats, (struct rng){0}, NULL) != OK)
        return 0;
    for (int i = 0; i < p->path_count; i++) {
        int seat = (p->path[i].seat - first + p->seats) % p->seats;
        struct bot_mix mix[BOT_MAX_MIX];
        int count = seat == me ? 0 : mix_at(g, bot, s, seat, p->seats, mix);
        double share = seat == me;
        for (int m = 0; m < count; m++)
            share += game_same_action(mix[m].action, p->path[i].action) ? (double)mix[m].share : 0;
        reach *= share;
        if (g->apply(s, seat, p->path[i].action, NULL) != OK)
            return 0;
    }
    g->view(s, me, &view);
    if (p->kit->solve->key(&view) != p->kit->solve->key(&p->view))
        return 0;
    return reach > 0 ? reach : 1e-300; // possible, but the reference would not have come here
}

void enumerate_answers(const struct analysis_question *p, const struct bot *reference, struct action_values *w)
{
    const struct game_kit *k = p->kit;
    int first = p->path_count ? p->path[0].seat : p->seat, me = (p->seat - first + p->seats) % p->seats;
    union game_state state, next;
    double reach;
    w->exact = true;
    for (int number = 0; (reach = reach_question(p, reference, number, &state)) >= 0; number++) {
        double value[ACTION_VALUES_MAX] = {0}, gain[GAME_MAX_SEATS];
        if (reach == 0)
            continue;
        for (int i = 0; i < w->count; i++) {
            memcpy(&next, &state, k->game->state_size);
            if (k->game->apply(&next, me, w->action[i], NULL) == OK) {
                expect_gain(k, reference, &state, &next, p->seats, gain);
                value[i] = gain[me];
            }
        }
        action_values_add(w, value, reach);
    }
}

// What the deal is worth to equals, less what all deals are worth.
void enumerate_deal_luck(const struct game_kit *k, const struct bot *reference, const void *state, int seats,
                         double out[GAME_MAX_SEATS])
{
    const struct game *g = k->game;
    union game_rules rules;
    union game_state root;
    double mean[GAME_MAX_SEATS] = {0}, gain[GAME_MAX_SEATS];
    int first = __builtin_ctz(g->turn(state).seats), deals = 0;
    memset(&rules, 0, sizeof rules);
    g->defaults(&rules);
    for (; k->solve->deal(deals, &rules); deals++) {
        if (g->init(&root, &rules, seats, (struct rng){0}, NULL) != OK)
            continue;
        expect_gain(k, reference, &root, &root, seats, gain);
        for (int s = 0; s < seats; s++)
            mean[s] += gain[s];
    }
    expect_gain(k, reference, state, state, seats, out);
    for (int s = 0; s < seats && deals; s++)
        out[s] -= mean[(s - first + seats) % seats] / deals;
}

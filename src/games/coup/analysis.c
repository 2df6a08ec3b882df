// Coup for the analysis: which events are chance, and how credible claims were.
#include "games/coup/analysis.h"

#include "codec/codec.h"
#include "games/coup/bots/bots.h"
#include "games/coup/bots/claims.h"
#include "games/coup/codec.h"
#include "games/coup/rules/coup.h"

#include <string.h>

// Keeps the cards of the deck and redraws their order.
static void redraw(void *state, struct rng *dice)
{
    struct coup_state *s = state;
    struct rng_draw draw;
    rng_begin(&draw, dice);
    for (int i = 0; i < 8; i++)
        s->chance.key[i] = rng_draw_u32(&draw);
    memset(s->top, 0, sizeof s->top);
}

// A card was shown and replaced, or two were drawn for an exchange.
static bool draws(const void *before, int seat, struct game_action a, const void *after)
{
    const struct coup_state *was = before, *is = after;
    (void)seat, (void)a;
    return was->chance.section != is->chance.section || (is->exchange[0] && !was->exchange[0]);
}

// The role that was claimed last and may be doubted now, and by whom; 0: none.
static int find_claim(const struct coup_view *v, int *who)
{
    bool block = v->phase == COUP_PHASE_CHALLENGE_BLOCK;
    *who = block ? v->log.blocker : v->log.actor;
    return block ? v->log.block_role : v->phase == COUP_PHASE_ACTION ? 0 : coup_acts[v->log.action].role;
}

static void explain_doubt(struct text *t, const struct analysis_words *w, int who, int role)
{
    const struct coup_view *v = w->ask->view;
    int cards = 2 - __builtin_popcount(v->seat[w->ask->seat].up & 3);
    codec_write(t, "%s claimed %s", w->seat[who], coup_role_names[role]);
    if (w->ask->bot->observe == claims_observe && w->ask->mind) // its mind has the claims
        codec_write(t, ", which by its claims and the cards seen was true with %.0f %%",
                    100 * (double)claims_truth(w->ask->mind, v, who, role));
    codec_write(t, ". A wrong challenge costs a card of %d. ", cards);
}

static void explain_lie(struct text *t, const struct analysis_words *w)
{
    const struct coup_view *v = w->ask->view;
    int role = w->played.kind == COUP_BLOCK    ? w->played.arg[0]
               : v->phase == COUP_PHASE_ACTION ? coup_acts[w->played.kind].role
                                               : COUP_NO_ROLE;
    if (role != COUP_NO_ROLE)
        codec_write(t,
                    coup_has_role(&v->seat[w->ask->seat], role) ? "The claim of %s was true. "
                                                                : "The claim of %s was a bluff. ",
                    coup_role_names[role]);
}

static void explain(struct text *t, const struct analysis_words *w)
{
    const struct coup_view *v = w->ask->view;
    const struct action_values *x = w->values;
    int who, role = find_claim(v, &who), better = action_values_find(x, w->better);
    if (role && who < v->seats && who != w->ask->seat)
        explain_doubt(t, w, who, role);
    explain_lie(t, w);
    codec_write(t, "It had %d coins. Won %.1f %% of the worlds; the better answer %.1f %%.",
                v->seat[w->ask->seat].coins, 100 * action_values_mean(x, x->played),
                100 * action_values_mean(x, better < 0 ? x->played : better));
}

const struct analysis_facts coup_analysis = {
    .work = 8, .playout = &coup_rules_bot, .longest = 400, .redraw = redraw, .draws = draws, .explain = explain};

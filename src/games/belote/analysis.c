// Belote for the analysis: deals are judged one by one, by the cards on the table.
#include "games/belote/analysis.h"

#include "games/belote/bots/bots.h"
#include "games/belote/prose.h"

static uint32_t deal_of(const void *state)
{
    return ((const struct belote_state *)state)->deal + 1;
}

static void put_cards(struct text *t, const uint8_t *cards, int count)
{
    for (int i = 0; i < count; i++)
        codec_write(t, " %s", belote_card_name(cards[i]));
}

// Cost of a card, in points of the deal.
static void explain_points(struct text *t, const struct action_values *x, int better)
{
    double lost = action_values_points(x, better) - action_values_points(x, x->played);
    if (lost >= 0.5)
        codec_write(t, " It gives away %.0f card points of the deal.", lost);
    else if (lost <= -0.5)
        codec_write(t, " It takes %.0f card points more, which the match needs less.", -lost);
    else
        codec_write(t, " It gives away no card points.");
}

static void explain(struct text *t, const struct analysis_words *w)
{
    const struct belote_view *v = w->ask->view;
    const struct action_values *x = w->values;
    int us = belote_team(w->ask->seat), better = action_values_find(x, w->better);
    if (v->phase == BELOTE_CUT_PHASE)
        return;
    codec_write(t, "It held");
    put_cards(t, v->hand, v->cards);
    if (v->mode < BELOTE_MODES) {
        codec_write(t, ", played at %s, trick %d", belote_mode_names[v->mode], v->plays / 4 + 1);
        if (v->plays % 4) {
            codec_write(t, " with");
            put_cards(t, v->play + v->plays / 4 * 4, v->plays % 4);
            codec_write(t, " on the table");
        }
        codec_write(t, "; card points so far %d to %d", v->card_points[us], v->card_points[1 - us]);
    }
    codec_write(t, ". Match points %d to %d. The match is won with %.1f %%, after the better answer with %.1f %%.",
                v->points[us], v->points[1 - us], 100 * action_values_mean(x, x->played),
                100 * action_values_mean(x, better < 0 ? x->played : better));
    if (v->phase == BELOTE_PLAY_PHASE && better >= 0 && x->weight > 0)
        explain_points(t, x, better);
}

const struct analysis_facts belote_analysis = {
    .floor = 0.005,
    .work = 10,
    .part = "deal",
    .part_of = deal_of,
    .playout = &belote_calc_bot,
    .continuations = 100,
    .explain = explain,
};

// The strongest player: between two by a solved table (N5.1), at larger tables by beliefs. Ones that are not wild were
// not solved: beliefs again.
#include "games/liars_dice/bots/solved.h"
#include "games/liars_dice/bots/bid_history.h"
#include "games/liars_dice/bots/bots.h"
#include "games/liars_dice/bots/table.h"

#include <string.h>

extern const struct bot_table liars_dice_table; // share/tables/liars_dice.table

static bool is_heads_up(const struct liars_dice_view *v)
{
    int in_play = 0;
    for (int seat = 0; seat < v->seats; seat++)
        in_play += v->dice_counts[seat] > 0;
    return in_play == 2 && v->wild_ones;
}

// What it remembers of the bids.
static uint32_t find_place(const struct bot_ask *ask)
{
    const struct liars_dice_view *v = ask->view;
    const struct bid_history *m = ask->mind;
    int own = v->dice_counts[v->viewer], shape = round_shape(own, v->total - own), place = 0, last = 0;
    for (int i = 0; i < bid_history_count(m); i++) {
        if (m->bid[i] <= last || m->bid[i] > v->bid)
            continue; // no mind of this round
        last = m->bid[i];
        place = round_next(shape, place, last);
    }
    return (uint32_t)(last == v->bid ? place : round_next(shape, place, v->bid));
}

static bool find_mix(const struct bot_ask *ask, struct table_mix *out)
{
    const struct liars_dice_view *v = ask->view;
    struct dice_table t;
    struct round_hands h;
    int own = v->dice_counts[v->viewer];
    if (!is_heads_up(v) || !dice_table_open(&t, liars_dice_table.at, *liars_dice_table.size))
        return false;
    round_list_hands(&h, own);
    dice_table_find(&t, &h, v->total - own, (int)find_place(ask), round_hand_of(&h, v->dice), out);
    return true;
}

// The others do not play by the table alone: whatever a hand would not have bid may be a slip.
static float likelihood(const struct dice_table *t, const struct round_hands *h, int own, int place, int hand, int bid)
{
    const float slip = 0.05f;
    struct table_mix mix;
    float share = 0;
    dice_table_find(t, h, own, place, hand, &mix);
    for (int i = 0; i < mix.count; i++)
        share += mix.rank[i] == bid ? mix.share[i] : 0;
    return slip + (1 - slip) * share;
}

bool liars_dice_range(const struct bot_ask *ask, struct round_hands *h, float weight[ROUND_HANDS])
{
    const struct liars_dice_view *v = ask->view;
    const struct bid_history *m = ask->mind;
    struct dice_table t;
    int own = v->dice_counts[v->viewer], theirs = v->total - own, shape = round_shape(theirs, own), place = 0, last = 0;
    if (!is_heads_up(v) || !dice_table_open(&t, liars_dice_table.at, *liars_dice_table.size))
        return false;
    round_list_hands(h, theirs);
    memcpy(weight, h->chance, sizeof h->chance);
    for (int i = 0; i < bid_history_count(m); i++) {
        if (m->bid[i] <= last || m->bid[i] > v->bid)
            continue; // no mind of this round
        for (int hand = 0; hand < h->count && m->bidder[i] != v->viewer; hand++)
            weight[hand] *= likelihood(&t, h, own, place, hand, m->bid[i]);
        last = m->bid[i];
        place = round_next(shape, place, last);
    }
    return true;
}

static struct game_action choose(const struct bot_ask *ask)
{
    struct table_mix mix;
    if (!find_mix(ask, &mix))
        return liars_dice_beliefs_bot.choose(ask);
    return liars_dice_answer(dice_table_draw(&mix, ask->dice));
}

static int list_mix(const struct bot_ask *ask, struct bot_mix out[BOT_MAX_MIX])
{
    struct table_mix mix;
    if (!find_mix(ask, &mix))
        return 0;
    for (int i = 0; i < mix.count; i++)
        out[i] = (struct bot_mix){liars_dice_answer(mix.rank[i]), mix.share[i]};
    return mix.count;
}

const struct bot liars_dice_solved_bot = {.name = "solved",
                                          .game = "liars_dice",
                                          .choose = choose,
                                          .mix = list_mix,
                                          .place = find_place,
                                          .mind_size = sizeof(struct bid_history),
                                          .observe = bid_history_observe,
                                          .table = &liars_dice_table};

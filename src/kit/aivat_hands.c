#include "kit/aivat_hands.h"

#include "kit/small_poker.h"
#include "stats/range.h"

#include <string.h>

static void copy_state(const struct aivat_hands *h, union game_state *to, const void *from)
{
    memcpy(to, from, h->facts->game->state_size);
}

static int32_t payoff_of(const struct aivat_hands *h, const void *state)
{
    int32_t all[GAME_MAX_SEATS];
    h->facts->game->payoffs(state, all);
    return all[h->seat];
}

static struct hands_view public_view(const struct aivat_hands *h, const void *state)
{
    struct hands_view v;
    h->facts->game->view(state, GAME_SPECTATOR, &v);
    return v;
}

static uint32_t hand_of(const struct aivat_hands *h, const void *state)
{
    return small_poker_hand(hands_of(h->facts->game, state));
}

// Gives this card to the seat in exchange for its own. False: the other seat has it, or it is public.
static bool give_card(const struct aivat_hands *h, void *state, int seat, int card)
{
    const struct game *g = h->facts->game;
    return hands_hold(hands_of(g, state), hands_deck_of(g, state), seat, card, public_view(h, state).round);
}

// Makes the n-th of the other cards the one that may be turned up next. False: there are no more.
static bool reorder(const struct aivat_hands *h, void *state, int number)
{
    uint8_t *card = hands_deck_of(h->facts->game, state)->card + HANDS_SEATS, first = card[0];
    if (number >= h->facts->cards - HANDS_SEATS || (number && public_view(h, state).round))
        return false;
    card[0] = card[number];
    card[number] = first;
    return true;
}

static double estimate_worth(const struct aivat_hands *h, void *state, int seat)
{
    const struct game *g = h->facts->game;
    if (h->facts->worth)
        return h->facts->worth(state, seat);
    struct hands_view v = public_view(h, state);
    int both = (v.pot - v.to_call) / 2,
        winner = hands_winner(hands_of(g, state), hands_deck_of(g, state), v.public_card);
    return winner == HANDS_NOBODY ? 0 : winner == seat ? both : -both;
}

// The result of the hand, or an estimate.
static double value_of_state(const struct aivat_hands *h, const void *before, void *after)
{
    if (hand_of(h, after) != h->hand)
        return payoff_of(h, after) - payoff_of(h, before);
    return estimate_worth(h, after, h->seat);
}

// Mean over everything that may follow the action with this card; `only`: with the cards as they are.
static bool value_of_action(const struct aivat_hands *h, const void *before, int card, int seat, struct game_action a,
                            bool only, float *out)
{
    union game_state held, next;
    double sum = 0;
    int count = 0;
    copy_state(h, &held, before);
    if (!give_card(h, &held, h->seat, card))
        return false;
    for (next = held; count == 0 || (!only && reorder(h, &next, count)); next = held) {
        if (h->facts->game->apply(&next, seat, a, NULL) != OK)
            return false;
        sum += value_of_state(h, before, &next);
        count++;
        if (only)
            break;
    }
    *out = (float)(sum / count);
    return true;
}

// Gives both seats these cards. Returns false if that is impossible.
static bool hold_both(const struct aivat_hands *h, union game_state *s, int card, int other)
{
    const struct aivat_hands_facts *f = h->facts;
    bool held = give_card(h, s, !h->seat, other);
    for (int k = 0; k < f->cards && !held; k++) // the seat's own card was that one and has to be replaced first
        held = give_card(h, s, h->seat, k) && give_card(h, s, !h->seat, other);
    return held && give_card(h, s, h->seat, card);
}

// The luck of the other seat's card, by the value of all pairs of cards.
static void begin_hand(struct aivat_hands *h, const void *state)
{
    const struct aivat_hands_facts *f = h->facts;
    double own = 0, mean = 0;
    int all = 0, count = 0;
    for (int other = 0; other < f->cards; other++)
        for (int card = 0; card < f->cards; card++) {
            union game_state s;
            copy_state(h, &s, state);
            if (card == other || !hold_both(h, &s, card, other))
                continue;
            mean += estimate_worth(h, &s, h->seat);
            all++;
        }
    h->hand = hand_of(h, state);
    for (int card = 0; card < f->cards; card++) {
        union game_state s;
        copy_state(h, &s, state);
        h->weight[card] = give_card(h, &s, h->seat, card);
        own += h->weight[card] > 0 ? estimate_worth(h, &s, h->seat) : 0;
        count += h->weight[card] > 0;
    }
    h->luck += own / count - mean / all;
}

// Probabilities of the choices with every card.
static void find_shares(const struct aivat_hands *h, const void *before, const struct game_choice *choices, int count,
                        float share[][AIVAT_HANDS_CARDS])
{
    const struct game *g = h->facts->game;
    memset(share, 0, sizeof *share * (size_t)count);
    for (int card = 0; card < h->facts->cards; card++) {
        union game_state s;
        union game_view view;
        struct bot_mix mix[BOT_MAX_MIX];
        copy_state(h, &s, before);
        if (h->weight[card] <= 0 || !give_card(h, &s, h->seat, card))
            continue;
        g->view(&s, h->seat, &view);
        struct bot_ask question = {.bot = h->bot,
                                   .game = g,
                                   .view = &view,
                                   .seat = h->seat,
                                   .seats = 2,
                                   .choices = choices,
                                   .count = count,
                                   .fallback = choices[0].first,
                                   .aggro = 0.5f};
        int n = h->bot->mix(&question, mix);
        for (int i = 0; i < n; i++)
            for (int c = 0; c < count; c++)
                if (game_same_action(choices[c].first, mix[i].action))
                    share[c][card] += mix[i].share;
    }
}

static void follow_action(struct aivat_hands *h, const void *before, struct game_action action)
{
    enum { MOST = 4 };
    struct game_choice choices[GAME_MAX_CHOICES];
    float share[MOST][AIVAT_HANDS_CARDS], worth[AIVAT_HANDS_CARDS] = {0};
    double chance[MOST], mean[MOST];
    int count = h->facts->game->choices(before, h->seat, choices), played = -1;
    if (count > MOST)
        return;
    find_shares(h, before, choices, count, share);
    for (int c = 0; c < count; c++) {
        for (int card = 0; card < h->facts->cards; card++)
            value_of_action(h, before, card, h->seat, choices[c].first, false, &worth[card]);
        struct range_part part = range_part(h->weight, share[c], worth, h->facts->cards);
        chance[c] = part.chance;
        mean[c] = part.mean;
        if (game_same_action(choices[c].first, action))
            played = c;
    }
    if (played >= 0 && range_narrow(h->weight, share[played], h->facts->cards))
        h->luck += range_luck(chance, mean, count, played);
}

// Luck of the cards that came, and at the end of the card that was held.
static void follow_chance(struct aivat_hands *h, const void *before, const void *after, int seat,
                          struct game_action action)
{
    float was[AIVAT_HANDS_CARDS] = {0}, is[AIVAT_HANDS_CARDS] = {0};
    bool ended = hand_of(h, after) != h->hand;
    for (int card = 0; card < h->facts->cards; card++)
        value_of_action(h, before, card, seat, action, false, &was[card]);
    h->luck -= range_part(h->weight, NULL, was, h->facts->cards).mean;
    for (int card = 0; card < h->facts->cards; card++) {
        union game_state s;
        copy_state(h, &s, after);
        if (ended)
            value_of_action(h, before, card, seat, action, true, &is[card]);
        else if (give_card(h, &s, h->seat, card))
            is[card] = (float)estimate_worth(h, &s, h->seat);
        else
            h->weight[card] = 0;
    }
    double mean = range_part(h->weight, NULL, is, h->facts->cards).mean;
    h->luck += mean;
    if (ended)
        h->luck += payoff_of(h, after) - payoff_of(h, before) - mean;
}

bool aivat_hands_knows(const struct bot *bot)
{
    return bot->mix && !bot->mind_size;
}

void aivat_hands_begin(void *work, const struct aivat_facts *f, const struct bot *bot, int seat, struct rng dice)
{
    (void)dice; // not needed: everything is enumerated
    *(struct aivat_hands *)work = (struct aivat_hands){.facts = f->more, .bot = bot, .seat = seat};
}

void aivat_hands_step(void *work, const struct aivat_step *s)
{
    struct aivat_hands *h = work;
    if (hand_of(h, s->before) != h->hand)
        begin_hand(h, s->before);
    if (s->seat < 0)
        return;
    if (s->seat == h->seat)
        follow_action(h, s->before, s->action);
    follow_chance(h, s->before, s->after, s->seat, s->action);
}

double aivat_hands_luck(const void *work)
{
    return ((const struct aivat_hands *)work)->luck;
}

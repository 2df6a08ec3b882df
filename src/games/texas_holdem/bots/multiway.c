#include "games/texas_holdem/bots/multiway.h"

#include "games/texas_holdem/bots/play.h"
#include "games/texas_holdem/rules/eval.h"

enum { WORLDS = 400, SMALL = 8 }; // deals that estimate an equity; big blinds of a stack that is all-in or nothing

// ---- Before the flop ------------------------------------------------------------------------------------------------

// How a class is worth in a pot with several: pairs and high cards, suits and neighbours a little.
static int worth_of(int class)
{
    int row = class / 13, column = class % 13, high = row > column ? row : column, low = row > column ? column : row;
    int gap = high - low;
    if (gap == 0)
        return 40 + 13 * high;
    return 6 * high + 4 * low + (row > column ? 12 : 0) +
           (gap == 1   ? 7
            : gap == 2 ? 4
            : gap == 3 ? 2
                       : 0) +
           (high == 12 ? 8 : 0);
}

// What share of all hands is better than each class.
static void rank_classes(uint8_t rank[BUCKET_CLASSES])
{
    for (int i = 0; i < BUCKET_CLASSES; i++) {
        int better = 0;
        for (int j = 0; j < BUCKET_CLASSES; j++) {
            int ways = j / 13 == j % 13 ? 6 : j / 13 > j % 13 ? 4 : 12;
            better += worth_of(j) > worth_of(i) ? ways : 0;
        }
        rank[i] = (uint8_t)(better * 255 / BUCKET_HANDS);
    }
}

// What a seat has shown before the flop, as the share of hands that play so.
struct showing {
    int raises;  // of the whole table before the flop
    int callers; // of the last of them
    float share[HOLDEM_SEATS];
    bool raised[HOLDEM_SEATS];
};

static void read_line(const struct betting_history *m, struct showing *s)
{
    *s = (struct showing){0};
    int32_t level = m->big_blind;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        s->share[i] = 1;
    for (int i = 0; i < betting_history_count(m) && m->move[i].phase == HOLDEM_PREFLOP; i++) {
        const struct betting_history_move *a = &m->move[i];
        static const float raising[] = {0.28f, 0.09f, 0.04f}, calling[] = {0.65f, 0.45f, 0.15f};
        int n = s->raises < 2 ? s->raises : 2;
        if (a->action == HOLDEM_RAISE || (a->action == HOLDEM_ALLIN && a->total > level)) {
            s->share[a->seat] = raising[n];
            s->raised[a->seat] = true;
            s->raises++;
            s->callers = 0;
        } else if (a->action == HOLDEM_CALL || a->action == HOLDEM_ALLIN) {
            s->share[a->seat] = s->share[a->seat] < calling[n] ? s->share[a->seat] : calling[n];
            s->callers++;
        }
        level = a->total > level ? a->total : level;
    }
}

static struct game_action raise_to(const struct texas_holdem_view *v, double to)
{
    if (v->min_raise_to == 0)
        return holdem_plain(v->to_call ? HOLDEM_CALL : HOLDEM_CHECK);
    if (to < v->min_raise_to)
        to = v->min_raise_to;
    if (to > 0.5 * v->max_raise_to)
        return holdem_plain(HOLDEM_ALLIN);
    return (struct game_action){.kind = HOLDEM_RAISE, .amount = (int32_t)to};
}

static struct game_action open_pot(const struct texas_holdem_view *v, const struct showing *s, float rank)
{
    static const float opening[] = {
        [HOLDEM_BTN] = 0.40f, [HOLDEM_SB] = 0.28f,  [HOLDEM_BB] = 0.20f, [HOLDEM_UTG] = 0.15f, [HOLDEM_UTG1] = 0.15f,
        [HOLDEM_MP] = 0.17f,  [HOLDEM_MP1] = 0.18f, [HOLDEM_HJ] = 0.21f, [HOLDEM_CO] = 0.27f,
    };
    float share = opening[v->position[v->viewer]] / (1 + 0.25f * (float)s->callers);
    if (rank < share)
        return raise_to(v, (3.0 + s->callers) * v->big_blind);
    return holdem_pass(v);
}

static struct game_action answer_raise(const struct texas_holdem_view *v, const struct showing *s, float rank)
{
    float widest = 0, odds = holdem_pot_odds(v);
    for (int i = 0; i < v->seats; i++)
        if (i != v->viewer && holdem_has_cards(v, i) && s->raised[i] && (widest == 0 || s->share[i] < widest))
            widest = s->share[i]; // of the tightest who raised
    if (rank < 0.22f * widest)
        return raise_to(v, 3.0 * v->current_bet + (double)s->callers * v->current_bet);
    float price = (float)v->to_call / (float)(v->chips[v->viewer] + v->to_call + 1);
    float calls = (0.55f - 0.6f * (odds > 0.5f ? 0.5f : odds)) * widest * (price > 0.2f ? 0.7f : 1.3f);
    return rank < calls ? holdem_plain(HOLDEM_CALL) : holdem_plain(HOLDEM_FOLD);
}

static struct game_action play_preflop(const struct texas_holdem_view *v, const struct betting_history *m,
                                       struct multiway_work *w)
{
    struct showing s;
    read_line(m, &s);
    rank_classes(w->rank);
    float rank = (float)w->rank[bucket_class(v->hole)] / 255;
    double blinds = (double)(v->chips[v->viewer] + v->bet[v->viewer]) / v->big_blind;
    if (blinds <= SMALL) // all or nothing
        return rank < (s.raises ? 0.12f : 0.25f) ? holdem_plain(HOLDEM_ALLIN) : holdem_pass(v);
    return s.raises ? answer_raise(v, &s, rank) : open_pot(v, &s, rank);
}

// ---- After it -------------------------------------------------------------------------------------------------------

static void list_hands(const struct texas_holdem_view *v, struct multiway_work *w)
{
    uint64_t taken = cards_set(v->hole, 2) | cards_set(v->board, v->board_count);
    w->hands = 0;
    for (uint8_t b = 1; b < CARDS_IN_DECK; b++)
        for (uint8_t a = 0; a < b; a++)
            if (!(taken >> a & 1) && !(taken >> b & 1)) {
                w->hand[w->hands][0] = a;
                w->hand[w->hands++][1] = b;
            }
}

// By what a seat did after the flop: a bet speaks for a good hand, a raise more, a call for one that is not nothing.
static float weight_of_actions(const struct betting_history *m, int seat, float equity)
{
    float weight = 1;
    int32_t level = 0;
    int phase = -1, raises = 0, count = betting_history_count(m);
    for (int i = 0; i < count; i++) {
        const struct betting_history_move *a = &m->move[i];
        if (a->phase != phase)
            phase = a->phase, raises = 0;
        bool raised = a->total > level && (a->action == HOLDEM_RAISE || a->action == HOLDEM_ALLIN);
        level = a->total > level ? a->total : level;
        raises += raised;
        if (a->seat != seat || a->phase == HOLDEM_PREFLOP || a->action == HOLDEM_CHECK)
            continue;
        if (raised && raises > 1)
            weight *= equity > 0.8f ? 1 : equity > 0.7f ? 0.5f : 0.06f;
        else if (raised)
            weight *= equity > 0.65f ? 1 : equity > 0.5f ? 0.35f : 0.12f;
        else if (a->action == HOLDEM_CALL)
            weight *= equity > 0.85f ? 0.6f : equity > 0.4f ? 1 : 0.15f;
    }
    return weight;
}

static void weigh_hands(const struct texas_holdem_view *v, const struct betting_history *m, struct multiway_work *w)
{
    struct showing s;
    read_line(m, &s);
    rank_classes(w->rank);
    list_hands(v, w);
    bucket_features((const uint8_t(*)[2])w->hand, w->hands, v->board, v->board_count, w->feature);
    for (int seat = 0; seat < v->seats; seat++) {
        float sum = 0;
        for (int i = 0; i < w->hands && seat != v->viewer && holdem_has_cards(v, seat); i++) {
            float rank = (float)w->rank[bucket_class(w->hand[i])] / 255, over = rank / s.share[seat];
            float first = over < 1 ? 1 : over < 1.5f ? 1 - 1.8f * (over - 1) : 0.1f;
            sum += first * weight_of_actions(m, seat, (float)w->feature[i].equity / 65535);
            w->weight[seat][i] = sum;
        }
    }
}

// A hand of the seat by weight that has none of these cards: the next one that is free, going round.
static int draw_hand(const struct multiway_work *w, int seat, uint64_t taken, struct rng_draw *draw)
{
    const float *sum = w->weight[seat];
    float at = (float)(rng_draw_u32(draw) >> 8) / (1 << 24) * sum[w->hands - 1];
    int low = 0, high = w->hands - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sum[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    for (int i = 0; i < w->hands; i++) {
        int k = low + i < w->hands ? low + i : low + i - w->hands;
        if (!((taken >> w->hand[k][0] | taken >> w->hand[k][1]) & 1))
            return k;
    }
    return low;
}

static float deal_world(const struct texas_holdem_view *v, const struct multiway_work *w, struct rng_draw *draw)
{
    uint64_t taken = 0;
    uint8_t cards[7];
    int drawn[HOLDEM_SEATS], count = 0, equals = 1, missing = v->board_count;
    for (int seat = 0; seat < v->seats; seat++)
        if (seat != v->viewer && holdem_has_cards(v, seat)) {
            int k = draw_hand(w, seat, taken, draw);
            taken |= cards_set(w->hand[k], 2);
            drawn[count++] = k;
        }
    taken |= cards_set(v->hole, 2) | cards_set(v->board, v->board_count);
    memcpy(cards, v->board, v->board_count);
    while (missing < 5) {
        uint8_t card = (uint8_t)rng_draw_below(draw, CARDS_IN_DECK);
        while (taken >> card & 1)
            card = (uint8_t)((card + 1) % CARDS_IN_DECK);
        taken |= UINT64_C(1) << card;
        cards[missing++] = card;
    }
    memcpy(cards + 5, v->hole, 2);
    int own = eval7(cards);
    for (int i = 0; i < count; i++) {
        memcpy(cards + 5, w->hand[drawn[i]], 2);
        int other = eval7(cards);
        if (other > own)
            return 0;
        equals += other == own;
    }
    return 1.0f / (float)equals;
}

static struct game_action play_postflop(const struct bot_ask *ask, struct multiway_work *w)
{
    const struct texas_holdem_view *v = ask->view;
    struct rng_draw draw;
    float sum = 0;
    int opponents = holdem_count_opponents(v);
    weigh_hands(v, ask->mind, w);
    rng_begin(&draw, ask->dice);
    for (int i = 0; i < WORLDS; i++)
        sum += deal_world(v, w, &draw);
    float equity = sum / WORLDS, odds = holdem_pot_odds(v);
    float good = opponents == 1 ? 0.58f : opponents == 2 ? 0.46f : 0.38f;
    if (v->to_call == 0)
        return equity > good ? holdem_raise_by(v, equity > good + 0.15f ? 1 : 0.7f) : holdem_plain(HOLDEM_CHECK);
    if (equity > good + 0.14f)
        return holdem_raise_by(v, 1);
    return equity > odds + 0.03f ? holdem_plain(HOLDEM_CALL) : holdem_plain(HOLDEM_FOLD);
}

struct game_action holdem_multiway_choose(const struct bot_ask *ask)
{
    const struct texas_holdem_view *v = ask->view;
    struct multiway_work *w = ask->scratch;
    struct game_action a = v->phase == HOLDEM_PREFLOP ? play_preflop(v, ask->mind, w) : play_postflop(ask, w);
    return holdem_as_listed(ask, a);
}

// The betting rules again, slowly and word by word: who must act, what is legal, what an action does, who gets what.
// It shares nothing with the game but card numbers. Cards are told to it when the hand is over.
#pragma once

#include "slow_eval.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MODEL_SEATS = 9 };

struct model_player {
    int64_t chips, round, hand; // behind, bet in this round, put in over the hand
    bool in, folded, acted, gone;
    uint8_t cards[2];
};

struct model {
    struct model_player p[MODEL_SEATS];
    int seats, button, street, to_act; // street 0..3; to_act -1: the hand is over
    int64_t small, big, ante, current_bet, last_raise;
    bool flag, option;
    uint8_t board[5];
    int64_t payout[MODEL_SEATS];
    int winner[MODEL_SEATS], winners;
    bool showdown;
};

struct model_legal {
    bool fold, check, call, raise;
    int64_t call_amount, min, max;
};

static inline int model_left(const struct model *m, int seat, bool (*fits)(const struct model *, int))
{
    for (int i = 1; i <= m->seats; i++)
        if (fits(m, (seat + i) % m->seats))
            return (seat + i) % m->seats;
    return -1;
}

static inline bool model_is_in(const struct model *m, int seat)
{
    return m->p[seat].in;
}

static inline bool model_has_chips(const struct model *m, int seat)
{
    return m->p[seat].chips > 0;
}

static inline bool model_is_live(const struct model *m, int seat)
{
    return m->p[seat].in && !m->p[seat].folded;
}

static inline bool model_could_act(const struct model *m, int seat)
{
    return model_is_live(m, seat) && m->p[seat].chips > 0;
}

static inline int model_count(const struct model *m, bool (*fits)(const struct model *, int))
{
    int count = 0;
    for (int i = 0; i < m->seats; i++)
        count += fits(m, i);
    return count;
}

// F6.T10, sentence by sentence.
static inline bool model_must_act(const struct model *m, int seat)
{
    if (!model_could_act(m, seat))
        return false;
    if (m->p[seat].round == m->current_bet && m->p[seat].acted)
        return false;
    if (model_count(m, model_could_act) == 1) {
        bool covers = true;
        for (int i = 0; i < m->seats; i++)
            if (model_is_live(m, i) && m->p[i].round > m->p[seat].round)
                covers = false;
        if (covers)
            return false;
    }
    return true;
}

static inline void model_put(struct model *m, int seat, int64_t amount)
{
    m->p[seat].chips -= amount;
    m->p[seat].round += amount;
    m->p[seat].hand += amount;
}

static inline int64_t model_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// F6.T12, F6.T13: levels, one after the other.
static inline void model_pay(struct model *m)
{
    int64_t done = 0;
    for (;;) {
        int64_t level = 0, top = 0, pot = 0;
        for (int i = 0; i < m->seats; i++)
            if (model_is_live(m, i)) {
                if (m->p[i].hand > done && (level == 0 || m->p[i].hand < level))
                    level = m->p[i].hand;
                if (m->p[i].hand > top)
                    top = m->p[i].hand;
            }
        if (level == 0)
            return;
        for (int i = 0; i < m->seats; i++) {
            int64_t upper = level == top ? m->p[i].hand : model_smaller(m->p[i].hand, level);
            pot += upper > done ? upper - done : 0;
        }
        int best = -1, tied[MODEL_SEATS], count = 0;
        for (int i = 1; i <= m->seats; i++) {
            int seat = (m->button + i) % m->seats;
            if (!model_is_live(m, seat) || m->p[seat].hand < level)
                continue;
            uint8_t cards[7];
            memcpy(cards, m->board, 5);
            memcpy(cards + 5, m->p[seat].cards, 2);
            int value = slow7(cards);
            if (value > best)
                best = value, count = 0;
            if (value == best)
                tied[count++] = seat;
        }
        assert(count);
        for (int64_t chip = 0, share = pot / count; chip < count; chip++) {
            int seat = tied[chip];
            bool known = false;
            for (int i = 0; i < m->winners; i++)
                known |= m->winner[i] == seat;
            if (!known)
                m->winner[m->winners++] = seat;
            m->payout[seat] += share + (chip < pot % count);
        }
        done = level;
    }
}

// The end of a hand: the caller has set all cards that matter. Stacks change.
static inline void model_settle(struct model *m)
{
    memset(m->payout, 0, sizeof m->payout);
    m->winners = 0;
    if (m->showdown) {
        model_pay(m);
    } else {
        int seat = model_left(m, m->button, model_is_live);
        for (int i = 0; i < m->seats; i++)
            m->payout[seat] += m->p[i].hand;
        m->winner[m->winners++] = seat;
    }
    for (int i = 0; i < m->seats; i++)
        m->p[i].chips += m->payout[i];
}

// Sets to_act, dealing streets; -1 when the hand is over.
static inline void model_go_on(struct model *m, int after)
{
    for (;;) {
        m->to_act = -1;
        m->showdown = model_count(m, model_is_live) > 1;
        if (!m->showdown)
            return;
        if ((m->to_act = model_left(m, after, model_must_act)) >= 0)
            return;
        if (m->street == 3)
            return;
        m->street++;
        m->current_bet = 0;
        m->last_raise = m->big;
        m->flag = false;
        for (int i = 0; i < m->seats; i++)
            m->p[i].round = 0, m->p[i].acted = false;
        after = m->button;
    }
}

static inline void model_start(struct model *m, int button, int64_t small, int64_t big, int64_t ante)
{
    m->button = button;
    m->small = small;
    m->big = m->last_raise = m->current_bet = big;
    m->ante = ante;
    m->street = 0;
    m->flag = false;
    for (int i = 0; i < m->seats; i++) {
        struct model_player *p = &m->p[i];
        p->in = p->chips > 0;
        p->folded = p->acted = false;
        p->hand = p->round = 0;
        if (p->in)
            model_put(m, i, model_smaller(ante, p->chips));
        p->round = 0;
    }
    int first = model_count(m, model_is_in) == 2 ? button : model_left(m, button, model_is_in);
    int second = model_left(m, first, model_is_in);
    model_put(m, first, model_smaller(small, m->p[first].chips));
    model_put(m, second, model_smaller(big, m->p[second].chips));
    if (!m->option)
        m->p[second].acted = true;
    model_go_on(m, second);
}

// F6.T7.
static inline struct model_legal model_list(const struct model *m)
{
    const struct model_player *p = &m->p[m->to_act];
    int64_t to_call = m->current_bet - p->round;
    struct model_legal l = {.min = m->current_bet + m->last_raise, .max = p->round + p->chips};
    l.fold = l.call = to_call > 0;
    l.check = to_call == 0;
    l.call_amount = model_smaller(to_call, p->chips);
    l.raise = p->chips > to_call && l.min <= l.max && !m->flag;
    return l;
}

static inline void model_raise(struct model *m, int seat, int64_t to)
{
    m->last_raise = to - m->current_bet;
    m->current_bet = to;
    for (int i = 0; i < m->seats; i++)
        m->p[i].acted = i == seat;
}

// F6.T9. `kind`: f, k (check), c, r or a; d drops the seat.
static inline void model_act(struct model *m, char kind, int64_t amount)
{
    int seat = m->to_act;
    struct model_player *p = &m->p[seat];
    int64_t all = p->round + p->chips, min = m->current_bet + m->last_raise, to_call = m->current_bet - p->round;
    p->acted = true;
    if (kind == 'f' || kind == 'd')
        p->folded = true;
    if (kind == 'd')
        p->chips = 0, p->gone = true;
    if (kind == 'c')
        model_put(m, seat, model_smaller(to_call, p->chips));
    if (kind == 'r') {
        model_put(m, seat, amount - p->round);
        model_raise(m, seat, amount);
    }
    if (kind == 'a') {
        model_put(m, seat, p->chips);
        if (all >= min) {
            model_raise(m, seat, all);
            m->flag = false;
        } else if (all > m->current_bet) {
            m->current_bet = all;
            m->flag = true;
        }
    }
    model_go_on(m, seat);
}

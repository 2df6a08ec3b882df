#include "games/texas_holdem/bots/betting_history.h"

_Static_assert(sizeof(struct betting_history) % 8 == 0 && sizeof(struct betting_history) <= BOT_MAX_MIND, "a mind");

int betting_history_count(const struct betting_history *m)
{
    int count = 0;
    while (count < m->count && count < BETTING_HISTORY_MOVES && m->move[count].seat < HOLDEM_SEATS)
        count++;
    return count;
}

static void add_move(struct betting_history *m, int seat, int action, int32_t total)
{
    if (m->count < BETTING_HISTORY_MOVES && seat < HOLDEM_SEATS)
        m->move[m->count++] = (struct betting_history_move){total, (uint8_t)seat, (uint8_t)action, m->phase, 0};
}

static void follow_event(struct betting_history *m, const struct game_event *e)
{
    struct holdem_new_hand hand;
    struct holdem_played played;
    switch (e->kind) {
    case HOLDEM_EVENT_NEW_HAND:
        hand = holdem_new_hand_of(e);
        *m = (struct betting_history){.hand = (uint32_t)e->amount, .big_blind = hand.big_blind};
        memcpy(m->chips, hand.chips, sizeof m->chips);
        break;
    case HOLDEM_EVENT_ACTION:
        played = holdem_played_of(e);
        add_move(m, e->seat, played.action, played.total_bet);
        break;
    case HOLDEM_EVENT_COMMUNITY:
        m->phase = holdem_street_of(e).phase;
        break;
    default:
        break;
    }
}

// Whether the moves lead to what lies on the table.
static bool agrees_with_view(const struct betting_history *m, const struct texas_holdem_view *v)
{
    int32_t total[HOLDEM_SEATS];
    bool moved[HOLDEM_SEATS] = {false};
    for (int i = 0; i < betting_history_count(m); i++) {
        total[m->move[i].seat] = m->move[i].total;
        moved[m->move[i].seat] = true;
    }
    for (int i = 0; i < v->seats; i++)
        if (moved[i] && total[i] != v->total[i])
            return false;
    return m->hand == v->hand && m->count && (m->phase == v->phase || v->phase > HOLDEM_RIVER);
}

// A raise and a call before the flop, then the bets of this round in order of size: what a view alone can tell.
static void guess_moves(struct betting_history *m, const struct texas_holdem_view *v)
{
    int32_t before = INT32_MAX, level = 0;
    *m = (struct betting_history){.hand = v->hand, .big_blind = v->big_blind, .phase = HOLDEM_PREFLOP};
    for (int i = 0; i < v->seats; i++) {
        m->chips[i] = v->chips[i] + v->total[i];
        if (holdem_has_cards(v, i))
            before = v->total[i] - v->bet[i] < before ? v->total[i] - v->bet[i] : before;
    }
    if (v->phase > HOLDEM_PREFLOP && v->phase <= HOLDEM_RIVER) {
        add_move(m, v->button, before > v->big_blind ? HOLDEM_RAISE : HOLDEM_CALL, before);
        for (int i = 0; i < v->order_count; i++)
            if (v->order[i] != v->button)
                add_move(m, v->order[i], before > v->big_blind ? HOLDEM_CALL : HOLDEM_CHECK, before);
        for (int p = HOLDEM_FLOP; p < v->phase; p++)
            for (int i = 0; i < v->order_count; i++) {
                m->phase = (uint8_t)p;
                add_move(m, v->order[i], HOLDEM_CHECK, before);
            }
        m->phase = v->phase;
    }
    level = v->phase == HOLDEM_PREFLOP ? v->big_blind : 0;
    for (int i = 0; i < v->order_count && level < v->current_bet; i++) { // each raise is one of those that lie there
        int seat = v->order[i];
        if (v->bet[seat] > level) {
            add_move(m, seat, HOLDEM_RAISE, v->total[seat]);
            level = v->bet[seat];
            i = -1;
        } else if (v->bet[seat] < level && seat == v->viewer) {
            break;
        }
    }
}

static bool is_amount(int32_t chips)
{
    return chips >= 0 && chips <= HOLDEM_MAX_CHIPS;
}

static bool is_sound(const struct betting_history *m)
{
    bool sound = m->count <= BETTING_HISTORY_MOVES;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        sound &= is_amount(m->chips[i]);
    for (int i = 0; sound && i < m->count; i++)
        sound = m->move[i].seat < HOLDEM_SEATS && is_amount(m->move[i].total);
    return sound;
}

// The view has the last word: where events are missing (N1.7) it is all there is.
void betting_history_observe(void *mind, const struct bot_news *news)
{
    struct betting_history *m = mind;
    const struct texas_holdem_view *v = news->view;
    if (!is_sound(m))
        *m = (struct betting_history){0};
    for (uint32_t i = 0; i < news->count; i++)
        follow_event(m, &news->events[i]);
    if (v->phase <= HOLDEM_RIVER && !agrees_with_view(m, v))
        guess_moves(m, v);
}

const struct betting_history *betting_history_of(const struct bot_ask *ask, struct betting_history *room)
{
    if (is_sound(ask->mind))
        return ask->mind;
    *room = (struct betting_history){0};
    betting_history_observe(room, &(struct bot_news){.view = ask->view});
    return room;
}

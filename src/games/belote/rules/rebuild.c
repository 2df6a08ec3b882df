// Rebuilds a view from what another program tells of a deal (B11.28): replays its bids and plays, and refuses them
// where the rules or the cards forbid them.
#include "games/belote/rules/internal.h"

#include <string.h>

static bool are_cards(const uint8_t *cards, int count, uint32_t *set)
{
    *set = 0;
    for (int i = 0; i < count; i++) {
        if (cards[i] >= BELOTE_CARDS || *set >> cards[i] & 1)
            return false;
        *set |= 1u << cards[i];
    }
    return true;
}

// The shape of the view, before the rules check it.
static bool is_sound(const struct belote_view *v)
{
    uint32_t hand, played;
    if (v->viewer >= BELOTE_SEATS || v->dealer >= BELOTE_SEATS || v->phase >= BELOTE_DONE)
        return false;
    for (int team = 0; team < 2; team++)
        if (v->points[team] < 0 || v->points[team] > BELOTE_MOST_POINTS)
            return false;
    if (v->target < 1 || v->target > BELOTE_MOST_POINTS)
        return false;
    if (v->cards > BELOTE_HAND || v->bids > BELOTE_MAX_BIDS || v->plays >= BELOTE_CARDS)
        return false;
    if (!are_cards(v->hand, v->cards, &hand) || !are_cards(v->play, v->plays, &played) || hand & played)
        return false;
    if (v->phase != BELOTE_PLAY_PHASE && v->plays)
        return false;
    return v->phase != BELOTE_CUT_PHASE || (!v->cards && !v->bids);
}

static bool say_again(struct belote_state *s, const struct belote_view *v)
{
    belote_open_bids(s);
    for (int i = 0; i < v->bids; i++) {
        if (s->phase != BELOTE_BID_PHASE || v->bid[i] >= BELOTE_WORDS || !(s->may >> v->bid[i] & 1))
            return false;
        belote_say(s, v->bid[i], NULL);
    }
    return s->phase == v->phase;
}

// Hands are empty but for the viewer's, so that any card may come from the others.
static void play_again(struct belote_state *s, const struct belote_view *v)
{
    memset(s->held, 0, sizeof s->held);
    for (int i = 0; i < v->plays; i++)
        belote_play(s, v->play[i], NULL);
    memset(s->held, 0, sizeof s->held);
    memset(s->hand, 0, sizeof s->hand);
    int n = v->cards, me = v->viewer;
    memcpy(s->hand[me], v->hand, v->cards);
    for (int i = 0; i < v->cards; i++)
        s->held[me] |= 1u << v->hand[i];
    for (int i = 0; i < v->plays && n < BELOTE_HAND; i++) // the own cards that lie there come last
        if (seat_after(trick_leader(s, i / 4), i % 4) == me)
            s->hand[me][n++] = v->play[i];
}

static void count_hands(const struct belote_state *s, int dealt, int count[BELOTE_SEATS])
{
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        count[seat] = dealt;
    for (int i = 0; i < s->plays; i++)
        count[seat_after(trick_leader(s, i / 4), i % 4)]--;
}

// `asked`: the viewer is to move.
static int rebuild(struct belote_view *v, bool asked)
{
    int count[BELOTE_SEATS], dealt = v->phase == BELOTE_CUT_PHASE   ? 0
                                     : v->phase == BELOTE_BID_PHASE ? BELOTE_HAND - 3
                                                                    : BELOTE_HAND;
    if (!is_sound(v))
        return ERR_ACTION;
    struct belote_state s = belote_recall_match(v);
    belote_start_deal(&s, NULL);
    if (v->phase != BELOTE_CUT_PHASE && !say_again(&s, v))
        return ERR_ACTION;
    if (v->phase != BELOTE_CUT_PHASE)
        play_again(&s, v);
    count_hands(&s, dealt, count);
    if ((asked && s.turn != v->viewer) || v->cards != count[v->viewer])
        return ERR_ACTION;
    if (asked && v->phase == BELOTE_PLAY_PHASE && !belote_can_be_dealt(&s, v->viewer, count))
        return ERR_ACTION;
    if (asked && v->phase == BELOTE_PLAY_PHASE)
        s.may = belote_list_cards(&s);
    belote_view(&s, v->viewer, v);
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        v->held[seat] = (uint8_t)count[seat];
    if (v->plays < 4) { // the last trick of the previous deal is not sent
        v->last_leader = v->last_taker = BELOTE_NONE;
        memset(v->last_trick, 0, sizeof v->last_trick);
    }
    return OK;
}

int belote_rebuild_view(struct belote_view *v)
{
    return rebuild(v, true);
}

int belote_rebuild_display_view(struct belote_view *v)
{
    return rebuild(v, false);
}

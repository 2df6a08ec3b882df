#include "games/liars_dice/bots/bid_history.h"

_Static_assert(sizeof(struct bid_history) % 8 == 0 && sizeof(struct bid_history) <= BOT_MAX_MIND, "a mind");

int bid_history_count(const struct bid_history *m)
{
    return m->count < BID_HISTORY_BIDS ? m->count : BID_HISTORY_BIDS;
}

// Bids rise within a round: one that does not is of the next.
static void add_bid(struct bid_history *m, int bid, int bidder)
{
    if (bid < 1 || bid > BID_HISTORY_BIDS)
        return;
    if (m->count && bid <= m->bid[m->count - 1])
        m->count = 0;
    if (m->count == BID_HISTORY_BIDS)
        return;
    m->bid[m->count] = (uint8_t)bid;
    m->bidder[m->count++] = (uint8_t)bidder;
}

// The view decides: events that were missed (N1.7) are taken from it.
void bid_history_observe(void *mind, const struct bot_news *news)
{
    struct bid_history *m = mind;
    m->count = (uint8_t)bid_history_count(m);
    const struct liars_dice_view *v = news->view;
    for (uint32_t i = 0; i < news->count; i++)
        if (news->events[i].kind == LIARS_DICE_BADE)
            add_bid(m, news->events[i].amount, news->events[i].seat);
        else if (news->events[i].kind == LIARS_DICE_ROUND_START) // a wire may tell several rounds at once
            m->count = 0;
    if (v->round != m->round && !(m->count && v->bid == m->bid[m->count - 1]))
        m->count = 0;
    m->round = v->round;
    if (!v->bid)
        m->count = 0;
    else if (!m->count || m->bid[m->count - 1] != v->bid)
        add_bid(m, v->bid, v->bidder);
}

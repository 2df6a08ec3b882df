// Converts a replay to a log. Everything is taken from events, so a seat's log contains only what that seat may know.
#include "app/acpc_log.h"

#include "app/acpc.h"
#include "app/replay_hands.h"

struct writer {
    struct text *out;
    struct acpc_counts *counts;
    struct replay_hands hands;
    struct acpc_hand hand;
    bool over; // the match
    struct holdem_result result;
    struct holdem_paid paid;
    int64_t net[HOLDEM_SEATS];
    char plain[HOLDEM_SEATS][8]; // for seats without a name
    const char *name[HOLDEM_SEATS];
};

static void begin_hand(struct writer *w, const struct game_event *e)
{
    struct holdem_new_hand begun = holdem_new_hand_of(e);
    unsigned dealt = 0;
    for (int i = 0; i < w->hands.run.reader.head.seats; i++)
        dealt |= (unsigned)(begun.chips[i] > 0) << i;
    acpc_begin(&w->hand, (uint64_t)e->amount - 1, (seat_set)dealt, e->seat);
}

static void follow_action(struct writer *w, const struct game_event *e)
{
    struct holdem_played played = holdem_played_of(e);
    if (played.action == HOLDEM_POST_SMALL || played.action == HOLDEM_POST_BIG)
        acpc_post(&w->hand, e->seat, played.total_bet);
    else if (played.action == HOLDEM_FOLD)
        acpc_fold(&w->hand);
    else
        acpc_bet(&w->hand, e->seat, played.total_bet);
}

static void add_shown_hands(struct writer *w, const struct game_event *e)
{
    struct holdem_hands shown = holdem_hands_of(e);
    for (int i = 0; i < HOLDEM_SEATS; i++)
        if (shown.live & SEAT(i))
            acpc_set_cards(&w->hand, i, shown.cards[i]);
}

static void on_event(void *owner, const struct game_event *e)
{
    struct writer *w = owner;
    switch (e->kind) {
    case HOLDEM_EVENT_NEW_HAND:
        begin_hand(w, e);
        break;
    case HOLDEM_EVENT_ACTION:
        follow_action(w, e);
        break;
    case HOLDEM_EVENT_DROPPED:
        acpc_fold(&w->hand);
        break;
    case HOLDEM_EVENT_COMMUNITY:
        acpc_deal(&w->hand, holdem_street_of(e).cards, holdem_street_of(e).count);
        break;
    case HOLDEM_EVENT_RESULT:
        w->result = holdem_result_of(e);
        break;
    case HOLDEM_EVENT_PAID:
        w->paid = holdem_paid_of(e);
        break;
    case HOLDEM_EVENT_HANDS:
        add_shown_hands(w, e);
        break;
    case HOLDEM_EVENT_OWN:
        acpc_set_cards(&w->hand, e->seat, holdem_own_of(e).cards);
        break;
    case HOLDEM_EVENT_MATCH:
        w->over = true;
        break;
    default:
        break;
    }
}

static void end_hand(void *owner)
{
    struct writer *w = owner;
    int32_t net[HOLDEM_SEATS];
    for (int i = 0; i < HOLDEM_SEATS; i++) {
        net[i] = w->result.payout[i] - w->paid.total[i];
        w->net[i] += net[i];
    }
    acpc_end(&w->hand);
    acpc_put_log(&w->hand, w->out, net, w->name);
    w->counts->hands++;
}

static void name_seats(struct writer *w)
{
    for (int i = 0; i < HOLDEM_SEATS; i++) {
        const char *name = w->hands.run.reader.head.name[i];
        memcpy(w->plain[i], "seat_0", sizeof "seat_0");
        w->plain[i][5] = (char)('0' + i);
        w->name[i] = *name ? name : w->plain[i];
    }
}

int acpc_export(struct text *out, struct span replay, const uint8_t *key, int seat, struct acpc_counts *counts)
{
    static _Thread_local struct writer w;
    w = (struct writer){
        .out = out, .counts = counts, .hands = {.seat = seat, .on_event = on_event, .on_end = end_hand, .owner = &w}};
    *counts = (struct acpc_counts){0};
    int err = replay_hands_begin(&w.hands, replay, key);
    const struct texas_holdem_rules *r = (const void *)&w.hands.run.rules;
    if (err != OK)
        return err;
    if (r->format != HOLDEM_CASH || r->ante)
        return ERR_RULES;
    name_seats(&w);
    err = replay_hands_play(&w.hands);
    counts->unfinished = w.hands.open;
    if (w.over)
        acpc_put_score(&w.hand, out, w.net, w.name);
    bool full = w.hand.betting.full || out->full;
    acpc_release(&w.hand);
    return err != OK ? err : full ? ERR_FULL : OK;
}

#include "app/replay_hands.h"

static _Thread_local struct game_events happened;

static void end_hand(struct replay_hands *h)
{
    if (h->open)
        h->on_end(h->owner);
    h->open = false;
}

// A result ends with its last part, which is known by what follows it.
static void pass_events(struct replay_hands *h)
{
    seat_set viewers = (seat_set)(h->seat < 0 ? 0xFFFF : 1 << h->seat);
    bool settled = false;
    for (uint32_t i = 0; i < happened.count; i++) {
        const struct game_event *e = &happened.at[i];
        if (settled && !e->part) {
            end_hand(h);
            settled = false;
        }
        settled |= e->kind == HOLDEM_EVENT_RESULT;
        h->open |= e->kind == HOLDEM_EVENT_NEW_HAND;
        if (e->to & viewers && (h->open || e->kind == HOLDEM_EVENT_MATCH))
            h->on_event(h->owner, e);
    }
    if (settled)
        end_hand(h);
    happened.count = 0;
}

int replay_hands_begin(struct replay_hands *h, struct span replay, const uint8_t *key)
{
    happened.count = 0;
    return replay_begin(&h->run, replay, &texas_holdem_game, key, &happened);
}

int replay_hands_play(struct replay_hands *h)
{
    int more;
    pass_events(h);
    while ((more = replay_step(&h->run, 1, &happened)) == 1)
        pass_events(h);
    return more;
}

// How somebody plays Texas Hold'em: the figures that players of poker know each other by. A hand counts when it is
// over.
#include "stats/counters.h"
#include "games/texas_holdem/kit.h"
#include "games/texas_holdem/rules/texas_holdem.h"

enum { VPIP, PFR, AGGRESSION, SHOWDOWN, SHOWDOWN_WON, BB_PER_100 };

static const struct counter list[] = {
    [VPIP] = {"vpip", "percent", COUNTER_SHARE, 1},                 // hands with chips put in by choice before the flop
    [PFR] = {"pfr", "percent", COUNTER_SHARE, 1},                   // hands raised before the flop
    [AGGRESSION] = {"aggression", "number", COUNTER_RATIO, 1},      // bets and raises to calls, in all rounds
    [SHOWDOWN] = {"showdown", "percent", COUNTER_SHARE, 1},         // of hands that saw the flop, those shown down
    [SHOWDOWN_WON] = {"showdown_won", "percent", COUNTER_SHARE, 1}, // of those shown down, with chips of others won
    [BB_PER_100] = {"bb_per_100", "bb/100", COUNTER_MEAN, 0.1},     // of a hand: thousandths of its big blind
    {0},
};

struct hand {
    int32_t big_blind;
    seat_set dealt, folded, paid, raised, saw_flop;
    struct holdem_result result;
};
_Static_assert(sizeof(struct hand) <= COUNTERS_SCRATCH, "fits into the scratch");

static void follow_action(struct hand *h, const struct counters_step *step, struct counts seat[])
{
    const struct texas_holdem_state *s = step->before;
    int who = step->seat, kind = step->action.kind;
    if (who == GAME_MASTER) {
        if (kind == GAME_DROP)
            h->folded |= SEAT(step->action.arg[0]);
        return;
    }
    if (kind == HOLDEM_FOLD)
        h->folded |= SEAT(who);
    if (kind < HOLDEM_CALL)
        return;
    bool raises = kind == HOLDEM_RAISE || (kind == HOLDEM_ALLIN && s->bet[who] + s->chips[who] > s->current_bet);
    *(raises ? &seat[who].at[AGGRESSION].n : &seat[who].at[AGGRESSION].of) += 1;
    if (s->phase == HOLDEM_PREFLOP) {
        h->paid |= SEAT(who);
        if (raises)
            h->raised |= SEAT(who);
    }
}

static void begin_hand(struct hand *h, const struct game_event *e)
{
    struct holdem_new_hand new = holdem_new_hand_of(e);
    *h = (struct hand){.big_blind = new.big_blind};
    for (int i = 0; i < HOLDEM_SEATS; i++)
        if (new.chips[i] > 0)
            h->dealt |= SEAT(i);
}

// In thousandths of a big blind, to the nearest.
static int64_t in_blinds(int32_t chips, int32_t big_blind)
{
    int64_t twice = 2000 * (int64_t)chips / big_blind;
    return (twice + (twice < 0 ? -1 : 1)) / 2;
}

// What the others did not match comes back, and is no win.
static int32_t uncalled(const struct holdem_paid *paid, int seat)
{
    int32_t most = 0;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        if (i != seat && paid->total[i] > most)
            most = paid->total[i];
    return paid->total[seat] > most ? paid->total[seat] - most : 0;
}

static void end_hand(const struct hand *h, const struct holdem_paid *paid, struct counts seat[])
{
    for (int i = 0; i < HOLDEM_SEATS; i++) {
        if (!(h->dealt & SEAT(i)))
            continue;
        bool shown = h->result.reason == HOLDEM_SHOWN_DOWN && !(h->folded & SEAT(i));
        count_case(&seat[i], VPIP, h->paid & SEAT(i));
        count_case(&seat[i], PFR, h->raised & SEAT(i));
        if (h->saw_flop & SEAT(i))
            count_case(&seat[i], SHOWDOWN, shown);
        if (shown)
            count_case(&seat[i], SHOWDOWN_WON, h->result.payout[i] > uncalled(paid, i));
        count_value(&seat[i], BB_PER_100, in_blinds(h->result.payout[i] - paid->total[i], h->big_blind));
    }
}

static void follow(void *scratch, const struct counters_step *step, struct counts seat[GAME_MAX_SEATS])
{
    struct hand *h = scratch;
    if (step->before)
        follow_action(h, step, seat);
    for (uint32_t i = 0; i < step->happened->count; i++) {
        const struct game_event *e = &step->happened->at[i];
        if (e->kind == HOLDEM_EVENT_NEW_HAND) {
            begin_hand(h, e);
        } else if (e->kind == HOLDEM_EVENT_COMMUNITY && !h->saw_flop) {
            h->saw_flop = h->dealt & (seat_set)~h->folded;
        } else if (e->kind == HOLDEM_EVENT_RESULT) {
            h->result = holdem_result_of(e);
        } else if (e->kind == HOLDEM_EVENT_PAID) {
            struct holdem_paid paid = holdem_paid_of(e);
            end_hand(h, &paid, seat);
        }
    }
}

const struct game_counters texas_holdem_counters = {list, follow};

// What is in the pot stays with those who put it there until the hand is over.
void texas_holdem_chances(const void *state, double out[GAME_MAX_SEATS])
{
    const struct texas_holdem_state *s = state;
    double part[HOLDEM_SEATS];
    for (int i = 0; i < s->seats; i++) {
        int32_t owns = s->cash ? s->all_chips / s->seats + s->net[i] : s->chips[i] + s->total[i];
        part[i] = owns > 0 ? owns : 0;
    }
    swing_shares(part, s->seats, out);
}

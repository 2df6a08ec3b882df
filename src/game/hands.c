#include "game/hands.h"

static uint64_t set_of(const uint8_t *cards, int count)
{
    uint64_t set = 0;
    for (int i = 0; i < count; i++)
        set |= cards[i] < CARDS_IN_DECK ? UINT64_C(1) << cards[i] : 0;
    return set;
}

// In rising order; how many there are.
static int list(uint64_t set, uint8_t cards[HANDS_CARDS])
{
    int count = 0;
    for (; set; set &= set - 1)
        cards[count++] = (uint8_t)__builtin_ctzll(set);
    return count;
}

void hands_defaults(void *rules)
{
    struct hands_rules *r = rules;
    *r = (struct hands_rules){.max_hands = 1};
    memset(r->deck, CARD_NONE, sizeof r->deck);
}

const char *const hands_scenarios[] = {"single_hand", "hundred_hands", NULL};

int hands_scenario(void *rules, int index)
{
    static const uint16_t hands[] = {1, 100};
    ((struct hands_rules *)rules)->max_hands = hands[index];
    return HANDS_SEATS;
}

static void deal(struct hands *h, struct hands_deck *d, struct game_events *out)
{
    struct rng section = rng_section(&d->chance, h->hand);
    struct rng_draw draw;
    rng_begin(&draw, &section);
    int count = list(d->cards, d->card);
    if (d->stacked[0] == CARD_NONE)
        cards_draw(d->card, count, 0, count, &draw);
    else
        memcpy(d->card, d->stacked, sizeof d->card);
    memset(d->stacked, CARD_NONE, sizeof d->stacked);
    h->to_act = h->first;
    struct game_event *e = game_emit(out, HANDS_NEW, h->first, EVERYONE);
    if (e)
        e->amount = h->hand;
}

int hands_start(struct hands *h, struct hands_deck *d, const struct hands_rules *r, int seats, uint64_t cards,
                struct rng chance, struct game_events *out)
{
    if (seats != HANDS_SEATS || r->max_hands < 1 || r->max_hands > HANDS_MAX || r->starter >= HANDS_SEATS)
        return ERR_RULES;
    *h = (struct hands){
        .max_hands = r->max_hands,
        .first = r->starter,
        .hand = 1,
        .number = 1,
        .last_winner = HANDS_NOBODY,
        .shown = {CARD_NONE, CARD_NONE},
    };
    *d = (struct hands_deck){.chance = chance, .cards = cards};
    memset(d->card, CARD_NONE, sizeof d->card);
    memset(d->stacked, CARD_NONE, sizeof d->stacked);
    if (r->deck[0] != CARD_NONE && hands_stack(h, d, r->deck, hands_count(r->deck)) != OK)
        return ERR_RULES;
    deal(h, d, out);
    return OK;
}

struct game_turn hands_turn(const struct hands *h, int phase)
{
    return (struct game_turn){.kind = h->done ? TURN_OVER : TURN_ONE,
                              .phase = (uint8_t)phase,
                              .seats = (seat_set)(h->done ? 0 : SEAT(h->to_act)),
                              .number = h->number};
}

int hands_refusal(const struct hands *h, uint64_t legal, int seat, struct game_action action)
{
    bool drop = seat == GAME_MASTER;
    uint64_t word = game_action_word(action);
    if (h->done)
        return ERR_OVER;
    if (drop && action.kind != GAME_DROP)
        return ERR_ACTION;
    if ((drop ? action.arg[0] : seat) != h->to_act)
        return ERR_SEAT;
    return drop || (word < 64 && legal >> word & 1) ? OK : ERR_ACTION;
}

void hands_acted(struct hands *h, int seat, int action, int32_t chips, struct game_events *out)
{
    struct game_event *e = game_emit(out, HANDS_ACTED, seat, EVERYONE);
    if (e) {
        e->amount = chips;
        e->data[0] = (uint8_t)action;
    }
    h->number++;
    h->to_act = (uint8_t)!seat;
}

void hands_end(struct hands *h, struct hands_deck *d, int winner, int32_t chips, bool shown, struct game_events *out)
{
    h->last_winner = (uint8_t)winner;
    h->last_chips = winner == HANDS_NOBODY ? 0 : chips;
    for (int seat = 0; seat < HANDS_SEATS; seat++) {
        h->payoff[seat] += seat == winner ? h->last_chips : -h->last_chips;
        h->shown[seat] = shown ? hands_card(h, d, seat) : CARD_NONE;
    }
    struct game_event *e = game_emit(out, HANDS_RESULT, winner, EVERYONE);
    if (e) {
        e->amount = h->last_chips;
        memcpy(e->data, h->shown, sizeof h->shown);
    }
    h->done = h->hand == h->max_hands;
    h->to_act = HANDS_NOBODY;
    if (h->done)
        return;
    h->hand++;
    h->first = !h->first; // K1.2
    deal(h, d, out);
}

void hands_drop(struct hands *h, struct hands_deck *d, struct game_action drop, int32_t paid, struct game_events *out)
{
    int seat = drop.arg[0];
    struct game_event *e = game_emit(out, HANDS_LEFT, seat, EVERYONE);
    if (e)
        e->data[0] = drop.arg[1];
    h->number++;
    h->max_hands = h->hand;
    hands_end(h, d, !seat, paid + (h->payoff[seat] > 0 ? h->payoff[seat] : 0), false, out);
}

void hands_open(struct hands *h, const struct hands_deck *d, int place, struct game_events *out)
{
    struct game_event *e = game_emit(out, HANDS_OPENED, h->first, EVERYONE);
    if (e)
        e->data[0] = d->card[place];
    h->to_act = h->first;
}

struct hands_view hands_see(const struct hands *h, const struct hands_deck *d, int viewer, int open)
{
    return (struct hands_view){
        .hands = *h,
        .viewer = (uint8_t)viewer,
        .card = viewer < HANDS_SEATS ? hands_card(h, d, viewer) : CARD_NONE,
        .public_card = open ? d->card[HANDS_SEATS] : CARD_NONE,
    };
}

int hands_stack(const struct hands *h, struct hands_deck *d, const uint8_t *items, int count)
{
    if (h->done)
        return ERR_OVER;
    if (count != __builtin_popcountll(d->cards) || set_of(items, count) != d->cards)
        return ERR_RULES;
    memcpy(d->stacked, items, (size_t)count);
    return OK;
}

void hands_payoffs(const struct hands *h, int32_t out[GAME_MAX_SEATS])
{
    memset(out, 0, GAME_MAX_SEATS * sizeof *out);
    memcpy(out, h->payoff, sizeof h->payoff);
}

const char *const hands_rewarded[] = {"chips", NULL};

// K1.11
void hands_rewards(const void *state, const struct game_events *happened, struct game_rewards *out)
{
    (void)state;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < happened->count; i++)
        for (int seat = 0; happened->at[i].kind == HANDS_RESULT && seat < HANDS_SEATS; seat++)
            out->at[seat][0] +=
                (float)(seat == happened->at[i].seat ? happened->at[i].amount : -happened->at[i].amount);
}

// As a word: one byte of eight that is stored alone and read with the others makes the processor wait.
struct game_action hands_action(const void *state, int seat, int number)
{
    (void)state, (void)seat;
    return game_action_of((uint64_t)number);
}

void hands_resample(const struct hands *h, struct hands_deck *d, int viewer, int open, struct rng *dice)
{
    uint8_t hidden[HANDS_CARDS];
    uint64_t known = 0; // places of the deck
    struct rng_draw draw;
    rng_begin(&draw, dice);
    for (int i = 0; i < 8; i++)
        d->chance.key[i] = rng_draw_u32(&draw);
    memset(d->stacked, CARD_NONE, sizeof d->stacked);
    for (int seat = 0; seat < HANDS_SEATS; seat++)
        if (seat == viewer || (h->done && h->shown[seat] != CARD_NONE))
            known |= UINT64_C(1) << (seat != h->first);
    known |= ((UINT64_C(1) << open) - 1) << HANDS_SEATS;
    uint64_t seen = 0;
    for (int i = 0; i < HANDS_CARDS; i++)
        seen |= known >> i & 1 ? UINT64_C(1) << d->card[i] : 0;
    int count = list(d->cards & ~seen, hidden), next = 0;
    cards_draw(hidden, count, 0, count, &draw);
    for (int i = 0; next < count; i++)
        if (!(known >> i & 1))
            d->card[i] = hidden[next++];
}

const char *hands_check(const struct hands *h, const struct hands_deck *d, int acted)
{
    int count = __builtin_popcountll(d->cards);
    if (set_of(d->card, count) != d->cards || (d->stacked[0] != CARD_NONE && set_of(d->stacked, count) != d->cards))
        return "every card of the deck is there once";
    if (h->payoff[0] + h->payoff[1] != 0)
        return "payoffs add up to 0";
    if (h->hand < 1 || h->hand > h->max_hands || h->max_hands > HANDS_MAX || h->first >= HANDS_SEATS)
        return "hands are counted, and one seat acts first";
    if (h->done ? h->to_act != HANDS_NOBODY || h->hand != h->max_hands : h->to_act >= HANDS_SEATS)
        return "a seat is asked until the last hand has ended";
    if (!h->done && h->to_act != (h->first + acted) % HANDS_SEATS)
        return "the seats act in turn";
    return NULL;
}

bool hands_hold(const struct hands *h, struct hands_deck *d, int seat, int card, int open)
{
    uint8_t sorted[HANDS_CARDS];
    int count = list(d->cards, sorted), own = seat != h->first, at = 0;
    if (card >= count)
        return false;
    while (d->card[at] != sorted[card])
        at++;
    if (at == !own || (at >= 2 && at < 2 + open))
        return false;
    d->card[at] = d->card[own];
    d->card[own] = sorted[card];
    return true;
}

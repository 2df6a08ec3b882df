// Deck, cut and deal (B2, B8.3, B8.5, B9.4).
#include "game/cards.h"
#include "games/belote/rules/internal.h"

#include <string.h>

bool belote_is_deck(const uint8_t deck[BELOTE_CARDS])
{
    uint32_t seen = 0;
    for (int i = 0; i < BELOTE_CARDS; i++)
        if (deck[i] < BELOTE_CARDS)
            seen |= 1u << deck[i];
    return seen == ALL_CARDS;
}

bool belote_has_stacked(const struct belote_state *s)
{
    return s->stacked[0] != s->stacked[1]; // a deck has no card twice
}

void belote_start_deal(struct belote_state *s, struct game_events *out)
{
    memset(s->hand, 0, sizeof s->hand);
    memset(s->bid, 0, sizeof s->bid);
    memset(s->open, 0x3F, sizeof s->open);
    s->card_points[0] = s->card_points[1] = 0;
    s->bids = s->accepts = s->locked = s->doubled = s->redoubled = 0;
    s->announced[0] = s->announced[1] = 0;
    s->high = s->bidder = s->mode = s->team = BELOTE_NONE;
    s->best = s->taker = s->multiplier = s->plays = s->trick_points = s->won[0] = s->won[1] = 0;
    s->phase = BELOTE_CUT_PHASE;
    s->turn = (uint8_t)seat_after(s->dealer, s->options & BELOTE_CUTTER_LEFT ? 1 : 3); // B2.3, B8.4
    s->may = 0;
    struct game_event *e;
    if (out && (e = game_emit(out, BELOTE_DEAL_STARTED, s->dealer, EVERYONE)))
        e->amount = (int32_t)s->deal + 1;
}

// The deck of this deal before the cut: what was stacked, what was gathered, or a new shuffle. True: it is a shuffle.
static bool make_deck(struct belote_state *s, uint8_t deck[BELOTE_CARDS])
{
    if (belote_has_stacked(s)) {
        memcpy(deck, s->stacked, BELOTE_CARDS);
        memset(s->stacked, 0, BELOTE_CARDS);
        return false;
    }
    if (s->options & BELOTE_GATHER && s->deal > 0) {
        memcpy(deck, s->play, BELOTE_CARDS); // B8.5
        return false;
    }
    for (int i = 0; i < BELOTE_CARDS; i++)
        deck[i] = (uint8_t)i;
    struct rng chance = {.section = s->deal};
    memcpy(chance.key, s->key, sizeof chance.key);
    struct rng_draw draw;
    rng_begin(&draw, &chance);
    cards_shuffle_back(deck, BELOTE_CARDS, &draw);
    return true;
}

static void give(struct belote_state *s, int seat, int slot, const uint8_t *cards, int count)
{
    memcpy(&s->hand[seat][slot], cards, (size_t)count);
    for (int i = 0; i < count; i++)
        s->held[seat] |= 1u << cards[i];
}

void belote_cut_deck(struct belote_state *s, int position, bool from_top, struct game_events *out)
{
    uint8_t deck[2 * BELOTE_CARDS];
    bool shuffled = make_deck(s, deck);
    memcpy(deck + BELOTE_CARDS, deck, BELOTE_CARDS);
    const uint8_t *top = deck + (from_top ? position : BELOTE_CARDS - position); // B2.4
    if (shuffled && s->options & BELOTE_EQUAL_DEALS)
        top = deck; // B14.6: the deck before the cut was this order rotated back, which no view shows
    for (int i = 0; i < BELOTE_SEATS; i++) {
        int seat = seat_after(s->dealer, 1 + i);
        give(s, seat, 0, top + 3 * i, 3);
        give(s, seat, 3, top + 12 + 2 * i, 2);
    }
    memcpy(s->undealt, top + 20, BELOTE_UNDEALT);
    struct game_event *e;
    if (out && (e = game_emit(out, BELOTE_CUT_DONE, s->turn, EVERYONE))) {
        e->amount = position;
        e->data[0] = from_top;
    }
    belote_open_bids(s);
}

void belote_deal_rest(struct belote_state *s)
{
    for (int i = 0; i < BELOTE_SEATS; i++)
        give(s, seat_after(s->dealer, 1 + i), 5, s->undealt + 3 * i, 3);
    memset(s->undealt, 0, sizeof s->undealt);
}

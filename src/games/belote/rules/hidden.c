// What a viewer cannot know, drawn anew: hands that agree with everything that was seen (B15.6), the cards not dealt,
// the key of the deals to come. Every possible world has the same chance; bids exclude nothing (B15.7).
//
// With gathered decks (B8.5) a player who remembered every card of the deal before would know the next one. Hands are
// drawn here as if no player did.
#include "game/cards.h"
#include "games/belote/rules/internal.h"

#include <assert.h>
#include <string.h>

uint32_t belote_infer(int mode, int led, int best, bool partner_winning, int card)
{
    uint32_t trumps = belote_trumps(mode), c = 1u << card, higher = belote_beaten_by(mode, best);
    int suit = belote_suit(led);
    if (belote_suit(card) == suit)
        return belote_is_strong(mode, suit) && !(higher & c) ? higher : 0;
    uint32_t missing = 0xFFu << BELOTE_RANKS * suit;
    bool ruffed = trumps >> best & 1;
    if (!(trumps & c) && (ruffed || !partner_winning))
        missing |= trumps;
    if (trumps & c && ruffed && !(higher & c))
        missing |= higher;
    return missing;
}

void belote_collect_facts(const struct belote_state *s, uint32_t cannot[BELOTE_SEATS])
{
    uint32_t gone = 0;
    memset(cannot, 0, BELOTE_SEATS * sizeof *cannot);
    for (int i = 0, best = 0, taker = 0; i < s->plays; i++) {
        int card = s->play[i], seat = seat_after(trick_leader(s, i / 4), i % 4);
        gone |= 1u << card;
        if (i % 4)
            cannot[seat] |= belote_infer(s->mode, s->play[i & ~3], best, belote_team(seat) == belote_team(taker), card);
        if (i % 4 == 0 || belote_beaten_by(s->mode, best) >> card & 1) {
            best = card;
            taker = seat;
        }
    }
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        cannot[seat] |= gone;
}

// `count` cards of the set, taken out of it with equal chance.
static uint32_t take(uint32_t *set, int count, struct rng_draw *draw)
{
    uint32_t taken = 0;
    for (; count > 0; count--) {
        uint32_t rest = *set;
        for (uint32_t skip = rng_draw_below(draw, (uint32_t)__builtin_popcount(rest)); skip; skip--)
            rest &= rest - 1;
        taken |= rest & -rest;
        *set &= ~(rest & -rest);
    }
    return taken;
}

// Cards with no home yet and the three seats that will hold them. Cards are sorted by who may hold them: bits 0, 1, 2
// of the index are the seats.
struct table {
    uint32_t of[8];
    int need[3];                               // cards each seat still wants
    uint32_t ways[BELOTE_CARDS][BELOTE_CARDS]; // ways to choose k of n: at most 24 cards are hidden
};

// How the cards that exactly two may hold are split: x of {0,1} to 0, y of {0,2} to 0, z of {1,2} to 1.
struct split {
    int x, y, z;
};

static void sort_cards(struct table *t, uint32_t hidden, const uint32_t cannot[3])
{
    uint32_t may[3] = {hidden & ~cannot[0], hidden & ~cannot[1], hidden & ~cannot[2]};
    for (int who = 0; who < 8; who++) {
        t->of[who] = hidden;
        for (int i = 0; i < 3; i++)
            t->of[who] &= who >> i & 1 ? may[i] : ~may[i];
    }
    int most = __builtin_popcount(hidden);
    for (int n = 0; n <= most; n++) {
        t->ways[n][0] = t->ways[n][n] = 1;
        for (int k = 1; k < n; k++)
            t->ways[n][k] = t->ways[n - 1][k - 1] + t->ways[n - 1][k];
    }
}

static int count_of(const struct table *t, int who)
{
    return __builtin_popcount(t->of[who]);
}

// The number of deals with this split; fewer than 3^24 in all.
static uint64_t count_deals(const struct table *t, struct split s)
{
    int pairs[3] = {count_of(t, 3), count_of(t, 5), count_of(t, 6)}, free = count_of(t, 7);
    int a = t->need[0] - s.x - s.y;
    int b = t->need[1] - (pairs[0] - s.x) - s.z;
    int c = t->need[2] - (pairs[1] - s.y) - (pairs[2] - s.z);
    if (a < 0 || b < 0 || c < 0)
        return 0;
    return (uint64_t)t->ways[pairs[0]][s.x] * t->ways[pairs[1]][s.y] * t->ways[pairs[2]][s.z] * t->ways[free][a] *
           t->ways[free - a][b];
}

// The split in which deal number `wanted` lies; the number of all deals is added to `total`.
static struct split find_split(const struct table *t, uint64_t wanted, uint64_t *total)
{
    struct split s = {0}, found = {0};
    for (s.x = 0; s.x <= count_of(t, 3); s.x++)
        for (s.y = 0; s.y <= count_of(t, 5); s.y++)
            for (s.z = 0; s.z <= count_of(t, 6); s.z++) {
                uint64_t deals = count_deals(t, s);
                if (wanted >= *total && wanted - *total < deals)
                    found = s;
                *total += deals;
            }
    return found;
}

// Cards that only one seat may hold go there; the number of deals of the others.
static uint64_t house_certain(struct table *t, uint32_t hand[3])
{
    uint64_t total = 0;
    for (int i = 0; i < 3; i++) {
        hand[i] = t->of[1 << i];
        t->need[i] -= __builtin_popcount(hand[i]);
    }
    find_split(t, UINT64_MAX, &total);
    return total;
}

// Assigns all hidden cards, with equal chance among the possible deals. At least one is possible: the true deal.
static void house_cards(struct table *t, uint32_t hand[3], struct rng_draw *draw)
{
    uint64_t total = house_certain(t, hand), again = 0;
    assert(total > 0);
    uint64_t high = rng_draw_u32(draw), number = (high << 32 | rng_draw_u32(draw)) % total; // uneven by less than 2^-25
    struct split s = find_split(t, number, &again);
    static const struct {
        uint8_t who, first, second;
    } pairs[3] = {{3, 0, 1}, {5, 0, 2}, {6, 1, 2}};
    const int share[3] = {s.x, s.y, s.z};
    for (int i = 0; i < 3; i++) {
        uint32_t got = take(&t->of[pairs[i].who], share[i], draw), rest = t->of[pairs[i].who];
        hand[pairs[i].first] |= got;
        hand[pairs[i].second] |= rest;
        t->need[pairs[i].first] -= __builtin_popcount(got);
        t->need[pairs[i].second] -= __builtin_popcount(rest);
    }
    for (int i = 0; i < 3; i++)
        hand[i] |= take(&t->of[7], t->need[i], draw);
}

// The cards of a seat, held and played, in an order that no other seat saw.
static void lay_hand(struct belote_state *s, int seat, struct rng_draw *draw)
{
    uint32_t cards = s->held[seat];
    for (int i = 0; i < s->plays; i++)
        if (seat_after(trick_leader(s, i / 4), i % 4) == seat)
            cards |= 1u << s->play[i];
    for (int i = 0; i < BELOTE_HAND; i++, cards &= cards - 1)
        s->hand[seat][i] = (uint8_t)__builtin_ctz(cards);
    cards_shuffle_back(s->hand[seat], BELOTE_HAND, draw);
}

// The cards that `knower` does not see, during play.
static void gather_hidden(struct table *t, const struct belote_state *s, int knower, const int count[BELOTE_SEATS])
{
    uint32_t cannot[BELOTE_SEATS], others[3], hidden = ALL_CARDS & ~s->held[knower];
    belote_collect_facts(s, cannot);
    for (int i = 0; i < s->plays; i++)
        hidden &= ~(1u << s->play[i]);
    for (int i = 0; i < 3; i++) {
        others[i] = cannot[seat_after(knower, 1 + i)];
        t->need[i] = count[seat_after(knower, 1 + i)];
    }
    sort_cards(t, hidden, others);
}

// The three hands other than `knower`'s, during play.
static void redraw_play(struct belote_state *s, int knower, const int count[BELOTE_SEATS], struct rng_draw *draw)
{
    uint32_t hand[3];
    struct table t;
    gather_hidden(&t, s, knower, count);
    house_cards(&t, hand, draw);
    for (int i = 0; i < 3; i++) {
        s->held[seat_after(knower, 1 + i)] = hand[i];
        lay_hand(s, seat_after(knower, 1 + i), draw);
    }
}

// Everything but the first five cards of `viewer`, during the negotiation.
static void redraw_bid(struct belote_state *s, int viewer, struct rng_draw *draw)
{
    uint8_t deck[BELOTE_CARDS];
    int n = 0;
    uint32_t known = viewer < BELOTE_SEATS ? s->held[viewer] : 0;
    for (int card = 0; card < BELOTE_CARDS; card++)
        if (!(known >> card & 1))
            deck[n++] = (uint8_t)card;
    cards_shuffle_back(deck, n, draw);
    for (int seat = 0; seat < BELOTE_SEATS; seat++) {
        if (seat == viewer)
            continue;
        s->held[seat] = 0;
        for (int i = 0; i < BELOTE_HAND - 3; i++) {
            s->hand[seat][i] = deck[--n];
            s->held[seat] |= 1u << deck[n];
        }
    }
    memcpy(s->undealt, deck, BELOTE_UNDEALT);
}

bool belote_can_be_dealt(const struct belote_state *s, int knower, const int count[BELOTE_SEATS])
{
    uint32_t hand[3];
    struct table t;
    gather_hidden(&t, s, knower, count);
    bool has_homes = !t.of[0]; // every card can be with some seat
    return has_homes && house_certain(&t, hand) > 0;
}

static void redraw_chance(struct belote_state *s, struct rng_draw *draw)
{
    for (int i = 0; i < 8; i++)
        s->key[i] = rng_draw_u32(draw);
    if (belote_has_stacked(s))
        cards_shuffle_back(s->stacked, BELOTE_CARDS, draw);
}

void belote_resample(void *state, int viewer, struct rng *dice)
{
    struct belote_state *s = state;
    struct rng_draw draw;
    rng_begin(&draw, dice);
    redraw_chance(s, &draw);
    if (s->phase == BELOTE_BID_PHASE)
        redraw_bid(s, viewer, &draw);
    if (s->phase != BELOTE_PLAY_PHASE)
        return;
    int count[BELOTE_SEATS];
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        count[seat] = __builtin_popcount(s->held[seat]);
    // The gallery knows no hand: draw three given the fourth, for each seat in turn, which keeps all deals equally
    // likely.
    for (int i = 0; i < (viewer < BELOTE_SEATS ? 1 : 2 * BELOTE_SEATS); i++)
        redraw_play(s, viewer < BELOTE_SEATS ? viewer : i % BELOTE_SEATS, count, &draw);
    s->may = belote_list_cards(s);
}

struct belote_state belote_recall_match(const struct belote_view *v)
{
    return (struct belote_state){
        .last = v->last,
        .dealer = v->dealer,
        .number = v->number,
        .deal = v->deal_number - 1,
        .target = v->target,
        .points = {v->points[0], v->points[1]},
        .colour_sweep_points = v->colour_sweep_points,
        .clubs_base = v->clubs_base,
        .options = v->options,
        .winner = BELOTE_NONE,
        .left = BELOTE_NONE,
    };
}

static void recall_last_trick(struct belote_state *s, const struct belote_view *v)
{
    if (v->last_leader == BELOTE_NONE)
        return;
    memcpy(&s->play[BELOTE_CARDS - 4], v->last_trick, sizeof v->last_trick);
    s->leaders = (uint16_t)(v->last_leader << 2 * (BELOTE_TRICKS - 1));
}

// The running deal as everybody saw it, played again by empty hands.
static void recall_deal(struct belote_state *s, const struct belote_view *v)
{
    belote_open_bids(s);
    for (int i = 0; i < v->bids; i++)
        belote_say(s, v->bid[i], NULL);
    for (int i = 0; i < v->plays; i++)
        belote_play(s, v->play[i], NULL);
    memset(s->held, 0, sizeof s->held);
    memset(s->hand, 0, sizeof s->hand);
    s->number = v->number;
}

// The viewer's cards in their order; played ones come last, where they do not disturb that order.
static void recall_hand(struct belote_state *s, const struct belote_view *v)
{
    int n = v->cards, me = v->viewer;
    memcpy(s->hand[me], v->hand, v->cards);
    for (int i = 0; i < v->cards; i++)
        s->held[me] |= 1u << v->hand[i];
    for (int i = 0; i < v->plays; i++)
        if (seat_after(v->leader[i / 4], i % 4) == me)
            s->hand[me][n++] = v->play[i];
}

void belote_imagine(struct belote_state *s, const struct belote_view *v, struct rng *dice)
{
    assert(v->viewer < BELOTE_SEATS && v->phase != BELOTE_DONE);
    struct rng_draw draw;
    rng_begin(&draw, dice);
    *s = belote_recall_match(v);
    belote_start_deal(s, NULL);
    recall_last_trick(s, v);
    if (v->phase == BELOTE_CUT_PHASE && s->options & BELOTE_GATHER)
        for (int i = 0; i < BELOTE_CARDS; i++)
            s->stacked[i] = (uint8_t)i; // shuffled below: the view does not tell what was gathered
    redraw_chance(s, &draw);
    if (v->phase == BELOTE_CUT_PHASE)
        return;
    recall_deal(s, v);
    recall_hand(s, v);
    if (v->phase == BELOTE_BID_PHASE) {
        redraw_bid(s, v->viewer, &draw);
        return;
    }
    int count[BELOTE_SEATS];
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        count[seat] = v->held[seat];
    redraw_play(s, v->viewer, count, &draw);
    s->may = belote_list_cards(s);
}

// Names, and deals as they grow.
#include "botwire/wire.h"

#include "botwire/internal.h"

#include <assert.h>

const char *const wire_seats[] = {"Bottom", "Left", "Top", "Right", NULL};
const char *const wire_teams[] = {"Team1", "Team2", NULL};
const char *const wire_modes[] = {
    "ColourClubs", "ColourDiamonds", "ColourHearts", "ColourSpades", "NoTrumps", "AllTrumps", NULL};
const char *const wire_ranks[] = {"Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King", "Ace", NULL};
const char *const wire_suits[] = {"Clubs", "Diamonds", "Hearts", "Spades", NULL};
const char *const wire_word_types[] = {"Announcement", "Accept", "Double", "Redouble", NULL};
const char *const wire_multipliers[] = {"Normal", "Doubled", "Redoubled", NULL};

int wire_word_of(struct game_action a)
{
    static const uint8_t first[] = {[BELOTE_ANNOUNCE] = BELOTE_SAY_MODE,
                                    [BELOTE_ACCEPT] = BELOTE_SAY_ACCEPT,
                                    [BELOTE_DOUBLE] = BELOTE_SAY_DOUBLE,
                                    [BELOTE_REDOUBLE] = BELOTE_SAY_REDOUBLE};
    assert(a.kind >= BELOTE_ANNOUNCE && a.kind <= BELOTE_REDOUBLE);
    return first[a.kind] + a.arg[0];
}

static int find_taker(int mode, const uint8_t trick[4], int leader)
{
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (belote_beaten_by(mode, trick[best]) >> trick[i] & 1)
            best = i;
    return (leader + best) % BELOTE_SEATS;
}

void wire_start_deal(struct wire_deal *d, int dealer)
{
    *d = (struct wire_deal){.dealer = (uint8_t)dealer, .mode = BELOTE_NONE};
    d->leader[0] = (uint8_t)((dealer + 1) % BELOTE_SEATS); // B2.7
}

void wire_add_bid(struct wire_deal *d, int word)
{
    assert(d->bids < BELOTE_MAX_BIDS && word < BELOTE_WORDS);
    d->bid[d->bids++] = (uint8_t)word;
}

void wire_add_play(struct wire_deal *d, int card)
{
    assert(d->plays < BELOTE_CARDS && d->mode < BELOTE_MODES);
    d->play[d->plays++] = (uint8_t)card;
    int trick = d->plays / 4;
    if (d->plays % 4 == 0)
        d->leader[trick] = (uint8_t)find_taker(d->mode, &d->play[d->plays - 4], d->leader[trick - 1]);
}

// B3.8, from the words alone.
struct wire_negotiation wire_negotiation_of(const struct wire_deal *d)
{
    struct wire_negotiation k = {.bid = BELOTE_NONE, .bidder = BELOTE_NONE, .colour = {BELOTE_NONE, BELOTE_NONE}};
    for (int i = 0; i < d->bids; i++) {
        int word = d->bid[i], seat = (d->dealer + 1 + i) % BELOTE_SEATS;
        if (word == BELOTE_SAY_ACCEPT) {
            bool opposes = k.bidder != BELOTE_NONE && belote_team(seat) != belote_team(k.bidder);
            k.locked |= opposes && (k.bid == BELOTE_NO_TRUMPS || k.bid == BELOTE_CLUBS);
            k.accepts++;
            continue;
        }
        k.accepts = 0;
        k.locked |= word > BELOTE_SAY_ACCEPT;
        if (word >= BELOTE_SAY_REDOUBLE) {
            k.redoubled |= (uint8_t)(1 << (word - BELOTE_SAY_REDOUBLE));
        } else if (word >= BELOTE_SAY_DOUBLE) {
            k.doubled |= (uint8_t)(1 << (word - BELOTE_SAY_DOUBLE));
            k.doubled_at[word - BELOTE_SAY_DOUBLE] = (uint8_t)i;
        } else {
            k.bid = (uint8_t)word;
            k.bidder = (uint8_t)seat;
            if (word < BELOTE_NO_TRUMPS)
                k.colour[belote_team(seat)] = (uint8_t)word;
        }
    }
    k.turn = (uint8_t)((d->dealer + 1 + d->bids - (k.accepts == 3)) % BELOTE_SEATS); // B3.2
    return k;
}

// Card strength, legal cards and tricks (B4, B5).
#include "games/belote/parts.h"

#include <string.h>

enum { R7 = 1, R8 = 2, R9 = 4, RT = 8, RJ = 16, RQ = 32, RK = 64, RA = 128 };

// B4: the ranks that beat a rank in its own suit, in plain order A T K Q J 9 8 7 and in strong order J 9 A T K Q 8 7.
static const uint8_t above[2][BELOTE_RANKS] = {
    {
        [BELOTE_7] = R8 | R9 | RJ | RQ | RK | RT | RA,
        [BELOTE_8] = R9 | RJ | RQ | RK | RT | RA,
        [BELOTE_9] = RJ | RQ | RK | RT | RA,
        [BELOTE_J] = RQ | RK | RT | RA,
        [BELOTE_Q] = RK | RT | RA,
        [BELOTE_K] = RT | RA,
        [BELOTE_10] = RA,
    },
    {
        [BELOTE_7] = R8 | RQ | RK | RT | RA | R9 | RJ,
        [BELOTE_8] = RQ | RK | RT | RA | R9 | RJ,
        [BELOTE_Q] = RK | RT | RA | R9 | RJ,
        [BELOTE_K] = RT | RA | R9 | RJ,
        [BELOTE_10] = RA | R9 | RJ,
        [BELOTE_A] = R9 | RJ,
        [BELOTE_9] = RJ,
    },
};

static const uint8_t points[2][BELOTE_RANKS] = {
    {[BELOTE_10] = 10, [BELOTE_J] = 2, [BELOTE_Q] = 3, [BELOTE_K] = 4, [BELOTE_A] = 11},
    {[BELOTE_9] = 14, [BELOTE_10] = 10, [BELOTE_J] = 20, [BELOTE_Q] = 3, [BELOTE_K] = 4, [BELOTE_A] = 11},
};

int belote_card_points(int mode, int card)
{
    return points[belote_is_strong(mode, belote_suit(card))][belote_rank(card)];
}

uint32_t belote_beaten_by(int mode, int card)
{
    int suit = belote_suit(card);
    uint32_t higher = (uint32_t)above[belote_is_strong(mode, suit)][belote_rank(card)] << BELOTE_RANKS * suit;
    return suit == mode ? higher : higher | belote_trumps(mode);
}

// Those that beat the winning card when there are any (B5.4, B5.9).
static uint32_t prefer(uint32_t cards, uint32_t beating)
{
    return cards & beating ? cards & beating : cards;
}

uint32_t belote_legal_cards(int mode, uint32_t held, int led, int best, bool partner_winning)
{
    int suit = belote_suit(led);
    uint32_t follow = held & 0xFFu << BELOTE_RANKS * suit;
    if (follow) // B5.4, B5.5
        return belote_is_strong(mode, suit) ? prefer(follow, belote_beaten_by(mode, best)) : follow;
    uint32_t trumps = held & belote_trumps(mode);
    if (!trumps || (partner_winning && belote_suit(best) != mode)) // B5.6, B5.7, B5.8
        return held;
    return prefer(trumps, belote_beaten_by(mode, best)); // B5.8, B5.9; every trump beats a plain winner
}

uint32_t belote_list_cards(const struct belote_state *s)
{
    uint32_t held = s->held[s->turn];
    if (s->plays % 4 == 0) // B5.3
        return held;
    bool partner_winning = belote_team(s->taker) == belote_team(s->turn);
    return belote_legal_cards(s->mode, held, s->play[s->plays & ~3], s->best, partner_winning);
}

static void tell_trick(const struct belote_state *s, int trick, int earned, struct game_events *out)
{
    struct game_event *e = game_emit(out, BELOTE_TRICK_COMPLETED, s->taker, EVERYONE);
    e->amount = earned;
    e->data[0] = (uint8_t)(trick + 1);
    e->data[1] = (uint8_t)trick_leader(s, trick);
    memcpy(&e->data[2], &s->play[4 * trick], 4);
}

// B5.1: the winner takes the points and leads.
static void end_trick(struct belote_state *s, struct game_events *out)
{
    int trick = s->plays / 4 - 1, team = belote_team(s->taker);
    int earned = s->trick_points + (trick == BELOTE_TRICKS - 1 ? 10 : 0); // B4.2
    s->card_points[team] = (uint16_t)(s->card_points[team] + earned);
    s->won[team]++;
    s->turn = s->taker;
    if (out)
        tell_trick(s, trick, earned, out);
}

static void lead(struct belote_state *s, int card)
{
    int shift = 2 * (s->plays / 4);
    s->leaders = (uint16_t)((s->leaders & ~(3u << shift)) | (unsigned)s->turn << shift);
    s->best = (uint8_t)card;
    s->taker = s->turn;
    s->trick_points = 0;
}

void belote_play(struct belote_state *s, int card, struct game_events *out)
{
    if (s->plays % 4 == 0) {
        lead(s, card);
    } else if (belote_beaten_by(s->mode, s->best) >> card & 1) {
        s->best = (uint8_t)card;
        s->taker = s->turn;
    }
    s->trick_points = (uint8_t)(s->trick_points + belote_card_points(s->mode, card));
    s->held[s->turn] &= ~(1u << card);
    s->play[s->plays++] = (uint8_t)card;
    struct game_event *e;
    if (out && (e = game_emit(out, BELOTE_CARD_PLAYED, s->turn, EVERYONE)))
        e->data[0] = (uint8_t)card;
    if (s->plays % 4 == 0)
        end_trick(s, out);
    else
        s->turn = (uint8_t)seat_after(s->turn, 1);
    if (s->plays == BELOTE_CARDS)
        belote_end_deal(s, out);
    else
        s->may = belote_list_cards(s);
}

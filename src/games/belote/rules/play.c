// Card strength, legal cards and tricks (B4, B5).
#include "games/belote/rules/internal.h"

#include <string.h>

enum { R7 = 1, R8 = 2, R9 = 4, RT = 8, RJ = 16, RQ = 32, RK = 64, RA = 128 };

// B4: the cards of a suit that beat each of its cards 7 8 9 T J Q K A, in plain order A T K Q J 9 8 7 ...
#define PLAIN(suit, trumps)                                                                                            \
    [8 * suit] = (uint32_t)(R8 | R9 | RJ | RQ | RK | RT | RA) << 8 * suit | trumps,                                    \
         (uint32_t)(R9 | RJ | RQ | RK | RT | RA) << 8 * suit | trumps,                                                 \
         (uint32_t)(RJ | RQ | RK | RT | RA) << 8 * suit | trumps, (uint32_t)(RA) << 8 * suit | trumps,                 \
         (uint32_t)(RQ | RK | RT | RA) << 8 * suit | trumps, (uint32_t)(RK | RT | RA) << 8 * suit | trumps,            \
         (uint32_t)(RT | RA) << 8 * suit | trumps, trumps
// ... and in strong order J 9 A T K Q 8 7.
#define STRONG(suit)                                                                                                   \
    [8 * suit] = (uint32_t)(R8 | RQ | RK | RT | RA | R9 | RJ) << 8 * suit,                                             \
         (uint32_t)(RQ | RK | RT | RA | R9 | RJ) << 8 * suit, (uint32_t)(RJ) << 8 * suit,                              \
         (uint32_t)(RA | R9 | RJ) << 8 * suit, 0, (uint32_t)(RK | RT | RA | R9 | RJ) << 8 * suit,                      \
         (uint32_t)(RT | RA | R9 | RJ) << 8 * suit, (uint32_t)(R9 | RJ) << 8 * suit

#define TRUMPS(suit) (0xFFu << 8 * (suit))

// By mode, the cards that beat a winning card: higher ones of its suit, and trumps when it is none (B5.1).
static const uint32_t beating[BELOTE_MODES][BELOTE_CARDS] = {
    {STRONG(0), PLAIN(1, TRUMPS(0)), PLAIN(2, TRUMPS(0)), PLAIN(3, TRUMPS(0))},
    {PLAIN(0, TRUMPS(1)), STRONG(1), PLAIN(2, TRUMPS(1)), PLAIN(3, TRUMPS(1))},
    {PLAIN(0, TRUMPS(2)), PLAIN(1, TRUMPS(2)), STRONG(2), PLAIN(3, TRUMPS(2))},
    {PLAIN(0, TRUMPS(3)), PLAIN(1, TRUMPS(3)), PLAIN(2, TRUMPS(3)), STRONG(3)},
    {PLAIN(0, 0), PLAIN(1, 0), PLAIN(2, 0), PLAIN(3, 0)},
    {STRONG(0), STRONG(1), STRONG(2), STRONG(3)},
};

static const uint8_t points[2][BELOTE_RANKS] = {
    {[BELOTE_10] = 10, [BELOTE_J] = 2, [BELOTE_Q] = 3, [BELOTE_K] = 4, [BELOTE_A] = 11},
    {[BELOTE_9] = 14, [BELOTE_10] = 10, [BELOTE_J] = 20, [BELOTE_Q] = 3, [BELOTE_K] = 4, [BELOTE_A] = 11},
};

static const uint32_t trumps_of[BELOTE_MODES] = {TRUMPS(0), TRUMPS(1), TRUMPS(2), TRUMPS(3)};
static const uint8_t strong_suits[BELOTE_MODES] = {1, 2, 4, 8, 0, 15};

static inline int points_of(int mode, int card)
{
    return points[strong_suits[mode] >> belote_suit(card) & 1][belote_rank(card)];
}

static inline uint32_t all_if(bool claim)
{
    return -(uint32_t)claim;
}

// Masks instead of branches: with random play the processor mispredicts half of them.
static inline uint32_t legal_cards(int mode, uint32_t held, int led, int best, bool partner_winning)
{
    int suit = belote_suit(led);
    uint32_t follow = held & TRUMPS(suit), following = all_if(follow);
    bool free = partner_winning & (belote_suit(best) != mode);                      // B5.8: the partner did not ruff
    uint32_t pool = follow | (held & trumps_of[mode] & ~following & ~all_if(free)); // empty: B5.6, B5.7, B5.8
    uint32_t rising = ~following | all_if(strong_suits[mode] >> suit & 1);          // B5.4, B5.9, and not B5.5
    uint32_t winners = pool & rising & beating[mode][best];                         // every trump beats a plain winner
    uint32_t chosen = winners | (pool & all_if(!winners));
    return chosen | (held & all_if(!chosen));
}

uint32_t belote_list_cards(const struct belote_state *s)
{
    uint32_t held = s->held[s->turn];
    if (s->plays % 4 == 0) // B5.3
        return held;
    bool partner_winning = belote_team(s->taker) == belote_team(s->turn);
    return legal_cards(s->mode, held, s->play[s->plays & ~3], s->best, partner_winning);
}

// The same for others; here they are inlined.
int belote_card_points(int mode, int card)
{
    return points_of(mode, card);
}

uint32_t belote_beaten_by(int mode, int card)
{
    return beating[mode][card];
}

uint32_t belote_legal_cards(int mode, uint32_t held, int led, int best, bool partner_winning)
{
    return legal_cards(mode, held, led, best, partner_winning);
}

static void emit_trick(const struct belote_state *s, int trick, int earned, struct game_events *out)
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
    int earned = s->trick_points + (trick == BELOTE_TRICKS - 1 ? BELOTE_LAST_TRICK : 0);
    s->card_points[team] = (uint16_t)(s->card_points[team] + earned);
    s->trick_points = 0;
    s->won[team]++;
    s->turn = s->taker;
    s->may = s->held[s->turn]; // B5.3
    if (out)
        emit_trick(s, trick, earned, out);
    if (trick == BELOTE_TRICKS - 1)
        belote_end_deal(s, out);
}

void belote_play(struct belote_state *s, int card, struct game_events *out)
{
    struct game_event *e;
    if (out && (e = game_emit(out, BELOTE_CARD_PLAYED, s->turn, EVERYONE)))
        e->data[0] = (uint8_t)card;
    int mode = s->mode, seat = s->turn, next = seat_after(seat, 1), plays = s->plays;
    bool leads = plays % 4 == 0;
    if (leads) {
        int shift = 2 * (plays / 4);
        s->leaders = (uint16_t)((s->leaders & ~(3u << shift)) | (unsigned)seat << shift);
    }
    int best = s->best, taker = s->taker;
    if (leads || beating[mode][best] >> card & 1) {
        best = card;
        taker = seat;
    }
    s->best = (uint8_t)best;
    s->taker = (uint8_t)taker;
    s->trick_points = (uint8_t)(s->trick_points + points_of(mode, card));
    s->held[seat] &= ~(1u << card);
    s->play[plays] = (uint8_t)card;
    s->plays = (uint8_t)(plays + 1);
    if (plays % 4 == 3) {
        end_trick(s, out);
        return;
    }
    s->turn = (uint8_t)next;
    s->may = legal_cards(mode, s->held[next], s->play[plays & ~3], best, !((taker ^ next) & 1));
}

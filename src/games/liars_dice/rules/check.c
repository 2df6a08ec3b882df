// What holds between any two steps.
#include "games/liars_dice/rules/internal.h"

#include <assert.h>
#include <stddef.h>

static bool hand_is_good(liars_dice_hand hand, int dice)
{
    uint8_t faces[LIARS_DICE_DICE];
    liars_dice_faces(hand, faces);
    return dice_from_faces(faces, LIARS_DICE_DICE) == hand && dice_in(hand) == dice;
}

static const char *check_seats(const struct liars_dice_state *s)
{
    int total = 0, in_play = 0;
    if (s->seats < 2 || s->seats > LIARS_DICE_SEATS)
        return "two to six seats";
    for (int seat = 0; seat < LIARS_DICE_SEATS; seat++) {
        int dice = s->dice_counts[seat], start = s->starting_dice[seat];
        if (start > LIARS_DICE_DICE || dice > start || (start == 0) != (seat >= s->seats))
            return "a seat has at most the dice it started with";
        if (!hand_is_good(s->hand[seat], dice))
            return "a hand holds as many faces as the seat has dice";
        total += dice;
        in_play |= dice ? SEAT(seat) : 0;
    }
    if (total != s->total)
        return "total is the dice in play";
    return in_play == s->in_play ? NULL : "in_play is the seats with dice";
}

static const char *check_turn(const struct liars_dice_state *s)
{
    bool done = s->phase == LIARS_DICE_DONE;
    if (s->phase > LIARS_DICE_DONE || s->wild_ones > 1 || !s->number)
        return "counters are in range";
    if (done != !(s->in_play & (s->in_play - 1)) || !s->in_play)
        return "the match is done when one is left";
    if (done ? s->winner != __builtin_ctz(s->in_play) || s->to_act : s->winner != 0)
        return "who is left has won";
    if (!done && !(s->in_play & SEAT(s->to_act)))
        return "who is asked is in play";
    if (s->bid ? done || s->bidder == s->to_act || !(s->in_play & SEAT(s->bidder)) : s->bidder != 0)
        return "a bid has a bidder in play who is not asked";
    return s->bid <= LIARS_DICE_FACES * s->total ? NULL : "a bid is on dice in play";
}

// Every round but the running one has cost at least one die, so there are at most 30.
static const char *check_rounds(const struct liars_dice_state *s)
{
    int lost = -s->total;
    assert(s->seats); // check_seats came first
    for (int seat = 0; seat < s->seats; seat++)
        lost += s->starting_dice[seat];
    if (!s->round || lost < s->round - (s->phase != LIARS_DICE_DONE))
        return "every round costs a die";
    int rounds = LIARS_DICE_AHEAD / s->seats, place = (s->round - 1) % rounds + 1,
        section = (s->round - 1) / rounds + 1;
    bool stacked = place == rounds && s->dealt == 0 && s->section == section + 1; // the next section is there already
    if ((s->dealt != place * s->seats || s->section != section) && !stacked)
        return "a round has its place in a section of chance";
    for (int i = 0; i < LIARS_DICE_AHEAD; i++)
        if (!hand_is_good(s->ahead[i], LIARS_DICE_DICE))
            return "hands drawn ahead are whole";
    return NULL;
}

static const char *check_last(const struct liars_dice_state *s)
{
    int dice = 0;
    for (int seat = 0; seat < LIARS_DICE_SEATS; seat++) {
        int shown = dice_in(s->shown[seat]);
        if (!hand_is_good(s->shown[seat], shown) || shown < s->dice_counts[seat] * (s->last_round != 0))
            return "the last challenge showed all dice";
        dice += shown;
    }
    if (!s->last_round)
        return dice || s->last_bid || s->last_count ? "before a challenge nothing is shown" : NULL;
    if (s->last_round > s->round || s->last_bid > LIARS_DICE_FACES * dice || s->last_bidder == s->last_challenger)
        return "the last challenge met a bid";
    if (s->last_count != dice_count(s->shown, LIARS_DICE_SEATS, liars_dice_face(s->last_bid), s->wild_ones))
        return "the last challenge counted right";
    bool met = s->last_count >= liars_dice_quantity(s->last_bid);
    return s->last_loser == (met ? s->last_challenger : s->last_bidder) ? NULL : "the last challenge has its loser";
}

const char *liars_dice_check(const void *state)
{
    const struct liars_dice_state *s = state;
    const char *broken = check_seats(s);
    if (!broken)
        broken = check_turn(s);
    if (!broken)
        broken = check_rounds(s);
    return broken ? broken : check_last(s);
}

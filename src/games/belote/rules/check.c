// What holds in every state between two calls.
#include "games/belote/rules/internal.h"

#include <stddef.h>

static uint32_t cards_played(const struct belote_state *s)
{
    uint32_t set = 0;
    for (int i = 0; i < s->plays; i++)
        set |= 1u << s->play[i];
    return set;
}

static uint32_t cards_undealt(const struct belote_state *s)
{
    uint32_t set = 0;
    for (int i = 0; i < BELOTE_UNDEALT; i++)
        set |= 1u << s->undealt[i];
    return s->phase == BELOTE_BID_PHASE ? set : 0;
}

// Every card is in one place.
static const char *check_cards(const struct belote_state *s)
{
    uint32_t place[] = {s->held[0], s->held[1], s->held[2], s->held[3], cards_played(s), cards_undealt(s)};
    uint32_t all = 0;
    int count = 0;
    for (int i = 0; i < 6; i++) {
        all |= place[i];
        count += __builtin_popcount(place[i]);
    }
    if (s->phase == BELOTE_CUT_PHASE)
        return count ? "cards lie on the table before the cut" : NULL;
    return all != ALL_CARDS || count != BELOTE_CARDS ? "a card is missing or twice" : NULL;
}

// A hand is what a seat was dealt: what it still holds and what it played.
static const char *check_hands(const struct belote_state *s)
{
    uint32_t had[BELOTE_SEATS] = {s->held[0], s->held[1], s->held[2], s->held[3]};
    for (int i = 0; i < s->plays; i++)
        had[seat_after(trick_leader(s, i / 4), i % 4)] |= 1u << s->play[i];
    int dealt = s->phase == BELOTE_CUT_PHASE ? 0 : s->phase == BELOTE_BID_PHASE || !s->multiplier ? 5 : BELOTE_HAND;
    for (int seat = 0; seat < BELOTE_SEATS; seat++) {
        uint32_t listed = 0;
        for (int i = 0; i < dealt; i++)
            listed |= 1u << s->hand[seat][i];
        if (listed != had[seat] || __builtin_popcount(listed) != dealt)
            return "a hand is not what was dealt";
    }
    return NULL;
}

// B4.2: the points taken are those on the tricks taken.
static const char *check_points(const struct belote_state *s)
{
    int complete = s->plays / 4, sum = complete == BELOTE_TRICKS ? BELOTE_LAST_TRICK : 0;
    for (int i = 0; i < 4 * complete; i++)
        sum += belote_card_points(s->mode, s->play[i]);
    if (s->card_points[0] + s->card_points[1] != sum)
        return "card points are not those of the tricks";
    return s->won[0] + s->won[1] != complete ? "a trick was won by nobody" : NULL;
}

static const char *check_negotiation(const struct belote_state *s)
{
    if (s->bids > BELOTE_MAX_BIDS)
        return "a negotiation is too long"; // B3.14
    if (s->announced[0] & s->announced[1])
        return "a mode was announced twice";
    if (s->doubled & ~(s->announced[0] | s->announced[1]) || s->redoubled & ~s->doubled)
        return "a mode was doubled that nobody announced";
    for (int team = 0; team < 2; team++)
        if (__builtin_popcount(s->announced[team] & 0x0F) > 1)
            return "a team announced two colours"; // B3.4
    return NULL;
}

static const char *check_turn(const struct belote_state *s)
{
    if (s->phase > BELOTE_DONE)
        return "the phase is none";
    if (s->phase == BELOTE_DONE)
        return s->turn != BELOTE_NONE || s->may ? "somebody is asked after the end" : NULL;
    if (s->turn >= BELOTE_SEATS || s->winner != BELOTE_NONE)
        return "nobody is asked before the end";
    uint32_t may = s->phase == BELOTE_BID_PHASE    ? belote_list_words(s)
                   : s->phase == BELOTE_PLAY_PHASE ? belote_list_cards(s)
                                                   : 0;
    return s->may != may || (s->phase != BELOTE_CUT_PHASE && !may) ? "what may be done is kept wrong" : NULL;
}

const char *belote_check(const void *state)
{
    const struct belote_state *s = state;
    static const char *(*const checks[])(const struct belote_state *) = {check_turn, check_negotiation};
    static const char *(*const table[])(const struct belote_state *) = {check_cards, check_hands, check_points};
    for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i](s))
            return checks[i](s);
    if (s->dealer >= BELOTE_SEATS)
        return "nobody deals";
    if (belote_has_stacked(s) && !belote_is_deck(s->stacked))
        return "the stacked deck is no deck";
    if (s->phase == BELOTE_DONE && s->left != BELOTE_NONE)
        return NULL; // left in the middle of anything
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i](s))
            return table[i](s);
    return NULL;
}

// The negotiation (B3). Modes are announced in rising order only, so the lowest doubled mode is the first announced of
// them, and "announced after my first word" is "higher than the bid at my first word".
#include "games/belote/rules/internal.h"

enum { COLOURS = 0x0F, ALL_MODES = 0x3F, NO_TRUMPS = 1 << BELOTE_NO_TRUMPS, CLUBS = 1 << BELOTE_CLUBS };

static unsigned modes_above(int bid)
{
    return bid == BELOTE_NONE ? ALL_MODES : ALL_MODES & ~((2u << bid) - 1);
}

uint32_t belote_list_words(const struct belote_state *s)
{
    int us = belote_team(s->turn);
    unsigned ours = s->announced[us], theirs = s->announced[1 - us];
    unsigned announce = s->locked ? 0 : modes_above(s->high); // B3.4
    if (ours & COLOURS)
        announce &= ~(unsigned)COLOURS;
    unsigned accept = s->high != BELOTE_NONE;                                      // B3.5
    unsigned redouble = ours & s->doubled & ~(unsigned)(s->redoubled | NO_TRUMPS); // B3.7
    if (s->options & BELOTE_NO_CLUBS_REDOUBLE)
        redouble &= ~(unsigned)CLUBS;                                   // B8.2
    unsigned twice = theirs & ~(unsigned)s->doubled & s->open[s->turn]; // B3.6
    return announce | accept << BELOTE_SAY_ACCEPT | twice << BELOTE_SAY_DOUBLE | redouble << BELOTE_SAY_REDOUBLE;
}

// B3.6: only the first own Announcement or Accept counts.
static void mark_first_word(struct belote_state *s)
{
    if (s->open[s->turn] == ALL_MODES)
        s->open[s->turn] = (uint8_t)modes_above(s->high);
}

static void announce(struct belote_state *s, int mode)
{
    s->accepts = 0;
    s->high = (uint8_t)mode;
    s->bidder = s->turn;
    s->announced[belote_team(s->turn)] |= (uint8_t)(1 << mode);
    mark_first_word(s);
}

static void accept(struct belote_state *s)
{
    s->accepts++;
    bool opponent = belote_team(s->turn) != belote_team(s->bidder);
    if (opponent && (s->high == BELOTE_NO_TRUMPS || s->high == BELOTE_CLUBS)) // B3.8, B3.9
        s->locked = 1;
    mark_first_word(s);
}

static void raise(struct belote_state *s, uint8_t *modes, int mode)
{
    s->accepts = 0;
    s->locked = 1;
    *modes |= (uint8_t)(1 << mode);
}

static void finish_negotiation(struct belote_state *s, struct game_events *out)
{
    // B3.12
    s->mode = s->doubled ? (uint8_t)__builtin_ctz(s->doubled) : s->high;
    s->team = s->announced[1] >> s->mode & 1;
    s->multiplier = s->redoubled >> s->mode & 1 ? 4 : s->doubled ? 2 : 1;
    struct game_event *e;
    if (out && (e = game_emit(out, BELOTE_NEGOTIATION_COMPLETED, s->turn, EVERYONE))) {
        e->data[0] = s->mode;
        e->data[1] = s->team;
        e->data[2] = s->multiplier;
    }
    belote_deal_rest(s);
    s->phase = BELOTE_PLAY_PHASE;
    s->turn = (uint8_t)seat_after(s->dealer, 1); // B2.7
    s->may = belote_list_cards(s);
}

void belote_open_bids(struct belote_state *s)
{
    s->phase = BELOTE_BID_PHASE;
    s->turn = (uint8_t)seat_after(s->dealer, 1); // B2.7
    s->may = belote_list_words(s);
}

void belote_say(struct belote_state *s, int word, struct game_events *out)
{
    struct game_event *e;
    if (out && (e = game_emit(out, BELOTE_BID, s->turn, EVERYONE)))
        e->data[0] = (uint8_t)word;
    s->bid[s->bids++] = (uint8_t)word;
    if (word < BELOTE_SAY_ACCEPT)
        announce(s, word);
    else if (word == BELOTE_SAY_ACCEPT)
        accept(s);
    else if (word < BELOTE_SAY_REDOUBLE)
        raise(s, &s->doubled, word - BELOTE_SAY_DOUBLE);
    else
        raise(s, &s->redoubled, word - BELOTE_SAY_REDOUBLE);
    if (s->accepts == 3) { // B3.11
        finish_negotiation(s, out);
        return;
    }
    s->turn = (uint8_t)seat_after(s->turn, 1);
    s->may = belote_list_words(s);
}

// The history of a hand and the habits of seats (part 5.2 of docs/spec/train.md), and events as tokens (V80).
//
// One action can end a hand, and hands without a decision can follow: only what `before` noted tells how the first of
// them ended. In a hand without a decision all dealt seats showed down.
#include "games/texas_holdem/rules/rows.h"

#include <string.h>

enum note { RAISED, PUT, PHASE, LIVE };

// What the action will do, known before it: afterwards the hand may be over. Seat and action may still be refused, so
// they may be anything.
void holdem_before(const void *state, int seat, struct game_action action, struct game_mark *note)
{
    const struct texas_holdem_state *s = state;
    if (seat == GAME_MASTER) {
        note->at[LIVE] = s->live & ~(action.kind == GAME_DROP ? SEAT(action.arg[0] & 15) : 0);
        return;
    }
    int who = seat >= 0 && seat < HOLDEM_SEATS ? seat : 0;
    int32_t chips = s->chips[who], bet = s->bet[who], to_call = s->current_bet - bet;
    int32_t call = to_call < chips ? to_call : chips;
    int32_t raise = (int32_t)((uint32_t)action.amount - (uint32_t)bet); // of any amount
    int32_t put[8] = {[HOLDEM_CALL] = call, [HOLDEM_RAISE] = raise, [HOLDEM_ALLIN] = chips};
    note->at[PUT] = put[action.kind & 7];
    note->at[RAISED] = (action.kind >= HOLDEM_RAISE) & (note->at[PUT] > to_call);
    note->at[PHASE] = s->phase;
    note->at[LIVE] = s->live & ~((action.kind == HOLDEM_FOLD) << who);
}

#define HABIT(habit) (UINT64_C(1) << 16 * (habit)) // one more, in the word of a seat

static void count_habits(struct holdem_history *h, int seat, unsigned set)
{
    static const uint64_t one_more[1 << HOLDEM_SHOWED] = {
        0,
        HABIT(HOLDEM_PAID),
        HABIT(HOLDEM_RAISED),
        HABIT(HOLDEM_PAID) + HABIT(HOLDEM_RAISED),
        [1 << HOLDEM_RAISED_LATER] = HABIT(HOLDEM_RAISED_LATER),
    };
    unsigned more = h->hand > HOLDEM_COUNTED_HANDS ? 0 : set & ~(unsigned)h->counted[seat];
    h->habit[seat] += one_more[more];
    h->counted[seat] |= (uint8_t)more;
}

static void keep_did(struct holdem_history *h, int seat, int kind)
{
    enum { KINDS = HOLDEM_ALLIN };
    h->did &= ~(UINT64_C(0x1F) << KINDS * seat);
    h->did |= UINT64_C(1) << (KINDS * seat + kind - 1);
}

static void keep_action(struct holdem_history *h, int seat, int kind, const struct game_mark *note)
{
    int phase = note->at[PHASE];
    unsigned raised = (unsigned)note->at[RAISED];
    keep_did(h, seat, kind);
    h->put = note->at[PUT];
    h->put_on = h->pot;
    h->pot += h->put;
    h->acted = (uint8_t)phase;
    h->raises[phase] = (uint8_t)(h->raises[phase] + (raised & (h->raises[phase] < HOLDEM_MOST_RAISES)));
    uint64_t street = UINT64_C(0x1FF) << HOLDEM_SEATS * phase;
    h->aggressor &= raised ? ~street : UINT64_MAX;
    h->aggressor |= (uint64_t)raised << (HOLDEM_SEATS * phase + seat);
    unsigned early = (unsigned)(kind >= HOLDEM_CALL) << HOLDEM_PAID | raised << HOLDEM_RAISED;
    count_habits(h, seat, phase == HOLDEM_PREFLOP ? early : raised << HOLDEM_RAISED_LATER);
}

static void keep_street(struct holdem_history *h, const struct texas_holdem_state *s)
{
    for (int i = 0; i < HOLDEM_SEATS; i++) {
        h->street[h->phase][i] = s->total[i] - h->before[i];
        h->before[i] = s->total[i];
    }
    h->phase = s->phase;
}

// Draws the cards of a hand once, for all rows that show them.
static void keep_cards(struct holdem_history *h, const struct texas_holdem_state *s)
{
    if (s->phase == HOLDEM_DONE ? s->last.drawn || h->hand == s->hand : s->drawn)
        return;
    if (s->phase == HOLDEM_DONE) {
        struct texas_holdem_state copy = *s;
        holdem_draw_last(&copy);
        memcpy(h->hole, copy.last.cards, sizeof h->hole);
        memcpy(h->board, copy.last.board, sizeof h->board);
        return;
    }
    struct holdem_cards cards = holdem_cards_of(s);
    memcpy(h->hole, cards.hole, sizeof h->hole);
    memcpy(h->board, cards.board, sizeof h->board);
}

static void keep_new_hand(struct holdem_history *h, const struct texas_holdem_state *s)
{
    keep_cards(h, s);
    h->aggressor = h->did = 0;
    memset(h->street, 0, sizeof h->street);
    memset(h->raises, 0, sizeof h->raises);
    memset(h->counted, 0, sizeof h->counted);
    int32_t pot = 0;
    for (int i = 0; i < HOLDEM_SEATS; i++) {
        h->before[i] = s->total[i] - s->bet[i]; // the ante
        pot += s->total[i];
    }
    h->pot = pot;
    h->hand = s->hand;
    h->phase = s->phase;
}

// The running hand is over, and so are `more` hands without a decision.
static void count_showdowns(struct holdem_history *h, seat_set live, uint32_t more)
{
    uint32_t shown = holdem_is_one(live) ? 0 : 1, first = h->settled;
    uint32_t room = first < HOLDEM_COUNTED_HANDS ? HOLDEM_COUNTED_HANDS - first : 0;
    shown = shown < room ? shown : room;
    more = more < room - shown ? more : room - shown;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        h->habit[i] += (((uint32_t)live >> i & shown) + more) * HABIT(HOLDEM_SHOWED);
}

void holdem_begin_history(const void *state, void *history)
{
    const struct texas_holdem_state *s = state;
    struct holdem_history *h = history;
    count_showdowns(h, 0, s->last.number);
    h->settled = s->last.number;
    keep_new_hand(h, s);
}

void holdem_after(const void *state, void *history, int seat, struct game_action action, const struct game_mark *note)
{
    const struct texas_holdem_state *s = state;
    struct holdem_history *h = history;
    if (seat != GAME_MASTER)
        keep_action(h, seat, action.kind, note);
    else if (action.kind == GAME_DROP)
        keep_did(h, action.arg[0], HOLDEM_FOLD);
    if (h->settled != s->last.number) {
        count_showdowns(h, (seat_set)note->at[LIVE], s->last.number - h->settled - 1);
        h->settled = s->last.number;
        keep_new_hand(h, s);
    } else if (h->phase != s->phase) {
        keep_street(h, s);
    }
}

void holdem_after_brief(const void *state, void *history)
{
    const struct texas_holdem_state *s = state;
    struct holdem_history *h = history;
    if (h->settled == s->last.number)
        return;
    h->settled = s->last.number;
    keep_cards(h, s);
    h->hand = s->hand;
}

// ---- Tokens ---------------------------------------------------------------------------------------------------------
enum token {
    TOKEN_HAND = 1,
    TOKEN_ACTION, // fold; check, call, raise and all-in follow in this order
    TOKEN_BOARD = TOKEN_ACTION + HOLDEM_ALLIN,
    TOKEN_SHOWN,
    TOKEN_WON,
    TOKEN_DROPPED
};

const struct game_token_kind holdem_token_kinds[] = {
    {"hand", GAME_ARG_SEAT_1}, // number, button
    {"fold", 0},
    {"check", 0},
    {"call", 0}, // chips put in as eighths of the pot before, street from 0
    {"raise", 0},
    {"all_in", 0},
    {"board", 0}, // card + 1, street
    {"shown", 0}, // card + 1, card + 1
    {"won", 0},   // 64ths of the pot
    {"dropped", 0},
    {0},
};

static void tokenise_action(const struct game_event *e, const struct holdem_history *h, struct game_tokens *out)
{
    enum { EIGHTHS_MAX = 127 };
    int action = holdem_played_of(e).action;
    if (action > HOLDEM_ALLIN) // blinds belong to the hand
        return;
    int64_t eighths = action < HOLDEM_CALL ? 0 : h->put_on ? 8 * (int64_t)h->put / h->put_on : EIGHTHS_MAX;
    game_add_token(out, TOKEN_ACTION + action - HOLDEM_FOLD, e->seat + 1,
                   eighths < EIGHTHS_MAX ? (int)eighths : EIGHTHS_MAX, action < HOLDEM_CALL ? 0 : h->acted);
}

static void tokenise_board(const struct game_event *e, struct game_tokens *out)
{
    struct holdem_street street = holdem_street_of(e);
    for (int i = 0; i < street.count; i++)
        game_add_token(out, TOKEN_BOARD, 0, street.cards[i] + 1, street.phase);
}

static void tokenise_hands(const struct game_event *e, struct game_tokens *out)
{
    struct holdem_hands hands = holdem_hands_of(e);
    for (unsigned rest = hands.live; rest; rest &= rest - 1) {
        int seat = __builtin_ctz(rest);
        game_add_token(out, TOKEN_SHOWN, seat + 1, hands.cards[seat][0] + 1, hands.cards[seat][1] + 1);
    }
}

static void tokenise_payouts(const struct game_event *e, struct game_tokens *out)
{
    struct holdem_result result = holdem_result_of(e);
    for (int i = 0; i < result.winners; i++) {
        int seat = result.winner[i];
        game_add_token(out, TOKEN_WON, seat + 1, (int)(64 * (int64_t)result.payout[seat] / e->amount), 0);
    }
}

// Hands are shown before the pot is paid; the event of the result comes before its parts.
static void tokenise_result(const struct game_event *result, const struct game_event *end, struct game_tokens *out)
{
    for (const struct game_event *e = result + 1; e < end && e->part; e++)
        if (e->kind == HOLDEM_EVENT_HANDS)
            tokenise_hands(e, out);
    tokenise_payouts(result, out);
}

void holdem_tell(const void *state, const void *history, const struct game_event *happened, int count,
                 struct game_tokens *out)
{
    enum { NUMBER_MAX = INT16_MAX };
    (void)state;
    for (const struct game_event *e = happened, *end = e + count; e < end; e++) {
        if (e->kind == HOLDEM_EVENT_NEW_HAND)
            game_add_token(out, TOKEN_HAND, 0, e->amount < NUMBER_MAX ? e->amount : NUMBER_MAX, e->seat + 1);
        else if (e->kind == HOLDEM_EVENT_ACTION)
            tokenise_action(e, history, out);
        else if (e->kind == HOLDEM_EVENT_COMMUNITY)
            tokenise_board(e, out);
        else if (e->kind == HOLDEM_EVENT_RESULT)
            tokenise_result(e, end, out);
        else if (e->kind == HOLDEM_EVENT_DROPPED)
            game_add_token(out, TOKEN_DROPPED, e->seat + 1, 0, 0);
    }
}

#include "games/texas_holdem/rules/hand.h"

#include <string.h>

// F6.T3, clockwise from the button, by the number of players dealt in.
static const uint8_t positions[HOLDEM_SEATS + 1][HOLDEM_SEATS] = {
    [2] = {HOLDEM_BTN, HOLDEM_BB},
    [3] = {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB},
    [4] = {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG},
    [5] = {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG, HOLDEM_CO},
    [6] = {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG, HOLDEM_MP, HOLDEM_CO},
    [7] = {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG, HOLDEM_MP, HOLDEM_HJ, HOLDEM_CO},
    [8] = {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG, HOLDEM_UTG1, HOLDEM_MP, HOLDEM_HJ, HOLDEM_CO},
    [9] = {HOLDEM_BTN, HOLDEM_SB, HOLDEM_BB, HOLDEM_UTG, HOLDEM_UTG1, HOLDEM_MP, HOLDEM_MP1, HOLDEM_HJ, HOLDEM_CO},
};

// A copy with all cards drawn.
static struct texas_holdem_state draw_all(const struct texas_holdem_state *s)
{
    struct texas_holdem_state copy = *s;
    holdem_draw_last(&copy);
    if (s->phase != HOLDEM_DONE)
        holdem_draw(&copy);
    return copy;
}

static uint8_t status_of(const struct texas_holdem_state *s, int seat)
{
    if (!(s->dealt & ~s->dropped & SEAT(seat)))
        return HOLDEM_BUSTED;
    if (!(s->live & SEAT(seat)))
        return HOLDEM_FOLDED;
    return s->chips[seat] == 0 ? HOLDEM_ALL_IN : HOLDEM_ACTIVE;
}

// Positions belong to the hand as it was dealt: none changes when a seat is dropped or the match is done.
static void name_positions(const struct texas_holdem_state *s, struct texas_holdem_view *v)
{
    seat_set ring = s->phase == HOLDEM_DONE ? s->last.dealt : s->dealt;
    int players = __builtin_popcount(ring), seat = s->button;
    for (int i = 0; i < players; i++, seat = game_next_seat(ring, seat))
        if (v->status[seat] != HOLDEM_BUSTED)
            v->position[seat] = positions[players][i];
}

// F6.T15: from left of the big blind preflop (heads-up: at the button), afterwards from left of the button.
static void list_order(const struct texas_holdem_state *s, struct texas_holdem_view *v)
{
    int players = __builtin_popcount(s->dealt), seat = s->button;
    int skip = s->phase != HOLDEM_PREFLOP ? 1 : players == 2 ? 0 : 3;
    for (int i = 0; i < skip; i++)
        seat = game_next_seat(s->dealt, seat);
    for (int i = 0; i < players; i++, seat = game_next_seat(s->dealt, seat))
        if (!(s->dropped & SEAT(seat)))
            v->order[v->order_count++] = (uint8_t)seat;
}

static void view_bounds(const struct texas_holdem_state *s, int viewer, struct texas_holdem_view *v)
{
    if (viewer >= s->seats || !(s->able & SEAT(viewer)) || s->phase == HOLDEM_DONE)
        return;
    struct holdem_bounds b = holdem_bounds_of(s, viewer);
    v->to_call = b.to_call;
    if (viewer == s->actor && b.may_raise) {
        v->min_raise_to = b.min;
        v->max_raise_to = b.max;
    }
}

static bool knows_last(const struct holdem_last *last, int viewer, int seat)
{
    return seat == viewer || (last->reason == HOLDEM_SHOWN_DOWN && last->live & SEAT(seat));
}

static void view_last(const struct texas_holdem_state *s, int viewer, struct texas_holdem_view *v)
{
    v->last = s->last;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        if (!(s->last.dealt & SEAT(i)) || !knows_last(&s->last, viewer, i))
            memset(v->last.cards[i], CARD_NONE, 2);
    if (s->last.number == 0)
        memset(v->last.board, CARD_NONE, sizeof v->last.board);
}

static void view_cards(const struct texas_holdem_state *s, int viewer, struct texas_holdem_view *v)
{
    memset(v->hole, CARD_NONE, sizeof v->hole);
    memset(v->shown, CARD_NONE, sizeof v->shown);
    memset(v->board, CARD_NONE, sizeof v->board);
    bool done = s->phase == HOLDEM_DONE; // then the last hand still lies there
    v->board_count = done ? s->last.board_count : (uint8_t)holdem_board_count(s);
    memcpy(v->board, done ? s->last.board : s->runout, v->board_count);
    if (viewer < s->seats && v->status[viewer] != HOLDEM_BUSTED)
        memcpy(v->hole, done ? s->last.cards[viewer] : s->hole[viewer], sizeof v->hole);
    if (!done || s->last.reason != HOLDEM_SHOWN_DOWN)
        return;
    for (unsigned rest = s->last.live; rest; rest &= rest - 1)
        memcpy(v->shown[__builtin_ctz(rest)], s->last.cards[__builtin_ctz(rest)], 2);
}

void holdem_view(const void *state, int viewer, void *view)
{
    struct texas_holdem_state drawn = draw_all(state);
    const struct texas_holdem_state *s = &drawn;
    struct texas_holdem_view *v = view;
    bool done = s->phase == HOLDEM_DONE;
    *v = (struct texas_holdem_view){
        .all_chips = s->all_chips,
        .pot = holdem_pot(s),
        .current_bet = s->current_bet,
        .small_blind = s->small_blind,
        .big_blind = s->big_blind,
        .ante = s->ante,
        .hand = s->hand,
        .hands_total = s->hands_total,
        .hands_completed = s->last.number,
        .turn = s->question,
        .dropped = s->dropped,
        .champions = done ? holdem_leaders(s) : 0,
        .seats = s->seats,
        .viewer = (uint8_t)viewer,
        .phase = s->phase,
        .button = s->button,
        .actor = s->actor,
        .ending = s->ending,
        .cash = s->cash,
    };
    if (s->cash)
        memcpy(v->net, s->net, sizeof v->net);
    memcpy(v->chips, s->chips, sizeof v->chips);
    memcpy(v->bet, s->bet, sizeof v->bet);
    memcpy(v->total, s->total, sizeof v->total);
    for (int i = 0; i < HOLDEM_SEATS; i++)
        v->status[i] = status_of(s, i);
    name_positions(s, v);
    if (!done)
        list_order(s, v);
    view_bounds(s, viewer, v);
    view_last(s, viewer, v);
    view_cards(s, viewer, v);
}

// G25.4: hole 52, board 52, nine seats x 6, button 9, own seat 9, phase 4, pot, to_call, progress.
enum { AT_HOLE = 0, AT_BOARD = 52, AT_SEATS = 104, AT_BUTTON = 158, AT_OWN = 167, AT_PHASE = 176, AT_REST = 180 };

void holdem_vector(const void *view, float *out)
{
    const struct texas_holdem_view *v = view;
    float all = (float)v->all_chips;
    memset(out, 0, HOLDEM_VECTOR * sizeof *out);
    for (int i = 0; i < 2; i++)
        if (v->hole[i] != CARD_NONE)
            out[AT_HOLE + v->hole[i]] = 1;
    for (int i = 0; i < v->board_count; i++)
        out[AT_BOARD + v->board[i]] = 1;
    for (int i = 0; i < v->seats; i++) {
        float *seat = out + AT_SEATS + 6 * i;
        seat[0] = (float)v->chips[i] / all;
        seat[1] = (float)v->bet[i] / all;
        seat[2 + v->status[i]] = 1;
    }
    out[AT_BUTTON + v->button] = 1;
    if (v->viewer < HOLDEM_SEATS)
        out[AT_OWN + v->viewer] = 1;
    if (v->phase <= HOLDEM_RIVER)
        out[AT_PHASE + v->phase] = 1;
    out[AT_REST] = (float)v->pot / all;
    out[AT_REST + 1] = (float)v->to_call / all;
    out[AT_REST + 2] = (float)v->hand / (float)v->hands_total;
}

// Cards that no place has yet, drawn one by one.
struct pool {
    struct rng_draw *draw;
    uint8_t cards[CARDS_IN_DECK];
    uint8_t unused[4];
    int32_t count, next;
};

static void fill_pool(struct pool *p, uint64_t known)
{
    p->count = p->next = 0;
    for (uint8_t card = 0; card < CARDS_IN_DECK; card++)
        if (!(known >> card & 1))
            p->cards[p->count++] = card;
}

static void redraw_cards(struct pool *p, uint8_t *cards, int count)
{
    cards_draw(p->cards, p->count, p->next, p->next + count, p->draw);
    memcpy(cards, p->cards + p->next, (size_t)count);
    p->next += count;
}

static void resample_last(struct holdem_last *last, int viewer, struct pool *p)
{
    uint64_t known = cards_set(last->board, last->board_count);
    for (int i = 0; i < HOLDEM_SEATS; i++)
        if (last->dealt & SEAT(i) && knows_last(last, viewer, i))
            known |= cards_set(last->cards[i], 2);
    fill_pool(p, known);
    for (int i = 0; i < HOLDEM_SEATS; i++)
        if (last->dealt & SEAT(i) && !knows_last(last, viewer, i))
            redraw_cards(p, last->cards[i], 2);
}

static void resample_hand(struct texas_holdem_state *s, int viewer, struct pool *p)
{
    int open = holdem_board_count(s);
    uint64_t known = cards_set(s->runout, open);
    if (viewer < HOLDEM_SEATS && s->dealt & SEAT(viewer))
        known |= cards_set(s->hole[viewer], 2);
    fill_pool(p, known);
    for (int i = 0; i < s->seats; i++)
        if (i != viewer && s->dealt & SEAT(i))
            redraw_cards(p, s->hole[i], 2);
    redraw_cards(p, s->runout + open, 5 - open);
}

// `hand` is the seat whose cards of the running hand are known: `viewer`, or none if that seat has left the hand.
static void resample(struct texas_holdem_state *s, int viewer, int hand, struct rng *dice)
{
    *s = draw_all(s); // with the old key, before it is replaced
    struct rng_draw draw;
    rng_begin(&draw, dice);
    struct pool pool = {.draw = &draw};
    for (int i = 0; i < 8; i++)
        s->chance.key[i] = rng_draw_u32(&draw);
    if (!s->cash)
        holdem_draw_lots(s);
    memset(s->stacked, 0, sizeof s->stacked);
    s->has_stacked = 0;
    if (s->last.number)
        resample_last(&s->last, viewer, &pool);
    if (s->phase != HOLDEM_DONE)
        resample_hand(s, hand, &pool);
}

void holdem_resample(void *state, int viewer, struct rng *dice)
{
    resample(state, viewer, viewer, dice);
}

// Who was dealt in. Of those who have left since, some have put in nothing: then positions tell, which count them.
static seat_set recall_dealt(struct texas_holdem_state *s, const struct texas_holdem_view *v)
{
    seat_set sure = 0, left = 0;
    for (int i = 0; i < v->seats; i++)
        if (v->status[i] != HOLDEM_BUSTED || (v->dropped & SEAT(i) && v->total[i]))
            sure |= SEAT(i);
        else
            left |= (seat_set)(v->dropped & SEAT(i));
    for (seat_set more = 0;; more = (seat_set)((more - left) & left)) {
        struct texas_holdem_view again = {0};
        memcpy(again.status, v->status, sizeof again.status);
        s->dealt = (seat_set)(sure | more);
        name_positions(s, &again);
        if (memcmp(again.position, v->position, sizeof again.position) == 0 || more == left)
            return s->dealt;
    }
}

// F6.T10: seats that have not matched the bet, and in an unraised round also those behind the seat to act.
static seat_set recall_pending(const struct texas_holdem_state *s, const struct texas_holdem_view *v)
{
    bool raised = s->current_bet > (s->phase == HOLDEM_PREFLOP ? s->big_blind : 0), behind = false;
    seat_set pending = SEAT(s->actor);
    for (int i = 0; i < v->order_count; i++) {
        int seat = v->order[i];
        if (s->bet[seat] < s->current_bet || (behind && !raised))
            pending |= SEAT(seat);
        behind |= seat == s->actor;
    }
    return (seat_set)(pending & s->able);
}

// What the viewer may raise tells the last raise; to others it is the usual one.
static void recall_bounds(struct texas_holdem_state *s, const struct texas_holdem_view *v)
{
    s->last_raise = v->min_raise_to ? v->min_raise_to - v->current_bet : v->big_blind;
    if (v->viewer != v->actor || v->min_raise_to)
        return;
    s->short_all_in = (uint8_t)holdem_bounds_of(s, v->viewer).may_raise;
}

static void recall_sets(struct texas_holdem_state *s, const struct texas_holdem_view *v)
{
    s->dealt = recall_dealt(s, v);
    int32_t held = 0;
    for (int i = 0; i < v->seats; i++) {
        bool live = holdem_has_cards(v, i);
        s->live |= (seat_set)((unsigned)live << i);
        s->able |= (seat_set)((unsigned)(live && v->chips[i] > 0) << i);
        held += v->chips[i] + v->total[i];
    }
    s->removed = v->all_chips - held;
    s->pending = recall_pending(s, v);
}

static struct texas_holdem_state recall(const struct texas_holdem_view *v)
{
    struct texas_holdem_state s = {.last = v->last,
                                   .drawn = 1,
                                   .button = v->button,
                                   .current_bet = v->current_bet,
                                   .small_blind = v->small_blind,
                                   .big_blind = v->big_blind,
                                   .ante = v->ante,
                                   .base_small = v->small_blind,
                                   .base_big = v->big_blind,
                                   .base_ante = v->ante,
                                   .level = HOLDEM_MILLION,
                                   .all_chips = v->all_chips,
                                   .hand = v->hand,
                                   .hands_total = v->hands_total,
                                   .question = v->turn,
                                   .dropped = v->dropped,
                                   .seats = v->seats,
                                   .actor = v->actor,
                                   .phase = v->phase,
                                   .big_blind_option = 1,
                                   .cash = v->cash};
    if (v->cash)
        memcpy(s.net, v->net, sizeof v->net);
    memcpy(s.chips, v->chips, sizeof s.chips);
    memcpy(s.bet, v->bet, sizeof s.bet);
    memcpy(s.total, v->total, sizeof s.total);
    memcpy(s.runout, v->board, sizeof s.runout);
    memcpy(s.hole[v->viewer], v->hole, sizeof v->hole);
    recall_sets(&s, v);
    recall_bounds(&s, v);
    return s;
}

void holdem_imagine(void *state, const void *view, struct rng *dice)
{
    const struct texas_holdem_view *v = view;
    struct texas_holdem_state *s = state;
    *s = recall(v);
    resample(s, v->viewer, v->hole[0] == CARD_NONE ? GAME_SPECTATOR : v->viewer, dice);
}

static const char *check_chips(const struct texas_holdem_state *s)
{
    int64_t sum = s->removed;
    for (int i = 0; i < HOLDEM_SEATS; i++) {
        if (s->chips[i] < 0 || s->bet[i] < 0 || s->bet[i] > s->total[i])
            return "chips and bets are not negative, and a round is part of a hand";
        if (s->bet[i] > s->current_bet)
            return "nobody bets more than the current bet";
        if (s->dropped & SEAT(i) && s->chips[i])
            return "a dropped seat has no chips";
        if (i >= s->seats && (s->chips[i] || s->total[i]))
            return "no chips beyond the last seat";
        sum += s->chips[i] + s->total[i];
    }
    return sum == s->all_chips ? NULL : "chips are conserved";
}

static const char *check_sets(const struct texas_holdem_state *s)
{
    seat_set able = 0;
    for (int i = 0; i < s->seats; i++)
        if (s->live & SEAT(i) && s->chips[i] > 0)
            able |= SEAT(i);
    if (s->live & ~s->dealt || s->dealt >> s->seats || s->live & s->dropped || !s->live)
        return "the live were dealt in";
    if (able != s->able)
        return "the able are the live with chips";
    if (s->phase == HOLDEM_DONE)
        return s->actor == HOLDEM_NOBODY && s->ending ? NULL : "nobody is asked when the match is done";
    if (s->phase > HOLDEM_RIVER || s->actor >= s->seats || !(able & SEAT(s->actor)))
        return "the asked seat can act";
    if (s->pending & ~able || !(s->pending & SEAT(s->actor)))
        return "the asked seat is pending";
    return holdem_is_one(s->live) ? "a hand goes on between two or more" : NULL;
}

static bool are_distinct(const uint8_t hole[HOLDEM_SEATS][2], seat_set ring, const uint8_t *board, int board_count)
{
    uint8_t all[HOLDEM_MAX_DEALT];
    uint64_t seen = 0;
    int count = board_count;
    memcpy(all, board, (size_t)board_count);
    for (unsigned rest = ring; rest; rest &= rest - 1, count += 2)
        memcpy(all + count, hole[__builtin_ctz(rest)], 2);
    for (int i = 0; i < count; i++)
        seen |= all[i] < CARDS_IN_DECK ? UINT64_C(1) << all[i] : 0;
    return __builtin_popcountll(seen) == count;
}

static const char *check_cards(const struct texas_holdem_state *s)
{
    if (!are_distinct(s->last.cards, s->last.dealt, s->last.board, s->last.board_count))
        return "no card was there twice";
    if (s->phase == HOLDEM_DONE)
        return NULL;
    return are_distinct(s->hole, s->dealt, s->runout, 5) ? NULL : "no card is there twice";
}

static const char *check_last(const struct texas_holdem_state *s)
{
    int64_t paid = 0;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        paid += s->last.payout[i];
    if (paid != s->last.pot)
        return "the pot is paid out";
    return s->last.number + (s->phase != HOLDEM_DONE) == s->hand ? NULL : "every hand but the running one is settled";
}

static const char *check_net(const struct texas_holdem_state *s)
{
    int64_t sum = 0;
    for (int i = 0; i < RNG_BLOCK_WORDS; i++)
        sum += i < s->seats || s->net[i] == 0 ? s->net[i] : INT64_MAX / RNG_BLOCK_WORDS;
    return sum == 0 ? NULL : "what one has won others have lost";
}

static const char *check_lots(const struct texas_holdem_state *s)
{
    struct texas_holdem_state again = *s;
    if (s->cash)
        return check_net(s);
    holdem_draw_lots(&again);
    return memcmp(s->lots, again.lots, sizeof s->lots) == 0 ? NULL : "the lots are those of the key";
}

const char *holdem_check(const void *state)
{
    struct texas_holdem_state drawn = draw_all(state);
    const char *(*const checks[])(const struct texas_holdem_state *) = {check_chips, check_sets, check_cards,
                                                                        check_last, check_lots};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const char *broken = checks[i](&drawn);
        if (broken)
            return broken;
    }
    return NULL;
}

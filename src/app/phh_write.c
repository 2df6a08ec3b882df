// Converts a replay to hands. Everything is taken from events, so a seat's export contains only what that seat may
// know.
#include "app/phh.h"

#include "app/replay_hands.h"
#include "codec/codec.h"
#include "heap/heap.h"

#include <stdlib.h>

struct writer {
    struct text *out;
    struct phh_counts *counts;
    struct replay_hands hands;
    bool tables;

    // The current hand.
    uint32_t hand;
    struct holdem_new_hand begun;
    int32_t ante;
    int players, button;
    uint8_t at[HOLDEM_SEATS];     // seat of a player, from the left of the button
    uint8_t player[HOLDEM_SEATS]; // player of a seat
    seat_set dealt;
    uint8_t cards[HOLDEM_SEATS][2]; // by seat; CARD_NONE: hidden
    struct text actions;
    // The bet as PokerKit sees it, and the amount to be matched here: they differ if a big blind was short.
    int32_t bet[HOLDEM_SEATS], lying, current, last_raise, min_bet;
    int32_t stack[HOLDEM_SEATS]; // at the beginning of the round: the most that can be bet in it
    seat_set live;
    seat_set acted; // since the last full raise
    bool nonstandard;
    struct holdem_result result;
    struct holdem_paid paid;
    struct holdem_hands shown;
};

static void put_cards(struct text *t, const uint8_t *cards, int count)
{
    for (int i = 0; i < count; i++)
        text_puts(t, cards[i] == CARD_NONE ? "??" : codec_card_name(cards[i]));
}

static struct text *add_action(struct writer *w)
{
    struct text *t = &w->actions;
    text_puts(t, t->size ? ", \"" : "\"");
    return t;
}

static void add_player_action(struct writer *w, int seat, const char *word)
{
    struct text *t = add_action(w);
    text_put_char(t, 'p');
    text_put_int(t, w->player[seat] + 1);
    text_put_char(t, ' ');
    text_puts(t, word);
}

static void end_action(struct writer *w)
{
    text_put_char(&w->actions, '"');
}

// --- the course of a hand

static void begin_round(struct writer *w)
{
    for (int i = 0; i < HOLDEM_SEATS; i++)
        w->stack[i] -= w->bet[i];
    memset(w->bet, 0, sizeof w->bet);
    w->lying = w->current = 0;
    w->last_raise = w->begun.big_blind;
    w->acted = 0;
}

// N13.1: from the left of the button, which puts the big blind first if there are two.
static void begin_hand(struct writer *w, const struct game_event *e)
{
    const struct texas_holdem_state *s = (const void *)&w->hands.run.state;
    w->begun = holdem_new_hand_of(e);
    w->hand = (uint32_t)e->amount;
    w->button = e->seat;
    // The current ante by the rules: a fraction of the big blind if an overseer set one.
    w->ante = s->ante_fraction ? (int32_t)((int64_t)w->begun.big_blind * (s->ante_fraction - 1) / HOLDEM_MILLION)
                               : s->base_ante;
    w->players = 0;
    w->dealt = 0;
    for (int i = 0; i < s->seats; i++)
        if (w->begun.chips[i] > 0)
            w->dealt |= SEAT(i);
    for (int i = 0, seat = w->button; i < __builtin_popcount(w->dealt); i++) {
        seat = game_next_seat(w->dealt, seat);
        w->player[seat] = (uint8_t)w->players;
        w->at[w->players++] = (uint8_t)seat;
    }
    memset(w->cards, CARD_NONE, sizeof w->cards);
    memset(&w->shown, 0, sizeof w->shown);
    w->actions.size = 0;
    w->nonstandard = false;
    w->min_bet = w->begun.big_blind;
    w->live = w->dealt;
    begin_round(w);
    for (int i = 0; i < HOLDEM_SEATS; i++)
        w->stack[i] = w->begun.chips[i] > w->ante ? w->begun.chips[i] - w->ante : 0;
}

// Whether another player could put in more than the current bet.
static bool can_be_matched(const struct writer *w, int seat)
{
    for (unsigned rest = w->live & ~(unsigned)SEAT(seat); rest; rest &= rest - 1)
        if (w->stack[__builtin_ctz(rest)] > w->lying)
            return true;
    return false;
}

// N13.3: up to the amount to be matched it is a call, above it a raise to the total of the round; if nobody could match
// more, it is a call too.
static void write_bet(struct writer *w, int seat, int32_t total, bool calls)
{
    bool more = can_be_matched(w, seat), raises = total > w->current && more;
    bool short_blind = !raises && more && total > w->lying && w->players > 2;
    if (short_blind && calls) { // N13.7
        int32_t adds = total - w->lying;
        w->min_bet = adds < w->min_bet ? adds : w->min_bet;
        w->counts->short_blinds++;
    }
    if (raises && w->acted & SEAT(seat)) // N13.8: a short all-in has not reopened the betting
        w->nonstandard = true;
    if (raises || short_blind) {
        add_player_action(w, seat, "cbr ");
        text_put_int(&w->actions, total);
    } else {
        add_player_action(w, seat, "cc");
    }
    end_action(w);
    if (raises && total - w->current >= w->last_raise) {
        w->last_raise = total - w->current;
        w->acted = 0;
    }
    w->current = total > w->current ? total : w->current;
    w->lying = total > w->lying ? total : w->lying;
    w->bet[seat] = total;
    w->acted |= SEAT(seat);
}

static void write_fold(struct writer *w, int seat, bool dropped)
{
    w->live &= (seat_set)~SEAT(seat);
    add_player_action(w, seat, "f");
    end_action(w);
    w->nonstandard |= dropped; // its stack has left the game, and perhaps there was nothing to fold against
}

static void follow_action(struct writer *w, const struct game_event *e)
{
    int action = holdem_played_of(e).action, seat = e->seat;
    if (action == HOLDEM_POST_SMALL || action == HOLDEM_POST_BIG) {
        w->bet[seat] = e->amount;
        w->lying = e->amount > w->lying ? e->amount : w->lying;
        w->current = w->begun.big_blind;
    } else if (action == HOLDEM_FOLD) {
        write_fold(w, seat, false);
    } else { // F6.T14: a call gives what it adds, the others the total
        write_bet(w, seat, action == HOLDEM_RAISE || action == HOLDEM_ALLIN ? e->amount : w->bet[seat] + e->amount,
                  action == HOLDEM_CALL);
    }
}

static void deal_board(struct writer *w, const struct game_event *e)
{
    struct holdem_street street = holdem_street_of(e);
    struct text *t = add_action(w);
    text_puts(t, "d db ");
    put_cards(t, street.cards, street.count);
    end_action(w);
    begin_round(w);
}

// --- a hand that is over

static void put_key(struct text *t, const char *key)
{
    text_puts(t, key);
    text_puts(t, " = ");
}

static void put_number(struct text *t, const char *key, int64_t value)
{
    put_key(t, key);
    text_put_int(t, value);
    text_put_char(t, '\n');
}

static void put_text(struct text *t, const char *text)
{
    text_put_char(t, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            text_put_char(t, '\\');
        text_put_char(t, *text); // names have no control characters
    }
    text_put_char(t, '"');
}

static void put_words(struct text *t, const char *key, const char *value)
{
    put_key(t, key);
    put_text(t, value);
    text_put_char(t, '\n');
}

static void put_list(struct text *t, const char *key, const int32_t *by_player, int count)
{
    put_key(t, key);
    text_put_char(t, '[');
    for (int i = 0; i < count; i++) {
        text_puts(t, i ? ", " : "");
        text_put_int(t, by_player[i]);
    }
    text_puts(t, "]\n");
}

// Unmatched chips are returned, not won.
static int32_t uncalled_bet(const struct writer *w, int seat)
{
    int32_t most = 0;
    for (int i = 0; i < HOLDEM_SEATS; i++)
        most = i != seat && w->paid.total[i] > most ? w->paid.total[i] : most;
    return w->paid.total[seat] > most ? w->paid.total[seat] - most : 0;
}

static void put_stakes(const struct writer *w, struct text *t)
{
    int32_t antes[HOLDEM_SEATS], blinds[HOLDEM_SEATS] = {w->begun.small_blind, w->begun.big_blind};
    int32_t stacks[HOLDEM_SEATS];
    for (int i = 0; i < w->players; i++) {
        antes[i] = w->ante;
        stacks[i] = w->begun.chips[w->at[i]];
    }
    put_words(t, "variant", "NT");
    text_puts(t, "ante_trimming_status = true\n");
    put_list(t, "antes", antes, w->players);
    put_list(t, "blinds_or_straddles", blinds, w->players);
    put_number(t, "min_bet", w->min_bet);
    put_list(t, "starting_stacks", stacks, w->players);
}

static void put_actions(const struct writer *w, struct text *t)
{
    text_puts(t, "actions = [");
    for (int i = 0; i < w->players; i++) {
        text_puts(t, i ? ", \"d dh p" : "\"d dh p");
        text_put_int(t, i + 1);
        text_put_char(t, ' ');
        put_cards(t, w->cards[w->at[i]], 2);
        text_put_char(t, '"');
    }
    if (w->actions.size) {
        text_puts(t, ", ");
        text_put(t, text_span(&w->actions));
    }
    text_puts(t, "]\n");
}

static void put_labels(const struct writer *w, struct text *t)
{
    const struct replay_head *h = &w->hands.run.reader.head;
    const struct texas_holdem_rules *r = (const void *)&w->hands.run.rules;
    int32_t seats[HOLDEM_SEATS], finish[HOLDEM_SEATS], won[HOLDEM_SEATS];
    for (int i = 0; i < w->players; i++) {
        int seat = w->at[i];
        seats[i] = seat + 1;
        finish[i] = w->begun.chips[seat] - w->paid.total[seat] + w->result.payout[seat];
        won[i] = w->result.payout[seat] - uncalled_bet(w, seat);
    }
    put_key(t, "players");
    for (int i = 0; i < w->players; i++) {
        char plain[16] = "seat_";
        plain[5] = (char)('0' + w->at[i]);
        text_puts(t, i ? ", " : "[");
        put_text(t, *h->name[w->at[i]] ? h->name[w->at[i]] : plain);
    }
    text_puts(t, "]\n");
    put_list(t, "seats", seats, w->players);
    put_number(t, "seat_count", h->seats);
    put_number(t, "hand", w->hand);
    put_number(t, "level",
               r->format == HOLDEM_TOURNAMENT && r->blinds_double_at && w->hand >= (uint32_t)r->blinds_double_at ? 2
                                                                                                                 : 1);
    put_list(t, "finishing_stacks", finish, w->players);
    put_list(t, "winnings", won, w->players);
    put_words(t, "venue", "agon");
    put_words(t, "_agon_game", "texas_holdem");
    put_words(t, "_agon_format", r->format == HOLDEM_CASH ? "cash" : "tournament");
    if (h->has_seed && h->seed <= INT64_MAX && w->hands.seat < 0) // TOML has no larger integer
        put_number(t, "_agon_seed", (int64_t)h->seed);
    if (w->min_bet != w->begun.big_blind)
        put_number(t, "_agon_min_bet", w->begun.big_blind);
    if (w->nonstandard)
        text_puts(t, "_agon_nonstandard = true\n");
}

// N13.8: two odd chips of a pot go to two winners here, to one of them elsewhere.
static bool has_odd_chips(const struct writer *w)
{
    int32_t paid = 0, sum = 0, level = 0;
    for (seat_set eligible = w->shown.live; eligible; paid = sum) {
        unsigned above = 0;
        int best = 0, winners = 0;
        level = INT32_MAX;
        for (unsigned rest = eligible; rest; rest &= rest - 1) {
            int seat = __builtin_ctz(rest);
            level = w->paid.total[seat] < level ? w->paid.total[seat] : level;
            winners = w->shown.strength[seat] > best ? 0 : winners;
            best = w->shown.strength[seat] > best ? w->shown.strength[seat] : best;
            winners += w->shown.strength[seat] == best;
        }
        sum = 0;
        for (int i = 0; i < HOLDEM_SEATS; i++) {
            above |= (unsigned)(eligible >> i & 1 && w->paid.total[i] > level) << i;
            sum += w->paid.total[i] < level ? w->paid.total[i] : level;
        }
        if ((sum - paid) % winners > 1)
            return true;
        eligible = (seat_set)above;
    }
    return false;
}

static void end_hand(void *owner)
{
    struct writer *w = owner;
    w->nonstandard |= has_odd_chips(w);
    for (int i = 0; i < w->players; i++)
        if (w->shown.live & SEAT(w->at[i])) {
            add_player_action(w, w->at[i], "sm ");
            put_cards(&w->actions, w->shown.cards[w->at[i]], 2);
            end_action(w);
        }
    w->counts->hands++;
    w->counts->nonstandard += w->nonstandard;
    struct text *t = w->out;
    if (w->tables) {
        text_puts(t, w->counts->hands > 1 ? "\n[" : "[");
        text_put_uint(t, w->counts->hands);
        text_puts(t, "]\n");
    }
    put_stakes(w, t);
    put_actions(w, t);
    put_labels(w, t);
}

static void record_cards(struct writer *w, int seat, const uint8_t cards[2])
{
    memcpy(w->cards[seat], cards, 2);
}

static void record_shown_hands(struct writer *w, const struct game_event *e)
{
    w->shown = holdem_hands_of(e);
    for (int i = 0; i < HOLDEM_SEATS; i++)
        if (w->shown.live & SEAT(i))
            record_cards(w, i, w->shown.cards[i]);
}

static void on_event(void *owner, const struct game_event *e)
{
    struct writer *w = owner;
    switch (e->kind) {
    case HOLDEM_EVENT_NEW_HAND:
        begin_hand(w, e);
        break;
    case HOLDEM_EVENT_ACTION:
        follow_action(w, e);
        break;
    case HOLDEM_EVENT_DROPPED:
        write_fold(w, e->seat, true);
        break;
    case HOLDEM_EVENT_COMMUNITY:
        deal_board(w, e);
        break;
    case HOLDEM_EVENT_RESULT:
        w->result = holdem_result_of(e);
        break;
    case HOLDEM_EVENT_PAID:
        w->paid = holdem_paid_of(e);
        break;
    case HOLDEM_EVENT_HANDS:
        record_shown_hands(w, e);
        break;
    case HOLDEM_EVENT_OWN:
        record_cards(w, e->seat, holdem_own_of(e).cards);
        break;
    default:
        break;
    }
}

int phh_export(struct text *out, struct span replay, const uint8_t *key, int seat, struct phh_counts *counts)
{
    static _Thread_local struct writer w;
    w = (struct writer){.out = out,
                        .counts = counts,
                        .hands = {.seat = seat, .on_event = on_event, .on_end = end_hand, .owner = &w},
                        .actions = {.grow = heap_text_grow}};
    *counts = (struct phh_counts){0};
    int err = replay_hands_begin(&w.hands, replay, key);
    if (err != OK)
        return err;
    w.tables = ((const struct texas_holdem_rules *)&w.hands.run.rules)->max_hands > 1;
    err = replay_hands_play(&w.hands);
    counts->unfinished = w.hands.open;
    bool full = w.actions.full || out->full;
    free(w.actions.at);
    return err != OK ? err : full ? ERR_FULL : OK;
}

#include "games/texas_holdem/codec.h"

#include "games/texas_holdem/rules/eval.h"
#include "games/texas_holdem/rules/texas_holdem.h"

enum { EVENTS_SHOWN = 6 }; // of the past, in a situation

static void say_cards(struct text *t, const uint8_t *cards, int count)
{
    for (int i = 0; i < count; i++)
        codec_write(t, "%s%s", i ? " " : "", codec_card_name(cards[i]));
}

// --- rules ---

static void describe_stakes(struct text *t, const struct texas_holdem_rules *h, int seats)
{
    codec_write(t, "No-Limit Texas Hold'em, %d players, ", seats);
    if (h->stacks[0])
        text_puts(t, "stacks as listed in the state, ");
    else
        codec_write(t, "%d chips each, ", h->starting_chips);
    bool cash = h->format == HOLDEM_CASH;
    codec_write(t, "%s%d hand%s. Blinds %d/%d", cash ? "" : "at most ", h->max_hands, h->max_hands == 1 ? "" : "s",
                h->small_blind, h->big_blind);
    if (h->blinds_double_at && !cash)
        codec_write(t, ", doubled from hand %d on", h->blinds_double_at);
    if (h->ante)
        codec_write(t, "; every player also puts in an ante of %d before each hand", h->ante);
    if (cash) {
        text_puts(t,
                  ". Every hand begins with these stacks anew: what a player has won or lost so far is its net, which "
                  "the state shows. The highest net after the last hand wins, equal highest nets are a draw. Nobody "
                  "is ever out.\n");
        return;
    }
    text_puts(t, ". Stacks carry over from hand to hand. The match ends after the last hand or when one player has all "
                 "chips; the largest stack wins, equal largest stacks are a draw. A player without chips is out.\n");
}

void texas_holdem_describe_rules(struct text *t, const void *rules, int seats)
{
    const struct texas_holdem_rules *h = rules;
    describe_stakes(t, h, seats);
    text_puts(
        t,
        "Cards are rank 23456789TJQKA and suit c d h s: Tc is the ten of clubs.\n"
        "A hand: everyone gets two hidden cards. Four betting rounds: preflop, then after the flop (three shared "
        "cards), the turn (one) and the river (one). At showdown the best five of a player's two and the five shared "
        "cards count.\n"
        "Seats: the button moves clockwise each hand. Left of it are the small and the big blind; preflop begins left "
        "of the big blind, later rounds left of the button. With two players the button posts the small blind, acts "
        "first preflop and last afterwards.\n"
        "Actions: fold (only against a bet); check (when there is nothing to call); call (match the current bet, or "
        "all-in with fewer chips); raise with amount = your TOTAL bet in this betting round, not the increase; allin "
        "(all your chips).\n"
        "A raise must be at least the last raise (at first the big blind) above the current bet, and at most all you "
        "have. An all-in that is smaller than a full raise closes the raising: the others may then only fold, call or "
        "go all-in.\n");
    if (!h->big_blind_option)
        text_puts(t, "The big blind has no option: a limped pot goes straight to the flop.\n");
    text_puts(
        t,
        "When at most one player can still bet, the remaining cards are dealt without betting. A player all-in for "
        "less competes only for what he could match: the rest forms side pots. Equal hands split a pot; odd chips go "
        "clockwise from left of the button.\n"
        "Hands, best first: Royal Flush, Straight Flush, Four of a Kind, Full House, Flush, Straight, Three of a Kind, "
        "Two Pair, One Pair, High Card. The ace is low only in A-2-3-4-5; suits never break ties.\n"
        "If all others fold, the last player takes the pot and shows nothing.\n"
        "Who does not answer in time checks, or folds against a bet.\n");
}

// --- actions and events ---

// What it costs the viewer, in an offer: the action itself does not say it.
static void say_price(struct text *t, const struct codec_table *table, int kind)
{
    const struct texas_holdem_view *v = table->view;
    if (table->voice != CODEC_OFFER || !v)
        return;
    int32_t chips = v->chips[v->viewer];
    if (kind == HOLDEM_CALL)
        codec_write(t, " %d", v->to_call < chips ? v->to_call : chips);
    else
        codec_write(t, " to %d", v->bet[v->viewer] + chips);
}

void texas_holdem_describe_action(struct text *t, const struct codec_table *table, struct game_action a)
{
    switch (a.kind) {
    case HOLDEM_FOLD:
        text_puts(t, codec_verb(table, "fold", "folds"));
        break;
    case HOLDEM_CHECK:
        text_puts(t, codec_verb(table, "check", "checks"));
        break;
    case HOLDEM_CALL:
        text_puts(t, codec_verb(table, "call", "calls"));
        if (a.amount)
            codec_write(t, " %d", a.amount);
        else
            say_price(t, table, a.kind);
        break;
    case HOLDEM_RAISE:
        codec_write(t, "%s to %d", codec_verb(table, "raise", "raises"), a.amount);
        break;
    case HOLDEM_ALLIN:
        text_puts(t, codec_verb(table, "go all-in", "goes all-in"));
        say_price(t, table, a.kind);
        break;
    case HOLDEM_SET_BLINDS:
        codec_write(t, "sets the blinds to %d/%d from the next hand", holdem_small_blind_of(a), a.amount);
        break;
    case HOLDEM_SET_BLIND_LEVEL:
        text_puts(t, "multiplies the blinds by ");
        text_put_decimal(t, (double)a.amount / HOLDEM_MILLION, 6);
        text_puts(t, " from the next hand");
        break;
    case HOLDEM_SET_ANTE:
        text_puts(t, "sets the ante to ");
        text_put_decimal(t, (double)a.amount / HOLDEM_MILLION, 6);
        text_puts(t, " of the big blind from the next hand");
        break;
    default:
        text_puts(t, "does nothing");
        break;
    }
}

static void describe_played(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    int action = holdem_played_of(e).action;
    codec_write(t, "%s ", codec_seat_name(table, e->seat));
    if (action == HOLDEM_POST_SMALL || action == HOLDEM_POST_BIG)
        codec_write(t, "posts the %s blind of %d", action == HOLDEM_POST_SMALL ? "small" : "big", e->amount);
    else if (action == HOLDEM_ALLIN)
        codec_write(t, "goes all-in to %d", e->amount);
    else
        texas_holdem_describe_action(t, table, (struct game_action){.kind = (uint8_t)action, .amount = e->amount});
}

static void describe_winners(struct text *t, const struct codec_table *table, const uint8_t *winner, int winners,
                             const int32_t *payout)
{
    for (int i = 0; i < winners; i++)
        codec_write(t, "%s%s wins %d", i ? ", " : "", codec_seat_name(table, winner[i]), payout[winner[i]]);
}

static void describe_result(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    struct holdem_result result = holdem_result_of(e);
    codec_write(t, "hand %u: ", result.hand);
    describe_winners(t, table, result.winner, result.winners, result.payout);
    for (int i = 1; i < count; i++) {
        if (e[i].kind != HOLDEM_EVENT_HANDS)
            continue;
        struct holdem_hands hands = holdem_hands_of(&e[i]);
        for (int seat = 0; seat < table->seats; seat++)
            if (hands.live & SEAT(seat)) {
                codec_write(t, "; %s shows ", table->seat[seat]);
                say_cards(t, hands.cards[seat], 2);
                codec_write(t, " (%s)", texas_holdem_hand_name(hands.strength[seat]));
            }
    }
}

static void describe_match(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    struct holdem_match m = holdem_match_of(e);
    text_puts(t, "the match is over after ");
    codec_write(t, "%u hand%s: ", m.hands, m.hands == 1 ? "" : "s");
    bool first = true;
    for (int i = 0; i < table->seats; i++)
        if (m.winners & SEAT(i)) {
            codec_write(t, "%s%s", first ? "" : " and ", table->seat[i]);
            first = false;
        }
    text_puts(t, e->seat == HOLDEM_NOBODY ? " tie" : " wins");
}

void texas_holdem_describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    switch (e->kind) {
    case HOLDEM_EVENT_NEW_HAND: {
        struct holdem_new_hand h = holdem_new_hand_of(e);
        codec_write(t, "hand %d of %u, %s has the button, blinds %d/%d", e->amount, h.hands_total,
                    codec_seat_name(table, e->seat), h.small_blind, h.big_blind);
        break;
    }
    case HOLDEM_EVENT_ACTION:
        describe_played(t, table, e);
        break;
    case HOLDEM_EVENT_COMMUNITY: {
        struct holdem_street s = holdem_street_of(e);
        codec_write(t, "%s ", texas_holdem_phases[s.phase]);
        say_cards(t, s.cards, s.count);
        break;
    }
    case HOLDEM_EVENT_RESULT:
        describe_result(t, table, e, count);
        break;
    case HOLDEM_EVENT_MATCH:
        describe_match(t, table, e);
        break;
    case HOLDEM_EVENT_DROPPED:
        codec_write(t, "%s leaves the table (%s)", codec_seat_name(table, e->seat),
                    texas_holdem_drop_word(holdem_dropped_of(e).reason));
        break;
    default:
        break;
    }
}

// --- the situation ---

static void describe_seats(struct text *t, const struct codec_table *table, const struct texas_holdem_view *v)
{
    text_puts(t, "Stacks:");
    for (int i = 0; i < v->seats; i++) {
        codec_write(t, "%s %s", i ? ";" : "", table->seat[i]);
        if (v->status[i] == HOLDEM_BUSTED) {
            text_puts(t, " out");
            continue;
        }
        codec_write(t, " %d", v->chips[i]);
        if (v->cash)
            codec_write(t, " (net %s%d)", v->net[i] > 0 ? "+" : "", v->net[i]);
        if (v->position[i])
            codec_write(t, " %s", texas_holdem_positions[v->position[i]]);
        if (v->bet[i])
            codec_write(t, " bet %d", v->bet[i]);
        if (v->status[i] != HOLDEM_ACTIVE)
            text_puts(t, v->status[i] == HOLDEM_FOLDED ? " folded" : " all-in");
    }
    text_puts(t, ".\n");
}

static void describe_own(struct text *t, const struct codec_table *table, const struct texas_holdem_view *v)
{
    if (v->viewer >= v->seats)
        return;
    codec_write(t, "You are %s", table->seat[v->viewer]);
    if (v->hole[0] == CARD_NONE) {
        text_puts(t, " and out of the match.\n");
        return;
    }
    text_puts(t, " with ");
    say_cards(t, v->hole, 2);
    if (v->board_count == 5) {
        uint8_t cards[7];
        memcpy(cards, v->board, 5);
        memcpy(cards + 5, v->hole, 2);
        codec_write(t, " (%s)", texas_holdem_hand_name(eval7(cards)));
    }
    text_puts(t, ".\n");
}

// The last few events that this viewer saw, in words.
static void describe_past(struct text *t, const struct codec_table *table)
{
    uint32_t first = table->past_count;
    for (int shown = 0; first > 0 && shown < EVENTS_SHOWN;)
        shown += !table->past[--first].part;
    if (first == table->past_count)
        return;
    text_puts(t, "Last:");
    for (uint32_t i = first; i < table->past_count;) {
        int parts = codec_event_parts(&table->past[i], table->past_count - i);
        text_puts(t, i == first ? " " : "; ");
        texas_holdem_describe_event(t, table, &table->past[i], parts);
        i += (uint32_t)parts;
    }
    text_puts(t, ".\n");
}

static void describe_end(struct text *t, const struct codec_table *table, const struct texas_holdem_view *v)
{
    bool first = true;
    text_puts(t, "The match is over: ");
    for (int i = 0; i < v->seats; i++)
        if (v->champions & SEAT(i)) {
            codec_write(t, "%s%s", first ? "" : " and ", table->seat[i]);
            first = false;
        }
    text_puts(t, v->champions & (v->champions - 1) ? " tie.\n" : " wins.\n");
}

static void describe_question(struct text *t, const struct codec_table *table, const struct texas_holdem_view *v)
{
    if (v->phase == HOLDEM_DONE) {
        describe_end(t, table, v);
        return;
    }
    if (v->viewer != v->actor) {
        codec_write(t, "%s is to act.\n", codec_seat_name(table, v->actor));
        return;
    }
    int32_t chips = v->chips[v->viewer];
    if (v->to_call > 0)
        codec_write(t, "You may fold, call %d", v->to_call < chips ? v->to_call : chips);
    else
        text_puts(t, "You may check");
    if (v->min_raise_to)
        codec_write(t, ", raise to a round total of %d to %d", v->min_raise_to, v->max_raise_to);
    codec_write(t, " or go all-in (to %d).\n", v->bet[v->viewer] + chips);
}

void texas_holdem_describe_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct texas_holdem_view *v = view;
    codec_write(t, "Hand %u of %u, %s, blinds %d/%d", v->hand, v->hands_total, texas_holdem_phases[v->phase],
                v->small_blind, v->big_blind);
    if (v->ante)
        codec_write(t, ", ante %d", v->ante);
    codec_write(t, ". Pot %d, current bet %d", v->pot, v->current_bet);
    if (v->board_count) {
        text_puts(t, ", board ");
        say_cards(t, v->board, v->board_count);
    }
    text_puts(t, ".\n");
    describe_seats(t, table, v);
    describe_own(t, table, v);
    if (!table->brief)
        describe_past(t, table);
    if (!table->brief || v->viewer != v->actor || v->phase == HOLDEM_DONE)
        describe_question(t, table, v);
}

// --- a picture ---

static void draw_card(struct text *t, uint8_t card)
{
    static const char *const suits[] = {"\u2663", "\u2666", "\u2665", "\u2660"};
    if (card == CARD_NONE)
        text_puts(t, "[  ]");
    else
        codec_write(t, "[%c%s]", "23456789TJQKA"[card_rank(card)], suits[card_suit(card)]);
}

static void draw_hand(struct text *t, const struct texas_holdem_view *v, int seat)
{
    const uint8_t *cards = seat == v->viewer && v->hole[0] != CARD_NONE ? v->hole : v->shown[seat];
    if (v->status[seat] == HOLDEM_BUSTED && cards[0] == CARD_NONE) {
        text_puts(t, "        ");
        return;
    }
    bool hidden = cards[0] == CARD_NONE;
    if (hidden && v->status[seat] == HOLDEM_FOLDED)
        text_puts(t, " -- --  ");
    else if (hidden)
        text_puts(t, "[??][??]");
    else
        draw_card(t, cards[0]), draw_card(t, cards[1]);
}

void texas_holdem_draw(struct text *t, const struct codec_table *table, const void *view)
{
    static const char *const statuses[] = {"", "folded", "all-in", "out"};
    const struct texas_holdem_view *v = view;
    codec_write(t, "Texas Hold'em   hand %u of %u   blinds %d/%d", v->hand, v->hands_total, v->small_blind,
                v->big_blind);
    if (v->ante)
        codec_write(t, "   ante %d", v->ante);
    codec_write(t, "   %s\n\n   ", v->phase == HOLDEM_DONE ? "over" : texas_holdem_phases[v->phase]);
    for (int i = 0; i < 5; i++) {
        draw_card(t, v->board[i]);
        text_puts(t, i == 2 || i == 3 ? "  " : "");
    }
    codec_write(t, "   pot %d\n\n", v->pot);
    for (int i = 0; i < v->seats; i++) {
        codec_write(t, "%s%s %-12s ", i == v->actor ? ">" : " ", i == v->button ? "D" : " ", table->seat[i]);
        draw_hand(t, v, i);
        codec_write(t, " %-5s %9d", texas_holdem_positions[v->position[i]], v->chips[i]);
        if (v->bet[i])
            codec_write(t, "  bet %d", v->bet[i]);
        if (v->status[i] != HOLDEM_ACTIVE)
            codec_write(t, "  %s", statuses[v->status[i]]);
        text_puts(t, v->champions & SEAT(i) ? "  wins\n" : "\n");
    }
    if (!v->last.number)
        return;
    codec_write(t, "\nhand %u: ", v->last.number);
    describe_winners(t, table, v->last.winner, v->last.winners, v->last.payout);
    text_puts(t, "\n");
}

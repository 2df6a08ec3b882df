// Texas Hold'em on the arena's wire (F6.T).
#include "games/texas_holdem/arena.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

// --- rules

static void write_rules(struct text *t, const void *rules, int seats)
{
    static const char *const phases[] = {
        "preflop: two cards each, blinds posted, a betting round",
        "flop: three shared cards, a betting round",
        "turn: a fourth shared card, a betting round",
        "river: the fifth shared card, the last betting round",
        "showdown: the best five of seven cards take the pot",
        NULL,
    };
    const struct texas_holdem_rules *h = rules;
    char line[320];
    struct text sentence = text_on(line, sizeof line);
    codec_write(&sentence,
                h->format == HOLDEM_CASH
                    ? "No-limit poker for %d players over %d hands. Everybody begins every hand with %d chips, and who "
                      "has won most chips in all hands together wins."
                    : "No-limit poker for %d players over at most %d hands. Everybody starts with %d chips, stacks "
                      "carry over from hand to hand, and the largest stack at the end wins.",
                seats, h->max_hands, h->starting_chips);
    json_put_string(t, "summary", text_span(&sentence));
    json_put_texts(t, "phases", phases);
    json_begin_object_at(t, "available_actions");
    json_put_text(t, "fold", "Give up the hand and what you have bet. Offered only when there is a bet to call.");
    json_put_text(t, "check", "Stay in without betting. Offered only when there is nothing to call.");
    json_put_text(t, "call", "Match the current bet, or go all-in when your chips do not reach it.");
    json_put_text(t, "raise", "Bet more: amount is your total for this betting round, from min to max.");
    json_put_text(t, "allin", "Bet all your chips.");
    json_end_object(t);
    json_begin_array_at(t, "key_rules");
    sentence = text_on(line, sizeof line);
    codec_write(&sentence, "Blinds are %d and %d", h->small_blind, h->big_blind);
    if (h->blinds_double_at > 0 && h->format != HOLDEM_CASH)
        codec_write(&sentence, "; from hand %d on they are twice as large", h->blinds_double_at);
    text_puts(&sentence, ".");
    json_write_string(t, text_span(&sentence));
    json_write_text(t, "The button moves clockwise. Heads-up the button posts the small blind and acts first preflop, "
                       "last afterwards.");
    json_write_text(t, h->big_blind_option ? "In a pot without a raise the big blind may still check or raise."
                                           : "In a pot without a raise the big blind does not act again preflop.");
    json_write_text(t,
                    "A raise must be at least as large as the last full raise of the round, the big blind at first.");
    json_write_text(t, "An all-in below the minimum raise does not reopen raising: the others only match it or fold.");
    json_write_text(t, "Chips beyond what a player can match go to side pots among those who can.");
    json_write_text(t, "Equal hands share a pot; odd chips go clockwise from left of the button.");
    json_write_text(t, "Hands that were folded, or won without a showdown, are not shown.");
    json_end_array(t);
}

// F6.T1: blinds that never double say so.
static void write_config(struct text *t, const void *rules)
{
    struct texas_holdem_rules h = *(const struct texas_holdem_rules *)rules;
    if (h.format == HOLDEM_CASH)
        h.blinds_double_at = 0;
    texas_holdem_write_config(t, &h);
}

static void set_rules(void *rules, bool strict, bool deterministic_windows)
{
    (void)deterministic_windows;
    struct texas_holdem_rules *h = rules;
    if (strict)
        h->big_blind_option = false; // F6.T10
}

// --- state (F6.T15)

static void put_players(struct text *t, const struct texas_holdem_view *v)
{
    json_begin_array_at(t, "players");
    for (int i = 0; i < v->seats; i++) {
        json_begin_object(t);
        json_put_text(t, "id", dialect_pids[i]);
        json_put_text(t, "status", texas_holdem_statuses[v->status[i]]);
        json_put_int(t, "chips", v->chips[i]);
        json_put_int(t, "bet", v->bet[i]);
        json_put_text(t, "position", texas_holdem_positions[v->position[i]]);
        if (v->cash)
            json_put_int(t, "net", v->net[i]);
        json_end_object(t);
    }
    json_end_array(t);
}

static void put_turn(struct text *t, const struct texas_holdem_view *v)
{
    if (v->phase >= HOLDEM_SHOWDOWN)
        return;
    json_put_text(t, "current_player_id", dialect_pids[v->actor]);
    json_begin_array_at(t, "action_order");
    for (int i = 0; i < v->order_count; i++)
        json_write_text(t, dialect_pids[v->order[i]]);
    json_end_array(t);
}

static void put_own(struct text *t, const struct texas_holdem_view *v)
{
    if (v->viewer >= v->seats)
        return;
    if (v->hole[0] != CARD_NONE) {
        json_key(t, "your_hand");
        codec_write_cards(t, v->hole, 2);
    }
    json_put_int(t, "your_chips", v->chips[v->viewer]);
    json_put_int(t, "your_bet", v->bet[v->viewer]);
    if (v->cash)
        json_put_int(t, "your_net", v->net[v->viewer]);
    json_put_int(t, "your_seat", v->viewer);
    json_put_text(t, "your_position", texas_holdem_positions[v->position[v->viewer]]);
    json_put_text(t, "your_player_id", dialect_pids[v->viewer]);
}

static void write_state(struct text *t, const struct arena_observation *seen)
{
    const struct texas_holdem_view *v = seen->view;
    json_put_text(t, "phase", texas_holdem_phases[v->phase]);
    json_key(t, "community_cards");
    codec_write_cards(t, v->board, v->board_count);
    json_put_int(t, "pot", v->pot);
    json_put_int(t, "current_bet", v->current_bet);
    json_put_int(t, "dealer", v->button);
    json_put_text(t, "dealer_id", dialect_pids[v->button]);
    json_put_uint(t, "hand_num", v->hand);
    json_put_uint(t, "max_hands", v->hands_total);
    json_put_uint(t, "hands_completed", v->hands_completed);
    json_put_int(t, "small_blind", v->small_blind);
    json_put_int(t, "big_blind", v->big_blind);
    put_players(t, v);
    put_turn(t, v);
    put_own(t, v);
}

static void write_player(struct text *t, const struct arena_observation *seen, int seat)
{
    const struct texas_holdem_view *v = seen->view;
    json_put_text(t, "status", texas_holdem_statuses[v->status[seat]]);
    json_begin_object_at(t, "data");
    json_put_int(t, "bet", v->bet[seat]);
    json_put_int(t, "chips", v->chips[seat]);
    if (v->cash)
        json_put_int(t, "net", v->net[seat]);
    json_put_text(t, "position", texas_holdem_positions[v->position[seat]]);
    json_put_int(t, "seat", seat);
    json_end_object(t);
}

static bool is_in_play(const void *view, int seat)
{
    return ((const struct texas_holdem_view *)view)->status[seat] != HOLDEM_BUSTED;
}

// --- actions (F6.T7, F6.T8)

static void write_params(struct text *t, const struct arena_observation *seen, struct game_choice c)
{
    (void)seen;
    if (c.first.kind != HOLDEM_CALL && c.first.kind != HOLDEM_RAISE)
        return;
    json_put_int(t, "amount", c.first.amount);
    if (c.first.kind == HOLDEM_CALL)
        return;
    json_put_int(t, "min", c.first.amount);
    json_put_int(t, "max", c.max_amount);
}

static int read_params(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    (void)table;
    bool raises = a->kind == HOLDEM_RAISE; // of the others no parameter matters
    int64_t amount = 0;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (raises && json_string_is(key, "amount"))
            amount = dialect_read_whole(r);
        else
            json_skip(r);
    if (r->error || amount < 0 || amount > HOLDEM_MAX_CHIPS)
        return ERR_RANGE;
    a->amount = (int32_t)amount; // 0, without one, is below every minimum
    return OK;
}

// --- events (F6.T14)

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    static const char *const words[] = {
        [HOLDEM_FOLD] = "fold",          [HOLDEM_CHECK] = "check", [HOLDEM_CALL] = "call",
        [HOLDEM_RAISE] = "raise",        [HOLDEM_ALLIN] = "allin", [HOLDEM_POST_SMALL] = "small_blind",
        [HOLDEM_POST_BIG] = "big_blind",
    };
    if (e->kind == HOLDEM_EVENT_DROPPED) {
        json_put_text(t, "player", dialect_pids[e->seat]);
        json_put_text(t, "reason", texas_holdem_drop_word(holdem_dropped_of(e).reason));
        return;
    }
    if (e->kind != HOLDEM_EVENT_ACTION) {
        texas_holdem_codec.write_event(t, table, e, count);
        return;
    }
    struct holdem_played p = holdem_played_of(e);
    json_put_text(t, "action", words[p.action]);
    if (p.action != HOLDEM_FOLD && p.action != HOLDEM_CHECK)
        json_put_int(t, "amount", e->amount);
    json_put_int(t, "total_bet", p.total_bet);
}

static int count_in_play(const void *state)
{
    const struct texas_holdem_state *s = state;
    int count = 0;
    for (int i = 0; i < s->seats; i++)
        count += !(s->dropped & SEAT(i)) && (s->cash || s->chips[i] > 0 || s->live & SEAT(i));
    return count;
}

static const char *const open_rules[] = {"format",    "small_blind",      "big_blind",        "starting_chips",
                                         "max_hands", "blinds_double_at", "big_blind_option", NULL};

const struct arena_dialect texas_holdem_arena = {
    .title = "No-Limit Texas Hold'em",
    .events_of_seat = 1u << HOLDEM_EVENT_ACTION | 1u << HOLDEM_EVENT_DROPPED,
    .write_rules = write_rules,
    .write_config = write_config,
    .write_state = write_state,
    .write_player = write_player,
    .write_params = write_params,
    .write_event = write_event,
    .is_in_play = is_in_play,
    .read_params = read_params,
    .count_in_play = count_in_play,
    .open_rules = open_rules,
    .reader = &texas_holdem_arena_reader,
    .set_rules = set_rules,
};

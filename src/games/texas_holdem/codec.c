#include "games/texas_holdem/codec.h"

#include "games/texas_holdem/rules/eval.h"
#include "games/texas_holdem/rules/texas_holdem.h"

const char *const texas_holdem_phases[] = {"preflop", "flop", "turn", "river", "showdown", "done", NULL};
const char *const texas_holdem_positions[] = {"", "BTN", "SB", "BB", "UTG", "UTG+1", "MP", "MP+1", "HJ", "CO"};
static const char *const format_names[] = {"tournament", "cash", NULL};
const char *const texas_holdem_statuses[] = {"active", "folded", "allIn", "busted"};

const char *texas_holdem_hand_name(int strength)
{
    static const char *const names[EVAL_CATEGORIES] = {"High Card",      "One Pair",   "Two Pair",   "Three of a Kind",
                                                       "Straight",       "Flush",      "Full House", "Four of a Kind",
                                                       "Straight Flush", "Royal Flush"};
    return names[eval_category(strength)];
}

// F4.9.
const char *texas_holdem_drop_word(int reason)
{
    static const char *const words[] = {"disconnect", "timeout", "invalid_action"};
    return reason < 3 ? words[reason] : "dropped";
}

// --- rules (F6.T1, F6.T20, G25.6) ---

static void read_stacks(struct json_reader *r, struct texas_holdem_rules *rules)
{
    int32_t stacks[HOLDEM_SEATS] = {0};
    int seat = 0;
    if (!json_read_if_null(r))
        for (json_enter_array(r); json_next_item(r); seat++) {
            int64_t chips = json_read_int(r, 1, HOLDEM_MAX_CHIPS);
            if (seat < HOLDEM_SEATS)
                stacks[seat] = (int32_t)chips;
            else
                json_fail(r, ERR_RANGE);
        }
    memcpy(rules->stacks, stacks, sizeof stacks);
}

// All 52 cards, or null.
static void read_deck(struct json_reader *r, struct texas_holdem_rules *rules)
{
    uint8_t deck[CARDS_IN_DECK] = {0};
    bool none = json_read_if_null(r);
    int count = none ? CARDS_IN_DECK : codec_read_cards(r, deck, CARDS_IN_DECK);
    if (!r->error && count != CARDS_IN_DECK)
        json_fail(r, ERR_RANGE);
    memcpy(rules->deck, deck, sizeof deck);
    rules->has_deck = !none;
}

static void read_format(struct json_reader *r, struct texas_holdem_rules *rules)
{
    int format = json_string_among(json_read_string(r), format_names);
    if (format < 0)
        json_fail_word(r, format_names);
    rules->format = format == HOLDEM_CASH;
}

static bool read_rule(struct json_reader *r, struct json_string key, void *rules)
{
    struct texas_holdem_rules *h = rules;
    const struct {
        const char *key;
        int32_t *at;
        int32_t min, max;
    } numbers[] = {
        {"small_blind", &h->small_blind, 1, HOLDEM_MAX_BLIND},
        {"big_blind", &h->big_blind, 1, HOLDEM_MAX_BLIND},
        {"starting_chips", &h->starting_chips, 1, HOLDEM_MAX_CHIPS},
        {"starting_stack", &h->starting_chips, 1, HOLDEM_MAX_CHIPS},
        {"max_hands", &h->max_hands, 1, INT32_MAX},
        {"hands", &h->max_hands, 1, INT32_MAX},
        {"blinds_double_at", &h->blinds_double_at, 0, INT32_MAX},
        {"ante", &h->ante, 0, HOLDEM_MAX_BLIND},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (json_string_is(key, numbers[i].key)) {
            *numbers[i].at = (int32_t)json_read_int(r, numbers[i].min, numbers[i].max);
            return true;
        }
    if (json_string_is(key, "big_blind_option"))
        h->big_blind_option = json_read_bool(r);
    else if (json_string_is(key, "button"))
        h->button = (uint8_t)json_read_int(r, 0, HOLDEM_SEATS - 1);
    else if (json_string_is(key, "stacks"))
        read_stacks(r, h);
    else if (json_string_is(key, "deck"))
        read_deck(r, h);
    else if (json_string_is(key, "format"))
        read_format(r, h);
    else
        return false;
    return true;
}

void texas_holdem_write_config(struct text *t, const void *rules)
{
    const struct texas_holdem_rules *h = rules;
    json_put_text(t, "format", format_names[h->format]);
    json_put_int(t, "small_blind", h->small_blind);
    json_put_int(t, "big_blind", h->big_blind);
    json_put_int(t, "starting_chips", h->starting_chips);
    json_put_int(t, "max_hands", h->max_hands);
    json_put_int(t, "blinds_double_at", h->blinds_double_at);
    json_put_bool(t, "big_blind_option", h->big_blind_option);
}

// What goes beyond that (F6.T20) comes last.
static void write_rules(struct text *t, const void *rules)
{
    const struct texas_holdem_rules *h = rules;
    texas_holdem_write_config(t, h);
    json_put_int(t, "ante", h->ante);
    json_put_int(t, "button", h->button);
    json_key(t, "stacks");
    if (h->stacks[0]) {
        json_begin_array(t);
        for (int i = 0; i < HOLDEM_SEATS && h->stacks[i]; i++)
            json_write_int(t, h->stacks[i]);
        json_end_array(t);
    } else {
        json_write_null(t);
    }
    json_key(t, "deck");
    if (h->has_deck)
        codec_write_cards(t, h->deck, CARDS_IN_DECK);
    else
        json_write_null(t);
}

// --- actions (F6.T8, G25.2, G23.3, G23.4) ---

// The fraction or multiplier of an overseer in millionths, rounded.
static int32_t read_millionths(struct json_reader *r)
{
    double value = json_read_real(r);
    if (value < 0 || value > 1000)
        json_fail(r, ERR_RANGE);
    return r->error ? 0 : (int32_t)(value * HOLDEM_MILLION + 0.5);
}

static const char *param_of(uint8_t kind)
{
    switch (kind) {
    case HOLDEM_CALL:
    case HOLDEM_RAISE:
        return "amount";
    case HOLDEM_SET_BLIND_LEVEL:
        return "multiplier";
    case HOLDEM_SET_ANTE:
        return "fraction";
    default:
        return NULL;
    }
}

static int read_blinds(struct json_reader *r, struct game_action *a)
{
    int32_t small = 0, big = 0;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "small"))
            small = (int32_t)json_read_int(r, 1, 0xFFFFFF);
        else if (json_string_is(key, "big"))
            big = (int32_t)json_read_int(r, 1, HOLDEM_MAX_BLIND);
        else
            json_skip(r);
    if (r->error)
        return r->error;
    *a = holdem_set_blinds(small, big);
    return small && big ? OK : ERR_MISSING;
}

// Of any JSON type, for what ignores it.
static int32_t read_ignored(struct json_reader *r)
{
    json_skip(r);
    return 0;
}

static int read_params(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    (void)table;
    if (a->kind == HOLDEM_SET_BLINDS)
        return read_blinds(r, a);
    const char *param = param_of(a->kind);
    bool found = !param || a->kind == HOLDEM_CALL;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (param && json_string_is(key, param)) {
            found = true;
            if (a->kind == HOLDEM_CALL)
                a->amount = json_peek(r) == JSON_INT ? (int32_t)json_read_int(r, 0, INT32_MAX) : read_ignored(r);
            else if (a->kind == HOLDEM_RAISE)
                a->amount = (int32_t)json_read_int(r, INT32_MIN, INT32_MAX);
            else
                a->amount = read_millionths(r);
        } else {
            json_skip(r);
        }
    if (r->error)
        return r->error;
    return found ? OK : ERR_MISSING;
}

static void write_params(struct text *t, const struct codec_table *table, struct game_action a)
{
    (void)table;
    switch (a.kind) {
    case HOLDEM_CALL:
    case HOLDEM_RAISE:
        json_put_int(t, "amount", a.amount);
        break;
    case HOLDEM_SET_BLINDS:
        json_put_int(t, "small", holdem_small_blind_of(a));
        json_put_int(t, "big", a.amount);
        break;
    case HOLDEM_SET_BLIND_LEVEL:
    case HOLDEM_SET_ANTE:
        json_put_decimal(t, param_of(a.kind), (double)a.amount / HOLDEM_MILLION, 6);
        break;
    default:
        break;
    }
}

static void write_range(struct text *t, const struct codec_table *table, struct game_choice c)
{
    (void)table;
    json_begin_object_at(t, "range");
    json_begin_array_at(t, "amount");
    json_write_int(t, c.first.amount);
    json_write_int(t, c.max_amount);
    json_end_array(t);
    json_end_object(t);
}

// --- views (G25.3) ---

// {name: number} for the seats of a set.
static void put_map(struct text *t, const char *key, const struct codec_table *table, const int32_t *value,
                    seat_set set)
{
    json_begin_object_at(t, key);
    for (int i = 0; i < table->seats; i++)
        if (set & SEAT(i))
            json_put_int(t, table->seat[i], value[i]);
    json_end_object(t);
}

static seat_set put_winners(struct text *t, const struct codec_table *table, const uint8_t *winner, int count)
{
    seat_set set = 0;
    json_begin_array_at(t, "winners");
    for (int i = 0; i < count; i++) {
        json_write_text(t, codec_seat_name(table, winner[i]));
        set |= SEAT(winner[i]);
    }
    json_end_array(t);
    return set;
}

static void put_shown_hand(struct text *t, const struct codec_table *table, int seat, const uint8_t cards[2],
                           int strength)
{
    json_begin_object_at(t, table->seat[seat]);
    json_key(t, "cards");
    codec_write_cards(t, cards, 2);
    json_put_text(t, "hand", texas_holdem_hand_name(strength));
    json_end_object(t);
}

static void put_last(struct text *t, const struct codec_table *table, const struct holdem_last *last)
{
    json_key(t, "last_hand");
    if (last->number == 0) {
        json_write_null(t);
        return;
    }
    json_begin_object(t);
    json_put_uint(t, "hand", last->number);
    json_put_text(t, "reason", last->reason == HOLDEM_ALL_FOLDED ? "all_folded" : "showdown");
    put_map(t, "payouts", table, last->payout, put_winners(t, table, last->winner, last->winners));
    json_put_int(t, "pot", last->pot);
    json_key(t, "board");
    codec_write_cards(t, last->board, last->board_count);
    json_begin_object_at(t, "shown");
    for (int i = 0; last->reason == HOLDEM_SHOWN_DOWN && i < table->seats; i++)
        if (last->live & SEAT(i))
            put_shown_hand(t, table, i, last->cards[i], last->strength[i]);
    json_end_object(t);
    json_end_object(t);
}

static void put_seats(struct text *t, const struct codec_table *table, const struct texas_holdem_view *v)
{
    json_begin_array_at(t, "seats");
    for (int i = 0; i < v->seats; i++) {
        json_begin_object(t);
        codec_put_seat(t, "seat", table, i);
        json_put_int(t, "chips", v->chips[i]);
        json_put_int(t, "bet", v->bet[i]);
        json_put_int(t, "total_bet", v->total[i]);
        json_put_text(t, "status", texas_holdem_statuses[v->status[i]]);
        json_put_text(t, "position", texas_holdem_positions[v->position[i]]);
        if (v->cash)
            json_put_int(t, "net", v->net[i]);
        if (v->shown[i][0] != CARD_NONE) {
            json_key(t, "cards");
            codec_write_cards(t, v->shown[i], 2);
        }
        json_end_object(t);
    }
    json_end_array(t);
}

static void put_int_or_null(struct text *t, const char *key, int32_t value)
{
    if (value)
        json_put_int(t, key, value);
    else
        json_put_null(t, key);
}

static void write_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct texas_holdem_view *v = view;
    json_key(t, "hole_cards");
    codec_write_cards(t, v->hole, v->hole[0] == CARD_NONE ? 0 : 2);
    json_key(t, "board");
    codec_write_cards(t, v->board, v->board_count);
    json_put_int(t, "pot", v->pot);
    json_put_int(t, "current_bet", v->current_bet);
    json_put_int(t, "to_call", v->to_call);
    put_int_or_null(t, "min_raise_to", v->min_raise_to);
    put_int_or_null(t, "max_raise_to", v->max_raise_to);
    codec_put_seat(t, "button", table, v->button);
    json_put_int(t, "small_blind", v->small_blind);
    json_put_int(t, "big_blind", v->big_blind);
    json_put_int(t, "ante", v->ante);
    json_put_uint(t, "hand_number", v->hand);
    json_put_uint(t, "hands_total", v->hands_total);
    put_seats(t, table, v);
    put_last(t, table, &v->last);
}

// --- events (F6.T14, G25.7) ---

static void write_new_hand(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    struct holdem_new_hand h = holdem_new_hand_of(e);
    json_put_int(t, "hand_num", e->amount);
    json_put_uint(t, "max_hands", h.hands_total);
    codec_put_seat(t, "dealer", table, e->seat);
    put_map(t, "chips", table, h.chips, (seat_set)(SEAT(table->seats) - 1));
    json_put_int(t, "small_blind", h.small_blind);
    json_put_int(t, "big_blind", h.big_blind);
}

static const char *const played_words[] = {
    [HOLDEM_FOLD] = "fold",          [HOLDEM_CHECK] = "check", [HOLDEM_CALL] = "call",
    [HOLDEM_RAISE] = "raise",        [HOLDEM_ALLIN] = "allin", [HOLDEM_POST_SMALL] = "small_blind",
    [HOLDEM_POST_BIG] = "big_blind",
};

static void write_action_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    struct holdem_played p = holdem_played_of(e);
    codec_put_seat(t, "seat", table, e->seat);
    json_put_text(t, "action", played_words[p.action]);
    if (p.action != HOLDEM_FOLD && p.action != HOLDEM_CHECK)
        json_put_int(t, "amount", e->amount);
    json_put_int(t, "total_bet", p.total_bet);
}

static void write_community(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)table, (void)count;
    struct holdem_street s = holdem_street_of(e);
    json_key(t, "cards");
    codec_write_cards(t, s.cards, s.count);
    json_put_text(t, "phase", texas_holdem_phases[s.phase]);
}

static void put_own_hand(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    struct holdem_own own = holdem_own_of(e);
    json_begin_object_at(t, table->seat[e->seat]);
    json_key(t, "cards");
    codec_write_cards(t, own.cards, 2);
    if (own.folded)
        json_put_bool(t, "folded", true);
    json_end_object(t);
}

// What the parts tell this viewer, seat by seat: live hands, own cards, and of the others that they folded.
static void put_hands(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    struct holdem_hands shown = {0};
    const struct game_event *own[HOLDEM_SEATS] = {NULL};
    for (int i = 1; i < count; i++)
        if (e[i].kind == HOLDEM_EVENT_HANDS)
            shown = holdem_hands_of(&e[i]);
        else if (e[i].kind == HOLDEM_EVENT_OWN)
            own[e[i].seat] = &e[i];
    json_begin_object_at(t, "hands");
    for (int i = 0; i < table->seats && i < HOLDEM_SEATS; i++)
        if (shown.live & SEAT(i)) {
            put_shown_hand(t, table, i, shown.cards[i], shown.strength[i]);
        } else if (own[i]) {
            put_own_hand(t, table, own[i]);
        } else if (shown.dealt & SEAT(i)) {
            json_begin_object_at(t, table->seat[i]);
            json_put_bool(t, "folded", true);
            json_end_object(t);
        }
    json_end_object(t);
}

static void write_result(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    struct holdem_result result = holdem_result_of(e);
    json_put_uint(t, "hand", result.hand);
    json_put_text(t, "reason", result.reason == HOLDEM_ALL_FOLDED ? "all_folded" : "showdown");
    seat_set winners = put_winners(t, table, result.winner, result.winners);
    json_put_int(t, "pot", e->amount);
    put_map(t, "payouts", table, result.payout, winners);
    put_hands(t, table, e, count);
}

static void write_match(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    struct holdem_match m = holdem_match_of(e);
    const char *winner = codec_seat_name(table, e->seat);
    json_put_text(t, "winner", winner ? winner : "");
    json_key(t, "winners");
    codec_write_seats(t, table, m.winners);
    json_put_bool(t, "is_draw", !winner);
    json_put_uint(t, "hand", m.hands);
    json_put_text(t, "reason", m.ending == HOLDEM_MAX_HANDS ? "max_hands_reached" : "opponent_eliminated");
    put_map(t, m.cash ? "net" : "chips", table, m.chips, (seat_set)(SEAT(table->seats) - 1));
}

static void write_dropped(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    codec_put_seat(t, "seat", table, e->seat);
    json_put_text(t, "reason", texas_holdem_drop_word(holdem_dropped_of(e).reason));
}

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    static void (*const writers[HOLDEM_EVENT_KINDS])(struct text *, const struct codec_table *,
                                                     const struct game_event *, int) = {
        [HOLDEM_EVENT_NEW_HAND] = write_new_hand,   [HOLDEM_EVENT_ACTION] = write_action_event,
        [HOLDEM_EVENT_COMMUNITY] = write_community, [HOLDEM_EVENT_RESULT] = write_result,
        [HOLDEM_EVENT_MATCH] = write_match,         [HOLDEM_EVENT_DROPPED] = write_dropped,
    };
    if (writers[e->kind])
        writers[e->kind](t, table, e, count);
}

static const struct codec_action actions[] = {
    {.type = "fold", .kind = HOLDEM_FOLD},
    {.type = "check", .kind = HOLDEM_CHECK},
    {.type = "call", .kind = HOLDEM_CALL},
    {.type = "raise", .kind = HOLDEM_RAISE},
    {.type = "allin", .kind = HOLDEM_ALLIN},
    {.type = "set_blinds", .kind = HOLDEM_SET_BLINDS, .master = true},
    {.type = "set_blind_level", .kind = HOLDEM_SET_BLIND_LEVEL, .master = true},
    {.type = "set_ante", .kind = HOLDEM_SET_ANTE, .master = true},
    {.type = "drop", .kind = GAME_DROP, .master = true},
    {0},
};

static const char *const event_types[] = {
    [HOLDEM_EVENT_NEW_HAND] = "new_hand",
    [HOLDEM_EVENT_ACTION] = "player_action",
    [HOLDEM_EVENT_COMMUNITY] = "community_cards",
    [HOLDEM_EVENT_RESULT] = "hand_result",
    [HOLDEM_EVENT_PAID] = "hand_result",
    [HOLDEM_EVENT_HANDS] = "hand_result",
    [HOLDEM_EVENT_OWN] = "hand_result",
    [HOLDEM_EVENT_MATCH] = "match_result",
    [HOLDEM_EVENT_DROPPED] = "player_disconnected",
    [HOLDEM_EVENT_KINDS] = NULL,
};

const struct codec texas_holdem_codec = {
    .game = &texas_holdem_game,
    .title = "No-Limit Texas Hold'em",
    .summary = "Poker with two hidden and five shared cards: bet, bluff and win chips over several hands.",
    .phases = texas_holdem_phases,
    .actions = actions,
    .event_types = event_types,
    .read_rule = read_rule,
    .write_rules = write_rules,
    .read_params = read_params,
    .write_params = write_params,
    .write_range = write_range,
    .read_items = codec_read_cards,
    .write_view = write_view,
    .write_event = write_event,
    .read_view = texas_holdem_read_view,
    .phase_at = offsetof(struct texas_holdem_view, phase),
    .describe_rules = texas_holdem_describe_rules,
    .describe_view = texas_holdem_describe_view,
    .describe_action = texas_holdem_describe_action,
    .describe_event = texas_holdem_describe_event,
    .draw = texas_holdem_draw,
    .speech = &texas_holdem_speech,
    .moves = &texas_holdem_moves,
    .short_prose = &texas_holdem_short_prose,
};

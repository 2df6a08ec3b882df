#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

// So that no sum or multiple that a player forms leaves 32 bits.
enum { MAX_CHIPS = 1 << 29, MAX_BLIND = 1 << 26, STATUSES = HOLDEM_BUSTED + 1, POSITIONS = HOLDEM_CO + 1 };

static int32_t read_chips(struct json_reader *r)
{
    return json_read_if_null(r) ? 0 : (int32_t)json_read_int(r, 0, MAX_CHIPS);
}

int32_t texas_holdem_read_net(struct json_reader *r)
{
    int64_t net = json_read_int(r, INT32_MIN, INT32_MAX);
    return (int32_t)(net > MAX_CHIPS ? MAX_CHIPS : net < -MAX_CHIPS ? -MAX_CHIPS : net);
}

static int read_cards(struct json_reader *r, uint8_t *cards, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        int card = codec_read_card(r);
        if (count == room)
            json_fail(r, ERR_RANGE);
        else
            cards[count++] = (uint8_t)card;
    }
    return count;
}

static void read_seat(struct json_reader *r, const struct codec_table *table, struct texas_holdem_view *v)
{
    struct json_string key;
    int seat = -1;
    int32_t chips = 0, bet = 0, total = 0, net = 0;
    uint8_t status = HOLDEM_BUSTED, position = HOLDEM_NO_POSITION;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "seat"))
            seat = codec_read_seat(r, table);
        else if (json_string_is(key, "chips"))
            chips = read_chips(r);
        else if (json_string_is(key, "bet"))
            bet = read_chips(r);
        else if (json_string_is(key, "total_bet"))
            total = read_chips(r);
        else if (json_string_is(key, "net"))
            net = texas_holdem_read_net(r), v->cash = 1;
        else if (json_string_is(key, "status"))
            status = codec_read_word(r, texas_holdem_statuses, STATUSES);
        else if (json_string_is(key, "position"))
            position = codec_read_word(r, texas_holdem_positions, POSITIONS);
        else
            json_skip(r);
    if (r->error || seat < 0 || seat >= HOLDEM_SEATS) {
        json_fail(r, ERR_MISSING);
        return;
    }
    v->chips[seat] = chips;
    v->bet[seat] = bet;
    v->total[seat] = total;
    v->net[seat] = net;
    v->status[seat] = status;
    v->position[seat] = position;
}

static void read_member(struct json_reader *r, const struct codec_table *table, struct json_string key,
                        struct texas_holdem_view *v)
{
    const struct {
        const char *key;
        int32_t *to;
    } numbers[] = {{"pot", &v->pot},
                   {"current_bet", &v->current_bet},
                   {"to_call", &v->to_call},
                   {"min_raise_to", &v->min_raise_to},
                   {"max_raise_to", &v->max_raise_to},
                   {"small_blind", &v->small_blind},
                   {"big_blind", &v->big_blind},
                   {"ante", &v->ante}};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (json_string_is(key, numbers[i].key)) {
            *numbers[i].to = read_chips(r);
            return;
        }
    if (json_string_is(key, "hole_cards")) {
        if (read_cards(r, v->hole, 2) != 2)
            json_fail(r, ERR_RANGE);
    } else if (json_string_is(key, "board")) {
        v->board_count = (uint8_t)read_cards(r, v->board, 5);
    } else if (json_string_is(key, "hand_number")) {
        v->hand = (uint32_t)json_read_uint(r, UINT32_MAX);
    } else if (json_string_is(key, "button")) {
        v->button = codec_read_seat_or(r, table, 0);
    } else if (json_string_is(key, "seats")) {
        for (json_enter_array(r); json_next_item(r);)
            read_seat(r, table, v);
    } else {
        json_skip(r);
    }
}

bool texas_holdem_has_sound_cards(const struct texas_holdem_view *v)
{
    uint64_t seen = 0;
    if (v->phase > HOLDEM_RIVER || v->board_count != (v->phase == HOLDEM_PREFLOP ? 0 : v->phase + 2))
        return false;
    for (int i = 0; i < 2 + v->board_count; i++) {
        uint8_t card = i < 2 ? v->hole[i] : v->board[i - 2];
        if (card >= CARDS_IN_DECK || seen >> card & 1)
            return false;
        seen |= UINT64_C(1) << card;
    }
    return true;
}

// F6.T15, like list_order of the rules; dropped seats cannot be told from busted ones.
void texas_holdem_read_order(struct texas_holdem_view *v)
{
    seat_set in = 0;
    for (int i = 0; i < v->seats && i < HOLDEM_SEATS; i++)
        in |= (seat_set)(v->status[i] != HOLDEM_BUSTED ? SEAT(i) : 0);
    int players = __builtin_popcount(in), seat = v->button;
    int skip = v->phase != HOLDEM_PREFLOP ? 1 : players == 2 ? 0 : 3;
    v->order_count = 0;
    if (!in || v->phase > HOLDEM_RIVER)
        return;
    if (!skip && !(in & SEAT(seat)))
        seat = game_next_seat(in, seat);
    for (int i = 0; i < skip; i++)
        seat = game_next_seat(in, seat);
    for (int i = 0; i < players; i++, seat = game_next_seat(in, seat))
        v->order[v->order_count++] = (uint8_t)seat;
}

bool texas_holdem_read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view)
{
    struct texas_holdem_view *v = view;
    struct json_string key;
    v->viewer = v->actor = (uint8_t)table->viewer;
    v->seats = (uint8_t)table->seats;
    v->phase = (uint8_t)phase;
    memset(v->hole, CARD_NONE, sizeof v->hole);
    memset(v->status, HOLDEM_BUSTED, sizeof v->status);
    memset(v->shown, CARD_NONE, sizeof v->shown);
    for (json_enter_object(r); json_next_key(r, &key);)
        read_member(r, table, key, v);
    if (r->error) // a seat may be none
        return false;
    int others = 0;
    for (int i = 0; i < v->seats; i++)
        others += i != v->viewer && holdem_has_cards(v, i);
    texas_holdem_read_order(v);
    return others > 0 && v->big_blind <= MAX_BLIND && v->pot > 0 && texas_holdem_has_sound_cards(v);
}

// Reads a state of the arena protocol into a view. Only the fields that house bots use are filled.
#include "game/cards.h"
#include "games/texas_holdem/arena.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

static int read_cards(struct json_reader *r, uint8_t *out, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        int card = codec_read_card(r);
        if (card >= 0 && count < room)
            out[count++] = (uint8_t)card;
    }
    return count;
}

static void read_player(struct json_reader *r, struct texas_holdem_view *v, int seat)
{
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "chips"))
            v->chips[seat] = dialect_read_small(r);
        else if (json_string_is(key, "bet"))
            v->bet[seat] = dialect_read_small(r);
        else if (json_string_is(key, "net"))
            v->net[seat] = texas_holdem_read_net(r), v->cash = 1;
        else if (json_string_is(key, "status"))
            v->status[seat] = (uint8_t)dialect_read_word(r, texas_holdem_statuses, HOLDEM_BUSTED + 1);
        else if (json_string_is(key, "position"))
            v->position[seat] = (uint8_t)dialect_read_word(r, texas_holdem_positions, HOLDEM_CO + 1);
        else
            json_skip(r);
}

static void read_players(struct json_reader *r, struct texas_holdem_view *v)
{
    int seat = 0;
    for (json_enter_array(r); json_next_item(r); seat++)
        if (seat < HOLDEM_SEATS)
            read_player(r, v, seat);
        else
            json_skip(r);
}

// All chips of a table are at most HOLDEM_MAX_CHIPS, so no sum of two amounts that a player forms leaves 32 bits.
static bool has_sound_chips(const struct texas_holdem_view *v)
{
    int64_t all = v->pot, bets = 0;
    for (int i = 0; i < v->seats; i++) {
        all += v->chips[i];
        bets += v->bet[i];
    }
    return all <= HOLDEM_MAX_CHIPS && bets <= v->pot && v->current_bet <= HOLDEM_MAX_CHIPS &&
           v->small_blind <= HOLDEM_MAX_BLIND && v->big_blind <= HOLDEM_MAX_BLIND;
}

// Between two, what lies in the pot from earlier rounds came from both alike.
static void find_totals(struct texas_holdem_view *v)
{
    if (v->order_count != 2)
        return;
    int a = v->order[0], b = v->order[1];
    int32_t before = (v->pot - v->bet[a] - v->bet[b]) / 2;
    v->total[a] = before + v->bet[a];
    v->total[b] = before + v->bet[b];
}

static int read_state(struct json_reader *r, struct action_request *t)
{
    struct texas_holdem_view *v = (void *)&t->view;
    struct json_string key;
    uint8_t actor = t->count ? (uint8_t)t->seat : HOLDEM_NOBODY;
    *v = (struct texas_holdem_view){.seats = (uint8_t)t->seats, .viewer = (uint8_t)t->seat, .actor = actor};
    memset(v->status, HOLDEM_BUSTED, sizeof v->status);
    memset(v->hole, CARD_NONE, sizeof v->hole);
    memset(v->board, CARD_NONE, sizeof v->board); // what lies nowhere is drawn so
    memset(v->shown, CARD_NONE, sizeof v->shown);
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "phase"))
            v->phase = (uint8_t)dialect_read_word(r, texas_holdem_phases, HOLDEM_DONE + 1);
        else if (json_string_is(key, "community_cards"))
            v->board_count = (uint8_t)read_cards(r, v->board, 5);
        else if (json_string_is(key, "your_hand"))
            read_cards(r, v->hole, 2);
        else if (json_string_is(key, "current_player_id") && !t->count)
            v->actor = dialect_read_pid_or(r, HOLDEM_NOBODY);
        else if (json_string_is(key, "pot"))
            v->pot = dialect_read_small(r);
        else if (json_string_is(key, "current_bet"))
            v->current_bet = dialect_read_small(r);
        else if (json_string_is(key, "dealer"))
            v->button = (uint8_t)dialect_read_small(r);
        else if (json_string_is(key, "hand_num"))
            v->hand = (uint32_t)dialect_read_small(r);
        else if (json_string_is(key, "max_hands"))
            v->hands_total = (uint32_t)dialect_read_small(r);
        else if (json_string_is(key, "small_blind"))
            v->small_blind = dialect_read_small(r);
        else if (json_string_is(key, "big_blind"))
            v->big_blind = dialect_read_small(r);
        else if (json_string_is(key, "players"))
            read_players(r, v);
        else
            json_skip(r);
    v->to_call = v->current_bet - v->bet[t->seat];
    for (int i = 0; i < t->count; i++)
        if (t->choices[i].first.kind == HOLDEM_RAISE) {
            v->min_raise_to = t->choices[i].first.amount;
            v->max_raise_to = t->choices[i].max_amount;
        }
    bool is_sound = v->phase <= HOLDEM_DONE && v->button < t->seats;
    for (int i = 0; i < t->seats && i < HOLDEM_SEATS; i++) // words that are none of ours were read as 255
        is_sound &= v->status[i] <= HOLDEM_BUSTED && v->position[i] <= HOLDEM_CO;
    if (t->count) // a house bot may be asked
        is_sound &= has_sound_chips(v) && texas_holdem_has_sound_cards(v);
    if (!is_sound)
        return ERR_FORMAT;
    texas_holdem_read_order(v);
    if (t->count)
        find_totals(v);
    return OK;
}

// F6.T7: bounds of a raise; a call's amount too, which a client's answer may leave out.
static bool widen(const struct arena_bounds *b, struct game_choice *c)
{
    bool is_range = b->max > 0 && b->max <= HOLDEM_MAX_CHIPS && b->min >= 0 && b->min <= b->max;
    if (!is_range && (b->amount < 0 || b->amount > HOLDEM_MAX_CHIPS))
        return false;
    c->first.amount = (int32_t)(is_range ? b->min : b->amount);
    c->max_amount = is_range ? (int32_t)b->max : c->first.amount;
    return is_range;
}

const struct arena_reader texas_holdem_arena_reader = {.read_state = read_state, .widen = widen};

#include "games/liars_dice/codec.h"
#include "games/liars_dice/rules/liars_dice.h"

static int read_dice(struct json_reader *r, uint8_t dice[LIARS_DICE_DICE])
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        uint8_t face = (uint8_t)json_read_int(r, 1, LIARS_DICE_FACES);
        if (count == LIARS_DICE_DICE)
            json_fail(r, ERR_RANGE);
        else
            dice[count++] = face;
    }
    return count;
}

// Quantity or face of a bid. Returns false, without reading, if the key is neither.
static bool read_claim(struct json_reader *r, struct json_string key, int *quantity, int *face)
{
    if (json_string_is(key, "quantity"))
        *quantity = (int)json_read_int(r, 1, LIARS_DICE_SEATS * LIARS_DICE_DICE);
    else if (json_string_is(key, "face"))
        *face = (int)json_read_int(r, 1, LIARS_DICE_FACES);
    else
        return false;
    return true;
}

static void read_bid(struct json_reader *r, const struct codec_table *table, struct liars_dice_view *v)
{
    struct json_string key;
    int quantity = 0, face = 0;
    v->bidder = LIARS_DICE_NOBODY;
    if (json_read_if_null(r))
        return;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "seat"))
            v->bidder = codec_read_seat_or(r, table, LIARS_DICE_NOBODY);
        else if (!read_claim(r, key, &quantity, &face))
            json_skip(r);
    if (!quantity || !face)
        json_fail(r, ERR_MISSING);
    else
        v->bid = (uint8_t)liars_dice_rank(quantity, face);
}

static void read_seat(struct json_reader *r, const struct codec_table *table, struct liars_dice_view *v)
{
    struct json_string key;
    int seat = -1, dice = 0;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "seat"))
            seat = codec_read_seat(r, table);
        else if (json_string_is(key, "dice_count"))
            dice = (int)json_read_int(r, 0, LIARS_DICE_DICE);
        else
            json_skip(r);
    if (r->error || seat < 0 || seat >= LIARS_DICE_SEATS)
        json_fail(r, ERR_MISSING);
    else
        v->dice_counts[seat] = (uint8_t)dice;
}

static void read_member(struct json_reader *r, const struct codec_table *table, struct json_string key,
                        struct liars_dice_view *v, int *own)
{
    if (json_string_is(key, "dice"))
        *own = read_dice(r, v->dice);
    else if (json_string_is(key, "current_bid"))
        read_bid(r, table, v);
    else if (json_string_is(key, "round"))
        v->round = (uint8_t)json_read_int(r, 0, UINT8_MAX);
    else if (json_string_is(key, "wild_ones"))
        v->wild_ones = json_read_bool(r);
    else if (json_string_is(key, "seats"))
        for (json_enter_array(r); json_next_item(r);)
            read_seat(r, table, v);
    else
        json_skip(r);
}

bool liars_dice_is_playable(const struct liars_dice_view *v, int own)
{
    int total = 0;
    for (int seat = 0; seat < LIARS_DICE_SEATS; seat++)
        total += seat < v->seats ? v->dice_counts[seat] : 0;
    return own > 0 && own == v->dice_counts[v->viewer] && own < total && total == v->total &&
           v->bid <= LIARS_DICE_FACES * total;
}

bool liars_dice_read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view)
{
    struct liars_dice_view *v = view;
    struct json_string key;
    int own = 0;
    v->viewer = v->to_act = (uint8_t)table->viewer;
    v->seats = (uint8_t)table->seats;
    v->phase = (uint8_t)phase;
    v->winner = LIARS_DICE_NOBODY;
    for (json_enter_object(r); json_next_key(r, &key);)
        read_member(r, table, key, v, &own);
    for (int seat = 0; seat < LIARS_DICE_SEATS; seat++) {
        v->total = (uint8_t)(v->total + v->dice_counts[seat]);
        v->starting_dice[seat] = seat < table->seats ? LIARS_DICE_DICE : 0;
    }
    return liars_dice_is_playable(v, own);
}

// Bids and the rounds they belong to, which no later view tells; the rest the views do.
bool liars_dice_read_event(struct json_reader *r, const struct codec_table *table, struct game_event *e)
{
    struct json_string key;
    int quantity = 0, face = 0, seat = -1, round = 0, kind = 0;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "type") && json_peek(r) == JSON_STRING)
            kind = json_string_among(json_read_string(r), liars_dice_codec.event_types + 1) + 1;
        else if (json_string_is(key, "round"))
            round = (int)json_read_int(r, 1, UINT8_MAX);
        else if (json_string_is(key, "seat"))
            seat = codec_read_seat(r, table);
        else if (!read_claim(r, key, &quantity, &face))
            json_skip(r);
    if (!r->error && kind == LIARS_DICE_ROUND_START && round) {
        *e = (struct game_event){
            .kind = LIARS_DICE_ROUND_START, .seat = LIARS_DICE_NOBODY, .to = EVERYONE, .amount = round};
        return true;
    }
    if (r->error || kind != LIARS_DICE_BADE || seat < 0 || seat >= table->seats || !quantity || !face)
        return false;
    *e = (struct game_event){
        .kind = LIARS_DICE_BADE, .seat = (uint8_t)seat, .to = EVERYONE, .amount = liars_dice_rank(quantity, face)};
    return true;
}

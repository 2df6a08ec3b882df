#include "codec/hands.h"

#include "game/cards.h"

static void read_deck(struct json_reader *r, struct hands_rules *rules)
{
    memset(rules->deck, CARD_NONE, sizeof rules->deck);
    if (!json_read_if_null(r) && codec_read_cards(r, rules->deck, HANDS_CARDS) == 0)
        json_fail(r, ERR_RANGE);
}

bool hands_read_rule(struct json_reader *r, struct json_string key, void *rules)
{
    const struct codec_table seats = {.seat = codec_seat_names, .seats = HANDS_SEATS};
    struct hands_rules *h = rules;
    if (json_string_is(key, "max_hands"))
        h->max_hands = (uint16_t)json_read_int(r, 1, HANDS_MAX);
    else if (json_string_is(key, "starter"))
        h->starter = (uint8_t)codec_read_seat(r, &seats);
    else if (json_string_is(key, "deck"))
        read_deck(r, h);
    else
        return false;
    return true;
}

void hands_write_rules(struct text *t, const void *rules)
{
    const struct hands_rules *h = rules;
    json_put_int(t, "max_hands", h->max_hands);
    json_put_int(t, "starter", h->starter);
    json_key(t, "deck");
    if (hands_count(h->deck))
        codec_write_cards(t, h->deck, hands_count(h->deck));
    else
        json_write_null(t);
}

// {"seat_0":"Qs","seat_1":"Ks"}; {} where none was shown.
static void put_cards(struct text *t, const struct codec_table *table, const uint8_t card[HANDS_SEATS])
{
    json_begin_object_at(t, "cards");
    for (int seat = 0; seat < HANDS_SEATS && card[seat] != CARD_NONE; seat++) {
        json_key(t, table->seat[seat]);
        codec_write_card(t, card[seat]);
    }
    json_end_object(t);
}

static void put_result(struct text *t, const struct codec_table *table, int winner, int chips, const uint8_t *card)
{
    codec_put_seat(t, "winner", table, winner);
    json_put_int(t, "amount", chips);
    put_cards(t, table, card);
}

static bool has_last(const struct hands *h)
{
    return h->hand > 1 || h->done;
}

void hands_write_score(struct text *t, const struct codec_table *table, const struct hands *h)
{
    json_put_int(t, "hand_number", h->hand);
    json_put_int(t, "hands_total", h->max_hands);
    codec_put_seat(t, "first", table, h->first);
    json_begin_object_at(t, "payoffs");
    for (int seat = 0; seat < HANDS_SEATS; seat++)
        json_put_int(t, table->seat[seat], h->payoff[seat]);
    json_end_object(t);
    json_key(t, "last_hand");
    if (!has_last(h)) {
        json_write_null(t);
        return;
    }
    json_begin_object(t);
    put_result(t, table, h->last_winner, h->last_chips, h->shown);
    json_end_object(t);
}

void hands_write_actions(const struct codec *c, struct text *t, const uint8_t *action, int count)
{
    json_begin_array(t);
    for (int i = 0; i < count; i++)
        json_write_text(t, codec_find_kind(c, action[i], false)->type);
    json_end_array(t);
}

// --- reading back what was written

struct hands hands_begin_score(const struct codec_table *table, bool done)
{
    return (struct hands){.last_winner = HANDS_NOBODY,
                          .shown = {CARD_NONE, CARD_NONE},
                          .to_act = done ? HANDS_NOBODY : (uint8_t)table->viewer,
                          .done = done};
}

uint8_t hands_read_card(struct json_reader *r)
{
    enum { KING = CARD_JACK + 2 };
    if (json_read_if_null(r))
        return CARD_NONE;
    int card = codec_read_card(r);
    if (card >= 0 && (card_rank((uint8_t)card) < CARD_JACK || card_rank((uint8_t)card) > KING))
        json_fail(r, ERR_RANGE);
    return r->error ? CARD_NONE : (uint8_t)card;
}

int hands_read_actions(const struct codec *c, struct json_reader *r, uint8_t *action, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        const struct codec_action *row = codec_find_type(c, json_read_string(r));
        if (r->error || !row || row->master || count == room)
            json_fail(r, ERR_RANGE);
        else
            action[count++] = row->kind;
    }
    return count;
}

static int seat_of(struct json_string key, const struct codec_table *table)
{
    int seat = 0;
    while (seat < HANDS_SEATS && !json_string_is(key, table->seat[seat]))
        seat++;
    return seat;
}

static void read_payoffs(struct json_reader *r, const struct codec_table *table, struct hands *h)
{
    enum { MOST = 1000000 };
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);) {
        int seat = seat_of(key, table);
        if (seat < HANDS_SEATS)
            h->payoff[seat] = (int32_t)json_read_int(r, -MOST, MOST);
        else
            json_skip(r);
    }
}

static void read_shown(struct json_reader *r, const struct codec_table *table, struct hands *h)
{
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);) {
        int seat = seat_of(key, table);
        if (seat < HANDS_SEATS)
            h->shown[seat] = hands_read_card(r);
        else
            json_skip(r);
    }
}

static void read_last(struct json_reader *r, const struct codec_table *table, struct hands *h)
{
    enum { MOST = 1000 };
    struct json_string key;
    if (json_read_if_null(r))
        return;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "winner"))
            h->last_winner = codec_read_seat_or(r, table, HANDS_NOBODY);
        else if (json_string_is(key, "amount"))
            h->last_chips = (int32_t)json_read_int(r, 0, MOST);
        else if (json_string_is(key, "cards"))
            read_shown(r, table, h);
        else
            json_skip(r);
}

bool hands_read_score(struct json_reader *r, const struct codec_table *table, struct json_string key, struct hands *h)
{
    if (json_string_is(key, "hand_number"))
        h->hand = (uint16_t)json_read_int(r, 1, HANDS_MAX);
    else if (json_string_is(key, "hands_total"))
        h->max_hands = (uint16_t)json_read_int(r, 1, HANDS_MAX);
    else if (json_string_is(key, "first"))
        h->first = codec_read_seat_or(r, table, 0);
    else if (json_string_is(key, "payoffs"))
        read_payoffs(r, table, h);
    else if (json_string_is(key, "last_hand"))
        read_last(r, table, h);
    else
        return false;
    return true;
}

const char *const hands_event_types[] = {
    NULL, "new_hand", "action", "hand_result", "player_disconnected", "public_card", NULL,
};

void hands_write_event(const struct codec *c, struct text *t, const struct codec_table *table,
                       const struct game_event *e)
{
    if (e->kind == HANDS_NEW) {
        json_put_int(t, "hand", e->amount);
        codec_put_seat(t, "first", table, e->seat);
    } else if (e->kind == HANDS_ACTED) {
        codec_put_seat(t, "seat", table, e->seat);
        json_put_text(t, "action", codec_find_kind(c, e->data[0], false)->type);
        json_put_int(t, "amount", e->amount);
    } else if (e->kind == HANDS_RESULT) {
        put_result(t, table, e->seat, e->amount, e->data);
    } else if (e->kind == HANDS_LEFT) {
        codec_put_seat(t, "seat", table, e->seat);
        json_put_int(t, "reason", e->data[0]);
    } else {
        json_key(t, "card");
        codec_write_card(t, e->data[0]);
    }
}

void hands_describe_rules(struct text *t, const struct hands_rules *r)
{
    if (r->max_hands == 1)
        text_puts(t, "The match is one hand.");
    else
        codec_write(t, "The match has %d hands; the players take turns to act first.", r->max_hands);
    text_puts(t,
              " A hand pays the winner what the loser put into the pot. Whoever has won more chips wins the match.\n");
}

void hands_describe_score(struct text *t, const struct codec_table *table, const struct hands *h, uint8_t card)
{
    codec_write(t, "Hand %d of %d, %s acts first. Won so far: %s %d, %s %d.\n", h->hand, h->max_hands,
                table->seat[h->first], table->seat[0], h->payoff[0], table->seat[1], h->payoff[1]);
    if (card != CARD_NONE)
        codec_write(t, "You are %s. Your card is %s.\n", table->seat[table->viewer], codec_card_name(card));
}

void hands_describe_actions(const struct codec *c, struct text *t, const struct codec_table *table,
                            const struct hands *h, const uint8_t *action, int count)
{
    for (int i = 0; i < count; i++) {
        codec_write(t, "%s%s ", i ? ", " : "", table->seat[(h->first + i) % HANDS_SEATS]);
        codec_describe_type(c, t, table, (struct game_action){.kind = action[i]});
    }
}

static void describe_result(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    if (e->seat == HANDS_NOBODY)
        text_puts(t, "the pot is split");
    else
        codec_write(t, "%s wins %d", table->seat[e->seat], e->amount);
    if (e->data[0] != CARD_NONE)
        codec_write(t, " (%s %s, %s %s)", table->seat[0], codec_card_name(e->data[0]), table->seat[1],
                    codec_card_name(e->data[1]));
}

void hands_describe_event(const struct codec *c, struct text *t, const struct codec_table *table,
                          const struct game_event *e)
{
    if (e->kind == HANDS_NEW) {
        codec_write(t, "hand %d, %s acts first", e->amount, table->seat[e->seat]);
    } else if (e->kind == HANDS_ACTED) {
        codec_write(t, "%s ", table->seat[e->seat]);
        codec_describe_type(c, t, table, (struct game_action){.kind = e->data[0]});
    } else if (e->kind == HANDS_RESULT) {
        describe_result(t, table, e);
    } else if (e->kind == HANDS_LEFT) {
        codec_write(t, "%s has left", table->seat[e->seat]);
    } else {
        codec_write(t, "the public card is %s", codec_card_name(e->data[0]));
    }
}

bool hands_describe_turn(struct text *t, const struct codec_table *table, const struct hands *h)
{
    if (!h->done && h->to_act == table->viewer)
        return true;
    if (!h->done)
        codec_write(t, "%s is to act.\n", table->seat[h->to_act]);
    else if (h->payoff[0] == 0)
        text_puts(t, "The match is over: a draw.\n");
    else
        codec_write(t, "The match is over: %s wins.\n", table->seat[h->payoff[1] > 0]);
    return false;
}

// --- a picture

// In ASCII: games without a picture of their own are painted with these letters (kit/picture.h).
static void draw_card(struct text *t, uint8_t card, const char *none)
{
    if (card == CARD_NONE)
        text_puts(t, none);
    else
        codec_write(t, "[%s]", codec_card_name(card));
}

static void draw_seat(struct text *t, const struct codec_table *table, const struct hands_picture *p, int seat)
{
    const struct hands *h = p->hands;
    uint8_t card = h->done ? h->shown[seat] : CARD_NONE;
    codec_write(t, "%s %-12s ", !h->done && h->to_act == seat ? ">" : " ", table->seat[seat]);
    draw_card(t, seat == p->viewer && p->card != CARD_NONE ? p->card : card, "[??]");
    codec_write(t, "   won %d%s\n", h->payoff[seat], h->done && h->payoff[seat] > 0 ? "  wins" : "");
}

static void draw_last(struct text *t, const struct codec_table *table, const struct hands *h)
{
    struct game_event last = {.seat = h->last_winner, .amount = h->last_chips, .data = {h->shown[0], h->shown[1]}};
    text_puts(t, "last hand: ");
    describe_result(t, table, &last);
    text_put_char(t, '\n');
}

void hands_draw(const struct codec *c, struct text *t, const struct codec_table *table, const struct hands_picture *p)
{
    const struct hands *h = p->hands;
    codec_write(t, "%s   hand %d of %d   pot %d\n\n", c->title, h->hand, h->max_hands, p->pot);
    if (p->has_public) {
        text_puts(t, "  public card  ");
        draw_card(t, p->public_card, "[  ]");
        text_puts(t, "\n\n");
    }
    for (int seat = 0; seat < HANDS_SEATS; seat++)
        draw_seat(t, table, p, seat);
    text_put_char(t, '\n');
    for (int round = 0; round < p->rounds && !h->done; round++)
        if (p->acted[round]) {
            text_puts(t, p->rounds == 1 ? "" : round ? "second round: " : "first round: ");
            hands_describe_actions(c, t, table, h, p->action[round], p->acted[round]);
            text_put_char(t, '\n');
        }
    if (has_last(h))
        draw_last(t, table, h);
}

static const struct speech_event events[] = {
    {"new_hand", NULL, NULL, "hand {hand}, {first} acts first"},
    {"hand_result", "winner", "null", "the pot is split ({cards})"},
    {"hand_result", "cards", "{}", "{winner} wins {amount}"},
    {"hand_result", NULL, NULL, "{winner} wins {amount} ({cards})"},
    {"public_card", NULL, NULL, "the public card is {card}"},
    {"player_disconnected", NULL, NULL, "{player} has left"},
    {0},
};

const struct codec_speech hands_speech = {
    .version = 1,
    .parts = (const uint8_t[]){HANDS_NEW, 0},
    .part_names = "hands",
    .events = events,
};

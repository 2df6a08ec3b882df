#include "codec/hands.h"

#include "codec/display.h"
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

// hand_number, hands_total, first, payoffs, last_hand.
static void write_score(struct text *t, const struct codec_table *table, const struct hands *h)
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

static void write_actions(const struct codec *c, struct text *t, const uint8_t *action, int count)
{
    json_begin_array(t);
    for (int i = 0; i < count; i++)
        json_write_text(t, codec_find_kind(c, action[i], false)->type);
    json_end_array(t);
}

static bool has_rounds(const struct hands_words *w)
{
    return w->rounds > 1;
}

void hands_write_view(const struct hands_words *w, struct text *t, const struct codec_table *table, const void *view)
{
    const struct hands_view *v = view;
    json_key(t, "card");
    codec_write_card(t, v->card);
    if (has_rounds(w)) {
        json_key(t, "public_card");
        codec_write_card(t, v->public_card);
    }
    json_key(t, "actions");
    if (has_rounds(w))
        json_begin_array(t);
    for (int round = 0; round <= v->round; round++)
        write_actions(w->codec, t, v->action[round], v->acted[round]);
    if (has_rounds(w))
        json_end_array(t);
    json_put_int(t, "pot", v->pot);
    json_put_int(t, "to_call", v->to_call);
    write_score(t, table, &v->hands);
}

// --- reading back what was written

static uint8_t read_card(struct json_reader *r)
{
    enum { KING = CARD_JACK + 2 };
    if (json_read_if_null(r))
        return CARD_NONE;
    int card = codec_read_card(r);
    if (card >= 0 && (card_rank((uint8_t)card) < CARD_JACK || card_rank((uint8_t)card) > KING))
        json_fail(r, ERR_RANGE);
    return r->error ? CARD_NONE : (uint8_t)card;
}

static void read_actions(const struct hands_words *w, struct json_reader *r, struct hands_view *v)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        const struct codec_action *row = codec_find_type(w->codec, json_read_string(r));
        if (r->error || !row || row->master || count == w->most)
            json_fail(r, ERR_RANGE);
        else
            v->action[v->round][count++] = row->kind;
    }
    v->acted[v->round] = (uint8_t)count;
}

// A list for each round.
static void read_rounds(const struct hands_words *w, struct json_reader *r, struct hands_view *v)
{
    int rounds = 0;
    for (json_enter_array(r); json_next_item(r); rounds++) {
        if (rounds == w->rounds) {
            json_fail(r, ERR_RANGE);
            return;
        }
        v->round = (uint8_t)rounds;
        read_actions(w, r, v);
    }
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
            h->shown[seat] = read_card(r);
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

// False: it is not of the score, and not read.
static bool read_score(struct json_reader *r, const struct codec_table *table, struct json_string key, struct hands *h)
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

// Likewise.
static bool read_hand(const struct hands_words *w, struct json_reader *r, struct json_string key, struct hands_view *v)
{
    if (json_string_is(key, "card"))
        v->card = read_card(r);
    else if (json_string_is(key, "public_card"))
        v->public_card = read_card(r);
    else if (json_string_is(key, "actions"))
        has_rounds(w) ? read_rounds(w, r, v) : read_actions(w, r, v);
    else if (json_string_is(key, "pot"))
        v->pot = (uint8_t)json_read_int(r, 0, UINT8_MAX);
    else if (json_string_is(key, "to_call"))
        v->to_call = (uint8_t)json_read_int(r, 0, UINT8_MAX);
    else
        return false;
    return true;
}

bool hands_read_view(const struct hands_words *w, struct json_reader *r, const struct codec_table *table, int phase,
                     void *view)
{
    struct hands_view *v = view;
    struct hands *h = &v->hands;
    struct json_string key;
    bool is_seen = phase & CODEC_FOR_DISPLAY;
    *v = (struct hands_view){.phase = (uint8_t)(phase & ~CODEC_FOR_DISPLAY),
                             .viewer = (uint8_t)table->viewer,
                             .card = CARD_NONE,
                             .public_card = CARD_NONE,
                             .hands = {.last_winner = HANDS_NOBODY, .shown = {CARD_NONE, CARD_NONE}}};
    for (json_enter_object(r); json_next_key(r, &key);)
        if (!read_hand(w, r, key, v) && !read_score(r, table, key, h))
            json_skip(r);
    int next = (h->first + v->acted[v->round]) % HANDS_SEATS;
    h->done = v->phase == w->rounds;
    h->to_act = (uint8_t)(h->done ? HANDS_NOBODY : next);
    return v->card != CARD_NONE && h->hand && (v->round > 0) == (v->public_card != CARD_NONE) &&
           (h->done || (v->round == v->phase && (is_seen || next == v->viewer)));
}

// --- events

const char *const hands_event_types[] = {
    NULL, "new_hand", "action", "hand_result", "player_disconnected", "public_card", NULL,
};

void hands_write_event(const struct hands_words *w, struct text *t, const struct codec_table *table,
                       const struct game_event *e)
{
    if (e->kind == HANDS_NEW) {
        json_put_int(t, "hand", e->amount);
        codec_put_seat(t, "first", table, e->seat);
    } else if (e->kind == HANDS_ACTED) {
        codec_put_seat(t, "seat", table, e->seat);
        json_put_text(t, "action", codec_find_kind(w->codec, e->data[0], false)->type);
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

// The hand, the score, and the viewer's card.
static void describe_score(struct text *t, const struct codec_table *table, const struct hands *h, uint8_t card)
{
    codec_write(t, "Hand %d of %d, %s acts first. Won so far: %s %d, %s %d.\n", h->hand, h->max_hands,
                table->seat[h->first], table->seat[0], h->payoff[0], table->seat[1], h->payoff[1]);
    if (card != CARD_NONE)
        codec_write(t, "You are %s. Your card is %s.\n", table->seat[table->viewer], codec_card_name(card));
}

// "seat_0 checks, seat_1 bets".
static void describe_actions(const struct hands_words *w, struct text *t, const struct codec_table *table,
                             const struct hands_view *v, int round)
{
    for (int i = 0; i < v->acted[round]; i++) {
        codec_write(t, "%s%s ", i ? ", " : "", table->seat[(v->hands.first + i) % HANDS_SEATS]);
        codec_describe_type(w->codec, t, table, (struct game_action){.kind = v->action[round][i]});
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

void hands_describe_event(const struct hands_words *w, struct text *t, const struct codec_table *table,
                          const struct game_event *e)
{
    if (e->kind == HANDS_NEW) {
        codec_write(t, "hand %d, %s acts first", e->amount, table->seat[e->seat]);
    } else if (e->kind == HANDS_ACTED) {
        codec_write(t, "%s ", table->seat[e->seat]);
        codec_describe_type(w->codec, t, table, (struct game_action){.kind = e->data[0]});
    } else if (e->kind == HANDS_RESULT) {
        describe_result(t, table, e);
    } else if (e->kind == HANDS_LEFT) {
        codec_write(t, "%s has left", table->seat[e->seat]);
    } else {
        codec_write(t, "the public card is %s", codec_card_name(e->data[0]));
    }
}

// Who has to act, or who has won. True, and nothing is written: it is the viewer.
static bool describe_turn(struct text *t, const struct codec_table *table, const struct hands *h)
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

static int raises(const struct hands_view *v) // in this round
{
    int count = 0;
    for (int i = 0; i < v->acted[v->round]; i++)
        count += v->action[v->round][i] == HANDS_RAISE;
    return count;
}

void hands_describe_view(const struct hands_words *w, struct text *t, const struct codec_table *table, const void *view)
{
    const struct hands_view *v = view;
    describe_score(t, table, &v->hands, v->card);
    if (v->public_card != CARD_NONE)
        codec_write(t, "The public card is %s.\n", codec_card_name(v->public_card));
    codec_write(t, has_rounds(w) ? "Pot %d.\n" : "Pot %d. ", v->pot);
    for (int round = 0; round <= v->round; round++) {
        if (has_rounds(w))
            text_puts(t, round ? "Second round: " : "First round: ");
        describe_actions(w, t, table, v, round);
        text_puts(t, v->acted[round] ? ".\n" : has_rounds(w) ? "nobody has acted.\n" : "Nobody has acted.\n");
    }
    if (!describe_turn(t, table, &v->hands) || table->brief)
        return;
    if (v->to_call)
        codec_write(t, "You may fold, or call %d", v->to_call);
    else
        text_puts(t, "You may check");
    if (raises(v) < w->raises)
        codec_write(t, ", or %s %d", w->raise, w->chips[v->round]);
    text_puts(t, ".\n");
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

static void draw_seat(struct text *t, const struct codec_table *table, const struct hands_view *v, int seat)
{
    const struct hands *h = &v->hands;
    uint8_t card = h->done ? h->shown[seat] : CARD_NONE;
    codec_write(t, "%s %-12s ", !h->done && h->to_act == seat ? ">" : " ", table->seat[seat]);
    draw_card(t, seat == v->viewer && v->card != CARD_NONE ? v->card : card, "[??]");
    codec_write(t, "   won %d%s\n", h->payoff[seat], h->done && h->payoff[seat] > 0 ? "  wins" : "");
}

static void draw_last(struct text *t, const struct codec_table *table, const struct hands *h)
{
    struct game_event last = {.seat = h->last_winner, .amount = h->last_chips, .data = {h->shown[0], h->shown[1]}};
    text_puts(t, "last hand: ");
    describe_result(t, table, &last);
    text_put_char(t, '\n');
}

void hands_draw(const struct hands_words *w, struct text *t, const struct codec_table *table, const void *view)
{
    const struct hands_view *v = view;
    const struct hands *h = &v->hands;
    codec_write(t, "%s   hand %d of %d   pot %d\n\n", w->codec->title, h->hand, h->max_hands, v->pot);
    if (has_rounds(w)) {
        text_puts(t, "  public card  ");
        draw_card(t, v->public_card, "[  ]");
        text_puts(t, "\n\n");
    }
    for (int seat = 0; seat < HANDS_SEATS; seat++)
        draw_seat(t, table, v, seat);
    text_put_char(t, '\n');
    for (int round = 0; round < w->rounds && !h->done; round++)
        if (v->acted[round]) {
            text_puts(t, !has_rounds(w) ? "" : round ? "second round: " : "first round: ");
            describe_actions(w, t, table, v, round);
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

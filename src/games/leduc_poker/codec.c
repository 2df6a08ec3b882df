#include "games/leduc_poker/codec.h"

#include "codec/hands.h"
#include "codec/seen.h"
#include "games/leduc_poker/rules/leduc_poker.h"

// What the seat to act must pay to call, 0 when done.
static int to_call(const struct leduc_poker_view *v)
{
    int seat = v->hands.to_act;
    return v->hands.done ? 0 : v->bets.paid[!seat] - v->bets.paid[seat];
}

static void write_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct leduc_poker_view *v = view;
    json_key(t, "card");
    codec_write_card(t, v->card);
    json_key(t, "public_card");
    codec_write_card(t, v->public_card);
    json_begin_array_at(t, "actions");
    for (int round = 0; round <= v->bets.round; round++)
        hands_write_actions(&leduc_poker_codec, t, v->bets.action[round], v->bets.acted[round]);
    json_end_array(t);
    json_put_int(t, "pot", v->bets.paid[0] + v->bets.paid[1]);
    json_put_int(t, "to_call", to_call(v));
    hands_write_score(t, table, &v->hands);
}

// A list for each round, whose actions say what was paid.
static void read_betting(struct json_reader *r, struct leduc_poker_bets *b)
{
    int rounds = 0;
    for (json_enter_array(r); json_next_item(r); rounds++) {
        if (rounds == LEDUC_POKER_ROUNDS) {
            json_fail(r, ERR_RANGE);
            return;
        }
        b->round = (uint8_t)rounds;
        b->acted[rounds] = (uint8_t)hands_read_actions(&leduc_poker_codec, r, b->action[rounds], LEDUC_POKER_ACTIONS);
    }
}

static void count_paid(struct leduc_poker_bets *b, int first)
{
    b->paid[0] = b->paid[1] = 1; // the ante
    for (int round = 0; round <= b->round; round++)
        for (int i = 0; i < b->acted[round]; i++) {
            int seat = (first + i) % HANDS_SEATS;
            if (b->action[round][i] == LEDUC_POKER_CALL)
                b->paid[seat] = b->paid[!seat];
            else if (b->action[round][i] == LEDUC_POKER_RAISE)
                b->paid[seat] = (uint8_t)(b->paid[!seat] + leduc_poker_raise(round));
        }
}

static bool read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view)
{
    struct leduc_poker_view *v = view;
    struct json_string key;
    v->viewer = (uint8_t)table->viewer;
    v->card = v->public_card = CARD_NONE;
    bool is_seen = phase & CODEC_SEEN;
    phase &= ~CODEC_SEEN;
    v->phase = (uint8_t)phase;
    v->hands = hands_begin_score(table, phase == LEDUC_POKER_DONE);
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "card"))
            v->card = hands_read_card(r);
        else if (json_string_is(key, "public_card"))
            v->public_card = hands_read_card(r);
        else if (json_string_is(key, "actions"))
            read_betting(r, &v->bets);
        else if (!hands_read_score(r, table, key, &v->hands))
            json_skip(r);
    count_paid(&v->bets, v->hands.first);
    int next = (v->hands.first + v->bets.acted[v->bets.round]) % HANDS_SEATS;
    bool is_turn = v->bets.round == phase && (is_seen || next == v->viewer);
    if (is_seen && !v->hands.done)
        v->hands.to_act = (uint8_t)next;
    return v->card != CARD_NONE && v->hands.hand && (v->bets.round > 0) == (v->public_card != CARD_NONE) &&
           (v->hands.done || is_turn);
}

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    hands_write_event(&leduc_poker_codec, t, table, e);
}

static void describe_rules(struct text *t, const void *rules, int seats)
{
    (void)seats;
    text_puts(t,
              "Leduc poker: the deck has two J, two Q and two K. Both players put one chip into the pot and get one "
              "card, face down. A betting round follows, then a public card is turned up, then a second betting "
              "round, in which the same player acts first.\n"
              "Without a bet to match a player checks or raises; facing one, folds, calls or raises. A raise adds 2 "
              "chips in the first round and 4 in the second. The first bet counts as a raise, and a round has at most "
              "two. A call, or two checks, end the round. A fold gives the pot to the other player.\n"
              "At the end a card of the public card's rank (a pair) wins, otherwise the higher rank. Equal ranks "
              "split the pot.\n");
    hands_describe_rules(t, rules);
}

static void tell_betting(struct text *t, const struct codec_table *table, const struct leduc_poker_view *v)
{
    for (int round = 0; round <= v->bets.round; round++) {
        text_puts(t, round ? "Second round: " : "First round: ");
        hands_describe_actions(&leduc_poker_codec, t, table, &v->hands, v->bets.action[round], v->bets.acted[round]);
        text_puts(t, v->bets.acted[round] ? ".\n" : "nobody has acted.\n");
    }
}

static void describe_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct leduc_poker_view *v = view;
    hands_describe_score(t, table, &v->hands, v->card);
    if (v->public_card != CARD_NONE)
        codec_write(t, "The public card is %s.\n", codec_card_name(v->public_card));
    codec_write(t, "Pot %d.\n", v->bets.paid[0] + v->bets.paid[1]);
    tell_betting(t, table, v);
    if (!hands_describe_turn(t, table, &v->hands) || table->brief)
        return;
    if (to_call(v))
        codec_write(t, "You may fold, or call %d", to_call(v));
    else
        text_puts(t, "You may check");
    if (leduc_poker_raises(&v->bets) < LEDUC_POKER_RAISES)
        codec_write(t, ", or raise by %d", leduc_poker_raise(v->bets.round));
    text_puts(t, ".\n");
}

static void draw(struct text *t, const struct codec_table *table, const void *view)
{
    const struct leduc_poker_view *v = view;
    struct hands_picture p = {.hands = &v->hands,
                              .pot = v->bets.paid[0] + v->bets.paid[1],
                              .viewer = v->viewer,
                              .card = v->card,
                              .has_public = true,
                              .public_card = v->public_card,
                              .action = {v->bets.action[0], v->bets.action[1]},
                              .acted = {v->bets.acted[0], v->bets.acted[1]},
                              .rounds = LEDUC_POKER_ROUNDS};
    hands_draw(&leduc_poker_codec, t, table, &p);
}

static void describe_action(struct text *t, const struct codec_table *table, struct game_action a)
{
    codec_describe_type(&leduc_poker_codec, t, table, a);
}

static void describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    hands_describe_event(&leduc_poker_codec, t, table, e);
}

static const char *const phases[] = {"first_round", "second_round", "done", NULL};

static const struct codec_action actions[] = {
    {.type = "fold", .kind = LEDUC_POKER_FOLD},          {.type = "check", .kind = LEDUC_POKER_CHECK},
    {.type = "call", .kind = LEDUC_POKER_CALL},          {.type = "raise", .kind = LEDUC_POKER_RAISE},
    {.type = "drop", .kind = GAME_DROP, .master = true}, {0},
};

const struct codec leduc_poker_codec = {
    HANDS_CODEC,
    .game = &leduc_poker_game,
    .title = "Leduc poker",
    .summary = "Poker with six cards, two betting rounds and a public card; a pair wins, then the higher card.",
    .phases = phases,
    .actions = actions,
    .write_view = write_view,
    .write_event = write_event,
    .read_view = read_view,
    .phase_at = offsetof(struct leduc_poker_view, phase),
    .describe_rules = describe_rules,
    .describe_view = describe_view,
    .describe_action = describe_action,
    .describe_event = describe_event,
    .draw = draw,
};

#include "games/kuhn_poker/codec.h"

#include "codec/hands.h"
#include "codec/seen.h"
#include "games/kuhn_poker/rules/kuhn_poker.h"

static bool faces_bet(const struct kuhn_poker_view *v)
{
    return v->acted && v->action[v->acted - 1] == KUHN_POKER_BET;
}

static int pot(const struct kuhn_poker_view *v)
{
    int chips = HANDS_SEATS;
    for (int i = 0; i < v->acted; i++)
        chips += v->action[i] == KUHN_POKER_BET || v->action[i] == KUHN_POKER_CALL;
    return chips;
}

static void write_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct kuhn_poker_view *v = view;
    json_key(t, "card");
    codec_write_card(t, v->card);
    json_key(t, "actions");
    hands_write_actions(&kuhn_poker_codec, t, v->action, v->acted);
    json_put_int(t, "pot", pot(v));
    json_put_int(t, "to_call", faces_bet(v));
    hands_write_score(t, table, &v->hands);
}

static bool read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view)
{
    struct kuhn_poker_view *v = view;
    struct json_string key;
    v->viewer = (uint8_t)table->viewer;
    v->card = CARD_NONE;
    bool is_seen = phase & CODEC_SEEN;
    v->hands = hands_begin_score(table, (phase & ~CODEC_SEEN) == KUHN_POKER_DONE);
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "card"))
            v->card = hands_read_card(r);
        else if (json_string_is(key, "actions"))
            v->acted = (uint8_t)hands_read_actions(&kuhn_poker_codec, r, v->action, KUHN_POKER_ACTIONS);
        else if (!hands_read_score(r, table, key, &v->hands))
            json_skip(r);
    int next = (v->hands.first + v->acted) % HANDS_SEATS;
    if (is_seen && !v->hands.done)
        v->hands.to_act = (uint8_t)next;
    return v->card != CARD_NONE && v->hands.hand && (v->hands.done || is_seen || next == v->viewer);
}

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    hands_write_event(&kuhn_poker_codec, t, table, e);
}

static void describe_rules(struct text *t, const void *rules, int seats)
{
    (void)seats;
    text_puts(t,
              "Kuhn poker: the deck is J, Q and K. Both players put one chip into the pot and get one card, face "
              "down; the third card stays unseen.\n"
              "The first player checks or bets one chip. After a check the other player checks or bets too. Whoever "
              "faces a bet folds, or calls with one chip. A fold gives the pot to the other player. After a call, or "
              "two checks, the higher card wins.\n");
    hands_describe_rules(t, rules);
}

static void describe_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct kuhn_poker_view *v = view;
    hands_describe_score(t, table, &v->hands, v->card);
    codec_write(t, "Pot %d. ", pot(v));
    hands_describe_actions(&kuhn_poker_codec, t, table, &v->hands, v->action, v->acted);
    text_puts(t, v->acted ? ".\n" : "Nobody has acted.\n");
    if (hands_describe_turn(t, table, &v->hands) && !table->brief)
        text_puts(t, faces_bet(v) ? "You may fold, or call 1.\n" : "You may check, or bet 1.\n");
}

static void draw(struct text *t, const struct codec_table *table, const void *view)
{
    const struct kuhn_poker_view *v = view;
    struct hands_picture p = {.hands = &v->hands,
                              .pot = pot(v),
                              .viewer = v->viewer,
                              .card = v->card,
                              .action = {v->action},
                              .acted = {v->acted},
                              .rounds = 1};
    hands_draw(&kuhn_poker_codec, t, table, &p);
}

static void describe_action(struct text *t, const struct codec_table *table, struct game_action a)
{
    codec_describe_type(&kuhn_poker_codec, t, table, a);
}

static void describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    hands_describe_event(&kuhn_poker_codec, t, table, e);
}

static const char *const phases[] = {"betting", "done", NULL};

static const struct codec_action actions[] = {
    {.type = "fold", .kind = KUHN_POKER_FOLD},           {.type = "check", .kind = KUHN_POKER_CHECK},
    {.type = "call", .kind = KUHN_POKER_CALL},           {.type = "bet", .kind = KUHN_POKER_BET},
    {.type = "drop", .kind = GAME_DROP, .master = true}, {0},
};

const struct codec kuhn_poker_codec = {
    HANDS_CODEC,
    .game = &kuhn_poker_game,
    .title = "Kuhn poker",
    .summary = "Poker with three cards and one bet: check, bet, call or fold; the higher card wins.",
    .phases = phases,
    .actions = actions,
    .write_view = write_view,
    .write_event = write_event,
    .read_view = read_view,
    .phase_at = offsetof(struct kuhn_poker_view, hands.done), // KUHN_POKER_BETTING, or KUHN_POKER_DONE
    .describe_rules = describe_rules,
    .describe_view = describe_view,
    .describe_action = describe_action,
    .describe_event = describe_event,
    .draw = draw,
};

#include "games/kuhn_poker/codec.h"

#include "codec/hands.h"
#include "games/kuhn_poker/rules/kuhn_poker.h"

static const struct hands_words words = {
    .codec = &kuhn_poker_codec, .rounds = 1, .most = KUHN_POKER_ACTIONS, .raises = 1, .chips = {1}, .raise = "bet"};

static const char *const phases[] = {"betting", "done", NULL};
static const struct codec_action actions[] = {HANDS_TYPES("bet")};

static void write_view(struct text *t, const struct codec_table *table, const void *view)
{
    hands_write_view(&words, t, table, view);
}

static bool read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view)
{
    return hands_read_view(&words, r, table, phase, view);
}

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    hands_write_event(&words, t, table, e);
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
    hands_describe_view(&words, t, table, view);
}

static void describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    hands_describe_event(&words, t, table, e);
}

static void draw(struct text *t, const struct codec_table *table, const void *view)
{
    hands_draw(&words, t, table, view);
}

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
    .describe_rules = describe_rules,
    .describe_view = describe_view,
    .describe_event = describe_event,
    .draw = draw,
};

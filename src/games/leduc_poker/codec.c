#include "games/leduc_poker/codec.h"

#include "codec/hands.h"
#include "games/leduc_poker/rules/leduc_poker.h"

static const struct hands_words words = {
    .codec = &leduc_poker_codec,
    .rounds = LEDUC_POKER_ROUNDS,
    .most = LEDUC_POKER_ACTIONS,
    .raises = LEDUC_POKER_RAISES,
    .chips = {LEDUC_POKER_RAISE_FIRST, LEDUC_POKER_RAISE_SECOND},
    .raise = "raise by",
};

static const char *const phases[] = {"first_round", "second_round", "done", NULL};
static const struct codec_action actions[] = {HANDS_TYPES("raise")};

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
    .describe_rules = describe_rules,
    .describe_view = describe_view,
    .describe_event = describe_event,
    .draw = draw,
};

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

HANDS_FUNCTIONS(&words)

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

const struct codec leduc_poker_codec = {
    HANDS_CODEC,
    .game = &leduc_poker_game,
    .title = "Leduc poker",
    .summary = "Poker with six cards, two betting rounds and a public card; a pair wins, then the higher card.",
    .phases = phases,
    .actions = actions,
    .describe_rules = describe_rules,
};

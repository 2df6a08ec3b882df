#include "games/kuhn_poker/codec.h"

#include "codec/hands.h"
#include "games/kuhn_poker/rules/kuhn_poker.h"

static const struct hands_words words = {
    .codec = &kuhn_poker_codec, .rounds = 1, .most = KUHN_POKER_ACTIONS, .raises = 1, .chips = {1}, .raise = "bet"};

static const char *const phases[] = {"betting", "done", NULL};
static const struct codec_action actions[] = {HANDS_TYPES("bet")};

HANDS_FUNCTIONS(&words)

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

const struct codec kuhn_poker_codec = {
    HANDS_CODEC,
    .game = &kuhn_poker_game,
    .title = "Kuhn poker",
    .summary = "Poker with three cards and one bet: check, bet, call or fold; the higher card wins.",
    .phases = phases,
    .actions = actions,
    .describe_rules = describe_rules,
};

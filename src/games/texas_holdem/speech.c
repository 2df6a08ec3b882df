// Texas Hold'em as players say it.
#include "codec/speech.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

static const struct speech_phrase phrases[] = {
    {"fold", {{0}}},  {"check", {{0}}}, {"call", {{0}}}, {"raise", {{"amount", "AMOUNT", SPEECH_NUMBER, NULL}}},
    {"allin", {{0}}}, {NULL, {{0}}},
};

static const struct speech_alias aliases[] = {{"all in", "allin"}, {"shove", "allin"}, {"bet", "raise"}, {0}};

static void note(struct text *t, const struct codec_table *table, const void *view, struct game_choice c)
{
    const struct texas_holdem_view *v = view;
    int32_t chips = v->chips[v->viewer];
    (void)table;
    if (c.first.kind == HOLDEM_CALL)
        codec_write(t, "%d more", v->to_call < chips ? v->to_call : chips);
    else if (c.first.kind == HOLDEM_ALLIN)
        codec_write(t, "to %d", v->bet[v->viewer] + chips);
}

// The amount of a raise is the whole bet, as in an action.
static const struct speech_event events[] = {
    {"new_hand", NULL, NULL,
     "hand {hand_num} of {max_hands}, {dealer} has the button, blinds {small_blind}/{big_blind}"},
    {"player_action", "action", "fold", "{player} folds"},
    {"player_action", "action", "check", "{player} checks"},
    {"player_action", "action", "call", "{player} calls {amount}"},
    {"player_action", "action", "raise", "{player} raises to {amount}"},
    {"player_action", "action", "allin", "{player} goes all-in to {amount}"},
    {"player_action", "action", "small_blind", "{player} posts the small blind of {amount}"},
    {"player_action", "action", "big_blind", "{player} posts the big blind of {amount}"},
    {"community_cards", NULL, NULL, "{phase} {cards}"},
    {"hand_result", "reason", "showdown", "hand {hand} pays {payouts}; shown: {hands}"},
    {"hand_result", NULL, NULL, "hand {hand} pays {payouts}: the others folded"},
    {"match_result", "is_draw", "true", "the match is over: {winners} tie"},
    {"match_result", NULL, NULL, "the match is over: {winner} wins"},
    {"player_disconnected", NULL, NULL, "{player} leaves the table"},
    {0},
};

const struct codec_speech texas_holdem_speech = {
    .version = 1,
    .legend = "AMOUNT is a whole number of chips: your total bet in this betting round.\n",
    .phrases = phrases,
    .aliases = aliases,
    .parts = (const uint8_t[]){HOLDEM_EVENT_NEW_HAND, 0},
    .part_names = "hands",
    .note = note,
    .events = events,
    .amount = "AMOUNT is your total bet in this betting round, a whole number.",
};

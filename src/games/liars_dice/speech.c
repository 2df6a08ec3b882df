// Liar's Dice as players say it.
#include "codec/speech.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/rules/liars_dice.h"

static const struct speech_phrase phrases[] = {
    {"challenge", {{0}}},
    {"bid", {{"quantity", "QUANTITY", SPEECH_NUMBER, NULL}, {"face", "FACE", SPEECH_NUMBER, NULL}}},
    {NULL, {{0}}},
};

static const struct speech_alias aliases[] = {
    {"bs", "challenge"}, {"liar", "challenge"}, {"call bluff", "challenge"}, {"doubt", "challenge"}, {0}};

// L36: bids are one row by rank, which no pair of ranges describes; one line a face does.
static void describe_choice(struct text *t, const struct codec_table *table, const void *view, struct game_choice c)
{
    (void)table, (void)view;
    int first = c.first.amount, last = c.max_amount;
    for (int face = 1; face <= LIARS_DICE_FACES; face++) {
        int low = liars_dice_quantity(first) + (face < liars_dice_face(first));
        int high = liars_dice_quantity(last) - (face > liars_dice_face(last));
        if (low < high)
            codec_write(t, "bid QUANTITY %d, QUANTITY %d to %d\n", face, low, high);
        else if (low == high)
            codec_write(t, "bid %d %d\n", low, face);
    }
}

static const struct speech_event events[] = {
    {"challenge", "actual_count", "1",
     "{challenger} challenges {bid_quantity} {bid_face|bid_quantity} of {bidder}: there is 1, {loser} loses a die"},
    {"challenge", NULL, NULL,
     "{challenger} challenges {bid_quantity} {bid_face|bid_quantity} of {bidder}: there are {actual_count}, {loser} "
     "loses "
     "a die"},
    {"player_eliminated", NULL, NULL, "{player} is out"},
    {"player_disconnected", NULL, NULL, "{player} has left"},
    {"round_start", NULL, NULL, "round {round}"},
    {"game_over", NULL, NULL, "{winner} wins"},
    {0},
};

static const struct speech_word words[] = {
    {"bid_face=1", "one"},
    {"bid_face=2", "two"},
    {"bid_face=3", "three"},
    {"bid_face=4", "four"},
    {"bid_face=5", "five"},
    {"bid_face=6", "six"},
    {0},
};

const struct codec_speech liars_dice_speech = {
    .version = 1,
    .legend = "QUANTITY is how many dice, FACE what they show, 1 to 6: bid 3 5 is three fives.\n",
    .phrases = phrases,
    .aliases = aliases,
    .parts = (const uint8_t[]){LIARS_DICE_ROUND_START, 0},
    .part_names = "rounds",
    .describe_choice = describe_choice,
    .events = events,
    .words = words,
    .amount = "QUANTITY and FACE are whole numbers.",
};

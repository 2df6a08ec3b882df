// Liar's Dice: moves in words.
#include "codec/moves.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/rules/liars_dice.h"

static const struct moves_alias aliases[] = {{"liar", "challenge"}, {"call", "challenge"}, {0}};

static bool write_one(struct text *t, const struct codec_table *table, const void *view, struct game_choice c)
{
    int low = c.first.amount, high = c.max_amount;
    (void)table, (void)view;
    if (c.first.kind != LIARS_DICE_BID)
        return false;
    if (low < high)
        codec_write(t, "bid QxF from %dx%d to %dx%d", liars_dice_quantity(low), liars_dice_face(low),
                    liars_dice_quantity(high), liars_dice_face(high));
    else
        codec_write(t, "bid %dx%d", liars_dice_quantity(low), liars_dice_face(low));
    return true;
}

// "3x4", or "3" and "4".
static bool read_bid(const struct moves_said *s, int *quantity, int *face)
{
    char first[MOVES_WORD];
    int words = s->count - s->at;
    if (words < 1)
        return false;
    memcpy(first, s->word[s->at], sizeof first);
    char *x = strchr(first, 'x');
    if (words == 1 && x) {
        *x = 0;
        return moves_number(first, quantity) && moves_number(x + 1, face);
    }
    const char *last = s->word[s->count - 1]; // "3 x 4", "3 of 4"
    bool between = words == 3 && (strcmp(s->word[s->at + 1], "x") == 0 || strcmp(s->word[s->at + 1], "of") == 0);
    return (words == 2 || between) && moves_number(first, quantity) && moves_number(last, face);
}

static bool read(const struct moves_said *s, const struct codec_table *table, const void *view, struct game_action *a,
                 struct text *why)
{
    int quantity = 0, face = 0;
    (void)table, (void)view;
    if (a->kind == LIARS_DICE_CHALLENGE)
        return true;
    bool good = read_bid(s, &quantity, &face);
    if (!good && !a->kind)
        return false;
    if (!good)
        text_puts(why, "bid needs a number of dice and a face, such as \"bid 3x4\"");
    else if (face < 1 || face > LIARS_DICE_FACES)
        text_puts(why, "a face is 1 to 6");
    else if (quantity < 1 || quantity > LIARS_DICE_SEATS * LIARS_DICE_DICE)
        codec_write(why, "nobody has %d dice", quantity);
    else
        *a = (struct game_action){.kind = LIARS_DICE_BID, .amount = liars_dice_rank(quantity, face)};
    return why->size == 0;
}

static void explain(struct text *t, const struct codec_table *table, const void *view, struct game_action a)
{
    const struct liars_dice_view *v = view;
    (void)table;
    if (a.kind == LIARS_DICE_CHALLENGE)
        text_puts(t, "there is no bid to challenge yet");
    else if (liars_dice_quantity(a.amount) > v->total)
        codec_write(t, "only %d dice are in play", v->total);
    else
        codec_write(t, "%dx%d does not beat the current bid %dx%d", liars_dice_quantity(a.amount),
                    liars_dice_face(a.amount), liars_dice_quantity(v->bid), liars_dice_face(v->bid));
}

const struct codec_moves liars_dice_moves = {
    .examples = "\"challenge\", \"bid 3x4\"",
    .aliases = aliases,
    .write_one = write_one,
    .read = read,
    .explain = explain,
};

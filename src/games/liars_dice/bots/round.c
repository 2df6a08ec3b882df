#include "games/liars_dice/bots/round.h"

#include <string.h>

// ---- Hands ----------------------------------------------------------------------------------------------------------

static void add_hand(struct round_hands *h, const int count[ROUND_FACES + 1])
{
    static const float factorial[] = {1, 1, 2, 6, 24, 120};
    int i = h->count++;
    float ways = factorial[h->dice];
    for (int f = 1; f <= ROUND_FACES; f++) {
        ways /= factorial[count[f]];
        h->face[i][f] = (uint8_t)(count[f] + (f > 1 ? count[1] : 0));
    }
    for (int d = 0; d < h->dice; d++)
        ways /= ROUND_FACES;
    h->ones[i] = (uint8_t)count[1];
    h->chance[i] = ways;
}

static void list_from(struct round_hands *h, int face, int left, int count[ROUND_FACES + 1])
{
    if (face == ROUND_FACES) {
        count[face] = left;
        add_hand(h, count);
        return;
    }
    for (count[face] = 0; count[face] <= left; count[face]++)
        list_from(h, face + 1, left - count[face], count);
}

void round_list_hands(struct round_hands *h, int dice)
{
    int count[ROUND_FACES + 1] = {0};
    memset(h, 0, sizeof *h);
    h->dice = dice;
    list_from(h, 1, dice, count);
}

int round_hand_of(const struct round_hands *h, const uint8_t faces[LIARS_DICE_DICE])
{
    uint8_t want[ROUND_FACES + 1] = {0};
    for (int i = 0; i < LIARS_DICE_DICE && faces[i]; i++)
        want[faces[i]]++;
    for (int f = 2; f <= ROUND_FACES; f++)
        want[f] = (uint8_t)(want[f] + want[1]);
    for (int i = 0; i < h->count; i++)
        if (memcmp(h->face[i], want, sizeof want) == 0)
            return i;
    return -1;
}

// ---- Places ---------------------------------------------------------------------------------------------------------

// Bids are digits, the last one lowest; 0 where there was none.
static int digits(int shape)
{
    return round_highest(shape) + 1;
}

int round_stems(int shape)
{
    int n = digits(shape);
    return round_memory(shape) == ROUND_THREE ? n * n : n;
}

int round_places(int shape)
{
    return round_stems(shape) * digits(shape);
}

int round_last(int shape, int place)
{
    return place % digits(shape);
}

int round_stem(int shape, int place)
{
    return place % round_stems(shape);
}

int round_next(int shape, int place, int bid)
{
    return round_stem(shape, place) * digits(shape) + bid;
}

// Bids rise; where nothing was bid, nothing was before it.
static bool is_rising(int before, int last)
{
    return last ? before < last : !before;
}

int round_list(int shape, int stem, int place[ROUND_FEW])
{
    int n = digits(shape), stems = round_stems(shape), count = 0, last = stem % n, before = stem / n;
    if (round_memory(shape) == ROUND_THREE && !is_rising(before, last))
        return 0;
    for (int i = 0; i < round_places(shape) / stems; i++)
        if (is_rising(i, round_memory(shape) == ROUND_THREE ? before : last))
            place[count++] = i * stems + stem;
    return count;
}

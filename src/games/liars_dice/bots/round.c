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

// Bids are digits, the last one lowest; 0 where there was none. Most numbers of an exact round are no place.
static int digits(int shape)
{
    return round_highest(shape) + 1;
}

int round_places(int shape)
{
    int n = digits(shape);
    return round_is_exact(shape) ? n * n * n : ROUND_RELATIONS * n;
}

int round_last(int shape, int place)
{
    return place % digits(shape);
}

int round_next(int shape, int place, int bid)
{
    int n = digits(shape), last = round_last(shape, place);
    if (round_is_exact(shape))
        return place % (n * n) * n + bid;
    return (!last ? 0 : liars_dice_face(last) == liars_dice_face(bid) ? n : 2 * n) + bid;
}

bool round_is_place(int shape, int place)
{
    int n = digits(shape), last = place % n, before = place / n % n, first = place / n / n;
    if (!round_is_exact(shape))
        return last || !place; // a bid before it, though nothing was bid
    return (last > before || !last) && (before > first || !before) && (last || !before) && (before || !first);
}

// ---- Moves ----------------------------------------------------------------------------------------------------------

// The faces that matter to a hand besides the one that was bid: the most, the second most, the fewest.
struct faces {
    int best, second, worst;
};

static struct faces find_faces(const struct round_hands *h, int hand, int bid_face)
{
    const uint8_t *n = h->face[hand];
    struct faces f = {0};
    for (int i = ROUND_FACES; i > 1; i--) { // of equal ones the highest
        if (i == bid_face)
            continue;
        if (!f.best || n[i] > n[f.best])
            f.second = f.best, f.best = i;
        else if (!f.second || n[i] > n[f.second])
            f.second = i;
        if (!f.worst || n[i] < n[f.worst])
            f.worst = i;
    }
    return f;
}

// The lowest bid on the face above the last one, raised by `more`; -1: there are not so many dice.
static int lowest(int shape, int last, int face, int more)
{
    int quantity = liars_dice_quantity(last);
    if (!last || face <= liars_dice_face(last))
        quantity++;
    quantity += more;
    return quantity >= 1 && quantity <= round_dice(shape) ? liars_dice_rank(quantity, face) : -1;
}

static int opening(int shape, const struct round_hands *h, int hand, int face, int more)
{
    int quantity = h->face[hand][face] + (round_dice(shape) - h->dice) / 3 + more;
    quantity = quantity < 1 ? 1 : quantity;
    return quantity <= round_dice(shape) ? liars_dice_rank(quantity, face) : -1;
}

int round_class(int shape, int place, const struct round_hands *h, int hand)
{
    if (round_is_exact(shape))
        return hand;
    int face = liars_dice_face(round_last(shape, place));
    struct faces f = find_faces(h, hand, face);
    int own = face ? h->face[hand][face] : h->face[hand][f.second];
    return ((own * 6 + h->face[hand][f.best]) * 2 + (h->ones[hand] > 0)) * 2 + (f.best > face);
}

int round_moves(int shape, int place, const struct round_hands *h, int hand, int rank[ROUND_MOVES])
{
    int last = round_last(shape, place), face = liars_dice_face(last);
    if (round_is_exact(shape)) {
        int most = round_highest(shape) - last;
        rank[0] = last ? 0 : -1;
        for (int i = 1; i <= most; i++)
            rank[i] = last + i;
        return most + 1;
    }
    struct faces f = find_faces(h, hand, face);
    if (!last) {
        const int r[ROUND_ROLES] = {opening(shape, h, hand, f.best, -2),   opening(shape, h, hand, f.best, -1),
                                    opening(shape, h, hand, f.best, 0),    opening(shape, h, hand, f.best, 1),
                                    opening(shape, h, hand, f.second, -1), opening(shape, h, hand, f.second, 0),
                                    opening(shape, h, hand, f.worst, 0),   opening(shape, h, hand, f.worst, 1)};
        memcpy(rank, r, sizeof r);
        return ROUND_ROLES;
    }
    const int r[ROUND_ROLES] = {0,
                                lowest(shape, last, face, 0),
                                lowest(shape, last, face, 1),
                                lowest(shape, last, f.best, 0),
                                lowest(shape, last, f.best, 1),
                                lowest(shape, last, f.second, 0),
                                lowest(shape, last, f.worst, 0),
                                lowest(shape, last, 1, 0)};
    memcpy(rank, r, sizeof r);
    return ROUND_ROLES;
}

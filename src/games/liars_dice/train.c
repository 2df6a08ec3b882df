#include "games/liars_dice/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN_CLASSES = 6 * 6 * 4 };

// Of the player to act at a place: how many dice it has is the side. Matrices have a row for each hand of the bidder
// and a column for each hand of who acts, so that what a bid adds to the next place is a row of it.
struct place {
    float *reach; // of both hands together
    float *stake; // chance that the bidder wins
    float *regret, *sum;
};

struct train {
    int shape, sides, moves, classes, places, iteration;
    struct round_hands hands[2]; // by side
    int *order;                  // places that can be reached, by the bid that stands
    int order_count;
    struct place *at[2]; // by side, then place
    float *turned, *row; // work space
};

static int other(const struct train *t, int side)
{
    return t->sides == 2 ? !side : 0;
}

static void *take(size_t count, size_t size)
{
    void *at = calloc(count, size);
    if (!at)
        abort();
    return at;
}

// ---- What can be reached --------------------------------------------------------------------------------------------

static void find_places(struct train *t)
{
    bool *seen = take((size_t)t->places, sizeof *seen);
    seen[0] = true;
    int bids = round_highest(t->shape);
    for (int bid = 0; bid <= bids; bid++)
        for (int p = 0; p < t->places; p++) {
            if (!seen[p] || round_last(t->shape, p) != bid)
                continue;
            t->order[t->order_count++] = p;
            for (int side = 0; side < t->sides; side++)
                for (int x = 0; x < t->hands[side].count; x++) {
                    int rank[ROUND_MOVES], n = round_moves(t->shape, p, &t->hands[side], x, rank);
                    for (int i = 0; i < n; i++)
                        if (rank[i] > 0)
                            seen[round_next(t->shape, p, rank[i])] = true;
                }
        }
    free(seen);
}

struct train *train_create(int k, int m)
{
    struct train *t = take(1, sizeof *t);
    t->shape = round_shape(k, m);
    t->sides = k == m ? 1 : 2;
    round_list_hands(&t->hands[0], k);
    round_list_hands(&t->hands[1], m);
    bool exact = round_is_exact(t->shape);
    t->moves = exact ? ROUND_MOVES : ROUND_ROLES;
    t->classes = exact ? ROUND_HANDS : OPEN_CLASSES;
    if (exact)
        t->classes = t->hands[0].count > t->hands[1].count ? t->hands[0].count : t->hands[1].count;
    t->places = round_places(t->shape);
    t->order = take((size_t)t->places, sizeof *t->order);
    find_places(t);
    size_t cells = (size_t)t->hands[0].count * (size_t)t->hands[1].count, entries = (size_t)(t->classes * t->moves);
    for (int side = 0; side < t->sides; side++) {
        t->at[side] = take((size_t)t->places, sizeof *t->at[side]);
        for (int i = 0; i < t->order_count; i++) {
            struct place *p = &t->at[side][t->order[i]];
            p->reach = take(cells, sizeof *p->reach);
            p->stake = take(cells, sizeof *p->stake);
            p->regret = take(entries, sizeof *p->regret);
            p->sum = take(entries, sizeof *p->sum);
        }
    }
    t->turned = take(cells, sizeof *t->turned);
    t->row = take(2 * cells, sizeof *t->row);
    return t;
}

void train_destroy(struct train *t)
{
    for (int side = 0; side < t->sides; side++) {
        for (int i = 0; i < t->order_count; i++) {
            struct place *p = &t->at[side][t->order[i]];
            free(p->reach);
            free(p->stake);
            free(p->regret);
            free(p->sum);
        }
        free(t->at[side]);
    }
    free(t->order);
    free(t->turned);
    free(t->row);
    free(t);
}

// ---- One iteration --------------------------------------------------------------------------------------------------

// Regret matching plus, with a little of every move.
static void strategy_of(const struct train *t, const float *regret, const int *rank, int n, float *p)
{
    float sum = 0, explore = 0.02f / sqrtf((float)t->iteration);
    int legal = 0;
    for (int i = 0; i < n; i++) {
        p[i] = rank[i] < 0 ? 0 : regret[i];
        sum += p[i];
        legal += rank[i] >= 0;
    }
    for (int i = 0; i < n; i++)
        if (rank[i] >= 0)
            p[i] = (1 - explore) * (sum > 0 ? p[i] / sum : 1.0f / (float)legal) + explore / (float)legal;
}

static void turn(float *out, const float *in, int rows, int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            out[c * rows + r] = in[r * columns + c];
}

static void add_scaled(float *to, const float *from, float by, int n)
{
    for (int i = 0; i < n; i++)
        to[i] += by * from[i];
}

static void forward(struct train *t, int side, int place)
{
    const struct round_hands *mine = &t->hands[side], *theirs = &t->hands[t->sides == 2 ? !side : 0];
    struct place *p = &t->at[side][place];
    turn(t->turned, p->reach, theirs->count, mine->count);
    for (int x = 0; x < mine->count; x++) {
        int rank[ROUND_MOVES], n = round_moves(t->shape, place, mine, x, rank);
        float share[ROUND_MOVES];
        strategy_of(t, p->regret + round_class(t->shape, place, mine, x) * t->moves, rank, n, share);
        for (int i = 0; i < n; i++)
            if (rank[i] > 0 && share[i] > 0) {
                struct place *next = &t->at[other(t, side)][round_next(t->shape, place, rank[i])];
                add_scaled(next->reach + x * theirs->count, t->turned + x * theirs->count, share[i], theirs->count);
            }
    }
}

// What a move of hand x brings against each hand of the other: chances to win.
static const float *stakes_of(const struct train *t, int side, int place, int x, int rank, float *row)
{
    const struct round_hands *mine = &t->hands[side], *theirs = &t->hands[t->sides == 2 ? !side : 0];
    if (rank > 0)
        return t->at[other(t, side)][round_next(t->shape, place, rank)].stake + x * theirs->count;
    int bid = round_last(t->shape, place), face = liars_dice_face(bid);
    for (int y = 0; y < theirs->count; y++)
        row[y] = mine->face[x][face] + theirs->face[y][face] < liars_dice_quantity(bid);
    return row;
}

static double dot(const float *a, const float *b, int n)
{
    float sum[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (double)(sum[0] + sum[1]) + (double)(sum[2] + sum[3]);
}

static double total_of(const float *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i];
    return sum;
}

struct gain {
    double weight, by[ROUND_MOVES];
    float share[ROUND_MOVES];
};

static void backward(struct train *t, int side, int place, struct gain *gain)
{
    const struct round_hands *mine = &t->hands[side], *theirs = &t->hands[t->sides == 2 ? !side : 0];
    struct place *p = &t->at[side][place];
    float challenge[ROUND_HANDS];
    turn(t->turned, p->reach, theirs->count, mine->count);
    for (int x = 0; x < mine->count; x++) {
        int rank[ROUND_MOVES], n = round_moves(t->shape, place, mine, x, rank);
        int klass = round_class(t->shape, place, mine, x);
        float share[ROUND_MOVES] = {0}, *mix = t->row + x * theirs->count;
        const float *reach = t->turned + x * theirs->count;
        double value[ROUND_MOVES] = {0}, mean = 0;
        strategy_of(t, p->regret + klass * t->moves, rank, n, share);
        memset(mix, 0, (size_t)theirs->count * sizeof *mix);
        for (int i = 0; i < n; i++) {
            if (rank[i] < 0)
                continue;
            const float *stake = stakes_of(t, side, place, x, rank[i], challenge);
            add_scaled(mix, stake, share[i], theirs->count);
            value[i] = dot(reach, stake, theirs->count);
            mean += (double)share[i] * value[i];
        }
        struct gain *g = &gain[klass];
        g->weight += total_of(reach, theirs->count);
        for (int i = 0; i < n; i++)
            if (rank[i] >= 0)
                g->by[i] += value[i] - mean;
        memcpy(g->share, share, sizeof share);
    }
    turn(p->stake, t->row, mine->count, theirs->count);
    for (int i = 0; i < mine->count * theirs->count; i++)
        p->stake[i] = 1 - p->stake[i];
}

static void learn(struct train *t, struct place *p, const struct gain *gain)
{
    for (int c = 0; c < t->classes; c++) {
        const struct gain *g = &gain[c];
        if (g->weight <= 0)
            continue;
        for (int i = 0; i < t->moves; i++) {
            float *r = &p->regret[c * t->moves + i], more = (float)(g->by[i] / g->weight);
            *r = *r + more > 0 ? *r + more : 0;
            p->sum[c * t->moves + i] += (float)((double)t->iteration * g->weight) * g->share[i];
        }
    }
}

static void clear(struct train *t)
{
    size_t cells = (size_t)t->hands[0].count * (size_t)t->hands[1].count;
    for (int side = 0; side < t->sides; side++) {
        for (int i = 0; i < t->order_count; i++)
            memset(t->at[side][t->order[i]].reach, 0, cells * sizeof(float));
        const struct round_hands *mine = &t->hands[side], *theirs = &t->hands[t->sides == 2 ? !side : 0];
        for (int y = 0; y < theirs->count; y++)
            for (int x = 0; x < mine->count; x++)
                t->at[side][0].reach[y * mine->count + x] = theirs->chance[y] * mine->chance[x];
    }
}

void train_iterate(struct train *t)
{
    struct gain *gain = take((size_t)t->classes, sizeof *gain);
    t->iteration++;
    clear(t);
    for (int i = 0; i < t->order_count; i++)
        for (int side = 0; side < t->sides; side++)
            forward(t, side, t->order[i]);
    for (int i = t->order_count - 1; i >= 0; i--)
        for (int side = 0; side < t->sides; side++) {
            memset(gain, 0, (size_t)t->classes * sizeof *gain);
            backward(t, side, t->order[i], gain);
            learn(t, &t->at[side][t->order[i]], gain);
        }
    free(gain);
}

// ---- What came out --------------------------------------------------------------------------------------------------

double train_value(const struct train *t, int side)
{
    const struct place *p = &t->at[side][0];
    const struct round_hands *mine = &t->hands[side], *theirs = &t->hands[t->sides == 2 ? !side : 0];
    double lost = 0;
    for (int y = 0; y < theirs->count; y++)
        for (int x = 0; x < mine->count; x++)
            lost += (double)p->stake[y * mine->count + x] * (double)(theirs->chance[y] * mine->chance[x]);
    return 1 - lost;
}

bool train_average(const struct train *t, int side, int place, int klass, float p[ROUND_MOVES])
{
    const struct place *at = &t->at[side][place];
    if (!at->sum)
        return false;
    const float *sum = at->sum + klass * t->moves;
    double all = total_of(sum, t->moves);
    for (int i = 0; i < t->moves; i++)
        p[i] = all > 0 ? (float)((double)sum[i] / all) : 0;
    return all > 0;
}

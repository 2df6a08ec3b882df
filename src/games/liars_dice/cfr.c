#include "games/liars_dice/cfr.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Matrices have a row for each hand of the bidder and a column for each hand of the seat to act. What a bid adds to
// the next place is a row of it. Columns are filled up with zeros to whole LANES.
enum { LANES = 8 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

struct place {
    float *reach;        // of both hands together
    float *stake;        // chance that the bidder wins
    float *come;         // of each hand: how likely its own last bid and all before it were
    float *regret, *sum; // [hand][move]
};

// Places with the same next places are walked together, so that the data of those stays in the cache.
struct stem {
    int last, moves, count;
    int place[ROUND_FEW];
    int next[ROUND_MOVES];
};

struct cfr {
    int shape, sides, iteration, stems;
    int highest;                 // bid whose places this iteration learns
    struct round_hands hands[2]; // by side
    int wide[2];                 // hands, filled up
    struct stem *stem;           // by the bid that stands
    struct place *at[2];         // by side, then place
    float *turned, *mixed;       // work space: a matrix for each place of a stem
    float *row;                  // one of a challenge, and one of exploring
};

static int other(const struct cfr *t, int side)
{
    return t->sides == 2 ? !side : 0;
}

static void *allocate(size_t count, size_t size)
{
    void *at = calloc(count, size);
    if (!at)
        abort();
    return at;
}

// ---- Places ---------------------------------------------------------------------------------------------------------

static void list_stems(struct cfr *t)
{
    int stems = round_stems(t->shape), bids = round_highest(t->shape) + 1;
    t->stem = allocate((size_t)stems, sizeof *t->stem);
    for (int last = 0; last < bids; last++)
        for (int number = last; number < stems; number += bids) {
            struct stem *s = &t->stem[t->stems];
            s->last = last;
            s->moves = round_moves(t->shape, last);
            s->count = round_list(t->shape, number, s->place);
            for (int i = 1; i < s->moves; i++)
                s->next[i] = round_next(t->shape, number, last + i);
            t->stems += s->count > 0;
        }
}

static void create_place(struct cfr *t, int side, int place, int moves)
{
    struct place *p = &t->at[side][place];
    size_t cells = (size_t)t->hands[other(t, side)].count * (size_t)t->wide[side];
    size_t entries = (size_t)t->hands[side].count * (size_t)moves;
    p->reach = allocate(cells, sizeof *p->reach);
    p->come = allocate((size_t)t->hands[side].count, sizeof *p->come);
    p->stake = allocate(cells, sizeof *p->stake);
    p->regret = allocate(entries, sizeof *p->regret);
    p->sum = allocate(entries, sizeof *p->sum);
}

struct cfr *cfr_create(int k, int m)
{
    struct cfr *t = allocate(1, sizeof *t);
    t->shape = round_shape(k, m);
    t->sides = k == m ? 1 : 2;
    round_list_hands(&t->hands[0], k);
    round_list_hands(&t->hands[1], m);
    for (int side = 0; side < 2; side++)
        t->wide[side] = (t->hands[side].count + LANES - 1) / LANES * LANES;
    list_stems(t);
    int most = 1; // places of a stem
    for (int side = 0; side < t->sides; side++) {
        t->at[side] = allocate((size_t)round_places(t->shape), sizeof *t->at[side]);
        for (int s = 0; s < t->stems; s++)
            for (int i = 0; i < t->stem[s].count; i++) {
                create_place(t, side, t->stem[s].place[i], t->stem[s].moves);
                most = t->stem[s].count > most ? t->stem[s].count : most;
            }
    }
    size_t matrix = (size_t)t->wide[0] * (size_t)t->wide[1];
    t->turned = allocate((size_t)most * matrix, sizeof *t->turned);
    t->mixed = allocate((size_t)most * matrix, sizeof *t->mixed);
    t->row = allocate(ROUND_HANDS + LANES, sizeof *t->row);
    return t;
}

void cfr_destroy(struct cfr *t)
{
    for (int side = 0; side < t->sides; side++) {
        for (int i = 0; i < round_places(t->shape); i++) {
            struct place *p = &t->at[side][i];
            free(p->reach);
            free(p->come);
            free(p->stake);
            free(p->regret);
            free(p->sum);
        }
        free(t->at[side]);
    }
    free(t->stem);
    free(t->turned);
    free(t->mixed);
    free(t->row);
    free(t);
}

// ---- Rows and matrices ----------------------------------------------------------------------------------------------

// Rows to columns, within one block.
static void turn_block(lanes v[LANES])
{
    lanes w[LANES];
    for (int i = 0; i < LANES; i += 2) {
        w[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        w[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < LANES; i += 4)
        for (int k = i; k < i + 2; k++) {
            v[k] = __builtin_shufflevector(w[k], w[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            v[k + 2] = __builtin_shufflevector(w[k], w[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < LANES / 2; i++) {
        w[i] = __builtin_shufflevector(v[i], v[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        w[i + 4] = __builtin_shufflevector(v[i], v[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    memcpy(v, w, sizeof w);
}

// Rows of `out` are filled up with zeros each time: the work space serves both sides, whose rows differ in length.
static void turn(float *out, int out_wide, const float *in, int in_wide, int rows, int columns)
{
    for (int r = 0; r < rows; r += LANES)
        for (int c = 0; c < columns; c += LANES) {
            lanes v[LANES];
            for (int i = 0; i < LANES; i++)
                v[i] = r + i < rows ? *(const lanes *)(in + (r + i) * in_wide + c) : (lanes){0};
            turn_block(v);
            for (int k = 0; k < LANES && c + k < columns; k++)
                *(lanes *)(out + (c + k) * out_wide + r) = v[k];
        }
}

static void add_scaled(float *to, const float *from, float by, int wide)
{
    for (int i = 0; i < wide; i += LANES)
        *(lanes *)(to + i) += by * *(const lanes *)(from + i);
}

static float sum_of(const lanes *of)
{
    lanes v = *of;
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

static float dot_product(const float *a, const float *b, int wide)
{
    lanes sum = {0};
    for (int i = 0; i < wide; i += LANES)
        sum += *(const lanes *)(a + i) * *(const lanes *)(b + i);
    return sum_of(&sum);
}

// Four at once: each sum waits for itself, not for the others.
static void dot_four(const float *a, const float *const b[4], int wide, float out[4])
{
    lanes sum[4] = {{0}};
    for (int i = 0; i < wide; i += LANES)
        for (int k = 0; k < 4; k++)
            sum[k] += *(const lanes *)(a + i) * *(const lanes *)(b[k] + i);
    for (int k = 0; k < 4; k++)
        out[k] = sum_of(&sum[k]);
}

static float total_of(const float *a, int wide)
{
    lanes sum = {0};
    for (int i = 0; i < wide; i += LANES)
        sum += *(const lanes *)(a + i);
    return sum_of(&sum);
}

// ---- One iteration --------------------------------------------------------------------------------------------------

// Regret matching plus. The challenge of nothing has no regret.
static void strategy_of(const struct stem *s, const float *regret, float *share)
{
    float sum = 0;
    int first = s->last ? 0 : 1;
    for (int i = first; i < s->moves; i++)
        sum += regret[i];
    share[0] = 0;
    for (int i = first; i < s->moves; i++)
        share[i] = sum > 0 ? regret[i] / sum : 1.0f / (float)(s->moves - first);
}

static void turn_reach(struct cfr *t, int side, const struct stem *s)
{
    int mine = t->hands[side].count, theirs = t->hands[other(t, side)].count, wide = t->wide[other(t, side)];
    for (int i = 0; i < s->count; i++)
        turn(t->turned + (size_t)i * (size_t)(mine * wide), wide, t->at[side][s->place[i]].reach, t->wide[side], theirs,
             mine);
}

static float *row_of(float *matrices, int i, int mine, int x, int wide)
{
    return matrices + ((size_t)i * (size_t)mine + (size_t)x) * (size_t)wide;
}

// How likely the bids up to the one that stands are with each hand of the bidder, for the places that follow.
static void add_come(struct cfr *t, int side, const struct stem *s, int moves)
{
    struct place *next = t->at[other(t, side)];
    int theirs = t->hands[other(t, side)].count, wide = t->wide[side];
    for (int y = 0; y < theirs; y++) {
        float sum = 0;
        for (int p = 0; p < s->count; p++)
            sum += total_of(t->at[side][s->place[p]].reach + y * wide, wide);
        for (int i = 1; i < moves; i++)
            next[s->next[i]].come[y] += sum;
    }
}

// A little of every move is tried, so that what follows is known; it is the same for all places of the stem.
static void walk_forward(struct cfr *t, int side, const struct stem *s)
{
    int mine = t->hands[side].count, wide = t->wide[other(t, side)];
    int moves = s->last + s->moves - 1 < t->highest ? s->moves : t->highest - s->last + 1;
    float share[ROUND_MOVES], explore = 0.02f / sqrtf((float)t->iteration);
    struct place *next = t->at[other(t, side)];
    turn_reach(t, side, s);
    add_come(t, side, s, moves);
    for (int x = 0; x < mine; x++) {
        memset(t->row, 0, (size_t)wide * sizeof *t->row);
        for (int p = 0; p < s->count; p++) {
            const float *reach = row_of(t->turned, p, mine, x, wide);
            strategy_of(s, t->at[side][s->place[p]].regret + x * s->moves, share);
            add_scaled(t->row, reach, explore / (float)s->moves, wide);
            for (int i = 1; i < moves; i++)
                if (share[i] > 0)
                    add_scaled(next[s->next[i]].reach + x * wide, reach, (1 - explore) * share[i], wide);
        }
        for (int i = 1; i < moves; i++)
            add_scaled(next[s->next[i]].reach + x * wide, t->row, 1, wide);
    }
}

// What a challenge of hand x brings against each hand of the other.
static void value_challenge(const struct cfr *t, int side, int last, int x, float *row)
{
    const struct round_hands *mine = &t->hands[side], *theirs = &t->hands[other(t, side)];
    int face = liars_dice_face(last), needed = liars_dice_quantity(last) - mine->face[x][face];
    for (int y = 0; y < theirs->count; y++)
        row[y] = theirs->face[y][face] < needed;
}

// What a hand learns at a place: the values of moves against what the other has by now, weighed by how likely the
// other's last bid was after the own one. `mix` gets what the strategy brings against each hand of the other.
struct lesson {
    float *regret, *sum;
    const float *reach, *const *rows;
    float come;
};

static void value_moves(const struct stem *s, const struct lesson *l, int wide, float value[ROUND_MOVES])
{
    int i = 0;
    for (; i + 4 <= s->moves; i += 4)
        dot_four(l->reach, l->rows + i, wide, value + i);
    for (; i < s->moves; i++)
        value[i] = dot_product(l->reach, l->rows[i], wide);
}

static void learn_hand(const struct cfr *t, const struct stem *s, const struct lesson *l, float *mix, int wide)
{
    float share[ROUND_MOVES], value[ROUND_MOVES], mean = 0, come = s->last ? l->come : total_of(l->reach, wide);
    strategy_of(s, l->regret, share);
    memset(mix, 0, (size_t)wide * sizeof *mix);
    for (int i = 0; i < s->moves; i++)
        if (share[i] > 0)
            add_scaled(mix, l->rows[i], share[i], wide);
    if (come <= 0)
        return;
    // With the memory of three bids the average is by the reach of both: 2 v 2 was better for it. There it is linear
    // too: more iterations are better in the game of three bids and worse in the real one, which a flatter average puts
    // off.
    bool three = round_memory(t->shape) == ROUND_THREE, flat = t->shape == round_shape(2, 2);
    float by = 1 / come, part = three ? total_of(l->reach, wide) : come;
    float more = (float)t->iteration * (flat ? 1 : (float)t->iteration) * part;
    value_moves(s, l, wide, value);
    for (int i = s->last ? 0 : 1; i < s->moves; i++) {
        value[i] *= by;
        mean += share[i] * value[i];
    }
    for (int i = s->last ? 0 : 1; i < s->moves; i++) {
        float r = l->regret[i] + value[i] - mean;
        l->regret[i] = r > 0 ? r : 0;
        l->sum[i] += more * share[i];
    }
}

static void walk_backward(struct cfr *t, int side, const struct stem *s)
{
    int mine = t->hands[side].count, theirs = t->hands[other(t, side)].count, wide = t->wide[other(t, side)];
    const float *rows[ROUND_MOVES] = {t->row};
    turn_reach(t, side, s);
    memset(t->row, 0, (size_t)wide * sizeof *t->row);
    for (int x = 0; x < mine; x++) {
        if (s->last)
            value_challenge(t, side, s->last, x, t->row);
        for (int i = 1; i < s->moves; i++)
            rows[i] = t->at[other(t, side)][s->next[i]].stake + x * wide;
        for (int p = 0; p < s->count; p++) {
            struct place *at = &t->at[side][s->place[p]];
            struct lesson l = {at->regret + x * s->moves, at->sum + x * s->moves, row_of(t->turned, p, mine, x, wide),
                               rows, at->come[x]};
            learn_hand(t, s, &l, row_of(t->mixed, p, mine, x, wide), wide);
        }
    }
    for (int p = 0; p < s->count; p++) {
        float *stake = t->at[side][s->place[p]].stake;
        turn(stake, t->wide[side], row_of(t->mixed, p, mine, 0, wide), wide, mine, theirs);
        for (int y = 0; y < theirs; y++)
            for (int x = 0; x < mine; x++)
                stake[y * t->wide[side] + x] = 1 - stake[y * t->wide[side] + x];
    }
}

static void clear_sums(struct cfr *t)
{
    for (int side = 0; side < t->sides; side++) {
        const struct round_hands *mine = &t->hands[side], *theirs = &t->hands[other(t, side)];
        int wide = t->wide[side];
        for (int i = 0; i < round_places(t->shape); i++)
            if (t->at[side][i].reach && round_last(t->shape, i) <= t->highest) {
                memset(t->at[side][i].reach, 0, (size_t)(theirs->count * wide) * sizeof(float));
                memset(t->at[side][i].come, 0, (size_t)mine->count * sizeof(float));
            }
        assert(t->at[side][0].reach); // every round begins there
        for (int y = 0; y < theirs->count; y++)
            for (int x = 0; x < mine->count; x++)
                t->at[side][0].reach[y * wide + x] = theirs->chance[y] * mine->chance[x];
    }
}

// With nine dice and more, half of the places follow a bid on more than 0.7 of them, which is hardly ever made. After
// the first iterations they are learnt in each fourth one, and what they are worth holds until the next.
static int find_highest(const struct cfr *t)
{
    int highest = round_highest(t->shape);
    bool large = highest > 8 * LIARS_DICE_FACES;
    return large && t->iteration > 40 && t->iteration % 4 != 1 ? highest * 7 / 10 : highest;
}

void cfr_iterate(struct cfr *t)
{
    int stems = 0;
    t->iteration++;
    t->highest = find_highest(t);
    while (stems < t->stems && t->stem[stems].last <= t->highest)
        stems++;
    clear_sums(t);
    for (int i = 0; i < stems; i++)
        for (int side = 0; side < t->sides; side++)
            walk_forward(t, side, &t->stem[i]);
    for (int i = stems - 1; i >= 0; i--)
        for (int side = 0; side < t->sides; side++)
            walk_backward(t, side, &t->stem[i]);
}

// ---- What came out --------------------------------------------------------------------------------------------------

double cfr_value(const struct cfr *t, int side)
{
    const struct place *p = &t->at[side][0];
    const struct round_hands *mine = &t->hands[side], *theirs = &t->hands[other(t, side)];
    double lost = 0;
    for (int y = 0; y < theirs->count; y++)
        for (int x = 0; x < mine->count; x++)
            lost += (double)p->stake[y * t->wide[side] + x] * (double)(theirs->chance[y] * mine->chance[x]);
    return 1 - lost;
}

bool cfr_average(const struct cfr *t, int side, int place, int hand, float p[ROUND_MOVES])
{
    const struct place *at = &t->at[side][place];
    int moves = round_moves(t->shape, round_last(t->shape, place));
    double all = 0;
    for (int i = 0; at->sum && i < moves; i++)
        all += (double)at->sum[hand * moves + i];
    for (int i = 0; i < moves; i++)
        p[i] = at->sum && all > 0 ? (float)((double)at->sum[hand * moves + i] / all) : 0;
    return all > 0;
}

#include "games/liars_dice/cfr_br.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTS = LIARS_DICE_DICE + 2, DEPTH = LIARS_DICE_FACES * 2 * LIARS_DICE_DICE + 1 };

static const float inertia = 100;               // passes after which what is learnt counts as much as the table
static const float smallest = 0.02f;            // places that the response comes to less often learn more slowly
static const double often = 1e-3;               // points of a round that are reached so often get the whole response,
static const double seldom = 2e-5;              // those below challenge at once; between them it looks less far
static const double worth_a_look = 0.01;        // N5.6: replies that are likelier are looked behind
static const float least_weight = 1e-5f;        // of a hand beside the likeliest one
enum { CHALLENGE_ONLY, LOOK_ONCE, LOOK_TWICE }; // how many own bids the response weighs, one after the other

struct move {
    float share;
    uint8_t number, face;
};

// Hands of the strategy at a point of the round, and how likely each is.
struct range {
    int count;
    uint8_t hand[ROUND_HANDS];
    float weight[ROUND_HANDS];
    double sum;
};

// Hands of the response that have played alike.
struct group {
    int count;
    uint8_t hand[ROUND_HANDS];
};

// What the strategy does at a place: its range by move, and what each move wins with each hand.
struct fork {
    struct range range[ROUND_MOVES];
    float won[ROUND_MOVES][ROUND_HANDS];
};

struct cfr_br {
    int shape;
    struct round_hands mine, theirs; // mine: of the strategy
    int *first;                      // [place][hand], and one more: its moves in the lists that follow
    bool *listed;                    // [place][hand]
    struct move *move;
    float *regret, *sum, *gain;
    float *come; // [place]: how often the response came there in this pass
    float *part; // [place][hand]: the same times how likely the own bids were
    int pass;
    double won[2];
    struct fork *fork;   // by depth
    struct range *ahead; // by move, of a look ahead
};

static void *allocate(size_t count, size_t size)
{
    void *at = calloc(count, size);
    if (!at)
        abort();
    return at;
}

static const int *moves_of(const struct cfr_br *r, int place, int hand)
{
    return &r->first[place * r->mine.count + hand];
}

// ---- The table ------------------------------------------------------------------------------------------------------

static int add_moves(struct cfr_br *r, int at, int last, const struct table_mix *mix)
{
    for (int i = 0; i < mix->count; i++) {
        int number = mix->rank[i] ? mix->rank[i] - last : 0;
        r->move[at] = (struct move){mix->share[i], (uint8_t)number, (uint8_t)liars_dice_face(last + number)};
        r->regret[at++] = inertia * mix->share[i];
    }
    return at;
}

// Moves of a place are needed in the order of places, blocks are by stem: first all mixes, then the lists.
static void read_table(struct cfr_br *r, const struct dice_table *t)
{
    int hands = r->mine.count, places = round_places(r->shape), at = 0;
    struct table_mix *mix = allocate((size_t)places * (size_t)hands, sizeof *mix);
    struct table_entry *entry = allocate((size_t)hands * ROUND_FEW, sizeof *entry);
    size_t count = 0;
    for (int stem = 0; stem < round_stems(r->shape); stem++) {
        int place[ROUND_FEW], few = round_list(r->shape, stem, place);
        dice_table_read(t, &r->mine, r->theirs.dice, stem, entry);
        for (int i = 0; i < few * hands; i++) {
            int hand = i / few, from = i % few, here = place[from] * hands + hand;
            r->listed[here] = entry[i].known;
            for (int k = few - 1; k >= 0 && !entry[hand * few + from].known; k--)
                from = entry[hand * few + k].known ? k : from;
            dice_table_mix(&r->mine, r->theirs.dice, round_last(r->shape, stem), hand, &entry[hand * few + from],
                           &mix[here]);
            count += (size_t)mix[here].count;
        }
    }
    r->move = allocate(count + 1, sizeof *r->move);
    r->regret = allocate(count + 1, sizeof *r->regret);
    r->sum = allocate(count + 1, sizeof *r->sum);
    r->gain = allocate(count + 1, sizeof *r->gain);
    for (int i = 0; i < places * hands; i++) {
        r->first[i] = at;
        at = add_moves(r, at, round_last(r->shape, i / hands), &mix[i]);
    }
    r->first[places * hands] = at;
    free(mix);
    free(entry);
}

struct cfr_br *cfr_br_create(const struct dice_table *t, int own, int other)
{
    struct cfr_br *r = allocate(1, sizeof *r);
    r->shape = round_shape(own, other);
    round_list_hands(&r->mine, own);
    round_list_hands(&r->theirs, other);
    size_t entries = (size_t)round_places(r->shape) * (size_t)r->mine.count;
    r->first = allocate(entries + 1, sizeof *r->first);
    r->listed = allocate(entries, sizeof *r->listed);
    r->part = allocate(entries, sizeof *r->part);
    r->come = allocate((size_t)round_places(r->shape), sizeof *r->come);
    r->fork = allocate(DEPTH, sizeof *r->fork);
    r->ahead = allocate(ROUND_MOVES, sizeof *r->ahead);
    read_table(r, t);
    return r;
}

void cfr_br_destroy(struct cfr_br *r)
{
    free(r->first);
    free(r->listed);
    free(r->part);
    free(r->come);
    free(r->fork);
    free(r->ahead);
    free(r->move);
    free(r->regret);
    free(r->sum);
    free(r->gain);
    free(r);
}

// ---- The response ---------------------------------------------------------------------------------------------------

// below[c]: of hands in which fewer than c dice count.
static void add_up(const double count[COUNTS], double below[COUNTS + 1])
{
    below[0] = 0;
    for (int c = 0; c < COUNTS; c++)
        below[c + 1] = below[c] + count[c];
}

// The chance that a bid fails of which `own` dice are known to count.
static double fails(const double below[COUNTS + 1], int bid, int own)
{
    int needed = liars_dice_quantity(bid) - own;
    return needed <= 0 ? 0 : below[needed < COUNTS ? needed : COUNTS];
}

static void value_challenge(const struct cfr_br *r, int bid, const struct range *w, const struct group *g, double *out)
{
    double count[COUNTS] = {0}, below[COUNTS + 1];
    int face = liars_dice_face(bid);
    for (int i = 0; i < w->count; i++)
        count[r->mine.face[w->hand[i]][face]] += (double)w->weight[i];
    add_up(count, below);
    for (int i = 0; i < g->count; i++)
        out[i] = fails(below, bid, r->theirs.face[g->hand[i]][face]);
}

// A bid, after which every reply is challenged: by the face of the reply, and how many dice count for it.
static void value_last_bid(const struct cfr_br *r, int place, int bid, const struct range *w, const struct group *g,
                           double *out)
{
    int moves = round_moves(r->shape, bid);
    double count[ROUND_MOVES][COUNTS], below[COUNTS + 1], value[ROUND_FACES + 1][COUNTS] = {{0}};
    memset(count, 0, (size_t)moves * sizeof *count);
    for (int i = 0; i < w->count; i++) {
        const uint8_t *face = r->mine.face[w->hand[i]];
        const int *at = moves_of(r, place, w->hand[i]);
        for (const struct move *m = r->move + at[0]; m < r->move + at[1]; m++)
            count[m->number][face[m->face]] += (double)(w->weight[i] * m->share);
    }
    for (int i = 0; i < moves; i++) {
        add_up(count[i], below);
        for (int own = 0; own <= LIARS_DICE_DICE && below[COUNTS] > 0; own++) {
            double lost = fails(below, bid + i, own);
            value[liars_dice_face(bid + i)][own] += i ? lost : below[COUNTS] - lost;
        }
    }
    for (int i = 0; i < g->count; i++) {
        const uint8_t *face = r->theirs.face[g->hand[i]];
        out[i] = 0;
        for (int f = 1; f <= ROUND_FACES; f++)
            out[i] += value[f][face[f]];
    }
}

// What is left of the range after each move.
static void split(const struct cfr_br *r, int place, int moves, const struct range *w, struct range *out)
{
    for (int i = 0; i < moves; i++)
        out[i].count = 0, out[i].sum = 0;
    for (int i = 0; i < w->count; i++) {
        const int *at = moves_of(r, place, w->hand[i]);
        for (const struct move *m = r->move + at[0]; m < r->move + at[1]; m++) {
            struct range *to = &out[m->number];
            float weight = w->weight[i] * m->share;
            if (weight <= 0)
                continue;
            to->hand[to->count] = w->hand[i];
            to->weight[to->count++] = weight;
            to->sum += (double)weight;
        }
    }
}

static void value_bid(const struct cfr_br *r, int place, int bid, const struct range *w, const struct group *g,
                      double *out);

// The best of a challenge and the next bids, for each hand of the group; `place` is where the bid that stands led to.
static void find_best(const struct cfr_br *r, int place, int last, const struct range *w, const struct group *g,
                      int looks, double *best, int *rank)
{
    int most = looks == CHALLENGE_ONLY ? last : last + round_moves(r->shape, last) - 1;
    double value[ROUND_HANDS];
    for (int i = 0; i < g->count; i++)
        best[i] = -1, rank[i] = 0;
    if (last)
        value_challenge(r, last, w, g, best);
    for (int bid = last + 1; bid <= most; bid++) {
        (looks == LOOK_TWICE ? value_bid : value_last_bid)(r, round_next(r->shape, place, bid), bid, w, g, value);
        for (int i = 0; i < g->count; i++)
            if (value[i] > best[i])
                best[i] = value[i], rank[i] = bid;
    }
}

// A bid, the reply of the strategy, and the best of a challenge and one more bid.
static void value_bid(const struct cfr_br *r, int place, int bid, const struct range *w, const struct group *g,
                      double *out)
{
    int moves = round_moves(r->shape, bid), rank[ROUND_HANDS];
    struct range *left = r->ahead;
    double value[ROUND_HANDS];
    split(r, place, moves, w, left);
    value_challenge(r, bid, &left[0], g, value);
    for (int i = 0; i < g->count; i++)
        out[i] = left[0].sum - value[i];
    for (int m = 1; m < moves; m++) {
        if (!left[m].count)
            continue;
        find_best(r, round_next(r->shape, place, bid + m), bid + m, &left[m], g,
                  left[m].sum > worth_a_look ? LOOK_ONCE : CHALLENGE_ONLY, value, rank);
        for (int i = 0; i < g->count; i++)
            out[i] += value[i];
    }
}

// ---- One pass -------------------------------------------------------------------------------------------------------

// A point of the round: the bid that stands, the place of the strategy, its range there and how likely that is.
struct point {
    int place, bid, depth;
    const struct range *range;
    double reach;
};

static double chance_of(const struct cfr_br *r, const struct group *g)
{
    double sum = 0;
    for (int i = 0; i < g->count; i++)
        sum += (double)r->theirs.chance[g->hand[i]];
    return sum;
}

// For each hand of the strategy, how likely a bid fails against the group.
static void fail_by_hand(const struct cfr_br *r, int bid, const struct group *g, float *out)
{
    double count[COUNTS] = {0}, below[COUNTS + 1];
    int face = liars_dice_face(bid);
    for (int i = 0; i < g->count; i++)
        count[r->theirs.face[g->hand[i]][face]] += (double)r->theirs.chance[g->hand[i]];
    add_up(count, below);
    for (int y = 0; y < r->mine.count; y++)
        out[y] = (float)fails(below, bid, r->mine.face[y][face]);
}

static void walk_response(struct cfr_br *r, struct point at, const struct group *g, float *won);

static void make_whole(struct range *w)
{
    float most = 0;
    int kept = 0;
    for (int i = 0; i < w->count; i++)
        most = w->weight[i] > most ? w->weight[i] : most;
    for (int i = 0; i < w->count; i++)
        if (w->weight[i] > least_weight * most) {
            w->hand[kept] = w->hand[i];
            w->weight[kept++] = w->weight[i] / (float)w->sum;
        }
    w->count = kept;
}

// What each move won here is added to what it gained at its place.
static void note_gains(struct cfr_br *r, struct point at, const struct fork *f, double chance, const float *won)
{
    for (int y = 0; y < r->mine.count; y++) {
        const int *moves = moves_of(r, at.place, y);
        for (int i = moves[0]; i < moves[1]; i++) {
            int number = r->move[i].number;
            r->gain[i] += !number || f->range[number].count ? f->won[number][y] : won[y];
        }
    }
    for (int i = 0; i < at.range->count; i++) {
        int y = at.range->hand[i];
        r->part[at.place * r->mine.count + y] += (float)(chance * at.reach) * at.range->weight[i] / r->mine.chance[y];
    }
    r->come[at.place] += (float)chance;
}

// The strategy moves. won: by hand, what it wins, times the chance of the group.
static void walk_strategy(struct cfr_br *r, struct point at, const struct group *g, float *won)
{
    struct fork *f = &r->fork[at.depth];
    int moves = round_moves(r->shape, at.bid);
    split(r, at.place, moves, at.range, f->range);
    if (at.bid)
        fail_by_hand(r, at.bid, g, f->won[0]);
    for (int m = 1; m < moves; m++) {
        struct range *w = &f->range[m];
        if (!w->count)
            continue;
        struct point next = {round_next(r->shape, at.place, at.bid + m), at.bid + m, at.depth + 1, w,
                             at.reach * w->sum};
        make_whole(w);
        walk_response(r, next, g, f->won[m]);
    }
    memset(won, 0, (size_t)r->mine.count * sizeof *won);
    for (int y = 0; y < r->mine.count; y++) {
        const int *list = moves_of(r, at.place, y);
        for (const struct move *m = r->move + list[0]; m < r->move + list[1]; m++)
            if (!m->number || f->range[m->number].count)
                won[y] += m->share * f->won[m->number][y];
    }
    note_gains(r, at, f, chance_of(r, g), won);
}

static struct group those_with(const struct group *g, const int *rank, int bid)
{
    struct group some;
    some.count = 0;
    for (int i = 0; i < g->count; i++)
        if (rank[i] == bid)
            some.hand[some.count++] = g->hand[i];
    return some;
}

// The response moves: each hand of the group as is best for it.
static void walk_response(struct cfr_br *r, struct point at, const struct group *g, float *won)
{
    double mass = at.reach * chance_of(r, g), best[ROUND_HANDS];
    int rank[ROUND_HANDS], looks = mass >= often ? LOOK_TWICE : mass >= seldom ? LOOK_ONCE : CHALLENGE_ONLY;
    float more[ROUND_HANDS];
    find_best(r, at.place, at.bid, at.range, g, looks, best, rank);
    memset(won, 0, (size_t)r->mine.count * sizeof *won);
    struct group some = those_with(g, rank, 0);
    if (some.count) {
        float all = (float)chance_of(r, &some);
        fail_by_hand(r, at.bid, &some, more);
        for (int y = 0; y < r->mine.count; y++)
            won[y] += all - more[y];
    }
    for (int bid = at.bid + 1; bid < at.bid + round_moves(r->shape, at.bid); bid++) {
        struct point next = {round_next(r->shape, at.place, bid), bid, at.depth + 1, at.range, at.reach};
        some = those_with(g, rank, bid);
        if (!some.count)
            continue;
        walk_strategy(r, next, &some, more);
        for (int y = 0; y < r->mine.count; y++)
            won[y] += more[y];
    }
}

// Regret matching plus. The average counts later passes more, and by how likely the own bids were.
static void learn_hand(struct cfr_br *r, int place, int hand)
{
    const int *at = moves_of(r, place, hand);
    float mean = 0, all = 0, by = 1 / (r->come[place] + smallest);
    float weight = (float)r->pass * r->part[place * r->mine.count + hand];
    for (int i = at[0]; i < at[1]; i++) {
        mean += r->move[i].share * r->gain[i];
        r->sum[i] += weight * r->move[i].share;
    }
    for (int i = at[0]; i < at[1]; i++) {
        float regret = r->regret[i] + (r->gain[i] - mean) * by;
        all += r->regret[i] = regret > 0 ? regret : 0;
    }
    for (int i = at[0]; i < at[1] && all > 0; i++)
        r->move[i].share = r->regret[i] / all;
}

static double lost_by(const struct cfr_br *r, const float *won)
{
    double sum = 1;
    for (int y = 0; y < r->mine.count; y++)
        sum -= (double)(won[y] * r->mine.chance[y]);
    return sum;
}

void cfr_br_pass(struct cfr_br *r)
{
    int hands = r->mine.count, places = round_places(r->shape);
    struct range all = {.count = hands, .sum = 1};
    struct group every = {.count = r->theirs.count};
    float won[ROUND_HANDS];
    for (int i = 0; i < hands; i++)
        all.hand[i] = (uint8_t)i, all.weight[i] = r->mine.chance[i];
    for (int i = 0; i < every.count; i++)
        every.hand[i] = (uint8_t)i;
    r->pass++;
    memset(r->gain, 0, (size_t)r->first[places * hands] * sizeof *r->gain);
    memset(r->part, 0, (size_t)(places * hands) * sizeof *r->part);
    memset(r->come, 0, (size_t)places * sizeof *r->come);
    walk_strategy(r, (struct point){.range = &all, .reach = 1}, &every, won);
    r->won[0] = lost_by(r, won);
    walk_response(r, (struct point){.range = &all, .reach = 1}, &every, won);
    r->won[1] = lost_by(r, won);
    for (int place = 0; place < places; place++)
        for (int hand = 0; hand < hands && r->come[place] > 0; hand++)
            learn_hand(r, place, hand);
}

double cfr_br_won(const struct cfr_br *r, bool opens)
{
    return r->won[opens];
}

bool cfr_br_average(const struct cfr_br *r, int place, int hand, float p[ROUND_MOVES])
{
    const int *at = moves_of(r, place, hand);
    float all = 0;
    memset(p, 0, ROUND_MOVES * sizeof *p);
    for (int i = at[0]; i < at[1]; i++)
        all += r->sum[i];
    for (int i = at[0]; i < at[1]; i++) // what the own bids never led to is as it was
        p[r->move[i].number] = all > 0 ? r->sum[i] / all : r->move[i].share;
    return r->listed[place * r->mine.count + hand];
}

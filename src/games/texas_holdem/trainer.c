#include "games/texas_holdem/trainer.h"

#include "base/rng.h"
#include "games/texas_holdem/bots/blueprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct trainer *trainer_create(int depth, uint64_t seed, const struct training_deals *deals,
                               const struct push_fold_odds *odds)
{
    struct trainer *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->depth = depth;
    t->seed = seed;
    t->deals = deals;
    t->odds = odds;
    betting_plant(&t->tree, depth);
    t->sum = calloc(t->tree.slots, sizeof *t->sum);
    for (int i = 0; i < 2; i++)
        t->regret[i] = calloc(t->tree.slots, sizeof *t->regret[i]);
    if (!t->regret[0] || !t->regret[1] || !t->sum)
        abort();
    return t;
}

void trainer_destroy(struct trainer *t)
{
    free(t->regret[0]);
    free(t->regret[1]);
    free(t->sum);
    free(t);
}

// ---- An iteration ---------------------------------------------------------------------------------------------------

enum { PLAYER, ADVERSARY };

// Somebody who goes by the own hand alone.
struct habit {
    float raises, calls; // equity from which it raises, and beyond the price with which it calls
    float anything;      // chance to raise with any hand
    int size;            // of raises: 0 the smallest, 1 the next, 2 all-in
};

struct walk {
    struct trainer *train;
    const struct training_deal *deal;
    struct rng_draw draw;
    int role;                  // who learns
    int learner;               // PLAYER or ADVERSARY
    const struct habit *habit; // of the other; NULL: the other is the one who does not learn
    bool average;              // both play the average strategy, without learning
};

// Regret matching, or the average: shares that sum to 1.
static void shares_of(const float *from, int count, float *out)
{
    float sum = 0;
    for (int i = 0; i < count; i++) {
        out[i] = from[i] > 0 ? from[i] : 0;
        sum += out[i];
    }
    for (int i = 0; i < count; i++)
        out[i] = sum > 0 ? out[i] / sum : 1.0f / (float)count;
}

static float chance(struct walk *w)
{
    return (float)(rng_draw_u32(&w->draw) >> 8) / (1 << 24);
}

static int draw_move(struct walk *w, const float *share, int count)
{
    float at = chance(w);
    int i = 0;
    while (i < count - 1 && at >= share[i])
        at -= share[i++];
    return i;
}

static float visit(struct walk *w, unsigned at);

// What the learner wins by a move, in big blinds.
static float value_of_move(struct walk *w, const struct betting_node *n, int i)
{
    if (n->next[i] == BETTING_GIVEN_UP)
        return (n->role == w->role ? -(float)n->put[w->role] : (float)n->put[!w->role]) / BETTING_BLIND;
    if (n->next[i] == BETTING_SHOWN) {
        const uint8_t *class = w->deal->bucket[0];
        float won = n->street ? (float)w->deal->result : 2 * w->train->odds->equity[class[0]][class[1]] - 1;
        return (w->role ? -won : won) * n->total[i] / BETTING_BLIND;
    }
    return visit(w, n->next[i]);
}

static float learn_at_node(struct walk *w, const struct betting_node *n, float *regret, const float *share)
{
    float value[BETTING_MOVES], mean = 0;
    for (int i = 0; i < n->moves; i++) {
        value[i] = value_of_move(w, n, i);
        mean += share[i] * value[i];
    }
    for (int i = 0; i < n->moves; i++)
        regret[i] += value[i] - mean;
    return mean;
}

static float between(struct walk *w, float low, float high)
{
    return low + (high - low) * chance(w);
}

// Of ten, five go by pot odds, two bet what they have, and one each calls, moves in with good hands, raises always.
static struct habit draw_habit(struct walk *w)
{
    uint32_t kind = rng_draw_below(&w->draw, 10);
    int size = (int)rng_draw_below(&w->draw, 2);
    if (kind < 5)
        return (struct habit){between(w, 0.6f, 0.88f), between(w, -0.02f, 0.08f), kind < 2 ? between(w, 0, 0.2f) : 0,
                              size};
    if (kind < 7)
        return (struct habit){0.6f, between(w, -0.2f, 0), between(w, 0.4f, 1), size};
    if (kind == 7)
        return (struct habit){2, -2, 0, 0};
    if (kind == 8)
        return (struct habit){between(w, 0.54f, 0.68f), 2, 0, 2};
    return (struct habit){-1, -2, 0, 2 * size};
}

static int habit_move(struct walk *w, const struct betting_node *n)
{
    float equity = (float)w->deal->equity[n->street][n->role] / 255;
    float price = (float)(n->put[!n->role] - n->put[n->role]) / (float)(2 * n->put[!n->role]);
    int call = n->move[0] == BETTING_FOLD, raises = n->moves - call - 1;
    if (raises > 0 && (equity > w->habit->raises || (w->habit->anything > 0 && chance(w) < w->habit->anything)))
        return call + (w->habit->size == 2 ? raises : w->habit->size && raises > 2 ? 2 : 1);
    return call && equity <= price + w->habit->calls ? 0 : call;
}

static float visit(struct walk *w, unsigned at)
{
    const struct betting_node *n = &w->train->tree.node[at];
    float share[BETTING_MOVES];
    bool learns = n->role == w->role && !w->average;
    if (!learns && w->habit)
        return value_of_move(w, n, habit_move(w, n));
    size_t slot = n->slot + (size_t)w->deal->bucket[n->street][n->role] * n->moves;
    float *regret = w->train->regret[learns ? w->learner : !w->learner] + slot, *sum = w->train->sum + slot;
    shares_of(w->average ? sum : regret, n->moves, share);
    if (learns)
        return learn_at_node(w, n, regret, share);
    for (int i = 0; i < n->moves && !w->average && w->learner == ADVERSARY; i++)
        sum[i] += share[i];
    return value_of_move(w, n, draw_move(w, share, n->moves));
}

static struct rng stream_of(const struct trainer *t, uint32_t kind, uint64_t number)
{
    struct rng root = {.key = {(uint32_t)t->seed, (uint32_t)(t->seed >> 32), 0x7472616E, kind, (uint32_t)t->depth}};
    return rng_section(&root, (uint32_t)number);
}

// Iteration t counts as t: after every epoch all that came before is made smaller.
static void fade(struct trainer *t, uint64_t epoch)
{
    float keep = (float)epoch / (float)(epoch + 1);
    for (uint32_t i = 0; i < t->tree.slots; i++) {
        t->regret[PLAYER][i] *= keep;
        t->regret[ADVERSARY][i] *= keep;
        t->sum[i] *= keep;
    }
}

void trainer_block(struct trainer *t)
{
    struct rng from = stream_of(t, 0, t->blocks);
    struct walk w = {.train = t};
    rng_begin(&w.draw, &from);
    for (uint64_t i = 0; i < TRAINER_BLOCK; i++) {
        w.deal = training_deals_get(t->deals, t->blocks * TRAINER_BLOCK + i);
        for (w.role = 0; w.role < 2; w.role++) {
            struct habit habit = draw_habit(&w);
            w.learner = PLAYER;
            w.habit = rng_draw_below(&w.draw, 100) < TRAINER_HABITS ? &habit : NULL;
            visit(&w, BETTING_ROOT);
            w.learner = ADVERSARY;
            w.habit = NULL;
            visit(&w, BETTING_ROOT);
        }
    }
    t->blocks++;
    if (t->blocks % TRAINER_EPOCH == 0)
        fade(t, t->blocks / TRAINER_EPOCH);
}

double trainer_value(const struct trainer *t, uint64_t blocks)
{
    struct rng from = stream_of(t, 1, t->blocks);
    struct walk w = {.train = (struct trainer *)t, .average = true}; // nothing is written
    double sum = 0;
    rng_begin(&w.draw, &from);
    for (uint64_t i = 0; i < blocks * TRAINER_BLOCK; i++) {
        w.deal = training_deals_get(t->deals, i);
        sum += (double)visit(&w, BETTING_ROOT);
    }
    return sum / (double)(blocks * TRAINER_BLOCK);
}

// ---- Bytes ----------------------------------------------------------------------------------------------------------

void trainer_save(const struct trainer *t, struct text *out)
{
    text_put(out, (struct span){(const char *)&t->blocks, sizeof t->blocks});
    for (int i = 0; i < 2; i++)
        text_put(out, (struct span){(const char *)t->regret[i], t->tree.slots * sizeof *t->regret[i]});
    text_put(out, (struct span){(const char *)t->sum, t->tree.slots * sizeof *t->sum});
}

bool trainer_load(struct trainer *t, struct span bytes)
{
    size_t size = t->tree.slots * sizeof *t->sum;
    if (bytes.size != sizeof t->blocks + 3 * size)
        return false;
    memcpy(&t->blocks, bytes.at, sizeof t->blocks);
    memcpy(t->regret[0], bytes.at + sizeof t->blocks, size);
    memcpy(t->regret[1], bytes.at + sizeof t->blocks + size, size);
    memcpy(t->sum, bytes.at + sizeof t->blocks + 2 * size, size);
    return true;
}

// Shares in fifteenths; rare moves have none. All are zero at nodes that training never reached.
static void round_shares(const float *sum, int count, uint8_t *out)
{
    float share[BETTING_MOVES], all = 0;
    for (int i = 0; i < count; i++)
        all += sum[i];
    shares_of(sum, count, share);
    for (int i = 0; i < count; i++)
        out[i] = all > 0 ? (uint8_t)lroundf(share[i] * 15) : 0;
}

void trainer_pack(const struct trainer *t, struct text *out)
{
    uint8_t *part = calloc(t->tree.slots, 1);
    if (!part)
        abort();
    for (uint32_t i = 0; i < t->tree.nodes; i++) {
        const struct betting_node *n = &t->tree.node[i];
        for (int b = 0; b < bucket_count(n->street); b++) {
            uint32_t slot = n->slot + (uint32_t)(b * n->moves);
            round_shares(t->sum + slot, n->moves, part + slot);
        }
    }
    blueprint_pack(&t->tree, part, out);
    free(part);
}

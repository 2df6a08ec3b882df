#include "games/liars_dice/best_response.h"

#include "bots/minds.h"
#include "games/liars_dice/bots/bots.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    KINDS = LIARS_DICE_FACES * 2 * LIARS_DICE_DICE + 1,
    BUCKETS = 1 << 14,
    MOST_CACHED = 40000,
    AHEAD = 18,
    OPEN = 36
};
#define NOTHING 1e-9 // reach below this is cut, and added to the answer's

// The bot's answers at one point of a round, by hand: rank and share.
struct reply {
    uint8_t rank;
    float share;
};

struct asked {
    struct asked *next;
    uint32_t key;
    uint16_t first[ROUND_HANDS + 1]; // of the replies of a hand
    struct reply reply[];
};

struct best_response_cache {
    struct asked *bucket[BUCKETS];
    int count;
    _Alignas(8) uint8_t mind[BOT_MAX_MIND];
    uint8_t *scratch; // aligned to 64
};

struct path { // the bids of a round
    int count;
    uint8_t bid[KINDS];
};

// ---- Asking ---------------------------------------------------------------------------------------------------------

static uint32_t key_of(int own, int other, const struct path *p)
{
    uint32_t key = (uint32_t)(own * 6 + other);
    for (int i = 0; i < BEST_RESPONSE_MEMORY; i++)
        key = key << 6 | (p->count > i ? p->bid[p->count - 1 - i] : 0);
    return key * 2 + (uint32_t)(p->count & 1);
}

// The bot has seat 0; who bids last before it is seat 1.
static void set_view(struct liars_dice_view *v, const struct best_response *a, int own, int other, const struct path *p,
                     int hand)
{
    const struct round_hands *h = &a->hands[own];
    int n = 0;
    *v = (struct liars_dice_view){.seats = 2,
                                  .round = 1,
                                  .total = (uint8_t)(own + other),
                                  .bid = p->count ? p->bid[p->count - 1] : 0,
                                  .bidder = p->count ? 1 : LIARS_DICE_NOBODY,
                                  .wild_ones = 1,
                                  .winner = LIARS_DICE_NOBODY,
                                  .dice_counts = {(uint8_t)own, (uint8_t)other},
                                  .starting_dice = {LIARS_DICE_DICE, LIARS_DICE_DICE}};
    for (int f = 1; f <= LIARS_DICE_FACES; f++)
        for (int k = h->face[hand][f] - (f > 1 ? h->ones[hand] : 0); k > 0; k--)
            v->dice[n++] = (uint8_t)f;
}

static void feed(struct best_response *a, struct liars_dice_view *v, const struct path *p)
{
    struct liars_dice_rules rules;
    const struct bot *bot = a->bot;
    liars_dice_game.defaults(&rules);
    mind_begin(bot, a->cache->mind, &liars_dice_game, &rules, 0, 2);
    for (int i = 0; i <= p->count; i++) {
        struct liars_dice_view then = *v;
        struct game_event e = {.kind = LIARS_DICE_BADE, .to = EVERYONE};
        then.bid = i ? p->bid[i - 1] : 0;
        then.bidder = (uint8_t)(i ? (p->count - i) & 1 ? 0 : 1 : LIARS_DICE_NOBODY);
        e.amount = then.bid;
        e.seat = then.bidder;
        bot->observe(a->cache->mind, &(struct bot_news){&liars_dice_game, 0, 2, i ? &e : NULL, i ? 1 : 0, 0, &then});
    }
}

// Bots that tell what their answers depend on are asked once for all paths that are alike to them.
static uint32_t find_key(struct best_response *a, int own, int other, const struct path *p)
{
    struct liars_dice_view v;
    struct bot_ask q = {.bot = a->bot, .game = &liars_dice_game, .view = &v, .seats = 2, .mind = a->cache->mind};
    if (!a->bot->place)
        return key_of(own, other, p);
    set_view(&v, a, own, other, p, 0);
    feed(a, &v, p);
    return (uint32_t)(own * 6 + other) << 20 | a->bot->place(&q);
}

static int ask_bot(struct best_response *a, int own, int other, const struct path *p, int hand, struct reply *out)
{
    struct liars_dice_view v;
    struct game_choice list[2];
    int n = 0, most = LIARS_DICE_FACES * (own + other), count = 0;
    set_view(&v, a, own, other, p, hand);
    if (v.bid)
        list[n++] = (struct game_choice){.first = liars_dice_answer(0)};
    if (v.bid < most)
        list[n++] = (struct game_choice){.first = liars_dice_answer(v.bid + 1), .max_amount = most};
    struct rng root = {.key = {(uint32_t)hand, key_of(own, other, p)}}, dice = root;
    struct bot_ask q = {.bot = a->bot,
                        .game = &liars_dice_game,
                        .view = &v,
                        .seats = 2,
                        .choices = list,
                        .count = n,
                        .fallback = list[0].first,
                        .aggro = 0.5f,
                        .dice = &dice,
                        .scratch = a->cache->scratch};
    if (a->bot->mind_size)
        feed(a, &v, p), q.mind = a->cache->mind;
    struct bot_mix mix[BOT_MAX_MIX];
    int known = a->bot->mix ? a->bot->mix(&q, mix) : 0;
    for (int i = 0; i < known; i++)
        out[count++] = (struct reply){(uint8_t)mix[i].action.amount, mix[i].share};
    for (uint32_t i = 0; !known && i < BEST_RESPONSE_SAMPLES; i++) {
        dice = rng_section(&root, i);
        uint8_t rank = (uint8_t)a->bot->choose(&q).amount;
        int at = 0;
        while (at < count && out[at].rank != rank)
            at++;
        if (at == count)
            out[count++] = (struct reply){.rank = rank};
        out[at].share += 1.0f / BEST_RESPONSE_SAMPLES;
    }
    return count;
}

static void forget(struct best_response_cache *c)
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct asked *k; (k = c->bucket[i]);) {
            c->bucket[i] = k->next;
            free(k);
        }
    c->count = 0;
}

// The answers of a bot with `own` dice, by hand. Valid until the next call that finds something new.
static const struct asked *find_replies(struct best_response *a, int own, int other, const struct path *p)
{
    struct best_response_cache *c = a->cache;
    uint32_t key = find_key(a, own, other, p);
    struct asked **bucket = &c->bucket[key * 2654435761u >> 18], *k;
    for (k = *bucket; k; k = k->next)
        if (k->key == key)
            return k;
    static struct reply all[ROUND_HANDS * BEST_RESPONSE_SAMPLES];
    int hands = a->hands[own].count, n = 0;
    uint16_t first[ROUND_HANDS + 1] = {0};
    for (int y = 0; y < hands; y++) {
        first[y] = (uint16_t)n;
        n += ask_bot(a, own, other, p, y, all + n);
    }
    assert(n > 0); // there is a hand, and an answer for each
    if (c->count >= MOST_CACHED)
        forget(c);
    k = malloc(sizeof *k + (size_t)n * sizeof *all);
    if (!k)
        abort();
    first[hands] = (uint16_t)n;
    memcpy(k->first, first, sizeof first);
    memcpy(k->reply, all, (size_t)n * sizeof *all);
    k->key = key;
    k->next = *bucket;
    *bucket = k;
    c->count++;
    return k;
}

struct best_response *best_response_create(const struct bot *bot)
{
    struct best_response *a = calloc(1, sizeof *a);
    if (!a || !(a->cache = calloc(1, sizeof *a->cache)))
        abort();
    a->bot = bot;
    a->cache->scratch = bot->scratch_size ? aligned_alloc(64, (bot->scratch_size + 63) / 64 * 64) : NULL;
    for (int d = 1; d <= LIARS_DICE_DICE; d++)
        round_list_hands(&a->hands[d], d);
    return a;
}

void best_response_destroy(struct best_response *a)
{
    forget(a->cache);
    free(a->cache->scratch);
    free(a->cache);
    free(a);
}

// ---- A round --------------------------------------------------------------------------------------------------------

struct round {
    struct best_response *a;
    const struct round_hands *mine, *bots;
    int own, other, most;
    struct path path;
};

static bool is_met(const struct round *r, int x, int y, int bid)
{
    int face = liars_dice_face(bid);
    return r->mine->face[x][face] + r->bots->face[y][face] >= liars_dice_quantity(bid);
}

// What is left of the bot's hands for each of its answers: [rank][hand], and their sums, which are zero before.
static void split(struct round *r, const double *reach, double (*part)[ROUND_HANDS], double *sum)
{
    const struct asked *k = find_replies(r->a, r->other, r->own, &r->path);
    for (int y = 0; y < r->bots->count; y++) {
        if (reach[y] <= 0)
            continue;
        for (int i = k->first[y]; i < k->first[y + 1]; i++) {
            int rank = k->reply[i].rank;
            if (sum[rank] == 0)
                memset(part[rank], 0, sizeof part[rank]);
            part[rank][y] += reach[y] * (double)k->reply[i].share;
            sum[rank] += reach[y] * (double)k->reply[i].share;
        }
    }
}

// --- exact: what each hand can win, times the reach of the bot's hands

static void best_of_bot(struct round *r, const double *reach, double *out);

static void best_of_own(struct round *r, const double *reach, double *out)
{
    const int hands = r->mine->count, others = r->bots->count;
    int last = r->path.count ? r->path.bid[r->path.count - 1] : 0;
    double total = 0, value[ROUND_HANDS] = {0};
    for (int y = 0; y < others; y++)
        total += reach[y];
    for (int x = 0; x < hands; x++) {
        out[x] = total < NOTHING ? total : 0;
        for (int y = 0; last && total >= NOTHING && y < others; y++)
            out[x] += is_met(r, x, y, last) ? 0 : reach[y];
    }
    for (int bid = last + 1; bid <= r->most && total >= NOTHING; bid++) {
        r->path.bid[r->path.count++] = (uint8_t)bid;
        best_of_bot(r, reach, value);
        r->path.count--;
        for (int x = 0; x < hands; x++)
            out[x] = value[x] > out[x] ? value[x] : out[x];
    }
}

static void best_of_bot(struct round *r, const double *reach, double *out)
{
    const int hands = r->mine->count, others = r->bots->count;
    int last = r->path.count ? r->path.bid[r->path.count - 1] : 0;
    double(*part)[ROUND_HANDS] = malloc((size_t)(r->most + 1) * sizeof *part), sum[KINDS] = {0},
    value[ROUND_HANDS] = {0};
    if (!part)
        abort();
    split(r, reach, part, sum);
    for (int x = 0; x < hands; x++) {
        out[x] = 0;
        for (int y = 0; sum[0] > 0 && y < others; y++)
            out[x] += is_met(r, x, y, last) ? part[0][y] : 0;
    }
    for (int bid = last + 1; bid <= r->most; bid++) {
        if (sum[bid] <= 0)
            continue;
        r->path.bid[r->path.count++] = (uint8_t)bid;
        best_of_own(r, part[bid], value);
        r->path.count--;
        for (int x = 0; x < hands; x++)
            out[x] += value[x];
    }
    free(part);
}

static struct round round_begin(struct best_response *a, int own, int other)
{
    return (struct round){.a = a,
                          .mine = &a->hands[own],
                          .bots = &a->hands[other],
                          .own = own,
                          .other = other,
                          .most = LIARS_DICE_FACES * (own + other)};
}

double best_response_best(struct best_response *a, int own, int other, bool opens)
{
    struct round r = round_begin(a, own, other);
    double reach[ROUND_HANDS] = {0}, out[ROUND_HANDS] = {0}, sum = 0;
    for (int y = 0; y < r.bots->count; y++)
        reach[y] = (double)r.bots->chance[y];
    (opens ? best_of_own : best_of_bot)(&r, reach, out);
    for (int x = 0; x < r.mine->count; x++)
        sum += (double)r.mine->chance[x] * out[x];
    return sum;
}

// --- local: the best of challenge and the next bids, each with one decision more

static double challenge_value(const struct round *r, int x, const double *weight)
{
    double sum = 0;
    for (int y = 0; y < r->bots->count; y++)
        sum += is_met(r, x, y, r->path.bid[r->path.count - 1]) ? 0 : weight[y];
    return sum;
}

static double bid_value(struct round *r, int x, int bid, const double *weight, int further);

static double best_value(struct round *r, int x, const double *weight, int further, int *rank)
{
    int last = r->path.count ? r->path.bid[r->path.count - 1] : 0, ahead = last ? AHEAD : OPEN;
    double best = last ? challenge_value(r, x, weight) : -1;
    *rank = 0;
    for (int bid = last + 1; further >= 0 && bid <= r->most && bid <= last + ahead; bid++) {
        double value = bid_value(r, x, bid, weight, further);
        if (value > best)
            best = value, *rank = bid;
    }
    return best;
}

static double bid_value(struct round *r, int x, int bid, const double *weight, int further)
{
    double(*part)[ROUND_HANDS] = malloc((size_t)(r->most + 1) * sizeof *part), sum[KINDS] = {0}, value = 0;
    if (!part)
        abort();
    r->path.bid[r->path.count++] = (uint8_t)bid;
    split(r, weight, part, sum);
    for (int y = 0; sum[0] > 0 && y < r->bots->count; y++) // split has filled part[0]
        value += is_met(r, x, y, bid) ? part[0][y] : 0;    // NOLINT(clang-analyzer-core.uninitialized.Assign)
    for (int next = bid + 1; next <= r->most; next++) {
        int rank;
        if (sum[next] <= 0)
            continue;
        r->path.bid[r->path.count++] = (uint8_t)next;
        value += best_value(r, x, part[next], sum[next] > 0.01 ? further - 1 : -1, &rank);
        r->path.count--;
    }
    r->path.count--;
    free(part);
    return value;
}

static int roll(const struct round_hands *h, struct rng *dice)
{
    double at = (double)(rng_u64(dice) >> 11) / (double)(UINT64_C(1) << 53);
    int hand = 0;
    while (hand < h->count - 1 && (at -= (double)h->chance[hand]) >= 0)
        hand++;
    return hand;
}

// The bot answers with its hand, and what others of its hands would have answered changes their weights.
static int answer_as_bot(struct round *r, int y, double *weight, struct rng *dice)
{
    const struct asked *k = find_replies(r->a, r->other, r->own, &r->path);
    double at = (double)(rng_u64(dice) >> 11) / (double)(UINT64_C(1) << 53), sum = 0;
    int i = k->first[y];
    while (i < k->first[y + 1] - 1 && (at -= (double)k->reply[i].share) >= 0)
        i++;
    int rank = k->reply[i].rank;
    for (int h = 0; h < r->bots->count; h++) {
        double share = 0;
        for (int n = k->first[h]; n < k->first[h + 1]; n++)
            share += k->reply[n].rank == rank ? (double)k->reply[n].share : 0;
        weight[h] *= share;
        sum += weight[h];
    }
    for (int h = 0; h < r->bots->count; h++)
        weight[h] /= sum;
    return rank;
}

// The chance that the round is won, seen with the answer's hand and the weights of the bot's where it ends.
static double play_round(struct round *r, bool opens, struct rng *dice)
{
    int x = roll(r->mine, dice), y = roll(r->bots, dice);
    double weight[ROUND_HANDS] = {0};
    for (int h = 0; h < r->bots->count; h++)
        weight[h] = (double)r->bots->chance[h];
    r->path.count = 0;
    for (bool own = opens;; own = !own) {
        int rank;
        if (own)
            best_value(r, x, weight, 1, &rank);
        else
            rank = answer_as_bot(r, y, weight, dice);
        if (rank == 0)
            return own ? challenge_value(r, x, weight) : 1 - challenge_value(r, x, weight);
        r->path.bid[r->path.count++] = (uint8_t)rank;
    }
}

struct best_response_sample best_response_local(struct best_response *a, int own, int other, bool opens,
                                                uint32_t rounds, uint64_t seed)
{
    struct round r = round_begin(a, own, other);
    struct rng root = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32), (uint32_t)(own * 8 + other), opens}};
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        struct rng dice = rng_section(&root, i);
        double value = play_round(&r, opens, &dice);
        sum += value;
        squares += value * value;
    }
    double mean = sum / rounds, spread = squares / rounds - mean * mean;
    return (struct best_response_sample){mean, rounds > 1 && spread > 0 ? spread / (rounds - 1) : 0};
}

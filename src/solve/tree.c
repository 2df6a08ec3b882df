#include "solve/tree.h"

#include "bots/bot.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static int32_t find_set(struct game_tree *t, const void *state, int seat, const struct game_choice *list, int count)
{
    union game_view view;
    t->game->view(state, seat, &view);
    for (int32_t i = 0; i < t->sets; i++)
        if (t->set[i].seat == seat && !memcmp(&t->set[i].view, &view, t->game->view_size))
            return i;
    assert(t->sets < TREE_SETS && count <= TREE_CHOICES);
    struct tree_set *s = &t->set[t->sets];
    *s = (struct tree_set){.seat = seat, .count = count, .nodes = -1};
    memcpy(&s->view, &view, t->game->view_size);
    for (int i = 0; i < count; i++) {
        s->kind[i] = list[i].first.kind;
        s->p[i] = 1.0 / count;
    }
    return t->sets++;
}

static int32_t add(struct game_tree *t, const union game_state *state)
{
    struct game_choice list[GAME_MAX_CHOICES];
    struct game_turn turn = t->game->turn(state);
    assert(t->nodes < TREE_NODES);
    int32_t at = t->nodes++;
    struct tree_node *n = &t->node[at];
    if (turn.kind == TURN_OVER) {
        int32_t payoffs[GAME_MAX_SEATS];
        t->game->payoffs(state, payoffs);
        assert(payoffs[0] + payoffs[1] == 0);
        *n = (struct tree_node){.set = -1, .payoff = payoffs[0]};
        t->ends++;
        return at;
    }
    int seat = __builtin_ctz(turn.seats), count = t->game->choices(state, seat, list);
    int32_t set = find_set(t, state, seat, list, count);
    *n = (struct tree_node){.set = set, .next = t->set[set].nodes};
    t->set[set].nodes = at;
    for (int i = 0; i < count; i++) {
        union game_state after = *state;
        int err = t->game->apply(&after, seat, list[i].first, NULL);
        assert(err == OK), (void)err;
        n->child[i] = add(t, &after);
    }
    return at;
}

void tree_add(struct game_tree *t, const void *state)
{
    union game_state root;
    memcpy(&root, state, t->game->state_size);
    assert(t->roots < (int)(sizeof t->root / sizeof *t->root));
    t->root[t->roots++] = add(t, &root);
}

static double value_of(const struct game_tree *t, int32_t at)
{
    const struct tree_node *n = &t->node[at];
    double sum = 0;
    if (n->set < 0)
        return n->payoff;
    for (int i = 0; i < t->set[n->set].count; i++)
        sum += t->set[n->set].p[i] * value_of(t, n->child[i]);
    return sum;
}

double tree_value(const struct game_tree *t)
{
    double sum = 0;
    for (int i = 0; i < t->roots; i++)
        sum += value_of(t, t->root[i]);
    return sum / t->roots;
}

static void set_reach(struct game_tree *t, int32_t at, int seat, double reach)
{
    struct tree_node *n = &t->node[at];
    n->reach = reach;
    n->valued = false;
    for (int i = 0; n->set >= 0 && i < t->set[n->set].count; i++)
        set_reach(t, n->child[i], seat, t->set[n->set].seat == seat ? reach : reach * t->set[n->set].p[i]);
}

static double best_value(struct game_tree *t, int32_t at, int seat);

// The choice that is best over all positions of the set, each as likely as chance and the other seat make it.
static int best_choice(struct game_tree *t, struct tree_set *s)
{
    double most = -INFINITY;
    int best = 0;
    if (s->best >= 0)
        return s->best;
    for (int i = 0; i < s->count; i++) {
        double sum = 0;
        for (int32_t at = s->nodes; at >= 0; at = t->node[at].next)
            sum += t->node[at].reach * best_value(t, t->node[at].child[i], s->seat);
        if (sum > most)
            most = sum, best = i;
    }
    return s->best = best;
}

static double best_value(struct game_tree *t, int32_t at, int seat)
{
    struct tree_node *n = &t->node[at];
    if (n->valued)
        return n->value;
    n->value = 0;
    if (n->set < 0)
        n->value = seat ? -n->payoff : n->payoff;
    else if (t->set[n->set].seat == seat)
        n->value = best_value(t, n->child[best_choice(t, &t->set[n->set])], seat);
    else
        for (int i = 0; i < t->set[n->set].count; i++)
            n->value += t->set[n->set].p[i] * best_value(t, n->child[i], seat);
    n->valued = true;
    return n->value;
}

double tree_best(struct game_tree *t, int seat)
{
    double sum = 0;
    for (int i = 0; i < t->sets; i++)
        t->set[i].best = -1;
    for (int i = 0; i < t->roots; i++)
        set_reach(t, t->root[i], seat, 1);
    for (int i = 0; i < t->roots; i++)
        sum += best_value(t, t->root[i], seat);
    return sum / t->roots;
}

// The value of a node for `seat`, whose regrets grow; `own` and `other`: how likely each seat plays up to here.
static double regret(struct game_tree *t, int32_t at, int seat, double own, double other, int iteration)
{
    const struct tree_node *n = &t->node[at];
    if (n->set < 0)
        return seat ? -n->payoff : n->payoff;
    struct tree_set *s = &t->set[n->set];
    double value = 0, by[TREE_CHOICES];
    bool mine = s->seat == seat;
    const int count = s->count;
    assert(count <= TREE_CHOICES);
    for (int i = 0; i < count; i++) {
        by[i] = regret(t, n->child[i], seat, mine ? own * s->p[i] : own, mine ? other : other * s->p[i], iteration);
        value += s->p[i] * by[i];
    }
    for (int i = 0; mine && i < count; i++) {
        s->regret[i] += other * (by[i] - value);
        s->sum[i] += iteration * own * s->p[i];
    }
    return value;
}

static void share(double *p, const double *weight, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += weight[i];
    for (int i = 0; i < count; i++)
        p[i] = sum > 0 ? weight[i] / sum : 1.0 / count;
}

void tree_solve(struct game_tree *t, int iterations)
{
    for (int i = 0; i < t->sets; i++)
        share(t->set[i].p, t->set[i].regret, t->set[i].count);
    for (int k = t->iterations + 1; k <= t->iterations + iterations; k++)
        for (int seat = 0; seat < 2; seat++) {
            for (int i = 0; i < t->roots; i++)
                regret(t, t->root[i], seat, 1, 1, k);
            for (int i = 0; i < t->sets; i++) {
                struct tree_set *s = &t->set[i];
                for (int c = 0; c < s->count; c++)
                    s->regret[c] = s->regret[c] > 0 ? s->regret[c] : 0;
                share(s->p, s->regret, s->count);
            }
        }
    t->iterations += iterations;
    for (int i = 0; i < t->sets; i++)
        share(t->set[i].p, t->set[i].sum, t->set[i].count);
}

double tree_exploit(struct game_tree *t)
{
    return (tree_best(t, 0) + tree_best(t, 1)) / 2;
}

static void add_share(struct tree_set *s, struct game_action a, double share)
{
    for (int i = 0; i < s->count; i++)
        if (s->kind[i] == a.kind)
            s->p[i] += share;
}

void tree_ask(struct game_tree *t, const struct bot *bot, uint32_t times)
{
    for (int n = 0; n < t->sets; n++) {
        struct tree_set *s = &t->set[n];
        struct game_choice list[TREE_CHOICES];
        struct rng root = {.key = {(uint32_t)n, 0x5EED}}, dice = root;
        for (int i = 0; i < s->count; i++) {
            list[i] = (struct game_choice){.first.kind = s->kind[i]};
            s->p[i] = 0;
        }
        struct bot_ask ask = {.bot = bot,
                              .game = t->game,
                              .view = &s->view,
                              .seat = s->seat,
                              .seats = 2,
                              .choices = list,
                              .count = s->count,
                              .fallback = list[0].first,
                              .aggro = 0.5f,
                              .dice = &dice};
        struct bot_mix mix[BOT_MAX_MIX];
        int known = bot->mix ? bot->mix(&ask, mix) : 0;
        for (int i = 0; i < known; i++)
            add_share(s, mix[i].action, (double)mix[i].share);
        for (uint32_t i = 0; !known && i < times; i++) {
            dice = rng_section(&root, i);
            add_share(s, bot->choose(&ask), 1.0 / times);
        }
    }
}

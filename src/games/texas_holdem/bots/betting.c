#include "games/texas_holdem/bots/betting.h"

#include "games/texas_holdem/bots/buckets.h"

const int betting_depth[BETTING_DEPTHS] = {12, 18, 27, 50};

struct spot {
    int put[2], last; // last: the size of the last raise
    uint8_t role, street, raises;
    bool acted; // a seat has acted on this street, so a call closes it
};

struct planting {
    struct betting_tree *tree;
    int stack;
};

static uint16_t grow(struct planting *p, struct spot s);

static uint16_t after_call(struct planting *p, struct spot s)
{
    s.put[s.role] = s.put[!s.role];
    if (!s.acted) {
        s.acted = true;
        s.role = !s.role;
        return grow(p, s);
    }
    if (s.street == 3 || s.put[0] == p->stack)
        return BETTING_SHOWN;
    return grow(p, (struct spot){{s.put[0], s.put[1]}, BETTING_BLIND, 1, (uint8_t)(s.street + 1), 0, false});
}

static uint16_t after_raise(struct planting *p, struct spot s, int to)
{
    s.last = to - s.put[!s.role];
    s.put[s.role] = to;
    s.role = !s.role;
    s.raises++;
    s.acted = true;
    return grow(p, s);
}

static void add_move(struct betting_node *n, int move, int total, uint16_t next)
{
    n->move[n->moves] = (uint8_t)move;
    n->total[n->moves] = (uint16_t)total;
    n->next[n->moves++] = next;
}

// What is above 0.7 of the stack is all-in, and so is not a size of its own.
static void add_raises(struct planting *p, struct betting_node *n, struct spot s)
{
    static const uint8_t most[] = {4, 3, 2, 2};
    int other = s.put[!s.role], pot = 2 * other;
    if (s.raises >= most[s.street] || other >= p->stack)
        return;
    bool opens = s.street == 0 && s.raises == 0;
    for (int move = BETTING_HALF; move <= BETTING_POT; move++) {
        int to = opens ? BETTING_OPEN : other + (move == BETTING_HALF ? pot / 2 : pot);
        if ((opens && move == BETTING_POT) || to - other < s.last || 10 * to > 7 * p->stack)
            continue;
        add_move(n, move, to, after_raise(p, s, to));
    }
    add_move(n, BETTING_ALL_IN, p->stack, after_raise(p, s, p->stack));
}

static uint16_t grow(struct planting *p, struct spot s)
{
    struct betting_tree *t = p->tree;
    uint16_t at = (uint16_t)t->nodes++;
    struct betting_node *n = &t->node[at];
    *n = (struct betting_node){.put = {(uint16_t)s.put[0], (uint16_t)s.put[1]}, .role = s.role, .street = s.street};
    if (s.put[s.role] < s.put[!s.role])
        add_move(n, BETTING_FOLD, s.put[s.role], BETTING_GIVEN_UP);
    add_move(n, BETTING_CALL, s.put[!s.role], after_call(p, s));
    add_raises(p, n, s);
    n->slot = t->slots;
    t->slots += (uint32_t)(n->moves * bucket_count(s.street));
    return at;
}

void betting_plant(struct betting_tree *t, int depth)
{
    struct planting p = {t, depth * BETTING_BLIND};
    t->slots = t->nodes = 0;
    grow(&p, (struct spot){{BETTING_BLIND / 2, BETTING_BLIND}, BETTING_BLIND, 0, 0, 0, false});
}

float betting_share(const struct betting_node *n, int index)
{
    int other = n->put[!n->role];
    return (float)(n->total[index] - other) / (float)(2 * other);
}

// What may be done: whoever is asked has choices, all of them are taken, and nobody else has any.
#include "property_internal.h"

static bool turn_is_sane(struct property *p)
{
    struct game_turn t = p->turn;
    bool over = t.kind == TURN_OVER;
    CLAIM(t.kind <= TURN_FREE, "the kind of a turn is one of the five");
    CLAIM(t.seats < SEAT(p->plan->seats), "only seats of the match are asked");
    CLAIM(over == !t.seats, "somebody is asked until the game is over");
    CLAIM(t.kind != TURN_ONE || !(t.seats & (t.seats - 1)), "TURN_ONE asks one seat");
    CLAIM(!(t.seats & p->dropped), "a dropped seat is asked no more");
    CLAIM(t.kind != TURN_FREE || p->g->tick, "only a game with ticks is in real time");
    return true;
}

static bool is_taken(struct property *p, int seat, struct game_action a)
{
    CLAIM(game_is_legal(p->g, &p->state, seat, a), "what is listed, numbered or the fallback is legal");
    p->copy = p->state;
    CLAIM(p->g->apply(&p->copy, seat, a, NULL) == OK, "what is legal is taken");
    CLAIM(!p->g->check(&p->copy), p->g->check(&p->copy));
    return true;
}

static bool choice_is_good(struct property *p, int seat, int index, int count)
{
    const struct game_choice *c = &p->list[index];
    struct game_action a = c->first;
    CLAIM(a.kind != 0 && a.kind != GAME_DROP, "a choice has a kind that a player may use");
    CLAIM(c->max_amount >= a.amount, "a choice has a range that is not empty");
    for (int i = 0; i < index; i++)
        CLAIM(!game_has_choice(&p->list[i], 1, a), "choices do not overlap");
    CLAIM(count <= GAME_MAX_CHOICES, "choices fit the list");
    if (!is_taken(p, seat, a))
        return false;
    if (c->max_amount == c->first.amount)
        return true;
    uint64_t span = (uint64_t)((int64_t)c->max_amount - c->first.amount) + 1;
    a.amount = (int32_t)(c->first.amount + (int64_t)(rng_u64(&p->picks) % span));
    if (!is_taken(p, seat, a))
        return false;
    a.amount = c->max_amount;
    return is_taken(p, seat, a);
}

static bool flat_is_good(struct property *p, int seat, bool asked)
{
    const struct game *g = p->g;
    static const int outside[] = {-1, 0, INT32_MIN, INT32_MAX};
    struct game_action a = {0}, again = {0}, seen[GAME_MAX_FLAT];
    int count = 0;
    uint64_t mask[GAME_FLAT_WORDS];
    for (unsigned i = 0; i < sizeof outside / sizeof *outside; i++)
        CLAIM(!g->flat(&p->state, seat, outside[i], &a), "no action has number 0 or one outside the table");
    CLAIM(!g->flat(&p->state, seat, (int)g->flat_size, &a), "no action has a number beyond the table");
    for (int i = 1; i < (int)g->flat_size; i++) {
        if (!g->flat(&p->state, seat, i, &a))
            continue;
        CLAIM(asked, "numbers are for seats that are asked");
        CLAIM(g->flat(&p->state, seat, i, &again) && game_same_action(a, again), "a number means one action");
        for (int k = 0; k < count; k++)
            CLAIM(!game_same_action(seen[k], a), "an action has one number");
        seen[count++] = a;
        CLAIM(!p->memory->flat_kind[i] || p->memory->flat_kind[i] == a.kind,
              "a number never changes its kind of action");
        p->memory->flat_kind[i] = a.kind;
        if (!is_taken(p, seat, a))
            return false;
    }
    game_mask(g, &p->state, seat, mask);
    for (int i = 0; i < GAME_MAX_FLAT; i++)
        CLAIM((mask[i / 64] >> i % 64 & 1) == (i < (int)g->flat_size && g->flat(&p->state, seat, i, &a)),
              "the mask has the numbers of legal actions, and no other");
    return true;
}

static bool seat_is_good(struct property *p, int seat, bool close)
{
    bool asked = p->turn.seats & SEAT(seat);
    int count = p->g->choices(&p->state, seat, p->list);
    CLAIM(count >= 0 && count <= GAME_MAX_CHOICES, "choices fit the list");
    CLAIM(asked ? count > 0 : count == 0, "exactly the seats that are asked have choices");
    if (asked && !is_taken(p, seat, p->g->fallback(&p->state, seat)))
        return false;
    if (!close)
        return true;
    for (int i = 0; i < count; i++)
        if (!choice_is_good(p, seat, i, count))
            return false;
    return flat_is_good(p, seat, asked);
}

bool property_listing(struct property *p, bool close)
{
    if (!turn_is_sane(p))
        return false;
    for (int seat = 0; seat < p->plan->seats; seat++)
        if (!seat_is_good(p, seat, close))
            return false;
    return true;
}

struct game_action property_pick_action(struct property *p, int seat)
{
    struct game_action a;
    if (pick(p, 4) == 0) // numbers reach what lists leave out
        for (int tries = 0; tries < 8; tries++)
            if (p->g->flat(&p->state, seat, (int)pick(p, p->g->flat_size), &a))
                return a;
    int count = p->g->choices(&p->state, seat, p->list);
    const struct game_choice *c = &p->list[pick(p, (uint32_t)count)];
    a = c->first;
    uint32_t span = (uint32_t)c->max_amount - (uint32_t)a.amount + 1;
    a.amount = (int32_t)((uint32_t)a.amount + (span ? pick(p, span) : 0));
    return a;
}

// What is refused changes nothing, and what is legal is the same for legal and for apply.
#include "property_internal.h"

static struct game_action junk(struct property *p, struct game_action legal)
{
    struct game_action a = {.amount = (int32_t)rng_draw_u32(&p->draw)};
    switch (pick(p, 5)) {
    case 0: // a kind no game has
        return (struct game_action){.kind = (uint8_t)(200 + pick(p, 50))};
    case 1: // a legal one, one field off
        a = legal;
        if (pick(p, 2))
            a.amount = (int32_t)((uint32_t)a.amount + 2 * pick(p, 2) - 1);
        else
            a.arg[pick(p, 3)] ^= (uint8_t)(1u << pick(p, 8));
        return a;
    case 2: // its neighbour
        a = legal;
        a.kind = (uint8_t)(1 + pick(p, 12));
        return a;
    case 3: // small numbers
        for (int i = 0; i < 3; i++)
            a.arg[i] = (uint8_t)pick(p, 8);
        a.kind = (uint8_t)pick(p, 16);
        a.amount = (int32_t)pick(p, 200) - 20;
        return a;
    default: // anything
        a.kind = (uint8_t)pick(p, 256);
        for (int i = 0; i < 3; i++)
            a.arg[i] = (uint8_t)pick(p, 256);
        return a;
    }
}

// Tries it on a copy. A player's action is taken exactly when it is legal; when the game is over a game may know a
// restart that is not listed.
static bool try(struct property *p, int seat, struct game_action a)
{
    struct game_events *out = pick(p, 2) ? &p->echo : NULL;
    bool player = seat >= 0 && seat < p->plan->seats, over = p->turn.kind == TURN_OVER;
    bool legal = player && game_is_legal(p->g, &p->state, seat, a);
    p->copy = p->state;
    p->echo.count = 0;
    int err = p->g->apply(&p->copy, seat, a, out);
    CLAIM(err <= 0, "a refusal is a negative number");
    CLAIM(err == OK || same_bytes(p, &p->copy, &p->state), "a refused action leaves every byte as it was");
    CLAIM(err == OK || p->echo.count == 0, "a refused action tells nothing");
    CLAIM(err == OK || !legal, "what is legal is taken");
    CLAIM(err != OK || legal || seat == GAME_MASTER || (player && over), "what is taken is legal");
    CLAIM(err != OK || !p->g->check(&p->copy), p->g->check(&p->copy));
    union game_history history = p->history;
    p->copy = p->state;
    CLAIM(game_apply_kept(p->g, &p->copy, &history, seat, a, out, NULL) == err, "to keep history changes nothing");
    CLAIM(err == OK || equal_bytes(&history, &p->history, sizeof history), "a refused action leaves the history (V21)");
    return true;
}

static bool refuse(struct property *p, int seat, struct game_action a, const char *claim)
{
    p->copy = p->state;
    CLAIM(p->g->apply(&p->copy, seat, a, NULL) < 0, claim);
    CLAIM(same_bytes(p, &p->copy, &p->state), "a refused action leaves every byte as it was");
    return true;
}

// A drop is the master's, and only for whoever is being asked.
static bool drops_hold(struct property *p)
{
    for (int seat = 0; seat <= GAME_MASTER; seat++) {
        struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)seat, (uint8_t)pick(p, 4)}};
        if (seat < p->plan->seats && !refuse(p, seat, drop, "a player cannot drop a seat"))
            return false;
        if (seat >= p->plan->seats || !(p->turn.seats & SEAT(seat))) {
            if (!refuse(p, GAME_MASTER, drop, "a seat that is not asked cannot be dropped"))
                return false;
            continue;
        }
        p->copy = p->state;
        CLAIM(p->g->apply(&p->copy, GAME_MASTER, drop, NULL) == OK, "a seat that is asked can be dropped");
        CLAIM(!p->g->check(&p->copy), p->g->check(&p->copy));
        CLAIM(!(p->g->turn(&p->copy).seats & SEAT(seat)), "a dropped seat is asked no more");
    }
    return true;
}

static bool stack_holds(struct property *p)
{
    uint8_t items[64];
    int count = (int)pick(p, sizeof items + 1);
    uint32_t kinds = 1 + pick(p, 60);
    for (int i = 0; i < count; i++)
        items[i] = (uint8_t)pick(p, kinds);
    p->copy = p->state;
    int err = p->g->stack(&p->copy, items, count);
    CLAIM(err <= 0, "a refusal is a negative number");
    CLAIM(err == OK || same_bytes(p, &p->copy, &p->state), "a refused stack leaves every byte as it was");
    CLAIM(!p->g->check(&p->copy), p->g->check(&p->copy));
    CLAIM(p->g->turn(&p->copy).number == p->turn.number, "stacking asks nobody anything");
    return true;
}

// Just below and just above every range.
static bool edges_hold(struct property *p, int seat)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int count = p->g->choices(&p->state, seat, list);
    for (int i = 0; i < count; i++) {
        struct game_action below = list[i].first, above = list[i].first;
        below.amount = (int32_t)((uint32_t)below.amount - 1);
        above.amount = (int32_t)((uint32_t)list[i].max_amount + 1);
        if (!try(p, seat, below) || !try(p, seat, above))
            return false;
    }
    return true;
}

bool property_refusals(struct property *p, struct move legal)
{
    static const int strangers[] = {-1, GAME_SPECTATOR, GAME_MASTER, GAME_MASTER + 1, 99};
    for (int seat = 0; seat < p->plan->seats; seat++) {
        if (!edges_hold(p, seat) || !try(p, seat, junk(p, legal.action)) || !try(p, seat, junk(p, legal.action)))
            return false;
        if (!(p->turn.seats & SEAT(seat)) && p->turn.kind != TURN_OVER &&
            !refuse(p, seat, legal.action, "a seat that is not asked cannot act"))
            return false;
    }
    for (unsigned i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (!try(p, strangers[i], junk(p, legal.action)) || !try(p, strangers[i], legal.action))
            return false;
    return drops_hold(p) && (!p->g->stack || stack_holds(p));
}

// Coup a second time, slow and obvious: the phase table F6.C4 read aloud, an explicit deck shuffled whole and at once.
// It shares only names (roles, actions, phases, events) with the game it is compared to.
#pragma once

#include "games/coup/rules/coup.h"

#include <stdlib.h>
#include <string.h>

struct oracle {
    int seats, windows, ask_single;
    int card[6][2], up[6][2], coins[6], dropped[6];
    int deck[15], deck_count; // front first
    int drawn[2];             // 0: none
    int phase, number, turns;
    int actor, action, target, blocker, block_role, loser;
    int asked[6];
    struct game_action given[6]; // deterministic windows; kind 0: nothing
    const char *then;            // after the loss: "after", "execute" or "end"
    struct rng chance;
    int shuffles;
    int stack[15], stack_count;
    struct game_events *events;
};

static void oracle_do(struct oracle *o, const char *what);

static int oracle_hidden(const struct oracle *o, int seat)
{
    return !o->up[seat][0] + !o->up[seat][1];
}

static int oracle_alive(const struct oracle *o)
{
    int n = 0;
    for (int i = 0; i < o->seats; i++)
        n += oracle_hidden(o, i) > 0;
    return n;
}

static void oracle_say(struct oracle *o, int kind, int seat, struct coup_fact fact, int amount)
{
    struct game_event *e = &o->events->at[o->events->count++];
    memset(e, 0, sizeof *e);
    e->kind = (uint8_t)kind, e->seat = (uint8_t)seat, e->to = EVERYONE, e->amount = amount;
    memcpy(e->data, &fact, sizeof fact);
}

static int oracle_by_role(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void oracle_shuffle(struct oracle *o)
{
    qsort(o->deck, (size_t)o->deck_count, sizeof o->deck[0], oracle_by_role);
    struct rng section = rng_section(&o->chance, (uint32_t)o->shuffles++);
    struct rng_draw draw;
    rng_begin(&draw, &section);
    int front = 0; // stacked cards come first, in their order
    for (int i = 0; i < o->stack_count; i++)
        for (int k = front; k < o->deck_count; k++)
            if (o->deck[k] == o->stack[i]) {
                int card = o->deck[k];
                memmove(&o->deck[front + 1], &o->deck[front], (size_t)(k - front) * sizeof o->deck[0]);
                o->deck[front++] = card;
                break;
            }
    o->stack_count = 0;
    for (int i = front; i < o->deck_count - 1; i++) {
        int j = i + (int)rng_draw_below(&draw, (uint32_t)(o->deck_count - i)), card = o->deck[i];
        o->deck[i] = o->deck[j], o->deck[j] = card;
    }
}

static int oracle_draw(struct oracle *o)
{
    int card = o->deck[0];
    memmove(o->deck, o->deck + 1, (size_t)--o->deck_count * sizeof o->deck[0]);
    return card;
}

static void oracle_ask_none(struct oracle *o)
{
    memset(o->asked, 0, sizeof o->asked);
    memset(o->given, 0, sizeof o->given);
    o->number++;
}

static void oracle_ask_one(struct oracle *o, int phase, int seat)
{
    oracle_ask_none(o);
    o->phase = phase;
    o->asked[seat] = 1;
}

static void oracle_ask_all_but(struct oracle *o, int phase, int seat)
{
    oracle_ask_none(o);
    o->phase = phase;
    for (int i = 0; i < o->seats; i++)
        o->asked[i] = i != seat && oracle_hidden(o, i) > 0;
}

static void oracle_init(struct oracle *o, const struct coup_rules *r, int seats, struct rng chance)
{
    memset(o, 0, sizeof *o);
    o->seats = seats, o->windows = r->windows, o->ask_single = r->ask_single, o->chance = chance;
    for (int role = 1; role <= 5; role++)
        for (int k = 0; k < 3; k++)
            o->deck[o->deck_count++] = role;
    oracle_shuffle(o);
    for (int slot = 0; slot < 2; slot++)
        for (int i = 0; i < seats; i++)
            o->card[i][slot] = oracle_draw(o);
    for (int i = 0; i < seats; i++)
        o->coins[i] = r->coins[i];
    o->actor = r->starter;
    oracle_ask_one(o, COUP_PHASE_ACTION, o->actor);
}

static void oracle_over(struct oracle *o, int capped)
{
    int most = 0, leaders = 0, winner = COUP_NOBODY;
    struct coup_fact f = {.capped = (uint8_t)capped};
    for (int i = 0; i < o->seats; i++)
        most = oracle_hidden(o, i) > most ? oracle_hidden(o, i) : most;
    for (int i = 0; i < o->seats; i++)
        if (oracle_hidden(o, i) == most)
            leaders++, winner = i, f.won |= (uint8_t)(1 << i);
    oracle_ask_none(o);
    o->phase = COUP_PHASE_DONE;
    oracle_say(o, COUP_EVENT_GAME_OVER, leaders == 1 ? winner : COUP_NOBODY, f, 0);
}

static int oracle_claim(int action)
{
    return action == COUP_TAX           ? COUP_DUKE
           : action == COUP_ASSASSINATE ? COUP_ASSASSIN
           : action == COUP_STEAL       ? COUP_CAPTAIN
           : action == COUP_EXCHANGE    ? COUP_AMBASSADOR
                                        : 0;
}

static int oracle_has_target(int action)
{
    return action == COUP_COUP || action == COUP_ASSASSINATE || action == COUP_STEAL;
}

static void oracle_end_turn(struct oracle *o)
{
    if (++o->turns == 500) {
        oracle_over(o, 1);
        return;
    }
    do
        o->actor = (o->actor + 1) % o->seats;
    while (oracle_hidden(o, o->actor) == 0);
    o->action = 0;
    oracle_ask_one(o, COUP_PHASE_ACTION, o->actor);
}

static void oracle_reveal(struct oracle *o, int seat, int slot)
{
    o->up[seat][slot] = 1;
    oracle_say(o, COUP_EVENT_INFLUENCE_LOST, seat,
               (struct coup_fact){.card = (uint8_t)o->card[seat][slot], .slot = (uint8_t)slot}, 0);
    if (oracle_hidden(o, seat) == 0) {
        oracle_say(o, COUP_EVENT_PLAYER_ELIMINATED, seat, (struct coup_fact){0}, 0);
        if (oracle_alive(o) == 1) {
            oracle_over(o, 0);
            return;
        }
    }
    oracle_do(o, o->then);
}

static void oracle_lose(struct oracle *o, int seat, const char *then)
{
    o->loser = seat;
    o->then = then;
    if (oracle_hidden(o, seat) == 1 && !o->ask_single)
        oracle_reveal(o, seat, o->up[seat][0] ? 1 : 0);
    else
        oracle_ask_one(o, COUP_PHASE_LOSE_INFLUENCE, seat);
}

static void oracle_resolved(struct oracle *o, int stolen)
{
    oracle_say(o, COUP_EVENT_ACTION_RESOLVED, o->actor,
               (struct coup_fact){.action = (uint8_t)o->action,
                                  .target = (uint8_t)(oracle_has_target(o->action) ? o->target : 0),
                                  .stolen = (uint8_t)stolen,
                                  .coins = (uint8_t)o->coins[o->actor]},
               0);
}

static void oracle_execute(struct oracle *o)
{
    if (oracle_has_target(o->action) && oracle_hidden(o, o->target) == 0) {
        oracle_end_turn(o);
    } else if (o->action == COUP_FOREIGN_AID || o->action == COUP_TAX) {
        o->coins[o->actor] += o->action == COUP_TAX ? 3 : 2;
        oracle_resolved(o, 0);
        oracle_end_turn(o);
    } else if (o->action == COUP_STEAL) {
        int stolen = o->coins[o->target] >= 2 ? 2 : o->coins[o->target];
        o->coins[o->target] -= stolen;
        o->coins[o->actor] += stolen;
        oracle_resolved(o, stolen);
        oracle_end_turn(o);
    } else if (o->action == COUP_ASSASSINATE) {
        oracle_resolved(o, 0);
        oracle_lose(o, o->target, "end");
    } else {
        o->drawn[0] = oracle_draw(o);
        o->drawn[1] = oracle_draw(o);
        oracle_say(o, COUP_EVENT_EXCHANGE_DRAW, o->actor, (struct coup_fact){.action = COUP_EXCHANGE}, 0);
        oracle_ask_one(o, COUP_PHASE_EXCHANGE_RETURN, o->actor);
    }
}

static void oracle_do(struct oracle *o, const char *what)
{
    if (!strcmp(what, "end"))
        oracle_end_turn(o);
    else if (!strcmp(what, "execute"))
        oracle_execute(o);
    else if (o->action == COUP_TAX || o->action == COUP_EXCHANGE) // "after", F6.C5
        oracle_execute(o);
    else if (oracle_hidden(o, o->target) == 0)
        oracle_end_turn(o);
    else
        oracle_ask_one(o, COUP_PHASE_BLOCK, o->target);
}

static void oracle_all_passed(struct oracle *o)
{
    if (o->phase == COUP_PHASE_CHALLENGE_ACTION) {
        oracle_do(o, "after");
    } else if (o->phase == COUP_PHASE_BLOCK) {
        oracle_do(o, "execute");
    } else {
        oracle_say(o, COUP_EVENT_BLOCK_ACCEPTED, o->blocker, (struct coup_fact){0}, 0);
        oracle_end_turn(o);
    }
}

static void oracle_challenge(struct oracle *o, int seat)
{
    int block = o->phase == COUP_PHASE_CHALLENGE_BLOCK;
    int claimant = block ? o->blocker : o->actor, role = block ? o->block_role : oracle_claim(o->action);
    int slot = -1;
    for (int i = 1; i >= 0; i--)
        if (!o->up[claimant][i] && o->card[claimant][i] == role)
            slot = i;
    struct coup_fact said = {.role = (uint8_t)role, .other = (uint8_t)claimant};
    struct coup_fact result = {.result = slot < 0 ? COUP_SUCCESS : COUP_FAIL, .other = (uint8_t)seat};
    if (slot >= 0)
        result.card = (uint8_t)role;
    oracle_say(o, block ? COUP_EVENT_CHALLENGE_BLOCK : COUP_EVENT_CHALLENGE, seat, said, 0);
    oracle_say(o, block ? COUP_EVENT_CHALLENGE_BLOCK_RESULT : COUP_EVENT_CHALLENGE_RESULT, claimant, result, 0);
    if (slot < 0) {
        oracle_lose(o, claimant, block ? "execute" : "end");
        return;
    }
    o->deck[o->deck_count++] = role;
    oracle_shuffle(o);
    o->card[claimant][slot] = oracle_draw(o);
    oracle_lose(o, seat, block ? "end" : "after");
}

static void oracle_block(struct oracle *o, int seat, int role)
{
    o->blocker = seat, o->block_role = role;
    oracle_say(o, COUP_EVENT_BLOCK, seat, (struct coup_fact){.role = (uint8_t)role, .action = (uint8_t)o->action}, 0);
    oracle_ask_all_but(o, COUP_PHASE_CHALLENGE_BLOCK, seat);
}

static void oracle_pass(struct oracle *o, int seat)
{
    oracle_say(o,
               o->phase == COUP_PHASE_CHALLENGE_ACTION ? COUP_EVENT_CHALLENGE_PASS
               : o->phase == COUP_PHASE_BLOCK          ? COUP_EVENT_BLOCK_PASS
                                                       : COUP_EVENT_BLOCK_CHALLENGE_PASS,
               seat, (struct coup_fact){0}, 0);
}

static int oracle_anyone_asked(const struct oracle *o)
{
    int n = 0;
    for (int i = 0; i < o->seats; i++)
        n += o->asked[i];
    return n > 0;
}

static void oracle_close_window(struct oracle *o)
{
    int claimant = o->phase == COUP_PHASE_CHALLENGE_BLOCK ? o->blocker : o->actor;
    for (int i = 1; i < o->seats; i++)
        if (o->given[(claimant + i) % o->seats].kind == COUP_PASS)
            oracle_pass(o, (claimant + i) % o->seats);
    for (int i = 1; i < o->seats; i++) {
        int seat = (claimant + i) % o->seats;
        if (o->given[seat].kind == COUP_CHALLENGE) {
            oracle_challenge(o, seat);
            return;
        }
        if (o->given[seat].kind == COUP_BLOCK) {
            oracle_block(o, seat, o->given[seat].arg[0]);
            return;
        }
    }
    oracle_all_passed(o);
}

static void oracle_window(struct oracle *o, int seat, struct game_action a)
{
    if (o->windows == COUP_WINDOWS_DETERMINISTIC) {
        o->asked[seat] = 0;
        o->given[seat] = a;
        if (!oracle_anyone_asked(o))
            oracle_close_window(o);
    } else if (a.kind == COUP_PASS) {
        o->asked[seat] = 0;
        oracle_pass(o, seat);
        if (!oracle_anyone_asked(o))
            oracle_all_passed(o);
    } else if (a.kind == COUP_CHALLENGE) {
        oracle_challenge(o, seat);
    } else {
        oracle_block(o, seat, a.arg[0]);
    }
}

static void oracle_return(struct oracle *o, int seat, struct game_action a)
{
    int all[4], n = 0, kept[2], k = 0;
    for (int slot = 0; slot < 2; slot++)
        if (!o->up[seat][slot])
            all[n++] = o->card[seat][slot];
    all[n++] = o->drawn[0];
    all[n++] = o->drawn[1];
    for (int i = 0; i < n; i++)
        if (i == a.arg[0] || i == a.arg[1])
            o->deck[o->deck_count++] = all[i];
        else
            kept[k++] = all[i];
    k = 0;
    for (int slot = 0; slot < 2; slot++)
        if (!o->up[seat][slot])
            o->card[seat][slot] = kept[k++];
    o->drawn[0] = o->drawn[1] = 0;
    oracle_shuffle(o);
    oracle_say(o, COUP_EVENT_EXCHANGE_COMPLETE, seat, (struct coup_fact){0}, 0);
    oracle_end_turn(o);
}

static void oracle_turn(struct oracle *o, int seat, struct game_action a)
{
    o->action = a.kind;
    o->target = a.arg[0];
    struct coup_fact f = {.action = a.kind, .role = (uint8_t)oracle_claim(a.kind), .target = a.arg[0]};
    oracle_say(o, COUP_EVENT_ACTION, seat, f, 0);
    if (a.kind == COUP_INCOME) {
        o->coins[seat] += 1;
        oracle_end_turn(o);
    } else if (a.kind == COUP_FOREIGN_AID) {
        oracle_ask_all_but(o, COUP_PHASE_BLOCK, seat);
    } else if (a.kind == COUP_COUP) {
        o->coins[seat] -= 7;
        oracle_lose(o, o->target, "end");
    } else {
        if (a.kind == COUP_ASSASSINATE)
            o->coins[seat] -= 3;
        oracle_ask_all_but(o, COUP_PHASE_CHALLENGE_ACTION, seat);
    }
}

// A legal answer of an asked seat.
static void oracle_answer(struct oracle *o, int seat, struct game_action a, struct game_events *events)
{
    o->events = events;
    if (o->phase == COUP_PHASE_ACTION)
        oracle_turn(o, seat, a);
    else if (o->phase == COUP_PHASE_LOSE_INFLUENCE)
        oracle_reveal(o, seat, a.arg[0]);
    else if (o->phase == COUP_PHASE_EXCHANGE_RETURN)
        oracle_return(o, seat, a);
    else
        oracle_window(o, seat, a);
}

// F6.C16, of an asked seat.
static void oracle_drop(struct oracle *o, int seat, struct game_events *events)
{
    o->events = events;
    oracle_say(o, COUP_EVENT_PLAYER_DISCONNECTED, seat, (struct coup_fact){0}, oracle_hidden(o, seat));
    o->up[seat][0] = o->up[seat][1] = 1;
    o->dropped[seat] = 1;
    oracle_say(o, COUP_EVENT_PLAYER_ELIMINATED, seat, (struct coup_fact){0}, 0);
    if (o->phase == COUP_PHASE_EXCHANGE_RETURN) {
        o->deck[o->deck_count++] = o->drawn[0];
        o->deck[o->deck_count++] = o->drawn[1];
        o->drawn[0] = o->drawn[1] = 0;
        oracle_shuffle(o);
    }
    if (oracle_alive(o) == 1) {
        oracle_over(o, 0);
    } else if (seat == o->actor) {
        oracle_end_turn(o);
    } else if (o->phase == COUP_PHASE_LOSE_INFLUENCE) {
        oracle_do(o, o->then);
    } else if (o->phase == COUP_PHASE_BLOCK && o->action != COUP_FOREIGN_AID) {
        oracle_end_turn(o);
    } else {
        o->asked[seat] = 0;
        if (!oracle_anyone_asked(o) && o->windows == COUP_WINDOWS_DETERMINISTIC)
            oracle_close_window(o);
        else if (!oracle_anyone_asked(o))
            oracle_all_passed(o);
    }
}

// legal_actions of F6.C4, in order.
static int oracle_list(const struct oracle *o, int seat, struct game_action out[GAME_MAX_CHOICES])
{
    int n = 0;
#define LIST(...)                                                                                                      \
    out[n++] = (struct game_action)                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
    int coins = o->coins[seat];
    if (seat >= o->seats || !o->asked[seat])
        return 0;
    switch (o->phase) {
    case COUP_PHASE_ACTION:
        if (coins < 10) {
            LIST(.kind = COUP_INCOME);
            LIST(.kind = COUP_FOREIGN_AID);
        }
        for (int t = 0; t < o->seats; t++)
            if (coins >= 7 && t != seat && oracle_hidden(o, t))
                LIST(.kind = COUP_COUP, .arg = {(uint8_t)t});
        if (coins >= 10)
            return n;
        LIST(.kind = COUP_TAX);
        for (int t = 0; t < o->seats; t++)
            if (coins >= 3 && t != seat && oracle_hidden(o, t))
                LIST(.kind = COUP_ASSASSINATE, .arg = {(uint8_t)t});
        for (int t = 0; t < o->seats; t++)
            if (t != seat && oracle_hidden(o, t))
                LIST(.kind = COUP_STEAL, .arg = {(uint8_t)t});
        LIST(.kind = COUP_EXCHANGE);
        return n;
    case COUP_PHASE_CHALLENGE_ACTION:
    case COUP_PHASE_CHALLENGE_BLOCK:
        LIST(.kind = COUP_CHALLENGE);
        LIST(.kind = COUP_PASS);
        return n;
    case COUP_PHASE_BLOCK:
        if (o->action == COUP_FOREIGN_AID)
            LIST(.kind = COUP_BLOCK, .arg = {COUP_DUKE});
        if (o->action == COUP_ASSASSINATE)
            LIST(.kind = COUP_BLOCK, .arg = {COUP_CONTESSA});
        if (o->action == COUP_STEAL) {
            LIST(.kind = COUP_BLOCK, .arg = {COUP_CAPTAIN});
            LIST(.kind = COUP_BLOCK, .arg = {COUP_AMBASSADOR});
        }
        LIST(.kind = COUP_PASS);
        return n;
    case COUP_PHASE_LOSE_INFLUENCE:
        for (int slot = 0; slot < 2; slot++)
            if (!o->up[seat][slot])
                LIST(.kind = COUP_LOSE_CARD, .arg = {(uint8_t)slot});
        return n;
    case COUP_PHASE_EXCHANGE_RETURN:
        for (int i = 0; i < oracle_hidden(o, seat) + 2; i++)
            for (int k = i + 1; k < oracle_hidden(o, seat) + 2; k++)
                LIST(.kind = COUP_RETURN_CARDS, .arg = {(uint8_t)i, (uint8_t)k});
        return n;
    }
#undef LIST
    return n;
}

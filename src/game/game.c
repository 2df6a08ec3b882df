#include "game/game.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

bool game_can_begin(const struct game *g, const void *rules, int seats)
{
    union game_state state;
    return g->init(&state, rules, seats, (struct rng){0}, NULL) == OK;
}

bool game_has_choice(const struct game_choice *list, int count, struct game_action action)
{
    for (int i = 0; i < count; i++) {
        struct game_action first = list[i].first;
        if (action.amount < first.amount || action.amount > list[i].max_amount)
            continue;
        first.amount = action.amount;
        if (game_same_action(first, action))
            return true;
    }
    return false;
}

bool game_is_legal(const struct game *g, const void *state, int seat, struct game_action action)
{
    if (seat < 0 || seat >= GAME_MAX_SEATS || !(g->turn(state).seats & SEAT(seat)))
        return false;
    if (g->legal)
        return g->legal(state, seat, action);
    struct game_choice list[GAME_MAX_CHOICES];
    return game_has_choice(list, g->choices(state, seat, list), action);
}

int game_refusal(const struct game *g, const void *state, int seat, struct game_action action)
{
    struct game_turn turn = g->turn(state);
    bool drop = seat == GAME_MASTER;
    int asked = drop ? action.arg[0] : seat;
    if (turn.kind == TURN_OVER)
        return ERR_OVER;
    if (drop && action.kind != GAME_DROP)
        return ERR_ACTION;
    if (asked < 0 || asked >= GAME_MAX_SEATS || !(turn.seats & SEAT(asked)))
        return ERR_SEAT;
    return drop || game_is_legal(g, state, seat, action) ? OK : ERR_ACTION;
}

bool game_flat_kind(const struct game *g, const void *state, int seat, int index, struct game_action *out)
{
    struct game_action a = {.kind = (uint8_t)index};
    if (index < 1 || index >= (int)g->flat_size || !game_is_legal(g, state, seat, a))
        return false;
    *out = a;
    return true;
}

struct game_action game_first_choice(const struct game *g, const void *state, int seat)
{
    struct game_choice list[GAME_MAX_CHOICES] = {0};
    g->choices(state, seat, list);
    return list[0].first;
}

uint64_t game_hash(const struct game *g, const void *state)
{
    return hash_bytes(state, g->state_size);
}

float game_reward(const struct game *g, const struct game_rewards *r, int seat)
{
    float sum = 0;
    for (int i = 0; g->rewarded[i]; i++)
        sum += r->at[seat][i];
    return sum;
}

struct game_event *game_emit(struct game_events *out, int kind, int seat, seat_set to)
{
    if (!out)
        return NULL;
    assert(out->count < GAME_MAX_EVENTS);
    struct game_event *e = &out->at[out->count++];
    *e = (struct game_event){.kind = (uint8_t)kind, .seat = (uint8_t)seat, .to = to};
    return e;
}

struct game_event *game_emit_part(struct game_events *out, int kind, int seat, seat_set to)
{
    struct game_event *e = game_emit(out, kind, seat, to);
    if (e)
        e->part = 1;
    return e;
}

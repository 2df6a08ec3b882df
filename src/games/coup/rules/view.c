// What a viewer sees (F6.C12, F6.C13), and the same as numbers (G27.4).
#include "games/coup/rules/internal.h"

void coup_see(const void *state, int viewer, void *view)
{
    const struct coup_state *s = state;
    struct coup_view *v = view;
    *v = (struct coup_view){.seats = s->seats,
                            .in_play = s->in_play,
                            .number = s->number,
                            .turns = s->turns,
                            .log = s->log,
                            .phase = s->phase,
                            .asked = s->asked,
                            .passed = s->passed,
                            .dropped = s->dropped,
                            .won = s->won,
                            .windows = s->windows,
                            .viewer = (uint8_t)viewer,
                            .capped = s->phase == COUP_PHASE_DONE && s->turns == COUP_TURN_CAP};
    for (int i = 0; i < s->seats; i++) {
        v->seat[i] = s->seat[i];
        for (int slot = 0; slot < 2; slot++)
            if (i != viewer && !(s->seat[i].up >> slot & 1))
                v->seat[i].card[slot] = COUP_NO_ROLE;
    }
    if (viewer < s->seats)
        v->answer = s->answer[viewer];
    if (viewer == s->log.actor)
        memcpy(v->exchange, s->exchange, sizeof v->exchange);
    for (int i = 0; i < COUP_ROLES; i++)
        v->deck_count += s->deck[i];
}

// Numbers are appended; a row of `size` with a 1 at `index`, or none where index is outside.
static float *put_one_hot(float *at, int size, int index)
{
    for (int i = 0; i < size; i++)
        at[i] = i == index;
    return at + size;
}

// How many of each role, of two.
static float *put_roles(float *at, const uint8_t *roles, unsigned counted)
{
    for (int i = 0; i < COUP_ROLES; i++)
        at[i] = 0;
    for (int slot = 0; slot < 2; slot++)
        if (counted >> slot & 1 && roles[slot])
            at[roles[slot] - 1] += 0.5f;
    return at + COUP_ROLES;
}

static float *put_seat(float *at, const struct coup_seat *seat, bool exists)
{
    *at++ = (float)seat->coins / COUP_MAX_COINS;
    *at++ = exists ? (float)coup_influence(seat) / 2 : 0;
    return put_roles(at, seat->card, seat->up);
}

void coup_vector(const void *view, float *out)
{
    const struct coup_view *v = view;
    const struct coup_log *log = &v->log;
    static const struct coup_seat nobody = {0};
    static const int8_t block_index[COUP_ROLES + 1] = {-1, 0, -1, 2, 3, 1}; // Duke, Contessa, Captain, Ambassador
    bool seated = v->viewer < v->seats, blocked = v->phase == COUP_PHASE_CHALLENGE_BLOCK;
    const struct coup_act *act = &coup_acts[log->action];
    float *at = out;
    const struct coup_seat *me = seated ? &v->seat[v->viewer] : &nobody;
    at = put_roles(at, me->card, ~me->up & 3u);
    for (int i = 0; i < COUP_MAX_SEATS; i++)
        at = put_seat(at, &v->seat[i], i < v->seats);
    at = put_one_hot(at, COUP_PHASE_DONE, v->phase);
    at = put_one_hot(at, COUP_MAX_SEATS, log->actor);
    at = put_one_hot(at, COUP_TURN_ACTIONS, log->action - 1);
    at = put_one_hot(at, COUP_MAX_SEATS, act->targeted ? log->target : -1);
    at = put_one_hot(at, COUP_ROLES, act->role - 1);
    at = put_one_hot(at, COUP_MAX_SEATS, blocked ? log->blocker : -1);
    at = put_one_hot(at, 4, blocked ? block_index[log->block_role] : -1);
    at = put_one_hot(at, COUP_MAX_SEATS, seated ? v->viewer : -1);
    put_roles(at, v->exchange, 3);
}

#include "property.h"

#include "property_internal.h"

#include <stdio.h>

enum { STEPS_MAX = 100000, REAL_TIME_STEPS = 3000, CLOSE_EVERY = 16, DROP_EVERY = 150, POISON = 0xA5 };

bool property_fail(struct property *p, const char *claim)
{
    snprintf(p->result->broken, sizeof p->result->broken, "%s, %d seats, scenario %d, seed %llu, step %llu: %s",
             p->g->name, p->plan->seats, p->plan->scenario, (unsigned long long)p->plan->seed,
             (unsigned long long)p->result->steps, claim);
    return false;
}

int property_make(const struct game *g, void *state, const struct move *m, struct game_events *out)
{
    if (m->kind == MOVE_ACT)
        return g->apply(state, m->seat, m->action, out);
    if (m->kind == MOVE_DROP)
        return g->apply(state, GAME_MASTER, m->action, out);
    g->tick(state, out);
    return OK;
}

// --- what holds of a view, of a step ---

bool property_view_is_whole(struct property *p, int viewer)
{
    const struct game *g = p->g;
    memset(&p->view, 0, g->view_size);
    memset(&p->echo_view, POISON, sizeof p->echo_view);
    g->view(&p->state, viewer, &p->view);
    g->view(&p->state, viewer, &p->echo_view);
    CLAIM(!memcmp(&p->view, &p->echo_view, g->view_size), "a view sets every byte, and the same way twice");
    CLAIM(g->view_size == GAME_MAX_VIEW || p->echo_view.byte[g->view_size] == POISON, "a view keeps to its size");
    return true;
}

static bool is_finite(float x)
{
    return x - x == 0;
}

static bool views_hold(struct property *p)
{
    for (int i = 0; i <= p->plan->seats; i++) {
        float out[GAME_MAX_VECTOR + 1];
        if (!property_view_is_whole(p, viewer_at(p, i)))
            return false;
        memset(out, 0xFF, sizeof out); // not a number
        p->g->vector(&p->view, out);
        for (uint32_t k = 0; k < p->g->vector_size; k++)
            CLAIM(is_finite(out[k]), "every number of a vector is set and finite");
        CLAIM(!is_finite(out[p->g->vector_size]), "a vector keeps to its size");
    }
    return true;
}

static bool payoffs_hold(struct property *p)
{
    int32_t out[GAME_MAX_SEATS];
    memset(out, POISON, sizeof out);
    p->g->payoffs(&p->state, out);
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        CLAIM(s < p->plan->seats || out[s] == 0, "an empty seat has no payoff");
    for (int s = 0; p->g->teams == 2 && s + 2 < p->plan->seats; s++)
        CLAIM(out[s] == out[s + 2], "partners have the same payoff");
    return true;
}

static bool rewards_hold(struct property *p)
{
    struct game_rewards r;
    memset(&r, 0xFF, sizeof r);
    p->g->rewards(&p->state, &p->happened, &r);
    for (int s = 0; s < p->plan->seats; s++)
        for (int i = 0; p->g->rewarded[i]; i++)
            CLAIM(is_finite(r.at[s][i]), "every reward is set and finite");
    return true;
}

// A part has an event before it, and no more viewers than that.
static bool events_hold(struct property *p)
{
    seat_set whole = 0;
    CLAIM(p->happened.count < GAME_MAX_EVENTS, "events fit the list");
    for (uint32_t i = 0; i < p->happened.count; i++) {
        const struct game_event *e = &p->happened.at[i];
        CLAIM(e->part <= 1 && e->kind, "an event has a kind");
        CLAIM(!(e->to & ~EVERYONE) && e->to, "an event has viewers");
        whole = e->part ? whole : e->to;
        CLAIM(!(e->to & ~whole), "a part belongs to an event that all its viewers see");
    }
    return true;
}

// game.h: an answered question is never put again; a pass inside a window leaves its number.
static bool number_holds(struct property *p, const struct move *m, struct game_turn before)
{
    struct game_turn now = p->g->turn(&p->state);
    CLAIM(now.number >= before.number, "the number of the question never falls");
    if (m->kind == MOVE_TICK || before.kind == TURN_FREE)
        return true;
    CLAIM(before.kind != TURN_ONE || now.number > before.number, "an answered question is never put again");
    if (now.number > before.number)
        return true;
    CLAIM(now.kind == before.kind && now.phase == before.phase, "an open window stays what it is");
    CLAIM(!(now.seats & ~(before.seats & ~SEAT(m->seat))), "an open window asks only who has not answered");
    return true;
}

static bool digests_hold(struct property *p)
{
    for (int i = 0; p->g->digests && p->g->digests[i]; i++)
        CLAIM(p->g->digest(&p->state, i) == p->g->digest(&p->copy, i), "a copy has the same digests");
    return true;
}

// Makes the move on the state and on two copies: a clone plays alike, and listening changes nothing.
static bool move_holds(struct property *p, const struct move *m)
{
    struct game_turn before = p->turn;
    union game_state was = p->state;
    p->copy = p->other = p->state;
    p->happened.count = p->happened.ticks = p->echo.count = p->echo.ticks = 0;
    CLAIM(property_make(p->g, &p->state, m, &p->happened) == OK, "what is legal is taken");
    CLAIM(property_make(p->g, &p->copy, m, &p->echo) == OK, "a clone takes what the original takes");
    CLAIM(property_make(p->g, &p->other, m, NULL) == OK, "a clone takes what the original takes");
    CLAIM(same_bytes(p, &p->state, &p->copy), "a clone plays alike");
    CLAIM(same_bytes(p, &p->state, &p->other), "listening changes nothing");
    CLAIM(p->happened.count == p->echo.count && p->happened.ticks == p->echo.ticks &&
              !memcmp(p->happened.at, p->echo.at, p->echo.count * sizeof *p->echo.at),
          "a clone tells alike");
    CLAIM(before.kind == TURN_FREE || !same_bytes(p, &p->state, &was),
          "only real time has answers that change nothing");
    CLAIM(!p->g->check(&p->state), p->g->check(&p->state));
    return number_holds(p, m, before) && events_hold(p) && rewards_hold(p) && digests_hold(p);
}

// --- a match ---

static int any_asked_seat(struct property *p)
{
    int skip = (int)pick(p, (uint32_t)__builtin_popcount(p->turn.seats));
    seat_set left = p->turn.seats;
    while (skip--)
        left &= (seat_set)(left - 1);
    return __builtin_ctz(left);
}

static struct move next_move(struct property *p)
{
    int seat = any_asked_seat(p);
    if (p->g->tick && pick(p, 2))
        return (struct move){.kind = MOVE_TICK};
    if (pick(p, DROP_EVERY) == 0)
        return (struct move){.kind = MOVE_DROP,
                             .seat = seat,
                             .action = {.kind = GAME_DROP, .arg = {(uint8_t)seat, (uint8_t)pick(p, 4)}}};
    return (struct move){.kind = MOVE_ACT, .seat = seat, .action = property_pick_action(p, seat)};
}

static bool step_holds(struct property *p)
{
    bool close = p->plan->close || pick(p, CLOSE_EVERY) == 0;
    if (!property_listing(p, close))
        return false;
    struct move m = next_move(p);
    if (m.kind == MOVE_ACT)
        CLAIM(game_is_legal(p->g, &p->state, m.seat, m.action), "what is listed is legal");
    if (close && (!property_refusals(p, m) || !views_hold(p) || !payoffs_hold(p)))
        return false;
    if (p->plan->resample && !property_secrets(p, &m))
        return false;
    if (close && !property_rows(p))
        return false;
    union game_state was = p->state;
    if (!move_holds(p, &m) || !property_rows_move(p, &was, &m))
        return false;
    if (m.kind == MOVE_DROP)
        p->dropped |= SEAT(m.seat);
    return true;
}

static bool end_holds(struct property *p)
{
    struct move nothing = {0};
    if (!property_listing(p, true) || !property_refusals(p, nothing) || !views_hold(p) || !payoffs_hold(p))
        return false;
    if (p->plan->resample && !property_secrets(p, NULL))
        return false;
    return property_rows(p) && property_rows_end(p);
}

// Sets up rules and state: init sets every byte, whoever listens.
static bool start_holds(struct property *p)
{
    const struct game *g = p->g;
    uint64_t seed = p->plan->seed;
    struct rng root = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32), (uint32_t)p->plan->seats}};
    struct rng chance = p->chance = rng_split(&root, 0);
    p->picks = rng_split(&root, 1);
    p->dice = rng_split(&root, 2);
    rng_begin(&p->draw, &p->picks);
    g->defaults(&p->rules);
    g->scenario(&p->rules, p->plan->scenario);
    if (g->seed)
        g->seed(&p->rules, seed);
    memset(&p->state, 0, sizeof p->state);
    memset(&p->copy, POISON, sizeof p->copy);
    if (g->init(&p->state, &p->rules, p->plan->seats, chance, &p->happened) == ERR_RULES) {
        g->defaults(&p->rules);
        memset(&p->state, 0, sizeof p->state);
        p->happened.count = 0;
        CLAIM(g->init(&p->state, &p->rules, p->plan->seats, chance, &p->happened) == OK,
              "the defaults fit every table");
    }
    CLAIM(g->init(&p->copy, &p->rules, p->plan->seats, chance, NULL) == OK, "what starts once starts twice");
    CLAIM(same_bytes(p, &p->state, &p->copy), "init sets every byte, and the same way twice");
    p->copy = p->state;
    CLAIM(!g->check(&p->state), g->check(&p->state));
    property_rows_begin(p);
    return events_hold(p) && rewards_hold(p);
}

static bool play(struct property *p)
{
    uint64_t most = p->g->tick ? REAL_TIME_STEPS : STEPS_MAX;
    if (!start_holds(p))
        return false;
    for (;; p->result->steps++) {
        p->turn = p->g->turn(&p->state);
        if (p->turn.kind == TURN_OVER)
            break;
        if (p->result->steps == most) {
            CLAIM(p->g->tick, "a match comes to an end");
            return property_rows_end(p);
        }
        if (!step_holds(p))
            return false;
    }
    return end_holds(p);
}

bool property_of_match(const struct game *g, const struct property_plan *plan, struct property_memory *memory,
                       struct property_result *r)
{
    static _Thread_local struct property p;
    *r = (struct property_result){0};
    p = (struct property){.g = g, .plan = plan, .memory = memory, .result = r};
    bool holds = play(&p);
    r->hash = game_hash(g, &p.state);
    return holds;
}

// --- a game ---

static int count_names(const char *const *names)
{
    int n = 0;
    while (names && names[n])
        n++;
    return n;
}

static bool sizes_hold(struct property *p)
{
    const struct game *g = p->g;
    CLAIM(g->rules_size && g->rules_size <= GAME_MAX_RULES, "rules fit their ceiling");
    CLAIM(g->state_size && g->state_size <= GAME_MAX_STATE, "a state fits its ceiling");
    CLAIM(g->view_size && g->view_size <= GAME_MAX_VIEW, "a view fits its ceiling");
    CLAIM(g->entities_end <= g->world_end && g->world_end <= g->state_size, "a state is entities, world and chance");
    CLAIM(g->min_seats >= 1 && g->min_seats <= g->max_seats && g->max_seats <= GAME_MAX_SEATS, "there are seats");
    CLAIM(g->flat_size > 1 && g->flat_size <= GAME_MAX_FLAT, "numbered actions fit their ceiling");
    CLAIM(g->vector_size && g->vector_size <= GAME_MAX_VECTOR, "a vector fits its ceiling");
    CLAIM(count_names(g->rewarded) >= 1 && count_names(g->rewarded) <= GAME_MAX_REWARDS, "rewards fit their ceiling");
    CLAIM(count_names(g->scenarios) >= 1, "there is a scenario");
    CLAIM((g->tick_ms != 0) == (g->tick != NULL), "time moves a game by ticks");
    CLAIM(!g->digests || g->digest, "what has names of digests has digests");
    return true;
}

static bool rules_hold(struct property *p)
{
    const struct game *g = p->g;
    static const int absurd[] = {-1, 0, 99, INT32_MIN, INT32_MAX};
    union game_rules again;
    memset(&p->rules, 0, sizeof p->rules);
    memset(&again, POISON, sizeof again);
    g->defaults(&p->rules);
    g->defaults(&again);
    CLAIM(!memcmp(&p->rules, &again, g->rules_size), "defaults set every byte");
    struct rng chance = {.key = {1}};
    for (unsigned i = 0; i < sizeof absurd / sizeof *absurd; i++)
        CLAIM(g->init(&p->state, &p->rules, absurd[i], chance, NULL) == ERR_RULES, "an absurd table is refused");
    for (int seats = 1; seats <= GAME_MAX_SEATS + 1; seats++) {
        bool fits = seats >= g->min_seats && seats <= g->max_seats;
        CLAIM(g->init(&p->state, &p->rules, seats, chance, NULL) == (fits ? OK : ERR_RULES), "min to max seats start");
    }
    for (int i = 0; g->scenarios[i]; i++) {
        g->defaults(&p->rules);
        int seats = g->scenario(&p->rules, i);
        CLAIM(seats >= g->min_seats && seats <= g->max_seats, "a scenario has a number of seats");
        CLAIM(g->init(&p->state, &p->rules, seats, chance, NULL) == OK, "a scenario starts");
        CLAIM(!g->check(&p->state), g->check(&p->state));
    }
    return true;
}

bool property_of_game(const struct game *g, struct property_result *r)
{
    static _Thread_local struct property p;
    const struct property_plan none = {0};
    *r = (struct property_result){0};
    p = (struct property){.g = g, .plan = &none, .result = r};
    return sizes_hold(&p) && rules_hold(&p) && property_row_names(&p);
}

// One match under test, and the groups of claims about it. Every function answers whether its claims hold; the first
// one that does not is written down.
#pragma once

#include "game/rows.h"
#include "property.h"

#include <string.h>

enum { PROPERTY_LOG = 4096 };

enum move_kind { MOVE_ACT, MOVE_TICK, MOVE_DROP };

struct move {
    enum move_kind kind;
    int seat;
    struct game_action action;
};

struct property {
    const struct game *g;
    const struct property_plan *plan;
    struct property_memory *memory;
    struct property_result *result;
    struct rng picks, dice; // what is played; what is redrawn
    struct rng_draw draw;   // from picks
    union game_rules rules;
    union game_state state;
    union game_state copy, other; // for trying
    struct game_turn turn;        // of state
    struct game_choice list[GAME_MAX_CHOICES];
    seat_set dropped;
    struct game_events happened, echo;
    union game_view view, echo_view;
    union game_history history, quiet; // of state: kept with somebody listening, and without
    struct rng chance;                 // of init
    uint32_t moves;
    struct move log[PROPERTY_LOG]; // the first of them
};

bool property_fail(struct property *p, const char *claim);

#define CLAIM(condition, claim)                                                                                        \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return property_fail(p, claim);                                                                            \
    } while (0)

static inline uint32_t pick(struct property *p, uint32_t n)
{
    return rng_draw_below(&p->draw, n);
}

// Of structs without holes, or whose holes were set: floats too are the same bit by bit.
static inline bool equal_bytes(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static inline bool same_bytes(const struct property *p, const void *a, const void *b)
{
    return memcmp(a, b, p->g->state_size) == 0;
}

// The seats, and the gallery last.
static inline int viewer_at(const struct property *p, int i)
{
    return i < p->plan->seats ? i : GAME_SPECTATOR;
}

int property_make(const struct game *g, void *state, const struct move *m, struct game_events *out);
struct game_action property_pick_action(struct property *p, int seat); // a legal one, any of those listed or numbered
bool property_view_is_whole(struct property *p, int viewer);           // leaves it in p->view

bool property_listing(struct property *p, bool close);              // turn, choices, fallback, flat
bool property_refusals(struct property *p, struct move legal);      // what is refused leaves every byte
bool property_secrets(struct property *p, const struct move *next); // nothing seen depends on what is hidden

// Rows and history (V18, V31-V34, V80-V83), for games with `rows` and for those without.
bool property_row_names(struct property *p);  // of the game
void property_rows_begin(struct property *p); // after init
bool property_rows(struct property *p);       // what every viewer is given
// After the move: keeps the history, tries rewards and tokens. `was` is the state before it.
bool property_rows_move(struct property *p, const union game_state *was, const struct move *m);
bool property_rows_end(struct property *p);               // the history is that of the log
bool property_rows_alike(struct property *p, int viewer); // in state and other
// After the move, with the history of the state, in both; where views differ there is no claim.
bool property_rows_after(struct property *p, const struct move *next, int viewer);

// Rows are what views say, whichever way they are written (V31-V34), rewards by difference are those of events (V18),
// and neither rows nor tokens depend on what is hidden (V32, V80).
#include "property_internal.h"

enum { POISON = 0xA5 };

// --- names ---

static bool element_is_sane(struct property *p, const struct game_element *e, uint32_t index)
{
    bool first = index < p->g->vector_size;
    CLAIM(e->name[0] && e->group && e->group[0], "an element has a name and a group");
    CLAIM(e->low <= 0 && e->high > 0 && e->step > 0 && e->step <= 1, "an element has bounds and a step (V33)");
    CLAIM(e->high - e->low <= 255 * e->step * 1.0001f, "a byte holds every value of an element (V33)");
    CLAIM(e->since == (first ? 1 : 2), "vector 2 begins with vector 1 (V31)");
    return true;
}

bool property_row_names(struct property *p)
{
    static struct game_element list[GAME_MAX_VECTOR];
    const struct game *g = p->g;
    int newest = game_row_vectors(g);
    uint32_t size = game_row_size(g, newest);
    CLAIM(game_row_size(g, 1) == g->vector_size, "vector 1 is the vector of a view (V31)");
    CLAIM(size <= GAME_MAX_VECTOR && (newest == 1 || size > g->vector_size), "vector 2 adds elements (V31)");
    CLAIM(game_history_size(g) <= GAME_MAX_HISTORY, "a history fits its ceiling");
    CLAIM(!g->rows || g->rows->size[0] == g->vector_size, "vector 1 is the vector of a view (V31)");
    for (uint32_t i = 0; i < size; i++) {
        CLAIM(game_row_element(g, newest, (int)i, &list[i]), "every element has a name (V34)");
        if (!element_is_sane(p, &list[i], i))
            return false;
        for (uint32_t k = 0; k < i; k++)
            CLAIM(strcmp(list[i].name, list[k].name) != 0, "no two elements have the same name (V34)");
    }
    struct game_element beyond;
    CLAIM(!game_row_element(g, newest, (int)size, &beyond), "no element lies beyond the row (V34)");
    return true;
}

static void read_elements(struct property *p)
{
    int newest = game_row_vectors(p->g);
    if (p->memory->elements)
        return;
    p->memory->elements = game_row_size(p->g, newest);
    for (uint32_t i = 0; i < p->memory->elements; i++)
        game_row_element(p->g, newest, (int)i, &p->memory->element[i]);
}

// --- rows ---

struct row {
    float f32[GAME_MAX_VECTOR + 1];
    uint8_t u8[GAME_MAX_VECTOR + 1];
};

static void write_row(struct property *p, const void *state, const void *history, int viewer, int version,
                      struct row *r)
{
    memset(r, POISON, sizeof *r);
    game_observe(p->g, state, history, viewer, version, GAME_F32, r->f32);
    game_observe(p->g, state, history, viewer, version, GAME_U8, r->u8);
}

static bool ends_at(const struct row *r, uint32_t size)
{
    struct row poison;
    memset(&poison, POISON, sizeof poison);
    return equal_bytes(&r->f32[size], poison.f32, sizeof *r->f32) && r->u8[size] == POISON;
}

static bool byte_is_right(const struct game_element *e, float value, uint8_t byte)
{
    if (e->step < 1.0f / 254)
        return byte == (uint8_t)(int)(value * 255);
    float apart = value - e->low - (float)byte * e->step;
    return apart < 1e-6f && apart > -1e-6f;
}

static bool row_is_right(struct property *p, const void *state, const void *history, int viewer, int version)
{
    struct row r;
    float vector[GAME_MAX_VECTOR];
    uint32_t size = game_row_size(p->g, version);
    write_row(p, state, history, viewer, version, &r);
    CLAIM(ends_at(&r, size), "a row keeps to its size");
    p->g->view(state, viewer, &p->view);
    p->g->vector(&p->view, vector);
    for (uint32_t i = 0; i < p->g->vector_size; i++)
        CLAIM(r.f32[i] == vector[i], "a row begins with the vector of the view (V31, V32)");
    for (uint32_t i = 0; i < size; i++) {
        const struct game_element *e = &p->memory->element[i];
        CLAIM(r.f32[i] >= e->low && r.f32[i] <= e->high, e->name);
        CLAIM(byte_is_right(e, r.f32[i], r.u8[i]), "bytes lead back to the floats by their step (V33)");
    }
    return true;
}

// Masks and actions of numbers, whichever way they are made: of all, and of a part that differs from step to step.
static bool numbers_are_right(struct property *p, int seat)
{
    uint64_t all[GAME_FLAT_WORDS], part[GAME_FLAT_WORDS], wanted[GAME_FLAT_WORDS];
    uint64_t drawn = 0x9E3779B97F4A7C15u * (p->result->steps + 1);
    for (int i = 0; i < GAME_FLAT_WORDS; i++)
        wanted[i] = drawn & 1 ? UINT64_MAX << (drawn >> 58) : ~(UINT64_MAX << (drawn >> 58));
    game_mask(p->g, &p->state, seat, all);
    game_mask_of(p->g, &p->state, seat, wanted, part);
    for (int i = 0; i < GAME_FLAT_WORDS; i++)
        CLAIM(part[i] == (all[i] & wanted[i]), "a mask of some numbers is the mask of all of them (V3)");
    bool quick = p->g->rows && p->g->rows->action; // elsewhere it is flat
    for (int i = 1; quick && i < (int)p->g->flat_size; i++) {
        struct game_action a;
        if (p->g->flat(&p->state, seat, i, &a))
            CLAIM(game_same_action(a, game_action_at(p->g, &p->state, seat, i)), "a number has one action");
    }
    return true;
}

bool property_rows(struct property *p)
{
    read_elements(p);
    for (int seat = 0; seat < p->plan->seats; seat++)
        if (!numbers_are_right(p, seat))
            return false;
    for (int i = 0; i <= p->plan->seats; i++)
        for (int version = 1; version <= game_row_vectors(p->g); version++)
            if (!row_is_right(p, &p->state, &p->history, viewer_at(p, i), version))
                return false;
    return true;
}

// In a world that was redrawn for one viewer every other one sees what was drawn: one of them in turns.
static bool other_row_is_right(struct property *p, const void *state, const void *history, int viewer)
{
    read_elements(p);
    int other = viewer_at(p, (int)((p->moves + (uint32_t)viewer) % (uint32_t)(p->plan->seats + 1)));
    return row_is_right(p, state, history, other, game_row_vectors(p->g));
}

static bool same_rows(struct property *p, const void *here, const void *mine, const void *there, const void *theirs,
                      int viewer)
{
    struct row a, b;
    write_row(p, here, mine, viewer, game_row_vectors(p->g), &a);
    write_row(p, there, theirs, viewer, game_row_vectors(p->g), &b);
    return equal_bytes(&a, &b, sizeof a);
}

bool property_rows_alike(struct property *p, int viewer)
{
    CLAIM(same_rows(p, &p->state, &p->history, &p->other, &p->history, viewer),
          "a row does not depend on what is hidden (V30, V32)");
    return other_row_is_right(p, &p->other, &p->history, viewer);
}

// --- history, rewards and tokens ---

void property_rows_begin(struct property *p)
{
    memset(&p->history, POISON, sizeof p->history);
    game_history_begin(p->g, &p->state, &p->history);
    p->quiet = p->history;
    p->moves = 0;
}

static int make_kept(struct property *p, union game_state *s, union game_history *h, const struct move *m,
                     struct game_events *happened, struct game_tokens *tokens)
{
    if (m->kind != MOVE_TICK)
        return game_apply_kept(p->g, s, h, m->kind == MOVE_DROP ? GAME_MASTER : m->seat, m->action, happened, tokens);
    game_tick_kept(p->g, s, h, happened, tokens);
    return OK;
}

static bool same_rewards(struct property *p, const struct game_rewards *a, const struct game_rewards *b)
{
    for (int s = 0; s < p->plan->seats; s++)
        for (int i = 0; p->g->rewarded[i]; i++) {
            float apart = a->at[s][i] - b->at[s][i], size = b->at[s][i] < 0 ? -b->at[s][i] : b->at[s][i];
            float allowed = 1e-6f * (size > 1 ? size : 1);
            if (!(apart <= allowed && -apart <= allowed))
                return false;
        }
    return true;
}

static bool tokens_are_sane(struct property *p, const struct game_tokens *t)
{
    int kinds = game_token_kinds(p->g);
    for (uint32_t i = 0; i < t->count; i++) {
        CLAIM(t->at[i].kind >= 1 && t->at[i].kind <= kinds, "a token has a kind of its game (V80)");
        CLAIM(t->at[i].seat >= 0 && t->at[i].seat <= p->plan->seats, "a token has a seat, or 0 (V80)");
    }
    return true;
}

bool property_rows_move(struct property *p, const union game_state *was, const struct move *m)
{
    const struct game *g = p->g;
    union game_state heard = *was, quiet = *was;
    struct game_tokens tokens = {.count = 0};
    struct game_mark mark;
    struct game_rewards by_events, by_difference;
    game_mark(g, was, &mark);
    p->happened.count = p->happened.ticks = 0;
    CLAIM(make_kept(p, &heard, &p->history, m, &p->happened, &tokens) == OK, "what is legal is taken");
    CLAIM(make_kept(p, &quiet, &p->quiet, m, NULL, NULL) == OK, "what is legal is taken");
    CLAIM(same_bytes(p, &heard, &p->state) && same_bytes(p, &quiet, &p->state), "to keep history changes nothing");
    CLAIM(equal_bytes(&p->history, &p->quiet, sizeof p->history), "history does not depend on who listens (V82)");
    g->rewards(&heard, &p->happened, &by_events);
    memset(&by_difference, POISON, sizeof by_difference);
    game_earned(g, &quiet, &mark, &p->happened, &by_difference);
    CLAIM(same_rewards(p, &by_difference, &by_events), "rewards by difference are those of the events (V18)");
    if (p->moves < PROPERTY_LOG)
        p->log[p->moves] = *m;
    p->moves++;
    return tokens_are_sane(p, &tokens);
}

// From init on, with nobody listening.
bool property_rows_end(struct property *p)
{
    union game_state s;
    union game_history h;
    if (p->moves > PROPERTY_LOG)
        return true;
    memset(&h, POISON, sizeof h);
    CLAIM(game_init_kept(p->g, &s, &h, &p->rules, p->plan->seats, p->chance, NULL, NULL) == OK, "a log replays");
    for (uint32_t i = 0; i < p->moves; i++)
        CLAIM(make_kept(p, &s, &h, &p->log[i], NULL, NULL) == OK, "a log replays");
    CLAIM(equal_bytes(&h, &p->history, sizeof h), "history is a function of the log (V82)");
    return true;
}

static bool same_tokens(struct property *p, const struct game_tokens *a, const struct game_tokens *b, int viewer)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        int16_t mine[4], theirs[4];
        game_write_token(p->g, &a->at[i], p->plan->seats, viewer, mine);
        game_write_token(p->g, &b->at[i], p->plan->seats, viewer, theirs);
        if (memcmp(mine, theirs, sizeof mine) != 0)
            return false;
    }
    return true;
}

bool property_rows_after(struct property *p, const struct move *next, int viewer)
{
    union game_state here = p->state, there = p->other;
    union game_history mine = p->history, theirs = p->history;
    struct game_tokens a = {.count = 0}, b = {.count = 0};
    CLAIM(make_kept(p, &here, &mine, next, NULL, &a) == OK, "what is legal is taken");
    CLAIM(make_kept(p, &there, &theirs, next, NULL, &b) == OK, "what is legal is taken");
    CLAIM(same_tokens(p, &a, &b, viewer), "tokens tell only what the next view shows (V80)");
    CLAIM(same_rows(p, &here, &mine, &there, &theirs, viewer), "a row tells only what the next view shows (V32)");
    return other_row_is_right(p, &there, &theirs, viewer);
}

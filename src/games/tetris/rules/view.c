#include "games/tetris/rules/view.h"

#include "games/tetris/rules/internal.h"

#include <stddef.h>

_Static_assert(offsetof(struct tetris_view, cells) == TETRIS_HIDDEN * TETRIS_WIDTH, "the field is one run of cells");

uint16_t gameplay_goal_left(const struct tetris_state *s)
{
    uint32_t done = s->rules.goal == TETRIS_GOAL_LINES ? s->facts.lines : s->facts.ticks;
    if (s->rules.goal == TETRIS_GOAL_GARBAGE)
        return (uint16_t)field_garbage_rows(&s->field);
    return (uint16_t)(done < s->rules.goal_count ? s->rules.goal_count - done : 0);
}

void tetris_observe(const void *state, int viewer, void *view)
{
    (void)viewer; // nothing is hidden
    const struct tetris_state *s = state;
    struct tetris_view *v = view;
    memcpy(v, s->field.cells, sizeof s->field.cells);
    v->piece = s->piece;
    v->facts = s->facts;
    uint8_t room[TETRIS_NEXT];
    memcpy(v->next, bag_next(s, room), sizeof v->next);
    if (s->rules.preview < TETRIS_NEXT)
        memset(v->next + s->rules.preview, TETRIS_NONE, TETRIS_NEXT - s->rules.preview);
    v->ruleset = s->rules.ruleset;
    v->listed = s->rules.listed;
    v->goal = s->rules.goal;
    v->goal_left = s->rules.goal ? gameplay_goal_left(s) : 0;
    v->zen = s->rules.zen;
    v->preview = s->rules.preview;
}

static bool is_free(const struct tetris_view *v, int x, int y)
{
    if (x < 0 || x >= TETRIS_WIDTH || y >= TETRIS_HEIGHT)
        return false;
    if (y < 0)
        return v->ruleset == TETRIS_GUIDELINE && y >= -TETRIS_HIDDEN &&
               !v->hidden[(y + TETRIS_HIDDEN) * TETRIS_WIDTH + x];
    return !v->cells[y * TETRIS_WIDTH + x];
}

int tetris_ghost(const struct tetris_view *v)
{
    const struct tetris_cell *cell = tetris_cells(v->piece.kind, v->piece.rotation);
    for (int y = v->piece.y;; y++)
        for (int i = 0; i < 4; i++)
            if (!is_free(v, v->piece.x + cell[i].x, y + 1 + cell[i].y))
                return y;
}

struct tetris_lock tetris_event_lock(const struct game_event *e)
{
    struct tetris_lock lock;
    memcpy(&lock, e->data, sizeof lock);
    return lock;
}

static float capped(float value)
{
    return value < 1 ? value : 1;
}

// One place of `count` for each value; none is first + count - 1 where there is a place for it.
static float *one_hot(float *at, int index, int count)
{
    for (int i = 0; i < count; i++)
        at[i] = i == index;
    return at + count;
}

// G24.5
void tetris_vector(const void *view, float *out)
{
    const struct tetris_view *v = view;
    const struct tetris_piece *p = &v->piece;
    for (int i = 0; i < TETRIS_CELLS; i++)
        out[i] = v->cells[i] != 0;
    float *at = one_hot(out + TETRIS_CELLS, p->kind - TETRIS_I, 7);
    at = one_hot(at, p->kind ? p->rotation : -1, 4);
    *at++ = p->kind ? (float)(p->x + tetris_left(p->kind, p->rotation)) / TETRIS_WIDTH : 0;
    *at++ = p->kind ? (float)(p->y + tetris_top(p->kind, p->rotation)) / TETRIS_HEIGHT : 0;
    at = one_hot(at, v->facts.hold ? v->facts.hold - TETRIS_I : 7, 8);
    *at++ = v->facts.can_hold;
    for (int i = 0; i < TETRIS_NEXT; i++)
        at = one_hot(at, v->next[i] - TETRIS_I, 7);
    *at++ = capped((float)v->facts.level / 20);
    *at++ = capped((float)v->facts.lines / 40);
    *at++ = capped((float)p->lock_ms / 500);
}

const char *const tetris_rewarded[] = {"lines", "score", "survival", "top_out", "goal", NULL};

// G24.6
void tetris_rewards(const void *state, const struct game_events *happened, struct game_rewards *out)
{
    (void)state;
    float *r = out->at[0];
    for (int i = 0; i < GAME_MAX_REWARDS; i++)
        r[i] = 0;
    int64_t points = 0;
    for (uint32_t i = 0; i < happened->count; i++) {
        const struct game_event *e = &happened->at[i];
        if (e->kind == TETRIS_PIECE_LOCKED)
            r[TETRIS_REWARD_LINES] += tetris_event_lock(e).lines;
        if (e->kind == TETRIS_PIECE_LOCKED || e->kind == TETRIS_SOFT_DROPPED)
            points += e->amount;
        if (e->kind == TETRIS_GAME_OVER)
            r[e->data[0] == TETRIS_GOAL ? TETRIS_REWARD_GOAL : TETRIS_REWARD_TOP_OUT] +=
                e->data[0] == TETRIS_GOAL ? 1 : -1;
    }
    r[TETRIS_REWARD_SCORE] = (float)points / 1000;
    r[TETRIS_REWARD_SURVIVAL] = 0.001f * (float)happened->ticks;
}

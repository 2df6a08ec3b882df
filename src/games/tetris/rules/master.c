// What the master may do to a running game (G23.2-G23.4).
#include "games/tetris/rules/internal.h"

static int drop(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    if (a.arg[0] != 0)
        return ERR_SEAT;
    s->piece.kind = TETRIS_NONE;
    gameplay_end(s, TETRIS_DROPPED, out);
    return OK;
}

static int add_garbage(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    (void)out;
    if (a.arg[0] < 1 || a.arg[0] > TETRIS_MAX_ROWS || a.arg[1] > TETRIS_WIDTH)
        return ERR_ACTION;
    garbage_add(s, a.arg[0], a.arg[1]);
    return OK;
}

static int set_next_piece(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    (void)out;
    if (a.arg[0] < TETRIS_I || a.arg[0] > TETRIS_L || s->queued == TETRIS_QUEUE)
        return ERR_ACTION;
    memmove(s->queue + 1, s->queue, s->queued);
    s->queue[0] = a.arg[0];
    s->queued++;
    return OK;
}

static int set_level(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    (void)out;
    if (a.arg[0] > TETRIS_MAX_LEVEL || s->facts.lines / 10 > INT16_MAX)
        return ERR_ACTION;
    gameplay_set_level(s, a.arg[0]);
    return OK;
}

static int set_gravity(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    (void)out;
    if (a.amount < TETRIS_MIN_GRAVITY || a.amount > TETRIS_MAX_GRAVITY)
        return ERR_ACTION;
    s->facts.gravity_milli = (uint16_t)a.amount;
    return OK;
}

static int set_rise(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    (void)out;
    if (a.arg[0] > TETRIS_MAX_RISE)
        return ERR_ACTION;
    s->facts.rise_rate = a.arg[0];
    return OK;
}

// G23.3: only to where it fits. No input of the player: lock delay and rotation flag begin anew.
static int teleport(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    (void)out;
    struct tetris_piece *p = &s->piece;
    int x = a.arg[0] - tetris_left(p->kind, p->rotation), y = a.amount - tetris_top(p->kind, p->rotation);
    if (a.arg[0] + tetris_span(p->kind, p->rotation) > TETRIS_WIDTH || a.amount < -TETRIS_HIDDEN ||
        a.amount >= TETRIS_HEIGHT || !field_fits(&s->field, piece_shape(p), x, y))
        return ERR_ACTION;
    p->x = (int8_t)x;
    p->y = (int8_t)y;
    p->lock_ms = 0;
    p->resets = 0;
    p->turned = p->kicked = 0;
    p->deepest = s->rules.ruleset == TETRIS_GUIDELINE ? p->y : 0;
    return OK;
}

// Which fields of an action may be other than zero.
enum { ARG_0 = 1, ARG_1 = 2, AMOUNT = 4 };

static const struct order {
    int32_t kind, fields;
    int (*obey)(struct tetris_state *s, struct game_action a, struct game_events *out);
} orders[] = {
    {GAME_DROP, ARG_0 | ARG_1, drop},
    {TETRIS_GARBAGE, ARG_0 | ARG_1, add_garbage},
    {TETRIS_NEXT_PIECE, ARG_0, set_next_piece},
    {TETRIS_SET_LEVEL, ARG_0, set_level},
    {TETRIS_SET_GRAVITY, AMOUNT, set_gravity},
    {TETRIS_SET_RISE, ARG_0, set_rise},
    {TETRIS_TELEPORT, ARG_0 | AMOUNT, teleport},
};

int master_apply(struct tetris_state *s, struct game_action a, struct game_events *out)
{
    if (s->facts.end)
        return ERR_OVER;
    int fields = (a.arg[0] ? ARG_0 : 0) | (a.arg[1] ? ARG_1 : 0) | (a.amount ? AMOUNT : 0);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i].kind == a.kind)
            return a.arg[2] || (fields & ~orders[i].fields) ? ERR_ACTION : orders[i].obey(s, a, out);
    return ERR_ACTION;
}

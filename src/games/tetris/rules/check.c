// What holds in every state, whatever was played.
#include "games/tetris/rules/internal.h"
#include "games/tetris/rules/view.h"

static const char *check_field(const struct tetris_state *s)
{
    int top = field_top(s->rules.ruleset);
    for (int y = -FIELD_ABOVE; y < 32 - FIELD_ABOVE; y++) {
        unsigned row = s->field.taken[y + FIELD_ABOVE];
        if (y < top || y >= TETRIS_HEIGHT) {
            if (row != FIELD_FULL)
                return "a row outside the field is open";
            continue;
        }
        if ((row & FIELD_WALL) != FIELD_WALL)
            return "a wall has a gap";
        if (row == FIELD_FULL)
            return "a full row was left";
    }
    for (int y = -TETRIS_HIDDEN; y < TETRIS_HEIGHT; y++)
        for (int x = 0; x < TETRIS_WIDTH; x++) {
            int code = field_cell(&s->field, x, y);
            bool taken = y >= top && s->field.taken[y + FIELD_ABOVE] >> (x + FIELD_LEFT) & 1;
            if (code > TETRIS_GREY || taken != (code != 0))
                return "colours and taken cells differ";
        }
    return NULL;
}

static int count_cells(const struct tetris_field *f)
{
    int count = 0;
    for (int i = 0; i < TETRIS_ALL_CELLS; i++)
        count += f->cells[i] != TETRIS_NONE;
    return count;
}

static int count_start(const struct tetris_rules *r)
{
    int count = 0;
    for (int i = 0; i < TETRIS_CELLS; i++)
        count += (r->board[i / 2] >> 4 * (i % 2) & 15) != TETRIS_NONE;
    return count;
}

// Every lock brings four cells, every line takes ten, every garbage row brings nine.
static const char *check_conservation(const struct tetris_state *s)
{
    const struct tetris_facts *f = &s->facts;
    int64_t cells = count_cells(&s->field);
    int64_t due =
        count_start(&s->rules) + 4 * (int64_t)f->board_id - 10 * (int64_t)f->lines + 9 * (int64_t)f->garbage_rows;
    if (f->end == TETRIS_BURIED ? cells > due : cells != due)
        return "cells came from nowhere or went missing";
    return NULL;
}

static const char *check_bags(const struct tetris_state *s)
{
    for (int bag = 0; bag < 2; bag++) {
        unsigned seen = 0;
        for (int i = 0; i < 7; i++)
            seen |= s->order[7 * bag + i] <= TETRIS_L ? 1u << s->order[7 * bag + i] : 1;
        if (seen != 0xFE)
            return "a bag is not a permutation of the seven kinds";
    }
    struct tetris_state again = *s;
    bag_start(&again, s->generator); // its first bag is the one that follows
    if (memcmp(again.order, s->order + 7, 7) != 0 || again.generator != s->generator_ahead)
        return "the bag ahead is not what the generator gives";
    if (s->taken > 7 || s->queued > TETRIS_QUEUE)
        return "the queue is out of range";
    for (int i = 0; i < TETRIS_QUEUE; i++)
        if (i < s->queued ? s->queue[i] < TETRIS_I || s->queue[i] > TETRIS_L : s->queue[i] != TETRIS_NONE)
            return "the pieces set to come first are not kinds";
    return NULL;
}

static const char *check_piece(const struct tetris_state *s)
{
    const struct tetris_piece *p = &s->piece;
    if (p->kind > TETRIS_L || p->rotation > TETRIS_WEST || p->turned > 1 || p->kicked > p->turned || p->resets > 15)
        return "the active piece is malformed";
    if (!p->kind)
        return s->facts.end ? NULL : "a running game has no active piece";
    if (p->x < -FIELD_LEFT || p->x > TETRIS_WIDTH - 1 || p->y < -FIELD_ABOVE || p->y > TETRIS_HEIGHT)
        return "the active piece is out of range";
    if (!field_fits(&s->field, piece_shape(p), p->x, p->y))
        return "the active piece overlaps";
    if (p->kind == TETRIS_O && p->rotation != TETRIS_NORTH)
        return "O was turned";
    return NULL;
}

static const char *check_facts(const struct tetris_state *s)
{
    const struct tetris_facts *f = &s->facts;
    int64_t level = (int64_t)(f->lines / 10) + f->level_base;
    if (f->level != (level > 0 ? level : 0))
        return "the level does not follow from the lines";
    if (f->combo < -1 || f->hold > TETRIS_L || f->can_hold > 1 || f->paused > 1 || f->end > TETRIS_GOAL)
        return "a counter is out of range";
    if (f->line_clear_ms > 180 || s->piece.soft_ms > 150 || f->pending > TETRIS_MAX_PENDING)
        return "a timer is out of range";
    if (f->board_id + (s->facts.end == 0) > f->piece_id)
        return "more pieces locked than came";
    return NULL;
}

const char *tetris_check(const void *state)
{
    static const char *(*const checks[])(const struct tetris_state *) = {
        check_field, check_conservation, check_bags, check_piece, check_facts,
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const char *broken = checks[i](state);
        if (broken)
            return broken;
    }
    return NULL;
}

// Garbage rows: at the start, by the clock or by the master. They wait and rise at the next lock.
#include "games/tetris/rules/internal.h"

// A column other than that of the row before, so that neighbours differ.
static int draw_hole(struct tetris_state *s, struct rng_draw *d)
{
    int hole;
    if (s->last_hole == 0) {
        hole = (int)rng_draw_below(d, TETRIS_WIDTH);
    } else {
        hole = (int)rng_draw_below(d, TETRIS_WIDTH - 1);
        hole += hole >= s->last_hole - 1;
    }
    s->last_hole = (uint8_t)(hole + 1);
    return hole;
}

static bool raise_rows(struct tetris_state *s, const uint8_t *holes, int rows)
{
    struct rng_draw d;
    rng_begin(&d, &s->chance);
    bool kept = true;
    for (int i = 0; i < rows; i++) {
        int hole = holes[i] ? holes[i] - 1 : draw_hole(s, &d);
        kept &= field_raise(&s->field, hole, field_top(s->rules.ruleset));
    }
    s->facts.garbage_rows += (uint32_t)rows;
    return kept;
}

void garbage_start(struct tetris_state *s)
{
    static const uint8_t drawn[TETRIS_MAX_ROWS];
    if (s->rules.garbage_rows)
        raise_rows(s, drawn, s->rules.garbage_rows);
    s->facts.rise_rate = s->rules.rise_rate;
    s->facts.rise_period = s->rules.rise_first;
    s->facts.rise_ticks = s->rules.rise_first;
}

void garbage_add(struct tetris_state *s, int rows, int hole)
{
    for (int i = 0; i < rows && s->facts.pending < TETRIS_MAX_PENDING; i++)
        s->facts.hole[s->facts.pending++] = (uint8_t)hole;
}

// The survival scenario's rows, each sooner than the one before.
static void count_down(struct tetris_facts *f, const struct tetris_rules *r, struct tetris_state *s)
{
    if (--f->rise_ticks > 0)
        return;
    garbage_add(s, 1, 0);
    int sooner = f->rise_period - r->rise_sooner;
    f->rise_period = (uint16_t)(sooner > r->rise_least ? sooner : r->rise_least);
    f->rise_ticks = f->rise_period;
}

void garbage_tick(struct tetris_state *s)
{
    struct tetris_facts *f = &s->facts;
    if (f->rise_ticks)
        count_down(f, &s->rules, s);
    // So many in 1000 ticks, evenly: whenever the running share passes a whole row.
    if (f->rise_rate && f->ticks * (uint64_t)f->rise_rate % 1000 < f->rise_rate)
        garbage_add(s, 1, 0);
}

bool garbage_rise(struct tetris_state *s, struct game_events *out)
{
    int rows = s->facts.pending;
    if (!rows)
        return true;
    bool kept = raise_rows(s, s->facts.hole, rows);
    s->facts.pending = 0;
    memset(s->facts.hole, 0, sizeof s->facts.hole);
    struct game_event *e = game_emit(out, TETRIS_GARBAGE_ROSE, 0, EVERYONE);
    if (e)
        e->amount = rows;
    return kept;
}

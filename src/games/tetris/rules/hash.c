// State hashes that the wire contract fixes: FNV-1a over little-endian fields (T2.20-T2.22).
#include "games/tetris/rules/internal.h"

#define FNV_BASIS 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

struct fnv {
    uint64_t h;
};

static void put_u8(struct fnv *f, unsigned value)
{
    f->h = (f->h ^ (value & 0xFF)) * FNV_PRIME;
}

static void put_u32(struct fnv *f, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        put_u8(f, value >> 8 * i);
}

static void put_u64(struct fnv *f, uint64_t value)
{
    put_u32(f, (uint32_t)value);
    put_u32(f, (uint32_t)(value >> 32));
}

// Ten bytes of zero only multiply, ten times.
static uint64_t prime_to_the_tenth(void)
{
    uint64_t p = 1;
    for (int i = 0; i < TETRIS_WIDTH; i++)
        p *= FNV_PRIME;
    return p;
}

uint64_t tetris_hash_field(const struct tetris_state *s, enum tetris_layout layout)
{
    struct fnv f = {FNV_BASIS};
    bool hidden = layout == TETRIS_HASH_AGON && s->rules.ruleset == TETRIS_GUIDELINE;
    uint64_t empty = prime_to_the_tenth();
    for (int y = hidden ? -TETRIS_HIDDEN : 0; y < TETRIS_HEIGHT; y++) {
        if (s->field.taken[y + FIELD_ABOVE] == FIELD_WALL) {
            f.h *= empty;
            continue;
        }
        for (int x = 0; x < TETRIS_WIDTH; x++)
            put_u8(&f, (unsigned)field_cell(&s->field, x, y));
    }
    return f.h;
}

static void put_piece(struct fnv *f, const struct tetris_piece *p)
{
    bool active = p->kind;
    put_u8(f, p->kind);
    put_u8(f, active ? p->rotation : 0);
    put_u8(f, active ? (uint8_t)p->x : 0);
    put_u8(f, active ? (uint8_t)p->y : 0);
}

static unsigned flags_of(const struct tetris_state *s)
{
    const struct tetris_facts *c = &s->facts;
    return (unsigned)(c->can_hold | c->paused << 1 | (c->end != 0) << 2 | s->piece.turned << 3 | c->back_to_back << 4 |
                      s->piece.kicked << 5);
}

static uint32_t resets_of(const struct tetris_state *s)
{
    uint32_t resets = s->piece.resets;
    if (s->rules.ruleset == TETRIS_GUIDELINE) // T2.21
        resets += 256u * (uint32_t)(s->piece.deepest + 8);
    return resets;
}

// T2.20
static uint64_t hash_agon(const struct tetris_state *s, uint64_t field)
{
    enum { LAYOUT_VERSION = 1 };
    const struct tetris_facts *c = &s->facts;
    struct fnv f = {FNV_BASIS};
    put_u8(&f, LAYOUT_VERSION);
    put_u8(&f, s->rules.ruleset);
    put_u64(&f, field);
    put_u32(&f, c->board_id);
    put_piece(&f, &s->piece);
    put_u8(&f, c->hold);
    put_u8(&f, flags_of(s));
    for (int i = 0; i < 7; i++)
        put_u8(&f, s->order[i]);
    put_u8(&f, s->taken);
    const uint32_t rest[] = {s->generator, c->seed,          c->piece_id,        c->step_in_piece, c->score,
                             c->level,     c->lines,         (uint32_t)c->combo, c->drop_ms,       s->piece.lock_ms,
                             resets_of(s), s->piece.soft_ms, c->line_clear_ms};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        put_u32(&f, rest[i]);
    return f.h;
}

static void put_event(struct fnv *f, const struct tetris_lock *e)
{
    put_u8(f, e != NULL);
    if (!e)
        return;
    put_u8(f, 1); // locked
    put_u32(f, e->lines);
    put_u32(f, e->score);
    bool spin = e->lines && e->spin; // T1.50
    put_u64(f, spin);
    if (spin)
        put_u64(f, e->spin == TETRIS_SPIN_FULL);
    put_u32(f, (uint32_t)e->combo);
    put_u8(f, e->back_to_back);
}

// T2.22: kinds count from 0 here.
static void put_kind(struct fnv *f, int kind)
{
    put_u64(f, (uint64_t)(kind - TETRIS_I));
}

static uint64_t hash_compat(const struct tetris_state *s, const struct tetris_lock *event, uint64_t field)
{
    const struct tetris_facts *c = &s->facts;
    const struct tetris_piece *p = &s->piece;
    struct fnv f = {FNV_BASIS};
    put_u64(&f, field);
    put_u32(&f, c->board_id);
    put_u64(&f, p->kind != 0);
    if (p->kind) {
        put_kind(&f, p->kind);
        put_u64(&f, p->rotation);
        put_u8(&f, (uint8_t)p->x);
        put_u8(&f, (uint8_t)p->y);
    }
    put_u64(&f, c->hold != 0);
    if (c->hold)
        put_kind(&f, c->hold);
    put_u8(&f, c->can_hold);
    uint8_t room[TETRIS_NEXT];
    const uint8_t *next = bag_next(s, room);
    put_u64(&f, TETRIS_NEXT);
    for (int i = 0; i < TETRIS_NEXT; i++)
        put_kind(&f, next[i]);
    put_u8(&f, c->paused);
    put_u8(&f, c->end != 0);
    const uint32_t rest[] = {c->episode_id, c->piece_id, c->step_in_piece, c->seed,    c->score,
                             c->level,      c->lines,    c->drop_ms,       p->lock_ms, c->line_clear_ms};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        put_u32(&f, rest[i]);
    put_event(&f, event);
    return f.h;
}

uint64_t tetris_hash_rest(const struct tetris_state *s, enum tetris_layout layout, const struct tetris_lock *event,
                          uint64_t field)
{
    return layout == TETRIS_HASH_AGON ? hash_agon(s, field) : hash_compat(s, event, field);
}

uint64_t tetris_hash(const struct tetris_state *s, enum tetris_layout layout, const struct tetris_lock *event)
{
    return tetris_hash_rest(s, layout, event, tetris_hash_field(s, layout));
}

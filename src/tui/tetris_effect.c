#include "tui/tetris_effect.h"

#include "base/text.h"

static void add_notice(struct tetris_effect *e, const char *words, const uint32_t *number)
{
    if (e->notices == TETRIS_EFFECT_NOTICES)
        return;
    struct text t = text_on(e->notice[e->notices++], TETRIS_EFFECT_NOTICE_ROOM - 1);
    text_puts(&t, words);
    if (number)
        text_put_uint(&t, *number);
    t.at[t.size] = 0;
}

static void name_lock(struct tetris_effect *e, const struct tetris_lock *lock)
{
    static const char *const plain[] = {"", "", "DOUBLE", "TRIPLE", "TETRIS"},
                             *const spins[] = {"T-SPIN", "T-SPIN SINGLE", "T-SPIN DOUBLE", "T-SPIN TRIPLE", ""},
                             *const minis[] = {"T-SPIN MINI", "MINI SINGLE", "MINI DOUBLE", "MINI TRIPLE", ""};
    const char *const *names = lock->spin == TETRIS_SPIN_FULL ? spins : lock->spin == TETRIS_SPIN_MINI ? minis : plain;
    const char *name = lock->lines <= 4 ? names[lock->lines] : "";
    if (*name)
        add_notice(e, name, NULL);
}

static void write_notices(struct tetris_effect *e, const struct tetris_lock *lock, bool was_back_to_back,
                          int64_t now_us)
{
    e->notices = 0;
    name_lock(e, lock);
    if (lock->lines && lock->back_to_back && was_back_to_back)
        add_notice(e, "BACK-TO-BACK", NULL);
    if (lock->combo > 0)
        add_notice(e, "COMBO ", &(uint32_t){(uint32_t)lock->combo});
    if (lock->lines && lock->perfect)
        add_notice(e, "PERFECT CLEAR", NULL);
    e->notice_until_us = now_us + TETRIS_EFFECT_NOTICE_US;
}

// Writes the locked piece into the field before it; false when it does not fit there.
static bool add_piece(uint8_t cells[TETRIS_CELLS], const struct tetris_lock *lock)
{
    const struct tetris_cell *cell = tetris_cells(lock->kind, lock->rotation);
    int x = lock->x - tetris_left(lock->kind, lock->rotation), y = lock->y - tetris_top(lock->kind, lock->rotation);
    for (int i = 0; i < 4; i++) {
        int column = x + cell[i].x, row = y + cell[i].y;
        if (row < 0)
            continue;
        if (column < 0 || column >= TETRIS_WIDTH || row >= TETRIS_HEIGHT || cells[row * TETRIS_WIDTH + column])
            return false;
        cells[row * TETRIS_WIDTH + column] = lock->kind;
    }
    return true;
}

static uint32_t full_rows(const uint8_t cells[TETRIS_CELLS])
{
    uint32_t rows = 0;
    for (int y = 0; y < TETRIS_HEIGHT; y++)
        if (!memchr(cells + y * TETRIS_WIDTH, 0, TETRIS_WIDTH))
            rows |= 1u << y;
    return rows;
}

// Whether `before` without `rows` gives `after`, apart from the rows that came in from above.
static bool leads_to(const uint8_t before[TETRIS_CELLS], uint32_t rows, const uint8_t after[TETRIS_CELLS])
{
    int to = TETRIS_HEIGHT - 1;
    for (int from = TETRIS_HEIGHT - 1; from >= 0; from--) {
        if (rows >> from & 1)
            continue;
        if (memcmp(before + from * TETRIS_WIDTH, after + to * TETRIS_WIDTH, TETRIS_WIDTH) != 0)
            return false;
        to--;
    }
    return true;
}

// The cleared rows are no longer in the view: they are reconstructed from the view before and the lock. If something
// else happened in between (two locks in one step, a lost observation), there is no effect.
static void find_rows(struct tetris_effect *e, const struct tetris_view *v)
{
    memcpy(e->before, e->cells, sizeof e->before);
    if (!v->facts.lock.lines || !add_piece(e->before, &v->facts.lock))
        return;
    uint32_t rows = full_rows(e->before);
    if (rows && leads_to(e->before, rows, v->cells))
        e->rows = rows;
}

void tetris_effect_update(struct tetris_effect *e, const struct tetris_view *v, int64_t now_us)
{
    const struct tetris_facts *f = &v->facts;
    bool same_game = e->seen && e->episode_id == f->episode_id;
    if (!same_game || !f->line_clear_ms)
        e->rows = 0;
    if (!same_game || now_us >= e->notice_until_us)
        e->notices = 0;
    if (same_game && e->board_id != f->board_id && f->lock.kind) {
        e->rows = 0;
        if (f->board_id == e->board_id + 1)
            find_rows(e, v);
        write_notices(e, &f->lock, e->back_to_back, now_us);
    }
    if (!e->seen || !same_game || e->board_id != f->board_id)
        memcpy(e->cells, v->cells, sizeof e->cells);
    e->back_to_back = f->back_to_back;
    e->seen = true;
    e->episode_id = f->episode_id;
    e->board_id = f->board_id;
}

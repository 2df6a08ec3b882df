// A row as a test wants it, written element by element through their names (V34), and compared with the one that the
// game writes. Every element must be written once for each row, always in the same order: names are looked up the first
// time.
#pragma once

#include "game/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct named_row {
    const struct game *g;
    uint32_t next, known; // puts of this row; those whose names were looked up
    int index[GAME_MAX_VECTOR];
    float value[GAME_MAX_VECTOR];
    bool written[GAME_MAX_VECTOR];
};

static inline void named_row_begin(struct named_row *r, const struct game *g)
{
    r->g = g;
    r->next = 0;
    memset(r->written, 0, sizeof r->written);
}

__attribute__((format(printf, 3, 4))) static inline void named_row_put(struct named_row *r, double value,
                                                                       const char *format, ...)
{
    if (r->next == r->known) {
        char name[80];
        va_list words;
        va_start(words, format);
        vsnprintf(name, sizeof name, format, words);
        va_end(words);
        int index = game_row_find(r->g, game_row_vectors(r->g), name);
        if (index < 0) {
            fprintf(stderr, "%s has no element '%s'\n", r->g->name, name);
            abort();
        }
        r->index[r->known++] = index;
    }
    int index = r->index[r->next++];
    r->value[index] = (float)value;
    r->written[index] = true;
}

// Whether the row is the wanted one; if not, says where.
static inline bool named_row_matches(const struct named_row *r, const float *row)
{
    int version = game_row_vectors(r->g), size = (int)game_row_size(r->g, version);
    for (int i = 0; i < size; i++) {
        struct game_element e;
        float apart = row[i] - r->value[i];
        if (r->written[i] && apart < 1e-6f && -apart < 1e-6f)
            continue;
        game_row_element(r->g, version, i, &e);
        fprintf(stderr, "%s: element %d, %s, is %g and not %s%g\n", r->g->name, i, e.name, (double)row[i],
                r->written[i] ? "" : "tested; last ", (double)r->value[i]);
        return false;
    }
    return true;
}

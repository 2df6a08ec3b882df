// What the caller sees of a lane: observations, masks, tokens.
#include "vec/inside.h"

// ---- Masks ----------------------------------------------------------------------------------------------------------

typedef uint8_t bytes __attribute__((vector_size(16)));
typedef uint16_t halves __attribute__((vector_size(16)));

static inline void expand_16(uint64_t bits, uint8_t *out)
{
    const bytes bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint16_t b = (uint16_t)bits;
    halves all = {b, b, b, b, b, b, b, b};
    bytes each = __builtin_shufflevector((bytes)all, (bytes)all, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    each = (bytes)((each & bit) == bit) & 1;
    memcpy(out, &each, sizeof each);
}

// Sixteen at a time; the last sixteen end where the row ends and overlap those before them.
void row_expand_mask(const uint64_t *words, uint32_t actions, uint8_t *out)
{
    uint32_t i = 0;
    for (; i + 16 <= actions; i += 16)
        expand_16(words[i / 64] >> i % 64, out + i);
    if (i == actions)
        return;
    if (actions < 16) {
        for (i = 0; i < actions; i++)
            out[i] = words[0] >> i & 1;
        return;
    }
    i = actions - 16;
    uint64_t bits = words[i / 64] >> i % 64;
    if (i % 64 > 48)
        bits |= words[i / 64 + 1] << (64 - i % 64);
    expand_16(bits, out + i);
}

// ---- Tokens (V80-V82) -----------------------------------------------------------------------------------------------

void row_write_tokens(const struct agon_vec *v, const struct lane *l, int viewer, int16_t *out)
{
    uint32_t room = v->config.tokens, count = l->tokens < room ? l->tokens : room;
    memset(out, 0, (room - count) * 4 * sizeof *out);
    out += (room - count) * 4;
    for (uint32_t i = l->tokens - count; i != l->tokens; i++, out += 4)
        game_write_token(v->game, &lane_ring(v, l)[i % room], (int)v->seats, viewer, out);
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static inline void observe(const struct agon_vec *v, const struct lane *l, int viewer, void *out)
{
    game_observe(v->game, lane_state(v, l), lane_history(v, l), viewer, v->version, v->dtype, out);
}

void row_observe(const struct agon_vec *v, const struct lane *l, int viewer, void *out)
{
    if (!v->config.viewers_all) {
        observe(v, l, viewer, out);
        return;
    }
    for (uint32_t s = 0; s < v->seats; s++)
        observe(v, l, (int)s, (uint8_t *)out + s * v->seat_bytes);
}

// The row of environment i in AGON_ROW_ASKED shows the seat that is asked, at an end the one that answered last.
static int viewer_of(const struct agon_vec *v, const struct lane *l, uint32_t row)
{
    if (v->rows_of_env > 1)
        return (int)row;
    return l->asked == AGON_NOBODY ? l->last : l->asked;
}

static void write_observations(const struct agon_vec *v, const struct lane *l, void *buffer, uint32_t i)
{
    uint8_t *out = (uint8_t *)buffer + (size_t)i * v->rows_of_env * v->row_bytes;
    for (uint32_t row = 0; row < v->rows_of_env; row++, out += v->row_bytes)
        row_observe(v, l, viewer_of(v, l, row), out);
}

static void write_masks(const struct agon_vec *v, const struct lane *l, const struct agon_buffers *to, uint32_t i)
{
    size_t first = (size_t)i * v->rows_of_env;
    const uint64_t *words = lane_masks(v, l);
    if (to->mask_words)
        memcpy(to->mask_words + first * v->words, words, v->rows_of_env * v->words * sizeof *words);
    for (uint32_t row = 0; to->masks && row < v->rows_of_env; row++)
        row_expand_mask(words + row * v->words, v->actions, to->masks + (first + row) * v->actions);
}

void row_write(const struct agon_vec *v, const struct lane *l, const struct agon_buffers *to, uint32_t i)
{
    if (to->observations)
        write_observations(v, l, to->observations, i);
    write_masks(v, l, to, i);
    if (to->asked)
        to->asked[i] = l->asked;
    if (to->asked_set)
        to->asked_set[i] = lane_asked_set(v, l);
    if (to->hashes)
        to->hashes[i] = game_hash(v->game, lane_state(v, l));
    for (uint32_t row = 0; to->tokens && row < v->rows_of_env; row++)
        row_write_tokens(v, l, viewer_of(v, l, row),
                         to->tokens + ((size_t)i * v->rows_of_env + row) * v->config.tokens * 4);
}

void row_write_final(const struct agon_vec *v, const struct lane *l, const struct agon_buffers *to, uint32_t i)
{
    if (to->final_observations)
        write_observations(v, l, to->final_observations, i);
}

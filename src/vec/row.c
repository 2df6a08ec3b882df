// What the caller sees of a lane: observations, masks, tokens.
#include "game/pen.h"
#include "vec/internal.h"

// ---- Masks ----------------------------------------------------------------------------------------------------------

typedef uint8_t bytes __attribute__((vector_size(16)));
typedef uint64_t pair __attribute__((vector_size(16)));

// Bytes 2i and 2i + 1 of a word as sixteen bytes of 0 and 1.
#define EXPAND(word, i, out)                                                                                           \
    do {                                                                                                               \
        bytes each = __builtin_shufflevector(                                                                          \
            (bytes)(word), (bytes)(word), 2 * (i), 2 * (i), 2 * (i), 2 * (i), 2 * (i), 2 * (i), 2 * (i), 2 * (i),      \
            2 * (i) + 1, 2 * (i) + 1, 2 * (i) + 1, 2 * (i) + 1, 2 * (i) + 1, 2 * (i) + 1, 2 * (i) + 1, 2 * (i) + 1);   \
        each = (bytes)((each & bit) == bit) & 1;                                                                       \
        memcpy((out) + 16 * (i), &each, sizeof each);                                                                  \
    } while (0)

static const bytes bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

static void expand_16(uint64_t from, uint8_t *out)
{
    pair word = {from, 0};
    EXPAND(word, 0, out);
}

// The last sixteen of a row end where it ends and overlap those before them.
static void expand_last(const uint64_t *from, uint32_t actions, uint8_t *out)
{
    uint32_t at = actions - 16;
    uint64_t last = from[at / 64] >> at % 64;
    if (at % 64 > 48)
        last |= from[at / 64 + 1] << (64 - at % 64);
    expand_16(last, out + at);
}

#ifdef __x86_64__
typedef uint8_t wide __attribute__((vector_size(32)));
typedef uint32_t eight __attribute__((vector_size(32)));

// 32 at a time where the processor has registers for them: half the instructions.
#define EXPAND_32(bits, out)                                                                                           \
    do {                                                                                                               \
        wide each = (wide)((eight){0} + (uint32_t)(bits));                                                             \
        each = (wide)__builtin_ia32_pshufb256((shuffled)each, (shuffled)place);                                        \
        each = (wide)((each & one_bit) == one_bit) & 1;                                                                \
        memcpy(out, &each, sizeof each);                                                                               \
    } while (0)

typedef char shuffled __attribute__((vector_size(32)));

__attribute__((target("avx2"))) static void expand_wide(const uint64_t *from, uint32_t actions, uint8_t *out)
{
    static const wide place = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                               2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3};
    static const wide one_bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128,
                                 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint32_t done = 0, at = actions - 32;
    for (; done + 32 <= actions; done += 32)
        EXPAND_32(from[done / 64] >> done % 64, out + done);
    if (done == actions)
        return;
    uint64_t last = from[at / 64] >> at % 64; // they end where the row ends
    if (at % 64 > 32)
        last |= from[at / 64 + 1] << (64 - at % 64);
    EXPAND_32(last, out + at);
}
#endif

bool row_can_be_wide(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

void row_expand_mask(const uint64_t *from, uint32_t actions, bool is_wide, uint8_t *out)
{
#ifdef __x86_64__
    if (is_wide && actions >= 32) {
        expand_wide(from, actions, out);
        return;
    }
#endif
    (void)is_wide;
    uint8_t *at = out, *end = out + actions;
    const uint64_t *rest = from;
    for (; end - at >= 64; at += 64) {
        pair word = {*rest++, 0};
        EXPAND(word, 0, at);
        EXPAND(word, 1, at);
        EXPAND(word, 2, at);
        EXPAND(word, 3, at);
    }
    if (actions < 16) {
        pen_few_bytes(out, (uint32_t)*from, (int)actions);
        return;
    }
    for (uint32_t shift = 0; end - at >= 16; at += 16, shift += 16)
        expand_16(*rest >> shift, at);
    if (at != end)
        expand_last(from, actions, out);
}

// ---- Tokens (V80-V82) -----------------------------------------------------------------------------------------------

__attribute__((noinline)) void row_write_tokens(const struct agon_vec *v, const struct lane *l, int viewer,
                                                int16_t *out)
{
    uint32_t room = v->config.tokens, count = l->tokens < room ? l->tokens : room;
    memset(out, 0, (room - count) * 4 * sizeof *out);
    out += (room - count) * 4;
    for (uint32_t i = l->tokens - count; i != l->tokens; i++, out += 4)
        game_write_token(v->game, &lane_ring(v, l)[i % room], (int)v->seats, viewer, out);
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static inline void observe_seat(const struct agon_vec *v, const struct lane *l, int viewer, void *out)
{
    game_observe(v->game, lane_state(v, l), lane_history(v, l), viewer, v->version, v->dtype, out);
}

void row_observe(const struct agon_vec *v, const struct lane *l, int viewer, void *out)
{
    if (!v->config.viewers_all) {
        observe_seat(v, l, viewer, out);
        return;
    }
    for (uint32_t s = 0; s < v->seats; s++)
        observe_seat(v, l, (int)s, (uint8_t *)out + s * v->seat_bytes);
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
    if (v->shows_asked) {
        observe_seat(v, l, l->asked == AGON_NOBODY ? l->last : l->asked, out);
        return;
    }
    for (uint32_t row = 0; row < v->rows_of_env; row++, out += v->row_bytes)
        row_observe(v, l, viewer_of(v, l, row), out);
}

static void write_masks(const struct agon_vec *v, const struct lane *l, uint8_t *out, uint32_t i)
{
    const uint64_t *words = lane_masks(v, l);
    if (v->rows_of_env == 1) {
        row_expand_mask(words, v->actions, v->is_wide, out + (size_t)i * v->actions);
        return;
    }
    out += (size_t)i * v->rows_of_env * v->actions;
    for (uint32_t row = 0; row < v->rows_of_env; row++, out += v->actions, words += v->words)
        row_expand_mask(words, v->actions, v->is_wide, out);
}

bool row_has_extras(const struct agon_buffers *to)
{
    return to->mask_words || to->hashes || to->tokens;
}

static __attribute__((noinline)) void write_extras(const struct agon_vec *v, const struct lane *l,
                                                   const struct agon_buffers *to, uint32_t i)
{
    size_t first = (size_t)i * v->rows_of_env;
    if (to->mask_words)
        memcpy(to->mask_words + first * v->words, lane_masks(v, l), v->rows_of_env * v->words * sizeof(uint64_t));
    if (to->hashes)
        to->hashes[i] = game_hash(v->game, lane_state(v, l));
    for (uint32_t row = 0; to->tokens && row < v->rows_of_env; row++)
        row_write_tokens(v, l, viewer_of(v, l, row), to->tokens + (first + row) * v->config.tokens * 4);
}

void row_write(const struct agon_vec *v, const struct lane *l, const struct group *g, uint32_t i)
{
    const struct agon_buffers *to = &g->to;
    if (to->observations)
        write_observations(v, l, to->observations, i);
    if (to->masks)
        write_masks(v, l, to->masks, i);
    if (to->asked)
        to->asked[i] = l->asked;
    if (to->asked_set)
        to->asked_set[i] = l->owing;
    if (g->has_row_extras)
        write_extras(v, l, to, i);
}

void row_write_final(const struct agon_vec *v, const struct lane *l, const struct agon_buffers *to, uint32_t i)
{
    if (to->final_observations)
        write_observations(v, l, to->final_observations, i);
}

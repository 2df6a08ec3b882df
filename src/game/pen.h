// Writes elements of a row as float32 or uint8 (V33). For `observe` functions: the code of a game is written once,
// inlined into one function for each dtype, and the dtype is a constant there. Offsets and counts should be constants
// too.
//
//     static inline void write_row(struct game_pen p, const struct x_state *s)
//     {
//         pen_flags(p, X_HAND, s->held, 32);
//     }
//     void x_observe(...)
//     {
//         dtype == GAME_F32 ? write_row(pen_f32(out), s) : write_row(pen_u8(out), s);
//     }
//
// Stores are many and cheap, branches that cannot be foreseen are not: gather flags into words of bits and write every
// element whatever the game's phase. Neighbours with few flags are best joined into one word.
#pragma once

#include "game/rows.h"

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

#define PEN_INLINE static inline __attribute__((always_inline))

struct game_pen {
    union {
        float *f32;
        uint8_t *u8;
    };
    uint64_t dtype; // enum game_dtype
};

PEN_INLINE struct game_pen pen_f32(void *out)
{
    return (struct game_pen){.f32 = out, .dtype = GAME_F32};
}

PEN_INLINE struct game_pen pen_u8(void *out)
{
    return (struct game_pen){.u8 = out, .dtype = GAME_U8};
}

typedef uint32_t pen_lanes __attribute__((vector_size(16)));
typedef float pen_floats __attribute__((vector_size(16)));
typedef uint8_t pen_bytes __attribute__((vector_size(16)));
typedef uint64_t pen_pair __attribute__((vector_size(16)));

// The lowest four bits at `shift` as four floats 0 or 1.
PEN_INLINE void pen_four(float *out, uint32_t bits, int shift)
{
    const pen_lanes places = (pen_lanes){1, 2, 4, 8} << (uint32_t)shift;
    const pen_lanes one = {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000}; // 1.0f
    pen_lanes word = {bits, bits, bits, bits};
    pen_lanes floats = (pen_lanes)((word & places) == places) & one;
    memcpy(out, &floats, sizeof floats);
}

// The lowest eight bits as eight bytes 0 or 1: seven at once by a product, in which no two of them meet, and the
// eighth.
PEN_INLINE uint64_t pen_eight(uint32_t bits)
{
    uint64_t seven = (bits & 0x7F) * UINT64_C(0x0002040810204081);
    return (seven & UINT64_C(0x0101010101010101)) | (uint64_t)(bits & 0x80) << 49;
}

// 1 for each byte that is not 0.
PEN_INLINE pen_bytes pen_ones(pen_bytes bytes)
{
#ifdef __SSE4_1__
    return (pen_bytes)_mm_min_epu8((__m128i)bytes, _mm_set1_epi8(1));
#else
    return (pen_bytes)(bytes != 0) & 1;
#endif
}

// Bytes i and i + 1 of a word of bits as sixteen bytes 0 or 1.
#define PEN_PAIR(word, i)                                                                                              \
    __builtin_shufflevector(word, word, i, i, i, i, i, i, i, i, (i) + 1, (i) + 1, (i) + 1, (i) + 1, (i) + 1, (i) + 1,  \
                            (i) + 1, (i) + 1)

// Sixteen bits from `shift` on, a multiple of 16, as sixteen bytes.
PEN_INLINE void pen_sixteen(uint8_t *out, uint64_t bits, int shift)
{
    const pen_bytes places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    pen_bytes word = (pen_bytes)(pen_pair){bits};
    word = shift == 0    ? PEN_PAIR(word, 0)
           : shift == 16 ? PEN_PAIR(word, 2)
           : shift == 32 ? PEN_PAIR(word, 4)
                         : PEN_PAIR(word, 6);
    pen_bytes bytes = pen_ones(word & places);
    memcpy(out, &bytes, sizeof bytes);
}

// The bits of a byte as floats, for long runs of flags: half the instructions of pen_four.
extern const float pen_eights[256][8];

PEN_INLINE void pen_byte(float *out, uint8_t bits)
{
    memcpy(out, pen_eights[bits], sizeof pen_eights[bits]);
}

PEN_INLINE void pen_flag(struct game_pen p, int at, bool flag)
{
    if (p.dtype == GAME_F32)
        p.f32[at] = (float)flag;
    else
        p.u8[at] = flag;
}

// Bits as floats. The last four end where the run ends and may overlap those before.
PEN_INLINE void pen_floats_of(float *out, uint32_t bits, int count) // up to 32
{
    int i = 0;
#pragma GCC unroll 8
    for (; i + 4 <= count; i += 4)
        pen_four(out + i, bits, i);
    if (i < count && count > 4)
        pen_four(out + count - 4, bits, count - 4);
    else
#pragma GCC unroll 3
        for (; i < count; i++)
            out[i] = (float)(bits >> i & 1);
}

// Bits as bytes, fewer than sixteen, by two stores that may overlap.
PEN_INLINE void pen_few_bytes(uint8_t *out, uint32_t bits, int count)
{
    uint64_t eight = pen_eight(bits);
    if (count >= 8) {
        uint64_t last = pen_eight(bits >> (count - 8));
        memcpy(out, &eight, 8);
        memcpy(out + count - 8, &last, 8);
    } else if (count >= 4) {
        uint64_t last = eight >> 8 * (count - 4);
        memcpy(out, &eight, 4);
        memcpy(out + count - 4, &last, 4);
    } else {
#pragma GCC unroll 3
        for (int i = 0; i < count; i++)
            out[i] = bits >> i & 1;
    }
}

PEN_INLINE void pen_bytes_of(uint8_t *out, uint64_t bits, int count) // up to 64
{
    int i = 0;
#pragma GCC unroll 4
    for (; i + 16 <= count; i += 16)
        pen_sixteen(out + i, bits, i);
    if (count < 16) {
        pen_few_bytes(out, (uint32_t)bits, count);
    } else if (count - i > 8) {
        pen_sixteen(out + count - 16, bits >> (count - 16), 0);
    } else if (i < count) {
        uint64_t last = pen_eight((uint32_t)(bits >> (count - 8)));
        memcpy(out + count - 8, &last, 8);
    }
}

// Elements that are 0. Stores of 16 bytes, the last of which may overlap: the compiler clears this much by an
// instruction that starts slowly. At least 16 elements.
PEN_INLINE void pen_zeros(struct game_pen p, int at, int count)
{
    const pen_lanes zero = {0};
    int size = p.dtype == GAME_F32 ? count * (int)sizeof *p.f32 : count;
    uint8_t *from = p.dtype == GAME_F32 ? (uint8_t *)(p.f32 + at) : p.u8 + at;
#pragma GCC unroll 32
    for (int i = 0; i + 16 < size; i += 16)
        memcpy(from + i, &zero, sizeof zero);
    memcpy(from + size - 16, &zero, sizeof zero);
}

// Bit i is element at + i; up to 64. Bits beyond the count are ignored.
PEN_INLINE void pen_flags(struct game_pen p, int at, uint64_t bits, int count)
{
    if (p.dtype == GAME_U8) {
        pen_bytes_of(p.u8 + at, bits, count);
        return;
    }
    pen_floats_of(p.f32 + at, (uint32_t)bits, count < 32 ? count : 32);
    if (count > 32)
        pen_floats_of(p.f32 + at + 32, (uint32_t)(bits >> 32), count - 32);
}

PEN_INLINE pen_floats pen_capped(pen_floats x) // at 1
{
    const pen_floats one = {1, 1, 1, 1};
#ifdef __SSE4_1__
    return (pen_floats)_mm_min_ps((__m128)x, (__m128)one);
#else
    pen_lanes less = (pen_lanes)(x < one);
    return (pen_floats)(((pen_lanes)x & less) | ((pen_lanes)one & ~less));
#endif
}

// A fraction 0..1: step 1/255. One beyond 1 is 255 as a byte.
PEN_INLINE void pen_share(struct game_pen p, int at, float share)
{
    if (p.dtype == GAME_F32)
        p.f32[at] = share;
    else
        p.u8[at] = (uint8_t)(int)((share < 1 ? share : 1) * 255);
}

// A fraction of two whole numbers, `part` at most `whole` and that at most 1000: as a byte without a division, and the
// same as the fraction's (a test compares all of them).
PEN_INLINE void pen_part(struct game_pen p, int at, int part, int whole)
{
    if (p.dtype == GAME_F32)
        p.f32[at] = (float)part / (float)whole;
    else
        p.u8[at] = (uint8_t)((unsigned)part * 255 / (unsigned)whole);
}

// Sixteen fractions as bytes: floor(255 x), and 255 for those beyond 1.
PEN_INLINE pen_bytes pen_floors(pen_floats a, pen_floats b, pen_floats c, pen_floats d)
{
#ifdef __SSE4_1__
    __m128i low = _mm_packs_epi32(_mm_cvttps_epi32((__m128)(a * 255)), _mm_cvttps_epi32((__m128)(b * 255)));
    __m128i high = _mm_packs_epi32(_mm_cvttps_epi32((__m128)(c * 255)), _mm_cvttps_epi32((__m128)(d * 255)));
    return (pen_bytes)_mm_packus_epi16(low, high);
#else
    pen_bytes out;
    const pen_floats from[] = {a, b, c, d};
    for (int i = 0; i < 16; i++) {
        float share = from[i / 4][i % 4];
        out[i] = (uint8_t)(int)((share < 1 ? share : 1) * 255);
    }
    return out;
#endif
}

// Four fractions of neighbours.
PEN_INLINE void pen_shares(struct game_pen p, int at, pen_floats share)
{
    if (p.dtype == GAME_F32) {
        memcpy(p.f32 + at, &share, sizeof share);
    } else {
        pen_bytes bytes = pen_floors(share, share, share, share);
        memcpy(p.u8 + at, &bytes, 4);
    }
}

// A count as a share of `whole`: step 1/whole. The count is at most 255.
PEN_INLINE void pen_count(struct game_pen p, int at, int count, int whole)
{
    if (p.dtype == GAME_F32)
        p.f32[at] = (float)count / (float)whole;
    else
        p.u8[at] = (uint8_t)count;
}

// A word of four counts of 16 bits as floats.
PEN_INLINE pen_floats pen_four_counts(uint64_t counts)
{
#ifdef __SSE4_1__
    return (pen_floats)_mm_cvtepi32_ps(_mm_cvtepu16_epi32(_mm_cvtsi64_si128((long long)counts)));
#else
    typedef uint16_t four __attribute__((vector_size(8)));
    return __builtin_convertvector((four)counts, pen_floats);
#endif
}

// The number, or 0 when the claim does not hold, without a branch.
PEN_INLINE int32_t pen_if(bool claim, int32_t number)
{
    return number & -(int32_t)claim;
}

// One flag of a run, to be given to pen_flags; nothing when the index is not in 0..63.
PEN_INLINE uint64_t pen_one_of(unsigned index)
{
    return (uint64_t)(index < 64) << (index & 63);
}

// A size that the compiler does not know. Of one that it knows, above 128 bytes, gcc makes "rep stos" and "rep movs",
// which need 10 ns before they begin; the library's memset and memcpy need 3.
PEN_INLINE size_t pen_size(size_t size)
{
    __asm__("" : "+r"(size));
    return size;
}

// Four bytes as four floats, times `step`.
PEN_INLINE void pen_four_bytes(float *out, const uint8_t *bytes, float step)
{
#ifdef __SSE4_1__
    int32_t four;
    memcpy(&four, bytes, sizeof four);
    __m128 floats = _mm_cvtepi32_ps(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four)));
    _mm_storeu_ps(out, step == 1 ? floats : _mm_mul_ps(floats, _mm_set1_ps(step)));
#else
    for (int i = 0; i < 4; i++)
        out[i] = step * (float)bytes[i];
#endif
}

// Sixteen bytes at a time: gcc does not unroll a loop over four, and its bookkeeping takes as long as the work.
PEN_INLINE void pen_sixteen_bytes(float *out, const uint8_t *bytes, float step)
{
    pen_four_bytes(out, bytes, step);
    pen_four_bytes(out + 4, bytes + 4, step);
    pen_four_bytes(out + 8, bytes + 8, step);
    pen_four_bytes(out + 12, bytes + 12, step);
}

// More than 128 bytes, sixteen at a time; the last may overlap those before. See pen_size for what memcpy would become.
PEN_INLINE void pen_copy_bytes(uint8_t *out, const uint8_t *bytes, int count)
{
#pragma GCC unroll 32
    for (int i = 0; i + 16 < count; i += 16)
        memcpy(out + i, bytes + i, 16);
    memcpy(out + count - 16, bytes + count - 16, 16);
}

// Flags and counts that are kept in the order of the row: element at + i is bytes[i] times `step`.
PEN_INLINE void pen_copy(struct game_pen p, int at, const uint8_t *bytes, int count, float step)
{
    if (p.dtype == GAME_U8 && count > 128) {
        pen_copy_bytes(p.u8 + at, bytes, count);
        return;
    }
    if (p.dtype == GAME_U8) {
        memcpy(p.u8 + at, bytes, (size_t)count);
        return;
    }
    int i = 0;
    for (; i + 16 <= count; i += 16)
        pen_sixteen_bytes(p.f32 + at + i, bytes + i, step);
    for (; i + 4 <= count; i += 4)
        pen_four_bytes(p.f32 + at + i, bytes + i, step);
    for (; i < count; i++)
        p.f32[at + i] = step * (float)bytes[i];
}

// Sixteen bytes as sixteen floats: whether each is not 0. A byte that is 0 becomes four bytes of ones, which keep the
// one of the float out.
PEN_INLINE void pen_sixteen_taken(float *out, const uint8_t *bytes)
{
#ifdef __SSE4_1__
    const __m128 one = _mm_set1_ps(1);
    __m128i empty = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)bytes), _mm_setzero_si128());
    __m128i low = _mm_unpacklo_epi8(empty, empty), high = _mm_unpackhi_epi8(empty, empty);
    _mm_storeu_ps(out, _mm_andnot_ps(_mm_castsi128_ps(_mm_unpacklo_epi16(low, low)), one));
    _mm_storeu_ps(out + 4, _mm_andnot_ps(_mm_castsi128_ps(_mm_unpackhi_epi16(low, low)), one));
    _mm_storeu_ps(out + 8, _mm_andnot_ps(_mm_castsi128_ps(_mm_unpacklo_epi16(high, high)), one));
    _mm_storeu_ps(out + 12, _mm_andnot_ps(_mm_castsi128_ps(_mm_unpackhi_epi16(high, high)), one));
#else
    for (int i = 0; i < 16; i++)
        out[i] = bytes[i] != 0;
#endif
}

PEN_INLINE void pen_sixteen_of(struct game_pen p, int at, const uint8_t *bytes)
{
    pen_bytes sixteen;
    if (p.dtype == GAME_F32) {
        pen_sixteen_taken(p.f32 + at, bytes);
        return;
    }
    memcpy(&sixteen, bytes, sizeof sixteen);
    sixteen = pen_ones(sixteen);
    memcpy(p.u8 + at, &sixteen, sizeof sixteen);
}

// Element at + i is whether bytes[i] is not 0. At least 16; the last sixteen may overlap those before.
PEN_INLINE void pen_taken(struct game_pen p, int at, const uint8_t *bytes, int count)
{
#pragma GCC unroll 16
    for (int i = 0; i + 16 < count; i += 16)
        pen_sixteen_of(p, at + i, bytes + i);
    pen_sixteen_of(p, at + count - 16, bytes + count - 16);
}

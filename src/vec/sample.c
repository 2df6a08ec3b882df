// agon_sample: a legal action for every row, one draw each in row order (V15).
#include "vec/internal.h"

#define GAMMA UINT64_C(0x9e3779b97f4a7c15) // what a draw adds to its state, so that any draw is known at once

// splitmix64
static uint64_t draw_number(uint64_t *state)
{
    uint64_t z = *state += GAMMA;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

#define ONES  UINT64_C(0x0101010101010101) // one in each byte
#define TOPS  UINT64_C(0x8080808080808080)
#define EVERY static inline __attribute__((always_inline))

// How many bytes of `sums`, which grow, are at most `rank`.
EVERY uint32_t count_up_to(uint64_t sums, uint32_t rank)
{
    return (uint32_t)__builtin_popcountll(((rank * ONES | TOPS) - sums) & TOPS);
}

// The place of set bit number `rank` of a word: the byte by sums of bits, then the bit by sums within it. No branch,
// because none could be guessed.
EVERY int32_t select_bit(uint64_t word, uint32_t rank)
{
    uint64_t sums = word - (word >> 1 & UINT64_C(0x5555555555555555));
    sums = (sums & UINT64_C(0x3333333333333333)) + (sums >> 2 & UINT64_C(0x3333333333333333));
    sums = ((sums + (sums >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * ONES; // byte i: set bits of bytes 0 to i
    uint32_t at = count_up_to(sums, rank) * 8;
    rank -= (uint32_t)(sums << 8 >> at & 0xff);
    uint64_t spread = (word >> at & 0xff) * ONES & UINT64_C(0x8040201008040201); // byte i: bit i, somewhere
    uint64_t bits = (((spread & ~TOPS) + ~TOPS) | spread) >> 7 & ONES;
    return (int32_t)(at + count_up_to(bits * ONES, rank));
}

// The same by one instruction (BMI2), which not every processor has. On early Zen it is slower than the above.
EVERY int32_t deposit_bit(uint64_t word, uint32_t rank)
{
#ifdef __x86_64__
    uint64_t bit;
    __asm__("pdep %2, %1, %0" : "=r"(bit) : "r"(UINT64_C(1) << rank), "r"(word));
    return __builtin_ctzll(bit);
#else
    return select_bit(word, rank);
#endif
}

bool sample_can_deposit(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
#else
    return false;
#endif
}

EVERY int32_t pick(const uint64_t *mask, uint32_t words, bool deposits, uint64_t drawn)
{
    uint32_t count = 0, before[GAME_FLAT_WORDS + 1] = {0}, word = 0;
    for (uint32_t i = 0; i < words; i++)
        before[i + 1] = count += (uint32_t)__builtin_popcountll(mask[i]);
    uint32_t rank = (uint32_t)((drawn >> 32) * count >> 32);
    for (uint32_t i = 1; i < words; i++)
        word += rank >= before[i];
    rank -= before[word];
    return (int32_t)(word * 64) + (deposits ? deposit_bit(mask[word], rank) : select_bit(mask[word], rank));
}

EVERY void sample_rows(const struct agon_vec *v, uint32_t first, uint32_t envs, uint32_t words, bool deposits,
                       uint64_t state, int32_t *actions)
{
    for (uint32_t i = 0; i < envs; i++) {
        const uint64_t *mask = lane_masks(v, lane_at(v, first + i));
        for (uint32_t row = 0; row < v->rows_of_env; row++, mask += words)
            *actions++ = pick(mask, words, deposits, draw_number(&state));
    }
}

static void sample_envs(const struct agon_vec *v, uint32_t first, uint32_t envs, uint64_t state, int32_t *actions)
{
    switch (v->words + 8 * v->deposits) { // each with its loops unrolled
    case 1:
        sample_rows(v, first, envs, 1, false, state, actions);
        break;
    case 2:
        sample_rows(v, first, envs, 2, false, state, actions);
        break;
    case 3:
        sample_rows(v, first, envs, 3, false, state, actions);
        break;
    case 9:
        sample_rows(v, first, envs, 1, true, state, actions);
        break;
    case 10:
        sample_rows(v, first, envs, 2, true, state, actions);
        break;
    case 11:
        sample_rows(v, first, envs, 3, true, state, actions);
        break;
    default:
        sample_rows(v, first, envs, v->words, false, state, actions);
    }
}

void vec_sample_run(const struct agon_vec *v, const struct group *g, uint32_t run, uint64_t state, int32_t *actions)
{
    uint32_t at = run * VEC_RUN, envs = g->envs - at < VEC_RUN ? g->envs - at : VEC_RUN;
    uint64_t row = (uint64_t)at * v->rows_of_env;
    sample_envs(v, g->first + at, envs, state + row * GAMMA, actions + row);
}

// A thread that would have to be woken would come too late.
static void sample_together(struct agon_vec *v, struct group *g, uint64_t state, int32_t *actions)
{
    g->samples = actions;
    g->draws = state;
    workers_send(v, g);
    workers_wake(v, WORKERS_AWAKE);
    workers_finish(v, g);
    g->samples = NULL;
}

int agon_sample(agon_vec *v, uint32_t group, uint64_t *draws, int32_t *actions)
{
    int err = vec_check_group(v, group);
    if (err)
        return err;
    if (!v->is_reset)
        return vec_refuse(AGON_NOT_BOUND, "not every environment has an episode; call reset first");
    if (!draws || !actions)
        return vec_refuse(AGON_BAD_BUFFER, "agon_sample needs the state of its stream and a place for the actions");
    struct group *g = &v->groups[group];
    if (v->workers)
        sample_together(v, g, *draws, actions);
    else
        sample_envs(v, g->first, g->envs, *draws, actions);
    *draws += g->rows * GAMMA;
    return AGON_OK;
}

// Clocks and instruction counters of this machine, and the calibration, a fixed amount of integer operations.
#include "app/bench.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CALIBRATION_CARDS = 32 }; // changing this changes the unit, and with it every figure measured so far

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_cpu_seconds(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double bench_all_cpu_seconds(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

// One round is typical of game rules: a shuffle, then a walk with branches that depend on the data.
static uint64_t calibration_round(struct bench_dice *dice)
{
    uint8_t deck[CALIBRATION_CARDS * 2];
    for (int i = 0; i < CALIBRATION_CARDS; i++)
        deck[i] = (uint8_t)i;
    for (uint32_t i = CALIBRATION_CARDS - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(bench_draw(dice) >> 32) % (i + 1);
        uint8_t card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
    uint64_t seen = 0, sum = 0;
    for (int i = 0; i < CALIBRATION_CARDS; i++) {
        if (deck[i] & 1 && !(seen >> (deck[i] ^ 1) & 1))
            sum += deck[i];
        seen |= 1ull << deck[i];
    }
    return sum;
}

double bench_calibrate(int rounds)
{
    struct bench_dice dice = {1};
    static volatile uint64_t sink; // keeps the work from being optimised away
    uint64_t sum = 0;
    double begin = bench_cpu_seconds();
    for (int i = 0; i < rounds; i++)
        sum += calibration_round(&dice);
    double seconds = bench_cpu_seconds() - begin;
    sink = sum;
    (void)sink;
    return rounds / seconds;
}

struct bench_counter bench_counter_open(void)
{
    struct perf_event_attr what = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof what,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    return (struct bench_counter){(int)syscall(SYS_perf_event_open, &what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)};
}

uint64_t bench_counter_read(const struct bench_counter *c)
{
    uint64_t count = 0;
    if (c->fd < 0 || read(c->fd, &count, sizeof count) != sizeof count)
        return 0;
    return count;
}

void bench_counter_close(struct bench_counter *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

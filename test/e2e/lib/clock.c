// A wall clock that a test moves while a program runs (S92): preloaded, it adds the milliseconds that the file named by
// AGON_TEST_CLOCK holds. A time namespace cannot move CLOCK_REALTIME. Built by clock.mjs.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset_ms;

__attribute__((constructor)) static void open_offset(void)
{
    const char *path = getenv("AGON_TEST_CLOCK");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *offset_ms, PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (at != MAP_FAILED)
        offset_ms = at;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int err = (int)syscall(SYS_clock_gettime, clock, out);
    if (err || !offset_ms || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE))
        return err;
    int64_t ns = out->tv_nsec + *offset_ms % 1000 * 1000000;
    int64_t carry = ns < 0 ? -1 : ns >= 1000000000 ? 1 : 0;
    out->tv_sec += *offset_ms / 1000 + carry;
    out->tv_nsec = ns - carry * 1000000000;
    return 0;
}

int gettimeofday(struct timeval *out, void *zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

// Deadlines by the wall clock are in moved time, and the kernel's clock is not. A deadline by the monotonic clock is
// small: it counts from the start of the machine.
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
    enum { LONG_AGO = 1000000000 }; // seconds of the wall clock: 2001
    if (until->tv_sec < LONG_AGO)
        return pthread_cond_clockwait(cond, mutex, CLOCK_MONOTONIC, until);
    int64_t ms = offset_ms ? *offset_ms : 0, ns = until->tv_nsec - ms % 1000 * 1000000;
    int64_t carry = ns < 0 ? -1 : ns >= 1000000000 ? 1 : 0;
    struct timespec due = {.tv_sec = until->tv_sec - ms / 1000 + carry, .tv_nsec = ns - carry * 1000000000};
    return pthread_cond_clockwait(cond, mutex, CLOCK_REALTIME, &due);
}

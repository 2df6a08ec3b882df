#include "work/fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// Both sanitizers track stacks, so every switch has to be announced to them.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(FIBER_ASAN)
#define FIBER_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) && !defined(FIBER_TSAN)
#define FIBER_TSAN 1
#endif

#ifdef FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

static void before_enter(struct fiber *f)
{
#ifdef FIBER_ASAN
    __sanitizer_start_switch_fiber(&f->fake_back, f->memory, f->size);
#endif
#ifdef FIBER_TSAN
    f->thread_back = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(f->thread_here, 0);
#endif
    (void)f;
}

static void after_enter(struct fiber *f) // called on the fiber, each time it is entered
{
#ifdef FIBER_ASAN
    __sanitizer_finish_switch_fiber(f->fake_here, &f->back_bottom, &f->back_size);
#endif
    (void)f;
}

static void before_leave(struct fiber *f)
{
#ifdef FIBER_ASAN
    __sanitizer_start_switch_fiber(f->ended ? NULL : &f->fake_here, f->back_bottom, f->back_size);
#endif
#ifdef FIBER_TSAN
    __tsan_switch_to_fiber(f->thread_back, 0);
#endif
    (void)f;
}

static void after_leave(struct fiber *f) // called by whoever entered it, after the switch back
{
#ifdef FIBER_ASAN
    __sanitizer_finish_switch_fiber(f->fake_back, NULL, NULL);
#endif
    (void)f;
}

void fiber_create(struct fiber *f, size_t stack_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *f = (struct fiber){.size = stack_bytes};
    char *all = mmap(NULL, stack_bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (all == MAP_FAILED || mprotect(all, page, PROT_NONE) != 0)
        abort();
    f->memory = all + page;
#ifdef FIBER_TSAN
    f->thread_here = __tsan_create_fiber(0);
#endif
}

void fiber_destroy(struct fiber *f)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
#ifdef FIBER_TSAN
    __tsan_destroy_fiber(f->thread_here);
#endif
    munmap(f->memory - page, f->size + page);
    *f = (struct fiber){0};
}

// makecontext passes ints, so the pointer is split in two.
static void run_fiber(unsigned high, unsigned low)
{
    struct fiber *f = (struct fiber *)((uintptr_t)high << 32 | (uintptr_t)low);
    after_enter(f);
    f->run(f->arg);
    f->ended = true;
    before_leave(f);
    setcontext(&f->back);
    abort();
}

void fiber_begin(struct fiber *f, void (*run)(void *arg), void *arg)
{
    f->run = run;
    f->arg = arg;
    f->ended = false;
    f->fake_here = NULL;
#ifdef FIBER_ASAN
    __asan_unpoison_memory_region(f->memory, f->size); // clears what the previous job on this stack left poisoned
#endif
    if (getcontext(&f->here) != 0)
        abort();
    f->here.uc_stack.ss_sp = f->memory;
    f->here.uc_stack.ss_size = f->size;
    f->here.uc_link = NULL;
    makecontext(&f->here, (void (*)(void))run_fiber, 2, (unsigned)((uintptr_t)f >> 32), (unsigned)(uintptr_t)f);
}

void fiber_enter(struct fiber *f)
{
    before_enter(f);
    if (swapcontext(&f->back, &f->here) != 0)
        abort();
    after_leave(f);
}

void fiber_leave(struct fiber *f)
{
    before_leave(f);
    if (swapcontext(&f->here, &f->back) != 0)
        abort();
    after_enter(f);
}

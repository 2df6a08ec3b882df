#include "app/reserved_memory.h"

#include "app/app.h"

#include <sys/mman.h>

void *memory_reserve(size_t size)
{
    // Address space for the largest case; the system gives memory only to pages that are written.
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        app_die("the system has no %zu MiB of address space left", size >> 20);
    return memory;
}

void memory_release(void *memory, size_t size)
{
    munmap(memory, size);
}

struct text memory_reserve_text(size_t room)
{
    return text_on(memory_reserve(room), room);
}

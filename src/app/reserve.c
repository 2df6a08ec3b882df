#include "app/reserve.h"

#include "app/app.h"

#include <sys/mman.h>

void *app_reserve(size_t size)
{
    // Address space for the largest case; the system gives memory only to pages that are written.
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        app_die("the system has no %zu MiB of address space left", size >> 20);
    return memory;
}

void app_release(void *memory, size_t size)
{
    munmap(memory, size);
}

struct text app_reserve_text(size_t room)
{
    return text_on(app_reserve(room), room);
}

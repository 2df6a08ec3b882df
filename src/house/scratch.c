#include "house/scratch.h"

#include <pthread.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

struct block {
    _Alignas(ALIGNMENT) size_t size;
    _Alignas(ALIGNMENT) char at[];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void make_key(void)
{
    if (pthread_key_create(&key, free) != 0)
        abort();
}

// The old block's contents are not kept: a decision begins with undefined work space.
static struct block *grow_block(struct block *old, size_t size)
{
    free(old);
    struct block *b = aligned_alloc(ALIGNMENT, (sizeof *b + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (!b || pthread_setspecific(key, b) != 0)
        abort();
    b->size = size;
    return b;
}

void *scratch_for(const struct bot *bot)
{
    if (!bot->scratch_size)
        return NULL;
    pthread_once(&once, make_key);
    struct block *b = pthread_getspecific(key);
    if (!b || b->size < bot->scratch_size)
        b = grow_block(b, bot->scratch_size);
    return b->at;
}

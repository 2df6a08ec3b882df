#include "dirty/dirty.h"

#include "low/low.h"

#include <stdlib.h>

int dirty_count(void)
{
    char *memory = malloc(16);
    int there = memory != NULL;
    free(memory);
    return low_add(there, 1);
}

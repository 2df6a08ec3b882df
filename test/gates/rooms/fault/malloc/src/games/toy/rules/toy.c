#include "games/toy/rules/toy.h"

#include <stdlib.h>

void toy_step(struct toy_state *s)
{
    volatile char *memory = malloc(16); // the fault
    s->score = memory != NULL;
}

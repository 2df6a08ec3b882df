// What a test of the lobby begins with: a kit that is opened before every test and closed after it.
#pragma once

#include "lobby_kit.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct kit k;

static inline int set_up(void **state)
{
    (void)state;
    kit_open(&k, NULL);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    kit_close(&k);
    return 0;
}

// With other options than kit_open's own.
static inline void reopen(void (*change)(struct lobby_options *o))
{
    struct lobby_options o = k.o;
    kit_close(&k);
    change(&o);
    kit_open(&k, &o);
}

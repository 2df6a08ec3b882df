#pragma once

#include <stdint.h>

struct toy_state {
    int32_t score;
    uint8_t phase, seat, left, spare;
};

void toy_step(struct toy_state *s);

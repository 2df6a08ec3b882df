// What a rating is worth on a given day (F7.5, F7.8, F7.11).
#pragma once

#include "stats/glicko.h"

#include <stdint.h>

enum { GRADE_DAY_MS = 86400000 };

struct grade {
    struct glicko glicko;
    int64_t rated_ms; // 0: never rated
};

double grade_display(struct grade g, int64_t now_ms);
int64_t grade_changes_ms(struct grade g, int64_t now_ms); // when the display drops next; 0: never again

// F7.11: mean of the displays of listed games, weighted by games played, with a bonus for more games.
struct grade_sum {
    double weighted, weight;
    int games;
};

void grade_add(struct grade_sum *sum, double display, uint32_t games);
double grade_aggregate(const struct grade_sum *sum);

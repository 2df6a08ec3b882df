// A picture of the ratings in the course of a contest.
#pragma once

#include "contest/contest.h"

enum { PLOT_POINTS = 2048 };

struct plot {
    int entrants;
    char name[CONTEST_ENTRANTS][CONTEST_NAME];
    const char *title;             // what is drawn: "Elo", or the unit of the stake
    float (*at)[CONTEST_ENTRANTS]; // of all entrants, every `stride` games
    uint32_t count;
    uint64_t stride, games;
};

bool plot_init(struct plot *p, const struct contest_plan *plan);
void plot_release(struct plot *p);
void plot_add(struct plot *p, const struct contest *c);  // after every game, in order
bool plot_write(const struct plot *p, const char *path); // PNG; false with errno set

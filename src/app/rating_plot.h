// A picture of the ratings in the course of a contest.
#pragma once

#include "contest/contest.h"

enum { RATING_PLOT_POINTS = 2048 };

struct rating_plot {
    int entrants;
    char name[CONTEST_ENTRANTS][CONTEST_NAME];
    const char *title;             // what is drawn: "Elo", or the unit of the stake
    float (*at)[CONTEST_ENTRANTS]; // of all entrants, every `stride` games
    uint32_t count;
    uint64_t stride, games;
};

bool rating_plot_init(struct rating_plot *p, const struct contest_plan *plan);
void rating_plot_release(struct rating_plot *p);
void rating_plot_add(struct rating_plot *p, const struct contest *c);  // after every game, in order
bool rating_plot_write(const struct rating_plot *p, const char *path); // PNG; false with errno set

#include "bots/weigh.h"

void weigh_add(struct weighing *w, const double value[], double weight)
{
    double squared = weight * weight;
    w->worlds++;
    w->weight += weight;
    w->weights += squared;
    for (int i = 0; i < w->count; i++) {
        double ahead = value[i] - value[w->played];
        w->sum[i] += weight * value[i];
        w->ahead[i] += squared * ahead;
        w->square[i] += squared * ahead * ahead;
    }
}

int weigh_find(const struct weighing *w, struct game_action a)
{
    for (int i = 0; i < w->count; i++)
        if (game_same_action(w->action[i], a))
            return i;
    return -1;
}

static double scale_of(const struct weighing *w)
{
    return w->scale > 0 ? w->scale : 1;
}

double weigh_value(const struct weighing *w, int answer)
{
    return w->weight > 0 ? scale_of(w) * w->sum[answer] / w->weight : 0;
}

double weigh_points(const struct weighing *w, int answer)
{
    return w->weight > 0 ? w->points[answer] / w->weight : 0;
}

double weigh_ahead(const struct weighing *w, int answer)
{
    return weigh_value(w, answer) - weigh_value(w, w->played);
}

// Of a weighted mean: the squares of weight x distance from the mean.
double weigh_variance(const struct weighing *w, int answer)
{
    if (w->exact || w->worlds < 2 || w->weight <= 0)
        return 0;
    double mean = weigh_ahead(w, answer) / scale_of(w), n = (double)w->worlds;
    double squares = w->square[answer] - 2 * mean * w->ahead[answer] + mean * mean * w->weights;
    double variance = squares > 0 ? squares / (w->weight * w->weight) * n / (n - 1) : 0;
    return variance * scale_of(w) * scale_of(w);
}

int weigh_best(const struct weighing *w)
{
    int best = w->played;
    for (int i = 0; i < w->count; i++)
        if (weigh_value(w, i) > weigh_value(w, best))
            best = i;
    return best;
}

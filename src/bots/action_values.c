#include "bots/action_values.h"

void action_values_add(struct action_values *w, const double value[], double weight)
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

int action_values_find(const struct action_values *w, struct game_action a)
{
    for (int i = 0; i < w->count; i++)
        if (game_same_action(w->action[i], a))
            return i;
    return -1;
}

static double scale_of(const struct action_values *w)
{
    return w->scale > 0 ? w->scale : 1;
}

double action_values_mean(const struct action_values *w, int answer)
{
    return w->weight > 0 ? scale_of(w) * w->sum[answer] / w->weight : 0;
}

double action_values_points(const struct action_values *w, int answer)
{
    return w->weight > 0 ? w->points[answer] / w->weight : 0;
}

double action_values_lead(const struct action_values *w, int answer)
{
    return action_values_mean(w, answer) - action_values_mean(w, w->played);
}

// Of a weighted mean: the squares of weight x distance from the mean.
double action_values_variance(const struct action_values *w, int answer)
{
    if (w->exact || w->worlds < 2 || w->weight <= 0)
        return 0;
    double mean = action_values_lead(w, answer) / scale_of(w), n = (double)w->worlds;
    double squares = w->square[answer] - 2 * mean * w->ahead[answer] + mean * mean * w->weights;
    double variance = squares > 0 ? squares / (w->weight * w->weight) * n / (n - 1) : 0;
    return variance * scale_of(w) * scale_of(w);
}

int action_values_best(const struct action_values *w)
{
    int best = w->played;
    for (int i = 0; i < w->count; i++)
        if (action_values_mean(w, i) > action_values_mean(w, best))
            best = i;
    return best;
}

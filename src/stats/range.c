#include "stats/range.h"

struct range_part range_part(const double *weight, const float *share, const float *value, int hands)
{
    double all = 0, part = 0, sum = 0;
    for (int i = 0; i < hands; i++) {
        double so = share ? weight[i] * (double)share[i] : weight[i];
        all += weight[i];
        part += so;
        sum += so * (double)value[i];
    }
    return (struct range_part){all > 0 ? part / all : 0, part > 0 ? sum / part : 0};
}

bool range_narrow(double *weight, const float *share, int hands)
{
    double left = 0;
    for (int i = 0; i < hands; i++)
        left += weight[i] * (double)share[i];
    for (int i = 0; i < hands && left > 0; i++)
        weight[i] *= (double)share[i];
    return left > 0;
}

double range_luck(const double *chance, const double *worth, int count, int came)
{
    double mean = 0;
    for (int i = 0; i < count; i++)
        mean += chance[i] * worth[i];
    return worth[came] - mean;
}

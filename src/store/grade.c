#include "store/grade.h"

static int64_t idle_days(struct grade g, int64_t now_ms)
{
    return g.rated_ms > 0 && now_ms > g.rated_ms ? (now_ms - g.rated_ms) / GRADE_DAY_MS : 0;
}

double grade_display(struct grade g, int64_t now_ms)
{
    return glicko_display(glicko_idle(g.glicko, idle_days(g, now_ms)));
}

int64_t grade_changes_ms(struct grade g, int64_t now_ms)
{
    int64_t days = idle_days(g, now_ms);
    if (g.rated_ms <= 0 || grade_display(g, g.rated_ms + (days + 1) * GRADE_DAY_MS) >= grade_display(g, now_ms))
        return 0;
    return g.rated_ms + (days + 1) * GRADE_DAY_MS;
}

void grade_add(struct grade_sum *sum, double display, uint32_t games)
{
    sum->weighted += display * games;
    sum->weight += games;
    sum->games++;
}

double grade_aggregate(const struct grade_sum *sum)
{
    double more = 1 + 0.05 * (sum->games - 1);
    if (sum->weight <= 0)
        return 0;
    return sum->weighted / sum->weight * (more < 1.5 ? more : 1.5);
}

// Statistics of call latencies, and the clock that decisions use up.
#include "base/json_write.h"
#include "contest/play.h"

#include <stdlib.h>

static const double percents[CONTEST_PERCENTS] = {50, 90, 95, 99, 99.9};
static const char *const names[CONTEST_PERCENTS] = {"p50", "p90", "p95", "p99", "p99_9"};

enum { LATENCIES_MOST = 1 << 22 }; // 16 MiB of times; later ones are not counted

void contest_latency_add(struct contest_latencies *t, int64_t took_us)
{
    if (t->count == t->room && t->room < LATENCIES_MOST) {
        size_t room = t->room ? 2 * t->room : 256;
        uint32_t *at = realloc(t->at, room * sizeof *at);
        if (!at)
            return;
        t->at = at;
        t->room = room;
    }
    if (t->count < t->room)
        t->at[t->count++] = took_us < 0 || took_us > UINT32_MAX ? UINT32_MAX : (uint32_t)took_us;
}

static struct contest_latency_summary summarize(const struct contest_latencies *t)
{
    struct contest_latency_summary s = {0};
    double *sorted = calloc(t->count, sizeof *sorted);
    if (!sorted)
        return s;
    for (size_t i = 0; i < t->count; i++) {
        sorted[i] = t->at[i];
        s.mean += sorted[i] / (double)t->count;
    }
    stats_sort(sorted, t->count);
    for (int k = 0; k < CONTEST_PERCENTS; k++)
        s.at[k] = stats_percentile(sorted, t->count, percents[k]);
    s.min = sorted[0];
    s.max = sorted[t->count - 1];
    free(sorted);
    return s;
}

bool contest_spend_clock(const struct contest_plan *p, int64_t *left_us, int64_t took_us)
{
    if (!p->clock_us)
        return true;
    *left_us -= took_us;
    if (*left_us < 0)
        return false;
    *left_us += p->increment_us;
    return true;
}

void contest_latency_write_head(struct text *t)
{
    codec_write(t, "\n%-24s %-13s %8s %9s %9s", "calls, microseconds", "", "count", "min", "mean");
    for (int k = 0; k < CONTEST_PERCENTS; k++)
        codec_write(t, " %9s", names[k]);
    codec_write(t, " %9s\n", "max");
}

void contest_latency_write_row(struct text *t, const char *who, enum seat_call call,
                               const struct contest_latencies *times)
{
    struct contest_latency_summary s = summarize(times);
    codec_write(t, "%-24.24s %-13s %8zu %9.0f %9.0f", who, seat_call_names[call], times->count, s.min, s.mean);
    for (int k = 0; k < CONTEST_PERCENTS; k++)
        codec_write(t, " %9.0f", s.at[k]);
    codec_write(t, " %9.0f\n", s.max);
}

void contest_latency_put(struct text *t, enum seat_call call, const struct contest_latencies *times)
{
    struct contest_latency_summary s = summarize(times);
    json_put_text(t, "call", seat_call_names[call]);
    json_put_uint(t, "count", times->count);
    json_put_decimal(t, "min", s.min, 0);
    json_put_decimal(t, "mean", s.mean, 1);
    for (int k = 0; k < CONTEST_PERCENTS; k++)
        json_put_decimal(t, names[k], s.at[k], 0);
    json_put_decimal(t, "max", s.max, 0);
}

#include "lobby/latency.h"

enum { UNIT_MS = 4, LINEAR = 4 }; // four buckets of 4 ms, then four to each doubling

int latency_bucket(int64_t ms)
{
    uint64_t units = ms < 0 ? 0 : (uint64_t)ms / UNIT_MS;
    if (units < LINEAR)
        return (int)units;
    int octave = 61 - __builtin_clzll(units); // of LINEAR: 0
    int bucket = LINEAR + 4 * octave + (int)(units >> octave & 3);
    return bucket < STORE_LATENCY_BUCKETS ? bucket : STORE_LATENCY_BUCKETS - 1;
}

int64_t latency_bound(int bucket)
{
    if (bucket < LINEAR)
        return (bucket + 1) * UNIT_MS;
    int octave = (bucket - LINEAR) / 4, quarter = (bucket - LINEAR) % 4;
    return (int64_t)(LINEAR + quarter + 1) * UNIT_MS << octave;
}

void latency_note(uint16_t at[STORE_LATENCY_BUCKETS], int64_t ms)
{
    // A full bucket stays full; it must not begin again at 0.
    uint16_t *count = &at[latency_bucket(ms)];
    if (*count < UINT16_MAX)
        ++*count;
}

uint64_t latency_count(const uint32_t at[STORE_LATENCY_BUCKETS])
{
    uint64_t count = 0;
    for (int i = 0; i < STORE_LATENCY_BUCKETS; i++)
        count += at[i];
    return count;
}

int64_t latency_percentile(const uint32_t at[STORE_LATENCY_BUCKETS], int percent)
{
    uint64_t count = latency_count(at), seen = 0;
    if (!count)
        return 0;
    uint64_t wanted = (count * (uint64_t)percent + 99) / 100;
    for (int i = 0; i < STORE_LATENCY_BUCKETS; i++) {
        seen += at[i];
        if (seen >= wanted && seen > 0)
            return latency_bound(i);
    }
    return latency_bound(STORE_LATENCY_BUCKETS - 1);
}

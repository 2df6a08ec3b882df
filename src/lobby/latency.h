// How long decisions take, as a histogram (F7.12): four buckets for every doubling, from 4 ms on.
#pragma once

#include "store/store.h"

int latency_bucket(int64_t ms);    // 0..STORE_LATENCY_BUCKETS-1; the last takes all that is longer
int64_t latency_bound(int bucket); // where it ends: every time in it is below
void latency_note(uint16_t at[STORE_LATENCY_BUCKETS], int64_t ms); // one more, of one match
// The time that `percent` of the decisions did not exceed, by the upper bound of its bucket; 0 without decisions.
int64_t latency_percentile(const uint32_t at[STORE_LATENCY_BUCKETS], int percent);
uint64_t latency_count(const uint32_t at[STORE_LATENCY_BUCKETS]);

// A histogram of decision times (F7.12): four buckets for each doubling, from 4 ms on.
#pragma once

#include "store/store.h"

int latency_bucket(int64_t ms);    // 0..STORE_LATENCY_BUCKETS-1; the last one has no upper bound
int64_t latency_bound(int bucket); // exclusive upper bound in ms
void latency_note(uint16_t at[STORE_LATENCY_BUCKETS], int64_t ms); // adds one decision of a match
// The time that `percent` of the decisions did not exceed, as the upper bound of its bucket; 0 if there are none.
int64_t latency_percentile(const uint32_t at[STORE_LATENCY_BUCKETS], int percent);
uint64_t latency_count(const uint32_t at[STORE_LATENCY_BUCKETS]);

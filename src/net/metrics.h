// Lines of /metrics, in the text format of Prometheus (0.0.4). Names are given without their prefix agon_.
#pragma once

#include "base/text.h"

void metric_put(struct text *t, const char *name, const char *type, const char *help, uint64_t value);
// A figure with labels: its help once, then its values.
void metric_put_help(struct text *t, const char *name, const char *type, const char *help);
void metric_put_value(struct text *t, const char *name, const char *labels,
                      uint64_t value); // labels: "{a=\"b\"}" or ""

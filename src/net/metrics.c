#include "net/metrics.h"

void metric_put_help(struct text *t, const char *name, const char *type, const char *help)
{
    const char *const parts[] = {"# HELP agon_", name, " ", help, "\n# TYPE agon_", name, " ", type, "\n"};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        text_puts(t, parts[i]);
}

void metric_put_value(struct text *t, const char *name, const char *labels, uint64_t value)
{
    text_puts(t, "agon_");
    text_puts(t, name);
    text_puts(t, labels);
    text_put_char(t, ' ');
    text_put_uint(t, value);
    text_put_char(t, '\n');
}

void metric_put(struct text *t, const char *name, const char *type, const char *help, uint64_t value)
{
    metric_put_help(t, name, type, help);
    metric_put_value(t, name, "", value);
}

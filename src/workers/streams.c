#include "workers/streams.h"

#include "workers/message.h"
#include "workers/plan.h"

#include <stdio.h>

enum { DAY_S = 86400, MOST_UNITS = 100000, MOST_PLANS = 10000 }; // what the bus keeps if nobody fetches it

bool workers_open_streams(struct bus *b, char why[BUS_WHY])
{
    static const struct bus_stream streams[] = {
        {WORKERS_WORK, "work.*", true, MOST_UNITS, WORKERS_UNIT, DAY_S},
        {WORKERS_RESULT, "result.*", true, MOST_UNITS, WORKERS_OUTCOME, DAY_S},
        {WORKERS_PLAN, "plan.*", false, MOST_PLANS, WORKERS_PLAN_BYTES, 30 * DAY_S},
    };
    for (unsigned i = 0; i < sizeof streams / sizeof *streams; i++)
        if (!bus_ensure_stream(b, &streams[i], why))
            return false;
    return true;
}

const char *workers_subject(char out[BUS_SUBJECT], const char *what, struct uuid contest)
{
    char id[UUID_TEXT + 1];
    uuid_format(id, contest);
    snprintf(out, BUS_SUBJECT, "%s.%s", what, id);
    return out;
}

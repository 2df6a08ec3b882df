#include "app/agent_report.h"

#include "base/json_read.h"
#include "base/rfc3339.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PARTS = 16, NONE = -1 }; // PARTS: of a power of two in the histogram

void agent_report_add_time(uint64_t times[AGENT_TIMES], int64_t us)
{
    int bucket = 0;
    if (us >= PARTS) {
        int log = 63 - __builtin_clzll((uint64_t)us);
        bucket = PARTS * (log - 3) + (int)(us >> (log - 4) & (PARTS - 1));
    } else if (us > 0) {
        bucket = (int)us;
    }
    times[bucket < AGENT_TIMES ? bucket : AGENT_TIMES - 1]++;
}

int64_t agent_report_time_at(const uint64_t times[AGENT_TIMES], double share)
{
    uint64_t all = 0, seen = 0;
    for (int i = 0; i < AGENT_TIMES; i++)
        all += times[i];
    if (!all)
        return NONE;
    for (int i = 0; i < AGENT_TIMES; i++)
        if ((double)(seen += times[i]) >= share * (double)all) // upper bound of the bucket
            return i < PARTS ? i : (int64_t)(PARTS + 1 + i % PARTS) << (i / PARTS - 1);
    return NONE;
}

struct span agent_report_unquote(struct span text)
{
    bool quoted = text.size > 1 && text.at[0] == '"';
    return quoted ? (struct span){text.at + 1, text.size - 2} : text;
}

void agent_report_add_fault(struct agent_report *r, const char *what)
{
    r->faults++;
    snprintf(r->last_error, sizeof r->last_error, "%s", what);
}

void agent_report_set_reply(struct agent_report *r, const struct http_url *server, const char *what, int status,
                            struct span body)
{
    bool plain = body.size && body.at[0] != '{'; // F1.4
    struct span why = plain ? body : agent_report_unquote(json_member(body, "error"));
    if (status == 0)
        snprintf(r->last_error, sizeof r->last_error,
                 "%s: no connection to %.100s:%u; is the server running, and its certificate trusted?", what,
                 server->host, server->port);
    else
        snprintf(r->last_error, sizeof r->last_error, "%s: %d %.*s", what, status,
                 (int)(why.size < 100 ? why.size : 100), why.size ? why.at : "");
}

// "2026-01-31T23:59:59.250Z" as microseconds of the wall clock.
static int64_t read_time_us(const char *at)
{
    static const uint8_t digits[] = {4, 2, 2, 2, 2, 2, 3};
    int value[7] = {0};
    for (int i = 0; i < 7; i++, at++)
        for (int k = 0; k < digits[i]; k++)
            value[i] = value[i] * 10 + (*at++ - '0');
    struct tm tm = {.tm_year = value[0] - 1900,
                    .tm_mon = value[1] - 1,
                    .tm_mday = value[2],
                    .tm_hour = value[3],
                    .tm_min = value[4],
                    .tm_sec = value[5]};
    return ((int64_t)timegm(&tm) * 1000 + value[6]) * 1000;
}

int64_t agent_report_newest_event_us(struct span data)
{
    struct span events = json_member(data, "new_events");
    static const char mark[] = "\"ts\":\"";
    const char *at = NULL, *next = events.at, *end = events.at + events.size;
    while (events.size && (next = memmem(next, (size_t)(end - next), mark, sizeof mark - 1)))
        at = next += sizeof mark - 1;
    return at && end - at > RFC3339_TEXT ? read_time_us(at) : 0;
}

// Partners win together, so payoffs decide (F2.3).
const char *agent_report_add_result(struct agent_report *report, struct span data, const char *pid)
{
    struct span result = json_member(data, "result"), draw = json_member(result, "is_draw");
    struct span replay = agent_report_unquote(json_member(data, "replay_url"));
    struct json_reader r = json_reader_of(json_member(result, "payoffs"), 2);
    struct json_string key;
    double own = -INFINITY, best = -INFINITY;
    if (replay.size && replay.size < sizeof report->last_replay)
        snprintf(report->last_replay, sizeof report->last_replay, "%.*s", (int)replay.size, replay.at);
    if (!result.size)
        return NULL;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        double payoff = json_read_real(&r);
        best = payoff > best ? payoff : best;
        if (json_string_is(key, pid))
            own = payoff;
    }
    bool drawn = span_is(draw, "true"), won = !drawn && own > -INFINITY && own >= best;
    report->drawn += drawn;
    report->won += won;
    return drawn ? "drawn" : won ? "won" : "lost";
}

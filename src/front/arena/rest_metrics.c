// /metrics in the format of Prometheus (text format 0.0.4).
#include "front/arena/feeds.h"
#include "front/arena/rest_internal.h"

#include "net/metrics.h"
#include "work/work.h"

#include <stddef.h>

static void put_name(struct text *t, const char *name, const char *suffix)
{
    text_puts(t, "agon_");
    text_puts(t, name);
    text_puts(t, suffix);
}

static void put_times(struct text *t, const char *name, const char *help, const struct rest_times *times)
{
    uint64_t sum = 0;
    metric_put_help(t, name, "histogram", help);
    for (int i = 0; i <= REST_BUCKETS; i++) {
        // Buckets of Prometheus are cumulative.
        sum += times->at[i];
        put_name(t, name, "_bucket{le=\"");
        if (i < REST_BUCKETS)
            text_put_decimal(t, rest_time_bounds[i], 6);
        else
            text_puts(t, "+Inf");
        text_puts(t, "\"} ");
        text_put_uint(t, sum);
        text_put_char(t, '\n');
    }
    put_name(t, name, "_sum ");
    text_put_decimal(t, times->seconds, 6);
    text_put_char(t, '\n');
    put_name(t, name, "_count ");
    text_put_uint(t, times->count);
    text_put_char(t, '\n');
}

// --- figures of the lobby and the store, by table

#define FIGURE(field, type, name, help)                                                                                \
    {                                                                                                                  \
        name, type, help, offsetof(struct lobby_figures, field)                                                        \
    }
#define COUNT(field, type, name, help)                                                                                 \
    {                                                                                                                  \
        name, type, help, offsetof(struct store_counts, field)                                                         \
    }

struct row {
    const char *name, *type, *help;
    size_t at;
};

static const struct row figures[] = {
    FIGURE(matches_active, "gauge", "matches_active", "Matches being played"),
    FIGURE(agents_online, "gauge", "agents_online", "Agents with a live connection"),
    FIGURE(queued, "gauge", "queued", "Agents waiting in a queue"),
    FIGURE(spectators, "gauge", "spectators", "Spectators of live matches"),
    FIGURE(matches_begun, "counter", "matches_begun_total", "Matches begun by this process"),
    FIGURE(matches_finished, "counter", "matches_finished_total", "Matches finished by this process"),
    FIGURE(matches_cancelled, "counter", "matches_cancelled_total", "Matches that could not be resumed"),
    FIGURE(actions, "counter", "actions_total", "Actions accepted"),
    FIGURE(fallbacks, "counter", "fallbacks_total", "Actions played for the silent"),
    FIGURE(strikes, "counter", "strikes_total", "Strikes given"),
    FIGURE(drops, "counter", "drops_total", "Players dropped"),
    FIGURE(house_moves, "counter", "house_moves_total", "Actions of house bots"),
    FIGURE(confirmations_failed, "counter", "confirmations_failed_total", "Matches not confirmed in time"),
};

static const struct row counts[] = {
    COUNT(agents, "gauge", "stored_agents", "Agents with a record"),
    COUNT(matches, "gauge", "stored_matches", "Matches in the store"),
    COUNT(running, "gauge", "stored_matches_running", "Of them, not finished"),
    COUNT(actions, "gauge", "stored_actions", "Pieces of logs in the store"),
    COUNT(bytes, "gauge", "stored_bytes", "Size of the data on disk"),
};

static void put_rows(struct text *t, const struct row *rows, size_t count, const void *from)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, (const char *)from + rows[i].at, sizeof value);
        metric_put(t, rows[i].name, rows[i].type, rows[i].help, value);
    }
}

static void put_answers(struct text *t, const struct arena_rest *rest)
{
    static const char *const classes[6] = {NULL, NULL, "{class=\"2xx\"}", NULL, "{class=\"4xx\"}", "{class=\"5xx\"}"};
    metric_put_help(t, "http_answers_total", "counter", "REST answers by class of status");
    for (int i = 0; i < 6; i++)
        if (classes[i])
            metric_put_value(t, "http_answers_total", classes[i], rest->answers[i]);
    metric_put(t, "http_limited_total", "counter", "REST calls refused by a limit", rest->limited);
    metric_put(t, "http_waiting", "gauge", "REST answers waiting for the disk", rest->waiting_now);
    put_times(t, "http_handling_seconds", "Time from a whole REST request to its answer, the disk aside",
              &rest->handling);
    put_times(t, "http_waiting_seconds", "Time a REST answer waited until what it tells was durable", &rest->waits);
    put_times(t, "commit_seconds", "Time from handing something to the store until it is durable", &rest->commits);
}

static void put_work(struct text *t, const struct work *w)
{
    if (!w)
        return;
    struct work_figures f = work_figures(w);
    metric_put(t, "loop_work_budget", "gauge", "Units of work that one turn of the loop may do", WORK_BUDGET);
    metric_put(t, "loop_work_max", "gauge", "Most units of work that one turn of the loop has done", f.most);
    metric_put(t, "loop_turns_total", "counter", "Turns of the loop", f.turns);
    metric_put(t, "jobs", "gauge", "Long requests under way", f.jobs);
    metric_put(t, "jobs_total", "counter", "Requests that ran as jobs", f.started);
    metric_put(t, "jobs_yields_total", "counter", "Times a job has given way to other work", f.yields);
    metric_put(t, "jobs_away_total", "counter", "Pieces of jobs done by threads", f.away);
}

static void put_feeds(struct text *t, const struct feeds *feeds)
{
    struct feeds_figures f;
    feeds_figures(feeds, &f);
    metric_put(t, "watch_hosted", "gauge", "Matches of this node that are watched from others", f.hosted);
    metric_put(t, "watch_followed", "gauge", "Matches of other nodes that are watched here", f.followed);
    metric_put(t, "watch_published_total", "counter", "Messages about watched matches, to other nodes", f.published);
    metric_put(t, "watch_heard_total", "counter", "Messages about watched matches, from other nodes", f.heard);
    metric_put(t, "watch_gaps_total", "counter", "Times that events of a watched match were asked for again", f.gaps);
}

void rest_metrics(struct rest_call *c)
{
    struct lobby_figures f;
    struct store_counts n;
    struct text *t = &c->out;
    struct store *s = c->rest->store;
    lobby_figures(c->rest->lobby, &f);
    c->type = "text/plain; version=0.0.4; charset=utf-8";
    metric_put_help(t, "info", "gauge", "The version of this server");
    metric_put_value(t, "info", "{version=\"" AGON_VERSION "\"}", 1);
    metric_put(t, "draining", "gauge", "1: no new matches, by the operator", lobby_is_draining(c->rest->lobby));
    metric_put(t, "has_room", "gauge", "0: free space is below the margin, no new matches", store_has_room(s));
    metric_put(t, "store_away", "gauge", "1: the store cannot be reached, nothing is accepted", store_is_away(s));
    metric_put(t, "store_unanswered_reads_total", "counter", "Reads that got no answer while the store was away",
               store_unanswered(s));
    metric_put(t, "store_blocked_reads_total", "counter", "Reads that held up the loop until they were answered",
               store_blocked(s));
    put_rows(t, figures, sizeof figures / sizeof *figures, &f);
    if (!store_may_wait(s)) { // otherwise monitoring would have to wait for the store
        store_count(s, &n);
        put_rows(t, counts, sizeof counts / sizeof *counts, &n);
    }
    put_answers(t, c->rest);
    put_work(t, c->rest->options.work);
    if (c->rest->feeds)
        put_feeds(t, c->rest->feeds);
    if (c->rest->options.write_metrics)
        c->rest->options.write_metrics(c->rest->options.metrics_owner, t);
    if (c->rest->options.more_metrics)
        c->rest->options.more_metrics(c->rest->options.more_owner, t);
}

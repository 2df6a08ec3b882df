// One connection: opened, prepared, watched, lost and opened again, without ever blocking.
#include "store/pg/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { FIRST_RETRY_MS = 50, LAST_RETRY_MS = 1000 }; // doubled from one to the other; the very first try is at once

static const char *const texts[] = {
#define PG_AS_TEXT(name, text) text,
    PG_WRITES(PG_AS_TEXT) NULL, PG_READS(PG_AS_TEXT) NULL
#undef PG_AS_TEXT
};

const char *link_text(enum pg_statement which)
{
    return texts[which];
}

static bool is_writer(const struct link *l)
{
    return l == &l->pg->writer;
}

// Settings of the URL come after our defaults and override them. But the application name is ours, since it identifies
// a node (S13).
void link_fill(const char *url, const char *name, bool any, const char *key[8], const char *value[8])
{
    const char *const pairs[][2] = {{"target_session_attrs", "read-write"},
                                    {"tcp_user_timeout", "3000"},
                                    {"connect_timeout", "3"},
                                    {"dbname", url},
                                    {"application_name", name},
                                    {"client_encoding", "UTF8"},
                                    {"target_session_attrs", "any"}};
    int count = any ? COUNT_OF(pairs) : COUNT_OF(pairs) - 1;
    for (int i = 0; i < count; i++) {
        key[i] = pairs[i][0];
        value[i] = pairs[i][1];
    }
    key[count] = value[count] = NULL;
}

static void ignore_notice(void *arg, const PGresult *r)
{
    (void)arg, (void)r;
}

// libpq's error would quote the unreadable part, which may be the password.
static bool is_readable(const char *url, char *why, size_t room)
{
    char *error = NULL;
    PQconninfoOption *parts = PQconninfoParse(url, &error);
    if (!parts)
        snprintf(why, room,
                 "the address of the store cannot be read; write special characters of a password as %%25 "
                 "(for %%), %%40 (for @), %%2F (for /)");
    PQfreemem(error);
    PQconninfoFree(parts);
    return parts != NULL;
}

PGconn *link_connect(const char *url, int64_t epoch, char *why, size_t room)
{
    if (!is_readable(url, why, room))
        return NULL;
    const char *key[8], *value[8];
    char name[40];
    snprintf(name, sizeof name, epoch ? "agon-%lld" : "agon", (long long)epoch);
    link_fill(url, name, false, key, value);
    PGconn *c = PQconnectdbParams(key, value, 1);
    if (!c)
        abort();
    PQsetNoticeReceiver(c, ignore_notice, NULL);
    if (PQstatus(c) == CONNECTION_OK)
        return c;
    snprintf(why, room, "cannot reach PostgreSQL: %s", PQerrorMessage(c));
    why[strcspn(why, "\n")] = 0;
    if (PQconnectionNeedsPassword(c))
        snprintf(why + strlen(why), room - strlen(why), "; give the password in AGON_STORE or ~/.pgpass");
    PQfinish(c);
    return NULL;
}

// Always modifies or adds: epoll has removed a socket that libpq closed, and the number may be in use again.
static void watch_socket(struct link *l, uint32_t events)
{
    int fd = PQsocket(l->conn);
    if (l->state != LINK_CONNECTS && fd == l->watched && events == l->events)
        return;
    struct epoll_event e = {.events = events, .data.ptr = l};
    if (fd >= 0 && epoll_ctl(l->pg->epoll, EPOLL_CTL_MOD, fd, &e) != 0)
        epoll_ctl(l->pg->epoll, EPOLL_CTL_ADD, fd, &e);
    l->watched = fd;
    l->events = events;
}

static void set_state(struct link *l, enum link_state state)
{
    l->state = state;
    l->since_ms = l->last_result_ms = pg_now_ms();
}

void link_close(struct link *l)
{
    if (l->watched >= 0)
        epoll_ctl(l->pg->epoll, EPOLL_CTL_DEL, l->watched, NULL);
    PQclear(l->last);
    PQfinish(l->conn);
    l->last = NULL;
    l->conn = NULL;
    l->watched = -1;
    l->state = LINK_OFF;
}

void link_lose(struct link *l, const char *why)
{
    snprintf(l->why, sizeof l->why, "%.*s", (int)strcspn(why, "\n"), why);
    link_close(l);
    int64_t wait = FIRST_RETRY_MS << (l->tries < 5 ? l->tries : 5);
    l->retry_ms = pg_now_ms() + (l->tries ? (wait < LAST_RETRY_MS ? wait : LAST_RETRY_MS) : 0);
    l->tries++;
    if (is_writer(l))
        batch_lost(l->pg);
    else
        query_requeue_all(l);
    if (l == &l->pg->async)
        l->pg->nodes.fresh = true;
}

void link_flush(struct link *l)
{
    int left = PQflush(l->conn);
    if (left < 0)
        link_lose(l, PQerrorMessage(l->conn));
    else
        watch_socket(l, EPOLLIN | (left ? EPOLLOUT : 0));
}

// Makes the server end statements of a connection that we have given up, even if they wait for a lock. Not every
// operating system supports it; there they end when they are done.
static const char end_with_client[] =
    "DO $$ BEGIN SET client_connection_check_interval = 1000; EXCEPTION WHEN OTHERS THEN NULL; END $$";

// Statements access a few rows by key. Their plans are made once: with many partitions, planning takes longer than all
// else, and statistics of tables that were empty at that time must not lead to full scans. The statements of `async`
// look for news and are planned each time. Only the writer waits for the disk, and what another node could get a second
// time after a crash (eras of connections, nodes taken over, roles): presence (S26) is corrected within a second after
// a crash.
#define BY_KEYS "('plan_cache_mode', 'force_generic_plan'), ('enable_seqscan', 'off'), ('jit', 'off')"
static const char *settings_of(const struct link *l)
{
    if (is_writer(l))
        return "SELECT set_config(name, value, false) FROM (VALUES('enable_hashjoin', 'off'), ('enable_mergejoin', "
               "'off'), ('enable_bitmapscan', 'off'), " BY_KEYS ") s(name, value)";
    if (l == &l->pg->async)
        return "SET synchronous_commit = off";
    return "SELECT set_config(name, value, false) FROM (VALUES('synchronous_commit', 'off'), " BY_KEYS
           ") s(name, value)";
}

// Prepares all statements of the connection as one unit.
static void prepare_statements(struct link *l)
{
    enum pg_statement first = is_writer(l) ? 0 : PG_WRITES_END + 1;
    enum pg_statement end = is_writer(l) ? PG_WRITES_END : PG_STATEMENTS;
    bool sent = PQsetnonblocking(l->conn, 1) == 0 && PQenterPipelineMode(l->conn) == 1;
    PQsetNoticeReceiver(l->conn, ignore_notice, NULL);
    sent = sent && PQsendQueryParams(l->conn, end_with_client, 0, NULL, NULL, NULL, NULL, 1) == 1;
    sent = sent && PQsendQueryParams(l->conn, settings_of(l), 0, NULL, NULL, NULL, NULL, 1) == 1;
    if (l->pg->shared && !is_writer(l) && l != &l->pg->async) // it reports arrivals, whose numbers never repeat (S26)
        sent = sent && PQsendQueryParams(l->conn, "SELECT begin_arrivals()", 0, NULL, NULL, NULL, NULL, 1) == 1;
    for (enum pg_statement i = first; i < end && sent; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", (int)i);
        sent = PQsendPrepare(l->conn, name, texts[i], 0, NULL) == 1;
    }
    set_state(l, LINK_PREPARES);
    if (sent && PQpipelineSync(l->conn) == 1)
        link_flush(l);
    else
        link_lose(l, PQerrorMessage(l->conn));
}

static void continue_connecting(struct link *l)
{
    switch (PQconnectPoll(l->conn)) {
    case PGRES_POLLING_READING:
        watch_socket(l, EPOLLIN);
        break;
    case PGRES_POLLING_WRITING:
        watch_socket(l, EPOLLOUT);
        break;
    case PGRES_POLLING_OK:
        prepare_statements(l);
        break;
    default:
        link_lose(l, PQerrorMessage(l->conn));
    }
}

static void start_connecting(struct link *l)
{
    const char *key[8], *value[8];
    char name[40];
    snprintf(name, sizeof name,
             is_writer(l)         ? "agon-%lld"
             : l == &l->pg->async ? "agon-%lld-keeps"
                                  : "agon-%lld-reads",
             (long long)l->pg->epoch);
    link_fill(l->pg->url, name, false, key, value);
    l->conn = PQconnectStartParams(key, value, 1);
    if (!l->conn)
        abort();
    set_state(l, LINK_CONNECTS);
    if (PQstatus(l->conn) == CONNECTION_BAD)
        link_lose(l, PQerrorMessage(l->conn));
    else
        watch_socket(l, EPOLLOUT); // as after PGRES_POLLING_WRITING
}

// --- results

static bool is_bad(const PGresult *r)
{
    ExecStatusType s = PQresultStatus(r);
    return s != PGRES_TUPLES_OK && s != PGRES_COMMAND_OK && s != PGRES_PIPELINE_SYNC;
}

// Keeps the first error of a unit, because later ones only follow from it; otherwise the last result is the answer.
static void keep_result(struct link *l, PGresult *r)
{
    if (l->last && is_bad(l->last)) {
        PQclear(r);
        return;
    }
    PQclear(l->last);
    l->last = r;
}

static void end_unit(struct link *l)
{
    PGresult *r = l->last;
    l->last = NULL;
    if (l->state == LINK_PREPARES) {
        char why[STORE_WHY] = "";
        if (r && is_bad(r))
            snprintf(why, sizeof why, "%s", PQresultErrorMessage(r));
        PQclear(r);
        if (why[0]) {
            link_lose(l, why);
            return;
        }
        l->tries = 0;
        set_state(l, LINK_READY);
        if (is_writer(l))
            batch_connected(l->pg);
        else
            query_send_waiting(l->pg);
        return;
    }
    assert(l->units > 0);
    struct query *q = l->unit[l->first];
    l->first = (l->first + 1) % PG_UNITS;
    l->units--;
    query_finish(l, q, r);
}

static void take_result(struct link *l, PGresult *r)
{
    bool ours = is_writer(l) && l->state != LINK_PREPARES;
    l->last_result_ms = pg_now_ms();
    if (PQresultStatus(r) == PGRES_PIPELINE_SYNC) {
        PQclear(r);
        if (ours)
            batch_end(l->pg);
        else
            end_unit(l);
    } else if (ours) {
        batch_handle_result(l->pg, r);
    } else {
        keep_result(l, r);
    }
}

static bool expects_result(const struct link *l)
{
    return l->state == LINK_PREPARES || (is_writer(l) ? l->pg->sent_flight || l->state == LINK_SETTLES : l->units > 0);
}

void link_on_ready(struct link *l)
{
    if (l->state == LINK_OFF)
        return;
    if (l->state == LINK_CONNECTS) {
        continue_connecting(l);
        return;
    }
    if (PQconsumeInput(l->conn) != 1) {
        link_lose(l, PQerrorMessage(l->conn));
        return;
    }
    int ends = 0; // every statement ends with a NULL; two in a row mean that libpq expects no more results
    while (l->conn && expects_result(l) && !PQisBusy(l->conn)) {
        PGresult *r = PQgetResult(l->conn);
        ends = r ? 0 : ends + 1;
        if (r)
            take_result(l, r);
        else if (PQstatus(l->conn) == CONNECTION_BAD)
            link_lose(l, PQerrorMessage(l->conn));
        else if (ends == 2)
            link_lose(l, "answers are out of step");
    }
    if (l->conn && l->state != LINK_CONNECTS)
        link_flush(l);
}

static bool is_silent(const struct link *l, int64_t now_ms)
{
    if (l->state == LINK_OFF || (l->state == LINK_READY && !expects_result(l)))
        return false;
    int64_t patience = PG_SILENCE_MS + (is_writer(l) ? (int64_t)l->pg->flight.count * 2 : 0);
    return now_ms - l->last_result_ms > patience;
}

void link_tick(struct link *l, int64_t now_ms)
{
    if (is_silent(l, now_ms))
        link_lose(l, "no answer");
    if (l->state == LINK_OFF && now_ms >= l->retry_ms)
        start_connecting(l);
}

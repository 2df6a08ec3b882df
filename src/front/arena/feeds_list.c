// Lists of running matches from all nodes (S49): requested when a client wants one, and kept for a second.
#include "front/arena/feeds_internal.h"
#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    FRESH_MS = 1000,   // how long a list is reused
    PATIENCE_MS = 500, // a client waits this long for lists of other nodes, then gets the rows that have arrived
    ROW_HEAD = 8 + 3 * 4 + 1 + 4,
    ANSWER_HEAD = 1 + 4,
    LIST_MOST = 900 << 10 // below the 1 MiB that NATS accepts in a message by default
};
static const char asked[] = "live.ask";

// A list must fit into a message of the bus.
void feeds_put_row(struct text *out, const struct feeds_row *row)
{
    if (out->size + ROW_HEAD + row->json.size > LIST_MOST)
        return;
    feed_put_number(out, (uint64_t)row->started_ms, 8);
    feed_put_number(out, row->spectators, 4);
    feed_put_number(out, row->swing, 4);
    feed_put_number(out, row->seq, 4);
    feed_put_number(out, row->rated, 1);
    feed_put_number(out, row->json.size, 4);
    text_put(out, row->json);
}

bool feeds_next_row(struct span *rows, struct feeds_row *out)
{
    if (rows->size < ROW_HEAD)
        return false;
    *out = (struct feeds_row){.started_ms = (int64_t)feed_take_number(rows, 8)};
    out->spectators = (uint32_t)feed_take_number(rows, 4);
    out->swing = (uint32_t)feed_take_number(rows, 4);
    out->seq = (uint32_t)feed_take_number(rows, 4);
    out->rated = feed_take_number(rows, 1) != 0;
    size_t size = (size_t)feed_take_number(rows, 4);
    if (size > rows->size)
        return false;
    out->json = (struct span){rows->at, size};
    rows->at += size;
    rows->size -= size;
    return true;
}

void feeds_set_writer(struct feeds *f, feeds_write *call, void *owner)
{
    f->write = call;
    f->write_owner = owner;
}

static void receive_request(void *owner, uint64_t from, struct span bytes)
{
    struct feeds *f = owner;
    char name[NODE_BUS_SUBJECT];
    if (bytes.size != 1 || !f->write)
        return;
    struct text out = {.grow = heap_text_grow};
    unsigned query = (uint8_t)bytes.at[0] % FEEDS_QUERIES;
    feed_put_number(&out, query, 1);
    // The total, filled in when the rows have been written.
    feed_put_number(&out, 0, 4);
    int total = f->write(f->write_owner, query, &out);
    for (int i = 0; i < 4 && !out.full; i++)
        out.at[1 + i] = (char)((uint32_t)total >> 8 * i);
    snprintf(name, sizeof name, "live.%llu", (unsigned long long)from);
    if (!out.full)
        f->figures.published += f->o.publish(f->o.owner, name, text_span(&out));
    free(out.at);
}

// --- answers

static struct feeds_answer *place_for(struct feeds *f, uint64_t epoch, unsigned query)
{
    // An entry that is not used is the oldest.
    struct feeds_answer *oldest = &f->answer[0];
    for (int i = 0; i < FEEDS_ANSWERS; i++) {
        if (f->answer[i].epoch == epoch && f->answer[i].query == query)
            return &f->answer[i];
        if (f->answer[i].at_ms < oldest->at_ms)
            oldest = &f->answer[i];
    }
    return oldest;
}

const struct feeds_answer *feeds_find_answer(const struct feeds *f, uint64_t epoch, unsigned query)
{
    int64_t now_ms = feeds_now(f);
    for (int i = 0; i < FEEDS_ANSWERS; i++) {
        const struct feeds_answer *a = &f->answer[i];
        if (a->epoch == epoch && a->query == query && now_ms - a->at_ms < 2 * FRESH_MS)
            return a;
    }
    return NULL;
}

// Since all were last asked.
static bool have_all_answered(const struct feeds *f, unsigned query)
{
    uint64_t peer[STORE_NODES];
    int peers = f->o.list_peers(f->o.owner, peer, STORE_NODES);
    for (int i = 0; i < peers; i++) {
        const struct feeds_answer *a = feeds_find_answer(f, peer[i], query);
        if (!a || a->at_ms < f->list_ms[query])
            return false;
    }
    return true;
}

void feeds_wake_jobs(struct feeds *f)
{
    f->is_waiting = false;
    work_wake(loop_work(f->o.hub->options.loop), &f->waiting);
    loop_end_turn(f->o.hub->options.loop);
}

static void receive_answer(void *owner, uint64_t from, struct span bytes)
{
    struct feeds *f = owner;
    if (bytes.size < ANSWER_HEAD)
        return;
    unsigned query = (unsigned)feed_take_number(&bytes, 1) % FEEDS_QUERIES;
    struct feeds_answer *a = place_for(f, from, query);
    a->epoch = from;
    a->query = (uint8_t)query;
    a->total = (int)feed_take_number(&bytes, 4);
    a->at_ms = feeds_now(f);
    a->rows.size = 0;
    a->rows.grow = heap_text_grow;
    text_put(&a->rows, bytes);
    f->figures.heard++;
    if (f->is_waiting && have_all_answered(f, query))
        feeds_wake_jobs(f);
}

void feeds_fetch(struct feeds *f, unsigned query)
{
    struct hub *h = f->o.hub;
    struct work *work = loop_work(h->options.loop);
    int64_t now_ms = feeds_now(f);
    char asks = (char)query;
    if (f->o.is_away(f->o.owner))
        return;
    if (!f->list_ms[query] || now_ms - f->list_ms[query] >= FRESH_MS) {
        f->list_ms[query] = now_ms;
        f->o.publish(f->o.owner, asked, (struct span){&asks, 1});
        loop_end_turn(h->options.loop);
    }
    while (!f->closing && work_is_inside(work) && !have_all_answered(f, query) &&
           feeds_now(f) - f->list_ms[query] < PATIENCE_MS) {
        f->is_waiting = true;
        work_sleep(work, &f->waiting);
    }
}

void feeds_give_up(struct feeds *f)
{
    f->closing = true;
    feeds_wake_jobs(f);
}

// Wakes waiting jobs, which check again and give up when they have waited long enough.
void feeds_tick_lists(struct feeds *f)
{
    if (f->is_waiting)
        feeds_wake_jobs(f);
}

bool feeds_open_lists(struct feeds *f)
{
    char name[NODE_BUS_SUBJECT];
    snprintf(name, sizeof name, "live.%llu", (unsigned long long)f->o.epoch);
    f->lists = f->o.listen(f->o.owner, asked, receive_request, f);
    f->answers = f->o.listen(f->o.owner, name, receive_answer, f);
    return f->lists && f->answers;
}

void feeds_close_lists(struct feeds *f)
{
    if (f->lists)
        f->o.ignore(f->o.owner, f->lists);
    if (f->answers)
        f->o.ignore(f->o.owner, f->answers);
    for (int i = 0; i < FEEDS_ANSWERS; i++)
        free(f->answer[i].rows.at);
}

// Earlier events of a match at another node, for spectators who come late: its host writes them as for its own clients
// (S48). Runs inside a job; lost messages are requested again.
#include "front/arena/feeds_internal.h"
#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE_MS = 5000, ASK_BYTES = 8 + 16 + 4 + 4, ANSWER_HEAD = 8 + 1 };

// A job that waits for a page: on the job's stack, and in the list as long as it waits.
struct events_request {
    uint64_t number;
    struct text *out;
    enum feeds_events state;
    LIST_ENTRY(events_request) link;
};

void feeds_set_events_writer(struct feeds *f, feeds_write_events *call, void *owner)
{
    f->write_events = call;
    f->events_owner = owner;
}

static void name_subject(char out[NODE_BUS_SUBJECT], const char *of, uint64_t epoch)
{
    snprintf(out, NODE_BUS_SUBJECT, "%s.%llu", of, (unsigned long long)epoch);
}

// --- at the host

// The requests' subjects are "past.ask.EPOCH", the answers' "past.EPOCH".
static void receive_request(void *owner, uint64_t from, struct span bytes)
{
    struct feeds *f = owner;
    struct feeds_page page;
    char name[NODE_BUS_SUBJECT];
    if (bytes.size != ASK_BYTES || !f->write_events)
        return;
    struct text out = {.grow = heap_text_grow};
    feed_put_number(&out, feed_take_number(&bytes, 8), 8);
    feed_put_number(&out, FEEDS_EVENTS_NONE, 1);
    memcpy(page.live.byte, bytes.at, sizeof page.live.byte);
    bytes = (struct span){bytes.at + sizeof page.live.byte, bytes.size - sizeof page.live.byte};
    page.from = (uint32_t)feed_take_number(&bytes, 4);
    page.limit = (uint32_t)feed_take_number(&bytes, 4);
    if (f->write_events(f->events_owner, &page, &out) && !out.full)
        out.at[8] = FEEDS_EVENTS_FOUND;
    name_subject(name, "past", from);
    if (!out.full)
        f->figures.published += f->o.publish(f->o.owner, name, text_span(&out));
    loop_end_turn(f->o.hub->options.loop);
    free(out.at);
}

// --- at the node that was asked

static void receive_answer(void *owner, uint64_t from, struct span bytes)
{
    struct feeds *f = owner;
    struct events_request *x;
    (void)from;
    if (bytes.size < ANSWER_HEAD)
        return;
    uint64_t number = feed_take_number(&bytes, 8);
    uint8_t state = (uint8_t)feed_take_number(&bytes, 1);
    f->figures.heard++;
    LIST_FOREACH(x, &f->events_requests, link)
        if (x->number == number && x->state == FEEDS_EVENTS_SILENT) {
            x->state = state == FEEDS_EVENTS_FOUND ? FEEDS_EVENTS_FOUND : FEEDS_EVENTS_NONE;
            if (state == FEEDS_EVENTS_FOUND)
                text_put(x->out, bytes);
            feeds_wake_jobs(f);
        }
}

static void send_request(struct feeds *f, uint64_t host, uint64_t number, const struct feeds_page *page)
{
    char bytes[ASK_BYTES], name[NODE_BUS_SUBJECT];
    struct text t = text_on(bytes, sizeof bytes);
    feed_put_number(&t, number, 8);
    text_put(&t, (struct span){(const char *)page->live.byte, sizeof page->live.byte});
    feed_put_number(&t, page->from, 4);
    feed_put_number(&t, page->limit, 4);
    name_subject(name, "past.ask", host);
    f->figures.published += f->o.publish(f->o.owner, name, text_span(&t));
    loop_end_turn(f->o.hub->options.loop);
}

enum feeds_events feeds_fetch_events(struct feeds *f, uint64_t host, const struct feeds_page *page, struct text *out)
{
    struct work *work = loop_work(f->o.hub->options.loop);
    struct events_request x = {.number = ++f->events_number, .out = out, .state = FEEDS_EVENTS_SILENT};
    // As if it had been asked long ago: the first request is sent at once.
    int64_t begun_ms = feeds_now(f), asked_ms = begun_ms - FEEDS_TICK_MS;
    if (!work_is_inside(work))
        return FEEDS_EVENTS_SILENT;
    LIST_INSERT_HEAD(&f->events_requests, &x, link);
    while (!f->closing && x.state == FEEDS_EVENTS_SILENT && !f->o.is_away(f->o.owner) &&
           feeds_now(f) - begun_ms < PATIENCE_MS) {
        if (feeds_now(f) - asked_ms >= FEEDS_TICK_MS / 2) { // any answer wakes all waiting jobs
            send_request(f, host, x.number, page);
            asked_ms = feeds_now(f);
        }
        f->is_waiting = true;
        work_sleep(work, &f->waiting);
    }
    LIST_REMOVE(&x, link);
    return x.state;
}

bool feeds_open_events(struct feeds *f)
{
    char name[NODE_BUS_SUBJECT];
    LIST_INIT(&f->events_requests);
    name_subject(name, "past.ask", f->o.epoch);
    f->events_asks = f->o.listen(f->o.owner, name, receive_request, f);
    name_subject(name, "past", f->o.epoch);
    f->events_answers = f->o.listen(f->o.owner, name, receive_answer, f);
    return f->events_asks && f->events_answers;
}

void feeds_close_events(struct feeds *f)
{
    if (f->events_asks)
        f->o.ignore(f->o.owner, f->events_asks);
    if (f->events_answers)
        f->o.ignore(f->o.owner, f->events_answers);
}

// Earlier events of a match at another node, for spectators who come late: its host writes them as for its own clients
// (S48). Runs inside a job; lost messages are requested again.
#include "front/arena/feeds_internal.h"
#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE_MS = 5000, ASK_BYTES = 8 + 16 + 4 + 4, ANSWER_HEAD = 8 + 1 };

// On the stack of the job, and in the list as long as it waits.
struct past { // a job that waits
    uint64_t number;
    struct text *out;
    enum feeds_past state;
    LIST_ENTRY(past) link;
};

void feeds_set_past_writer(struct feeds *f, feeds_write_past *call, void *owner)
{
    f->write_past = call;
    f->past_owner = owner;
}

static void past_name(char out[NODE_BUS_SUBJECT], const char *of, uint64_t epoch)
{
    snprintf(out, NODE_BUS_SUBJECT, "%s.%llu", of, (unsigned long long)epoch);
}

// --- at the host

static void receive_request(void *owner, uint64_t from, struct span bytes)
{
    struct feeds *f = owner;
    struct feeds_page page;
    char name[NODE_BUS_SUBJECT];
    if (bytes.size != ASK_BYTES || !f->write_past)
        return;
    struct text out = {.grow = heap_text_grow};
    feed_put_number(&out, feed_take_number(&bytes, 8), 8);
    feed_put_number(&out, FEEDS_PAST_NONE, 1);
    memcpy(page.live.byte, bytes.at, sizeof page.live.byte);
    bytes = (struct span){bytes.at + sizeof page.live.byte, bytes.size - sizeof page.live.byte};
    page.from = (uint32_t)feed_take_number(&bytes, 4);
    page.limit = (uint32_t)feed_take_number(&bytes, 4);
    if (f->write_past(f->past_owner, &page, &out) && !out.full)
        out.at[8] = FEEDS_PAST_FOUND;
    past_name(name, "past", from);
    if (!out.full)
        f->figures.published += f->o.publish(f->o.owner, name, text_span(&out));
    loop_end_turn(f->o.hub->options.loop);
    free(out.at);
}

// --- at the node that was asked

static void receive_answer(void *owner, uint64_t from, struct span bytes)
{
    struct feeds *f = owner;
    struct past *x;
    (void)from;
    if (bytes.size < ANSWER_HEAD)
        return;
    uint64_t number = feed_take_number(&bytes, 8);
    uint8_t state = (uint8_t)feed_take_number(&bytes, 1);
    f->figures.heard++;
    LIST_FOREACH(x, &f->pasts, link)
        if (x->number == number && x->state == FEEDS_PAST_SILENT) {
            x->state = state == FEEDS_PAST_FOUND ? FEEDS_PAST_FOUND : FEEDS_PAST_NONE;
            if (state == FEEDS_PAST_FOUND)
                text_put(x->out, bytes);
            feeds_wake_jobs(f);
        }
}

static void ask(struct feeds *f, uint64_t host, uint64_t number, const struct feeds_page *page)
{
    char bytes[ASK_BYTES], name[NODE_BUS_SUBJECT];
    struct text t = text_on(bytes, sizeof bytes);
    feed_put_number(&t, number, 8);
    text_put(&t, (struct span){(const char *)page->live.byte, sizeof page->live.byte});
    feed_put_number(&t, page->from, 4);
    feed_put_number(&t, page->limit, 4);
    past_name(name, "past.ask", host);
    f->figures.published += f->o.publish(f->o.owner, name, text_span(&t));
    loop_end_turn(f->o.hub->options.loop);
}

enum feeds_past feeds_fetch_past(struct feeds *f, uint64_t host, const struct feeds_page *page, struct text *out)
{
    struct work *work = loop_work(f->o.hub->options.loop);
    struct past x = {.number = ++f->past_number, .out = out, .state = FEEDS_PAST_SILENT};
    // As if it had been asked long ago: the first question goes at once.
    int64_t begun_ms = feeds_now(f), asked_ms = begun_ms - FEEDS_TICK_MS;
    if (!work_is_inside(work))
        return FEEDS_PAST_SILENT;
    LIST_INSERT_HEAD(&f->pasts, &x, link);
    while (!f->closing && x.state == FEEDS_PAST_SILENT && !f->o.is_away(f->o.owner) &&
           feeds_now(f) - begun_ms < PATIENCE_MS) {
        if (feeds_now(f) - asked_ms >= FEEDS_TICK_MS / 2) { // each answer to somebody wakes all who wait
            ask(f, host, x.number, page);
            asked_ms = feeds_now(f);
        }
        f->is_waiting = true;
        work_sleep(work, &f->waiting);
    }
    LIST_REMOVE(&x, link);
    return x.state;
}

bool feeds_open_past(struct feeds *f)
{
    char name[NODE_BUS_SUBJECT];
    LIST_INIT(&f->pasts);
    past_name(name, "past.ask", f->o.epoch);
    f->past_asks = f->o.listen(f->o.owner, name, receive_request, f);
    past_name(name, "past", f->o.epoch);
    f->past_answers = f->o.listen(f->o.owner, name, receive_answer, f);
    return f->past_asks && f->past_answers;
}

void feeds_close_past(struct feeds *f)
{
    if (f->past_asks)
        f->o.ignore(f->o.owner, f->past_asks);
    if (f->past_answers)
        f->o.ignore(f->o.owner, f->past_answers);
}

// Outgoing frames: formatted at once, held back until what they report is durable and the gap after welcome is over.
#include "front/arena/hub_internal.h"
#include "heap/heap.h"

#include <stdlib.h>

// Precedes each waiting frame.
struct hub_record {
    // The newest ticket when the frame was written: everything that it can report is covered by it (F8.1).
    store_ticket ticket;
    struct uuid session;
    uint32_t size;
    uint32_t ask; // number of the question, for relayed players and matches; kind of a feed's frame
    uint8_t kind; // enum hub_kind
    bool in_match;
    bool relayed; // formatted by another node
};

struct text *hub_begin(struct hub *h, const char *type)
{
    struct text *t = &h->frame;
    t->size = 0;
    t->full = false;
    json_begin_object(t);
    json_put_text(t, "type", type);
    json_begin_object_at(t, "data");
    return t;
}

// --- blocks

// Thousands of connections have waiting frames for some milliseconds each: the block used last is used next, because it
// is in the processor's cache.
static void take_block(struct hub_conn *c)
{
    struct hub *h = c->hub;
    if (c->out.at)
        return;
    c->out.at = h->spares ? h->spare[--h->spares] : malloc(HUB_BLOCK);
    c->out.room = c->out.at ? HUB_BLOCK : 0;
}

void hub_release_block(struct hub_conn *c)
{
    struct hub *h = c->hub;
    if (c->out.room == HUB_BLOCK && h->spares < HUB_SPARES)
        h->spare[h->spares++] = c->out.at;
    else
        free(c->out.at);
    c->out = (struct text){.grow = heap_text_grow};
}

// Holds it back until its ticket is durable.
static void hold_frame(struct hub_conn *c, const struct hub_record *r, const char *frame)
{
    take_block(c);
    char *at = text_reserve(&c->out, sizeof *r + r->size);
    if (at) {
        memcpy(at, r, sizeof *r);
        memcpy(at + sizeof *r, frame, r->size);
    }
    if (!c->waiting)
        TAILQ_INSERT_TAIL(&c->hub->wait, c, wait);
    c->waiting = true;
    loop_end_turn(c->hub->options.loop);
    c->hub->sendable |= r->ticket <= c->hub->durable || c->phase != HUB_OPEN; // otherwise it waits for the disk
    if (c->ws && (c->out.full || c->out.size + conn_waiting(ws_conn(c->ws)) > c->hub->options.max_waiting)) {
        c->hub->figures.dropped++;
        conn_drop(ws_conn(c->ws));
    }
}

void hub_send(struct hub_conn *c, enum hub_kind kind, const struct uuid *session)
{
    struct text *t = &c->hub->frame;
    json_end_object(t);
    json_end_object(t);
    if (t->full) // its writer has limited the one part that could grow so far (F1.9)
        return;
    struct hub_record r = {
        .ticket = lobby_ticket(c->hub->lobby), .size = (uint32_t)t->size, .ask = c->mark, .kind = (uint8_t)kind};
    r.in_match = session != NULL;
    if (session)
        r.session = *session;
    if (session && kind == HUB_ASKED && relay_is_remote(c))
        r.ask = relay_count_ask(c, *session);
    hold_frame(c, &r, t->at);
}

void hub_forward_frame(struct hub_conn *c, enum hub_kind kind, struct uuid session, uint32_t ask, struct span frame)
{
    struct hub_record r = {.session = session,
                           .size = (uint32_t)frame.size,
                           .ask = ask,
                           .kind = (uint8_t)kind,
                           .in_match = !uuid_is_none(session),
                           // Ticket 0: its own node has waited for the disk.
                           .relayed = true};
    hold_frame(c, &r, frame.at);
}

// Thousands may get it: what need not wait for the disk is sent without copying.
void hub_send_shown(struct hub_conn *c)
{
    struct hub *h = c->hub;
    struct hub_record r = {
        .ticket = lobby_ticket(h->lobby), .size = (uint32_t)h->shown_size, .ask = c->mark, .kind = HUB_EVENT};
    if (r.size == 0)
        return;
    if (c->out.size || !c->ws || r.ticket > h->durable) {
        hold_frame(c, &r, h->shown_frame + WS_FRONT);
        return;
    }
    ws_send_soon(c->ws, h->shown_frame + WS_FRONT, r.size);
    h->figures.messages_out++;
    h->figures.bytes_out += r.size;
    loop_end_turn(h->options.loop);
}

// --- sending

// A ping follows the first and the last frame of a match; its pong proves that the frame has arrived (F4.21, F4.22).
static void ask_for_receipt(struct hub_conn *c, const struct hub_record *r)
{
    char number[16];
    if (c->due_count == c->due_room && c->due_room < HUB_MAX_DUE) {
        uint16_t room = c->due_room ? (uint16_t)(c->due_room * 2) : 4;
        struct hub_due *grown = realloc(c->due, room * sizeof *grown);
        if (grown)
            c->due = grown, c->due_room = room;
    }
    if (c->due_count == c->due_room)
        return; // it will be repeated
    c->due[c->due_count++] = (struct hub_due){r->session, ++c->pings, r->kind, r->relayed};
    struct text t = text_on(number, sizeof number);
    text_put_uint(&t, c->pings);
    ws_ping(c->ws, text_span(&t));
}

void hub_receive_pong(struct hub_conn *c, struct span payload)
{
    uint32_t number = 0, kept = 0;
    // The payload is the client's word: nine digits at most, so that the number cannot overflow.
    for (size_t i = 0; i < payload.size && payload.at[i] >= '0' && payload.at[i] <= '9' && i < 9; i++)
        number = number * 10 + (uint32_t)(payload.at[i] - '0');
    for (uint32_t i = 0; i < c->due_count; i++) {
        if (c->due[i].ping <= number && c->due[i].relayed) {
            relay_note_pong(c, &c->due[i]);
            continue;
        }
        struct lobby_seat *s =
            c->due[i].ping <= number && c->agent ? lobby_find_seat(c->agent, c->due[i].session) : NULL;
        if (s)
            (c->due[i].kind == HUB_OVER ? lobby_delivered : lobby_start_arrived)(c->hub->lobby, s);
        if (c->due[i].ping > number)
            c->due[kept++] = c->due[i];
    }
    c->due_count = (uint16_t)kept;
    loop_end_turn(c->hub->options.loop);
}

static void begin_gap(struct hub_conn *c)
{
    struct hub *h = c->hub;
    conn_flush(ws_conn(c->ws)); // F1.10: in a write of its own; the gap begins after it
    // The public client swaps its listeners now and loses what arrives meanwhile (F1.10).
    c->phase = HUB_SILENT;
    c->phase_ms = h->options.now_ms();
    c->in_gap = true;
    TAILQ_INSERT_TAIL(&h->silent, c, gap);
    hub_set_gap_timer(h);
}

// `alone`: nothing else is sent with it.
static void send_frame(struct hub_conn *c, const struct hub_record *r, char *text, bool alone)
{
    _Static_assert(sizeof *r >= WS_FRONT, "the record, which has been read, makes room for the frame's head");
    struct span frame = {text, r->size};
    struct hub *h = c->hub;
    int64_t now_ms = h->options.now_ms();
    if (c->feed) {
        feeds_put_frame(c, r->ask, frame);
        return;
    }
    if (relay_is_remote(c)) {
        relay_put_frame(c, r->kind, r->in_match ? &r->session : NULL, r->ask, frame);
        return;
    }
    if (c->front) {
        relay_client_deliver(c, r->kind, r->session, r->ask, frame);
        return;
    }
    // With several nodes, each may have a start or an end whose arrival is not confirmed. If this connection got it
    // already, only a ping follows; its pong confirms the earlier frame (S44).
    if ((r->kind == HUB_OVER || r->kind == HUB_STARTED) && !relay_note_sent(c, r->kind, r->session)) {
        ask_for_receipt(c, r);
        return;
    }
    // In the transcript before anybody can have received it.
    transcript_add(c->transcript, now_ms, false, r->in_match ? &r->session : NULL, frame);
    if (alone && (r->kind == HUB_EVENT || r->kind == HUB_ASKED || r->kind == HUB_REPLY))
        ws_send_soon(c->ws, text, r->size);
    else
        ws_send(c->ws, frame);
    h->figures.messages_out++;
    h->figures.bytes_out += frame.size;
    struct lobby_seat *s = NULL;
    if (r->relayed)
        relay_note_written(c, r->kind, r->session, r->ask);
    else if (r->kind == HUB_ASKED && c->agent)
        s = lobby_find_seat(c->agent, r->session);
    if (s)
        lobby_asked(h->lobby, s, now_ms);
    if (r->kind == HUB_OVER || r->kind == HUB_STARTED)
        ask_for_receipt(c, r);
    if (r->kind == HUB_WELCOME)
        begin_gap(c);
    if (r->kind == HUB_LAST)
        ws_end(c->ws, WS_GOING_AWAY, "");
}

static bool may_send(const struct hub_conn *c, const struct hub_record *r)
{
    if (r->ticket > c->hub->durable)
        return false;
    switch (c->phase) {
    case HUB_AT_DOOR:
        return r->kind == HUB_WELCOME;
    case HUB_SILENT:
        return false;
    case HUB_ANSWERING:
        return r->kind == HUB_REPLY;
    default:
        return true;
    }
}

// Frames keep their order, so after one that waits for the disk an open connection sends nothing. Under load most
// connections wait like this, for many turns of the loop.
static bool must_wait(const struct hub_conn *c)
{
    struct hub_record first;
    if (c->phase != HUB_OPEN || c->out.size < sizeof first)
        return false;
    memcpy(&first, c->out.at, sizeof first);
    return first.ticket > c->hub->durable;
}

// A pointer is followed one step after its own location was prefetched.
void hub_prefetch(const struct hub_conn *c, int steps)
{
    if (steps > 2) {
        __builtin_prefetch(c);
        __builtin_prefetch(&c->phase);
        __builtin_prefetch(&c->wait);
        return;
    }
    if (c->agent)
        lobby_fetch(c->agent, steps);
    if (steps == 2)
        __builtin_prefetch(c->out.at);
    if (c->ws && steps == 2)
        ws_prefetch(c->ws);
    else if (c->ws)
        conn_prefetch(ws_conn(c->ws));
}

// Frames keep their order; in the gap replies may overtake others.
void hub_send_waiting(struct hub_conn *c)
{
    if (must_wait(c))
        return;
    size_t at = 0, kept = 0;
    bool blocked = false;
    while (at < c->out.size) {
        struct hub_record r;
        memcpy(&r, c->out.at + at, sizeof r);
        size_t size = sizeof r + r.size;
        if (at == 0 && c->phase == HUB_OPEN && !may_send(c, &r))
            return; // usually: the disk has not answered yet
        if (!blocked && may_send(c, &r)) {
            send_frame(c, &r, c->out.at + at + sizeof r, size == c->out.size);
        } else {
            // Not in the gap: there replies may pass frames that have to wait for its end (F1.10).
            blocked |= c->phase == HUB_OPEN;
            memmove(c->out.at + kept, c->out.at + at, size);
            kept += size;
        }
        at += size;
    }
    c->out.size = kept;
    if (!kept)
        hub_drop_frames(c); // an idle connection keeps nothing
}

void hub_drop_frames(struct hub_conn *c)
{
    hub_release_block(c);
    if (c->waiting)
        TAILQ_REMOVE(&c->hub->wait, c, wait);
    c->waiting = false;
}

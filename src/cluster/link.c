#include "cluster/link.h"

#include <assert.h>

void link_init(struct link *l, uint64_t me, uint64_t peer, bool (*grow)(struct text *t, size_t more), int64_t now_ms)
{
    *l = (struct link){.me = me,
                       .peer = peer,
                       .kept = {.grow = grow},
                       .first = 1,
                       .sent = 1,
                       .sent_most = 1,
                       .next = 1,
                       .parts = {.grow = grow},
                       .expected = 1,
                       .acked = 1,
                       .bundle_ms = now_ms,
                       .used_ms = now_ms};
}

// --- sending

// The entry that found no room uses up a number too: the peer must notice a gap even if it has received all the others.
static void drop_kept(struct link *l)
{
    l->next++;
    l->kept.size = l->dead = l->sent_at = 0;
    l->kept.full = false;
    l->first = l->sent = l->sent_most = l->next;
    l->reset_due = true;
    l->figures.resets++;
}

bool link_put(struct link *l, const struct entry *e, int64_t now_ms)
{
    struct entry part = *e;
    size_t left = e->payload.size, parts = left / ENTRY_MOST + 1;
    assert(left <= LINK_MESSAGE && e->kind < ENTRY_AGAIN);
    l->used_ms = now_ms;
    if (l->kept.size - l->dead + left + parts * ENTRY_HEAD > LINK_KEPT) {
        drop_kept(l);
        return false;
    }
    do {
        part.payload.size = left < ENTRY_MOST ? left : ENTRY_MOST;
        left -= part.payload.size;
        part.flags = (uint8_t)((e->flags & ~ENTRY_MORE) | (left ? ENTRY_MORE : 0));
        entry_put(&l->kept, &part);
        l->next += !l->kept.full;
        part.payload.at += part.payload.size;
    } while (left);
    if (!l->kept.full)
        return true;
    drop_kept(l); // out of memory
    return false;
}

void link_withdraw(struct link *l, enum entry_kind kind)
{
    for (size_t at = l->dead; at < l->kept.size; at += entry_size(l->kept.at + at))
        if (entry_kind_at(l->kept.at + at) == kind)
            entry_clear(l->kept.at + at);
}

// The peer acknowledges all entries below `number`.
static void drop_handled(struct link *l, uint64_t number)
{
    for (; l->first < number; l->first++)
        l->dead += entry_size(l->kept.at + l->dead);
    if (l->sent < l->first) { // the peer had asked for entries again that arrived meanwhile
        l->sent = l->first;
        l->sent_at = l->dead;
    }
    if (l->dead < l->kept.size / 2)
        return;
    if (l->kept.size > l->dead)
        memmove(l->kept.at, l->kept.at + l->dead, l->kept.size - l->dead);
    l->kept.size -= l->dead;
    l->sent_at -= l->dead;
    l->dead = 0;
}

static void send_again(struct link *l, uint64_t number)
{
    if (number == 0 || number >= l->sent)
        return;
    if (number < l->first) { // no longer kept; or an old request for entries that were handled meanwhile
        l->reset_due = true;
        number = l->first;
    }
    l->sent_at = l->dead;
    for (l->sent = l->first; l->sent < number; l->sent++)
        l->sent_at += entry_size(l->kept.at + l->sent_at);
}

static bool should_acknowledge(const struct link *l)
{
    return l->expected - l->acked >= LINK_HANDLED_MOST || l->unacked_bytes >= LINK_HANDLED_BYTES;
}

static void put_head(struct link *l, struct text *out, uint64_t first, int count, int64_t now_ms)
{
    out->size = 0;
    out->full = false;
    bundle_put_head(out, &(struct bundle){.from = l->me,
                                          .to = l->peer,
                                          .first = first,
                                          .handled = l->expected,
                                          .count = (uint16_t)count,
                                          .minor = BUNDLE_MINOR});
    l->acked = l->expected;
    l->unacked_bytes = 0;
    l->bundle_ms = now_ms;
    l->figures.bundles++;
}

static void put_notice(struct text *out, enum entry_kind kind, uint64_t number)
{
    char bytes[8];
    entry_write_number(bytes, number);
    entry_put(out, &(struct entry){.kind = (uint8_t)kind, .payload = {bytes, sizeof bytes}});
}

static void write_notices(struct link *l, int64_t now_ms, struct text *out)
{
    put_head(l, out, 0, l->again_due + l->reset_due, now_ms);
    if (l->again_due)
        put_notice(out, ENTRY_AGAIN, l->expected);
    if (l->reset_due)
        put_notice(out, ENTRY_RESET, l->first);
    l->again_due = l->reset_due = false;
}

static void write_entries(struct link *l, int64_t now_ms, struct text *out)
{
    size_t end = l->sent_at, room = BUNDLE_MAX - BUNDLE_HEAD;
    int count = 0;
    // The head counts them in two bytes.
    while (count < UINT16_MAX && end < l->kept.size && end - l->sent_at + entry_size(l->kept.at + end) <= room) {
        end += entry_size(l->kept.at + end);
        count++;
    }
    put_head(l, out, l->sent, count, now_ms);
    text_put(out, (struct span){l->kept.at + l->sent_at, end - l->sent_at});
    uint64_t behind = l->sent + (uint64_t)count, fresh = behind > l->sent_most ? behind - l->sent_most : 0;
    l->figures.entries += fresh;
    l->figures.repeated += (uint64_t)count - fresh;
    l->sent_most += fresh;
    l->sent = behind;
    l->sent_at = end;
}

// The peer is silent. Perhaps it has handled everything, and its acknowledgement was lost. It answers an entry, but not
// a bundle without entries.
static void write_oldest(struct link *l, int64_t now_ms, struct text *out)
{
    put_head(l, out, l->first, 1, now_ms);
    text_put(out, (struct span){l->kept.at + l->dead, entry_size(l->kept.at + l->dead)});
    l->figures.repeated++;
}

static bool is_used(const struct link *l, int64_t at_ms)
{
    return at_ms < l->used_ms + LINK_USED_MS;
}

static bool has_reason_to_beat(const struct link *l, int64_t at_ms)
{
    return l->first < l->next || is_used(l, at_ms);
}

bool link_write_bundle(struct link *l, int64_t now_ms, struct text *out)
{
    if (l->again_due || l->reset_due)
        write_notices(l, now_ms, out);
    else if (l->sent < l->next)
        write_entries(l, now_ms, out);
    else if (should_acknowledge(l) || (now_ms >= l->bundle_ms + LINK_BEAT_MS && is_used(l, now_ms)))
        put_head(l, out, l->next, 0, now_ms);
    else if (now_ms >= l->bundle_ms + LINK_BEAT_MS && l->first < l->next)
        write_oldest(l, now_ms, out);
    else
        return false;
    return true;
}

int64_t link_due(const struct link *l)
{
    if (l->again_due || l->reset_due || l->sent < l->next || should_acknowledge(l))
        return INT64_MIN;
    int64_t beat_ms = l->bundle_ms + LINK_BEAT_MS;
    return has_reason_to_beat(l, beat_ms) ? beat_ms : INT64_MAX;
}

void link_resume(struct link *l)
{
    if (has_reason_to_beat(l, l->bundle_ms))
        l->bundle_ms = INT64_MIN / 2;
}

// --- receiving

static void receive_notices(struct link *l, struct bundle_reader *r, const struct link_handler *h, void *owner)
{
    for (struct entry e; bundle_next(r, &e);) {
        uint64_t number = entry_read_number(e.payload);
        if (e.kind == ENTRY_AGAIN)
            send_again(l, number);
        if (e.kind != ENTRY_RESET || number <= l->expected || number > UINT64_MAX / 2)
            continue;
        l->expected = number;
        l->parts.size = 0;
        l->skips = false;
        l->figures.resets++;
        h->on_reset(owner);
    }
}

// Joins the parts of a long message.
static void handle_entry(struct link *l, const struct entry *e, const struct link_handler *h, void *owner)
{
    bool more = e->flags & ENTRY_MORE, alone = !more && l->parts.size == 0 && !l->skips;
    struct entry whole = *e;
    if (!alone) {
        l->skips |= l->parts.size + e->payload.size > LINK_MESSAGE;
        if (!l->skips)
            text_put(&l->parts, e->payload);
        l->skips |= l->parts.full;
        whole.payload = text_span(&l->parts);
    }
    if (more)
        return;
    if (!l->skips && e->kind != ENTRY_NOTHING && e->kind < ENTRY_AGAIN) // S63: skip unknown kinds
        h->on_entry(owner, &whole);
    l->parts.size = 0;
    l->parts.full = l->skips = false;
}

static void note_gap(struct link *l, int64_t now_ms)
{
    l->figures.gaps++;
    if (l->gap == l->expected && now_ms < l->gap_ms + LINK_AGAIN_MS)
        return;
    l->gap = l->expected;
    l->gap_ms = now_ms;
    l->again_due = true;
}

static void receive_entries(struct link *l, struct bundle_reader *r, const struct bundle *head,
                            const struct link_handler *h, void *owner)
{
    uint64_t number = head->first;
    for (struct entry e; bundle_next(r, &e); number++) {
        if (number < l->expected) // received before
            continue;
        l->expected = number + 1; // before the call: bundles that the handler sends already acknowledge it
        l->unacked_bytes += e.payload.size;
        handle_entry(l, &e, h, owner);
    }
}

int link_receive(struct link *l, struct span bytes, int64_t now_ms, const struct link_handler *h, void *owner)
{
    struct bundle_reader r;
    struct bundle head;
    int err = bundle_open(&r, bytes, &head);
    if (err != OK)
        return err;
    // The last: an acknowledgement of entries that were never sent would free what is still needed.
    if (head.from != l->peer || head.to != l->me || head.handled > l->sent_most)
        return ERR_UNKNOWN;
    l->minor = head.minor;
    drop_handled(l, head.handled);
    if (head.count && head.first)
        l->used_ms = now_ms;
    if (head.first == 0)
        receive_notices(l, &r, h, owner);
    else if (head.first > l->expected)
        note_gap(l, now_ms);
    else
        receive_entries(l, &r, &head, h, owner);
    return OK;
}

#include "cluster/feed.h"

#include <string.h>

// The table of S48.
enum { HEAD = 3 + 2 * UUID_BYTES + 2 * 8 + 3 * 4, FRAME_HEAD = 4 };

// --- bytes: all integers little endian

void feed_put_number(struct text *t, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        text_put_char(t, (char)(value >> 8 * i));
}

uint64_t feed_take_number(struct span *from, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)(uint8_t)from->at[i] << 8 * i;
    from->at += size;
    from->size -= (size_t)size;
    return value;
}

static void put_uuid(struct text *t, struct uuid id)
{
    text_put(t, (struct span){(const char *)id.byte, UUID_BYTES});
}

static struct uuid take_uuid(struct span *from)
{
    struct uuid id;
    memcpy(id.byte, from->at, UUID_BYTES);
    from->at += UUID_BYTES;
    from->size -= UUID_BYTES;
    return id;
}

void feed_put(struct text *t, const struct feed_message *m)
{
    feed_put_number(t, m->kind, 1);
    feed_put_number(t, m->type, 1);
    feed_put_number(t, m->flags, 1);
    put_uuid(t, m->live);
    put_uuid(t, m->owner);
    feed_put_number(t, m->to, 8);
    feed_put_number(t, m->number, 8);
    feed_put_number(t, m->first, 4);
    feed_put_number(t, m->seq, 4);
    feed_put_number(t, m->watchers, 4);
    text_put(t, m->body);
}

bool feed_read(struct span bytes, struct feed_message *out)
{
    if (bytes.size < HEAD)
        return false;
    *out = (struct feed_message){.kind = (uint8_t)feed_take_number(&bytes, 1)};
    out->type = (uint8_t)feed_take_number(&bytes, 1);
    out->flags = (uint8_t)feed_take_number(&bytes, 1);
    out->live = take_uuid(&bytes);
    out->owner = take_uuid(&bytes);
    out->to = feed_take_number(&bytes, 8);
    out->number = feed_take_number(&bytes, 8);
    out->first = (uint32_t)feed_take_number(&bytes, 4);
    out->seq = (uint32_t)feed_take_number(&bytes, 4);
    out->watchers = (uint32_t)feed_take_number(&bytes, 4);
    out->body = bytes;
    return out->kind >= FEED_ASK && out->kind < FEED_KINDS && out->type <= FEED_END;
}

void feed_put_frame(struct text *t, struct span frame)
{
    feed_put_number(t, frame.size, FRAME_HEAD);
    text_put(t, frame);
}

bool feed_next(struct span *body, struct span *frame)
{
    if (body->size < FRAME_HEAD)
        return false;
    uint64_t size = feed_take_number(body, FRAME_HEAD);
    if (size > body->size)
        return false;
    *frame = (struct span){body->at, size};
    body->at += size;
    body->size -= size;
    return true;
}

// --- the position

static enum feed_verdict mark_gap(struct feed_place *p)
{
    p->synced = false;
    return FEED_GAP;
}

static enum feed_verdict judge_frame(struct feed_place *p, const struct feed_message *m)
{
    if (!p->synced || m->number <= p->number)
        return FEED_DROP;
    if (m->number > p->number + 1)
        return mark_gap(p);
    p->number = m->number;
    if (m->type != FEED_EVENT)
        return FEED_TAKE;
    if (m->seq <= p->seq)
        return FEED_DROP; // another host, behind the previous one, sends an event again
    if (m->seq > p->seq + 1)
        return mark_gap(p);
    p->seq = m->seq;
    return FEED_TAKE;
}

// After something was shown, only FEED_MORE may continue: a picture would skip events. A host that has just opened the
// match sends no frames before its first picture, so events may be missing although no number is.
static enum feed_verdict judge_picture(struct feed_place *p, const struct feed_message *m)
{
    if (p->synced && (m->number > p->number || (m->number == p->number && m->seq > p->seq)))
        return mark_gap(p);
    if (p->synced ? m->number < p->number : p->begun)
        return FEED_DROP;
    p->number = m->number;
    p->seq = p->synced ? p->seq : m->seq;
    p->begun = p->synced = true;
    return FEED_TAKE;
}

// Nothing was shown yet: the gateway has asked for these events and begins with them.
static enum feed_verdict begin_with_more(struct feed_place *p, const struct feed_message *m)
{
    if (m->flags & FEED_PARTIAL)
        return FEED_TAKE;
    p->number = m->number;
    p->seq = m->seq;
    p->begun = p->synced = true;
    return FEED_TAKE;
}

static enum feed_verdict judge_more(struct feed_place *p, const struct feed_message *m, uint32_t *skip)
{
    if (p->synced && m->number > p->number)
        return mark_gap(p);
    if (p->synced)
        return m->number == p->number ? FEED_TAKE : FEED_DROP; // a FEED_MORE for a spectator that has seen less
    if (!p->begun)
        return begin_with_more(p, m);
    if (m->first > p->seq)
        return FEED_DROP;
    uint32_t there = m->seq > m->first ? m->seq - m->first : 0, known = p->seq - m->first;
    *skip = known < there ? known : there; // frames behind the events are no events, so they are not skipped
    if (m->seq > p->seq)
        p->seq = m->seq;
    if (m->flags & FEED_PARTIAL)
        return FEED_TAKE;
    p->number = m->number;
    p->synced = true;
    return FEED_TAKE;
}

enum feed_verdict feed_judge(struct feed_place *p, uint64_t me, uint64_t from, const struct feed_message *m,
                             uint32_t *skip)
{
    *skip = 0;
    if (from != p->host)
        return FEED_DROP;
    switch (m->kind) {
    case FEED_FRAME:
        return judge_frame(p, m);
    case FEED_PICTURE:
        return judge_picture(p, m);
    case FEED_MORE:
        return m->to == me ? judge_more(p, m, skip) : FEED_DROP;
    case FEED_HERE:
        return p->synced && m->number > p->number ? mark_gap(p) : FEED_DROP;
    default:
        return FEED_DROP;
    }
}

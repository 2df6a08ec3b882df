#include "cluster/links.h"

void links_init(struct links *ls, uint64_t me, const struct links_owner *call, void *owner, char *out,
                bool (*grow)(struct text *t, size_t more))
{
    ls->me = me;
    ls->call = call;
    ls->owner = owner;
    ls->grow = grow;
    ls->out = text_on(out, BUNDLE_MAX);
    ls->handled_peer = ls->lost = 0;
    ls->count = ls->resets = 0;
}

static struct link *find_link(struct links *ls, uint64_t peer)
{
    for (int i = 0; i < ls->count; i++)
        if (ls->at[i].peer == peer)
            return &ls->at[i];
    return NULL;
}

static struct link *find_or_open(struct links *ls, uint64_t peer, int64_t now_ms)
{
    struct link *l = find_link(ls, peer);
    if (l || ls->count == LINKS_MOST || peer == ls->me || !ls->call->is_live(ls->owner, peer))
        return l;
    l = &ls->at[ls->count++];
    link_init(l, ls->me, peer, ls->grow, now_ms);
    return l;
}

static void note_reset(struct links *ls, uint64_t peer)
{
    for (int i = 0; i < ls->resets; i++)
        if (ls->reset[i] == peer)
            return;
    ls->reset[ls->resets++] = peer;
}

bool links_put(struct links *ls, uint64_t peer, const struct entry *e, int64_t now_ms)
{
    struct link *l = find_or_open(ls, peer, now_ms);
    if (!l)
        return false;
    bool kept = link_put(l, e, now_ms);
    if (!kept)
        note_reset(ls, peer);
    return kept;
}

size_t links_room(struct links *ls, uint64_t peer)
{
    const struct link *l = find_link(ls, peer);
    return l ? LINK_KEPT - (l->kept.size - l->dead) : LINK_KEPT;
}

void links_withdraw(struct links *ls, uint64_t peer, enum entry_kind kind)
{
    struct link *l = find_link(ls, peer);
    if (l)
        link_withdraw(l, kind);
}

uint64_t links_last(struct links *ls, uint64_t peer)
{
    const struct link *l = find_link(ls, peer);
    return l ? l->next - 1 : 0;
}

bool links_has_handled(struct links *ls, uint64_t peer, uint64_t number)
{
    const struct link *l = find_link(ls, peer);
    return !l || l->first > number;
}

bool links_are_settled(const struct links *ls)
{
    for (int i = 0; i < ls->count; i++)
        if (ls->at[i].first != ls->at[i].next)
            return false;
    return true;
}

static void on_entry(void *owner, const struct entry *e)
{
    struct links *ls = owner;
    ls->call->on_entry(ls->owner, ls->handled_peer, e);
}

static void on_reset(void *owner)
{
    struct links *ls = owner;
    ls->call->on_reset(ls->owner, ls->handled_peer, false); // at once, before the entries that follow the loss
}

void links_receive(struct links *ls, struct span bytes, int64_t now_ms)
{
    static const struct link_handler handler = {.on_entry = on_entry, .on_reset = on_reset};
    struct bundle head = {0};
    struct link *l = NULL;
    if (bundle_open(NULL, bytes, &head) == OK && head.to == ls->me)
        l = find_or_open(ls, head.from, now_ms);
    ls->handled_peer = head.from;
    if (!l || link_receive(l, bytes, now_ms, &handler, ls) != OK)
        ls->lost++;
}

// Entries put by on_reset are sent in the same flush. If they do not fit either, on_reset is called again in the next
// one.
static void report_resets(struct links *ls)
{
    uint64_t reset[LINKS_MOST];
    int count = ls->resets;
    memcpy(reset, ls->reset, sizeof reset);
    ls->resets = 0;
    for (int i = 0; i < count; i++)
        ls->call->on_reset(ls->owner, reset[i], true);
}

void links_flush(struct links *ls, int64_t now_ms)
{
    report_resets(ls);
    for (int i = 0; i < ls->count; i++)
        while (link_write_bundle(&ls->at[i], now_ms, &ls->out))
            ls->call->send(ls->owner, ls->at[i].peer, text_span(&ls->out));
}

void links_resume(struct links *ls)
{
    for (int i = 0; i < ls->count; i++)
        link_resume(&ls->at[i]);
}

int64_t links_due(const struct links *ls)
{
    int64_t due_ms = ls->resets ? INT64_MIN : INT64_MAX;
    for (int i = 0; i < ls->count; i++) {
        int64_t one_ms = link_due(&ls->at[i]);
        due_ms = one_ms < due_ms ? one_ms : due_ms;
    }
    return due_ms;
}

bool links_end(struct links *ls, uint64_t peer, struct link *out)
{
    struct link *l = find_link(ls, peer);
    if (!l)
        return false;
    for (int i = 0; i < ls->resets; i++)
        if (ls->reset[i] == peer)
            ls->reset[i--] = ls->reset[--ls->resets];
    *out = *l;
    *l = ls->at[--ls->count];
    return true;
}

void links_subject(char out[LINKS_SUBJECT], const uint8_t arena[4], uint64_t epoch)
{
    struct text t = text_on(out, LINKS_SUBJECT - 1);
    text_puts(&t, "agon.");
    text_put_hex_bytes(&t, arena, 4);
    text_puts(&t, ".1.n.");
    text_put_uint(&t, epoch);
    out[t.size] = 0;
}

// Arbitrary bytes as a bundle: refused, or read and written again as they were; and as what comes over a link, whole
// and in two halves, whatever the numbers in it say (S51, S52).
#include "cluster/link.h"

#include "heap/heap.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t heard;

static void on_entry(void *owner, const struct entry *e)
{
    struct link *l = owner;
    heard += e->payload.size;
    link_put(l, &(struct entry){.kind = ENTRY_REPLY, .payload = SPAN("answer")}, 0);
}

static void on_reset(void *owner)
{
    (void)owner;
}

static const struct link_handler handler = {.on_entry = on_entry, .on_reset = on_reset};

static void try_again(struct span bytes)
{
    static char again[BUNDLE_MAX];
    struct text t = text_on(again, sizeof again);
    struct bundle_reader r;
    struct bundle head;
    if (bundle_open(&r, bytes, &head) != OK)
        return;
    bundle_put_head(&t, &head);
    for (struct entry e; bundle_next(&r, &e);)
        entry_put(&t, &e);
    assert(span_equals(text_span(&t), bytes));
}

static void settle(struct link *l, int64_t now_ms)
{
    static char room[BUNDLE_MAX];
    struct text out = text_on(room, sizeof room);
    for (int i = 0; i < 8 && link_write_bundle(l, now_ms, &out); i++)
        assert(!out.full && bundle_open(NULL, text_span(&out), &(struct bundle){0}) == OK);
    assert(l->first <= l->sent && l->sent <= l->next && l->dead <= l->sent_at && l->sent_at <= l->kept.size);
}

// Between these epochs and with numbers that can be, so that it is worth the time.
static void try_link(const uint8_t *data, size_t size)
{
    struct link l;
    char *copy = malloc(size + 1);
    memcpy(copy, data, size);
    link_init(&l, 2, 1, heap_text_grow, 0);
    for (int i = 0; i < 5; i++)
        link_put(&l, &(struct entry){.kind = ENTRY_FRAME, .payload = SPAN("something")}, 0);
    settle(&l, 0);
    if (size >= BUNDLE_HEAD) {
        static const char ends[20] = {'A', 'G', 'B', '1', 1, 0, 0, 0, 0, 0, 0, 0, 2};
        memcpy(copy, ends, sizeof ends);
        memset(copy + 21, 0, 7);
        memset(copy + 29, 0, 7);
    }
    for (int round = 0; round < 3; round++) {
        link_receive(&l, (struct span){copy, size}, 300 * round, &handler, &l);
        settle(&l, 300 * round);
        if (size >= BUNDLE_HEAD)
            copy[20]++; // the same again, one number later
    }
    free(copy);
    free(l.kept.at);
    free(l.parts.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_again((struct span){(const char *)data, size});
    try_link(data, size);
    return 0;
}

// Streams of model servers in pieces: however they are cut, the same comes out (L21, L28). Bodies and errors too.
#include "llm/dialect.h"
#include "llm/sse.h"

#include <stdlib.h>

struct heard {
    const struct llm_dialect *dialect;
    struct llm_reply reply;
};

static void on_event(void *owner, const char *event, struct span data)
{
    struct heard *h = owner;
    h->dialect->read_event(&h->reply, event, data);
}

static void hear(struct heard *h, const struct llm_dialect *d, struct span bytes, size_t part)
{
    struct sse s;
    h->dialect = d;
    reply_init(&h->reply);
    sse_init(&s, on_event, h);
    while (bytes.size) {
        size_t size = part < bytes.size ? part : bytes.size;
        sse_feed(&s, (struct span){bytes.at, size});
        bytes = (struct span){bytes.at + size, bytes.size - size};
    }
    sse_end(&s);
    sse_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct span bytes = {(const char *)data + 1, size - 1};
    const struct llm_dialect *d = llm_dialects[data[0] & 1];
    struct heard whole, cut;
    hear(&whole, d, bytes, SIZE_MAX);
    hear(&cut, d, bytes, 1 + (data[0] >> 4));
    if (whole.reply.complete != cut.reply.complete ||
        !span_equals(text_span(&whole.reply.content), text_span(&cut.reply.content)) ||
        whole.reply.usage.input != cut.reply.usage.input || (whole.reply.complete && whole.reply.failed))
        abort();
    reply_release(&cut.reply);
    reply_reset(&whole.reply);
    d->read(&whole.reply, bytes);
    reply_reset(&whole.reply);
    reply_read_error(&whole.reply, bytes);
    if (!whole.reply.failed)
        abort();
    reply_release(&whole.reply);
    return 0;
}

#include "seats/health_check.h"

#include "seats/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { URL_ROOM = 600 };

struct health_check {
    struct call call;
    char address[URL_ROOM], url[URL_ROOM];
    void (*on_done)(void *owner, const char *fault);
    void *owner;
};

static void on_called(void *owner, const struct outcome *o)
{
    struct health_check *h = owner;
    char text[URL_ROOM + SEAT_TEXT_ROOM];
    snprintf(text, sizeof text, "%s: %s", h->address, o->text ? o->text : "");
    // B13.8: any status shows that somebody is there.
    h->on_done(h->owner, o->status ? NULL : text);
    call_release(&h->call);
    free(h);
}

// Next to /api, where bots serve it (B11.11, B12.1).
static void write_url(char *url, const char *address)
{
    size_t size = strlen(address);
    while (size && address[size - 1] == '/')
        size--;
    if (size > 4 && strncmp(address + size - 4, "/api", 4) == 0)
        size -= 4;
    snprintf(url, URL_ROOM, "%.*s/health", (int)size, address);
}

struct health_check *health_check_start(struct seat_client *c, const char *address, int budget_ms, int retries,
                                        void (*on_done)(void *owner, const char *fault), void *owner)
{
    struct health_check *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    snprintf(h->address, sizeof h->address, "%s", address);
    write_url(h->url, address);
    h->on_done = on_done;
    h->owner = owner;
    h->call = (struct call){
        .client = c,
        .origin = origin_find(c, h->url),
        .url = h->url,
        .is_get = true,
        .budget_ms = budget_ms,
        .retries = retries,
        .max_bytes = ACKNOWLEDGED_BYTES,
        .on_done = on_called,
        .owner = h,
    };
    call_start(&h->call);
    return h;
}

void health_check_cancel(struct health_check *h)
{
    if (!h)
        return;
    call_cancel(&h->call);
    call_release(&h->call);
    free(h);
}

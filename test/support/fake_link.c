#include "fake_link.h"

#include <string.h>

static void keep(struct fake *f, struct span line)
{
    if (f->out.size + line.size > sizeof f->bytes) // a long flood: only the newest matters
        f->out.size = 0;
    text_put(&f->out, line);
}

static void reply(void *conn, struct span line)
{
    struct fake *f = conn;
    f->replies++;
    if (f->deaf)
        f->waiting += line.size;
    else
        keep(f, line);
}

static bool write_now(void *conn, struct span line)
{
    struct fake *f = conn;
    if (f->deaf || f->waiting)
        return false;
    f->writes++;
    keep(f, line);
    return true;
}

static void flush(void *conn)
{
    (void)conn;
}

static size_t waiting(void *conn)
{
    return ((struct fake *)conn)->waiting;
}

static void hold(void *conn)
{
    ((struct fake *)conn)->held = true;
}

static void hang_up(void *conn)
{
    ((struct fake *)conn)->hung_up = true;
}

static bool is_gone(void *conn)
{
    return ((struct fake *)conn)->gone;
}

static void greeted(void *conn)
{
    ((struct fake *)conn)->greeted = true;
}

const struct adapter_link fake_link = {reply, write_now, flush, waiting, hold, hang_up, is_gone, greeted, true};
const struct adapter_link fake_link_unpaced = {reply,   write_now, flush,   waiting, hold,
                                               hang_up, is_gone,   greeted, false};

void fake_open(struct fake *f, struct adapter *a, const struct adapter_link *link)
{
    *f = (struct fake){0};
    f->out = text_on(f->bytes, sizeof f->bytes);
    f->client = adapter_open(a, link, f, NULL);
}

void fake_say(struct fake *f, const char *line, int64_t now_us)
{
    adapter_line(f->client, span_of(line), now_us);
}

void fake_forget(struct fake *f)
{
    f->out.size = 0;
    f->replies = f->writes = 0;
}

int fake_count(const struct fake *f, const char *part)
{
    int count = 0;
    const char *at = f->bytes, *end = at + f->out.size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        count += memmem(at, (size_t)(stop - at), part, strlen(part)) != NULL;
        at = stop + 1;
    }
    return count;
}

bool fake_last(const struct fake *f, char *line, size_t room)
{
    if (f->out.size == 0)
        return false;
    const char *end = f->bytes + f->out.size - 1, *start = end;
    while (start > f->bytes && start[-1] != '\n')
        start--;
    size_t size = (size_t)(end - start) < room - 1 ? (size_t)(end - start) : room - 1;
    memcpy(line, start, size);
    line[size] = 0;
    return true;
}

#include "app/agent_history.h"

#include "app/app.h"
#include "base/json_write.h"
#include "heap/heap.h"
#include "net/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

struct agent_history {
    int fd;
    int64_t conn; // of the current messages
    struct text line;
};

struct agent_history *agent_history_open(const char *folder, int number)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/agent-%d.jsonl", folder, number);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return NULL;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) { // a second process would be taken for the same agent
        close(fd);
        errno = EWOULDBLOCK;
        return NULL;
    }
    struct agent_history *h = calloc(1, sizeof *h);
    if (!h)
        app_die("no memory");
    *h = (struct agent_history){.fd = fd, .line.grow = heap_text_grow};
    return h;
}

void agent_history_close(struct agent_history *h)
{
    if (!h)
        return;
    close(h->fd);
    free(h->line.at);
    free(h);
}

static struct text *begin_note(struct agent_history *h, const char *what, struct span session)
{
    struct text *t = &h->line;
    t->size = 0;
    json_begin_object(t);
    json_put_int(t, "at_ms", loop_unix_ms());
    json_put_text(t, "what", what);
    json_put_string(t, "session", session);
    return t;
}

void agent_history_connected(struct agent_history *h)
{
    if (!h)
        return;
    int64_t now_us = loop_unix_ms() * 1000; // differs from those of earlier processes, too
    h->conn = now_us > h->conn ? now_us : h->conn + 1;
}

// One write per line: a killed process leaves whole lines.
static void end_note(struct agent_history *h)
{
    json_end_object(&h->line);
    text_put_char(&h->line, '\n');
    for (size_t done = 0; done < h->line.size;) {
        ssize_t n = write(h->fd, h->line.at + done, h->line.size - done);
        if (n < 0 && errno != EINTR)
            app_die("cannot write the agent's history");
        done += n > 0 ? (size_t)n : 0;
    }
}

void agent_history_start(struct agent_history *h, struct span session)
{
    if (!h)
        return;
    begin_note(h, "start", session);
    end_note(h);
}

void agent_history_events(struct agent_history *h, struct span session, struct span events)
{
    if (!h || events.size <= 2 || events.at[0] != '[') // [], null
        return;
    struct text *t = begin_note(h, "told", session);
    json_put_int(t, "conn", h->conn);
    json_put_raw(t, "events", events);
    end_note(h);
}

void agent_history_asked(struct agent_history *h, struct span session, const char *request)
{
    if (!h)
        return;
    json_put_text(begin_note(h, "asked", session), "request", request);
    end_note(h);
}

void agent_history_answered(struct agent_history *h, struct span session, const char *request, struct span action)
{
    if (!h)
        return;
    struct text *t = begin_note(h, "answered", session);
    json_put_int(t, "conn", h->conn);
    json_put_text(t, "request", request);
    json_put_raw(t, "action", action);
    end_note(h);
}

void agent_history_over(struct agent_history *h, struct span session, struct span match)
{
    if (!h)
        return;
    struct text *t = begin_note(h, "over", session);
    json_put_string(t, "match", match);
    end_note(h);
}

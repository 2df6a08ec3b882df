#include "net/log.h"

#include "base/json_write.h"
#include "net/loop.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {"debug", "info", "warning", "error", "off"};

static struct {
    // Set once by log_open.
    bool as_json;
    enum log_level least;
} setting = {.least = LOG_LEVEL_WARNING};

void log_open(bool as_json, enum log_level least)
{
    setting.as_json = as_json;
    setting.least = least;
}

int log_find_level(const char *name)
{
    for (int i = 0; i <= LOG_LEVEL_OFF; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static void format_now(char out[32])
{
    int64_t now = loop_unix_ms();
    time_t seconds = (time_t)(now / 1000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    size_t size = strftime(out, 32, "%Y-%m-%dT%H:%M:%S.", &utc);
    struct text t = text_on(out + size, 31 - size);
    text_put_char(&t, (char)('0' + now / 100 % 10));
    text_put_char(&t, (char)('0' + now / 10 % 10));
    text_put_char(&t, (char)('0' + now % 10));
    text_put_char(&t, 'Z');
    out[size + t.size] = 0;
}

void log_begin(struct log_line *l, enum log_level level, const char *event)
{
    char now[32];
    l->on = level >= setting.least;
    if (!l->on)
        return;
    l->t = text_on(l->bytes, sizeof l->bytes - 2); // leaves room for the end
    format_now(now);
    if (setting.as_json) {
        json_begin_object(&l->t);
        json_put_text(&l->t, "time", now);
        json_put_text(&l->t, "level", names[level]);
        json_put_text(&l->t, "event", event);
        return;
    }
    text_puts(&l->t, now);
    text_put_char(&l->t, ' ');
    text_puts(&l->t, names[level]);
    text_put_char(&l->t, ' ');
    text_puts(&l->t, event);
}

// A pair is written as a whole or not at all, so a truncated line is still valid.
static size_t open_pair(struct log_line *l, const char *key)
{
    size_t before = l->t.size;
    if (setting.as_json) {
        json_key(&l->t, key);
    } else {
        text_put_char(&l->t, ' ');
        text_puts(&l->t, key);
        text_put_char(&l->t, '=');
    }
    return before;
}

static void close_pair(struct log_line *l, size_t before)
{
    if (!l->t.full)
        return;
    l->t.size = before;
    l->t.full = false;
}

static bool is_plain(const char *value)
{
    size_t size = strlen(value);
    return size > 0 && strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/") == size;
}

void log_put_text(struct log_line *l, const char *key, const char *value)
{
    if (!l->on)
        return;
    size_t before = open_pair(l, key);
    if (!setting.as_json && is_plain(value)) {
        text_puts(&l->t, value);
    } else if (setting.as_json) {
        json_write_text(&l->t, value);
    } else {
        char quoted[sizeof l->bytes];
        struct text q = text_on(quoted, sizeof quoted);
        json_write_text(&q, value);
        text_put(&l->t, text_span(&q));
        l->t.full |= q.full;
    }
    close_pair(l, before);
}

void log_put_int(struct log_line *l, const char *key, int64_t value)
{
    if (!l->on)
        return;
    size_t before = open_pair(l, key);
    text_put_int(&l->t, value);
    close_pair(l, before);
}

void log_end(struct log_line *l)
{
    if (!l->on)
        return;
    l->t.room = sizeof l->bytes;
    if (setting.as_json)
        json_end_object(&l->t);
    text_put_char(&l->t, '\n');
    // One write for a line, so that lines of several threads or processes do not mix.
    ssize_t written = write(STDERR_FILENO, l->t.at, l->t.size);
    (void)written; // there is nobody to report an error to
}

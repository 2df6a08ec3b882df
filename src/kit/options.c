// House bots with options behind their names: styles, and time to think (N2.5, N2.6).
#include "kit/kit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_MS = 600000, MOST_MADE = 4096 };

// By bit of enum bot_style.
static const char *const style_names[] = {"tight", "loose", "bluffer", "caller", "model", NULL};

struct made {
    struct made *next;
    const struct bot *base;
    struct bot bot;
    char name[KIT_BOT_NAME];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *all; // under the lock; they are never freed
static int count;

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static bool read_style(const struct bot *bot, const char **at, uint8_t *styles)
{
    size_t size = strcspn(*at, "+@");
    for (int i = 0; style_names[i]; i++)
        if (strlen(style_names[i]) == size && memcmp(style_names[i], *at, size) == 0) {
            uint8_t style = (uint8_t)(1u << i);
            bool known = bot->knows & style && !(*styles & style);
            *styles |= style;
            *at += size;
            return known;
        }
    return false;
}

static bool read_time(const char **at, uint32_t *think_us)
{
    uint32_t ms = 0;
    const char *digit = *at;
    for (; *digit >= '0' && *digit <= '9' && ms <= MOST_MS; digit++)
        ms = 10 * ms + (uint32_t)(*digit - '0');
    if (ms == 0 || ms > MOST_MS || strncmp(digit, "ms", 2) != 0 || *think_us)
        return false;
    *think_us = 1000 * ms;
    *at = digit + 2;
    return true;
}

static bool read_options(const struct bot *bot, const char *at, uint8_t *styles, uint32_t *think_us)
{
    while (*at) {
        char kind = *at++;
        if (!(kind == '+' ? read_style(bot, &at, styles) : kind == '@' && read_time(&at, think_us)))
            return false;
    }
    return true;
}

static const struct bot *make(const struct bot *bot, uint8_t styles, uint32_t think_us)
{
    struct made *m = count < MOST_MADE ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return NULL;
    size_t n = (size_t)snprintf(m->name, sizeof m->name, "%s", bot->name);
    for (int i = 0; style_names[i] && n < sizeof m->name; i++)
        if (styles >> i & 1)
            n += (size_t)snprintf(m->name + n, sizeof m->name - n, "+%s", style_names[i]);
    if (think_us && n < sizeof m->name)
        snprintf(m->name + n, sizeof m->name - n, "@%ums", think_us / 1000);
    m->base = bot;
    m->bot = *bot;
    m->bot.name = m->name;
    m->bot.styles = styles;
    m->bot.think_us = think_us;
    m->bot.thinks = bot->thinks || think_us; // whatever its usual work is
    m->bot.now_us = now_us;
    m->next = all;
    all = m;
    count++;
    return &m->bot;
}

const struct bot *kit_bot_with(const struct bot *bot, const char *options)
{
    uint8_t styles = bot->styles;
    uint32_t think_us = 0;
    if (!read_options(bot, options, &styles, &think_us))
        return NULL;
    pthread_mutex_lock(&lock);
    const struct bot *found = NULL;
    for (const struct made *m = all; m && !found; m = m->next)
        if (m->base == bot && m->bot.styles == styles && m->bot.think_us == think_us)
            found = &m->bot;
    if (!found)
        found = make(bot, styles, think_us);
    pthread_mutex_unlock(&lock);
    return found;
}

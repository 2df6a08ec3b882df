// House bots with options after their names: styles, and time or work for a decision (N2.5, N2.6, N2.8).
#include "kit/kit.h"

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_MS = 600000,  // N2.6
    MOST_TIMES = 1000, // N2.8
    MOST_MADE = 4096,  // a bot that was made stays until the program ends
};

// By bit of enum bot_style.
static const char *const style_names[] = {"tight", "loose", "bluffer", "caller", "model", NULL};

struct options {
    uint8_t styles;
    uint32_t think_us; // as in struct bot
    uint32_t effort;   // multiple of the usual work; 0: once
};

struct made {
    struct made *next;
    const struct bot *base;
    struct bot bot;
    uint32_t effort; // as in options
    char name[KIT_BOT_NAME];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *all; // guarded by the lock; never freed
static int count;

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

// N2.8: an effort given by the caller takes precedence.
static struct game_action choose_more(const struct bot_ask *ask)
{
    assert(ask->bot && ask->bot->choose == choose_more);
    const struct made *m = (const struct made *)((const char *)ask->bot - offsetof(struct made, bot));
    struct bot_ask more = *ask;
    if (more.effort < 2) // 1 means that the caller did not ask for more
        more.effort = m->effort;
    return m->base->choose(&more);
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

// "50ms", or "4x" for a bot that searches; at most one of them.
static bool read_amount(const struct bot *bot, const char **at, struct options *o)
{
    uint32_t n = 0;
    const char *digit = *at;
    for (; *digit >= '0' && *digit <= '9' && n <= MOST_MS; digit++)
        n = 10 * n + (uint32_t)(*digit - '0');
    bool is_work = *digit == 'x';
    if (n == 0 || n > (is_work ? MOST_TIMES : MOST_MS) || o->think_us || o->effort)
        return false;
    if (is_work ? !bot->weigh : strncmp(digit, "ms", 2) != 0)
        return false;
    *(is_work ? &o->effort : &o->think_us) = is_work ? n : 1000 * n;
    *at = digit + (is_work ? 1 : 2);
    return true;
}

static bool read_options(const struct bot *bot, const char *at, struct options *o)
{
    while (*at) {
        char kind = *at++;
        if (!(kind == '+' ? read_style(bot, &at, &o->styles) : kind == '@' && read_amount(bot, &at, o)))
            return false;
    }
    return true;
}

void kit_name_options(const struct bot *bot, char *out, size_t room)
{
    size_t n = 0;
    for (int i = 0; style_names[i] && n < room; i++)
        if (bot->knows >> i & 1)
            n += (size_t)snprintf(out + n, room - n, "+%s, ", style_names[i]);
    if (n < room)
        snprintf(out + n, room - n, "@50ms%s", bot->weigh ? ", @4x" : "");
}

static const struct bot *make_bot(const struct bot *bot, const struct options *o)
{
    struct made *m = count < MOST_MADE ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return NULL;
    size_t n = (size_t)snprintf(m->name, sizeof m->name, "%s", bot->name);
    for (int i = 0; style_names[i] && n < sizeof m->name; i++)
        if (o->styles >> i & 1)
            n += (size_t)snprintf(m->name + n, sizeof m->name - n, "+%s", style_names[i]);
    if ((o->think_us || o->effort) && n < sizeof m->name)
        snprintf(m->name + n, sizeof m->name - n, "@%u%s", o->effort ? o->effort : o->think_us / 1000,
                 o->effort ? "x" : "ms");
    m->base = bot;
    m->bot = *bot;
    m->bot.name = m->name;
    m->bot.styles = o->styles;
    m->bot.think_us = o->think_us;
    m->effort = o->effort;
    if (o->effort)
        m->bot.choose = choose_more;
    m->bot.thinks = bot->thinks || o->think_us || o->effort; // even if its usual work is short
    m->bot.now_us = now_us;
    m->next = all;
    all = m;
    count++;
    return &m->bot;
}

const struct bot *kit_bot_with(const struct bot *bot, const char *options)
{
    struct options o = {.styles = bot->styles};
    if (!read_options(bot, options, &o))
        return NULL;
    pthread_mutex_lock(&lock);
    const struct bot *found = NULL;
    for (const struct made *m = all; m && !found; m = m->next)
        if (m->base == bot && m->bot.styles == o.styles && m->bot.think_us == o.think_us && m->effort == o.effort)
            found = &m->bot;
    if (!found)
        found = make_bot(bot, &o);
    pthread_mutex_unlock(&lock);
    return found;
}

#include "app/launched_bots.h"

#include "app/app.h"
#include "base/utf8.h"
#include "heap/heap.h"
#include "seats/seat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names and output of bots come from others: control characters are not printed.
static void print_message(const struct launched_bots *l, const char *text)
{
    struct text t = {.grow = heap_text_grow};
    utf8_put_shown(&t, span_of(text), true);
    fprintf(stderr, "%s: %.*s\n", l->command, (int)t.size, t.size ? t.at : "");
    free(t.at);
}

static void on_discovery_warning(void *owner, const char *text)
{
    print_message(owner, text);
}

void launched_bots_open(struct launched_bots *l, struct loop *loop, const char *folder, const char *command)
{
    *l = (struct launched_bots){.command = command, .loop = loop};
    int why = launch_discover(&l->list, folder ? folder : "external-bots", on_discovery_warning, l);
    if (why && folder)
        app_refuse(command, "cannot read %s: %s", folder, strerror(why));
    l->has_list = !why;
}

void launched_bots_list(const struct launched_bots *l, char *out, size_t room)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; l->has_list && i < l->list.count && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, ", %s", l->list.at[i].agent_name);
}

bool launched_bots_add(struct launched_bots *l, const char *name, const char *game, struct contest_entrant *e)
{
    const struct launch_meta *meta = l->has_list ? launch_find(&l->list, name) : NULL;
    if (!meta)
        return false;
    if (strcmp(meta->game, game) != 0)
        app_refuse(l->command, "%s plays %s, not %s", meta->agent_name, meta->game, game);
    e->notices = meta->has_notices ? meta->notices : SEAT_ALL_NOTICES; // B12.19
    l->bot[l->count++] = (struct launched_bot){.owner = l, .meta = meta, .entrant = e};
    return true;
}

static void stop_all(struct launched_bots *l)
{
    int left = 0;
    for (int i = 0; i < l->count; i++) {
        if (l->bot[i].launch)
            launch_stop(l->bot[i].launch);
        l->bot[i].stopped = !l->bot[i].launch;
    }
    do {
        left = 0;
        for (int i = 0; i < l->count; i++)
            left += !l->bot[i].stopped;
    } while (left && loop_turn(l->loop));
}

static void on_ready(void *owner, const char *address)
{
    struct launched_bot *b = owner;
    snprintf(b->entrant->address, sizeof b->entrant->address, "%s", address);
    b->ready = true;
}

// If a bot crashes later, its seats report that, and the contest's policy applies.
static void on_failed(void *owner, const char *text)
{
    struct launched_bot *b = owner;
    print_message(b->owner, text);
    b->failed = true;
}

static void on_warning(void *owner, const char *text)
{
    struct launched_bot *b = owner;
    print_message(b->owner, text);
}

static void on_stopped(void *owner)
{
    struct launched_bot *b = owner;
    b->launch = NULL;
    b->stopped = true;
}

// The first bot that did not start; NULL: none.
static const struct launched_bot *find_failed(const struct launched_bots *l)
{
    for (int i = 0; i < l->count; i++)
        if (l->bot[i].failed)
            return &l->bot[i];
    return NULL;
}

static bool are_ready(const struct launched_bots *l)
{
    for (int i = 0; i < l->count; i++)
        if (!l->bot[i].ready)
            return false;
    return true;
}

void launched_bots_start(struct launched_bots *l, const atomic_bool *stop)
{
    static const struct launch_handler handler = {on_ready, on_failed, on_warning, on_stopped};
    for (int i = 0; i < l->count; i++)
        l->bot[i].launch = launch_start(l->loop, l->bot[i].meta, &handler, &l->bot[i]);
    while (!are_ready(l) && !find_failed(l) && !atomic_load(stop) && loop_turn(l->loop))
        continue;
    const struct launched_bot *failed = find_failed(l);
    if (!failed && are_ready(l))
        return;
    stop_all(l); // B13.7: nothing outlives us
    if (failed)  // on_failed has reported why
        exit(APP_USAGE);
    app_die("stopped before all bots had started");
}

void launched_bots_close(struct launched_bots *l)
{
    stop_all(l);
    if (l->has_list)
        launch_list_release(&l->list);
}

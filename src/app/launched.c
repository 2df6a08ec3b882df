#include "app/launched.h"

#include "app/app.h"
#include "seats/seat.h"

#include <stdio.h>
#include <string.h>

static void warn(void *owner, const char *text)
{
    struct launched *l = owner;
    fprintf(stderr, "%s: %s\n", l->command, text);
}

void launched_open(struct launched *l, struct loop *loop, const char *folder, const char *command)
{
    *l = (struct launched){.command = command, .loop = loop};
    if (!folder)
        return;
    int why = launch_discover(&l->list, folder, warn, l);
    if (why)
        app_refuse(command, "cannot read %s: %s", folder, strerror(why));
    l->has_list = true;
}

bool launched_add(struct launched *l, const char *name, struct contest_entrant *e)
{
    const struct launch_meta *meta = l->has_list ? launch_find(&l->list, name) : NULL;
    if (!meta)
        return false;
    e->notices = meta->has_notices ? meta->notices : SEAT_ALL_NOTICES; // B12.19
    l->bot[l->count++] = (struct launched_bot){.owner = l, .meta = meta, .entrant = e};
    return true;
}

static void stop_all(struct launched *l)
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

static void on_failed(void *owner, const char *text)
{
    struct launched_bot *b = owner;
    fprintf(stderr, "%s: %s: %s\n", b->owner->command, b->meta->agent_name, text);
    if (b->ready)
        return; // it crashed in the middle: its seats say so, and the contest's policy applies
    stop_all(b->owner);
    app_refuse(b->owner->command, "%s did not come up", b->meta->agent_name);
}

static void on_warning(void *owner, const char *text)
{
    struct launched_bot *b = owner;
    fprintf(stderr, "%s: %s: %s\n", b->owner->command, b->meta->agent_name, text);
}

static void on_stopped(void *owner)
{
    struct launched_bot *b = owner;
    b->launch = NULL;
    b->stopped = true;
}

void launched_start(struct launched *l)
{
    static const struct launch_handler handler = {on_ready, on_failed, on_warning, on_stopped};
    int ready = 0;
    for (int i = 0; i < l->count; i++)
        l->bot[i].launch = launch_start(l->loop, l->bot[i].meta, &handler, &l->bot[i]);
    while (ready < l->count && loop_turn(l->loop)) {
        ready = 0;
        for (int i = 0; i < l->count; i++)
            ready += l->bot[i].ready;
    }
}

void launched_close(struct launched *l)
{
    stop_all(l);
    if (l->has_list)
        launch_list_release(&l->list);
}

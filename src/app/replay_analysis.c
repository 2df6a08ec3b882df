#include "app/replay_analysis.h"

#include "app/app.h"

#include <stdio.h>

const struct bot *replay_analysis_find_reference(const char *command, const char *option, const struct game_kit *k,
                                                 const char *name)
{
    const struct bot *b = kit_find_bot(k, name);
    if (b && b->think_us)
        app_refuse(command, "%s: an analysis repeats, so %s cannot have a clock; 'agon replay analyse' has --work",
                   option, name);
    return b;
}

void replay_analysis_show_progress(void *owner, uint32_t done, uint32_t all)
{
    (void)owner;
    fprintf(stderr, "\rdecision %u of at most %u", done, all);
}

void replay_analysis_run(struct analysis *a, const struct loaded_replay *t, const struct analysis_options *o)
{
    int err = analysis_open(a, t, o);
    if (err != OK)
        app_die("%s: %s; 'agon replay verify' prints where", t->path, err_sentence(err));
    analysis_run(a);
    if (o->progress)
        fputs("\r\033[K", stderr);
}

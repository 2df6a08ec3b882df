#include "app/players.h"

#include <stdio.h>
#include <string.h>

static const struct bot *get_bot(const char *command, const struct game_kit *row, const char *name)
{
    const struct bot *bot = kit_find_bot(row, name);
    if (bot)
        return bot;
    char why[512];
    app_name_unknown_bot(row, name, why, sizeof why);
    app_refuse(command, "%s", why);
}

struct players players_from_names(const char *command, const struct game_kit *row, const char *names, int seats)
{
    struct players p = {{0}};
    int count = 0;
    if (!names)
        p.bot[count++] = kit_bots(row)[0];
    for (const char *at = names; at; count++) {
        char name[32];
        size_t size = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        const struct bot *bot = get_bot(command, row, name);
        if (count == seats) {
            app_refuse(command, "--bots names more bots than the %d seats", seats);
        }
        p.bot[count] = bot;
        at = at[size] ? at + size + 1 : NULL;
    }
    for (int s = count; s < seats; s++)
        p.bot[s] = p.bot[s - count];
    return p;
}

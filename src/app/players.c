#include "app/players.h"

#include <stdio.h>
#include <string.h>

// The size of an item. Settings of a model contain commas: what has a '=' after one belongs to the model, unless it is
// a model itself.
static size_t item_size(const char *at, bool is_model)
{
    size_t size = strcspn(at, ",");
    while (is_model && at[size]) {
        size_t next = strcspn(at + size + 1, ",");
        if (!memchr(at + size + 1, '=', next) || strncmp(at + size + 1, "llm:", 4) == 0)
            break;
        size += 1 + next;
    }
    return size;
}

struct players players_from_names(const char *command, const struct game_kit *row, const char *names, int seats)
{
    return players_from_list(command, row, names, seats, false);
}

struct players players_from_list(const char *command, const struct game_kit *row, const char *names, int seats,
                                 bool models)
{
    struct players p = {0};
    int count = 0;
    if (!names)
        p.bot[count++] = kit_bots(row)[0];
    for (const char *at = names; at; count++) {
        char name[32];
        bool is_model = models && strncmp(at, "llm:", 4) == 0;
        size_t size = item_size(at, is_model);
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        const struct bot *bot = is_model ? NULL : app_require_bot(command, row, name);
        if (count == seats) {
            app_refuse(command, "--%s than the %d seats",
                       models ? "against names more players" : "bots names more bots", seats);
        }
        p.bot[count] = bot;
        p.model[count] = is_model ? strndup(at, size) : NULL;
        at = at[size] ? at + size + 1 : NULL;
    }
    for (int s = count; s < seats; s++) {
        p.bot[s] = p.bot[s - count];
        p.model[s] = p.model[s - count];
    }
    return p;
}

#include "kit/kit.h"

const struct bot *const *kit_bots(const struct game_kit *k)
{
    static const struct bot *const any[] = {&bot_random, &bot_fallback, NULL};
    return k->bots ? k->bots : any;
}

const struct bot *kit_level(const struct game_kit *k, int level)
{
    const struct bot *b = k->level[level - 1];
    return b ? b : &bot_random;
}

static const struct bot *find_plain(const struct game_kit *k, const char *name)
{
    if (name[0] >= '1' && name[0] < '1' + KIT_LEVELS && !name[1])
        return kit_level(k, name[0] - '0');
    for (const struct bot *const *b = kit_bots(k); *b; b++)
        if (strcmp((*b)->name, name) == 0)
            return *b;
    return NULL;
}

const struct bot *kit_find_bot(const struct game_kit *k, const char *name)
{
    static const char house[] = "house:";
    if (strncmp(name, house, sizeof house - 1) == 0)
        name += sizeof house - 1;
    const struct bot *found = find_plain(k, name);
#ifdef AGON_BROWSER // in browsers one way of playing is enough
    return found;
#else
    char base[KIT_BOT_NAME];
    size_t size = strcspn(name, "+@");
    if (found || !name[size] || size >= sizeof base)
        return found;
    memcpy(base, name, size);
    base[size] = 0;
    found = find_plain(k, base);
    return found ? kit_bot_with(found, name + size) : NULL;
#endif
}

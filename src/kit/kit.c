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

static const char *without_house(const char *name)
{
    static const char house[] = "house:";
    return strncmp(name, house, sizeof house - 1) == 0 ? name + sizeof house - 1 : name;
}

#ifndef AGON_BROWSER // in browsers one way of playing is enough
const struct bot *kit_find_base(const struct game_kit *k, const char *name, const char **options)
{
    char base[KIT_BOT_NAME];
    name = without_house(name);
    size_t size = strcspn(name, "+@");
    if (!name[size] || size >= sizeof base)
        return NULL;
    memcpy(base, name, size);
    base[size] = 0;
    *options = name + size;
    return find_plain(k, base);
}
#endif

const struct bot *kit_find_bot(const struct game_kit *k, const char *name)
{
    const struct bot *found = find_plain(k, without_house(name));
#ifndef AGON_BROWSER
    const char *options;
    const struct bot *base = found ? NULL : kit_find_base(k, name, &options);
    if (base)
        found = kit_bot_with(base, options);
#endif
    return found;
}

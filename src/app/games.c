#include "app/games.h"

#include "app/help.h"

#include <stdio.h>
#include <string.h>

// G22.10: random, fallback, rules, search. A game without bots of these names has its levels instead.
const struct env_game *app_env_games(void)
{
    static struct env_game rows[GAMES_MAX + 1];
    int count = 0;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        const struct bot *rules = kit_find_bot(*k, "rules"), *search = kit_find_bot(*k, "search");
        if (!search)
            search = rules ? rules : kit_level(*k, KIT_LEVELS);
        if (!rules)
            rules = kit_level(*k, 3);
        rows[count++] = (struct env_game){.game = (*k)->game,
                                          .codec = (*k)->codec,
                                          .environment = (*k)->environment,
                                          .kit = *k,
                                          .picture = (*k)->picture,
                                          .bots = {&bot_random, &bot_fallback, rules, search}};
    }
    return rows;
}

static void name_one(char *out, size_t room, const char *name)
{
    size_t used = strlen(out);
    snprintf(out + used, room - used, "%s%s", used ? ", " : "", name);
}

void app_name_games(char *out, size_t room)
{
    out[0] = 0;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        name_one(out, room, (*k)->game->name);
}

void app_name_bots(const struct game_kit *g, char *out, size_t room)
{
    out[0] = 0;
    for (const struct bot *const *b = kit_bots(g); *b; b++)
        name_one(out, room, (*b)->name);
}

void app_name_levels(const struct game_kit *g, char *out, size_t room)
{
    out[0] = 0;
    for (int level = 1; level <= KIT_LEVELS; level++) {
        char one[64];
        snprintf(one, sizeof one, "house:%d %s", level, kit_level(g, level)->name);
        name_one(out, room, one);
    }
}

const struct bot *app_best_text_bot(const struct game_kit *g, bool has_view)
{
    // The list ends with bots of any game, which need no view.
    const struct bot *const *b = kit_bots(g);
    while ((*b)->game && !has_view)
        b++;
    return *b;
}

bool app_is_new_type(const struct codec *c, const struct codec_action *a)
{
    for (const struct codec_action *before = c->actions; before < a; before++)
        if (before->master == a->master && strcmp(before->type, a->type) == 0)
            return false;
    return true;
}

void app_write_rules(struct text *t, const struct codec *c, const void *rules)
{
    json_begin_object_at(t, "rules");
    c->write_rules(t, rules);
    json_end_object(t);
}

void app_write_payoffs(struct text *t, const int32_t *payoffs, int seats)
{
    json_begin_array_at(t, "payoffs");
    for (int s = 0; s < seats; s++)
        json_write_int(t, payoffs[s]);
    json_end_array(t);
}

void app_write_bots(struct text *t, const struct game_kit *g)
{
    json_begin_array_at(t, "bots");
    for (const struct bot *const *b = kit_bots(g); *b; b++)
        json_write_text(t, (*b)->name);
    json_end_array(t);
}

// house:NAME; `best` keeps the text, since a hint points to it.
static void try_house(struct nearest *n, const char *name, char best[KIT_BOT_NAME])
{
    char full[KIT_BOT_NAME];
    const char *before = n->best;
    snprintf(full, sizeof full, "house:%s", name);
    nearest_try(n, full);
    if (n->best != before)
        n->best = memcpy(best, full, sizeof full);
}

static struct nearest nearest_bot(const struct game_kit *g, const char *name, char best[KIT_BOT_NAME])
{
    static const char *const levels[] = {"3", "1", "2", "4", "5"}; // house:3 is the usual one
    struct nearest n = nearest_to(name);
    const char *house = strncmp(name, "house:", 6) == 0 ? name + 6 : name;
    if (*house && strspn(house, "0123456789") == strlen(house)) { // no level: the nearest number is meant
        snprintf(best, KIT_BOT_NAME, "house:%d", strspn(house, "0") == strlen(house) ? 1 : KIT_LEVELS);
        n.best = best;
        return n;
    }
    for (const struct bot *const *b = kit_bots(g); *b; b++)
        nearest_try(&n, (*b)->name);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        try_house(&n, levels[i], best);
    for (const struct bot *const *b = kit_bots(g); *b; b++)
        try_house(&n, (*b)->name, best);
    return n;
}

void app_name_unknown_bot(const struct game_kit *g, const char *name, char *out, size_t room)
{
    char known[256], hint[HELP_HINT_ROOM], best[KIT_BOT_NAME];
    const char *options;
    const struct bot *base = kit_find_base(g, name, &options);
    if (base) {
        kit_name_options(base, known, sizeof known);
        snprintf(out, room, "'%s' of %s does not take '%s'; known: %s", base->name, g->game->name, options, known);
        return;
    }
    struct nearest n = nearest_bot(g, name, best);
    app_name_bots(g, known, sizeof known);
    snprintf(out, room, "no bot '%s' plays %s; %sknown: %s, and house:1 to house:5 by strength", name, g->game->name,
             help_hint(&n, hint), known);
}

const struct game_kit *app_get_game(struct argp_state *state, const char *name)
{
    const struct game_kit *g = games_find(name);
    if (!g) {
        char known[256], hint[HELP_HINT_ROOM];
        struct nearest n = nearest_to(name);
        for (const struct game_kit *const *k = game_kits; *k; k++)
            nearest_try(&n, (*k)->game->name);
        app_name_games(known, sizeof known);
        argp_failure(state, APP_USAGE, 0, "unknown game '%s'; %sknown: %s", name, help_hint(&n, hint), known);
    }
    return g;
}

const struct bot *app_get_bot(struct argp_state *state, const struct game_kit *g, const char *name)
{
    const struct bot *b = kit_find_bot(g, name);
    if (!b) {
        char why[512];
        app_name_unknown_bot(g, name, why, sizeof why);
        argp_failure(state, APP_USAGE, 0, "%s", why);
    }
    return b;
}

const struct game_kit *app_require_game(const char *command, const char *name)
{
    const struct game_kit *g = games_find(name);
    if (!g)
        app_refuse(command, "unknown game '%s'; 'agon games' lists them", name);
    return g;
}

const struct bot *app_require_bot(const char *command, const struct game_kit *g, const char *name)
{
    const struct bot *b = kit_find_bot(g, name);
    if (!b) {
        char why[512];
        app_name_unknown_bot(g, name, why, sizeof why);
        app_refuse(command, "%s", why);
    }
    return b;
}

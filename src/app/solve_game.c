#include "app/solve_game.h"

#include "net/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_supported(const struct game_kit *k, enum solve_purpose purpose)
{
    if (!k->solve)
        return false;
    return k->solve->deal || (purpose == SOLVE_TABLES ? k->solve->solve != NULL : k->solve->exploit != NULL);
}

static void name_games(enum solve_purpose purpose, char *out, size_t room)
{
    size_t size = 0;
    *out = 0;
    for (const struct game_kit *const *k = game_kits; *k; k++)
        if (is_supported(*k, purpose) && size < room)
            size += (size_t)snprintf(out + size, room - size, "%s%s", size ? ", " : "", (*k)->game->name);
}

void solve_require_game(const struct game_kit *row, struct argp_state *state, enum solve_purpose purpose)
{
    char known[256];
    name_games(purpose, known, sizeof known);
    if (!row)
        argp_error(state, "which game? Known: %s", known);
}

void solve_read_game(const struct game_kit **row, struct argp_state *state, const char *name,
                     enum solve_purpose purpose)
{
    char known[256];
    if (*row)
        argp_error(state, "unexpected argument '%s'; one game at a time", name);
    *row = app_get_game(state, name);
    name_games(purpose, known, sizeof known);
    if (!is_supported(*row, purpose))
        argp_failure(state, APP_USAGE, 0, "%s is not supported; choose one of %s", name, known);
}

struct game_tree *solve_plant_tree(const struct game_kit *row)
{
    struct game_tree *t = malloc(sizeof *t);
    if (!t)
        app_die("there is no memory for the tree");
    small_game_build_tree(t, row->game, row->solve);
    return t;
}

bool progress_line_is_due(struct progress_line *l)
{
    double now = loop_now_seconds();
    if (!isatty(STDERR_FILENO) || now - l->drawn_s < 1)
        return false;
    l->drawn_s = now;
    fputs("\r\033[K", stderr);
    return true;
}

void progress_line_end(const struct progress_line *l)
{
    if (l->drawn_s > 0)
        fputs("\r\033[K", stderr);
}

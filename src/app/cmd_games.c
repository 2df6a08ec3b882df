// agon games: the games with their seats, scenarios and house bots.
#include "app/games.h"
#include "app/help.h"
#include "app/reserved_memory.h"
#include "app/terminal_text.h"
#include "base/json_write.h"

#include <stdio.h>

enum { LIST_ROOM = 1 << 20 };

static void print_words(const char *label, const char *const *words)
{
    printf("  %-10s", label);
    for (int i = 0; words[i]; i++)
        printf("%s%s", i ? ", " : "", words[i]);
    putchar('\n');
}

static void print_game(const struct game_kit *row)
{
    const struct game *g = row->game;
    char bots[256], levels[512];
    app_name_bots(row, bots, sizeof bots);
    app_name_levels(row, levels, sizeof levels);
    printf("%s: %s\n", g->name, row->codec->summary);
    if (g->min_seats == g->max_seats)
        printf("  %-10s%d\n", "seats", g->min_seats);
    else
        printf("  %-10s%d to %d\n", "seats", g->min_seats, g->max_seats);
    print_words("scenarios", g->scenarios);
    printf("  %-10s%s\n", "bots", bots);
    printf("  %-10s%s\n", "levels", levels);
}

static void write_game(struct text *t, const struct game_kit *row)
{
    const struct game *g = row->game;
    json_begin_object(t);
    json_put_text(t, "name", g->name);
    json_put_text(t, "title", row->codec->title);
    json_put_text(t, "summary", row->codec->summary);
    json_put_uint(t, "rules_version", g->version);
    json_put_int(t, "min_seats", g->min_seats);
    json_put_int(t, "max_seats", g->max_seats);
    json_put_int(t, "tick_ms", g->tick_ms);
    json_put_texts(t, "scenarios", g->scenarios);
    app_write_bots(t, row);
    json_begin_array_at(t, "levels");
    for (int level = 1; level <= KIT_LEVELS; level++)
        json_write_text(t, kit_level(row, level)->name);
    json_end_array(t);
    json_end_object(t);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_ARG)
        argp_error(state, "unexpected argument '%s'; 'agon rules %s' prints the rules of a game", arg, arg);
    if (key != 'j')
        return ARGP_ERR_UNKNOWN;
    *(bool *)state->input = true;
    return 0;
}

int cmd_games(int argc, char **argv)
{
    static const struct argp_option list[] = {{"json", 'j', NULL, 0, "Print a JSON object", 0}, {0}};
    static const struct argp argp = {
        .options = list, .parser = parse_option, .doc = "List the games with their seats, scenarios and house bots."};
    bool json = false;
    help_parse(&argp, argc, argv, 0, &json);
    if (!json) {
        for (const struct game_kit *const *at = game_kits, *g; (g = *at); at++)
            print_game(g);
        return APP_DONE;
    }
    struct text t = memory_reserve_text(LIST_ROOM);
    json_begin_object(&t);
    json_begin_array_at(&t, "games");
    for (const struct game_kit *const *at = game_kits, *g; (g = *at); at++)
        write_game(&t, g);
    json_end_array(&t);
    json_end_object(&t);
    terminal_text_print_plain(&t);
    memory_release(t.at, LIST_ROOM);
    return APP_DONE;
}

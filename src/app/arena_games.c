#include "app/arena_games.h"

#include "app/games.h"
#include "app/help.h"

#include <stdio.h>

enum { DEPTH = 8 };
_Static_assert((int)GAMES_MAX <= (int)LOBBY_GAMES, "the lobby takes every game");

// A game's row for the arena. Static, because a process has one arena.
static struct row {
    const struct game_kit *kit;
    bool left_out;          // not offered (--games)
    union game_rules rules; // used if the operator changed the defaults
    struct lobby_game game;
} rows[GAMES_MAX];
static int count;

static struct lobby_game offered[GAMES_MAX + 1];

// F3.2: the game's own range of seats.
static void make_rows(void)
{
    if (count)
        return;
    for (const struct game_kit *const *at = game_kits, *k; (k = *at); at++)
        if (!dialect_refusal(k))
            rows[count++] = (struct row){.kit = k,
                                         .game = {.codec = k->codec,
                                                  .house = kit_level(k, 3),
                                                  .bots = kit_bots(k),
                                                  .min_seats = k->game->min_seats,
                                                  .max_seats = k->game->max_seats,
                                                  .challenge_places = dialect_of(k)->challenge_places,
                                                  .gated = dialect_is_gated(k),
                                                  .is_public = dialect_is_public,
                                                  .set_rules = dialect_of(k)->set_rules,
                                                  .in_play = dialect_of(k)->count_in_play,
                                                  .counters = k->counters,
                                                  .chances = k->chances}};
}

static struct row *find_row(struct span name)
{
    make_rows();
    for (int i = 0; i < count; i++)
        if (span_is(name, rows[i].kit->game->name))
            return &rows[i];
    return NULL;
}

const struct lobby_game *arena_games(void)
{
    make_rows();
    int n = 0;
    for (int i = 0; i < count; i++)
        if (!rows[i].left_out)
            offered[n++] = rows[i].game;
    offered[n] = (struct lobby_game){0};
    return offered;
}

const char *const *arena_game_names(void)
{
    static const char *names[LOBBY_GAMES + 1];
    int n = 0;
    for (const struct lobby_game *g = arena_games(); g->codec && n < LOBBY_GAMES; g++)
        names[n++] = g->codec->game->name;
    names[n] = NULL;
    return names;
}

void arena_games_name(char *out, size_t room)
{
    struct text t = text_on(out, room - 1);
    make_rows();
    for (int i = 0; i < count; i++) {
        text_puts(&t, i ? ", " : "");
        text_puts(&t, rows[i].kit->game->name);
    }
    out[t.size] = 0;
}

static void name_unknown_game(struct span name, char *out, size_t room)
{
    char word[NEAREST_MAX_WORD + 1], known[256], hint[HELP_HINT_ROOM];
    snprintf(word, sizeof word, "%.*s", (int)name.size, name.at);
    struct nearest n = nearest_to(word);
    for (int i = 0; i < count; i++)
        nearest_try(&n, rows[i].kit->game->name);
    arena_games_name(known, sizeof known);
    const struct game_kit *other = games_find(word);
    if (other)
        snprintf(out, room, "%s is not an arena game: %s; known: %s", word, dialect_refusal(other), known);
    else
        snprintf(out, room, "unknown game '%s'; %sknown: %s", word, help_hint(&n, hint), known);
}

const char *arena_games_gated(void)
{
    static char names[256];
    struct text t = text_on(names, sizeof names - 1);
    make_rows();
    for (int i = 0; i < count; i++)
        if (rows[i].game.gated) {
            text_puts(&t, t.size ? "," : "");
            text_puts(&t, rows[i].kit->game->name);
        }
    names[t.size] = 0;
    return names;
}

bool arena_games_set_table(struct span game, bool most, int number, char *bad, size_t room)
{
    struct row *row = find_row(game);
    if (!row) {
        name_unknown_game(game, bad, room);
        return false;
    }
    if (number < row->game.min_seats || number > row->game.max_seats) {
        snprintf(bad, room, "%.*s has %d to %d players", (int)game.size, game.at, row->game.min_seats,
                 row->game.max_seats);
        return false;
    }
    *(most ? &row->game.table_max : &row->game.table_min) = number;
    return true;
}

bool arena_games_fit(int table_min, int table_max, char *bad, size_t room)
{
    for (const struct lobby_game *g = arena_games(); g->codec; g++) {
        int min = g->table_min ? g->table_min : table_min, max = g->table_max ? g->table_max : table_max;
        if (g->min_seats == g->max_seats || min <= max)
            continue;
        snprintf(bad, room, "a table of %s would have at least %d and at most %d players", g->codec->game->name, min,
                 max);
        return false;
    }
    return true;
}

const struct tournaments_game *arena_tournament_games(void)
{
    static const struct contest_facts none = {0};
    static struct tournaments_game table[GAMES_MAX + 1];
    make_rows();
    for (int i = 0; i < count; i++) {
        const struct game_kit *k = rows[i].kit;
        table[i] = (struct tournaments_game){k->codec, k, k->contest ? k->contest : &none};
    }
    return table;
}

bool arena_games_choose(const char *names, char *bad, size_t room)
{
    bool any = false;
    make_rows();
    for (int i = 0; i < count; i++)
        rows[i].left_out = true;
    while (*names) {
        struct span name = {names, strcspn(names, ",")};
        struct row *row = find_row(name);
        if (!row) {
            name_unknown_game(name, bad, room);
            return false;
        }
        row->left_out = false;
        any = true;
        names += name.size + (names[name.size] == ',');
    }
    if (!any)
        name_unknown_game((struct span){names, 0}, bad, room);
    return any;
}

// F6.4: options for scenarios cannot be changed in the arena.
static bool is_open(const struct row *row, struct json_string key)
{
    const char *const *open = dialect_of(row->kit)->open_rules;
    return open && json_string_among(key, open) >= 0;
}

// Rules that work for few players may not work for many (F6.T1).
static bool fits_every_table(const struct row *row)
{
    const struct game *g = row->kit->game;
    return game_can_begin(g, &row->rules, row->game.min_seats) && game_can_begin(g, &row->rules, row->game.max_seats);
}

bool arena_games_set_rules(const char *text, char *bad, size_t room)
{
    const char *mark = strchr(text, '=');
    if (!mark) {
        snprintf(bad, room, "'%s' is not GAME=JSON", text);
        return false;
    }
    struct span name = {text, (size_t)(mark - text)};
    struct row *row = find_row(name);
    if (!row) {
        name_unknown_game(name, bad, room);
        return false;
    }
    const struct codec *c = row->kit->codec;
    struct json_reader r = json_reader_of(span_of(mark + 1), DEPTH);
    struct json_string key;
    if (!row->game.rules)
        c->game->defaults(&row->rules);
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (!is_open(row, key) || !c->read_rule(&r, key, &row->rules)) {
            snprintf(bad, room, "%s has no rule '%.*s' that an arena can change", c->game->name, (int)key.raw.size,
                     key.raw.at);
            return false;
        }
    if (json_finish(&r) != OK || !fits_every_table(row)) {
        snprintf(bad, room, "'%s' is not valid for %s; 'agon rules %s --json' prints its rules", mark + 1,
                 c->game->name, c->game->name);
        return false;
    }
    row->game.rules = &row->rules;
    return true;
}

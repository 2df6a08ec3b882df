#include "app/arena_games.h"

#include "app/games.h"
#include "front/arena/dialect.h"
#include "games/belote/belote.h"
#include "games/coup/coup.h"
#include "games/liars_dice/liars_dice.h"
#include "games/texas_holdem/texas_holdem.h"

#include <stdio.h>

enum { GAMES = 4, DEPTH = 8 };

// Rules in force where they differ from the defaults: one process has one arena.
static union game_rules changed[GAMES];
static bool is_changed[GAMES];

static void set_rules(int game, void *rules, bool strict, bool deterministic_windows)
{
    const struct dialect *d = dialects[game];
    if (is_changed[game])
        memcpy(rules, &changed[game], d->codec->game->rules_size);
    if (d->set_rules)
        d->set_rules(rules, strict, deterministic_windows);
}

// The lobby's row has no place for an owner, so each game has a function of its own.
#define RULES_OF(number, name)                                                                                         \
    static void set_##name(void *rules, bool strict, bool deterministic_windows)                                       \
    {                                                                                                                  \
        set_rules(number, rules, strict, deterministic_windows);                                                       \
    }
RULES_OF(0, texas_holdem)
RULES_OF(1, liars_dice)
RULES_OF(2, coup)
RULES_OF(3, belote)
#undef RULES_OF

// --- who is still in play (F6.2)

static int in_play_texas_holdem(const void *state)
{
    const struct texas_holdem_state *s = state;
    int count = 0;
    for (int i = 0; i < s->seats; i++)
        count += !(s->dropped & SEAT(i)) && (s->chips[i] > 0 || s->live & SEAT(i));
    return count;
}

static int in_play_liars_dice(const void *state)
{
    return __builtin_popcount(((const struct liars_dice_state *)state)->in_play);
}

static int in_play_coup(const void *state)
{
    return __builtin_popcount(((const struct coup_state *)state)->in_play);
}

// By dialect; F3.2: the hard range of seats.
static struct lobby_game rows[GAMES] = {
    {.min_seats = 2, .max_seats = 9, .set_rules = set_texas_holdem, .in_play = in_play_texas_holdem},
    {.min_seats = 2, .max_seats = 6, .set_rules = set_liars_dice, .in_play = in_play_liars_dice},
    {.min_seats = 2, .max_seats = 6, .set_rules = set_coup, .in_play = in_play_coup},
    {.min_seats = 4, .max_seats = 4, .set_rules = set_belote, .gated = true},
};

static struct lobby_game offered[GAMES + 1];

static void offer(int count, const int *games)
{
    memset(offered, 0, sizeof offered);
    for (int i = 0; i < count; i++) {
        const struct dialect *d = dialects[games[i]];
        offered[i] = rows[games[i]];
        offered[i].codec = d->codec;
        offered[i].house = app_find_bot(app_find_game(d->codec->game->name), "rules");
        offered[i].bots = app_find_game(d->codec->game->name)->bots;
        offered[i].is_told = dialect_is_told;
    }
}

static int find_dialect(struct span name)
{
    for (int i = 0; i < GAMES; i++)
        if (span_is(name, dialects[i]->codec->game->name))
            return i;
    return -1;
}

const struct lobby_game *arena_games(void)
{
    if (!offered[0].codec)
        offer(GAMES, (const int[]){0, 1, 2, 3});
    for (struct lobby_game *g = offered; g->codec; g++) { // may have been set after the choice
        const struct lobby_game *row = &rows[find_dialect(span_of(g->codec->game->name))];
        g->table_min = row->table_min;
        g->table_max = row->table_max;
    }
    return offered;
}

bool arena_games_set_table(struct span game, bool most, int count, char *bad, size_t room)
{
    int i = find_dialect(game);
    if (i < 0) {
        snprintf(bad, room, "unknown game '%.*s'", (int)game.size, game.at);
        return false;
    }
    if (count < rows[i].min_seats || count > rows[i].max_seats) {
        snprintf(bad, room, "%.*s is played by %d to %d", (int)game.size, game.at, rows[i].min_seats,
                 rows[i].max_seats);
        return false;
    }
    *(most ? &rows[i].table_max : &rows[i].table_min) = count;
    return true;
}

bool arena_games_fit(int table_min, int table_max, char *bad, size_t room)
{
    for (const struct lobby_game *g = arena_games(); g->codec; g++) {
        int min = g->table_min ? g->table_min : table_min, max = g->table_max ? g->table_max : table_max;
        if (g->min_seats == g->max_seats || min <= max)
            continue;
        snprintf(bad, room, "a table of %s needs %d and takes %d", g->codec->game->name, min, max);
        return false;
    }
    return true;
}

const struct tours_game *arena_tours_games(void)
{
    static struct tours_game table[GAMES + 1];
    for (int i = 0; i < GAMES; i++) {
        const struct app_game *g = app_find_game(dialects[i]->codec->game->name);
        table[i] = (struct tours_game){g->codec, g->bots, g->points, g->first_rule, g->mirror_rule};
    }
    return table;
}

bool arena_games_choose(const char *names, char *bad, size_t room)
{
    bool wanted[GAMES] = {false};
    int list[GAMES], count = 0;
    while (*names) {
        struct span name = {names, strcspn(names, ",")};
        int i = find_dialect(name);
        if (i < 0) {
            snprintf(bad, room, "%.*s", (int)name.size, name.at);
            return false;
        }
        wanted[i] = true;
        names += name.size + (names[name.size] == ',');
    }
    for (int i = 0; i < GAMES; i++)
        if (wanted[i])
            list[count++] = i;
    offer(count, list);
    return count > 0;
}

// F6.4: what belongs to scenarios is never on in the arena.
static bool is_open(struct json_string key)
{
    static const char *const keys[] = {"small_blind",      "big_blind",        "starting_chips", "max_hands",
                                       "blinds_double_at", "big_blind_option", "target",         NULL};
    return json_string_among(key, keys) >= 0;
}

// What goes with few players may be too much with many (F6.T1).
static bool fits_every_table(int game)
{
    const struct game *g = dialects[game]->codec->game;
    return game_can_begin(g, &changed[game], rows[game].min_seats) &&
           game_can_begin(g, &changed[game], rows[game].max_seats);
}

bool arena_games_set_rules(const char *text, char *bad, size_t room)
{
    const char *mark = strchr(text, '=');
    int i = mark ? find_dialect((struct span){text, (size_t)(mark - text)}) : -1;
    if (i < 0) {
        snprintf(bad, room, "'%s' does not begin with a game and '='", text);
        return false;
    }
    const struct codec *c = dialects[i]->codec;
    struct json_reader r = json_reader_of(span_of(mark + 1), DEPTH);
    struct json_string key;
    if (!is_changed[i])
        c->game->defaults(&changed[i]);
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (!is_open(key) || !c->read_rule(&r, key, &changed[i])) {
            snprintf(bad, room, "%s has no rule '%.*s' here", c->game->name, (int)key.raw.size, key.raw.at);
            return false;
        }
    if (json_finish(&r) != OK || !fits_every_table(i)) {
        snprintf(bad, room, "'%s' are no rules of %s", mark + 1, c->game->name);
        return false;
    }
    is_changed[i] = true;
    return true;
}

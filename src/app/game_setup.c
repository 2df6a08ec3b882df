#include "app/game_setup.h"

#include "app/help.h"
#include "crypto/crypto.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)CRYPTO_KEY_BYTES == RNG_KEY_BYTES && (int)CRYPTO_SHA256_BYTES == MATCH_COMMITMENT_BYTES, "keys");

enum { RULES_DEPTH = 16, RULES_TEXT = 1 << 16 };

// The names of a game's options: the members that its codec writes.
static void name_options(const struct game_kit *row, char *out, size_t room)
{
    static _Thread_local char json[RULES_TEXT];
    struct text t = text_on(json, sizeof json);
    union game_rules rules;
    row->game->defaults(&rules);
    json_begin_object(&t);
    row->codec->write_rules(&t, &rules);
    json_end_object(&t);

    struct json_reader r = json_reader_of(text_span(&t), RULES_DEPTH);
    struct json_string key;
    size_t used = 0;
    for (json_enter_object(&r); json_next_key(&r, &key) && used < room; json_skip(&r)) {
        int more = snprintf(out + used, room - used, "%s%.*s", used ? ", " : "", (int)key.raw.size, key.raw.at);
        used += (size_t)more;
    }
}

static void name_words(const char *const *words, char *out, size_t room)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; words[i] && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", words[i]);
}

// What was refused: the JSON as given, the error, the rule or scenario, and which words its value can be (or NULL).
struct refusal {
    struct span json;
    int err;
    const char *bad;
    const char *const *values;
};

static void explain_scenario(const struct game *g, const char *bad, char *why, size_t room)
{
    char known[512], hint[HELP_HINT_ROOM];
    struct nearest n = nearest_to(bad);
    name_words(g->scenarios, known, sizeof known);
    for (int i = 0; g->scenarios[i]; i++)
        nearest_try(&n, g->scenarios[i]);
    snprintf(why, room, "%s has no scenario '%s'; %sknown: %s", g->name, bad, help_hint(&n, hint), known);
}

static void explain_value(const struct game *g, const struct refusal *f, char *why, size_t room)
{
    char known[512], value[64], hint[HELP_HINT_ROOM];
    struct span given = json_member(f->json, f->bad);
    if (json_copy_text(given, value, sizeof value) < 0)
        snprintf(value, sizeof value, "%.*s", given.size < 40 ? (int)given.size : 40, given.size ? given.at : "");
    if (!f->values) {
        snprintf(why, room, "rule '%s' of %s: a name in its value is unknown; 'agon rules %s --json' prints an example",
                 f->bad, g->name, g->name);
        return;
    }
    struct nearest n = nearest_to(value);
    name_words(f->values, known, sizeof known);
    for (int i = 0; f->values[i]; i++)
        nearest_try(&n, f->values[i]);
    snprintf(why, room, "rule '%s' of %s: unknown value '%s'; %sknown: %s", f->bad, g->name, value, help_hint(&n, hint),
             known);
}

// The scenario is read first, so an unknown one is what was refused.
static bool is_scenario_of(const struct refusal *f, const struct game *g)
{
    char name[64];
    return json_copy_text(json_member(f->json, "scenario"), name, sizeof name) >= 0 && strcmp(name, f->bad) == 0 &&
           span_among(span_of(name), g->scenarios) < 0;
}

static void explain_refusal(const struct game_kit *row, const struct refusal *f, char *why, size_t room)
{
    char known[512], words[512], *rest = words, hint[HELP_HINT_ROOM];
    const char *name = row->game->name;
    if (f->err != ERR_UNKNOWN) {
        snprintf(why, room, "rules of %s%s%s%s: %s", name, f->bad[0] ? ", at '" : "", f->bad, f->bad[0] ? "'" : "",
                 err_sentence(f->err));
        return;
    }
    if (is_scenario_of(f, row->game)) {
        explain_scenario(row->game, f->bad, why, room);
        return;
    }
    struct nearest n = nearest_to(f->bad);
    name_options(row, known, sizeof known);
    memcpy(words, known, sizeof words);
    for (char *word; (word = strtok_r(rest, ", ", &rest));) {
        if (strcmp(word, f->bad) == 0) {
            explain_value(row->game, f, why, room);
            return;
        }
        nearest_try(&n, word);
    }
    snprintf(why, room, "%s has no rule '%s'; %sknown: %s", name, f->bad, help_hint(&n, hint), known);
}

static void join_members(struct text *t, struct span json)
{
    struct json_reader r = json_reader_of(json, RULES_DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        json_write_raw(t, (struct span){key.raw.at - 1, key.raw.size + 2}); // with its quotes
        text_put_char(t, ':');
        json_write_raw(t, json_read_raw(&r));
    }
}

// {"scenario":NAME,...}: puts the scenario before the options.
static void join_rules(struct text *t, const char *scenario, struct span json)
{
    json_begin_object(t);
    if (scenario && scenario[0])
        json_put_text(t, "scenario", scenario);
    join_members(t, json);
    json_end_object(t);
}

static int check_object(struct span json)
{
    struct json_reader r = json_reader_of(json, RULES_DEPTH);
    if (json_peek(&r) != JSON_OBJECT)
        json_fail(&r, ERR_TYPE);
    json_skip(&r);
    return json_finish(&r);
}

static int check_seats(const struct game *g, int seats, char *why, size_t room)
{
    if (seats >= g->min_seats && seats <= g->max_seats)
        return OK;
    if (g->min_seats == g->max_seats)
        snprintf(why, room, "%s has %d seat%s, not %d", g->name, g->min_seats, g->min_seats == 1 ? "" : "s", seats);
    else
        snprintf(why, room, "%s has %d to %d seats, not %d", g->name, g->min_seats, g->max_seats, seats);
    return ERR_RULES;
}

int game_setup_read_rules(struct game_setup *s, const struct game_kit *row, const char *scenario, struct span json,
                          int seats, char *why, size_t room)
{
    static _Thread_local char joined[RULES_TEXT];
    struct text t = text_on(joined, sizeof joined);
    char bad[64] = "";
    *s = (struct game_setup){.row = row, .match = {.game = row->game}};
    if (json.size == 0)
        json = SPAN("{}");
    int err = check_object(json);
    if (err == OK && scenario && scenario[0] && span_among(span_of(scenario), row->game->scenarios) < 0) {
        explain_scenario(row->game, scenario, why, room);
        return ERR_UNKNOWN;
    }
    if (err == OK)
        join_rules(&t, scenario, json);
    if (err == OK && t.full)
        err = ERR_TOO_LONG;
    struct json_reader r = json_reader_of(text_span(&t), RULES_DEPTH);
    if (err == OK)
        err = codec_read_rules(row->codec, &r, &s->rules, &seats, bad);
    if (err == OK)
        err = json_finish(&r);
    if (err != OK) {
        explain_refusal(row, &(struct refusal){json, err, bad, r.known}, why, room);
        return err;
    }
    s->match.seats = seats;
    return check_seats(row->game, seats, why, room);
}

enum { TARGET = 0x400, SWEEP, CLUBS_BASE, NO_CLUBS_REDOUBLE, DECK, CUTTER };

// Options known to belote players by these names (B7.1, B7.5, B8) are ordinary rules.
static bool add_named(struct game_setup_options *o, int key, const char *arg, struct argp_state *state)
{
    static const char *const decks[] = {"shuffle", "gather", NULL}, *const sides[] = {"right", "left", NULL};
    char value[32] = "";
    const char *name = NULL;
    if (key == TARGET || key == SWEEP || key == CLUBS_BASE) {
        static const struct {
            const char *option, *name;
            uint64_t min, max;
        } numbers[] = {{"--target", "target", 1, 10000},
                       {"--colour-sweep-points", "colour_sweep_points", 0, 1000},
                       {"--clubs-base", "clubs_base", 16, 32}};
        int i = key - TARGET;
        name = numbers[i].name;
        snprintf(value, sizeof value, "%ju",
                 (uintmax_t)app_read_uint(state, numbers[i].option, arg, numbers[i].min, numbers[i].max));
    } else if (key == NO_CLUBS_REDOUBLE) {
        name = "clubs_redouble";
        snprintf(value, sizeof value, "false");
    } else if (key == DECK) {
        name = "gather";
        snprintf(value, sizeof value, "%s", app_read_word(state, "--deck", arg, decks) ? "true" : "false");
    } else if (key == CUTTER) {
        name = "cutter";
        snprintf(value, sizeof value, "\"%s\"", sides[app_read_word(state, "--cutter", arg, sides)]);
    }
    size_t used = strlen(o->named), room = sizeof o->named - used;
    if (name && (size_t)snprintf(o->named + used, room, "%s\"%s\":%s", used ? "," : "", name, value) >= room)
        argp_failure(state, APP_USAGE, 0, "too many belote options");
    return name;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct game_setup_options *o = state->input;
    if (add_named(o, key, arg, state))
        return 0;
    switch (key) {
    case 's':
        o->seats = (int)app_read_uint(state, "--seats", arg, 1, GAME_MAX_SEATS);
        return 0;
    case 'S':
        o->scenario = arg;
        return 0;
    case 'R':
        o->rules = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->row)
            argp_error(state, "one game at a time");
        o->row = app_get_game(state, arg);
        return 0;
    case ARGP_KEY_END:
        if (!o->row && !o->may_lack_game)
            argp_error(state, "which game? 'agon games' lists the games");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"seats", 's', "N", 0, "Number of seats (default of the scenario)", HELP_PLAY},
    {"scenario", 'S', "NAME", 0, "Scenario to play; 'agon games' lists them (the first)", HELP_PLAY},
    {"rules", 'R', "JSON", 0,
     "Change rules with a JSON object; 'agon rules GAME --json' prints them. Belote also takes 'standard' or "
     "'classic'",
     HELP_PLAY},
    {"target", TARGET, "POINTS", HELP_RARE, "Match points that win (150)", HELP_BELOTE},
    {"colour-sweep-points", SWEEP, "N", HELP_RARE, "Points of a Colour sweep, times the multiplier (wins the match)",
     HELP_BELOTE},
    {"clubs-base", CLUBS_BASE, "N", HELP_RARE, "Value of ColourClubs: 32 or 16", HELP_BELOTE},
    {"no-clubs-redouble", NO_CLUBS_REDOUBLE, NULL, HELP_RARE, "Forbid redoubling of ColourClubs", HELP_BELOTE},
    {"deck", DECK, "HOW", HELP_RARE, "'shuffle' for every deal, or 'gather' the tricks of the last (shuffle)",
     HELP_BELOTE},
    {"cutter", CUTTER, "SIDE", HELP_RARE, "Who cuts: the player to the 'right' or 'left' of the dealer (right)",
     HELP_BELOTE},
    {0},
};

const struct argp game_setup_argp = {.options = option_list, .parser = parse_option};

// A word instead of an object names a ruleset (B8). Named options come last, because they are more specific.
static struct span join_options(const struct game_setup_options *o, struct text *t)
{
    char ruleset[64], named[GAME_SETUP_NAMED + 2];
    const char *rules = o->rules ? o->rules : "{}";
    size_t word = strspn(rules, "abcdefghijklmnopqrstuvwxyz_");
    if (word && !rules[word]) {
        snprintf(ruleset, sizeof ruleset, "{\"ruleset\":\"%.40s\"}", rules);
        rules = ruleset;
    }
    if (check_object(span_of(rules)) != OK)
        return span_of(rules); // the reader of the rules reports the error
    snprintf(named, sizeof named, "{%s}", o->named);
    json_begin_object(t);
    join_members(t, span_of(rules));
    join_members(t, span_of(named));
    json_end_object(t);
    return t->full ? span_of(rules) : text_span(t);
}

void game_setup_from_options(struct game_setup *s, const struct game_setup_options *o, const char *command)
{
    static char joined[RULES_TEXT];
    char why[1024] = "";
    struct text t = text_on(joined, sizeof joined);
    struct span rules = join_options(o, &t);
    if (game_setup_read_rules(s, o->row, o->scenario, rules, o->seats, why, sizeof why) == OK)
        return;
    app_refuse(command, "%s", why);
}

static void commit_key(struct game_setup *s)
{
    s->match.rules = &s->rules;
    crypto_sha256(s->match.commitment, s->match.key, RNG_KEY_BYTES);
}

void game_setup_set_seed(struct game_setup *s, uint64_t seed)
{
    s->match.has_seed = true;
    s->match.seed = seed;
    crypto_seed_key(s->match.key, s->match.game->name, seed);
    commit_key(s);
}

void game_setup_draw_key(struct game_setup *s)
{
    if (s->match.game->seed) {
        uint32_t seed;
        crypto_random(&seed, sizeof seed);
        game_setup_set_seed(s, seed);
        return;
    }
    crypto_random(s->match.key, RNG_KEY_BYTES);
    commit_key(s);
}

void game_setup_from_defaults(struct game_setup *s, const struct game_kit *row, uint64_t seed, const char *command)
{
    char why[512];
    if (game_setup_read_rules(s, row, "", (struct span){0}, 0, why, sizeof why) != OK)
        app_refuse(command, "%s", why);
    game_setup_set_seed(s, seed);
}

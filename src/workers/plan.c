#include "workers/plan.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "games/games.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, PLAN_VERSION = 1 }; // DEPTH: rules are JSON objects of their own
static const char program_prefix[] = "program:";

// --- numbers of the run that are sent with a plan

// `at` is read to write a plan and set to read one.
struct number {
    const char *key;
    int *at;
    int max; // the least is 0
};

enum { RUN_NUMBERS = 11, HOUR_MS = 3600000, MOST_TABLES = 65536 };

// Booleans of the dialect and the run are numbers from 0 to 1 here: one table for all.
static void list_numbers(struct contest_run *run, int flags[5], struct number out[RUN_NUMBERS + 1])
{
    const struct number list[RUN_NUMBERS + 1] = {
        {"tables", &run->tables, MOST_TABLES},
        {"connections", &run->seats.max_conns, MOST_TABLES},
        {"connect_ms", &run->seats.connect_ms, HOUR_MS},
        {"create_ms", &run->seats.create_ms, HOUR_MS},
        {"decide_ms", &run->seats.decide_ms, HOUR_MS},
        {"notify_ms", &run->seats.notify_ms, HOUR_MS},
        {"delete_ms", &run->seats.delete_ms, HOUR_MS},
        {"retries", &run->seats.retries, 100},
        {"at_once", &flags[0], 1},
        {"sends_seed", &flags[1], 1},
        {"dialect", &flags[2], 7},
        {NULL, NULL, 0},
    };
    memcpy(out, list, sizeof list);
}

static void put_run(struct text *t, const struct contest_run *given)
{
    struct contest_run *run = (struct contest_run *)given; // only read
    struct number list[RUN_NUMBERS + 1];
    int flags[5] = {run->describe_at_once, run->sends_seed,
                    run->dialect.omit_nulls | run->dialect.early_result << 1 | run->dialect.lax_cut << 2};
    list_numbers(run, flags, list);
    json_begin_object_at(t, "outside");
    json_put_text(t, "on_error", contest_policy_names[run->policy]);
    for (const struct number *n = list; n->key; n++) {
        json_write_key(t, n->key, strlen(n->key));
        json_write_int(t, *n->at);
    }
    json_end_object(t);
}

static void read_number(struct json_reader *r, struct json_string key, const struct number *list)
{
    for (const struct number *n = list; n->key; n++)
        if (json_string_is(key, n->key)) {
            *n->at = (int)json_read_uint(r, (uint64_t)n->max);
            return;
        }
    json_skip(r);
}

static bool read_run(struct span bytes, struct contest_run *run)
{
    struct json_reader r = json_reader_of(bytes, DEPTH);
    struct json_string key;
    struct number list[RUN_NUMBERS + 1];
    int flags[5] = {0}, policy = CONTEST_LOSE;
    list_numbers(run, flags, list);
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "on_error"))
            policy = json_string_among(json_read_string(&r), contest_policy_names);
        else
            read_number(&r, key, list);
    if (json_finish(&r) != OK || policy < 0)
        return false;
    run->policy = (enum contest_policy)policy;
    run->describe_at_once = flags[0];
    run->sends_seed = flags[1];
    run->dialect = (struct seat_dialect){flags[2] & 1, flags[2] & 2, flags[2] & 4};
    return run->tables > 0 && run->seats.max_conns > 0;
}

// --- writing

static void put_entrant(struct text *t, const struct contest_entrant *e)
{
    json_begin_object(t);
    json_put_text(t, "name", e->name);
    if (e->bot) {
        json_put_text(t, "bot", e->bot->name);
    } else {
        json_put_text(t, "address", e->address);
        json_put_uint(t, "notices", e->notices);
    }
    json_end_object(t);
}

void workers_write_plan(struct text *t, const struct contest_run *run)
{
    const struct contest_plan *p = &run->contest->plan;
    json_begin_object(t);
    json_put_int(t, "plan", PLAN_VERSION);
    json_put_text(t, "agon", AGON_VERSION);
    json_put_hex(t, "fingerprint", contest_fingerprint(p));
    json_put_text(t, "game", p->codec->game->name);
    json_put_uint(t, "rules_version", p->codec->game->version);
    json_begin_object_at(t, "rules");
    p->codec->write_rules(t, &p->rules);
    json_end_object(t);
    json_put_int(t, "seats", p->seats);
    json_put_text(t, "format", contest_format_names[p->format]);
    json_put_uint(t, "games", p->games);
    json_put_uint(t, "seed", p->seed);
    json_put_uint(t, "max_steps", p->max_steps);
    json_put_bool(t, "mirrored", p->mirrored);
    if (p->aivat)
        json_put_bool(t, "aivat", true);
    json_put_bool(t, "simulated", p->simulated);
    json_put_bool(t, "other_measure", p->facts && p->stake && p->stake == p->facts->other);
    json_begin_array_at(t, "players");
    for (int i = 0; i < p->entrants; i++)
        put_entrant(t, &p->entrant[i]);
    json_end_array(t);
    if (contest_needs_loop(p))
        put_run(t, run);
    json_end_object(t);
}

// --- reading

static bool refuse_bytes(char why[WORKERS_WHY])
{
    snprintf(why, WORKERS_WHY, "the plan is malformed; it must be one that agon " AGON_VERSION " wrote");
    return false;
}

static bool copy_member(struct span plan, const char *name, char *out, size_t room)
{
    struct json_reader r = json_reader_of(json_member(plan, name), DEPTH);
    struct json_string s = json_read_string(&r);
    return json_finish(&r) == OK && json_string_copy(s, out, room) >= 0;
}

static bool read_game(struct span plan, const struct game_kit **kit, char why[WORKERS_WHY])
{
    char name[64], version[64];
    if (!copy_member(plan, "agon", version, sizeof version) || !copy_member(plan, "game", name, sizeof name))
        return refuse_bytes(why);
    if (strcmp(version, AGON_VERSION) != 0) {
        snprintf(why, WORKERS_WHY,
                 "it runs agon " AGON_VERSION " and the contest agon %s, whose house bots may play differently; "
                 "install the same version",
                 version);
        return false;
    }
    *kit = games_find(name);
    if (!*kit) {
        snprintf(why, WORKERS_WHY, "it does not know the game '%s'", name);
        return false;
    }
    struct json_reader r = json_reader_of(json_member(plan, "rules_version"), DEPTH);
    uint64_t rules = json_read_uint(&r, UINT32_MAX);
    if (json_finish(&r) == OK && rules == (*kit)->game->version)
        return true;
    snprintf(why, WORKERS_WHY, "it has version %u of the rules of %s, but the contest uses version %ju",
             (*kit)->game->version, name, (uintmax_t)rules);
    return false;
}

static bool read_numbers(struct span bytes, struct contest_plan *p)
{
    struct json_reader r = json_reader_of(bytes, DEPTH);
    struct json_string key;
    int format = -1;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "seats"))
            p->seats = (int)json_read_uint(&r, GAME_MAX_SEATS);
        else if (json_string_is(key, "format"))
            format = json_string_among(json_read_string(&r), contest_format_names);
        else if (json_string_is(key, "games"))
            p->games = json_read_uint(&r, CONTEST_MAX_GAMES);
        else if (json_string_is(key, "seed"))
            p->seed = json_read_uint(&r, UINT64_MAX);
        else if (json_string_is(key, "max_steps"))
            p->max_steps = json_read_uint(&r, UINT32_MAX);
        else if (json_string_is(key, "mirrored"))
            p->mirrored = json_read_bool(&r);
        else if (json_string_is(key, "simulated"))
            p->simulated = json_read_bool(&r);
        else if (json_string_is(key, "aivat"))
            p->aivat = json_read_bool(&r);
        else
            json_skip(&r);
    if (json_finish(&r) != OK || format < 0)
        return false;
    p->format = (enum contest_format)format;
    return p->games > 0 && p->max_steps > 0;
}

static bool read_rules(struct span plan, const struct game_kit *kit, struct contest_plan *p)
{
    struct json_reader r = json_reader_of(json_member(plan, "rules"), DEPTH);
    char bad[64];
    int seats = p->seats;
    return codec_read_rules(kit->codec, &r, &p->rules, &seats, bad) == OK && json_finish(&r) == OK;
}

static bool read_entrant(struct span bytes, const struct game_kit *kit, struct contest_entrant *e,
                         char why[WORKERS_WHY])
{
    struct json_reader r = json_reader_of(bytes, DEPTH);
    struct json_string key;
    char bot[KIT_BOT_NAME + 16] = "";
    bool fits = true;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "name"))
            fits &= json_string_copy(json_read_string(&r), e->name, sizeof e->name) > 0;
        else if (json_string_is(key, "bot"))
            fits &= json_string_copy(json_read_string(&r), bot, sizeof bot) > 0;
        else if (json_string_is(key, "address"))
            fits &= json_string_copy(json_read_string(&r), e->address, sizeof e->address) > 0;
        else if (json_string_is(key, "notices"))
            e->notices = (unsigned)json_read_uint(&r, SEAT_ALL_NOTICES);
        else
            json_skip(&r);
    if (json_finish(&r) != OK || !fits || !e->name[0] || !bot[0] == !e->address[0])
        return refuse_bytes(why);
    if (bot[0] && !(e->bot = kit_find_bot(kit, bot))) {
        snprintf(why, WORKERS_WHY, "it has no house bot '%s' for %s", bot, kit->game->name);
        return false;
    }
    // No command line comes over the bus (S86).
    bool is_url = strncmp(e->address, "http://", 7) == 0 || strncmp(e->address, "https://", 8) == 0;
    if (e->address[0] && !workers_is_program(e->address) && (!is_url || seat_check_address(e->address)))
        return refuse_bytes(why);
    return true;
}

static bool read_entrants(struct span plan, const struct game_kit *kit, struct contest_plan *p, char why[WORKERS_WHY])
{
    struct json_reader r = json_reader_of(json_member(plan, "players"), DEPTH);
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span one = json_read_raw(&r);
        if (r.error != OK || p->entrants == CONTEST_ENTRANTS)
            return refuse_bytes(why);
        if (!read_entrant(one, kit, &p->entrant[p->entrants++], why))
            return false;
    }
    return json_finish(&r) == OK || refuse_bytes(why);
}

static void set_measure(struct span plan, const struct game_kit *kit, struct contest_plan *p)
{
    if (p->simulated)
        return;
    contest_set_facts(p, kit->contest);
    if (p->facts && p->facts->other && span_is(json_member(plan, "other_measure"), "true")) {
        p->points = p->facts->other_points;
        p->stake = p->facts->other;
    }
}

static bool is_sound(struct contest_plan *p)
{
    const struct game *g = p->codec->game;
    if (p->seats < g->min_seats || p->seats > g->max_seats)
        return false;
    if (!p->simulated)
        return !contest_check(p) && contest_most_games(p) <= CONTEST_MAX_GAMES;
    return p->format == CONTEST_MATCH && !p->mirrored && p->entrants == p->seats &&
           game_can_begin(g, &p->rules, p->seats);
}

static bool has_fingerprint(struct span plan, const struct contest_plan *p)
{
    char given[24], own[24];
    snprintf(own, sizeof own, "%016jx", (uintmax_t)contest_fingerprint(p));
    return copy_member(plan, "fingerprint", given, sizeof given) && strcmp(given, own) == 0;
}

bool workers_read_plan(struct span bytes, struct contest_plan *plan, struct contest_run *run, char why[WORKERS_WHY])
{
    const struct game_kit *kit = NULL; // GCC sees no value with the thread sanitizer
    struct span outside;
    if (bytes.size > WORKERS_PLAN_BYTES)
        return refuse_bytes(why);
    if (!read_game(bytes, &kit, why))
        return false;
    contest_defaults(plan);
    plan->codec = kit->codec;
    if (!read_numbers(bytes, plan) || !read_rules(bytes, kit, plan))
        return refuse_bytes(why);
    if (!read_entrants(bytes, kit, plan, why))
        return false;
    set_measure(bytes, kit, plan);
    if (!is_sound(plan) || !has_fingerprint(bytes, plan))
        return refuse_bytes(why);
    if (contest_needs_loop(plan) && (!json_find_member(bytes, "outside", &outside) || !read_run(outside, run)))
        return refuse_bytes(why);
    return true;
}

// --- which players can be sent to workers

bool workers_is_program(const char *address)
{
    return strncmp(address, program_prefix, sizeof program_prefix - 1) == 0 && address[sizeof program_prefix - 1];
}

static const char *check_entrant(const struct contest_plan *p, const struct contest_entrant *e)
{
    const struct game_kit *kit = games_find(p->codec->game->name);
    const char *a = e->address;
    if (e->bot)
        return kit_find_bot(kit, e->bot->name) == e->bot
                   ? NULL
                   : "workers know house bots by name alone, without options; leave out --workers";
    if (strncmp(a, "cmd:", 4) == 0 || strncmp(a, "tbp:", 4) == 0)
        return "command lines are not sent to workers; name the program in the --programs file of each worker and here "
               "as "
               "program:NAME";
    if (strncmp(a, "llm:", 4) == 0)
        return "workers cannot play language models, because keys and budgets stay on this machine; leave out "
               "--workers";
    if (strcmp(a, "person") == 0)
        return "a person plays at this terminal, not at a worker; leave out --workers";
    return NULL;
}

const char *workers_check_plan(const struct contest_plan *p)
{
    if (p->deals)
        return "workers cannot use deals from a file; leave out --deals or --workers";
    if (p->clock_us)
        return "a clock would measure the bus and the load of a worker; leave out --clock or --workers";
    for (int i = 0; i < p->entrants; i++) {
        const char *wrong = check_entrant(p, &p->entrant[i]);
        if (wrong)
            return wrong;
    }
    return NULL;
}

bool workers_is_repeatable(const struct contest_plan *p)
{
    for (int i = 0; i < p->entrants; i++) {
        const struct contest_entrant *e = &p->entrant[i];
        if (e->bot ? strchr(e->bot->name, '@') != NULL : !workers_is_program(e->address))
            return false;
    }
    return true;
}

// --- programs of a worker

static char *trim_spaces(char *text)
{
    text += strspn(text, " \t");
    size_t size = strlen(text);
    while (size && strchr(" \t\r\n", text[size - 1]))
        text[--size] = 0;
    return text;
}

static bool add_program(struct workers_programs *p, const char *name, const char *command)
{
    struct workers_program *more = realloc(p->at, (p->count + 1) * sizeof *more);
    if (!more)
        return false;
    p->at = more;
    p->at[p->count++] = (struct workers_program){strdup(name), strdup(command)};
    return p->at[p->count - 1].name && p->at[p->count - 1].command;
}

// NULL, or what is wrong with a line.
static const char *read_line(struct workers_programs *p, char *line)
{
    char *text = trim_spaces(line), *equals = strchr(text, '=');
    if (!*text || *text == '#')
        return NULL;
    if (!equals)
        return "a line must be NAME = COMMAND";
    *equals = 0;
    char *name = trim_spaces(text), *command = trim_spaces(equals + 1);
    if (!*name || strpbrk(name, " \t") || !*command)
        return "a line must be NAME = COMMAND";
    if (strlen(command) + 5 > CONTEST_ADDRESS)
        return "the command is too long";
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->at[i].name, name) == 0)
            return "the name is used twice";
    return add_program(p, name, command) ? NULL : "no memory";
}

bool workers_read_programs(struct workers_programs *p, const char *path, char why[WORKERS_WHY])
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    const char *wrong = NULL;
    *p = (struct workers_programs){0};
    if (!f) {
        snprintf(why, WORKERS_WHY, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    for (int number = 1; !wrong && getline(&line, &room, f) >= 0; number++)
        if ((wrong = read_line(p, line)))
            snprintf(why, WORKERS_WHY, "%s, line %d: %s", path, number, wrong);
    free(line);
    fclose(f);
    return !wrong;
}

void workers_release_programs(struct workers_programs *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->at[i].name);
        free(p->at[i].command);
    }
    free(p->at);
}

bool workers_find_programs(const struct workers_programs *p, struct contest_plan *plan, char why[WORKERS_WHY])
{
    for (int e = 0; e < plan->entrants; e++) {
        struct contest_entrant *who = &plan->entrant[e];
        if (who->bot || !workers_is_program(who->address))
            continue;
        const char *name = who->address + sizeof program_prefix - 1;
        for (size_t i = 0; i < p->count && !who->command[0]; i++)
            if (strcmp(p->at[i].name, name) == 0)
                snprintf(who->command, sizeof who->command, "cmd:%s", p->at[i].command);
        if (who->command[0])
            continue;
        snprintf(why, WORKERS_WHY, "its --programs file does not name the program '%.200s'", name);
        return false;
    }
    return true;
}

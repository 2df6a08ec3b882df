#include "app/settings.h"

#include "app/app.h"
#include "app/help.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { VARIABLE = 96 }; // bytes of its name

struct settings {
    struct settings *before; // collected earlier: argp keeps pointers into the words
    const struct argp *argp;
    const char *command;
    char **at;
    int count, room;
};

static void add_word(struct settings *s, char *word)
{
    if (!word)
        app_die("no memory");
    if (s->count + 1 >= s->room) {
        s->room = s->room ? s->room * 2 : 64;
        s->at = realloc(s->at, (size_t)s->room * sizeof *s->at);
        if (!s->at)
            app_die("no memory");
    }
    s->at[s->count++] = word;
    s->at[s->count] = NULL;
}

// --- the options there are

static const struct argp_option *find_option(const struct argp *argp, const char *name)
{
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
        if (o->name && strcmp(o->name, name) == 0)
            return o;
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        const struct argp_option *o = find_option(c->argp, name);
        if (o)
            return o;
    }
    return NULL;
}

static bool is_about_settings(const char *name)
{
    return strcmp(name, "config") == 0 || strcmp(name, "check") == 0;
}

// True, false, or -1: neither.
static int read_truth(const char *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (int i = 0; i < 8; i++)
        if (strcasecmp(value, words[i]) == 0)
            return i & 1;
    return -1;
}

// A later setting may turn a switch off again.
static void turn_off(struct settings *s, const char *name)
{
    int kept = 1; // the command's own name
    for (int i = 1; i < s->count; i++)
        if (strcmp(s->at[i] + 2, name) == 0)
            free(s->at[i]);
        else
            s->at[kept++] = s->at[i];
    s->count = kept;
    s->at[kept] = NULL;
}

// --name=value, or --name if it is true; `where` names the source.
static void add_setting(struct settings *s, const struct argp_option *o, const char *value, const char *where)
{
    char *word = NULL;
    int truth = o->arg ? 1 : read_truth(value);
    if (truth < 0)
        app_refuse(s->command, "%s: %s must be true or false, not '%s'", where, o->name, value);
    if (truth == 0) {
        turn_off(s, o->name);
        return;
    }
    if (asprintf(&word, o->arg ? "--%s=%s" : "--%s", o->name, value) < 0)
        app_die("no memory");
    add_word(s, word);
}

// --- the file

static char *trim_blanks(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]); n--)
        text[n - 1] = 0;
    return text;
}

static _Noreturn void refuse_key(const struct settings *s, const char *where, const char *key)
{
    char hint[HELP_HINT_ROOM];
    struct nearest n = nearest_to(key);
    help_try_options(&n, s->argp);
    app_refuse(s->command, "%s: unknown key '%s'; %skeys are the options that '%s --help-all' lists", where, key,
               help_hint(&n, hint), s->command);
}

static void take_line(struct settings *s, char *line, const char *path, int number)
{
    char where[512];
    snprintf(where, sizeof where, "%s:%d", path, number);
    char *key = trim_blanks(line), *mark = strchr(key, '=');
    if (!*key || *key == '#')
        return;
    if (!mark)
        app_refuse(s->command, "%s: '%s' is not a setting, as 'port = 8080'", where, key);
    *mark = 0;
    key = trim_blanks(key);
    for (char *c = key; *c; c++)
        if (*c == '_')
            *c = '-';
    if (is_about_settings(key))
        app_refuse(s->command, "%s: '%s' cannot be set in a configuration file, only as the option --%s", where, key,
                   key);
    const struct argp_option *o = find_option(s->argp, key);
    if (!o)
        refuse_key(s, where, key);
    add_setting(s, o, trim_blanks(mark + 1), where);
}

static void read_settings_file(struct settings *s, const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        app_refuse(s->command, "cannot read the configuration %s: %s", path, strerror(errno));
    char *line = NULL;
    size_t room = 0;
    for (int number = 1; getline(&line, &room, f) >= 0; number++)
        take_line(s, line, path, number);
    if (ferror(f))
        app_refuse(s->command, "cannot read the configuration %s: %s", path, strerror(errno));
    free(line);
    fclose(f);
}

// --- the environment

static void name_variable(char name[VARIABLE], const char *option)
{
    size_t n = 5;
    memcpy(name, "AGON_", n);
    for (const char *c = option; *c && n + 1 < VARIABLE; c++)
        name[n++] = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    name[n] = 0;
}

static void read_variables(struct settings *s, const struct argp *argp)
{
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
        char name[VARIABLE];
        if (!o->name || is_about_settings(o->name) || strcmp(o->name, "bus-login") == 0)
            continue; // AGON_BUS_LOGIN is the login itself, not the name of a file
        name_variable(name, o->name);
        const char *value = getenv(name);
        if (value)
            add_setting(s, o, value, name);
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        read_variables(s, c->argp);
}

static const char *find_file(int argc, char **argv)
{
    const char *path = getenv("AGON_CONFIG");
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--config=", 9) == 0)
            path = argv[i] + 9;
        else if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
            path = argv[++i];
    return path && *path ? path : NULL;
}

char **settings_collect(const struct argp *argp, const char *command, int argc, char **argv, int *count)
{
    static struct settings *newest;
    struct settings *s = calloc(1, sizeof *s);
    if (!s)
        app_die("no memory");
    *s = (struct settings){.before = newest, .argp = argp, .command = command};
    newest = s;
    const char *path = find_file(argc, argv);
    add_word(s, argv[0]);
    if (path)
        read_settings_file(s, path);
    read_variables(s, argp);
    for (int i = 1; i < argc; i++)
        add_word(s, argv[i]);
    *count = s->count;
    return s->at;
}

// --- variables without an option

static bool is_variable(const struct argp *argp, const char *wanted)
{
    char name[VARIABLE];
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
        if (!o->name)
            continue;
        name_variable(name, o->name);
        if (strcmp(name, wanted) == 0)
            return strcmp(o->name, "check") != 0;
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        if (is_variable(c->argp, wanted))
            return true;
    return false;
}

const char *settings_find_unknown(const struct argp *argp)
{
    static char name[VARIABLE];
    for (char **e = environ; *e; e++) {
        size_t size = strcspn(*e, "=");
        if (strncmp(*e, "AGON_", 5) != 0 || size >= sizeof name)
            continue;
        memcpy(name, *e, size);
        name[size] = 0;
        bool is_key = strncmp(name, "AGON_LLM_KEY_", 13) == 0; // L3: of a model's host
        if (!is_key && !is_variable(argp, name))
            return name;
    }
    return NULL;
}

// --- some of the words

// The option at words[i], and how many words it takes; NULL: none.
static const struct argp_option *read_option(const struct argp *argp, char **words, int i, int *taken)
{
    *taken = 1;
    if (strncmp(words[i], "--", 2) != 0)
        return NULL;
    size_t size = strcspn(words[i] + 2, "=");
    const struct argp_option *o = help_find_option(argp, (struct span){words[i] + 2, size});
    if (o && o->arg && !words[i][2 + size] && words[i + 1])
        *taken = 2;
    return o;
}

char **settings_select(const struct argp *argp, char **words, int *count, bool (*keep)(const char *name))
{
    int total = 0, kept = 1, taken;
    while (words[total])
        total++;
    char **out = calloc((size_t)total + 1, sizeof *out);
    if (!out)
        app_die("no memory");
    out[0] = words[0];
    for (int i = 1; i < total; i += taken) {
        const struct argp_option *o = read_option(argp, words, i, &taken);
        for (int k = 0; o && keep(o->name) && k < taken; k++)
            out[kept++] = words[i + k];
    }
    *count = kept;
    return out;
}

static bool has_word(char **words, const char *word, const char *value)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0 && (!value || (words[1] && strcmp(words[1], value) == 0)))
            return true;
    return false;
}

static const char *find_news(const struct argp *argp, char **one, char **other, bool (*keep)(const char *name))
{
    int taken;
    for (int i = 1; one[i]; i += taken) {
        const struct argp_option *o = read_option(argp, one, i, &taken);
        if (o && !keep(o->name) && !has_word(other, one[i], taken == 2 ? one[i + 1] : NULL))
            return o->name;
    }
    return NULL;
}

const char *settings_find_change(const struct argp *argp, char **one, char **other, bool (*keep)(const char *name))
{
    const char *found = find_news(argp, one, other, keep);
    return found ? found : find_news(argp, other, one, keep);
}

#include "app/help.h"

#include "app/app.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP = 'h', HELP_ALL = 0xf00, USAGE, VERSION = 'V', MAX_CHILDREN = 15 };

static const struct argp_option common_options[] = {
    {"help", HELP, NULL, 0, "Print this help", -1},
    {NULL, '?', NULL, OPTION_HIDDEN, NULL, -1},
    {"help-all", HELP_ALL, NULL, HELP_RARE, "Print help with all options", -1},
    {"usage", USAGE, NULL, HELP_RARE, "Print the options on a few lines", -1},
    {"version", VERSION, NULL, 0, "Print the version", -1},
    {0},
};

static const struct argp_option titles[] = {
    {NULL, 0, NULL, 0, "Ports and data:", HELP_PORTS},
    {NULL, 0, NULL, 0, "What to play:", HELP_PLAY},
    {NULL, 0, NULL, 0, "House bots:", HELP_BOTS},
    {NULL, 0, NULL, 0, "Who may connect:", HELP_ACCESS},
    {NULL, 0, NULL, 0, "TLS:", HELP_TLS},
    {NULL, 0, NULL, 0, "Remote players:", HELP_REMOTE},
    {NULL, 0, NULL, 0, "Language models:", HELP_MODELS},
    {NULL, 0, NULL, 0, "Limits:", HELP_LIMITS},
    {NULL, 0, NULL, 0, "Output and logs:", HELP_OUTPUT},
    {NULL, 0, NULL, 0, "Matchmaking:", HELP_MATCHMAKING},
    {NULL, 0, NULL, 0, "Ratings and tournaments:", HELP_RATINGS},
    {NULL, 0, NULL, 0, "Belote rules:", HELP_BELOTE},
    {NULL, 0, NULL, 0, "Compatibility:", HELP_COMPATIBILITY},
    {NULL, 0, NULL, 0, "Tetris adapter:", HELP_TETRIS},
    {NULL, 0, NULL, 0, "Environments (MCP):", HELP_ENVIRONMENT},
    {NULL, 0, NULL, 0, "Live tables (MCP):", HELP_LIVE},
    {NULL, 0, NULL, 0, "Trajectories (MCP):", HELP_TRAJECTORIES},
    {NULL, 0, NULL, 0, "Pictures (MCP):", HELP_PICTURES},
    {NULL, 0, NULL, 0, "Load tests:", HELP_LOAD},
    {NULL, 0, NULL, 0, "Data folder or server:", HELP_SERVER},
    {0},
};

static bool is_end(const struct argp_option *o)
{
    return !o->name && !o->key && !o->doc;
}

static bool is_header(const struct argp_option *o)
{
    return !o->name && !o->key;
}

// --- finding options

const struct argp_option *help_find_option(const struct argp *argp, struct span word)
{
    const struct argp_option *found = NULL;
    for (const struct argp_option *o = argp->options; o && !is_end(o); o++)
        if (o->name && strncmp(o->name, word.at, word.size) == 0) {
            found = o;
            if (o->name[word.size] == 0)
                return o;
        }
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        const struct argp_option *o = help_find_option(c->argp, word);
        if (o && (!found || o->name[word.size] == 0))
            found = o;
    }
    return found;
}

static const struct argp_option *find_key(const struct argp *argp, int key)
{
    for (const struct argp_option *o = argp->options; o && !is_end(o); o++)
        if (o->key == key)
            return o;
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        const struct argp_option *o = find_key(c->argp, key);
        if (o)
            return o;
    }
    return NULL;
}

void help_try_options(struct nearest *n, const struct argp *argp)
{
    for (const struct argp_option *o = argp->options; o && !is_end(o); o++)
        if (o->name)
            nearest_try(n, o->name);
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        help_try_options(n, c->argp);
}

const char *help_hint(const struct nearest *n, char out[HELP_HINT_ROOM])
{
    out[0] = 0;
    if (n->best)
        snprintf(out, HELP_HINT_ROOM, "did you mean '%s'? ", n->best);
    return out;
}

static _Noreturn void refuse_option(const struct argp *argp, const char *command, struct span name)
{
    char word[NEAREST_MAX_WORD + 1], known[HELP_HINT_ROOM] = "";
    snprintf(word, sizeof word, "%.*s", (int)name.size, name.at);
    struct nearest n = nearest_to(word);
    help_try_options(&n, argp);
    if (n.best)
        snprintf(known, sizeof known, "did you mean '--%s'? ", n.best);
    app_refuse(command, "unknown option '--%.*s'; %s'%s --help-all' lists the options", (int)name.size, name.at, known,
               command);
}

static bool takes_word(const struct argp_option *o)
{
    return o && o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

// Whether a word of short options, as -jn, takes the word behind it too.
static bool short_takes_word(const struct argp *argp, const char *letters)
{
    for (; *letters; letters++)
        if (takes_word(find_key(argp, *letters)))
            return letters[1] == 0;
    return false;
}

// argp would refuse an unknown option without a suggestion.
static void check_names(const struct argp *argp, int argc, char **argv, bool in_order)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--") == 0 || (word[0] != '-' && in_order))
            return;
        if (word[0] != '-' || !word[1])
            continue;
        if (word[1] != '-') {
            i += short_takes_word(argp, word + 1);
            continue;
        }
        struct span name = {word + 2, strcspn(word + 2, "=")};
        const struct argp_option *o = help_find_option(argp, name);
        if (!o)
            refuse_option(argp, strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0], name);
        i += takes_word(o) && !word[2 + name.size];
    }
}

// --- the help itself

// A copy of a tree of options without hidden ones, and without titles that nothing is left under.
struct shown {
    struct argp argp;
    struct argp_child children[MAX_CHILDREN + 1];
    struct argp_option *options;
};

static int count_options(const struct argp *argp)
{
    int count = 0;
    for (const struct argp_option *o = argp->options; o && !is_end(o); o++)
        count++;
    return count;
}

static bool has_shown(const struct argp *argp, int group, int hidden)
{
    for (const struct argp_option *o = argp->options; o && !is_end(o); o++)
        if (o->group == group && !is_header(o) && !(o->flags & hidden))
            return true;
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        if (has_shown(c->argp, group, hidden))
            return true;
    return false;
}

static int count_rare(const struct argp *argp)
{
    int count = 0;
    for (const struct argp_option *o = argp->options; o && !is_end(o); o++)
        count += (o->flags & HELP_RARE) != 0;
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        count += count_rare(c->argp);
    return count;
}

static struct argp *select_shown(const struct argp *argp, const struct argp *root, int hidden)
{
    struct shown *s = calloc(1, sizeof *s);
    struct argp_option *out = calloc((size_t)count_options(argp) + 1, sizeof *out);
    if (!s || !out)
        app_die("no memory");
    s->argp = *argp;
    s->options = out;
    for (const struct argp_option *o = argp->options; o && !is_end(o); o++)
        if (is_header(o) ? has_shown(root, o->group, hidden) : !(o->flags & hidden))
            *out++ = *o;
    s->argp.options = out > s->options ? s->options : NULL; // glibc 2.36 leaks an empty list
    int count = 0;
    for (const struct argp_child *c = argp->children; c && c->argp && count < MAX_CHILDREN; c++) {
        s->children[count] = *c;
        s->children[count++].argp = select_shown(c->argp, root, hidden);
    }
    s->argp.children = s->children;
    return &s->argp;
}

static void release_shown(const struct argp *argp)
{
    struct shown *s = (struct shown *)(void *)argp; // its first member
    for (struct argp_child *c = s->children; c->argp; c++)
        release_shown(c->argp);
    free(s->options);
    free(s);
}

// argp leaves a line of blanks where a text ends exactly at the margin.
static void print_trimmed(FILE *to, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "\n"), shown = size;
        while (shown && text[shown - 1] == ' ')
            shown--;
        if (shown || !size)
            fprintf(to, "%.*s\n", (int)shown, text);
        text += size + (text[size] == '\n');
    }
}

static void write_help(const struct argp *argp, FILE *to, const char *command, bool all)
{
    char name[64];
    snprintf(name, sizeof name, "%s", command);
    struct argp *shown = select_shown(argp, argp, all ? 0 : HELP_RARE);
    argp_help(shown, to, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK, name);
    release_shown(shown);
    int rare = count_rare(argp) - count_rare(&(struct argp){.options = common_options});
    if (!all && rare)
        fprintf(to, "\n'%s --help-all' lists %d more options.\n", command, rare);
}

void help_print(const struct argp *argp, FILE *to, const char *command, bool all)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        app_die("no memory");
    setenv("ARGP_HELP_FMT", "no-dup-args-note", 0); // that note explains GNU usage, not this program
    write_help(argp, f, command, all);
    fclose(f);
    print_trimmed(to, text);
    free(text);
}

// --- parsing

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
        return 0;
    case HELP:
    case '?':
    case HELP_ALL:
        help_print(state->root_argp, stdout, state->name, key == HELP_ALL);
        app_finish(APP_DONE);
    case USAGE:
        argp_state_help(state, stdout, ARGP_HELP_USAGE);
        app_finish(APP_DONE);
    case VERSION:
        puts(argp_program_version);
        app_finish(APP_DONE);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// The last parser: no parser of the command has accepted the argument.
static error_t refuse_argument(int key, char *arg, struct argp_state *state)
{
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    argp_error(state, "unexpected argument '%s'", arg);
    return 0;
}

void help_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    static const struct argp title_argp = {.options = titles, .parser = refuse_argument};
    const struct argp_child children[] = {{argp, 0, NULL, 0}, {&title_argp, 0, NULL, 0}, {0}};
    const struct argp root = {.options = common_options, .parser = parse_option, .children = children};
    check_names(&root, argc, argv, flags & ARGP_IN_ORDER);
    argp_parse(&root, argc, argv, flags | ARGP_NO_HELP, NULL, input);
}

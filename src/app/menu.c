// Menus: the first word names a command, which gets the rest.
#include "app/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
    const struct app_menu *menu;
    const struct app_command *command;
    int first; // of its words in argv
};

static const struct app_command *find_command(const struct app_menu *menu, const char *name)
{
    for (const struct app_command *c = menu->commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static _Noreturn void refuse_command(const struct app_menu *menu, const char *name)
{
    fprintf(stderr, "%s: unknown command '%s'; known:", menu->name, name);
    for (const struct app_command *c = menu->commands; c->name; c++)
        fprintf(stderr, "%s %s", c == menu->commands ? "" : ",", c->name);
    fprintf(stderr, "\nTry '%s --help' for what they do.\n", menu->name);
    exit(APP_USAGE);
}

// argp frees what is not the text it gave.
static char *write_help(int key, const char *text, void *input)
{
    const struct call *call = input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    char *help = NULL;
    size_t size;
    FILE *f = open_memstream(&help, &size);
    if (!f)
        return NULL;
    fputs("Commands:\n", f);
    for (const struct app_command *c = call->menu->commands; c->name; c++)
        fprintf(f, "  %-10s %s\n", c->name, c->summary);
    fprintf(f, "\n%s", call->menu->after);
    fclose(f);
    return help;
}

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        call->command = find_command(call->menu, arg);
        if (!call->command)
            refuse_command(call->menu, arg);
        call->first = state->next - 1;
        state->next = state->argc; // the rest is the command's
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_state_help(state, stderr, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
        exit(APP_USAGE);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int app_run_menu(const struct app_menu *menu, int argc, char **argv)
{
    const struct argp argp = {
        .parser = parse_word, .args_doc = menu->args, .doc = menu->doc, .help_filter = write_help};
    struct call call = {.menu = menu};
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &call);

    char name[64];
    snprintf(name, sizeof name, "%s %s", menu->name, call.command->name);
    argv[call.first] = name;
    return call.command->run(argc - call.first, argv + call.first);
}

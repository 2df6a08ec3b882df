// Menus: the first argument names a command, which gets the rest.
#include "app/app.h"
#include "app/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HELP_WORDS = 8 };

struct call {
    const struct app_menu *menu;
    const struct app_command *command;
    int first; // index of the command in argv
    bool help; // 'agon help COMMAND'
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
    char hint[HELP_HINT_ROOM];
    struct nearest n = nearest_to(name);
    for (const struct app_command *c = menu->commands; c->name; c++)
        nearest_try(&n, c->name);
    fprintf(stderr, "%s: unknown command '%s'; %sknown:", menu->name, name, help_hint(&n, hint));
    for (const struct app_command *c = menu->commands; c->name; c++)
        fprintf(stderr, "%s %s", c == menu->commands ? "" : ",", c->name);
    fprintf(stderr, "\nRun '%s --help' for a description of each.\n", menu->name);
    exit(APP_USAGE);
}

// The description, and below the options the list of commands.
static char *write_doc(const struct app_menu *menu)
{
    static char *doc; // of the innermost menu; argp keeps a pointer to it
    size_t size;
    free(doc);
    FILE *f = open_memstream(&doc, &size);
    if (!f)
        app_die("no memory");
    fprintf(f, "%s\vCommands:\n", menu->doc);
    for (const struct app_command *c = menu->commands; c->name; c++)
        fprintf(f, "  %-12s %s\n", c->name, c->summary);
    fprintf(f, "\n%s", menu->after);
    fclose(f);
    return doc;
}

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (strcmp(arg, "help") == 0 && !call->help) {
            call->help = true;
            return 0;
        }
        call->command = find_command(call->menu, arg);
        if (!call->command)
            refuse_command(call->menu, arg);
        call->first = state->next - 1;
        state->next = state->argc; // the rest belongs to the command
        return 0;
    case ARGP_KEY_END:
        if (call->command)
            return 0;
        help_print(state->root_argp, call->help ? stdout : stderr, call->menu->name, false);
        exit(call->help ? APP_DONE : APP_USAGE);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int app_run_menu(const struct app_menu *menu, int argc, char **argv)
{
    const struct argp argp = {.parser = parse_word, .args_doc = menu->args, .doc = write_doc(menu)};
    struct call call = {.menu = menu};
    help_parse(&argp, argc, argv, ARGP_IN_ORDER, &call);

    char name[64], *words[MAX_HELP_WORDS + 2], help[] = "--help";
    snprintf(name, sizeof name, "%s %s", menu->name, call.command->name);
    argc -= call.first;
    argv += call.first;
    argv[0] = name;
    if (!call.help)
        return call.command->run(argc, argv);
    argc = argc > MAX_HELP_WORDS ? MAX_HELP_WORDS : argc;
    memcpy(words, argv, (size_t)argc * sizeof *argv);
    words[argc++] = help;
    words[argc] = NULL;
    return call.command->run(argc, words);
}

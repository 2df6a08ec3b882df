// Menus: the first argument names a command, which gets the rest.
#include "app/app.h"
#include "app/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HELP_WORDS = 8 }; // of the command that 'agon help' names; further ones are ignored

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

enum { NAME_ROOM = 12, MARGIN = 79 };

// Writes a command and its summary, with wrapped lines indented; argp would continue them at the left margin.
static void write_row(FILE *f, const struct app_command *c, int room)
{
    int at = fprintf(f, "  %-*s", room, c->name);
    for (const char *word = c->summary; *word;) {
        int size = (int)strcspn(word, " ");
        if (at + 1 + size >= MARGIN)
            at = fprintf(f, "\n%*s", 2 + room, "") - 1;
        at += fprintf(f, " %.*s", size, word);
        word += size + (word[size] == ' ');
    }
    fputc('\n', f);
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
    int room = NAME_ROOM;
    for (const struct app_command *c = menu->commands; c->name; c++)
        room = (int)strlen(c->name) > room ? (int)strlen(c->name) : room;
    for (const struct app_command *c = menu->commands; c->name; c++)
        write_row(f, c, room);
    fprintf(f, "\n%s", menu->after);
    fclose(f);
    return doc;
}

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (strcmp(arg, "help") == 0) {
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
        if (call->help)
            app_finish(APP_DONE);
        exit(APP_USAGE);
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

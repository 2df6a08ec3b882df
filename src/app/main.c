// agon COMMAND ...: finds the command and hands the rest to it.
#include "app/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct app_command commands[] = {
    {"games", "list what can be played, and by which house bots", cmd_games},
    {"rules", "tell how a game is played", cmd_rules},
    {"watch", "watch house bots play", cmd_watch},
    {"simulate", "play many games with house bots and compare them", cmd_simulate},
    {"engine", "put a game behind JSON lines on standard input and output", cmd_engine},
    {"replay", "look at a match again, verify it, take it apart", cmd_replay},
    {"serve", "serve agents: HTTP, WebSocket and the Tetris adapter", cmd_serve},
    {"tetris", "play, or serve agents over the Tetris AI Adapter protocol", cmd_tetris},
    {"tetris-ai", "an agent that plays Tetris over any adapter", cmd_tetris_ai},
    {"verify", "check what runs elsewhere against its standard", cmd_verify},
    {"bench", "measure the games on this machine", cmd_bench},
    {0},
};

const char *argp_program_version = "agon " AGON_VERSION;

static const struct app_command *find_command(const char *name)
{
    for (const struct app_command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static _Noreturn void refuse_command(const char *name)
{
    fprintf(stderr, "agon: unknown command '%s'; known:", name);
    for (const struct app_command *c = commands; c->name; c++)
        fprintf(stderr, "%s %s", c == commands ? "" : ",", c->name);
    fputs("\nTry 'agon --help' for what they do.\n", stderr);
    exit(APP_USAGE);
}

// argp frees what is not the text it gave.
static char *write_help(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    char *help = NULL;
    size_t size;
    FILE *f = open_memstream(&help, &size);
    if (!f)
        return NULL;
    fputs("Commands:\n", f);
    for (const struct app_command *c = commands; c->name; c++)
        fprintf(f, "  %-10s %s\n", c->name, c->summary);
    fputs("\n'agon COMMAND --help' tells more about a command. To begin with:\n\n"
          "  agon games                           what can be played\n"
          "  agon rules coup                      how it is played\n"
          "  agon watch liars_dice                house bots at the table, live\n"
          "  agon simulate coup -b rules,random   who plays better?\n",
          f);
    fclose(f);
    return help;
}

struct call {
    const struct app_command *command;
    int first; // of its words in argv
};

static error_t parse_word(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        call->command = find_command(arg);
        if (!call->command)
            refuse_command(arg);
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

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = parse_word,
        .args_doc = "COMMAND [ARG...]",
        .doc = "agon is the referee between AI agents and games: it deals, asks, checks, scores and records.\v",
        .help_filter = write_help,
    };
    struct call call = {0};
    argp_err_exit_status = APP_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &call);

    char name[64];
    snprintf(name, sizeof name, "agon %s", call.command->name);
    argv[call.first] = name;
    int status = call.command->run(argc - call.first, argv + call.first);
    if (fflush(stdout) || ferror(stdout))
        app_die("cannot write the output: %s", strerror(errno));
    return status;
}

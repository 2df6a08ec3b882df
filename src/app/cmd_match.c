// agon match GAME: many games between two or more players.
#include "app/contest_command.h"
#include "app/help.h"

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

int cmd_match(int argc, char **argv)
{
    static const struct argp_child children[] = {{&contest_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .parser = parse_option,
        .args_doc = "GAME --seat WHO --seat WHO ...",
        .children = children,
        .doc =
            "Play many games between two or more players and report who is better, with confidence intervals. Games "
            "come in mirrored sets: the same cards, with the players in each other's seats. Ctrl-C stops and reports "
            "the games played so far.",
    };
    struct contest_options o;
    contest_options_init(&o, CONTEST_MATCH);
    help_parse(&argp, argc, argv, 0, &o);
    return contest_command_run(&o, argv[0]);
}

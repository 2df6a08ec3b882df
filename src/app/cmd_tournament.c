// agon tournament GAME: a round robin, a gauntlet, or a Swiss tournament.
#include "app/contest_command.h"
#include "app/help.h"

enum { FORMAT = 0x600, SWISS, ROUNDS };

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct contest_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        return 0;
    case FORMAT:
        o->format = (enum contest_format)(
            CONTEST_ROUND_ROBIN + app_read_word(state, "--format", arg, contest_format_names + CONTEST_ROUND_ROBIN));
        return 0;
    case SWISS:
        o->format = CONTEST_SWISS;
        return 0;
    case ROUNDS:
        o->rounds = app_read_uint(state, "--rounds", arg, 1, 1000000);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cmd_tournament(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"format", FORMAT, "NAME", 0,
         "round_robin, gauntlet (the first player against all others) or swiss (round_robin)", 0},
        {"swiss", SWISS, NULL, 0, "Short for --format swiss", 0},
        {"rounds", ROUNDS, "N", 0, "Rounds of a Swiss tournament; each pairing plays a mirrored set (10)", 0},
        {0},
    };
    static const struct argp_child children[] = {{&contest_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_option,
        .args_doc = "GAME --seat WHO --seat WHO ...",
        .children = children,
        .doc = "Play a tournament: everyone against everyone, the first against all others, or Swiss rounds without "
               "rematches. Ctrl-C stops and reports the games played so far.",
    };
    static struct contest_options o;
    contest_options_init(&o, CONTEST_ROUND_ROBIN);
    help_parse(&argp, argc, argv, 0, &o);
    return contest_command_run(&o, argv[0]);
}

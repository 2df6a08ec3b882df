// agon replay cut FILE STEP: the beginning of a match as a new replay, which can be continued.
#include "app/cmd_replay.h"
#include "app/help.h"
#include "app/output_file.h"
#include "app/replay_input.h"
#include "app/reserved_memory.h"

#include <inttypes.h>
#include <stdio.h>

enum { OUT_ROOM = 1 << 30 };

struct call {
    struct replay_input in;
    bool has_steps;
    uint64_t steps;
    const char *out;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    switch (key) {
    case 'o':
        call->out = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (!call->in.path)
            break;
        if (call->has_steps)
            argp_error(state, "unexpected argument '%s'", arg);
        call->steps = app_read_uint(state, "STEP", arg, 0, UINT64_MAX);
        call->has_steps = true;
        return 0;
    case ARGP_KEY_END:
        if (call->in.path && !call->has_steps)
            argp_error(state, "at which STEP? 'agon replay info FILE' prints how many there are");
        break;
    default:
        break;
    }
    return replay_input_parse(&call->in, key, arg, state);
}

int cmd_replay_cut(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "OUT", 0, "File to write (standard output)", 0}, REPLAY_KEY_OPTION, {0}};
    static const struct argp argp = {options,
                                     parse_option,
                                     "FILE STEP",
                                     "Write the first STEP steps as a new replay, which can be continued.\v"
                                     "Actions, ticks and stacked items count as steps.",
                                     0,
                                     0,
                                     0};
    struct call call = {0};
    struct loaded_replay t;
    help_parse(&argp, argc, argv, 0, &call);
    output_file_check(call.out, argv[0]);
    replay_input_open(&call.in, &t);
    struct text out = memory_reserve_text(OUT_ROOM);
    int err = replay_cut(&out, t.file, t.row->game, t.key, call.steps);
    if (err == OK)
        output_file_write(call.out, text_span(&out));
    else if (err == ERR_RANGE)
        fprintf(stderr, "agon: %s has %" PRIu64 " steps; choose a STEP up to that\n", t.path, t.steps);
    else
        fprintf(stderr, "agon: %s: %s; 'agon replay verify' prints where\n", t.path, err_sentence(err));
    replay_file_close(&t);
    memory_release(out.at, out.room);
    return err == OK ? APP_DONE : err == ERR_RANGE ? APP_USAGE : APP_FAILED;
}

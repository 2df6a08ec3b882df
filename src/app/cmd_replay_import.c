// agon replay import FILE: a Tetris step log or a poker hand as a replay.
#include "app/cmd_replay.h"
#include "app/file_io.h"
#include "app/help.h"
#include "app/output_file.h"
#include "app/phh.h"
#include "app/replay_input.h"
#include "app/reserved_memory.h"
#include "app/step_log.h"

#include <stdio.h>
#include <stdlib.h>

enum { OUT_ROOM = 1 << 30, OPTION_HAND = REPLAY_OPTION_OWN };

struct call {
    struct replay_input in;
    const char *out;
    uint32_t hand; // 0: the only one
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    if (key == OPTION_HAND) {
        call->hand = (uint32_t)app_read_uint(state, "--hand", arg, 1, UINT32_MAX);
        return 0;
    }
    if (key != 'o')
        return replay_input_parse(&call->in, key, arg, state);
    call->out = arg;
    return 0;
}

static int refuse_file(const char *path, const char *why)
{
    fprintf(stderr, "agon: %s: %s\n", path, why);
    return ERR_FORMAT;
}

static int import_text(const struct call *call, struct span text, struct text *out)
{
    struct step_log_fault log;
    struct phh_fault hand;
    struct replay_reader replay;
    bool is_log = replay_file_is_step_log(text);
    if (replay_open(&replay, text) == OK)
        return refuse_file(call->in.path, "it is a replay already");
    if (!is_log && !phh_is(text))
        return refuse_file(call->in.path, "it is neither a Tetris step log (AGT1) nor a poker hand (PHH)");
    if (is_log) {
        int err = step_log_import(out, text, &log);
        if (err != OK)
            fprintf(stderr, "agon: %s: line %ju: %s\n", call->in.path, (uintmax_t)log.line, log.why);
        return err;
    }
    int err = phh_import(out, text, call->hand, &hand);
    if (err != OK && hand.line)
        fprintf(stderr, "agon: %s: line %u: %s\n", call->in.path, hand.line, hand.why);
    else if (err != OK)
        fprintf(stderr, "agon: %s: %s\n", call->in.path, hand.why);
    return err;
}

int cmd_replay_import(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "OUT", 0, "File to write (standard output)", 0},
        {"hand", OPTION_HAND, "N", 0, "Number of the hand, from 1, if the file has several", 0},
        {0}};
    static const struct argp argp = {
        options,
        parse_option,
        "FILE",
        "Convert a Tetris step log (AGT1), whose hashes are checked, or a poker hand (PHH, "
        "no-limit Texas Hold'em) to a replay.",
        0,
        0,
        0};
    struct call call = {0};
    char why[FILE_IO_WHY];
    help_parse(&argp, argc, argv, 0, &call);
    output_file_check(call.out, argv[0]);
    struct span text = file_io_read(call.in.path, why, sizeof why);
    if (!text.at) {
        fprintf(stderr, "agon: %s: %s\n", call.in.path, why);
        return APP_USAGE;
    }
    struct text out = memory_reserve_text(OUT_ROOM);
    int err = import_text(&call, text, &out);
    if (err == OK)
        output_file_write(call.out, text_span(&out));
    free((char *)text.at);
    memory_release(out.at, out.room);
    return err == OK ? APP_DONE : APP_FAILED;
}

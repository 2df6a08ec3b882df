// agon replay COMMAND FILE: shows, verifies, cuts and converts matches.
#include "app/cmd_replay.h"

#include "app/help.h"
#include "app/outputs.h"
#include "app/phh.h"
#include "app/reserve.h"
#include "app/step_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_ROOM = 1 << 30, OPTION_HAND = REPLAY_OPTION_OWN };

error_t replay_input_parse(struct replay_input *in, int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case REPLAY_OPTION_KEY:
        in->has_key = tape_read_key(arg, in->key);
        if (!in->has_key)
            argp_failure(state, APP_USAGE, 0, "--key: '%s' is not 64 hex digits", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (in->path)
            argp_error(state, "unexpected argument '%s'; one file at a time", arg);
        in->path = arg;
        return 0;
    case ARGP_KEY_END:
        if (!in->path)
            argp_error(state, "which FILE? ('-' reads standard input)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void replay_input_open(const struct replay_input *in, struct loaded_replay *t)
{
    tape_demand(t, in->path, in->has_key ? in->key : NULL);
}

seat_set replay_read_seats(const char *command, const struct loaded_replay *t, const char *text, const char *others)
{
    char *end;
    seat_set found = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (*text && !*end && number < (unsigned long)t->head.seats)
        return SEAT(number);
    for (int s = 0; s < t->head.seats; s++) {
        char label[LOADED_REPLAY_LABEL_ROOM];
        loaded_replay_label_seat(t, s, label);
        if (strcmp(loaded_replay_seat_name(t, s), text) == 0 || strcmp(label, text) == 0)
            found |= SEAT(s);
    }
    if (!found)
        app_refuse(command, "--seat: %s has no seat '%s'; give 0 to %d, a name from 'agon replay info'%s", t->path,
                   text, t->head.seats - 1, others);
    return found;
}

int replay_read_seat(const char *command, const struct loaded_replay *t, const char *text, const char *others)
{
    seat_set found = replay_read_seats(command, t, text, others);
    if (found & (found - 1u))
        app_refuse(command, "--seat: several seats of %s have the name '%s'; give a number, 0 to %d", t->path, text,
                   t->head.seats - 1);
    return __builtin_ctz(found);
}

// info

struct info_call {
    struct replay_input in;
    bool json;
};

static error_t parse_info(int key, char *arg, struct argp_state *state)
{
    struct info_call *call = state->input;
    if (key != 'j')
        return replay_input_parse(&call->in, key, arg, state);
    call->json = true;
    return 0;
}

static const char *key_source(const struct loaded_replay *t)
{
    return t->head.has_key ? "revealed" : t->has_key ? "made from the seed" : "not revealed";
}

static void write_info(const struct loaded_replay *t, struct text *out)
{
    const struct replay_head *h = &t->head;
    json_begin_object(out);
    json_put_text(out, "file", t->path);
    json_put_text(out, "game", h->game);
    json_put_uint(out, "rules_version", h->rules_version);
    json_put_bool(out, "complete", t->complete);
    json_put_bool(out, "torn", t->torn);
    json_put_uint(out, "steps", t->steps);
    json_put_uint(out, "actions", t->actions);
    json_put_uint(out, "silent", t->silent);
    json_put_uint(out, "ticks", t->ticks);
    json_put_uint(out, "stacks", t->stacks);
    json_put_uint(out, "hashes", t->hashes);
    json_put_uint(out, "bytes", t->file.size);
    if (h->has_seed)
        json_put_uint(out, "seed", h->seed);
    json_put_hex_bytes(out, "commitment", h->commitment, sizeof h->commitment);
    json_put_text(out, "key", key_source(t));
    json_begin_array_at(out, "seats");
    for (int seat = 0; seat < h->seats; seat++)
        json_write_text(out, loaded_replay_seat_name(t, seat));
    json_end_array(out);
    if (t->complete) {
        json_begin_array_at(out, "payoffs");
        for (int seat = 0; seat < h->seats; seat++)
            json_write_int(out, t->payoffs[seat]);
        json_end_array(out);
    }
    if (t->row) {
        union game_rules rules;
        memcpy(&rules, h->rules.at, h->rules.size);
        json_begin_object_at(out, "rules");
        t->row->codec->write_rules(out, &rules);
        json_end_object(out);
    }
    json_end_object(out);
    text_put_char(out, '\n');
}

static void print_info(const struct loaded_replay *t)
{
    const struct replay_head *h = &t->head;
    printf("game        %s, rules version %u\n", h->game, h->rules_version);
    printf("state       %s%s\n",
           t->why[0]     ? "damaged"
           : t->complete ? "complete"
                         : "open: it can be continued",
           t->torn ? "; an incomplete entry at its end is ignored" : "");
    printf("steps       %" PRIu64 ": %" PRIu64 " actions (%" PRIu64 " in silence), %" PRIu64 " ticks, %" PRIu64
           " stacks\n",
           t->steps, t->actions, t->silent, t->ticks, t->stacks);
    printf("hashes      %" PRIu64, t->hashes);
    if (t->hashes)
        printf(", the last %016" PRIx64, t->last_hash);
    putchar('\n');
    printf("size        %zu bytes\n", t->file.size);
    if (h->has_seed)
        printf("seed        %" PRIu64 "\n", h->seed);
    printf("key         %s\n", key_source(t));
    fputs("commitment  ", stdout);
    for (size_t i = 0; i < sizeof h->commitment; i++)
        printf("%02x", h->commitment[i]);
    fputs("\nseats       ", stdout);
    for (int seat = 0; seat < h->seats; seat++) {
        printf("%s%s", seat ? ", " : "", loaded_replay_seat_name(t, seat));
        if (t->complete)
            printf(" (%d)", t->payoffs[seat]);
    }
    putchar('\n');
}

static int run_info(int argc, char **argv)
{
    static const struct argp_option options[] = {{"json", 'j', 0, 0, "Print a JSON object", 0}, REPLAY_KEY_OPTION, {0}};
    static const struct argp argp = {options, parse_info, "FILE", "Print what a replay file contains.", 0, 0, 0};
    struct info_call call = {0};
    struct loaded_replay t;
    help_parse(&argp, argc, argv, 0, &call);
    int status = tape_open(&t, call.in.path, call.in.has_key ? call.in.key : NULL);
    bool known = t.head.seats > 0; // a file that is damaged further on still has a head
    if (known && call.json) {
        struct text out = app_reserve_text(1 << 20);
        write_info(&t, &out);
        output_write(NULL, text_span(&out));
        app_release(out.at, out.room);
    } else if (known) {
        print_info(&t);
    }
    if (status != APP_DONE)
        fprintf(stderr, "agon: %s: %s\n", t.path, t.why);
    tape_close(&t);
    return status;
}

// cut

struct cut_call {
    struct replay_input in;
    bool has_steps;
    uint64_t steps;
    const char *out;
};

static error_t parse_cut(int key, char *arg, struct argp_state *state)
{
    struct cut_call *call = state->input;
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

static int run_cut(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "OUT", 0, "File to write (standard output)", 0}, REPLAY_KEY_OPTION, {0}};
    static const struct argp argp = {options,
                                     parse_cut,
                                     "FILE STEP",
                                     "Write the first STEP steps as a new replay, which can be continued.\v"
                                     "Actions, ticks and stacked items count as steps.",
                                     0,
                                     0,
                                     0};
    struct cut_call call = {0};
    struct loaded_replay t;
    help_parse(&argp, argc, argv, 0, &call);
    output_check_file(call.out, argv[0]);
    replay_input_open(&call.in, &t);
    struct text out = app_reserve_text(OUT_ROOM);
    int err = replay_cut(&out, t.file, t.row->game, t.key, call.steps);
    if (err == OK)
        output_write(call.out, text_span(&out));
    else if (err == ERR_RANGE)
        fprintf(stderr, "agon: %s has %" PRIu64 " steps; choose a STEP up to that\n", t.path, t.steps);
    else
        fprintf(stderr, "agon: %s: %s; 'agon replay verify' prints where\n", t.path, err_sentence(err));
    tape_close(&t);
    app_release(out.at, out.room);
    return err == OK ? APP_DONE : err == ERR_RANGE ? APP_USAGE : APP_FAILED;
}

// import

struct import_call {
    struct replay_input in;
    const char *out;
    uint32_t hand; // 0: the only one
};

static error_t parse_import(int key, char *arg, struct argp_state *state)
{
    struct import_call *call = state->input;
    if (key == OPTION_HAND) {
        call->hand = (uint32_t)app_read_uint(state, "--hand", arg, 1, UINT32_MAX);
        return 0;
    }
    if (key != 'o')
        return replay_input_parse(&call->in, key, arg, state);
    call->out = arg;
    return 0;
}

static int refuse_import(const char *path, const char *why)
{
    fprintf(stderr, "agon: %s: %s\n", path, why);
    return ERR_FORMAT;
}

static int import_text(const struct import_call *call, struct span text, struct text *out)
{
    struct step_log_fault log;
    struct phh_fault hand;
    struct replay_reader replay;
    bool is_log = tape_is_step_log(text);
    if (replay_open(&replay, text) == OK)
        return refuse_import(call->in.path, "it is a replay already");
    if (!is_log && !phh_is(text))
        return refuse_import(call->in.path, "it is neither a Tetris step log (AGT1) nor a poker hand (PHH)");
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

static int run_import(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "OUT", 0, "File to write (standard output)", 0},
        {"hand", OPTION_HAND, "N", 0, "Number of the hand, from 1, if the file has several", 0},
        {0}};
    static const struct argp argp = {
        options,
        parse_import,
        "FILE",
        "Convert a Tetris step log (AGT1), whose hashes are checked, or a poker hand (PHH, "
        "no-limit Texas Hold'em) to a replay.",
        0,
        0,
        0};
    struct import_call call = {0};
    char why[LOADED_REPLAY_ERROR_ROOM];
    help_parse(&argp, argc, argv, 0, &call);
    output_check_file(call.out, argv[0]);
    struct span text = tape_read_file(call.in.path, why, sizeof why);
    if (!text.at) {
        fprintf(stderr, "agon: %s: %s\n", call.in.path, why);
        return APP_USAGE;
    }
    struct text out = app_reserve_text(OUT_ROOM);
    int err = import_text(&call, text, &out);
    if (err == OK)
        output_write(call.out, text_span(&out));
    free((char *)text.at);
    app_release(out.at, out.room);
    return err == OK ? APP_DONE : APP_FAILED;
}

static const struct app_command commands[] = {
    {"show", "Step through a match in the terminal, or print it", cmd_replay_show},
    {"verify", "Play a match again and compare the hashes", cmd_replay_verify},
    {"info", "Print what a replay file contains", run_info},
    {"export", "Write a match as JSON, a step log or poker hands", cmd_replay_export},
    {"html", "Write a match as one HTML file that shows and verifies it", cmd_replay_html},
    {"analyse", "Say what each decision of a match cost, and what was luck", cmd_replay_analyse},
    {"import", "Convert a step log or poker hand to a replay", run_import},
    {"cut", "Write the first steps as a new replay", run_cut},
    {0},
};

int cmd_replay(int argc, char **argv)
{
    static const struct app_menu menu = {
        .name = "agon replay",
        .args = "COMMAND FILE...",
        .doc = "Work with replay files. A replay reproduces its match exactly.",
        .after =
            "'agon help replay COMMAND' describes a command. Tetris step logs (AGT1) are accepted as replay files.\n",
        .commands = commands,
    };
    return app_run_menu(&menu, argc, argv);
}

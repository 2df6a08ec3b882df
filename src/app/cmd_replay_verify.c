// agon replay verify FILE...: replays matches and compares the results with the record.
#include "app/cmd_replay.h"
#include "app/file_io.h"
#include "app/help.h"
#include "app/output_file.h"
#include "app/replay_input.h"
#include "app/reserved_memory.h"
#include "app/step_log.h"
#include "contest/dealbook.h"
#include "games/belote/rules/belote.h"
#include "net/loop.h"
#include "playback/playback.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_SHRINK = REPLAY_OPTION_OWN };

struct call {
    bool json;
    bool quiet;
    const char *shrink;
    bool has_key;
    uint8_t key[RNG_KEY_BYTES];
    int files;
    char **file;
};

enum result { RESULT_OK, RESULT_OPEN, RESULT_DIFFERS, RESULT_DAMAGED, RESULT_UNREADABLE };

static const char *const result_names[] = {"ok", "open", "differs", "damaged", "unreadable"};

// The result for one file.
struct verdict {
    enum result result;
    char game[REPLAY_GAME_ROOM];
    int seats;
    uint64_t steps;
    bool has_hashes; // a hash differs
    uint64_t expected, actual;
    char why[LOADED_REPLAY_ERROR_ROOM];
};

struct totals {
    uint64_t count[RESULT_UNREADABLE + 1];
    uint64_t steps;
    double seconds;
};

// T2.19: the shortest prefix that still fails: everything up to the entry that failed.
static bool shrink_replay(const struct playback *s, const char *path)
{
    const struct replay_run *run = &s->run;
    struct replay_entry last = run->entry;
    bool hash_differs = s->error == ERR_MISMATCH && last.hash != game_hash(run->game, &run->state);
    bool refused = s->error != ERR_MISMATCH && s->error != ERR_FORMAT && run->reader.at > run->reader.body;
    if (!hash_differs && !refused)
        return false;
    if (hash_differs)
        // The end becomes a hash, since it is a prefix.
        last = (struct replay_entry){.kind = REPLAY_HASH, .hash = last.hash};
    struct replay_head head = run->reader.head;
    memcpy(head.key, s->replay->key, sizeof head.key);
    head.has_key = true;
    struct text out = memory_reserve_text(run->reader.at + (1 << 16));
    replay_write_head(&out, &head);
    text_put(&out, (struct span){run->reader.file.at + run->reader.body, run->entry.offset - run->reader.body});
    replay_write_entry(&out, &last, head.seats);
    output_file_write(path, text_span(&out));
    memory_release(out.at, out.room);
    return true;
}

static bool shrink_step_log(struct span text, const struct step_log_fault *fault, const char *path)
{
    if (!fault->differs)
        return false;
    struct text out = memory_reserve_text(text.size + 64);
    text_put(&out, (struct span){text.at, fault->begin});
    text_puts(&out, "H\t");
    text_put_uint(&out, fault->step);
    text_put_char(&out, '\t');
    text_put_hex(&out, fault->expected, 16);
    text_put_char(&out, '\n');
    output_file_write(path, text_span(&out));
    memory_release(out.at, out.room);
    return true;
}

static void verify_step_log(const struct call *call, struct span text, struct verdict *v)
{
    enum { ROOM = 256 << 20 };
    struct step_log_fault fault;
    struct text replay = memory_reserve_text(ROOM);
    int err = step_log_import(&replay, text, &fault);
    memory_release(replay.at, ROOM);
    snprintf(v->game, sizeof v->game, "tetris");
    v->seats = 1;
    v->steps = fault.step;
    v->has_hashes = fault.differs;
    v->expected = fault.expected;
    v->actual = fault.actual;
    v->result = err == OK ? fault.ended ? RESULT_OK : RESULT_OPEN : fault.differs ? RESULT_DIFFERS : RESULT_DAMAGED;
    if (err != OK)
        snprintf(v->why, sizeof v->why, "line %" PRIu64 ": %s", fault.line, fault.why);
    if (call->shrink && (err == OK || !shrink_step_log(text, &fault, call->shrink)))
        fputs("agon: there is nothing to shrink: no hash differs\n", stderr);
}

static void verify_replay(const struct call *call, const struct loaded_replay *t, struct verdict *v)
{
    static struct playback s; // without viewers: nothing is remembered
    s.replay = t;
    s.error = replay_begin(&s.run, t->file, t->row->game, t->key, NULL);
    int done = s.error == OK;
    while (done == 1)
        done = replay_step(&s.run, MATCH_HASH_EVERY, NULL);
    if (s.error == OK)
        s.error = done;
    v->steps = s.run.steps;
    if (s.error == OK) {
        v->result = t->complete ? RESULT_OK : RESULT_OPEN;
    } else {
        v->result = s.error == ERR_FORMAT ? RESULT_DAMAGED : RESULT_DIFFERS;
        v->expected = s.run.entry.hash;
        v->actual = game_hash(s.run.game, &s.run.state);
        v->has_hashes = s.error == ERR_MISMATCH && v->expected != v->actual;
        playback_describe_error(&s, v->why, sizeof v->why);
    }
    if (call->shrink && (s.error == OK || !shrink_replay(&s, call->shrink)))
        fputs("agon: there is nothing to shrink: no hash differs and no action is refused\n", stderr);
}

static void verify_transcript(struct span bytes, struct verdict *v)
{
    struct dealbook_check check;
    int err = dealbook_verify(bytes, &check);
    snprintf(v->game, sizeof v->game, "belote");
    v->seats = BELOTE_SEATS;
    v->steps = check.decisions;
    v->result = err == OK ? RESULT_OK : err == ERR_MISMATCH ? RESULT_DIFFERS : RESULT_DAMAGED;
    memcpy(v->why, check.why, sizeof v->why);
    v->why[sizeof v->why - 1] = 0;
}

static void verify_file(const struct call *call, const char *path, struct verdict *v)
{
    struct loaded_replay t;
    *v = (struct verdict){0};
    struct span bytes = file_io_read(path, v->why, sizeof v->why);
    if (!bytes.at) {
        v->result = RESULT_UNREADABLE;
        return;
    }
    if (replay_file_is_step_log(bytes)) {
        verify_step_log(call, bytes, v);
        free((char *)bytes.at);
        return;
    }
    if (bytes.size && *bytes.at == '{') {
        verify_transcript(bytes, v);
        free((char *)bytes.at);
        return;
    }
    int status = replay_file_parse(&t, path, bytes, call->has_key ? call->key : NULL);
    memcpy(v->game, t.head.game, sizeof v->game);
    v->seats = t.head.seats;
    v->result = RESULT_DAMAGED;
    if (t.row && t.has_key) // a damaged file is played as far as possible, which may show what was changed
        verify_replay(call, &t, v);
    if (v->result == RESULT_DAMAGED && status != APP_DONE)
        memcpy(v->why, t.why, sizeof v->why);
    else if (!t.has_key)
        snprintf(v->why, sizeof v->why, "the file does not contain its key; give it with --key");
    replay_file_close(&t);
}

static void write_verdict(struct text *out, const char *path, const struct verdict *v)
{
    json_begin_object(out);
    json_put_text(out, "file", path);
    json_put_text(out, "result", result_names[v->result]);
    json_put_text(out, "game", v->game[0] ? v->game : NULL);
    json_put_int(out, "seats", v->seats);
    json_put_uint(out, "steps", v->steps);
    if (v->has_hashes) {
        json_put_hex(out, "expected", v->expected);
        json_put_hex(out, "actual", v->actual);
    }
    if (v->why[0])
        json_put_text(out, "message", v->why);
    json_end_object(out);
    text_put_char(out, '\n');
}

static void print_verdict(const char *path, const struct verdict *v)
{
    if (v->why[0])
        printf("%s: %s: %s\n", path, result_names[v->result], v->why);
    else
        printf("%s: %s, %s, %d seat%s, %" PRIu64 " steps%s\n", path, result_names[v->result], v->game, v->seats,
               v->seats == 1 ? "" : "s", v->steps,
               v->result == RESULT_OPEN ? "; it has no end and can be continued" : "");
}

static void write_totals(struct text *out, const struct totals *sum)
{
    json_begin_object(out);
    for (int i = 0; i <= RESULT_UNREADABLE; i++)
        json_put_uint(out, result_names[i], sum->count[i]);
    json_put_uint(out, "steps", sum->steps);
    json_put_decimal(out, "seconds", sum->seconds, 6);
    json_put_decimal(out, "steps_per_second", sum->seconds > 0 ? (double)sum->steps / sum->seconds : 0, 0);
    json_end_object(out);
    text_put_char(out, '\n');
}

static void print_totals(const struct totals *sum)
{
    uint64_t files = 0;
    for (int i = 0; i <= RESULT_UNREADABLE; i++)
        files += sum->count[i];
    printf("%" PRIu64 " files:", files);
    for (int i = 0; i <= RESULT_UNREADABLE; i++)
        if (sum->count[i])
            printf(" %" PRIu64 " %s,", sum->count[i], result_names[i]);
    printf(" %" PRIu64 " steps in %.3f s (%.0f steps/s, %.0f files/s)\n", sum->steps, sum->seconds,
           (double)sum->steps / (sum->seconds + 1e-9), (double)files / (sum->seconds + 1e-9));
}

static const struct app_value values[] = {
    APP_VALUE('j', struct call, json),
    APP_VALUE('q', struct call, quiet),
    APP_VALUE(OPTION_SHRINK, struct call, shrink),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    if (app_take_value(state, values, key, arg, call))
        return 0;
    switch (key) {
    case REPLAY_OPTION_KEY:
        call->has_key = replay_file_read_key(arg, call->key);
        if (!call->has_key)
            argp_failure(state, APP_USAGE, 0, "--key: '%s' is not 64 hex digits", arg);
        return 0;
    case ARGP_KEY_ARGS:
        call->file = state->argv + state->next;
        call->files = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which FILE? ('-' reads standard input)");
        return 0;
    case ARGP_KEY_END:
        if (call->shrink && call->files != 1)
            argp_error(state, "--shrink needs exactly one FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cmd_replay_verify(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"json", 'j', 0, 0, "Print one JSON object per file and one for the total", 0},
        {"quiet", 'q', 0, 0, "Print only files that fail", 0},
        {"shrink", OPTION_SHRINK, "OUT", 0, "Write the shortest prefix that still fails to OUT", 0},
        REPLAY_KEY_OPTION,
        {0},
    };
    static const struct argp argp = {
        options,
        parse_option,
        "FILE...",
        "Play matches again and compare every recorded hash, the payoffs, and the key with its commitment. "
        "Transcripts of belote ('agon match --transcript') are compared decision by decision.\v"
        "Exit status: 0 all reproduce, 1 at least one does not, 2 a file cannot be read.",
        0,
        0,
        0};
    struct call call = {0};
    struct totals sum = {0};
    struct text line = memory_reserve_text(1 << 16);
    help_parse(&argp, argc, argv, 0, &call);
    double begun = loop_now_seconds();
    for (int i = 0; i < call.files; i++) {
        struct verdict v;
        verify_file(&call, call.file[i], &v);
        sum.count[v.result]++;
        sum.steps += v.steps;
        bool silent = call.quiet && v.result <= RESULT_OPEN;
        line.size = 0;
        if (call.json && !silent)
            write_verdict(&line, call.file[i], &v);
        else if (!silent)
            print_verdict(call.file[i], &v);
        fwrite(line.at, 1, line.size, stdout);
    }
    sum.seconds = loop_now_seconds() - begun;
    line.size = 0;
    if (call.json)
        write_totals(&line, &sum);
    else if (call.files > 1)
        print_totals(&sum);
    fwrite(line.at, 1, line.size, stdout);
    if (sum.count[RESULT_UNREADABLE])
        return APP_USAGE;
    return sum.count[RESULT_DIFFERS] + sum.count[RESULT_DAMAGED] ? APP_FAILED : APP_DONE;
}

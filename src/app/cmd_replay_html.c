// agon replay html FILE: a match as one file that any browser opens from disk (replay_page.h).
#include "app/cmd_replay.h"
#include "app/file_io.h"
#include "app/help.h"
#include "app/output_file.h"
#include "app/replay_analysis.h"
#include "app/replay_input.h"
#include "app/replay_page.h"
#include "app/reserved_memory.h"
#include "base/json_read.h"
#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// SEED: of the sampled worlds, the default of `agon replay analyse`, so that both print the same.
enum { OUT_ROOM = 1 << 30, ANALYSIS = REPLAY_OPTION_OWN, DEPTH = 16, SEED = 1 };

struct call {
    struct replay_input in;
    const char *out;
    bool analyses;
    const char *analysis; // a file or a house player; NULL: the strongest
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    switch (key) {
    case 'o':
        call->out = arg;
        return 0;
    case ANALYSIS:
        call->analyses = true;
        call->analysis = arg;
        return 0;
    default:
        return replay_input_parse(&call->in, key, arg, state);
    }
}

// ---- The analysis ---------------------------------------------------------------------------------------------------

// Checks the members of a decision that the viewer needs.
static void check_decision(struct json_reader *r, const struct loaded_replay *t)
{
    static const char *const needed[] = {"step", "seat", "loss", "error", "mistake", "played_text", "house_text", NULL};
    struct json_string key;
    unsigned found = 0;
    for (json_enter_object(r); json_next_key(r, &key);) {
        int at = json_string_among(key, needed);
        found |= at < 0 ? 0 : 1u << at;
        if (at == 0 && json_read_uint(r, t->steps) == 0)
            json_fail(r, ERR_RANGE);
        else if (at == 1)
            json_read_uint(r, (uint64_t)t->head.seats - 1);
        else if (at == 2 || at == 3)
            json_read_real(r);
        else if (at == 4)
            json_read_bool(r);
        else if (at == 5 || at == 6)
            json_read_string(r);
        else if (at != 0)
            json_skip(r);
    }
    if (found != (1u << (sizeof needed / sizeof *needed - 1)) - 1)
        json_fail(r, ERR_FORMAT);
}

static bool has_decisions(struct span list, const struct loaded_replay *t)
{
    struct json_reader r = json_reader_of(list, DEPTH);
    for (json_enter_array(&r); json_next_item(&r);)
        check_decision(&r, t);
    return json_finish(&r) == OK;
}

static int count_items(struct span list)
{
    struct json_reader r = json_reader_of(list, DEPTH);
    int count = 0;
    for (json_enter_array(&r); json_next_item(&r); count++)
        json_skip(&r);
    return json_finish(&r) == OK ? count : -1;
}

// Ends the program unless the file is an analysis of this match.
static void check_analysis(struct span json, const struct loaded_replay *t, const char *path)
{
    char hex[2 * sizeof t->head.commitment + 3];
    struct text sum = text_on(hex, sizeof hex);
    text_put_char(&sum, '"');
    text_put_hex_bytes(&sum, t->head.commitment, sizeof t->head.commitment);
    text_put_char(&sum, '"');
    struct span commitment = json_member(json, "commitment");
    if (!commitment.size || count_items(json_member(json, "seats")) < 0)
        app_refuse("agon replay html", "--analysis: %s is not an analysis; 'agon replay analyse --json' writes one",
                   path);
    if (!span_equals(commitment, text_span(&sum)) || count_items(json_member(json, "seats")) != t->head.seats)
        app_refuse("agon replay html", "--analysis: %s is of another match than %s", path, t->path);
    if (!has_decisions(json_member(json, "decisions"), t))
        app_refuse("agon replay html", "--analysis: %s has decisions that %s does not have, or is damaged", path,
                   t->path);
}

static void put_analysis_file(struct text *out, const struct loaded_replay *t, const char *path)
{
    char why[FILE_IO_WHY], no_bot[512];
    struct span json = file_io_read(path, why, sizeof why);
    if (!json.at) {
        app_name_unknown_bot(t->row, path, no_bot, sizeof no_bot);
        app_refuse("agon replay html", "--analysis: '%s' is not a file: %s; %s", path, why, no_bot);
    }
    check_analysis(json, t, path);
    text_put(out, json);
    free((char *)json.at);
}

static void put_analysis(struct text *out, const struct loaded_replay *t, const char *name)
{
    struct analysis a;
    struct loaded_replay shown = *t; // the page must not show folders
    const char *slash = strrchr(t->path, '/');
    struct analysis_options o = {.seed = SEED,
                                 .threads = (int)sysconf(_SC_NPROCESSORS_ONLN),
                                 .progress = isatty(STDERR_FILENO) ? replay_analysis_show_progress : NULL};
    o.reference = replay_analysis_find_reference("agon replay html", "--analysis", t->row, name ? name : "house:5");
    if (!o.reference) {
        put_analysis_file(out, t, name);
        return;
    }
    shown.path = slash ? slash + 1 : t->path;
    replay_analysis_run(&a, &shown, &o);
    analysis_write_json(&a, out);
    analysis_close(&a);
}

int cmd_replay_html(int argc, char **argv)
{
    static const struct argp_option options[] = {{"output", 'o', "OUT", 0, "File to write (standard output)", 0},
                                                 {"analysis", ANALYSIS, "FILE|BOT", OPTION_ARG_OPTIONAL,
                                                  "Show what each decision cost: compared with a house bot (house:5), "
                                                  "or from FILE, the output of 'agon replay analyse --json'",
                                                  0},
                                                 REPLAY_KEY_OPTION,
                                                 {0}};
    static const struct argp argp = {options,
                                     parse_option,
                                     "FILE",
                                     "Write a match as one HTML file that opens from disk in any browser: it plays the "
                                     "match again, verifies it, and shows it step by step.\v"
                                     "The file makes no requests. It includes hidden cards and the key.",
                                     0,
                                     0,
                                     0};
    struct call call = {0};
    struct text analysis = {.grow = heap_text_grow};
    struct loaded_replay t;
    help_parse(&argp, argc, argv, 0, &call);
    output_file_check(call.out, argv[0]);
    replay_input_open(&call.in, &t);
    int sound = replay_page_check(&t);
    if (sound != OK)
        app_die("%s: %s; 'agon replay verify' prints where", t.path, err_sentence(sound));
    if (call.analyses)
        put_analysis(&analysis, &t, call.analysis);
    struct text out = memory_reserve_text(OUT_ROOM);
    if (!replay_page_put(&out, &t, text_span(&analysis), REPLAY_PAGE_WHOLE))
        app_die("this build has no rules for browsers; install clang, lld, binaryen and esbuild, and build again");
    if (out.full)
        app_die("%s is too long for one page", t.path);
    output_file_write(call.out, text_span(&out));
    memory_release(out.at, out.room);
    free(analysis.at);
    replay_file_close(&t);
    return APP_DONE;
}

// agon replay html FILE: a match as one file that any browser opens from disk: the replay, the rules of its game as
// WebAssembly, and a viewer. Its content security policy forbids every request.
#include "app/cmd_replay.h"
#include "app/help.h"
#include "app/outputs.h"
#include "app/reserve.h"
#include "base/base64.h"
#include "base/json_read.h"
#include "browser/browser.h"
#include "crypto/crypto.h"
#include "heap/heap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUT_ROOM = 1 << 30, ANALYSIS = REPLAY_OPTION_OWN, DEPTH = 16, SEED = 1 };

struct call {
    struct replay_input in;
    const char *out;
    bool analyses;
    const char *analysis; // a file or a house player; NULL: the strongest
};

struct page {
    const struct loaded_replay *replay;
    struct span module, odds, script, style, analysis;
};

static void put_hash(struct text *t, struct span source)
{
    uint8_t sum[CRYPTO_SHA256_BYTES];
    crypto_sha256(sum, source.at, source.size);
    text_puts(t, "'sha256-");
    base64_write(t, sum, sizeof sum);
    text_put_char(t, '\'');
}

static void put_title(struct text *t, const struct page *p)
{
    for (const char *c = p->replay->row->codec->title; *c; c++)
        if (*c == '&' || *c == '<')
            text_puts(t, *c == '&' ? "&amp;" : "&lt;");
        else
            text_put_char(t, *c);
    text_puts(t, ", a replay");
}

// The key goes along: without it nobody can replay the file, and a file that revealed none may have been opened by
// --key.
static void put_replay(struct text *t, const struct page *p)
{
    const struct loaded_replay *tape = p->replay;
    if (tape->head.has_key || tape->head.has_seed) {
        base64_write(t, tape->file.at, tape->file.size);
        return;
    }
    struct text open = app_reserve_text(tape->file.size + 256);
    if (replay_cut(&open, tape->file, tape->row->game, tape->key, tape->steps) != OK)
        app_die("%s cannot be played to its end; 'agon replay verify' prints where", tape->path);
    base64_write(t, open.at, open.size);
    app_release(open.at, open.room);
}

static void put_part(struct text *t, const struct page *p, struct span name)
{
    if (span_is(name, "title"))
        put_title(t, p);
    else if (span_is(name, "script-hash"))
        put_hash(t, p->script);
    else if (span_is(name, "style-hash"))
        put_hash(t, p->style);
    else if (span_is(name, "script"))
        text_put(t, p->script);
    else if (span_is(name, "style"))
        text_put(t, p->style);
    else if (span_is(name, "module"))
        base64_write(t, p->module.at, p->module.size);
    else if (span_is(name, "odds"))
        base64_write(t, p->odds.at, p->odds.size);
    else if (span_is(name, "replay"))
        put_replay(t, p);
    else if (span_is(name, "analysis"))
        base64_write(t, p->analysis.at, p->analysis.size);
}

// The template with {{part}} filled in.
static void write_page(struct text *t, struct span template, const struct page *p)
{
    const char *end = template.at + template.size;
    for (const char *at = template.at, *next; at < end; at = next) {
        const char *open = memmem(at, (size_t)(end - at), "{{", 2);
        const char *close = open ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;
        text_put(t, (struct span){at, (size_t)((close ? open : end) - at)});
        if (close)
            put_part(t, p, (struct span){open + 2, (size_t)(close - open - 2)});
        next = close ? close + 2 : end;
    }
}

static error_t parse_html(int key, char *arg, struct argp_state *state)
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

// What the viewer needs of a decision; the rest is as it is.
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

// An analysis of this match, and of no other.
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
    char why[LOADED_REPLAY_ERROR_ROOM], no_bot[512];
    struct span json = tape_read_file(path, why, sizeof why);
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
    struct loaded_replay shown = *t; // the page tells nothing of folders
    const char *slash = strrchr(t->path, '/');
    struct analysis_options o = {.seed = SEED,
                                 .threads = (int)sysconf(_SC_NPROCESSORS_ONLN),
                                 .progress = isatty(STDERR_FILENO) ? replay_show_progress : NULL};
    o.reference = replay_find_reference("agon replay html", "--analysis", t->row, name ? name : "house:5");
    if (!o.reference) {
        put_analysis_file(out, t, name);
        return;
    }
    shown.path = slash ? slash + 1 : t->path;
    replay_analyse(&a, &shown, &o);
    analysis_write_json(&a, out);
    analysis_close(&a);
}

// Only what reproduces is worth a viewer.
static int check_sound(const struct loaded_replay *t)
{
    static struct replay_run run;
    int done = replay_begin(&run, t->file, t->row->game, t->key, NULL);
    if (done == OK)
        do
            done = replay_step(&run, MATCH_HASH_EVERY, NULL);
        while (done == 1);
    return done;
}

static struct span find_module(const struct loaded_replay *t, const char *ending)
{
    char name[REPLAY_GAME_ROOM + 16];
    snprintf(name, sizeof name, "%s%s", t->head.game, ending);
    return browser_file(name);
}

bool replay_put_html(struct text *out, const struct loaded_replay *t, struct span analysis, enum replay_viewer viewer)
{
    bool whole = viewer == REPLAY_WHOLE && !t->row->game->tick_ms && browser_file("page.js").size;
    struct page p = {.replay = t, .module = find_module(t, ".wasm"), .analysis = analysis};
    p.odds = find_module(t, ".odds.wasm"); // the games with winning chances have one
    p.script = browser_file(whole ? "page.js" : "viewer.js");
    p.style = browser_file(whole ? "page.css" : "viewer.css");
    if (!p.module.at || !p.script.at || check_sound(t) != OK)
        return false;
    write_page(out, browser_file(whole ? "page.html" : "viewer.html"), &p);
    return true;
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
                                     parse_html,
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
    output_check_file(call.out, argv[0]);
    replay_input_open(&call.in, &t);
    int sound = check_sound(&t);
    if (sound != OK)
        app_die("%s: %s; 'agon replay verify' prints where", t.path, err_sentence(sound));
    if (call.analyses)
        put_analysis(&analysis, &t, call.analysis);
    struct text out = app_reserve_text(OUT_ROOM);
    if (!replay_put_html(&out, &t, text_span(&analysis), REPLAY_WHOLE))
        app_die("this build has no rules for browsers; install clang, lld, binaryen and esbuild, and build again");
    if (out.full)
        app_die("%s is too long for one page", t.path);
    output_write(call.out, text_span(&out));
    app_release(out.at, out.room);
    free(analysis.at);
    tape_close(&t);
    return APP_DONE;
}

// agon replay html FILE: a match as one file that any browser opens from disk: the replay, the rules of its game as
// WebAssembly, and a viewer. Its content security policy forbids every request.
#include "app/cmd_replay.h"
#include "app/help.h"
#include "app/reserve.h"
#include "base/base64.h"
#include "browser/browser.h"
#include "crypto/crypto.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { OUT_ROOM = 1 << 30 };

struct call {
    struct replay_input in;
    const char *out;
};

struct page {
    const struct tape *tape;
    struct span module, script, style;
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
    for (const char *c = p->tape->row->codec->title; *c; c++)
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
    const struct tape *tape = p->tape;
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
    else if (span_is(name, "replay"))
        put_replay(t, p);
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
    if (key != 'o')
        return replay_input_parse(&call->in, key, arg, state);
    call->out = arg;
    return 0;
}

// Only what reproduces is worth a viewer.
static int check_sound(const struct tape *t)
{
    static struct replay_run run;
    int done = replay_begin(&run, t->file, t->row->game, t->key, NULL);
    if (done == OK)
        do
            done = replay_step(&run, MATCH_HASH_EVERY, NULL);
        while (done == 1);
    return done;
}

bool replay_put_html(struct text *out, const struct tape *t)
{
    char module[REPLAY_GAME_ROOM + 8];
    snprintf(module, sizeof module, "%s.wasm", t->head.game);
    struct page p = {t, browser_file(module), browser_file("viewer.js"), browser_file("viewer.css")};
    if (!p.module.at || !p.script.at || check_sound(t) != OK)
        return false;
    write_page(out, browser_file("viewer.html"), &p);
    return true;
}

int cmd_replay_html(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "OUT", 0, "File to write (standard output)", 0}, REPLAY_KEY_OPTION, {0}};
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
    struct tape t;
    help_parse(&argp, argc, argv, 0, &call);
    replay_input_open(&call.in, &t);
    int sound = check_sound(&t);
    if (sound != OK)
        app_die("%s: %s; 'agon replay verify' prints where", t.path, err_sentence(sound));
    struct text out = app_reserve_text(OUT_ROOM);
    if (!replay_put_html(&out, &t))
        app_die("this build has no rules for browsers; install clang, lld, binaryen and esbuild, and build again");
    if (out.full)
        app_die("%s is too long for one page", t.path);
    if (tape_write_file(call.out, text_span(&out)) != 0)
        app_die("cannot write %s: %s", call.out ? call.out : "the output", strerror(errno));
    app_release(out.at, out.room);
    tape_close(&t);
    return APP_DONE;
}

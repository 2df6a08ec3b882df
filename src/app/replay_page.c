#include "app/replay_page.h"

#include "app/app.h"
#include "app/reserved_memory.h"
#include "base/base64.h"
#include "browser/browser.h"
#include "crypto/crypto.h"

#include <stdio.h>
#include <string.h>

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

// The page needs the key to replay the match. If the file does not contain it, a copy with the key is written, since it
// may have been given by --key.
static void put_replay(struct text *t, const struct page *p)
{
    const struct loaded_replay *tape = p->replay;
    if (tape->head.has_key || tape->head.has_seed) {
        base64_write(t, tape->file.at, tape->file.size);
        return;
    }
    struct text open = memory_reserve_text(tape->file.size + 256);
    if (replay_cut(&open, tape->file, tape->row->game, tape->key, tape->steps) != OK)
        app_die("%s cannot be played to its end; 'agon replay verify' prints where", tape->path);
    base64_write(t, open.at, open.size);
    memory_release(open.at, open.room);
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

int replay_page_check(const struct loaded_replay *t)
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

bool replay_page_put(struct text *out, const struct loaded_replay *t, struct span analysis,
                     enum replay_page_viewer viewer)
{
    bool whole = viewer == REPLAY_PAGE_WHOLE && !t->row->game->tick_ms && browser_file("page.js").size;
    struct page p = {.replay = t, .module = find_module(t, ".wasm"), .analysis = analysis};
    p.odds = find_module(t, ".odds.wasm"); // the games with winning chances have one
    p.script = browser_file(whole ? "page.js" : "viewer.js");
    p.style = browser_file(whole ? "page.css" : "viewer.css");
    if (!p.module.at || !p.script.at || replay_page_check(t) != OK)
        return false;
    write_page(out, browser_file(whole ? "page.html" : "viewer.html"), &p);
    return true;
}

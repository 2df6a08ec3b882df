#include "contest/dealbook.h"

#include "botwire/deal_record.h"
#include "contest/dealbook_deals.h"
#include "contest/play.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"
#include "match/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// --- the lines of a game

struct writer {
    struct text *out;
    const struct dealbook_game *game;
    const struct belote_rules *rules;
    struct deal_record record;
    struct dealbook_deals deals;
    size_t decision; // index in the game
    bool begun;      // the record is not empty
};

static void write_line(struct writer *w)
{
    struct text *t = w->out;
    const struct dealbook_game *g = w->game;
    json_begin_object(t);
    deal_record_write(t, &w->record);
    json_put_uint(t, "match", g->match);
    json_put_uint(t, "deal", w->record.deal);
    json_begin_array_at(t, "bots");
    for (int s = 0; s < BELOTE_SEATS; s++)
        json_write_text(t, g->bot[s]);
    json_end_array(t);
    json_put_uint(t, "seed", g->seed);
    if (w->record.deal == 0) {
        json_begin_object_at(t, "rules");
        belote_codec.write_rules(t, w->rules);
        json_end_object(t);
    }
    json_key(t, "times");
    deal_record_write_times(t, &w->record);
    json_end_object(t);
    text_put_char(t, '\n');
    w->begun = false;
}

static void record_step(struct writer *w, const struct belote_state *before, const struct replay_entry *e,
                        const struct belote_state *after)
{
    if (e->kind != REPLAY_ACTION || e->seat >= BELOTE_SEATS)
        return;
    const struct contest_latencies *times = w->game->times;
    size_t i = w->decision++;
    uint32_t took_us = times && i < times->count ? times->at[i] : DEAL_RECORD_UNASKED;
    if (!w->begun)
        deal_record_begin(&w->record, before, w->rules);
    w->begun = true;
    if (!deal_record_add(&w->record, before, e->action, after, took_us))
        return;
    dealbook_deals_add(&w->deals, &after->last, &w->record.after);
    write_line(w);
}

int dealbook_write(struct text *out, const struct dealbook_game *g)
{
    struct replay_run run;
    struct writer w = {.out = out, .game = g};
    int more = replay_begin(&run, g->replay, &belote_game, NULL, NULL);
    if (more != OK)
        return more;
    w.rules = (const struct belote_rules *)&run.rules;
    for (more = 1; more == 1;) {
        struct belote_state before;
        memcpy(&before, &run.state, sizeof before);
        more = replay_step(&run, 1, NULL);
        if (more == 1)
            record_step(&w, &before, &run.entry, (const struct belote_state *)&run.state);
    }
    if (w.begun) // the last deal was broken off
        write_line(&w);
    return more < 0 ? more : out->full ? ERR_FULL : OK;
}

// --- writing in order

bool dealbook_open(struct dealbook *t, const char *path, bool append)
{
    *t = (struct dealbook){.file = fopen(path, append ? "a+" : "w")};
    if (t->file && append) {
        rewind(t->file);
        for (int c; (c = getc(t->file)) != EOF;)
            t->lines += c == '\n'; // counts whole lines only
        fseek(t->file, 0, SEEK_END);
    }
    return t->file != NULL;
}

void dealbook_hold(struct dealbook *t, uint64_t index, struct text lines)
{
    t->held[index % DEALBOOK_AHEAD] = lines;
}

// Gives every line its number: {"id":7,...
static void put_lines(struct dealbook *t, const struct text *lines)
{
    const char *at = lines->at, *end = lines->at + lines->size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)(stop - at); // the text ends with a line feed
        if (fprintf(t->file, "{\"id\":%ju,", (uintmax_t)t->lines++) < 0 || fwrite(at + 1, 1, size, t->file) != size)
            t->failed = t->failed ? t->failed : errno;
        at = stop + 1;
    }
}

void dealbook_release(struct dealbook *t, uint64_t index)
{
    struct text *lines = &t->held[index % DEALBOOK_AHEAD];
    if (lines->at)
        put_lines(t, lines);
    free(lines->at);
    *lines = (struct text){0};
}

bool dealbook_close(struct dealbook *t, uint64_t next, bool all)
{
    for (uint64_t i = next; i < next + DEALBOOK_AHEAD; i++) {
        if (all)
            dealbook_release(t, i);
        free(t->held[i % DEALBOOK_AHEAD].at);
        t->held[i % DEALBOOK_AHEAD] = (struct text){0};
    }
    bool closed = fclose(t->file) == 0;
    errno = t->failed ? t->failed : errno;
    return closed && !t->failed;
}

const char *dealbook_game(void)
{
    return belote_game.name;
}

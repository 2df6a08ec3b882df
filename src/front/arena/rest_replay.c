// Finished matches: their facts, frame by frame, and the file that proves them (F7.13).
#include "front/arena/analyses.h"
#include "front/arena/game_over.h"
#include "front/arena/rest_internal.h"
#include "games/games.h"
#include "heap/heap.h"
#include "kit/picture.h"
#include "lobby/replayed.h"
#include "render/png.h"
#include "work/work.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FRAMES = 25,        // events of a page unless the client asks for more; longer pages have no `events`
    MOST_FRAMES = 1000, // larger limits are cut (F5.9): every event is replayed for the client
    PARTS = 16,         // most parts of one event
};

// Pages of a replay are usually requested one after the other, so the last few replayed matches are cached. A request
// that runs as a job holds its match until it has ended.
struct cached_replay {
    struct replayed past;
    int holders; // requests, and the cache itself
};

struct rest_replay_cache {
    uint64_t clock;
    struct {
        struct cached_replay *replay; // NULL: empty
        uint64_t used;
    } at[REST_CACHED_REPLAYS];
};

static void release_cached(struct cached_replay *s)
{
    if (--s->holders > 0)
        return;
    replayed_release(&s->past);
    free(s);
}

void rest_drop_cached(struct arena_rest *rest)
{
    for (int i = 0; rest->replays && i < REST_CACHED_REPLAYS; i++)
        if (rest->replays->at[i].replay)
            release_cached(rest->replays->at[i].replay);
    free(rest->replays);
    rest->replays = NULL;
}

// A stored match, or a game of a tournament.
bool rest_shows_replay(const struct arena_rest *rest, const struct store_match *m)
{
    struct tournaments *tournaments = rest->options.tournaments;
    return m->status == STORE_FINISHED && (!tournaments || tournaments_shows(tournaments, m));
}

static int load_replayed(struct arena_rest *rest, struct uuid id, struct replayed *past)
{
    struct store_match m;
    struct text log;
    struct tournaments *tournaments = rest->options.tournaments;
    if (store_find_replay(rest->store, id, &m))
        return rest_shows_replay(rest, &m) ? replayed_load(past, rest->lobby, m.id) : ERR_UNKNOWN;
    int err = tournaments ? tournaments_load_replay(tournaments, id, &m, &log) : ERR_UNKNOWN;
    return err == OK ? replayed_load_log(past, rest->lobby, &m, log) : err;
}

static struct cached_replay *find_cached(struct rest_replay_cache *cache, struct uuid id)
{
    for (int i = 0; i < REST_CACHED_REPLAYS; i++)
        if (cache->at[i].replay && uuid_equals(cache->at[i].replay->past.match.replay, id)) {
            cache->at[i].used = ++cache->clock;
            cache->at[i].replay->holders++;
            return cache->at[i].replay;
        }
    return NULL;
}

// Replaces the least recently requested one.
static struct cached_replay *add_cached(struct rest_replay_cache *cache, const struct replayed *past)
{
    struct cached_replay *s = malloc(sizeof *s);
    int oldest = 0;
    if (!s)
        abort();
    for (int i = 0; i < REST_CACHED_REPLAYS; i++)
        if (cache->at[i].used < cache->at[oldest].used)
            oldest = i;
    if (cache->at[oldest].replay)
        release_cached(cache->at[oldest].replay);
    // One for the cache and one for the request that loads it.
    *s = (struct cached_replay){.past = *past, .holders = 2};
    cache->at[oldest].replay = s;
    cache->at[oldest].used = ++cache->clock;
    return s;
}

// Replays the finished match of {id}; the caller must release it. Returns NULL if refused, or if the client is gone.
static struct cached_replay *load_cached(struct rest_call *c)
{
    struct arena_rest *rest = c->rest;
    struct uuid id;
    if (!rest_read_id(c, &id, "replay"))
        return NULL;
    if (!rest->replays && !(rest->replays = calloc(1, sizeof *rest->replays)))
        return rest_fail(c, 503, "the server has no memory left; try again"), NULL;
    struct cached_replay *s = find_cached(rest->replays, id);
    if (s)
        return s;
    struct replayed past;
    int err = load_replayed(rest, id, &past);
    if (err == ERR_UNKNOWN)
        return rest_fail(c, 404, "unknown replay"), NULL;
    if (err != OK)
        return rest_fail(c, 500, "the log of this match is damaged"), NULL;
    s = add_cached(rest->replays, &past);
    if (!c->gone)
        return s;
    release_cached(s);
    return NULL;
}

// --- open cards

enum { FLAG = 8 };

// F7.13: for all matches with --god-view, for this reply with ?god_view=1. The published key reveals every card of a
// finished match; if the server hides the key, it hides the cards too. Returns false if refused.
static bool read_god_view(struct rest_call *c, bool *god)
{
    char flag[FLAG] = "";
    *god = c->rest->options.god_view;
    if (!http_has_query(c->r, "god_view"))
        return true;
    http_query(c->r, "god_view", flag, sizeof flag);
    if (strcmp(flag, "0") != 0 && strcmp(flag, "1") != 0) {
        rest_fail(c, 400, "god_view must be 0 or 1");
        return false;
    }
    bool wanted = flag[0] == '1';
    if (wanted && !*god && c->rest->options.hide_seed) {
        rest_fail(c, 403, "this server does not show hidden cards");
        return false;
    }
    *god = wanted;
    return true;
}

// --- caching

// For a finished match; running and cancelled ones have no replay. The file never changes. Its presentation depends on
// the program and two settings, so it may be cached for an hour only.
static const char for_good[] = "public, max-age=31536000, immutable", for_an_hour[] = "public, max-age=3600";

// The tag names everything that the presentation depends on, so no bytes have to be made to compare it.
static bool is_cached(struct rest_call *c, const struct replayed *past, bool god, const char *cache)
{
    char id[UUID_TEXT + 1], tag[96];
    uuid_format(id, past->match.replay);
    snprintf(tag, sizeof tag, "\"%s-%s-%d%d\"", id, AGON_VERSION, god, c->rest->options.hide_seed);
    http_add_header(c->r, "ETag", tag);
    c->cache = cache;
    if (!span_is(http_header(c->r, "If-None-Match"), tag))
        return false;
    c->status = 304;
    c->type = NULL;
    return true;
}

// --- the match

// From the head of the log; empty if it is damaged.
static struct span read_rules(const struct replayed *past)
{
    struct replay_reader r;
    bool sound = replay_open(&r, text_span(&past->log)) == OK && r.head.rules.size <= sizeof(union game_rules);
    return sound ? r.head.rules : (struct span){0};
}

static void put_config(struct text *t, const struct replayed *past)
{
    struct span given = read_rules(past);
    union game_rules rules;
    json_key(t, "config");
    if (!given.size) {
        json_write_null(t);
        return;
    }
    memcpy(&rules, given.at, given.size);
    dialect_write_config(games_find(past->match.game), t, &rules);
}

static void put_match(struct rest_call *c, const struct replayed *past, bool god)
{
    struct text *t = &c->out;
    const struct store_match *m = &past->match;
    rest_put_completed(t, m);
    put_config(t, past);
    json_put_uint(t, "event_count", past->events);
    json_put_bool(t, "rated", m->rated);
    rfc3339_put(t, "created_at", m->created_ms);
    rfc3339_put(t, "started_at", m->started_ms);
    rfc3339_put(t, "finished_at", m->finished_ms);
    json_put_int(t, "duration_ms", m->finished_ms - m->started_ms);
    rest_put_forfeit(t, m);
    json_put_bool(t, "god_view", god);
    rest_put_hex(t, "seed_commitment", m->commitment);
    if (!c->rest->options.hide_seed)
        rest_put_hex(t, "seed", m->key);
    rest_put_deal(c, m, read_rules(past));
}

void rest_replay(struct rest_call *c)
{
    struct cached_replay *s = load_cached(c);
    if (!s)
        return;
    json_begin_object(&c->out);
    put_match(c, &s->past, c->rest->options.god_view);
    json_end_object(&c->out);
    release_cached(s);
}

// --- frames

// An event with its hidden parts made visible to everybody.
static void reveal_hidden(struct match_event *e, struct game_event shown[PARTS])
{
    e->count = e->count < PARTS ? e->count : PARTS;
    assert(e->count > 0);
    for (uint32_t i = 0; i < e->count; i++) {
        shown[i] = e->at[i];
        // A copy: the kept match serves other requests, too.
        shown[i].to = EVERYONE;
    }
    e->at = shown;
}

// {frame_index, seq, type, player_id?, data, created_at}
static void write_frame(struct text *t, const struct game_kit *k, const struct codec_table *table,
                        const struct match_event *e)
{
    const struct game_event *first = e->at;
    json_begin_object(t);
    json_put_uint(t, "frame_index", e->seq);
    json_put_uint(t, "seq", e->seq);
    json_put_text(t, "type", k->codec->event_types[first->kind]);
    if (dialect_of(k)->events_of_seat >> first->kind & 1)
        json_put_text(t, "player_id", dialect_pids[first->seat]);
    json_key(t, "data");
    dialect_write_event_data(k, t, table, e);
    rfc3339_put(t, "created_at", e->at_ms);
    json_end_object(t);
}

static int write_frames(struct rest_call *c, const struct replayed *past, bool god, int from, int limit)
{
    struct text *t = &c->out;
    struct work *work = c->is_job ? c->rest->options.work : NULL;
    const struct game_kit *k = games_find(past->match.game);
    struct codec_table table = dialect_table(past->match.seats, GAME_SPECTATOR);
    struct game_event shown[PARTS];
    struct match_event e;
    int count = 0;
    json_begin_array(t);
    for (; !c->gone && count < limit && replayed_event(past, (uint32_t)(from + count), &e); count++) {
        work_spend(work, REST_COST_FRAME);
        if (god)
            reveal_hidden(&e, shown);
        write_frame(t, k, &table, &e);
    }
    json_end_array(t);
    return count;
}

// Under both names that clients know; long lists under one only. Returns how many there are.
static int put_frames(struct rest_call *c, const struct replayed *past, bool god, const struct rest_page *page)
{
    struct text *t = &c->out;
    json_key(t, "frames");
    size_t from = t->size;
    int count = write_frames(c, past, god, page->from, page->limit);
    size_t size = t->size - from;
    if (page->limit > FRAMES)
        return count;
    json_key(t, "events");
    char *again = text_reserve(t, size);
    if (again)
        memcpy(again, t->at + from, size);
    return count;
}

void rest_frames(struct rest_call *c)
{
    struct rest_page page;
    struct text *t = &c->out;
    bool god;
    if (!rest_read_page(c, FRAMES, MOST_FRAMES, &page) || !read_god_view(c, &god))
        return;
    struct cached_replay *s = load_cached(c);
    if (!s)
        return;
    const struct replayed *past = &s->past;
    json_begin_object(t);
    uuid_put(t, "match_id", past->match.replay);
    int count = put_frames(c, past, god, &page);
    json_put_int(t, "from", page.from);
    json_put_int(t, "limit", page.limit);
    rest_put_page(t, count, (int)past->events, &page);
    json_put_bool(t, "is_live", false);
    json_put_bool(t, "ended", true);
    json_put_bool(t, "god_view", god);
    rest_put_replay_url(t, "replay_url", &past->match);
    json_end_object(t);
    release_cached(s);
}

void rest_whole_replay(struct rest_call *c)
{
    bool god;
    struct cached_replay *s = read_god_view(c, &god) ? load_cached(c) : NULL;
    if (!s)
        return;
    if (!is_cached(c, &s->past, god, for_an_hour)) {
        json_begin_object(&c->out);
        put_match(c, &s->past, god);
        json_key(&c->out, "frames");
        write_frames(c, &s->past, god, 0, (int)s->past.events);
        json_end_object(&c->out);
    }
    release_cached(s);
}

// --- players' notes on their decisions

static void write_decision(void *owner, const struct lobby_aside *a)
{
    struct text *t = owner;
    json_begin_object(t);
    json_put_uint(t, "seq", a->seq);
    json_put_text(t, "player_id", dialect_pids[a->seat]);
    json_put_int(t, "latency_ms", a->latency_ms);
    text_put_char(t, ',');
    text_put(t, (struct span){a->note.at + 1, a->note.size - 2}); // an object that we wrote: its members unchanged
    json_end_object(t);
}

void rest_decisions(struct rest_call *c)
{
    struct cached_replay *s = load_cached(c);
    if (!s)
        return;
    if (!is_cached(c, &s->past, c->rest->options.god_view, for_an_hour)) {
        struct text *t = &c->out;
        struct replayed_listener listener = {write_decision, t};
        json_begin_object(t);
        uuid_put(t, "match_id", s->past.match.replay);
        json_begin_array_at(t, "decisions");
        if (replayed_decisions(&s->past, c->rest->lobby, &listener) != OK)
            rest_fail(c, 500, "the log of this match is damaged");
        else {
            json_end_array(t);
            json_end_object(t);
        }
    }
    release_cached(s);
}

// --- analysis

enum { MOST_EVENTS = 5000 }; // of a match that is analysed: a few minutes of one thread

static void put_analysis(struct rest_call *c, const struct replayed *past, const struct analyses_answer *a)
{
    struct text *t = &c->out;
    json_begin_object(t);
    uuid_put(t, "match_id", past->match.replay);
    json_put_text(t, "status", a->state == ANALYSES_DONE ? "done" : "running");
    if (a->state == ANALYSES_DONE) {
        json_key(t, "analysis");
        text_put(t, a->json);
    } else {
        json_put_uint(t, "done", a->done);
        json_put_uint(t, "all", a->all);
        http_add_header(c->r, "Retry-After", "1");
        c->status = 202;
    }
    json_end_object(t);
}

static void answer_analysis(struct rest_call *c, const struct replayed *past, const struct analyses_answer *a)
{
    if (a->state == ANALYSES_BUSY) {
        http_add_header(c->r, "Retry-After", "10");
        rest_fail(c, 503, "the server is analysing other matches; try again in a few seconds");
    } else if (a->state == ANALYSES_FAILED) {
        rest_fail(c, 500, "the log of this match is damaged");
    } else if (a->state == ANALYSES_RUNNING || !is_cached(c, past, c->rest->options.god_view, for_an_hour)) {
        put_analysis(c, past, a);
    }
}

// N20.8: for finished matches whose cards may all be seen.
void rest_analysis(struct rest_call *c)
{
    struct arena_rest *rest = c->rest;
    struct cached_replay *s = load_cached(c);
    if (!s)
        return;
    const struct replayed *past = &s->past;
    if (rest->options.hide_seed && !rest->options.god_view) {
        rest_fail(c, 403, "this server does not show hidden cards");
    } else if (past->events > MOST_EVENTS) {
        rest_fail(c, 422, "this match has %u events, and at most %d are analysed here; use 'agon replay analyse'",
                  past->events, MOST_EVENTS);
    } else {
        if (!rest->analyses)
            rest->analyses = analyses_create(ANALYSES_BYTES);
        struct analyses_answer a = analyses_ask(
            rest->analyses, &(struct analyses_match){.id = past->match.replay,
                                                     .log = text_span(&past->log),
                                                     .key = past->match.key,
                                                     .address = rest_is_local(c) ? NULL : c->client.address});
        answer_analysis(c, past, &a);
    }
    release_cached(s);
}

// --- a picture

enum { PICTURE_SIDE = 480, STEP = 16 }; // pixels (F5.8); room for the query parameter

// The public view after so many steps, at most all; and the seats that are asked then.
static bool view_at(const struct replayed *past, uint64_t steps, union game_view *view, seat_set *asked)
{
    struct replay_run run;
    const struct game *g = games_find(past->match.game)->game;
    if (replay_begin(&run, text_span(&past->log), g, past->match.key, NULL) != OK)
        return false;
    while (run.steps < steps && replay_step(&run, 1, NULL) == 1)
        ;
    g->view(&run.state, GAME_SPECTATOR, view);
    *asked = g->turn(&run.state).seats;
    return true;
}

// Replaying, painting and compressing take milliseconds: in a job a worker thread does it.
struct drawing {
    const struct replayed *past;
    uint64_t steps;
    bool sound; // the log is
    struct text png;
    struct render_list list;
    // 691,200 bytes: more than WORK_STACK.
    uint8_t pixels[PICTURE_SIDE * PICTURE_SIDE * 3];
};

static void draw_picture(void *arg)
{
    struct drawing *d = arg;
    const struct game_kit *k = games_find(d->past->match.game);
    int seats = d->past->match.seats;
    struct codec_table table = dialect_table(seats, GAME_SPECTATOR);
    union game_view view;
    struct render_eyes eyes = {.picture = k->picture, .view = &view, .seats = seats};
    char room[KIT_PICTURE_TEXT];
    if (!(d->sound = view_at(d->past, d->steps, &view, &eyes.to_act)))
        return;
    if (!eyes.picture)
        kit_draw_text(k->codec, &table, &eyes, room);
    render_draw(&d->list, &eyes);
    render_paint(
        &d->list,
        &(struct render_frame){.type = RENDER_RGB, .width = PICTURE_SIDE, .height = PICTURE_SIDE, .light = 65536},
        d->pixels);
    png_write(&d->png, d->pixels, PICTURE_SIDE, PICTURE_SIDE);
}

static void put_picture(struct rest_call *c, const struct replayed *past, uint64_t steps)
{
    struct drawing *d = calloc(1, sizeof *d);
    if (!d) {
        rest_fail(c, 503, "the server has no memory left; try again");
        return;
    }
    d->past = past;
    d->steps = steps;
    d->png.grow = heap_text_grow;
    work_offload(c->rest->options.work, draw_picture, d);
    if (d->sound) {
        text_put(&c->out, text_span(&d->png));
        c->out.full |= d->png.full;
        c->type = "image/png";
    } else {
        rest_fail(c, 500, "the log of this match is damaged");
    }
    free(d->png.at);
    free(d);
}

void rest_preview(struct rest_call *c)
{
    char step[STEP] = "";
    http_query(c->r, "step", step, sizeof step);
    if (step[strspn(step, "0123456789")]) {
        rest_fail(c, 400, "step must be a number");
        return;
    }
    struct cached_replay *s = load_cached(c);
    if (!s)
        return;
    if (!is_cached(c, &s->past, c->rest->options.god_view, for_an_hour))
        put_picture(c, &s->past, step[0] ? strtoull(step, NULL, 10) : UINT64_MAX);
    release_cached(s);
}

// --- the file

void rest_replay_file(struct rest_call *c)
{
    struct cached_replay *s = load_cached(c);
    char name[UUID_TEXT + 1], line[96];
    if (!s)
        return;
    if (is_cached(c, &s->past, c->rest->options.god_view, for_good)) {
        release_cached(s);
        return;
    }
    uuid_format(name, s->past.match.replay);
    snprintf(line, sizeof line, "attachment; filename=\"%s.agon\"", name);
    http_add_header(c->r, "Content-Disposition", line);
    c->type = "application/octet-stream";
    text_put(&c->out, text_span(&s->past.log));
    release_cached(s);
}

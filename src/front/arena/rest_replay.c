// Finished matches again: what they were, frame by frame, and as the file that proves them (F7.13).
#include "front/arena/over.h"
#include "front/arena/rest_parts.h"
#include "lobby/replayed.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 25, PARTS = 16 };

// Pages of one replay are asked one after the other: the last few matches played again are kept.
struct rest_kept {
    uint64_t clock;
    struct {
        struct replayed past;
        uint64_t used; // 0: nothing is here
    } at[REST_KEPT_REPLAYS];
};

void rest_forget_kept(struct arena_rest *rest)
{
    for (int i = 0; rest->kept && i < REST_KEPT_REPLAYS; i++)
        if (rest->kept->at[i].used)
            replayed_release(&rest->kept->at[i].past);
    free(rest->kept);
    rest->kept = NULL;
}

// A match of the store, or a game of a tournament.
static int play_again(struct arena_rest *rest, struct uuid id, struct replayed *past)
{
    struct store_match m;
    struct text log;
    struct tours *tours = rest->options.tours;
    if (store_find_replay(rest->store, id, &m)) {
        bool shown = m.status == STORE_FINISHED && (!tours || tours_shows(tours, &m));
        return shown ? replayed_load(past, rest->lobby, m.id) : ERR_UNKNOWN;
    }
    int err = tours ? tours_load_replay(tours, id, &m, &log) : ERR_UNKNOWN;
    return err == OK ? replayed_load_log(past, rest->lobby, &m, log) : err;
}

// The finished match that {id} names, played again; NULL: refused.
static const struct replayed *load(struct rest_call *c)
{
    struct arena_rest *rest = c->rest;
    struct uuid id;
    if (!rest_read_id(c, &id, "replay"))
        return NULL;
    if (!rest->kept && !(rest->kept = calloc(1, sizeof *rest->kept)))
        return rest_fail(c, 503, "the server has no memory left; try again"), NULL;
    int oldest = 0;
    for (int i = 0; i < REST_KEPT_REPLAYS; i++) {
        if (rest->kept->at[i].used && uuid_equals(rest->kept->at[i].past.match.replay, id)) {
            rest->kept->at[i].used = ++rest->kept->clock;
            return &rest->kept->at[i].past;
        }
        if (rest->kept->at[i].used < rest->kept->at[oldest].used)
            oldest = i;
    }
    struct replayed past;
    int err = play_again(rest, id, &past);
    if (err == ERR_UNKNOWN)
        return rest_fail(c, 404, "unknown replay"), NULL;
    if (err != OK)
        return rest_fail(c, 500, "the log of this match is damaged"), NULL;
    if (rest->kept->at[oldest].used)
        replayed_release(&rest->kept->at[oldest].past);
    rest->kept->at[oldest].past = past;
    rest->kept->at[oldest].used = ++rest->kept->clock;
    return &rest->kept->at[oldest].past;
}

// --- caching

// A finished match never changes; how it is shown depends on the program and two settings.
static bool is_cached(struct rest_call *c, const struct replayed *past)
{
    char id[UUID_TEXT + 1], tag[96];
    uuid_format(id, past->match.replay);
    snprintf(tag, sizeof tag, "\"%s-%s-%d%d\"", id, AGON_VERSION, c->rest->options.god_view,
             c->rest->options.hide_seed);
    http_add_header(c->r, "ETag", tag);
    c->cache = "public, max-age=86400";
    if (!span_is(http_header(c->r, "If-None-Match"), tag))
        return false;
    c->status = 304;
    c->type = NULL;
    return true;
}

// --- the match

// As the head of the log has them; empty when it is damaged.
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
    dialect_write_config(dialect_find(past->match.game), t, &rules);
}

static void put_match(struct rest_call *c, const struct replayed *past)
{
    struct text *t = &c->out;
    const struct store_match *m = &past->match;
    uuid_put(t, "id", m->replay);
    json_put_text(t, "game", m->game);
    json_put_text(t, "mode", m->mode);
    json_put_text(t, "status", "completed");
    over_write_players(t, m, true);
    rest_put_result(t, m);
    put_config(t, past);
    json_put_uint(t, "event_count", past->events);
    json_put_bool(t, "rated", m->rated);
    rfc3339_put(t, "created_at", m->created_ms);
    rfc3339_put(t, "started_at", m->started_ms);
    rfc3339_put(t, "finished_at", m->finished_ms);
    json_put_int(t, "duration_ms", m->finished_ms - m->started_ms);
    rest_put_forfeit(t, m);
    json_put_bool(t, "god_view", c->rest->options.god_view);
    rest_put_hex(t, "seed_commitment", m->commitment);
    if (!c->rest->options.hide_seed)
        rest_put_hex(t, "seed", m->key);
    rest_put_deal(c, m, read_rules(past));
}

void rest_replay(struct rest_call *c)
{
    const struct replayed *past = load(c);
    if (!past)
        return;
    json_begin_object(&c->out);
    put_match(c, past);
    json_end_object(&c->out);
}

// --- frames

// An event whose hidden parts are for everybody.
static void open_up(struct lobby_event *e, struct game_event shown[PARTS])
{
    e->count = e->count < PARTS ? e->count : PARTS;
    assert(e->count > 0);
    for (uint32_t i = 0; i < e->count; i++) {
        shown[i] = e->at[i];
        shown[i].to = EVERYONE;
    }
    e->at = shown;
}

// {frame_index, seq, type, player_id?, data, created_at}
static void write_frame(struct text *t, const struct dialect *d, const struct codec_table *table,
                        const struct lobby_event *e)
{
    const struct game_event *first = e->at;
    json_begin_object(t);
    json_put_uint(t, "frame_index", e->seq);
    json_put_uint(t, "seq", e->seq);
    json_put_text(t, "type", d->codec->event_types[first->kind]);
    if (d->events_of_seat >> first->kind & 1)
        json_put_text(t, "player_id", dialect_pids[first->seat]);
    json_key(t, "data");
    dialect_write_event_data(d, t, table, e);
    rfc3339_put(t, "created_at", e->at_ms);
    json_end_object(t);
}

static int write_frames(struct text *t, const struct replayed *past, int from, int limit, bool god)
{
    const struct dialect *d = dialect_find(past->match.game);
    struct codec_table table = dialect_table(past->match.seats, GAME_SPECTATOR);
    struct game_event shown[PARTS];
    struct lobby_event e;
    int count = 0;
    json_begin_array(t);
    for (; count < limit && replayed_event(past, (uint32_t)(from + count), &e); count++) {
        if (god)
            open_up(&e, shown);
        write_frame(t, d, &table, &e);
    }
    json_end_array(t);
    return count;
}

// Under both of its names; how many there are.
static int put_frames(struct text *t, const struct replayed *past, const struct rest_page *page, bool god)
{
    json_key(t, "frames");
    size_t from = t->size;
    int count = write_frames(t, past, page->from, page->limit, god);
    size_t size = t->size - from;
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
    if (!rest_read_page(c, FRAMES, FRAMES, &page))
        return;
    const struct replayed *past = load(c);
    if (!past)
        return;
    json_begin_object(t);
    uuid_put(t, "match_id", past->match.replay);
    int count = put_frames(t, past, &page, c->rest->options.god_view);
    json_put_int(t, "from", page.from);
    json_put_int(t, "limit", page.limit);
    rest_put_page(t, count, (int)past->events, &page);
    json_put_bool(t, "is_live", false);
    json_put_bool(t, "ended", true);
    json_put_bool(t, "god_view", c->rest->options.god_view);
    rest_put_replay_url(t, "replay_url", &past->match);
    json_end_object(t);
}

void rest_whole_replay(struct rest_call *c)
{
    const struct replayed *past = load(c);
    if (!past || is_cached(c, past))
        return;
    json_begin_object(&c->out);
    put_match(c, past);
    json_key(&c->out, "frames");
    write_frames(&c->out, past, 0, (int)past->events, c->rest->options.god_view);
    json_end_object(&c->out);
}

// --- the file

void rest_replay_file(struct rest_call *c)
{
    const struct replayed *past = load(c);
    char name[UUID_TEXT + 1], line[96];
    if (!past || is_cached(c, past))
        return;
    uuid_format(name, past->match.replay);
    snprintf(line, sizeof line, "attachment; filename=\"%s.agon\"", name);
    http_add_header(c->r, "Content-Disposition", line);
    c->type = "application/octet-stream";
    text_put(&c->out, text_span(&past->log));
}

// Earlier events of a running match, for spectators who come late: the same, and as late, as the socket sends (F4.24).
#include "front/arena/feeds.h"
#include "front/arena/rest_internal.h"
#include "games/games.h"
#include "heap/heap.h"
#include "work/work.h"

#include <stdlib.h>

enum {
    LIVE_EVENTS = 250, // F5.8: most events of a page
    LOOKS = 3,         // attempts to find the host of a match that moves between nodes meanwhile
};

static void write_config(struct text *t, const struct game_kit *k, const void *rules)
{
    json_key(t, "config");
    if (rules)
        dialect_write_config(k, t, rules);
    else
        json_write_null(t);
}

static void write_events(const struct arena_rest *rest, const struct lobby_live *m, const struct rest_page *page,
                         struct text *t)
{
    struct match_event e;
    const struct game_kit *k = games_find(m->game->codec->game->name);
    struct codec_table table = dialect_table(m->seats, GAME_SPECTATOR);
    int count = 0;
    json_begin_object(t);
    uuid_put(t, "id", m->live);
    write_config(t, k, lobby_live_rules(m));
    json_begin_array_at(t, "events");
    for (; count < page->limit && lobby_live_event(m, (uint32_t)(page->from + count), &e); count++)
        dialect_write_event(k, t, &table, &e);
    json_end_array(t);
    work_count(rest->options.work, (uint32_t)count * REST_COST_FRAME);
    rest_put_page(t, count, (int)m->seq, page);
    json_end_object(t);
}

bool rest_write_live_events(void *owner, const struct feeds_page *wanted, struct text *out)
{
    const struct arena_rest *rest = owner;
    struct lobby_live m;
    struct rest_page page = {.from = (int)wanted->from, .limit = (int)wanted->limit};
    if (page.from < 0 || page.limit < 0 || page.limit > LIVE_EVENTS ||
        !lobby_find_live(rest->lobby, wanted->live, rest->options.now_ms(), &m))
        return false;
    struct text json = {.grow = heap_text_grow}; // commas stand where the text begins
    write_events(rest, &m, &page, &json);
    text_put(out, text_span(&json));
    out->full |= json.full;
    free(json.at);
    return true;
}

// --- of another node

// The match may move to another node while this one asks for it.
static void fetch_from_other_node(struct rest_call *c, struct uuid live, const struct rest_page *page)
{
    struct feeds_page wanted = {.live = live, .from = (uint32_t)page->from, .limit = (uint32_t)page->limit};
    struct store_elsewhere *e = malloc(sizeof *e);
    enum feeds_events answer = FEEDS_EVENTS_NONE;
    uint64_t me = store_my_epoch(c->rest->store);
    bool runs = false;
    for (int i = 0; e && i < LOOKS && answer == FEEDS_EVENTS_NONE; i++) {
        runs = store_find_live(c->rest->store, live, e);
        if (!runs || !c->rest->feeds || e->at.epoch == me)
            break;
        answer = feeds_fetch_events(c->rest->feeds, e->at.epoch, &wanted, &c->out);
    }
    if (!runs)
        rest_fail(c, 404, "no live match of this name");
    else if (answer != FEEDS_EVENTS_FOUND && !c->rest->feeds && e->at.address[0])
        rest_fail(c, 421, "this match is played at node %s; request its events at %s", e->at.node, e->at.address);
    else if (answer != FEEDS_EVENTS_FOUND)
        rest_fail(c, 503, "the node that plays this match does not answer; try again");
    free(e);
}

void rest_live_events(struct rest_call *c)
{
    struct lobby_live m;
    struct rest_page page;
    struct uuid live;
    if (!rest_read_page(c, LIVE_EVENTS, LIVE_EVENTS, &page))
        return;
    bool named = uuid_parse(&live, c->id);
    if (named && lobby_find_live(c->rest->lobby, live, c->now_ms, &m))
        write_events(c->rest, &m, &page, &c->out);
    else if (named && store_is_shared(c->rest->store))
        fetch_from_other_node(c, live, &page);
    else
        rest_fail(c, 404, "no live match of this name");
}

// Spectators: the public view, some time ago (F4.24).
#include "lobby/inside.h"

#include <stdlib.h>

// --- the picture of then

// How much of the log had happened at `at_ms`, and how many events.
static struct moment moment_at(const struct history *h, int64_t at_ms)
{
    uint32_t low = 0, high = h->moments; // the first of them that is later
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (h->moment[middle].at_ms <= at_ms)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? h->moment[low - 1] : (struct moment){0};
}

static void view_at(const struct bout *b, struct moment then, union game_view *view)
{
    struct replay_run *run = lobby_take(sizeof *run);
    const struct game *g = game_of(b->game);
    const void *state = &b->match->state;
    if (then.end < b->log.size && replay_begin(run, (struct span){b->log.at, then.end}, g, b->record.key, NULL) == OK) {
        while (replay_step(run, 1, NULL) == 1)
            ;
        state = &run->state;
    }
    g->view(state, GAME_SPECTATOR, view);
    free(run);
}

// --- in its time

static void begin(struct lobby_watch *w, int64_t now_ms)
{
    union game_view view;
    struct moment then = moment_at(&w->bout->past, now_ms - w->delay_ms);
    w->begun = true;
    w->shown = then.events;
    view_at(w->bout, then, &view);
    w->link->on_begin(w->client, w, &view, w->delay_ms);
}

static int64_t next_due(const struct lobby_watch *w)
{
    struct match_event e;
    if (w->ended)
        return NEVER;
    if (!w->begun)
        return w->bout->record.started_ms + w->delay_ms;
    if (history_event(&w->bout->past, w->shown, &e))
        return e.at_ms + w->delay_ms;
    return w->bout->over ? w->bout->record.finished_ms + w->delay_ms : NEVER;
}

static void show_next(struct lobby_watch *w, int64_t now_ms)
{
    struct match_event e;
    if (!w->begun) {
        begin(w, now_ms);
    } else if (history_event(&w->bout->past, w->shown, &e)) {
        w->shown++;
        w->link->on_event(w->client, w, &e);
    } else {
        w->ended = true;
        w->link->on_end(w->client, w);
    }
}

static void on_time(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct lobby_watch *w = TIMER_OWNER(t, struct lobby_watch, timer);
    while (next_due(w) <= now_ms)
        show_next(w, now_ms);
    timer_set(l, &w->timer, next_due(w));
}

void watch_stir(struct lobby *l, struct bout *b)
{
    for (struct lobby_watch *w = b->watch; w; w = w->next)
        timer_set(l, &w->timer, next_due(w));
}

// --- who watches

// No delay where nobody could be helped: house bots alone, or the only other player looks at his own match.
static int64_t delay_for(const struct lobby *l, const struct bout *b, const struct lobby_agent *owner, bool *alone)
{
    int others = 0;
    bool owner_sits = false;
    for (int i = 0; i < b->record.seats; i++) {
        others += !b->seat[i].house;
        owner_sits |= owner && b->seat[i].agent == owner;
    }
    *alone = others == 1 && owner_sits;
    return others == 0 || *alone ? 0 : l->o.spectate_delay_ms;
}

struct lobby_watch *lobby_watch_open(struct lobby *l, struct uuid live, const struct lobby_agent *key_owner,
                                     const struct lobby_watch_link *link, void *client, int64_t now_ms)
{
    l->now_ms = now_ms;
    struct bout *b = l->running;
    while (b && !uuid_equals(b->record.live, live))
        b = b->older;
    if (!b)
        return NULL;
    struct lobby_watch *w = lobby_take(sizeof *w);
    *w = (struct lobby_watch){
        .next = b->watch, .at = &b->watch, .bout = b, .link = link, .client = client, .timer = {.fire = on_time}};
    w->delay_ms = delay_for(l, b, key_owner, &w->alone);
    if (w->next)
        w->next->at = &w->next;
    b->watch = w;
    l->figures.spectators++;
    timer_set(l, &w->timer, next_due(w));
    return w;
}

void lobby_watch_continue(struct lobby *l, struct lobby_watch *w, uint32_t seq)
{
    if (!w->begun && seq <= moment_at(&w->bout->past, l->now_ms - w->delay_ms).events) {
        w->begun = true;
        w->shown = seq;
        timer_set(l, &w->timer, next_due(w));
    }
}

uint32_t lobby_watch_shown(const struct lobby_watch *w)
{
    return w->shown;
}

void lobby_watch_close(struct lobby *l, struct lobby_watch *w)
{
    timer_clear(l, &w->timer);
    *w->at = w->next;
    if (w->next)
        w->next->at = w->at;
    l->figures.spectators--;
    free(w);
}

const struct lobby_game *lobby_watch_game(const struct lobby_watch *w)
{
    return w->bout->game;
}

const char *lobby_watch_mode(const struct lobby_watch *w)
{
    return w->bout->record.mode;
}

int lobby_watch_seats(const struct lobby_watch *w)
{
    return w->bout->record.seats;
}

const struct store_match *lobby_watch_match(const struct lobby_watch *w)
{
    return &w->bout->record;
}

struct uuid lobby_watch_id(const struct lobby_watch *w)
{
    return w->alone ? w->bout->record.live : w->bout->record.id;
}

struct uuid lobby_watch_replay(const struct lobby_watch *w)
{
    return w->bout->record.replay;
}

static int count_spectators(const struct bout *b)
{
    int count = 0;
    for (const struct lobby_watch *w = b->watch; w; w = w->next)
        count++;
    return count;
}

int lobby_list_live(const struct lobby *l, struct lobby_live *out, int room, int *total)
{
    int count = 0;
    *total = (int)l->figures.matches_active;
    const struct bout *b = l->running;
    for (; b && b->begun > store_durable(l->store); b = b->older)
        --*total;
    for (; b && count < room; b = b->older)
        out[count++] = (struct lobby_live){.live = b->record.live,
                                           .delay_ms = delay_for(l, b, NULL, &(bool){false}),
                                           .game = b->game,
                                           .mode = b->record.mode,
                                           .seats = b->record.seats,
                                           .spectators = count_spectators(b),
                                           .created_ms = b->record.created_ms,
                                           .started_ms = b->record.started_ms,
                                           .match = &b->record};
    return count;
}

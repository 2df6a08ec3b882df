// Spectators: the public view, with a delay (F4.24).
#include "lobby/internal.h"

#include "work/work.h"

#include <stdlib.h>

// --- the state at an earlier time

// The part of the log, and the number of events, up to `at_ms`.
static struct moment moment_at(const struct history *h, int64_t at_ms)
{
    uint32_t low = 0, high = h->moments; // finds the first one that is later
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (h->moment[middle].at_ms <= at_ms)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? h->moment[low - 1] : (struct moment){0};
}

// The state of a minute ago is kept nowhere: the log up to then is replayed.
static void view_at(const struct live_match *b, struct moment then, union game_view *view)
{
    struct replay_run *run = lobby_alloc(sizeof *run);
    const struct game *g = game_of(b->game);
    const void *state = &b->match->state;
    if (then.end < b->log.size && replay_begin(run, (struct span){b->log.at, then.end}, g, b->record.key, NULL) == OK) {
        while (replay_step(run, 1, NULL) == 1)
            ;
        work_count(b->lobby->o.work, then.end / REPLAYED_PER_UNIT);
        state = &run->state;
    }
    g->view(state, GAME_SPECTATOR, view);
    free(run);
}

// --- asides

// Drops asides that every channel has shown and that are too old for a new channel.
static void forget_asides(struct lobby *l, struct live_match *b, int64_t now_ms)
{
    struct asides *k = &b->asides;
    int64_t before_ms = now_ms - l->o.spectate_delay_ms;
    // The last aside stays in any case: a new channel begins with the question in force.
    uint32_t old = 0, shown = UINT32_MAX;
    for (const struct channel *c = b->channels; c; c = c->next)
        shown = c->beside < shown ? c->beside : shown;
    while (old + 1 < k->count && k->at[old + 1].at_ms < before_ms && k->forgotten + old + 1 < shown)
        free((char *)k->at[old++].note.at);
    if (old)
        memmove(k->at, k->at + old, (k->count - old) * sizeof *k->at);
    k->count -= old;
    k->forgotten += old;
}

static struct lobby_aside *add_aside(struct lobby *l, struct live_match *b, int64_t now_ms)
{
    struct asides *k = &b->asides;
    if (k->count == k->room)
        forget_asides(l, b, now_ms);
    if (k->count == k->room) {
        k->room = k->room ? 2 * k->room : 8;
        k->at = lobby_realloc(k->at, k->room * sizeof *k->at);
    }
    struct lobby_aside *a = &k->at[k->count++];
    *a = (struct lobby_aside){.at_ms = now_ms, .events = b->history.events};
    return a;
}

// Shows the usual time for every seat: a seat's clock must not tell who plays it (F3.20).
void watch_note_turn(struct lobby *l, struct live_match *b, int64_t now_ms)
{
    struct lobby_aside *a = add_aside(l, b, now_ms);
    a->kind = LOBBY_TURN;
    a->asked = b->asked;
    a->deadline_ms = now_ms + l->o.turn_timeout_ms;
    for (int i = 0; i < b->record.seats; i++)
        a->strikes[i] = b->seat[i].strikes;
    watch_schedule(l, b);
}

void watch_note_decision(struct lobby *l, struct live_match *b, const struct lobby_seat *s, uint32_t seq,
                         struct span note, int64_t now_ms)
{
    if (!note.size)
        return;
    char *copy = lobby_alloc(note.size);
    memcpy(copy, note.at, note.size);
    struct lobby_aside *a = add_aside(l, b, now_ms);
    a->kind = LOBBY_DECISION;
    a->seat = s->index;
    a->events = a->seq = seq;
    a->latency_ms = now_ms - s->first_ms;
    a->note = (struct span){copy, note.size};
}

// --- advancing

static const struct lobby_aside *next_aside(const struct channel *c)
{
    const struct asides *k = &c->live->asides;
    uint32_t index = c->beside > k->forgotten ? c->beside - k->forgotten : 0;
    return index < k->count ? &k->at[index] : NULL;
}

// The current question at the channel's position.
static const struct lobby_aside *last_turn(const struct channel *c)
{
    const struct asides *k = &c->live->asides;
    for (uint32_t i = c->beside > k->forgotten ? c->beside - k->forgotten : 0; i > 0; i--)
        if (k->at[i - 1].kind == LOBBY_TURN)
            return &k->at[i - 1];
    return NULL;
}

static void show_picture(struct lobby_watch *w, int64_t now_ms)
{
    union game_view view;
    const struct channel *c = w->channel;
    w->begun = true;
    view_at(c->live, moment_at(&c->live->history, now_ms - c->delay_ms), &view);
    w->link->on_begin(w->client, w, &view, last_turn(c), c->delay_ms);
}

// A decision is shown right after the first event that it caused.
static bool is_aside_next(const struct channel *c, const struct lobby_aside *a)
{
    if (!a)
        return false;
    return a->kind == LOBBY_DECISION ? a->events < c->shown : a->events <= c->shown;
}

static int64_t next_due(const struct channel *c)
{
    struct match_event e;
    const struct lobby_aside *a = next_aside(c);
    if (c->ended)
        return NEVER;
    if (is_aside_next(c, a))
        return a->at_ms + c->delay_ms;
    if (history_event(&c->live->history, c->shown, &e))
        return e.at_ms + c->delay_ms;
    if (a)
        return a->at_ms + c->delay_ms; // an action without events
    return c->live->over ? c->live->record.finished_ms + c->delay_ms : NEVER;
}

// A callback may close its own watch, but no other.
#define EACH_WATCH(c, w, call)                                                                                         \
    for (struct lobby_watch *w = (c)->watch, *w##_next; w; w = w##_next) {                                             \
        w##_next = w->next;                                                                                            \
        if (w->begun)                                                                                                  \
            call;                                                                                                      \
    }

static void show_next(struct channel *c)
{
    struct match_event e;
    const struct lobby_aside *a = next_aside(c);
    bool has_event = history_event(&c->live->history, c->shown, &e);
    if (is_aside_next(c, a) || (a && !has_event)) {
        uint32_t number = (uint32_t)(a - c->live->asides.at) + c->live->asides.forgotten;
        c->beside = number + 1;
        EACH_WATCH(c, w, w->link->on_aside(w->client, w, a, number))
    } else if (has_event) {
        c->shown++;
        EACH_WATCH(c, w, w->link->on_event(w->client, w, &e))
    } else {
        c->ended = true;
        EACH_WATCH(c, w, w->link->on_end(w->client, w))
    }
}

static void advance_channel(struct channel *c, int64_t now_ms)
{
    while (next_due(c) <= now_ms)
        show_next(c);
}

static void on_time(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct channel *c = TIMER_OWNER(t, struct channel, timer);
    advance_channel(c, now_ms);
    timer_set(l, &c->timer, next_due(c));
}

static void on_begin_time(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct lobby_watch *w = TIMER_OWNER(t, struct lobby_watch, timer);
    (void)l;
    if (w->begun)
        return;
    advance_channel(w->channel, now_ms); // so that the state and the events after it fit together
    show_picture(w, now_ms);
    if (w->channel->ended)
        w->link->on_end(w->client, w);
}

void watch_schedule(struct lobby *l, struct live_match *b)
{
    for (struct channel *c = b->channels; c; c = c->next)
        timer_set(l, &c->timer, next_due(c));
}

// --- opening and closing

// No delay if it can help nobody: only house bots play, or the only other player watches its own match.
static int64_t delay_for(const struct lobby *l, const struct live_match *b, const struct lobby_agent *owner,
                         bool *alone)
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

// Positions a new channel at what may be shown now.
static void position_channel(struct channel *c, int64_t now_ms)
{
    const struct asides *k = &c->live->asides;
    c->shown = moment_at(&c->live->history, now_ms - c->delay_ms).events;
    c->beside = k->forgotten;
    for (uint32_t i = 0; i < k->count && k->at[i].at_ms + c->delay_ms <= now_ms; i++)
        c->beside++;
}

static struct channel *open_channel(struct lobby *l, struct live_match *b, int64_t delay_ms, bool alone, int64_t now_ms)
{
    for (struct channel *c = b->channels; c; c = c->next)
        if (c->delay_ms == delay_ms && c->alone == alone)
            return c;
    struct channel *c = lobby_alloc(sizeof *c);
    *c = (struct channel){
        .next = b->channels, .live = b, .delay_ms = delay_ms, .alone = alone, .timer = {.fire = on_time}};
    b->channels = c;
    position_channel(c, now_ms);
    timer_set(l, &c->timer, next_due(c));
    return c;
}

static struct live_match *find_live(const struct lobby *l, struct uuid live)
{
    struct live_match *b = l->running;
    while (b && !uuid_equals(b->record.live, live))
        b = b->older;
    return b;
}

bool lobby_has_live(const struct lobby *l, struct uuid live)
{
    return find_live(l, live) != NULL;
}

struct lobby_watch *lobby_watch_open(struct lobby *l, struct uuid live, const struct lobby_agent *key_owner,
                                     const struct lobby_watch_link *link, void *client, int64_t now_ms)
{
    l->now_ms = now_ms;
    struct live_match *b = find_live(l, live);
    if (!b)
        return NULL;
    bool alone;
    int64_t delay_ms = delay_for(l, b, key_owner, &alone), begins_ms = b->record.started_ms + delay_ms;
    struct channel *c = open_channel(l, b, delay_ms, alone, now_ms);
    struct lobby_watch *w = lobby_alloc(sizeof *w);
    *w = (struct lobby_watch){.next = c->watch,
                              .at = &c->watch,
                              .channel = c,
                              .link = link,
                              .client = client,
                              .timer = {.fire = on_begin_time},
                              .heads = 1};
    if (w->next)
        w->next->at = &w->next;
    c->watch = w;
    lobby_count_spectators(l, w->heads);
    timer_set(l, &w->timer, begins_ms > now_ms ? begins_ms : now_ms);
    return w;
}

void lobby_watch_continue(struct lobby *l, struct lobby_watch *w, uint32_t seq)
{
    struct channel *c = w->channel;
    struct match_event e;
    if (w->begun || l->now_ms < c->live->record.started_ms + c->delay_ms)
        return;
    advance_channel(c, l->now_ms);
    // Then `on_begin_time` sends the state, as to anybody else.
    if (seq > c->shown)
        return;
    timer_clear(l, &w->timer);
    for (; seq < c->shown && history_event(&c->live->history, seq, &e); seq++)
        w->link->on_event(w->client, w, &e);
    w->begun = true;
    const struct lobby_aside *turn = last_turn(c);
    if (turn)
        w->link->on_aside(w->client, w, turn, (uint32_t)(turn - c->live->asides.at) + c->live->asides.forgotten);
    if (c->ended)
        w->link->on_end(w->client, w);
}

void lobby_watch_again(struct lobby *l, struct lobby_watch *w, int64_t now_ms)
{
    l->now_ms = now_ms;
    advance_channel(w->channel, l->now_ms); // the state is the current one, so the channel must not lag behind it
    if (w->begun && !w->channel->ended)
        show_picture(w, l->now_ms);
}

int64_t lobby_watch_delay(const struct lobby_watch *w)
{
    return w->channel->delay_ms;
}

uint32_t lobby_watch_shown(const struct lobby_watch *w)
{
    return w->channel->shown;
}

bool lobby_watch_event(const struct lobby_watch *w, uint32_t seq, struct match_event *out)
{
    return seq < w->channel->shown && history_event(&w->channel->live->history, seq, out);
}

uint32_t lobby_watch_place(const struct lobby_watch *w)
{
    return w->begun ? w->channel->shown : UINT32_MAX;
}

bool lobby_watch_is_alone(const struct lobby_watch *w)
{
    return w->channel->alone;
}

bool lobby_watch_is_open(const struct lobby_watch *w)
{
    const struct live_match *b = w->channel->live;
    for (int i = 0; i < b->record.seats; i++)
        if (!b->seat[i].house)
            return false;
    return true;
}

void lobby_watch_relay(struct lobby *l, struct lobby_watch *w, int heads)
{
    if (!w->relayed)
        lobby_count_spectators(l, -w->heads);
    w->relayed = true;
    w->heads = heads;
}

void lobby_count_spectators(struct lobby *l, int change)
{
    l->figures.spectators += (uint64_t)(int64_t)change;
}

// The channel stays until its match is freed: it costs nothing.
void lobby_watch_close(struct lobby *l, struct lobby_watch *w)
{
    timer_clear(l, &w->timer);
    *w->at = w->next;
    if (w->next)
        w->next->at = w->at;
    lobby_count_spectators(l, -(w->relayed ? 0 : w->heads));
    free(w);
}

bool watch_has_any(const struct live_match *b)
{
    for (const struct channel *c = b->channels; c; c = c->next)
        if (c->watch)
            return true;
    return false;
}

void watch_move(struct lobby *l, struct live_match *b)
{
    for (struct channel *c = b->channels; c; c = c->next)
        while (c->watch) {
            struct lobby_watch *w = c->watch;
            w->link->on_moved(w->client, w);
            lobby_watch_close(l, w);
        }
}

void watch_release(struct lobby *l, struct live_match *b)
{
    for (struct channel *c; (c = b->channels);) {
        while (c->watch)
            lobby_watch_close(l, c->watch);
        timer_clear(l, &c->timer);
        b->channels = c->next;
        free(c);
    }
    for (uint32_t i = 0; i < b->asides.count; i++)
        free((char *)b->asides.at[i].note.at);
    free(b->asides.at);
    b->asides = (struct asides){0};
}

const struct lobby_game *lobby_watch_game(const struct lobby_watch *w)
{
    return w->channel->live->game;
}

const char *lobby_watch_mode(const struct lobby_watch *w)
{
    return w->channel->live->record.mode;
}

int lobby_watch_seats(const struct lobby_watch *w)
{
    return w->channel->live->record.seats;
}

const struct store_match *lobby_watch_match(const struct lobby_watch *w)
{
    return &w->channel->live->record;
}

struct uuid lobby_watch_id(const struct lobby_watch *w)
{
    return w->channel->alone ? w->channel->live->record.live : w->channel->live->record.id;
}

static int count_spectators(const struct live_match *b)
{
    int count = 0;
    for (const struct channel *c = b->channels; c; c = c->next)
        for (const struct lobby_watch *w = c->watch; w; w = w->next)
            count += w->heads;
    return count;
}

static struct lobby_live describe_match(const struct lobby *l, const struct live_match *b, int64_t now_ms)
{
    int64_t delay_ms = delay_for(l, b, NULL, &(bool){false});
    struct moment then = moment_at(&b->history, now_ms - delay_ms);
    return (struct lobby_live){.live = b->record.live,
                               .delay_ms = delay_ms,
                               .seq = then.events,
                               .swing = then.swing,
                               .game = b->game,
                               .mode = b->record.mode,
                               .seats = b->record.seats,
                               .spectators = count_spectators(b),
                               .created_ms = b->record.created_ms,
                               .started_ms = b->record.started_ms,
                               .match = &b->record,
                               .live_match = b};
}

int lobby_list_live(const struct lobby *l, int64_t now_ms, struct lobby_live *out, int room, int *total)
{
    int count = 0;
    *total = (int)l->figures.matches_active;
    const struct live_match *b = l->running;
    for (; b && b->begun > store_durable(l->store); b = b->older)
        --*total;
    for (; b && count < room; b = b->older)
        out[count++] = describe_match(l, b, now_ms);
    return count;
}

bool lobby_find_live(const struct lobby *l, struct uuid live, int64_t now_ms, struct lobby_live *out)
{
    const struct live_match *b = find_live(l, live);
    if (!b || b->begun > store_durable(l->store))
        return false;
    *out = describe_match(l, b, now_ms);
    return true;
}

// At a friendly table everybody was invited by name (F3.19, F3.22). An opponent from a queue or a tournament must not
// be found out from a profile (F2.7).
static bool is_anonymous(const struct live_match *b)
{
    bool by_name = b->seated || !uuid_is_none(b->record.challenge); // a queue may have the mode "friendly" too
    return strcmp(b->record.mode, "friendly") != 0 || !by_name;
}

bool lobby_agent_live(const struct lobby *l, const struct lobby_agent *a, int64_t now_ms, struct uuid *live)
{
    bool found = false;
    for (const struct lobby_seat *s = a->seats; s; s = s->next) { // oldest first
        const struct live_match *b = s->live;
        if (b->over || b->starting || b->begun > store_durable(l->store) || is_anonymous(b) ||
            lobby_seat_is_dropped(s) || now_ms < b->record.started_ms + delay_for(l, b, NULL, &(bool){false}))
            continue;
        *live = b->record.live;
        found = true;
    }
    return found;
}

void lobby_live_view(const struct lobby_live *live, int64_t now_ms, union game_view *out)
{
    view_at(live->live_match, moment_at(&live->live_match->history, now_ms - live->delay_ms), out);
}

bool lobby_live_event(const struct lobby_live *live, uint32_t seq, struct match_event *out)
{
    return seq < live->seq && history_event(&live->live_match->history, seq, out);
}

const void *lobby_live_rules(const struct lobby_live *live)
{
    return live->live_match->match ? &live->live_match->match->rules : NULL;
}

// A match whose players sit anywhere: house bots in the process, bots behind seats. The smallest owner of seats there
// can be: faults are answered by the game's fallback move (B12.32).
#pragma once

#include "bots/bot.h"
#include "match/match.h"
#include "seats/seat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seat_match;

struct seat_chair {
    struct seat_match *table;
    int number;
    struct seat *seat;     // NULL: a house bot
    const struct bot *bot; // NULL: a seat
    bool told;
};

struct seat_match {
    struct match m;
    const struct codec *codec;
    struct seat_client *client;
    struct seat_chair chair[GAME_MAX_SEATS];
    struct game_events happened;
    bool in_turn; // B12.17: one seat after the other; else all at once
    uint32_t event;
    int telling; // seats not yet told
    int asked;   // the seat
    int closing; // seats not yet closed
    int opening; // the next seat to be opened
    bool over;
    char id[64];
    const char *where[GAME_MAX_SEATS];
    unsigned notices;
    struct seat_dialect dialect;
    bool seeded;
    // What came of it.
    uint32_t faults, warnings, samples;
    uint32_t steps;
    struct seat_counts counts; // of all its seats
    char last_fault[512];
    void (*on_over)(void *owner, struct seat_match *t); // every seat is closed
    void *owner;
};

static void seat_match_go_on(struct seat_match *t);
static void seat_match_open_next(struct seat_match *t);

static void seat_match_view(struct seat_match *t, int seat, union game_view *view)
{
    t->m.game->view(&t->m.state, seat, view);
}

static void seat_match_close(struct seat_match *t)
{
    t->over = true;
    for (int i = 0; i < t->m.seats; i++)
        t->closing += t->chair[i].seat != NULL;
    if (t->closing == 0)
        t->on_over(t->owner, t);
    for (int i = 0; i < t->m.seats; i++)
        if (t->chair[i].seat)
            seat_close(t->chair[i].seat);
}

static int seat_match_next_remote(const struct seat_match *t, int from)
{
    while (from < t->m.seats && !t->chair[from].seat)
        from++;
    return from;
}

static void seat_match_tell(struct seat_match *t, int seat, const struct game_events *e)
{
    static struct game_event seen[GAME_MAX_EVENTS];
    union game_view view;
    uint32_t count = match_events_for(e, seat, seen, GAME_MAX_EVENTS);
    seat_match_view(t, seat, &view);
    seat_notify(t->chair[seat].seat, &view, seen, count);
}

// In turn: this event to this seat.
static void seat_match_tell_one(struct seat_match *t)
{
    static struct game_events one;
    one.count = 1;
    one.at[0] = t->happened.at[t->event];
    while (t->event + one.count < t->happened.count && t->happened.at[t->event + one.count].part) {
        one.at[one.count] = t->happened.at[t->event + one.count];
        one.count++;
    }
    seat_match_tell(t, t->telling, &one);
}

static void seat_match_tell_all(struct seat_match *t)
{
    int remote = 0;
    for (int i = 0; i < t->m.seats; i++)
        remote += t->chair[i].seat != NULL;
    if (remote == 0 || t->happened.count == 0) {
        seat_match_go_on(t);
        return;
    }
    if (t->in_turn) {
        t->event = 0;
        t->telling = seat_match_next_remote(t, 0);
        seat_match_tell_one(t);
        return;
    }
    t->telling = remote;
    for (int i = 0; i < t->m.seats; i++)
        if (t->chair[i].seat)
            seat_match_tell(t, i, &t->happened);
}

static void seat_match_on_told(void *owner)
{
    struct seat_chair *c = owner;
    struct seat_match *t = c->table;
    if (t->over)
        return;
    if (!t->in_turn) {
        if (--t->telling == 0)
            seat_match_go_on(t);
        return;
    }
    t->telling = seat_match_next_remote(t, t->telling + 1);
    if (t->telling >= t->m.seats) {
        do
            t->event++;
        while (t->event < t->happened.count && t->happened.at[t->event].part);
        t->telling = seat_match_next_remote(t, 0);
    }
    if (t->event < t->happened.count)
        seat_match_tell_one(t);
    else
        seat_match_go_on(t);
}

static void seat_match_apply(struct seat_match *t, int seat, struct game_action a)
{
    enum { PACE = 30 };
    t->happened.count = t->happened.ticks = 0;
    uint32_t number = t->m.game->turn(&t->m.state).number;
    if (match_answer(&t->m, seat, number, a, &t->happened) != OK) {
        fprintf(stderr, "seat_match: an answer that was legal is refused\n");
        abort();
    }
    for (int i = 0; t->m.game->tick_ms && i < PACE && !match_is_over(&t->m); i++)
        match_tick(&t->m, &t->happened);
    t->steps++;
    seat_match_tell_all(t);
}

static struct game_action seat_match_ask_house(struct seat_match *t, int seat)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    union game_view view;
    struct rng stream = match_bot_stream(&t->m, seat), dice = rng_section(&stream, (uint32_t)t->m.steps);
    seat_match_view(t, seat, &view);
    struct bot_ask ask = {.game = t->m.game,
                          .view = &view,
                          .seat = seat,
                          .seats = t->m.seats,
                          .choices = choices,
                          .count = t->m.game->choices(&t->m.state, seat, choices),
                          .fallback = t->m.game->fallback(&t->m.state, seat),
                          .aggro = 0.5f,
                          .dice = &dice};
    return t->chair[seat].bot->choose(&ask);
}

static void seat_match_go_on(struct seat_match *t)
{
    enum { MAX_STEPS = 4000 };
    if (match_is_over(&t->m) || t->steps > MAX_STEPS) {
        seat_match_close(t);
        return;
    }
    struct game_choice choices[GAME_MAX_CHOICES];
    union game_view view;
    int seat = __builtin_ctz(t->m.game->turn(&t->m.state).seats);
    t->asked = seat;
    if (!t->chair[seat].seat) {
        seat_match_apply(t, seat, seat_match_ask_house(t, seat));
        return;
    }
    if (seat_is_lost(t->chair[seat].seat)) { // B12.32: nothing but the final DELETE is sent any more
        seat_match_apply(t, seat, t->m.game->fallback(&t->m.state, seat));
        return;
    }
    seat_match_view(t, seat, &view);
    int count = t->m.game->choices(&t->m.state, seat, choices);
    seat_ask(t->chair[seat].seat, &view, choices, count);
}

static void seat_match_on_answer(void *owner, struct game_action a, int64_t took_us)
{
    struct seat_chair *c = owner;
    (void)took_us;
    seat_match_apply(c->table, c->number, a);
}

static void seat_match_on_fault(void *owner, const struct seat_fault *f)
{
    struct seat_chair *c = owner;
    struct seat_match *t = c->table;
    t->faults++;
    static const char *const names[SEAT_FAULTS] = {"illegal", "timeout", "status", "transport", "crashed"};
    snprintf(t->last_fault, sizeof t->last_fault, "%s (%s)", f->text, names[f->kind]);
    if (f->consecutive >= 3)
        seat_give_up(c->seat);
    if (f->call == SEAT_CREATE)
        seat_match_open_next(t);
    else
        seat_match_apply(t, c->number, t->m.game->fallback(&t->m.state, c->number));
}

static void seat_match_on_warning(void *owner, const char *text)
{
    struct seat_chair *c = owner;
    c->table->warnings++;
    snprintf(c->table->last_fault, sizeof c->table->last_fault, "%s", text);
}

static void seat_match_on_sample(void *owner, enum seat_call call, int64_t took_us)
{
    struct seat_chair *c = owner;
    (void)call, (void)took_us;
    c->table->samples++;
}

static void seat_match_on_open(void *owner)
{
    struct seat_chair *c = owner;
    seat_match_open_next(c->table);
}

static void seat_match_add_counts(struct seat_counts *to, const struct seat_counts *from)
{
    for (int i = 0; i < SEAT_CALLS; i++)
        to->calls[i] += from->calls[i];
    for (int i = 0; i < SEAT_FAULTS; i++)
        to->faults[i] += from->faults[i];
    to->requests += from->requests;
    to->retries += from->retries;
    to->warnings += from->warnings;
    to->created += from->created;
    to->deleted += from->deleted;
}

static void seat_match_on_closed(void *owner)
{
    struct seat_chair *c = owner;
    struct seat_match *t = c->table;
    seat_match_add_counts(&t->counts, seat_counts(c->seat));
    c->seat = NULL;
    if (--t->closing == 0)
        t->on_over(t->owner, t);
}

// B12.7: one after the other, before anything else.
static void seat_match_open_next(struct seat_match *t)
{
    static const struct seat_handler handler = {
        .on_open = seat_match_on_open,
        .on_notified = seat_match_on_told,
        .on_answer = seat_match_on_answer,
        .on_fault = seat_match_on_fault,
        .on_warning = seat_match_on_warning,
        .on_sample = seat_match_on_sample,
        .on_closed = seat_match_on_closed,
    };
    while (t->opening < t->m.seats && !t->where[t->opening])
        t->opening++;
    if (t->opening == t->m.seats) {
        seat_match_tell_all(t);
        return;
    }
    int seat = t->opening++;
    struct seat_place place = {.seat = seat,
                               .seats = t->m.seats,
                               .match = t->id,
                               .rules = &t->m.rules,
                               .has_seed = t->seeded,
                               .seed = seat,
                               .notices = t->notices,
                               .dialect = t->dialect};
    t->chair[seat].seat = seat_open(t->client, t->where[seat], t->codec, &place, &handler, &t->chair[seat]);
}

// where[i]: an address; NULL: bot[i] plays. The match is set up and not yet begun.
static void seat_match_start(struct seat_match *t, struct seat_client *client, const struct codec *codec, int seats,
                             uint64_t number)
{
    struct match_setup setup = {.game = codec->game, .seats = seats};
    memcpy(setup.key, &number, sizeof number);
    t->codec = codec;
    t->client = client;
    snprintf(t->id, sizeof t->id, "00000000-0000-4000-8000-%012jx", (uintmax_t)number);
    if (match_start(&t->m, &setup, NULL, &t->happened) != OK)
        abort();
    for (int i = 0; i < seats; i++) {
        t->chair[i].table = t;
        t->chair[i].number = i;
    }
    seat_match_open_next(t);
}

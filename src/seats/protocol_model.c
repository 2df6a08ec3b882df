// A language model at a seat (llm:MODEL@URL). Events are kept until it is asked; its decisions are always legal.
#include "seats/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct model_exchange {
    struct seat *seat;
    struct llm_session *session;
    struct event *timer; // ends calls that need no server
    struct game_action action;
    struct game_action fallback;
    union game_view view;
    char text[SEAT_TEXT_ROOM];
};

static void on_decision(void *owner, const struct llm_decision *d)
{
    struct model_exchange *e = owner;
    struct outcome o = {.took_us = d->took_us};
    e->action = d->action;
    if (d->how == HOW_FORFEIT || d->how == HOW_ABORT) {
        snprintf(e->text, sizeof e->text, "%s", d->text);
        o.failed = true;
        o.kind = SEAT_ILLEGAL;
        o.remedy = d->how == HOW_FORFEIT ? SEAT_FORFEITS : SEAT_ABORTS;
        o.text = e->text;
    } else if (d->how != HOW_ANSWER && e->seat->handler->on_warning) {
        e->seat->counts.warnings++;
        e->seat->handler->on_warning(e->seat->owner, d->text);
    }
    seat_finish_job(e->seat, &o, (struct span){0});
}

static void on_time(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    struct model_exchange *e = owner;
    seat_finish_job(e->seat, &(struct outcome){0}, (struct span){0});
}

static void model_begin(struct seat *s)
{
    struct llm_model *m = llm_models_find(s->client->options.models, s->address);
    struct model_exchange *e = s->model = calloc(1, sizeof *e);
    assert(m); // the caller of seat_open has added it
    if (!e)
        abort();
    struct llm_place place = {.match = s->place.number,
                              .seed = (uint64_t)s->place.seed,
                              .seat = s->place.seat,
                              .seats = s->place.seats,
                              .rules = s->place.rules,
                              .players = s->place.players,
                              .is_narrated = s->place.is_remote};
    e->seat = s;
    e->timer = evtimer_new(s->client->loop->base, on_time, e);
    e->session = llm_session_open(m, s->codec, &place, on_decision, e);
}

static void end(struct seat *s)
{
    if (!s->model)
        return;
    llm_session_close(s->model->session);
    event_free(s->model->timer);
    free(s->model);
    s->model = NULL;
}

static void write_create(struct seat *s, struct text *t)
{
    (void)s, (void)t; // there is no session
}

static void send_events(struct seat *s, const void *view, const struct game_event *e, uint32_t count)
{
    (void)view;
    llm_session_notify(s->model->session, e, count);
}

static struct job *ask(struct seat *s, const void *view)
{
    memcpy(&s->model->view, view, s->codec->game->view_size);
    return seat_add_job(s, SEAT_ACTION, "decide", 0);
}

static int read_answer(struct seat *s, enum seat_call call, struct span reply, struct game_action *a)
{
    (void)call, (void)reply;
    *a = s->model->action;
    return OK;
}

void model_send(struct seat *s, const struct job *j)
{
    struct model_exchange *e = s->model;
    if (j->call != SEAT_ACTION) {
        event_add(e->timer, &(struct timeval){0});
        return;
    }
    s->call.requests++;
    llm_session_set_turn(e->session, s->turn_ms);
    llm_session_ask(e->session, &e->view, s->choices, s->choice_count, e->fallback);
}

void model_cancel(struct seat *s)
{
    event_del(s->model->timer);
    llm_session_cancel(s->model->session);
}

void model_add_history(struct seat *s, struct span words)
{
    llm_session_add_history(s->model->session, words);
}

void seat_set_fallback(struct seat *s, struct game_action action)
{
    if (s->model)
        s->model->fallback = action;
}

const struct seat_protocol protocol_model = {model_begin, end, write_create, send_events, ask, read_answer};

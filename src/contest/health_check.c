// Checks once, before the first game, that all external players can be reached: a contest against nobody has no result.
#include "seats/health_check.h"
#include "contest/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_MS = 50 };

struct player_check {
    const struct contest_entrant *entrant;
    struct health_check *health; // of an HTTP bot, while it is asked
    struct seat *seat;           // of a program, until it is closed
    bool failed;
    char why[CONTEST_ERROR_ROOM];
};

struct health_check {
    const struct contest_plan *plan;
    const struct seat_options *options;
    const atomic_bool *stop;
    struct loop *loop;
    struct seat_client *client;
    struct player_check player[CONTEST_ENTRANTS];
};

static void set_failed(struct player_check *v, const char *text)
{
    v->failed = true;
    snprintf(v->why, sizeof v->why, "%s", text);
}

static void on_health(void *owner, const char *fault)
{
    struct player_check *v = owner;
    v->health = NULL;
    if (fault)
        set_failed(v, fault);
}

static void on_open(void *owner)
{
    struct player_check *v = owner;
    seat_close(v->seat);
}

static void on_answer(void *owner, struct game_action a, int64_t took_us)
{
    (void)owner, (void)a, (void)took_us; // no question is asked
}

static void on_fault(void *owner, const struct seat_fault *f)
{
    struct player_check *v = owner;
    set_failed(v, f->text);
    seat_close(v->seat);
}

static void on_closed(void *owner)
{
    struct player_check *v = owner;
    v->seat = NULL;
}

static const struct seat_handler handler = {
    .on_open = on_open, .on_answer = on_answer, .on_fault = on_fault, .on_closed = on_closed};

static void start_check(struct health_check *r, struct player_check *v)
{
    const struct contest_plan *p = r->plan;
    const struct seat_options *o = r->options;
    if (strncmp(v->entrant->address, "http", 4) == 0) {
        v->health = health_check_start(r->client, v->entrant->address, o->create_ms, o->retries, on_health, v);
        if (!v->health)
            set_failed(v, "out of memory for its health check");
        return;
    }
    struct seat_place place = {.seats = p->seats, .match = "probe", .rules = &p->rules};
    v->seat = seat_open(r->client, contest_address(v->entrant), p->codec, &place, &handler, v);
}

static bool can_be_checked(const struct contest_entrant *e)
{
    return strncmp(e->address, "http", 4) == 0 || strncmp(contest_address(e), "cmd:", 4) == 0 ||
           strncmp(e->address, "tbp:", 4) == 0;
}

static bool is_waiting(const struct health_check *r)
{
    for (int i = 0; i < r->plan->entrants; i++)
        if (r->player[i].health || r->player[i].seat)
            return true;
    return false;
}

static bool is_stopped(const struct health_check *r)
{
    return r->stop && atomic_load(r->stop);
}

static void cancel_all(struct health_check *r)
{
    for (int i = 0; i < r->plan->entrants; i++) {
        struct player_check *v = &r->player[i];
        health_check_cancel(v->health);
        v->health = NULL;
        if (v->seat)
            seat_close(v->seat);
    }
}

// Makes the loop turn now and then, to see a signal.
static void on_poll(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what, (void)owner;
}

static void wait_for_all(struct health_check *r)
{
    struct event *poll = event_new(r->loop->base, -1, EV_PERSIST, on_poll, NULL);
    event_add(poll, &(struct timeval){.tv_usec = POLL_MS * 1000});
    while (is_waiting(r) && loop_turn(r->loop))
        if (is_stopped(r))
            cancel_all(r);
    event_free(poll);
}

// The message begins with an address, which also names an entrant without a label.
static void format_error(const struct player_check *v, char why[CONTEST_ERROR_ROOM])
{
    const char *name = v->entrant->name;
    bool named = strncmp(v->why, name, strlen(name)) == 0;
    snprintf(why, CONTEST_ERROR_ROOM, "%s%s%.*s", named ? "" : name, named ? "" : ": ",
             CONTEST_ERROR_ROOM - CONTEST_NAME - 3, v->why);
}

static bool check_all(struct health_check *r, char why[CONTEST_ERROR_ROOM])
{
    const struct contest_plan *p = r->plan;
    for (int i = 0; i < p->entrants; i++) {
        r->player[i].entrant = &p->entrant[i];
        if (can_be_checked(&p->entrant[i]))
            start_check(r, &r->player[i]);
    }
    wait_for_all(r);
    for (int i = 0; i < p->entrants && !is_stopped(r); i++)
        if (r->player[i].failed) {
            format_error(&r->player[i], why);
            return false;
        }
    return true;
}

bool contest_check_health(const struct contest_plan *p, const struct seat_options *o, struct loop *loop,
                          const atomic_bool *stop, char why[CONTEST_ERROR_ROOM])
{
    struct health_check *r = calloc(1, sizeof *r);
    bool all = false;
    snprintf(why, CONTEST_ERROR_ROOM, "out of memory while checking the players");
    if (r)
        *r = (struct health_check){
            .plan = p, .options = o, .stop = stop, .loop = loop, .client = seat_client_open(loop, o)};
    if (r && r->client) {
        why[0] = 0;
        all = check_all(r, why);
        seat_client_close(r->client);
    }
    free(r);
    return all;
}

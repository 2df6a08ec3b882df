#include "app/agent_decider.h"

#include "app/app.h"
#include "app/arena_event.h"
#include "heap/heap.h"
#include "house/ask.h"
#include "seats/seat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// POLL_MS: how often limits of models are checked. CLOSE_MS: time for programs to end when the agent does. SPARE_PARTS:
// a program gets this part of the server's time limit less, so that its answer arrives in time.
enum { POLL_MS = 200, CLOSE_MS = 2000, DEPTH = 32, SPARE_PARTS = 20 };

struct agent_deciders {
    const struct game_kit *game;
    struct loop *loop;
    const char *address;
    struct llm_models *models; // NULL: a program decides
    struct seat_client *client;
    struct event *poll;
    int seats; // not closed yet
    uint64_t matches;
};

// One match of a decider. It outlives the match until its seat is closed.
struct match_seat {
    struct agent_deciders *deciders;
    struct agent_decider *decider; // NULL: the match is over
    struct seat *seat;
};

struct agent_decider {
    struct agent_deciders *deciders;
    const struct agent_decider_handler *handler;
    void *owner;
    struct match_seat *current; // NULL: between matches
    bool is_open;               // the program has answered "start"
    bool waits;                 // a question that is asked when it has
    bool asked;                 // and not answered
    uint64_t seen;              // events up to this number were passed on
    union game_rules rules;
    struct action_request t;
    struct text answer;
};

void agent_decider_choose(const struct game_kit *k, const struct bot *bot, const struct agent_memory *memory,
                          struct action_request *t, struct rng *dice, struct text *out)
{
    struct bot_ask ask = {.game = k->game,
                          .view = &t->view,
                          .seat = t->seat,
                          .seats = t->seats,
                          .choices = t->choices,
                          .count = t->count,
                          .fallback = t->fallback,
                          .aggro = 0.5f,
                          .dice = dice,
                          .mind = agent_memory_mind(memory)};
    action_request_answer(k, out, t, house_choose(bot, &ask));
}

// --- all deciders

static void on_warning(void *owner, const char *text)
{
    (void)owner;
    fprintf(stderr, "agon agent: %s\n", text);
}

static void on_poll(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    struct agent_deciders *m = owner;
    if (!atomic_load(llm_models_stopper(m->models)))
        return;
    const char *limit = llm_models_limit(m->models), *fatal = llm_models_fatal(m->models);
    on_warning(NULL, fatal ? fatal : limit ? limit : "stopped");
    event_del(m->poll);
    loop_stop(m->loop);
}

static void open_models(struct agent_deciders *m, const struct llm_options *o)
{
    char why[ENDPOINT_WHY];
    m->models = llm_models_open(m->loop, o, why);
    if (!m->models || !llm_models_add(m->models, "model", m->address, why))
        app_refuse("agon agent", "--bot: %s", why);
    if (llm_models_unpriced(m->models))
        app_refuse("agon agent", "--max-cost needs a price for the model; add it to --prices FILE");
    llm_models_warn(m->models, on_warning, NULL);
    m->poll = event_new(m->loop->base, -1, EV_PERSIST, on_poll, m);
    event_add(m->poll, &(struct timeval){.tv_usec = POLL_MS * 1000});
}

struct agent_deciders *agent_deciders_open(struct loop *l, const char *address, const struct game_kit *game, int agents,
                                           const struct llm_options *o)
{
    struct agent_deciders *m = calloc(1, sizeof *m);
    struct seat_options seats;
    if (!m)
        app_die("no memory");
    *m = (struct agent_deciders){.game = game, .loop = l, .address = address};
    if (strncmp(address, "llm:", 4) == 0)
        open_models(m, o);
    seat_options_init(&seats);
    seats.models = m->models;
    seats.max_programs = agents;
    seats.show_programs = true;
    if (!(m->client = seat_client_open(l, &seats)))
        app_die("no memory");
    return m;
}

static void on_late(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    *(bool *)owner = true;
}

static void await_seats(struct agent_deciders *m)
{
    bool late = false;
    struct event *timer = event_new(m->loop->base, -1, 0, on_late, &late);
    event_add(timer, &(struct timeval){CLOSE_MS / 1000, CLOSE_MS % 1000 * 1000});
    while (m->seats && !late)
        event_base_loop(m->loop->base, EVLOOP_ONCE);
    event_free(timer);
}

int agent_deciders_close(struct agent_deciders *m)
{
    if (!m)
        return APP_DONE;
    await_seats(m);
    seat_client_kill_programs(m->client); // those that did not answer
    await_seats(m);
    int status = m->models && llm_models_fatal(m->models) ? APP_USAGE : APP_DONE;
    if (m->poll)
        event_free(m->poll);
    if (m->seats == 0) { // otherwise what a model still holds is freed with the process
        seat_client_close(m->client);
        llm_models_close(m->models);
        free(m);
    }
    return status;
}

// --- replies of seats

static void send_action(struct agent_decider *m, struct game_action a, const char *fault)
{
    m->asked = false;
    m->answer.size = 0;
    action_request_answer(m->deciders->game, &m->answer, &m->t, a);
    m->handler->on_action(m->owner, text_span(&m->answer), fault);
}

static void on_answer(void *owner, struct game_action a, int64_t took_us)
{
    (void)took_us;
    struct match_seat *s = owner;
    if (s->decider)
        send_action(s->decider, a, NULL);
}

// A match of an arena cannot be given up: plays at once what silence would lead to.
static void on_fault(void *owner, const struct seat_fault *f)
{
    struct match_seat *s = owner;
    struct agent_decider *m = s->decider;
    if (!m)
        return;
    if (f->lost || f->call == SEAT_CREATE) {
        m->asked = m->waits = false;
        m->handler->on_gone(m->owner, f->text);
    } else {
        send_action(m, m->t.fallback, f->text);
    }
}

static void put_question(struct agent_decider *m)
{
    struct seat *s = m->current->seat;
    int64_t ms = m->t.timeout_ms > INT32_MAX ? INT32_MAX : m->t.timeout_ms;
    m->waits = false;
    m->asked = true;
    // A model reserves part of its time for the network (L106), and so does a program.
    seat_set_turn(s, (int)(m->deciders->models ? ms : ms - ms / SPARE_PARTS));
    seat_set_fallback(s, m->t.fallback);
    seat_ask(s, &m->t.view, m->t.choices, m->t.count);
}

static void on_open(void *owner)
{
    struct match_seat *s = owner;
    if (!s->decider)
        return;
    s->decider->is_open = true;
    if (s->decider->waits)
        put_question(s->decider);
}

static void on_closed(void *owner)
{
    struct match_seat *s = owner;
    s->deciders->seats--;
    free(s);
}

static void on_seat_warning(void *owner, const char *text)
{
    (void)owner;
    on_warning(NULL, text);
}

static const struct seat_handler seat_handler = {.on_open = on_open,
                                                 .on_answer = on_answer,
                                                 .on_fault = on_fault,
                                                 .on_warning = on_seat_warning,
                                                 .on_closed = on_closed};

// --- one decider

struct agent_decider *agent_decider_open(struct agent_deciders *deciders, const struct agent_decider_handler *handler,
                                         void *owner)
{
    struct agent_decider *m = calloc(1, sizeof *m);
    if (!m)
        app_die("no memory");
    *m = (struct agent_decider){
        .deciders = deciders, .handler = handler, .owner = owner, .answer = {.grow = heap_text_grow}};
    agent_decider_start(m, (struct span){0});
    return m;
}

static void leave_match(struct agent_decider *m)
{
    if (!m->current)
        return;
    m->current->decider = NULL;
    seat_close(m->current->seat);
    m->current = NULL;
    m->asked = m->waits = m->is_open = false;
}

void agent_decider_close(struct agent_decider *m)
{
    if (!m)
        return;
    leave_match(m);
    free(m->answer.at);
    free(m);
}

void agent_decider_start(struct agent_decider *m, struct span data)
{
    agent_read_rules(m->deciders->game, data, &m->rules);
}

static void open_seat(struct agent_decider *m, const struct action_request *t)
{
    struct match_seat *s = calloc(1, sizeof *s);
    if (!s)
        app_die("no memory");
    leave_match(m);
    struct seat_place place = {.seat = t->seat,
                               .seats = t->seats,
                               .match = t->match,
                               .rules = &m->rules,
                               .notices = SEAT_ALL_NOTICES,
                               .number = m->deciders->matches++,
                               .is_remote = true};
    *s = (struct match_seat){.deciders = m->deciders, .decider = m};
    m->current = s;
    m->seen = 0;
    m->deciders->seats++;
    s->seat = seat_open(m->deciders->client, m->deciders->address, m->deciders->game->codec, &place, &seat_handler, s);
}

// Passes every event on once, even if the whole history comes again after a reconnect (F4.20).
static void add_events(struct agent_decider *m, struct span list)
{
    struct json_reader r = json_reader_of(list, DEPTH);
    struct text json = {.grow = heap_text_grow}, words = {.grow = heap_text_grow};
    if (!list.at || json_peek(&r) != JSON_ARRAY)
        return;
    json_begin_array(&json);
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span event = json_read_raw(&r);
        uint64_t seq = arena_event_number(event);
        if (seq == UINT64_MAX || seq < m->seen || !arena_event_translate(&json, &words, event))
            continue;
        m->seen = seq + 1;
    }
    json_end_array(&json);
    seat_add_history(m->current->seat, text_span(&json), text_span(&words));
    free(json.at);
    free(words.at);
}

static bool is_same_question(const struct agent_decider *m, const struct action_request *t)
{
    const struct game *g = m->deciders->game->game;
    return m->asked && m->t.count == t->count && memcmp(&m->t.view, &t->view, g->view_size) == 0 &&
           memcmp(m->t.choices, t->choices, (size_t)t->count * sizeof *t->choices) == 0;
}

void agent_decider_ask(struct agent_decider *m, const struct action_request *t, struct span data)
{
    if (!m->current || strcmp(m->t.match, t->match) != 0)
        open_seat(m, t);
    add_events(m, json_member(data, "event_history"));
    add_events(m, json_member(data, "new_events"));
    bool same = is_same_question(m, t); // repeated after a reconnect: the answer is in progress, and paid for
    m->t = *t;
    if (same)
        return;
    if (m->asked)
        seat_withdraw(m->current->seat);
    m->asked = false;
    m->waits = true;
    if (m->is_open)
        put_question(m);
}

void agent_decider_end(struct agent_decider *m)
{
    leave_match(m);
    m->t.match[0] = 0;
}

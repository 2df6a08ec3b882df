#include "app/play_models.h"

#include "app/app.h"
#include "app/llm_options.h"
#include "llm/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_MS = 100 }; // a model may think for minutes: Ctrl-C must work meanwhile

struct play_model {
    struct llm_model *model;
    struct llm_session *session;
    uint64_t heard; // events passed on so far
    bool asked, decided;
    struct game_action move, fallback;
};

struct play_models {
    struct loop loop;
    struct llm_models *models;
    struct event *look; // polls for Ctrl-C
    struct play_model seat[GAME_MAX_SEATS];
};

static void on_look(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what, (void)owner; // only wakes the loop
}

static void open_all(struct play_models *m, const struct llm_options *o, const char *const address[GAME_MAX_SEATS],
                     const char *command)
{
    char why[ENDPOINT_WHY], label[16];
    if (!(m->models = llm_models_open(&m->loop, o, why)))
        app_refuse(command, "%s", why);
    for (int s = 0; s < GAME_MAX_SEATS; s++) {
        snprintf(label, sizeof label, "llm_%d", s);
        if (!address[s])
            continue;
        m->seat[s].model = llm_models_find(m->models, address[s]);
        if (!m->seat[s].model && !(m->seat[s].model = llm_models_add(m->models, label, address[s], why)))
            app_refuse(command, "--against: %s", why);
    }
    if (llm_models_unpriced(m->models))
        app_refuse(command, "--max-cost needs a price for the model; add it to --prices FILE");
}

struct play_models *play_models_open(const struct llm_options *o, const char *const address[GAME_MAX_SEATS],
                                     const char *command)
{
    bool any = false;
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        any |= address[s] != NULL;
    struct play_models *m = any ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return NULL;
    loop_init(&m->loop);
    open_all(m, o, address, command);
    llm_models_warn(m->models, llm_print_warning, NULL);
    m->look = event_new(m->loop.base, -1, EV_PERSIST, on_look, NULL);
    event_add(m->look, &(struct timeval){.tv_usec = POLL_MS * 1000});
    return m;
}

static void on_decision(void *owner, const struct llm_decision *d)
{
    struct play_model *p = owner;
    bool moves = d->how != HOW_FORFEIT && d->how != HOW_ABORT; // the person came to play
    if (d->how != HOW_ANSWER && d->text[0])
        fprintf(stderr, "%s: %s\n", llm_model_label(p->model), d->text);
    p->move = moves ? d->action : p->fallback;
    p->decided = true;
}

static void pass_news(struct play_model *p, const struct table_history *past)
{
    uint64_t end = past->dropped + past->count;
    uint64_t from = p->heard > past->dropped ? p->heard - past->dropped : 0;
    if (from < past->count)
        llm_session_notify(p->session, past->at + from, (uint32_t)(past->count - from));
    p->heard = end;
}

static void put_question(struct play_model *p, const struct table *t, int seat)
{
    const struct match *m = &t->match;
    struct game_choice choices[GAME_MAX_CHOICES];
    union game_view view;
    if (!p->session) {
        struct llm_place place = {.seat = seat, .seats = m->seats, .rules = &m->rules};
        memcpy(&place.seed, t->key, sizeof place.seed);
        p->session = llm_session_open(p->model, t->row->codec, &place, on_decision, p);
    }
    pass_news(p, &t->history[seat]);
    m->game->view(&m->state, seat, &view);
    int count = m->game->choices(&m->state, seat, choices);
    p->fallback = m->game->fallback(&m->state, seat);
    p->asked = true;
    p->decided = false;
    llm_session_ask(p->session, &view, choices, count, p->fallback);
}

enum play_answer play_models_ask(struct play_models *m, const struct table *t, int seat,
                                 const volatile sig_atomic_t *interrupted, struct game_action *out, char *why)
{
    struct play_model *p = &m->seat[seat];
    if (!p->asked)
        put_question(p, t, seat);
    while (!p->decided && !*interrupted && !atomic_load(llm_models_stopper(m->models)))
        event_base_loop(m->loop.base, EVLOOP_ONCE);
    if (p->decided) {
        p->asked = false;
        *out = p->move;
        return PLAY_ANSWERED;
    }
    if (*interrupted)
        return PLAY_INTERRUPTED;
    const char *fatal = llm_models_fatal(m->models), *limit = llm_models_limit(m->models);
    snprintf(why, LLM_NOTE, "%s", fatal ? fatal : limit ? limit : "a limit was reached");
    return PLAY_STOPPED;
}

void play_models_close(struct play_models *m)
{
    if (!m)
        return;
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        if (m->seat[s].session)
            llm_session_close(m->seat[s].session);
    event_free(m->look);
    llm_models_close(m->models);
    loop_release(&m->loop);
    free(m);
}

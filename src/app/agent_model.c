#include "app/agent_model.h"

#include "app/app.h"
#include "llm/sitting.h"
#include "net/heap_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_MS = 200 };

struct agent_model {
    const struct game_kit *game;
    struct loop *loop;
    struct llm_models *models;
    struct llm_model *model;
    struct event *poll;
    uint64_t matches;
};

struct agent_talk {
    struct agent_model *model;
    struct llm_sitting *sitting; // of the running match
    struct action_request asked;
    struct text answer;
    void (*on_action)(void *owner, struct span json);
    void *owner;
};

static void on_warning(void *owner, const char *text)
{
    (void)owner;
    fprintf(stderr, "agon agent: %s\n", text);
}

bool agent_model_has_failed(const struct agent_model *m)
{
    return m && llm_models_fatal(m->models);
}

static void on_poll(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    struct agent_model *m = owner;
    if (!agent_model_has_failed(m))
        return;
    on_warning(NULL, llm_models_fatal(m->models));
    event_del(m->poll);
    loop_stop(m->loop);
}

struct agent_model *agent_model_open(struct loop *l, const char *address, const struct game_kit *game)
{
    struct agent_model *m = calloc(1, sizeof *m);
    struct llm_options o = {0};
    char why[NAME_WHY];
    if (!m)
        app_die("no memory");
    m->game = game;
    m->loop = l;
    m->models = llm_models_open(l, &o, why);
    m->model = m->models ? llm_models_add(m->models, address + strlen("llm:"), address, why) : NULL;
    if (!m->model)
        app_refuse("agon agent", "--bot: %s", why);
    llm_models_warn(m->models, on_warning, NULL);
    m->poll = event_new(l->base, -1, EV_PERSIST, on_poll, m);
    event_add(m->poll, &(struct timeval){.tv_usec = POLL_MS * 1000});
    return m;
}

void agent_model_close(struct agent_model *m)
{
    if (!m)
        return;
    event_free(m->poll);
    llm_models_close(m->models);
    free(m);
}

struct agent_talk *agent_talk_open(struct agent_model *m, void (*on_action)(void *owner, struct span json), void *owner)
{
    struct agent_talk *k = calloc(1, sizeof *k);
    if (!k)
        app_die("no memory");
    *k = (struct agent_talk){.model = m, .answer = {.grow = heap_text_grow}, .on_action = on_action, .owner = owner};
    return k;
}

// There is no way to give up a match in an arena: what its silence would do is done at once.
static void on_decision(void *owner, const struct llm_decision *d)
{
    struct agent_talk *k = owner;
    bool moves = d->how != HOW_FORFEIT && d->how != HOW_ABORT;
    k->answer.size = 0;
    action_request_answer(k->model->game, &k->answer, &k->asked, moves ? d->action : k->asked.fallback);
    k->on_action(k->owner, text_span(&k->answer));
}

static void sit_down(struct agent_talk *k, const struct action_request *t)
{
    union game_rules rules;
    const struct arena_dialect *d = dialect_of(k->model->game);
    k->model->game->game->defaults(&rules);
    if (d->set_rules)
        d->set_rules(&rules, false, false);
    struct llm_place place = {
        .match = k->model->matches++, .seat = t->seat, .seats = t->seats, .rules = &rules, .is_blind = true};
    if (k->sitting)
        llm_sitting_close(k->sitting);
    k->sitting = llm_sitting_open(k->model->model, k->model->game->codec, &place, on_decision, k);
}

void agent_talk_ask(struct agent_talk *k, const struct action_request *t)
{
    if (!k->sitting || strcmp(k->asked.match, t->match) != 0)
        sit_down(k, t);
    llm_sitting_cancel(k->sitting); // an older question is not awaited any more
    k->asked = *t;
    llm_sitting_set_turn(k->sitting, t->timeout_ms > INT32_MAX ? INT32_MAX : (int)t->timeout_ms);
    llm_sitting_ask(k->sitting, &t->view, t->choices, t->count, t->fallback);
}

void agent_talk_close(struct agent_talk *k)
{
    if (!k)
        return;
    if (k->sitting)
        llm_sitting_close(k->sitting);
    free(k->answer.at);
    free(k);
}

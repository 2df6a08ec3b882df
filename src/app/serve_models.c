#include "app/serve_models.h"

#include "bots/bot.h"
#include "llm/session.h"
#include "net/log.h"
#include "net/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum { POLL_MS = 200, NAME_MOST = 24 }; // POLL_MS: how often it is checked whether a limit has stopped the models

// A model's seat in one match.
struct house_talk {
    LIST_ENTRY(house_talk) next;
    struct serve_models *owner;
    struct lobby_seat *seat;
    struct llm_session *session;
    struct game_action fallback;
    uint32_t heard; // events passed on so far
    bool asked;
};

struct serve_models {
    struct serve_models_options o;
    struct lobby *lobby;
    struct llm_models *models;
    struct lobby_models minds;
    struct lobby_model mind[LOBBY_MODELS];
    char name[LOBBY_MODELS][NAME_MOST + 1];
    struct event *poll;
    uint64_t matches;
    bool reported; // that they have stopped was reported
    LIST_HEAD(, house_talk) talks;
};

// --- questions

static void on_decision(void *owner, const struct llm_decision *d)
{
    struct house_talk *k = owner;
    bool moves = d->how != HOW_FORFEIT && d->how != HOW_ABORT; // a house agent never gives up a match
    k->asked = false;
    lobby_model_answer(k->owner->lobby, k->seat, moves ? d->action : k->fallback, k->owner->o.now_ms());
    loop_end_turn(k->owner->o.loop);
}

static struct house_talk *find_talk(struct serve_models *m, const struct lobby_seat *s)
{
    struct house_talk *k;
    LIST_FOREACH(k, &m->talks, next)
        if (k->seat == s)
            return k;
    return NULL;
}

static struct house_talk *open_talk(struct serve_models *m, int mind, struct lobby_seat *s)
{
    struct house_talk *k = calloc(1, sizeof *k);
    if (!k)
        abort();
    struct llm_place place = {.match = m->matches++,
                              .seed = m->matches,
                              .seat = lobby_seat_index(s),
                              .seats = lobby_seat_count(s),
                              .rules = lobby_seat_rules(s)};
    *k = (struct house_talk){.owner = m, .seat = s};
    k->session = llm_session_open(llm_models_at(m->models, mind), lobby_seat_game(s)->codec, &place, on_decision, k);
    LIST_INSERT_HEAD(&m->talks, k, next);
    return k;
}

// Everything new that the seat may see, including parts of events.
static void notify_events(struct house_talk *k)
{
    seat_set own = SEAT(lobby_seat_index(k->seat));
    struct match_event e;
    for (uint32_t end = lobby_seat_events(k->seat); k->heard < end && lobby_seat_event(k->seat, k->heard, &e);
         k->heard++)
        for (uint32_t i = 0; i < e.count; i++)
            if (e.at[i].to & own)
                llm_session_notify(k->session, &e.at[i], 1);
}

static bool has_stopped(const struct serve_models *m)
{
    return atomic_load(llm_models_stopper(m->models)) || llm_models_limit(m->models) || llm_models_fatal(m->models);
}

static bool is_ready(void *owner, int mind)
{
    (void)mind;
    return !has_stopped(owner);
}

static bool ask(void *owner, int mind, struct lobby_seat *s)
{
    struct serve_models *m = owner;
    struct game_choice choices[GAME_MAX_CHOICES];
    union game_view view;
    if (has_stopped(m))
        return false;
    struct house_talk *k = find_talk(m, s);
    if (!k)
        k = open_talk(m, mind, s);
    notify_events(k);
    int64_t turn_ms = lobby_options_of(m->lobby)->turn_timeout_ms;
    int count = lobby_seat_choices(s, choices);
    lobby_seat_view(s, &view);
    k->fallback = lobby_seat_advice(m->lobby, s, &bot_fallback);
    k->asked = true;
    llm_session_set_turn(k->session, turn_ms > INT32_MAX ? INT32_MAX : (int)turn_ms);
    llm_session_ask(k->session, &view, choices, count, k->fallback);
    return true;
}

static void withdraw(void *owner, struct lobby_seat *s)
{
    struct house_talk *k = find_talk(owner, s);
    if (!k)
        return;
    llm_session_cancel(k->session);
    k->asked = false;
}

static void leave(void *owner, struct lobby_seat *s)
{
    struct house_talk *k = find_talk(owner, s);
    if (!k)
        return;
    LIST_REMOVE(k, next);
    llm_session_close(k->session);
    free(k);
}

// --- the end of the money, or of the patience

static void log_note(enum log_level level, const char *event, const char *why)
{
    struct log_line l;
    log_begin(&l, level, event);
    log_put_text(&l, "why", why);
    log_end(&l);
}

static void on_warning(void *owner, const char *text)
{
    (void)owner;
    log_note(LOG_LEVEL_WARNING, "model.warning", text);
}

// If models have stopped, open questions get a move of a house bot, and house bots continue for them.
static void on_poll(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    struct serve_models *m = owner;
    struct house_talk *k;
    if (!atomic_load(llm_models_stopper(m->models)))
        return;
    const char *limit = llm_models_limit(m->models), *fatal = llm_models_fatal(m->models);
    if (!m->reported)
        log_note(LOG_LEVEL_ERROR, "model.stopped", fatal ? fatal : limit ? limit : "a limit was reached");
    m->reported = true;
    LIST_FOREACH(k, &m->talks, next)
        if (k->asked) {
            k->asked = false;
            llm_session_cancel(k->session);
            lobby_model_answer(m->lobby, k->seat, lobby_seat_advice(m->lobby, k->seat, lobby_seat_game(k->seat)->house),
                               m->o.now_ms());
        }
    loop_end_turn(m->o.loop);
}

// --- opening and closing

static bool read_name(const char *house, char out[NAME_MOST + 1], char why[ENDPOINT_WHY])
{
    size_t size = strspn(house, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    if (size == 0 || size > NAME_MOST || strncmp(house + size, "=llm:", 5) != 0) {
        snprintf(why, ENDPOINT_WHY,
                 "--house: '%.80s' is not NAME=llm:MODEL@URL, with a name of 1 to %d letters, digits, '_' and '-'",
                 house, NAME_MOST);
        return false;
    }
    snprintf(out, NAME_MOST + 1, "%.*s", (int)size, house);
    return true;
}

static bool add_model(struct serve_models *m, int i, char why[ENDPOINT_WHY])
{
    const char *house = m->o.house[i];
    char reason[ENDPOINT_WHY];
    if (!read_name(house, m->name[i], why))
        return false;
    for (int k = 0; k < i; k++)
        if (strcmp(m->name[k], m->name[i]) == 0) {
            snprintf(why, ENDPOINT_WHY, "--house: there are two called '%s'", m->name[i]);
            return false;
        }
    const char *address = strchr(house, '=') + 1;
    if (llm_models_find(m->models, address)) {
        snprintf(why, ENDPOINT_WHY, "--house %s: another name has the same model with the same settings", m->name[i]);
        return false;
    }
    struct llm_model *model = llm_models_add(m->models, m->name[i], address, reason);
    if (!model) {
        snprintf(why, ENDPOINT_WHY, "--house %s: %.*s", m->name[i], ENDPOINT_WHY - 64, reason);
        return false;
    }
    m->mind[i] = (struct lobby_model){.name = m->name[i], .model = llm_model_endpoint(model)->model};
    return true;
}

static bool open_models(struct serve_models *m, char why[ENDPOINT_WHY])
{
    if (!(m->models = llm_models_open(m->o.loop, &m->o.llm, why)))
        return false;
    for (int i = 0; i < m->o.count; i++)
        if (!add_model(m, i, why))
            return false;
    if (!llm_models_unpriced(m->models))
        return true;
    snprintf(why, ENDPOINT_WHY, "--max-cost needs a price for %.60s; add it to --prices FILE",
             llm_models_unpriced(m->models));
    return false;
}

struct serve_models *serve_models_open(const struct serve_models_options *o, char why[ENDPOINT_WHY])
{
    struct serve_models *m = o->count ? calloc(1, sizeof *m) : NULL;
    why[0] = 0;
    if (!m)
        return NULL;
    m->o = *o;
    LIST_INIT(&m->talks);
    if (!open_models(m, why)) {
        serve_models_close(m);
        return NULL;
    }
    llm_models_warn(m->models, on_warning, m);
    m->minds = (struct lobby_models){.at = m->mind,
                                     .count = o->count,
                                     .owner = m,
                                     .is_ready = is_ready,
                                     .ask = ask,
                                     .withdraw = withdraw,
                                     .leave = leave};
    return m;
}

const struct lobby_models *serve_models_minds(const struct serve_models *m)
{
    return m ? &m->minds : NULL;
}

void serve_models_start(struct serve_models *m, struct lobby *l)
{
    if (!m)
        return;
    m->lobby = l;
    m->poll = event_new(m->o.loop->base, -1, EV_PERSIST, on_poll, m);
    event_add(m->poll, &(struct timeval){.tv_usec = POLL_MS * 1000});
}

void serve_models_close(struct serve_models *m)
{
    if (!m)
        return;
    if (m->poll)
        event_free(m->poll);
    if (m->models)
        llm_models_close(m->models);
    free(m);
}

// --- figures

static void put_figure(const struct serve_models *m, struct text *t, const char *name, const char *help,
                       double (*read)(const struct llm_counts *c))
{
    char line[192];
    metric_put_help(t, name, "counter", help);
    for (int i = 0; i < m->o.count; i++) {
        snprintf(line, sizeof line, "agon_%s{house=\"%s\"} %.9g\n", name, m->name[i],
                 read(llm_model_counts(llm_models_at(m->models, i))));
        text_puts(t, line);
    }
}

static double count_decisions(const struct llm_counts *c)
{
    return (double)c->decisions;
}

static double count_stand_ins(const struct llm_counts *c)
{
    return (double)(c->decisions - c->how[HOW_ANSWER]);
}

static double count_tokens(const struct llm_counts *c)
{
    return (double)(c->input + c->output);
}

static double sum_cost(const struct llm_counts *c)
{
    return (double)c->cost / 1e9;
}

void serve_models_metrics(struct serve_models *m, struct text *t)
{
    if (!m)
        return;
    put_figure(m, t, "model_decisions_total", "Decisions of models that are house agents", count_decisions);
    put_figure(m, t, "model_fallbacks_total", "Decisions that the table made for them", count_stand_ins);
    put_figure(m, t, "model_tokens_total", "Tokens they were sent and wrote", count_tokens);
    put_figure(m, t, "model_cost_total", "What they cost, in the currency of --prices", sum_cost);
}

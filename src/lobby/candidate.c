// Tables that wait for confirmations (F3.13 to F3.17).
#include "lobby/inside.h"

#include <stdio.h>
#include <stdlib.h>

typedef uint32_t member_set;

static void on_time(struct lobby *l, struct timer *t, int64_t now_ms);

struct candidate *candidate_create(struct lobby *l, const struct lobby_game *g, const char *mode)
{
    struct candidate *c = lobby_take(sizeof *c);
    *c = (struct candidate){.next = l->candidates, .at = &l->candidates, .game = g, .timer = {.fire = on_time}};
    snprintf(c->mode, sizeof c->mode, "%s", mode);
    if (c->next)
        c->next->at = &c->next;
    return l->candidates = c;
}

static void add(struct candidate *c, const struct member *m)
{
    m->agent->candidate = m->agent->record.kind == STORE_HOUSE ? NULL : c;
    c->member[c->count++] = *m;
}

void candidate_take(struct candidate *c, struct lobby_agent *a)
{
    add(c, &(struct member){.agent = a, .joined_ms = a->joined_ms, .one_shot = a->one_shot});
}

void candidate_lend(struct candidate *c, struct lobby_agent *a)
{
    add(c, &(struct member){.agent = a, .joined_ms = a->joined_ms, .one_shot = a->one_shot, .lent = true});
}

void candidate_add(struct candidate *c, struct lobby_agent *a, bool standby, int64_t now_ms)
{
    add(c, &(struct member){.agent = a, .joined_ms = now_ms, .standby = standby});
}

// Nobody belongs to it any more.
static void dissolve(struct lobby *l, struct candidate *c)
{
    timer_clear(l, &c->timer);
    *c->at = c->next;
    if (c->next)
        c->next->at = c->at;
    for (int i = 0; i < c->count; i++)
        if (c->member[i].agent->candidate == c)
            c->member[i].agent->candidate = NULL;
}

// --- when it does not come about (F3.15)

// The queue it came from.
static const char *home_of(const struct candidate *c, const struct member *m)
{
    return m->lent ? QUEUE_RANKED : c->mode;
}

static void tell(const struct candidate *c, const struct member *m, enum lobby_cancel why, bool re_queued)
{
    const struct lobby_presence *p = &m->agent->presence;
    if (is_online(m->agent))
        p->link->on_cancelled(p->client, why, re_queued, c->game, queue_shown(home_of(c, m)));
}

static void send_back(struct lobby *l, struct candidate *c, const struct member *m, enum lobby_cancel why,
                      int64_t now_ms)
{
    struct lobby_agent *a = m->agent;
    if (a->record.kind == STORE_HOUSE || !is_online(a))
        return;
    struct gate_wish w = {.game = c->game, .mode = home_of(c, m), .one_shot = m->one_shot};
    char error[128];
    bool back = gate_pass(l, a, &w, now_ms, error) == OK;
    if (back && !m->standby) // whoever was on standby is there again by himself
        queue_enter(l, a, &w, m->joined_ms);
    tell(c, m, why, back);
}

struct breach {
    member_set causes;
    bool describe_causes;
    enum lobby_cancel to_causes, to_others;
};

static void break_up(struct lobby *l, struct candidate *c, const struct breach *b, int64_t now_ms)
{
    dissolve(l, c);
    for (int i = 0; i < c->count; i++)
        if (b->causes >> i & 1 && b->describe_causes)
            tell(c, &c->member[i], b->to_causes, false);
    for (int i = 0; i < c->count; i++)
        if (!(b->causes >> i & 1))
            send_back(l, c, &c->member[i], b->to_others, now_ms);
    const struct lobby_game *g = c->game;
    const bool by_wish = c->by_wish;
    struct queue *q = queue_find(l, g, c->mode);
    free(c);
    if (q)
        queue_form(l, q, now_ms);
    if (by_wish && (q = queue_find(l, g, QUEUE_RANKED)))
        queue_form(l, q, now_ms);
}

void candidate_break(struct lobby *l, struct candidate *c, struct lobby_agent *cause, enum lobby_cancel why,
                     int64_t now_ms)
{
    struct breach b = {.to_others = why};
    for (int i = 0; i < c->count; i++)
        b.causes |= c->member[i].agent == cause ? 1u << i : 0;
    break_up(l, c, &b, now_ms);
}

static void end_for_all(struct lobby *l, struct candidate *c)
{
    dissolve(l, c);
    for (int i = 0; i < c->count; i++)
        tell(c, &c->member[i], LOBBY_MAINTENANCE, false);
    free(c);
}

void candidate_drain(struct lobby *l, int64_t now_ms)
{
    (void)now_ms;
    while (l->candidates)
        end_for_all(l, l->candidates);
}

static void on_time(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct candidate *c = TIMER_OWNER(t, struct candidate, timer);
    struct breach b = {
        .describe_causes = true, .to_causes = LOBBY_CONFIRMATION_TIMEOUT, .to_others = LOBBY_OPPONENT_NOT_READY};
    for (int i = 0; i < c->count; i++)
        if (!c->member[i].confirmed) {
            b.causes |= 1u << i;
            gate_miss(c->member[i].agent, now_ms);
            l->figures.confirmations_failed++;
        }
    break_up(l, c, &b, now_ms);
}

// --- when it does

static void begin(struct lobby *l, struct candidate *c, int64_t now_ms)
{
    struct bout_guest guest[GAME_MAX_SEATS];
    for (int i = 0; i < c->count; i++) {
        const struct member *m = &c->member[i];
        bool house = m->agent->record.kind == STORE_HOUSE;
        bool again = !m->one_shot && !m->standby && !house;
        guest[i] = (struct bout_guest){m->agent, m->one_shot || house || c->by_wish, again}; // F3.19: as one_shot
    }
    dissolve(l, c);
    struct uuid match;
    bool begun = bout_begin(l, c->game, queue_shown(c->mode), guest, c->count,
                            &(struct bout_terms){.by_wish = c->by_wish}, now_ms, &match) == OK;
    for (int i = 0; i < c->count && !begun; i++)
        tell(c, &c->member[i], LOBBY_MAINTENANCE, false);
    free(c);
}

// F3.15: what was true when the table formed may have changed.
static void check_and_begin(struct lobby *l, struct candidate *c, int64_t now_ms)
{
    if (!lobby_may_begin(l)) {
        end_for_all(l, c);
        return;
    }
    struct breach b = {
        .describe_causes = true, .to_causes = LOBBY_CAPACITY_CHANGED, .to_others = LOBBY_CAPACITY_CHANGED};
    for (int i = 0; i < c->count; i++) {
        const struct lobby_agent *a = c->member[i].agent;
        if (a->record.kind != STORE_HOUSE && !gate_has_capacity(a))
            b.causes |= 1u << i;
    }
    if (b.causes)
        break_up(l, c, &b, now_ms);
    else
        begin(l, c, now_ms);
}

static bool all_confirmed(const struct candidate *c)
{
    for (int i = 0; i < c->count; i++)
        if (!c->member[i].confirmed)
            return false;
    return true;
}

static void ask(struct candidate *c, const struct member *m, int64_t now_ms)
{
    const struct lobby_presence *p = &m->agent->presence;
    struct lobby_confirm ask = {.id = m->confirm,
                                .game = c->game,
                                .mode = queue_shown(c->mode),
                                .players = c->count,
                                .timeout_ms = c->due_ms - now_ms};
    p->link->on_confirm(p->client, &ask);
}

void candidate_open(struct lobby *l, struct candidate *c, int64_t now_ms)
{
    c->due_ms = now_ms + l->o.confirm_timeout_ms;
    for (int i = 0; i < c->count; i++) {
        struct member *m = &c->member[i];
        bool is_host = c->by_wish && i == 0;
        m->confirmed = is_host || m->agent->record.auto_confirm || m->agent->record.kind == STORE_HOUSE;
        if (!m->confirmed)
            m->confirm = lobby_random_id(l);
    }
    if (all_confirmed(c)) {
        check_and_begin(l, c, now_ms);
        return;
    }
    timer_set(l, &c->timer, c->due_ms);
    for (int i = 0; i < c->count; i++)
        if (!c->member[i].confirmed && c->member[i].agent->greeted) // the others are asked when they are greeted
            ask(c, &c->member[i], now_ms);
}

static struct member *find_member(struct lobby_agent *a)
{
    struct candidate *c = a->candidate;
    for (int i = 0; c && i < c->count; i++)
        if (c->member[i].agent == a)
            return &c->member[i];
    return NULL;
}

void candidate_remind(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    (void)l;
    const struct member *m = find_member(a);
    if (m && !m->confirmed && a->candidate->due_ms > now_ms)
        ask(a->candidate, m, now_ms);
}

static bool is_asked_by(const struct member *m, struct uuid id)
{
    return m && !uuid_is_none(m->confirm) && uuid_equals(m->confirm, id);
}

bool lobby_awaits_confirm(struct lobby_agent *a, struct uuid id)
{
    const struct member *m = find_member(a);
    return is_asked_by(m, id) && !m->confirmed;
}

int lobby_confirm(struct lobby *l, struct lobby_agent *a, struct uuid id, int64_t now_ms)
{
    l->now_ms = now_ms;
    struct member *m = find_member(a);
    if (!is_asked_by(m, id))
        return ERR_UNKNOWN;
    if (m->confirmed)
        return OK; // F3.14: repeats are ignored
    m->confirmed = true;
    if (all_confirmed(a->candidate))
        check_and_begin(l, a->candidate, now_ms);
    return OK;
}

// Tables that wait for confirmations (F3.13 to F3.17).
#include "lobby/agent_cache.h"

#include <stdio.h>
#include <stdlib.h>

// A bit for each member; a table has far fewer than 32.
typedef uint32_t member_set;

enum { FORM_AGAIN_MS = 1000 }; // decision 057: a table refused at once formed again without end

static void on_time(struct lobby *l, struct timer *t, int64_t now_ms);

struct candidate *candidate_create(struct lobby *l, const struct lobby_game *g, const char *mode)
{
    struct candidate *c = lobby_alloc(sizeof *c);
    *c = (struct candidate){.next = l->candidates, .at = &l->candidates, .game = g, .timer = {.fire = on_time}};
    snprintf(c->mode, sizeof c->mode, "%s", mode);
    if (c->next)
        c->next->at = &c->next;
    return l->candidates = c;
}

static void add_member(struct candidate *c, const struct member *m)
{
    // A house agent sits at any number of tables, so it belongs to none.
    m->agent->candidate = m->agent->record.kind == STORE_HOUSE ? NULL : c;
    c->member[c->count++] = *m;
}

void candidate_take(struct candidate *c, struct lobby_agent *a)
{
    add_member(c, &(struct member){.agent = a, .joined_ms = a->joined_ms, .one_shot = a->one_shot});
}

void candidate_lend(struct candidate *c, struct lobby_agent *a)
{
    add_member(c, &(struct member){.agent = a, .joined_ms = a->joined_ms, .one_shot = a->one_shot, .lent = true});
}

void candidate_add(struct candidate *c, struct lobby_agent *a, bool standby, int64_t now_ms)
{
    add_member(c, &(struct member){.agent = a, .joined_ms = now_ms, .standby = standby});
}

// Removes all members from the candidate.
static void unlink_candidate(struct lobby *l, struct candidate *c)
{
    timer_clear(l, &c->timer);
    *c->at = c->next;
    if (c->next)
        c->next->at = c->at;
    for (int i = 0; i < c->count; i++)
        if (c->member[i].agent->candidate == c)
            c->member[i].agent->candidate = NULL;
}

// --- cancelling (F3.15)

const char *candidate_home(const struct candidate *c, const struct member *m)
{
    return m->lent ? QUEUE_RANKED : c->mode;
}

static void notify_member(const struct candidate *c, const struct member *m, enum lobby_cancel why, bool re_queued)
{
    struct queue_request w = {.game = c->game, .mode = candidate_home(c, m), .one_shot = m->one_shot};
    if (m->agent->record.kind != STORE_HOUSE && mesh_is_here(m->agent))
        mesh_send_cancelled(m->agent, why, re_queued, &w, m->standby);
}

static void return_to_queue(struct lobby *l, struct candidate *c, const struct member *m, enum lobby_cancel why,
                            int64_t now_ms)
{
    struct lobby_agent *a = m->agent;
    if (a->record.kind == STORE_HOUSE || !mesh_is_here(a) || a->queue)
        return;
    gateway_end_entry(a);
    struct queue_request w = {.game = c->game, .mode = candidate_home(c, m), .one_shot = m->one_shot};
    char error[128];
    bool back = eligibility_check(l, a, &w, now_ms, error) == OK;
    if (back && !m->standby) // an agent on standby needs no entry
        queue_enter(l, a, &w, m->joined_ms);
    notify_member(c, m, why, back);
}

// What ends a table: which members caused it, and what each side is told (the table of F3.15).
struct breach {
    member_set causes;
    bool describe_causes;
    enum lobby_cancel to_causes, to_others;
};

static void free_unused_members(struct lobby *l, const struct candidate *c)
{
    for (int i = 0; i < c->count; i++)
        matchmaker_free_if_unused(l, c->member[i].agent);
}

// Tells all members, and returns those to their queue that may. The caller forms new tables there.
static void cancel_table(struct lobby *l, struct candidate *c, const struct breach *b, int64_t now_ms)
{
    unlink_candidate(l, c);
    for (int i = 0; i < c->count; i++)
        if (b->causes >> i & 1 && b->describe_causes) {
            notify_member(c, &c->member[i], b->to_causes, false);
            gateway_end_entry(c->member[i].agent);
        }
    for (int i = 0; i < c->count; i++)
        if (!(b->causes >> i & 1))
            return_to_queue(l, c, &c->member[i], b->to_others, now_ms);
    free_unused_members(l, c);
}

static void cancel_and_form_again(struct lobby *l, struct candidate *c, const struct breach *b, int64_t now_ms)
{
    cancel_table(l, c, b, now_ms);
    // Kept, because c is freed below.
    const struct lobby_game *g = c->game;
    const bool by_request = c->by_request;
    struct queue *q = queue_find(l, g, c->mode);
    free(c);
    if (q)
        queue_form(l, q, now_ms);
    if (by_request && (q = queue_find(l, g, QUEUE_RANKED)))
        queue_form(l, q, now_ms);
}

void candidate_break(struct lobby *l, struct candidate *c, struct lobby_agent *cause, enum lobby_cancel why,
                     int64_t now_ms)
{
    struct breach b = {.to_others = why};
    if (c->host)
        return; // its host may have begun the match; that is known within two seconds
    for (int i = 0; i < c->count; i++)
        b.causes |= c->member[i].agent == cause ? 1u << i : 0;
    cancel_and_form_again(l, c, &b, now_ms);
}

static void cancel_for_maintenance(struct lobby *l, struct candidate *c)
{
    unlink_candidate(l, c);
    for (int i = 0; i < c->count; i++)
        notify_member(c, &c->member[i], LOBBY_MAINTENANCE, false);
    free_unused_members(l, c);
    free(c);
}

void candidate_drain(struct lobby *l)
{
    while (l->candidates)
        cancel_for_maintenance(l, l->candidates);
}

static void on_time(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct candidate *c = TIMER_OWNER(t, struct candidate, timer);
    if (c->host) {
        // S24: the host has not answered in time.
        candidate_refused(l, c, 0, now_ms);
        return;
    }
    struct breach b = {
        .describe_causes = true, .to_causes = LOBBY_CONFIRMATION_TIMEOUT, .to_others = LOBBY_OPPONENT_NOT_READY};
    for (int i = 0; i < c->count; i++)
        if (!c->member[i].confirmed) {
            b.causes |= 1u << i;
            // F3.16: the third within ten minutes bars the agent for a while.
            eligibility_count_missed(c->member[i].agent, now_ms);
            l->figures.confirmations_failed++;
        }
    cancel_and_form_again(l, c, &b, now_ms);
}

// --- beginning

static void candidate_begin(struct lobby *l, struct candidate *c, int64_t now_ms)
{
    struct live_match_player player[GAME_MAX_SEATS];
    for (int i = 0; i < c->count; i++) {
        const struct member *m = &c->member[i];
        bool house = m->agent->record.kind == STORE_HOUSE;
        bool again = !m->one_shot && !m->standby && !house;
        // F3.19: treated as one_shot.
        player[i] = (struct live_match_player){m->agent, m->one_shot || house || c->by_request, again};
    }
    unlink_candidate(l, c);
    struct uuid match;
    bool begun = live_match_begin(l, c->game, queue_shown(c->mode), player, c->count,
                                  &(struct live_match_terms){.by_request = c->by_request}, now_ms, &match) == OK;
    for (int i = 0; i < c->count && !begun; i++)
        notify_member(c, &c->member[i], LOBBY_MAINTENANCE, false);
    free(c);
}

// F3.15: checks the members again, since things may have changed since the table was formed.
static void check_and_begin(struct lobby *l, struct candidate *c, int64_t now_ms)
{
    if (!lobby_may_begin(l)) {
        cancel_for_maintenance(l, c);
        return;
    }
    struct breach b = {
        .describe_causes = true, .to_causes = LOBBY_CAPACITY_CHANGED, .to_others = LOBBY_CAPACITY_CHANGED};
    for (int i = 0; i < c->count; i++) {
        const struct lobby_agent *a = c->member[i].agent;
        if (a->record.kind != STORE_HOUSE && !eligibility_has_capacity(a))
            b.causes |= 1u << i;
    }
    uint64_t host = l->mesh.call && mesh_is_ours(l, c->game) ? matchmaker_pick_host(l, c) : 0;
    if (b.causes)
        cancel_and_form_again(l, c, &b, now_ms);
    else if (host)
        matchmaker_send_order(l, c, host, now_ms);
    else
        candidate_begin(l, c, now_ms);
}

// --- begun by another node (S24)

struct candidate *candidate_find_order(struct lobby *l, struct uuid match)
{
    struct candidate *c = l->candidates;
    while (c && !(c->host && uuid_equals(c->order, match)))
        c = c->next;
    return c;
}

void candidate_begun(struct lobby *l, struct candidate *c)
{
    unlink_candidate(l, c);
    for (int i = 0; i < c->count; i++) // an estimate, until the agent is read again with its next entry
        if (c->member[i].agent->remote && c->host != l->mesh.call->me) {
            c->member[i].agent->elsewhere++;
            if (!c->member[i].one_shot)
                agent_cache_note_start(c->member[i].agent, l->now_ms);
        }
    free_unused_members(l, c);
    free(c);
}

// Waits before forming a table again: what was refused would be refused again.
static void form_later(struct lobby *l, const struct lobby_game *g, const char *mode, int64_t now_ms)
{
    struct queue *q = queue_find(l, g, mode);
    if (q)
        timer_set(l, &q->timer, now_ms + FORM_AGAIN_MS);
}

void candidate_refused(struct lobby *l, struct candidate *c, uint32_t full, int64_t now_ms)
{
    struct breach b = {.causes = full,
                       .describe_causes = true,
                       .to_causes = LOBBY_CAPACITY_CHANGED,
                       .to_others = full ? LOBBY_CAPACITY_CHANGED : LOBBY_OPPONENT_NOT_READY};
    if (!full)
        // Refused without a reason: the host is passed over (S24).
        matchmaker_exclude_host(l, c->host, now_ms);
    cancel_table(l, c, &b, now_ms);
    form_later(l, c->game, c->mode, now_ms);
    if (c->by_request)
        form_later(l, c->game, QUEUE_RANKED, now_ms);
    free(c);
}

// Another node has become the matchmaker. Members connected here wait for that one.
void candidate_drop(struct lobby *l, struct candidate *c)
{
    unlink_candidate(l, c);
    for (int i = 0; i < c->count; i++) {
        const struct member *m = &c->member[i];
        struct lobby_agent *a = m->agent;
        struct queue_request w = {.game = c->game, .mode = candidate_home(c, m), .one_shot = m->one_shot};
        if (a->record.kind == STORE_HOUSE || a->remote || !mesh_is_here(a) || m->standby || a->queue)
            continue;
        if (!a->conn || !l->mesh.call) {
            queue_enter(l, a, &w, m->joined_ms);
            continue;
        }
        gateway_keep_entry(a, &w, m->joined_ms);
        a->remote_entry->host_named = c->host != 0;
        a->remote_entry->confirm = m->confirm; // the answer may be on its way
    }
    free_unused_members(l, c);
    free(c);
}

static bool all_confirmed(const struct candidate *c)
{
    for (int i = 0; i < c->count; i++)
        if (!c->member[i].confirmed)
            return false;
    return true;
}

static void send_confirm(struct candidate *c, const struct member *m, int64_t now_ms)
{
    struct lobby_confirm ask = {.id = m->confirm,
                                .game = c->game,
                                .mode = queue_shown(c->mode),
                                .players = c->count,
                                .timeout_ms = c->due_ms - now_ms};
    mesh_send_confirm(m->agent, &ask, m->standby);
}

void candidate_open(struct lobby *l, struct candidate *c, int64_t now_ms)
{
    c->due_ms = now_ms + l->o.confirm_timeout_ms;
    for (int i = 0; i < c->count; i++) {
        struct member *m = &c->member[i];
        // It has asked for the table itself (F3.23).
        bool is_host = c->by_request && i == 0;
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
        if (!c->member[i].confirmed && mesh_is_synced(c->member[i].agent)) // the others are asked when they are synced
            send_confirm(c, &c->member[i], now_ms);
}

static struct member *find_member(struct lobby_agent *a)
{
    struct candidate *c = a->candidate;
    for (int i = 0; c && i < c->count; i++)
        if (c->member[i].agent == a)
            return &c->member[i];
    return NULL;
}

void candidate_remind(struct lobby_agent *a, int64_t now_ms)
{
    const struct member *m = find_member(a);
    if (m && !m->confirmed && a->candidate->due_ms > now_ms)
        send_confirm(a->candidate, m, now_ms);
    else if (!m)
        gateway_remind(a, now_ms);
}

static bool is_asked_by(const struct member *m, struct uuid id)
{
    return m && !uuid_is_none(m->confirm) && uuid_equals(m->confirm, id);
}

bool lobby_awaits_confirm(struct lobby_agent *a, struct uuid id)
{
    const struct member *m = find_member(a);
    return (is_asked_by(m, id) && !m->confirmed) || gateway_awaits_confirm(a, id);
}

int lobby_confirm(struct lobby *l, struct lobby_agent *a, struct uuid id, int64_t now_ms)
{
    l->now_ms = now_ms;
    struct member *m = find_member(a);
    if (!is_asked_by(m, id))
        return gateway_confirm(l, a, id);
    if (m->confirmed)
        return OK; // F3.14: repeated confirmations are ignored
    m->confirmed = true;
    if (all_confirmed(a->candidate))
        check_and_begin(l, a->candidate, now_ms);
    return OK;
}

// Agents on standby: asked whether they are ready, then seated by a sweep (F3.10 to F3.12).
#include "cluster/note.h"
#include "lobby/internal.h"

#include <stdlib.h>

enum {
    READY_HOLDS_MS = 60000, // F3.12: who reported ready within this time is not asked again
    LEFT_OUT_MS = 60000,    // who did not report ready is left out so long
    BUSY_MS = 2000,         // who is at another table may be free soon
};

// --- readiness (F3.12)

static bool is_ready(const struct lobby_agent *a, int64_t now_ms)
{
    return a->ready_ms && now_ms - a->ready_ms < READY_HOLDS_MS;
}

static bool is_being_asked(const struct lobby_agent *a)
{
    return !uuid_is_none(a->ready_request);
}

// The last reply to a round of checks triggers the sweep.
static void end_check(struct lobby *l, struct lobby_agent *a)
{
    if (!is_being_asked(a))
        return;
    a->ready_request = (struct uuid){0};
    timer_clear(l, &a->ready_timer);
    // Once for all answers, not for each: together they may fill a larger table.
    if (--l->checks == 0)
        timer_set(l, &l->sweep, l->now_ms);
}

static void on_silence(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct lobby_agent *a = TIMER_OWNER(t, struct lobby_agent, ready_timer);
    a->left_out_until_ms = now_ms + LEFT_OUT_MS;
    end_check(l, a);
}

static void begin_check(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    a->ready_request = lobby_random_id(l);
    a->ready_timer.fire = on_silence;
    timer_set(l, &a->ready_timer, now_ms + l->o.readiness_timeout_ms);
    l->checks++;
}

static void send_check(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    begin_check(l, a, now_ms);
    mesh_send_readiness(a, a->ready_request, l->o.readiness_timeout_ms);
}

void standby_remind(struct lobby_agent *a, int64_t now_ms)
{
    if (is_being_asked(a) && a->ready_timer.due_ms > now_ms && !a->remote)
        a->presence.link->on_readiness(a->presence.client, a->ready_request, a->ready_timer.due_ms - now_ms);
}

void standby_cancel_check(struct lobby *l, struct lobby_agent *a)
{
    a->ready_ms = 0;
    end_check(l, a);
}

bool lobby_awaits_ready(const struct lobby_agent *a, struct uuid request)
{
    return (is_being_asked(a) && uuid_equals(a->ready_request, request)) || gateway_awaits_ready(a, request);
}

void lobby_report_ready(struct lobby *l, struct lobby_agent *a, struct uuid request, bool ready, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (!lobby_awaits_ready(a, request))
        return;
    if (gateway_awaits_ready(a, request)) {
        gateway_report_ready(l, a, request, ready);
        return;
    }
    if (ready)
        a->ready_ms = now_ms;
    else
        a->left_out_until_ms = now_ms + LEFT_OUT_MS;
    end_check(l, a);
}

// --- readiness checks for a tournament, at any node (S47)

static void send_remote_check(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, int64_t now_ms)
{
    struct note n = mesh_note(l, ENTRY_READY, g);
    begin_check(l, a, now_ms);
    n.flags = NOTE_DOWN | NOTE_TOURNAMENT;
    n.agent = a->record.id;
    n.conn = a->invited_conn;
    n.id = a->ready_request;
    n.age_ms = l->o.readiness_timeout_ms;
    mesh_send(l, a->invited_at, &n);
}

void standby_receive_busy(struct lobby *l, struct lobby_agent *a, struct uuid request, int64_t now_ms)
{
    if (!is_being_asked(a) || !uuid_equals(a->ready_request, request))
        return;
    a->left_out_until_ms = now_ms + BUSY_MS;
    end_check(l, a);
}

enum lobby_reach standby_invite_remote(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g,
                                       int64_t now_ms)
{
    if (a->left_out_until_ms > now_ms)
        return LOBBY_AWAY;
    if (is_ready(a, now_ms))
        return LOBBY_READY;
    if (!is_being_asked(a))
        send_remote_check(l, a, g, now_ms);
    return LOBBY_INVITED;
}

enum lobby_reach lobby_invite(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (a->record.kind == STORE_HOUSE)
        return LOBBY_READY;
    if (!is_here(a) || !a->synced || a->record.disabled || a->candidate || gateway_waits(a) ||
        !eligibility_has_game(l, a, g) || !eligibility_has_capacity(a) || a->left_out_until_ms > now_ms)
        return LOBBY_AWAY;
    if (is_ready(a, now_ms))
        return LOBBY_READY;
    if (!is_being_asked(a))
        send_check(l, a, now_ms);
    return LOBBY_INVITED;
}

// --- who would play which game

static const char *find_word(const char *list, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ',') && (at[size] == ',' || at[size] == 0))
            return at;
    return NULL;
}

bool standby_would_play(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g)
{
    return eligibility_has_game(l, a, g) && find_word(a->record.standby, name_of(g));
}

// Also requires that this node seats the agent: as matchmaker of the game, or because no other node can.
static bool would_play(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g)
{
    bool ours = a->remote ? a->remote->standby_games >> lobby_game_index(l, g) & 1 : !mesh_is_remote(l, a, g);
    return ours && mesh_is_open(l, g) && standby_would_play(l, a, g);
}

// F3.11: the game played least recently; ties are broken by the order of the list.
static bool comes_first(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const struct lobby_game *h)
{
    int64_t g_ms = agents_rating(l, a, lobby_game_index(l, g))->played_ms;
    int64_t h_ms = agents_rating(l, a, lobby_game_index(l, h))->played_ms;
    const char *list = a->record.standby;
    return g_ms < h_ms || (g_ms == h_ms && find_word(list, name_of(g)) < find_word(list, name_of(h)));
}

static const struct lobby_game *find_preferred(struct lobby *l, struct lobby_agent *a)
{
    const struct lobby_game *best = NULL;
    for (int i = 0; i < l->games; i++) {
        const struct lobby_game *g = &l->o.games[i];
        if (would_play(l, a, g) && (!best || comes_first(l, a, g, best)))
            best = g;
    }
    return best;
}

// --- the sweep (F3.11)

static void add_to_pool(struct lobby *l, struct lobby_agent *a, bool ready, int64_t now_ms)
{
    if (!a->record.standby[0] || is_being_asked(a) || is_ready(a, now_ms) != ready ||
        !eligibility_for_standby(l, a, now_ms))
        return;
    if (l->pool_count == l->pool_room) {
        l->pool_room = l->pool_room ? 2 * l->pool_room : 64;
        l->pool = lobby_realloc(l->pool, (size_t)l->pool_room * sizeof *l->pool);
    }
    l->pool[l->pool_count++] = a;
}

static void fill_pool(struct lobby *l, bool ready, int64_t now_ms)
{
    for (struct lobby_agent *a = l->online; a; a = a->online_next)
        if (!a->remote)
            add_to_pool(l, a, ready, now_ms);
    for (struct remote_agent *x = l->mesh.remote; x; x = x->next)
        if (x->standby_games)
            add_to_pool(l, x->agent, ready, now_ms);
}

struct pick {
    const struct lobby_game *game;
    bool preferred_only;
    int count, want;
    int at[GAME_MAX_SEATS]; // indexes in the pool
};

static void pick_from(struct lobby *l, struct pick *p, int from)
{
    for (int i = from; i < l->pool_count && p->count < p->want; i++) {
        struct lobby_agent *a = l->pool[i];
        if (a && would_play(l, a, p->game) && (!p->preferred_only || find_preferred(l, a) == p->game))
            p->at[p->count++] = i;
    }
}

static bool all_ready(const struct lobby *l, const struct pick *p, int64_t now_ms)
{
    for (int i = 0; i < p->count; i++)
        if (!is_ready(l->pool[p->at[i]], now_ms))
            return false;
    return true;
}

// Seats them together with the agents in the queue, or asks those that have not reported ready.
static void seat_or_check(struct lobby *l, const struct pick *p, struct queue *q, int64_t now_ms)
{
    bool ready = all_ready(l, p, now_ms);
    struct candidate *c = ready ? candidate_create(l, p->game, "ranked") : NULL;
    while (ready && q && q->first) {
        struct lobby_agent *a = q->first;
        // queue_remove frees the queue with its last agent.
        bool last = q->count == 1;
        queue_remove(l, a);
        candidate_take(c, a);
        if (last)
            break;
    }
    for (int i = 0; i < p->count; i++) {
        struct lobby_agent *a = l->pool[p->at[i]];
        l->pool[p->at[i]] = NULL;
        if (ready)
            candidate_add(c, a, true, now_ms);
        else if (!is_ready(a, now_ms))
            send_check(l, a, now_ms);
    }
    if (ready)
        candidate_open(l, c, now_ms);
}

static void top_up_queue(struct lobby *l, const struct lobby_game *g, int64_t now_ms)
{
    struct queue *q = queue_find(l, g, "ranked");
    int min = queue_table_min(l, g);
    if (!q || q->count >= min)
        return;
    struct pick p = {.game = g, .want = min - q->count};
    pick_from(l, &p, 0);
    if (p.count == p.want)
        seat_or_check(l, &p, q, now_ms);
    // House bots will complete the table, if these agents report ready in time.
    else if (p.want - p.count <= house_count(l))
        for (int i = 0; i < p.count; i++)
            if (!is_ready(l->pool[p.at[i]], now_ms))
                send_check(l, l->pool[p.at[i]], now_ms);
}

static bool lend_agent(struct lobby *l, struct candidate *c, const struct lobby_game *g, struct lobby_agent *a,
                       int64_t now_ms)
{
    if (!a->record.standby[0] || !is_ready(a, now_ms) || !would_play(l, a, g) || !eligibility_for_standby(l, a, now_ms))
        return false;
    candidate_add(c, a, true, now_ms);
    return true;
}

// When house bots fill a queue, agents on standby are preferred.
int standby_lend(struct lobby *l, struct candidate *c, const struct lobby_game *g, int want, int64_t now_ms)
{
    int lent = 0;
    for (struct lobby_agent *a = l->online; a && lent < want; a = a->online_next)
        lent += !a->remote && lend_agent(l, c, g, a, now_ms);
    for (struct remote_agent *x = l->mesh.remote; x && lent < want; x = x->next)
        lent += x->standby_games && lend_agent(l, c, g, x->agent, now_ms);
    return lent;
}

static void form_tables(struct lobby *l, const struct lobby_game *g, bool preferred_only, int64_t now_ms)
{
    for (int from = 0;;) {
        struct pick p = {.game = g, .preferred_only = preferred_only, .want = queue_table_max(l, g)};
        pick_from(l, &p, from);
        if (p.count < queue_table_min(l, g))
            return;
        from = p.at[p.count - 1] + 1;
        seat_or_check(l, &p, NULL, now_ms);
    }
}

static void form_all_tables(struct lobby *l, int64_t now_ms)
{
    if (!lobby_may_begin(l))
        return;
    l->pool_count = 0;
    // Those who are ready come first, so they are seated before others have to be asked.
    fill_pool(l, true, now_ms);
    fill_pool(l, false, now_ms);
    for (int i = 0; i < l->games; i++)
        top_up_queue(l, &l->o.games[i], now_ms);
    // F3.11: everybody's preferred game first, then any game that they would play.
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < l->games; i++)
            form_tables(l, &l->o.games[i], pass == 0, now_ms);
}

static void on_sweep(struct lobby *l, struct timer *t, int64_t now_ms)
{
    timer_set(l, t, now_ms + l->o.standby_sweep_ms);
    agents_evict(l, now_ms);
    store_tend_boards(l->store, now_ms);
    gateway_register_standbys(l, now_ms);
    form_all_tables(l, now_ms);
}

void standby_open(struct lobby *l, int64_t now_ms)
{
    l->sweep.fire = on_sweep;
    timer_set(l, &l->sweep, now_ms + l->o.standby_sweep_ms);
}

void lobby_policy_changed(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (!a->record.auto_requeue)
        timer_clear(l, &a->again_timer);
}

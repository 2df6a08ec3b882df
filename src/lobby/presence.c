// Connections begin, replace each other and end (F1.12, F4.19 to F4.21).
#include "lobby/internal.h"

static void link_online(struct lobby *l, struct lobby_agent *a)
{
    a->online_next = NULL;
    a->online_before = l->online_last;
    *(l->online_last ? &l->online_last->online_next : &l->online) = a;
    l->online_last = a;
    l->figures.agents_online++;
}

// Marks requests as unsent that were not written yet, and game_start as unsent unless the client is known to have it:
// they are sent again. Without game_start a client would ignore the match (F4.21). A request to another node may still
// arrive on a connection that lasts, so `sent` stays: the next request is a reconnect with the whole history (F4.20).
static void reset_unwritten(const struct lobby *l, struct lobby_agent *a, bool relayed)
{
    for (struct lobby_seat *s = a->seats; s; s = s->next) {
        s->start_sent = live_match_has_sent_start(l, s);
        s->start_due = false;
        if (!relayed && s->awaited && s->written_ms == NEVER && !uuid_is_none(s->request))
            s->sent = s->sent_before;
        s->request = (struct uuid){0};
        s->written_ms = NEVER;
    }
}

static void presence_end(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    *(a->online_before ? &a->online_before->online_next : &l->online) = a->online_next;
    *(a->online_next ? &a->online_next->online_before : &l->online_last) = a->online_before;
    l->figures.agents_online--;
    bool relayed = a->presence.relayed;
    if (!relayed) { // else the agent is still connected to its gateway
        store_depart(l->store, a->record.id, a->conn);
        gateway_leave(l, a);
    }
    a->conn = 0;
    a->presence = (struct lobby_presence){0};
    a->synced = false;
    reset_unwritten(l, a, relayed);
    timer_clear(l, &a->again_timer);
    if (a->remote) // it still waits here through another node
        return;
    queue_remove(l, a); // F3.5
    standby_cancel_check(l, a);
    if (a->candidate)
        candidate_break(l, a->candidate, a, LOBBY_OPPONENT_DISCONNECTED, now_ms);
}

// Records kinship at every change of address: reconnecting from elsewhere must not hide that two players of a running
// match shared one.
static void set_address(struct lobby *l, struct lobby_agent *a, const char *address)
{
    memset(a->address, 0, sizeof a->address);
    if (address)
        memcpy(a->address, address, strnlen(address, sizeof a->address - 1));
    for (struct lobby_seat *s = a->seats; s; s = s->next)
        owners_check(l, s->live);
}

// F4.21: a process knows its matches only if its instance is the one that was synced last.
static bool has_forgotten(struct lobby *l, struct lobby_agent *a)
{
    if (strcmp(a->record.instance, a->instance) == 0)
        return !a->instance[0];
    memcpy(a->record.instance, a->instance, sizeof a->instance);
    lobby_agent_save(l, a);
    return true;
}

static void replace_connection(struct lobby *l, struct lobby_agent *a, const char *instance)
{
    struct lobby_presence old = a->presence;
    bool same = a->instance[0] && strcmp(a->instance, instance) == 0;
    if (!old.relayed)
        gateway_replace(l, a);
    a->presence = (struct lobby_presence){0};
    a->synced = false;
    reset_unwritten(l, a, old.relayed);
    if (!a->remote)
        queue_remove(l, a); // F1.12
    timer_clear(l, &a->again_timer);
    old.link->on_gone(old.client, same ? LOBBY_REPLACED_SAME_INSTANCE : LOBBY_REPLACED);
}

static void set_presence(struct lobby *l, struct lobby_agent *a, const struct lobby_presence *p, int64_t now_ms)
{
    const char *instance = p->instance ? p->instance : "";
    if (a->remote && !p->relayed)
        matchmaker_return_agent(l, a, now_ms); // it was connected to another node before
    // The strings of `p` are the caller's and valid during this call only.
    memset(a->instance, 0, sizeof a->instance);
    memcpy(a->instance, instance, strnlen(instance, sizeof a->instance - 1));
    a->conn = p->conn;
    a->newest = p->conn > a->newest ? p->conn : a->newest;
    a->connected_ms = now_ms;
    a->presence = *p;
    a->presence.instance = a->instance;
    set_address(l, a, p->address);
    a->presence.address = a->address;
    a->synced = false;
}

void lobby_connect(struct lobby *l, struct lobby_agent *a, const struct lobby_presence *p, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (is_online(a))
        replace_connection(l, a, p->instance ? p->instance : "");
    else
        link_online(l, a);
    set_presence(l, a, p, now_ms);
}

void lobby_continue(struct lobby *l, struct lobby_agent *a, const struct lobby_presence *p, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (is_online(a))
        return;
    link_online(l, a);
    set_presence(l, a, p, now_ms);
    a->synced = true;
    a->forgot = false;
}

bool lobby_is_outrun(const struct lobby_agent *a, uint64_t conn)
{
    return conn && conn < a->newest;
}

void lobby_leave(struct lobby *l, struct lobby_agent *a, const void *client, int64_t now_ms)
{
    l->now_ms = now_ms;
    // A replaced connection closes after the new one has begun, and must not end the new one.
    if (is_online(a) && a->presence.client == client)
        presence_end(l, a, now_ms);
}

const struct lobby_presence *lobby_agent_presence(const struct lobby_agent *a)
{
    return is_online(a) ? &a->presence : NULL;
}

static void close_connection(struct lobby *l, struct lobby_agent *a, enum lobby_gone why, int64_t now_ms)
{
    struct lobby_presence old = a->presence;
    presence_end(l, a, now_ms);
    old.link->on_gone(old.client, why);
}

void lobby_agent_kick(struct lobby *l, struct lobby_agent *a)
{
    if (is_online(a))
        close_connection(l, a, LOBBY_KICKED, l->now_ms);
}

void presence_replaced(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    close_connection(l, a, LOBBY_REPLACED, now_ms);
}

void presence_stray(struct lobby *l, struct lobby_agent *a)
{
    close_connection(l, a, LOBBY_STRAY, l->now_ms);
}

// --- messages after connecting (F4.19)

static void sync_seat(struct lobby *l, struct lobby_seat *s, bool forgot, int64_t now_ms)
{
    const struct lobby_presence *p = &s->agent->presence;
    bool is_new = !s->start_sent; // the match began while it was offline, or it is unknown whether it was told
    if (is_new || forgot)
        live_match_send_start(l, s, p);
    // If another player has closed the window, it is unknown whether the question had arrived (F2.13, row 5). A process
    // that has forgotten the match knows none of the events. In both cases the next question repeats all of them
    // (F4.20).
    s->doubtful = s->sent != s->proven || (forgot && s->sent > 0);
    // A connection to another node may have outlived the host that asked the first question: game_start is not repeated
    // on it (S44), so its events must not come as new ones.
    if (s->awaited)
        turns_resend(l, s, now_ms, is_new && !s->sent && !s->begun && !s->live->adopted);
    else if (!is_new)
        p->link->on_state(p->client, s);
}

void lobby_sync(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (!is_online(a) || a->synced)
        return;
    a->synced = true;
    results_send_missed(a, now_ms);
    bool forgot = a->forgot = has_forgotten(l, a) && !a->presence.knows_matches && !l->o.strict_compat;
    for (struct lobby_seat *s = a->seats; s; s = s->next) // oldest first
        if (!s->live->over)
            sync_seat(l, s, forgot, now_ms);
    candidate_remind(a, now_ms);
    standby_remind(a, now_ms);
}

void presence_catch_up_seat(struct lobby *l, struct lobby_seat *s, int64_t now_ms)
{
    const struct lobby_agent *a = s->agent;
    if (a && is_online(a) && a->synced && !s->house)
        sync_seat(l, s, a->forgot, now_ms);
}

// As if the players had just reconnected: it is unknown here what another node has sent them.
void presence_catch_up(struct lobby *l, struct live_match *b, int64_t now_ms)
{
    for (int i = 0; i < b->record.seats && !b->over; i++)
        presence_catch_up_seat(l, &b->seat[i], now_ms);
}

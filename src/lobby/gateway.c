// The gateway's side of a matchmaker at another node (S22): queue entries of agents connected here, and the messages
// relayed to them.
//
// An entry lasts as long as its agent is connected. If the matchmaker changes or the link has lost entries, the whole
// list is sent again; the agent does not notice.
#include "cluster/note.h"
#include "lobby/agent_cache.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEATED_MS = 10000 }; // a host may die after it has begun and before a player hears of it (decision 057)

// Callers call free_if_empty after removing something.
static struct gateway_entry *get_entry(struct lobby_agent *a)
{
    if (!a->remote_entry)
        a->remote_entry = lobby_alloc(sizeof *a->remote_entry);
    return a->remote_entry;
}

// Frees it if it is empty, because most agents need none most of the time.
static void free_if_empty(struct lobby_agent *a)
{
    const struct gateway_entry *f = a->remote_entry;
    if (f && f->state == GATEWAY_NONE && !f->standby_games && !f->matches && uuid_is_none(f->ready) &&
        uuid_is_none(f->confirm) && !f->expects_match) {
        free(a->remote_entry);
        a->remote_entry = NULL;
    }
}

void gateway_release(struct lobby_agent *a)
{
    while (a->remote_entry && a->remote_entry->matches) {
        struct gateway_match *p = a->remote_entry->matches;
        a->remote_entry->matches = p->next;
        free(p);
    }
    free(a->remote_entry);
    a->remote_entry = NULL;
}

bool gateway_waits(const struct lobby_agent *a)
{
    return a->remote_entry && a->remote_entry->state != GATEWAY_NONE;
}

void gateway_end_entry(struct lobby_agent *a)
{
    if (!a->remote_entry)
        return;
    a->remote_entry->state = GATEWAY_NONE;
    a->remote_entry->host_named = a->remote_entry->standby = false;
    a->remote_entry->confirm = (struct uuid){0};
    free_if_empty(a);
}

// --- sending

static uint64_t holder_of(const struct lobby *l, const struct lobby_game *g)
{
    return l->mesh.game[lobby_game_index(l, g)].holder;
}

static struct note begin_note(struct lobby_agent *a, int kind, const struct lobby_game *g)
{
    struct note n = mesh_note(a->lobby, kind, g);
    n.agent = a->record.id;
    n.conn = a->conn;
    n.capabilities = a->presence.capabilities;
    n.flags = a->presence.game_rl ? NOTE_GAME_RL : 0;
    return n;
}

static void send_join(struct lobby *l, struct lobby_agent *a)
{
    const struct gateway_entry *f = a->remote_entry;
    struct note n = begin_note(a, ENTRY_JOIN, f->game);
    n.flags |= (uint16_t)((f->one_shot ? NOTE_ONE_SHOT : 0) | (f->state == GATEWAY_SENT ? 0 : NOTE_LISTED));
    // An age, not a time: clocks of two nodes are never compared (S18).
    n.age_ms = l->now_ms > f->joined_ms ? l->now_ms - f->joined_ms : 0;
    n.number = f->number;
    snprintf(n.mode, sizeof n.mode, "%s", f->mode);
    const struct lobby_table_request *table = strcmp(f->mode, QUEUE_TABLES) == 0 ? &a->table_request : NULL;
    n.waiting = (uint8_t)(table ? table->waiting : 0);
    for (int i = 0; table && i < table->houses && n.bots < NOTE_BOTS; i++)
        snprintf(n.bot[n.bots++], NOTE_BOT, "%s", table->house[i]->name);
    mesh_send(l, holder_of(l, f->game), &n);
}

static void send_standby(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, bool stands)
{
    struct note n = begin_note(a, stands ? ENTRY_JOIN : ENTRY_QUIT, g);
    n.flags |= NOTE_STANDBY;
    mesh_send(l, holder_of(l, g), &n);
}

static void leave_standby(struct lobby *l, struct lobby_agent *a)
{
    for (int i = 0; a->remote_entry && i < l->games; i++)
        if (a->remote_entry->standby_games >> i & 1)
            send_standby(l, a, &l->o.games[i], false);
    if (a->remote_entry)
        a->remote_entry->standby_games = 0;
    free_if_empty(a);
}

// --- joining and leaving

void gateway_join(struct lobby *l, struct lobby_agent *a, const struct queue_request *w, int64_t now_ms)
{
    bool same = gateway_waits(a) && a->remote_entry->game == w->game && strcmp(a->remote_entry->mode, w->mode) == 0;
    if (same && a->remote_entry->state >= GATEWAY_ASKED) { // it is at a table of this queue already
        mesh_send_joined(a, w);
        return;
    }
    if (!same)
        gateway_withdraw(l, a, false);
    leave_standby(l, a);
    struct gateway_entry *f = get_entry(a);
    f->joined_ms = same ? f->joined_ms : now_ms; // F3.5
    // A late answer to an older entry has another number.
    f->number = ++l->mesh.entries;
    f->state = GATEWAY_SENT;
    f->game = w->game;
    f->one_shot = w->one_shot;
    f->host_named = f->standby = f->confirmed = false;
    f->confirm = (struct uuid){0};
    snprintf(f->mode, sizeof f->mode, "%s", w->mode);
    send_join(l, a);
}

void gateway_keep_entry(struct lobby_agent *a, const struct queue_request *w, int64_t joined_ms)
{
    struct gateway_entry *f = get_entry(a);
    f->number = ++a->lobby->mesh.entries;
    // As if the matchmaker had it: the entry is sent with the next list.
    f->state = GATEWAY_WAITS;
    f->game = w->game;
    f->one_shot = w->one_shot;
    f->joined_ms = joined_ms;
    snprintf(f->mode, sizeof f->mode, "%s", w->mode);
}

void gateway_withdraw(struct lobby *l, struct lobby_agent *a, bool disconnected)
{
    if (!gateway_waits(a))
        return;
    struct note n = begin_note(a, ENTRY_QUIT, a->remote_entry->game);
    n.why = disconnected ? LOBBY_OPPONENT_DISCONNECTED : LOBBY_OPPONENT_NOT_READY;
    mesh_send(l, holder_of(l, a->remote_entry->game), &n);
    gateway_end_entry(a);
}

void gateway_leave(struct lobby *l, struct lobby_agent *a)
{
    gateway_withdraw(l, a, true);
    leave_standby(l, a);
    gateway_release(a);
}

// F1.12: a queue entry ends with its connection; a question is repeated on the new one.
void gateway_replace(struct lobby *l, struct lobby_agent *a)
{
    if (gateway_waits(a) && a->remote_entry->state < GATEWAY_ASKED)
        gateway_withdraw(l, a, true);
    leave_standby(l, a);
}

void gateway_drain(struct lobby *l)
{
    for (struct lobby_agent *a = l->online; a; a = a->online_next) {
        if (!gateway_waits(a) || a->remote_entry->state == GATEWAY_SEATED)
            continue;
        struct queue_request w = {.game = a->remote_entry->game, .mode = a->remote_entry->mode};
        char mode[LOBBY_MODE_ROOM];
        // Copied, because gateway_withdraw may free a->remote_entry.
        w.mode = memcpy(mode, a->remote_entry->mode, sizeof mode);
        gateway_withdraw(l, a, false);
        mesh_send_cancelled(a, LOBBY_MAINTENANCE, false, &w, false);
    }
}

// --- questions

bool gateway_awaits_confirm(const struct lobby_agent *a, struct uuid id)
{
    return a->remote_entry && a->remote_entry->state == GATEWAY_ASKED && !a->remote_entry->confirmed &&
           uuid_equals(a->remote_entry->confirm, id);
}

int gateway_confirm(struct lobby *l, struct lobby_agent *a, struct uuid id)
{
    struct gateway_entry *f = a->remote_entry;
    if (!f || uuid_is_none(id) || !uuid_equals(f->confirm, id))
        return ERR_UNKNOWN;
    if (f->confirmed || f->state != GATEWAY_ASKED)
        return OK; // F3.14; or the matchmaker that asked is gone, and another one will ask
    f->confirmed = true;
    struct note n = begin_note(a, ENTRY_CONFIRM, f->game);
    n.id = id;
    mesh_send(l, holder_of(l, f->game), &n);
    return OK;
}

bool gateway_awaits_ready(const struct lobby_agent *a, struct uuid request)
{
    return a->remote_entry && !uuid_is_none(a->remote_entry->ready) && uuid_equals(a->remote_entry->ready, request);
}

void gateway_report_ready(struct lobby *l, struct lobby_agent *a, struct uuid request, bool ready)
{
    struct note n = {.kind = ENTRY_READY, .agent = a->record.id, .conn = a->conn, .id = request};
    n.flags = ready ? NOTE_READY : 0;
    mesh_send(l, a->remote_entry->ready_from, &n);
    a->remote_entry->ready = (struct uuid){0};
    free_if_empty(a);
}

static void send_confirm(struct lobby_agent *a, int64_t now_ms)
{
    const struct gateway_entry *f = a->remote_entry;
    struct lobby_confirm c = {.id = f->confirm,
                              .game = f->game,
                              .mode = queue_shown(f->mode),
                              .players = f->players,
                              .timeout_ms = f->due_ms - now_ms};
    a->presence.link->on_confirm(a->presence.client, &c);
}

void gateway_remind(struct lobby_agent *a, int64_t now_ms)
{
    const struct gateway_entry *f = a->remote_entry;
    if (f && f->state == GATEWAY_ASKED && !f->confirmed && f->due_ms > now_ms)
        send_confirm(a, now_ms);
    if (f && !uuid_is_none(f->ready) && f->ready_due_ms > now_ms)
        a->presence.link->on_readiness(a->presence.client, f->ready, f->ready_due_ms - now_ms);
}

// --- standby (F3.10)

static bool should_be_on_standby(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, int64_t now_ms)
{
    return mesh_is_remote(l, a, g) && !a->presence.relayed && eligibility_has_game(l, a, g) &&
           standby_would_play(l, a, g) && eligibility_for_standby(l, a, now_ms);
}

static void update_standby(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    for (int i = 0; i < l->games; i++) {
        const struct lobby_game *g = &l->o.games[i];
        bool stands = a->remote_entry && a->remote_entry->standby_games >> i & 1,
             should = should_be_on_standby(l, a, g, now_ms);
        if (stands == should || !holder_of(l, g))
            continue;
        get_entry(a)->standby_games ^= 1u << i;
        send_standby(l, a, g, should);
    }
    free_if_empty(a);
}

// A host was named for the entry, but no match has begun: the host is gone. Queues the agent again.
static void give_up_seat(struct lobby *l, struct lobby_agent *a)
{
    a->remote_entry->state = GATEWAY_WAITS;
    if (a->remote_entry->standby)
        gateway_end_entry(a);
    else
        send_join(l, a);
}

void gateway_register_standbys(struct lobby *l, int64_t now_ms)
{
    if (!l->mesh.call)
        return;
    for (struct lobby_agent *a = l->online; a; a = a->online_next) {
        if (gateway_waits(a) && a->remote_entry->state == GATEWAY_SEATED &&
            now_ms - a->remote_entry->seated_ms > SEATED_MS && !a->candidate)
            give_up_seat(l, a);
        if (a->conn && !a->presence.relayed && (a->record.standby[0] || a->remote_entry) && !gateway_waits(a))
            update_standby(l, a, now_ms);
    }
}

// --- a new matchmaker

void gateway_send_list(struct lobby *l, const struct lobby_game *g)
{
    int index = lobby_game_index(l, g);
    if (!holder_of(l, g) || mesh_is_ours(l, g))
        return;
    for (struct lobby_agent *a = l->online; a; a = a->online_next) {
        if (gateway_waits(a) && a->remote_entry->game == g && !a->remote_entry->standby)
            send_join(l, a);
        if (a->remote_entry && a->remote_entry->standby_games >> index & 1)
            send_standby(l, a, g, true);
    }
    struct note n = mesh_note(l, ENTRY_ENTRIES, g);
    mesh_send(l, holder_of(l, g), &n);
}

// The matchmaker is gone. Nobody knows whether a named host has begun its match, so such agents wait again; if it has,
// they will be told.
void gateway_end_questions(struct lobby *l, const struct lobby_game *g)
{
    for (struct lobby_agent *a = l->online; a; a = a->online_next) {
        if (!gateway_waits(a) || a->remote_entry->game != g)
            continue;
        if (a->remote_entry->standby)
            gateway_end_entry(a);
        else if (a->remote_entry->state > GATEWAY_WAITS)
            a->remote_entry->state = GATEWAY_WAITS;
    }
}

void gateway_become_matchmaker(struct lobby *l, const struct lobby_game *g)
{
    int index = lobby_game_index(l, g);
    for (struct lobby_agent *a = l->online; a; a = a->online_next) {
        if (a->remote_entry)
            a->remote_entry->standby_games &= ~(1u << index);
        if (!gateway_waits(a) || a->remote_entry->game != g || a->remote) {
            free_if_empty(a);
            continue;
        }
        char mode[LOBBY_MODE_ROOM];
        // Copied, because gateway_end_entry may free a->remote_entry.
        struct queue_request w = {
            .game = g, .mode = memcpy(mode, a->remote_entry->mode, sizeof mode), .one_shot = a->remote_entry->one_shot};
        int64_t joined_ms = a->remote_entry->joined_ms;
        bool is_new = a->remote_entry->state == GATEWAY_SENT, standby = a->remote_entry->standby;
        struct uuid confirm = a->remote_entry->confirm;
        gateway_end_entry(a);
        if (!uuid_is_none(confirm)) // the answer may be on its way
            get_entry(a)->confirm = confirm;
        if (!standby)
            queue_enter(l, a, &w, joined_ms);
        if (is_new)
            mesh_send_joined(a, &w);
    }
}

// --- messages of the matchmaker

static void introduce_to_host(struct lobby *l, struct lobby_agent *a, uint64_t host)
{
    if (host != l->mesh.call->me)
        l->mesh.call->introduce(l->mesh.call->owner, a->record.id, host);
}

void gateway_name_host(struct lobby *l, struct lobby_agent *a, const struct note *n)
{
    struct gateway_entry *f = get_entry(a);
    if (f->state == GATEWAY_NONE) { // it was on standby, or in a queue of this node
        f->one_shot = n->flags & NOTE_ONE_SHOT;
        f->standby = n->flags & NOTE_STANDBY;
        f->joined_ms = l->now_ms;
        snprintf(f->mode, sizeof f->mode, "%s", n->mode);
    }
    f->game = lobby_find_game(l, span_of(n->game));
    f->state = GATEWAY_SEATED;
    f->seated_ms = l->now_ms;
    f->host_named = true;
    introduce_to_host(l, a, n->host);
}

static void expect_match(struct lobby *l, struct lobby_agent *a, uint64_t host)
{
    get_entry(a)->expects_match = true;
    introduce_to_host(l, a, host);
}

static void receive_confirm(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const struct note *n,
                            int64_t now_ms)
{
    struct gateway_entry *f = get_entry(a);
    bool repeated = f->state == GATEWAY_ASKED && uuid_equals(f->confirm, n->id);
    if (f->state == GATEWAY_NONE)
        f->joined_ms = now_ms;
    f->state = GATEWAY_ASKED;
    f->game = g;
    f->standby = n->flags & NOTE_STANDBY;
    f->players = n->players;
    f->due_ms = now_ms + n->age_ms;
    if (f->standby || !f->mode[0])
        snprintf(f->mode, sizeof f->mode, "%s", n->mode);
    if (repeated && f->confirmed) { // the first confirmation may be lost
        f->confirmed = false;
        gateway_confirm(l, a, n->id);
        return;
    }
    f->confirm = n->id;
    f->confirmed = false;
    if (a->synced && !repeated) // otherwise it is asked when it is synced
        send_confirm(a, now_ms);
}

static void receive_quit(struct lobby_agent *a, const struct lobby_game *g, const struct note *n, int64_t now_ms)
{
    char mode[LOBBY_MODE_ROOM];
    snprintf(mode, sizeof mode, "%s", n->mode);
    struct queue_request w = {.game = g, .mode = mode, .one_shot = n->flags & NOTE_ONE_SHOT};
    bool back = n->flags & NOTE_RE_QUEUED;
    if (n->why == LOBBY_CONFIRMATION_TIMEOUT)
        eligibility_count_missed(a, now_ms);
    if (back && !(n->flags & NOTE_STANDBY)) {
        a->remote_entry->state = GATEWAY_WAITS;
        a->remote_entry->host_named = false;
    } else {
        gateway_end_entry(a);
    }
    mesh_send_cancelled(a, (enum lobby_cancel)n->why, back, &w, false);
}

static void receive_ready(struct lobby_agent *a, uint64_t from, const struct note *n, int64_t now_ms)
{
    struct gateway_entry *f = get_entry(a);
    if (!uuid_is_none(f->ready) && f->ready_due_ms > now_ms && f->ready_from != from)
        return; // one check at a time: the other matchmaker will ask again
    f->ready = n->id;
    f->ready_from = from;
    f->ready_due_ms = now_ms + n->age_ms;
    if (a->synced)
        a->presence.link->on_readiness(a->presence.client, n->id, n->age_ms);
}

// S47: an agent may be invited to a tournament from a queue, but not from a table that is about to begin.
static bool can_be_invited(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g,
                           uint64_t from, int64_t now_ms)
{
    const struct gateway_entry *f = a->remote_entry;
    bool is_at_table = a->candidate || (f && f->state >= GATEWAY_ASKED);
    bool is_asked = f && !uuid_is_none(f->ready) && f->ready_due_ms > now_ms && f->ready_from != from;
    return g && a->synced && !is_at_table && !is_asked && eligibility_has_game(l, a, g) && eligibility_has_capacity(a);
}

static void report_busy(struct lobby *l, const struct lobby_agent *a, uint64_t to, const struct note *asked)
{
    struct note n = {.kind = ENTRY_READY, .flags = NOTE_CANCELLED, .agent = a->record.id, .id = asked->id};
    n.conn = a->conn;
    mesh_send(l, to, &n);
}

static void receive_joined(struct lobby_agent *a)
{
    struct gateway_entry *f = a->remote_entry;
    if (!f || f->state == GATEWAY_NONE || f->state == GATEWAY_WAITS)
        return;
    bool is_new = f->state == GATEWAY_SENT;
    char mode[LOBBY_MODE_ROOM];
    struct queue_request w = {.game = f->game, .mode = memcpy(mode, f->mode, sizeof mode), .one_shot = f->one_shot};
    f->state = GATEWAY_WAITS;
    if (is_new)
        mesh_send_joined(a, &w);
}

static void receive_refused(struct lobby_agent *a, const struct note *n)
{
    char mode[LOBBY_MODE_ROOM];
    struct queue_request w = {.game = a->remote_entry->game, .mode = memcpy(mode, a->remote_entry->mode, sizeof mode)};
    bool is_new = a->remote_entry->state == GATEWAY_SENT && a->presence.link->on_queue_refused;
    gateway_end_entry(a);
    if (is_new)
        a->presence.link->on_queue_refused(a->presence.client, n->say);
    else
        mesh_send_cancelled(a, LOBBY_CAPACITY_CHANGED, false, &w, false);
}

// A message about an entry that has ended meanwhile is too late.
static bool is_current(const struct lobby_agent *a, const struct lobby_game *g, const struct note *n, int game)
{
    if (!(n->flags & NOTE_STANDBY))
        return gateway_waits(a) && a->remote_entry->number == n->number && a->remote_entry->game == g;
    return gateway_waits(a) ? a->remote_entry->standby && a->remote_entry->game == g
                            : a->remote_entry && a->remote_entry->standby_games >> game & 1;
}

static void receive_late(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const struct note *n)
{
    if (n->kind == ENTRY_BEGUN)
        expect_match(l, a, n->host); // it withdrew too late: the match begins with it
    if (n->kind != ENTRY_QUIT || !(n->flags & NOTE_RE_QUEUED) || gateway_waits(a))
        return;
    struct note quit = begin_note(a, ENTRY_QUIT, g);
    quit.why = LOBBY_OPPONENT_NOT_READY;
    mesh_send(l, holder_of(l, g), &quit);
}

void gateway_receive(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms)
{
    struct lobby_agent *a = lobby_find_agent(l, n->agent);
    const struct lobby_game *g = lobby_find_game(l, span_of(n->game));
    if (!a || !is_here(a) || a->remote)
        return;
    if (n->kind == ENTRY_READY) {
        if (!(n->flags & NOTE_TOURNAMENT) || can_be_invited(l, a, g, from, now_ms))
            receive_ready(a, from, n, now_ms);
        else
            report_busy(l, a, from, n);
        return;
    }
    if (n->kind == ENTRY_BEGUN && n->flags & NOTE_TOURNAMENT) {
        expect_match(l, a, n->host);
        return;
    }
    const struct mesh_game *m = g ? &l->mesh.game[lobby_game_index(l, g)] : NULL;
    if (!m || m->holder != from || m->term != n->term || n->why > LOBBY_OPPONENT_DISCONNECTED)
        return;
    if (!is_current(a, g, n, lobby_game_index(l, g)))
        receive_late(l, a, g, n);
    else if (n->kind == ENTRY_JOIN)
        receive_joined(a);
    else if (n->kind == ENTRY_CONFIRM)
        receive_confirm(l, a, g, n, now_ms);
    else if (n->kind == ENTRY_QUIT && n->flags & NOTE_CANCELLED)
        receive_quit(a, g, n, now_ms);
    else if (n->kind == ENTRY_BEGUN)
        gateway_name_host(l, a, n);
    else if (n->kind == ENTRY_REFUSED && gateway_waits(a))
        receive_refused(a, n);
}

// --- matches at other nodes

static struct gateway_match *find_match(const struct lobby_agent *a, struct uuid session)
{
    struct gateway_match *p = a->remote_entry ? a->remote_entry->matches : NULL;
    while (p && !uuid_equals(p->session, session))
        p = p->next;
    return p;
}

static void add_match(struct lobby *l, struct lobby_agent *a, struct uuid session, int64_t now_ms)
{
    struct gateway_entry *f = a->remote_entry;
    struct gateway_match *p = lobby_alloc(sizeof *p);
    bool by_entry = gateway_waits(a) && f->host_named, again = by_entry && !f->one_shot && !f->standby;
    *p = (struct gateway_match){
        .next = f->matches, .session = session, .game = by_entry ? f->game : NULL, .again = again};
    snprintf(p->mode, sizeof p->mode, "%s", f->mode);
    f->matches = p;
    f->expects_match = false;
    a->elsewhere++;
    if (by_entry && !f->one_shot)
        agent_cache_note_start(a, now_ms);
    if (f->state == GATEWAY_SEATED)
        gateway_end_entry(a);
    else
        gateway_withdraw(l, a, false); // F3.5; or the matchmaker no longer knows the entry
    if (!eligibility_for_standby(l, a, now_ms))
        leave_standby(l, a);
}

void lobby_remote_match_started(struct lobby *l, struct lobby_agent *a, struct uuid session, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (!l->mesh.call || !a->remote_entry || find_match(a, session) ||
        !(a->remote_entry->expects_match || (gateway_waits(a) && a->remote_entry->host_named)))
        return; // repeated, or a match that began before the agent connected here
    if (a->queue)
        queue_remove(l, a); // F3.5
    add_match(l, a, session, now_ms);
}

void lobby_remote_match_over(struct lobby *l, struct lobby_agent *a, struct uuid session, int64_t now_ms)
{
    l->now_ms = now_ms;
    struct gateway_match *p = find_match(a, session);
    // Also for a match that began before the agent connected here: it was counted in nodes.c, and has no gateway_match.
    if (a->elsewhere > 0)
        a->elsewhere--;
    if (!p)
        return;
    struct gateway_match **at = &a->remote_entry->matches;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    if (p->game && a->ratings && now_ms > a->ratings[lobby_game_index(l, p->game)].row.played_ms)
        a->ratings[lobby_game_index(l, p->game)].row.played_ms = now_ms; // F3.8
    if (p->again)
        queue_again(l, a, p->game, strcmp(p->mode, QUEUE_TABLES) == 0 ? QUEUE_RANKED : p->mode, now_ms);
    free(p);
    free_if_empty(a);
}

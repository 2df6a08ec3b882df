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

// Callers call tidy when they have taken something away.
static struct far *get_far(struct lobby_agent *a)
{
    if (!a->far)
        a->far = lobby_take(sizeof *a->far);
    return a->far;
}

// Frees it if it is empty, because most agents need none most of the time.
static void tidy(struct lobby_agent *a)
{
    const struct far *f = a->far;
    if (f && f->state == FAR_NONE && !f->standing && !f->plays && uuid_is_none(f->ready) && uuid_is_none(f->confirm) &&
        !f->expects) {
        free(a->far);
        a->far = NULL;
    }
}

void far_release(struct lobby_agent *a)
{
    while (a->far && a->far->plays) {
        struct far_play *p = a->far->plays;
        a->far->plays = p->next;
        free(p);
    }
    free(a->far);
    a->far = NULL;
}

bool far_waits(const struct lobby_agent *a)
{
    return a->far && a->far->state != FAR_NONE;
}

void far_end_entry(struct lobby_agent *a)
{
    if (!a->far)
        return;
    a->far->state = FAR_NONE;
    a->far->hoped = a->far->standby = false;
    a->far->confirm = (struct uuid){0};
    tidy(a);
}

// --- sending

static uint64_t holder_of(const struct lobby *l, const struct lobby_game *g)
{
    return l->mesh.game[lobby_game_index(l, g)].holder;
}

static struct note note_up(struct lobby_agent *a, int kind, const struct lobby_game *g)
{
    struct note n = mesh_note(a->lobby, kind, g);
    n.agent = a->record.id;
    n.conn = a->conn;
    n.capabilities = a->presence.capabilities;
    n.flags = a->presence.game_rl ? NOTE_GAME_RL : 0;
    return n;
}

static void add_wish(struct note *n, const struct lobby_wish *w)
{
    n->waiting = (uint8_t)w->waiting;
    for (int i = 0; i < w->houses && n->bots < NOTE_BOTS; i++)
        snprintf(n->bot[n->bots++], NOTE_BOT, "%s", w->house[i]->name);
}

static void send_join(struct lobby *l, struct lobby_agent *a)
{
    const struct far *f = a->far;
    struct note n = note_up(a, ENTRY_JOIN, f->game);
    n.flags |= (uint16_t)((f->one_shot ? NOTE_ONE_SHOT : 0) | (f->state == FAR_SENT ? 0 : NOTE_LISTED));
    // An age and no time: clocks of two nodes are never compared (S18).
    n.age_ms = l->now_ms > f->joined_ms ? l->now_ms - f->joined_ms : 0;
    n.number = f->number;
    snprintf(n.mode, sizeof n.mode, "%s", f->mode);
    if (strcmp(f->mode, QUEUE_TABLES) == 0)
        add_wish(&n, &a->wish);
    mesh_send(l, holder_of(l, f->game), &n);
}

static void send_standing(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, bool stands)
{
    struct note n = note_up(a, stands ? ENTRY_JOIN : ENTRY_QUIT, g);
    n.flags |= NOTE_STANDBY;
    mesh_send(l, holder_of(l, g), &n);
}

static void stand_down(struct lobby *l, struct lobby_agent *a)
{
    for (int i = 0; a->far && i < l->games; i++)
        if (a->far->standing >> i & 1)
            send_standing(l, a, &l->o.games[i], false);
    if (a->far)
        a->far->standing = 0;
    tidy(a);
}

// --- joining and leaving

void far_join(struct lobby *l, struct lobby_agent *a, const struct gate_wish *w, int64_t now_ms)
{
    bool same = far_waits(a) && a->far->game == w->game && strcmp(a->far->mode, w->mode) == 0;
    if (same && a->far->state >= FAR_ASKED) { // it is at a table of this queue already
        mesh_send_joined(a, w);
        return;
    }
    if (!same)
        far_withdraw(l, a, false);
    stand_down(l, a);
    struct far *f = get_far(a);
    f->joined_ms = same ? f->joined_ms : now_ms; // F3.5
    // A late answer to an older entry has another number.
    f->number = ++l->mesh.entries;
    f->state = FAR_SENT;
    f->game = w->game;
    f->one_shot = w->one_shot;
    f->hoped = f->standby = f->confirmed = false;
    f->confirm = (struct uuid){0};
    snprintf(f->mode, sizeof f->mode, "%s", w->mode);
    send_join(l, a);
}

void far_keep(struct lobby_agent *a, const struct gate_wish *w, int64_t joined_ms)
{
    struct far *f = get_far(a);
    f->number = ++a->lobby->mesh.entries;
    // As if the matchmaker had it: the entry is sent with the next list.
    f->state = FAR_WAITS;
    f->game = w->game;
    f->one_shot = w->one_shot;
    f->joined_ms = joined_ms;
    snprintf(f->mode, sizeof f->mode, "%s", w->mode);
}

void far_withdraw(struct lobby *l, struct lobby_agent *a, bool disconnected)
{
    if (!far_waits(a))
        return;
    struct note n = note_up(a, ENTRY_QUIT, a->far->game);
    n.why = disconnected ? LOBBY_OPPONENT_DISCONNECTED : LOBBY_OPPONENT_NOT_READY;
    mesh_send(l, holder_of(l, a->far->game), &n);
    far_end_entry(a);
}

void far_leave(struct lobby *l, struct lobby_agent *a)
{
    far_withdraw(l, a, true);
    stand_down(l, a);
    far_release(a);
}

// F1.12: a queue entry ends with its connection; a question is repeated on the new one.
void far_replace(struct lobby *l, struct lobby_agent *a)
{
    if (far_waits(a) && a->far->state < FAR_ASKED)
        far_withdraw(l, a, true);
    stand_down(l, a);
}

void far_drain(struct lobby *l)
{
    for (struct lobby_agent *a = l->online; a; a = a->online_next) {
        if (!far_waits(a) || a->far->state == FAR_SEATED)
            continue;
        struct gate_wish w = {.game = a->far->game, .mode = a->far->mode};
        char mode[LOBBY_MODE_ROOM];
        // Copied, because far_withdraw may free a->far.
        w.mode = memcpy(mode, a->far->mode, sizeof mode);
        far_withdraw(l, a, false);
        mesh_send_cancelled(a, LOBBY_MAINTENANCE, false, &w, false);
    }
}

// --- questions

bool far_awaits_confirm(const struct lobby_agent *a, struct uuid id)
{
    return a->far && a->far->state == FAR_ASKED && !a->far->confirmed && uuid_equals(a->far->confirm, id);
}

int far_confirm(struct lobby *l, struct lobby_agent *a, struct uuid id)
{
    struct far *f = a->far;
    if (!f || uuid_is_none(id) || !uuid_equals(f->confirm, id))
        return ERR_UNKNOWN;
    if (f->confirmed || f->state != FAR_ASKED)
        return OK; // F3.14; or the matchmaker that asked is gone, and another one will ask
    f->confirmed = true;
    struct note n = note_up(a, ENTRY_CONFIRM, f->game);
    n.id = id;
    mesh_send(l, holder_of(l, f->game), &n);
    return OK;
}

bool far_awaits_ready(const struct lobby_agent *a, struct uuid request)
{
    return a->far && !uuid_is_none(a->far->ready) && uuid_equals(a->far->ready, request);
}

void far_report_ready(struct lobby *l, struct lobby_agent *a, struct uuid request, bool ready)
{
    struct note n = {.kind = ENTRY_READY, .agent = a->record.id, .conn = a->conn, .id = request};
    n.flags = ready ? NOTE_READY : 0;
    mesh_send(l, a->far->ready_from, &n);
    a->far->ready = (struct uuid){0};
    tidy(a);
}

static void ask(struct lobby_agent *a, int64_t now_ms)
{
    const struct far *f = a->far;
    struct lobby_confirm c = {.id = f->confirm,
                              .game = f->game,
                              .mode = queue_shown(f->mode),
                              .players = f->players,
                              .timeout_ms = f->due_ms - now_ms};
    a->presence.link->on_confirm(a->presence.client, &c);
}

void far_remind(struct lobby_agent *a, int64_t now_ms)
{
    const struct far *f = a->far;
    if (f && f->state == FAR_ASKED && !f->confirmed && f->due_ms > now_ms)
        ask(a, now_ms);
    if (f && !uuid_is_none(f->ready) && f->ready_due_ms > now_ms)
        a->presence.link->on_readiness(a->presence.client, f->ready, f->ready_due_ms - now_ms);
}

// --- standby (F3.10)

static bool should_stand(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, int64_t now_ms)
{
    return mesh_goes_far(l, a, g) && !a->presence.relayed && gate_offers(l, a, g) && standby_would_play(l, a, g) &&
           gate_standby(l, a, now_ms);
}

static void review(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    for (int i = 0; i < l->games; i++) {
        const struct lobby_game *g = &l->o.games[i];
        bool stands = a->far && a->far->standing >> i & 1, should = should_stand(l, a, g, now_ms);
        if (stands == should || !holder_of(l, g))
            continue;
        get_far(a)->standing ^= 1u << i;
        send_standing(l, a, g, should);
    }
    tidy(a);
}

// A host was named for the entry, but no match has begun: the host is gone. Queues the agent again.
static void give_up_seat(struct lobby *l, struct lobby_agent *a)
{
    a->far->state = FAR_WAITS;
    if (a->far->standby)
        far_end_entry(a);
    else
        send_join(l, a);
}

void far_stand(struct lobby *l, int64_t now_ms)
{
    if (!l->mesh.call)
        return;
    for (struct lobby_agent *a = l->online; a; a = a->online_next) {
        if (far_waits(a) && a->far->state == FAR_SEATED && now_ms - a->far->seated_ms > SEATED_MS && !a->candidate)
            give_up_seat(l, a);
        if (a->conn && !a->presence.relayed && (a->record.standby[0] || a->far) && !far_waits(a))
            review(l, a, now_ms);
    }
}

// --- a new matchmaker

void far_send_all(struct lobby *l, const struct lobby_game *g)
{
    int index = lobby_game_index(l, g);
    if (!holder_of(l, g) || mesh_is_ours(l, g))
        return;
    for (struct lobby_agent *a = l->online; a; a = a->online_next) {
        if (far_waits(a) && a->far->game == g && !a->far->standby)
            send_join(l, a);
        if (a->far && a->far->standing >> index & 1)
            send_standing(l, a, g, true);
    }
    struct note n = mesh_note(l, ENTRY_ENTRIES, g);
    mesh_send(l, holder_of(l, g), &n);
}

// The matchmaker is gone. Nobody knows whether a named host has begun its match, so such agents wait again; if it has,
// they will be told.
void far_unask(struct lobby *l, const struct lobby_game *g)
{
    for (struct lobby_agent *a = l->online; a; a = a->online_next) {
        if (!far_waits(a) || a->far->game != g)
            continue;
        if (a->far->standby)
            far_end_entry(a);
        else if (a->far->state > FAR_WAITS)
            a->far->state = FAR_WAITS;
    }
}

void far_adopt(struct lobby *l, const struct lobby_game *g)
{
    int index = lobby_game_index(l, g);
    for (struct lobby_agent *a = l->online; a; a = a->online_next) {
        if (a->far)
            a->far->standing &= ~(1u << index);
        if (!far_waits(a) || a->far->game != g || a->remote) {
            tidy(a);
            continue;
        }
        char mode[LOBBY_MODE_ROOM];
        // Copied, because far_end_entry may free a->far.
        struct gate_wish w = {.game = g, .mode = memcpy(mode, a->far->mode, sizeof mode), .one_shot = a->far->one_shot};
        int64_t joined_ms = a->far->joined_ms;
        bool is_new = a->far->state == FAR_SENT, standby = a->far->standby;
        struct uuid confirm = a->far->confirm;
        far_end_entry(a);
        if (!uuid_is_none(confirm)) // the answer may be on its way
            get_far(a)->confirm = confirm;
        if (!standby)
            queue_enter(l, a, &w, joined_ms);
        if (is_new)
            mesh_send_joined(a, &w);
    }
}

// --- messages of the matchmaker

static void greet_host(struct lobby *l, struct lobby_agent *a, uint64_t host)
{
    if (host != l->mesh.call->me)
        l->mesh.call->introduce(l->mesh.call->owner, a->record.id, host);
}

void far_seat(struct lobby *l, struct lobby_agent *a, const struct note *n)
{
    struct far *f = get_far(a);
    if (f->state == FAR_NONE) { // it was on standby, or in a queue of this node
        f->one_shot = n->flags & NOTE_ONE_SHOT;
        f->standby = n->flags & NOTE_STANDBY;
        f->joined_ms = l->now_ms;
        snprintf(f->mode, sizeof f->mode, "%s", n->mode);
    }
    f->game = lobby_find_game(l, span_of(n->game));
    f->state = FAR_SEATED;
    f->seated_ms = l->now_ms;
    f->hoped = true;
    greet_host(l, a, n->host);
}

static void expect(struct lobby *l, struct lobby_agent *a, uint64_t host)
{
    get_far(a)->expects = true;
    greet_host(l, a, host);
}

static void receive_confirm(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const struct note *n,
                            int64_t now_ms)
{
    struct far *f = get_far(a);
    bool repeated = f->state == FAR_ASKED && uuid_equals(f->confirm, n->id);
    if (f->state == FAR_NONE)
        f->joined_ms = now_ms;
    f->state = FAR_ASKED;
    f->game = g;
    f->standby = n->flags & NOTE_STANDBY;
    f->players = n->players;
    f->due_ms = now_ms + n->age_ms;
    if (f->standby || !f->mode[0])
        snprintf(f->mode, sizeof f->mode, "%s", n->mode);
    if (repeated && f->confirmed) { // the first confirmation may be lost
        f->confirmed = false;
        far_confirm(l, a, n->id);
        return;
    }
    f->confirm = n->id;
    f->confirmed = false;
    if (a->greeted && !repeated) // otherwise it is asked when it is greeted
        ask(a, now_ms);
}

static void receive_quit(struct lobby_agent *a, const struct lobby_game *g, const struct note *n, int64_t now_ms)
{
    char mode[LOBBY_MODE_ROOM];
    snprintf(mode, sizeof mode, "%s", n->mode);
    struct gate_wish w = {.game = g, .mode = mode, .one_shot = n->flags & NOTE_ONE_SHOT};
    bool back = n->flags & NOTE_RE_QUEUED;
    if (n->why == LOBBY_CONFIRMATION_TIMEOUT)
        gate_miss(a, now_ms);
    if (back && !(n->flags & NOTE_STANDBY)) {
        a->far->state = FAR_WAITS;
        a->far->hoped = false;
    } else {
        far_end_entry(a);
    }
    mesh_send_cancelled(a, (enum lobby_cancel)n->why, back, &w, false);
}

static void receive_ready(struct lobby_agent *a, uint64_t from, const struct note *n, int64_t now_ms)
{
    struct far *f = get_far(a);
    if (!uuid_is_none(f->ready) && f->ready_due_ms > now_ms && f->ready_from != from)
        return; // one check at a time: the other matchmaker will ask again
    f->ready = n->id;
    f->ready_from = from;
    f->ready_due_ms = now_ms + n->age_ms;
    if (a->greeted)
        a->presence.link->on_readiness(a->presence.client, n->id, n->age_ms);
}

// S47: an agent may be invited to a tournament from a queue, but not from a table that is about to begin.
static bool can_be_invited(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g,
                           uint64_t from, int64_t now_ms)
{
    const struct far *f = a->far;
    bool is_at_table = a->candidate || (f && f->state >= FAR_ASKED);
    bool is_asked = f && !uuid_is_none(f->ready) && f->ready_due_ms > now_ms && f->ready_from != from;
    return g && a->greeted && !is_at_table && !is_asked && gate_offers(l, a, g) && gate_has_capacity(a);
}

static void report_busy(struct lobby *l, const struct lobby_agent *a, uint64_t to, const struct note *asked)
{
    struct note n = {.kind = ENTRY_READY, .flags = NOTE_CANCELLED, .agent = a->record.id, .id = asked->id};
    n.conn = a->conn;
    mesh_send(l, to, &n);
}

static void receive_joined(struct lobby_agent *a)
{
    struct far *f = a->far;
    if (!f || f->state == FAR_NONE || f->state == FAR_WAITS)
        return;
    bool is_new = f->state == FAR_SENT;
    char mode[LOBBY_MODE_ROOM];
    struct gate_wish w = {.game = f->game, .mode = memcpy(mode, f->mode, sizeof mode), .one_shot = f->one_shot};
    f->state = FAR_WAITS;
    if (is_new)
        mesh_send_joined(a, &w);
}

static void receive_refused(struct lobby_agent *a, const struct note *n)
{
    char mode[LOBBY_MODE_ROOM];
    struct gate_wish w = {.game = a->far->game, .mode = memcpy(mode, a->far->mode, sizeof mode)};
    bool is_new = a->far->state == FAR_SENT && a->presence.link->on_queue_refused;
    far_end_entry(a);
    if (is_new)
        a->presence.link->on_queue_refused(a->presence.client, n->say);
    else
        mesh_send_cancelled(a, LOBBY_CAPACITY_CHANGED, false, &w, false);
}

// A message about an entry that has ended meanwhile is too late.
static bool is_current(const struct lobby_agent *a, const struct lobby_game *g, const struct note *n, int game)
{
    if (!(n->flags & NOTE_STANDBY))
        return far_waits(a) && a->far->number == n->number && a->far->game == g;
    return far_waits(a) ? a->far->standby && a->far->game == g : a->far && a->far->standing >> game & 1;
}

static void receive_late(struct lobby *l, struct lobby_agent *a, const struct lobby_game *g, const struct note *n)
{
    if (n->kind == ENTRY_BEGUN)
        expect(l, a, n->host); // it withdrew too late: the match begins with it
    if (n->kind != ENTRY_QUIT || !(n->flags & NOTE_RE_QUEUED) || far_waits(a))
        return;
    struct note quit = note_up(a, ENTRY_QUIT, g);
    quit.why = LOBBY_OPPONENT_NOT_READY;
    mesh_send(l, holder_of(l, g), &quit);
}

void far_receive(struct lobby *l, uint64_t from, const struct note *n, int64_t now_ms)
{
    struct lobby_agent *a = lobby_find_agent(l, n->agent);
    const struct lobby_game *g = lobby_find_game(l, span_of(n->game));
    if (!a || !is_here(a) || a->remote)
        return;
    if (n->kind == ENTRY_READY) {
        if (!(n->flags & NOTE_TOUR) || can_be_invited(l, a, g, from, now_ms))
            receive_ready(a, from, n, now_ms);
        else
            report_busy(l, a, from, n);
        return;
    }
    if (n->kind == ENTRY_BEGUN && n->flags & NOTE_TOUR) {
        expect(l, a, n->host);
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
        far_seat(l, a, n);
    else if (n->kind == ENTRY_REFUSED && far_waits(a))
        receive_refused(a, n);
}

// --- matches at other nodes

static struct far_play *find_play(const struct lobby_agent *a, struct uuid session)
{
    struct far_play *p = a->far ? a->far->plays : NULL;
    while (p && !uuid_equals(p->session, session))
        p = p->next;
    return p;
}

static void note_play(struct lobby *l, struct lobby_agent *a, struct uuid session, int64_t now_ms)
{
    struct far *f = a->far;
    struct far_play *p = lobby_take(sizeof *p);
    bool by_entry = far_waits(a) && f->hoped, again = by_entry && !f->one_shot && !f->standby;
    *p = (struct far_play){.next = f->plays, .session = session, .game = by_entry ? f->game : NULL, .again = again};
    snprintf(p->mode, sizeof p->mode, "%s", f->mode);
    f->plays = p;
    f->expects = false;
    a->elsewhere++;
    if (by_entry && !f->one_shot)
        agent_cache_note_start(a, now_ms);
    if (f->state == FAR_SEATED)
        far_end_entry(a);
    else
        far_withdraw(l, a, false); // F3.5; or the matchmaker no longer knows the entry
    if (!gate_standby(l, a, now_ms))
        stand_down(l, a);
}

void lobby_far_started(struct lobby *l, struct lobby_agent *a, struct uuid session, int64_t now_ms)
{
    l->now_ms = now_ms;
    if (!l->mesh.call || !a->far || find_play(a, session) || !(a->far->expects || (far_waits(a) && a->far->hoped)))
        return; // repeated, or a match that began before the agent connected here
    if (a->queue)
        queue_remove(l, a); // F3.5
    note_play(l, a, session, now_ms);
}

void lobby_far_over(struct lobby *l, struct lobby_agent *a, struct uuid session, int64_t now_ms)
{
    l->now_ms = now_ms;
    struct far_play *p = find_play(a, session);
    // Also for a match that began before the agent connected here: it was counted in nodes.c, and has no far_play.
    if (a->elsewhere > 0)
        a->elsewhere--;
    if (!p)
        return;
    struct far_play **at = &a->far->plays;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    if (p->game && a->ratings && now_ms > a->ratings[lobby_game_index(l, p->game)].row.played_ms)
        a->ratings[lobby_game_index(l, p->game)].row.played_ms = now_ms; // F3.8
    if (p->again)
        queue_again(l, a, p->game, strcmp(p->mode, QUEUE_TABLES) == 0 ? QUEUE_RANKED : p->mode, now_ms);
    free(p);
    tidy(a);
}

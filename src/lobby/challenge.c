// Open challenges are in one array, and a final one is replaced by the last. With several nodes, functions here read
// from the store in jobs: after a read a challenge is found again by its id, because the array may have changed.
#include "lobby/challenge.h"

#include "cluster/note.h"
#include "lobby/internal.h"
#include "work/work.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECHECK_MS = 1000, MIN_PLACES = 2, MAX_PLACES = 6 }; // places: F3.19

struct challenges {
    struct lobby *lobby;
    struct store_challenge *open; // CHALLENGE_MOST elements; final ones are kept until they are durable
    store_ticket *saved;          // ticket of the last put of each
    int count;
    int64_t recheck_ms; // when to look again at full tables that wait and at final ones; INT64_MAX: there are none
    // One check at a time: two would begin the same table twice.
    bool is_checking; // a job is looking at tables whose players may be at other nodes
};

// With several nodes, the matchmaker of a game keeps its challenges (S25).
static bool is_ours(const struct challenges *c, const struct lobby_game *g)
{
    return g && mesh_is_ours(c->lobby, g);
}

static int refuse(char why[CHALLENGE_ERROR_ROOM], int status, const char *text)
{
    snprintf(why, CHALLENGE_ERROR_ROOM, "%s", text);
    return status;
}

const char *challenge_status_name(int status)
{
    static const char *const names[] = {
        [DUEL_PENDING] = "pending",     [DUEL_ACCEPTED] = "accepted", [DUEL_WAITING] = "waiting_online",
        [DUEL_IN_MATCH] = "in_match",   [DUEL_FINISHED] = "finished", [DUEL_EXPIRED] = "expired",
        [DUEL_CANCELLED] = "cancelled",
    };
    return names[status];
}

static bool is_final(const struct store_challenge *d)
{
    return d->status >= DUEL_FINISHED;
}

// --- challenges in memory

static void save_challenge(struct challenges *c, const struct store_challenge *d)
{
    c->saved[d - c->open] = store_put_challenge(lobby_store(c->lobby), d);
}

static void set_status(struct challenges *c, struct store_challenge *d, int status)
{
    d->status = (uint8_t)status;
    save_challenge(c, d);
    c->recheck_ms = 0;
}

// Removes a final challenge once it is durable; the last one of the array takes its place.
static void drop_if_stored(struct challenges *c, struct store_challenge *d)
{
    if (c->saved[d - c->open] > store_durable(lobby_store(c->lobby)))
        return;
    c->saved[d - c->open] = c->saved[--c->count];
    *d = c->open[c->count];
}

static struct store_challenge *find_open(struct challenges *c, struct uuid id)
{
    for (int i = 0; i < c->count; i++)
        if (uuid_equals(c->open[i].id, id))
            return &c->open[i];
    return NULL;
}

static struct store_challenge *find_open_by_hash(struct challenges *c, const uint8_t hash[STORE_HASH])
{
    for (int i = 0; i < c->count; i++)
        // The token alone lets somebody take a place.
        if (crypto_equal(c->open[i].token_hash, hash, STORE_HASH))
            return &c->open[i];
    return NULL;
}

bool challenge_find(struct challenges *c, struct span token, struct store_challenge *out)
{
    uint8_t hash[STORE_HASH];
    // Anything else cannot be one of ours, and costs neither a hash nor a read.
    if (token.size != CHALLENGE_TOKEN || memcmp(token.at, "dl_", 3) != 0)
        return false;
    crypto_sha256(hash, token.at, token.size);
    const struct store_challenge *d = find_open_by_hash(c, hash);
    if (d)
        *out = *d;
    return d || store_find_challenge_by_token(lobby_store(c->lobby), hash, out);
}

bool challenge_find_by_id(struct challenges *c, struct uuid id, struct store_challenge *out)
{
    const struct store_challenge *d = find_open(c, id);
    if (d)
        *out = *d;
    return d || store_find_challenge(lobby_store(c->lobby), id, out);
}

// --- starting the match of a full table

static const struct lobby_game *find_game(struct challenges *c, const struct store_challenge *d)
{
    return lobby_find_game(c->lobby, span_of(d->game));
}

// Finds the players of a full table. Returns false unless all are online, free and accept the game (F6.B1).
static bool find_players(struct challenges *c, const struct store_challenge *d, const struct lobby_game *g,
                         struct lobby_agent *agents[STORE_SEATS])
{
    for (int i = 0; i < d->taken; i++) {
        agents[i] = lobby_find_agent(c->lobby, d->agent[i]);
        if (!agents[i])
            return false; // agents that are online, and house agents, are in memory
        if (lobby_agent_record(agents[i])->kind == STORE_HOUSE)
            continue;
        if (!is_online(agents[i]) || !tables_can_seat(c->lobby, agents[i], g))
            return false;
    }
    return true;
}

// --- players at other nodes (S25)

static void settle_match(struct challenges *c, struct uuid id)
{
    struct store_match m;
    uint64_t unanswered = store_unanswered(lobby_store(c->lobby));
    struct store_challenge *d = find_open(c, id);
    bool runs = store_find_match(lobby_store(c->lobby), d->match, &m) && m.status == STORE_RUNNING;
    d = find_open(c, id);
    if (d && d->status == DUEL_IN_MATCH && !runs && store_unanswered(lobby_store(c->lobby)) == unanswered)
        set_status(c, d, DUEL_FINISHED);
}

static void start_table(struct challenges *c, struct uuid id)
{
    struct lobby *l = c->lobby;
    struct table_player p[STORE_SEATS];
    struct store_challenge was = *find_open(c, id);
    const struct lobby_game *g = find_game(c, &was);
    tables_find_players(l, was.agent, was.taken, p);
    struct store_challenge *d = find_open(c, id); // found again after the reads above
    bool same = d && d->status == was.status && is_ours(c, g) && l->mesh.call && !l->closing && !lobby_is_draining(l);
    struct uuid match;
    bool begun =
        same && tables_find_missing(l, g, p, was.taken) < 0 && tables_begin(l, g, p, was.taken, id, &match) == OK;
    if (begun &&
        (d = find_open(c,
                       id))) { // found again: beginning a match waits for the store when all numbers of deals are used
        d->match = match;
        d->status = DUEL_IN_MATCH;
        save_challenge(c, d);
    }
    tables_release_players(p, was.taken);
}

static bool waits_for_players(const struct challenges *c, const struct store_challenge *d)
{
    bool full = d->status == DUEL_WAITING || d->status == DUEL_ACCEPTED;
    bool elsewhere = d->status == DUEL_IN_MATCH && !lobby_is_playing(c->lobby, d->match);
    return (full || elsewhere) && is_ours(c, find_game((struct challenges *)(uintptr_t)c, d));
}

static void check_waiting_tables(void *arg)
{
    struct challenges *c = arg;
    struct uuid *ids = lobby_alloc(CHALLENGE_MOST * sizeof *ids);
    int count = 0;
    for (int i = 0; i < c->count; i++)
        if (waits_for_players(c, &c->open[i]))
            ids[count++] = c->open[i].id;
    for (int i = 0; i < count && !c->lobby->closing; i++) {
        const struct store_challenge *d = find_open(c, ids[i]);
        if (d && d->status == DUEL_IN_MATCH)
            settle_match(c, ids[i]);
        else if (d && !is_final(d))
            start_table(c, ids[i]);
    }
    free(ids);
    c->is_checking = false;
}

// The table is full: the match begins at once, or when the missing players have come.
static void try_start(struct challenges *c, struct store_challenge *d, int64_t now_ms)
{
    struct lobby_agent *agents[STORE_SEATS];
    const struct lobby_game *g = find_game(c, d);
    uint8_t before = d->status;
    struct uuid match;
    if (c->lobby->mesh.call) { // left to check_waiting_tables, a job, because it may have to read
        d->status = DUEL_WAITING;
        c->recheck_ms = now_ms;
    } else if (g && !lobby_is_draining(c->lobby) && find_players(c, d, g, agents) &&
               lobby_seat_table(c->lobby, g, "friendly", agents, d->taken, d->id, now_ms, &match) == OK) {
        d->status = DUEL_IN_MATCH;
        d->match = match;
    } else {
        d->status = DUEL_WAITING;
    }
    if (d->status != before)
        save_challenge(c, d);
    if (d->status == DUEL_WAITING && c->recheck_ms == INT64_MAX)
        c->recheck_ms = now_ms + RECHECK_MS;
}

static void on_match_end(void *owner, const struct store_match *m)
{
    struct challenges *c = owner;
    struct store_challenge *d = uuid_is_none(m->challenge) ? NULL : find_open(c, m->challenge);
    if (!d || is_final(d))
        return;
    if (!m->finished_ms) { // refused by the store: it never began
        d->match = (struct uuid){0};
        set_status(c, d, DUEL_WAITING);
        return;
    }
    d->match = m->id;
    set_status(c, d, DUEL_FINISHED);
}

// --- opening

// After a crash between two puts, the store may have a challenge as open whose match has ended.
static void settle_stale(struct challenges *c, int64_t now_ms)
{
    for (int i = c->count - 1; i >= 0; i--) {
        struct store_challenge *d = &c->open[i];
        struct store_match m;
        if (d->status == DUEL_IN_MATCH &&
            (!store_find_match(lobby_store(c->lobby), d->match, &m) || m.status != STORE_RUNNING))
            set_status(c, d, DUEL_FINISHED);
        else if (d->status == DUEL_ACCEPTED || d->status == DUEL_WAITING)
            c->recheck_ms = now_ms;
    }
}

struct challenges *challenges_open(struct lobby *l, int64_t now_ms)
{
    struct challenges *c = calloc(1, sizeof *c);
    struct store_challenge *open = calloc(CHALLENGE_MOST, sizeof *open);
    store_ticket *saved = calloc(CHALLENGE_MOST, sizeof *saved);
    if (!c || !open || !saved)
        abort(); // while the server starts, so there is nothing to save yet
    *c = (struct challenges){.lobby = l, .open = open, .saved = saved, .recheck_ms = INT64_MAX};
    c->count = store_list_open_challenges(lobby_store(l), c->open, CHALLENGE_MOST);
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->open[i].taken; k++)
            lobby_agent_by_id(l, c->open[i].agent[k]); // loads its house agents, which then stay in memory
    settle_stale(c, now_ms);
    lobby_on_match_end(l, on_match_end, c);
    l->challenges = c;
    return c;
}

void challenges_close(struct challenges *c)
{
    c->lobby->challenges = NULL;
    free(c->open);
    free(c->saved);
    free(c);
}

// --- time

static bool may_expire(const struct store_challenge *d)
{
    return d->status < DUEL_IN_MATCH;
}

// Returns whether it has to be looked at again.
static bool recheck_challenge(struct challenges *c, struct store_challenge *d, int64_t now_ms)
{
    int count = c->count;
    if (is_final(d))
        drop_if_stored(c, d);
    else if (c->lobby->mesh.call)
        return waits_for_players(c, d);
    else if (d->status == DUEL_WAITING || d->status == DUEL_ACCEPTED)
        try_start(c, d, now_ms);
    else
        return false;
    return c->count == count && d->status != DUEL_IN_MATCH;
}

void challenges_tick(struct challenges *c, int64_t now_ms)
{
    // The loop runs backwards because a challenge that is forgotten is replaced by the last one.
    bool look = now_ms >= c->recheck_ms, again = false;
    for (int i = c->count - 1; i >= 0; i--) {
        struct store_challenge *d = &c->open[i];
        if (!is_final(d) && !is_ours(c, find_game(c, d)))
            continue; // its matchmaker is not chosen yet
        if (may_expire(d) && d->expires_ms <= now_ms) {
            set_status(c, d, DUEL_EXPIRED);
            look = again = true;
        } else if (look) {
            again |= recheck_challenge(c, d, now_ms);
        }
    }
    if (look)
        c->recheck_ms = again ? now_ms + RECHECK_MS : INT64_MAX;
    if (look && c->lobby->mesh.call && !c->is_checking) {
        c->is_checking = true;
        work_start(c->lobby->o.work, check_waiting_tables, c);
    }
}

int64_t challenges_next_due(const struct challenges *c)
{
    int64_t due = c->recheck_ms;
    for (int i = 0; i < c->count; i++)
        if (may_expire(&c->open[i]) && c->open[i].expires_ms < due &&
            is_ours(c, find_game((struct challenges *)(uintptr_t)c, &c->open[i])))
            due = c->open[i].expires_ms;
    return due;
}

// --- a new matchmaker

static void drop_of_game(struct challenges *c, const struct lobby_game *g)
{
    for (int i = c->count - 1; i >= 0; i--)
        if (find_game(c, &c->open[i]) == g) {
            c->saved[i] = c->saved[--c->count];
            c->open[i] = c->open[c->count];
        }
}

struct challenge_load {
    struct challenges *challenges;
    const struct lobby_game *game;
};

// Returns false if the store did not answer.
static bool list_open(struct lobby *l, struct store_challenge *rows, int *count)
{
    uint64_t unanswered = store_unanswered(l->store);
    *count = store_list_open_challenges(l->store, rows, CHALLENGE_MOST);
    return store_unanswered(l->store) == unanswered;
}

// Loads the challenges that the previous matchmaker has kept in the store, which may be away, as the node of that is.
static void load_of_game(void *arg)
{
    struct challenge_load *x = arg;
    struct challenges *c = x->challenges;
    struct lobby *l = c->lobby;
    struct store_challenge *rows = lobby_alloc(CHALLENGE_MOST * sizeof *rows);
    int count;
    while (!list_open(l, rows, &count) && !l->closing && work_is_inside(l->o.work))
        work_wait_turn(l->o.work);
    for (int i = 0; i < count && !l->closing && is_ours(c, x->game); i++)
        if (find_game(c, &rows[i]) == x->game && c->count < CHALLENGE_MOST && !find_open(c, rows[i].id)) {
            c->saved[c->count] = 0;
            c->open[c->count++] = rows[i];
        }
    c->recheck_ms = 0;
    free(rows);
    free(x);
}

void challenges_move(struct challenges *c, const struct lobby_game *g)
{
    drop_of_game(c, g);
    if (!mesh_is_ours(c->lobby, g))
        return;
    struct challenge_load *x = lobby_alloc(sizeof *x);
    *x = (struct challenge_load){c, g};
    work_start(c->lobby->o.work, load_of_game, x);
}

// --- requests to and from other nodes

// Forwards a request to the matchmaker. Returns the HTTP status, or 0 if this node keeps the challenge. Sets `out` as
// stored if something was done.
static int forward_request(struct challenges *c, const struct lobby_game *g, struct note *n,
                           struct store_challenge *out, char *token, char why[CHALLENGE_ERROR_ROOM])
{
    struct note answer;
    if (!g || is_ours(c, g))
        return 0;
    struct note head = mesh_note(c->lobby, n->kind, g);
    n->flags |= NOTE_CHALLENGE;
    n->term = head.term;
    memcpy(n->game, head.game, sizeof n->game);
    if (!peer_request_send(c->lobby, g, n, &answer))
        return refuse(why, 503, "no match can begin now; try again later");
    // A note about a challenge carries an HTTP status in the place of an age.
    int status = (int)answer.age_ms;
    if (answer.kind == ENTRY_REFUSED)
        return refuse(why, status, answer.say);
    if (token)
        snprintf(token, CHALLENGE_TOKEN + 1, "%.*s", CHALLENGE_TOKEN, answer.say);
    if (out && !store_find_challenge(lobby_store(c->lobby), answer.challenge, out))
        return refuse(why, 503, "no match can begin now; try again later");
    return status;
}

static int accept_challenge(struct challenges *c, struct lobby_agent *guest, struct span token, bool is_there,
                            int64_t now_ms, struct store_challenge *out, char why[CHALLENGE_ERROR_ROOM]);

struct challenge_request {
    struct challenges *challenges;
    uint64_t from;
    struct note note;
};

static int handle_request(struct challenges *c, const struct note *n, struct lobby_agent *a, struct store_challenge *d,
                          char token[CHALLENGE_TOKEN + 1], char why[CHALLENGE_ERROR_ROOM])
{
    const struct lobby_game *g = lobby_find_game(c->lobby, span_of(n->game));
    const struct bot *house[NOTE_BOTS];
    if (!g || !is_ours(c, g))
        return refuse(why, 503, "no match can begin now; try again later");
    if (n->kind == ENTRY_QUIT) {
        d->id = n->challenge;
        return challenge_cancel(c, a, n->challenge, why);
    }
    if (n->say[0])
        return accept_challenge(c, a, span_of(n->say), true, c->lobby->now_ms, d, why);
    for (int i = 0; i < n->bots; i++)
        if (!(house[i] = house_find(g, n->bot[i])))
            return refuse(why, 503, "no match can begin now; try again later");
    return challenge_create_table(c, a, g, n->age_ms, house, n->bots, c->lobby->now_ms, d, token, why);
}

// Replies when the change is durable.
static void run_request(void *arg)
{
    struct challenge_request *x = arg;
    struct challenges *c = x->challenges;
    struct lobby *l = c->lobby;
    struct store_challenge d = {0};
    char token[CHALLENGE_TOKEN + 1] = "", why[CHALLENGE_ERROR_ROOM] = "unknown agent";
    struct lobby_agent *a = lobby_agent_by_id(l, x->note.agent);
    int status = 404;
    if (a && !l->closing) {
        lobby_agent_hold(a);
        status = handle_request(c, &x->note, a, &d, token, why);
        lobby_agent_release(a);
        store_wait(l->store);
    }
    struct note n = {.kind = status < 300 ? ENTRY_BEGUN : ENTRY_REFUSED, .flags = NOTE_DOWN | NOTE_CHALLENGE};
    n.id = x->note.id;
    n.age_ms = status;
    n.challenge = d.id;
    snprintf(n.say, sizeof n.say, "%.*s", NOTE_SAY - 1, status < 300 ? token : why);
    mesh_send(l, x->from, &n);
    free(x);
}

void challenges_receive(struct challenges *c, uint64_t from, const struct note *n)
{
    struct challenge_request *x = lobby_alloc(sizeof *x);
    *x = (struct challenge_request){.challenges = c, .from = from, .note = *n};
    work_start(c->lobby->o.work, run_request, x);
}

// --- creating, accepting, cancelling

static int usual_places(const struct lobby_game *g)
{
    if (g->challenge_places)
        return g->challenge_places; // F3.19
    return g->min_seats > MIN_PLACES ? g->min_seats : MIN_PLACES;
}

static int count_own(const struct challenges *c, struct uuid host)
{
    int count = 0;
    for (int i = 0; i < c->count; i++)
        count += !is_final(&c->open[i]) && uuid_equals(c->open[i].agent[0], host);
    return count;
}

static void make_token(char token[CHALLENGE_TOKEN + 1], uint8_t hash[STORE_HASH])
{
    uint8_t random[16];
    struct text t = text_on(token, CHALLENGE_TOKEN);
    crypto_random(random, sizeof random);
    text_puts(&t, "dl_");
    text_put_hex_bytes(&t, random, sizeof random);
    assert(t.size == CHALLENGE_TOKEN);
    token[t.size] = 0;
    crypto_sha256(hash, token, t.size);
}

int challenge_create(struct challenges *c, struct lobby_agent *host, const struct lobby_game *g, int64_t places,
                     int64_t now_ms, struct store_challenge *out, char token[CHALLENGE_TOKEN + 1],
                     char why[CHALLENGE_ERROR_ROOM])
{
    return challenge_create_table(c, host, g, places, NULL, 0, now_ms, out, token, why);
}

int challenge_create_table(struct challenges *c, struct lobby_agent *host, const struct lobby_game *g, int64_t places,
                           const struct bot *const *house, int house_count, int64_t now_ms, struct store_challenge *out,
                           char token[CHALLENGE_TOKEN + 1], char why[CHALLENGE_ERROR_ROOM])
{
    int most = g->max_seats < MAX_PLACES ? g->max_seats : MAX_PLACES;
    if (places == 0)
        places = usual_places(g);
    if (places < g->min_seats || places > most || places < MIN_PLACES) {
        snprintf(why, CHALLENGE_ERROR_ROOM, "player_count of %s must be %d to %d", g->codec->game->name,
                 g->min_seats > MIN_PLACES ? g->min_seats : MIN_PLACES, most);
        return 400;
    }
    struct note n = {.kind = ENTRY_JOIN, .agent = host->record.id, .age_ms = places, .bots = (uint8_t)house_count};
    for (int i = 0; i < house_count && i < NOTE_BOTS; i++)
        snprintf(n.bot[i], NOTE_BOT, "%s", house[i]->name);
    int elsewhere = forward_request(c, g, &n, out, token, why);
    if (elsewhere)
        return elsewhere;
    const struct store_agent *record = lobby_agent_record(host);
    if (!record->claimed)
        return refuse(why, 403, "agent is not claimed");
    // Anybody may register: without a limit for each, one could fill the array for all.
    int own = record->kind == STORE_GUEST ? CHALLENGE_MOST_GUEST : CHALLENGE_MOST_OWN;
    if (c->count == CHALLENGE_MOST || count_own(c, record->id) >= own)
        return refuse(why, 429, "too many open challenges; cancel one, or wait until one ends");
    struct store_challenge d = {
        .created_ms = now_ms,
        .expires_ms = now_ms + lobby_options_of(c->lobby)->challenge_ttl_ms,
        .places = (int32_t)places,
        .taken = 1,
        .status = DUEL_PENDING,
        .agent = {record->id},
    };
    crypto_random(&d.id, sizeof d.id);
    uuid_mark_random(&d.id);
    memcpy(d.game, g->codec->game->name, strlen(g->codec->game->name) + 1);
    make_token(token, d.token_hash);
    for (int i = 0; i < house_count && d.taken < d.places; i++)
        d.agent[d.taken++] = lobby_agent_record(house_named(c->lobby, g, house, i, now_ms))->id;
    struct store_challenge *kept = &c->open[c->count++];
    *kept = d;
    save_challenge(c, kept);
    if (kept->taken == kept->places)
        try_start(c, kept, now_ms);
    *out = *kept;
    return 201;
}

static bool has_place(const struct store_challenge *d, struct uuid agent)
{
    for (int i = 0; i < d->taken; i++)
        if (uuid_equals(d->agent[i], agent))
            return true;
    return false;
}

// Connected to any node; may read from the store.
static bool is_connected(struct challenges *c, struct uuid id)
{
    const struct lobby_agent *a = lobby_find_agent(c->lobby, id);
    struct store_presence at;
    if (a && lobby_agent_is_online(a))
        return true;
    return c->lobby->mesh.call && store_find_presence(lobby_store(c->lobby), id, &at);
}

// The statuses are those of F5.7.
static int check_guest(struct challenges *c, const struct store_challenge *d, const struct lobby_agent *guest,
                       bool host_is_there, bool guest_is_there, char why[CHALLENGE_ERROR_ROOM])
{
    const struct store_agent *record = lobby_agent_record(guest);
    if (is_final(d)) {
        snprintf(why, CHALLENGE_ERROR_ROOM, "the challenge is %s", challenge_status_name(d->status));
        return 410;
    }
    if (has_place(d, record->id))
        return refuse(why, 409, "this agent has accepted the challenge already");
    if (d->taken == d->places)
        return refuse(why, 409, "the challenge is full");
    if (!record->claimed)
        return refuse(why, 403, "agent is not claimed");
    if (!guest_is_there)
        return refuse(why, 425, "connect this agent first, then accept");
    const struct lobby_game *g = find_game(c, d);
    if (!g || (lobby_agent_is_online(guest) && !eligibility_has_game(c->lobby, guest, g)))
        return refuse(why, 409, "this agent's connection does not offer this game; connect again and declare it");
    if (!host_is_there)
        return refuse(why, 503, "the host is offline; try again later");
    if (lobby_is_draining(c->lobby))
        return refuse(why, 503, "the server is in maintenance; try again later");
    return 200;
}

// The challenge is in the store but not in memory: this node has just become the game's matchmaker and is still reading
// it, or there is no bus.
static int refuse_missing(const struct challenges *c, const char *what, char why[CHALLENGE_ERROR_ROOM])
{
    if (c->lobby->mesh.call)
        return refuse(why, 503, "no match can begin now; try again later");
    snprintf(why, CHALLENGE_ERROR_ROOM, "another node has this challenge; %s it there", what);
    return 409;
}

static int accept_challenge(struct challenges *c, struct lobby_agent *guest, struct span token, bool is_there,
                            int64_t now_ms, struct store_challenge *out, char why[CHALLENGE_ERROR_ROOM])
{
    bool host_is_there = challenge_find(c, token, out) && is_connected(c, out->agent[0]);
    if (!challenge_find(c, token, out)) // found again after the read above
        return refuse(why, 404, "unknown challenge");
    if (may_expire(out) && out->expires_ms <= now_ms)
        return refuse(why, 410, "the challenge is expired");
    int status = check_guest(c, out, guest, host_is_there, is_there, why);
    if (status != 200)
        return status;
    struct store_challenge *d = find_open(c, out->id);
    if (!d)
        return refuse_missing(c, "accept", why);
    d->agent[d->taken++] = lobby_agent_record(guest)->id;
    if (d->taken == d->places)
        try_start(c, d, now_ms);
    else
        save_challenge(c, d);
    *out = *d;
    return 200;
}

int challenge_accept(struct challenges *c, struct lobby_agent *guest, struct span token, int64_t now_ms,
                     struct store_challenge *out, char why[CHALLENGE_ERROR_ROOM])
{
    struct note n = {.kind = ENTRY_JOIN, .agent = guest->record.id};
    bool is_there = lobby_agent_is_online(guest);
    const struct lobby_game *g = challenge_find(c, token, out) ? find_game(c, out) : NULL;
    if (g && !is_ours(c, g) && !is_there)
        return refuse(why, 425, "connect this agent first, then accept");
    if (g && !is_ours(c, g) && !eligibility_has_game(c->lobby, guest, g))
        return refuse(why, 409, "this agent's connection does not offer this game; connect again and declare it");
    snprintf(n.say, sizeof n.say, "%.*s", (int)token.size, token.at);
    int elsewhere = forward_request(c, g, &n, out, NULL, why);
    return elsewhere ? elsewhere : accept_challenge(c, guest, token, is_there, now_ms, out, why);
}

int challenge_cancel(struct challenges *c, const struct lobby_agent *host, struct uuid id,
                     char why[CHALLENGE_ERROR_ROOM])
{
    struct store_challenge found;
    if (!challenge_find_by_id(c, id, &found))
        return refuse(why, 404, "unknown challenge");
    if (!uuid_equals(found.agent[0], lobby_agent_record(host)->id))
        return refuse(why, 403, "only the host can cancel a challenge");
    struct note n = {.kind = ENTRY_QUIT, .agent = host->record.id, .challenge = id};
    int elsewhere = forward_request(c, find_game(c, &found), &n, NULL, NULL, why);
    if (elsewhere)
        return elsewhere;
    if (found.status != DUEL_PENDING && found.status != DUEL_WAITING) {
        snprintf(why, CHALLENGE_ERROR_ROOM, "the challenge is %s", challenge_status_name(found.status));
        return 409;
    }
    struct store_challenge *d = find_open(c, id);
    if (!d)
        return refuse_missing(c, "cancel", why);
    set_status(c, d, DUEL_CANCELLED);
    return 200;
}

bool challenges_has_of(const struct challenges *c, struct uuid host)
{
    return count_own(c, host) > 0;
}

void challenges_cancel_by(struct challenges *c, struct uuid host)
{
    for (int i = 0; i < c->count; i++)
        if (may_expire(&c->open[i]) && uuid_equals(c->open[i].agent[0], host))
            set_status(c, &c->open[i], DUEL_CANCELLED);
}

void challenges_cancel_of(struct challenges *c, const struct lobby_agent *host)
{
    challenges_cancel_by(c, lobby_agent_record(host)->id);
}

// How a match begins, and how long it stays in memory.
#include "lobby/agent_cache.h"

#include "base/utf8.h"
#include "house/mind_memory.h"
#include "lobby/deals.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_LOG = 512 };

bool live_match_log_grow(struct text *t, size_t more)
{
    size_t room = t->room ? t->room : FIRST_LOG;
    while (room - t->size < more)
        room *= 2;
    // The match is cancelled then (lobby_answer): a log must not grow without end by the will of its players.
    if (room > LOBBY_MAX_LOG)
        return false;
    t->at = lobby_realloc(t->at, room);
    t->room = room;
    return true;
}

// --- lists

static void link_match(struct live_match **list, struct live_match *b)
{
    b->newer = NULL;
    b->older = *list;
    if (*list)
        (*list)->newer = b;
    *list = b;
}

static void unlink_match(struct live_match **list, struct live_match *b)
{
    *(b->newer ? &b->newer->older : list) = b->older;
    if (b->older)
        b->older->newer = b->newer;
}

struct live_match *live_match_create(struct lobby *l, const struct lobby_game *g)
{
    struct live_match *b = lobby_alloc(sizeof *b);
    b->lobby = l;
    b->game = g;
    b->timer.fire = turns_fire;
    b->log.grow = live_match_log_grow;
    b->record.winner = b->record.forfeited_by = -1;
    link_match(&l->running, b);
    l->figures.matches_active++;
    return b;
}

// An agent's seats are in the order in which the matches began (F4.19).
static void add_to_agent(struct lobby_seat *s)
{
    struct lobby_seat **at = &s->agent->seats;
    while (*at && (*at)->live->record.started_ms <= s->live->record.started_ms)
        at = &(*at)->next;
    s->next = *at;
    *at = s;
}

static void remove_from_agent(struct lobby_seat *s)
{
    struct lobby_seat **at = &s->agent->seats;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
}

static void init_seat(struct live_match *b, int seat, struct lobby_agent *a)
{
    struct lobby_seat *s = &b->seat[seat];
    *s = (struct lobby_seat){.live = b,
                             .agent = a,
                             .bot = a->record.kind == STORE_HOUSE ? house_bot(b->game, a) : NULL,
                             .session = b->record.seat[seat].session,
                             .index = (uint8_t)seat,
                             .model = (int8_t)house_model(b->lobby, b->game, a),
                             .house = a->record.kind == STORE_HOUSE,
                             .due_ms = NEVER,
                             .written_ms = NEVER};
    // House agents sit at any number of tables at once (F7.15), and nobody looks a seat up by them.
    if (!s->house)
        add_to_agent(s);
}

void live_match_take_seats(struct lobby *l, struct live_match *b)
{
    for (int i = 0; i < b->record.seats; i++) {
        struct lobby_agent *a = lobby_agent_by_id(l, b->record.seat[i].agent);
        if (a)
            init_seat(b, i, a);
    }
}

struct live_match *live_match_find(struct live_match *newest, struct uuid match)
{
    struct live_match *b = newest;
    while (b && !uuid_equals(b->record.id, match))
        b = b->older;
    return b;
}

void live_match_release(struct lobby *l, struct live_match *b)
{
    unlink_match(b->starting ? &l->starting : b->over ? &l->finished : &l->running, b);
    timer_clear(l, &b->timer);
    for (int i = 0; i < b->record.seats; i++) {
        house_leave(&b->seat[i]);
        // A match that was not granted has left the agents' lists already (hide_until_granted).
        if (b->seat[i].agent && !b->seat[i].house && !b->starting)
            remove_from_agent(&b->seat[i]);
    }
    watch_release(l, b);
    history_release(&b->history);
    free(b->log.at);
    mind_memory_free(b->bot_memory);
    free(b->match);
    free(b);
}

// --- after the end

static bool all_delivered(const struct live_match *b)
{
    for (int i = 0; i < b->record.seats; i++)
        if (!b->record.seat[i].delivered)
            return false;
    return true;
}

static void on_linger(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct live_match *b = TIMER_OWNER(t, struct live_match, timer);
    bool waits = !all_delivered(b) && now_ms - b->over_ms < LOBBY_LINGER_MS;
    bool is_stored = b->ticket <= store_durable(l->store); // then the store alone answers for it
    if (watch_has_any(b) || waits || !is_stored)
        timer_set(l, t, now_ms + LOBBY_OVER_MS);
    else
        live_match_release(l, b);
}

void live_match_retire(struct lobby *l, struct live_match *b, int64_t now_ms)
{
    unlink_match(&l->running, b);
    l->figures.matches_active--;
    b->over = true;
    link_match(&l->finished, b);
    b->timer.fire = on_linger;
    b->over_ms = now_ms;
    timer_set(l, &b->timer, now_ms + LOBBY_OVER_MS);
}

// --- beginning

// Fisher-Yates with the match's key (F3.3, F6.1)
static void shuffle_players(struct live_match_player *player, int count, const uint8_t key[RNG_KEY_BYTES])
{
    // A stream of its own: the game's chance is the same however the seats are drawn.
    struct rng root = rng_from_key(key), seats = rng_split(&root, MATCH_SEATS);
    struct rng_draw draw;
    rng_begin(&draw, &seats);
    for (int i = 0; i < count - 1; i++) {
        int k = i + (int)rng_draw_below(&draw, (uint32_t)(count - i));
        struct live_match_player other = player[i];
        player[i] = player[k];
        player[k] = other;
    }
}

// Sorts the players before the shuffle, so that the key alone decides who sits where.
static void sort_players(struct live_match_player *player, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0; k--) {
            struct live_match_player *a = &player[k - 1], *b = &player[k], held = *a;
            if (memcmp(a->agent->record.id.byte, b->agent->record.id.byte, UUID_BYTES) <= 0)
                break;
            *a = *b;
            *b = held;
        }
}

// Sets the key according to its source, and puts the players in seat order.
static void draw_key_and_seats(struct lobby *l, struct deal *deal, const struct lobby_fixed *fixed,
                               struct live_match_player *player, uint8_t key[RNG_KEY_BYTES])
{
    if (fixed) {
        deal->source = DEAL_TOURNAMENT;
        memcpy(key, fixed->key, RNG_KEY_BYTES);
        return;
    }
    if (l->o.has_seed) {
        deal->source = DEAL_SEED;
        crypto_seed_key(key, deal->game, l->o.seed + l->created);
        shuffle_players(player, deal->seats, key);
        return;
    }
    deal->source = DEAL_CHAIN;
    sort_players(player, deal->seats);
    for (int i = 0; i < deal->seats; i++)
        deal->entropy[i] = deals_entropy(&player[i].agent->record);
    deals_make_key(l, deal, key);
    shuffle_players(player, deal->seats, key);
    for (int i = 0; i < deal->seats; i++)
        // By seat now, as the entry in the public list has it; for the key it was sorted.
        deal->entropy[i] = deals_entropy(&player[i].agent->record);
}

static void make_record(struct lobby *l, struct live_match *b, const char *mode, const struct live_match_terms *terms,
                        int64_t now_ms)
{
    struct store_match *m = &b->record;
    m->id = terms->fixed ? terms->fixed->match : terms->order ? terms->order->match : lobby_random_id(l);
    m->replay = lobby_random_id(l);
    m->live = m->replay; // so a link to the table leads to the replay later (F4.24)
    m->challenge = terms->challenge;
    memcpy(m->game, name_of(b->game), strlen(name_of(b->game)));
    memcpy(m->mode, mode, strnlen(mode, sizeof m->mode - 1));
    m->created_ms = m->started_ms = now_ms;
    m->teams = game_of(b->game)->teams;
    if (terms->order) { // S24
        m->order_term = terms->order->term;
        snprintf(m->order_role, sizeof m->order_role, "mm:%s", name_of(b->game));
    }
    crypto_sha256(m->commitment, m->key, sizeof m->key);
}

// S23: places are counted for queued matches only, not for challenges and the like.
static int places_of(const struct lobby_agent *a, bool seated)
{
    if (seated || a->record.kind == STORE_HOUSE)
        return 0;
    return a->record.max_concurrent > 0 ? a->record.max_concurrent : 1;
}

static void seat_players(struct lobby *l, struct live_match *b, const struct live_match_player *player, int count,
                         bool seated)
{
    b->record.seats = count;
    for (int i = 0; i < count; i++) {
        struct store_seat *seat = &b->record.seat[i];
        struct lobby_agent *a = player[i].agent;
        *seat = (struct store_seat){.agent = a->record.id,
                                    .session = lobby_random_id(l),
                                    .one_shot = player[i].one_shot,
                                    .places = places_of(a, seated)};
        memcpy(seat->name, a->record.name, sizeof seat->name);
        init_seat(b, i, a);
        b->seat[i].again = player[i].again;
    }
}

static bool is_deterministic(const struct lobby *l, const struct live_match_player *player, int count,
                             const struct live_match_terms *terms)
{
    bool game_rl = l->o.deterministic_windows || terms->game_rl; // F4.15
    for (int i = 0; i < count; i++)
        game_rl |= player[i].agent->presence.game_rl;
    return game_rl;
}

// The head of a replay has less room for a name. Cuts at the end of a character.
static void cut_name(char out[MATCH_NAME_ROOM], const char *name)
{
    size_t size = 0, all = strlen(name);
    for (int n; size < all && (n = utf8_sequence(name + size, name + all)) > 0; size += (size_t)n)
        if (size + (size_t)n >= MATCH_NAME_ROOM)
            break;
    memcpy(out, name, size);
}

static int start_match(struct lobby *l, struct live_match *b, const union game_rules *rules)
{
    const struct game *g = game_of(b->game);
    struct match_setup setup = {.game = g, .rules = rules, .seats = b->record.seats};
    memcpy(setup.key, b->record.key, sizeof setup.key);
    memcpy(setup.commitment, b->record.commitment, sizeof setup.commitment);
    for (int i = 0; i < b->record.seats; i++)
        cut_name(setup.name[i], b->record.seat[i].name);
    b->match = lobby_alloc(sizeof *b->match);
    int err = match_start(b->match, &setup, &b->log, turns_listen(l));
    if (err == OK)
        house_take_seats(b, &l->happened);
    return err;
}

void live_match_send_start(struct lobby *l, struct lobby_seat *s, const struct lobby_presence *p)
{
    p->link->on_start(p->client, s);
    s->start_sent = true;
    // Without receipts what was sent counts as received.
    s->start_due = p->link->gives_receipts;
    s->start_ticket = store_last(l->store);
    s->start_ms = l->now_ms;
}

static seat_set players_of(const struct live_match *b)
{
    seat_set players = 0;
    for (int i = 0; i < b->record.seats; i++)
        if (!b->seat[i].house)
            players |= SEAT(i);
    return players;
}

// Until the first action, receipts are the only proof that a player knows of the match.
void lobby_start_arrived(struct lobby *l, struct lobby_seat *s)
{
    struct live_match *b = s->live;
    s->start_due = false;
    if (b->over || !b->match)
        return;
    seat_set unreported = b->match->steps > 0 || b->record.unreported & LIVE_MATCH_STARTS_KNOWN
                              ? b->record.unreported
                              : LIVE_MATCH_STARTS_KNOWN | players_of(b);
    unreported &= (seat_set)~SEAT(s->index);
    if (unreported != b->record.unreported)
        store_mark_unreported(l->store, b->record.id, unreported);
    b->record.unreported = unreported;
}

bool live_match_has_sent_start(const struct lobby *l, const struct lobby_seat *s)
{
    return s->start_sent && !s->start_due && s->start_ticket <= store_durable(l->store);
}

// From here on the players have this match and are in no queue (F3.5).
static void take_players(struct lobby *l, struct live_match *b)
{
    for (int i = 0; i < b->record.seats; i++) {
        struct lobby_seat *s = &b->seat[i];
        if (!s->house) {
            queue_remove(l, s->agent);
            matchmaker_free_if_unused(l, s->agent);
        }
        s->agent->active += !s->house;
        if (!b->record.seat[i].one_shot)
            agent_cache_note_start(s->agent, b->record.started_ms);
    }
}

// Sends game_start and the first question, and tells the matchmaker that the match has begun.
static void announce_start(struct lobby *l, struct live_match *b, int64_t now_ms)
{
    for (int i = 0; i < b->record.seats; i++) {
        struct lobby_seat *s = &b->seat[i];
        const struct lobby_presence *p = turns_link(s);
        if (!s->house && !s->agent->presence.relayed)
            gateway_end_entry(s->agent); // ends its queue entry at another node
        if (p)
            live_match_send_start(l, s, p);
    }
    turns_put(l, b, -1, now_ms);
    if (b->orderer)
        match_order_reply(l, b, true, now_ms);
}

// --- with a shared store, the store grants or refuses a match (S5)

static void hide_until_granted(struct lobby *l, struct live_match *b)
{
    for (int i = 0; i < b->record.seats; i++)
        if (!b->seat[i].house)
            remove_from_agent(&b->seat[i]);
    unlink_match(&l->running, b);
    link_match(&l->starting, b);
    b->starting = true;
}

static void show_granted(struct lobby *l, struct live_match *b)
{
    unlink_match(&l->starting, b);
    link_match(&l->running, b);
    b->starting = false;
    for (int i = 0; i < b->record.seats; i++)
        if (!b->seat[i].house)
            add_to_agent(&b->seat[i]);
}

static struct live_match *find_granted(const struct lobby *l)
{
    struct live_match *found = NULL;
    for (struct live_match *b = l->starting; b; b = b->older)
        if (b->begun <= store_durable(l->store))
            found = b; // the last one found is the oldest
    return found;
}

void live_match_grant(struct lobby *l, int64_t now_ms)
{
    for (struct live_match *b; (b = find_granted(l));) {
        show_granted(l, b);
        announce_start(l, b, now_ms);
    }
}

static void return_to_queue(struct lobby *l, struct live_match *b, struct lobby_seat *s, int64_t now_ms)
{
    struct lobby_agent *a = s->agent;
    struct queue_request w = {.game = b->game, .mode = b->record.mode, .one_shot = b->record.seat[s->index].one_shot};
    char error[128];
    if (!mesh_is_here(a) || a->queue || a->candidate) // it has joined a queue again meanwhile
        return;
    bool back = !b->by_request && eligibility_check(l, a, &w, now_ms, error) == OK;
    if (back)
        queue_enter(l, a, &w, now_ms);
    bool able = back || (eligibility_has_capacity(a) && (w.one_shot || !eligibility_is_capped(l, a, now_ms)));
    mesh_send_cancelled(a, able ? LOBBY_OPPONENT_NOT_READY : LOBBY_CAPACITY_CHANGED, back, &w, false);
}

static void release_players(struct live_match *b)
{
    for (int i = 0; i < b->record.seats; i++) {
        struct lobby_agent *a = b->seat[i].agent;
        // Undoes take_players.
        a->active -= !b->seat[i].house;
        if (!b->record.seat[i].one_shot)
            agent_cache_remove_start(a, b->record.started_ms);
    }
}

// The match's number was dealt, so it must be closed: the list shows that nobody played it.
static void close_number(struct lobby *l, struct live_match *b, int64_t now_ms)
{
    struct store_entry closed;
    b->record.status = STORE_CANCELLED;
    b->record.finished_ms = now_ms;
    if (deals_close_number(l, &b->record, &closed))
        store_put_entry(l->store, &closed);
    // Listeners are called with this record, and tell a refused match by it.
    b->record.finished_ms = 0; // it never began
}

bool live_match_refuse(struct lobby *l, struct uuid match, int64_t now_ms)
{
    struct live_match *b = live_match_find(l->starting, match);
    if (!b)
        return false;
    release_players(b);
    close_number(l, b, now_ms);
    for (int i = 0; i < l->listeners; i++)
        l->listener[i].call(l->listener[i].owner, &b->record);
    l->figures.matches_active--;
    l->figures.matches_begun--;
    if (b->orderer) {
        match_order_reply(l, b, false, now_ms);
        return true;
    }
    for (int i = 0; i < b->record.seats && !b->seated; i++)
        if (!b->seat[i].house)
            return_to_queue(l, b, &b->seat[i], now_ms);
    struct queue *q = b->seated ? NULL : queue_find(l, b->game, b->record.mode);
    live_match_release(l, b);
    if (q)
        queue_form(l, q, now_ms);
    return true;
}

void live_match_drop_moved(struct lobby *l, struct live_match *b)
{
    watch_move(l, b);
    for (int i = 0; i < b->record.seats; i++)
        if (!b->seat[i].house && !b->record.seat[i].dropped) {
            b->seat[i].agent->active--;
            b->seat[i].agent->elsewhere++;
        }
    l->figures.matches_active--;
    live_match_release(l, b);
}

int live_match_begin(struct lobby *l, const struct lobby_game *g, const char *mode,
                     const struct live_match_player *players, int count, const struct live_match_terms *terms,
                     int64_t now_ms, struct uuid *match)
{
    if (count < g->min_seats || count > g->max_seats)
        return ERR_RANGE;
    if (!lobby_may_begin(l) || l->o.hosts_nothing)
        return ERR_STORAGE;
    struct deal deal = {.game = name_of(g), .seats = count};
    union game_rules rules = {0};
    struct live_match_player player[GAME_MAX_SEATS];
    // Before anything is made: it is the only step that may have to wait for the disk.
    int err = deals_next(l, &deal.number, now_ms);
    if (err != OK)
        return err;
    memcpy(player, players, (size_t)count * sizeof *player);
    lobby_read_rules(l, g, is_deterministic(l, player, count, terms), &rules);
    crypto_sha256(deal.rules, &rules, game_of(g)->rules_size);
    struct live_match *b = live_match_create(l, g);
    draw_key_and_seats(l, &deal, terms->fixed, player, b->record.key);
    b->record.deal = deal.number;
    make_record(l, b, mode, terms, now_ms);
    seat_players(l, b, player, count, terms->seated);
    owners_check(l, b);
    err = start_match(l, b, &rules);
    if (err != OK) {
        l->figures.matches_active--;
        live_match_release(l, b);
        return err;
    }
    l->created++;
    l->figures.matches_begun++;
    history_add(&b->history, g, &l->happened, now_ms, b->log.size);
    history_note_swing(&b->history, g, &b->match->state, b->record.seats);
    struct store_entry dealt;
    deals_deal(l, &deal, b->record.commitment, now_ms, &dealt);
    b->begun = store_begin_match(l->store, &b->record, &dealt, text_span(&b->log));
    for (int i = 0; i < deal.seats; i++)
        if (deal.entropy[i])
            deals_set_entropy(l, b->seat[i].agent, NULL); // used for one match only
    b->stored = b->log.size;
    b->seated = terms->seated;
    b->by_request = terms->by_request;
    b->orderer = terms->order ? terms->order->from : 0;
    *match = b->record.id;
    take_players(l, b);
    // S5: shown to nobody until the store has granted it; live_match_grant or live_match_refuse follows.
    if (store_may_refuse(l->store)) {
        hide_until_granted(l, b);
        return OK;
    }
    announce_start(l, b, now_ms);
    return OK;
}

static int begin_seated(struct lobby *l, const struct lobby_game *g, const char *mode,
                        struct lobby_agent *const *agents, int count, const struct live_match_terms *terms,
                        int64_t now_ms, struct uuid *match)
{
    l->now_ms = now_ms;
    struct live_match_player player[GAME_MAX_SEATS];
    if (count > GAME_MAX_SEATS)
        return ERR_RANGE;
    for (int i = 0; i < count; i++) // F3.19: treated as one_shot
        player[i] = (struct live_match_player){.agent = agents[i], .one_shot = true};
    return live_match_begin(l, g, mode, player, count, terms, now_ms, match);
}

int lobby_seat_table(struct lobby *l, const struct lobby_game *g, const char *mode, struct lobby_agent *const *agents,
                     int count, struct uuid challenge, int64_t now_ms, struct uuid *match)
{
    return begin_seated(l, g, mode, agents, count, &(struct live_match_terms){.challenge = challenge, .seated = true},
                        now_ms, match);
}

int lobby_seat_fixed(struct lobby *l, const struct lobby_game *g, const char *mode, struct lobby_agent *const *agents,
                     int count, const struct lobby_fixed *fixed, int64_t now_ms)
{
    struct uuid match;
    return begin_seated(l, g, mode, agents, count, &(struct live_match_terms){.fixed = fixed, .seated = true}, now_ms,
                        &match);
}

bool lobby_is_playing(const struct lobby *l, struct uuid match)
{
    return live_match_find(l->running, match) || live_match_find(l->starting, match);
}

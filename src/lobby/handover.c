// Hands a running match over to another node without the players noticing (S60). The other node replays the log as
// after a takeover. What the log does not contain is sent beside it:
//
//     "AGH1", seats, claimant
//     per seat: flags, strikes, request (16), time left (8), age of the question (8), sent, sent before, proven, fed (4
//     each), number of the connection (8), size (2) and bytes of how it is connected, which are the front's
#include "lobby/internal.h"

enum {
    // The flags are part of the format. Two versions hand matches to each other during an upgrade (S64), so a flag with
    // another meaning needs another head than AGH1.
    HEAD = 6,
    SEAT_BYTES = 60, // without the description of the connection
    AWAITED = 1,
    BEGUN = 2,
    CLOCK_WAITS = 4,
    RETRIED = 8,
    START_SENT = 16,
    DOUBTFUL = 32,
    AGAIN = 64,
    CONNECTED = 128,
    RECEIPT_MS = 2000, // a client that has not confirmed game_start by then may never do so
};

_Static_assert(HEAD + GAME_MAX_SEATS * (SEAT_BYTES + LOBBY_CONNECTION) <= STORE_HANDOVER, "all seats fit");

struct seat_state {
    uint8_t flags, strikes;
    struct uuid request;
    // Durations, because clocks of two nodes are never compared (S18).
    int64_t left_ms, age_ms;
    uint32_t sent, sent_before, proven, fed;
    uint64_t conn;
    struct span connection;
};

// --- bytes

static void put_number(struct text *t, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        text_put_char(t, (char)(value >> 8 * i));
}

static uint64_t read_number(struct span *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)(uint8_t)from->at[i] << 8 * i;
    *from = (struct span){from->at + bytes, from->size - (size_t)bytes};
    return value;
}

static void put_seat(struct text *t, const struct seat_state *s)
{
    put_number(t, s->flags, 1);
    put_number(t, s->strikes, 1);
    text_put(t, (struct span){(const char *)s->request.byte, sizeof s->request.byte});
    put_number(t, (uint64_t)s->left_ms, 8);
    put_number(t, (uint64_t)s->age_ms, 8);
    put_number(t, s->sent, 4);
    put_number(t, s->sent_before, 4);
    put_number(t, s->proven, 4);
    put_number(t, s->fed, 4);
    put_number(t, s->conn, 8);
    put_number(t, s->connection.size, 2);
    text_put(t, s->connection);
}

static bool read_seat(struct span *from, struct seat_state *s)
{
    if (from->size < SEAT_BYTES)
        return false;
    s->flags = (uint8_t)read_number(from, 1);
    s->strikes = (uint8_t)read_number(from, 1);
    memcpy(s->request.byte, from->at, sizeof s->request.byte);
    *from = (struct span){from->at + sizeof s->request.byte, from->size - sizeof s->request.byte};
    s->left_ms = (int64_t)read_number(from, 8);
    s->age_ms = (int64_t)read_number(from, 8);
    s->sent = (uint32_t)read_number(from, 4);
    s->sent_before = (uint32_t)read_number(from, 4);
    s->proven = (uint32_t)read_number(from, 4);
    s->fed = (uint32_t)read_number(from, 4);
    s->conn = read_number(from, 8);
    size_t size = (size_t)read_number(from, 2);
    if (size > from->size)
        return false;
    s->connection = (struct span){from->at, size};
    *from = (struct span){from->at + size, from->size - size};
    return true;
}

// --- giving a match

// Without a receipt the next host sends game_start again; the gateway does not write it twice (S44).
static bool start_is_in_flight(const struct lobby *l, const struct lobby_seat *s)
{
    bool is_durable = s->start_ticket <= store_durable(l->store);
    return s->start_sent && !live_match_has_sent_start(l, s) && (!is_durable || l->now_ms - s->start_ms < RECEIPT_MS);
}

// Returns false if a frame to the player is in flight, or its connection cannot be moved.
static bool describe_seat(struct lobby *l, const struct lobby_seat *s, struct seat_state *out,
                          char room[LOBBY_CONNECTION])
{
    const struct lobby_agent *a = s->agent;
    *out = (struct seat_state){.strikes = s->strikes,
                               .request = s->request,
                               .sent = s->sent,
                               .sent_before = s->sent_before,
                               .proven = s->proven,
                               .fed = s->fed};
    out->left_ms = s->awaited && s->due_ms != NEVER ? s->due_ms - l->now_ms : 0;
    out->age_ms = s->awaited ? l->now_ms - s->first_ms : 0;
    // The next host does not know either what the players of an adopted match were told (sync_seat).
    bool begun = s->begun || s->live->adopted;
    out->flags = (uint8_t)((s->awaited ? AWAITED : 0) | (begun ? BEGUN : 0) | (s->clock_waits ? CLOCK_WAITS : 0) |
                           (s->retried ? RETRIED : 0) | (live_match_has_sent_start(l, s) ? START_SENT : 0) |
                           (s->doubtful ? DOUBTFUL : 0) | (s->again ? AGAIN : 0));
    if (s->house || s->live->record.seat[s->index].dropped || !is_online(a))
        return true;
    if (!a->synced || !a->conn || (s->awaited && s->written_ms == NEVER) || start_is_in_flight(l, s))
        return false;
    int size = l->peers->describe(l->peers_owner, &a->presence, s->session, room);
    out->connection = (struct span){room, size > 0 ? (size_t)size : 0};
    out->conn = a->conn;
    out->flags |= CONNECTED;
    return size > 0;
}

bool handover_describe(struct lobby *l, struct live_match *b, bool is_cut, struct text *t)
{
    text_put(t, SPAN("AGH1"));
    put_number(t, (uint64_t)b->record.seats, 1);
    put_number(t, b->claimant, 1);
    for (int i = 0; i < b->record.seats; i++) {
        struct seat_state s;
        char room[LOBBY_CONNECTION];
        bool quiet = describe_seat(l, &b->seat[i], &s, room);
        if (!quiet && !is_cut)
            return false;
        if (is_cut) {
            s.flags &= (uint8_t)~CONNECTED;
            s.connection.size = 0;
        }
        put_seat(t, &s);
    }
    return !t->full;
}

static void give_match(struct lobby *l, struct live_match *b, uint64_t epoch, struct span state)
{
    struct uuid match = b->record.id;
    for (int i = 0; i < b->record.seats; i++) {
        const struct lobby_agent *a = b->seat[i].agent;
        if (!b->seat[i].house && is_online(a))
            l->peers->moved(l->peers_owner, &a->presence, b->seat[i].session, epoch);
    }
    store_hand_over(l->store, match, epoch, state);
    live_match_drop_moved(l, b);
    l->peers->given(l->peers_owner, match, epoch);
}

// Finds nodes that can take a match: they serve, and are on the bus.
static int find_takers(const struct lobby *l, uint64_t out[STORE_NODES])
{
    struct store_node node[STORE_NODES];
    int count = 0, nodes = store_list_nodes(l->store, node, STORE_NODES);
    for (int i = 0; i < nodes; i++)
        if (node[i].epoch != store_my_epoch(l->store) && node[i].state == STORE_SERVES && node[i].has_bus)
            out[count++] = node[i].epoch;
    return count;
}

bool lobby_has_taker(const struct lobby *l)
{
    uint64_t takers[STORE_NODES];
    return find_takers(l, takers) > 0;
}

int lobby_hand_over(struct lobby *l, int most, bool is_cut, int64_t now_ms)
{
    uint64_t takers[STORE_NODES];
    char bytes[STORE_HANDOVER];
    int left = 0, count = l->peers ? find_takers(l, takers) : 0;
    l->now_ms = now_ms;
    for (struct live_match *b = l->running, *next; b; b = next) {
        struct text t = text_on(bytes, sizeof bytes);
        next = b->older;
        if (!count || most <= 0 || !handover_describe(l, b, is_cut, &t)) {
            left++;
            continue;
        }
        most--;
        give_match(l, b, takers[l->handed_over++ % (unsigned)count], text_span(&t));
    }
    for (const struct live_match *b = l->starting; b; b = b->older)
        left++;
    // Its players have not been told yet, and a refused end must be computed again (S41). If this node stopped now,
    // another one would adopt the match and ask for the last action again.
    for (const struct live_match *b = l->finished; b; b = b->older)
        left += b->ticket > store_durable(l->store);
    return left;
}

// --- taking a match

static void restore_seat(struct lobby *l, struct lobby_seat *s, const struct seat_state *from)
{
    s->strikes = from->strikes;
    s->sent = from->sent;
    s->sent_before = from->sent_before;
    s->proven = from->proven;
    s->fed = from->fed;
    s->start_sent = from->flags & START_SENT;
    s->start_ticket = 0;
    s->doubtful = from->flags & DOUBTFUL;
    s->again = from->flags & AGAIN;
    s->retried = from->flags & RETRIED;
    if (!s->awaited || s->house || !(from->flags & AWAITED))
        return;
    s->begun = from->flags & BEGUN;
    s->clock_waits = from->flags & CLOCK_WAITS;
    s->due_ms = l->now_ms + (from->left_ms > 0 ? from->left_ms : 0);
    s->first_ms = l->now_ms - from->age_ms;
}

// Restores the player's connection. Returns true if it continues without being told anything.
static bool resume_seat(struct lobby *l, struct lobby_seat *s, const struct seat_state *from)
{
    struct lobby_agent *a = s->agent;
    if (!(from->flags & CONNECTED) || !l->peers)
        return false;
    if (is_online(a) && (a->conn != from->conn || !a->synced))
        return false; // it has reconnected meanwhile
    if (!l->peers->resume(l->peers_owner, a, s->session, from->connection) || !is_online(a))
        return false;
    // Nobody knows whether game_start has arrived. It was written to this connection, before the question: so this
    // stays open, since its answer may be on its way, and the gateway only asks for another receipt (S44).
    if (!(from->flags & START_SENT))
        live_match_send_start(l, s, &a->presence);
    if (s->awaited && from->flags & AWAITED) {
        s->request = from->request;
        s->written_ms = l->now_ms;
    }
    return true;
}

bool handover_take(struct lobby *l, struct live_match *b, struct span state)
{
    struct seat_state seat[GAME_MAX_SEATS] = {0};
    if (state.size < HEAD || memcmp(state.at, "AGH1", 4) != 0 || (uint8_t)state.at[4] != b->record.seats)
        return false;
    uint8_t claimant = (uint8_t)state.at[5];
    state = (struct span){state.at + HEAD, state.size - HEAD};
    for (int i = 0; i < b->record.seats; i++)
        if (!read_seat(&state, &seat[i]))
            return false;
    if (claimant < b->record.seats)
        b->claimant = claimant;
    for (int i = 0; i < b->record.seats; i++)
        restore_seat(l, &b->seat[i], &seat[i]);
    turns_schedule(l, b);
    for (int i = 0; i < b->record.seats && !b->over; i++)
        if (!b->seat[i].house && !b->record.seat[i].dropped && !resume_seat(l, &b->seat[i], &seat[i]))
            presence_catch_up_seat(l, &b->seat[i], l->now_ms);
    return true;
}

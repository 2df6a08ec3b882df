// Agents in memory: found by id and by the hash of their key, loaded from the store on demand, evicted when unused.
#include "lobby/agent_cache.h"

#include <stdlib.h>

enum {
    // Doubled whenever there are as many agents, so chains stay short.
    FIRST_BUCKETS = 1024,
    EVICTED_AT_ONCE = 256, // in one turn, so that thousands of idle agents do not hold up others
};

static uint32_t bucket_of(const struct lobby *l, const uint8_t *name)
{
    uint32_t hash; // ids and hashes are random, so any of their bytes will do
    memcpy(&hash, name, sizeof hash);
    return hash & (l->buckets - 1);
}

static void link_id(struct lobby *l, struct lobby_agent *a)
{
    struct lobby_agent **at = &l->by_id[bucket_of(l, a->record.id.byte)];
    a->id_next = *at;
    *at = a;
}

static void link_key(struct lobby *l, struct lobby_agent *a)
{
    if (!a->has_key)
        return;
    struct lobby_agent **at = &l->by_key[bucket_of(l, a->key_hash)];
    a->key_next = *at;
    *at = a;
}

static void unlink_key(struct lobby *l, struct lobby_agent *a)
{
    if (!a->has_key)
        return;
    struct lobby_agent **at = &l->by_key[bucket_of(l, a->key_hash)];
    while (*at != a)
        at = &(*at)->key_next;
    *at = a->key_next;
}

static void make_buckets(struct lobby *l, uint32_t buckets)
{
    free(l->by_id);
    free(l->by_key);
    l->buckets = buckets;
    l->by_id = lobby_alloc(buckets * sizeof(struct lobby_agent *));
    l->by_key = lobby_alloc(buckets * sizeof(struct lobby_agent *));
    for (struct lobby_agent *a = l->newest; a; a = a->older) {
        link_id(l, a);
        link_key(l, a);
    }
}

void agents_open(struct lobby *l)
{
    make_buckets(l, FIRST_BUCKETS);
}

// --- list ordered by last use

static void unlink_by_use(struct lobby *l, struct lobby_agent *a)
{
    *(a->newer ? &a->newer->older : &l->newest) = a->older;
    *(a->older ? &a->older->newer : &l->oldest) = a->newer;
}

static void link_as_newest(struct lobby *l, struct lobby_agent *a)
{
    a->touched_ms = l->now_ms;
    a->newer = NULL;
    a->older = l->newest;
    *(l->newest ? &l->newest->newer : &l->oldest) = a;
    l->newest = a;
}

static struct lobby_agent *touch_agent(struct lobby *l, struct lobby_agent *a)
{
    // Once in a millisecond is enough for the order.
    if (a->touched_ms == l->now_ms)
        return a;
    unlink_by_use(l, a);
    link_as_newest(l, a);
    return a;
}

// --- loading

struct lobby_agent *lobby_find_agent(const struct lobby *l, struct uuid id)
{
    struct lobby_agent *a = l->by_id[bucket_of(l, id.byte)];
    while (a && !uuid_equals(a->record.id, id))
        a = a->id_next;
    return a;
}

static void index_key(struct lobby *l, struct lobby_agent *a)
{
    unlink_key(l, a);
    a->has_key = a->record.has_key;
    memcpy(a->key_hash, a->record.key_hash, sizeof a->key_hash);
    link_key(l, a);
}

// S27: remembers the fields as read, so that saving writes only what this node has changed, and changes by other nodes
// are not undone.
static void mark_fields(struct lobby *l, struct lobby_agent *a)
{
    if (!store_is_shared(l->store))
        return;
    if (!a->marks)
        a->marks = lobby_alloc(STORE_AGENT_MARKS * sizeof *a->marks);
    store_mark_agent(&a->record, a->marks);
}

static struct lobby_agent *add_agent(struct lobby *l, const struct store_agent *record)
{
    if (l->agents >= l->buckets)
        make_buckets(l, 2 * l->buckets);
    struct lobby_agent *a = lobby_alloc(sizeof *a);
    a->lobby = l;
    a->record = *record;
    mark_fields(l, a);
    l->agents++;
    link_id(l, a);
    index_key(l, a);
    link_as_newest(l, a);
    return a;
}

struct lobby_agent *lobby_agent_by_id(struct lobby *l, struct uuid id)
{
    struct lobby_agent *a = lobby_find_agent(l, id);
    if (a)
        return touch_agent(l, a);
    struct store_agent record;
    bool found = store_find_agent(l->store, id, &record);
    a = lobby_find_agent(l, id); // another job may have loaded it meanwhile
    return a ? touch_agent(l, a) : found ? add_agent(l, &record) : NULL;
}

static struct lobby_agent *find_by_hash(const struct lobby *l, const uint8_t hash[STORE_HASH])
{
    struct lobby_agent *a = l->by_key[bucket_of(l, hash)];
    // F1.2: in constant time.
    while (a && !crypto_equal(a->key_hash, hash, STORE_HASH))
        a = a->key_next;
    return a;
}

struct lobby_agent *lobby_agent_by_key(struct lobby *l, struct span key)
{
    uint8_t hash[STORE_HASH];
    crypto_sha256(hash, key.at, key.size);
    struct lobby_agent *a = find_by_hash(l, hash);
    if (a)
        return touch_agent(l, a);
    struct store_agent record;
    bool found = store_find_agent_by_key(l->store, hash, &record);
    if ((a = find_by_hash(l, hash))) // another job has loaded it meanwhile
        return touch_agent(l, a);
    // A changed key may not be in the store yet: what is in memory is newer.
    return !found || lobby_find_agent(l, record.id) ? NULL : add_agent(l, &record);
}

// --- saving

// Zeroes everything behind the string, so that equal records have equal bytes.
static void clear_rest(char *at, size_t room)
{
    size_t size = strnlen(at, room - 1);
    memset(at + size, 0, room - size);
}

static void clear_padding(struct store_agent *r)
{
    clear_rest(r->client_kind, sizeof r->client_kind);
    clear_rest(r->runtime_type, sizeof r->runtime_type);
    clear_rest(r->device_id, sizeof r->device_id);
    clear_rest(r->instance, sizeof r->instance);
    clear_rest(r->bridge_version, sizeof r->bridge_version);
    clear_rest(r->terms_version, sizeof r->terms_version);
    clear_rest(r->privacy_version, sizeof r->privacy_version);
    clear_rest(r->standby, sizeof r->standby);
    clear_rest(r->games, sizeof r->games);
    clear_rest(r->bot_url, sizeof r->bot_url);
    clear_rest(r->owner, sizeof r->owner);
    clear_rest(r->name, sizeof r->name);
    clear_rest(r->model, sizeof r->model);
    clear_rest(r->description, sizeof r->description);
}

store_ticket lobby_agent_save(struct lobby *l, struct lobby_agent *a)
{
    clear_padding(&a->record);
    index_key(l, a);
    a->saved = a->marks ? store_change_agent(l->store, &a->record, a->marks) : store_put_agent(l->store, &a->record);
    mark_fields(l, a);
    return a->saved;
}

void agents_renew(struct lobby *l, struct lobby_agent *a, const struct store_agent *record)
{
    a->record = *record;
    mark_fields(l, a);
    index_key(l, a);
}

struct lobby_agent *lobby_agent_add(struct lobby *l, const struct store_agent *record)
{
    struct lobby_agent *a = add_agent(l, record);
    free(a->marks); // nothing of it is stored yet
    a->marks = NULL;
    lobby_agent_save(l, a);
    return a;
}

// --- eviction

// Whatever refers to an agent in memory has to be in this list.
static bool is_in_use(const struct lobby_agent *a)
{
    return a->holds || is_online(a) || a->seats || a->active || a->queue || a->candidate || a->remote ||
           a->remote_entry || a->again_timer.place || a->barred_until_ms > a->lobby->now_ms ||
           a->record.kind == STORE_HOUSE;
}

// Only agents without changes in flight may be evicted: reading them again would lose the change.
static void free_agent(struct lobby *l, struct lobby_agent *a)
{
    struct lobby_agent **at = &l->by_id[bucket_of(l, a->record.id.byte)];
    while (*at != a)
        at = &(*at)->id_next;
    *at = a->id_next;
    unlink_key(l, a);
    unlink_by_use(l, a);
    timer_clear(l, &a->again_timer);
    timer_clear(l, &a->ready_timer);
    l->agents--;
    agent_cache_release(a);
    gateway_release(a);
    free(a->marks);
    free(a);
}

void agents_evict(struct lobby *l, int64_t now_ms)
{
    for (int i = 0; i < EVICTED_AT_ONCE && l->oldest && l->oldest->touched_ms + LOBBY_LINGER_MS < now_ms; i++) {
        struct lobby_agent *a = l->oldest;
        if (is_in_use(a) || a->saved > store_durable(l->store))
            touch_agent(l, a);
        else
            free_agent(l, a);
    }
}

void agents_close(struct lobby *l)
{
    while (l->oldest)
        free_agent(l, l->oldest);
    free(l->by_id);
    free(l->by_key);
}

void lobby_agent_hold(struct lobby_agent *a)
{
    a->holds++;
}

void lobby_agent_release(struct lobby_agent *a)
{
    a->holds--;
}

// --- reading a record

const struct store_agent *lobby_agent_record(const struct lobby_agent *a)
{
    return &a->record;
}

struct store_agent *lobby_agent_edit(struct lobby_agent *a)
{
    return &a->record;
}

bool lobby_agent_is_online(const struct lobby_agent *a)
{
    return is_online(a);
}

const char *lobby_agent_instance(const struct lobby_agent *a)
{
    return is_online(a) ? a->instance : "";
}

int lobby_agent_active(const struct lobby_agent *a)
{
    return a->active;
}

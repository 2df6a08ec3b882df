#include "lobby/deals.h"

#include "lobby/internal.h"

#include <assert.h>
#include <stdlib.h>

enum { LEFT_AT_ONCE = 4, EPOCHS_AT_ONCE = 64 }; // rows of one read; the rest comes with the next

const char *const deal_source_names[] = {
    [DEAL_CHAIN] = "chain", [DEAL_TOURNAMENT] = "tournament", [DEAL_SEED] = "seed", NULL};
const char *const deal_end_names[] = {
    [DEAL_FINISHED] = "finished", [DEAL_CANCELLED] = "cancelled", [DEAL_UNUSED] = "unused", NULL};
const char *const deal_entry_names[] = {
    [STORE_EPOCH] = "epoch", [STORE_PUBLISHED] = "published", [STORE_DEALT] = "dealt", [STORE_CLOSED] = "closed", NULL};

// --- input of hashes

// Every hash begins with a word of its own, so none can pass for another; integers are little endian
// (docs/fairness.md).
struct bytes {
    size_t size;
    uint8_t at[1024]; // enough for each of the layouts below
};

static void put_bytes(struct bytes *b, const void *from, size_t size)
{
    assert(size <= sizeof b->at - b->size);
    memcpy(b->at + b->size, from, size);
    b->size += size;
}

static void put_word(struct bytes *b, const char *word)
{
    put_bytes(b, word, strlen(word));
}

static void put_u8(struct bytes *b, size_t value)
{
    assert(value <= UINT8_MAX);
    b->at[b->size++] = (uint8_t)value;
}

static void put_u64(struct bytes *b, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        put_u8(b, value >> 8 * i & 0xff);
}

static void hash_bytes_to(const struct bytes *b, uint8_t out[CRYPTO_SHA256_BYTES])
{
    crypto_sha256(out, b->at, b->size);
}

// --- secrets

// Finds the epoch that began last before the number. The chains of several nodes are 2^STORE_CHAIN_BITS numbers apart,
// so a number of an unknown chain is not taken for one of a known chain.
static const struct store_epoch *epoch_of(const struct deals *d, uint64_t number)
{
    const struct store_epoch *found = NULL;
    for (int i = 0; i < d->epochs; i++) {
        const struct store_epoch *e = &d->epoch[i];
        if (e->first <= number && number - e->first < 1ull << STORE_CHAIN_BITS && (!found || e->first > found->first))
            found = e;
    }
    return found;
}

static struct store_epoch *add_epoch(struct deals *d)
{
    d->epoch = lobby_realloc(d->epoch, (size_t)(d->epochs + 1) * sizeof *d->epoch);
    return &d->epoch[d->epochs++];
}

static void load_epochs(struct lobby *l)
{
    struct store_epoch row[EPOCHS_AT_ONCE];
    int count;
    for (int at = 0; (count = store_list_epochs(l->store, at, row, EPOCHS_AT_ONCE)) > 0; at += count)
        for (int i = 0; i < count; i++) {
            const struct store_epoch *known = epoch_of(&l->deals, row[i].first);
            if (!known || known->first != row[i].first)
                *add_epoch(&l->deals) = row[i];
        }
}

bool deals_learn(struct lobby *l, uint64_t number)
{
    if (number && !epoch_of(&l->deals, number) && store_is_shared(l->store))
        load_epochs(l);
    return !number || epoch_of(&l->deals, number);
}

bool deals_find_epoch(struct lobby *l, uint64_t number, uint8_t id[STORE_HASH])
{
    const struct store_epoch *e = number && deals_learn(l, number) ? epoch_of(&l->deals, number) : NULL;
    if (e)
        memcpy(id, e->id, sizeof e->id);
    return e != NULL;
}

static void make_secret(const struct deals *d, uint64_t number, uint8_t out[STORE_HASH])
{
    struct bytes b = {0};
    const struct store_epoch *e = epoch_of(d, number);
    assert(e);
    put_word(&b, "agon.deal.chain.1");
    put_bytes(&b, e->secret, sizeof e->secret);
    put_u64(&b, number);
    hash_bytes_to(&b, out);
}

static void make_commitment(const struct deals *d, uint64_t number, uint8_t out[STORE_HASH])
{
    struct bytes b = {0};
    uint8_t secret[STORE_HASH];
    make_secret(d, number, secret);
    put_word(&b, "agon.deal.secret.1");
    put_bytes(&b, epoch_of(d, number)->id, STORE_HASH);
    put_u64(&b, number);
    put_bytes(&b, secret, sizeof secret);
    hash_bytes_to(&b, out);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, STORE_HASH);
}

void deals_make_key(const struct lobby *l, const struct deal *deal, uint8_t key[RNG_KEY_BYTES])
{
    struct bytes b = {0};
    uint8_t secret[STORE_HASH], entropy[GAME_MAX_SEATS][STORE_HASH];
    size_t given = 0, name = strlen(deal->game);
    make_secret(&l->deals, deal->number, secret);
    for (int i = 0; i < deal->seats; i++)
        if (deal->entropy[i])
            memcpy(entropy[given++], deal->entropy[i], STORE_HASH);
    qsort(entropy, given, sizeof *entropy, by_bytes); // sorted, because the seats are only known from the key
    put_word(&b, "agon.deal.key.1");
    put_bytes(&b, epoch_of(&l->deals, deal->number)->id, STORE_HASH);
    put_u64(&b, deal->number);
    put_bytes(&b, secret, sizeof secret);
    put_u8(&b, name);
    put_bytes(&b, deal->game, name);
    put_bytes(&b, deal->rules, sizeof deal->rules);
    put_u8(&b, (size_t)deal->seats);
    put_u8(&b, given);
    put_bytes(&b, entropy, given * sizeof *entropy);
    hash_bytes_to(&b, key);
}

// --- entries

// Makes the next entry of the list. The caller must put it into the store before the next one is made.
static void make_entry(struct deals *d, enum store_entry_kind kind, uint64_t number, const struct bytes *body,
                       int64_t now_ms, struct store_entry *e)
{
    struct bytes b = {0};
    assert(body->size <= sizeof e->body);
    *e = (struct store_entry){.place = d->shared ? STORE_NEXT_PLACE : d->places++,
                              .number = number,
                              .at_ms = now_ms,
                              .kind = (uint8_t)kind,
                              .size = (uint16_t)body->size};
    memcpy(e->body, body->at, body->size);
    if (d->shared)
        return; // other nodes add entries too, so the store links them
    put_word(&b, "agon.commitments.1");
    put_bytes(&b, d->link, sizeof d->link);
    put_u64(&b, e->place);
    put_u8(&b, kind);
    put_u64(&b, number);
    put_u64(&b, (uint64_t)now_ms);
    put_bytes(&b, body->at, body->size);
    hash_bytes_to(&b, d->link);
    memcpy(e->link, d->link, sizeof e->link);
}

static void add_entry(struct lobby *l, enum store_entry_kind kind, uint64_t number, const struct bytes *body,
                      int64_t now_ms)
{
    struct store_entry e;
    make_entry(&l->deals, kind, number, body, now_ms, &e);
    store_put_entry(l->store, &e);
}

static void write_closed(const struct deals *d, uint64_t number, enum deal_end end, bool reveal, struct bytes *b)
{
    uint8_t secret[STORE_HASH];
    put_u8(b, end);
    put_u8(b, reveal);
    if (!reveal)
        return;
    make_secret(d, number, secret);
    put_bytes(b, secret, sizeof secret);
}

void deals_deal(struct lobby *l, const struct deal *deal, const uint8_t commitment[STORE_HASH], int64_t now_ms,
                struct store_entry *e)
{
    struct bytes b = {0};
    size_t name = strlen(deal->game);
    assert(deal->number == l->deals.next);
    l->deals.next++;
    put_bytes(&b, commitment, STORE_HASH);
    put_u8(&b, deal->source);
    put_bytes(&b, deal->rules, sizeof deal->rules);
    put_u8(&b, name);
    put_bytes(&b, deal->game, name);
    put_u8(&b, (size_t)deal->seats);
    for (int i = 0; i < deal->seats; i++) {
        put_u8(&b, deal->entropy[i] != NULL);
        if (deal->entropy[i])
            put_bytes(&b, deal->entropy[i], STORE_HASH);
    }
    make_entry(&l->deals, STORE_DEALT, deal->number, &b, now_ms, e);
}

const struct store_entry *deals_close_number(struct lobby *l, const struct store_match *m, struct store_entry *e)
{
    struct bytes b = {0};
    if (!m->deal || l->deals.unreadable || !epoch_of(&l->deals, m->deal))
        return NULL;
    write_closed(&l->deals, m->deal, m->status == STORE_FINISHED ? DEAL_FINISHED : DEAL_CANCELLED, !l->o.hide_keys, &b);
    make_entry(&l->deals, STORE_CLOSED, m->deal, &b, m->finished_ms, e);
    return e;
}

// --- the chain

static void publish_numbers(struct lobby *l, uint64_t up_to, int64_t now_ms)
{
    struct deals *d = &l->deals;
    while (d->published < up_to) {
        struct bytes b = {.size = STORE_HASH};
        make_commitment(d, ++d->published, b.at);
        add_entry(l, STORE_PUBLISHED, d->published, &b, now_ms);
    }
    d->ticket = store_last(l->store);
}

int deals_next(struct lobby *l, uint64_t *number, int64_t now_ms)
{
    struct deals *d = &l->deals;
    if (d->unreadable)
        return ERR_STORAGE;
    if (d->ticket <= store_durable(l->store))
        d->safe = d->published;
    // The next batch is written while half of the stock is left (decision 015: 128 to 256 ahead).
    if (d->safe == d->published && d->published - d->next + 1 < d->ahead / 2)
        publish_numbers(l, d->next + d->ahead - 1, now_ms);
    // Matches begin faster than the disk writes; no number may be used before it is published durably.
    if (d->next > d->safe) {
        d->ahead = 2 * d->ahead < DEALS_MOST_AHEAD ? 2 * d->ahead : DEALS_MOST_AHEAD;
        publish_numbers(l, d->next + d->ahead - 1, now_ms);
        // Blocks the loop; `ahead` was doubled so that it will not be needed again soon.
        store_wait(l->store);
        if (store_fault(l->store)[0])
            return ERR_STORAGE;
        d->safe = d->published;
    }
    *number = d->next;
    return OK;
}

// Closes the numbers that the previous epoch published and did not deal, and reveals their secrets. So a skipped number
// would be noticed.
static void begin_epoch(struct lobby *l, bool restored, int64_t now_ms)
{
    struct deals *d = &l->deals;
    for (; d->next <= d->published; d->next++) {
        struct bytes b = {0};
        // Revealed even with hide_keys: no match has a key from this secret.
        write_closed(d, d->next, DEAL_UNUSED, true, &b);
        add_entry(l, STORE_CLOSED, d->next, &b, now_ms);
    }
    struct store_epoch *e = add_epoch(d);
    *e = (struct store_epoch){.first = d->next};
    crypto_random(e->id, sizeof e->id);
    crypto_random(e->secret, sizeof e->secret);
    store_put_epoch(l->store, e);
    struct bytes b = {0};
    put_bytes(&b, e->id, sizeof e->id);
    put_u8(&b, restored);
    add_entry(l, STORE_EPOCH, e->first, &b, now_ms);
}

static void load_chain(struct lobby *l)
{
    struct deals *d = &l->deals;
    struct store_entry last;
    uint64_t first = store_first_deal(l->store);
    load_epochs(l);
    if (store_last_entry(l->store, &last)) {
        d->places = last.place + 1;
        memcpy(d->link, last.link, sizeof d->link);
    }
    if (first) { // a chain that begins now
        d->next = first;
        d->published = first - 1;
        return;
    }
    uint64_t unused = 0;
    d->published = store_last_number(l->store, STORE_PUBLISHED);
    d->next = store_last_number(l->store, STORE_DEALT) + 1;
    if (d->epochs) // numbers that an earlier epoch left unused were closed
        unused = d->epoch[d->epochs - 1].first;
    d->next = d->next > unused ? d->next : unused;
}

// Closes the published but undealt numbers of a chain whose node is gone.
static bool close_chain(struct lobby *l, const struct store_epoch *e, int64_t now_ms)
{
    uint64_t unanswered = store_unanswered(l->store);
    uint64_t published = store_last_number_of(l->store, STORE_PUBLISHED, e->first);
    uint64_t dealt = store_last_number_of(l->store, STORE_DEALT, e->first);
    if (store_unanswered(l->store) != unanswered || !deals_learn(l, e->first))
        return false;
    for (uint64_t n = dealt ? dealt + 1 : e->first; n <= published; n++) {
        struct bytes b = {0};
        write_closed(&l->deals, n, DEAL_UNUSED, true, &b);
        add_entry(l, STORE_CLOSED, n, &b, now_ms);
    }
    store_end_epoch(l->store, e->first);
    return true;
}

bool deals_close_left(struct lobby *l, int64_t now_ms)
{
    struct store_epoch left[LEFT_AT_ONCE];
    if (store_durable(l->store) < l->deals.left)
        return false; // the entries added last time are not durable yet
    int count = store_list_left_epochs(l->store, left, LEFT_AT_ONCE), closed = 0;
    while (closed < count && close_chain(l, &left[closed], now_ms))
        closed++;
    l->deals.left = store_last(l->store);
    return closed > 0;
}

void deals_open(struct lobby *l, int64_t now_ms)
{
    struct deals *d = &l->deals;
    uint64_t damages = store_damages(l->store);
    d->ahead = store_may_wait(l->store) ? DEALS_MOST_AHEAD : DEALS_AHEAD; // a burst must not wait for the network
    d->shared = store_is_shared(l->store);
    load_chain(l);
    d->unreadable = store_damages(l->store) != damages; // unreadable data must not be taken for an empty list
    if (d->unreadable)
        return;
    bool restored = d->epochs && d->epoch[d->epochs - 1].restored;
    while (!d->shared && deals_close_left(l, now_ms))
        store_wait(l->store);
    if (!d->epochs || restored || store_first_deal(l->store))
        begin_epoch(l, restored, now_ms);
    if (store_has_room(l->store)) // F8.6: a server with a full disk still starts
        publish_numbers(l, d->next + d->ahead - 1, now_ms);
    store_wait(l->store);
    d->safe = d->published;
}

void deals_close(struct lobby *l)
{
    free(l->deals.epoch);
}

// --- entropy

bool deals_read_entropy(struct span hex, uint8_t out[STORE_HASH])
{
    static const uint8_t none[STORE_HASH];
    return text_read_hex(hex, out, STORE_HASH) && memcmp(out, none, sizeof none) != 0;
}

void deals_set_entropy(struct lobby *l, struct lobby_agent *a, const uint8_t *entropy)
{
    if (entropy)
        memcpy(a->record.entropy, entropy, sizeof a->record.entropy);
    else
        memset(a->record.entropy, 0, sizeof a->record.entropy);
    lobby_agent_save(l, a);
}

const uint8_t *deals_entropy(const struct store_agent *a)
{
    static const uint8_t none[STORE_HASH];
    return memcmp(a->entropy, none, sizeof none) == 0 ? NULL : a->entropy;
}

// --- reading

struct cursor {
    const uint8_t *at, *end;
    bool bad;
};

// Behind the end it returns zeros, so that callers check `bad` once, at the end. No field has more than 255 bytes.
static const uint8_t *take_bytes(struct cursor *c, size_t size)
{
    static const uint8_t nothing[UINT8_MAX];
    const uint8_t *at = c->at;
    if ((size_t)(c->end - at) < size) {
        c->bad = true;
        return nothing;
    }
    c->at += size;
    return at;
}

static uint8_t take_below(struct cursor *c, uint8_t end)
{
    uint8_t value = *take_bytes(c, 1);
    c->bad |= value >= end;
    return value < end ? value : 0;
}

static void read_dealt(struct cursor *c, struct deal_entry *out)
{
    out->commitment = take_bytes(c, STORE_HASH);
    out->source = take_below(c, DEAL_SEED + 1);
    out->rules = take_bytes(c, STORE_HASH);
    out->game.size = *take_bytes(c, 1);
    out->game.at = (const char *)take_bytes(c, out->game.size);
    out->seats = take_below(c, STORE_SEATS + 1);
    for (int i = 0; i < out->seats; i++)
        out->entropy[i] = take_below(c, 2) ? take_bytes(c, STORE_HASH) : NULL;
}

bool deals_read(const struct store_entry *e, struct deal_entry *out)
{
    struct cursor c = {e->body, e->body + e->size, false};
    *out = (struct deal_entry){0};
    switch (e->kind) {
    case STORE_EPOCH:
        out->epoch = take_bytes(&c, STORE_HASH);
        out->restored = take_below(&c, 2);
        break;
    case STORE_PUBLISHED:
        out->commitment = take_bytes(&c, STORE_HASH);
        break;
    case STORE_DEALT:
        read_dealt(&c, out);
        break;
    case STORE_CLOSED:
        out->end = take_below(&c, DEAL_UNUSED + 1);
        out->secret = take_below(&c, 2) ? take_bytes(&c, STORE_HASH) : NULL;
        break;
    default:
        return false;
    }
    return !c.bad && c.at == c.end;
}

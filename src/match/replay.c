#include "match/replay.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "rules and hashes are stored as they lie in memory");

static const char magic[4] = {'A', 'G', 'O', 'N'};

enum { HEAD_SEED = 1, HEAD_KEY = 2, HEAD_FLAGS = 3 };

// The fields an action entry has, in order.
enum {
    HAS_KIND = 1,
    HAS_ARG_0 = 2,
    HAS_ARG_1 = 4,
    HAS_ARG_2 = 8,
    HAS_AMOUNT = 16,
    HAS_SOURCE = 32,
    IS_SILENT = 64,
    HAS_FIELDS = 127,
};

// Reading. Errors stick: callers check once, at the end, whether the bytes ran out or were wrong.
struct cursor {
    const uint8_t *at, *end;
    bool torn; // the bytes ran out
    bool bad;  // they say what cannot be
};

static const uint8_t *take_bytes(struct cursor *c, size_t size)
{
    if (c->torn || c->bad)
        return NULL;
    if (size > (size_t)(c->end - c->at)) {
        c->torn = true;
        return NULL;
    }
    const uint8_t *bytes = c->at;
    c->at += size;
    return bytes;
}

static void take_into(struct cursor *c, void *out, size_t size)
{
    const uint8_t *bytes = take_bytes(c, size);
    if (bytes)
        memcpy(out, bytes, size);
}

static uint8_t take_byte(struct cursor *c)
{
    const uint8_t *byte = take_bytes(c, 1);
    return byte ? *byte : 0;
}

// 0 after an error. Only the shortest form is right, so that equal replays have equal bytes.
static uint64_t take_number(struct cursor *c, uint64_t max)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t byte = take_byte(c);
        value |= (uint64_t)(byte & 127) << shift;
        if (byte & 128)
            continue;
        c->bad |= (byte == 0 && shift > 0) || (shift == 63 && byte > 1) || value > max;
        return c->torn || c->bad ? 0 : value;
    }
    c->bad = true;
    return 0;
}

static int32_t take_signed(struct cursor *c)
{
    uint32_t zigzag = (uint32_t)take_number(c, UINT32_MAX);
    return (int32_t)(zigzag >> 1 ^ -(zigzag & 1));
}

static uint8_t take_field(struct cursor *c, bool present)
{
    if (!present)
        return 0;
    uint8_t value = take_byte(c);
    c->bad |= value == 0 && !c->torn; // a zero is left out
    return value;
}

// A short text without control characters, closed with a NUL.
static void take_text(struct cursor *c, char *out, size_t room)
{
    size_t size = take_number(c, room - 1);
    take_into(c, out, size);
    for (size_t i = 0; i < size && !c->torn && !c->bad; i++)
        c->bad = (uint8_t)out[i] < 0x20 || out[i] == 0x7f;
}

static int seal_of(const struct cursor *c)
{
    return c->torn || c->bad ? ERR_FORMAT : OK;
}

static int take_head(struct cursor *c, struct replay_head *h)
{
    const uint8_t *mark = take_bytes(c, sizeof magic);
    if (!mark || memcmp(mark, magic, sizeof magic) != 0)
        return ERR_FORMAT;
    uint64_t format = take_number(c, UINT32_MAX);
    if (seal_of(c) != OK)
        return ERR_FORMAT;
    if (format != REPLAY_FORMAT)
        return ERR_VERSION;
    take_text(c, h->game, sizeof h->game);
    h->rules_version = (uint32_t)take_number(c, UINT32_MAX);
    h->rules.size = take_number(c, GAME_MAX_RULES);
    h->rules.at = (const char *)take_bytes(c, h->rules.size);
    h->seats = (int)take_number(c, GAME_MAX_SEATS);
    take_into(c, h->commitment, sizeof h->commitment);
    uint8_t flags = take_byte(c);
    c->bad |= (flags & ~HEAD_FLAGS) != 0 || (h->seats == 0 && !c->torn);
    h->has_seed = flags & HEAD_SEED;
    h->has_key = flags & HEAD_KEY;
    if (h->has_seed)
        h->seed = take_number(c, UINT64_MAX);
    if (h->has_key)
        take_into(c, h->key, sizeof h->key);
    for (int seat = 0; seat < h->seats; seat++)
        take_text(c, h->name[seat], sizeof h->name[seat]);
    return seal_of(c);
}

// A complete file says in its last bytes whether it reveals the key, and which: ..., [key 32], has_key, checksum 8.
static int check_end(struct replay_reader *r)
{
    enum { SUM = 8, FLAG = 1 };
    size_t size = r->file.size;
    uint64_t sum;
    if (size < r->body + SUM + FLAG)
        return OK;
    memcpy(&sum, r->file.at + size - SUM, sizeof sum);
    r->complete = sum == hash_bytes(r->file.at, size - SUM);
    if (!r->complete || r->file.at[size - SUM - FLAG] != 1)
        return OK;
    if (size < r->body + SUM + FLAG + RNG_KEY_BYTES)
        return ERR_FORMAT;
    const char *key = r->file.at + size - SUM - FLAG - RNG_KEY_BYTES;
    if (r->head.has_key && memcmp(r->head.key, key, RNG_KEY_BYTES) != 0)
        return ERR_FORMAT;
    memcpy(r->head.key, key, RNG_KEY_BYTES);
    r->head.has_key = true;
    return OK;
}

int replay_open(struct replay_reader *r, struct span file)
{
    *r = (struct replay_reader){.file = file};
    if (file.size == 0)
        return ERR_FORMAT;
    const uint8_t *bytes = (const uint8_t *)file.at;
    struct cursor c = {.at = bytes, .end = bytes + file.size};
    int err = take_head(&c, &r->head);
    if (err != OK)
        return err;
    r->body = r->at = (size_t)(c.at - bytes);
    return check_end(r);
}

static void take_action(struct cursor *c, struct replay_entry *e, int seats)
{
    uint8_t mask = take_byte(c);
    c->bad |= (mask & ~HAS_FIELDS) != 0 || (e->seat >= seats && e->seat != GAME_MASTER);
    e->action.kind = take_field(c, mask & HAS_KIND);
    e->action.arg[0] = take_field(c, mask & HAS_ARG_0);
    e->action.arg[1] = take_field(c, mask & HAS_ARG_1);
    e->action.arg[2] = take_field(c, mask & HAS_ARG_2);
    e->action.amount = mask & HAS_AMOUNT ? take_signed(c) : 0;
    e->source = mask & HAS_SOURCE ? (uint32_t)take_number(c, UINT32_MAX) : 0;
    e->silent = mask & IS_SILENT;
    c->bad |= ((mask & HAS_AMOUNT && !e->action.amount) || (mask & HAS_SOURCE && !e->source)) && !c->torn;
}

static void take_ticks(struct cursor *c, struct replay_entry *e, int seats)
{
    (void)seats;
    e->ticks = (uint32_t)take_number(c, MATCH_HASH_EVERY);
    c->bad |= (e->ticks == 0 && !c->torn) || e->seat != 0;
}

static void take_stack(struct cursor *c, struct replay_entry *e, int seats)
{
    (void)seats;
    e->items.size = take_number(c, MATCH_MAX_ITEMS);
    e->items.at = (const char *)take_bytes(c, e->items.size);
    c->bad |= e->seat != 0;
}

static void take_hash(struct cursor *c, struct replay_entry *e, int seats)
{
    (void)seats;
    take_into(c, &e->hash, sizeof e->hash);
    c->bad |= e->seat != 0;
}

static void take_leave(struct cursor *c, struct replay_entry *e, int seats)
{
    e->reason = take_byte(c);
    c->bad |= e->seat >= seats;
}

static void take_end(struct cursor *c, struct replay_entry *e, int seats)
{
    e->has_key = e->seat == 1; // stored here for readers from the front, and before the checksum for those from the end
    c->bad |= e->seat > 1;
    take_into(c, &e->hash, sizeof e->hash);
    for (int seat = 0; seat < seats; seat++)
        e->payoffs[seat] = take_signed(c);
    if (e->has_key)
        take_into(c, e->key, sizeof e->key);
    c->bad |= take_byte(c) != e->has_key && !c->torn;
    take_bytes(c, sizeof(uint64_t));
}

static void (*const takers[])(struct cursor *c, struct replay_entry *e, int seats) = {
    [REPLAY_ACTION] = take_action, [REPLAY_TICKS] = take_ticks, [REPLAY_STACK] = take_stack,
    [REPLAY_HASH] = take_hash,     [REPLAY_LEAVE] = take_leave, [REPLAY_END] = take_end,
};

// No more steps between two hashes than the format allows.
static bool keeps_pace(struct replay_reader *r, const struct replay_entry *e)
{
    if (e->kind == REPLAY_HASH)
        r->since_hash = 0;
    r->since_hash += e->kind == REPLAY_TICKS ? e->ticks : e->kind == REPLAY_ACTION || e->kind == REPLAY_STACK;
    return r->since_hash <= MATCH_HASH_EVERY;
}

int replay_next(struct replay_reader *r, struct replay_entry *e)
{
    *e = (struct replay_entry){.offset = r->at};
    if (r->at == r->file.size)
        return 0;
    const uint8_t *bytes = (const uint8_t *)r->file.at;
    struct cursor c = {.at = bytes + r->at, .end = bytes + r->file.size};
    uint8_t tag = take_byte(&c);
    e->kind = tag >> 4;
    e->seat = tag & 15;
    if (e->kind < REPLAY_ACTION || e->kind > REPLAY_END)
        return ERR_FORMAT;
    takers[e->kind](&c, e, r->head.seats);
    if (c.bad)
        return ERR_FORMAT;
    if (c.torn) {
        r->torn = true;
        return r->complete ? ERR_FORMAT : 0;
    }
    // Only the end can stand last in a complete file, and nowhere else.
    if ((e->kind == REPLAY_END) != (r->complete && c.at == c.end) || !keeps_pace(r, e))
        return ERR_FORMAT;
    r->at = (size_t)(c.at - bytes);
    return 1;
}

// Writing, by way of a small block so that the text is asked for room once per entry.
struct block {
    uint8_t *at;
    uint8_t byte[REPLAY_ENTRY_ROOM];
};

static void put_bytes(struct block *b, const void *bytes, size_t size)
{
    assert(size <= (size_t)(b->byte + sizeof b->byte - b->at));
    if (size)
        memcpy(b->at, bytes, size);
    b->at += size;
}

static void put_byte(struct block *b, unsigned byte)
{
    assert(b->at < b->byte + sizeof b->byte);
    *b->at++ = (uint8_t)byte;
}

static void put_number(struct block *b, uint64_t value)
{
    for (; value > 127; value >>= 7)
        put_byte(b, (unsigned)(value & 127) | 128);
    put_byte(b, (unsigned)value);
}

static void put_signed(struct block *b, int32_t value)
{
    put_number(b, (uint32_t)value << 1 ^ (uint32_t)(value >> 31));
}

static void flush_block(struct block *b, struct text *t)
{
    text_put(t, (struct span){(const char *)b->byte, (size_t)(b->at - b->byte)});
    b->at = b->byte;
}

static void write_short_text(struct text *t, const char *s, size_t room)
{
    const char *nul = memchr(s, 0, room);
    size_t size = nul ? (size_t)(nul - s) : room - 1;
    struct block b = {.at = b.byte};
    put_number(&b, size);
    for (size_t i = 0; i < size; i++) // a reader refuses control characters
        put_byte(&b, (uint8_t)s[i] < 0x20 || s[i] == 0x7f ? '?' : (uint8_t)s[i]);
    flush_block(&b, t);
}

void replay_write_head(struct text *t, const struct replay_head *h)
{
    struct block b = {.at = b.byte};
    put_bytes(&b, magic, sizeof magic);
    put_number(&b, REPLAY_FORMAT);
    flush_block(&b, t);
    write_short_text(t, h->game, sizeof h->game);
    put_number(&b, h->rules_version);
    put_number(&b, h->rules.size);
    flush_block(&b, t);
    text_put(t, h->rules);
    put_number(&b, (uint64_t)h->seats);
    put_bytes(&b, h->commitment, sizeof h->commitment);
    put_byte(&b, (h->has_seed ? HEAD_SEED : 0) | (h->has_key ? HEAD_KEY : 0));
    if (h->has_seed)
        put_number(&b, h->seed);
    if (h->has_key)
        put_bytes(&b, h->key, sizeof h->key);
    flush_block(&b, t);
    for (int seat = 0; seat < h->seats; seat++)
        write_short_text(t, h->name[seat], sizeof h->name[seat]);
}

static void put_action(struct block *b, const struct replay_entry *e)
{
    uint8_t *mask = b->at++;
    const uint8_t field[] = {e->action.kind, e->action.arg[0], e->action.arg[1], e->action.arg[2]};
    *mask = (uint8_t)(e->silent ? IS_SILENT : 0);
    for (int i = 0; i < 4; i++)
        if (field[i]) {
            *mask |= (uint8_t)(HAS_KIND << i);
            put_byte(b, field[i]);
        }
    if (e->action.amount) {
        *mask |= HAS_AMOUNT;
        put_signed(b, e->action.amount);
    }
    if (e->source) {
        *mask |= HAS_SOURCE;
        put_number(b, e->source);
    }
}

static void write_end(struct text *t, struct block *b, const struct replay_entry *e, int seats)
{
    put_bytes(b, &e->hash, sizeof e->hash);
    for (int seat = 0; seat < seats; seat++)
        put_signed(b, e->payoffs[seat]);
    if (e->has_key)
        put_bytes(b, e->key, sizeof e->key);
    put_byte(b, e->has_key);
    flush_block(b, t);
    if (t->full)
        return;
    uint64_t sum = hash_bytes(t->at, t->size);
    text_put(t, (struct span){(const char *)&sum, sizeof sum});
}

void replay_write_entry(struct text *t, const struct replay_entry *e, int seats)
{
    struct block b = {.at = b.byte};
    bool seated = e->kind == REPLAY_ACTION || e->kind == REPLAY_LEAVE;
    unsigned low = e->kind == REPLAY_END ? e->has_key : seated ? (unsigned)e->seat : 0;
    put_byte(&b, (unsigned)e->kind << 4 | low);
    switch (e->kind) {
    case REPLAY_ACTION:
        put_action(&b, e);
        break;
    case REPLAY_TICKS:
        put_number(&b, e->ticks);
        break;
    case REPLAY_STACK:
        put_number(&b, e->items.size);
        put_bytes(&b, e->items.at, e->items.size);
        break;
    case REPLAY_HASH:
        put_bytes(&b, &e->hash, sizeof e->hash);
        break;
    case REPLAY_LEAVE:
        put_byte(&b, e->reason);
        break;
    case REPLAY_END:
        write_end(t, &b, e, seats);
        return;
    }
    flush_block(&b, t);
}

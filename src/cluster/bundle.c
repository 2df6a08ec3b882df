#include "cluster/bundle.h"

static const char magic[4] = {'A', 'G', 'B', '1'};

static void write_number(char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (char)(value >> 8 * i);
}

static uint64_t read_number(const char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)(uint8_t)at[i] << 8 * i;
    return value;
}

// --- reading

static void read_head(const char *at, struct bundle *h)
{
    h->from = read_number(at + 4, 8);
    h->to = read_number(at + 12, 8);
    h->first = read_number(at + 20, 8);
    h->handled = read_number(at + 28, 8);
    h->count = (uint16_t)read_number(at + 36, 2);
    h->minor = (uint16_t)read_number(at + 38, 2);
}

// True if the entries fill the bundle to its last byte.
// S51: all is checked before anything is handled, so that a damaged bundle has no effect at all.
static bool is_whole(struct span bytes, int count)
{
    size_t at = BUNDLE_HEAD;
    for (int i = 0; i < count; i++) {
        if (bytes.size - at < ENTRY_HEAD)
            return false;
        size_t size = read_number(bytes.at + at, 4);
        at += ENTRY_HEAD;
        if (size > bytes.size - at)
            return false;
        at += size;
    }
    return at == bytes.size;
}

int bundle_open(struct bundle_reader *r, struct span bytes, struct bundle *head)
{
    if (bytes.size > BUNDLE_MAX)
        return ERR_TOO_LONG;
    if (bytes.size < BUNDLE_HEAD || memcmp(bytes.at, magic, sizeof magic - 1) != 0)
        return ERR_FORMAT;
    if (bytes.at[3] != magic[3])
        return ERR_VERSION;
    struct bundle h;
    read_head(bytes.at, &h);
    // Numbers begin at 1. The upper half of the range is refused, so that sums of two numbers cannot overflow.
    if (h.from == 0 || h.to == 0 || h.handled == 0 || h.first > UINT64_MAX / 2 || h.handled > UINT64_MAX / 2)
        return ERR_FORMAT;
    if (!is_whole(bytes, h.count))
        return ERR_FORMAT;
    *head = h;
    if (r)
        *r = (struct bundle_reader){bytes.at + BUNDLE_HEAD, h.count};
    return OK;
}

bool bundle_next(struct bundle_reader *r, struct entry *e)
{
    if (r->left == 0)
        return false;
    const char *at = r->at;
    e->payload = (struct span){at + ENTRY_HEAD, read_number(at, 4)};
    e->kind = (uint8_t)at[4];
    e->flags = (uint8_t)at[5];
    e->seat = (uint16_t)read_number(at + 6, 2);
    e->agent = read_number(at + 8, 8);
    e->conn = read_number(at + 16, 8);
    memcpy(e->id.byte, at + 24, UUID_BYTES);
    e->ask = (uint32_t)read_number(at + 40, 4);
    r->at = e->payload.at + e->payload.size;
    r->left--;
    return true;
}

// --- writing

void bundle_put_head(struct text *t, const struct bundle *h)
{
    char *at = text_reserve(t, BUNDLE_HEAD);
    if (!at)
        return;
    memcpy(at, magic, sizeof magic);
    write_number(at + 4, h->from, 8);
    write_number(at + 12, h->to, 8);
    write_number(at + 20, h->first, 8);
    write_number(at + 28, h->handled, 8);
    write_number(at + 36, h->count, 2);
    write_number(at + 38, h->minor, 2);
}

void entry_put(struct text *t, const struct entry *e)
{
    char *at = text_reserve(t, ENTRY_HEAD + e->payload.size);
    if (!at)
        return;
    write_number(at, e->payload.size, 4);
    at[4] = (char)e->kind;
    at[5] = (char)e->flags;
    write_number(at + 6, e->seat, 2);
    write_number(at + 8, e->agent, 8);
    write_number(at + 16, e->conn, 8);
    memcpy(at + 24, e->id.byte, UUID_BYTES);
    write_number(at + 40, e->ask, 4);
    if (e->payload.size)
        memcpy(at + ENTRY_HEAD, e->payload.at, e->payload.size);
}

size_t entry_size(const char *at)
{
    return ENTRY_HEAD + read_number(at, 4);
}

uint8_t entry_kind_at(const char *at)
{
    return (uint8_t)at[4];
}

void entry_clear(char *at)
{
    at[4] = ENTRY_NOTHING;
    at[5] = 0;
}

void entry_write_number(char out[8], uint64_t number)
{
    write_number(out, number, 8);
}

uint64_t entry_read_number(struct span payload)
{
    return payload.size == 8 ? read_number(payload.at, 8) : 0;
}

#include "cluster/note.h"

// Only orders and their replies list the players. Other notes have their number alone.
static bool has_players(uint8_t kind)
{
    return kind == ENTRY_ORDER || kind == ENTRY_BEGUN || kind == ENTRY_REFUSED;
}

// --- writing

static void put_number(struct text *t, uint64_t value, int bytes)
{
    char *at = text_reserve(t, (size_t)bytes);
    for (int i = 0; at && i < bytes; i++)
        at[i] = (char)(value >> 8 * i);
}

static void put_id(struct text *t, struct uuid id)
{
    text_put(t, (struct span){(const char *)id.byte, UUID_BYTES});
}

static void put_word(struct text *t, const char *word, size_t room)
{
    size_t size = 0;
    while (size < room - 1 && word[size])
        size++;
    put_number(t, size, 1);
    text_put(t, (struct span){word, size});
}

void note_write(const struct note *n, char room[NOTE_MOST], struct entry *e)
{
    struct text t = text_on(room, NOTE_MOST);
    put_number(&t, n->flags, 2);
    put_number(&t, n->why, 1);
    put_number(&t, n->capabilities, 4);
    put_number(&t, n->term, 8);
    put_id(&t, n->id);
    put_id(&t, n->challenge);
    put_number(&t, n->host, 8);
    put_number(&t, (uint64_t)n->age_ms, 8);
    put_number(&t, n->players, 1);
    put_number(&t, n->waiting, 1);
    put_number(&t, n->houses, 1);
    put_number(&t, n->bots, 1);
    put_word(&t, n->game, sizeof n->game);
    put_word(&t, n->mode, sizeof n->mode);
    put_word(&t, n->say, sizeof n->say);
    for (int i = 0; i < n->bots && i < NOTE_BOTS; i++)
        put_word(&t, n->bot[i], sizeof n->bot[i]);
    for (int i = 0; i < n->players && i < NOTE_PLAYERS && has_players(n->kind); i++) {
        put_id(&t, n->player[i].agent);
        put_number(&t, n->player[i].gateway, 8);
        put_number(&t, n->player[i].flags, 1);
    }
    *e = (struct entry){.kind = n->kind, .conn = n->conn, .id = n->agent, .ask = n->number, .payload = text_span(&t)};
}

// --- reading

struct reader {
    struct span left;
    bool failed;
};

static const char *take_bytes(struct reader *r, size_t size)
{
    if (r->failed || r->left.size < size) {
        r->failed = true;
        return NULL;
    }
    const char *at = r->left.at;
    r->left = (struct span){at + size, r->left.size - size};
    return at;
}

static uint64_t take_number(struct reader *r, int bytes)
{
    const char *at = take_bytes(r, (size_t)bytes);
    uint64_t value = 0;
    for (int i = 0; at && i < bytes; i++)
        value |= (uint64_t)(uint8_t)at[i] << 8 * i;
    return value;
}

static struct uuid take_id(struct reader *r)
{
    struct uuid id = {0};
    const char *at = take_bytes(r, UUID_BYTES);
    if (at)
        memcpy(id.byte, at, UUID_BYTES);
    return id;
}

// Refuses zeros inside, so that a C string loses nothing.
static void take_word(struct reader *r, char *out, size_t room)
{
    size_t size = (size_t)take_number(r, 1);
    const char *at = size < room ? take_bytes(r, size) : NULL;
    r->failed |= size >= room;
    for (size_t i = 0; at && i < size; i++) {
        r->failed |= at[i] == 0;
        out[i] = at[i];
    }
}

static void take_counts(struct reader *r, struct note *n)
{
    n->players = (uint8_t)take_number(r, 1);
    n->waiting = (uint8_t)take_number(r, 1);
    n->houses = (uint8_t)take_number(r, 1);
    n->bots = (uint8_t)take_number(r, 1);
    r->failed |=
        n->players > NOTE_PLAYERS || n->waiting > NOTE_PLAYERS || n->houses > NOTE_PLAYERS || n->bots > NOTE_BOTS;
}

static void take_players(struct reader *r, struct note *n)
{
    for (int i = 0; i < n->players && !r->failed; i++) {
        n->player[i].agent = take_id(r);
        n->player[i].gateway = take_number(r, 8);
        n->player[i].flags = (uint8_t)take_number(r, 1);
    }
}

int note_read(const struct entry *e, struct note *n)
{
    struct reader r = {.left = e->payload};
    *n = (struct note){.kind = e->kind, .conn = e->conn, .agent = e->id, .number = e->ask};
    if (e->kind < ENTRY_JOIN || e->kind > ENTRY_REFUSED)
        return ERR_FORMAT;
    n->flags = (uint16_t)take_number(&r, 2);
    n->why = (uint8_t)take_number(&r, 1);
    n->capabilities = (uint32_t)take_number(&r, 4);
    n->term = take_number(&r, 8);
    n->id = take_id(&r);
    n->challenge = take_id(&r);
    n->host = take_number(&r, 8);
    n->age_ms = (int64_t)take_number(&r, 8);
    take_counts(&r, n);
    take_word(&r, n->game, sizeof n->game);
    take_word(&r, n->mode, sizeof n->mode);
    take_word(&r, n->say, sizeof n->say);
    for (int i = 0; i < n->bots && !r.failed; i++)
        take_word(&r, n->bot[i], sizeof n->bot[i]);
    if (has_players(n->kind))
        take_players(&r, n);
    // Refuses implausible times, because they are added to others: 2^48 ms are 8,900 years.
    return r.failed || r.left.size || n->age_ms < 0 || n->age_ms > (int64_t)1 << 48 ? ERR_FORMAT : OK;
}

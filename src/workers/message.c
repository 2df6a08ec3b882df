#include "workers/message.h"

#include "base/hash.h"
#include "base/json_read.h"
#include "base/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 4 }; // of JSON messages

// --- JSON: units and notices

static void read_text(struct json_reader *r, char *out, size_t room)
{
    if (json_string_copy(json_read_string(r), out, room) < 0)
        json_fail(r, ERR_TOO_LONG);
}

static void read_contest(struct json_reader *r, struct uuid *out)
{
    if (!uuid_parse(out, json_read_string(r).raw))
        json_fail(r, ERR_FORMAT);
}

void workers_write_unit(struct text *t, const struct workers_unit *u)
{
    json_begin_object(t);
    uuid_put(t, "contest", u->contest);
    json_put_hex(t, "fingerprint", u->fingerprint);
    json_put_uint(t, "first", u->first);
    json_put_uint(t, "count", u->count);
    json_put_uint(t, "try", u->attempt);
    if (u->barred[0])
        json_put_text(t, "not", u->barred);
    if (u->meetings) {
        json_begin_array_at(t, "meetings");
        for (uint32_t i = 0; i < u->meetings; i++) {
            const struct contest_meeting *m = &u->meeting[i];
            const uint64_t numbers[] = {(uint64_t)m->pair.first, (uint64_t)m->pair.second, m->before[0], m->before[1],
                                        m->turn};
            json_begin_array(t);
            for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++)
                json_write_uint(t, numbers[k]);
            json_end_array(t);
        }
        json_end_array(t);
    }
    json_end_object(t);
}

static void read_meeting(struct json_reader *r, struct contest_meeting *m)
{
    uint64_t n[5] = {0};
    unsigned i = 0;
    for (json_enter_array(r); json_next_item(r); i++) {
        uint64_t value = json_read_uint(r, i < 2 ? CONTEST_ENTRANTS - 1 : UINT32_MAX);
        if (i < 5)
            n[i] = value;
    }
    if (i != 5 || n[0] == n[1] || n[4] >= GAME_MAX_SEATS)
        json_fail(r, ERR_FORMAT);
    *m = (struct contest_meeting){{(int8_t)n[0], (int8_t)n[1]}, {(uint32_t)n[2], (uint32_t)n[3]}, (uint32_t)n[4]};
}

static void read_meetings(struct json_reader *r, struct workers_unit *u)
{
    for (json_enter_array(r); json_next_item(r);) {
        if (u->meetings == WORKERS_MEETINGS) {
            json_fail(r, ERR_TOO_LONG);
            return;
        }
        read_meeting(r, &u->meeting[u->meetings++]);
    }
}

int workers_read_unit(struct span bytes, struct workers_unit *out)
{
    struct json_reader r = json_reader_of(bytes, DEPTH);
    struct json_string key;
    struct workers_unit u = {0};
    if (bytes.size > WORKERS_UNIT)
        return ERR_TOO_LONG;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "contest"))
            read_contest(&r, &u.contest);
        else if (json_string_is(key, "fingerprint"))
            u.fingerprint = json_read_hex(&r);
        else if (json_string_is(key, "first"))
            u.first = json_read_uint(&r, CONTEST_MAX_GAMES);
        else if (json_string_is(key, "count"))
            u.count = (uint32_t)json_read_uint(&r, WORKERS_MOST_GAMES);
        else if (json_string_is(key, "try"))
            u.attempt = (uint32_t)json_read_uint(&r, UINT32_MAX);
        else if (json_string_is(key, "not"))
            read_text(&r, u.barred, sizeof u.barred);
        else if (json_string_is(key, "meetings"))
            read_meetings(&r, &u);
        else
            json_skip(&r);
    int err = json_finish(&r);
    if (err == OK && (uuid_is_none(u.contest) || u.count == 0))
        err = ERR_MISSING;
    if (err == OK)
        *out = u;
    return err;
}

void workers_write_notice(struct text *t, const struct workers_notice *n)
{
    json_begin_object(t);
    if (n->worker[0])
        json_put_text(t, "worker", n->worker);
    if (!uuid_is_none(n->contest))
        uuid_put(t, "contest", n->contest);
    if (n->threads) {
        json_put_int(t, "threads", n->threads);
        json_put_decimal(t, "games_per_s", n->games_per_s, 1);
    }
    if (n->why[0])
        json_put_text(t, "why", n->why);
    json_end_object(t);
}

int workers_read_notice(struct span bytes, struct workers_notice *out)
{
    enum { MOST_THREADS = 4096 };
    struct json_reader r = json_reader_of(bytes, DEPTH);
    struct json_string key;
    struct workers_notice n = {0};
    if (bytes.size > WORKERS_NOTICE)
        return ERR_TOO_LONG;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "worker"))
            read_text(&r, n.worker, sizeof n.worker);
        else if (json_string_is(key, "contest"))
            read_contest(&r, &n.contest);
        else if (json_string_is(key, "threads"))
            n.threads = (int)json_read_uint(&r, MOST_THREADS);
        else if (json_string_is(key, "games_per_s"))
            n.games_per_s = json_read_real(&r);
        else if (json_string_is(key, "why"))
            read_text(&r, n.why, sizeof n.why);
        else
            json_skip(&r);
    int err = json_finish(&r);
    if (err == OK)
        *out = n;
    return err;
}

// --- bytes: outcomes (S83)
//
//     "AGR1", contest 16, fingerprint 8, then numbers of variable length: first, count, try, play_us, name's size,
//     name, sessions created and deleted by entrant, then the games; at the end XXH3 of everything before, 8 bytes. A
//     game: flags and end, fault, steps, hash 8, payoffs, and what the flags say: points, trouble, attempts, luck (8
//     each).

static const char mark[4] = {'A', 'G', 'R', '1'};
enum { // of a game's flags, above the bits of its end
    HAS_POINTS = 16,
    HAS_TROUBLE = 32,
    HAS_ATTEMPTS = 64,
    HAS_LUCK = 128,
    OVERRAN = 256,
    HAS_KNOWN = 512,
    END_BITS = 15 // enum contest_end
};

// A new field must be sent and compared too.
_Static_assert(sizeof(struct contest_result) == 488,
               "struct contest_result has changed: write, read and compare it here");

static void put_number(struct text *t, uint64_t n)
{
    for (; n > 127; n >>= 7)
        text_put_char(t, (char)(n | 128));
    text_put_char(t, (char)n);
}

static void put_signed(struct text *t, int64_t n)
{
    put_number(t, (uint64_t)n << 1 ^ (uint64_t)(n >> 63));
}

static void put_fixed(struct text *t, uint64_t n)
{
    for (int i = 0; i < 8; i++)
        text_put_char(t, (char)(n >> 8 * i));
}

// A message being read. Once `bad`, every read returns 0, so that it is checked only at the end.
struct bytes {
    const uint8_t *at, *end;
    bool bad;
};

static uint64_t get_number(struct bytes *b, uint64_t max)
{
    uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (b->at == b->end)
            break;
        uint8_t byte = *b->at++;
        n |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128)) {
            b->bad |= n > max;
            return b->bad ? 0 : n;
        }
    }
    b->bad = true;
    return 0;
}

static int32_t get_signed(struct bytes *b)
{
    uint64_t n = get_number(b, UINT32_MAX);
    return (int32_t)((int64_t)(n >> 1) ^ -(int64_t)(n & 1));
}

static const uint8_t *get_bytes(struct bytes *b, size_t size)
{
    static const uint8_t none[256];
    if (b->bad || (size_t)(b->end - b->at) < size) {
        b->bad = true;
        return none;
    }
    b->at += size;
    return b->at - size;
}

static uint64_t get_fixed(struct bytes *b)
{
    const uint8_t *at = get_bytes(b, 8);
    uint64_t n = 0;
    for (int i = 7; i >= 0; i--)
        n = n << 8 | at[i];
    return n;
}

uint32_t workers_most_games(int seats)
{
    uint32_t head = 64 + 10 * CONTEST_ENTRANTS + WORKERS_NAME,
             game = 2 + 1 + 5 + 8 + (uint32_t)seats * (5 + 5 + 3 * CONTEST_TROUBLES + 8 * CONTEST_LUCKS) + 5 +
                    CONTEST_SIDES * (CONTEST_ATTEMPTS * 2 * 3 + 5);
    uint32_t fit = (WORKERS_OUTCOME - head) / game;
    return fit < WORKERS_MOST_GAMES ? fit : WORKERS_MOST_GAMES;
}

static bool has_trouble(const struct contest_result *r, int seats)
{
    for (int s = 0; s < seats; s++)
        for (int k = 0; k < CONTEST_TROUBLES; k++)
            if (r->trouble[s][k])
                return true;
    return false;
}

static bool same_attempts(const struct contest_attempts *a, const struct contest_attempts *b)
{
    return a->parts == b->parts && memcmp(a->tried, b->tried, sizeof a->tried) == 0 &&
           memcmp(a->made, b->made, sizeof a->made) == 0 && memcmp(a->tally, b->tally, sizeof a->tally) == 0;
}

static void put_attempts(struct text *t, const struct contest_attempts *a)
{
    put_number(t, a->parts);
    for (int side = 0; side < CONTEST_SIDES; side++) {
        for (int k = 0; k < CONTEST_ATTEMPTS; k++) {
            put_number(t, a->tried[side][k]);
            put_number(t, a->made[side][k]);
        }
        put_number(t, a->tally[side]);
    }
}

static void put_result(struct text *t, const struct contest_result *r, int seats)
{
    bool points = memcmp(r->points, r->payoffs, (size_t)seats * sizeof *r->points) != 0,
         trouble = has_trouble(r, seats), attempts = !same_attempts(&r->attempts, &(struct contest_attempts){0});
    put_number(t, r->end | (points ? HAS_POINTS : 0u) | (trouble ? HAS_TROUBLE : 0u) | (attempts ? HAS_ATTEMPTS : 0u) |
                      (r->lucks ? HAS_LUCK : 0u) | (r->lucks > CONTEST_FOLLOWED ? HAS_KNOWN : 0u) |
                      (r->overran ? OVERRAN : 0u));
    put_number(t, (uint64_t)(r->at_fault + 1));
    put_number(t, r->steps);
    put_fixed(t, r->hash);
    for (int s = 0; s < seats; s++)
        put_signed(t, r->payoffs[s]);
    for (int s = 0; points && s < seats; s++)
        put_signed(t, r->points[s]);
    for (int i = 0; trouble && i < seats * CONTEST_TROUBLES; i++)
        put_number(t, r->trouble[i / CONTEST_TROUBLES][i % CONTEST_TROUBLES]);
    if (attempts)
        put_attempts(t, &r->attempts);
    for (int i = 0; i < seats * r->lucks; i++) {
        uint64_t bits;
        memcpy(&bits, &r->luck[i / seats][i % seats], sizeof bits);
        put_fixed(t, bits);
    }
}

static void get_attempts(struct bytes *b, struct contest_attempts *a)
{
    a->parts = (uint32_t)get_number(b, UINT32_MAX);
    for (int side = 0; side < CONTEST_SIDES; side++) {
        for (int k = 0; k < CONTEST_ATTEMPTS; k++) {
            a->tried[side][k] = (uint16_t)get_number(b, UINT16_MAX);
            a->made[side][k] = (uint16_t)get_number(b, UINT16_MAX);
        }
        a->tally[side] = (uint32_t)get_number(b, UINT32_MAX);
    }
}

static void get_result(struct bytes *b, struct contest_result *r, int seats)
{
    uint64_t flags = get_number(b, 2 * HAS_KNOWN - 1);
    *r = (struct contest_result){.end = (uint8_t)(flags & END_BITS), .overran = flags & OVERRAN};
    r->lucks = flags & HAS_KNOWN ? CONTEST_LUCKS : flags & HAS_LUCK ? CONTEST_FOLLOWED : 0;
    b->bad |= r->end == CONTEST_UNPLAYED || r->end >= CONTEST_ENDS;
    r->at_fault = (int8_t)((int)get_number(b, (uint64_t)seats) - 1);
    r->steps = (uint32_t)get_number(b, UINT32_MAX);
    r->hash = get_fixed(b);
    for (int s = 0; s < seats; s++)
        r->payoffs[s] = r->points[s] = get_signed(b);
    for (int s = 0; flags & HAS_POINTS && s < seats; s++)
        r->points[s] = get_signed(b);
    for (int i = 0; flags & HAS_TROUBLE && i < seats * CONTEST_TROUBLES; i++)
        r->trouble[i / CONTEST_TROUBLES][i % CONTEST_TROUBLES] = (uint16_t)get_number(b, UINT16_MAX);
    if (flags & HAS_ATTEMPTS)
        get_attempts(b, &r->attempts);
    for (int i = 0; i < seats * r->lucks; i++) {
        double *luck = &r->luck[i / seats][i % seats];
        uint64_t bits = get_fixed(b);
        memcpy(luck, &bits, sizeof bits);
        b->bad |= !isfinite(*luck);
    }
}

void workers_write_outcome(struct text *t, const struct workers_outcome *o, int seats, int entrants)
{
    size_t name = strlen(o->worker);
    text_put(t, (struct span){mark, sizeof mark});
    text_put(t, (struct span){(const char *)o->contest.byte, UUID_BYTES});
    put_fixed(t, o->fingerprint);
    put_number(t, o->first);
    put_number(t, o->count);
    put_number(t, o->attempt);
    put_number(t, o->play_us);
    put_number(t, name);
    text_put(t, (struct span){o->worker, name});
    for (int e = 0; e < entrants; e++) {
        put_number(t, o->created[e]);
        put_number(t, o->deleted[e]);
    }
    for (uint32_t i = 0; i < o->count; i++)
        put_result(t, &o->result[i], seats);
    if (!t->full)
        put_fixed(t, hash_bytes(t->at, t->size));
}

static bool is_whole(struct span bytes)
{
    struct bytes sum = {(const uint8_t *)bytes.at + bytes.size - 8, (const uint8_t *)bytes.at + bytes.size, false};
    return get_fixed(&sum) == hash_bytes(bytes.at, bytes.size - 8);
}

int workers_read_outcome(struct span bytes, int seats, int entrants, struct workers_outcome *out,
                         struct contest_result room[WORKERS_MOST_GAMES])
{
    enum { LEAST = sizeof mark + UUID_BYTES + 16 };
    struct workers_outcome o = {.result = room};
    if (bytes.size < LEAST || memcmp(bytes.at, mark, sizeof mark) != 0)
        return ERR_FORMAT;
    if (bytes.size > WORKERS_OUTCOME)
        return ERR_TOO_LONG;
    if (!is_whole(bytes))
        return ERR_MISMATCH;
    struct bytes b = {(const uint8_t *)bytes.at + sizeof mark, (const uint8_t *)bytes.at + bytes.size - 8, false};
    memcpy(o.contest.byte, get_bytes(&b, UUID_BYTES), UUID_BYTES);
    o.fingerprint = get_fixed(&b);
    o.first = get_number(&b, CONTEST_MAX_GAMES);
    o.count = (uint32_t)get_number(&b, WORKERS_MOST_GAMES);
    o.attempt = (uint32_t)get_number(&b, UINT32_MAX);
    o.play_us = get_number(&b, INT64_MAX);
    size_t name = get_number(&b, WORKERS_NAME - 1);
    memcpy(o.worker, get_bytes(&b, name), name);
    for (int e = 0; e < entrants; e++) {
        o.created[e] = (uint32_t)get_number(&b, UINT32_MAX);
        o.deleted[e] = (uint32_t)get_number(&b, UINT32_MAX);
    }
    for (uint32_t i = 0; i < o.count && !b.bad; i++)
        get_result(&b, &room[i], seats);
    if (b.bad || b.at != b.end || o.count == 0)
        return ERR_FORMAT;
    *out = o;
    return OK;
}

static bool same_luck(const struct contest_result *a, const struct contest_result *b, int seats)
{
    for (int k = 0; k < a->lucks; k++)
        if (memcmp(a->luck[k], b->luck[k], (size_t)seats * sizeof *a->luck[k]) != 0)
            return false;
    return true;
}

bool workers_same_result(const struct contest_result *a, const struct contest_result *b, int seats)
{
    size_t size = (size_t)seats * sizeof *a->payoffs;
    return a->end == b->end && a->at_fault == b->at_fault && a->steps == b->steps && a->hash == b->hash &&
           a->overran == b->overran && memcmp(a->payoffs, b->payoffs, size) == 0 &&
           memcmp(a->points, b->points, size) == 0 &&
           memcmp(a->trouble, b->trouble, (size_t)seats * sizeof *a->trouble) == 0 &&
           same_attempts(&a->attempts, &b->attempts) && a->lucks == b->lucks && same_luck(a, b, seats);
}

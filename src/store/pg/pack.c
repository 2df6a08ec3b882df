// Records: data that is read and written as a whole and never searched. A byte with the number of columns, then each
// column: numbers as eight bytes, little endian; everything else as its size (two bytes) and its bytes.
#include "store/pg/internal.h"

#include <string.h>

static void put_bytes(struct bytes *to, const char *at, size_t size)
{
    uint16_t wire = (uint16_t)size;
    memcpy(store_grow(to, sizeof wire), &wire, sizeof wire);
    if (size)
        memcpy(store_grow(to, size), at, size);
}

static bool is_number(const struct column *c)
{
    return c->kind == COLUMN_INT || c->kind == COLUMN_UINT || c->kind == COLUMN_BOOL || c->kind == COLUMN_NUMBER ||
           c->kind == COLUMN_REAL;
}

static void put_number(struct bytes *to, const struct column *c, const char *field)
{
    uint64_t bits = 0;
    memcpy(&bits, field, c->size);
    if (c->kind == COLUMN_INT && c->size < 8) {
        unsigned spare = (unsigned)(64 - c->size * 8);
        bits = (uint64_t)((int64_t)(bits << spare) >> spare);
    }
    memcpy(store_grow(to, sizeof bits), &bits, sizeof bits);
}

void pack_row(struct bytes *to, const struct column *columns, int count, const void *row)
{
    *(uint8_t *)store_grow(to, 1) = (uint8_t)count;
    for (int i = 0; i < count; i++) {
        const char *field = (const char *)row + columns[i].offset;
        size_t size = columns[i].size;
        if (is_number(&columns[i])) {
            put_number(to, &columns[i], field);
            continue;
        }
        if (columns[i].kind == COLUMN_TEXT)
            size = strnlen(field, size);
        else
            while (size > 0 && field[size - 1] == 0)
                size--;
        put_bytes(to, field, size);
    }
}

static bool take_bytes(struct span *from, void *out, size_t size)
{
    if (from->size < size)
        return false;
    memcpy(out, from->at, size);
    from->at += size;
    from->size -= size;
    return true;
}

static bool take_field(struct span *from, const struct column *c, char *field)
{
    uint64_t bits;
    uint16_t size;
    if (is_number(c)) {
        if (!take_bytes(from, &bits, sizeof bits))
            return false;
        memcpy(field, &bits, c->size);
        return true;
    }
    memset(field, 0, c->size);
    return take_bytes(from, &size, sizeof size) && size <= c->size && take_bytes(from, field, size);
}

static bool unpack_row(struct span *from, const struct column *columns, int count, void *row)
{
    uint8_t there;
    if (!take_bytes(from, &there, 1) || there > count)
        return false;
    for (int i = 0; i < there; i++)
        if (!take_field(from, &columns[i], (char *)row + columns[i].offset))
            return false;
    return true;
}

#define OF_SEAT(kind, field) COLUMN(kind, struct store_seat, field)
static const struct column agent_of_seat[] = {OF_SEAT(NAME, agent)};
static const struct column grades_of_seat[] = {OF_SEAT(REAL, before.rating), OF_SEAT(REAL, before.deviation),
                                               OF_SEAT(REAL, after.rating), OF_SEAT(REAL, after.deviation)};

void pack_match(struct bytes *to, const struct store_match *m)
{
    pack_row(to, store_match_columns, STORE_MATCH_COLUMNS, m);
    for (int i = 0; i < m->seats; i++) {
        memcpy(store_grow(to, sizeof m->payoffs[i]), &m->payoffs[i], sizeof m->payoffs[i]);
        pack_row(to, agent_of_seat, 1, &m->seat[i]);
        pack_row(to, store_seat_columns, STORE_SEAT_COLUMNS, &m->seat[i]);
        pack_row(to, grades_of_seat, COUNT_OF(grades_of_seat), &m->seat[i]);
    }
}

bool unpack_match(struct span from, struct store_match *out)
{
    *out = (struct store_match){0};
    bool sound = unpack_row(&from, store_match_columns, STORE_MATCH_COLUMNS, out) && out->seats >= 0 &&
                 out->seats <= STORE_SEATS;
    for (int i = 0; sound && i < out->seats; i++)
        sound = take_bytes(&from, &out->payoffs[i], sizeof out->payoffs[i]) &&
                unpack_row(&from, agent_of_seat, 1, &out->seat[i]) &&
                unpack_row(&from, store_seat_columns, STORE_SEAT_COLUMNS, &out->seat[i]) &&
                unpack_row(&from, grades_of_seat, COUNT_OF(grades_of_seat), &out->seat[i]);
    return sound;
}

bool unpack_rating(struct span body, struct store_rating *out)
{
    return unpack_row(&body, store_rating_columns, STORE_RATING_COLUMNS, out);
}

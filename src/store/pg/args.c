#include "store/pg/internal.h"

#include "base/utf8.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

static void put_size(struct args *a, int32_t size)
{
    uint32_t wire = htobe32((uint32_t)size);
    memcpy(store_grow(a->to, sizeof wire), &wire, sizeof wire);
    if (a->array)
        a->items++;
    else
        a->count++;
}

static void put_bytes(struct args *a, const void *bytes, size_t size)
{
    put_size(a, (int32_t)size);
    if (size)
        memcpy(store_grow(a->to, size), bytes, size);
}

void args_null(struct args *a)
{
    put_size(a, -1);
}

void args_int(struct args *a, int64_t value)
{
    uint64_t wire = htobe64((uint64_t)value);
    put_bytes(a, &wire, sizeof wire);
}

void args_int4(struct args *a, int32_t value)
{
    uint32_t wire = htobe32((uint32_t)value);
    put_bytes(a, &wire, sizeof wire);
}

void args_real(struct args *a, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = htobe64(bits);
    put_bytes(a, &bits, sizeof bits);
}

void args_bool(struct args *a, bool value)
{
    put_bytes(a, &(char){value}, 1);
}

void args_bytes(struct args *a, struct span bytes)
{
    put_bytes(a, bytes.at, bytes.size);
}

void args_text(struct args *a, const char *text, size_t room)
{
    size_t size = strnlen(text, room);
    put_bytes(a, text, size);
    if (utf8_is_valid((struct span){text, size}))
        return;
    char *at = a->to->at + a->to->size - size;
    for (const char *end = at + size; at < end;) {
        int length = utf8_sequence(at, end);
        if (!length)
            *at = '?';
        at += length ? length : 1;
    }
}

void args_uuid(struct args *a, struct uuid id)
{
    if (uuid_is_none(id))
        args_null(a);
    else
        put_bytes(a, id.byte, sizeof id.byte);
}

void args_begin_array(struct args *a, enum args_type type)
{
    // Dimensions, nulls, type, items, lower bound 1.
    const uint32_t head[] = {htobe32(1), 0, htobe32(type), 0, htobe32(1)};
    put_bytes(a, head, sizeof head);
    a->array = a->to->size - sizeof head;
    a->items = 0;
}

void args_end_array(struct args *a)
{
    char *at = a->to->at + a->array;
    uint32_t size = htobe32((uint32_t)(a->to->size - a->array)), items = htobe32((uint32_t)a->items),
             flags = htobe32(1);
    memcpy(at - sizeof size, &size, sizeof size);
    memcpy(at + 4, &flags, sizeof flags); // the array may contain NULLs
    memcpy(at + 12, &items, sizeof items);
    if (a->items == 0) { // an empty array has no dimension
        memset(at, 0, 4);
        a->to->size -= 8;
        size = htobe32(12);
        memcpy(at - sizeof size, &size, sizeof size);
    }
    a->array = 0;
}

static void put_column(struct args *a, const struct column *c, const char *field)
{
    double real;
    size_t size = c->size;
    switch ((enum column_kind)c->kind) {
    case COLUMN_INT:
    case COLUMN_UINT:
        args_int(a, column_int(field, c->size, c->kind == COLUMN_INT));
        break;
    case COLUMN_BOOL:
        args_bool(a, *(const bool *)field);
        break;
    case COLUMN_REAL:
        memcpy(&real, field, sizeof real);
        args_real(a, real);
        break;
    case COLUMN_TEXT:
        args_text(a, field, c->size);
        break;
    case COLUMN_NUMBER:
        if (column_is_zero(field, size))
            args_null(a);
        else
            args_int(a, column_int(field, size, false));
        break;
    case COLUMN_NAME:
        if (column_is_zero(field, size))
            args_null(a);
        else
            put_bytes(a, field, size);
        break;
    case COLUMN_TRIMMED:
        while (size > 0 && field[size - 1] == 0)
            size--;
        put_bytes(a, field, size);
        break;
    case COLUMN_BYTES:
        put_bytes(a, field, size);
        break;
    }
}

void args_row(struct args *a, const struct column *columns, int count, const void *row)
{
    for (int i = 0; i < count; i++)
        put_column(a, &columns[i], (const char *)row + columns[i].offset);
}

bool args_send(PGconn *c, enum pg_statement which, const char *at, int count)
{
    const char *value[PG_PARAMETERS];
    int size[PG_PARAMETERS], format[PG_PARAMETERS];
    char name[16];
    assert(count <= PG_PARAMETERS);
    for (int i = 0; i < count; i++) {
        uint32_t wire;
        memcpy(&wire, at, sizeof wire);
        at += sizeof wire;
        size[i] = (int)be32toh(wire);
        value[i] = size[i] < 0 ? NULL : at;
        format[i] = 1;
        if (size[i] < 0)
            size[i] = 0;
        at += size[i];
    }
    snprintf(name, sizeof name, "s%d", (int)which);
    return PQsendQueryPrepared(c, name, count, value, size, format, 1) == 1;
}

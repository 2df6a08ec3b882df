// Maps the fields of a struct to the columns of a table.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum column_kind {
    COLUMN_INT,
    COLUMN_UINT,
    COLUMN_BOOL,
    COLUMN_NUMBER,
    COLUMN_REAL,
    COLUMN_TEXT,
    COLUMN_NAME,
    COLUMN_BYTES,
    COLUMN_TRIMMED
};

struct column {
    // NUMBER: unsigned, 0 is stored as NULL; NAME: bytes, all zero is stored as NULL; BYTES: unchanged; TRIMMED:
    // without zeros at the end.
    uint8_t kind;
    uint16_t size;
    uint32_t offset;
};

// An integer field of this size; little endian, so the low bytes come first.
static inline int64_t column_int(const char *field, size_t size, bool is_signed)
{
    uint64_t bits = 0;
    memcpy(&bits, field, size);
    unsigned spare = (unsigned)(64 - size * 8);
    return is_signed ? (int64_t)(bits << spare) >> spare : (int64_t)bits;
}

static inline bool column_is_zero(const char *field, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (field[i])
            return false;
    return true;
}

#define COLUMN(kind, type, field)                                                                                      \
    {                                                                                                                  \
        COLUMN_##kind, sizeof(((type *)0)->field), offsetof(type, field)                                               \
    }
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

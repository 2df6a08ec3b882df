// Maps the fields of a struct to the columns of a table.
#pragma once

#include <stddef.h>
#include <stdint.h>

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

#define COLUMN(kind, type, field)                                                                                      \
    {                                                                                                                  \
        COLUMN_##kind, sizeof(((type *)0)->field), offsetof(type, field)                                               \
    }
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

// A struct as a row: which field is which column.
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
    uint8_t kind; // NUMBER: unsigned, 0 is NULL; NAME: bytes, all zero is NULL; BYTES: as they are; TRIMMED: without
                  // zeros at the end
    uint16_t size;
    uint32_t offset;
};

#define COLUMN(kind, type, field)                                                                                      \
    {                                                                                                                  \
        COLUMN_##kind, sizeof(((type *)0)->field), offsetof(type, field)                                               \
    }
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

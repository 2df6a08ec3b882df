#include "store/log_piece.h"

#include <string.h>

enum { VARINT_ROOM = LOG_PIECE_HEAD / 3 };

static char *put_varint(char *at, uint64_t value)
{
    for (; value > 0x7F; value >>= 7)
        *at++ = (char)(value | 0x80);
    *at++ = (char)value;
    return at;
}

static bool get_varint(struct span *from, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < from->size && i < VARINT_ROOM; i++) {
        uint64_t byte = (uint8_t)from->at[i];
        *value |= (byte & 0x7F) << 7 * i;
        if (byte < 0x80) {
            from->at += i + 1;
            from->size -= i + 1;
            return true;
        }
    }
    return false;
}

static bool get_bytes(struct span *from, uint64_t size, struct span *out)
{
    if (size > from->size)
        return false;
    *out = (struct span){from->at, (size_t)size};
    from->at += size;
    from->size -= (size_t)size;
    return true;
}

size_t log_piece_write_head(char head[LOG_PIECE_HEAD], int64_t at_ms, int64_t before_ms, size_t log_size,
                            size_t note_size)
{
    char *at = put_varint(head, (uint64_t)at_ms - (uint64_t)before_ms);
    return (size_t)(put_varint(put_varint(at, log_size), note_size) - head);
}

void log_piece_copy(char *to, struct span head, struct span log, struct span note)
{
    memcpy(to, head.at, head.size);
    if (log.size)
        memcpy(to + head.size, log.at, log.size);
    if (note.size)
        memcpy(to + head.size + log.size, note.at, note.size);
}

bool log_piece_read(struct span *blob, int64_t *at_ms, struct span *log, struct span *note)
{
    uint64_t passed, log_size, note_size;
    if (!get_varint(blob, &passed) || !get_varint(blob, &log_size) || !get_varint(blob, &note_size))
        return false;
    *at_ms = (int64_t)((uint64_t)*at_ms + passed);
    return get_bytes(blob, log_size, log) && get_bytes(blob, note_size, note);
}

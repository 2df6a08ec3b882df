#include "render/png.h"

#include <assert.h>

// --- deflate with the fixed codes of RFC 1951: literals, and matches one pixel or one row back

struct bits {
    struct text *t;
    uint32_t word;
    int count;
};

static void put_bits(struct bits *b, uint32_t value, int count)
{
    b->word |= value << b->count;
    for (b->count += count; b->count >= 8; b->count -= 8, b->word >>= 8)
        text_put_char(b->t, (char)(b->word & 0xff));
}

// Codes go out from their highest bit.
static void put_code(struct bits *b, uint32_t code, int count)
{
    uint32_t turned = 0;
    for (int i = 0; i < count; i++)
        turned |= (code >> i & 1) << (count - 1 - i);
    put_bits(b, turned, count);
}

static void put_symbol(struct bits *b, int symbol)
{
    if (symbol < 144)
        put_code(b, (uint32_t)(0x30 + symbol), 8);
    else if (symbol < 256)
        put_code(b, (uint32_t)(0x190 + symbol - 144), 9);
    else if (symbol < 280)
        put_code(b, (uint32_t)(symbol - 256), 7);
    else
        put_code(b, (uint32_t)(0xc0 + symbol - 280), 8);
}

enum { SHORTEST = 3, LONGEST = 258 };

static void put_length(struct bits *b, int length)
{
    int extra = 0, base = SHORTEST, symbol = 257;
    if (length == LONGEST) {
        put_symbol(b, 285);
        return;
    }
    for (;; symbol++, base += 1 << extra) {
        extra = symbol < 265 ? 0 : (symbol - 261) / 4;
        if (length < base + (1 << extra))
            break;
    }
    put_symbol(b, symbol);
    put_bits(b, (uint32_t)(length - base), extra);
}

static void put_distance(struct bits *b, int distance)
{
    int extra = 0, base = 1, symbol = 0;
    for (;; symbol++, base += 1 << extra) {
        extra = symbol < 4 ? 0 : symbol / 2 - 1;
        if (distance < base + (1 << extra))
            break;
    }
    put_code(b, (uint32_t)symbol, 5);
    put_bits(b, (uint32_t)(distance - base), extra);
}

// The file's bytes: each row with a 0 before it, for no filter.
struct image {
    const uint8_t *rgb;
    size_t row, size; // bytes of a row with its mark, of all
};

static uint8_t byte_at(const struct image *m, size_t i)
{
    size_t column = i % m->row;
    return column ? m->rgb[i / m->row * (m->row - 1) + column - 1] : 0;
}

static int match(const struct image *m, size_t at, size_t back)
{
    int n = 0;
    if (at < back)
        return 0;
    while (n < LONGEST && at + (size_t)n < m->size && byte_at(m, at + (size_t)n) == byte_at(m, at + (size_t)n - back))
        n++;
    return n;
}

static void pack(struct text *t, const struct image *m)
{
    struct bits b = {.t = t};
    assert(m->row);
    text_put(t, SPAN("\x78\x01"));
    put_bits(&b, 1, 1); // the last block,
    put_bits(&b, 1, 2); // with fixed codes
    for (size_t i = 0; i < m->size;) {
        int run = match(m, i, 3), row = m->row <= 32768 ? match(m, i, m->row) : 0, best = run > row ? run : row;
        if (best < SHORTEST) {
            put_symbol(&b, byte_at(m, i++));
            continue;
        }
        put_length(&b, best);
        put_distance(&b, run >= row ? 3 : (int)m->row);
        i += (size_t)best;
    }
    put_symbol(&b, 256);
    put_bits(&b, 0, 7);
}

static void put_be32(struct text *t, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        text_put_char(t, (char)(value >> shift & 0xff));
}

static uint32_t adler(const struct image *m)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < m->size; i++) {
        a = (a + byte_at(m, i)) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static uint32_t crc(struct span bytes)
{
    uint32_t c = 0xffffffff;
    assert(bytes.at);
    for (size_t i = 0; i < bytes.size; i++) {
        c ^= (uint8_t)bytes.at[i];
        for (int k = 0; k < 8; k++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
    }
    return ~c;
}

// --- the file

static size_t begin_chunk(struct text *t, const char *type)
{
    put_be32(t, 0); // its size, when that is known
    text_puts(t, type);
    return t->size;
}

static void end_chunk(struct text *t, size_t at)
{
    if (t->full)
        return;
    uint32_t size = (uint32_t)(t->size - at);
    struct text head = text_on(t->at + at - 8, 4);
    put_be32(&head, size);
    put_be32(t, crc((struct span){t->at + at - 4, t->size - at + 4}));
}

void png_write(struct text *t, const uint8_t *rgb, int width, int height)
{
    struct image m = {.rgb = rgb, .row = 3 * (size_t)width + 1};
    m.size = m.row * (size_t)height;
    text_put(t, SPAN("\x89PNG\r\n\x1a\n"));
    size_t at = begin_chunk(t, "IHDR");
    put_be32(t, (uint32_t)width);
    put_be32(t, (uint32_t)height);
    text_put(t, (struct span){"\x08\x02\0\0\0", 5}); // eight bits, RGB
    end_chunk(t, at);
    at = begin_chunk(t, "IDAT");
    pack(t, &m);
    put_be32(t, adler(&m));
    end_chunk(t, at);
    at = begin_chunk(t, "IEND");
    end_chunk(t, at);
}

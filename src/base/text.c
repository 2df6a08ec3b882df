#include "base/text.h"

char *text_reserve_more(struct text *t, size_t size)
{
    if (!t->full && size > t->room - t->size && !(t->grow && t->grow(t, size)))
        t->full = true;
    if (t->full)
        return NULL;
    char *space = t->at + t->size;
    t->size += size;
    return space;
}

#ifdef __OPTIMIZE_SIZE__
void text_puts(struct text *t, const char *text)
{
    text_put(t, span_of(text));
}
#endif

static inline __attribute__((always_inline)) void put_digits(struct text *t, uint64_t value)
{
    size_t digits = 1;
    for (uint64_t rest = value; rest >= 10; rest /= 10)
        digits++;
    char *space = text_reserve(t, digits);
    if (!space)
        return;
    for (; digits > 1; value /= 10)
        space[--digits] = (char)('0' + value % 10);
    space[0] = (char)('0' + value);
}

void text_put_uint(struct text *t, uint64_t value)
{
    put_digits(t, value);
}

void text_put_int(struct text *t, int64_t value)
{
    if (value < 0)
        text_put_char(t, '-');
    put_digits(t, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void text_put_hex(struct text *t, uint64_t value, int digits)
{
    char *space = text_reserve(t, (size_t)digits);
    for (int i = digits; space && i-- > 0; value >>= 4)
        space[i] = "0123456789abcdef"[value & 15];
}

void text_put_hex_bytes(struct text *t, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    char *space = text_reserve(t, 2 * size);
    for (size_t i = 0; space && i < size; i++) {
        space[2 * i] = "0123456789abcdef"[from[i] >> 4];
        space[2 * i + 1] = "0123456789abcdef"[from[i] & 15];
    }
}

static int read_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool text_read_hex(struct span hex, void *out, size_t size)
{
    uint8_t *to = out;
    if (hex.size != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++) {
        int high = read_digit(hex.at[2 * i]), low = read_digit(hex.at[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        to[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

void text_put_decimal(struct text *t, double value, int digits)
{
    uint64_t scale = 1;
    for (int i = 0; i < digits; i++)
        scale *= 10;
    uint64_t whole = (uint64_t)((value < 0 ? -value : value) * (double)scale + 0.5), rest = whole % scale;
    if (value < 0 && whole > 0) // what rounds to nothing has no sign
        text_put_char(t, '-');
    text_put_uint(t, whole / scale);
    if (rest == 0)
        return;
    text_put_char(t, '.');
    for (scale /= 10; rest; scale /= 10) {
        text_put_char(t, (char)('0' + rest / scale));
        rest %= scale;
    }
}

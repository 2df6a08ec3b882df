#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_write(struct text *t, const void *bytes, size_t size)
{
    const uint8_t *in = bytes;
    char *out = text_reserve(t, (size + 2) / 3 * 4);
    for (size_t i = 0; out && i < size; i += 3, out += 4) {
        size_t left = size - i;
        uint32_t group =
            (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0u);
        out[0] = digits[group >> 18];
        out[1] = digits[group >> 12 & 63];
        out[2] = left > 1 ? digits[group >> 6 & 63] : '=';
        out[3] = left > 2 ? digits[group & 63] : '=';
    }
}

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

long base64_read(struct span text, uint8_t *out, size_t room)
{
    if (text.size % 4)
        return -1;
    size_t size = text.size, used = 0;
    for (int pads = 0; pads < 2 && size && text.at[size - 1] == '='; pads++)
        size--;
    uint32_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        int value = value_of(text.at[i]);
        if (value < 0)
            return -1;
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 == 0)
            continue;
        if (used == room)
            return -1;
        out[used++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    unsigned left = size % 4 ? 8 - 2 * (unsigned)(size % 4) : 0; // bits that belong to no byte
    return size % 4 == 1 || bits & ((1u << left) - 1) ? -1 : (long)used;
}

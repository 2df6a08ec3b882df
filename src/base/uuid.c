#include "base/uuid.h"

static const uint8_t dash_before[UUID_BYTES] = {[4] = 1, [6] = 1, [8] = 1, [10] = 1};

void uuid_mark_random(struct uuid *u)
{
    u->byte[6] = (uint8_t)((u->byte[6] & 0x0F) | 0x40);
    u->byte[8] = (uint8_t)((u->byte[8] & 0x3F) | 0x80);
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool uuid_parse(struct uuid *u, struct span text)
{
    struct uuid read;
    const char *at = text.at;
    if (text.size != UUID_TEXT)
        return false;
    for (int i = 0; i < UUID_BYTES; i++) {
        if (dash_before[i] && *at++ != '-')
            return false;
        int high = digit_of(at[0]), low = digit_of(at[1]);
        if (high < 0 || low < 0)
            return false;
        read.byte[i] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    *u = read;
    return true;
}

void uuid_format(char out[UUID_TEXT + 1], struct uuid u)
{
    struct text t = text_on(out, UUID_TEXT);
    uuid_write(&t, u);
    out[UUID_TEXT] = 0;
}

void uuid_write(struct text *t, struct uuid u)
{
    static const char digits[] = "0123456789abcdef";
    char *at = text_reserve(t, UUID_TEXT);
    if (!at)
        return;
    for (int i = 0; i < UUID_BYTES; i++) {
        if (dash_before[i])
            *at++ = '-';
        *at++ = digits[u.byte[i] >> 4];
        *at++ = digits[u.byte[i] & 15];
    }
}

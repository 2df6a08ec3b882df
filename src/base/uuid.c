#include "base/uuid.h"

static const uint8_t dash_before[UUID_BYTES] = {[4] = 1, [6] = 1, [8] = 1, [10] = 1};

void uuid_mark_random(struct uuid *u)
{
    u->byte[6] = (uint8_t)((u->byte[6] & 0x0F) | 0x40);
    u->byte[8] = (uint8_t)((u->byte[8] & 0x3F) | 0x80);
}

// Digits are random, so a branch for each would be guessed wrong half of the time.
enum { IS_DIGIT = 16 };
static const uint8_t digit[256] = {
    ['0'] = 16, ['1'] = 17, ['2'] = 18, ['3'] = 19, ['4'] = 20, ['5'] = 21, ['6'] = 22, ['7'] = 23,
    ['8'] = 24, ['9'] = 25, ['a'] = 26, ['b'] = 27, ['c'] = 28, ['d'] = 29, ['e'] = 30, ['f'] = 31,
    ['A'] = 26, ['B'] = 27, ['C'] = 28, ['D'] = 29, ['E'] = 30, ['F'] = 31,
};

bool uuid_parse(struct uuid *u, struct span text)
{
    struct uuid read;
    const uint8_t *at = (const uint8_t *)text.at;
    unsigned sound = IS_DIGIT;
    if (text.size != UUID_TEXT)
        return false;
    for (int i = 0; i < UUID_BYTES; i++) {
        if (dash_before[i] && *at++ != '-')
            return false;
        unsigned high = digit[at[0]], low = digit[at[1]];
        sound &= high & low;
        read.byte[i] = (uint8_t)(high << 4 | (low & 15));
        at += 2;
    }
    if (!sound)
        return false;
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

#include "base/uuid.h"

#include "base/json_write.h"

// Where the digits of each byte stand in the text.
static const uint8_t place[UUID_BYTES] = {0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34};
static const uint8_t dash[] = {8, 13, 18, 23};
enum { DASHES = sizeof dash };

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
    for (int i = 0; i < DASHES; i++)
        if (at[dash[i]] != '-')
            return false;
    for (int i = 0; i < UUID_BYTES; i++) {
        unsigned high = digit[at[place[i]]], low = digit[at[place[i] + 1]];
        sound &= high & low;
        read.byte[i] = (uint8_t)(high << 4 | (low & 15));
    }
    if (!sound)
        return false;
    *u = read;
    return true;
}

static void format(char at[UUID_TEXT], struct uuid u)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < UUID_BYTES; i++) {
        at[place[i]] = digits[u.byte[i] >> 4];
        at[place[i] + 1] = digits[u.byte[i] & 15];
    }
    for (int i = 0; i < DASHES; i++)
        at[dash[i]] = '-';
}

void uuid_format(char out[UUID_TEXT + 1], struct uuid u)
{
    format(out, u);
    out[UUID_TEXT] = 0;
}

void uuid_put(struct text *t, const char *key, struct uuid u)
{
    char *at = json_put_space(t, key, UUID_TEXT);
    if (at)
        format(at, u);
}

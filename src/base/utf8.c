#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

int utf8_sequence(const char *at, const char *end)
{
    uint8_t lead = (uint8_t)at[0];
    if (lead < 0x80)
        return 1;
    int size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || end - at < size)
        return 0;
    for (int i = 1; i < size; i++)
        if (((uint8_t)at[i] & 0xc0) != 0x80)
            return 0;
    uint8_t second = (uint8_t)at[1];
    bool bad = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
               (lead == 0xf4 && second > 0x8f);
    return bad ? 0 : size;
}

bool utf8_is_valid(struct span s)
{
    const char *at = s.at, *end = s.size ? at + s.size : at;
    while (at < end) {
        uint64_t word = 0x80;
        if (end - at >= 8)
            memcpy(&word, at, 8);
        int size = word & 0x8080808080808080u ? utf8_sequence(at, end) : 8; // ASCII, eight at a look
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

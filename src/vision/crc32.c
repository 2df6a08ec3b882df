// CRC-32, eight bytes at a time.
#include "vision/ring.h"

#include <string.h>

extern const uint32_t vision_crc32_table[8][256]; // tables/crc32.c

uint32_t vision_crc32(const void *bytes, size_t size)
{
    const uint32_t(*t)[256] = vision_crc32_table;
    const uint8_t *at = bytes;
    uint32_t crc = ~0u;
    for (; size >= 8; size -= 8, at += 8) {
        uint32_t low, high;
        memcpy(&low, at, 4);
        memcpy(&high, at + 4, 4);
        low ^= crc;
        crc = t[7][low & 255] ^ t[6][low >> 8 & 255] ^ t[5][low >> 16 & 255] ^ t[4][low >> 24] ^ t[3][high & 255] ^
              t[2][high >> 8 & 255] ^ t[1][high >> 16 & 255] ^ t[0][high >> 24];
    }
    while (size--)
        crc = t[0][(crc ^ *at++) & 255] ^ crc >> 8;
    return ~crc;
}

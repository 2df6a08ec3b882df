#include "net/ws_frame.h"

// The length must use the shortest encoding.
// RFC 6455, 5.2; an eighth byte with the highest bit set is refused too.
static bool is_shortest(uint64_t length, int more)
{
    return more == 0 || (more == 2 && length > 125) || (more == 8 && length > UINT16_MAX && length <= INT64_MAX);
}

int ws_head_read(struct ws_head *h, struct span bytes)
{
    const uint8_t *b = (const uint8_t *)bytes.at;
    if (bytes.size < 2)
        return 0;
    int small = b[1] & 127, more = small == 127 ? 8 : small == 126 ? 2 : 0;
    *h = (struct ws_head){.opcode = b[0] & 15, .last = b[0] >> 7, .masked = b[1] >> 7};
    if (b[0] & 0x70 || (h->opcode > WS_BINARY && h->opcode < WS_CLOSE) || h->opcode > WS_PONG)
        return -1;
    if (h->opcode >= WS_CLOSE && (!h->last || more))
        return -1;
    size_t size = 2 + (size_t)more + (h->masked ? 4 : 0);
    if (bytes.size < size)
        return 0;
    h->length = more ? 0 : (uint64_t)small;
    for (int i = 0; i < more; i++)
        h->length = h->length << 8 | b[2 + i];
    if (h->masked)
        memcpy(h->mask, b + 2 + more, 4);
    return is_shortest(h->length, more) ? (int)size : -1;
}

int ws_head_write(uint8_t out[WS_MAX_HEAD], const struct ws_head *h)
{
    int more = h->length > UINT16_MAX ? 8 : h->length > 125 ? 2 : 0;
    out[0] = (uint8_t)(h->opcode | (h->last ? 0x80 : 0));
    out[1] = (uint8_t)((more == 8 ? 127 : more == 2 ? 126 : (int)h->length) | (h->masked ? 0x80 : 0));
    for (int i = 0; i < more; i++)
        out[2 + i] = (uint8_t)(h->length >> 8 * (more - 1 - i));
    if (h->masked)
        memcpy(out + 2 + more, h->mask, 4);
    return 2 + more + (h->masked ? 4 : 0);
}

void ws_mask(char *out, const char *in, size_t size, const uint8_t mask[4], uint64_t at)
{
    size_t i = 0;
    uint8_t turned[8];
    uint64_t wide, word;
    for (unsigned k = 0; k < 8; k++)
        turned[k] = mask[(at + k) & 3];
    memcpy(&wide, turned, sizeof wide);
    for (; i + 8 <= size; i += 8) {
        memcpy(&word, in + i, 8);
        word ^= wide;
        memcpy(out + i, &word, 8);
    }
    for (; i < size; i++)
        out[i] = (char)(in[i] ^ turned[i & 7]);
}

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

// Unicode 15: categories Cc, Cf, Zl, Zp, and Zs but the space; what is ignorable by default; blanks; noncharacters of
// plane 0. Those of the other planes end each plane.
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x0, 0x1f},        {0x7f, 0xa0},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},
    {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
    {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x2000, 0x200f},
    {0x2028, 0x202f},   {0x205f, 0x206f},   {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164},
    {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
    {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff},
};

static uint32_t decode(const char *at, int size)
{
    uint32_t point = size == 1 ? (uint8_t)at[0] : (uint8_t)at[0] & (0x7fu >> size);
    for (int i = 1; i < size; i++)
        point = point << 6 | ((uint8_t)at[i] & 0x3f);
    return point;
}

static bool is_shown(uint32_t point)
{
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (point >= hidden[i].first && point <= hidden[i].last)
            return false;
    return (point & 0xfffe) != 0xfffe;
}

int utf8_count_shown(struct span s)
{
    int count = 0;
    for (size_t at = 0; at < s.size; count++) {
        int size = utf8_sequence(s.at + at, s.at + s.size);
        if (size == 0 || !is_shown(decode(s.at + at, size)))
            return -1;
        at += (size_t)size;
    }
    return count;
}

void utf8_put_shown(struct text *t, struct span s, bool lines)
{
    for (size_t at = 0; at < s.size;) {
        int size = utf8_sequence(s.at + at, s.at + s.size);
        bool kept = size && (is_shown(decode(s.at + at, size)) || (lines && (s.at[at] == '\n' || s.at[at] == '\t')));
        if (kept) {
            text_put(t, (struct span){s.at + at, (size_t)size});
        } else {
            size = size ? size : 1;
            for (int i = 0; i < size; i++) {
                text_put(t, SPAN("\\x"));
                text_put_hex(t, (uint8_t)s.at[at + (size_t)i], 2);
            }
        }
        at += (size_t)size;
    }
}

void utf8_copy_shown(char *out, size_t room, struct span s, bool lines)
{
    struct text t = text_on(out, room - 1);
    utf8_put_shown(&t, s, lines);
    out[t.size] = 0;
}

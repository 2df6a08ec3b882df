#include "tui/input.h"

#include <stdlib.h>

// A CSI sequence: "[" or "O", a private mark, numbers with sub-numbers, a last byte.
enum { NUMBERS = 3 };

struct sequence {
    char mark, last;
    long number[NUMBERS],
        sub[NUMBERS]; // "97;5:3u": numbers 97 and 5, sub-number 3 of the second; 0 where there is none
};

static bool read_sequence(struct span bytes, struct sequence *s)
{
    *s = (struct sequence){.last = bytes.at[bytes.size - 1]};
    size_t at = 1;
    if (at < bytes.size && strchr("?<>=", bytes.at[at]))
        s->mark = bytes.at[at++];
    int index = 0, part = 0;
    for (; at + 1 < bytes.size; at++) {
        char c = bytes.at[at];
        if (c == ';') {
            index++;
            part = 0;
        } else if (c == ':') {
            part++;
        } else if (c >= '0' && c <= '9' && index < NUMBERS) {
            long *to = part == 0 ? &s->number[index] : part == 1 ? &s->sub[index] : NULL;
            if (to && *to < 0x110000)
                *to = *to * 10 + (c - '0');
        } else if (c < '0' || c > '9') {
            return false;
        }
    }
    return true;
}

static uint32_t lower(uint32_t code)
{
    return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
}

// Modifiers are a bit set plus one; locks do not count.
// Bits of the modifiers of the kitty protocol.
enum { SHIFT = 1, CONTROL = 4, LOCKS = 64 | 128 };

static struct input_event key_event(uint32_t code, const struct sequence *s)
{
    static const enum input_kind kinds[] = {INPUT_PRESS, INPUT_PRESS, INPUT_REPEAT, INPUT_RELEASE};
    long modifiers = s->number[1] ? s->number[1] - 1 : 0;
    long kind = s->sub[1] >= 0 && s->sub[1] <= 3 ? s->sub[1] : 0;
    return (struct input_event){lower(code), kinds[kind], (modifiers & ~(SHIFT | LOCKS)) == CONTROL};
}

static bool name_sequence(const struct sequence *s, struct input_event *e)
{
    static const struct {
        char last;
        long number; // 0: any
        uint32_t code;
    } named[] = {{'A', 0, INPUT_UP},   {'B', 0, INPUT_DOWN}, {'C', 0, INPUT_RIGHT}, {'D', 0, INPUT_LEFT},
                 {'H', 0, INPUT_HOME}, {'F', 0, INPUT_END},  {'~', 1, INPUT_HOME},  {'~', 4, INPUT_END},
                 {'P', 0, INPUT_F1},   {'~', 11, INPUT_F1}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!s->mark && named[i].last == s->last && (!named[i].number || named[i].number == s->number[0]))
            return *e = key_event(named[i].code, s), true;
    if (s->last == 'u' && s->mark == '?')
        return *e = (struct input_event){.kind = INPUT_HAS_RELEASES}, (s->number[0] & 2) != 0;
    if (s->last == 'u' && !s->mark)
        return *e = key_event((uint32_t)s->number[0], s), true;
    if (s->last == 'O' && !s->mark)
        return *e = (struct input_event){.kind = INPUT_FOCUS_LOST}, true;
    return false;
}

static struct input_event byte_event(unsigned char byte)
{
    if (byte == '\n')
        return (struct input_event){.code = INPUT_ENTER};
    if (byte == 8)
        return (struct input_event){.code = INPUT_BACKSPACE};
    if (byte < 32 && byte != INPUT_TAB && byte != INPUT_ENTER && byte != INPUT_ESCAPE)
        return (struct input_event){.code = byte + 96u, .control = true};
    return (struct input_event){.code = lower(byte)};
}

// "[" and "O" begin a sequence; any other byte after ESC is a key with Alt, which is ignored.
static bool is_complete(const struct input *in)
{
    unsigned char last = (unsigned char)in->bytes[in->size - 1];
    if (in->size == 1)
        return last != '[' && last != 'O';
    return (last >= '@' && last <= '~') || in->size == sizeof in->bytes;
}

void input_feed(struct input *in, struct span bytes, void (*take)(void *owner, struct input_event e), void *owner)
{
    for (size_t i = 0; i < bytes.size; i++) {
        unsigned char byte = (unsigned char)bytes.at[i];
        struct sequence s;
        struct input_event e;
        if (byte == INPUT_ESCAPE) {
            *in = (struct input){.escape = true};
            continue;
        }
        if (in->escape_reported && in->size == 0 && byte != '[' && byte != 'O')
            in->escape = false;
        in->escape_reported = false;
        if (!in->escape) {
            if (byte < 0x80)
                take(owner, byte_event(byte));
            continue;
        }
        in->bytes[in->size++] = (char)byte;
        if (!is_complete(in))
            continue;
        in->escape = false;
        if (in->size > 1 && read_sequence((struct span){in->bytes, in->size}, &s) && name_sequence(&s, &e))
            take(owner, e);
    }
    if (in->escape && in->size == 0 && !in->escape_reported && bytes.size) {
        in->escape_reported = true;
        take(owner, (struct input_event){.code = INPUT_ESCAPE});
    }
}

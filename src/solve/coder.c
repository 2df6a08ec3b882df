#include "solve/coder.h"

enum { TOP = 1 << 24, LEAST = 48, SLOWEST = 5 };

// ---- Bytes ----------------------------------------------------------------------------------------------------------

static uint8_t next_byte(struct coder *c)
{
    return c->at < c->end ? *c->at++ : 0;
}

void coder_read(struct coder *c, const void *bytes, size_t size)
{
    *c = (struct coder){.range = UINT32_MAX, .at = bytes, .end = (const uint8_t *)bytes + size};
    for (int i = 0; i < 4; i++)
        c->code = c->code << 8 | next_byte(c);
}

void coder_write(struct coder *c, struct text *out)
{
    *c = (struct coder){.writes = true, .range = UINT32_MAX, .out = out, .begin = out->size};
}

// The first byte is always 0 and is left out.
static void put_byte(struct coder *c, unsigned byte)
{
    if (c->begun)
        text_put_char(c->out, (char)byte);
    c->begun = true;
}

static void shift(struct coder *c)
{
    if (c->low < 0xff000000u || c->low >> 32) {
        unsigned carry = (unsigned)(c->low >> 32);
        put_byte(c, c->cache + carry);
        for (; c->pending; c->pending--)
            put_byte(c, 0xff + carry);
        c->cache = (uint8_t)(c->low >> 24);
    } else {
        c->pending++;
    }
    c->low = (c->low & 0xffffff) << 8;
}

// The shortest number in the last interval; zeros at its end need not be written.
void coder_finish(struct coder *c)
{
    c->low = (c->low + TOP - 1) & ~(uint64_t)(TOP - 1);
    for (int i = 0; i < 5; i++)
        shift(c);
    while (!c->out->full && c->out->size > c->begin && !c->out->at[c->out->size - 1])
        c->out->size--;
}

// ---- Bits -----------------------------------------------------------------------------------------------------------

void coder_reset(struct coder_bit *models, size_t count)
{
    for (size_t i = 0; i < count; i++)
        models[i] = (struct coder_bit){.zero = 1 << 15};
}

// Fast at first, then slower.
static void update_model(struct coder_bit *m, bool bit)
{
    int rate = m->seen < SLOWEST ? m->seen + 1 : SLOWEST, zero = m->zero;
    zero += bit ? -(zero >> rate) : (65536 - zero) >> rate;
    m->zero = (uint16_t)(zero < LEAST ? LEAST : zero > 65536 - LEAST ? 65536 - LEAST : zero);
    m->seen = (uint16_t)(m->seen < SLOWEST ? m->seen + 1 : m->seen);
}

bool coder_code(struct coder *c, struct coder_bit *model, bool bit)
{
    uint32_t bound = (c->range >> 16) * model->zero;
    if (!c->writes)
        bit = c->code >= bound;
    if (bit) {
        c->low += bound;
        c->code -= bound;
        c->range -= bound;
    } else {
        c->range = bound;
    }
    while (c->range < TOP) {
        c->range <<= 8;
        if (c->writes)
            shift(c);
        else
            c->code = c->code << 8 | next_byte(c);
    }
    update_model(model, bit);
    return bit;
}

unsigned coder_number(struct coder *c, struct coder_bit *models, int bits, unsigned number)
{
    unsigned prefix = 1;
    for (int i = bits - 1; i >= 0; i--)
        prefix = prefix << 1 | coder_code(c, &models[prefix], number >> i & 1);
    return prefix & ((1u << bits) - 1);
}

#include "solve/policy.h"

#include <assert.h>
#include <string.h>

static uint64_t key_at(const struct policy *p, uint32_t i)
{
    uint64_t key;
    memcpy(&key, p->rows + (size_t)POLICY_ROW * i, sizeof key);
    return key;
}

bool policy_open(struct policy *p, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    if (size < POLICY_HEAD + sizeof p->count || memcmp(at, "AGONPLCY", 8) != 0)
        return false;
    memcpy(&p->count, at + POLICY_HEAD, sizeof p->count);
    p->rows = at + POLICY_HEAD + sizeof p->count;
    return (size - POLICY_HEAD - sizeof p->count) / POLICY_ROW == p->count;
}

// Sums to 1; false: it has no such set.
static bool find_row(const struct policy *p, uint64_t key, int count, float share[POLICY_SHARES])
{
    uint32_t low = 0, high = p->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (key_at(p, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == p->count || key_at(p, low) != key)
        return false;
    uint16_t part[POLICY_SHARES];
    float sum = 0;
    memcpy(part, p->rows + (size_t)POLICY_ROW * low + sizeof key, sizeof part);
    for (int i = 0; i < count; i++)
        sum += part[i];
    for (int i = 0; i < count; i++)
        share[i] = sum > 0 ? part[i] / sum : 1.0f / (float)count;
    return true;
}

void policy_write_head(struct text *out, const char *made)
{
    char head[POLICY_HEAD] = "AGONPLCY ";
    size_t size = strlen(made);
    memcpy(head + 9, made, size < sizeof head - 10 ? size : sizeof head - 10);
    text_put(out, (struct span){head, sizeof head});
}

void policy_write_row(struct text *out, uint64_t key, const double *share, int count)
{
    uint16_t part[POLICY_SHARES] = {0};
    for (int i = 0; i < count; i++)
        part[i] = (uint16_t)(share[i] * UINT16_MAX + 0.5);
    text_put(out, (struct span){(const char *)&key, sizeof key});
    text_put(out, (struct span){(const char *)part, sizeof part});
}

int policy_mix(const struct bot_ask *ask, struct bot_mix out[BOT_MAX_MIX])
{
    const struct bot_table *t = ask->bot->table;
    struct policy p;
    float share[POLICY_SHARES] = {0};
    int count = ask->count < POLICY_SHARES ? ask->count : POLICY_SHARES;
    bool known = policy_open(&p, t->at, *t->size) && find_row(&p, ask->bot->key(ask->view), count, share);
    for (int i = 0; i < count; i++)
        out[i] = (struct bot_mix){ask->choices[i].first, known ? share[i] : 1.0f / (float)count};
    return count;
}

struct game_action policy_choose(const struct bot_ask *ask)
{
    struct bot_mix mix[BOT_MAX_MIX];
    int count = policy_mix(ask, mix);
    assert(count > 0);
    float at = (float)rng_below(ask->dice, 1 << 24) / (1 << 24);
    for (int i = 0; i < count - 1; i++) {
        at -= mix[i].share;
        if (at < 0)
            return mix[i].action;
    }
    return mix[count - 1].action;
}

#include "tui/keys.h"

void keys_init(struct keys *k, const struct keys_timing *timing)
{
    *k = (struct keys){.timing = *timing};
}

static bool repeats(enum play_key key)
{
    return key == PLAY_LEFT || key == PLAY_RIGHT || key == PLAY_SOFT_DROP;
}

static int64_t interval_us(const struct keys *k, enum play_key key)
{
    return 1000ll * (key == PLAY_SOFT_DROP ? k->timing.soft_drop_ms : k->timing.arr_ms);
}

// T6.4: the counter starts after DAS, so the first repeat comes one interval later.
static void start_repeat(struct keys *k, enum play_key key, int64_t now_us)
{
    int64_t das_us = key == PLAY_SOFT_DROP ? 0 : 1000ll * k->timing.das_ms;
    k->held[key] = true;
    k->due_us[key] = now_us + das_us + interval_us(k, key);
    if (key != PLAY_SOFT_DROP)
        k->direction = key;
}

// T6.5
static int64_t release_time(const struct keys *k)
{
    int64_t limit = 1000ll * k->timing.release_ms;
    if (k->has_releases)
        return INT64_MAX;
    if (k->repeat_us) {
        int64_t least = 1000ll * k->timing.repeat_release_min_ms, most = 1000ll * k->timing.repeat_release_max_ms;
        int64_t twice = 2 * k->repeat_us;
        twice = twice < least ? least : twice > most ? most : twice;
        limit = twice < limit ? twice : limit;
    }
    return k->active_us + limit;
}

static void release_silent(struct keys *k, int64_t now_us)
{
    if (now_us >= release_time(k))
        keys_release_all(k);
}

bool keys_press(struct keys *k, enum play_key key, int64_t now_us)
{
    release_silent(k, now_us);
    k->active_us = now_us;
    if (!repeats(key))
        return true;
    int64_t since_us = now_us - k->seen_us[key];
    k->seen_us[key] = now_us;
    if (k->held[key]) {
        if (!k->has_releases)
            k->repeat_us = since_us > 0 ? since_us : 1;
        return false;
    }
    start_repeat(k, key, now_us);
    return true;
}

void keys_release(struct keys *k, enum play_key key, int64_t now_us)
{
    if (!repeats(key))
        return;
    k->held[key] = false;
    if (k->direction != key)
        return;
    enum play_key other = key == PLAY_LEFT ? PLAY_RIGHT : PLAY_LEFT;
    k->direction = PLAY_NONE;
    if (k->held[other])
        start_repeat(k, other, now_us);
}

void keys_release_all(struct keys *k)
{
    for (int i = 0; i < KEYS_REPEATING; i++)
        k->held[i] = false;
    k->direction = PLAY_NONE;
}

int keys_advance(struct keys *k, int64_t now_us, enum play_key *out, int room)
{
    const enum play_key running[] = {k->direction, PLAY_SOFT_DROP};
    int64_t until_us = release_time(k);
    int count = 0;
    until_us = now_us < until_us ? now_us : until_us - 1;
    for (int i = 0; i < 2; i++) {
        enum play_key key = running[i];
        if (!k->held[key])
            continue;
        for (; k->due_us[key] <= until_us && count < room; k->due_us[key] += interval_us(k, key))
            out[count++] = key;
        if (k->due_us[key] <= until_us)
            k->due_us[key] = until_us + interval_us(k, key);
    }
    release_silent(k, now_us);
    return count;
}

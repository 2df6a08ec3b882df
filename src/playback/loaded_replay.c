#include "playback/loaded_replay.h"

#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

const char *loaded_replay_seat_name(const struct loaded_replay *t, int seat)
{
    return t->head.name[seat][0] ? t->head.name[seat] : codec_seat_names[seat];
}

static bool has_namesake(const struct loaded_replay *t, int seat)
{
    for (int other = 0; other < t->head.seats; other++)
        if (other != seat && strcmp(loaded_replay_seat_name(t, other), loaded_replay_seat_name(t, seat)) == 0)
            return true;
    return false;
}

void loaded_replay_label_seat(const struct loaded_replay *t, int seat, char out[LOADED_REPLAY_LABEL_ROOM])
{
    if (has_namesake(t, seat))
        snprintf(out, LOADED_REPLAY_LABEL_ROOM, "%s.%d", loaded_replay_seat_name(t, seat), seat);
    else
        snprintf(out, LOADED_REPLAY_LABEL_ROOM, "%s", loaded_replay_seat_name(t, seat));
}

static bool fits_rules(struct loaded_replay *t)
{
    const struct game *g = t->row->game;
    if (t->head.rules_version == g->version && t->head.rules.size == g->rules_size)
        return true;
    snprintf(t->why, sizeof t->why,
             "it was played with version %u of the rules of %s (%zu bytes); this program has version %u (%u bytes)",
             t->head.rules_version, g->name, t->head.rules.size, g->version, g->rules_size);
    return false;
}

// From outside, from the file, or from its seed (G17.5); what is there fits the commitment (F6.1).
static bool find_key(struct loaded_replay *t, const uint8_t *key)
{
    bool found = key || t->head.has_key || t->head.has_seed;
    if (key)
        memcpy(t->key, key, sizeof t->key);
    else if (t->head.has_key)
        memcpy(t->key, t->head.key, sizeof t->key);
    else if (t->head.has_seed)
        sha256_seed_key(t->key, t->head.game, t->head.seed);
    if (!found)
        return true;
    uint8_t sum[SHA256_BYTES];
    sha256(sum, t->key, sizeof t->key);
    t->has_key = memcmp(sum, t->head.commitment, sizeof sum) == 0;
    if (t->has_key)
        return true;
    snprintf(t->why, sizeof t->why, "the key %s does not match the commitment",
             key               ? "given"
             : t->head.has_key ? "in the file"
                               : "made from its seed");
    return false;
}

static void count_entry(struct loaded_replay *t, const struct replay_entry *e)
{
    t->actions += e->kind == REPLAY_ACTION;
    t->silent += e->kind == REPLAY_ACTION && e->silent;
    t->ticks += e->kind == REPLAY_TICKS ? e->ticks : 0;
    t->stacks += e->kind == REPLAY_STACK;
    t->hashes += e->kind == REPLAY_HASH || e->kind == REPLAY_END;
    t->steps = t->actions + t->ticks + t->stacks;
    if (e->kind == REPLAY_HASH || e->kind == REPLAY_END)
        t->last_hash = e->hash;
    if (e->kind == REPLAY_END)
        memcpy(t->payoffs, e->payoffs, sizeof t->payoffs);
}

static bool count_entries(struct loaded_replay *t, struct replay_reader *r)
{
    struct replay_entry e;
    int next;
    while ((next = replay_next(r, &e)) == 1)
        count_entry(t, &e);
    t->torn = r->torn;
    if (next == 0)
        return true;
    if (e.kind == REPLAY_END)
        snprintf(t->why, sizeof t->why, "its checksum does not match: it was changed after it was written");
    else
        snprintf(t->why, sizeof t->why, "it is damaged at byte %zu, after step %ju", r->at, (uintmax_t)t->steps);
    return false;
}

bool loaded_replay_read(struct loaded_replay *t, const struct game_kit *(*find)(struct loaded_replay *t),
                        const uint8_t *key)
{
    struct replay_reader r;
    int err = replay_open(&r, t->file);
    if (err == ERR_VERSION)
        snprintf(t->why, sizeof t->why, "its replay format is not %d, the only one supported", REPLAY_FORMAT);
    else if (err != OK)
        snprintf(t->why, sizeof t->why, "it is not a replay, or its head is damaged");
    if (err != OK)
        return false;
    t->head = r.head;
    t->complete = r.complete;
    t->row = find(t);
    return t->row && fits_rules(t) && find_key(t, key) && count_entries(t, &r);
}

// What a shared table reveals about its chance (G17.6): a commitment while an episode runs, key and salt when it is
// over, and a warning if somebody may know hidden information.
#include "env/reveal.h"
#include "env/hash.h"

static struct env_reveal reveal_of(const struct env_table *t)
{
    struct env_reveal v = {.episode = t->episode, .has_seed = t->has_seed, .seeded = t->seeded, .seed = t->seed};
    memcpy(v.key, t->key, sizeof v.key);
    memcpy(v.salt, t->salt, sizeof v.salt);
    return v;
}

void env_reveal_keep(struct env_table *t)
{
    if (t->group->shared)
        t->last = reveal_of(t);
}

// The salt hides keys that follow from a small seed.
static void write_commitment(const struct env_reveal *v, char out[ENV_HASH_ROOM])
{
    static const char tag[] = "agon.commit.2";
    char bytes[sizeof tag - 1 + sizeof v->salt + sizeof v->key];
    memcpy(bytes, tag, sizeof tag - 1);
    memcpy(bytes + sizeof tag - 1, v->salt, sizeof v->salt);
    memcpy(bytes + sizeof tag - 1 + sizeof v->salt, v->key, sizeof v->key);
    env_hash_text((struct span){bytes, sizeof bytes}, out);
}

void env_commitment(const struct env_table *t, char out[ENV_HASH_ROOM])
{
    struct env_reveal v = reveal_of(t);
    write_commitment(&v, out);
}

void env_put_warning(struct text *t, const struct env_table *table)
{
    if (!table->group->shared)
        return;
    if (table->seeded)
        json_put_bool(t, "seeded", true);
    if (table->seeded || table->had_debug)
        json_put_text(t, "warning",
                      !table->had_debug ? "seeded: not for contests"
                      : table->seeded   ? "seeded, debug: not for contests"
                                        : "debug: not for contests");
}

static void put_reveal(struct text *t, const char *name, const struct env_reveal *v)
{
    char commitment[ENV_HASH_ROOM];
    if (!v->episode)
        return;
    json_begin_object_at(t, name);
    json_put_uint(t, "episode", v->episode);
    json_put_bool(t, "seeded", v->seeded);
    write_commitment(v, commitment);
    json_put_text(t, "seed_commitment", commitment);
    json_put_hex_bytes(t, "key", v->key, sizeof v->key);
    json_put_hex_bytes(t, "salt", v->salt, sizeof v->salt);
    if (v->has_seed)
        json_put_int(t, "seed", v->seed);
    json_end_object(t);
}

void env_put_revealed(struct text *t, const struct env_table *table)
{
    if (!table->group->shared || table->running)
        return;
    struct env_reveal v = reveal_of(table);
    put_reveal(t, "revealed", &v);
}

void env_put_previous(struct text *t, const struct env_table *table)
{
    put_reveal(t, "previous", &table->last);
}

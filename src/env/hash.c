// State hashes (G17).
#include "env/hash.h"
#include "crypto/crypto.h"
#include "env/arguments.h"
#include "env/host.h"
#include "env/observe.h"
#include "env/schema.h"
#include "env/tools.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = GAME_MAX_STATE + 512, ENTITIES = 0, WORLD, RANDOM, WHOLE, DIGESTS };

struct bytes {
    uint8_t at[MOST];
    size_t size;
};

// A digest with the bytes it was computed from. Agents of one table ask for the same hash, and not everything changes
// between steps: comparing is cheaper than hashing.
struct env_digests {
    struct digest {
        struct bytes of;
        uint8_t sum[CRYPTO_SHA256_BYTES];
    } at[DIGESTS];
};

struct env_digests *env_digests_create(void)
{
    return calloc(1, sizeof(struct env_digests));
}

static const uint8_t *digest_of(struct digest *d, const struct bytes *b)
{
    if (d->of.size != b->size || memcmp(d->of.at, b->at, b->size) != 0) {
        crypto_sha256(d->sum, b->at, b->size);
        memcpy(d->of.at, b->at, b->size);
        d->of.size = b->size;
    }
    return d->sum;
}

static void add_bytes(struct bytes *b, const void *from, size_t size)
{
    memcpy(b->at + b->size, from, size);
    b->size += size;
}

static void add_u64(struct bytes *b, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        b->at[b->size++] = (uint8_t)(value >> 8 * i);
}

// With a secret salt a digest must not repeat either: a repeated one would reveal that a hidden hand has not changed,
// for example after an exchange.
static void part_begin(struct bytes *b, const char *part, const struct env_table *t)
{
    b->size = 0;
    add_bytes(b, "agon.", 5);
    add_bytes(b, part, strlen(part));
    add_bytes(b, t->hash_version == 2 ? ".2" : ".1", 2);
    add_bytes(b, t->salt, sizeof t->salt);
    if (t->hash_version != 2)
        return;
    add_u64(b, t->tick);
    add_u64(b, t->match.steps);
}

static void put_hex(char out[ENV_HASH_ROOM], const uint8_t digest[CRYPTO_SHA256_BYTES])
{
    struct text t = text_on(out, ENV_HASH_ROOM);
    text_puts(&t, "sha256:");
    text_put_hex_bytes(&t, digest, CRYPTO_SHA256_BYTES);
    text_put_char(&t, 0);
}

void env_hash_text(struct span bytes, char out[ENV_HASH_ROOM])
{
    uint8_t digest[CRYPTO_SHA256_BYTES];
    crypto_sha256(digest, bytes.at, bytes.size);
    put_hex(out, digest);
}

// What determines the table's course besides the game's state. Levels and aggro are parameters of house bots.
static void add_world(struct bytes *b, const struct env_table *t)
{
    add_u64(b, t->tick);
    add_u64(b, t->max_ticks);
    add_u64(b, t->match.leaving);
    add_bytes(b, t->match.leave_reason, sizeof t->match.leave_reason);
    add_bytes(b, t->level, sizeof t->level);
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        add_u64(b, (uint64_t)(t->aggro[s] * 1000 + 0.5f));
    const uint8_t flags[] = {t->hour, t->minute, t->paused, t->running, (uint8_t)t->match.seats};
    add_bytes(b, flags, sizeof flags);
}

// The digests of the parts and, after them, of the whole.
static void compute_digests(const struct env_table *t, bool with_rng, const uint8_t *digest[DIGESTS])
{
    const struct game *g = t->row->game;
    struct digest *kept = t->digests->at;
    struct bytes b;
    const uint8_t *state = t->match.state.byte;
    bool any = t->episode > 0;
    part_begin(&b, "entities", t);
    add_bytes(&b, state, any ? g->entities_end : 0);
    digest[ENTITIES] = digest_of(&kept[ENTITIES], &b);
    part_begin(&b, "world", t);
    add_bytes(&b, state + g->entities_end, any ? g->world_end - g->entities_end : 0);
    add_world(&b, t);
    digest[WORLD] = digest_of(&kept[WORLD], &b);
    part_begin(&b, "rng", t);
    add_bytes(&b, t->key, sizeof t->key);
    add_bytes(&b, state + g->world_end, any ? g->state_size - g->world_end : 0);
    digest[RANDOM] = digest_of(&kept[RANDOM], &b);
    b.size = 0;
    add_bytes(&b, t->hash_version == 2 ? "agon.state.2" : "agon.state.1", strlen("agon.state.1"));
    for (int i = ENTITIES; i < (with_rng ? WHOLE : RANDOM); i++)
        add_bytes(&b, digest[i], CRYPTO_SHA256_BYTES);
    digest[WHOLE] = digest_of(&kept[WHOLE], &b);
}

void env_hash_state(const struct env_table *t, char out[ENV_HASH_ROOM])
{
    const uint8_t *digest[DIGESTS];
    compute_digests(t, true, digest);
    put_hex(out, digest[WHOLE]);
}

void env_hash_table(const struct env_table *t, bool with_rng, struct env_hashes *out)
{
    const uint8_t *digest[DIGESTS];
    compute_digests(t, with_rng, digest);
    put_hex(out->all, digest[WHOLE]);
    put_hex(out->entities, digest[ENTITIES]);
    put_hex(out->world, digest[WORLD]);
    put_hex(out->rng, digest[RANDOM]);
}

static void write_agent_hash(struct env *env, const struct env_agent *a)
{
    char hash[ENV_HASH_ROOM];
    env->hashed.size = 0;
    env_write_observation(&env->hashed, a, ENV_COMPACT, UINT64_MAX);
    env_hash_text(text_span(&env->hashed), hash);
    json_put_text(&env->out, "hash", hash);
    json_put_uint(&env->out, "tick", a->table->tick);
    json_begin_object_at(&env->out, "components");
    json_put_text(&env->out, "observation", hash);
    json_end_object(&env->out);
}

static void write_table_hash(struct env *env, const struct env_table *t, bool with_rng)
{
    struct env_hashes h;
    env_hash_table(t, with_rng, &h);
    json_put_text(&env->out, "hash", h.all);
    json_put_uint(&env->out, "tick", t->tick);
    json_begin_object_at(&env->out, "components");
    json_put_text(&env->out, "entities", h.entities);
    json_put_text(&env->out, "world", h.world);
    if (with_rng)
        json_put_text(&env->out, "rng", h.rng);
    json_end_object(&env->out);
}

bool env_state_hash(struct env_conn *c, struct env_pending *call, const struct env_arguments *arguments,
                    struct env_result *r)
{
    struct span value;
    struct env *env = c->env;
    struct env_agent *a = NULL;
    int64_t number = 0;
    (void)call;
    if (env_argument(arguments, "table", &value) && (number = env_json_int(value)) >= c->group->count) {
        *r = env_bad(env, "/table", "the number of a table of this server", NULL);
        return true;
    }
    if (env_argument(arguments, "agent_id", &value) && !(a = env_own_agent(c, env_json_string(value), r)))
        return true;
    json_begin_object(&env->out);
    if (a)
        write_agent_hash(env, a);
    else
        write_table_hash(env, &c->group->table[number],
                         !env_argument(arguments, "include_rng", &value) || value.at[0] == 't');
    json_end_object(&env->out);
    return env_answer(env, r);
}

// Copies of single environments: snapshots, clones, other worlds behind the same view.
#include "vec/internal.h"

#include "base/hash.h"
#include "base/sha256.h"
#include "match/match.h"

// V27. All of it is compared with the vec's own before a byte of the block is looked at.
struct head {
    char magic[8];
    uint32_t abi, rules_version;
    char game[32];
    uint32_t seats, vector, tokens, rows; // as configured: they decide what lies in the block
    uint32_t rules_size, block_size;
    uint64_t rules; // hash of them
    uint64_t minds; // hash of the names of house players with a memory; 0: none has one
    uint64_t sum;   // hash of the block
};

static struct head head_of(const struct agon_vec *v)
{
    struct head h = {.magic = "AGONSNP",
                     .abi = AGON_ABI,
                     .rules_version = v->game->version,
                     .seats = v->seats,
                     .vector = (uint32_t)v->version,
                     .tokens = v->config.tokens,
                     .rows = v->rows_of_env,
                     .rules_size = v->game->rules_size,
                     .block_size = v->block_bytes,
                     .rules = hash_bytes(&v->rules, v->game->rules_size)};
    memcpy(h.game, v->game->name, strlen(v->game->name));
    for (uint32_t s = 0; s < v->seats; s++)
        if (v->house[s] && v->house[s]->mind_size)
            h.minds = h.minds * 31 + s + hash_bytes(v->house[s]->name, strlen(v->house[s]->name));
    return h;
}

uint64_t vec_snapshot_bytes(const struct agon_vec *v)
{
    return sizeof(struct head) + v->block_bytes;
}

int agon_save(const agon_vec *v, uint32_t env, void *out, size_t room)
{
    int err = vec_check_env(v, env);
    if (err)
        return err;
    if (room < vec_snapshot_bytes(v) || !out)
        return vec_refuse(AGON_TOO_SHORT, "a snapshot has %llu bytes, not %zu",
                          (unsigned long long)vec_snapshot_bytes(v), out ? room : 0);
    struct head h = head_of(v);
    h.sum = hash_bytes(lane_at(v, env), v->block_bytes);
    memcpy(out, &h, sizeof h);
    memcpy((char *)out + sizeof h, lane_at(v, env), v->block_bytes);
    return (int)vec_snapshot_bytes(v);
}

// Checks the fields of the block that the library relies on. The sum shows that they are unchanged since they were
// written; this, that the library wrote them.
static const char *find_fault(const struct agon_vec *v, const struct lane *l)
{
    seat_set all = (seat_set)((1u << v->seats) - 1);
    if (l->end >= LANE_BLANK || (l->asked >= v->seats && l->asked != AGON_NOBODY) || l->last >= v->seats ||
        (l->asked == AGON_NOBODY) != (l->end != LANE_RUNNING) || l->house & ~all ||
        __builtin_popcount(l->house) != __builtin_popcount(v->house_seats) || l->has_early > 1)
        return "its fields contradict each other";
    for (uint32_t s = 0; s < v->seats; s++)
        if ((l->house >> s & 1) != (lane_bot(v, l, (int)s) != NULL))
            return "the house has other seats";
    for (uint32_t i = 0; i < v->config.tokens && i < l->tokens; i++)
        if (lane_ring(v, l)[i].kind < 1 || lane_ring(v, l)[i].kind > game_token_kinds(v->game))
            return "a token is of no kind";
    return v->game->check(lane_state(v, l));
}

// Refuses a snapshot of another vec, by the first thing that differs.
static int refuse_head(const struct head *own, const struct head *h)
{
    const struct {
        const char *name;
        uint64_t is, wanted;
    } rows[] = {
        {"library interface", h->abi, own->abi},   {"rules version", h->rules_version, own->rules_version},
        {"number of seats", h->seats, own->seats}, {"vector", h->vector, own->vector},
        {"tokens", h->tokens, own->tokens},        {"rows of an environment", h->rows, own->rows},
    };
    if (memcmp(h->game, own->game, sizeof h->game) != 0)
        return vec_refuse(AGON_FOREIGN, "the snapshot is of another game than %s, or damaged", own->game);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is != rows[i].wanted)
            return vec_refuse(AGON_FOREIGN, "the snapshot's %s is %llu, this vec's %llu", rows[i].name,
                              (unsigned long long)rows[i].is, (unsigned long long)rows[i].wanted);
    if (h->rules_size != own->rules_size || h->rules != own->rules)
        return vec_refuse(AGON_FOREIGN, "the snapshot has other rules than this vec: scenario or options differ");
    return vec_refuse(AGON_FOREIGN, "the snapshot has other house players than this vec, or is damaged");
}

// Reads the header, which must be that of a complete snapshot of this vec.
static int check_head(const struct agon_vec *v, const void *bytes, size_t size, struct head *h)
{
    struct head own = head_of(v);
    memset(h, 0, sizeof *h);
    if (bytes)
        memcpy(h, bytes, size < sizeof *h ? size : sizeof *h);
    if (!bytes || size < sizeof *h || memcmp(h->magic, own.magic, sizeof h->magic) != 0)
        return vec_refuse(AGON_FOREIGN, "this is no snapshot of libagon; save makes one");
    own.sum = h->sum;
    if (memcmp(&own, h, sizeof *h) != 0)
        return refuse_head(&own, h);
    if (size != vec_snapshot_bytes(v))
        return vec_refuse(AGON_FOREIGN, "the snapshot is damaged: it has %zu bytes, not %llu", size,
                          (unsigned long long)vec_snapshot_bytes(v));
    return AGON_OK;
}

int agon_load(agon_vec *v, uint32_t env, const void *bytes, size_t size)
{
    struct head h;
    int err = vec_check_env(v, env);
    if (!err)
        err = check_head(v, bytes, size, &h);
    if (err)
        return err;
    if (hash_bytes((const char *)bytes + sizeof h, v->block_bytes) != h.sum)
        return vec_refuse(AGON_FOREIGN, "the snapshot is damaged: its sum is wrong");
    struct lane *copy = lane_at(v, v->config.num_envs), *l = lane_at(v, env);
    memcpy(copy, (const char *)bytes + sizeof h, v->block_bytes);
    const char *fault = find_fault(v, copy);
    if (fault)
        return vec_refuse(AGON_FOREIGN, "the snapshot is damaged: %s", fault);
    if (v->logs)
        lane_log_break(v, l);
    memcpy(l, copy, v->block_bytes);
    lane_refresh(v, l);
    return AGON_OK;
}

int agon_copy(agon_vec *v, uint32_t count, const uint32_t *from, const uint32_t *to)
{
    if (count && (!from || !to))
        return vec_refuse(AGON_RANGE, "agon_copy needs two lists of environments");
    for (uint32_t i = 0; i < count; i++) {
        int err = vec_check_env(v, from[i]);
        if (!err)
            err = vec_check_env(v, to[i]);
        if (err)
            return err;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (v->logs)
            lane_log_break(v, lane_at(v, to[i]));
        if (from[i] != to[i])
            memcpy(lane_at(v, to[i]), lane_at(v, from[i]), v->block_bytes);
    }
    return AGON_OK;
}

int agon_resample(agon_vec *v, uint32_t env, uint32_t seat, uint64_t seed)
{
    uint8_t key[SHA256_BYTES];
    int err = vec_check_env(v, env);
    if (err)
        return err;
    if (seat > v->seats)
        return vec_refuse(AGON_RANGE, "seat %u is not one of 0 to %u", seat, v->seats - 1);
    sha256_seed_key(key, v->game->name, seed);
    struct rng root = rng_from_key(key), dice = rng_split(&root, MATCH_TESTS);
    struct lane *l = lane_at(v, env);
    if (v->logs)
        lane_log_break(v, l);
    v->game->resample(lane_state(v, l), seat == v->seats ? GAME_SPECTATOR : (int)seat, &dice);
    lane_show_minds(v, l);
    lane_refresh(v, l);
    return AGON_OK;
}

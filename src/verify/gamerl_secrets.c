// test_secrets: what a shared table keeps secret, and what it owes to its players (C128-C133; decision 013).
#include "verify/gamerl_internal.h"

#include "crypto/crypto.h"

#include <stdio.h>
#include <string.h>

struct table {
    struct rpc *owner, *guest;
    struct gr_agent a;
};

static void open_table(struct table *t, struct gamerl *g)
{
    char name[32];
    gr_new_table(g, name);
    t->owner = gr_connect_at(g, name);
    gr_player(&t->a, g, t->owner, "owner", 0, NULL);
    t->guest = gr_connect_at(g, name);
}

static json_t *ends_soon(void)
{
    return json_pack("{s:{s:i}}", "initial_state", "max_ticks", 2);
}

// Plays the short episode to its end; returns the last step.
static json_t *end_episode(struct table *t)
{
    for (int i = 0; i < 4 && !gr_is_over(&t->a); i++)
        gr_step(&t->a, gr_wait_action(&t->a), 1);
    return t->a.step;
}

static void only_owner(struct gamerl *g)
{
    struct table t;
    open_table(&t, g);
    gr_reset(&t.a, GR_NO_SEED, NULL);
    gr_must(g, t.owner, "deregister_agent", "{s:s}", "agent_id", t.a.id); // so that a guest may reset
    struct gr_agent b;
    gr_player(&b, g, t.guest, "guest", 0, NULL);
    int64_t before = gr_int(gr_resource(g, t.guest, "game://world"), "episode");
    gr_refused(g, t.guest, -32001, "reset", "{s:s,s:i}", "agent_id", b.id, "seed", 7);
    json_t *deal = gr_deck(g, false);
    if (deal)
        gr_refused(g, t.guest, -32001, "reset", "{s:s,s:o}", "agent_id", b.id, "config", deal);
    gr_check(g, gr_int(gr_resource(g, t.guest, "game://world"), "episode") == before,
             "a refused reset began an episode");
    gr_reset(&b, GR_NO_SEED, NULL);
}

static void no_capabilities(struct gamerl *g)
{
    struct table t;
    struct gr_agent own, guest;
    open_table(&t, g);
    gr_systemic(&own, g, t.owner, "host", "GameMaster", NULL);
    gr_check(g, json_array_size(gr_get(own.spaces, "capabilities")) > 0, "the owner's GameMaster has no capabilities");
    gr_systemic(&guest, g, t.guest, "visitor", "GameMaster", NULL);
    gr_check(g, json_array_size(gr_get(guest.spaces, "capabilities")) == 0,
             "a GameMaster that is not the owner's has %zu capabilities",
             json_array_size(gr_get(guest.spaces, "capabilities")));
}

static void marked(struct gamerl *g)
{
    struct table t;
    open_table(&t, g);
    gr_reset(&t.a, 7, NULL);
    gr_check(g, gr_true(t.a.step, "seeded"), "reset with a seed is not marked seeded");
    gr_check(g, gr_text(t.a.step, "warning")[0], "reset with a seed has no warning");
    gr_check(g, gr_true(gr_resource(g, t.guest, "game://world"), "seeded"), "game://world is not marked seeded");
    gr_step(&t.a, gr_wait_action(&t.a), 1);
    gr_check(g, gr_true(t.a.step, "seeded"), "a step of a seeded episode is not marked seeded");
}

// --- commitments

static bool read_hex(const char *hex, uint8_t *out, size_t size)
{
    if (strlen(hex) != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++) {
        unsigned byte;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
            return false;
        out[i] = (uint8_t)byte;
    }
    return true;
}

// Decision 013: SHA-256 of "agon.commit.2", salt and key.
static bool is_commitment(const char *text, const char *salt, const char *key)
{
    static const char tag[] = "agon.commit.2";
    uint8_t bytes[sizeof tag - 1 + 64], sum[CRYPTO_SHA256_BYTES];
    char wanted[80] = "sha256:";
    memcpy(bytes, tag, sizeof tag - 1);
    if (!read_hex(salt, bytes + sizeof tag - 1, 32) || !read_hex(key, bytes + sizeof tag - 1 + 32, 32))
        return false;
    crypto_sha256(sum, bytes, sizeof bytes);
    for (int i = 0; i < CRYPTO_SHA256_BYTES; i++)
        snprintf(wanted + 7 + 2 * i, 3, "%02x", sum[i]);
    return strcmp(text, wanted) == 0;
}

static void check_hidden(struct gamerl *g, json_t *reply, const char *where)
{
    static const char *const secrets[] = {"seed", "key", "salt", "revealed"};
    for (int i = 0; i < 4; i++)
        gr_check(g, !gr_get(reply, secrets[i]), "%s has %s while the episode runs", where, secrets[i]);
}

static void committed(struct gamerl *g)
{
    struct table t;
    open_table(&t, g);
    gr_reset(&t.a, GR_NO_SEED, ends_soon());
    json_t *promise = gr_get(t.a.step, "seed_commitment");
    gr_check(g, promise, "reset has no seed_commitment");
    check_hidden(g, t.a.step, "reset");
    check_hidden(g, gr_resource(g, t.guest, "game://world"), "game://world");
    gr_step(&t.a, gr_wait_action(&t.a), 1);
    check_hidden(g, t.a.step, "a step");
    json_t *shown = gr_get(end_episode(&t), "revealed");
    gr_check(g, shown, "the last step reveals nothing");
    gr_check(g, gr_same(promise, gr_get(shown, "seed_commitment")),
             "seed_commitment of reset is not that of the end: '%.20s...'", gr_text(shown, "seed_commitment"));
    gr_check(g,
             !gr_goes_on(g) || is_commitment(json_string_value(promise), gr_text(shown, "salt"), gr_text(shown, "key")),
             "salt and key of the end do not make the seed_commitment of reset");
}

static void fresh_keys(struct gamerl *g)
{
    struct table t[2];
    json_t *key[2];
    for (int i = 0; i < 2; i++) {
        open_table(&t[i], g);
        gr_reset(&t[i].a, 7, NULL);
        gr_reset(&t[i].a, GR_NO_SEED, ends_soon());
        key[i] = gr_get(end_episode(&t[i]), "revealed.key");
        gr_check(g, key[i], "the last step reveals no key");
    }
    gr_check(g, !gr_same(key[0], key[1]), "after seed 7 two tables drew the same key %.20s...",
             key[0] ? json_string_value(key[0]) : "");
}

static void salted(struct gamerl *g)
{
    struct table t[2];
    json_t *hash[2];
    for (int i = 0; i < 2; i++) {
        open_table(&t[i], g);
        gr_reset(&t[i].a, 7, NULL);
        hash[i] = gr_get(t[i].a.step, "state_hash");
    }
    gr_check(g, !gr_same(hash[0], hash[1]), "seed 7 has the same state_hash at two shared tables");
}

const struct gamerl_gate gamerl_secrets[] = {
    {"C128", 0, true, "G14.1 D013", "only the owner of a shared table chooses a seed or a deal", only_owner},
    {"C129", 0, true, "G11.7 D013", "an overseer that is not the owner's has no capabilities", no_capabilities},
    {"C130", 0, true, "G14.3 D013", "an episode with a chosen seed says so to everybody", marked},
    {"C131", 0, true, "G17.6 D013", "nothing is revealed before the end, and then what was committed to", committed},
    {"C132", 0, true, "G14.4 D013", "a reset without seed follows from nothing", fresh_keys},
    {"C133", 0, true, "G17.6 D013", "hashes of a shared table have a secret salt", salted},
    {0},
};

// Any bytes drive the calls of include/agon.h: a configuration, then whatever a program might try, legal or not.
// Nothing crashes; what is refused leaves the hash of every environment; what is recorded is a replay that verifies;
// two batches that get the same calls agree, whatever their threads.
#include "agon.h"
#include "support_input.h"

#include "games/games.h"
#include "match/replay.h"

#include <stdio.h>
#include <stdlib.h>

#define ENSURE(c)                                                                                                      \
    do {                                                                                                               \
        if (!(c)) {                                                                                                    \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #c, agon_last_error());                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { ENVS = 4, CALLS_MAX = 120, OPTION_ROOM = 48 };

struct play {
    struct input in;
    agon_vec *v;
    struct agon_layout at;
    const struct game *game;
    uint32_t groups;
    int32_t *actions;
    uint8_t *memory; // of all written buffers
    uint8_t *saved;
    bool is_reset, is_sent[2];
};

// ---- Configuration --------------------------------------------------------------------------------------------------

static const struct game_kit *take_kit(struct input *in)
{
    return game_kits[take(in) % (unsigned)agon_game_count()];
}

static void take_option(struct input *in, char out[OPTION_ROOM])
{
    static const char *const known[] = {"starter=1", "queue=I:O", "coins=[1,2]", "short=true", "target=40", "hands=3"};
    uint8_t kind = take(in);
    size_t n = 0;
    if (kind < 128) {
        snprintf(out, OPTION_ROOM, "%s", known[kind % 6]);
        return;
    }
    for (; n < (size_t)(kind & 31); n++)
        out[n] = (char)take(in);
    out[n] = 0;
}

static bool create(struct play *p)
{
    struct agon_config c = agon_default_config();
    const struct game_kit *k = take_kit(&p->in);
    char option[OPTION_ROOM];
    const char *options[2] = {option, NULL};
    uint8_t flags = take(&p->in);
    c.game = k->game->name;
    c.num_envs = ENVS;
    c.seats = take(&p->in) % 12;
    c.seed = take_word(&p->in);
    c.vector = take(&p->in) % 4;
    c.dtype = take(&p->in) % 3;
    c.rows = take(&p->in) % 3;
    c.autoreset = take(&p->in) % 4;
    c.illegal = take(&p->in) % 4;
    c.pace = take(&p->in) % 4;
    c.tokens = take(&p->in) % 20;
    c.max_steps = take(&p->in) % 40;
    c.ticks = take(&p->in) % 8;
    c.viewers_all = flags & 1;
    c.rotate = flags >> 1 & 1;
    c.groups = flags >> 2 & 3;
    c.threads = flags >> 4 & 1;
    if (flags & 32)
        c.house[take(&p->in) % 10] = flags & 64 ? "random" : "fallback";
    if (flags & 128) {
        take_option(&p->in, option);
        c.options = options;
    }
    int err = agon_create(&c, &p->v);
    if (err) {
        ENSURE(err == AGON_CONFIG_REFUSED && !p->v && agon_last_error()[0]);
        return false;
    }
    p->game = k->game;
    p->groups = c.groups ? c.groups : 1;
    p->at = agon_no_layout();
    ENSURE(agon_get_layout(p->v, &p->at) == AGON_OK);
    return true;
}

// ---- Buffers --------------------------------------------------------------------------------------------------------

// The buffers of one group, some of them left out.
static size_t place(struct play *p, uint32_t group, uint32_t left_out, struct agon_buffers *b)
{
    const struct agon_layout *at = &p->at;
    size_t n = at->envs, used = 0;
    struct {
        void *member;
        size_t size;
    } parts[] = {
        {&b->observations, at->observations_bytes},
        {&b->masks, at->masks_bytes},
        {&b->mask_words, at->mask_words_bytes},
        {&b->tokens, at->tokens_bytes},
        {&b->rewards, at->rewards_bytes},
        {&b->components, at->components_bytes},
        {&b->unpaid, at->rewards_bytes},
        {&b->own_reward, n * 4},
        {&b->asked, n},
        {&b->asked_set, n * 2},
        {&b->terminated, n},
        {&b->truncated, n},
        {&b->final_observations, at->observations_bytes},
        {&b->returns, at->rewards_bytes},
        {&b->lengths, n * 4},
        {&b->errors, n * 4},
        {&b->hashes, n * 8},
        {&b->ticks, n * 4},
    };
    size_t whole = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        whole += (parts[i].size + 15) / 16 * 16;
    if (!p->memory)
        p->memory = aligned_alloc(16, whole * p->groups + 16);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        void *address = p->memory + whole * group + used;
        if (!(left_out >> i & 1) && parts[i].size)
            memcpy(parts[i].member, &address, sizeof address);
        used += (parts[i].size + 15) / 16 * 16;
    }
    return used;
}

static void bind(struct play *p)
{
    for (uint32_t g = 0; g < p->groups; g++) {
        struct agon_buffers b = agon_no_buffers();
        place(p, g, take_word(&p->in), &b);
        b.actions = p->actions + (size_t)g * p->at.rows;
        int err = agon_bind(p->v, g, &b);
        ENSURE(err == AGON_OK || err == AGON_BUSY);
    }
}

// ---- Calls ----------------------------------------------------------------------------------------------------------

static void sum_hashes(const struct play *p, uint64_t out[ENVS])
{
    for (uint32_t i = 0; i < ENVS; i++)
        out[i] = agon_hash(p->v, i);
}

static void call_reset(struct play *p)
{
    uint8_t which[ENVS];
    uint64_t seeds[ENVS];
    uint8_t how = take(&p->in);
    for (int i = 0; i < ENVS; i++)
        which[i] = how >> i & 1, seeds[i] = take_word(&p->in);
    int err = agon_reset(p->v, how & 16 ? which : NULL, how & 32 ? seeds : NULL);
    ENSURE(err == AGON_OK || err == AGON_BUSY);
}

static void take_actions(struct play *p)
{
    uint64_t draws = take_word(&p->in);
    uint8_t how = take(&p->in);
    for (uint32_t g = 0; g < p->groups; g++)
        agon_sample(p->v, g, &draws, p->actions + (size_t)g * p->at.rows);
    if (how & 1)
        p->actions[how % (p->at.rows * p->groups)] = (int32_t)take_word(&p->in);
    if (how & 2)
        p->actions[how % (p->at.rows * p->groups)] = take(&p->in);
}

static void call_step(struct play *p)
{
    for (uint32_t g = 0; g < p->groups; g++)
        if (p->is_sent[g & 1] || p->groups > 2)
            return;
    take_actions(p);
    int errors = agon_step(p->v);
    ENSURE((errors >= 0 && errors <= ENVS) || errors == AGON_NOT_BOUND);
}

static void call_send(struct play *p)
{
    uint32_t g = take(&p->in) % 4;
    int err = agon_send(p->v, g);
    if (g < 2 && err == AGON_OK)
        p->is_sent[g] = true;
}

static void call_receive(struct play *p)
{
    uint32_t g = take(&p->in) % 4;
    agon_ready(p->v, g);
    int err = agon_receive(p->v, g);
    if (g < 2 && err >= 0)
        p->is_sent[g] = false;
}

static void call_apply(struct play *p)
{
    float rewards[AGON_MAX_SEATS];
    uint32_t env = take(&p->in) % (ENVS + 1);
    uint64_t before = agon_hash(p->v, env);
    int done = agon_apply(p->v, env, take(&p->in), rewards);
    ENSURE(done >= 0 || agon_hash(p->v, env) == before);
}

static void call_advise(struct play *p)
{
    uint32_t env = take(&p->in) % ENVS;
    int advice = agon_advise(p->v, env, take(&p->in) & 1 ? "random" : "fallback", 1, take(&p->in));
    if (advice >= 0)
        ENSURE(agon_apply(p->v, env, advice, NULL) >= 0);
}

static void call_save(struct play *p)
{
    int size = agon_save(p->v, take(&p->in) % (ENVS + 1), p->saved, p->at.snapshot_bytes);
    ENSURE(size < 0 || (uint64_t)size == p->at.snapshot_bytes);
}

static void call_load(struct play *p)
{
    uint64_t before[ENVS], after[ENVS];
    uint8_t how = take(&p->in);
    size_t at = take_word(&p->in) % p->at.snapshot_bytes;
    if (how & 1)
        p->saved[at] ^= take(&p->in);
    sum_hashes(p, before);
    int err = agon_load(p->v, how % (ENVS + 1), p->saved, p->at.snapshot_bytes - (how >> 7));
    sum_hashes(p, after);
    ENSURE(err == AGON_OK || memcmp(before, after, sizeof before) == 0);
    agon_refresh(p->v, 0);
}

static void call_copy(struct play *p)
{
    uint32_t from[3], to[3];
    for (int i = 0; i < 3; i++)
        from[i] = take(&p->in) % (ENVS + (i == 2)), to[i] = take(&p->in) % ENVS;
    agon_copy(p->v, take(&p->in) % 4, from, to);
}

static void call_resample(struct play *p)
{
    uint32_t env = take(&p->in) % ENVS, seat = take(&p->in) % 12;
    agon_resample(p->v, env, seat, take(&p->in));
}

static void call_look(struct play *p)
{
    static char text[1 << 14];
    static uint8_t rgb[32 * 32 * 3];
    uint32_t env = take(&p->in) % ENVS, seat = take(&p->in) % 12;
    int32_t payoffs[AGON_MAX_SEATS];
    agon_text(p->v, env, seat, text, take(&p->in) * 64u);
    agon_picture(p->v, env, seat, take(&p->in) % 33, 32, rgb);
    agon_payoffs(p->v, env, payoffs);
    uint8_t *row = malloc(p->at.vector * sizeof(float)), *mask = malloc(p->at.actions);
    int16_t *tokens = malloc(p->at.tokens * 8u + 1);
    agon_write_row(p->v, env, seat, row, mask, tokens);
    free(row), free(mask), free(tokens);
}

static void call_record(struct play *p)
{
    agon_record(p->v, take(&p->in) % (ENVS + 1), take(&p->in) & 1);
}

static void call_replay(struct play *p)
{
    static struct replay_run run;
    uint32_t env = take(&p->in) % ENVS;
    int64_t size = agon_replay(p->v, env, NULL, 0);
    if (size < 0)
        return;
    char *bytes = malloc((size_t)size);
    int more;
    ENSURE(agon_replay(p->v, env, bytes, (size_t)size) == size);
    ENSURE(replay_begin(&run, (struct span){bytes, (size_t)size}, p->game, NULL, NULL) == OK);
    while ((more = replay_step(&run, 64, NULL)) == 1)
        ;
    ENSURE(more == 0);
    free(bytes);
}

static void call_names(struct play *p)
{
    struct agon_element e = agon_no_element();
    char name[64];
    uint32_t index = take_word(&p->in) % 1000;
    agon_get_element(p->game->name, take(&p->in) % 4, index, &e);
    if (agon_action_name(p->game->name, index % 256, name, take(&p->in) % 65) > 0)
        agon_find_action(p->game->name, name);
}

static void (*const calls[])(struct play *) = {
    call_step, call_step, call_step,     call_reset, call_send,   call_receive, call_apply, call_advise, call_save,
    call_load, call_copy, call_resample, call_look,  call_record, call_replay,  call_names, bind};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct play p = {.in = {bytes, bytes + size}};
    if (!create(&p))
        return 0;
    p.actions = calloc((size_t)p.at.rows * p.groups, sizeof *p.actions);
    p.saved = calloc(1, p.at.snapshot_bytes);
    bind(&p);
    call_reset(&p);
    for (int i = 0; i < CALLS_MAX && p.in.at < p.in.end; i++)
        calls[take(&p.in) % (sizeof calls / sizeof *calls)](&p);
    agon_destroy(p.v);
    free(p.actions), free(p.saved), free(p.memory);
    return 0;
}

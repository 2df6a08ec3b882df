// A vec from its configuration: all that is ever allocated for steps is allocated here.
#include "vec/internal.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- Configuration --------------------------------------------------------------------------------------------------

// Reads the configuration by the caller's struct_size: members that it does not know are 0, and members that we do not
// know must be 0.
static int read_config(const struct agon_config *given, struct agon_config *c)
{
    uint32_t size = given ? given->struct_size : 0;
    memset(c, 0, sizeof *c);
    if (size < offsetof(struct agon_config, seats))
        return vec_refuse(AGON_CONFIG_REFUSED, "struct_size is %u; begin with agon_default_config()", size);
    for (uint32_t i = sizeof *c; i < size; i++)
        if (((const uint8_t *)given)[i])
            return vec_refuse(AGON_CONFIG_REFUSED, "the configuration asks for what libagon %s does not have",
                              AGON_VERSION);
    memcpy(c, given, size < sizeof *c ? size : sizeof *c);
    c->struct_size = sizeof *c;
    return AGON_OK;
}

static int check_numbers(struct agon_config *c)
{
    const struct {
        const char *name;
        uint64_t value, least, most;
    } rows[] = {
        {"num_envs", c->num_envs, 1, VEC_MAX_ENVS},
        {"dtype", c->dtype, 0, AGON_U8},
        {"rows", c->rows, 0, AGON_ROW_SEATS},
        {"autoreset", c->autoreset, 0, AGON_NO_RESET},
        {"illegal", c->illegal, 0, AGON_FORFEIT},
        {"pace", c->pace, 0, AGON_BOTH},
        {"viewers_all", c->viewers_all, 0, 1},
        {"tokens", c->tokens, 0, VEC_MAX_TOKENS},
        {"ticks", c->ticks, 0, 1000000},
        {"threads", c->threads, 0, VEC_MAX_THREADS},
        {"groups", c->groups, 0, VEC_MAX_GROUPS},
        {"rotate", c->rotate, 0, 1},
        {"reserved", c->reserved[0] | c->reserved[1] | c->reserved[2] | c->reserved_end, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value < rows[i].least || rows[i].value > rows[i].most)
            return vec_refuse(AGON_CONFIG_REFUSED, "%s must be %llu to %llu, not %llu", rows[i].name,
                              (unsigned long long)rows[i].least, (unsigned long long)rows[i].most,
                              (unsigned long long)rows[i].value);
    c->groups = c->groups ? c->groups : 1;
    c->ticks = c->ticks ? c->ticks : 1;
    if (c->num_envs % c->groups)
        return vec_refuse(AGON_CONFIG_REFUSED, "groups: %u environments cannot be split into %u equal runs",
                          c->num_envs, c->groups);
    if (c->viewers_all && c->rows == AGON_ROW_SEATS)
        return vec_refuse(AGON_CONFIG_REFUSED, "viewers_all: AGON_ROW_SEATS has the rows of all seats already");
    if (!(c->aggro >= 0 && c->aggro <= 1))
        return vec_refuse(AGON_CONFIG_REFUSED, "aggro must be 0 to 1");
    c->aggro = c->aggro > 0 ? c->aggro : 0.5f;
    return AGON_OK;
}

static int seat_bots(struct agon_vec *v)
{
    for (uint32_t s = 0; s < GAME_MAX_SEATS; s++) {
        const char *name = v->config.house[s];
        if (!name)
            continue;
        if (s >= v->seats)
            return vec_refuse(AGON_CONFIG_REFUSED, "house: there is no seat %u of %u", s, v->seats);
        v->house[s] = kit_find_bot(v->kit, name);
        if (!v->house[s])
            return vec_refuse_bot(v, AGON_CONFIG_REFUSED, "house: ", name);
        v->house_seats |= SEAT(s);
        v->mind_bytes = v->house[s]->mind_size > v->mind_bytes ? v->house[s]->mind_size : v->mind_bytes;
    }
    if (v->house_seats == (1u << v->seats) - 1)
        return vec_refuse(AGON_CONFIG_REFUSED, "house: at least one seat must be the caller's");
    return AGON_OK;
}

// V5: which numbers the pace leaves, and which of them place a piece.
static void set_pace(struct agon_vec *v)
{
    uint32_t inputs = v->kit->inputs ? v->kit->inputs : v->actions - 1;
    v->is_timed = v->game->tick != NULL;
    memset(v->allowed, 0xff, sizeof v->allowed);
    for (uint32_t i = 0; v->is_timed && i < GAME_MAX_FLAT; i++) { // numbers that do not exist are not wanted either
        bool is_place = i > inputs && i < v->actions;
        bool is_allowed = i < v->actions && (v->config.pace == AGON_BOTH || is_place == !v->config.pace);
        if (is_place)
            v->places[i / 64] |= UINT64_C(1) << i % 64;
        if (!is_allowed)
            v->allowed[i / 64] &= ~(UINT64_C(1) << i % 64);
    }
}

static int set_vector(struct agon_vec *v)
{
    uint32_t newest = (uint32_t)game_row_vectors(v->game);
    if (v->config.vector > newest)
        return vec_refuse(AGON_CONFIG_REFUSED, "vector: %s has versions 1 to %u, not %u", v->game->name, newest,
                          v->config.vector);
    v->version = (int)(v->config.vector ? v->config.vector : newest);
    v->dtype = v->config.dtype == AGON_U8 ? GAME_U8 : GAME_F32;
    uint32_t size = game_row_size(v->game, v->version);
    v->row_elements = v->config.viewers_all ? size * v->seats : size;
    v->seat_bytes = size * (v->dtype == GAME_U8 ? 1 : (uint32_t)sizeof(float));
    v->row_bytes = v->config.viewers_all ? v->seat_bytes * v->seats : v->seat_bytes;
    v->rows_of_env = v->config.rows == AGON_ROW_SEATS ? v->seats : 1;
    v->shows_asked = v->rows_of_env == 1 && !v->config.viewers_all;
    return AGON_OK;
}

static int set_config(struct agon_vec *v, const struct agon_config *given)
{
    int err = read_config(given, &v->config);
    if (!err)
        err = check_numbers(&v->config);
    if (err)
        return err;
    v->kit = vec_find_kit(v->config.game);
    if (!v->kit)
        return AGON_CONFIG_REFUSED;
    v->game = v->kit->game;
    err = vec_read_rules(v->kit, &v->config, &v->rules, &v->seats);
    if (!err)
        err = seat_bots(v);
    if (!err)
        err = set_vector(v);
    if (err)
        return err;
    v->actions = v->game->flat_size;
    v->words = (v->actions + 63) / 64;
    while (v->game->rewarded[v->components])
        v->components++;
    v->listens = game_needs_events(v->game);
    set_pace(v);
    return AGON_OK;
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

static uint32_t round_up(size_t size, uint32_t to)
{
    return (uint32_t)((size + to - 1) / to * to);
}

static void lay_out(struct agon_vec *v)
{
    size_t streams = v->house_seats ? v->seats * sizeof(struct rng) : 0;
    v->state_at = round_up(sizeof(struct lane), 8);
    v->history_at = round_up(v->state_at + v->game->state_size, 8);
    v->is_wide = row_can_be_wide();
    v->deposits = sample_can_deposit();
    v->keeps_history = game_reads_history(v->game, v->version, v->config.tokens);
    v->is_brief = v->version == 1 && !v->config.tokens;
    v->masks_at = round_up(v->history_at + (v->keeps_history ? game_history_size(v->game) : 0), 8);
    size_t mask_words = (size_t)(v->rows_of_env - 1) * v->words + GAME_FLAT_WORDS; // a row is written whole
    v->streams_at = round_up(v->masks_at + mask_words * sizeof(uint64_t), 8);
    v->minds_at = round_up(v->streams_at + streams, 8);
    v->ring_at = round_up(v->minds_at + (size_t)v->seats * v->mind_bytes, 8);
    v->block_bytes = round_up(v->ring_at + v->config.tokens * sizeof(struct game_token), VEC_CACHE_LINE);
}

static void make_groups(struct agon_vec *v)
{
    v->group_count = v->config.groups;
    for (uint32_t i = 0; i < v->group_count; i++) {
        struct group *g = &v->groups[i];
        g->envs = v->config.num_envs / v->group_count;
        g->first = i * g->envs;
        g->rows = g->envs * v->rows_of_env;
        g->runs = (g->envs + VEC_RUN - 1) / VEC_RUN;
        g->shares = v->shares ? v->shares + (size_t)i * v->config.threads : NULL;
        for (uint32_t s = 0; g->shares && s < v->config.threads; s++) {
            g->shares[s].first = (uint32_t)((uint64_t)g->runs * s / v->config.threads);
            g->shares[s].end = (uint32_t)((uint64_t)g->runs * (s + 1) / v->config.threads);
            atomic_store(&g->shares[s].next, g->shares[s].end);
        }
    }
}

// V23: the system clears this page in a child, so that the check costs no system call.
static int make_page(struct agon_vec *v)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    uint32_t *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return AGON_NO_MEMORY;
    madvise(page, size, MADV_WIPEONFORK);
    *page = 1;
    v->alive = page;
    return AGON_OK;
}

static void *allocate_zeroed(size_t count, size_t size)
{
    void *at = aligned_alloc(VEC_CACHE_LINE, (count * size + VEC_CACHE_LINE - 1) / VEC_CACHE_LINE * VEC_CACHE_LINE);
    if (at)
        memset(at, 0, count * size);
    return at;
}

static int allocate(struct agon_vec *v)
{
    lay_out(v);
    v->is_large = (uint64_t)v->config.num_envs * v->block_bytes > VEC_LARGE;
    v->blocks = allocate_zeroed((size_t)v->config.num_envs + 1, v->block_bytes);
    v->groups = allocate_zeroed(v->config.groups, sizeof *v->groups);
    size_t shares = (size_t)v->config.groups * v->config.threads;
    v->shares = shares ? allocate_zeroed(shares, sizeof *v->shares) : NULL;
    if (!v->blocks || !v->groups || (shares && !v->shares) || make_page(v))
        return vec_refuse(AGON_NO_MEMORY, "%u environments of %u bytes do not fit into memory", v->config.num_envs,
                          v->block_bytes);
    make_groups(v);
    for (uint32_t i = 0; i < v->config.num_envs; i++)
        *lane_at(v, i) = (struct lane){.end = LANE_BLANK, .asked = AGON_NOBODY, .seed = v->config.seed + i};
    return workers_start(v);
}

int agon_create(const struct agon_config *config, agon_vec **out)
{
    if (!out)
        return vec_refuse(AGON_RANGE, "agon_create needs a place for the vec");
    *out = NULL;
    struct agon_vec *v = allocate_zeroed(1, sizeof *v);
    if (!v)
        return vec_refuse(AGON_NO_MEMORY, "there is no memory for a vec");
    int err = set_config(v, config);
    if (!err)
        err = allocate(v);
    if (err) {
        agon_destroy(v);
        return err;
    }
    v->config.game = v->game->name; // the caller's texts need not outlive this call
    v->config.scenario = NULL;
    v->config.options = NULL;
    memset(v->config.house, 0, sizeof v->config.house);
    *out = v;
    return AGON_OK;
}

void agon_destroy(agon_vec *v)
{
    if (!v)
        return;
    if (v->workers)
        workers_stop(v);
    vec_logs_release(v);
    if (v->alive)
        munmap((void *)(uintptr_t)v->alive, (size_t)sysconf(_SC_PAGESIZE));
    free(v->shares);
    free(v->groups);
    free(v->blocks);
    free(v);
}

// ---- Layout ---------------------------------------------------------------------------------------------------------

int agon_get_layout(const agon_vec *v, struct agon_layout *out)
{
    int err = vec_check(v);
    if (err)
        return err;
    const struct group *g = &v->groups[0];
    uint64_t rows = g->rows;
    struct agon_layout full = {
        .envs = g->envs,
        .rows = g->rows,
        .seats = v->seats,
        .actions = v->actions,
        .vector = v->row_elements,
        .mask_words = v->words,
        .tokens = v->config.tokens,
        .components = v->components,
        .vector_version = (uint32_t)v->version,
        .observations_bytes = rows * v->row_bytes,
        .masks_bytes = rows * v->actions,
        .mask_words_bytes = rows * v->words * sizeof(uint64_t),
        .tokens_bytes = rows * v->config.tokens * 4 * sizeof(int16_t),
        .rewards_bytes = (uint64_t)g->envs * v->seats * sizeof(float),
        .components_bytes = (uint64_t)g->envs * v->seats * v->components * sizeof(float),
        .state_bytes = v->block_bytes,
        .snapshot_bytes = vec_snapshot_bytes(v),
    };
    return vec_write_out(out, &full, sizeof full);
}

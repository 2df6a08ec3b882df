// The caller's buffers: checked once, when they are bound, and never in steps (V22).
#include "vec/internal.h"

#include <stddef.h>

// A member of struct agon_buffers: how many elements of which size.
struct shape {
    const char *name;
    size_t offset; // in struct agon_buffers
    size_t element;
    uint64_t count;
};

enum { SHAPES = 19 }; // members of struct agon_buffers

#define AT(member) #member, offsetof(struct agon_buffers, member)

static void list_shapes(const struct agon_vec *v, struct shape out[SHAPES])
{
    uint64_t n = v->groups[0].envs, r = v->groups[0].rows, s = v->seats;
    size_t number = v->dtype == GAME_U8 ? 1 : sizeof(float);
    const struct shape all[] = {
        {AT(actions), 4, r},
        {AT(observations), number, r * v->row_elements},
        {AT(masks), 1, r * v->actions},
        {AT(mask_words), 8, r * v->words},
        {AT(tokens), 2, r * v->config.tokens * 4},
        {AT(rewards), 4, n * s},
        {AT(components), 4, n * s * v->components},
        {AT(unpaid), 4, n * s},
        {AT(own_reward), 4, n},
        {AT(asked), 1, n},
        {AT(asked_set), 2, n},
        {AT(terminated), 1, n},
        {AT(truncated), 1, n},
        {AT(final_observations), number, r * v->row_elements},
        {AT(returns), 4, n * s},
        {AT(lengths), 4, n},
        {AT(errors), 4, n},
        {AT(hashes), 8, n},
        {AT(ticks), 4, n},
    };
    _Static_assert(sizeof all / sizeof *all == SHAPES, "every buffer");
    memcpy(out, all, sizeof all);
}

static uintptr_t buffer_address(const struct agon_buffers *b, const struct shape *at)
{
    uintptr_t found;
    memcpy(&found, (const char *)b + at->offset, sizeof found);
    return found;
}

static int check_alignment(const struct agon_buffers *b, const struct shape shapes[SHAPES])
{
    for (int i = 0; i < SHAPES; i++)
        if (buffer_address(b, &shapes[i]) % shapes[i].element)
            return vec_refuse(AGON_BAD_BUFFER, "%s is not aligned to its elements of %zu bytes", shapes[i].name,
                              shapes[i].element);
    return AGON_OK;
}

// Refuses buffers that overlap, of two groups or of one.
static int check_overlap(const struct agon_buffers *one, const struct agon_buffers *other,
                         const struct shape shapes[SHAPES])
{
    for (int i = 0; i < SHAPES; i++)
        for (int k = one == other ? i + 1 : 0; k < SHAPES; k++) {
            uintptr_t a = buffer_address(one, &shapes[i]), b = buffer_address(other, &shapes[k]);
            bool is_read = i == 0 && k == 0; // two groups may read the same actions
            if (a && b && !is_read && a < b + shapes[k].count * shapes[k].element &&
                b < a + shapes[i].count * shapes[i].element)
                return vec_refuse(AGON_BAD_BUFFER, "%s and %s overlap", shapes[i].name, shapes[k].name);
        }
    return AGON_OK;
}

static int read_buffers(const struct agon_buffers *given, struct agon_buffers *b)
{
    uint32_t size = given ? given->struct_size : 0;
    memset(b, 0, sizeof *b);
    if (size < offsetof(struct agon_buffers, observations))
        return vec_refuse(AGON_BAD_BUFFER, "struct_size is %u; begin with agon_no_buffers()", size);
    for (uint32_t i = sizeof *b; i < size; i++)
        if (((const uint8_t *)given)[i])
            return vec_refuse(AGON_BAD_BUFFER, "libagon %s does not have all of these buffers", AGON_VERSION);
    memcpy(b, given, size < sizeof *b ? size : sizeof *b);
    if (!b->actions)
        return vec_refuse(AGON_BAD_BUFFER, "actions is NULL; it is the one buffer that must be bound");
    return AGON_OK;
}

int agon_bind(agon_vec *v, uint32_t group, const struct agon_buffers *given)
{
    struct agon_buffers b;
    struct shape shapes[SHAPES];
    int err = vec_check_group(v, group);
    if (!err)
        err = read_buffers(given, &b);
    if (err)
        return err;
    if (b.tokens && !v->config.tokens)
        return vec_refuse(AGON_BAD_BUFFER, "tokens: this vec has none; set config.tokens");
    list_shapes(v, shapes);
    err = check_alignment(&b, shapes);
    if (!err)
        err = check_overlap(&b, &b, shapes);
    for (uint32_t i = 0; !err && i < v->group_count; i++)
        if (i != group && v->groups[i].is_bound)
            err = check_overlap(&b, &v->groups[i].to, shapes);
    if (err)
        return err;
    v->groups[group].to = b;
    v->groups[group].has_row_extras = row_has_extras(&b);
    v->groups[group].has_step_extras = step_has_extras(&b);
    v->groups[group].is_bound = true;
    return AGON_OK;
}

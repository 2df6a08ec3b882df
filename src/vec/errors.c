// Refusals: a status, and a sentence that says what would be right (V21).
#include "vec/internal.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char sentence[512]; // of the last refusal of this thread, as errno is

int vec_refuse(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return status;
}

int vec_refuse_bot(const struct agon_vec *v, int status, const char *option, const char *name)
{
    char known[256] = "";
    size_t used = 0;
    for (const struct bot *const *b = kit_bots(v->kit); *b && used < sizeof known; b++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", (*b)->name);
    return vec_refuse(status, "%s%s has no house player '%.40s'; known: %s", option, v->game->name, name, known);
}

const char *agon_last_error(void)
{
    return sentence;
}

int vec_check(const struct agon_vec *v)
{
    if (!v)
        return vec_refuse(AGON_RANGE, "the vec is NULL; agon_create makes one");
    if (!*(const volatile uint32_t *)v->alive)
        return vec_refuse(AGON_FORKED, "this vec belongs to the parent process; create one after fork");
    return AGON_OK;
}

int vec_check_idle(const struct agon_vec *v)
{
    int err = vec_check(v);
    if (err)
        return err;
    for (uint32_t i = 0; i < v->group_count; i++)
        if (v->groups[i].is_sent)
            return vec_refuse(AGON_BUSY, "group %u was sent; call receive first", i);
    return AGON_OK;
}

int vec_check_group(const struct agon_vec *v, uint32_t group)
{
    int err = vec_check(v);
    if (err)
        return err;
    if (group >= v->group_count)
        return vec_refuse(AGON_RANGE, "group %u is not one of 0 to %u", group, v->group_count - 1);
    if (v->groups[group].is_sent)
        return vec_refuse(AGON_BUSY, "group %u was sent; call receive first", group);
    return AGON_OK;
}

// Whether the group of this environment is under way is the caller's promise to keep; it is checked all the same.
int vec_check_env(const struct agon_vec *v, uint32_t env)
{
    int err = vec_check(v);
    if (err)
        return err;
    if (env >= v->config.num_envs)
        return vec_refuse(AGON_RANGE, "environment %u is not one of 0 to %u", env, v->config.num_envs - 1);
    if (v->groups[env / v->groups[0].envs].is_sent)
        return vec_refuse(AGON_BUSY, "group %u was sent; call receive first", env / v->groups[0].envs);
    if (lane_at(v, env)->end == LANE_BLANK)
        return vec_refuse(AGON_NOT_BOUND, "environment %u has no episode yet; call reset first", env);
    return AGON_OK;
}

int vec_check_viewer(const struct agon_vec *v, uint32_t env, uint32_t viewer)
{
    int err = vec_check_env(v, env);
    if (!err && viewer > v->seats)
        err = vec_refuse(AGON_RANGE, "viewer %u is no seat; %u is the gallery", viewer, v->seats);
    return err;
}

// Single environments for search: look, apply, ask a house player.
#include "vec/internal.h"

#include "match/match.h"

#include <stdlib.h>

uint64_t agon_hash(const agon_vec *v, uint32_t env)
{
    return vec_check_env(v, env) ? 0 : game_hash(v->game, lane_state(v, lane_at(v, env)));
}

int agon_payoffs(const agon_vec *v, uint32_t env, int32_t out[AGON_MAX_SEATS])
{
    int32_t all[GAME_MAX_SEATS] = {0};
    int err = vec_check_env(v, env);
    if (err)
        return err;
    if (!out)
        return vec_refuse(AGON_RANGE, "the list to be filled is NULL");
    v->game->payoffs(lane_state(v, lane_at(v, env)), all);
    memcpy(out, all, sizeof all);
    return AGON_OK;
}

int agon_asked(const agon_vec *v, uint32_t env)
{
    int err = vec_check_env(v, env);
    return err ? err : lane_at(v, env)->asked;
}

// The mask of a seat (V3). What the lane keeps is that of the seats that are asked.
static void write_mask(const struct agon_vec *v, const struct lane *l, uint32_t seat, uint8_t *out)
{
    uint64_t none[GAME_FLAT_WORDS] = {1}, *words = none;
    if (v->rows_of_env > 1 && seat < v->seats)
        words = lane_masks(v, l) + seat * v->words;
    else if (v->rows_of_env == 1 && seat == l->asked)
        words = lane_masks(v, l);
    row_expand_mask(words, v->actions, v->is_wide, out);
}

int agon_write_row(agon_vec *v, uint32_t env, uint32_t seat, void *observation, uint8_t *mask, int16_t *tokens)
{
    int err = vec_check_viewer(v, env, seat);
    if (err)
        return err;
    const struct lane *l = lane_at(v, env);
    int viewer = seat == v->seats ? GAME_SPECTATOR : (int)seat;
    if (observation)
        row_observe(v, l, viewer, observation);
    if (mask)
        write_mask(v, l, seat, mask);
    if (tokens && v->config.tokens)
        row_write_tokens(v, l, viewer, tokens);
    return AGON_OK;
}

// ---- Apply ----------------------------------------------------------------------------------------------------------

int agon_apply(agon_vec *v, uint32_t env, int32_t action, float *rewards)
{
    int err = vec_check_env(v, env);
    if (err)
        return err;
    struct lane *l = lane_at(v, env);
    if (l->end != LANE_RUNNING)
        return vec_refuse(AGON_ABSENT, "environment %u is over; nobody is asked", env);
    int row = v->rows_of_env > 1 ? l->asked : 0;
    err = lane_check(v, l, row, action);
    if (err)
        return vec_refuse(err, "environment %u, seat %u: action %d is %s", env, l->asked, action,
                          err == AGON_ILLEGAL ? "not legal now" : "no number of this game");
    struct game_events events;
    struct lane_step step;
    step.events = v->listens ? &events : NULL;
    events.count = events.ticks = step.plays = step.ticks = 0;
    lane_answer_asked(v, l, action, &step);
    lane_close_step(v, l, &step, rewards, NULL);
    if (l->end != LANE_RUNNING && v->logs)
        lane_log_end(v, l);
    return l->end != LANE_RUNNING;
}

// ---- Advice ---------------------------------------------------------------------------------------------------------

// The legal number that plays `a`, or else the one of its kind whose amount is nearest: bots choose any amount.
static int nearest_number(const struct agon_vec *v, const struct lane *l, const uint64_t *mask, struct game_action a)
{
    int best = -1, any = -1;
    int64_t distance = INT64_MAX;
    for (uint32_t i = 1; i < v->actions; i++) {
        struct game_action own;
        if (!(mask[i / 64] >> i % 64 & 1) || !v->game->flat(lane_state(v, l), l->asked, (int)i, &own))
            continue;
        any = any < 0 ? (int)i : any;
        int64_t away = llabs((int64_t)own.amount - a.amount);
        bool same = own.kind == a.kind && memcmp(own.arg, a.arg, sizeof a.arg) == 0;
        if (same && away < distance)
            best = (int)i, distance = away;
    }
    return best >= 0 ? best : any >= 0 ? any : 0;
}

int agon_advise(agon_vec *v, uint32_t env, const char *bot, uint32_t effort, uint64_t seed)
{
    int err = vec_check_env(v, env);
    if (err)
        return err;
    const struct lane *l = lane_at(v, env);
    const struct bot *found = bot ? kit_find_bot(v->kit, bot) : *kit_bots(v->kit);
    if (!found)
        return vec_refuse_bot(v, AGON_ABSENT, "", bot);
    if (l->end != LANE_RUNNING)
        return vec_refuse(AGON_ABSENT, "environment %u is over; nobody is asked", env);
    struct rng root = {.key = {(uint32_t)seed, (uint32_t)(seed >> 32)}};
    struct rng dice = rng_split(&root, MATCH_BOTS);
    const uint64_t *mask = lane_masks(v, l) + (v->rows_of_env > 1 ? l->asked : 0) * v->words;
    return nearest_number(v, l, mask, lane_ask_bot(v, l, found, l->asked, dice, effort, NULL));
}

// Whole matches and legality (C50-C55).
#include "verify/gamerl_play.h"
#include "verify/gamerl_internal.h"

#include <stdio.h>
#include <string.h>

enum {
    MATCH_STEPS = 20000,      // a match of random legal actions ends sooner
    TICKS_IN_REACH = 1000000, // a limit beyond is not tried out
    SEEDS = 5,                // states are looked at for each of these seeds
    DEPTH = 10,               // and this many actions deep
};

void gamerl_after_done(struct gamerl *g)
{
    struct gr_agent a;
    gr_player(&a, g, gr_connect(g), "ender", 0, NULL);
    gr_reset(&a, 1, NULL);
    gr_check(g, gr_finish(&a, MATCH_STEPS), "no end within %d steps", MATCH_STEPS);
    gr_check(g, gr_text(a.step, "termination_reason")[0], "the end has no termination_reason");
    gr_check(g, !(gr_true(a.step, "done") && gr_true(a.step, "truncated")), "both done and truncated");
    gr_refused(g, a.at, -32002, "sim_step", "{s:s,s:o}", "agent_id", a.id, "action", gr_wait_action(&a));
    gr_reset(&a, 2, NULL);
    gr_step(&a, gr_wait_action(&a), 1);
}

static void check_timeout(struct gr_agent *a)
{
    gr_check(a->g, gr_true(a->step, "truncated") && json_is_false(gr_get(a->step, "done")),
             "the tick limit did not truncate");
    gr_check(a->g, strcmp(gr_text(a->step, "termination_reason"), "timeout") == 0, "the reason is '%s', not timeout",
             gr_text(a->step, "termination_reason"));
}

void gamerl_tick_limit(struct gamerl *g)
{
    struct gr_agent a;
    int64_t most = gr_int(g->manifest, "max_episode_ticks");
    gr_player(&a, g, gr_connect(g), "slow", 0, NULL);
    if (g->own) { // a lower limit
        gr_reset(&a, 1, json_pack("{s:{s:i}}", "initial_state", "max_ticks", 5));
        gr_step(&a, gr_wait_action(&a), 5);
        check_timeout(&a);
        return;
    }
    if (most <= 0 || most > TICKS_IN_REACH)
        gr_skip(g, "the tick limit is out of reach");
    gr_reset(&a, 1, NULL);
    for (int64_t left = most; left > 0 && !gr_is_over(&a); left -= 1000)
        gr_step(&a, gr_wait_action(&a), left < 1000 ? (int)left : 1000);
    if (gr_true(a.step, "done"))
        gr_skip(g, "the episode ends before its tick limit");
    check_timeout(&a);
}

// --- legality: states reached from a seed by a list of indexes

struct action_path {
    int seed, length;
    int index[DEPTH];
};

static const char *mask_of(struct gr_agent *a)
{
    return gr_text(a->step, "observation.legal_mask");
}

static bool replay_path(struct gr_agent *a, const struct action_path *r)
{
    gr_reset(a, r->seed, NULL);
    for (int i = 0; i < r->length && !gr_is_over(a); i++)
        gr_step(a, json_integer(r->index[i]), 1);
    return !gr_is_over(a);
}

// The k-th legal index above 0, or -1.
static int legal_index(const char *mask, unsigned k)
{
    unsigned count = 0, n = (unsigned)strlen(mask);
    for (unsigned i = 1; i < n; i++)
        count += mask[i] == '1';
    for (unsigned i = 1, seen = 0; count && i < n; i++)
        if (mask[i] == '1' && seen++ == k % count)
            return (int)i;
    return -1;
}

static void join_masked(struct gr_agent *a, struct gamerl *g, const char *id, const char *legal)
{
    gr_player(a, g, gr_connect(g), id, 0,
              json_pack("{s:s,s:s,s:[s,s]}", "legal", legal, "observation_profile", "compact", "observation_keys",
                        "your_turn", "legal_mask"));
}

// A refusal changes nothing, so all illegal actions are tried in place; after an accepted one the state is reached
// again.
static void check_state(struct gr_agent *a, const struct action_path *r)
{
    struct gamerl *g = a->g;
    char mask[512];
    bool there = true;
    snprintf(mask, sizeof mask, "%s", mask_of(a));
    size_t mark = gr_mark(g);
    for (int i = 1; mask[i] && gr_goes_on(g); i++) {
        if (!there)
            replay_path(a, r);
        int code = gr_code(gr_call(g, a->at, "sim_step", "{s:s,s:i}", "agent_id", a->id, "action", i));
        gr_check(g, (code == 0) == (mask[i] == '1'), "seed %d, depth %d: the mask has %c at %d, sim_step says %d",
                 r->seed, r->length, mask[i], i, code);
        there = code != 0;
        if (gr_goes_on(g))
            gr_trim(g, mark, NULL);
    }
}

void gamerl_mask(struct gamerl *g)
{
    struct gr_agent a;
    join_masked(&a, g, "mask", "mask");
    for (int seed = 1; seed <= SEEDS && gr_goes_on(g); seed++)
        for (struct action_path r = {.seed = seed}; r.length < DEPTH && gr_goes_on(g); r.length++) {
            size_t mark = gr_mark(g);
            if (!replay_path(&a, &r))
                break;
            int next = legal_index(mask_of(&a), (unsigned)(7 * seed + 3 * r.length));
            check_state(&a, &r);
            r.index[r.length] = next < 0 ? 0 : next;
            if (gr_goes_on(g))
                gr_trim(g, mark, NULL);
        }
}

static void check_items(struct gr_agent *a, const struct action_path *r)
{
    struct gamerl *g = a->g;
    size_t i;
    json_t *item, *list = json_object_get(a->step, "available_actions");
    gr_check(g, json_array_size(list) > 0, "nothing is available");
    json_array_foreach(list, i, item)
    {
        if (i && !replay_path(a, r))
            return;
        int code = gr_code(gr_call(g, a->at, "sim_step", "{s:s,s:O}", "agent_id", a->id, "action", item));
        gr_check(g, code == 0, "seed %d, depth %d: %s of available_actions was refused: %d", r->seed, r->length,
                 gr_text(item, "type"), code);
    }
}

void gamerl_available(struct gamerl *g)
{
    struct gr_agent a;
    join_masked(&a, g, "available", "full");
    for (int seed = 1; seed <= 2 && gr_goes_on(g); seed++)
        for (struct action_path r = {.seed = seed}; r.length < DEPTH && gr_goes_on(g); r.length++) {
            size_t mark = gr_mark(g);
            if (!replay_path(&a, &r))
                break;
            int next = legal_index(mask_of(&a), (unsigned)(5 * seed + r.length));
            check_items(&a, &r);
            r.index[r.length] = next < 0 ? 0 : next;
            if (gr_goes_on(g))
                gr_trim(g, mark, NULL);
        }
}

void gamerl_all_scenarios(struct gamerl *g)
{
    struct gr_agent a;
    size_t i;
    json_t *scenario;
    gr_player(&a, g, gr_connect(g), "finisher", 0,
              json_pack("{s:s,s:[s]}", "observation_profile", "compact", "observation_keys", "phase"));
    json_array_foreach(json_object_get(g->manifest, "scenarios"), i, scenario)
    {
        const char *name = gr_text(scenario, "name");
        size_t mark = gr_mark(g);
        gr_reset(&a, 1, json_pack("{s:s}", "scenario", name));
        gr_check(g, gr_finish(&a, MATCH_STEPS), "%s does not end within %d steps", name, MATCH_STEPS);
        if (gr_goes_on(g))
            gr_trim(g, mark, NULL);
    }
}

void gamerl_observe(struct gamerl *g)
{
    struct gr_agent a;
    gr_player(&a, g, gr_connect(g), "looker", 0, NULL);
    gr_reset(&a, 1, NULL);
    for (int i = 0; i < 10 && !gr_is_over(&a); i++) {
        gr_step(&a, gr_legal_action(&a), 1);
        json_t *before = gr_hash(g, a.at), *seen = gr_must(g, a.at, "observe", "{s:s}", "agent_id", a.id);
        json_t *after = gr_hash(g, a.at);
        gr_check(g, !before || gr_same(before, after), "observe changed hash or tick");
        gr_check(g, gr_same(gr_get(seen, "observation"), gr_get(a.step, "observation")),
                 "observe shows another observation than the last step");
        gr_check(g, gr_real(seen, "reward") == 0, "observe has a reward");
    }
}

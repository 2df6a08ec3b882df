// test_determinism: seeds, hashes and the independence of streams (C56-C67).
#include "verify/gamerl_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 30 };

// Events without the number of the episode, which counts resets.
static json_t *without_episode(struct gamerl *g, json_t *events)
{
    size_t i;
    json_t *event, *copy = gr_keep(g, json_deep_copy(events));
    json_array_foreach(copy, i, event)
    {
        json_object_del(json_object_get(event, "details"), "episode");
    }
    return copy;
}

// A sequence of actions, and the reply to each. `actions` NULL: chooses legal ones.
static json_t *play_course(struct gr_agent *a, int64_t seed, json_t *actions)
{
    struct gamerl *g = a->g;
    json_t *done = gr_pack(g, "[]"), *replies = gr_pack(g, "[]");
    gr_reset(a, seed, NULL);
    for (size_t i = 0; i < STEPS && gr_goes_on(g); i++) {
        json_array_append_new(
            replies, json_pack("{s:O*,s:O*,s:O*,s:O*,s:O*}", "observation", gr_get(a->step, "observation"), "reward",
                               gr_get(a->step, "reward"), "components", gr_get(a->step, "reward_components"), "events",
                               without_episode(g, gr_get(a->step, "events")), "hash", gr_get(a->step, "state_hash")));
        if (gr_is_over(a))
            break;
        json_t *given = json_array_get(actions, i);
        json_t *action = given ? json_incref(given) : i % 3 ? gr_legal_action(a) : gr_ending_action(a);
        json_array_append(done, action);
        gr_step(a, action, 1);
    }
    return gr_pack(g, "{s:O,s:O}", "actions", done, "told", replies);
}

static bool is_alike(json_t *a, json_t *b) // both may be absent
{
    return a == b || json_equal(a, b);
}

static void compare_courses(struct gamerl *g, json_t *first, json_t *second, bool hashes)
{
    static const char *const what[] = {"observation", "reward", "components", "events"};
    json_t *a = json_object_get(first, "told"), *b = json_object_get(second, "told"), *at;
    size_t i;
    gr_check(g, json_array_size(a) == json_array_size(b), "one course ended sooner");
    json_array_foreach(a, i, at)
    {
        json_t *other = json_array_get(b, i);
        for (int k = 0; k < 4 && !hashes; k++)
            gr_check(g, is_alike(json_object_get(at, what[k]), json_object_get(other, what[k])),
                     "%s differs at step %zu", what[k], i);
        gr_check(g, !hashes || gr_same(json_object_get(at, "hash"), json_object_get(other, "hash")),
                 "state_hash differs at step %zu, or there is none", i);
    }
}

static void repeat_course(struct gamerl *g, bool hashes, bool elsewhere)
{
    struct gr_agent a, b;
    gr_player(&a, g, gr_connect(g), "same", 0, NULL);
    json_t *first = play_course(&a, 42, NULL);
    if (elsewhere)
        gr_player(&b, g, gr_connect(g), "same", 0, NULL);
    json_t *second = play_course(elsewhere ? &b : &a, 42, json_object_get(first, "actions"));
    compare_courses(g, first, second, hashes);
}

static void same_course(struct gamerl *g)
{
    repeat_course(g, false, false);
}

static void same_hashes(struct gamerl *g)
{
    if (g->at_socket)
        gr_skip(g, "needs a command: hashes of shared tables have a secret salt");
    repeat_course(g, true, false);
}

static void across_processes(struct gamerl *g)
{
    if (g->at_socket)
        gr_skip(g, "needs a command: hashes of shared tables are salted");
    repeat_course(g, true, true);
}

static void other_seed(struct gamerl *g)
{
    struct gr_agent a;
    gr_player(&a, g, gr_connect(g), "other", 0, NULL);
    json_t *first = play_course(&a, 1, NULL), *second = play_course(&a, 2, NULL), *third = play_course(&a, 3, NULL);
    bool differs = !json_equal(first, second) || !json_equal(first, third);
    gr_check(g, differs, "seeds 1, 2 and 3 give the same course");
}

static bool is_hash(const char *s)
{
    return strncmp(s, "sha256:", 7) == 0 && strlen(s) == 71 && strspn(s + 7, "0123456789abcdef") == 64 &&
           strspn(s + 7, "0") < 64;
}

static void register_and_play(struct gr_agent *a, struct gamerl *g, const char *id)
{
    gr_offers(g, "get_state_hash");
    gr_player(a, g, gr_connect(g), id, 0, NULL);
    gr_reset(a, 7, NULL);
    for (int i = 0; i < 3 && !gr_is_over(a); i++)
        gr_step(a, gr_legal_action(a), 1);
}

static void hash_format(struct gamerl *g)
{
    struct gr_agent a;
    register_and_play(&a, g, "format");
    int64_t tick = gr_int(a.step, "tick");
    json_t *first = gr_hash(g, a.at), *second = gr_hash(g, a.at);
    gr_check(g, is_hash(gr_text(first, "hash")), "'%.80s' is no hash", gr_text(first, "hash"));
    gr_check(g, gr_same(first, second), "two calls give two hashes");
    gr_check(g, gr_int(first, "tick") == tick, "asking for the hash moved the tick");
    if (gr_is_over(&a))
        return;
    gr_step(&a, gr_wait_action(&a), 1);
    gr_check(g, gr_int(a.step, "tick") == tick + 1, "asking for the hash moved the tick");
}

static void hash_of_step(struct gamerl *g)
{
    struct gr_agent a;
    register_and_play(&a, g, "last");
    gr_check(g, gr_same(gr_get(gr_hash(g, a.at), "hash"), gr_get(a.step, "state_hash")),
             "get_state_hash is not the last step's state_hash");
}

static void without_rng(struct gamerl *g)
{
    struct gr_agent a;
    register_and_play(&a, g, "rng");
    json_t *with = gr_hash(g, a.at), *without = gr_must(g, a.at, "get_state_hash", "{s:b}", "include_rng", false);
    gr_check(g, gr_get(with, "components.rng"), "there is no rng component");
    gr_check(g, !gr_get(without, "components.rng"), "include_rng false has the rng component");
    gr_check(g, is_hash(gr_text(without, "hash")) && !gr_same(gr_get(with, "hash"), gr_get(without, "hash")),
             "include_rng makes no difference");
}

static void exclusive_only(struct gamerl *g)
{
    if (g->at_socket)
        gr_skip(g, "needs a command: hashes of shared tables are salted");
}

static void components(struct gamerl *g)
{
    struct gr_agent a;
    exclusive_only(g);
    gr_player(&a, g, gr_connect(g), "deck", 0, NULL);
    gr_reset(&a, 1, gr_deck(g, false));
    json_t *first = gr_hash(g, a.at);
    gr_reset(&a, 2, gr_deck(g, false));
    json_t *second = gr_hash(g, a.at);
    gr_check(g, gr_same(gr_get(first, "components.entities"), gr_get(second, "components.entities")),
             "equal deals under two seeds have other entities");
    gr_check(g, !json_equal(gr_get(first, "components.rng"), gr_get(second, "components.rng")),
             "two seeds have one rng digest");
}

static void secrecy(struct gamerl *g)
{
    struct gr_agent a;
    json_t *seen[2], *own[2], *all[2];
    exclusive_only(g);
    gr_player(&a, g, gr_connect(g), "blind", 0, NULL);
    for (int i = 0; i < 2; i++) {
        gr_reset(&a, 1, gr_deck(g, i));
        seen[i] = gr_get(a.step, "observation");
        own[i] = gr_must(g, a.at, "get_state_hash", "{s:s}", "agent_id", a.id);
        all[i] = gr_hash(g, a.at);
    }
    gr_check(g, gr_same(seen[0], seen[1]), "an observation depends on what is hidden");
    gr_check(g, gr_same(gr_get(own[0], "hash"), gr_get(own[1], "hash")), "an agent's hash depends on what is hidden");
    gr_check(g, !json_equal(gr_get(all[0], "hash"), gr_get(all[1], "hash")),
             "the state's hash does not depend on what is hidden");
}

// --- an overseer beside a player

static bool is_of_overseer(json_t *event)
{
    static const char *const types[] = {"message", "narrative", "gm_event", "speech", "emote"};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(gr_text(event, "type"), types[i]) == 0)
            return true;
    return false;
}

static json_t *without_talk(struct gamerl *g, json_t *events)
{
    size_t i;
    json_t *event, *rest = gr_pack(g, "[]");
    json_array_foreach(events, i, event)
    {
        if (!is_of_overseer(event))
            json_array_append(rest, event);
    }
    return rest;
}

static void observe_all(struct gr_agent *a, struct gr_agent *b)
{
    struct gamerl *g = a->g;
    if (json_object_get(g->tools, "observe"))
        gr_must(g, a->at, "observe", "{s:s}", "agent_id", a->id);
    if (json_object_get(g->tools, "get_state_hash"))
        gr_hash(g, a->at);
    if (json_object_get(g->tools, "send_message") && !g->at_socket)
        gr_must(g, a->at, "send_message", "{s:s,s:s,s:{s:s}}", "from_agent", a->id, "to_agent", b->id, "content",
                "text", "how do you do");
}

// B's step, with A's trigger in the same advance if that is possible.
static void step_beside(struct gr_agent *b, struct gr_agent *a, json_t *action)
{
    struct gamerl *g = b->g;
    if (!a || !json_object_get(g->tools, "batch_step") || strcmp(gr_systemic_type(g), "GameMaster") != 0) {
        gr_step(b, action, 1);
        return;
    }
    json_t *result =
        gr_must(g, b->at, "batch_step", "{s:[{s:s,s:o},{s:s,s:{s:s,s:{s:s}}}]}", "steps", "agent_id", b->id, "action",
                action, "agent_id", a->id, "action", "type", "trigger_event", "params", "event_type", "thunder");
    b->step = gr_get(result, "results.0");
}

static json_t *play_course_beside(struct gr_agent *b, struct gr_agent *a, json_t *actions)
{
    struct gamerl *g = b->g;
    json_t *replies = gr_pack(g, "[]"), *done = gr_pack(g, "[]");
    gr_reset(b, 11, NULL);
    for (size_t i = 0; i < STEPS && !gr_is_over(b); i++) {
        json_t *given = json_array_get(actions, i), *action = given ? json_incref(given) : gr_legal_action(b);
        if (a && i % 2) // not more often than talk is allowed
            observe_all(a, b);
        json_array_append(done, action);
        step_beside(b, a, action);
        json_array_append_new(replies, json_pack("{s:O*,s:O*,s:O*,s:O*}", "observation", gr_get(b->step, "observation"),
                                                 "reward", gr_get(b->step, "reward"), "events",
                                                 without_talk(g, without_episode(g, gr_get(b->step, "events"))), "hash",
                                                 gr_get(b->step, "state_hash")));
    }
    return gr_pack(g, "{s:O,s:O}", "actions", done, "told", replies);
}

static void undisturbed(struct gamerl *g)
{
    struct gr_agent a, b;
    struct rpc *r = gr_connect(g);
    gr_player(&b, g, r, "player", 0, NULL);
    gr_systemic(&a, g, r, "overseer", gr_systemic_type(g), NULL);
    json_t *alone = play_course_beside(&b, NULL, NULL);
    json_t *watched = play_course_beside(&b, &a, json_object_get(alone, "actions"));
    compare_courses(g, alone, watched, false);
    if (!g->at_socket) // two episodes of a shared table have different salts
        compare_courses(g, alone, watched, true);
}

static void ticks_at_once(struct gamerl *g)
{
    struct gr_agent a;
    double sum = 0;
    gr_player(&a, g, gr_connect(g), "ticks", 0, NULL);
    gr_reset(&a, 9, NULL);
    json_t *action = gr_keep(g, gr_legal_action(&a));
    json_t *once = gr_step(&a, json_incref(action), 5);
    gr_reset(&a, 9, NULL);
    for (int i = 0; i < 5 && !gr_is_over(&a); i++) {
        gr_step(&a, i ? gr_wait_action(&a) : json_incref(action), 1);
        sum += gr_real(a.step, "reward");
    }
    gr_check(g, gr_int(once, "tick") == gr_int(a.step, "tick"), "5 ticks at once end at tick %lld, one by one at %lld",
             (long long)gr_int(once, "tick"), (long long)gr_int(a.step, "tick"));
    gr_check(g, gr_same(gr_get(once, "observation"), gr_get(a.step, "observation")), "the observations differ");
    gr_check(g,
             g->at_socket || !gr_get(once, "state_hash") ||
                 json_equal(gr_get(once, "state_hash"), gr_get(a.step, "state_hash")),
             "the states differ");
    gr_check(g, fabs(sum - gr_real(once, "reward")) <= 1e-5, "rewards sum to %g, at once it is %g", sum,
             gr_real(once, "reward"));
}

// --- randomisation

static json_t *gameplay_of(struct gamerl *g)
{
    const char *key;
    json_t *range, *all = json_object();
    json_object_foreach(gr_get(g->manifest, "agon.randomization"), key, range)
    {
        if (strcmp(key, "seats") != 0) // the agent's seat must exist
            json_object_set(all, key, range);
    }
    return all;
}

static json_t *randomization(struct gamerl *g)
{
    return json_pack("{s:{s:{s:f},s:{s:[f,f]},s:o}}", "domain_randomization", "visual", "lighting_variation", 0.5,
                     "physics", "gravity_multiplier", 0.5, 2.0, "gameplay", gameplay_of(g));
}

static void within_bounds(struct gamerl *g, json_t *drawn)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(drawn, "gameplay"), key, value)
    {
        json_t *range = json_object_get(gr_get(g->manifest, "agon.randomization"), key);
        gr_check(g,
                 !json_is_number(value) || (json_number_value(value) >= gr_real(range, "0") &&
                                            json_number_value(value) <= gr_real(range, "1")),
                 "%s was drawn as %g", key, json_number_value(value));
    }
    double gravity = gr_real(drawn, "physics.gravity_multiplier");
    gr_check(g, !gr_get(drawn, "physics.gravity_multiplier") || (gravity >= 0.5 && gravity <= 2),
             "gravity_multiplier was drawn as %g", gravity);
}

static void refuse_randomization(struct gr_agent *a, json_t *what)
{
    gr_refused(a->g, a->at, -32602, "reset", "{s:s,s:{s:o}}", "agent_id", a->id, "config", "domain_randomization",
               what);
}

static void randomised(struct gamerl *g)
{
    struct gr_agent a;
    json_t *drawn[2], *hash[2];
    gr_player(&a, g, gr_connect(g), "random", 0, NULL);
    for (int i = 0; i < 2; i++) {
        gr_reset(&a, 21, randomization(g));
        drawn[i] = gr_get(a.step, "domain_randomization");
        hash[i] = gr_get(a.step, "state_hash");
        within_bounds(g, drawn[i]);
    }
    gr_check(g, g->at_socket || json_equal(hash[0], hash[1]) || !hash[0], "one seed, two states");
    gr_check(g, json_equal(drawn[0], drawn[1]) || !drawn[0], "one seed, two draws");
    gr_check(g, !g->own || drawn[0], "the answer does not tell what was drawn");
    refuse_randomization(&a, json_pack("{s:{s:f}}", "visual", "lighting_variation", 1.5));
    refuse_randomization(&a, json_pack("{s:{s:f}}", "visual", "texture_noise", -0.1));
    refuse_randomization(&a, json_pack("{s:{s:[f,f]}}", "physics", "gravity_multiplier", 2.0, 0.5));
    refuse_randomization(&a, json_pack("{s:{s:f}}", "physics", "friction_variation", 3.0));
}

const struct gamerl_gate gamerl_determinism[] = {
    {"C56", 1, false, "G17.5", "same seed and actions: same observations, rewards, events", same_course},
    {"C57", 2, false, "G17.2", "same seed and actions: same state hashes, in one process", same_hashes},
    {"C58", 2, false, "G17.3", "same seed and actions: same state hashes, in two processes", across_processes},
    {"C59", 1, false, "G17.5", "different seeds differ", other_seed},
    {"C60", 2, false, "G17.1 G13.5", "hash format; two get_state_hash calls equal; nothing changed", hash_format},
    {"C61", 2, false, "G17.2", "get_state_hash equals the last step's state_hash", hash_of_step},
    {"C62", 2, false, "G17.2", "include_rng false: no rng component, another hash", without_rng},
    {"C63", 0, false, "G17.1",
     "equal decks and fallback bots under different seeds: equal entities digest, different rng digest", components},
    {"C64", 0, false, "G17.4 G21.3", "agent hash and observation do not change with hidden cards, the global hash does",
     secrecy},
    {"C65", 2, false, "G17.5", "B's course is the same whether or not systemic A looks around, talks, triggers events",
     undisturbed},
    {"C66", 1, false, "G12.6", "one call with N ticks equals N calls with one tick, the rest wait", ticks_at_once},
    {"C67", 3, false, "G14.7", "randomisation: repeatable by seed, within bounds; bad bounds -32602", randomised},
    {0},
};

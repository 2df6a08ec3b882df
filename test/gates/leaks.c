// The property test can fail: Liar's Dice with one planted fault at a time, and the claim that must name it; and every
// game with a leak of one bit.
#include "games/liars_dice/rules/liars_dice.h"
#include "games_found.h"
#include "property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the four above
#include <cmocka.h>

static const struct game *const good = &liars_dice_game;

// --- faults: each breaks one function of the game ---

// A view that shows the first die of the next seat, where nobody would look for it.
static void view_with_a_die(const void *state, int viewer, void *view)
{
    const struct liars_dice_state *s = state;
    struct liars_dice_view *v = view;
    good->view(state, viewer, view);
    v->last.count = (uint8_t)(v->last.count + 8 * (s->hand[(viewer + 1) % s->seats] & 7));
}

static void view_with_a_hole(const void *state, int viewer, void *view)
{
    struct liars_dice_view *v = view;
    uint8_t was = v->round;
    good->view(state, viewer, view);
    v->round = was;
}

// A bid that tells everyone the bidder's first die.
static int apply_that_tells_a_die(void *state, int seat, struct game_action a, struct game_events *out)
{
    const struct liars_dice_state *s = state;
    uint8_t die = seat >= 0 && seat < s->seats ? s->hand[seat] & 7 : 0;
    int err = good->apply(state, seat, a, out);
    if (err == OK && out && out->at[0].kind == LIARS_DICE_BADE)
        out->at[0].data[54] = die;
    return err;
}

// A new round that tells everyone the first die of seat 0.
static int apply_that_tells_the_roll(void *state, int seat, struct game_action a, struct game_events *out)
{
    const struct liars_dice_state *s = state;
    int err = good->apply(state, seat, a, out);
    if (err == OK && out && out->count && out->at[out->count - 1].kind == LIARS_DICE_ROUND_START)
        out->at[out->count - 1].data[54] = s->hand[0] & 7;
    return err;
}

// No challenge for whoever's left neighbour has thrown a six.
static int choices_by_dice(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    const struct liars_dice_state *s = state;
    int count = good->choices(state, seat, out);
    if (count == 2 && (s->hand[(seat + 1) % s->seats] & 7) == 6)
        out[0] = out[--count];
    return count;
}

static bool flat_by_dice(const void *state, int seat, int index, struct game_action *out)
{
    const struct liars_dice_state *s = state;
    return good->flat(state, seat, index, out) && (index != 1 || (s->hand[(seat + 1) % s->seats] & 7) != 6);
}

static bool flat_that_moves(const void *state, int seat, int index, struct game_action *out)
{
    const struct liars_dice_state *s = state;
    return index > 0 && good->flat(state, seat, s->round % 2 ? index : (int)good->flat_size - index, out);
}

static void mask_for_all(const void *state, int seat, uint64_t out[GAME_FLAT_WORDS])
{
    const struct liars_dice_state *s = state;
    (void)seat;
    good->mask(state, s->to_act, out);
}

static bool flat_with_a_wait(const void *state, int seat, int index, struct game_action *out)
{
    return good->flat(state, seat, index ? index : 1, out);
}

static int choices_too_high(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    int count = good->choices(state, seat, out);
    if (count && out[count - 1].first.kind == LIARS_DICE_BID)
        out[count - 1].max_amount++;
    return count;
}

static int choices_for_all(const void *state, int seat, struct game_choice out[GAME_MAX_CHOICES])
{
    (void)seat;
    return good->choices(state, ((const struct liars_dice_state *)state)->to_act, out);
}

static int apply_that_counts_refusals(void *state, int seat, struct game_action a, struct game_events *out)
{
    int err = good->apply(state, seat, a, out);
    if (err == ERR_ACTION && seat != GAME_MASTER)
        ((struct liars_dice_state *)state)->key[7]++;
    return err;
}

static int apply_that_takes_equal_bids(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct liars_dice_state *s = state;
    bool equal = a.kind == LIARS_DICE_BID && s->bid && a.amount == s->bid && seat == s->to_act && !a.arg[0] &&
                 !a.arg[1] && !a.arg[2];
    if (equal)
        s->bid--;
    return good->apply(state, seat, a, out);
}

static int apply_for_anyone(void *state, int seat, struct game_action a, struct game_events *out)
{
    const struct liars_dice_state *s = state;
    return good->apply(state, seat >= 0 && seat < s->seats ? s->to_act : seat, a, out);
}

static int apply_that_lets_players_drop(void *state, int seat, struct game_action a, struct game_events *out)
{
    return good->apply(state, a.kind == GAME_DROP ? GAME_MASTER : seat, a, out);
}

static int apply_that_listens(void *state, int seat, struct game_action a, struct game_events *out)
{
    int err = good->apply(state, seat, a, out);
    if (err == OK && out)
        ((struct liars_dice_state *)state)->key[0] ^= 1;
    return err;
}

static int apply_by_the_call(void *state, int seat, struct game_action a, struct game_events *out)
{
    static uint32_t calls;
    int err = good->apply(state, seat, a, out);
    if (err == OK)
        ((struct liars_dice_state *)state)->key[0] = ++calls;
    return err;
}

static int apply_with_lost_parts(void *state, int seat, struct game_action a, struct game_events *out)
{
    int err = good->apply(state, seat, a, out);
    if (err == OK && out)
        out->at[0].part = 1;
    return err;
}

static int apply_that_keeps_the_number(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct liars_dice_state *s = state;
    int err = good->apply(state, seat, a, out);
    if (err == OK && s->number > 5)
        s->number = 5;
    return err;
}

// A drop that forgets: the seat stays in the game with one die.
static int apply_that_forgets_drops(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct liars_dice_state *s = state;
    if (seat != GAME_MASTER || a.kind != GAME_DROP || a.arg[0] != s->to_act || s->phase == LIARS_DICE_DONE)
        return good->apply(state, seat, a, out);
    s->number++;
    return OK;
}

static struct game_action fallback_that_challenges(const void *state, int seat)
{
    (void)state, (void)seat;
    return (struct game_action){.kind = LIARS_DICE_CHALLENGE};
}

static struct game_action fallback_by_dice(const void *state, int seat)
{
    const struct liars_dice_state *s = state;
    if (s->bid && (s->hand[(seat + 1) % s->seats] & 7) == 6)
        return (struct game_action){.kind = LIARS_DICE_CHALLENGE};
    return good->fallback(state, seat);
}

static const char *check_that_fails(const void *state)
{
    const struct liars_dice_state *s = state;
    return s->round == 3 ? "a planted invariant" : good->check(state);
}

static int init_by_the_call(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    static uint32_t calls;
    chance.key[0] = ++calls;
    return good->init(state, rules, seats, chance, out);
}

static int init_with_a_hole(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    struct liars_dice_state *s = state;
    uint8_t was = s->last_count;
    int err = good->init(state, rules, seats, chance, out);
    s->last_count = was;
    return err;
}

static int init_of_any_table(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    return good->init(state, rules, seats > LIARS_DICE_SEATS ? LIARS_DICE_SEATS : seats, chance, out);
}

static void vector_with_nan(const void *view, float *out)
{
    const struct liars_dice_view *v = view;
    good->vector(view, out);
    out[3] = (float)v->bid / (float)v->bid;
}

static void rewards_forgotten(const void *state, const struct game_events *happened, struct game_rewards *out)
{
    struct game_rewards r;
    good->rewards(state, happened, &r);
    for (int s = 0; s < 2; s++)
        out->at[s][0] = r.at[s][0];
}

static void payoffs_of_one(const void *state, int32_t out[GAME_MAX_SEATS])
{
    good->payoffs(state, out);
    out[0] += ((const struct liars_dice_state *)state)->phase == LIARS_DICE_DONE;
}

static void resample_nobody_knows(void *state, int viewer, struct rng *dice)
{
    (void)viewer;
    good->resample(state, GAME_SPECTATOR, dice);
}

static int stack_that_forgets(void *state, const uint8_t *items, int count)
{
    int err = good->stack(state, items, count);
    if (err == ERR_RULES)
        ((struct liars_dice_state *)state)->key[0]++;
    return err;
}

static int scenario_of_one(void *rules, int index)
{
    return index == 4 ? 1 : good->scenario(rules, index);
}

// --- the table ---

static const struct fault {
    const char *name, *claim;
    struct game change; // what differs from the good one; 0 where nothing does
} faults[] = {
    {"a view copies a hidden die", "a view does not depend on what is hidden", {.view = view_with_a_die}},
    {"a view leaves a byte unset", "a view sets every byte", {.view = view_with_a_hole}},
    {"an event tells a hidden die", "events tell only what the next view shows", {.apply = apply_that_tells_a_die}},
    {"an event tells the roll", "events tell only what the next view shows", {.apply = apply_that_tells_the_roll}},
    {"choices depend on another's dice", "choices do not depend on what is hidden", {.choices = choices_by_dice}},
    {"numbers depend on another's dice", "numbered actions do not depend on what is hidden", {.flat = flat_by_dice}},
    {"numbers move", "a number never changes its kind", {.flat = flat_that_moves}},
    {"number 0 acts", "no action has number 0", {.flat = flat_with_a_wait}},
    {"the mask has too much", "the mask has the numbers of legal actions", {.mask = mask_for_all}},
    {"choices list too much", "what is legal is taken", {.choices = choices_too_high}},
    {"choices for all", "exactly the seats that are asked have choices", {.choices = choices_for_all}},
    {"a refusal changes a byte", "a refused action leaves every byte", {.apply = apply_that_counts_refusals}},
    {"an unlisted action is taken", "what is taken is legal", {.apply = apply_that_takes_equal_bids}},
    {"anyone may act", "is legal", {.apply = apply_for_anyone}},
    {"a player drops a seat", "what is taken is legal|a player cannot drop", {.apply = apply_that_lets_players_drop}},
    {"listening changes the state", "listening changes nothing", {.apply = apply_that_listens}},
    {"a step depends on the number of calls", "a clone plays alike", {.apply = apply_by_the_call}},
    {"a part without an event", "a part belongs to an event", {.apply = apply_with_lost_parts}},
    {"a question is put again", "an answered question is never put again", {.apply = apply_that_keeps_the_number}},
    {"a dropped seat is asked", "a dropped seat is asked no more", {.apply = apply_that_forgets_drops}},
    {"the fallback is illegal", "is legal", {.fallback = fallback_that_challenges}},
    {"the fallback knows dice", "the fallback does not depend on what is hidden", {.fallback = fallback_by_dice}},
    {"an invariant breaks", "a planted invariant", {.check = check_that_fails}},
    {"a start depends on the number of calls",
     "init sets every byte, and the same way twice",
     {.init = init_by_the_call}},
    {"a start leaves a byte unset", "init sets every byte", {.init = init_with_a_hole}},
    {"any number of seats starts", "an absurd table is refused", {.init = init_of_any_table}},
    {"a vector has no number", "every number of a vector is set and finite", {.vector = vector_with_nan}},
    {"a reward is not set", "every reward is set and finite", {.rewards = rewards_forgotten}},
    {"partners are paid apart", "partners have the same payoff", {.payoffs = payoffs_of_one, .teams = 2}},
    {"resampling changes what is known",
     "a view does not depend on what is hidden",
     {.resample = resample_nobody_knows}},
    {"a refused stack changes a byte", "a refused stack leaves every byte", {.stack = stack_that_forgets}},
    {"a scenario has no table", "a scenario has a number of seats", {.scenario = scenario_of_one}},
    {"a state is too large", "a state fits its ceiling", {.state_size = GAME_MAX_STATE + 1}},
};

static struct game game_with(const struct game *change)
{
    struct game g = *good;
    g.rows = NULL;    // they are written past what is changed here
    g.imagine = NULL; // it would show first that the view is another
#define CHANGE(field)                                                                                                  \
    if (change->field)                                                                                                 \
    g.field = change->field
    CHANGE(view);
    CHANGE(apply);
    CHANGE(choices);
    CHANGE(flat);
    CHANGE(mask);
    if (change->flat) // the good mask is that of the good numbers
        g.mask = NULL;
    CHANGE(fallback);
    CHANGE(check);
    CHANGE(init);
    CHANGE(vector);
    CHANGE(rewards);
    CHANGE(payoffs);
    CHANGE(resample);
    CHANGE(stack);
    CHANGE(scenario);
    CHANGE(teams);
    CHANGE(state_size);
#undef CHANGE
    return g;
}

// As the quick test plays it, but each match until the first broken claim.
static bool holds(const struct game *g, struct property_result *r)
{
    struct property_memory memory = {0};
    if (!property_of_game(g, r))
        return false;
    for (int seats = g->teams ? 4 : g->min_seats; seats <= g->max_seats; seats++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            struct property_plan plan = {.seats = seats, .seed = seed, .close = true, .resample = true};
            if (!property_of_match(g, &plan, &memory, r))
                return false;
        }
    return true;
}

// The claim is one of those between bars.
static bool is_named(const char *broken, const char *claims)
{
    char one[128];
    while (*claims) {
        size_t size = strcspn(claims, "|");
        assert_true(size < sizeof one);
        memcpy(one, claims, size);
        one[size] = 0;
        if (strstr(broken, one))
            return true;
        claims += size + (claims[size] == '|');
    }
    return false;
}

static void the_good_game_passes(void **unused)
{
    (void)unused;
    struct property_result r;
    if (!holds(good, &r))
        fail_msg("%s", r.broken);
}

static void every_fault_is_named(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct game bad = game_with(&faults[i].change);
        struct property_result r;
        if (holds(&bad, &r))
            fail_msg("not found: %s", faults[i].name);
        if (!is_named(r.broken, faults[i].claim))
            fail_msg("%s was reported as: %s", faults[i].name, r.broken);
    }
}

// --- every game: one bit about everything that is in its state ---

static const struct game *leaking;

static uint8_t bit_of(const void *state)
{
    return game_hash(leaking, state) & 1;
}

static void view_with_a_bit(const void *state, int viewer, void *view)
{
    leaking->view(state, viewer, view);
    ((uint8_t *)view)[leaking->view_size - 1] ^= bit_of(state);
}

static int apply_that_tells_a_bit(void *state, int seat, struct game_action a, struct game_events *out)
{
    uint8_t bit = bit_of(state);
    uint32_t before = out ? out->count : 0;
    int err = leaking->apply(state, seat, a, out);
    if (err == OK && out && out->count > before)
        out->at[before].data[54] ^= bit;
    return err;
}

static void assert_caught(const struct game *g, const char *claim)
{
    struct property_result r;
    if (holds(g, &r))
        fail_msg("%s: not found: %s", g->name, claim);
    if (!is_named(r.broken, claim))
        fail_msg("reported as: %s", r.broken);
}

// So what is hidden is really redrawn, in every game.
static void no_game_can_leak(void **unused)
{
    (void)unused;
    for (int i = 0; games_found[i]; i++) {
        struct game bad = *(leaking = games_found[i]);
        bad.rows = NULL; // they would show that the view is not the good one
        bad.imagine = NULL;
        bad.view = view_with_a_bit;
        assert_caught(&bad, "a view does not depend on what is hidden");
        bad = *leaking;
        bad.apply = apply_that_tells_a_bit;
        assert_caught(&bad, "events tell only what the next view shows");
    }
}

// --- every game with rows: the same bit in a row and in a token, and a reward too much ---

static void observe_with_a_bit(const void *state, const void *history, int viewer, int version, enum game_dtype dtype,
                               void *out)
{
    struct game_element last;
    int index = (int)game_row_size(leaking, version) - 1;
    leaking->rows->observe(state, history, viewer, version, dtype, out);
    if (version == 1 || !bit_of(state) || !game_row_element(leaking, version, index, &last))
        return;
    if (dtype == GAME_F32)
        ((float *)out)[index] = last.high;
    else
        ((uint8_t *)out)[index] = (uint8_t)((last.high - last.low) / last.step + 0.5f);
}

static void tell_with_a_bit(const void *state, const void *history, const struct game_event *happened, int count,
                            struct game_tokens *out)
{
    leaking->rows->tell(state, history, happened, count, out);
    game_add_token(out, 1, 0, bit_of(state), 0);
}

static void earn_a_little(const void *state, const struct game_mark *mark, struct game_rewards *out)
{
    game_earned(leaking, state, mark, NULL, out);
    out->at[0][0] += 0.001f;
}

static void keep_a_call(const void *state, void *history, int seat, struct game_action action,
                        const struct game_mark *note)
{
    static uint8_t calls;
    leaking->rows->after(state, history, seat, action, note);
    ((uint8_t *)history)[leaking->rows->history_size - 1] = ++calls;
}

static void no_row_can_leak(void **unused) // V18, V30, V80, V82
{
    (void)unused;
    int found = 0;
    for (int i = 0; games_found[i]; i++) {
        struct game bad = *(leaking = games_found[i]);
        if (!bad.rows || !bad.rows->observe)
            continue;
        struct game_rows rows = *bad.rows;
        bad.rows = &rows;
        found++;
        if (bad.min_seats > 1 &&
            game_row_vectors(&bad) > 1) { // alone there is nothing to hide; the view shows the rest
            rows.observe = observe_with_a_bit;
            assert_caught(&bad, "a row does not depend on what is hidden|a row tells only what the next view shows");
        }
        rows = *leaking->rows;
        if (bad.min_seats > 1 && rows.tell) {
            rows.tell = tell_with_a_bit;
            assert_caught(&bad, "tokens tell only what the next view shows");
        }
        rows = *leaking->rows;
        rows.earned = earn_a_little;
        assert_caught(&bad, "rewards by difference are those of the events");
        rows = *leaking->rows;
        rows.after = rows.after ? keep_a_call : NULL;
        if (rows.after)
            assert_caught(&bad, "history does not depend on who listens");
    }
    assert_true(found > 0 || !games_found[1]); // a game by itself may go without rows
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_row_can_leak),
        cmocka_unit_test(the_good_game_passes),
        cmocka_unit_test(every_fault_is_named),
        cmocka_unit_test(no_game_can_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

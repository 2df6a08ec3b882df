#include "games/coup/rules/internal.h"

#include <stddef.h>

_Static_assert(sizeof(struct coup_state) == 124, "small enough to copy in a search");

enum { START_COINS = 2, RICH_COINS = 7, MAX_START_COINS = 9 };

static const char *const scenarios[] = {"players_4", "players_2", "players_3", "players_5", "players_6", "rich", NULL};
static const uint8_t scenario_seats[] = {4, 2, 3, 5, 6, 4};
enum { SCENARIO_RICH = 5, SCENARIOS };

enum { REWARD_INFLUENCE, REWARD_MATCH };
static const char *const rewarded[] = {"influence", "match", NULL};

static void set_defaults(void *rules)
{
    struct coup_rules *r = rules;
    memset(r, 0, sizeof *r);
    memset(r->coins, START_COINS, sizeof r->coins);
}

static int set_scenario(void *rules, int index)
{
    struct coup_rules *r = rules;
    if (index < 0 || index >= SCENARIOS)
        return ERR_RULES;
    if (index == SCENARIO_RICH)
        memset(r->coins, RICH_COINS, sizeof r->coins);
    return scenario_seats[index];
}

// Adds roles to the numbers; false when one is no role.
static bool count_roles(const uint8_t *roles, int count, int number[COUP_ROLES + 1])
{
    for (int i = 0; i < count; i++) {
        if (roles[i] < COUP_DUKE || roles[i] > COUP_CONTESSA)
            return false;
        number[roles[i]]++;
    }
    return true;
}

static bool has_copies(const int number[COUP_ROLES + 1])
{
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        if (number[role] > COUP_COPIES)
            return false;
    return true;
}

static bool is_blank(const uint8_t *bytes, int count)
{
    int any = 0;
    for (int i = 0; i < count; i++)
        any |= bytes[i];
    return !any;
}

// F6.C18: hands must leave three of each role possible; a deck is all 15, and then decides the hands itself.
static bool cards_fit(const struct coup_rules *r, int seats)
{
    int number[COUP_ROLES + 1] = {0};
    bool no_hands = is_blank(&r->hands[0][0], 2 * COUP_MAX_SEATS);
    if (!is_blank(r->deck, COUP_CARDS))
        return no_hands && count_roles(r->deck, COUP_CARDS, number) && has_copies(number);
    if (no_hands)
        return true;
    for (int i = 0; i < seats; i++)
        if (!is_blank(r->hands[i], 2) && !count_roles(r->hands[i], 2, number))
            return false;
    return has_copies(number);
}

static bool rules_fit(const struct coup_rules *r, int seats)
{
    if (seats < 2 || seats > COUP_MAX_SEATS || r->starter >= seats)
        return false;
    if (r->windows > COUP_WINDOWS_DETERMINISTIC || r->ask_single > 1)
        return false;
    for (int i = 0; i < seats; i++)
        if (r->coins[i] > MAX_START_COINS)
            return false;
    return cards_fit(r, seats);
}

static int init(void *state, const void *rules, int seats, struct rng chance, struct game_events *out)
{
    (void)out; // F6.C11: the first event is the first action
    struct coup_state *s = state;
    const struct coup_rules *r = rules;
    if (!rules_fit(r, seats))
        return ERR_RULES;
    *s = (struct coup_state){.seats = (uint8_t)seats,
                             .in_play = (uint8_t)((1u << seats) - 1),
                             .number = 1,
                             .log = {.actor = r->starter},
                             .phase = COUP_PHASE_ACTION,
                             .asked = (uint8_t)(1u << r->starter),
                             .windows = r->windows,
                             .ask_single = r->ask_single,
                             .chance = rng_section(&chance, 0)};
    for (int i = 0; i < seats; i++)
        s->seat[i].coins = r->coins[i];
    deck_deal(s, r);
    return OK;
}

static void pay_off(const void *state, int32_t out[GAME_MAX_SEATS])
{
    const struct coup_state *s = state;
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        out[i] = s->won >> i & 1;
}

void coup_reward_loss(struct game_rewards *r, int seats, int loser, int cards)
{
    for (int i = 0; i < seats; i++)
        r->at[i][REWARD_INFLUENCE] += (i == loser ? -0.5f : 0.5f / (float)(seats - 1)) * (float)cards;
}

void coup_reward_end(struct game_rewards *r, unsigned won)
{
    for (unsigned left = won; left; left &= left - 1)
        r->at[__builtin_ctz(left)][REWARD_MATCH] += 1.0f / (float)__builtin_popcount(won);
}

static void reward(const void *state, const struct game_events *happened, struct game_rewards *out)
{
    const struct coup_state *s = state;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < happened->count; i++) {
        const struct game_event *e = &happened->at[i];
        if (e->kind == COUP_EVENT_INFLUENCE_LOST)
            coup_reward_loss(out, s->seats, e->seat, 1);
        else if (e->kind == COUP_EVENT_PLAYER_DISCONNECTED)
            coup_reward_loss(out, s->seats, e->seat, e->amount);
        else if (e->kind == COUP_EVENT_GAME_OVER)
            coup_reward_end(out, coup_event_fact(e).won);
    }
}

const struct game coup_game = {
    .name = "coup",
    .version = 1,
    .rules_size = sizeof(struct coup_rules),
    .state_size = sizeof(struct coup_state),
    .view_size = sizeof(struct coup_view),
    .entities_end = offsetof(struct coup_state, number),
    .world_end = offsetof(struct coup_state, chance),
    .min_seats = 2,
    .max_seats = COUP_MAX_SEATS,
    .flat_size = COUP_FLAT,
    .vector_size = COUP_VECTOR,
    .scenarios = scenarios,
    .rewarded = rewarded,
    .defaults = set_defaults,
    .scenario = set_scenario,
    .init = init,
    .turn = coup_turn,
    .choices = coup_choices,
    .flat = coup_flat,
    .mask = coup_mask,
    .apply = coup_apply,
    .fallback = coup_fallback,
    .stack = coup_stack,
    .view = coup_see,
    .vector = coup_vector,
    .payoffs = pay_off,
    .rewards = reward,
    .resample = coup_resample,
    .imagine = coup_imagine,
    .check = coup_check,
    .rows = &coup_rows,
};

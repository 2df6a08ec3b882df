// Texas Hold'em as an environment (G25).
#include "kit/environment.h"
#include "games/texas_holdem/rules/texas_holdem.h"

#define CHIPS "{\"type\":\"box\",\"shape\":[],\"low\":0}"
#define CARDS "{\"type\":\"sequence\",\"of\":{\"type\":\"text\",\"length\":2}}"

static const char *const avatars[] = {"seat_0", "seat_1", "seat_2", "seat_3", "seat_4",
                                      "seat_5", "seat_6", "seat_7", "seat_8", NULL};

static const struct env_key keys[] = {
    {"hole_cards", CARDS},
    {"board", CARDS},
    {"pot", CHIPS},
    {"current_bet", CHIPS},
    {"to_call", CHIPS},
    {"min_raise_to", "{\"type\":\"box\",\"shape\":[],\"low\":0,\"nullable\":true}"},
    {"max_raise_to", "{\"type\":\"box\",\"shape\":[],\"low\":0,\"nullable\":true}"},
    {"button", "{\"type\":\"text\",\"description\":\"avatar id\"}"},
    {"small_blind", CHIPS},
    {"big_blind", CHIPS},
    {"ante", CHIPS},
    {"hand_number", "{\"type\":\"box\",\"shape\":[],\"low\":1}"},
    {"hands_total", "{\"type\":\"box\",\"shape\":[],\"low\":1}"},
    {"seats", "{\"type\":\"sequence\",\"of\":{\"type\":\"dict\",\"keys\":[\"seat\",\"chips\",\"bet\",\"total_bet\","
              "\"status\",\"position\"],\"optional\":[\"cards\"]}}"},
    {"last_hand",
     "{\"type\":\"dict\",\"keys\":[\"hand\",\"reason\",\"winners\",\"payouts\",\"pot\",\"board\",\"shown\"],"
     "\"nullable\":true}"},
    {0},
};

static const struct env_action actions[] = {
    ENV_MOVE("fold", "Give the hand up; only against a bet."),
    ENV_MOVE("check", "Stay in without betting."),
    {"call", "Match the current bet.", "{\"amount\":{\"type\":\"integer\",\"minimum\":0}}", "[]", "{}", ENV_DO_MOVE, 0,
     NULL},
    {"raise", "Raise to a total of amount for this betting round.", "{\"amount\":{\"type\":\"integer\",\"minimum\":1}}",
     "[\"amount\"]", "{\"amount\":600}", ENV_DO_MOVE, 0, NULL},
    ENV_MOVE("allin", "Bet all chips."),
    {0},
};

static const struct env_action master[] = {
    {"set_blinds", "Set the blinds, from the next hand.",
     "{\"small\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":16777215},"
     "\"big\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1073741823}}",
     "[\"small\",\"big\"]", "{\"small\":200,\"big\":400}", ENV_DO_MASTER, ENV_WORLD_MODIFY, "set_blinds"},
    {0},
};

static const struct env_action world[] = {
    {"set_blind_level", "Multiply the blinds, from the next hand.",
     "{\"multiplier\":{\"type\":\"number\",\"minimum\":0.25,\"maximum\":8}}", "[\"multiplier\"]", "{\"multiplier\":2}",
     ENV_DO_MASTER, ENV_WORLD_MODIFY, "set_blind_level"},
    {"set_ante", "Set the ante as a part of the big blind, from the next hand.",
     "{\"fraction\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1}}", "[\"fraction\"]", "{\"fraction\":0.1}",
     ENV_DO_MASTER, ENV_WORLD_MODIFY, "set_ante"},
    {0},
};

static const struct env_component rewards[] = {
    {"at the end of a hand the change of stack, divided by the average stack", -9, 9},
    {"1 for the winner of the match, shared by those who tie", 0, 1},
};

static const struct env_scenario scenarios[] = {
    {"six_max", "Six seats, ten hands.", "{\"seats\":6}"},
    {"heads_up", "Two seats, ten hands.", "{\"seats\":2}"},
    {"full_ring", "Nine seats, ten hands.", "{\"seats\":9}"},
    {"short_stack", "Six seats with 2000 chips each.", "{\"seats\":6,\"starting_stack\":2000}"},
    {"single_hand", "Six seats, one hand.", "{\"seats\":6,\"hands\":1}"},
    {0},
};

static const struct env_initial initial[] = {
    {"seats", "2 to 9"},
    {"starting_stack", "chips, 1 or more"},
    {"stacks", "chips of each seat, such as [1500,800] and so on, 1 or more each"},
    {"small_blind", "chips, 1 or more, at most the big blind"},
    {"big_blind", "chips, at least the small blind"},
    {"hands", "1 or more"},
    {"button", "a seat, such as \"seat_2\""},
    {"deck", "the 52 cards in dealing order, such as [\"Ah\",\"Td\"] and so on"},
    {0},
};

static const struct env_random randoms[] = {
    {"starting_stack", ENV_DRAW_INT, 1, 100000000},
    {"small_blind", ENV_DRAW_BLIND, 1, 10000000},
    {"seats", ENV_DRAW_SEATS, 2, HOLDEM_SEATS},
    {"hands", ENV_DRAW_INT, 1, 1000},
    {"bot_level", ENV_DRAW_LEVEL, 0, 3},
    {0},
};

static bool flat_at(int index, struct game_action *a)
{
    static const uint8_t kinds[] = {0, HOLDEM_FOLD, HOLDEM_CHECK, HOLDEM_CALL, HOLDEM_ALLIN};
    *a = (struct game_action){.kind = index < 5 ? kinds[index] : HOLDEM_RAISE};
    return index < 5;
}

static double health(const void *view, int seat, double *most)
{
    const struct texas_holdem_view *v = view;
    *most = v->all_chips;
    return v->chips[seat];
}

static bool in_play(const void *view, int seat)
{
    const struct texas_holdem_view *v = view;
    return v->status[seat] != HOLDEM_BUSTED && !(v->dropped & SEAT(seat));
}

static bool has_won(const void *view, int seat)
{
    return ((const struct texas_holdem_view *)view)->champions & SEAT(seat);
}

static int severity(const struct game_event *e, int viewer)
{
    if (e->kind == HOLDEM_EVENT_MATCH || e->kind == HOLDEM_EVENT_DROPPED)
        return 3;
    if (e->kind == HOLDEM_EVENT_RESULT && viewer < HOLDEM_SEATS) {
        struct holdem_result r = holdem_result_of(e);
        for (int i = 0; i < r.winners; i++)
            if (r.winner[i] == viewer)
                return 1;
        return 2;
    }
    return 1;
}

static const char *const buckets[] = {[5] = "min", "half_pot", "three_quarters_pot", "pot", "two_pots"}; // G25.2

static const struct env_standard_event events[] = {
    {"hand_result", "item_picked_up", ENV_EVENT_PAYOUTS, ENV_TO_MASTER, .what = "pot"},
    {0},
};

const struct env_facts texas_holdem_environment = {
    .goal = "Have the most chips when the match is over.",
    .setting =
        "2 to 9 seats, `seat_0` to `seat_8`; seats without an agent are played by house bots. Cards are rank and "
        "suit: `Tc` is the ten of clubs.",
    .hidden = "The hole cards of the others and the rest of the deck.",
    .turn = "When `your_turn` is true choose one of available_actions. `raise` takes the total for the betting round, "
            "within range.amount.",
    .end = "After the last hand, or when one seat has all chips. A seat without chips is out (failure).",
    .avatars = avatars,
    .types = 1 << ENV_ENTITY | 1 << ENV_MASTER | 1 << ENV_WORLD | 1 << ENV_DIALOGUE | 1 << ENV_COMBAT,
    ENV_TURNS,
    .keys = keys,
    .actions = actions,
    .master = master,
    .world = world,
    .world_names = {"blind_multiplier", "ante_fraction"},
    .world_low = {0.25, 0},
    .world_high = {8, 1},
    .rewards = rewards,
    .scenarios = scenarios,
    .initial = initial,
    .deals = {"deck"},
    .random = randoms,
    .flat_at = flat_at,
    .events = events,
    .buckets = buckets,
    .health = health,
    .in_play = in_play,
    .has_won = has_won,
    .severity = severity,
    .own_key = "hole_cards",
};

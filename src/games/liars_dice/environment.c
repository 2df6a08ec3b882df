// Liar's Dice as an environment (G26).
#include "kit/environment.h"
#include "games/liars_dice/rules/liars_dice.h"

static const char *const avatars[] = {"seat_0", "seat_1", "seat_2", "seat_3", "seat_4", "seat_5", NULL};

static const struct env_key keys[] = {
    {"dice", "{\"type\":\"sequence\",\"of\":{\"type\":\"box\",\"shape\":[],\"low\":1,\"high\":6}}"},
    {"current_bid", "{\"type\":\"dict\",\"keys\":[\"seat\",\"quantity\",\"face\"],\"nullable\":true}"},
    {"bids", "{\"type\":\"sequence\",\"of\":{\"type\":\"dict\",\"keys\":[\"seat\",\"quantity\",\"face\"]}}"},
    {"round", "{\"type\":\"box\",\"shape\":[],\"low\":1}"},
    {"total_dice", "{\"type\":\"box\",\"shape\":[],\"low\":0,\"high\":30}"},
    {"wild_ones", "{\"type\":\"discrete\",\"values\":[false,true]}"},
    {"seats", "{\"type\":\"sequence\",\"of\":{\"type\":\"dict\",\"keys\":[\"seat\",\"dice_count\",\"status\"]}}"},
    {"last_challenge",
     "{\"type\":\"dict\",\"keys\":[\"challenger\",\"bidder\",\"bid\",\"count\",\"all_dice\",\"loser\"],"
     "\"nullable\":true}"},
    {0},
};

static const struct env_action actions[] = {
    ENV_MOVE("challenge", "Call the last bidder a liar: all dice are shown and counted."),
    {"bid", "Claim that at least quantity dice of all show face; it must beat the current bid.",
     "{\"quantity\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":30},"
     "\"face\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":6}}",
     "[\"quantity\",\"face\"]", "{\"quantity\":3,\"face\":4}", ENV_DO_MOVE, 0, NULL},
    {0},
};

static const struct env_component rewards[] = {
    {"-1/d for an own die lost, 1/(d(n-1)) for another's", -1, 1},
    {"1 for the winner of the match", 0, 1},
};

static const struct env_scenario scenarios[] = {
    {"standard", "Four seats with five dice each.", "{\"seats\":4}"},
    {"duel", "Two seats with five dice each.", "{\"seats\":2}"},
    {"party", "Six seats with five dice each.", "{\"seats\":6}"},
    {"short", "Four seats with three dice each.", "{\"seats\":4,\"dice_counts\":3}"},
    {"no_wilds", "Four seats; ones are not wild.", "{\"seats\":4,\"wild_ones\":false}"},
    {0},
};

static const struct env_initial initial[] = {
    {"seats", "2 to 6"},
    {"dice_counts", "1 to 5, one number or one for every seat"},
    {"wild_ones", "true or false"},
    {"dice", "the faces of each seat in round 1, such as [[1,3,3,5,6]] and so on"},
    {"starter", "a seat, such as \"seat_2\""},
    {0},
};

static const struct env_random randoms[] = {
    {"seats", ENV_DRAW_SEATS, 2, LIARS_DICE_SEATS},
    {"dice", ENV_DRAW_INT, 1, LIARS_DICE_DICE},
    {"wild_ones", ENV_DRAW_CHANCE, 0, 1},
    {"bot_level", ENV_DRAW_LEVEL, 0, 3},
    {0},
};

static bool flat_at(int index, struct game_action *a)
{
    *a = (struct game_action){.kind = LIARS_DICE_CHALLENGE};
    if (index > 1)
        *a = (struct game_action){.kind = LIARS_DICE_BID, .amount = index - 1};
    return true;
}

static double health(const void *view, int seat, double *most)
{
    const struct liars_dice_view *v = view;
    *most = v->starting_dice[seat];
    return v->dice_counts[seat];
}

static bool in_play(const void *view, int seat)
{
    return ((const struct liars_dice_view *)view)->dice_counts[seat] > 0;
}

static bool has_won(const void *view, int seat)
{
    return ((const struct liars_dice_view *)view)->winner == seat;
}

static int severity(const struct game_event *e, int viewer)
{
    if (e->kind == LIARS_DICE_ELIMINATED || e->kind == LIARS_DICE_GAME_OVER || e->kind == LIARS_DICE_DISCONNECTED)
        return 3;
    return e->kind == LIARS_DICE_CHALLENGED && liars_dice_challenge_of(e).loser == viewer ? 2 : 1;
}

static const struct env_standard_event events[] = {
    {"game_over", "quest_completed", ENV_EVENT_QUEST, ENV_TO_MASTER, .who = "winner", .what = "match"},
    {"challenge", "combat_ended", ENV_EVENT_FIGHT, ENV_TO_BOTH, .what = "round", .others = {"challenger", "bidder"}},
    {"challenge", "damage_dealt", ENV_EVENT_DAMAGE, ENV_TO_BOTH, .who = "loser", .what = "challenge"},
    {0},
};

const struct env_facts liars_dice_environment = {
    .goal = "Be the last player with dice.",
    .setting = "2 to 6 seats, `seat_0` to `seat_5`; seats without an agent are played by house bots.",
    .hidden = "The dice of the others, until a challenge shows them all.",
    .turn = "When `your_turn` is true choose one of available_actions. The one `bid` item is the lowest legal bid; any "
            "higher one within range is legal too.",
    .end = "One player is left (success for that one). Who loses the last die is out (failure).",
    .avatars = avatars,
    .types = 1 << ENV_ENTITY | 1 << ENV_MASTER | 1 << ENV_DIALOGUE | 1 << ENV_COMBAT,
    ENV_TURNS,
    .keys = keys,
    .whole = true,
    .actions = actions,
    .rewards = rewards,
    .scenarios = scenarios,
    .initial = initial,
    .deals = {"dice"},
    .random = randoms,
    .flat_at = flat_at,
    .events = events,
    .health = health,
    .in_play = in_play,
    .has_won = has_won,
    .severity = severity,
    .own_key = "dice",
};

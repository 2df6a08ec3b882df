// Coup as an environment (G27).
#include "kit/environment.h"
#include "games/coup/rules/coup.h"

#define SEATS  "\"seat_0\",\"seat_1\",\"seat_2\",\"seat_3\",\"seat_4\",\"seat_5\""
#define TARGET "{\"target\":{\"type\":\"string\",\"enum\":[" SEATS "]}}", "[\"target\"]", "{\"target\":\"seat_1\"}"
#define ROLES                                                                                                          \
    "{\"type\":\"sequence\",\"of\":{\"type\":\"discrete\",\"values\":[\"Duke\",\"Assassin\",\"Captain\","              \
    "\"Ambassador\",\"Contessa\"]}}"

static const char *const avatars[] = {"seat_0", "seat_1", "seat_2", "seat_3", "seat_4", "seat_5", NULL};

static const struct env_key keys[] = {
    {"cards", ROLES},
    {"revealed", ROLES},
    {"coins", "{\"type\":\"box\",\"shape\":[],\"low\":0,\"high\":12}"},
    {"actor", "{\"type\":\"text\",\"description\":\"avatar id\"}"},
    {"pending",
     "{\"type\":\"dict\",\"keys\":[\"action\",\"target\",\"claimed_role\",\"blocker\",\"block_role\",\"loser\"],"
     "\"nullable\":true}"},
    {"exchange_cards", "{\"type\":\"sequence\",\"length\":2,\"nullable\":true}"},
    {"seats",
     "{\"type\":\"sequence\",\"of\":{\"type\":\"dict\",\"keys\":[\"seat\",\"coins\",\"influence\",\"revealed\","
     "\"status\"]}}"},
    {"deck_count", "{\"type\":\"box\",\"shape\":[],\"low\":0,\"high\":15}"},
    {"turn_log", "{\"type\":\"dict\",\"nullable\":true}"},
    {0},
};

static const struct env_action actions[] = {
    ENV_MOVE("income", "Take one coin."),
    ENV_MOVE("foreign_aid", "Take two coins; a Duke may block."),
    ENV_MOVE("tax", "Claim the Duke and take three coins."),
    ENV_MOVE("exchange", "Claim the Ambassador, draw two cards and return two."),
    {"coup", "Pay seven coins: the target loses an influence.", TARGET, ENV_DO_MOVE, 0, NULL},
    {"assassinate", "Claim the Assassin and pay three coins: the target loses an influence unless a Contessa blocks.",
     TARGET, ENV_DO_MOVE, 0, NULL},
    {"steal", "Claim the Captain and take up to two coins of the target; Captain and Ambassador block.", TARGET,
     ENV_DO_MOVE, 0, NULL},
    ENV_MOVE("challenge", "Say that the claim is a lie."),
    ENV_MOVE("pass", "Let it happen."),
    {"block", "Claim a role that blocks the action.",
     "{\"role\":{\"type\":\"string\",\"enum\":[\"Duke\",\"Contessa\",\"Captain\",\"Ambassador\"]}}", "[\"role\"]",
     "{\"role\":\"Duke\"}", ENV_DO_MOVE, 0, NULL},
    {"lose_card", "Choose the card that is revealed.",
     "{\"card_index\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":1}}", "[\"card_index\"]", "{\"card_index\":0}",
     ENV_DO_MOVE, 0, NULL},
    {"return_cards", "Choose the two cards that go back, by index into cards followed by exchange_cards.",
     "{\"return_indices\":{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":3},"
     "\"minItems\":2,\"maxItems\":2}}",
     "[\"return_indices\"]", "{\"return_indices\":[0,1]}", ENV_DO_MOVE, 0, NULL},
    {0},
};

static const struct env_component rewards[] = {
    {"-0.5 for an own influence lost, 0.5/(n-1) for another's", -1, 1},
    {"1 for the winner of the match", 0, 1},
};

static const struct env_scenario scenarios[] = {
    {"players_4", "Four seats.", "{\"seats\":4}"},
    {"players_2", "Two seats.", "{\"seats\":2}"},
    {"players_3", "Three seats.", "{\"seats\":3}"},
    {"players_5", "Five seats.", "{\"seats\":5}"},
    {"players_6", "Six seats.", "{\"seats\":6}"},
    {"rich", "Four seats with seven coins each.", "{\"seats\":4,\"coins\":7}"},
    {0},
};

static const struct env_initial initial[] = {
    {"seats", "2 to 6"},
    {"coins", "0 to 9, one number or a list by seat"},
    {"hands", "two roles for each seat, such as [[\"Duke\",\"Contessa\"]] and so on"},
    {"deck", "the 15 roles in dealing order"},
    {"starter", "a seat, such as \"seat_2\""},
    {0},
};

static const struct env_random randoms[] = {
    {"seats", ENV_DRAW_SEATS, 2, COUP_MAX_SEATS},
    {"coins", ENV_DRAW_INT, 0, 9},
    {"bot_level", ENV_DRAW_LEVEL, 0, 3},
    {0},
};

// G27.1, as flat in rules/choices.c, but without a state.
static bool flat_at(int index, struct game_action *a)
{
    static const uint8_t plain[] = {0, COUP_INCOME, COUP_FOREIGN_AID, COUP_TAX, COUP_EXCHANGE};
    static const uint8_t aimed[] = {COUP_COUP, COUP_ASSASSINATE, COUP_STEAL};
    static const uint8_t roles[] = {COUP_DUKE, COUP_CONTESSA, COUP_CAPTAIN, COUP_AMBASSADOR};
    static const uint8_t pairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    if (index < 5)
        *a = (struct game_action){.kind = plain[index]};
    else if (index < 23)
        *a = (struct game_action){.kind = aimed[(index - 5) / 6], .arg = {(uint8_t)((index - 5) % 6)}};
    else if (index < 25)
        *a = (struct game_action){.kind = index == 23 ? COUP_CHALLENGE : COUP_PASS};
    else if (index < 29)
        *a = (struct game_action){.kind = COUP_BLOCK, .arg = {roles[index - 25]}};
    else if (index < 31)
        *a = (struct game_action){.kind = COUP_LOSE_CARD, .arg = {(uint8_t)(index - 29)}};
    else
        *a = (struct game_action){.kind = COUP_RETURN_CARDS, .arg = {pairs[index - 31][0], pairs[index - 31][1]}};
    return true;
}

static double health(const void *view, int seat, double *most)
{
    *most = 2;
    return coup_influence(&((const struct coup_view *)view)->seat[seat]);
}

static bool in_play(const void *view, int seat)
{
    return ((const struct coup_view *)view)->in_play >> seat & 1;
}

static bool has_won(const void *view, int seat)
{
    return ((const struct coup_view *)view)->won >> seat & 1;
}

static bool is_cut(const void *view)
{
    return ((const struct coup_view *)view)->capped;
}

// 3: a player is out or the match is over; 2: it is about the viewer; 0: nothing has happened.
static int severity(const struct game_event *e, int viewer)
{
    struct coup_fact f = coup_event_fact(e);
    switch (e->kind) {
    case COUP_EVENT_PLAYER_ELIMINATED:
    case COUP_EVENT_PLAYER_DISCONNECTED:
    case COUP_EVENT_GAME_OVER:
        return 3;
    case COUP_EVENT_CHALLENGE_PASS:
    case COUP_EVENT_BLOCK_PASS:
    case COUP_EVENT_BLOCK_CHALLENGE_PASS:
        return 0;
    case COUP_EVENT_INFLUENCE_LOST:
        return e->seat == viewer ? 2 : 1;
    case COUP_EVENT_CHALLENGE:
    case COUP_EVENT_CHALLENGE_BLOCK:
        return f.other == viewer ? 2 : 1;
    case COUP_EVENT_ACTION:
        return f.action <= COUP_TURN_ACTIONS && coup_acts[f.action].targeted && f.target == viewer ? 2 : 1;
    default:
        return 1;
    }
}

static const struct env_standard_event events[] = {
    {"game_over", "quest_completed", ENV_EVENT_QUEST, ENV_TO_MASTER, .who = "winner", .what = "match"},
    {"challenge", "combat_started", ENV_EVENT_FIGHT, ENV_TO_BOTH, .what = "challenge",
     .others = {"challenger", "actor"}},
    {"challenge_result", "combat_ended", ENV_EVENT_FIGHT, ENV_TO_BOTH, .what = "challenge",
     .others = {"challenger", "actor"}},
    {"challenge_block", "combat_started", ENV_EVENT_FIGHT, ENV_TO_BOTH, .what = "challenge",
     .others = {"challenger", "blocker"}},
    {"challenge_block_result", "combat_ended", ENV_EVENT_FIGHT, ENV_TO_BOTH, .what = "challenge",
     .others = {"challenger", "blocker"}},
    {"influence_lost", "damage_dealt", ENV_EVENT_DAMAGE, ENV_TO_BOTH, .who = "player", .what = "influence"},
    {0},
};

const struct env_facts coup_environment = {
    .goal = "Be the last player with influence.",
    .setting = "2 to 6 seats, `seat_0` to `seat_5`, two hidden roles and two coins each; seats without an agent are "
               "played by house bots.",
    .hidden = "The face-down roles of the others, the deck, and what others answer in a window until it closes.",
    .turn = "When `your_turn` is true choose one of available_actions. Windows for challenges and blocks ask all "
            "entitled seats at once.",
    .end = "One player is left (success). Who loses both influences is out (failure). After 500 turns the match is cut "
           "(timeout).",
    .avatars = avatars,
    .types = 1 << ENV_ENTITY | 1 << ENV_MASTER | 1 << ENV_DIALOGUE | 1 << ENV_COMBAT,
    ENV_TURNS,
    // An environment asks all seats at once: with the other kind of window the order of calls would decide.
    .forced = "{\"windows\":\"deterministic\"}",
    .keys = keys,
    .actions = actions,
    .rewards = rewards,
    .scenarios = scenarios,
    .initial = initial,
    .deals = {"hands", "deck"},
    .random = randoms,
    .flat_at = flat_at,
    .events = events,
    .health = health,
    .in_play = in_play,
    .has_won = has_won,
    .is_cut = is_cut,
    .severity = severity,
    .own_key = "cards",
};

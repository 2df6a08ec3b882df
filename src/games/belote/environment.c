// Belote as an environment (G28).
#include "kit/environment.h"
#include "games/belote/rules/belote.h"

#define MODE                                                                                                           \
    "{\"mode\":{\"type\":\"string\",\"enum\":[\"ColourClubs\",\"ColourDiamonds\",\"ColourHearts\",\"ColourSpades\","   \
    "\"NoTrumps\",\"AllTrumps\"]}}",                                                                                   \
        "[\"mode\"]", "{\"mode\":\"NoTrumps\"}"
#define CARDS "{\"type\":\"sequence\",\"of\":{\"type\":\"text\",\"length\":2}}"
#define MODES "{\"type\":\"sequence\",\"of\":{\"type\":\"text\"}}"
#define PAIR  "{\"type\":\"box\",\"shape\":[2],\"low\":0}"

static const char *const avatars[] = {"seat_0", "seat_1", "seat_2", "seat_3", NULL};

static const struct env_key keys[] = {
    {"hand", CARDS},
    {"dealer", "{\"type\":\"text\",\"description\":\"avatar id\"}"},
    {"bids", "{\"type\":\"sequence\",\"of\":{\"type\":\"dict\",\"keys\":[\"seat\",\"type\",\"mode\"]}}"},
    {"current_bid", "{\"type\":\"dict\",\"keys\":[\"seat\",\"mode\"],\"nullable\":true}"},
    {"locked", "{\"type\":\"discrete\",\"values\":[false,true]}"},
    {"doubled", MODES},
    {"redoubled", MODES},
    {"contract", "{\"type\":\"dict\",\"keys\":[\"mode\",\"team\",\"multiplier\"],\"nullable\":true}"},
    {"trick", "{\"type\":\"dict\",\"keys\":[\"number\",\"leader\",\"cards\"],\"nullable\":true}"},
    {"last_trick", "{\"type\":\"dict\",\"keys\":[\"leader\",\"cards\",\"winner\"],\"nullable\":true}"},
    {"played", CARDS},
    {"points", PAIR},
    {"tricks_won", PAIR},
    {"match_points", PAIR},
    {"target", "{\"type\":\"box\",\"shape\":[],\"low\":1}"},
    {"deal_number", "{\"type\":\"box\",\"shape\":[],\"low\":1}"},
    {"team", "{\"type\":\"discrete\",\"values\":[1,2]}"},
    {"last_deal", "{\"type\":\"dict\",\"nullable\":true}"},
    {0},
};

static const struct env_action actions[] = {
    {"cut", "Cut the deck.",
     "{\"position\":{\"type\":\"integer\",\"minimum\":6,\"maximum\":26},"
     "\"from_top\":{\"type\":\"boolean\",\"default\":true}}",
     "[\"position\"]", "{\"position\":16}", ENV_DO_MOVE, 0, NULL},
    {"announce", "Announce a mode.", MODE, ENV_DO_MOVE, 0, NULL},
    ENV_MOVE("accept", "Accept what is announced."),
    {"double", "Double a mode of the opponents.", MODE, ENV_DO_MOVE, 0, NULL},
    {"redouble", "Redouble a doubled mode.", MODE, ENV_DO_MOVE, 0, NULL},
    {"play_card", "Play a card, such as Tc.", "{\"card\":{\"type\":\"string\",\"pattern\":\"^[789TJQKA][cdhs]$\"}}",
     "[\"card\"]", "{\"card\":\"Tc\"}", ENV_DO_MOVE, 0, NULL},
    {0},
};

static const struct env_action master[] = {
    {"set_target", "Set the points that win the match.",
     "{\"points\":{\"type\":\"integer\",\"minimum\":50,\"maximum\":2000}}", "[\"points\"]", "{\"points\":200}",
     ENV_DO_MASTER, ENV_WORLD_MODIFY, "set_target"},
    {0},
};

static const struct env_component rewards[] = {
    {"at the end of a deal (own - other match points)/target", -1, 1},
    {"1 for a match won, -1 lost, 0 tied", -1, 1},
};

static const struct env_scenario scenarios[] = {
    {"standard", "A match to 150 points.", "{\"target\":150}"},
    {"single_deal", "One deal; the higher match points win.", "{\"single_deal\":true}"},
    {"long", "A match to 500 points.", "{\"target\":500}"},
    {"tournament", "To 500 points; a colour sweep is worth 25 times the multiplier instead of the match.",
     "{\"target\":500,\"colour_sweep_points\":25}"},
    {0},
};

static const struct env_initial initial[] = {
    {"dealer", "a seat, such as \"seat_2\""},
    {"target", "match points that win, 1 to 10000"},
    {"match_points", "[team 1, team 2], each below the target"},
    {"deck", "the 32 cards before the cut, such as [\"7c\",\"Ah\"] and so on"},
    {"cut", "a position from the top, 6 to 26, or {position, from_top}"},
    {0},
};

static const struct env_random randoms[] = {
    {"target", ENV_DRAW_INT, 50, 2000},
    {"dealer", ENV_DRAW_INT, 0, 3},
    {"bot_level", ENV_DRAW_LEVEL, 0, 3},
    {0},
};

// G28.1
static bool flat_at(int index, struct game_action *a)
{
    static const uint8_t kinds[] = {BELOTE_ANNOUNCE, BELOTE_DOUBLE, BELOTE_REDOUBLE};
    int word = index - BELOTE_FLAT_WORD;
    *a = (struct game_action){0};
    if (index >= BELOTE_FLAT_CARD)
        *a = (struct game_action){.kind = BELOTE_PLAY, .arg = {(uint8_t)(index - BELOTE_FLAT_CARD)}};
    else if (word == BELOTE_SAY_ACCEPT)
        *a = (struct game_action){.kind = BELOTE_ACCEPT};
    else if (word >= 0) {
        int mode = word < BELOTE_SAY_ACCEPT ? word : word - BELOTE_SAY_DOUBLE;
        int kind = word < BELOTE_SAY_ACCEPT ? 0 : 1 + mode / BELOTE_MODES;
        *a = (struct game_action){.kind = kinds[kind], .arg = {(uint8_t)(mode % BELOTE_MODES)}};
    } else if (index > 0)
        *a = (struct game_action){.kind = BELOTE_CUT, .arg = {1}, .amount = BELOTE_CUT_MIN + index - BELOTE_FLAT_CUT};
    return true;
}

static double health(const void *view, int seat, double *most)
{
    (void)view, (void)seat;
    *most = 1;
    return 1;
}

static bool in_play(const void *view, int seat)
{
    return ((const struct belote_view *)view)->left != seat;
}

// A tied single deal is a shared win (G22.11).
static bool has_won(const void *view, int seat)
{
    const struct belote_view *v = view;
    return v->left != seat && (v->winner == BELOTE_NONE || v->winner == belote_team(seat));
}

static int severity(const struct game_event *e, int viewer)
{
    if (e->kind == BELOTE_MATCH_ENDED || e->kind == BELOTE_DISCONNECTED)
        return 3;
    if (e->kind == BELOTE_TRICK_COMPLETED && viewer < BELOTE_SEATS && belote_team(e->seat) != belote_team(viewer))
        return 2;
    return 1;
}

static const struct env_standard_event events[] = {
    {"match_ended", "quest_completed", ENV_EVENT_TEAM_QUEST, ENV_TO_MASTER, .what = "match"},
    {"deal_started", "combat_started", ENV_EVENT_FIGHT, ENV_TO_BOTH, .what = "deal", .count = "deal_number"},
    {"deal_ended", "combat_ended", ENV_EVENT_FIGHT, ENV_TO_BOTH, .what = "deal"},
    {"trick_completed", "item_picked_up", ENV_EVENT_ITEM, ENV_TO_MASTER, .who = "winner", .what = "trick",
     .count = "points"},
    {0},
};

const struct env_facts belote_environment = {
    .goal = "Reach the target of match points with your partner before the other team does.",
    .setting =
        "Four seats, `seat_0` to `seat_3`; seats 0 and 2 are team 1, seats 1 and 3 team 2. Seats without an agent "
        "are played by house bots. Cards are rank and suit: `Tc` is the ten of clubs.",
    .hidden = "The hands of the others and the cards that are not dealt yet.",
    .turn = "When `your_turn` is true choose one of available_actions: a cut, a word of the negotiation, or a card.",
    .end = "A team has won the match: success for its two seats, failure for the others.",
    .avatars = avatars,
    .types = 1 << ENV_ENTITY | 1 << ENV_MASTER | 1 << ENV_COLONY | 1 << ENV_DIALOGUE | 1 << ENV_COMBAT,
    ENV_TURNS,
    .keys = keys,
    .actions = actions,
    .master = master,
    .rewards = rewards,
    .scenarios = scenarios,
    .initial = initial,
    .deals = {"deck"},
    .random = randoms,
    .flat_at = flat_at,
    .events = events,
    .health = health,
    .in_play = in_play,
    .has_won = has_won,
    .severity = severity,
    .own_key = "hand",
};

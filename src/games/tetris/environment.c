// Tetris as an environment (G24).
#include "kit/environment.h"
#include "games/tetris/rules/tetris.h"

#define KIND "{\"type\":\"string\",\"enum\":[\"I\",\"O\",\"T\",\"S\",\"Z\",\"J\",\"L\"]}"

static const char *const avatars[] = {"player", NULL};

static const struct env_key keys[] = {
    {"board",
     "{\"type\":\"sequence\",\"length\":20,\"of\":{\"type\":\"text\",\"length\":10,\"alphabet\":\".IOTSZJLG\"}}"},
    {"active", "{\"type\":\"dict\",\"keys\":[\"kind\",\"rotation\",\"x\",\"y\"],\"nullable\":true}"},
    {"ghost_y", "{\"type\":\"box\",\"shape\":[],\"low\":-4,\"high\":19,\"nullable\":true}"},
    {"hold", "{\"type\":\"discrete\",\"values\":[\"I\",\"O\",\"T\",\"S\",\"Z\",\"J\",\"L\"],\"nullable\":true}"},
    {"can_hold", "{\"type\":\"discrete\",\"values\":[false,true]}"},
    {"next", "{\"type\":\"sequence\",\"length\":5,\"of\":{\"type\":\"discrete\",\"values\":[\"I\",\"O\",\"T\",\"S\","
             "\"Z\",\"J\",\"L\"],\"nullable\":true}}"},
    {"piece_id", "{\"type\":\"box\",\"shape\":[],\"low\":0}"},
    {"score", "{\"type\":\"box\",\"shape\":[],\"low\":0}"},
    {"level", "{\"type\":\"box\",\"shape\":[],\"low\":0}"},
    {"lines", "{\"type\":\"box\",\"shape\":[],\"low\":0}"},
    {"combo", "{\"type\":\"box\",\"shape\":[],\"low\":-1}"},
    {"back_to_back", "{\"type\":\"discrete\",\"values\":[false,true]}"},
    {"timers", "{\"type\":\"dict\",\"keys\":[\"drop_ms\",\"lock_ms\",\"line_clear_ms\"]}"},
    {"gravity", "{\"type\":\"box\",\"shape\":[],\"low\":0.1,\"high\":20}"},
    {"garbage_pending", "{\"type\":\"box\",\"shape\":[],\"low\":0,\"high\":20}"},
    {"goal", "{\"type\":\"dict\",\"keys\":[\"kind\",\"remaining\"],\"nullable\":true}"},
    {"ruleset", "{\"type\":\"discrete\",\"values\":[\"standard\",\"guideline\"]}"},
    {"paused", "{\"type\":\"discrete\",\"values\":[false,true]}"},
    {"ended", "{\"type\":\"text\",\"nullable\":true}"},
    {0},
};

static const struct env_action actions[] = {
    {"move", "Shift the active piece by one column.",
     "{\"direction\":{\"type\":\"string\",\"enum\":[\"left\",\"right\"]}}", "[\"direction\"]",
     "{\"direction\":\"left\"}", ENV_DO_MOVE, 0, NULL},
    {"rotate", "Turn the active piece by a quarter.", "{\"direction\":{\"type\":\"string\",\"enum\":[\"cw\",\"ccw\"]}}",
     "[\"direction\"]", "{\"direction\":\"cw\"}", ENV_DO_MOVE, 0, NULL},
    ENV_MOVE("soft_drop", "Let the piece fall one row."),
    ENV_MOVE("hard_drop", "Let the piece fall to the ground and lock it."),
    ENV_MOVE("hold", "Put the piece away and take the one kept there, once per piece."),
    {"place",
     "Bring the piece to its place and lock it, in one action: x is the column of its leftmost cell, rotation its "
     "final one; use_hold takes the other piece first.",
     "{\"x\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":9},"
     "\"rotation\":{\"type\":\"string\",\"enum\":[\"north\",\"east\",\"south\",\"west\"]},"
     "\"use_hold\":{\"type\":\"boolean\",\"default\":false},"
     "\"path\":{\"type\":\"string\",\"enum\":[\"simple\",\"full\"],\"default\":\"simple\"},"
     "\"y\":{\"type\":\"integer\",\"minimum\":-4,\"maximum\":19}}",
     "[\"x\",\"rotation\"]", "{\"x\":4,\"rotation\":\"north\"}", ENV_DO_MOVE, 0, NULL},
    {0},
};

static const struct env_action master[] = {
    {"spawn_entity", "Let garbage rise at the next lock, or choose the next piece.",
     "{\"entity_type\":{\"type\":\"string\",\"enum\":[\"garbage\",\"piece\"]},"
     "\"rows\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10},"
     "\"hole\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":9},\"kind\":" KIND "}",
     "[\"entity_type\"]", "{\"entity_type\":\"garbage\",\"rows\":2}", ENV_DO_SPAWN, ENV_SPAWN, NULL},
    {"set_level", "Set the level.", "{\"level\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":20}}", "[\"level\"]",
     "{\"level\":5}", ENV_DO_MASTER, ENV_WORLD_MODIFY, "set_level"},
    {"teleport", "Move the active piece, if it fits there.",
     "{\"entity_id\":{\"type\":\"string\",\"enum\":[\"player\"]},"
     "\"location\":{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":2,\"maxItems\":3}}",
     "[\"entity_id\",\"location\"]", "{\"entity_id\":\"player\",\"location\":[4,2,0]}", ENV_DO_MASTER, ENV_WORLD_MODIFY,
     "teleport"},
    {0},
};

static const struct env_action world[] = {
    {"set_gravity", "Multiply the speed of falling.",
     "{\"multiplier\":{\"type\":\"number\",\"minimum\":0.1,\"maximum\":20}}", "[\"multiplier\"]",
     "{\"multiplier\":1.5}", ENV_DO_MASTER, ENV_WORLD_MODIFY, "set_gravity"},
    {"add_garbage", "Let garbage rows rise at the next lock.",
     "{\"rows\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10},"
     "\"hole\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":9}}",
     "[\"rows\"]", "{\"rows\":2}", ENV_DO_MASTER, ENV_WORLD_MODIFY, "garbage"},
    {"spawn_resource", "Choose the next piece.", "{\"kind\":" KIND "}", "[\"kind\"]", "{\"kind\":\"I\"}", ENV_DO_MASTER,
     ENV_WORLD_MODIFY, "next_piece"},
    {0},
};

static const struct env_component rewards[] = {
    {"lines cleared", 0, 4},
    {"points gained, divided by 1000", 0, 100},
    {"0.001 for every tick", 0, 0.001},
    {"-1 when the game is lost", -1, 0},
    {"1 when the goal of the scenario is reached", 0, 1},
};

static const struct env_scenario scenarios[] = {
    {"marathon", "Until the stack reaches the top or the tick limit; the level is lines/10.", "{}"},
    {"sprint40", "Clear 40 lines.", "{\"goal\":\"lines\",\"goal_count\":40}"},
    {"cheese", "Clear 10 garbage rows that lie there from the start.", "{\"goal\":\"garbage\",\"garbage_rows\":10}"},
    {"survival", "Hold out 18750 ticks while garbage rises faster and faster.",
     "{\"goal\":\"ticks\",\"goal_count\":18750,\"garbage_first\":625,\"garbage_sooner\":25,\"garbage_least\":125}"},
    {"zen", "No gravity and no lock delay: only hard_drop and place lock. For slow thinkers.", "{\"zen\":true}"},
    {0},
};

static const struct env_initial initial[] = {
    {"board", "up to 20 rows of 10 characters, the lowest last: . or one of IOTSZJLG; none of them full"},
    {"queue", "the kinds that come first, such as [\"I\",\"T\"]"},
    {"hold", "one of IOTSZJL, or null"},
    {"level", "0 to 20"},
    {"ruleset", "standard or guideline"},
    {"preview", "1 to 5"},
    {0},
};

static const struct env_random randoms[] = {
    {"start_level", ENV_DRAW_INT, 0, TETRIS_MAX_LEVEL},
    {"garbage_rows", ENV_DRAW_INT, 0, TETRIS_MAX_ROWS},
    {"preview", ENV_DRAW_INT, 1, TETRIS_NEXT},
    {0},
};

static bool flat_at(int index, struct game_action *a)
{
    if (index <= TETRIS_HOLD) {
        *a = (struct game_action){.kind = (uint8_t)index};
        return true;
    }
    int place = index - TETRIS_HOLD - 1;
    *a = (struct game_action){.kind = TETRIS_PLACE,
                              .arg = {(uint8_t)(place % 10), (uint8_t)(place / 10 % 4), (uint8_t)(place / 40)}};
    return true;
}

static double health(const void *view, int seat, double *most)
{
    const struct tetris_view *v = view;
    (void)seat;
    int row = 0;
    *most = TETRIS_HEIGHT;
    while (row < TETRIS_HEIGHT) {
        for (int x = 0; x < TETRIS_WIDTH; x++)
            if (v->cells[row * TETRIS_WIDTH + x])
                return row;
        row++;
    }
    return row;
}

static bool in_play(const void *view, int seat)
{
    (void)seat;
    return !((const struct tetris_view *)view)->facts.end;
}

static bool has_won(const void *view, int seat)
{
    (void)seat;
    return ((const struct tetris_view *)view)->facts.end == TETRIS_GOAL;
}

static int severity(const struct game_event *e, int viewer)
{
    (void)viewer;
    if (e->kind == TETRIS_GAME_OVER)
        return 3;
    if (e->kind == TETRIS_GARBAGE_ROSE)
        return 2;
    return e->kind == TETRIS_HELD || e->kind == TETRIS_SOFT_DROPPED ? 0 : 1;
}

static const struct env_standard_event events[] = {
    {"game_over", "entity_died", ENV_EVENT_END, ENV_TO_BOTH, .what = "top_out"},
    {"garbage", "damage_dealt", ENV_EVENT_DAMAGE, ENV_TO_BOTH, .what = "garbage", .count = "rows"},
    {"garbage", "entity_spawned", ENV_EVENT_SPAWN, ENV_TO_WORLD, .what = "garbage", .location = "[0,19,0]"},
    {0},
};

const struct env_facts tetris_environment = {
    .goal =
        "Clear rows and do not let the stack reach the top; some scenarios end with success when their goal is met.",
    .setting = "One player, seat `player`, a board of 10 columns and 20 rows, row 0 at the top. A tick is 16 ms of the "
               "game. Without an agent a house bot plays.",
    .hidden = "Nothing but the pieces beyond the preview.",
    .turn = "It is always your turn. Between your actions the piece falls by itself when ticks pass. The simplest way "
            "to play is `place`: one action per piece. Choose one of available_actions; the values in choices.x may "
            "replace x.",
    .end = "The stack reaches the top (failure), the goal is reached (success), or the tick limit (timeout).",
    .avatars = avatars,
    .types = 1 << ENV_ENTITY | 1 << ENV_MASTER | 1 << ENV_WORLD,
    .tick_ms = TETRIS_TICK_MS,
    .tick_rate = 62,
    .max_ticks = 225000,
    .keys = keys,
    .whole = true,
    .actions = actions,
    .master = master,
    .world = world,
    .world_names = {"gravity", "garbage_rate"},
    .world_low = {0.1, 0},
    .world_high = {20, 20},
    .rewards = rewards,
    .scenarios = scenarios,
    .initial = initial,
    .deals = {"queue"},
    .random = randoms,
    .flat_at = flat_at,
    .events = events,
    .choice_key = "x",
    .health = health,
    .in_play = in_play,
    .has_won = has_won,
    .severity = severity,
};

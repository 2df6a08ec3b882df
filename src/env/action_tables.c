// Words of the protocol, and the actions of each type of agent (G11.2, G11.3, G23).
#include "env/actions.h"
#include "env/host.h"

const char *const env_type_names[] = {
    "EntityBehavior", "ColonyManager", "WorldSimulation", "GameMaster", "DialogueAgent", "CombatDirector", NULL};
const char *const env_scope_names[] = {"embodied", "systemic", NULL};
const char *const env_state_names[] = {"registered", "active", "terminal", NULL};
const char *const env_clock_names[] = {"training", "live", NULL};
const char *const env_profile_names[] = {"full", "compact", "vector", NULL};
const char *const env_legal_names[] = {"full", "mask", "none", NULL};
const char *const env_ending_names[] = {NULL, "success", "failure", "timeout", "external", NULL};
const char *const env_capability_names[] = {"admin", "narrative", "spawn", "world_modify", "debug", NULL};
const char *const env_session_names[] = {"exclusive", "shared", NULL};
const char *const env_sync_names[] = {"barrier", "sequential", "async", NULL};

int env_facts_key_count(const struct env_facts *k)
{
    int n = 0;
    while (k->keys[n].name)
        n++;
    return n;
}

int env_seat_of_name(const struct env_facts *k, const char *name)
{
    for (int s = 0; k->avatars[s]; s++)
        if (strcmp(k->avatars[s], name) == 0)
            return s;
    return -1;
}

// --- actions by type (G23)

#define NO_PARAMS "{}", "[]", "{}"
#define ANY_SEAT  "{\"type\":\"string\",\"description\":\"avatar id of a seat\"}"
#define LEVEL     "{\"type\":\"integer\",\"minimum\":0,\"maximum\":3}"

static const struct env_action wait_action[] = {
    {"wait", "Let time pass; on one's own turn it decides nothing.", NO_PARAMS, ENV_DO_WAIT, 0, NULL},
    {0},
};

static const struct env_action look_action[] = {
    {"observe_global", "Wait, and see all that this agent may see.", NO_PARAMS, ENV_DO_WAIT, 0, NULL},
    {0},
};

// G23.2
static const struct env_action overseer[] = {
    {"pause", "Stop the clock; seats cannot act.", NO_PARAMS, ENV_DO_PAUSE, ENV_ADMIN, NULL},
    {"resume", "Let the clock run again.", NO_PARAMS, ENV_DO_RESUME, ENV_ADMIN, NULL},
    {"restart", "Begin a new episode for all.",
     "{\"seed\":{\"type\":\"integer\"},\"scenario\":{\"type\":\"string\"},\"initial_state\":{\"type\":\"object\"}}",
     "[]", "{\"seed\":7}", ENV_DO_RESTART, ENV_ADMIN, NULL},
    {"replace_seat", "A house bot plays on in place of the seat's agent.",
     "{\"seat\":" ANY_SEAT ",\"level\":" LEVEL "}", "[\"seat\"]", "{\"seat\":\"seat_0\",\"level\":2}",
     ENV_DO_REPLACE_SEAT, ENV_ADMIN, NULL},
    {"kill_entity", "The seat forfeits by the game's drop rule, at the latest when it is asked next.",
     "{\"entity_id\":" ANY_SEAT ",\"cause\":{\"type\":\"string\",\"maxLength\":200}}", "[\"entity_id\"]",
     "{\"entity_id\":\"seat_1\"}", ENV_DO_KILL, ENV_SPAWN, NULL},
    {"modify_difficulty", "Set the level of all house bots; where time moves the game, its own level (0, 3, 6, 9).",
     "{\"level\":" LEVEL "}", "[\"level\"]", "{\"level\":3}", ENV_DO_DIFFICULTY, ENV_WORLD_MODIFY, NULL},
    {"set_time", "Set the ambient time of day.",
     "{\"hour\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":23},"
     "\"minute\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":59}}",
     "[\"hour\",\"minute\"]", "{\"hour\":18,\"minute\":30}", ENV_DO_SET_TIME, ENV_WORLD_MODIFY, NULL},
    {"send_narrative", "Tell an agent, a seat or everybody (*) something.",
     "{\"target\":{\"type\":\"string\"},\"message\":{\"type\":\"string\",\"maxLength\":2000}}",
     "[\"target\",\"message\"]", "{\"target\":\"*\",\"message\":\"Night falls.\"}", ENV_DO_NARRATE, ENV_NARRATIVE,
     NULL},
    {"trigger_event", "Announce an event to all.",
     "{\"event_type\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":64},\"params\":{\"type\":\"object\"}}",
     "[\"event_type\"]", "{\"event_type\":\"storm\"}", ENV_DO_TRIGGER, ENV_NARRATIVE, NULL},
    {0},
};

// G23.2, for games with seats without an agent
static const struct env_action table_overseer[] = {
    {"spawn_entity", "Put a house bot on a seat without agent.",
     "{\"entity_type\":{\"type\":\"string\",\"enum\":[\"house_bot\"]},\"seat\":" ANY_SEAT ",\"level\":" LEVEL "}",
     "[\"entity_type\",\"seat\",\"level\"]", "{\"entity_type\":\"house_bot\",\"seat\":\"seat_1\",\"level\":3}",
     ENV_DO_SPAWN, ENV_SPAWN, NULL},
    {0},
};

static const struct env_action director[] = {
    {"adjust_difficulty", "Set the level of the house bots, or of one.", "{\"level\":" LEVEL ",\"seat\":" ANY_SEAT "}",
     "[\"level\"]", "{\"level\":1}", ENV_DO_DIFFICULTY, ENV_WORLD_MODIFY, NULL},
    {"set_aggro", "Set how boldly the house bots play, or one of them.",
     "{\"value\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1},\"seat\":" ANY_SEAT "}", "[\"value\"]",
     "{\"value\":0.8}", ENV_DO_AGGRO, ENV_WORLD_MODIFY, NULL},
    {0},
};

static const struct env_action talker[] = {
    {"speak", "Say something to all, or to one seat or agent.",
     "{\"text\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":500},\"to\":{\"type\":\"string\"}}", "[\"text\"]",
     "{\"text\":\"Nice hand.\"}", ENV_DO_SPEAK, 0, NULL},
    {"emote", "Show a feeling.",
     "{\"emote\":{\"type\":\"string\",\"enum\":[\"smile\",\"frown\",\"laugh\",\"sigh\",\"think\",\"applaud\",\"shrug\"]"
     "},"
     "\"to\":{\"type\":\"string\"}}",
     "[\"emote\"]", "{\"emote\":\"smile\"}", ENV_DO_EMOTE, 0, NULL},
    {0},
};

static const struct env_action manager[] = {
    {"assign_task", "Play for the seat of the team that is to act; action is an action object of a seat.",
     "{\"seat\":" ANY_SEAT ",\"action\":{\"type\":[\"object\",\"integer\"]}}", "[\"seat\",\"action\"]",
     "{\"seat\":\"seat_0\",\"action\":{\"type\":\"accept\"}}", ENV_DO_TASK, 0, NULL},
    {"set_priority", "How boldly a house bot plays this seat of the team when the manager has left it.",
     "{\"seat\":" ANY_SEAT ",\"aggro\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1}}", "[\"seat\",\"aggro\"]",
     "{\"seat\":\"seat_0\",\"aggro\":0.7}", ENV_DO_AGGRO, 0, NULL},
    {0},
};

// Games with a shuffle or roll accept an order of the next deal.
static const struct env_action dealer[] = {
    {"deal_deck", "Give the order of the next deal, as the game deals it.",
     "{\"deck\":{\"type\":\"array\"},\"dice\":{\"type\":\"array\"}}", "[]", "{\"deck\":[]}", ENV_DO_DEAL,
     ENV_WORLD_MODIFY | ENV_DEBUG, NULL},
    {0},
};

enum { LISTS = 6 };

static void lists_of(const struct env_facts *k, enum env_type type, const struct env_action *out[LISTS])
{
    bool table = k->types & 1 << ENV_COMBAT;
    int n = 0;
    for (int i = 0; i < LISTS; i++)
        out[i] = NULL;
    out[n++] = wait_action;
    if (type != ENV_ENTITY && type != ENV_DIALOGUE)
        out[n++] = look_action;
    if (type == ENV_ENTITY) {
        out[n++] = k->actions;
    } else if (type == ENV_MASTER) {
        out[n++] = overseer;
        if (table)
            out[n++] = table_overseer, out[n++] = dealer;
        if (k->master)
            out[n++] = k->master;
    } else if (type == ENV_WORLD) {
        out[n++] = k->world;
    } else if (type == ENV_COMBAT) {
        out[n++] = director;
    } else if (type == ENV_DIALOGUE) {
        out[n++] = talker;
    } else {
        out[n++] = manager;
    }
}

const struct env_action *env_action_at(const struct env_facts *k, enum env_type type, int i)
{
    const struct env_action *lists[LISTS];
    lists_of(k, type, lists);
    for (int l = 0; l < LISTS && lists[l]; l++)
        for (const struct env_action *row = lists[l]; row->name; row++)
            if (i-- == 0)
                return row;
    return NULL;
}

int env_action_find(const struct env_facts *k, enum env_type type, const char *name)
{
    const struct env_action *lists[LISTS];
    int i = 0;
    if (strcmp(name, "noop") == 0 || strcmp(name, "Wait") == 0)
        return 0;
    if (strcmp(name, "teleport_player") == 0) // G11.3
        name = "teleport";
    lists_of(k, type, lists);
    for (int l = 0; l < LISTS && lists[l]; l++)
        for (const struct env_action *row = lists[l]; row->name; row++, i++)
            if (strcmp(row->name, name) == 0)
                return i;
    return -1;
}

static bool is_among(const char *name, const char *const *words)
{
    return span_among(span_of(name), words) >= 0;
}

// G11.2
bool env_is_denied(enum env_type type, const char *name)
{
    static const char *const denied[ENV_TYPES][6] = {
        [ENV_ENTITY] = {"spawn_entity", "kill_entity", "teleport", "set_time", "modify_world", NULL},
        [ENV_COLONY] = {"spawn_entity", "modify_world", "set_time", NULL},
        [ENV_WORLD] = {"kill_entity", "teleport_player", "modify_narrative", NULL},
        [ENV_MASTER] = {NULL},
        [ENV_DIALOGUE] = {"move", "attack", "spawn_entity", "modify_world", NULL},
        [ENV_COMBAT] = {"kill_player", "teleport_player", "modify_narrative", NULL},
    };
    return is_among(name, denied[type]);
}

static bool is_in(const struct env_action *rows, const char *name)
{
    for (; rows && rows->name; rows++)
        if (strcmp(rows->name, name) == 0)
            return true;
    return false;
}

// G11.3: names of the other scope are refused as such, whatever the game declares.
bool env_is_of_scope(const char *name, enum env_scope scope, const struct env_facts *k)
{
    static const char *const embodied[] = {"move", "jump", "attack", "interact", "use_item", "pickup", NULL};
    static const char *const systemic[] = {"spawn_entity", "kill_entity",  "teleport",       "teleport_player",
                                           "set_time",     "modify_world", "observe_global", NULL};
    if (scope == ENV_SYSTEMIC)
        return !is_among(name, embodied) && !is_in(k->actions, name);
    if (is_in(k->actions, name))
        return true;
    return !is_among(name, systemic) && !is_in(overseer, name) && !is_in(k->master, name) && !is_in(k->world, name) &&
           !is_in(director, name) && !is_in(manager, name) && !is_in(table_overseer, name) && !is_in(dealer, name);
}

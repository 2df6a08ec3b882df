// initialize, tools/list, logging/setLevel (G3, G4.1, G6.5).
#include "front/mcp/mcp_internal.h"

static const struct {
    const char *name;
    enum mcp_revision revision;
} revisions[] = {
    {"2025-11-25", R2025_11_25},
    {"2025-06-18", R2025_06_18},
    {"2025-03-26", R2025_03_26},
    {"2024-11-05", R2024_11_05},
};

enum { REVISIONS = sizeof revisions / sizeof *revisions };

bool mcp_revision_is_known(struct span name)
{
    for (int i = 0; i < REVISIONS; i++)
        if (span_is(name, revisions[i].name))
            return true;
    return false;
}

bool mcp_enter_params(const struct mcp_request *a, struct json_reader *r)
{
    *r = json_reader_of(a->params.size ? a->params : SPAN("{}"), MCP_MAX_DEPTH);
    if (json_peek(r) != JSON_OBJECT) {
        mcp_refuse_params(a, "", "an object");
        return false;
    }
    json_enter_object(r);
    return true;
}

bool mcp_read_text(struct json_reader *r, char *out, size_t room)
{
    if (json_peek(r) != JSON_STRING) {
        json_skip(r);
        return false;
    }
    return json_string_copy(json_read_string(r), out, room) >= 0;
}

// --- initialize

struct greeting {
    char version[64];
    bool has_version;
    const char *bad; // pointer to a member of _meta that is no name
    char table[MCP_MAX_NAME + 1], game[MCP_MAX_NAME + 1];
};

// G1.7: characters of the agent id alphabet.
static bool is_name(const char *s)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:-";
    return *s && s[strspn(s, alphabet)] == 0;
}

static void read_meta(struct json_reader *r, struct greeting *g)
{
    struct json_string key;
    if (json_peek(r) != JSON_OBJECT) {
        json_skip(r);
        return;
    }
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (json_string_is(key, "agon/table")) {
            if (!mcp_read_text(r, g->table, sizeof g->table) || !is_name(g->table))
                g->bad = "/_meta/agon~1table";
        } else if (json_string_is(key, "agon/game")) {
            if (!mcp_read_text(r, g->game, sizeof g->game) || !is_name(g->game))
                g->bad = "/_meta/agon~1game";
        } else {
            json_skip(r);
        }
    }
}

static void read_greeting(struct json_reader *r, struct greeting *g)
{
    struct json_string key;
    while (json_next_key(r, &key))
        if (json_string_is(key, "protocolVersion")) {
            g->has_version = json_peek(r) == JSON_STRING;
            mcp_read_text(r, g->version, sizeof g->version);
        } else if (json_string_is(key, "_meta")) {
            read_meta(r, g);
        } else {
            json_skip(r);
        }
}

static enum mcp_revision choose_revision(const char *asked)
{
    for (int i = 0; i < REVISIONS; i++)
        if (strcmp(asked, revisions[i].name) == 0)
            return revisions[i].revision;
    return revisions[0].revision; // G3.1: never an error
}

static const char *revision_name(uint8_t revision)
{
    int i = 0;
    while (revisions[i].revision != revision)
        i++;
    return revisions[i].name;
}

static void write_capabilities(struct text *t, const struct mcp_session *s, const struct env_game *pinned)
{
    json_key(t, "capabilities");
    text_put(t, SPAN("{\"tools\":{\"listChanged\":false},\"resources\":{\"subscribe\":true,\"listChanged\":false},"
                     "\"prompts\":{\"listChanged\":false},"));
    if (s->revision >= R2025_03_26)
        text_put(t, SPAN("\"completions\":{},"));
    text_put(t, SPAN("\"logging\":{},\"experimental\":{\"gameRl\":{\"version\":\"1.0.0\",\"level\":3"));
    if (pinned)
        json_put_text(t, "game", pinned->game->name);
    text_put(t, SPAN("}}}"));
}

// At most 1500 characters (G3.3).
void mcp_put_instructions(struct text *t, const struct env_game *pinned, bool exclusive, bool player)
{
    char bytes[1500];
    struct text s = text_on(bytes, sizeof bytes);
    if (player) {
        json_put_text(
            t, "instructions",
            "Play a game: call join, then act with one of the legal moves that every answer lists, until the "
            "game is over. If it is not your turn, call look with wait. Pass your seat handle in every call.");
        return;
    }
    text_puts(&s, "You play ");
    text_puts(&s, pinned ? pinned->codec->title : "one of several games");
    text_puts(&s, " against house bots or other agents. 1. register_agent {\"agent_id\":\"me\",\"agent_type\":"
                  "\"EntityBehavior\"}: the answer has your seat, your action space and, as guide, how the game is "
                  "played. 2. reset {\"agent_id\":\"me\"} begins an episode and returns your first observation");
    if (!pinned)
        text_puts(&s, "; config.scenario, a name of the scenarios of game://manifest, chooses the game");
    text_puts(&s, ". 3. sim_step {\"agent_id\":\"me\",\"action\":A} with A taken unchanged from available_actions of "
                  "the last answer; repeat until done or truncated is true, then reset again. ");
    text_puts(&s, exclusive
                      ? "The others play inside your step: its answer shows your next decision. "
                      : "When it is not your turn, sim_step with {\"type\":\"wait\"} and ticks 250 returns at your "
                        "turn. ");
    text_puts(&s, "observe looks without acting. An error tells what would be right: data.reason, "
                  "data.available_actions. The prompt play_");
    text_puts(&s, pinned ? pinned->game->name : "<game>");
    text_puts(&s, " and the resource game://rules have the rules.");
    json_put_string(t, "instructions", text_span(&s));
}

static const char *first_of(const char *a, const char *b)
{
    return a[0] ? a : b[0] ? b : NULL;
}

bool mcp_connect(const struct mcp_request *a, const char *named, const char *chosen)
{
    struct mcp_session *s = a->s;
    const struct mcp_options *o = &s->host->options;
    struct env_result refused = {0};
    const char *table = o->named_tables ? first_of(named, s->table) : NULL;
    const char *game = o->named_tables ? first_of(chosen, s->game) : NULL;
    s->env = env_connect(s->host->env, &mcp_hooks, s, table ? table : o->table, game, &refused);
    if (!s->env && refused.code)
        mcp_refuse(a, refused.code, refused.name, refused.message, refused.body);
    else if (!s->env)
        mcp_refuse(a, MCP_INTERNAL, "Internal", "no memory for another connection", SPAN(""));
    else if (s->caller[0])
        env_name_caller(s->env, s->caller);
    return s->env != NULL;
}

void mcp_do_initialize(const struct mcp_request *a)
{
    struct mcp_session *s = a->s;
    struct json_reader r;
    struct greeting g = {0};
    if (s->revision || a->batch) {
        mcp_refuse(a, MCP_INVALID_REQUEST, "InvalidRequest", "initialize was already sent", SPAN(""));
        return;
    }
    if (!mcp_enter_params(a, &r))
        return;
    read_greeting(&r, &g);
    if (!g.has_version) {
        mcp_refuse_params(a, "/protocolVersion", "a string, the revision of MCP such as 2025-11-25");
        return;
    }
    if (g.bad && s->host->options.named_tables) {
        mcp_refuse_params(a, g.bad, "1 to 64 letters, digits, _, : or -");
        return;
    }
    if (!s->env && !mcp_connect(a, g.table, g.game))
        return; // a modern request may have come before
    s->revision = (uint8_t)choose_revision(g.version);
    const struct env_game *pinned = env_is_pinned(s->env) ? env_game_of(s->env) : NULL;
    struct text *t = mcp_begin_result(a);
    json_begin_object(t);
    json_put_text(t, "protocolVersion", revision_name(s->revision));
    write_capabilities(t, s, pinned);
    json_begin_object_at(t, "serverInfo");
    mcp_put_server(t, s, pinned, s->revision >= R2025_06_18);
    json_put_text(t, "gameRlVersion", "1.0.0");
    json_end_object(t);
    mcp_put_instructions(t, pinned, env_is_exclusive(s->env), s->player);
    json_end_object(t);
    mcp_end_result(a);
}

// --- tools/list

static void write_tool(struct text *t, const struct env *env, const struct env_tool *tool, enum mcp_revision revision)
{
    json_begin_object(t);
    json_put_text(t, "name", tool->name);
    if (revision >= R2025_06_18)
        json_put_text(t, "title", tool->title);
    json_put_text(t, "description", tool->description);
    json_key(t, "inputSchema");
    env_write_input(env, tool, t);
    if (revision >= R2025_06_18 && tool->output)
        json_put_raw(t, "outputSchema", span_of(tool->output));
    if (revision >= R2025_03_26) {
        json_begin_object_at(t, "annotations");
        json_put_text(t, "title", tool->title);
        json_put_bool(t, "readOnlyHint", tool->read_only);
        json_put_bool(t, "destructiveHint", tool->destructive);
        json_put_bool(t, "idempotentHint", tool->idempotent);
        json_put_bool(t, "openWorldHint", false);
        json_end_object(t);
    }
    json_end_object(t);
}

void mcp_do_tools_list(const struct mcp_request *a)
{
    if (!mcp_is_first_page(a))
        return;
    struct text *t = mcp_begin_result(a);
    json_begin_object(t);
    json_begin_array_at(t, "tools");
    for (const struct env_tool *tool = mcp_tools_of(a->s); tool->name; tool++)
        write_tool(t, a->s->host->env, tool, mcp_revision_of(a));
    if (a->s->host->options.fixtures)
        mcp_fixtures_put_tools(t);
    json_end_array(t);
    json_end_object(t);
    mcp_end_result(a);
}

// G6.6: no cursor is ever issued.
bool mcp_is_first_page(const struct mcp_request *a)
{
    struct json_reader r;
    struct json_string key;
    bool cursor = false;
    if (!mcp_enter_params(a, &r))
        return false;
    while (json_next_key(&r, &key)) {
        cursor |= json_string_is(key, "cursor");
        json_skip(&r);
    }
    if (cursor)
        mcp_refuse_params(a, "/cursor", "absent: the list is never cut");
    return !cursor;
}

// --- logging/setLevel

void mcp_do_set_level(const struct mcp_request *a)
{
    struct json_reader r;
    struct json_string key;
    int level = -1;
    if (!mcp_enter_params(a, &r))
        return;
    while (json_next_key(&r, &key))
        if (json_string_is(key, "level") && json_peek(&r) == JSON_STRING)
            level = json_string_among(json_read_string(&r), mcp_levels);
        else
            json_skip(&r);
    if (level < 0) {
        mcp_refuse_params(a, "/level", "one of debug, info, notice, warning, error, critical, alert, emergency");
        return;
    }
    a->s->level = (uint8_t)level;
    mcp_answer_empty(a);
}

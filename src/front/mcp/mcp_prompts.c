// Prompts and the completion of their arguments (G6.1-G6.4). Each game has one prompt, play_<game>.
#include "front/mcp/mcp_internal.h"

enum { MAX_VALUES = 100, MAX_ARGUMENT = 160 }; // G6.4

static const struct {
    const char *name, *description;
} arguments[] = {
    {"agent_id", "the id to play under"},
    {"scenario", "the scenario to play"},
    {"seat", "the seat to take"},
};

enum { AGENT_ID, SCENARIO, SEAT, ARGUMENTS };

static bool is_offered(const struct mcp_session *s, const struct env_game *g)
{
    const struct env_game *pinned = env_pinned_game(s->host->env); // of all, or of the table that a connection chose
    if (!pinned && s->env && env_is_pinned(s->env))
        pinned = env_game_of(s->env);
    return !pinned || pinned->game == g->game;
}

static const struct env_game *find_prompt(const struct mcp_session *s, const char *name)
{
    if (strncmp(name, "play_", 5) != 0)
        return NULL;
    for (const struct env_game *g = s->host->options.games; g->game; g++)
        if (is_offered(s, g) && strcmp(name + 5, g->game->name) == 0)
            return g;
    return NULL;
}

static void put_title(struct text *t, const char *key, const char *before, const struct env_game *g)
{
    char bytes[128];
    struct text s = text_on(bytes, sizeof bytes);
    text_puts(&s, before);
    text_puts(&s, g->codec->title);
    json_put_string(t, key, text_span(&s));
}

static void write_prompt(struct text *t, const struct env_game *g, bool titled)
{
    char bytes[128];
    struct text name = text_on(bytes, sizeof bytes);
    text_puts(&name, "play_");
    text_puts(&name, g->game->name);
    json_begin_object(t);
    json_put_string(t, "name", text_span(&name));
    if (titled)
        put_title(t, "title", "Play ", g);
    put_title(t, "description", "All that a player needs to know of ", g);
    json_begin_array_at(t, "arguments");
    for (int i = 0; i < ARGUMENTS; i++) {
        json_begin_object(t);
        json_put_text(t, "name", arguments[i].name);
        json_put_text(t, "description", arguments[i].description);
        json_put_bool(t, "required", false);
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
}

void mcp_do_prompts_list(const struct mcp_request *a)
{
    if (!mcp_is_first_page(a))
        return;
    struct text *t = mcp_begin_result(a);
    json_begin_object(t);
    json_begin_array_at(t, "prompts");
    for (const struct env_game *g = a->s->host->options.games; g->game; g++)
        if (is_offered(a->s, g))
            write_prompt(t, g, mcp_revision_of(a) >= R2025_06_18);
    if (a->s->host->options.fixtures)
        mcp_fixtures_put_prompts(t);
    json_end_array(t);
    json_end_object(t);
    mcp_end_result(a);
}

// --- prompts/get

struct prompt_params {
    char name[MCP_MAX_NAME + 1];
    char value[ARGUMENTS][MAX_ARGUMENT]; // empty: not given
    bool named, bad;
};

static void read_arguments(struct json_reader *r, struct prompt_params *p)
{
    struct json_string key;
    if (json_read_if_null(r))
        return;
    if (json_peek(r) != JSON_OBJECT) {
        p->bad = true;
        json_skip(r);
        return;
    }
    for (json_enter_object(r); json_next_key(r, &key);) {
        int i = 0;
        while (i < ARGUMENTS && !json_string_is(key, arguments[i].name))
            i++;
        if (i == ARGUMENTS)
            json_skip(r);
        else if (!mcp_read_text(r, p->value[i], sizeof p->value[i]))
            p->bad = true;
    }
}

static const char *or_null(const char *value)
{
    return value[0] ? value : NULL;
}

void mcp_do_prompts_get(const struct mcp_request *a)
{
    struct json_reader r;
    struct json_string key;
    struct prompt_params p = {0};
    if (!mcp_enter_params(a, &r))
        return;
    while (json_next_key(&r, &key))
        if (json_string_is(key, "name"))
            p.named = mcp_read_text(&r, p.name, sizeof p.name);
        else if (json_string_is(key, "arguments"))
            read_arguments(&r, &p);
        else
            json_skip(&r);
    if (p.named && a->s->host->options.fixtures && mcp_fixture_prompt(a, p.name))
        return;
    const struct env_game *g = p.named ? find_prompt(a->s, p.name) : NULL;
    if (!g || p.bad) {
        mcp_refuse_params(a, g ? "/arguments" : "/name", g ? "an object of strings" : "a prompt of prompts/list");
        return;
    }
    struct text *body = &a->s->host->body;
    body->size = 0;
    body->full = false;
    env_write_guide(body, g,
                    &(struct env_guide){.agent_id = or_null(p.value[AGENT_ID]),
                                        .scenario = or_null(p.value[SCENARIO]),
                                        .seat = or_null(p.value[SEAT])});
    struct text *t = mcp_begin_result(a);
    json_begin_object(t);
    put_title(t, "description", "How to play ", g);
    text_put(t, SPAN(",\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":"));
    json_write_string(t, text_span(body));
    text_put(t, SPAN("}}]}"));
    mcp_end_result(a);
}

// --- completion/complete

struct complete_params {
    char type[32], name[MCP_MAX_URI]; // of the reference: a prompt's name or a template's uri
    char argument[MCP_MAX_NAME + 1], value[MAX_ARGUMENT];
    bool bad;
};

static void read_pair(struct json_reader *r, struct complete_params *p, bool reference)
{
    struct json_string key;
    if (json_peek(r) != JSON_OBJECT) {
        p->bad = true;
        json_skip(r);
        return;
    }
    for (json_enter_object(r); json_next_key(r, &key);) {
        if (reference && json_string_is(key, "type"))
            p->bad |= !mcp_read_text(r, p->type, sizeof p->type);
        else if (reference && (json_string_is(key, "name") || json_string_is(key, "uri")))
            p->bad |= !mcp_read_text(r, p->name, sizeof p->name);
        else if (!reference && json_string_is(key, "name"))
            p->bad |= !mcp_read_text(r, p->argument, sizeof p->argument);
        else if (!reference && json_string_is(key, "value"))
            p->bad |= !mcp_read_text(r, p->value, sizeof p->value);
        else
            json_skip(r);
    }
}

static void put_matches(struct text *t, const char *const *words, int most, const char *prefix)
{
    for (int i = 0; words[i] && i < most; i++)
        if (strncmp(words[i], prefix, strlen(prefix)) == 0)
            json_write_text(t, words[i]);
}

static void put_values(const struct mcp_request *a, struct text *t, const struct env_game *g,
                       const struct complete_params *p)
{
    static const char *const single[] = {"player", NULL};
    if (strcmp(p->argument, "agent_id") == 0 && a->s->env)
        env_complete_agents(a->s->env, span_of(p->value), t, MAX_VALUES);
    else if (g && strcmp(p->argument, "scenario") == 0)
        put_matches(t, g->game->scenarios, MAX_VALUES, p->value);
    else if (g && strcmp(p->argument, "seat") == 0) // G22.1
        put_matches(t, g->game->max_seats == 1 ? single : codec_seat_names, g->game->max_seats, p->value);
}

static bool is_template(const char *uri)
{
    for (const struct env_resource *r = env_resources; r->uri; r++)
        if (strchr(r->uri, '{') && strcmp(r->uri, uri) == 0)
            return true;
    return false;
}

void mcp_do_complete(const struct mcp_request *a)
{
    struct json_reader r;
    struct json_string key;
    struct complete_params p = {0};
    if (!mcp_enter_params(a, &r))
        return;
    while (json_next_key(&r, &key))
        if (json_string_is(key, "ref"))
            read_pair(&r, &p, true);
        else if (json_string_is(key, "argument"))
            read_pair(&r, &p, false);
        else
            json_skip(&r);
    bool prompt = strcmp(p.type, "ref/prompt") == 0;
    const struct env_game *g = prompt ? find_prompt(a->s, p.name) : NULL;
    bool known = g || (strcmp(p.type, "ref/resource") == 0 && is_template(p.name)) ||
                 (prompt && a->s->host->options.fixtures && mcp_fixture_is_prompt(p.name));
    if (p.bad || !known || !p.argument[0]) {
        mcp_refuse_params(a, known ? "/argument" : "/ref",
                          known ? "an object with the strings name and value" : "a prompt or a resource template");
        return;
    }
    struct text *t = mcp_begin_result(a);
    text_put(t, SPAN("{\"completion\":{\"values\":["));
    put_values(a, t, g, &p);
    text_put(t, SPAN("],\"hasMore\":false}}"));
    mcp_end_result(a);
}

// The environment of a game that does not describe one: spaces and actions as random games show them, texts of the
// codec.
#include "kit/inferred_schema.h"
#include "kit/kit.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TEXT = 1 << 16,
    SCENARIOS = 16,
    OPTIONS = 24,
    TICK_MS = 100,
    MAX_TICKS = 36000,
    DEALS = sizeof((struct env_facts *)NULL)->deals / sizeof(char *) - 1
};

// Storage of an environment. Lives as long as the program.
struct environment {
    struct env_facts kit;
    const struct game_kit *of;
    struct inferred_schema seen;
    const char *avatars[GAME_MAX_SEATS + 1];
    struct env_key keys[INFERRED_SCHEMA_KEYS + 1];
    struct env_action actions[INFERRED_SCHEMA_ACTIONS + 1];
    struct env_component rewards[GAME_MAX_REWARDS];
    struct env_scenario scenarios[SCENARIOS + 1];
    struct env_initial initial[OPTIONS + 1];
    struct env_random random[3];
    size_t used;
    char bytes[TEXT]; // all strings, separated by NULs
    struct environment *next;
};

// --- strings

static struct text begin_string(struct environment *e)
{
    return text_on(e->bytes + e->used, sizeof e->bytes - e->used);
}

static const char *end_string(struct environment *e, struct text *t)
{
    text_put_char(t, 0);
    if (t->full)
        abort(); // a game whose options alone fill 64 KiB
    e->used += t->size;
    return t->at;
}

static const char *store_text(struct environment *e, struct span s)
{
    struct text t = begin_string(e);
    text_put(&t, s);
    return end_string(e, &t);
}

static const char *format_text(struct environment *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *format_text(struct environment *e, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return store_text(e, span_of(line));
}

// --- observation

static const char *space_of(struct environment *e, const struct inferred_member *m)
{
    static const struct {
        int types; // set of enum json_type
        const char *space;
    } spaces[] = {{1 << JSON_INT | 1 << JSON_REAL, "\"type\":\"box\",\"shape\":[]"},
                  {1 << JSON_BOOL, "\"type\":\"discrete\",\"values\":[false,true]"},
                  {1 << JSON_STRING, "\"type\":\"text\""},
                  {1 << JSON_ARRAY, "\"type\":\"sequence\""},
                  {1 << JSON_OBJECT, "\"type\":\"dict\""}};
    const char *space = "\"type\":\"any\""; // for several types, or always null
    for (int i = 0; i < 5; i++)
        if ((m->types & ~(1 << JSON_NULL)) && !(m->types & ~(spaces[i].types | 1 << JSON_NULL)))
            space = spaces[i].space;
    return format_text(e, "{%s%s}", space, m->types >> JSON_NULL & 1 ? ",\"nullable\":true" : "");
}

static void make_keys(struct environment *e)
{
    for (int i = 0; i < e->seen.key_count; i++) {
        const struct inferred_member *m = &e->seen.keys[i];
        e->keys[i] = (struct env_key){m->name, space_of(e, m)};
        if (m->own && !e->kit.own_key)
            e->kit.own_key = m->name;
    }
    e->kit.keys = e->keys;
}

// --- actions

// The example without the parameter `left_out` (NULL: complete).
struct example {
    struct text *out;
    const char *left_out;
};

static void put_param(void *owner, struct span name, struct span value)
{
    struct example *x = owner;
    if (x->left_out && span_is(name, x->left_out))
        return;
    text_puts(x->out, x->out->at[x->out->size - 1] == '{' ? "\"" : ",\"");
    text_put(x->out, name);
    text_puts(x->out, "\":");
    text_put(x->out, value);
}

// A parameter is required if the codec does not accept the example without it.
static bool is_required(const struct codec *c, const struct inferred_action *a, struct span params, const char *name)
{
    char bytes[1024];
    struct text rest = text_on(bytes, sizeof bytes);
    struct codec_table names = {.seat = codec_seat_names, .seats = a->seats};
    struct game_action read = {.kind = a->example.kind};
    struct example x = {&rest, name};
    text_put_char(&rest, '{');
    inferred_schema_visit_members(params, put_param, &x);
    text_put_char(&rest, '}');
    struct json_reader r = json_reader_of(text_span(&rest), 8);
    return codec_read_params(c, &r, &names, &read) != OK || r.error;
}

static void put_types(struct text *t, uint16_t types)
{
    static const char *const names[] = {NULL,     "null",   "boolean", "integer",
                                        "number", "string", "array",   "object"}; // names of enum json_type
    json_begin_array_at(t, "type");
    for (int i = JSON_NULL; i <= JSON_OBJECT; i++)
        if (types >> i & 1)
            json_write_text(t, names[i]);
    json_end_array(t);
}

static const char *make_params(struct environment *e, const struct inferred_action *a)
{
    struct text t = begin_string(e);
    json_begin_object(&t);
    for (int i = 0; i < a->count; i++) {
        json_begin_object_at(&t, a->params[i].name);
        put_types(&t, a->params[i].types);
        json_end_object(&t);
    }
    json_end_object(&t);
    return end_string(e, &t);
}

static const char *make_required(struct environment *e, const struct inferred_action *a, struct span example)
{
    struct text t = begin_string(e);
    json_begin_array(&t);
    for (int i = 0; i < a->count; i++)
        if (is_required(e->of->codec, a, example, a->params[i].name))
            json_write_text(&t, a->params[i].name);
    json_end_array(&t);
    return end_string(e, &t);
}

static const char *describe(struct environment *e, const struct inferred_action *a)
{
    struct codec_table names = {.seat = codec_seat_names, .seats = a->seats};
    struct text t = begin_string(e);
    text_puts(&t, "Offered in available_actions when it is legal");
    if (a->example.kind) {
        text_puts(&t, "; for example: ");
        codec_describe_action(e->of->codec, &t, &names, a->example);
    }
    text_puts(&t, ".");
    return end_string(e, &t);
}

static void make_action(struct environment *e, int i)
{
    const struct inferred_action *a = &e->seen.actions[i];
    struct codec_table names = {.seat = codec_seat_names, .seats = a->seats};
    struct text t = begin_string(e);
    json_begin_object(&t);
    if (a->example.kind)
        codec_write_params(e->of->codec, &t, &names, a->example);
    json_end_object(&t);
    const char *example = end_string(e, &t);
    e->actions[i] = (struct env_action){.name = a->row->type,
                                        .description = describe(e, a),
                                        .params = make_params(e, a),
                                        .required = make_required(e, a, span_of(example)),
                                        .example = example,
                                        .command = ENV_DO_MOVE};
}

// --- rewards, scenarios, options

// Random games do not show the largest possible reward: takes ten times what was seen, at least one.
static void make_rewards(struct environment *e)
{
    for (int i = 0; i < GAME_MAX_REWARDS && e->of->game->rewarded[i]; i++) {
        double range = e->seen.most[i] * 10 > 1 ? e->seen.most[i] * 10 : 1;
        e->rewards[i] = (struct env_component){format_text(e, "%s, as the game counts it", e->of->game->rewarded[i]),
                                               -range, range};
    }
    e->kit.rewards = e->rewards;
}

static struct text write_rules(const struct codec *c, const void *rules, char room[], size_t size)
{
    struct text t = text_on(room, size);
    json_begin_object(&t);
    c->write_rules(&t, rules);
    json_end_object(&t);
    return t;
}

// Members of a scenario's rules that differ from the defaults.
struct changes {
    struct text *out;
    struct span usual;
};

struct search {
    struct span name, value;
};

static void find_value(void *owner, struct span name, struct span value)
{
    struct search *s = owner;
    if (name.size == s->name.size && memcmp(name.at, s->name.at, name.size) == 0)
        s->value = value;
}

static void put_change(void *owner, struct span name, struct span value)
{
    struct changes *c = owner;
    struct search s = {.name = name};
    inferred_schema_visit_members(c->usual, find_value, &s);
    if (s.value.size == value.size && memcmp(s.value.at, value.at, value.size) == 0)
        return;
    text_puts(c->out, ",\"");
    text_put(c->out, name);
    text_puts(c->out, "\":");
    text_put(c->out, value);
}

static void make_scenario(struct environment *e, int i, struct span usual)
{
    const struct game *g = e->of->game;
    char bytes[4096];
    union game_rules rules;
    g->defaults(&rules);
    int seats = g->scenario(&rules, i);
    struct text own = write_rules(e->of->codec, &rules, bytes, sizeof bytes);
    struct text t = begin_string(e);
    struct changes c = {&t, usual};
    text_puts(&t, "{\"seats\":");
    text_put_int(&t, seats);
    inferred_schema_visit_members(text_span(&own), put_change, &c);
    text_put_char(&t, '}');
    const char *config = end_string(e, &t);
    e->scenarios[i] = (struct env_scenario){
        g->scenarios[i],
        format_text(e, "%d %s%s", seats, seats == 1 ? "seat" : "seats", strchr(config, ',') ? ", other rules." : "."),
        config};
}

// An option whose default is a list or null may determine the deal, so a client that sets it knows hidden information.
static void add_option(void *owner, struct span name, struct span value)
{
    struct environment *e = owner;
    int i = 0, deals = 0;
    while (e->initial[i].key)
        i++;
    if (i == OPTIONS)
        return;
    size_t shown = value.size < 60 ? value.size : 60;
    e->initial[i] =
        (struct env_initial){store_text(e, name), format_text(e, "a value in place of %.*s", (int)shown, value.at)};
    while (e->kit.deals[deals])
        deals++;
    enum json_type type = inferred_schema_type(value);
    if ((type == JSON_NULL || type == JSON_ARRAY) && deals < DEALS)
        e->kit.deals[deals] = e->initial[i].key;
}

static void make_options(struct environment *e)
{
    const struct game *g = e->of->game;
    char bytes[4096];
    union game_rules rules;
    int randoms = 0;
    g->defaults(&rules);
    struct text usual = write_rules(e->of->codec, &rules, bytes, sizeof bytes);
    if (g->min_seats < g->max_seats) {
        e->initial[0] = (struct env_initial){"seats", format_text(e, "%d to %d", g->min_seats, g->max_seats)};
        e->random[randoms++] = (struct env_random){"seats", ENV_DRAW_SEATS, g->min_seats, g->max_seats};
    }
    e->random[randoms] = (struct env_random){"bot_level", ENV_DRAW_LEVEL, 0, 3};
    inferred_schema_visit_members(text_span(&usual), add_option, e);
    for (int i = 0; i < SCENARIOS && g->scenarios[i]; i++)
        make_scenario(e, i, text_span(&usual));
    e->kit.initial = e->initial;
    e->kit.random = e->random;
    e->kit.scenarios = e->scenarios;
}

// --- the whole environment

static void make_guide(struct environment *e)
{
    const struct game *g = e->of->game;
    for (int i = 0; i < g->max_seats; i++)
        e->avatars[i] = codec_seat_names[i];
    e->kit.avatars = e->avatars;
    e->kit.goal = e->of->codec->summary;
    e->kit.setting =
        g->max_seats == 1
            ? "One seat, `seat_0`."
            : format_text(e, "%d to %d seats, `seat_0` to `%s`; seats without an agent are played by house bots.",
                          g->min_seats, g->max_seats, codec_seat_names[g->max_seats - 1]);
    e->kit.hidden = e->kit.own_key ? format_text(e, "`%s` of the others.", e->kit.own_key) : "Nothing.";
    e->kit.turn =
        "When `your_turn` is true choose one of available_actions. Where an item has a range, any amount within "
        "it is legal too.";
    e->kit.end = "The game is over (success for whoever gets the most).";
}

static struct environment *make_environment(const struct game_kit *k)
{
    struct environment *e = calloc(1, sizeof *e);
    if (!e)
        abort();
    const struct game *g = k->game;
    uint16_t tick_ms = g->tick_ms ? g->tick_ms : TICK_MS;
    e->of = k;
    e->kit = (struct env_facts){.types = 1 << ENV_ENTITY | 1 << ENV_MASTER | 1 << ENV_DIALOGUE | 1 << ENV_COMBAT,
                                .tick_ms = tick_ms,
                                .tick_rate = (uint16_t)(1000 / tick_ms),
                                .max_ticks = MAX_TICKS,
                                .flat = e->seen.flat,
                                .actions = e->actions,
                                .in_play = dialect_of(k)->is_in_play};
    inferred_schema_of_game(k->codec, &e->seen);
    make_keys(e);
    for (int i = 0; i < e->seen.action_count; i++)
        make_action(e, i);
    make_rewards(e);
    make_options(e);
    make_guide(e);
    return e;
}

const struct env_facts *kit_environment(const struct game_kit *k)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    static struct environment *made;
    if (k->environment)
        return k->environment;
    pthread_mutex_lock(&one_at_a_time);
    struct environment *e = made;
    while (e && e->of != k)
        e = e->next;
    if (!e) {
        e = make_environment(k);
        e->next = made;
        made = e;
    }
    pthread_mutex_unlock(&one_at_a_time);
    return &e->kit;
}

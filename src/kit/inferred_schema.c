#include "kit/inferred_schema.h"

#include "bots/bot.h"

enum { GAMES = 24, QUIET = 4, STEPS = 300, VIEW_ROOM = 1 << 15, DEPTH = 32 };

// One random game in progress.
struct course {
    const struct codec *codec;
    struct inferred_schema *out;
    union game_state state;
    int seats;
    struct rng dice;
    struct game_events events;
};

// --- JSON

void inferred_schema_visit_members(struct span object, void (*found)(void *owner, struct span name, struct span value),
                                   void *owner)
{
    struct json_reader r = json_reader_of(object, DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if (!r.error)
            found(owner, key.raw, value);
    }
}

enum json_type inferred_schema_type(struct span value)
{
    struct json_reader r = json_reader_of(value, DEPTH);
    return json_peek(&r);
}

// A list of members being collected, in order.
struct members {
    struct inferred_member *at;
    int *count;
    int room, next; // where a new name goes
};

// Returns NULL if there is no room.
static struct inferred_member *take_member(struct members *m, struct span name, struct span value)
{
    int i = 0;
    while (i < *m->count && !span_is(name, m->at[i].name))
        i++;
    if (i == *m->count) {
        if (*m->count == m->room || name.size >= INFERRED_SCHEMA_NAME)
            return NULL;
        i = m->next;
        memmove(&m->at[i + 1], &m->at[i], (size_t)(*m->count - i) * sizeof m->at[0]);
        m->at[i] = (struct inferred_member){0};
        memcpy(m->at[i].name, name.at, name.size);
        ++*m->count;
    }
    m->at[i].types = (uint16_t)(m->at[i].types | 1 << inferred_schema_type(value));
    m->next = i + 1;
    return &m->at[i];
}

static void note_member(void *owner, struct span name, struct span value)
{
    take_member(owner, name, value);
}

// --- views

static struct text write_view(struct course *c, int viewer, char room[VIEW_ROOM])
{
    union game_view view;
    struct codec_table names = {.seat = codec_seat_names, .seats = c->seats, .viewer = viewer};
    struct text t = text_on(room, VIEW_ROOM);
    c->codec->game->view(&c->state, viewer, &view);
    json_begin_object(&t);
    c->codec->write_view(&t, &names, &view);
    json_end_object(&t);
    return t;
}

// A view being read: everybody's first, then a seat's.
struct shown {
    struct members members;
    bool by_seat;
};

static void note_key(void *owner, struct span name, struct span value)
{
    struct shown *v = owner;
    struct inferred_member *key = take_member(&v->members, name, value);
    if (!key || span_is(value, "null") || span_is(value, "[]"))
        return;
    key->open |= !v->by_seat;
    key->own |= !key->open;
}

static void note_views(struct course *c)
{
    static char room[VIEW_ROOM];
    struct inferred_schema *out = c->out;
    for (int seat = -1; seat < c->seats; seat++) {
        struct text view = write_view(c, seat < 0 ? GAME_SPECTATOR : seat, room);
        struct shown v = {{out->keys, &out->key_count, INFERRED_SCHEMA_KEYS, 0}, seat >= 0};
        inferred_schema_visit_members(text_span(&view), note_key, &v);
    }
    for (int i = 0; i < out->key_count; i++)
        out->keys[i].open = false;
}

// --- actions

static struct inferred_action *find_action(struct inferred_schema *out, const struct codec *codec, uint8_t kind)
{
    const struct codec_action *row = codec_find_kind(codec, kind, false);
    for (int i = 0; row && i < out->action_count; i++)
        if (strcmp(out->actions[i].row->type, row->type) == 0)
            return &out->actions[i];
    return NULL;
}

static void note_action(struct course *c, int seat, struct game_action a)
{
    struct inferred_action *s = find_action(c->out, c->codec, a.kind);
    struct codec_table names = {.seat = codec_seat_names, .seats = c->seats, .viewer = seat};
    char bytes[1024];
    struct text t = text_on(bytes, sizeof bytes);
    if (!s)
        return;
    if (!s->example.kind) {
        s->example = a;
        s->seats = c->seats;
    }
    json_begin_object(&t);
    codec_write_params(c->codec, &t, &names, a);
    json_end_object(&t);
    struct members m = {s->params, &s->count, INFERRED_SCHEMA_PARAMS, 0};
    inferred_schema_visit_members(text_span(&t), note_member, &m);
}

static void note_numbers(struct course *c, int seat)
{
    const struct game *g = c->codec->game;
    struct game_action a;
    for (int i = 1; i < (int)g->flat_size; i++) {
        struct env_flat *f = &c->out->flat[i];
        if (!g->flat(&c->state, seat, i, &a))
            continue;
        if (!f->action.kind)
            *f = (struct env_flat){a, true};
        else
            f->fixed &= game_same_action(f->action, a);
    }
}

static void note_rewards(struct course *c)
{
    const struct game *g = c->codec->game;
    struct game_rewards r = {0};
    g->rewards(&c->state, &c->events, &r);
    for (int seat = 0; seat < c->seats; seat++)
        for (int i = 0; i < GAME_MAX_REWARDS && g->rewarded[i]; i++) {
            double amount = (double)r.at[seat][i];
            amount = amount < 0 ? -amount : amount;
            c->out->most[i] = amount > c->out->most[i] ? amount : c->out->most[i];
        }
}

// --- games

static bool step_game(struct course *c)
{
    const struct game *g = c->codec->game;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct game_turn turn = g->turn(&c->state);
    if (turn.kind == TURN_OVER)
        return false;
    int seat = __builtin_ctz(turn.seats), count = g->choices(&c->state, seat, choices);
    if (count == 0)
        return false;
    for (int i = 0; i < count; i++)
        note_action(c, seat, choices[i].first);
    note_numbers(c, seat);
    c->events.count = c->events.ticks = 0;
    if (g->apply(&c->state, seat, bot_pick_uniform(choices, count, &c->dice), &c->events) != OK)
        return false;
    if (g->tick)
        g->tick(&c->state, &c->events);
    note_rewards(c);
    return true;
}

static void play_game(struct course *c, int scenario, uint32_t number)
{
    const struct game *g = c->codec->game;
    union game_rules rules;
    g->defaults(&rules);
    c->seats = g->scenario(&rules, scenario);
    c->dice = (struct rng){.key = {number, 2}};
    if (g->init(&c->state, &rules, c->seats, (struct rng){.key = {number, 1}}, NULL) != OK)
        return;
    note_views(c);
    for (int i = 0; i < STEPS && step_game(c); i++)
        if (i % 8 == 0)
            note_views(c);
    note_views(c);
}

// A starting server waits for this, so a scenario ends when several games in a row have shown nothing new.
static void play_scenario(struct course *c, int scenario)
{
    static struct inferred_schema before;
    int quiet = 0;
    for (uint32_t i = 1; i <= GAMES && quiet < QUIET; i++) {
        before = *c->out;
        play_game(c, scenario, i);
        // NOLINTNEXTLINE: a hole that differed would cost one more game, nothing else
        quiet = memcmp(&before, c->out, sizeof before) == 0 ? quiet + 1 : 0;
    }
}

void inferred_schema_of_game(const struct codec *codec, struct inferred_schema *out)
{
    static struct course c;
    c = (struct course){.codec = codec, .out = out};
    *out = (struct inferred_schema){0};
    for (const struct codec_action *row = codec->actions; row->type && out->action_count < INFERRED_SCHEMA_ACTIONS;
         row++)
        if (!row->master && !find_action(out, codec, row->kind))
            out->actions[out->action_count++].row = row;
    for (int scenario = 0; codec->game->scenarios[scenario]; scenario++)
        play_scenario(&c, scenario);
}

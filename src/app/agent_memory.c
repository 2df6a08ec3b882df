#include "app/agent_memory.h"

#include "app/app.h"
#include "app/arena_event.h"
#include "bots/minds.h"
#include "heap/heap.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32, MOST_EVENTS = 256 }; // that are passed to the mind at once

struct agent_memory {
    const struct game_kit *game;
    const struct bot *bot;
    union game_rules rules;
    char match[ACTION_REQUEST_ID + 1]; // "": none
    uint64_t seen;                     // events up to this number were taken
    struct text json, words;           // of one event
    struct game_event events[MOST_EVENTS];
    uint32_t count;
    _Alignas(8) uint8_t mind[BOT_MAX_MIND];
};

// --- rules

static void read_config(const struct codec *c, struct span config, void *rules)
{
    struct json_reader r = json_reader_of(config, DEPTH);
    struct json_string key;
    if (!config.at || json_peek(&r) != JSON_OBJECT)
        return;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct json_reader value = json_reader_of(json_read_raw(&r), DEPTH);
        union game_rules before;
        memcpy(&before, rules, c->game->rules_size);
        if (c->read_rule(&value, key, rules) && json_finish(&value) != OK)
            memcpy(rules, &before, c->game->rules_size);
    }
}

void agent_read_rules(const struct game_kit *game, struct span data, union game_rules *rules)
{
    const struct arena_dialect *d = dialect_of(game);
    game->game->defaults(rules);
    if (d->set_rules)
        d->set_rules(rules, false, false);
    if (data.size)
        read_config(game->codec, json_member(data, "config"), rules);
}

// --- life

struct agent_memory *agent_memory_open(const struct game_kit *game, const struct bot *bot)
{
    if (!bot || !bot->mind_size)
        return NULL;
    struct agent_memory *m = calloc(1, sizeof *m);
    if (!m)
        app_die("no memory");
    m->game = game;
    m->bot = bot;
    m->json.grow = m->words.grow = heap_text_grow;
    agent_read_rules(game, (struct span){0}, &m->rules);
    return m;
}

void agent_memory_close(struct agent_memory *m)
{
    if (!m)
        return;
    free(m->json.at);
    free(m->words.at);
    free(m);
}

void agent_memory_start(struct agent_memory *m, struct span data)
{
    if (!m)
        return;
    agent_read_rules(m->game, data, &m->rules);
    m->match[0] = 0;
}

const void *agent_memory_mind(const struct agent_memory *m)
{
    return m ? m->mind : NULL;
}

// --- what happened

static void observe_events(struct agent_memory *m, const struct action_request *t)
{
    m->bot->observe(m->mind, &(struct bot_news){m->game->game, t->seat, t->seats, m->events, m->count, 0, &t->view});
    m->count = 0;
}

// Translates an event to the neutral form and lets the codec read it back. Events without meaning for a memory are
// ignored.
static void add_event(struct agent_memory *m, const struct action_request *t, struct span event)
{
    struct codec_table table = {.seat = codec_seat_names, .seats = t->seats, .viewer = t->seat};
    m->json.size = m->words.size = 0;
    if (!m->game->codec->read_event || !arena_event_translate(&m->json, &m->words, event))
        return;
    if (m->count == MOST_EVENTS)
        observe_events(m, t);
    m->events[m->count] = (struct game_event){0};
    struct json_reader r = json_reader_of(text_span(&m->json), DEPTH);
    m->count += m->game->codec->read_event(&r, &table, &m->events[m->count]);
}

// Takes every event once, even if the whole history comes again after a reconnect (F4.20).
static void add_events(struct agent_memory *m, const struct action_request *t, struct span list)
{
    struct json_reader r = json_reader_of(list, DEPTH);
    if (!list.at || json_peek(&r) != JSON_ARRAY)
        return;
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span event = json_read_raw(&r);
        uint64_t seq = arena_event_number(event);
        if (seq == UINT64_MAX || seq < m->seen)
            continue;
        m->seen = seq + 1;
        add_event(m, t, event);
    }
}

void agent_memory_update(struct agent_memory *m, const struct action_request *t, struct span data)
{
    if (!m)
        return;
    if (strcmp(m->match, t->match) != 0) {
        memcpy(m->match, t->match, sizeof m->match);
        m->seen = m->count = 0;
        mind_begin(m->bot, m->mind, m->game->game, &m->rules, t->seat, t->seats);
    }
    add_events(m, t, json_member(data, "event_history"));
    add_events(m, t, json_member(data, "new_events"));
    observe_events(m, t);
}

// The standard events that shared sessions broadcast (G16.5), derived from the games' own events.
#include "env/broadcast.h"
#include "env/advance.h"
#include "env/host.h"
#include "env/schema.h"

#include <stdlib.h>

static bool sees_type(const struct env_conn *c, const struct env_table *t, unsigned visible)
{
    for (struct env_agent *a = t->group->agents; a; a = a->next)
        if (a->conn == c && a->table == t && visible >> a->type & 1)
            return true;
    return false;
}

void env_broadcast(struct env_table *t, const char *type, unsigned visible, struct span details)
{
    if (!t->group->shared)
        return;
    char *copy = malloc(details.size + 512);
    if (!copy)
        abort();
    struct text s = text_on(copy, details.size + 512);
    json_begin_object(&s);
    json_put_text(&s, "event_type", type);
    json_put_uint(&s, "tick", t->tick);
    json_put_raw(&s, "details", details);
    json_begin_array_at(&s, "visibility");
    for (int i = 0; i < ENV_TYPES; i++)
        if (visible >> i & 1)
            json_write_text(&s, env_type_names[i]);
    json_end_array(&s);
    json_end_object(&s);
    for (struct env_conn *c = t->group->env->conns; c; c = c->next)
        if (c->group == t->group && !c->gone && c->hooks->on_notify && sees_type(c, t, visible))
            c->hooks->on_notify(c->owner, "notifications/event", text_span(&s));
    free(copy);
}

// A game's event being translated to a standard one.
struct standard_event {
    struct env_table *table;
    const struct env_standard_event *row;
    struct span event; // as spectators see it
    struct text text;  // its details
};

static void begin_event(struct standard_event *t)
{
    t->text.size = 0;
    json_begin_object(&t->text);
}

static void end_event(struct standard_event *t)
{
    json_end_object(&t->text);
    if (!t->text.full)
        env_broadcast(t->table, t->row->standard, t->row->visible, text_span(&t->text));
}

// The member of the event; else the only player, or the table.
static void put_entity(struct standard_event *t)
{
    struct span who;
    json_key(&t->text, "entity_id");
    if (t->row->who && json_find_member(t->event, t->row->who, &who) && env_json_is(who, JSON_STRING))
        json_write_raw(&t->text, who);
    else
        json_write_text(&t->text, t->table->row->game->max_seats == 1 ? t->table->kit->avatars[0] : "table");
}

static int seat_of(const struct standard_event *t)
{
    struct span who;
    char name[32] = "";
    if (t->table->row->game->max_seats == 1)
        return 0;
    if (t->row->who && json_find_member(t->event, t->row->who, &who) && env_json_is(who, JSON_STRING))
        json_string_copy(env_json_string(who), name, sizeof name);
    return env_seat_of_name(t->table->kit, name);
}

static void put_amount(struct standard_event *t)
{
    struct span count = SPAN("1");
    if (t->row->count)
        json_find_member(t->event, t->row->count, &count);
    json_put_raw(&t->text, "amount", count);
}

static void describe_death(struct standard_event *t)
{
    int seat = seat_of(t);
    bool killed = seat >= 0 && t->table->killed & SEAT(seat);
    begin_event(t);
    put_entity(t);
    json_put_text(&t->text, "cause", killed ? "killed" : t->row->what);
    if (killed)
        json_put_text(&t->text, "killer", "overseer");
    if (seat >= 0) {
        json_key(&t->text, "location");
        env_write_location(&t->text, t->table, seat);
    }
    end_event(t);
}

static void describe_quest(struct standard_event *t)
{
    begin_event(t);
    put_entity(t);
    json_put_text(&t->text, "quest", t->row->what);
    end_event(t);
}

static void describe_team_quest(struct standard_event *t) // both partners have won
{
    struct span team = SPAN("0");
    json_find_member(t->event, "team", &team);
    for (int s = 0; s < t->table->match.seats; s++) {
        if (s % 2 != env_json_int(team) - 1)
            continue;
        begin_event(t);
        json_put_text(&t->text, "entity_id", t->table->kit->avatars[s]);
        json_put_text(&t->text, "quest", t->row->what);
        end_event(t);
    }
}

// G24.7: a game may end because its goal is reached.
static void describe_end(struct standard_event *t)
{
    struct span cause;
    if (json_find_member(t->event, "cause", &cause) && json_string_is(env_json_string(cause), "goal")) {
        struct env_standard_event quest = *t->row;
        quest.standard = "quest_completed";
        quest.visible = ENV_TO_MASTER;
        quest.what = t->table->scenario_name;
        struct standard_event one = *t;
        one.row = &quest;
        describe_quest(&one);
        t->text = one.text;
        return;
    }
    describe_death(t);
}

static void put_in_play(struct standard_event *t)
{
    union game_view view;
    const struct env_table *table = t->table;
    table->row->game->view(&table->match.state, GAME_SPECTATOR, &view);
    for (int s = 0; s < table->match.seats; s++)
        if (env_facts_in_play(table->kit, &view, s))
            json_write_text(&t->text, table->kit->avatars[s]);
}

static void describe_fight(struct standard_event *t)
{
    struct span member;
    char id[64];
    struct text name = text_on(id, sizeof id - 1);
    text_puts(&name, t->row->what);
    if (t->row->count && json_find_member(t->event, t->row->count, &member)) {
        text_put_char(&name, '-');
        text_put(&name, member);
    }
    id[name.size] = 0;
    begin_event(t);
    json_put_text(&t->text, "id", id);
    json_begin_array_at(&t->text, "participants");
    for (int i = 0; i < 2 && t->row->others[i]; i++)
        if (json_find_member(t->event, t->row->others[i], &member))
            json_write_raw(&t->text, member);
    if (!t->row->others[0])
        put_in_play(t);
    json_end_array(&t->text);
    json_key(&t->text, "result");
    if (strcmp(t->row->standard, "combat_ended") == 0)
        json_write_raw(&t->text, t->event);
    else
        json_write_null(&t->text);
    end_event(t);
}

static void describe_damage(struct standard_event *t)
{
    begin_event(t);
    put_entity(t);
    put_amount(t);
    json_put_text(&t->text, "source", t->row->what);
    end_event(t);
}

static void describe_item(struct standard_event *t)
{
    begin_event(t);
    put_entity(t);
    json_put_text(&t->text, "item", t->row->what);
    put_amount(t);
    end_event(t);
}

static void describe_payouts(struct standard_event *t) // of a pot, which several may share
{
    struct span payouts = SPAN("{}");
    struct json_string seat;
    json_find_member(t->event, "payouts", &payouts);
    struct json_reader r = json_reader_of(payouts, 4);
    for (json_enter_object(&r); json_next_key(&r, &seat);) {
        begin_event(t);
        json_put_string(&t->text, "entity_id", seat.raw);
        json_put_text(&t->text, "item", t->row->what);
        json_put_int(&t->text, "amount", json_read_int(&r, INT64_MIN, INT64_MAX));
        end_event(t);
    }
}

static void describe_spawn(struct standard_event *t)
{
    begin_event(t);
    json_put_text(&t->text, "entity_id", t->row->what);
    json_put_text(&t->text, "entity_type", t->row->what);
    json_put_raw(&t->text, "location", span_of(t->row->location));
    json_put_text(&t->text, "spawned_by", t->table->scenario_name);
    end_event(t);
}

static void (*const forms[ENV_EVENT_FORMS])(struct standard_event *t) = {
    [ENV_EVENT_DEATH] = describe_death, [ENV_EVENT_END] = describe_end,
    [ENV_EVENT_QUEST] = describe_quest, [ENV_EVENT_TEAM_QUEST] = describe_team_quest,
    [ENV_EVENT_FIGHT] = describe_fight, [ENV_EVENT_DAMAGE] = describe_damage,
    [ENV_EVENT_ITEM] = describe_item,   [ENV_EVENT_PAYOUTS] = describe_payouts,
    [ENV_EVENT_SPAWN] = describe_spawn,
};

// Events that mean the same in every game that has them. A game's own are in its environment.
static const struct env_standard_event common[] = {
    {"player_eliminated", "entity_died", ENV_EVENT_DEATH, ENV_TO_BOTH, .who = "seat", .what = "eliminated"},
    {"player_disconnected", "entity_died", ENV_EVENT_DEATH, ENV_TO_BOTH, .who = "seat", .what = "forfeited"},
    {"match_result", "quest_completed", ENV_EVENT_QUEST, ENV_TO_MASTER, .who = "winner", .what = "match"},
    {"new_hand", "combat_started", ENV_EVENT_FIGHT, ENV_TO_BOTH, .what = "hand", .count = "hand_num"},
    {"hand_result", "combat_ended", ENV_EVENT_FIGHT, ENV_TO_BOTH, .what = "hand", .count = "hand"},
    {"round_start", "combat_started", ENV_EVENT_FIGHT, ENV_TO_BOTH, .what = "round", .count = "round"},
    {0},
};

static void broadcast_standard(struct standard_event *t, const struct env_standard_event *rows, const char *type)
{
    for (t->row = rows; t->row && t->row->event; t->row++)
        if (strcmp(t->row->event, type) == 0)
            forms[t->row->form](t);
}

void env_broadcast_event(struct env_table *t, const struct game_event *e, int parts)
{
    struct codec_table names = env_codec_table(t, GAME_SPECTATOR);
    const char *type = t->row->codec->event_types[e->kind];
    struct text *s = &t->group->env->scratch;
    if (!t->group->shared || !(e->to & SEAT(GAME_SPECTATOR)))
        return;
    s->size = 0;
    json_begin_object(s);
    t->row->codec->write_event(s, &names, e, parts > 1 ? 1 : parts);
    json_end_object(s);
    struct standard_event one = {.table = t, .event = text_span(s), .text = {.grow = env_text_grow}};
    broadcast_standard(&one, common, type);
    broadcast_standard(&one, t->kit->events, type);
    free(one.text.at);
}

// Broadcasts who holds the seat now.
void env_broadcast_seat(struct env_table *t, int seat, const char *by)
{
    char bytes[ENV_ID_ROOM + 256];
    struct text s = text_on(bytes, sizeof bytes);
    const struct env_agent *a = env_agent_at(t, seat);
    bool agent = a && a->state == ENV_ACTIVE;
    if (!t->group->shared || !t->running)
        return;
    json_begin_object(&s);
    json_put_text(&s, "entity_id", t->kit->avatars[seat]);
    json_put_text(&s, "entity_type", agent ? "agent" : "house_bot");
    json_key(&s, "location");
    env_write_location(&s, t, seat);
    json_put_text(&s, "spawned_by", by ? by : agent ? a->id : "house");
    json_end_object(&s);
    if (!s.full)
        env_broadcast(t, "entity_spawned", ENV_TO_WORLD, text_span(&s));
}

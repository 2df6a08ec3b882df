// Talk between agents, and the standard events that shared sessions broadcast (G16).
#include "front/mcp/rl_inside.h"

#include <stdlib.h>

enum { TALK_PER_SECOND = 20, CONTENT_MOST = 8192 };

static enum rl_talk talk_of(const struct rl_group *g)
{
    static const char *const words[] = {"free", "public", "off", NULL};
    for (int i = 0; g->rl->o.table_talk && words[i]; i++)
        if (strcmp(words[i], g->rl->o.table_talk) == 0)
            return (enum rl_talk)i;
    return g->shared ? RL_TALK_PUBLIC : RL_TALK_FREE;
}

bool rl_is_addressed(const struct rl_agent *a, struct json_string to)
{
    if (json_string_is(to, "*") || json_string_is(to, a->id))
        return true;
    return a->seat >= 0 && json_string_is(to, a->table->kit->avatars[a->seat]);
}

static bool is_dealt(const struct rl_table *t)
{
    return t->row->game->teams && t->running; // a belote match is one deal after the other
}

bool rl_may_talk(struct rl *rl, struct rl_agent *a, bool to_all, struct rl_result *r)
{
    enum rl_talk talk = talk_of(a->table->group);
    if (talk == RL_TALK_OFF || (talk == RL_TALK_PUBLIC && (!to_all || is_dealt(a->table)))) {
        *r = rl_refuse(rl, -32001, "InvalidAction",
                       talk == RL_TALK_OFF ? "There is no table talk here."
                                           : "Only messages to all are allowed here, and none during a deal.");
        rl_refusal_put(rl, r, "agent_id", a->id);
        rl_refusal_put(rl, r, "reason", "talk");
        return false;
    }
    if (rl->now_us - a->talk_us < 1000000 && a->talked >= TALK_PER_SECOND) {
        *r = rl_refuse(rl, -32004, "RateLimited", "This agent talks too much; wait a second.");
        rl_refusal_int(rl, r, "limit", TALK_PER_SECOND);
        rl_refusal_int(rl, r, "retry_after_ms", (1000000 - (rl->now_us - a->talk_us)) / 1000 + 1);
        return false;
    }
    return true;
}

void rl_count_talk(struct rl_agent *a)
{
    int64_t now = a->table->group->rl->now_us;
    if (now - a->talk_us >= 1000000) {
        a->talk_us = now;
        a->talked = 0;
    }
    a->talked++;
}

// --- speech of DialogueAgents (G23.6)

static void keep_line(struct rl_table *t, struct span line)
{
    if (t->conversation_count == RL_TALK) {
        free(t->conversation[0]);
        memmove(t->conversation, t->conversation + 1, (RL_TALK - 1) * sizeof *t->conversation);
        t->conversation_count--;
    }
    char *copy = malloc(line.size + 1);
    if (!copy)
        abort();
    memcpy(copy, line.at, line.size);
    copy[line.size] = 0;
    t->conversation[t->conversation_count++] = copy;
}

void rl_speak(struct rl_agent *a, const char *type, const char *key, struct span text, struct span to)
{
    struct rl_table *t = a->table;
    struct text *s = &t->group->rl->scratch;
    bool all = !to.size || json_string_is(rl_json_string(to), "*");
    rl_count_talk(a);
    s->size = 0;
    json_begin_object(s);
    json_put_text(s, "from", a->id);
    json_put_text(s, "seat", a->seat >= 0 ? t->kit->avatars[a->seat] : NULL);
    json_key(s, key);
    json_write_raw(s, text);
    json_key(s, "to");
    json_write_raw(s, all ? SPAN("\"*\"") : to);
    json_end_object(s);
    for (struct rl_agent *b = t->group->agents; b; b = b->next)
        if (b->table == t && b != a && (all || rl_is_addressed(b, rl_json_string(to)))) {
            rl_news_add(b, type, t->tick, 1, text_span(s));
            b->woken = true;
        }
    if (all)
        keep_line(t, text_span(s));
}

// --- send_message

static void deliver(struct rl_agent *from, struct rl_agent *to, struct span channel, struct span content, uint64_t id)
{
    if (to->news.messages >= RL_NEWS)
        return; // its reader is far behind
    rl_news_begin(to, "message", to->table->tick, 1);
    struct text *t = &to->news.text;
    json_put_text(t, "from_agent", from->id);
    json_key(t, "channel");
    json_write_raw(t, channel);
    json_key(t, "content");
    json_write_raw(t, content);
    json_put_uint(t, "message_id", id);
    rl_news_end(to);
    to->news.messages++;
    to->woken = true;
}

static bool check_recipient(struct rl_conn *c, struct span to, bool all, struct rl_result *r)
{
    char name[RL_ID_ROOM] = "";
    if (all || rl_find_agent(c->group, rl_json_string(to)))
        return true;
    json_string_copy(rl_json_string(to), name, sizeof name);
    *r = rl_refuse_say(c->rl, -32000, "AgentNotRegistered", "There is no agent %s to receive this.", name);
    rl_refusal_put(c->rl, r, "agent_id", name);
    rl_refusal_put(c->rl, r, "reason", "unknown");
    return false;
}

bool rl_message(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r)
{
    struct span id = {0}, to = {0}, channel = SPAN("\"table\""), content = {0};
    (void)call;
    rl_json_member(arguments, "from_agent", &id);
    rl_json_member(arguments, "to_agent", &to);
    rl_json_member(arguments, "channel", &channel);
    rl_json_member(arguments, "content", &content);
    bool all = !to.size || json_string_is(rl_json_string(to), "*");
    if (content.size > CONTENT_MOST) {
        *r = rl_bad(c->rl, "/content", "an object of at most 8 KiB", NULL);
        return true;
    }
    struct rl_agent *from = rl_own_agent(c, rl_json_string(id), r);
    if (!from || !check_recipient(c, to, all, r) || !rl_may_talk(c->rl, from, all, r))
        return true;
    rl_count_talk(from);
    uint64_t message = ++c->group->message_id;
    rl_record_message(from, to, channel, content, message);
    struct text *t = &c->rl->out;
    json_begin_object(t);
    json_put_bool(t, "delivered", true);
    json_put_uint(t, "message_id", message);
    json_key(t, "recipients");
    json_begin_array(t);
    for (struct rl_agent *a = c->group->agents; a; a = a->next) {
        if (a == from || a->table != from->table || (!all && !json_string_is(rl_json_string(to), a->id)))
            continue;
        deliver(from, a, channel, content, message);
        json_write_text(t, a->id);
    }
    json_end_array(t);
    json_end_object(t);
    return rl_answer(c->rl, r);
}

// --- broadcasts (G16.5)

static bool sees_type(const struct rl_conn *c, const struct rl_table *t, unsigned visible)
{
    for (struct rl_agent *a = t->group->agents; a; a = a->next)
        if (a->conn == c && a->table == t && visible >> a->type & 1)
            return true;
    return false;
}

void rl_broadcast(struct rl_table *t, const char *type, unsigned visible, struct span details)
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
    json_key(&s, "details");
    json_write_raw(&s, details);
    json_key(&s, "visibility");
    json_begin_array(&s);
    for (int i = 0; i < RL_TYPES; i++)
        if (visible >> i & 1)
            json_write_text(&s, rl_type_names[i]);
    json_end_array(&s);
    json_end_object(&s);
    for (struct rl_conn *c = t->group->rl->conns; c; c = c->next)
        if (c->group == t->group && !c->gone && c->hooks->on_notify && sees_type(c, t, visible))
            c->hooks->on_notify(c->owner, "notifications/event", text_span(&s));
    free(copy);
}

enum { TO_MASTER = 1 << RL_MASTER, TO_BOTH = 1 << RL_MASTER | 1 << RL_COMBAT };

// The game's events as standard ones. `who`: the member of the game's event that names the entity.
static const struct standard {
    const char *game, *type, *standard, *who, *word; // word: the value of `member`
    const char *member;
    unsigned visible;
} standards[] = {
    {NULL, "player_eliminated", "entity_died", "seat", "eliminated", "cause", TO_BOTH},
    {NULL, "player_disconnected", "entity_died", "seat", "forfeited", "cause", TO_BOTH},
    {"tetris", "game_over", "entity_died", NULL, "top_out", "cause", TO_BOTH},
    {NULL, "match_result", "quest_completed", "winner", "match", "quest", TO_MASTER},
    {"liars_dice", "game_over", "quest_completed", "winner", "match", "quest", TO_MASTER},
    {"coup", "game_over", "quest_completed", "winner", "match", "quest", TO_MASTER},
    {NULL, "match_ended", "quest_completed", NULL, "match", "quest", TO_MASTER},
    {NULL, "new_hand", "combat_started", NULL, "hand", "id", TO_BOTH},
    {NULL, "deal_started", "combat_started", NULL, "deal", "id", TO_BOTH},
    {NULL, "round_start", "combat_started", NULL, "round", "id", TO_BOTH},
    {NULL, "hand_result", "combat_ended", NULL, "hand", "id", TO_BOTH},
    {NULL, "deal_ended", "combat_ended", NULL, "deal", "id", TO_BOTH},
    {"liars_dice", "challenge", "combat_ended", NULL, "round", "id", TO_BOTH},
    {"coup", "challenge", "combat_started", NULL, "challenge", "id", TO_BOTH},
    {"coup", "challenge_result", "combat_ended", NULL, "challenge", "id", TO_BOTH},
    {"coup", "influence_lost", "damage_dealt", "player", "influence", "source", TO_BOTH},
    {"liars_dice", "challenge", "damage_dealt", "loser", "challenge", "source", TO_BOTH},
    {"tetris", "garbage", "damage_dealt", NULL, "garbage", "source", TO_BOTH},
    {"tetris", "garbage", "entity_spawned", NULL, "garbage", "entity_type", TO_MASTER | 1 << RL_WORLD},
    {NULL, "trick_completed", "item_picked_up", "winner", "trick", "item", TO_MASTER},
    {NULL, "hand_result", "item_picked_up", NULL, "pot", "item", TO_MASTER},
    {0},
};

static void broadcast_as(struct rl_table *t, const struct standard *row, struct span event)
{
    char buffer[1024];
    struct text s = text_on(buffer, sizeof buffer);
    struct span who = {0};
    const struct rl_kit *k = t->kit;
    json_begin_object(&s);
    json_key(&s, "entity_id");
    if (row->who && rl_json_member(event, row->who, &who) && rl_json_is(who, JSON_STRING))
        json_write_raw(&s, who);
    else
        json_write_text(&s, t->row->game->tick_ms ? k->avatars[0] : "table");
    json_put_text(&s, row->member, row->word);
    if (strcmp(row->standard, "damage_dealt") == 0 || strcmp(row->standard, "item_picked_up") == 0)
        json_put_int(&s, "amount", 1);
    if (strcmp(row->standard, "entity_spawned") == 0) {
        json_key(&s, "location");
        json_write_raw(&s, SPAN("[0,19,0]"));
    }
    if (strncmp(row->standard, "combat_", 7) == 0) {
        json_key(&s, "participants");
        codec_write_seats(&s, &(struct codec_table){.seat = k->avatars, .seats = t->match.seats},
                          (seat_set)(SEAT(t->match.seats) - 1));
        json_put_null(&s, "result");
    }
    json_end_object(&s);
    if (!s.full)
        rl_broadcast(t, row->standard, row->visible, text_span(&s));
}

void rl_broadcast_event(struct rl_table *t, const struct game_event *e, int parts)
{
    struct codec_table names = rl_codec_table(t, GAME_SPECTATOR);
    const char *type = t->row->codec->event_types[e->kind];
    struct text *s = &t->group->rl->scratch;
    if (!t->group->shared || !(e->to & SEAT(GAME_SPECTATOR)))
        return;
    s->size = 0;
    json_begin_object(s);
    t->row->codec->write_event(s, &names, e, parts > 1 ? 1 : parts);
    json_end_object(s);
    for (const struct standard *row = standards; row->type; row++)
        if (strcmp(row->type, type) == 0 && (!row->game || strcmp(row->game, t->row->game->name) == 0))
            broadcast_as(t, row, text_span(s));
}

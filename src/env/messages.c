// Talk between agents (G16.1-G16.3, G23.6).
#include "env/advance.h"
#include "env/host.h"
#include "env/record.h"
#include "env/schema.h"
#include "env/talk.h"
#include "env/tools.h"

#include <stdlib.h>

enum { TALK_PER_SECOND = 20, CONTENT_MOST = 8192 };

static enum rl_talk talk_of(const struct rl_group *g)
{
    static const char *const words[] = {"free", "public", "off", NULL};
    if (g->place) // G1.9
        return RL_TALK_OFF;
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
    return t->row->game->teams && t->running; // a match of teams is one deal after the other
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

static void count_talk(struct rl_agent *a)
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
    count_talk(a);
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
    if (to->news.messages >= RL_NEWS) // G16.3: its reader is far behind
        rl_news_drop_message(to);
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

static bool check_recipient(struct rl_conn *c, const struct rl_agent *from, struct span to, bool all,
                            struct rl_result *r)
{
    char name[RL_ID_ROOM] = "";
    const struct rl_agent *a = all ? NULL : rl_find_agent(c->group, rl_json_string(to));
    if (all || (a && a->table == from->table)) // G1.6: other tables are other worlds
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
    if (!from || !check_recipient(c, from, to, all, r) || !rl_may_talk(c->rl, from, all, r))
        return true;
    count_talk(from);
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

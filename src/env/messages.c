// Messages between agents (G16.1-G16.3, G23.6).
#include "env/messages.h"
#include "env/advance.h"
#include "env/arguments.h"
#include "env/host.h"
#include "env/record.h"
#include "env/schema.h"
#include "env/tools.h"

#include <stdlib.h>

enum { TALK_PER_SECOND = 20, CONTENT_MOST = 8192 }; // G16.3, G16.1

static enum env_talk talk_of(const struct env_group *g)
{
    static const char *const words[] = {"free", "public", "off", NULL};
    if (g->arena_seat) // G1.9
        return ENV_TALK_OFF;
    int talk = g->env->o.table_talk ? span_among(span_of(g->env->o.table_talk), words) : -1;
    if (talk >= 0)
        return (enum env_talk)talk;
    return g->shared ? ENV_TALK_PUBLIC : ENV_TALK_FREE;
}

bool env_is_addressed(const struct env_agent *a, struct json_string to)
{
    if (json_string_is(to, "*") || json_string_is(to, a->id))
        return true;
    return a->seat >= 0 && json_string_is(to, a->table->kit->avatars[a->seat]);
}

bool env_may_talk(struct env *env, struct env_agent *a, bool to_all, struct env_result *r)
{
    enum env_talk talk = talk_of(a->table->group);
    bool in_deal = a->table->row->game->teams && a->table->running; // a match of teams is one deal after the other
    if (talk == ENV_TALK_OFF || (talk == ENV_TALK_PUBLIC && (!to_all || in_deal))) {
        *r = env_refuse(env, -32001, "InvalidAction",
                        talk == ENV_TALK_OFF ? "There is no table talk here."
                                             : "Only messages to all are allowed here, and none during a deal.");
        env_refusal_put(env, r, "agent_id", a->id);
        env_refusal_put(env, r, "reason", "talk");
        return false;
    }
    if (env->now_us - a->talk_us < 1000000 && a->talked >= TALK_PER_SECOND) {
        *r = env_refuse(env, -32004, "RateLimited", "This agent talks too much; wait a second.");
        env_refusal_int(env, r, "limit", TALK_PER_SECOND);
        env_refusal_int(env, r, "retry_after_ms", (1000000 - (env->now_us - a->talk_us)) / 1000 + 1);
        return false;
    }
    return true;
}

static void count_talk(struct env_agent *a)
{
    int64_t now = a->table->group->env->now_us;
    if (now - a->talk_us >= 1000000) {
        a->talk_us = now;
        a->talked = 0;
    }
    a->talked++;
}

// --- speech of DialogueAgents (G23.6)

static void keep_line(struct env_table *t, struct span line)
{
    if (t->conversation_count == ENV_TALK) {
        free(t->conversation[0]);
        memmove(t->conversation, t->conversation + 1, (ENV_TALK - 1) * sizeof *t->conversation);
        t->conversation_count--;
    }
    char *copy = malloc(line.size + 1);
    if (!copy)
        abort();
    memcpy(copy, line.at, line.size);
    copy[line.size] = 0;
    t->conversation[t->conversation_count++] = copy;
}

void env_speak(struct env_agent *a, const char *type, const char *key, struct span text, struct span to)
{
    struct env_table *t = a->table;
    struct text *s = &t->group->env->scratch;
    bool all = !to.size || json_string_is(env_json_string(to), "*");
    count_talk(a);
    s->size = 0;
    json_begin_object(s);
    json_put_text(s, "from", a->id);
    json_put_text(s, "seat", a->seat >= 0 ? t->kit->avatars[a->seat] : NULL);
    json_put_raw(s, key, text);
    json_put_raw(s, "to", all ? SPAN("\"*\"") : to);
    json_end_object(s);
    for (struct env_agent *b = t->group->agents; b; b = b->next)
        if (b->table == t && b != a && (all || env_is_addressed(b, env_json_string(to)))) {
            env_news_add(b, type, t->tick, 1, text_span(s));
            b->woken = true;
        }
    if (all)
        keep_line(t, text_span(s));
}

// --- send_message

static void deliver_message(struct env_agent *from, struct env_agent *to, struct span channel, struct span content,
                            uint64_t id)
{
    if (to->news.messages >= ENV_NEWS) // G16.3: its reader is far behind
        env_news_drop_message(to);
    env_news_begin(to, "message", to->table->tick, 1);
    struct text *t = &to->news.text;
    json_put_text(t, "from_agent", from->id);
    json_put_raw(t, "channel", channel);
    json_put_raw(t, "content", content);
    json_put_uint(t, "message_id", id);
    env_news_end(to);
    to->news.messages++;
    to->woken = true;
}

static bool check_recipient(struct env_conn *c, const struct env_agent *from, struct span to, bool all,
                            struct env_result *r)
{
    char name[ENV_ID_ROOM] = "";
    const struct env_agent *a = all ? NULL : env_find_agent(c->group, env_json_string(to));
    if (all || (a && a->table == from->table)) // G1.6: other tables are separate
        return true;
    json_string_copy(env_json_string(to), name, sizeof name);
    *r = env_refuse_because(c->env, -32000, "AgentNotRegistered", "There is no agent %s to receive this.", name);
    env_refusal_put(c->env, r, "agent_id", name);
    env_refusal_put(c->env, r, "reason", "unknown");
    return false;
}

bool env_message(struct env_conn *c, struct env_pending *call, const struct env_arguments *arguments,
                 struct env_result *r)
{
    struct span id = {0}, to = {0}, channel = SPAN("\"table\""), content = {0};
    (void)call;
    env_argument(arguments, "from_agent", &id);
    env_argument(arguments, "to_agent", &to);
    env_argument(arguments, "channel", &channel);
    env_argument(arguments, "content", &content);
    bool all = !to.size || json_string_is(env_json_string(to), "*");
    if (content.size > CONTENT_MOST) {
        *r = env_bad(c->env, "/content", "an object of at most 8 KiB", NULL);
        return true;
    }
    struct env_agent *from = env_own_agent(c, env_json_string(id), r);
    if (!from || !check_recipient(c, from, to, all, r) || !env_may_talk(c->env, from, all, r))
        return true;
    count_talk(from);
    uint64_t message = ++c->group->message_id;
    env_record_message(from, to, channel, content, message);
    struct text *t = &c->env->out;
    json_begin_object(t);
    json_put_bool(t, "delivered", true);
    json_put_uint(t, "message_id", message);
    json_begin_array_at(t, "recipients");
    for (struct env_agent *a = c->group->agents; a; a = a->next) {
        if (a == from || a->table != from->table || (!all && !json_string_is(env_json_string(to), a->id)))
            continue;
        deliver_message(from, a, channel, content, message);
        json_write_text(t, a->id);
    }
    json_end_array(t);
    json_end_object(t);
    return env_answer(c->env, r);
}

#include "front/lines/message_write.h"

#include "base/json_write.h"
#include "front/lines/message.h"

static void message_begin(struct text *t, const char *type, uint64_t seq)
{
    json_begin_object(t);
    json_put_text(t, "type", type);
    json_put_uint(t, "seq", seq);
    json_put_int(t, "ts", 0);
}

static void end_line(struct text *t)
{
    json_end_object(t);
    text_put_char(t, '\n');
}

void message_write_hello(struct text *t, const struct hello_options *h)
{
    message_begin(t, "hello", 1);
    json_begin_object_at(t, "client");
    json_put_text(t, "name", h->name);
    json_put_text(t, "version", "1");
    json_end_object(t);
    json_put_text(t, "protocol_version", h->version);
    json_begin_array_at(t, "formats");
    json_write_text(t, "json");
    json_end_array(t);
    json_begin_object_at(t, "requested");
    json_put_bool(t, "stream_observations", h->stream);
    json_put_text(t, "command_mode", h->place ? "place" : "action");
    if (h->role)
        json_put_text(t, "role", h->role);
    if (h->lockstep)
        json_put_text(t, "clock", "lockstep");
    if (h->table)
        json_put_text(t, "table", h->table);
    json_end_object(t);
    end_line(t);
}

void message_write_control(struct text *t, uint64_t seq, const char *action)
{
    message_begin(t, "control", seq);
    json_put_text(t, "action", action);
    end_line(t);
}

void message_write_actions(struct text *t, uint64_t seq, const char *const *actions, int count, const uint64_t *seed)
{
    message_begin(t, "command", seq);
    json_put_text(t, "mode", "action");
    json_begin_array_at(t, "actions");
    for (int i = 0; i < count; i++)
        json_write_text(t, actions[i]);
    json_end_array(t);
    if (seed) {
        json_begin_object_at(t, "restart");
        json_put_uint(t, "seed", *seed);
        json_end_object(t);
    }
    end_line(t);
}

void message_write_place(struct text *t, uint64_t seq, int x, int rotation, bool hold)
{
    message_begin(t, "command", seq);
    json_put_text(t, "mode", "place");
    json_begin_object_at(t, "place");
    json_put_int(t, "x", x);
    json_put_text(t, "rotation", message_rotations[rotation]);
    json_put_bool(t, "useHold", hold);
    json_end_object(t);
    end_line(t);
}

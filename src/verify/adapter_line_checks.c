// Assertions about single messages: structure, types, ranges, and agreement with earlier messages.
#include "verify/adapter_gates.h"
#include "verify/adapter_parse.h"

#include <stdlib.h>

// One line being checked.
struct line_check {
    struct adapter_check *check;
    struct client *d;
    json_t *root;
};

// `member` is what the assertion is about; a failure quotes it.
static bool assert_member(const struct line_check *l, enum adapter_assertion id, bool holds, const char *name,
                          const json_t *member)
{
    if (holds)
        return adapter_assert(l->check, NULL, id, true, " ");
    char *text = member ? json_dumps(member, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    char quote[WIRE_QUOTE];
    wire_quote(quote, text ? (struct span){text, strlen(text)} : SPAN("absent"));
    adapter_assert(l->check, NULL, id, false, "%s is %s; received %s", name, quote, l->d->received);
    free(text);
    return false;
}

static bool is_words(const json_t *list)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item) if (!json_is_string(item)) return false;
    return json_is_array(list);
}

// --- welcome (A3)

static bool is_version(const char *version, char major)
{
    int numbers[3], used = 0;
    return version && version[0] == major &&
           sscanf(version, "%3d.%9d.%9d%n", &numbers[0], &numbers[1], &numbers[2], &used) == 3 &&
           (version[used] == 0 || version[used] == '-' || version[used] == '+');
}

static bool is_own_version(const char *version, char major)
{
    return version && strcmp(version, major == '3' ? "3.0.0" : "2.1.0") == 0;
}

static void check_features(const struct line_check *l, const json_t *capabilities)
{
    const json_t *all = json_object_get(capabilities, "features");
    static const char *const parts[] = {"features_always", "features_optional"};
    assert_member(l, MUST_WELCOME_FEATURES, is_words(all), "capabilities.features", all);
    for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++) {
        const json_t *part = json_object_get(capabilities, parts[k]);
        bool listed = part ? is_words(part) : !l->check->own;
        size_t i;
        json_t *word;
        json_array_foreach(part, i, word) listed =
            listed && (!is_words(all) || adapter_list_has(all, json_string_value(word)));
        assert_member(l, MUST_FEATURES_LISTED, listed, parts[k], part);
    }
}

static void check_capabilities(const struct line_check *l, const json_t *capabilities)
{
    const json_t *formats = json_object_get(capabilities, "formats");
    const json_t *modes = json_object_get(capabilities, "command_modes");
    const json_t *policy = json_object_get(capabilities, "control_policy");
    const json_t *promotes = json_object_get(policy, "auto_promote_on_disconnect");
    const json_t *order = json_object_get(policy, "promotion_order");
    const json_t *release = json_object_get(policy, "auto_promote_on_release");
    assert_member(l, MUST_WELCOME_FORMATS, is_words(formats) && adapter_list_has(formats, "json"),
                  "capabilities.formats", formats);
    assert_member(l, MUST_WELCOME_MODES,
                  is_words(modes) && adapter_list_has(modes, "place") && adapter_list_has(modes, "action"),
                  "capabilities.command_modes", modes);
    assert_member(l, MUST_POLICY_DISCONNECT, json_is_boolean(promotes), "control_policy.auto_promote_on_disconnect",
                  promotes);
    assert_member(l, MUST_POLICY_ORDER,
                  json_is_string(order) && strcmp(json_string_value(order), "lowest_client_id") == 0,
                  "control_policy.promotion_order", order);
    assert_member(l, MUST_POLICY_RELEASE, json_is_false(release), "control_policy.auto_promote_on_release", release);
    check_features(l, capabilities);
}

static void check_extras(const struct line_check *l)
{
    static const char *const names[] = {"ruleset", "coordinates", "clock", "hash", "table"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *extra = json_object_get(l->root, names[i]);
        assert_member(l, MUST_WELCOME_EXTRAS, json_string_length(extra) > 0, names[i], extra);
    }
}

static void check_welcome(const struct line_check *l)
{
    const json_t *version = json_object_get(l->root, "protocol_version"), *id = json_object_get(l->root, "client_id"),
                 *role = json_object_get(l->root, "role"), *controller = json_object_get(l->root, "controller_id"),
                 *game = json_object_get(l->root, "game_id"), *seq = json_object_get(l->root, "seq");
    char major = l->d->target.version[0];
    bool controls = json_is_string(role) && strcmp(json_string_value(role), "controller") == 0;
    bool observes = json_is_string(role) && strcmp(json_string_value(role), "observer") == 0;
    assert_member(l, MUST_WELCOME_SEQ, adapter_is_int(seq, 1, 1), "welcome.seq", seq);
    assert_member(l, MUST_WELCOME_VERSION,
                  (l->check->own ? is_own_version : is_version)(json_string_value(version), major),
                  "welcome.protocol_version", version);
    assert_member(l, MUST_WELCOME_CLIENT_ID, json_is_integer(id), "welcome.client_id", id);
    assert_member(l, MUST_WELCOME_ROLE, controls || observes, "welcome.role", role);
    assert_member(l, MUST_WELCOME_CONTROLLER_ID, json_is_integer(controller) || json_is_null(controller),
                  "welcome.controller_id", controller);
    if (json_is_integer(id) && (json_is_integer(controller) || json_is_null(controller)) && (controls || observes))
        assert_member(l, MUST_WELCOME_CONTROLLER_TRUE, controls == (json_equal(id, controller) != 0),
                      "welcome.controller_id", controller);
    assert_member(l, MUST_WELCOME_GAME_ID, json_string_length(game) > 0, "welcome.game_id", game);
    check_capabilities(l, json_object_get(l->root, "capabilities"));
    check_extras(l);
}

// --- observation (A4-A7)

static const char *const required[] = {
    "type",     "seq",           "ts",    "playable", "paused",   "game_over",  "episode_id", "seed",
    "piece_id", "step_in_piece", "board", "next",     "board_id", "next_queue", "can_hold",   "state_hash",
    "score",    "level",         "lines", "timers",
};

static bool is_complete(json_t *root, const char **missing)
{
    for (unsigned i = 0; i < sizeof required / sizeof *required; i++)
        if (!json_object_get(root, *missing = required[i]))
            return false;
    return true;
}

static void check_plain(const struct line_check *l)
{
    static const char *const flags[] = {"playable", "paused", "game_over", "can_hold"};
    static const char *const numbers[] = {"episode_id", "seed",  "piece_id", "step_in_piece",
                                          "board_id",   "score", "level",    "lines"};
    for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
        const json_t *flag = json_object_get(l->root, flags[i]);
        if (flag)
            assert_member(l, MUST_OBSERVATION_FLAGS, json_is_boolean(flag), flags[i], flag);
    }
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const json_t *number = json_object_get(l->root, numbers[i]);
        if (number)
            assert_member(l, MUST_OBSERVATION_NUMBERS, adapter_is_int(number, 0, INT64_MAX), numbers[i], number);
    }
}

static void check_board(const struct line_check *l, const json_t *board)
{
    const json_t *rows = json_object_get(board, "cells"), *row, *cell;
    size_t y, x;
    bool shaped = adapter_is_int(json_object_get(board, "width"), 10, 10) &&
                  adapter_is_int(json_object_get(board, "height"), 20, 20) && json_array_size(rows) == 20;
    json_array_foreach(rows, y, row)
    {
        shaped = shaped && json_array_size(row) == 10;
        json_array_foreach(row, x, cell)
            assert_member(l, MUST_BOARD_CELLS, adapter_is_int(cell, 0, 7), "a cell of the board", cell);
    }
    assert_member(l, MUST_BOARD_SHAPE, shaped, "board", board);
}

static void check_active(const struct line_check *l, const json_t *active)
{
    const json_t *kind = json_object_get(active, "kind"), *rotation = json_object_get(active, "rotation"),
                 *x = json_object_get(active, "x"), *y = json_object_get(active, "y"),
                 *ghost = json_object_get(l->root, "ghost_y");
    bool third = l->d->target.version[0] == '3', box = third || strcmp(l->d->welcome.coordinates, "box") == 0;
    assert_member(l, MUST_ACTIVE_KIND, adapter_parse_kind(kind) > 0, "active.kind", kind);
    assert_member(l, MUST_ACTIVE_ROTATION, adapter_parse_rotation(rotation) >= 0, "active.rotation", rotation);
    assert_member(l, MUST_ACTIVE_X, adapter_is_int(x, box ? -2 : 0, 9), "active.x", x);
    assert_member(l, MUST_ACTIVE_Y, adapter_is_int(y, -4, 23), "active.y", y);
    if (ghost && !json_is_null(ghost))
        assert_member(l, MUST_GHOST_Y,
                      json_is_integer(ghost) &&
                          (!json_is_integer(y) || json_integer_value(ghost) >= json_integer_value(y)),
                      "ghost_y", ghost);
}

static void check_pieces(const struct line_check *l)
{
    const json_t *queue = json_object_get(l->root, "next_queue"), *next = json_object_get(l->root, "next"),
                 *hold = json_object_get(l->root, "hold"), *kind;
    size_t i;
    bool five = json_array_size(queue) == 5;
    json_array_foreach(queue, i, kind) five = five && adapter_parse_kind(kind) > 0;
    if (queue)
        assert_member(l, MUST_QUEUE_FIVE, five, "next_queue", queue);
    if (queue && next)
        assert_member(l, MUST_QUEUE_NEXT, adapter_parse_kind(next) > 0 && json_equal(next, json_array_get(queue, 0)),
                      "next", next);
    if (hold)
        assert_member(l, MUST_HOLD_KIND, json_is_null(hold) || adapter_parse_kind(hold) > 0, "hold", hold);
}

static bool is_lock(const json_t *event)
{
    const json_t *spin = json_object_get(event, "tspin");
    bool known = !spin || json_is_null(spin) ||
                 (json_is_string(spin) &&
                  (strcmp(json_string_value(spin), "mini") == 0 || strcmp(json_string_value(spin), "full") == 0));
    return known && json_is_boolean(json_object_get(event, "locked")) &&
           adapter_is_int(json_object_get(event, "lines_cleared"), 0, 4) &&
           adapter_is_int(json_object_get(event, "line_clear_score"), 0, INT64_MAX) &&
           json_is_integer(json_object_get(event, "combo")) && json_is_boolean(json_object_get(event, "back_to_back"));
}

static void check_events(const struct line_check *l)
{
    json_t *last = json_object_get(l->root, "last_event"), *list = json_object_get(l->root, "events"), *event;
    size_t i, count = json_array_size(list);
    bool sound = json_is_array(list) && count <= 4;
    if (last)
        assert_member(l, MUST_LAST_EVENT, json_is_null(last) || is_lock(last), "last_event", last);
    json_array_foreach(list, i, event) sound = sound && is_lock(event);
    if (l->d->target.version[0] == '3')
        assert_member(l, MUST_THIRD_EVENTS, !last, "last_event", last);
    if (l->d->target.version[0] == '2' && (!last || is_lock(last)))
        sound = sound && (count ? json_equal(last, json_array_get(list, count - 1)) : !last);
    assert_member(l, MUST_EVENT_LIST, sound, "events", list);
}

static bool is_hash(const struct line_check *l, const json_t *hash)
{
    const char *text = json_string_value(hash);
    if (!text || !text[0])
        return false;
    return !l->check->own || (strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16);
}

static void check_rest(const struct line_check *l)
{
    static const char *const names[] = {"drop_ms", "lock_ms", "line_clear_ms"};
    const json_t *hash = json_object_get(l->root, "state_hash"), *timers = json_object_get(l->root, "timers");
    if (hash)
        assert_member(l, MUST_STATE_HASH, is_hash(l, hash), "state_hash", hash);
    for (unsigned i = 0; timers && i < sizeof names / sizeof *names; i++)
        assert_member(l, MUST_TIMERS, adapter_is_int(json_object_get(timers, names[i]), 0, INT64_MAX), "timers",
                      timers);
}

// What must agree with earlier observations.
static void check_order(const struct line_check *l)
{
    struct client *d = l->d;
    const struct server_observation *o = &d->last.observation;
    const json_t *seq = json_object_get(l->root, "seq"), *step = json_object_get(l->root, "logical_step"),
                 *controller = json_object_get(l->root, "controller_id"),
                 *episode = json_object_get(l->root, "episode_id");
    bool first = d->observations == 1;
    if (json_is_integer(seq))
        assert_member(l, MUST_OBSERVATION_SEQ, first || d->last.seq > d->seen_seq, "the seq of the next observation",
                      seq);
    if (json_is_integer(episode))
        assert_member(l, MUST_OBSERVATION_EPISODE, first || o->episode_id >= d->seen_episode,
                      "the episode_id of the next observation", episode);
    assert_member(l, MUST_OBSERVATION_EXTRAS,
                  adapter_is_int(step, 0, INT64_MAX) && (first || o->logical_step >= d->seen_step), "logical_step",
                  step);
    assert_member(l, MUST_OBSERVATION_EXTRAS, json_is_integer(controller) || json_is_null(controller), "controller_id",
                  controller);
    d->seen_seq = d->last.seq;
    d->seen_episode = o->episode_id;
    d->seen_step = o->logical_step;
}

static void check_features_kept(const struct line_check *l)
{
    size_t i;
    json_t *word;
    json_array_foreach(json_object_get(l->d->capabilities, "features_always"), i, word) if (json_is_string(word))
        assert_member(l, MUST_FEATURES_ALWAYS, json_object_get(l->root, json_string_value(word)) != NULL,
                      json_string_value(word), NULL);
}

static void check_observation(const struct line_check *l, struct span line)
{
    const struct server_observation *o = &l->d->last.observation;
    const char *missing;
    bool whole = is_complete(l->root, &missing);
    json_t *active = json_object_get(l->root, "active"), *board = json_object_get(l->root, "board");
    bool first = l->d->observations == 1;
    if (first)
        assert_member(l, MUST_WELCOME_SIZE, line.size + 1 + l->d->welcome_bytes <= 4096, "welcome with its snapshot",
                      NULL);
    assert_member(l, first ? MUST_SNAPSHOT_FIRST : MUST_OBSERVATION_FIELDS, whole, missing, NULL);
    assert_member(l, MUST_OBSERVATION_OFF, l->d->stream, "an observation", NULL);
    assert_member(l, MUST_OBSERVATION_SIZE, line.size < 4096, "an observation above 4096 bytes", NULL);
    check_plain(l);
    if (board)
        check_board(l, board);
    if (json_is_object(active))
        check_active(l, active);
    assert_member(l, MUST_OBSERVATION_ACTIVE, !o->playable || json_is_object(active), "active", active);
    assert_member(l, MUST_PAUSE_PLAYABLE, !(o->playable && o->paused), "playable while paused",
                  json_object_get(l->root, "playable"));
    assert_member(l, MUST_OVER_PLAYABLE, !(o->playable && o->game_over), "playable after game over",
                  json_object_get(l->root, "playable"));
    check_pieces(l);
    check_events(l);
    check_rest(l);
    check_order(l);
    check_features_kept(l);
}

// --- replies

static void check_ack(const struct line_check *l)
{
    const json_t *status = json_object_get(l->root, "status"), *echo = json_object_get(l->root, "correlation_seq"),
                 *step = json_object_get(l->root, "applied_step"), *hash = json_object_get(l->root, "state_hash");
    const struct client_request *a = &l->d->asked[l->d->last.seq % CLIENT_REQUESTS];
    assert_member(l, MUST_ACK_STATUS, json_is_string(status) && strcmp(json_string_value(status), "ok") == 0,
                  "ack.status", status);
    assert_member(l, MUST_ACK_CORRELATION,
                  json_is_integer(echo) && (l->d->stray || json_equal(echo, json_object_get(l->root, "seq"))),
                  "correlation_seq", echo);
    if (!l->d->stray && a->seq == l->d->last.seq && a->command)
        assert_member(l, MUST_ACK_STEP, adapter_is_int(step, 0, INT64_MAX) && is_hash(l, hash), "applied_step", step);
}

static void check_error(const struct line_check *l)
{
    static const char *const codes[] = {"handshake_required", "protocol_mismatch", "not_controller",
                                        "controller_active",  "invalid_command",   "invalid_place",
                                        "hold_unavailable",   "snapshot_required", "backpressure"};
    const json_t *code = json_object_get(l->root, "code"), *message = json_object_get(l->root, "message"),
                 *retry = json_object_get(l->root, "retry_after_ms");
    bool known = false;
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
        known |= json_is_string(code) && strcmp(json_string_value(code), codes[i]) == 0;
    assert_member(l, MUST_ERROR_CODE, known, "error.code", code);
    bool allowed =
        assert_member(l, MUST_SNAPSHOT_REQUIRED,
                      !l->check->own || strcmp(l->d->last.error.code, "snapshot_required") != 0, "error.code", code);
    l->d->odd_code = !known || !allowed;
    assert_member(l, MUST_ERROR_MESSAGE, json_string_length(message) > 0, "error.message", message);
    if (retry || (l->check->own && strcmp(l->d->last.error.code, "backpressure") == 0))
        assert_member(l, MUST_BURST_RETRY_AFTER, adapter_is_int(retry, 1, INT64_MAX), "retry_after_ms", retry);
}

static void check_reply(const struct line_check *l)
{
    const struct client_request *a = &l->d->asked[l->d->last.seq % CLIENT_REQUESTS];
    if (l->d->last.type != SERVER_WELCOME) // the seq of a welcome is an assertion of its own
        assert_member(l, MUST_REPLY_SEQ, !l->d->stray, "a seq that was never sent", json_object_get(l->root, "seq"));
    if (!l->d->stray && a->seq == l->d->last.seq)
        assert_member(l, MUST_REPLY_ONCE, a->answered <= a->asked, "a second reply to seq",
                      json_object_get(l->root, "seq"));
}

// --- all

void adapter_check_line(void *owner, struct client *d, json_t *root, struct span line)
{
    struct line_check l = {owner, d, root};
    if (!assert_member(&l, MUST_MESSAGE_JSON, root != NULL, "a line that is no JSON object", NULL))
        return;
    const json_t *type = json_object_get(root, "type"), *seq = json_object_get(root, "seq"),
                 *ts = json_object_get(root, "ts");
    assert_member(&l, MUST_MESSAGE_SEQ, adapter_is_int(seq, 0, INT64_MAX), "seq", seq);
    assert_member(&l, MUST_MESSAGE_TS, json_is_integer(ts), "ts", ts);
    if (!assert_member(&l, MUST_MESSAGE_TYPE, d->last.type != SERVER_UNKNOWN, "type", type))
        return;
    if (d->last.type == SERVER_OBSERVATION) {
        check_observation(&l, line);
        return;
    }
    check_reply(&l);
    if (d->last.type == SERVER_WELCOME)
        check_welcome(&l);
    else if (d->last.type == SERVER_ACK)
        check_ack(&l);
    else
        check_error(&l);
}

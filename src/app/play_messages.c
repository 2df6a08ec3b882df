// Messages of the server about a person's match, and the moves sent to it.
#include "app/arena_event.h"
#include "app/play_internal.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "heap/heap.h"
#include "kit/arena_dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_MS = 24 * 60 * 60 * 1000 }; // of a clock, whatever the server says

static const char too_late[] = "too late: the game has continued";

static void print_events(struct play_session *p, struct span list)
{
    struct json_reader r = json_reader_of(list, PLAY_DEPTH);
    if (!list.at || json_peek(&r) != JSON_ARRAY)
        return;
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span event = json_read_raw(&r);
        struct text words = {.grow = heap_text_grow};
        uint64_t seq = r.error ? UINT64_MAX : arena_event_number(event);
        if (seq == UINT64_MAX || seq < p->events)
            continue;
        p->events = seq + 1;
        if (arena_event_describe(&words, event, p->conn.o->game, p->names, p->seats)) {
            utf8_put_shown(&p->screen.console.log, text_span(&words), false);
            text_put_char(&p->screen.console.log, '\n');
        }
        free(words.at);
    }
}

static void handle_welcome(struct play_session *p, struct span data)
{
    (void)data;
    p->conn.tries = 0;
    p->greeted_ms = loop_now_ms();
    if (p->stage == PLAY_WAITING)
        play_table_enter(p);
}

static void read_names(struct play_session *p, struct span players)
{
    struct json_reader r = json_reader_of(players, PLAY_DEPTH);
    if (json_peek(&r) != JSON_ARRAY)
        return;
    p->seats = 0;
    for (json_enter_array(&r); json_next_item(&r) && p->seats < GAME_MAX_SEATS; p->seats++) {
        struct span one = json_read_raw(&r), name = json_member(one, "name");
        play_read_shown(name.at ? name : json_member(one, "agent_name"), p->name[p->seats], PLAY_NAME);
    }
}

// The rules from the server: a summary and the key points.
static void read_rules(struct play_session *p, struct span rules)
{
    char line[1024];
    p->rules.size = 0;
    json_copy_text(json_member(rules, "summary"), line, sizeof line);
    text_puts(&p->rules, line);
    struct span keys = json_member(rules, "key_rules");
    struct json_reader r = json_reader_of(keys, PLAY_DEPTH);
    if (!keys.at || json_peek(&r) != JSON_ARRAY)
        return;
    for (json_enter_array(&r); json_next_item(&r);) {
        json_copy_text(json_read_raw(&r), line, sizeof line);
        text_puts(&p->rules, "\n- ");
        text_puts(&p->rules, line);
    }
    text_puts(&p->rules, "\n");
}

static void handle_start(struct play_session *p, struct span data)
{
    char match[ACTION_REQUEST_ID + 1], game[PLAY_NAME];
    json_copy_text(json_member(data, "match_id"), match, sizeof match);
    play_read_shown(json_member(data, "game"), game, sizeof game);
    if (strcmp(match, p->match) == 0)
        return;
    if (strcmp(game, p->conn.o->game->game->name) != 0) {
        char why[PLAY_WHY];
        snprintf(why, sizeof why,
                 "your match there is one of %.40s; continue with: agon play %.40s --resume --server %.100s", game,
                 game, p->conn.base);
        play_end(p, PLAY_FAILED, why);
        return;
    }
    snprintf(p->match, sizeof p->match, "%s", match);
    struct json_reader position = json_reader_of(json_member(data, "your_position"), 1);
    p->me = (int)json_read_int(&position, 0, GAME_MAX_SEATS - 1); // a match may end before its first question
    read_names(p, json_member(data, "players"));
    for (int s = 0; s < p->seats; s++)
        if (strcmp(p->name[s], "You") == 0) // F2.7
            snprintf(p->name[s], PLAY_NAME, "%s", p->conn.o->name);
    read_rules(p, json_member(data, "rules"));
    p->stage = PLAY_PLAYING;
    p->events = 0;
    p->screen.console.table.seat = p->names;
    p->screen.console.table.seats = p->seats;
    text_puts(&p->screen.console.log, "the match begins\n");
}

// game_over names the session besides the match, which has an id of its own.
static bool is_ours(const struct play_session *p, struct span data)
{
    static const char *const members[] = {"session_id", "match_id"};
    char id[ACTION_REQUEST_ID + 1];
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        json_copy_text(json_member(data, members[i]), id, sizeof id);
        if (p->match[0] && strcmp(id, p->match) == 0)
            return true;
    }
    return false;
}

static void handle_request(struct play_session *p, struct span data)
{
    const struct game_kit *k = p->conn.o->game;
    struct action_request *t = &p->asked;
    if (!is_ours(p, data))
        return;
    print_events(p, json_member(data, "event_history"));
    print_events(p, json_member(data, "new_events"));
    if (action_request_read(k, data, t) != OK) {
        play_end(p, PLAY_FAILED, "the question of the server cannot be read; is the server newer than this program?");
        return;
    }
    p->me = t->seat;
    p->due_ms = loop_now_ms() + (t->timeout_ms < LONGEST_MS ? t->timeout_ms : LONGEST_MS);
    struct console_scene s = {
        .row = k,
        .table = {.seat = p->names, .seats = t->seats, .viewer = t->seat},
        .view = &t->view,
        .choices = t->choices,
        .count = t->count,
    };
    console_set(&p->screen.console, &s);
    if (json_member(data, "retry").at)
        console_set_notice(&p->screen.console, "that was not legal; choose another move");
}

// F4.28: a state means that no question is open.
static void handle_state(struct play_session *p, struct span data)
{
    const struct game_kit *k = p->conn.o->game;
    struct action_request *t = &p->seen;
    if (!is_ours(p, data) || action_request_read_state(k, data, t) != OK)
        return; // the last picture stays
    struct console_scene s = {
        .row = k,
        .table = {.seat = p->names, .seats = t->seats, .viewer = t->seat},
        .view = &t->view,
    };
    bool was_asked = p->screen.console.is_asked;
    console_set(&p->screen.console, &s);
    if (was_asked)
        console_set_notice(&p->screen.console, "%s", too_late);
}

static void handle_feed(struct play_session *p, struct span data)
{
    if (is_ours(p, data))
        print_events(p, json_member(data, "events"));
}

static void handle_stale(struct play_session *p, struct span data)
{
    if (is_ours(p, data))
        console_set_notice(&p->screen.console, "%s", too_late);
}

static void send_confirmation(struct play_session *p, struct span data)
{
    char text[PLAY_WHY], id[PLAY_NAME];
    json_copy_text(json_member(data, "confirm_id"), id, sizeof id);
    snprintf(text, sizeof text, "{\"type\":\"match_confirm\",\"data\":{\"confirm_id\":\"%s\"}}", id);
    play_connection_send(p, text);
}

static void handle_cancelled(struct play_session *p, struct span data)
{
    if (p->stage == PLAY_WAITING && span_is(json_member(data, "action"), "\"removed_from_queue\""))
        play_end(p, PLAY_FAILED, "the match was cancelled before it began; try again");
}

static void handle_error(struct play_session *p, struct span data)
{
    char why[PLAY_WHY];
    play_read_shown(json_member(data, "message"), why, sizeof why);
    if (p->stage == PLAY_WAITING)
        play_end(p, PLAY_FAILED, why);
    else
        console_set_notice(&p->screen.console, "%s", why);
}

static double read_payoff(struct span payoffs, int seat)
{
    struct span value = json_member(payoffs, dialect_pids[seat]);
    return value.at ? strtod(value.at, NULL) : 0;
}

static void handle_end(struct play_session *p, struct span data)
{
    struct text t = text_on(p->result, sizeof p->result - 1);
    if (!is_ours(p, data))
        return;
    struct span payoffs = json_member(json_member(data, "result"), "payoffs");
    read_names(p, json_member(data, "players")); // now their names are known
    double best = read_payoff(payoffs, p->me), worst = best;
    for (int s = 0; s < p->seats; s++) {
        double one = read_payoff(payoffs, s);
        best = one > best ? one : best;
        worst = one < worst ? one : worst;
    }
    bool mine = read_payoff(payoffs, p->me) >= best;
    codec_write(&t, "%s Payoffs:", best <= worst ? "A draw." : mine ? "You won." : "You lost.");
    for (int s = 0; s < p->seats; s++)
        codec_write(&t, " %s %g", p->names[s], read_payoff(payoffs, s));
    char url[PLAY_WHY];
    play_read_shown(json_member(data, "replay_url"), url, sizeof url);
    if (*url)
        codec_write(&t, "\nReplay: %s%s", url[0] == '/' ? p->conn.base : "", url);
    p->result[t.size] = 0;
    p->screen.console.is_asked = p->screen.console.fresh = false;
    p->stage = PLAY_OVER;
    loop_stop(&p->conn.loop);
}

static const struct {
    const char *type;
    void (*handle)(struct play_session *p, struct span data);
} messages[] = {
    {"welcome", handle_welcome},           {"game_start", handle_start}, {"action_request", handle_request},
    {"match_feed", handle_feed},           {"game_state", handle_state}, {"event", handle_feed},
    {"action_stale", handle_stale},        {"game_over", handle_end},    {"match_confirm_request", send_confirmation},
    {"match_cancelled", handle_cancelled}, {"error", handle_error},
};

void play_messages_handle(struct play_session *p, struct span message)
{
    struct span data = json_member(message, "data");
    char type[PLAY_NAME];
    json_copy_text(json_member(message, "type"), type, sizeof type);
    for (size_t i = 0; i < sizeof messages / sizeof *messages && p->stage <= PLAY_PLAYING; i++)
        if (strcmp(type, messages[i].type) == 0)
            messages[i].handle(p, data);
    if (p->stage <= PLAY_PLAYING)
        play_screen_refresh(p);
}

void play_messages_send_move(struct play_session *p, struct game_action a)
{
    struct text t = {.grow = heap_text_grow};
    text_puts(&t, "{\"type\":\"action\",\"match_id\":");
    json_write_text(&t, p->asked.match);
    if (p->asked.request[0]) {
        text_puts(&t, ",\"request_id\":");
        json_write_text(&t, p->asked.request);
    }
    text_puts(&t, ",\"data\":");
    action_request_answer(p->conn.o->game, &t, &p->asked, a);
    text_puts(&t, "}");
    if (p->conn.ws && !t.full)
        ws_send(p->conn.ws, text_span(&t));
    else // the question is repeated on the new connection
        console_set_notice(&p->screen.console, "not connected: the move was not sent");
    free(t.at);
}

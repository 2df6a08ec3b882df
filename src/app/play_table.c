// Who plays on the server, and at which table: a guest's key, a new table, an invitation.
#include "app/arena_games.h"
#include "app/file_io.h"
#include "app/play_file.h"
#include "app/play_internal.h"
#include "base/json_write.h"
#include "games/games.h"
#include "kit/arena_dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- who plays

static void key_path(const struct play_session *p, char path[PLAY_PATH])
{
    char word[PLAY_PATH / 2];
    snprintf(word, sizeof word, "%.200s-%u", p->conn.server.host, p->conn.server.port);
    play_guest_path(path, word);
}

// The key is sent in a header line, so it must not contain control characters or blanks.
static bool is_key(struct span key)
{
    bool sound = key.size && key.size < PLAY_KEY;
    for (size_t i = 0; sound && i < key.size; i++)
        sound = key.at[i] > ' ' && key.at[i] < 127;
    return sound;
}

static bool read_key(struct play_session *p)
{
    char path[PLAY_PATH], why[PLAY_WHY];
    key_path(p, path);
    struct span bytes = access(path, R_OK) == 0 ? file_io_read(path, why, sizeof why) : (struct span){0};
    size_t size = bytes.at ? strcspn(bytes.at, "\n") : 0;
    size = size < bytes.size ? size : bytes.size;
    bool sound = is_key((struct span){bytes.at, size});
    if (sound)
        snprintf(p->conn.key, sizeof p->conn.key, "%.*s", (int)size, bytes.at);
    free((void *)(uintptr_t)bytes.at);
    return sound;
}

static void save_key(struct play_session *p)
{
    char path[PLAY_PATH], why[PLAY_WHY];
    key_path(p, path);
    mode_t before = umask(077);
    bool kept = play_file_write(path, span_of(p->conn.key), why, sizeof why);
    umask(before);
    if (!kept)
        app_complain("the guest's key could not be saved: %s", why);
}

static void make_guest(struct play_session *p)
{
    char bytes[PLAY_WHY];
    struct text body = text_on(bytes, sizeof bytes);
    p->conn.key[0] = 0;
    json_begin_object(&body);
    if (strlen(p->conn.o->name) > 1)
        json_put_text(&body, "name", p->conn.o->name);
    json_end_object(&body);
    if (play_connection_call(p, "POST", "/api/guests", text_span(&body)) != 201)
        play_connection_refuse(p, "no guest could be made");
    json_copy_text(json_member(json_member(text_span(&p->conn.body), "agent"), "api_key"), p->conn.key,
                   sizeof p->conn.key);
    if (!is_key(span_of(p->conn.key)))
        app_refuse(p->conn.o->command, "%s is not an arena: its answer cannot be read", p->conn.base);
    if (play_connection_call(p, "PATCH", "/api/agents/me/policy", SPAN("{\"auto_confirm\":true}")) != 200)
        play_connection_refuse(p, "the guest could not be set up");
    save_key(p);
}

// A server with new data does not know an old guest any more.
void play_table_find_player(struct play_session *p)
{
    if (p->conn.o->key && !is_key(span_of(p->conn.o->key)))
        app_refuse(p->conn.o->command, "--key needs 1 to %d printable characters without spaces", PLAY_KEY - 1);
    if (p->conn.o->key)
        snprintf(p->conn.key, sizeof p->conn.key, "%s", p->conn.o->key);
    else if (!read_key(p) && p->conn.o->resume)
        app_refuse(p->conn.o->command, "you have not played on %s yet; start without --resume", p->conn.base);
    if (p->conn.key[0]) {
        if (play_connection_call(p, "GET", "/api/agents/me/status", (struct span){0}) == 200)
            return;
        if (p->conn.status != 401 || p->conn.o->key || p->conn.o->resume)
            play_connection_refuse(p, "you cannot play");
    }
    make_guest(p);
}

// --- the table

bool play_table_is_queue(const struct play_session *p)
{
    return p->conn.o->against && strcmp(p->conn.o->against, "waiting") == 0;
}

// An earlier table that waits for its player would begin instead of the new one.
static void check_running(struct play_session *p)
{
    if (play_connection_call(p, "GET", "/api/agents/me/challenges", (struct span){0}) != 200)
        play_connection_refuse(p, "your tables cannot be listed");
    struct json_reader r = json_reader_of(json_member(text_span(&p->conn.body), "duels"), PLAY_DEPTH);
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span status = json_member(json_read_raw(&r), "status");
        if (span_is(status, "\"in_match\"") || span_is(status, "\"waiting_online\""))
            app_refuse(p->conn.o->command, "you already play on %s; continue with --resume", p->conn.base);
    }
}

static int count_seats(const struct play_session *p)
{
    const struct game *g = p->conn.o->game->game;
    int places = dialect_of(p->conn.o->game)->challenge_places;
    return p->conn.o->seats ? p->conn.o->seats : places ? places : g->min_seats;
}

// "a,b" repeated for the seats; NULL: house bots of the level.
static void put_opponents(struct text *t, const struct play_session *p, int count)
{
    const char *list = p->conn.o->against, *at = list;
    json_begin_array_at(t, "opponents");
    for (int i = 0; i < count; i++) {
        char who[PLAY_NAME];
        size_t size = list ? strcspn(at, ",") : 0;
        snprintf(who, sizeof who, "%.*s", (int)(size < PLAY_NAME ? size : PLAY_NAME - 1), list ? at : "");
        if (!list)
            snprintf(who, sizeof who, "house:%d", p->conn.o->level);
        json_write_text(t, who);
        at = list && at[size] ? at + size + 1 : list;
    }
    json_end_array(t);
}

static void make_table(struct play_session *p)
{
    char bytes[2048];
    struct text body = text_on(bytes, sizeof bytes);
    int seats = count_seats(p);
    json_begin_object(&body);
    json_put_text(&body, "game", p->conn.o->game->game->name);
    json_put_int(&body, "seats", seats);
    put_opponents(&body, p, seats - 1);
    json_end_object(&body);
    if (body.full)
        app_refuse(p->conn.o->command, "--against is too long");
    if (play_connection_call(p, "POST", "/api/tables", text_span(&body)) != 201)
        play_connection_refuse(p, "there is no table");
    json_copy_text(json_member(json_member(text_span(&p->conn.body), "duel"), "id"), p->duel, sizeof p->duel);
    play_read_shown(json_member(text_span(&p->conn.body), "join_url"), p->join_url, sizeof p->join_url);
}

// Cancels a table that has not begun.
void play_table_give_up(struct play_session *p)
{
    char path[PLAY_WHY];
    snprintf(path, sizeof path, "/api/challenges/%s", p->duel);
    if (p->duel[0] && !p->match[0])
        play_connection_call(p, "DELETE", path, (struct span){0});
}

void play_table_create(struct play_session *p)
{
    if (p->conn.o->resume)
        return;
    check_running(p);
    if (!play_table_is_queue(p) && !p->token[0])
        make_table(p);
}

// --- a friend's table

static bool is_table_token(const char *token)
{
    size_t size = strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    return size && !token[size];
}

// The server's address may be a friend's link: then it names the table, and the table the game.
void play_table_find_game(struct play_session *p)
{
    static const char way[] = "/challenge/";
    struct play_server_options *o = p->conn.o;
    const char *path = p->conn.server.path;
    char call[sizeof p->conn.server.path + 32], game[PLAY_NAME];
    if (!path[0])
        return;
    if (strncmp(path, way, sizeof way - 1) != 0 || !is_table_token(path + sizeof way - 1))
        app_refuse(o->command, "--server: '%s' is no address of a server, as http://127.0.0.1:8080, and no invitation",
                   o->url);
    if (o->against || o->resume)
        app_refuse(o->command, "%s is for your own table; leave it out with a friend's address",
                   o->against ? "--against" : "--resume");
    snprintf(p->token, sizeof p->token, "%s", path + sizeof way - 1);
    snprintf(call, sizeof call, "/api/challenges/%s", p->token);
    if (play_connection_call(p, "GET", call, (struct span){0}) != 200)
        play_connection_refuse(p, "there is no such table");
    play_read_shown(json_member(json_member(text_span(&p->conn.body), "duel"), "game"), game, sizeof game);
    const struct game_kit *k = games_find(game);
    if (!k)
        app_refuse(o->command, "the table is one of '%s', which this program does not know", game);
    if (o->game && o->game != k)
        app_refuse(o->command, "the table is one of %s: agon play %s --server %s", game, game, o->url);
    o->game = k;
}

static void on_joined(void *client, int status, struct span body)
{
    struct play_session *p = client;
    char why[PLAY_WHY];
    if (status == 200 || p->stage != PLAY_WAITING)
        return;
    play_read_shown(json_member(body, "error"), why, sizeof why);
    play_end(p, PLAY_FAILED, *why ? why : "the place at the table could not be taken");
}

static void join_table(struct play_session *p)
{
    char path[sizeof p->token + 32], lines[PLAY_KEY + 256];
    snprintf(path, sizeof path, "/api/challenges/%s/accept", p->token);
    snprintf(lines, sizeof lines, "X-API-Key: %s\r\nX-AIFight-Capabilities: %s\r\n", p->conn.key, arena_games_gated());
    struct http_ask ask = play_connection_ask(p, "POST", path, lines);
    ask.on_answer = on_joined;
    p->has_joined = http_client_ask(p->conn.http, &ask) == 0;
}

void play_table_enter(struct play_session *p)
{
    char text[PLAY_WHY];
    if (p->conn.o->resume)
        return;
    if (p->token[0] && !p->has_joined)
        join_table(p);
    snprintf(text, sizeof text,
             "{\"type\":\"join_queue\",\"data\":{\"game\":\"%s\",\"mode\":\"ranked\",\"one_shot\":true}}",
             p->conn.o->game->game->name);
    if (play_table_is_queue(p))
        play_connection_send(p, text);
}

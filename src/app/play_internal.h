// The parts of a seat on a server (play_server.h), which share one struct:
//
//   play_connection.c  requests, the WebSocket, reconnecting
//   play_table.c       who plays, and at which table
//   play_messages.c    messages of the server about the match
//   play_screen.c      what the person sees and does
//
// All run on one event loop and one thread.
#pragma once

#include "app/console.h"
#include "app/play_server.h"
#include "base/json_read.h"
#include "kit/action_request.h"
#include "net/http_client.h"
#include "net/loop.h"

enum { PLAY_KEY = 128, PLAY_WHY = 256, PLAY_NAME = 64, PLAY_DEPTH = 32, PLAY_LINES = 4096 };

enum play_stage { PLAY_WAITING, PLAY_PLAYING, PLAY_OVER, PLAY_LEFT, PLAY_FAILED };

struct play_connection {
    struct play_server_options *o;
    struct http_url server;
    char base[512]; // the address without the path of a table
    char address[64], key[PLAY_KEY], instance[32];
    struct loop loop;
    struct tls *tls;
    struct http_client *http;
    struct ws *ws;
    struct event *again;
    int tries;
    // The request that is being waited for:
    int status;
    bool answered, late;
    struct text body;
};

struct play_screen {
    struct console console;
    struct event *input, *tick;
    char typed[PLAY_LINES]; // when lines are read: those not used yet, and a part of the next
    size_t typed_size;
    bool typed_ends; // the input has ended
    bool is_file;    // the input is, or /dev/null: it can be read at any time, but epoll refuses it
};

struct play_session {
    struct play_connection conn;
    struct play_screen screen;
    enum play_stage stage;
    char why[PLAY_WHY];                       // for PLAY_FAILED
    char duel[PLAY_NAME], join_url[PLAY_WHY]; // the own table, and its address for a friend; "": no friend is invited
    char token[PLAY_WHY];                     // of a friend's table, from the given address; "": none
    bool has_joined;                          // has joined that table
    char match[ACTION_REQUEST_ID + 1];
    char name[GAME_MAX_SEATS][PLAY_NAME];
    const char *names[GAME_MAX_SEATS];
    int seats, me;
    struct action_request asked; // the question, while the person is asked
    struct action_request seen;  // the last state received
    int64_t due_ms, greeted_ms;  // deadline of the question; when the server greeted; 0: not yet
    uint64_t events;             // events below this number are in the log
    struct text rules;
    char result[CONSOLE_NOTICE];
};

void play_end(struct play_session *p, enum play_stage stage, const char *why); // stops the loop
void play_read_shown(struct span json, char *out, size_t room); // text of other people, made safe for a terminal

// --- play_connection.c

void play_connection_open(struct play_session *p);
void play_connection_close(struct play_session *p);
struct http_ask play_connection_ask(struct play_session *p, const char *method, const char *path, const char *lines);
// Waits for the reply: before and after the match, when nothing else happens. 0: the server did not answer.
int play_connection_call(struct play_session *p, const char *method, const char *path, struct span body);
_Noreturn void play_connection_refuse(const struct play_session *p,
                                      const char *what); // reports why the last request failed
void play_connection_connect(struct play_session *p);    // the WebSocket; keeps trying
void play_connection_send(struct play_session *p, const char *text);

// --- play_table.c

void play_table_find_game(struct play_session *p);      // of a friend's table; sets it in the options
bool play_table_is_queue(const struct play_session *p); // it waits for opponents in the queue
void play_table_find_player(struct play_session *p);    // with a key that the server knows
void play_table_create(struct play_session *p);  // creates a table, unless the person joins a queue or a friend's table
void play_table_enter(struct play_session *p);   // joins the queue or the friend's table; when connected
void play_table_give_up(struct play_session *p); // unless the match has begun

// --- play_messages.c

void play_messages_handle(struct play_session *p, struct span message);
void play_messages_send_move(struct play_session *p, struct game_action a);

// --- play_screen.c

void play_screen_open(struct play_session *p);
void play_screen_run(struct play_session *p); // until the stage is past PLAY_PLAYING
void play_screen_refresh(struct play_session *p);
void play_screen_close(struct play_session *p);

// Two nodes in one process, with a bus in memory that loses, doubles and delays by a fixed seed: a match with a player
// on the other node is the same, byte for byte, as one with all of them on its host (S43, S44, S52, S55, S56).
#include "front/arena/relay.h"
#include "front/arena/hub_internal.h"
#include "front/arena/relay_internal.h"

#include "games/games.h"
#include "heap/heap.h"
#include "kit/action_request.h"
#include "lobby/internal.h"
#include "lobby_kit.h"
#include "net/ws_frame.h"
#include "store/mock_remote.h"
#include "work/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "far_end.h"

enum { PLAYERS = 4, FLIGHT = 512, HOST = 0, GATE = 1, TURN_MS = 25, IDS = 4096 };

// --- the clocks: that of the lobby stands, so that two matches have the same times; that of the links goes on

static int64_t wall_ms, link_ms;

static int64_t read_wall(void)
{
    return wall_ms;
}

static int64_t read_link_clock(void)
{
    return link_ms;
}

// --- nodes and the bus

struct node {
    struct kit kit;
    struct hub *hub;
    struct http *http;
    struct relay *relay;
    uint64_t epoch;
};

struct flight {
    uint64_t to;
    char *at;
    size_t size;
    int64_t due_ms;
};

static struct node node[2];
static struct loop loop;
static struct flight flight[FLIGHT];
static int flying;
static bool is_lossy, is_cut;
static bool is_passive; // everybody checks and calls
static struct rng dice;
static uint64_t dead_epoch;
static uint64_t repeated; // entries, of all matches

static void fly(uint64_t to, struct span bundle, int64_t delay_ms)
{
    assert_true(flying < FLIGHT);
    char *copy = malloc(bundle.size);
    memcpy(copy, bundle.at, bundle.size);
    flight[flying++] = (struct flight){to, copy, bundle.size, link_ms + delay_ms};
}

static void send_bundle(void *owner, uint64_t to, struct span bundle)
{
    (void)owner;
    if (is_cut || (is_lossy && rng_below(&dice, 100) < 15))
        return;
    int64_t delay_ms = is_lossy ? rng_below(&dice, 4 * TURN_MS) : 0;
    fly(to, bundle, delay_ms);
    if (is_lossy && rng_below(&dice, 100) < 10)
        fly(to, bundle, delay_ms + rng_below(&dice, 8 * TURN_MS));
}

static bool is_live(void *owner, uint64_t epoch)
{
    (void)owner;
    return epoch != dead_epoch;
}

static void deliver(void)
{
    for (int i = 0; i < flying;) {
        struct flight f = flight[i];
        if (f.due_ms > link_ms) {
            i++;
            continue;
        }
        memmove(&flight[i], &flight[i + 1], (size_t)(--flying - i) * sizeof *flight);
        for (int n = 0; n < 2; n++)
            if (node[n].epoch == f.to)
                relay_receive(node[n].relay, (struct span){f.at, f.size});
        free(f.at);
    }
}

static void on_turn_end(void *owner)
{
    (void)owner;
    link_ms += TURN_MS;
    deliver();
    for (int i = 0; i < 2; i++) {
        store_ticket durable;
        store_submit(node[i].kit.store);
        store_wait(node[i].kit.store);
        assert_int_equal(store_collect(node[i].kit.store, &durable), OK);
        hub_release(node[i].hub, durable);
        relay_flush(node[i].relay);
    }
    loop.asked = false; // the next turn comes with the beat
}

static void on_request(void *owner, struct http_request *r)
{
    hub_agent_request(((struct node *)owner)->hub, r);
}

static struct lobby_game games[GAMES_MAX + 1];

static void fill_games(void)
{
    int n = 0;
    for (int i = 0; game_kits[i]; i++) {
        const struct game_kit *k = game_kits[i];
        if (!dialect_refusal(k))
            games[n++] = (struct lobby_game){.codec = k->codec,
                                             .house = kit_bots(k)[0],
                                             .min_seats = k->game->min_seats,
                                             .max_seats = k->game->max_seats,
                                             .is_public = dialect_is_public,
                                             .set_rules = dialect_of(k)->set_rules,
                                             .in_play = dialect_of(k)->count_in_play};
    }
}

static void open_node(struct node *n, uint64_t epoch)
{
    static const struct http_handler handler = {.on_request = on_request};
    struct lobby_options lo;
    struct hub_options o;
    struct http_options h;
    lobby_defaults(&lo);
    lo.house_bots = 0;
    lo.games = games;
    kit_open(&n->kit, &lo);
    n->epoch = epoch;
    hub_defaults(&o);
    o.loop = &loop;
    o.lobby = n->kit.lobby;
    o.now_ms = read_wall;
    o.gap_ms = o.reply_gap_ms = 0;
    o.messages_in_burst = o.messages_per_second = 100000;
    n->hub = hub_open(&o);
    n->relay = relay_open(&(struct relay_options){
        .hub = n->hub, .epoch = epoch, .now_ms = read_link_clock, .send = send_bundle, .is_live = is_live});
    http_defaults(&h);
    h.conn.port = 0;
    n->http = http_listen(&loop, &h, &handler, n);
    assert_true(n->hub && n->relay && n->http);
}

static int set_up(void **state)
{
    (void)state;
    fill_games();
    loop_init(&loop);
    wall_ms = 1700000000000;
    link_ms = 1000;
    is_lossy = is_cut = is_passive = false;
    dead_epoch = 0;
    open_node(&node[HOST], 7);
    open_node(&node[GATE], 9);
    loop_add_hook(&loop, on_turn_end, &node);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    loop_remove_hook(&loop, &node);
    for (int i = 0; i < 2; i++) {
        http_close(node[i].http);
        relay_close(node[i].relay);
        hub_close(node[i].hub);
        kit_close(&node[i].kit);
    }
    while (flying > 0)
        free(flight[--flying].at);
    loop_release(&loop);
    return 0;
}

static void turn(void)
{
    loop_end_turn(&loop);
    far_turn(&loop);
}

#define COME_TRUE(condition) UNTIL(&loop, (condition) || (loop_end_turn(&loop), false))

// --- players: clients of the wire

struct player {
    struct far_end far;
    size_t at;                // bytes of it that were read
    struct lobby_agent *here; // at the host
    struct uuid id;
    const struct game_kit *kit;
    struct rng dice;
    struct action_request asked;
    bool has_question, over, old;
    bool is_mute; // it sends no pongs
    int asks, pings;
    char ping[16];     // the last one
    struct text heard; // every frame, with ids by the order of their appearance
    struct uuid seen[IDS];
    int ids;
};

static struct player player[PLAYERS];
static int mute = -1; // the player that sends no pongs
static int players;

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

// Ids are drawn: what counts is which are the same.
static void note_frame(struct player *p, struct span frame)
{
    for (size_t i = 0; i < frame.size;) {
        struct uuid id;
        struct span rest = {frame.at + i, UUID_TEXT};
        if (frame.size - i < UUID_TEXT || !is_hex(frame.at[i]) || !uuid_parse(&id, rest)) {
            text_put_char(&p->heard, frame.at[i++]);
            continue;
        }
        int k = 0;
        while (k < p->ids && !uuid_equals(p->seen[k], id))
            k++;
        if (k == p->ids)
            p->seen[p->ids++] = id;
        assert_true(p->ids < IDS);
        text_put_char(&p->heard, '#');
        text_put_int(&p->heard, k);
        i += UUID_TEXT;
    }
    text_put_char(&p->heard, '\n');
}

static void say_frame(struct player *p, int opcode, struct span text)
{
    struct ws_head h = {.opcode = (uint8_t)opcode, .last = true, .masked = true, .length = text.size};
    uint8_t head[WS_MAX_HEAD];
    int size = ws_head_write(head, &h);
    far_say_bytes(&p->far, &loop, (struct span){(const char *)head, (size_t)size});
    far_say_bytes(&p->far, &loop, text); // the mask is zero
}

static void read_frame(struct player *p, struct span frame)
{
    static const char ask[] = "{\"type\":\"action_request\"", over[] = "{\"type\":\"game_over\"";
    note_frame(p, frame);
    if (memmem(frame.at, frame.size, over, sizeof over - 1))
        p->over = true;
    if (memcmp(frame.at, ask, sizeof ask - 1) != 0)
        return;
    p->asks++;
    p->has_question = true;
    assert_int_equal(action_request_read(p->kit, json_member(frame, "data"), &p->asked), OK);
}

// All that has come.
static void hear(struct player *p)
{
    struct ws_head h;
    far_look(&p->far);
    for (int size; (size = ws_head_read(&h, (struct span){p->far.bytes + p->at, p->far.size - p->at})) > 0;) {
        if (p->far.size - p->at < (size_t)size + h.length)
            return;
        struct span body = {p->far.bytes + p->at + size, h.length};
        p->at += (size_t)size + h.length;
        if (h.opcode == WS_TEXT)
            read_frame(p, body);
        if (h.opcode == WS_PING) {
            p->pings++;
            snprintf(p->ping, sizeof p->ping, "%.*s", (int)body.size, body.at);
            if (!p->is_mute)
                say_frame(p, WS_PONG, body);
        }
    }
}

static bool has_heard(struct player *p, const char *word)
{
    hear(p);
    return memmem(p->heard.at, p->heard.size, word, strlen(word)) != NULL;
}

static void connect_to(struct player *p, struct node *n, const char *name)
{
    char head[1024];
    p->far = far_open(conn_port(http_port(n->http)));
    snprintf(head, sizeof head,
             "GET /api/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-API-Key: %s\r\n"
             "X-AIFight-Protocol-Version: %s\r\nX-AIFight-Capabilities: match_feed, belote, game_state, %s\r\n"
             "X-AIFight-Instance: %s\r\n\r\n",
             name, p->old ? "v1.0.0" : "v1.2.0", p->kit->game->name, name);
    far_say(&p->far, &loop, head);
    p->at = 0;
    COME_TRUE(far_has(&p->far, "\r\n\r\n"));
    p->at = (size_t)((char *)memmem(p->far.bytes, p->far.size, "\r\n\r\n", 4) - p->far.bytes) + 4;
    COME_TRUE(has_heard(p, "\"welcome\""));
}

static uint64_t next_number = 40;

static bool is_greeted(const struct player *p)
{
    const struct lobby_presence *at = lobby_agent_presence(p->here);
    return at && at->link == &hub_link && ((struct hub_conn *)at->client)->phase == HUB_OPEN &&
           !((struct hub_conn *)at->client)->in_gap;
}

static void seat_player(int i, const struct game_kit *k, bool elsewhere, bool old)
{
    struct player *p = &player[i];
    char name[16];
    snprintf(name, sizeof name, "player%d", i);
    *p = (struct player){.kit = k, .old = old, .is_mute = i == mute, .heard = {.grow = heap_text_grow}};
    p->dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){(uint8_t)(i + 1)});
    struct kit_agent *host = kit_add(&node[HOST].kit, name), *gate = kit_add(&node[GATE].kit, name);
    assert_true(uuid_equals(host->id, gate->id)); // one store, as it were
    p->id = host->id;
    p->here = host->agent;
    connect_to(p, &node[elsewhere ? GATE : HOST], name);
    if (elsewhere) {
        assert_true(relay_arrived(node[GATE].relay, p->id, ++next_number, NULL, 0));
        assert_true(relay_introduce(node[GATE].relay, p->id, node[HOST].epoch));
    }
    COME_TRUE(is_greeted(p));
    for (int n = 0; n < 4; n++)
        turn();
}

static void leave_all(void)
{
    for (int i = 0; i < players; i++) {
        far_close(&player[i].far);
        free(player[i].heard.at);
    }
    players = 0;
    for (int i = 0; i < 8; i++)
        turn();
}

// --- a match

static struct uuid match_id;

static void begin_match(const struct game_kit *k, int elsewhere, int old)
{
    const struct lobby_game *g = lobby_find_game(node[HOST].kit.lobby, span_of(k->game->name));
    struct lobby_agent *agents[PLAYERS];
    struct lobby_fixed fixed = {.match = {{0x11, 0x22, 0x33}}, .key = {0x44, 0x55}};
    uuid_mark_random(&fixed.match);
    match_id = fixed.match;
    players = k->game->min_seats;
    assert_true(g && players <= PLAYERS);
    for (int i = 0; i < players; i++) {
        seat_player(i, k, i == elsewhere, i == old);
        agents[i] = player[i].here;
    }
    assert_int_equal(lobby_seat_fixed(node[HOST].kit.lobby, g, "tournament", agents, players, &fixed, wall_ms), OK);
}

static struct lobby_seat *seat_of(const struct player *p)
{
    return lobby_running_seat(p->here, lobby_find_game(node[HOST].kit.lobby, span_of(p->kit->game->name)));
}

// Whether it is asked at the host, and whether it has got the question.
static bool is_awaited(const struct player *p)
{
    struct lobby_seat *s = seat_of(p);
    return s && lobby_judge(s, NULL, INT64_MAX) == LOBBY_AWAITED;
}

static bool has_the_question(struct player *p)
{
    struct uuid request;
    hear(p);
    if (!p->has_question || !is_awaited(p))
        return false;
    if (p->old)
        return true;
    return uuid_parse(&request, span_of(p->asked.request)) && lobby_judge(seat_of(p), &request, 0) == LOBBY_AWAITED;
}

static bool is_settled(void)
{
    bool ready = true;
    for (int i = 0; i < players; i++) {
        hear(&player[i]);
        ready &= !is_awaited(&player[i]) || has_the_question(&player[i]);
    }
    return ready;
}

static struct game_action choose(struct player *p)
{
    for (int i = 0; i < p->asked.count && is_passive; i++) {
        const char *type = codec_find_kind(p->kit->codec, p->asked.choices[i].first.kind, false)->type;
        if (strcmp(type, "check") == 0 || strcmp(type, "call") == 0)
            return p->asked.choices[i].first;
    }
    return bot_pick_uniform(p->asked.choices, p->asked.count, &p->dice);
}

static void answer(struct player *p)
{
    char room[1024];
    struct text t = text_on(room, sizeof room);
    json_begin_object(&t);
    json_put_text(&t, "type", "action");
    json_put_text(&t, "match_id", p->asked.match);
    if (!p->old)
        json_put_text(&t, "request_id", p->asked.request);
    json_key(&t, "data");
    action_request_answer(p->kit, &t, &p->asked, choose(p));
    json_end_object(&t);
    p->has_question = false;
    say_frame(p, WS_TEXT, text_span(&t));
}

static bool is_over(void)
{
    bool over = true;
    for (int i = 0; i < players; i++) {
        hear(&player[i]);
        over &= player[i].over;
    }
    return over;
}

// Of those who are asked the first answers, when all of them have heard; then the next.
static bool play_one(void)
{
    COME_TRUE(is_settled());
    for (int i = 0; i < players; i++)
        if (has_the_question(&player[i])) {
            struct lobby_figures f, now;
            lobby_figures(node[HOST].kit.lobby, &f);
            answer(&player[i]);
            COME_TRUE((lobby_figures(node[HOST].kit.lobby, &now), now.actions == f.actions + 1));
            return true;
        }
    return false;
}

static int play_out(int most)
{
    int steps = 0;
    while (steps < most && play_one())
        steps++;
    return steps;
}

// --- two of them compared

static bool add_piece(void *owner, int64_t at_ms, struct span log, struct span note)
{
    (void)at_ms, (void)note;
    text_put(owner, log);
    return true;
}

struct record {
    struct text log, heard[PLAYERS];
    int steps;
};

static void play_match(struct record *out, const struct game_kit *k, int elsewhere, bool lossy, int old)
{
    set_up(NULL);
    *out = (struct record){.log = {.grow = heap_text_grow}};
    dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){0x52});
    is_lossy = lossy;
    begin_match(k, elsewhere, old);
    out->steps = play_out(3000);
    COME_TRUE(is_over());
    assert_int_equal(store_read_log(node[HOST].kit.store, match_id, add_piece, &out->log), OK);
    for (int i = 0; i < players; i++) {
        out->heard[i] = player[i].heard;
        player[i].heard = (struct text){0};
    }
    for (int i = 0; i < 2; i++) {
        struct relay_figures f;
        relay_figures(node[i].relay, &f);
        assert_int_equal(f.resets, 0);
        repeated += f.repeated;
    }
    leave_all();
    tear_down(NULL);
}

static void compare(const char *what, const char *game, struct text *a, struct text *b)
{
    size_t i = 0;
    while (i < a->size && i < b->size && a->at[i] == b->at[i])
        i++;
    if (i != a->size || i != b->size)
        fail_msg("%s of %s differs at %zu of %zu, %zu: %.120s | %.120s", what, game, i, a->size, b->size,
                 a->at + (i > 60 ? i - 60 : 0), b->at + (i > 60 ? i - 60 : 0));
}

static void forget(struct record *r)
{
    free(r->log.at);
    for (int i = 0; i < PLAYERS; i++)
        free(r->heard[i].at);
}

// `old`: that seat speaks profile L.
static void compare_match(const struct game_kit *k, int elsewhere, int old)
{
    struct record here, there;
    play_match(&here, k, -1, false, old);
    play_match(&there, k, elsewhere, true, old);
    assert_true(here.steps > 0 && here.log.size > 0);
    assert_int_equal(here.steps, there.steps);
    compare("the log", k->game->name, &here.log, &there.log);
    for (int p = 0; p < k->game->min_seats; p++)
        compare("what a player heard", k->game->name, &here.heard[p], &there.heard[p]);
    forget(&here);
    forget(&there);
}

static void a_relayed_match_is_the_same(void **state)
{
    int played = 0;
    (void)state;
    fill_games();
    for (; games[played].codec; played++) {
        const struct game_kit *k = games_find(games[played].codec->game->name);
        compare_match(k, played % k->game->min_seats, -1);
    }
    assert_true(played >= 6 && repeated > 20);
}

// S55: without request ids.
static void so_it_is_in_profile_l(void **state)
{
    (void)state;
    fill_games();
    compare_match(games_find("leduc_poker"), 1, 1);
}

// --- single rules

static const struct game_kit *kuhn(void)
{
    return games_find("kuhn_poker");
}

// The player at the gateway is asked; the others have answered until then.
static void play_until_asked(struct player *p)
{
    for (int i = 0; i < 10; i++) {
        COME_TRUE(is_settled());
        if (has_the_question(p)) {
            COME_TRUE(!seat_of(p)->start_due); // else it would be told of the beginning again
            return;
        }
        assert_true(play_one());
    }
    fail_msg("it was never asked");
}

static void finish(void)
{
    play_out(100);
    COME_TRUE(is_over());
}

static int count_heard(struct player *p, const char *word)
{
    int count = 0;
    hear(p);
    for (const char *at = p->heard.at, *end = at + p->heard.size;
         (at = memmem(at, (size_t)(end - at), word, strlen(word)));)
        count++, at++;
    return count;
}

// S55: an answer counts for the question that had been written when it was given, and for no later one. Everything is
// said twice at once; sometimes the same player is asked next, and the second answer would do for that.
static void a_second_answer_does_not_count(void **state)
{
    static const char stale[] = "no decision is pending";
    struct player *p = &player[1];
    struct lobby_figures f, now;
    int asked_again = 0, said = 0;
    (void)state;
    is_passive = true;
    begin_match(games_find("texas_holdem"), 1, 1);
    for (; said < 60 && asked_again < 2; said++) {
        play_until_asked(p);
        lobby_figures(node[HOST].kit.lobby, &f);
        struct action_request asked = p->asked;
        answer(p);
        p->asked = asked;
        answer(p);
        COME_TRUE(count_heard(p, stale) == said + 1);
        asked_again += is_awaited(p);
        lobby_figures(node[HOST].kit.lobby, &now);
        assert_int_equal(now.actions, f.actions + 1);
    }
    assert_int_equal(asked_again, 2);
    leave_all();
}

// S44: the pong of game_over comes back to the host.
static void an_end_is_delivered(void **state)
{
    struct uuid list[4];
    (void)state;
    begin_match(kuhn(), 1, -1);
    finish();
    COME_TRUE(store_list_undelivered(node[HOST].kit.store, player[1].id, 0, list, 4) == 0);
    leave_all();
}

// S44: a host that does not know of the pong tells the end again; the connection that was told is not told twice, and a
// pong stands for what was written before.
static void an_end_is_told_once_on_a_connection(void **state)
{
    struct uuid list[4];
    struct player *p = &player[1];
    (void)state;
    begin_match(kuhn(), 1, -1);
    p->is_mute = true;
    finish();
    int pings = p->pings;
    assert_int_equal(store_list_undelivered(node[HOST].kit.store, p->id, 0, list, 4), 1);
    for (int i = 1; i <= 2; i++) {
        assert_true(relay_introduce(node[GATE].relay, p->id, node[HOST].epoch));
        COME_TRUE((hear(p), p->pings == pings + i));
    }
    assert_int_equal(count_heard(p, "\"game_over\""), 1);
    say_frame(p, WS_PONG, span_of(p->ping));
    COME_TRUE(store_list_undelivered(node[HOST].kit.store, p->id, 0, list, 4) == 0);
    leave_all();
}

// What the host has stored of the match, as if both nodes had one store.
static void share_result(void)
{
    struct store_match m;
    assert_true(store_find_match(node[HOST].kit.store, match_id, &m));
    assert_int_equal(m.status, STORE_CANCELLED);
    struct store_match began = m;
    began.status = STORE_RUNNING;
    store_begin_match(node[GATE].kit.store, &began, NULL, SPAN("head"));
    store_finish_match(node[GATE].kit.store, &m, NULL, m.finished_ms, SPAN("end"), NULL, 0, NULL);
    turn();
}

// The host has stored the end, and dies before it tells it.
static void end_untold(struct player *p)
{
    play_until_asked(p);
    is_cut = true;
    assert_int_equal(lobby_cancel_match(node[HOST].kit.lobby, match_id, wall_ms), OK);
    turn();
}

// S44: the connection of the player outlives the host.
static void an_end_that_a_dead_host_has_not_told_is_told(void **state)
{
    struct uuid list[4];
    struct player *p = &player[1];
    (void)state;
    begin_match(kuhn(), 1, -1);
    end_untold(p);
    assert_int_equal(count_heard(p, "\"game_over\""), 0);
    share_result();
    relay_end_node(node[GATE].relay, node[HOST].epoch);
    COME_TRUE(has_heard(p, "\"game_over\""));
    COME_TRUE(store_list_undelivered(node[GATE].kit.store, p->id, 0, list, 4) == 0);
    relay_end_node(node[GATE].relay, node[HOST].epoch);
    for (int i = 0; i < 20; i++)
        turn();
    assert_int_equal(count_heard(p, "\"game_over\""), 1);
    leave_all();
}

// The player has come again, and the host has not heard of that. `late`: nor is it known any more.
static void tell_after_return(bool late)
{
    struct player *p = &player[1];
    begin_match(kuhn(), 1, -1);
    end_untold(p);
    far_close(&p->far);
    for (int i = 0; i < 4; i++)
        turn();
    connect_to(p, &node[GATE], "player1");
    share_result();
    dead_epoch = late ? node[HOST].epoch : 0;
    struct relay_match at = {.host = node[HOST].epoch};
    assert_true(relay_arrived(node[GATE].relay, p->id, ++next_number, &at, 1));
    if (!late)
        relay_end_node(node[GATE].relay, node[HOST].epoch);
    COME_TRUE(has_heard(p, "\"game_over\""));
    leave_all();
}

static void so_it_is_on_a_new_connection(void **state)
{
    (void)state;
    tell_after_return(false);
}

static void so_it_is_when_the_host_is_forgotten(void **state)
{
    (void)state;
    tell_after_return(true);
}

// S56: the clock starts with `written`.
static void the_clock_starts_when_it_is_written(void **state)
{
    struct player *p = &player[1];
    (void)state;
    begin_match(kuhn(), 1, -1);
    play_until_asked(p);
    int64_t from_ms = link_ms;
    COME_TRUE(seat_of(p)->written_ms != NEVER);
    assert_true(link_ms - from_ms < 1000);
    finish();
    leave_all();
}

static void without_written_it_starts_after_2_s(void **state)
{
    struct player *p = &player[0];
    (void)state;
    begin_match(kuhn(), 0, -1);
    is_cut = true;
    COME_TRUE(is_awaited(p) || is_awaited(&player[1]));
    struct player *asked = is_awaited(p) ? p : &player[1];
    if (asked != p) { // the other one answers first
        is_cut = false;
        play_one();
        is_cut = true;
        COME_TRUE(is_awaited(p));
    }
    COME_TRUE(seat_of(p)->request.byte[6] != 0);
    int64_t from_ms = link_ms;
    COME_TRUE(seat_of(p)->written_ms != NEVER);
    assert_true(link_ms - from_ms >= 2000 - 8 * TURN_MS && link_ms - from_ms <= 2000 + 8 * TURN_MS);
    is_cut = false;
    finish();
    leave_all();
}

// S43: the newest connection counts, wherever it is; the older one is told.
static void a_newer_connection_takes_over(void **state)
{
    struct player *p = &player[1], older;
    (void)state;
    begin_match(kuhn(), 1, -1);
    play_until_asked(p);
    older = *p;
    older.heard = (struct text){.grow = heap_text_grow};
    connect_to(p, &node[HOST], "player1"); // it has come to the host itself
    assert_true(relay_arrived(node[HOST].relay, p->id, ++next_number, NULL, 0));
    COME_TRUE(far_ended(&older.far));
    COME_TRUE(has_heard(p, "\"is_reconnect\":true"));
    // What its first gateway still says of it is refused.
    finish();
    far_close(&older.far);
    free(older.heard.at);
    leave_all();
}

// S43: the host still reads the agent of an older connection when the newer one comes.
static void a_newer_connection_is_not_replaced_by_an_older_one_that_was_being_read(void **state)
{
    struct node *n = &node[HOST];
    struct relay_conn older = {.come = &(struct come){.instance = "older"}};
    char bytes[RELAY_COME];
    (void)state;
    store_set_mock(n->kit.store, &(struct store_mock){0}); // an agent is read in a job,
    work_count(loop_work(&loop), UINT32_MAX / 2);          // which begins in the next turn
    struct kit_agent *a = kit_add(&n->kit, "player0");
    uint64_t number = ++next_number;
    struct hub_conn at_gate = {0};
    older.conn = &at_gate;
    struct entry e = {.kind = ENTRY_COME, .conn = number, .id = a->id, .payload = relay_write_come(&older, bytes)};
    relay_receive_come(n->relay, node[GATE].epoch, &e);
    assert_non_null(relay_find_number(n->relay, number));
    assert_false(lobby_agent_is_online(a->agent));
    a->conn = ++next_number;
    kit_come(a, "newer");
    COME_TRUE(!relay_find_number(n->relay, number));
    assert_false(kit_heard(a, "gone"));
    assert_int_equal(lobby_agent_presence(a->agent)->conn, a->conn);
}

// A gateway that is gone: its player is offline, and comes back through another one.
static void a_gateway_that_dies_is_a_disconnection(void **state)
{
    struct player *p = &player[1];
    (void)state;
    begin_match(kuhn(), 1, -1);
    play_until_asked(p);
    dead_epoch = node[GATE].epoch;
    relay_end_node(node[HOST].relay, node[GATE].epoch);
    assert_null(lobby_agent_presence(p->here));
    for (int i = 0; i < 20; i++)
        turn();
    assert_null(lobby_agent_presence(p->here)); // what it says is not heard (S53)
    far_close(&p->far);
    connect_to(p, &node[HOST], "player1");
    COME_TRUE(has_heard(p, "\"is_reconnect\":true"));
    finish();
    leave_all();
}

// F4.21: `game_start` was written, and nothing shows that it arrived: the same process is told again.
static void a_beginning_that_may_be_lost_comes_again(void **state)
{
    struct player *p = &player[1];
    (void)state;
    mute = 1;
    begin_match(kuhn(), 1, -1);
    mute = -1;
    COME_TRUE(count_heard(p, "\"game_start\"") == 1);
    dead_epoch = node[GATE].epoch;
    relay_end_node(node[HOST].relay, node[GATE].epoch);
    far_close(&p->far);
    p->is_mute = false;
    connect_to(p, &node[HOST], "player1");
    COME_TRUE(count_heard(p, "\"game_start\"") == 2);
    finish();
    leave_all();
}

// S53: the gateway says more than its link keeps while the bus is away; the host asks again, with the whole history.
static void a_reset_link_asks_again(void **state)
{
    static char message[60000];
    struct player *p = &player[1];
    struct relay_figures f = {0};
    (void)state;
    begin_match(kuhn(), 1, -1);
    play_until_asked(p);
    is_cut = true;
    int size =
        snprintf(message, sizeof message,
                 "{\"type\":\"action\",\"match_id\":\"%s\",\"request_id\":\"x\",\"data\":{\"type\":\"", p->asked.match);
    memset(message + size, 'z', sizeof message - 3 - (size_t)size);
    memcpy(message + sizeof message - 3, "\"}}", 3);
    for (int i = 0; i < 300 && f.resets == 0; i++) {
        say_frame(p, WS_TEXT, (struct span){message, sizeof message});
        turn();
        relay_figures(node[GATE].relay, &f);
    }
    assert_int_equal(f.resets, 1);
    is_cut = false;
    COME_TRUE(has_heard(p, "\"is_reconnect\":true"));
    finish();
    relay_figures(node[HOST].relay, &f);
    assert_int_equal(f.resets, 1);
    leave_all();
}

// F2.9, F4.20: the gateway introduces its player again while the first request is on its way. Both requests arrive on
// one connection, so the second is a reconnect and does not repeat its events as new ones.
static void a_request_on_its_way_is_not_repeated_as_new(void **state)
{
    struct player *p = &player[1];
    (void)state;
    is_passive = true;
    begin_match(kuhn(), 1, -1);
    is_cut = true;
    while (!is_awaited(p)) {
        COME_TRUE(has_the_question(&player[0]));
        answer(&player[0]);
        COME_TRUE(is_awaited(p));
    }
    relay_put_come(node[GATE].relay, relay_find_agent(node[GATE].relay, p->id), node[HOST].epoch);
    is_cut = false;
    COME_TRUE(has_heard(p, "\"is_reconnect\":true"));
    assert_int_equal(count_heard(p, "\"new_events\":[{"), 1);
    finish();
    leave_all();
}

int main(void)
{
#define RELAY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_relayed_match_is_the_same),
        cmocka_unit_test(so_it_is_in_profile_l),
        RELAY(a_second_answer_does_not_count),
        RELAY(an_end_is_delivered),
        RELAY(an_end_is_told_once_on_a_connection),
        RELAY(an_end_that_a_dead_host_has_not_told_is_told),
        RELAY(so_it_is_on_a_new_connection),
        RELAY(so_it_is_when_the_host_is_forgotten),
        RELAY(the_clock_starts_when_it_is_written),
        RELAY(without_written_it_starts_after_2_s),
        RELAY(a_newer_connection_takes_over),
        RELAY(a_newer_connection_is_not_replaced_by_an_older_one_that_was_being_read),
        RELAY(a_gateway_that_dies_is_a_disconnection),
        RELAY(a_beginning_that_may_be_lost_comes_again),
        RELAY(a_reset_link_asks_again),
        RELAY(a_request_on_its_way_is_not_repeated_as_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

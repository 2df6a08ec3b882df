// A match at one node, spectators at three, with a bus in memory that loses and doubles by a fixed seed: all of them
// see the same events, also when the host dies and the match goes on under another epoch (S48).
#include "front/arena/feeds_internal.h"

#include "heap/heap.h"
#include "lobby_kit.h"
#include "net/ws_frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "far_end.h"

enum {
    HOST,
    GATE,
    OTHER,
    NODES,
    SUBSCRIPTIONS = 64,
    FLIGHT = 4096,
    TURN_MS = 25,
    TICK_MS = 200,
    WATCHERS = 12,
};

static int64_t wall_ms, link_ms;
static struct loop loop;

static int64_t read_wall(void)
{
    return wall_ms;
}

static int64_t read_link_clock(void)
{
    return link_ms;
}

// --- the bus: order is kept, as by one connection to a server

struct subscription {
    int node;
    bool open;
    char name[NODE_BUS_SUBJECT];
    node_bus_notice_call *call;
    void *who;
};

struct flight {
    uint64_t from;
    char name[NODE_BUS_SUBJECT];
    char *at;
    size_t size;
};

struct node {
    struct kit kit;
    struct hub *hub;
    struct http *http;
    struct feeds *feeds;
    uint64_t epoch;
};

static struct node node[NODES];
static struct subscription subscriptions[SUBSCRIPTIONS];
static struct flight flight[FLIGHT];
static int flying;
static bool is_lossy;
static struct rng dice;
static uint64_t host_epoch; // as the store would say
static int frames_published, pictures_published;

static bool publish(void *owner, const char *name, struct span bytes)
{
    struct feed_message m;
    struct node *n = owner;
    assert_true(flying < FLIGHT);
    char *copy = malloc(bytes.size);
    memcpy(copy, bytes.at, bytes.size);
    flight[flying] = (struct flight){.from = n->epoch, .at = copy, .size = bytes.size};
    snprintf(flight[flying++].name, NODE_BUS_SUBJECT, "%s", name);
    if (strncmp(name, "watch.", 6) == 0 && feed_read(bytes, &m)) {
        frames_published += m.kind == FEED_FRAME;
        pictures_published += m.kind == FEED_PICTURE;
    }
    return true;
}

static void *listen_to(void *owner, const char *name, node_bus_notice_call *call, void *who)
{
    int i = 0;
    while (i < SUBSCRIPTIONS && subscriptions[i].open)
        i++;
    assert_true(i < SUBSCRIPTIONS);
    subscriptions[i] =
        (struct subscription){.node = (int)((struct node *)owner - node), .open = true, .call = call, .who = who};
    snprintf(subscriptions[i].name, sizeof subscriptions[i].name, "%s", name);
    return &subscriptions[i];
}

static void ignore(void *owner, void *subscription)
{
    (void)owner;
    ((struct subscription *)subscription)->open = false;
}

static bool is_away(void *owner)
{
    (void)owner;
    return false;
}

static int list_peers(void *owner, uint64_t *epochs, int room)
{
    int count = 0;
    for (int i = 0; i < NODES && count < room; i++)
        if (&node[i] != owner && node[i].feeds)
            epochs[count++] = node[i].epoch;
    return count;
}

static bool find(void *owner, struct uuid live, uint64_t *host)
{
    (void)owner, (void)live;
    *host = host_epoch;
    return host_epoch != 0; // else the store does not answer
}

// One in five frames does not reach the gateway for certain.
static bool is_doomed(const struct flight *f, const struct subscription *e)
{
    struct feed_message m;
    return e->node == GATE && feed_read((struct span){f->at, f->size}, &m) && m.kind == FEED_FRAME && m.number % 5 == 0;
}

static void hand_out(const struct flight *f)
{
    for (int i = 0; i < SUBSCRIPTIONS; i++) {
        int times = !is_lossy ? 1 : rng_below(&dice, 100) < 15 ? 0 : rng_below(&dice, 100) < 10 ? 2 : 1;
        if (is_lossy && subscriptions[i].open && is_doomed(f, &subscriptions[i]))
            times = 0;
        for (; times > 0; times--)
            if (subscriptions[i].open && node[subscriptions[i].node].epoch != f->from &&
                strcmp(subscriptions[i].name, f->name) == 0)
                subscriptions[i].call(subscriptions[i].who, f->from, (struct span){f->at, f->size});
    }
}

static void deliver(void)
{
    int count = flying;
    for (int i = 0; i < count; i++) {
        hand_out(&flight[i]);
        free(flight[i].at);
    }
    memmove(flight, flight + count, (size_t)(flying - count) * sizeof *flight);
    flying -= count;
}

static void on_turn_end(void *owner)
{
    (void)owner;
    link_ms += TURN_MS;
    deliver();
    for (int i = 0; i < NODES && link_ms % TICK_MS == 0; i++)
        if (node[i].feeds)
            feeds_tick(node[i].feeds);
    for (int i = 0; i < NODES; i++) {
        store_ticket durable;
        if (!node[i].hub)
            continue;
        node[i].kit.now_ms = wall_ms;
        kit_pass(&node[i].kit, 0);
        store_submit(node[i].kit.store);
        store_wait(node[i].kit.store);
        assert_int_equal(store_collect(node[i].kit.store, &durable), OK);
        hub_release(node[i].hub, durable);
    }
    loop.asked = false; // the next turn comes with the beat
}

static void turn(void)
{
    loop_end_turn(&loop);
    far_turn(&loop);
}

#define COME_TRUE(condition) UNTIL(&loop, (condition) || (loop_end_turn(&loop), false))

// --- nodes

static struct remote_watch_request wish; // of whoever comes next, to a node that does not host it

static void on_request(void *owner, struct http_request *r)
{
    struct node *n = owner;
    if (n == &node[HOST]) {
        hub_spectator_request(n->hub, r);
        return;
    }
    struct hub_conn *c = hub_add(n->hub);
    c->watch = calloc(HUB_BOARDS, sizeof *c->watch);
    c->spectator = true;
    c->phase = HUB_OPEN;
    assert_true(feeds_follow(c, &wish));
    c->ws = ws_accept(r, &hub_ws_handler, c, HUB_MAX_MESSAGE, NULL);
    assert_non_null(c->ws);
    hub_enter(c);
}

static void open_parts(struct node *n, uint64_t epoch)
{
    static const struct http_handler handler = {.on_request = on_request};
    struct hub_options o;
    struct http_options h;
    n->epoch = epoch;
    hub_defaults(&o);
    o.loop = &loop;
    o.lobby = n->kit.lobby;
    o.now_ms = read_wall;
    n->hub = hub_open(&o);
    struct feeds_options f = {.hub = n->hub,
                              .epoch = epoch,
                              .now_ms = read_link_clock,
                              .by_hand = true,
                              .owner = n,
                              .publish = publish,
                              .listen = listen_to,
                              .ignore = ignore,
                              .is_away = is_away,
                              .list_peers = list_peers,
                              .find = find};
    n->feeds = feeds_open(&f);
    http_defaults(&h);
    h.conn.port = 0;
    n->http = http_listen(&loop, &h, &handler, n);
    assert_true(n->hub && n->feeds && n->http);
}

static void close_parts(struct node *n)
{
    http_close(n->http);
    feeds_give_up(n->feeds);
    work_drain(loop_work(&loop));
    feeds_close(n->feeds);
    hub_close(n->hub);
    n->http = NULL;
    n->feeds = NULL;
    n->hub = NULL;
}

static int set_up(void **state)
{
    (void)state;
    loop_init(&loop);
    wall_ms = 1700000000000;
    link_ms = 1000;
    is_lossy = false;
    frames_published = pictures_published = 0;
    dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){42});
    memset(subscriptions, 0, sizeof subscriptions);
    for (int i = 0; i < NODES; i++) {
        struct lobby_options lo;
        lobby_defaults(&lo);
        lo.house_bots = 0;
        lo.games = kit_games;
        lo.spectate_delay_ms = 0;
        kit_open(&node[i].kit, &lo);
        node[i].kit.now_ms = wall_ms;
        open_parts(&node[i], (uint64_t)i + 1);
    }
    host_epoch = node[HOST].epoch;
    loop_add_hook(&loop, on_turn_end, &node);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    loop_remove_hook(&loop, &node);
    for (int i = 0; i < NODES; i++) {
        if (node[i].hub)
            close_parts(&node[i]);
        kit_close(&node[i].kit);
    }
    while (flying > 0)
        free(flight[--flying].at);
    loop_release(&loop);
    return 0;
}

// --- spectators

struct watcher {
    struct far_end far;
    size_t at;
    struct text frames, events; // one a line
    int pictures, ends;
};

static struct watcher watcher[WATCHERS];
static int watchers;

static void read_frame(struct watcher *w, struct span frame)
{
    static const char event[] = "{\"type\":\"event\"", start[] = "{\"type\":\"spectate_start\"",
                      over[] = "{\"type\":\"spectate_end\"";
    bool is_picture = memmem(frame.at, frame.size, start, sizeof start - 1) == frame.at;
    w->pictures += is_picture;
    w->ends += memmem(frame.at, frame.size, over, sizeof over - 1) == frame.at;
    if (!is_picture) {
        text_put(&w->frames, frame);
        text_put_char(&w->frames, '\n');
    }
    if (memmem(frame.at, frame.size, event, sizeof event - 1) != frame.at)
        return;
    text_put(&w->events, frame);
    text_put_char(&w->events, '\n');
}

static void hear(struct watcher *w)
{
    struct ws_head h;
    far_look(&w->far);
    for (int size; (size = ws_head_read(&h, (struct span){w->far.bytes + w->at, w->far.size - w->at})) > 0;) {
        if (w->far.size - w->at < (size_t)size + h.length)
            return;
        if (h.opcode == WS_TEXT)
            read_frame(w, (struct span){w->far.bytes + w->at + size, h.length});
        w->at += (size_t)size + h.length;
    }
}

static struct watcher *watch(int at, struct uuid live, uint32_t from)
{
    struct watcher *w = &watcher[watchers++];
    char head[512], name[UUID_TEXT + 1], seen[32] = "";
    uuid_format(name, live);
    if (from != UINT32_MAX)
        snprintf(seen, sizeof seen, "&from=%u", from);
    wish = (struct remote_watch_request){.live = live, .host = host_epoch, .from = from};
    *w = (struct watcher){.frames.grow = heap_text_grow, .events.grow = heap_text_grow};
    w->far = far_open(conn_port(http_port(node[at].http)));
    snprintf(head, sizeof head,
             "GET /api/ws/spectator?live=%s%s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
             name, seen);
    far_say(&w->far, &loop, head);
    COME_TRUE(far_has(&w->far, "\r\n\r\n"));
    assert_non_null(memmem(w->far.bytes, w->far.size, " 101 ", 5));
    w->at = (size_t)((char *)memmem(w->far.bytes, w->far.size, "\r\n\r\n", 4) - w->far.bytes) + 4;
    return w;
}

static void leave(struct watcher *w)
{
    far_close(&w->far);
    free(w->frames.at);
    free(w->events.at);
    w->frames = w->events = (struct text){0};
}

static void leave_all(void)
{
    for (int i = 0; i < watchers; i++)
        if (watcher[i].far.fd >= 0)
            leave(&watcher[i]);
    watchers = 0;
}

static bool is_same(const struct text *a, const struct text *b)
{
    return a->size == b->size && memcmp(a->at ? a->at : "", b->at ? b->at : "", a->size) == 0;
}

static bool ends_with(const struct text *whole, const struct text *part)
{
    return part->size <= whole->size && memcmp(whole->at + whole->size - part->size, part->at, part->size) == 0;
}

// --- the match

static struct store_match record;

static void begin_match(void)
{
    struct kit *k = &node[HOST].kit;
    struct kit_agent *player[2] = {kit_player(k, "ann"), kit_player(k, "bob")};
    struct lobby_agent *agents[] = {player[0]->agent, player[1]->agent};
    struct uuid match;
    assert_int_equal(
        lobby_seat_table(k->lobby, &kit_games[1], "friendly", agents, 2, (struct uuid){0}, k->now_ms, &match), OK);
    kit_settle(k);
    record = *lobby_seat_match(kit_seat(player[0])->seat);
}

// Some actions; false: the match is over.
static bool play(int actions)
{
    struct kit *k = &node[HOST].kit;
    for (int i = 0; i < actions; i++) {
        struct kit_agent *a = kit_awaited(k);
        struct kit_seat *s = a ? kit_asked(a) : NULL;
        if (!s)
            return false;
        wall_ms += 10;
        k->now_ms = wall_ms;
        lobby_asked(k->lobby, s->seat, k->now_ms);
        assert_int_equal(kit_answer(a, s, kit_choose(s, &dice)), OK);
        turn();
    }
    return true;
}

static void pass_to_end(void)
{
    while (play(1))
        ;
}

static int count_lines(const struct text *t)
{
    int count = 0;
    for (size_t i = 0; i < t->size; i++)
        count += t->at[i] == '\n';
    return count;
}

static uint64_t count_hosted(void)
{
    struct feeds_figures f;
    feeds_figures(node[HOST].feeds, &f);
    return f.hosted;
}

#define ALL_OF(condition)                                                                                              \
    do {                                                                                                               \
        for (int i_ = 0; i_ < watchers; i_++) {                                                                        \
            struct watcher *w = &watcher[i_];                                                                          \
            COME_TRUE((hear(w), condition));                                                                           \
        }                                                                                                              \
    } while (0)

// One message for each frame, however many watch; every frame is one that a spectator of the host's own gets, byte for
// byte, and nothing else is published. Before and after somebody watches nothing is.
static void everybody_sees_the_same(void **state)
{
    (void)state;
    begin_match();
    assert_true(play(3));
    assert_int_equal(flying, 0);
    for (int i = 0; i < 8; i++)
        watch(i == 0 ? HOST : i < 5 ? GATE : OTHER, record.live, UINT32_MAX);
    ALL_OF(w->pictures == 1);
    struct lobby_live live;
    int total;
    COME_TRUE(lobby_list_live(node[HOST].kit.lobby, wall_ms, &live, 1, &total) == 1 && live.spectators == 8);
    struct lobby_figures f;
    lobby_figures(node[HOST].kit.lobby, &f);
    assert_int_equal(f.spectators, 1); // of this node
    lobby_figures(node[GATE].kit.lobby, &f);
    assert_int_equal(f.spectators, 4);
    pass_to_end();
    ALL_OF(w->ends == 1);
    for (int i = 1; i < watchers; i++) {
        assert_true(is_same(&watcher[i].frames, &watcher[0].frames));
        assert_int_equal(watcher[i].pictures, 1);
    }
    assert_int_equal(frames_published, count_lines(&watcher[0].frames));
    assert_true(frames_published > 10 && pictures_published > 0);
    COME_TRUE(count_hosted() == 0);
    leave_all();
}

static void nothing_is_lost_for_ever(void **state)
{
    struct feeds_figures f;
    (void)state;
    begin_match();
    assert_true(play(2));
    is_lossy = true;
    for (int i = 0; i < 3; i++)
        watch(i, record.live, 0);
    ALL_OF(count_lines(&w->events) > 0);
    pass_to_end();
    is_lossy = false;
    ALL_OF(w->ends == 1);
    feeds_figures(node[GATE].feeds, &f);
    assert_true(f.gaps > 0);
    for (int i = 1; i < watchers; i++)
        assert_true(is_same(&watcher[i].events, &watcher[0].events));
    leave_all();
}

static void somebody_comes_in_the_middle(void **state)
{
    (void)state;
    begin_match();
    assert_true(play(6));
    struct watcher *here = watch(HOST, record.live, 0), *there = watch(GATE, record.live, 0);
    COME_TRUE((hear(here), hear(there), there->events.size == here->events.size && here->events.size > 0));
    struct watcher *late = watch(GATE, record.live, 2), *early = watch(GATE, record.live, 100000);
    COME_TRUE((hear(early), early->pictures == 1)); // so much was not to be seen yet
    assert_true(play(2));
    COME_TRUE((hear(here), hear(late), count_lines(&late->events) == count_lines(&here->events) - 2));
    assert_true(ends_with(&here->events, &late->events));
    assert_int_equal(late->pictures, 0);
    leave(late);
    leave(early);
    leave(there);
    COME_TRUE(count_hosted() == 0); // they have all left
    int before = frames_published;
    assert_true(play(2));
    assert_int_equal(frames_published, before);
    leave_all();
}

// F4.27: it is told nothing while it does not read; then it gets a picture, and goes on from there.
static void a_slow_one_is_skipped_ahead(void **state)
{
    (void)state;
    begin_match();
    assert_true(play(3));
    struct watcher *slow = watch(GATE, record.live, UINT32_MAX), *quick = watch(GATE, record.live, UINT32_MAX);
    COME_TRUE((hear(slow), hear(quick), slow->pictures == 1 && quick->pictures == 1));
    struct remote_watch *w = LIST_NEXT(LIST_FIRST(&LIST_FIRST(&node[GATE].feeds->followed)->watches), link);
    w->state = REMOTE_BEHIND; // as after 64 KiB that it has not read
    assert_true(play(2));
    COME_TRUE((hear(quick), count_lines(&quick->events) >= 2));
    COME_TRUE((hear(slow), slow->pictures == 2)); // the hub looks at everybody once a second
    assert_int_equal(slow->events.size, 0);
    far_turns(&loop, 50); // whatever was on its way has come
    hear(quick);
    int missed = count_lines(&quick->events);
    assert_true(play(2));
    COME_TRUE((hear(quick), count_lines(&quick->events) > missed));
    COME_TRUE((hear(slow), count_lines(&slow->events) == count_lines(&quick->events) - missed));
    assert_true(ends_with(&quick->events, &slow->events));
    assert_int_equal(quick->pictures, 1);
    leave_all();
}

// S13, S58: the match is loaded by another node; here by the same one, under another epoch.
static void the_host_dies(void **state)
{
    struct kit *k = &node[HOST].kit;
    (void)state;
    begin_match();
    assert_true(play(4));
    struct watcher *before = watch(HOST, record.live, 0), *one = watch(GATE, record.live, 0),
                   *two = watch(OTHER, record.live, 0);
    COME_TRUE(
        (hear(before), hear(one), hear(two),
         before->events.size > 0 && is_same(&one->events, &before->events) && is_same(&two->events, &before->events)));
    host_epoch = 0; // nobody has it yet
    far_close(&before->far);
    far_turns(&loop, 4);
    close_parts(&node[HOST]);
    kit_restart(k);
    for (int i = 0; i < k->agents; i++)
        kit_come(&k->agent[i], "again");
    open_parts(&node[HOST], 17);
    host_epoch = 17;
    struct watcher *after = watch(HOST, record.live, (uint32_t)count_lines(&before->events));
    COME_TRUE(count_hosted() == 1);
    pass_to_end();
    COME_TRUE((hear(one), one->ends == 1));
    COME_TRUE((hear(two), two->ends == 1));
    COME_TRUE((hear(after), after->ends == 1));
    text_put(&before->events, text_span(&after->events));
    assert_true(is_same(&one->events, &before->events));
    assert_true(is_same(&two->events, &before->events));
    assert_int_equal(one->pictures + two->pictures, 0);
    free(before->frames.at);
    free(before->events.at);
    leave_all();
}

// --- lists (S49)

static int write_rows(void *owner, unsigned wish_bits, struct text *out)
{
    struct node *n = owner;
    char json[64];
    for (uint32_t i = 0; i < n->epoch; i++) {
        int size = snprintf(json, sizeof json, "{\"at\":%d,\"wish\":%u}", (int)n->epoch, wish_bits);
        feeds_put_row(out, &(struct feeds_row){.started_ms = -1, .spectators = i, .json = {json, (size_t)size}});
    }
    return (int)n->epoch + 10;
}

struct listing {
    bool done;
    int rows, total;
};

static void run_list(void *arg)
{
    struct listing *x = arg;
    struct feeds *f = node[GATE].feeds;
    feeds_fetch(f, FEEDS_BY_INTEREST);
    for (int i = 0; i < NODES; i++) {
        const struct feeds_answer *a = feeds_find_answer(f, node[i].epoch, FEEDS_BY_INTEREST);
        struct span rows = a ? text_span(&a->rows) : (struct span){0};
        struct feeds_row row;
        while (feeds_next_row(&rows, &row)) {
            x->rows += row.started_ms == -1 && memmem(row.json.at, row.json.size, "\"wish\":2}", 9);
        }
        x->total += a ? a->total : 0;
    }
    x->done = true;
}

static void a_list_is_of_all_nodes(void **state)
{
    struct listing x = {0}, again = {0};
    (void)state;
    for (int i = 0; i < NODES; i++)
        feeds_set_writer(node[i].feeds, write_rows, &node[i]);
    work_start(loop_work(&loop), run_list, &x);
    COME_TRUE(x.done);
    assert_int_equal(x.rows, 1 + 3); // of the others
    assert_int_equal(x.total, 11 + 13);
    // A node that does not answer holds nobody up for long; what it said a moment ago is still known.
    feeds_set_writer(node[OTHER].feeds, NULL, NULL);
    for (int64_t until = link_ms + 3000; link_ms < until;)
        turn();
    work_start(loop_work(&loop), run_list, &again);
    COME_TRUE(again.done);
    assert_int_equal(again.rows, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everybody_sees_the_same),
        TEST(a_slow_one_is_skipped_ahead),
        TEST(nothing_is_lost_for_ever),
        TEST(somebody_comes_in_the_middle),
        TEST(the_host_dies),
        TEST(a_list_is_of_all_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// REST from inside: answers wait for the disk (F8.1), callers may leave meanwhile, the table of routes is sound.
#include "front/arena/rest.h"

#include "front/arena/rest_internal.h"
#include "lobby_kit.h"
#include "store/internal.h"
#include "work/work.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static struct kit k;
static struct loop loop;
static struct arena_rest *rest;
static struct http *http;
static char path[80], answer[1 << 18];

static int64_t now_ms(void)
{
    return k.now_ms;
}

static void on_request(void *owner, struct http_request *r)
{
    (void)owner;
    if (!arena_rest_request(rest, r))
        http_reply(r, 404, "text/plain", SPAN("not ours"));
}

static int on_refuse(void *owner, struct http_request *r, int status, struct text *body)
{
    (void)owner, (void)r;
    arena_rest_refuse(status, body);
    return status;
}

static void on_gone(void *owner, struct http_request *r)
{
    (void)owner;
    arena_rest_disconnected(rest, r);
    assert_null(http_data(r)); // nothing of what it has freed hangs there for the next to look at
}

static void open_rest(void)
{
    struct arena_rest_options o;
    arena_rest_defaults(&o);
    o.lobby = k.lobby;
    o.work = k.o.work;
    o.now_ms = now_ms;
    o.admin_token = "t";
    rest = arena_rest_open(&o);
}

static int set_up(void **state)
{
    static const struct http_handler handler = {.on_request = on_request, .on_gone = on_gone, .on_refuse = on_refuse};
    struct http_options h;
    (void)state;
    kit_open(&k, NULL);
    loop_init(&loop);
    open_rest();
    http_defaults(&h);
    snprintf(path, sizeof path, "%s/http", k.folder);
    h.conn.host = NULL;
    h.conn.path = path;
    http = http_listen(&loop, &h, &handler, NULL);
    assert_non_null(http);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    http_close(http);
    arena_rest_close(rest);
    unlink(path);
    loop_release(&loop);
    kit_close(&k);
    return 0;
}

static void turn(int times)
{
    for (int i = 0; i < times; i++) {
        loop_end_turn(&loop);
        loop_turn(&loop);
    }
}

static void settle(void)
{
    store_ticket durable;
    store_submit(k.store);
    store_wait(k.store);
    assert_int_equal(store_collect(k.store, &durable), OK);
    arena_rest_release(rest, durable);
}

static int ask(const char *request)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(send(fd, request, strlen(request), 0), strlen(request));
    fcntl(fd, F_SETFL, O_NONBLOCK);
    turn(5);
    return fd;
}

// What has come by now; "" when nothing has.
static const char *read_answer(int fd)
{
    turn(5);
    ssize_t size = recv(fd, answer, sizeof answer - 1, 0);
    answer[size > 0 ? size : 0] = 0;
    return answer;
}

#define REGISTER "POST /api/agents/register HTTP/1.1\r\nHost: h\r\nContent-Length: 13\r\n\r\n{\"name\":\"ab\"}"

// --- F5.2, F5.9

static void get(const char *target, const char *more, int status, const char *says)
{
    char request[20000], line[16];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: h\r\n%s\r\n", target, more);
    snprintf(line, sizeof line, "HTTP/1.1 %d ", status);
    int fd = ask(request);
    read_answer(fd);
    if (strncmp(answer, line, strlen(line)) != 0 || !strstr(answer, says))
        fail_msg("%s: %s", target, answer);
    close(fd);
}

// Above the maximum is cut; what is no number, or no game, is refused however long it is.
static void pages_are_asked_for_in_numbers(void **state)
{
    static const char ones[] = "11111111111111111111111111111111111111111111";
    static const struct {
        const char *query, *more;
        int status;
        const char *says;
    } rows[] = {
        {"", "", 200, "\"count\":0,\"total\":0,\"has_more\":false"},
        {"?limit=1&from=7", "", 200, "\"count\":0"},
        {"?limit=5000", "", 200, "\"count\":0"},
        {"?limit=", ones, 200, "\"count\":0"},
        {"?limit=-", ones, 400, "limit must be a whole number from 1 to 50"},
        {"?limit=0", "", 400, "limit must"},
        {"?limit=", "", 400, "limit must"},
        {"?limit=%", "", 400, "limit must"},
        {"?from=-1", "", 400, "from must be a whole number, 0 or more"},
        {"?from=x", ones, 400, "from must"},
        {"?game=coup", "", 200, "\"count\":0"},
        {"?game=belote", "", 200, "\"count\":0"}, // F6.B1: no token is needed to read
        {"?game=chess", "", 400, "unknown game chess"},
        {"?game=coup", ones, 400, "unknown game"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char target[160];
        snprintf(target, sizeof target, "/api/matches%s%s", rows[i].query, rows[i].more);
        get(target, "", rows[i].status, rows[i].says);
    }
}

static void what_is_no_request_is_told_so(void **state)
{
    static char head[18000];
    (void)state;
    memset(head, 'a', sizeof head - 1);
    memcpy(head, "X-Long: ", 8);
    memcpy(head + sizeof head - 3, "\r\n", 2);
    get("/api/health", head, 431, "{\"error\":\"the head of a request has at most 16384 bytes\"}");
    get("/api/health", "Content-Length: 99999999\r\n", 413, "{\"error\":\"the body is too large\"}");
    get("/api/health", "Content-Length: x\r\n", 400, "{\"error\":\"the request is not valid HTTP/1.1\"}");
}

// --- F8.1

static void an_answer_waits_until_it_is_durable(void **state)
{
    (void)state;
    int fd = ask(REGISTER);
    assert_string_equal(read_answer(fd), "");
    settle();
    assert_non_null(strstr(read_answer(fd), "HTTP/1.1 201 Created"));
    close(fd);
}

// What another call has put is told to nobody either.
static void a_reader_waits_for_what_it_is_told(void **state)
{
    char request[256];
    (void)state;
    int first = ask(REGISTER);
    settle();
    const char *key = strstr(read_answer(first), "agk_");
    snprintf(request, sizeof request, "GET /api/agents/me/status HTTP/1.1\r\nHost: h\r\nX-API-Key: %.52s\r\n\r\n", key);
    int second = ask(REGISTER), third = ask(request);
    assert_string_equal(read_answer(third), "");
    int fourth = ask("GET /api/health HTTP/1.1\r\nHost: h\r\n\r\n"); // tells nothing that could be lost
    assert_non_null(strstr(read_answer(fourth), "200 OK"));
    settle();
    assert_non_null(strstr(read_answer(third), "200 OK"));
    close(first), close(second), close(third), close(fourth);
}

static void whoever_leaves_is_forgotten(void **state)
{
    (void)state;
    int fd = ask(REGISTER), other = ask(REGISTER);
    close(fd);
    turn(5);
    settle();
    assert_non_null(strstr(read_answer(other), "201 Created"));
    close(other);
}

static void answers_keep_their_order_on_one_connection(void **state)
{
    (void)state;
    int fd = ask(REGISTER "GET /api/health HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_string_equal(read_answer(fd), "");
    settle();
    const char *both = read_answer(fd);
    assert_true(strstr(both, "201 Created") < strstr(both, "matches_active"));
    close(fd);
}

// --- damaged data

static struct uuid play_match(void)
{
    struct lobby_agent *agents[2];
    struct uuid id;
    for (int i = 0; i < 2; i++)
        agents[i] = kit_player(&k, (char[]){(char)('a' + i), 0})->agent;
    assert_int_equal(lobby_seat_table(k.lobby, &kit_games[0], "ranked", agents, 2, (struct uuid){0}, k.now_ms, &id),
                     OK);
    kit_settle(&k);
    assert_true(kit_play_out(&k, NULL, 10000));
    settle();
    struct store_match m;
    assert_true(store_find_match(k.store, id, &m));
    return m.replay;
}

// A job lets others read meanwhile: what they could not read does not concern its own answer.
static void damage_is_told_to_whoever_met_it(void **state)
{
    char id[UUID_TEXT + 1], request[128];
    (void)state;
    uuid_format(id, play_match());
    snprintf(request, sizeof request, "GET /api/replays/%s/whole HTTP/1.1\r\nHost: h\r\n\r\n", id);
    struct work *work = k.o.work = work_create();
    arena_rest_close(rest);
    kit_restart(&k);
    open_rest();
    int fd = ask(request);
    assert_int_equal(work_figures(work).jobs, 1); // a thread plays the match
    store_note_damage(k.store, "read by somebody else");
    work_drain(work);
    assert_non_null(strstr(read_answer(fd), "HTTP/1.1 200 OK"));
    close(fd);
    work_destroy(work);
}

// --- the log

static const char *read_log(int fd)
{
    static char text[4096];
    ssize_t size = pread(fd, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = 0;
    return text;
}

// A server that was taken over, or whose disk fails, must not have reported what nobody will find.
static void the_log_reports_what_is_durable(void **state)
{
    struct uuid id;
    struct lobby_agent *agents[2];
    (void)state;
    char name[96];
    snprintf(name, sizeof name, "%s/log", k.folder);
    int log = open(name, O_RDWR | O_CREAT, 0600), before = dup(STDERR_FILENO);
    unlink(name);
    dup2(log, STDERR_FILENO);
    log_open(true, LOG_LEVEL_INFO);
    close(ask(REGISTER));
    for (int i = 0; i < 2; i++)
        agents[i] = kit_player(&k, (char[]){(char)('a' + i), 0})->agent;
    assert_int_equal(lobby_seat_table(k.lobby, &kit_games[0], "ranked", agents, 2, (struct uuid){0}, k.now_ms, &id),
                     OK);
    assert_int_equal(lobby_cancel_match(k.lobby, id, k.now_ms), OK);
    bool is_early = read_log(log)[0];
    settle();
    const char *registered = strstr(read_log(log), "agent.registered"),
               *cancelled = registered ? strstr(registered, "match.cancelled") : NULL;
    size_t size = strlen(read_log(log));
    close(ask(REGISTER));
    arena_rest_close(rest); // not durable
    open_rest();
    settle();
    size_t later = strlen(read_log(log));
    log_open(false, LOG_LEVEL_WARNING);
    dup2(before, STDERR_FILENO);
    close(log), close(before);
    assert_false(is_early);
    assert_non_null(registered);
    assert_non_null(cancelled);
    assert_int_equal(later, size);
}

// --- the table

static void words_stand_before_names(void **state)
{
    (void)state;
    for (const struct rest_route *a = rest_routes; a->method; a++)
        for (const struct rest_route *b = a + 1; b->method; b++) {
            assert_false(strcmp(a->method, b->method) == 0 && strcmp(a->path, b->path) == 0); // once
            // "/api/agents/{id}/status" takes "/api/agents/me/status" too: so it comes later.
            const char *open = strchr(a->path, '{');
            size_t common = open ? (size_t)(open - a->path) : 0;
            const char *tail = open ? strchr(open, '}') + 1 : NULL;
            const char *rest_of_b =
                open && strncmp(a->path, b->path, common) == 0 ? strchr(b->path + common, '/') : NULL;
            if (open && strcmp(a->method, b->method) == 0 && strncmp(a->path, b->path, common) == 0 &&
                b->path[common] != '{' && (rest_of_b ? strcmp(rest_of_b, tail) == 0 : !*tail && b->path[common]))
                fail_msg("%s hides %s", a->path, b->path);
        }
}

// The member `name` of an object, as its bytes; it must be there.
static struct span member(struct span object, const char *name)
{
    struct json_reader r = json_reader_of(object, 32);
    struct json_string key;
    struct span found = {0};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, name))
            found = json_read_raw(&r);
        else
            json_skip(&r);
    assert_int_equal(json_finish(&r), OK);
    if (!found.at)
        fail_msg("no %s", name);
    return found;
}

static void the_document_is_whole(void **state)
{
    char method[8];
    struct text t = text_on(answer, sizeof answer);
    (void)state;
    rest_write_openapi(&t);
    assert_false(t.full);
    struct span paths = member(text_span(&t), "paths"),
                schemas = member(member(text_span(&t), "components"), "schemas");
    for (const struct rest_route *r = rest_routes; r->method; r++) {
        size_t size = strlen(r->method);
        for (size_t i = 0; i <= size; i++)
            method[i] = (char)(i < size ? r->method[i] | 32 : 0);
        member(member(paths, r->path), method);
        if (r->takes) // every name is one of a schema
            member(schemas, r->takes);
        if (r->gives)
            member(schemas, r->gives);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_are_asked_for_in_numbers),
        TEST(what_is_no_request_is_told_so),
        TEST(an_answer_waits_until_it_is_durable),
        TEST(a_reader_waits_for_what_it_is_told),
        TEST(whoever_leaves_is_forgotten),
        TEST(answers_keep_their_order_on_one_connection),
        TEST(damage_is_told_to_whoever_met_it),
        TEST(the_log_reports_what_is_durable),
        TEST(words_stand_before_names),
        TEST(the_document_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A belote bot behind HTTP in one file and nothing but POSIX. Copy it, change decide(), and it plays.
//
//     cc -O2 -pthread -o bot bot.c && ./bot               # listens on PORT, or 5073
//     agon match belote --seat http://localhost:5073 --seat house:rules --games 10
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOM = 2 << 20, HEAD = 16384, ANSWER = 512, SESSIONS = 1 << 16 };

// The first object of the list with this name: {"rank":"Ten","suit":"Clubs"}. Choices hold no objects themselves.
static int first_of(const char *body, const char *list, char answer[ANSWER])
{
    const char *at = strstr(body, list);
    const char *begin = at ? strchr(at, '{') : NULL, *end = begin ? strchr(begin, '}') : NULL;
    if (!end || end - begin + 2 > ANSWER)
        return 0;
    return snprintf(answer, ANSWER, "%.*s", (int)(end - begin + 1), begin);
}

// What to do: the answer, 0 when the request makes no sense, -1 when nobody knows it. Here is the place to be clever.
static int decide(const char *path, const char *body, char answer[ANSWER])
{
    if (strstr(path, "/choose-cut"))
        return snprintf(answer, ANSWER, "{\"position\":16,\"fromTop\":true}");
    if (strstr(path, "/choose-negotiation-action")) {
        const char *list = strstr(body, "\"validActions\":[");
        if (list && strstr(list, "{\"type\":\"Accept\"}")) // written without spaces by agon; others get the first
            return snprintf(answer, ANSWER, "{\"type\":\"Accept\"}");
        return first_of(body, "\"validActions\":[", answer);
    }
    return strstr(path, "/choose-card") ? first_of(body, "\"validPlays\":[", answer) : -1; // no such question
}

static void reply(int fd, int status, const char *body, size_t size)
{
    char bytes[HEAD];
    int n = snprintf(bytes, sizeof bytes, "HTTP/1.1 %d X\r\n", status);
    if (status != 204)
        n += snprintf(bytes + n, sizeof bytes - (size_t)n, "Content-Length: %zu\r\n", size);
    n += snprintf(bytes + n, sizeof bytes - (size_t)n, "\r\n%.*s", (int)size, body);
    if (write(fd, bytes, (size_t)n) != n)
        shutdown(fd, SHUT_RDWR);
}

static void refuse(int fd, int status, const char *what)
{
    char body[ANSWER];
    int size = snprintf(body, sizeof body, "{\"error\":\"refused\",\"message\":\"%s\"}", what);
    reply(fd, status, body, (size_t)size);
}

// This bot remembers nothing but which sessions there are; a seat, a match and a hand would stand here.
static unsigned char sessions[SESSIONS];

static void create(int fd, const char *body)
{
    static unsigned created;
    char answer[ANSWER];
    bool seat =
        strstr(body, "\"Bottom\"") || strstr(body, "\"Left\"") || strstr(body, "\"Top\"") || strstr(body, "\"Right\"");
    if (!seat || !strstr(body, "\"matchId\"")) {
        refuse(fd, 400, "position and matchId are wanted");
        return;
    }
    unsigned id = __atomic_fetch_add(&created, 1, __ATOMIC_RELAXED) % SESSIONS;
    sessions[id] = 1;
    reply(fd, 201, answer, (size_t)snprintf(answer, sizeof answer, "{\"sessionId\":\"%u\"}", id));
}

static void handle(int fd, const char *method, const char *path, const char *body)
{
    char answer[ANSWER];
    unsigned id = SESSIONS;
    sscanf(path, "/api/sessions/%u", &id);
    bool known = id < SESSIONS && sessions[id];
    if (strcmp(path, "/health") == 0) {
        reply(fd, 200, "{\"status\":\"ok\"}", 15);
    } else if (strncmp(path, "/api/sessions", 13) != 0) {
        refuse(fd, 404, "POST /api/sessions");
    } else if (strcmp(method, "DELETE") == 0) {
        if (known)
            sessions[id] = 0;
        reply(fd, 204, "", 0);
    } else if (strcmp(method, "POST") != 0) {
        refuse(fd, 405, "POST or DELETE");
    } else if (strcmp(path, "/api/sessions") == 0) {
        create(fd, body);
    } else if (!known) {
        refuse(fd, 404, "create a session first");
    } else if (strstr(path, "/notify/")) {
        reply(fd, 200, "", 0);
    } else {
        int size = decide(path, body, answer);
        if (size > 0)
            reply(fd, 200, answer, (size_t)size);
        else
            refuse(fd, size ? 404 : 400, size ? "no such question" : "a list of choices is wanted");
    }
}

// One connection: requests one after the other, each with a Content-Length.
static void *serve(void *arg)
{
    int fd = (int)(long)arg;
    char *in = malloc(ROOM + 1), method[16], path[1024];
    size_t have = 0;
    for (;;) {
        char *end;
        size_t length = 0, head;
        in[have] = 0;
        if ((end = strstr(in, "\r\n\r\n"))) {
            char *field = strcasestr(in, "\r\nContent-Length:");
            head = (size_t)(end - in) + 4;
            length = field && field < end ? strtoul(field + 17, NULL, 10) : 0;
            if (head + length > ROOM || sscanf(in, "%15s %1023s", method, path) != 2)
                break;
            if (have >= head + length) {
                char after = in[head + length];
                in[head + length] = 0;
                handle(fd, method, path, in + head);
                in[head + length] = after;
                have -= head + length;
                memmove(in, in + head + length, have);
                continue;
            }
        }
        ssize_t n = have < ROOM ? read(fd, in + have, ROOM - have) : 0;
        if (n <= 0)
            break;
        have += (size_t)n;
    }
    free(in);
    close(fd);
    return NULL;
}

// Whoever started us is gone: so are we.
static void *follow_launcher(void *arg)
{
    pid_t launcher = (pid_t)(long)arg;
    while (kill(launcher, 0) == 0)
        sleep(2);
    exit(0);
}

int main(void)
{
    const char *port = getenv("PORT"), *launcher = getenv("LAUNCHER_PID");
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port ? port : "5073"))};
    socklen_t size = sizeof at;
    pthread_t thread;
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    signal(SIGPIPE, SIG_IGN);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 256) != 0) {
        perror("bot");
        return 2;
    }
    getsockname(listener, (struct sockaddr *)&at, &size);
    printf("listening http://127.0.0.1:%u\n", ntohs(at.sin_port));
    fflush(stdout);
    if (launcher && pthread_create(&thread, NULL, follow_launcher, (void *)atol(launcher)) == 0)
        pthread_detach(thread);
    for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (pthread_create(&thread, NULL, serve, (void *)(long)fd) == 0)
            pthread_detach(thread);
        else
            close(fd);
    }
    return 1;
}

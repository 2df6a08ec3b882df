#include "app/agent_mind.h"

#include "house/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_LINE = 65536 };

struct agent_mind {
    struct event *event;
    int fd; // both ways
    pid_t pid;
    void (*on_action)(void *owner, struct span json);
    void *owner;
    size_t size;
    char line[MAX_LINE];
};

void agent_mind_choose(const struct game_kit *k, const struct bot *bot, struct action_request *t, struct rng *dice,
                       struct text *out)
{
    struct bot_ask ask = {.game = k->game,
                          .view = &t->view,
                          .seat = t->seat,
                          .seats = t->seats,
                          .choices = t->choices,
                          .count = t->count,
                          .fallback = t->fallback,
                          .aggro = 0.5f,
                          .dice = dice};
    _Alignas(8) uint8_t mind[BOT_MAX_MIND];
    if (bot->mind_size) { // a request tells the view alone (N1.7)
        house_mind_late(bot, mind, &ask);
        ask.mind = mind;
    }
    action_request_answer(k, out, t, house_choose(bot, &ask));
}

static void give_lines(struct agent_mind *m)
{
    char *end;
    while ((end = memchr(m->line, '\n', m->size))) {
        size_t used = (size_t)(end - m->line) + 1;
        char line[MAX_LINE];
        memcpy(line, m->line, used - 1);
        m->size -= used;
        memmove(m->line, end + 1, m->size);
        m->on_action(m->owner, (struct span){line, used - 1});
    }
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    (void)what;
    struct agent_mind *m = arg;
    ssize_t n = recv(fd, m->line + m->size, MAX_LINE - m->size, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || m->size + (size_t)n == MAX_LINE) {
        event_del(m->event);
        m->on_action(m->owner, (struct span){0});
        return;
    }
    m->size += (size_t)n;
    give_lines(m);
}

static void run_program(const char *program, int fd)
{
    dup2(fd, STDIN_FILENO);
    dup2(fd, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", program, (char *)NULL);
    _exit(127);
}

struct agent_mind *agent_mind_open(struct loop *l, const char *program,
                                   void (*on_action)(void *owner, struct span json), void *owner)
{
    int ends[2];
    struct agent_mind *m = calloc(1, sizeof *m);
    if (!m || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(m);
        return NULL;
    }
    m->pid = fork();
    if (m->pid == 0)
        run_program(program, ends[1]);
    close(ends[1]);
    m->fd = ends[0];
    m->on_action = on_action;
    m->owner = owner;
    m->event = event_new(l->base, m->fd, EV_READ | EV_PERSIST, on_readable, m);
    event_add(m->event, NULL);
    return m;
}

// A program that does not read is as good as gone: its request is not waited for.
void agent_mind_ask(struct agent_mind *m, struct span request)
{
    struct iovec parts[2] = {{(void *)(uintptr_t)request.at, request.size}, {(char[]){'\n'}, 1}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (sendmsg(m->fd, &message, MSG_NOSIGNAL) < 0)
        event_active(m->event, EV_READ, 0);
}

void agent_mind_close(struct agent_mind *m)
{
    if (!m)
        return;
    event_free(m->event);
    close(m->fd);
    kill(m->pid, SIGTERM);
    waitpid(m->pid, NULL, 0);
    free(m);
}

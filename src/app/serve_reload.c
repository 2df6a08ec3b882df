#include "app/serve_reload.h"

#include "app/app.h"
#include "app/secrets.h"
#include "net/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void log_failure(const char *why)
{
    struct log_line l;
    log_begin(&l, LOG_LEVEL_ERROR, "server.reload_refused");
    log_put_text(&l, "why", why);
    log_end(&l);
}

// agon serve ... --check, without secrets: they would be visible in the process list, and the check does not need them.
static char **write_command(const struct serve_reload *r)
{
    static char self[] = "agon", serve[] = "serve", check[] = "--check";
    char **words = calloc((size_t)r->argc + 3, sizeof *words);
    if (!words)
        app_die("no memory");
    words[0] = self;
    words[1] = serve;
    int count = 2 + secrets_leave_out(r->argc - 1, r->argv + 1, words + 2);
    words[count] = check;
    return words;
}

static int start_check(struct serve_reload *r)
{
    int ends[2]; // nothing is written: the end of the child closes it, which the loop sees
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], ends[1]); // this one survives exec
    char **words = write_command(r);
    int err = posix_spawn(&r->pid, "/proc/self/exe", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(words);
    close(ends[1]);
    if (err)
        close(ends[0]), r->pid = 0;
    else
        r->pipe = ends[0];
    return err;
}

static void reload_begin(struct serve_reload *r);

static void on_ended(evutil_socket_t fd, short what, void *arg)
{
    (void)what;
    struct serve_reload *r = arg;
    int status = -1;
    while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(fd);
    event_free(r->ended);
    r->ended = NULL;
    r->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == APP_DONE)
        r->ready(r->owner);
    else
        log_failure("the configuration is not valid; 'agon serve --check' says why");
    if (r->again)
        reload_begin(r);
}

static void reload_begin(struct serve_reload *r)
{
    r->again = false;
    int err = start_check(r);
    if (err) {
        log_failure(strerror(err));
        return;
    }
    r->ended = event_new(r->loop->base, r->pipe, EV_READ, on_ended, r);
    event_add(r->ended, NULL);
}

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct serve_reload *r = arg;
    if (r->pid)
        r->again = true; // the running check may have read the file before it was changed
    else
        reload_begin(r);
}

void serve_reload_open(struct serve_reload *r, struct loop *l, int argc, char **argv, void (*ready)(void *owner),
                       void *owner)
{
    *r = (struct serve_reload){.loop = l, .argc = argc, .argv = argv, .ready = ready, .owner = owner};
    r->signal = evsignal_new(l->base, SIGHUP, on_signal, r);
    event_add(r->signal, NULL);
}

void serve_reload_close(struct serve_reload *r)
{
    event_free(r->signal);
    if (!r->pid)
        return;
    kill(r->pid, SIGKILL);
    waitpid(r->pid, NULL, 0);
    event_free(r->ended);
    close(r->pipe);
}

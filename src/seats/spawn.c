#include "seats/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// --- output

void tail_add(struct tail *t, const char *bytes, size_t size)
{
    if (size > SPAWN_KEPT) {
        bytes += size - SPAWN_KEPT;
        size = SPAWN_KEPT;
    }
    for (size_t i = 0; i < size; i++) {
        t->at[t->next] = bytes[i];
        t->next = (t->next + 1) % SPAWN_KEPT;
    }
    t->size = t->size + size > SPAWN_KEPT ? SPAWN_KEPT : t->size + size;
}

size_t tail_copy(const struct tail *t, char *out, size_t room)
{
    size_t size = t->size < room ? t->size : room - 1;
    for (size_t i = 0; i < size; i++)
        out[i] = t->at[(t->next + SPAWN_KEPT - size + i) % SPAWN_KEPT];
    out[size] = 0;
    return size;
}

// --- words

// Copies one word from *at to `out`. Returns false if a quote is not closed.
static bool take_word(const char **at, char *out)
{
    char quote = 0;
    for (; **at && (quote || !memchr(" \t\n\r", **at, 4)); ++*at) {
        char c = **at;
        if (quote && c == quote) {
            quote = 0;
        } else if (!quote && (c == '\'' || c == '"')) {
            quote = c;
        } else if (c == '\\' && quote != '\'' && (*at)[1]) {
            bool plain = quote == '"' && !strchr("\\\"$`", (*at)[1]); // inside double quotes a backslash may be literal
            if (plain)
                *out++ = c;
            *out++ = *++*at;
        } else {
            *out++ = c;
        }
    }
    *out = 0;
    return !quote;
}

char **spawn_split(const char *text)
{
    size_t most = strlen(text) / 2 + 2, count = 0;
    char **words = calloc(most, sizeof *words);
    char *word = malloc(strlen(text) + 1);
    bool sound = words && word;
    for (const char *at = text + strspn(text, " \t\r\n"); sound && *at; at += strspn(at, " \t\r\n")) {
        sound = take_word(&at, word);
        if (sound && !(words[count++] = strdup(word)))
            abort();
    }
    free(word);
    if (sound)
        return words;
    if (words)
        spawn_free_words(words);
    return NULL;
}

void spawn_free_words(char **words)
{
    for (char **word = words; *word; word++)
        free(*word);
    free(words);
}

static int find_in_path(const char *name)
{
    char path[4096];
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : ""; *at; at += strspn(at, ":")) {
        size_t size = strcspn(at, ":");
        if (snprintf(path, sizeof path, "%.*s/%s", (int)size, at, name) < (int)sizeof path && access(path, X_OK) == 0)
            return 0;
        at += size;
    }
    return ENOENT;
}

int spawn_find(const char *command)
{
    char **words = spawn_split(command);
    int why = !words || !words[0]           ? EINVAL
              : !strchr(words[0], '/')      ? find_in_path(words[0])
              : access(words[0], X_OK) != 0 ? errno
                                            : 0;
    if (words)
        spawn_free_words(words);
    return why;
}

// --- processes

static bool open_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC) == 0;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

// Runs in the child. Reports an error through `failed`.
_Noreturn static void become(char *const *words, const char *folder, char *const *environment, int ways,
                             const int ends[3], int failed)
{
    // A group of its own: Ctrl-C at the terminal then reaches us alone, and kill of the group reaches all that it
    // starts.
    if (!(ways & SPAWN_IN_OUR_GROUP))
        setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM); // B13.7: nothing outlives the engine
    // Ignored and blocked signals are inherited over exec; a bot expects the usual ones.
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(ends[0], STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 && dup2(ends[2], STDERR_FILENO) >= 0 &&
        (!folder || chdir(folder) == 0)) {
        for (; environment && *environment; environment++)
            putenv(*environment);
        execvp(words[0], words);
    }
    int why = errno;
    ssize_t written = write(failed, &why, sizeof why);
    _exit(written == sizeof why ? 127 : 126);
}

// Reads what the child writes before exec: an errno, or nothing.
static int read_errno(int fd)
{
    int why = 0;
    ssize_t n;
    do
        n = read(fd, &why, sizeof why);
    while (n < 0 && errno == EINTR);
    return n == sizeof why ? why : 0;
}

int spawn_program(struct spawned *p, char *const *words, const char *folder, char *const *environment, int ways)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, tell[2] = {-1, -1}, why = 0;
    bool piped = open_pipe(out) && open_pipe(err) && open_pipe(tell);
    if (ways & SPAWN_WITH_INPUT)
        piped = piped && open_pipe(in);
    else
        in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    pid_t pid = piped ? fork() : -1;
    if (pid == 0)
        become(words, folder, environment, ways, (const int[]){in[0], out[1], err[1]}, tell[1]);
    if (pid < 0)
        why = errno;
    close_if_open(in[0]);
    close_if_open(out[1]);
    close_if_open(err[1]);
    close_if_open(tell[1]);
    // tell is closed by a successful exec (O_CLOEXEC), so this read ends either way.
    if (pid > 0 && (why = read_errno(tell[0])) != 0)
        waitpid(pid, NULL, 0);
    close_if_open(tell[0]);
    if (why) {
        close_if_open(in[1]);
        close_if_open(out[0]);
        close_if_open(err[0]);
        return why;
    }
    *p = (struct spawned){pid, in[1], out[0], err[0], ways & SPAWN_IN_OUR_GROUP};
    if (in[1] >= 0)
        fcntl(in[1], F_SETFL, O_NONBLOCK);
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    return 0;
}

bool spawn_wait(pid_t pid, int ms, int *status)
{
    enum { STEP_MS = 5 };
    for (int waited = 0;; waited += STEP_MS) {
        pid_t done = waitpid(pid, status, WNOHANG);
        // ECHILD: somebody else has waited for it, so it has ended; `status` stays as it was.
        if (done == pid || (done < 0 && errno == ECHILD))
            return true;
        if (waited >= ms)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000}, NULL);
    }
}

bool spawn_end(const struct spawned *p, int ms, int *status)
{
    bool ended = spawn_wait(p->pid, ms, status);
    if (!p->in_our_group) // also if it has ended by itself: its children may not have
        kill(-p->pid, SIGKILL);
    if (ended)
        return true;
    kill(p->pid, SIGKILL); // it may have left its group
    waitpid(p->pid, status, 0);
    return false;
}

void spawn_describe_status(int status, char *out, size_t room)
{
    if (WIFSIGNALED(status))
        snprintf(out, room, "killed by signal %d", WTERMSIG(status));
    else
        snprintf(out, room, "exit status %d", WEXITSTATUS(status));
}

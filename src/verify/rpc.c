#include "verify/rpc.h"

#include "net/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ_BYTES = 65536, FAREWELL_MS = 2500 }; // FAREWELL_MS: for a child whose input has ended, then it is killed

static void rpc_begin(struct rpc *r, pid_t pid, int to, int from)
{
    *r = (struct rpc){.pid = pid, .to = to, .from = from, .notes = json_array(), .status = -1};
    fcntl(to, F_SETFL, fcntl(to, F_GETFL) | O_NONBLOCK);
    fcntl(from, F_SETFL, fcntl(from, F_GETFL) | O_NONBLOCK);
}

bool rpc_spawn(struct rpc *r, const char *const *command)
{
    int in[2], out[2];
    pid_t pid;
    posix_spawn_file_actions_t files;
    signal(SIGPIPE, SIG_IGN); // a write to a server that has ended returns an error instead
    if (pipe2(in, O_CLOEXEC) != 0)
        return false;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]), close(in[1]);
        return false;
    }
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    int err = posix_spawnp(&pid, command[0], &files, NULL, (char *const *)command, environ);
    posix_spawn_file_actions_destroy(&files);
    close(in[0]), close(out[1]);
    if (err) {
        close(in[1]), close(out[0]);
        errno = err;
        return false;
    }
    rpc_begin(r, pid, in[1], out[0]);
    return true;
}

bool rpc_connect(struct rpc *r, const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof to.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(to.sun_path, path, strlen(path));
    signal(SIGPIPE, SIG_IGN);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        int err = errno;
        close(fd);
        errno = err;
        return false;
    }
    rpc_begin(r, 0, fd, fd);
    return true;
}

// --- bytes

static bool make_room(struct rpc *r)
{
    if (r->start) {
        memmove(r->in, r->in + r->start, r->size);
        r->start = 0;
    }
    if (r->room - r->size >= READ_BYTES)
        return true;
    size_t room = 2 * r->room + READ_BYTES;
    char *grown = r->size > RPC_MAX_LINE ? NULL : realloc(r->in, room);
    if (!grown)
        return false;
    r->in = grown;
    r->room = room;
    return true;
}

// Reads what is available. Returns false if nothing more will come.
static bool receive_bytes(struct rpc *r)
{
    if (r->ended || !make_room(r))
        return false;
    ssize_t n = read(r->from, r->in + r->start + r->size, r->room - r->start - r->size);
    if (n > 0)
        r->size += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        r->ended = true;
    return !r->ended;
}

static bool wait_for(struct rpc *r, bool writing, int64_t until)
{
    int64_t left = until - loop_now_ms();
    struct pollfd fds[2] = {{.fd = r->ended ? -1 : r->from, .events = POLLIN},
                            {.fd = writing ? r->to : -1, .events = POLLOUT}};
    return poll(fds, 2, left > 0 ? (int)left : 0) > 0 || errno == EINTR;
}

// Counts over all connections, so that an error can quote the one that spoke last.
static void note_turn(struct rpc *r)
{
    static uint64_t turns;
    r->turn = ++turns;
}

bool rpc_write(struct rpc *r, const char *bytes, size_t size)
{
    if (size > 1) { // more than a line end
        wire_quote(r->sent, (struct span){bytes, size});
        wire_quote(r->received, (struct span){0});
        note_turn(r);
    }
    int64_t until = loop_now_ms() + RPC_WAIT_MS;
    while (size && r->to >= 0) {
        ssize_t n = write(r->to, bytes, size);
        if (n >= 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (errno != EAGAIN && errno != EINTR) {
            return false;
        } else {
            receive_bytes(r); // so that a server that waits for its reader does not block for ever
            if (!wait_for(r, true, until))
                return false;
        }
    }
    return r->to >= 0;
}

bool rpc_send_line(struct rpc *r, const char *line)
{
    return rpc_write(r, line, strlen(line)) && rpc_write(r, "\n", 1);
}

static bool next_line(struct rpc *r, char **line, size_t *size)
{
    char *at = r->in + r->start, *end = r->size ? memchr(at, '\n', r->size) : NULL;
    if (!end)
        return false;
    *line = at;
    *size = (size_t)(end - at);
    r->start += *size + 1;
    r->size -= *size + 1;
    return true;
}

// C14: one JSON object (or the array of a batch) per line.
static json_t *parse_line(struct rpc *r, const char *line, size_t size)
{
    json_t *message = json_loadb(line, size, 0, NULL);
    bool right = (json_is_object(message) || json_is_array(message)) && !memchr(line, '\r', size);
    if (!right && !r->wrong[0])
        snprintf(r->wrong, sizeof r->wrong, "%.*s", size == 0 || size > 90 ? 90 : (int)size,
                 size ? line : "an empty line");
    return message;
}

json_t *rpc_read(struct rpc *r, int wait_ms)
{
    int64_t until = loop_now_ms() + wait_ms;
    char *line;
    size_t size;
    for (;;) {
        while (next_line(r, &line, &size)) {
            json_t *message = parse_line(r, line, size);
            wire_quote(r->received, (struct span){line, size});
            note_turn(r);
            if (message)
                return message;
        }
        if (r->ended || !wait_for(r, false, until) || !receive_bytes(r) || loop_now_ms() > until + wait_ms)
            return NULL;
    }
}

// --- messages

static json_t *message_of(const char *method, json_t *params)
{
    json_t *message = json_pack("{s:s,s:s}", "jsonrpc", "2.0", "method", method);
    if (params)
        json_object_set_new(message, "params", params);
    return message;
}

static void send_message(struct rpc *r, json_t *message)
{
    char *line = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (line)
        rpc_send_line(r, line);
    free(line);
}

int64_t rpc_send(struct rpc *r, const char *method, json_t *params)
{
    json_t *message = message_of(method, params);
    json_object_set_new(message, "id", json_integer(++r->id));
    send_message(r, message);
    return r->id;
}

void rpc_notify(struct rpc *r, const char *method, json_t *params)
{
    send_message(r, message_of(method, params));
}

// The oldest goes first: a server that tells more than anybody reads must not fill the memory.
static void add_note(struct rpc *r, json_t *message)
{
    if (json_array_size(r->notes) >= RPC_MAX_NOTES)
        json_array_remove(r->notes, 0);
    json_array_append_new(r->notes, message);
}

static int limit_of(const struct rpc *r, int wait_ms)
{
    return r->patience > 1 ? wait_ms * r->patience : wait_ms;
}

json_t *rpc_answer(struct rpc *r, int64_t id, int wait_ms)
{
    int64_t until = loop_now_ms() + limit_of(r, wait_ms);
    for (json_t *message; (message = rpc_read(r, (int)(until > loop_now_ms() ? until - loop_now_ms() : 0)));) {
        json_t *its = json_object_get(message, "id");
        if (json_is_integer(its) && json_integer_value(its) == id && !json_object_get(message, "method"))
            return message;
        add_note(r, message);
    }
    return NULL;
}

static json_t *remove_note(struct rpc *r, const char *method)
{
    for (size_t i = 0; i < json_array_size(r->notes); i++) {
        json_t *note = json_array_get(r->notes, i);
        const char *its = json_string_value(json_object_get(note, "method"));
        if (its && strcmp(its, method) == 0) {
            json_incref(note);
            json_array_remove(r->notes, i);
            return note;
        }
    }
    return NULL;
}

json_t *rpc_find_note(struct rpc *r, const char *method, int wait_ms)
{
    int64_t until = loop_now_ms() + wait_ms;
    for (;;) {
        json_t *note = remove_note(r, method), *message;
        if (note)
            return note;
        if (!(message = rpc_read(r, (int)(until > loop_now_ms() ? until - loop_now_ms() : 0))))
            return NULL;
        add_note(r, message);
    }
}

// --- ending

void rpc_end_input(struct rpc *r)
{
    if (r->to >= 0 && r->to != r->from)
        close(r->to);
    else if (r->to >= 0)
        shutdown(r->to, SHUT_WR);
    r->to = -1;
}

// A child's end is known by its pid; its output is closed then, so polling it tells when to ask.
int rpc_exit_status(struct rpc *r, int wait_ms)
{
    int64_t until = loop_now_ms() + limit_of(r, wait_ms);
    for (int status; r->pid && r->status < 0;) {
        pid_t got = waitpid(r->pid, &status, WNOHANG);
        if (got == r->pid) {
            r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
            break;
        }
        if (loop_now_ms() >= until)
            return -1;
        if (!r->ended) // what it still says is not needed, but a full pipe would keep it from ending
            wait_for(r, false, until), receive_bytes(r), r->start = r->size = 0;
        else
            poll(NULL, 0, 1);
    }
    return r->status;
}

int rpc_close(struct rpc *r)
{
    rpc_end_input(r);
    if (r->pid && rpc_exit_status(r, FAREWELL_MS) < 0) {
        kill(r->pid, SIGKILL);
        rpc_exit_status(r, FAREWELL_MS);
    }
    int status = r->status;
    close(r->from);
    free(r->in);
    json_decref(r->notes);
    *r = (struct rpc){.to = -1, .from = -1};
    return status;
}

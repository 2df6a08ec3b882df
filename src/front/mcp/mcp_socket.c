#include "front/mcp/mcp_socket.h"

#include "front/mcp/mcp_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    // Output that a client has not read, beyond which its further messages wait.
    HOLD_BYTES = 1 << 20,
    HELD_MESSAGES = 16, // memory of all incomplete lines, in largest messages; their peers are this user's own
};

struct mcp_socket {
    struct mcp_host *host;
    struct loop *loop;
    struct conn_server *port;
    struct mcp_socket_options options;
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
};

struct peer {
    struct mcp_socket *socket;
    struct conn *conn;
    struct mcp_session *session;
    struct mcp_lines lines;
};

// --- sessions

static void link_send(void *conn, uint64_t tag, enum mcp_output kind, struct span message)
{
    (void)tag, (void)kind;
    const struct peer *p = conn;
    conn_reply(p->conn, message);
    conn_reply(p->conn, SPAN("\n"));
}

static const struct mcp_link line_link = {.send = link_send};

// G18.2: whoever is not this user is refused.
static bool is_same_user(int fd)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static void on_line(void *client, struct span line)
{
    mcp_session_handle(((struct peer *)client)->session, line, 0, loop_now_us());
}

static void on_too_long(void *client)
{
    mcp_session_too_large(((struct peer *)client)->session);
}

static bool go_on(void *client)
{
    const struct peer *p = client;
    return conn_is_listening(p->conn) && conn_waiting(p->conn) < HOLD_BYTES && !loop_is_spent(p->socket->loop) &&
           !mcp_session_is_reading(p->session);
}

static void *on_open(void *owner, struct conn *conn)
{
    struct mcp_socket *s = owner;
    struct peer *p = is_same_user(conn_descriptor(conn)) ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->socket = s;
    p->conn = conn;
    p->lines = (struct mcp_lines){s->options.max_message, p, on_line, on_too_long, go_on, false};
    p->session = mcp_session_open(s->host, &line_link, p, NULL, NULL);
    if (p->session) {
        conn_set_greeted(conn);
        return p;
    }
    free(p);
    return NULL;
}

static size_t on_bytes(void *client, struct span bytes, size_t seen)
{
    struct peer *p = client;
    size_t used = mcp_lines_split(&p->lines, bytes, seen);
    if (conn_waiting(p->conn) >= HOLD_BYTES)
        conn_hold(p->conn); // goes on when the client has read
    else if (used < bytes.size && !go_on(p) && conn_is_listening(p->conn)) {
        conn_pause(p->conn);
        conn_resume(p->conn); // in the next turn
    }
    return used;
}

static void on_close(void *client)
{
    struct peer *p = client;
    mcp_session_close(p->session, loop_now_us());
    loop_end_turn(p->socket->loop); // others may have to be told, or the host may be alone now
    free(p);
}

// --- the address

static bool make_address(struct sockaddr_un *a, const char *path)
{
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof a->sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(a->sun_path, path, strlen(path) + 1);
    return true;
}

int mcp_socket_connect(const char *path)
{
    struct sockaddr_un address;
    int fd = make_address(&address, path) ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0)
        return -1;
    int err = connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ? errno : is_same_user(fd) ? 0 : EPERM;
    if (err == 0)
        return fd;
    close(fd);
    errno = err;
    return -1;
}

// Removes what a dead process left; false with EADDRINUSE when somebody lives there.
static bool clear_path(const char *path)
{
    struct stat s;
    if (lstat(path, &s) != 0)
        return errno == ENOENT;
    int fd = mcp_socket_connect(path);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 || errno != ECONNREFUSED || !S_ISSOCK(s.st_mode) || s.st_uid != geteuid()) {
        errno = EADDRINUSE;
        return false;
    }
    return unlink(path) == 0;
}

// Two starting at once must not remove each other's socket: the folder is locked while one looks and binds.
static int lock_folder(const char *path)
{
    char copy[PATH_MAX];
    strncpy(copy, path, sizeof copy - 1);
    copy[sizeof copy - 1] = 0;
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        flock(fd, LOCK_EX);
    return fd;
}

static const struct conn_handler handler = {.on_open = on_open, .on_bytes = on_bytes, .on_close = on_close};

static bool listen_at(struct mcp_socket *s, struct loop *l)
{
    struct conn_options port = {
        .path = s->path,
        .max_waiting_bytes = s->options.max_waiting,
        .max_connections = s->options.max_connections,
        .max_held = HELD_MESSAGES * s->options.max_message,
    };
    int folder = lock_folder(s->path);
    if (clear_path(s->path))
        s->port = conn_listen(l, &port, &handler, s);
    int err = errno;
    if (folder >= 0)
        close(folder);
    errno = err;
    return s->port != NULL;
}

struct mcp_socket *mcp_socket_open(struct mcp_host *h, struct loop *l, const struct mcp_socket_options *o)
{
    struct sockaddr_un address;
    struct mcp_socket *s = make_address(&address, o->path) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->host = h;
    s->loop = l;
    s->options = *o;
    memcpy(s->path, address.sun_path, sizeof s->path);
    if (listen_at(s, l))
        return s;
    int err = errno;
    free(s);
    errno = err;
    return NULL;
}

void mcp_socket_close(struct mcp_socket *s)
{
    conn_close(s->port);
    unlink(s->path);
    free(s);
}

// A child process for HDF5 with few rights and limited memory; records are lines over a socket.
#include "traj/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// The two descriptors that the child keeps. CPU_S: a file that makes the library loop must not keep a processor busy.
enum { FILE_FD = 3, LINES_FD = 4, CPU_S = 600 };

#ifdef AGON_HDF5

// The child closes the server's descriptors and resets its signals. It ends when its input ends; if it crashes, none of
// the server's handlers runs.
static void drop_privileges(int file, int lines)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
    sigset_t none;
    int high_file = fcntl(file, F_DUPFD, 64), high_lines = fcntl(lines, F_DUPFD, 64);
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO); // how it died is known by its exit status
    if (dup2(high_file, FILE_FD) < 0 || dup2(high_lines, LINES_FD) < 0)
        _exit(TRAJ_BROKEN);
    close_range(LINES_FD + 1, ~0u, 0);
    for (int i = 1; i < SIGRTMIN; i++)
        signal(i, SIG_DFL);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_S, CPU_S});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HAS_SANITIZER 0
#endif

// Sizes in a file may be false, and the library trusts them: so limit the memory. Sanitizers need more than that.
static void limit_memory(void)
{
    rlim_t most = HAS_SANITIZER ? RLIM_INFINITY : (rlim_t)2 << 30;
    setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
}

// Beyond it a write fails with EFBIG: SIGXFSZ is ignored.
static void limit_file(uint64_t most)
{
    struct rlimit is;
    if (getrlimit(RLIMIT_FSIZE, &is) != 0 || is.rlim_cur <= most)
        return;
    is.rlim_cur = most;
    setrlimit(RLIMIT_FSIZE, &is);
}

static enum traj_fault start_child(struct traj_child *c, int file, int (*work)(int file, int lines), bool limited,
                                   uint64_t most)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return TRAJ_BROKEN;
    pid_t pid = fork();
    if (pid == 0) {
        drop_privileges(file, pair[1]);
        if (limited)
            limit_memory();
        limit_file(most);
        _exit(work(FILE_FD, LINES_FD));
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return TRAJ_BROKEN;
    }
    *c = (struct traj_child){.pid = pid, .fd = pair[0]};
    return TRAJ_FINE;
}

enum traj_fault traj_child_write(struct traj_child *c, int file, uint64_t most)
{
    return start_child(c, file, traj_h5_write, false, most);
}

enum traj_fault traj_child_read(struct traj_child *c, int file)
{
    return start_child(c, file, traj_h5_read, true, UINT64_MAX);
}

#else

enum traj_fault traj_child_write(struct traj_child *c, int file, uint64_t most)
{
    (void)c, (void)file, (void)most;
    return TRAJ_NOT_BUILT;
}

enum traj_fault traj_child_read(struct traj_child *c, int file)
{
    (void)c, (void)file;
    return TRAJ_NOT_BUILT;
}

#endif

static bool send_all(int fd, struct span s)
{
    while (s.size) {
        ssize_t n = send(fd, s.at, s.size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        s.at += n;
        s.size -= (size_t)n;
    }
    return true;
}

void traj_child_send(struct traj_child *c, struct span line)
{
    if (send_all(c->fd, line))
        send_all(c->fd, SPAN("\n"));
}

// A stream socket is writable while three quarters of its buffer (208 KiB by default) are free.
bool traj_child_is_ready(const struct traj_child *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLOUT};
    return poll(&p, 1, 0) != 0; // an error is for the next write
}

bool traj_child_is_busy(struct traj_child *c)
{
    if (!c->pid || c->ended)
        return false;
    shutdown(c->fd, SHUT_WR);
    pid_t pid = waitpid(c->pid, &c->status, WNOHANG);
    c->ended = pid == c->pid || (pid < 0 && errno != EINTR);
    if (pid < 0)
        c->status = -1;
    return !c->ended;
}

enum traj_fault traj_child_end(struct traj_child *c)
{
    int status = c->status;
    close(c->fd);
    while (!c->ended && waitpid(c->pid, &status, 0) < 0)
        if (errno != EINTR) { // reaped by a handler of the program's: what it said is not known
            status = -1;
            break;
        }
    *c = (struct traj_child){.fd = -1};
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) <= TRAJ_NOT_BUILT)
        return (enum traj_fault)WEXITSTATUS(status);
    return status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ ? TRAJ_NO_ROOM : TRAJ_DAMAGED;
}

void traj_child_drop(struct traj_child *c)
{
    if (!c->ended)
        kill(c->pid, SIGKILL); // what it still has to read or write would take a while
    traj_child_end(c);
}

// --- the user block

static bool digest_rest(int file, char out[TRAJ_HASH_ROOM])
{
    uint8_t digest[CRYPTO_SHA256_BYTES];
    char bytes[1 << 14];
    struct crypto_sum *sum = crypto_sum_create();
    ssize_t n;
    for (off_t at = TRAJ_USER_BLOCK; (n = pread(file, bytes, sizeof bytes, at)) > 0; at += n)
        crypto_sum_add(sum, bytes, (size_t)n);
    crypto_sum_peek(sum, digest);
    crypto_sum_destroy(sum);
    traj_hash_text(digest, out);
    return n == 0;
}

bool traj_block_write(int file, const char *by)
{
    char block[TRAJ_USER_BLOCK] = {0}, hash[TRAJ_HASH_ROOM];
    if (!digest_rest(file, hash))
        return false;
    struct text t = text_on(block, sizeof block);
    text_puts(&t, TRAJ_BLOCK_TITLE);
    text_puts(&t, hash);
    text_put_char(&t, '\n');
    if (*by) {
        t.size--; // the newline that the next line begins with
        text_puts(&t, TRAJ_BLOCK_CALLER);
        text_puts(&t, by);
        text_put_char(&t, '\n');
    }
    return pwrite(file, block, sizeof block, 0) == sizeof block;
}

bool traj_block_check(int file)
{
    char block[TRAJ_USER_BLOCK], hash[TRAJ_HASH_ROOM], wanted[TRAJ_USER_BLOCK] = {0};
    if (pread(file, block, sizeof block, 0) != sizeof block || !digest_rest(file, hash))
        return false;
    struct text t = text_on(wanted, sizeof wanted);
    text_puts(&t, TRAJ_BLOCK_TITLE);
    text_puts(&t, hash);
    text_put_char(&t, '\n');
    if (memcmp(block, wanted, t.size) != 0)
        return false;
    struct span rest = {block + t.size - 1, sizeof block - t.size + 1}; // with that newline
    size_t line = sizeof TRAJ_BLOCK_CALLER - 1;
    if (memcmp(rest.at, TRAJ_BLOCK_CALLER, line) == 0) {
        const char *end = memchr(rest.at + line, '\n', TRAJ_CALLER_ROOM);
        if (!end)
            return false;
        rest.size -= (size_t)(end - rest.at);
        rest.at = end;
    }
    for (size_t i = 1; i < rest.size; i++)
        if (rest.at[i])
            return false;
    return true;
}

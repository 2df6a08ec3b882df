#include "traj/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool traj_is_temporary_name(const char *name, struct span *of, pid_t *pid)
{
    const char *number = strrchr(name, '.'), *mark = number ? memrchr(name, '.', (size_t)(number - name)) : NULL;
    char *end;
    if (name[0] != '.' || !mark || mark == name)
        return false;
    long value = strtol(mark + 1, &end, 10);
    *of = (struct span){name + 1, (size_t)(mark - name - 1)};
    *pid = (pid_t)value;
    return value > 0 && value <= INT_MAX && end == number && number[1 + strspn(number + 1, "0123456789")] == 0;
}

enum traj_fault traj_output_open(struct traj_output *o, const struct traj_path *p, bool replaces, uint64_t most)
{
    static atomic_uint number;
    o->path = *p;
    o->fd = -1;
    o->error = 0;
    o->used = 0;
    o->bytes = 0;
    o->most = most;
    o->replaces = replaces;
    o->sum = NULL;
    enum traj_fault f = traj_path_check(p);
    if (f != TRAJ_FINE)
        return f;
    if ((o->path.folder = fcntl(p->folder, F_DUPFD_CLOEXEC, 0)) < 0)
        return TRAJ_BROKEN;
    snprintf(o->temporary, sizeof o->temporary, ".%s.%d.%u", p->name, (int)getpid(), atomic_fetch_add(&number, 1));
    o->fd = openat(o->path.folder, o->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (o->fd < 0) {
        o->error = errno;
        traj_path_release(&o->path);
        return o->error == ENOSPC || o->error == EDQUOT ? TRAJ_NO_ROOM : TRAJ_BROKEN;
    }
    o->sum = crypto_sum_create();
    return TRAJ_FINE;
}

int traj_fd_write(int fd, struct span bytes)
{
    while (bytes.size) {
        ssize_t n = write(fd, bytes.at, bytes.size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        bytes.at += n;
        bytes.size -= (size_t)n;
    }
    return 0;
}

static void flush_buffer(struct traj_output *o)
{
    if (!o->error)
        o->error = traj_fd_write(o->fd, (struct span){o->buffer, o->used});
    o->used = 0;
}

void traj_output_put(struct traj_output *o, struct span bytes)
{
    o->bytes += bytes.size;
    if (o->bytes > o->most && !o->error)
        o->error = EDQUOT;
    if (o->error)
        return;
    crypto_sum_add(o->sum, bytes.at, bytes.size);
    while (bytes.size) {
        size_t room = sizeof o->buffer - o->used, part = bytes.size < room ? bytes.size : room;
        memcpy(o->buffer + o->used, bytes.at, part);
        o->used += part;
        bytes.at += part;
        bytes.size -= part;
        if (o->used == sizeof o->buffer)
            flush_buffer(o);
    }
}

void traj_output_drop(struct traj_output *o)
{
    if (o->fd >= 0) {
        close(o->fd);
        unlinkat(o->path.folder, o->temporary, 0);
    }
    o->fd = -1;
    crypto_sum_destroy(o->sum);
    o->sum = NULL;
    traj_path_release(&o->path);
}

// Fails if the name was taken meanwhile. A file system without RENAME_NOREPLACE gets a link instead.
static int rename_new(const struct traj_output *o)
{
    int folder = o->path.folder;
    if (renameat2(folder, o->temporary, folder, o->path.name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return linkat(folder, o->temporary, folder, o->path.name, 0) == 0 ? unlinkat(folder, o->temporary, 0) : -1;
}

static enum traj_fault fault_of(const struct traj_output *o, int error)
{
    if (error == EEXIST)
        return TRAJ_EXISTS;
    if (o->bytes > o->most)
        return TRAJ_QUOTA;
    return error == ENOSPC || error == EDQUOT || error == EFBIG ? TRAJ_NO_ROOM : TRAJ_BROKEN;
}

enum traj_fault traj_output_sync(struct traj_output *o, char sha256[TRAJ_HASH_ROOM])
{
    uint8_t digest[CRYPTO_SHA256_BYTES];
    flush_buffer(o);
    if (!o->error && fsync(o->fd) != 0)
        o->error = errno;
    crypto_sum_peek(o->sum, digest);
    traj_hash_text(digest, sha256);
    return o->error ? fault_of(o, o->error) : TRAJ_FINE;
}

enum traj_fault traj_output_commit(struct traj_output *o)
{
    // If a link, a recording or a file that is no trajectory has taken the name meanwhile, it is not replaced.
    enum traj_fault f = traj_path_check(&o->path);
    int folder_fd = o->path.folder;
    if (f == TRAJ_FINE &&
        (o->replaces ? renameat(folder_fd, o->temporary, folder_fd, o->path.name) : rename_new(o)) != 0)
        f = fault_of(o, errno);
    if (f != TRAJ_FINE) {
        traj_output_drop(o);
        return f;
    }
    int folder = openat(o->path.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder); // the name; where folders cannot be synced the file is complete all the same
        close(folder);
    }
    close(o->fd);
    o->fd = -1;
    traj_output_drop(o);
    return TRAJ_FINE;
}

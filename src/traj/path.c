// Files below the data directory. A client names one file of the folder itself; the operator's --record is a path below
// it. Each part of a path is opened separately, without following links, so that nobody can redirect it outside while
// it is checked.
#include "traj/traj.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// No hidden names: they are used for unfinished files.
static bool is_name_good(struct span name)
{
    if (name.size == 0 || name.size > NAME_MAX - 40 || name.at[0] == '.')
        return false;
    for (size_t i = 0; i < name.size; i++)
        if ((unsigned char)name.at[i] < 0x20 || name.at[i] == 0x7f || name.at[i] == '\\')
            return false;
    return true;
}

// An absolute path is fine when it names the folder itself first.
static bool strip_folder(const char *data_dir, struct span *path)
{
    char real[PATH_MAX];
    if (path->size == 0 || path->at[0] != '/')
        return true;
    if (!realpath(data_dir, real))
        return false;
    size_t n = strlen(real);
    if (path->size <= n || memcmp(path->at, real, n) != 0 || path->at[n] != '/')
        return false;
    path->at += n + 1;
    path->size -= n + 1;
    return true;
}

static int enter_folder(int folder, struct span name)
{
    char text[NAME_MAX + 1];
    memcpy(text, name.at, name.size);
    text[name.size] = 0;
    int next = openat(folder, text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int err = errno;
    close(folder);
    errno = err;
    return next;
}

enum traj_fault traj_path_resolve(struct traj_path *p, const char *data_dir, struct span path)
{
    *p = (struct traj_path){.folder = -1};
    if (!strip_folder(data_dir, &path) || path.size >= PATH_MAX)
        return TRAJ_OUTSIDE;
    int folder = open(data_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (folder >= 0) {
        const char *slash = memchr(path.at, '/', path.size);
        struct span name = {path.at, slash ? (size_t)(slash - path.at) : path.size};
        if (!is_name_good(name)) {
            close(folder);
            return TRAJ_OUTSIDE;
        }
        if (!slash) {
            p->folder = folder;
            memcpy(p->name, name.at, name.size);
            return TRAJ_FINE;
        }
        path.at += name.size + 1;
        path.size -= name.size + 1;
        folder = enter_folder(folder, name);
    }
    return errno == ENOTDIR || errno == ELOOP ? TRAJ_LINK : TRAJ_OUTSIDE;
}

// --- names that clients give

static const struct {
    const char *suffix;
    enum traj_format format;
} suffixes[] = {{".json", TRAJ_JSON},   {".jsonl", TRAJ_JSONL}, {".msgpack", TRAJ_MSGPACK},
                {".mpk", TRAJ_MSGPACK}, {".h5", TRAJ_HDF5},     {".hdf5", TRAJ_HDF5}};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool traj_path_is_name(struct span name)
{
    size_t dot = 0;
    if (name.size == 0 || name.size > TRAJ_MAX_NAME || !is_letter(name.at[0]))
        return false;
    for (size_t i = 0; i < name.size; i++) {
        if (!is_letter(name.at[i]) && (!name.at[i] || !strchr("-:.", name.at[i])))
            return false;
        dot = name.at[i] == '.' ? i : dot;
    }
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (span_is((struct span){name.at + dot, name.size - dot}, suffixes[i].suffix))
            return true;
    return !dot;
}

static int open_folder(const char *folder)
{
    return open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

enum traj_fault traj_path_of_name(struct traj_path *p, const char *folder, struct span name, bool make)
{
    *p = (struct traj_path){.folder = -1};
    if (!traj_path_is_name(name))
        return TRAJ_NAME;
    p->folder = open_folder(folder);
    if (p->folder < 0 && errno == ENOENT && make && (mkdir(folder, 0700) == 0 || errno == EEXIST))
        p->folder = open_folder(folder);
    if (p->folder < 0)
        return errno == ENOTDIR || errno == ELOOP ? TRAJ_LINK : make ? TRAJ_BROKEN : TRAJ_MISSING;
    memcpy(p->name, name.at, name.size);
    return TRAJ_FINE;
}

void traj_path_release(struct traj_path *p)
{
    if (p->folder >= 0)
        close(p->folder);
    p->folder = -1;
}

enum traj_fault traj_path_open(const struct traj_path *p, int *fd)
{
    struct stat st;
    *fd = openat(p->folder, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (*fd < 0)
        return errno == ELOOP || errno == ENXIO || errno == EISDIR ? TRAJ_LINK : TRAJ_MISSING;
    enum traj_fault f = fstat(*fd, &st) != 0 || !S_ISREG(st.st_mode) ? TRAJ_LINK
                        : flock(*fd, LOCK_SH | LOCK_NB) != 0         ? TRAJ_BUSY
                                                                     : TRAJ_FINE;
    if (f == TRAJ_FINE)
        return f;
    close(*fd);
    *fd = -1;
    return f;
}

bool traj_path_of_journal(struct traj_path *p)
{
    size_t size = strlen(p->name);
    if (size + sizeof TRAJ_JOURNAL_SUFFIX > sizeof p->name)
        return false;
    memcpy(p->name + size, TRAJ_JOURNAL_SUFFIX, sizeof TRAJ_JOURNAL_SUFFIX);
    return true;
}

// Whether an HDF5 journal is in progress: it grows as lines in a second file, which is locked.
static bool is_journal_open(const struct traj_path *p)
{
    struct traj_path lines = *p;
    int fd;
    if (!traj_path_of_journal(&lines))
        return false;
    enum traj_fault f = traj_path_open(&lines, &fd);
    if (f == TRAJ_FINE)
        close(fd);
    return f == TRAJ_BUSY;
}

// An empty file may be replaced.
static bool may_replace(int fd)
{
    char by[TRAJ_CALLER_ROOM];
    struct stat st;
    return traj_is_trajectory(fd, by) || (fstat(fd, &st) == 0 && st.st_size == 0);
}

enum traj_fault traj_path_check(const struct traj_path *p)
{
    int fd;
    enum traj_fault f = traj_path_open(p, &fd);
    if (f == TRAJ_FINE) {
        f = may_replace(fd) ? TRAJ_FINE : TRAJ_FOREIGN;
        close(fd);
    }
    if (is_journal_open(p))
        return TRAJ_BUSY;
    if (f == TRAJ_MISSING && faccessat(p->folder, p->name, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        return TRAJ_FINE;
    return f;
}

enum traj_format traj_format_of(const char *path, enum traj_format missing)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t s = strlen(suffixes[i].suffix);
        if (n > s && strcmp(path + n - s, suffixes[i].suffix) == 0)
            return suffixes[i].format;
    }
    return missing;
}

// The folder that clients save into: which files are trajectories, who saved them, and the quota. Each file says who
// saved it, so nothing else has to survive a restart.
#include "traj/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK = 4096 }; // bytes read of a file: every header has its format and saved_by within them

// --- what a file is

static bool starts_with(struct span s, const char *text)
{
    return s.size >= strlen(text) && memcmp(s.at, text, strlen(text)) == 0;
}

static void copy_text(char *out, size_t room, const char *from, size_t size)
{
    size_t n = size < room ? size : room - 1;
    memcpy(out, from, n);
    out[n] = 0;
}

static void find_text(struct span s, const char *before, char end, char by[TRAJ_CALLER_ROOM])
{
    const char *at = memmem(s.at, s.size, before, strlen(before));
    if (!at)
        return;
    at += strlen(before);
    const char *stop = memchr(at, end, (size_t)(s.at + s.size - at));
    if (stop)
        copy_text(by, TRAJ_CALLER_ROOM, at, (size_t)(stop - at));
}

static void find_packed(struct span s, char by[TRAJ_CALLER_ROOM])
{
    static const char key[] = "\xa8saved_by";
    const char *at = memmem(s.at, s.size, key, sizeof key - 1), *end = s.at + s.size;
    if (!at || (at += sizeof key - 1) + 2 > end)
        return;
    unsigned char tag = (unsigned char)*at++;
    size_t size = (tag & 0xe0) == 0xa0 ? tag & 0x1f : tag == 0xd9 ? (unsigned char)*at++ : 0;
    if (size <= (size_t)(end - at))
        copy_text(by, TRAJ_CALLER_ROOM, at, size);
}

// The first members of a header are `k` and `format`, in every format of ours.
static bool is_packed(struct span s)
{
    static const char begin[] = "\xa1k\xa6header\xa6"
                                "format\xb2game-rl-trajectory";
    unsigned char tag = s.size ? (unsigned char)s.at[0] : 0;
    size_t skip = (tag & 0xf0) == 0x80 ? 1 : tag == 0xde ? 3 : 0;
    return skip && s.size > skip && starts_with((struct span){s.at + skip, s.size - skip}, begin);
}

#define HEADER "{\"k\":\"header\",\"format\":\"game-rl-trajectory\""

bool traj_is_trajectory(int fd, char by[TRAJ_CALLER_ROOM])
{
    char bytes[LOOK];
    ssize_t n = pread(fd, bytes, sizeof bytes, 0);
    struct span s = {bytes, n > 0 ? (size_t)n : 0};
    by[0] = 0;
    if (starts_with(s, "{\"header\":" HEADER) || starts_with(s, HEADER))
        find_text(s, "\"saved_by\":\"", '"', by);
    else if (starts_with(s, TRAJ_BLOCK_TITLE))
        find_text((struct span){s.at, s.size < TRAJ_USER_BLOCK ? s.size : TRAJ_USER_BLOCK}, TRAJ_BLOCK_CALLER, '\n',
                  by);
    else if (is_packed(s))
        find_packed(s, by);
    else
        return false;
    return true;
}

// --- all of them

// What was found in a file, with its inode, size and time of change, by which it is recognised if unchanged.
struct known {
    ino_t inode;
    struct timespec changed;
    off_t size;
    bool is_trajectory;
    char by[TRAJ_CALLER_ROOM];
};

struct traj_save_folder {
    struct known *known; // as they were found last, in that order
    size_t count;
};

struct traj_save_folder *traj_save_folder_create(void)
{
    struct traj_save_folder *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    return s;
}

void traj_save_folder_destroy(struct traj_save_folder *s)
{
    if (s)
        free(s->known);
    free(s);
}

// An unchanged file is not opened again. Listings keep their order, so the search begins behind the last hit.
static bool find_known(const struct traj_save_folder *s, size_t *at, const struct stat *st, struct known *out)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct known *k = &s->known[(*at + i) % s->count];
        if (k->inode != st->st_ino || k->size != st->st_size || k->changed.tv_sec != st->st_mtim.tv_sec ||
            k->changed.tv_nsec != st->st_mtim.tv_nsec)
            continue;
        *out = *k;
        *at = (*at + i + 1) % s->count;
        return true;
    }
    return false;
}

static bool read_known(int folder, const char *name, const struct stat *st, struct known *out)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return false;
    *out = (struct known){.inode = st->st_ino, .changed = st->st_mtim, .size = st->st_size};
    out->is_trajectory = traj_is_trajectory(fd, out->by);
    close(fd);
    return true;
}

static void count_one(struct traj_usage *u, const struct known *k, const char *caller)
{
    bool own = strcmp(k->by, caller) == 0;
    if (!k->is_trajectory)
        return;
    u->files++;
    u->bytes += (uint64_t)k->size;
    u->own_files += own;
    u->own_bytes += own ? (uint64_t)k->size : 0;
}

struct traj_usage traj_save_folder_count(struct traj_save_folder *s, const struct traj_path *p, const char *caller)
{
    struct traj_usage u = {0};
    struct traj_save_folder now = {0};
    size_t room = 0, at = 0;
    int fd = openat(p->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct known k;
        struct stat st;
        if (e->d_name[0] == '.' || strcmp(e->d_name, p->name) == 0 ||
            fstatat(p->folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (!find_known(s, &at, &st, &k) && !read_known(p->folder, e->d_name, &st, &k))
            continue;
        if (now.count == room) {
            room = room ? 2 * room : 64;
            if (!(now.known = realloc(now.known, room * sizeof *now.known)))
                abort();
        }
        now.known[now.count++] = k;
        count_one(&u, &k, caller);
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    free(s->known);
    *s = now;
    return u;
}

static uint64_t left_of(uint64_t limit, uint64_t used)
{
    return !limit ? UINT64_MAX : limit > used ? limit - used : 0;
}

uint64_t traj_save_folder_room(const struct traj_limits *l, const struct traj_usage *u, enum traj_limit *reached)
{
    uint64_t all = left_of(l->bytes, u->bytes), own = left_of(l->own_bytes, u->own_bytes);
    *reached = !left_of(l->own_files, u->own_files) ? TRAJ_OWN_FILES
               : !left_of(l->files, u->files)       ? TRAJ_FILES
               : own <= all                         ? TRAJ_OWN_BYTES
                                                    : TRAJ_BYTES;
    return *reached == TRAJ_OWN_FILES || *reached == TRAJ_FILES ? 0 : own < all ? own : all;
}

enum traj_fault traj_path_may_save(const struct traj_path *p, const char *caller, bool overwrite)
{
    char by[TRAJ_CALLER_ROOM];
    int fd;
    enum traj_fault f = traj_path_check(p);
    if (f != TRAJ_FINE)
        return f;
    if (traj_path_open(p, &fd) != TRAJ_FINE)
        return TRAJ_FINE; // nothing is there
    traj_is_trajectory(fd, by);
    close(fd);
    if (!overwrite)
        return TRAJ_EXISTS;
    return strcmp(caller, TRAJ_LOCAL) == 0 || strcmp(caller, by) == 0 ? TRAJ_FINE : TRAJ_OTHERS;
}

// Removes unfinished files of dead processes. If a process with that pid is alive, even another one, the file stays.
void traj_save_folder_sweep(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct span name;
        pid_t pid;
        if (traj_is_temporary_name(e->d_name, &name, &pid) && traj_path_is_name(name) && kill(pid, 0) != 0 &&
            errno == ESRCH)
            unlinkat(fd, e->d_name, 0);
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
}

// Removes rings of processes that died without closing them (G20.9).
#include "vision/ring.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHM_DIR "/dev/shm"

// The pid in a name "grl.<pid>.<8 hex>.<n>", or 0 when it is no such name.
static pid_t owner_of(const char *name)
{
    if (strncmp(name, "grl.", 4) != 0 || !isdigit((unsigned char)name[4]))
        return 0;
    char *at;
    long pid = strtol(name + 4, &at, 10);
    size_t hex = *at == '.' ? strspn(at + 1, "0123456789abcdef") : 0;
    if (hex != 8 || at[9] != '.')
        return 0;
    size_t digits = strspn(at + 10, "0123456789");
    return digits && !at[10 + digits] && pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

static void remove_if_left(int dir, const char *name)
{
    struct stat st;
    pid_t pid = owner_of(name);
    if (!pid || kill(pid, 0) == 0 || errno != ESRCH)
        return;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    // A process in another pid namespace looks dead from here, but still holds its lock.
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(dir, name, 0);
    close(fd);
}

void vision_sweep(const char *dir)
{
    DIR *all = opendir(dir ? dir : SHM_DIR);
    if (!all)
        return;
    for (struct dirent *entry; (entry = readdir(all));)
        remove_if_left(dirfd(all), entry->d_name);
    closedir(all);
}

#include "app/output_file.h"

#include "app/app.h"
#include "app/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A missing file is created and removed again: there is no other way to know that it can be written.
void output_file_check(const char *path, const char *command)
{
    struct stat st;
    if (!path || strcmp(path, "-") == 0)
        return;
    bool is_new = stat(path, &st) != 0;
    if (!is_new && S_ISFIFO(st.st_mode)) // opening and closing a FIFO would look like the end to its reader
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0)
        app_refuse(command, "cannot write %s: %s", path, strerror(errno));
    close(fd);
    if (is_new)
        unlink(path);
}

void output_file_check_folder(const char *path, const char *command)
{
    struct stat st;
    if (mkdir(path, 0777) == 0) {
        rmdir(path);
        return;
    }
    if (errno != EEXIST)
        app_refuse(command, "cannot create the folder %s: %s", path, strerror(errno));
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        errno = ENOTDIR;
    else if (access(path, W_OK | X_OK) == 0)
        return;
    app_refuse(command, "cannot write to the folder %s: %s", path, strerror(errno));
}

void output_file_write(const char *path, struct span bytes)
{
    if (file_io_write(path, bytes) != OK)
        app_die("cannot write %s: %s", path ? path : "the output", strerror(errno));
}

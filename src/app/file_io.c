#include "app/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Reads a file or a pipe. Returns NULL with errno set if it cannot be read or exceeds FILE_IO_MAX_BYTES.
static char *read_all(int fd, size_t *size)
{
    size_t room = 1 << 16, used = 0;
    char *bytes = malloc(room);
    ssize_t got = 0;
    while (bytes && (got = read(fd, bytes + used, room - used)) > 0) {
        used += (size_t)got;
        if (used > FILE_IO_MAX_BYTES) {
            errno = EFBIG;
            got = -1;
            break;
        }
        if (used < room)
            continue;
        char *more = realloc(bytes, room *= 2);
        if (!more)
            free(bytes);
        bytes = more;
    }
    if (got < 0) {
        free(bytes);
        return NULL;
    }
    *size = used;
    return bytes;
}

struct span file_io_read(const char *path, char *why, size_t room)
{
    struct span file = {0};
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        file.at = read_all(fd, &file.size);
    if (!file.at)
        snprintf(why, room, "cannot read it: %s", strerror(errno));
    if (fd >= 0 && !is_stdin)
        close(fd);
    return file;
}

int file_io_write(const char *path, struct span bytes)
{
    bool is_stdout = !path || strcmp(path, "-") == 0;
    FILE *f = is_stdout ? stdout : fopen(path, "wb");
    if (!f)
        return -1;
    bool written = fwrite(bytes.at, 1, bytes.size, f) == bytes.size;
    if (is_stdout) // stays open: others write to it too
        return written && fflush(f) == 0 ? 0 : -1;
    return fclose(f) == 0 && written ? 0 : -1;
}

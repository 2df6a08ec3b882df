// A recording on disk: every record is written when it happens, so that a crash loses at most the one in progress. The
// file is locked as long as it grows. HDF5 cannot promise that: its records are also written to a file of lines beside
// it, which is removed when the HDF5 file is complete.
#include "traj/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct traj_journal {
    struct traj_path path; // of what grows
    int fd;
    int error; // errno, the first; nothing is written after it
    enum traj_format format;
    struct traj_footer footer;
    struct text packed;     // the record as it is written
    struct traj_output *h5; // NULL: not that format
    struct traj_child child;
};

// One write for each record. What did not fit is cut off again: the file ends with a whole record.
static void write_record(struct traj_journal *t, struct span json)
{
    if (t->error)
        return;
    off_t end = lseek(t->fd, 0, SEEK_CUR);
    t->packed.size = 0;
    t->packed.full = false;
    if (t->format == TRAJ_MSGPACK) {
        traj_msgpack_write(&t->packed, json);
    } else {
        text_put(&t->packed, json);
        text_put_char(&t->packed, '\n');
    }
    t->error = t->packed.full ? ENOMEM : traj_fd_write(t->fd, text_span(&t->packed));
    if (t->error && end >= 0 && ftruncate(t->fd, end) == 0)
        lseek(t->fd, end, SEEK_SET);
    if (t->child.pid)
        traj_child_send(&t->child, json);
}

static enum traj_fault open_file(struct traj_journal *t)
{
    struct stat st;
    t->fd = openat(t->path.folder, t->path.name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    if (t->fd < 0)
        return errno == ELOOP || errno == EISDIR || errno == ENXIO ? TRAJ_LINK
               : errno == ENOSPC                                   ? TRAJ_NO_ROOM
                                                                   : TRAJ_BROKEN;
    if (fstat(t->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return TRAJ_LINK;
    if (flock(t->fd, LOCK_EX | LOCK_NB) != 0)
        return TRAJ_BUSY;
    char by[TRAJ_CALLER_ROOM];
    if (st.st_size && !traj_is_trajectory(t->fd, by))
        return TRAJ_FOREIGN;
    return ftruncate(t->fd, 0) == 0
               ? TRAJ_FINE
               : TRAJ_BROKEN; // after the lock: a file that somebody else records to is not changed
}

static enum traj_fault open_hdf5(struct traj_journal *t)
{
    struct traj_path aim = t->path;
    if (!traj_path_of_journal(&t->path))
        return TRAJ_OUTSIDE;
    if (!(t->h5 = calloc(1, sizeof *t->h5)))
        abort();
    enum traj_fault f = traj_output_open(t->h5, &aim, true, UINT64_MAX);
    if (f == TRAJ_FINE)
        f = traj_child_write(&t->child, t->h5->fd, UINT64_MAX);
    return f;
}

static void journal_destroy(struct traj_journal *t)
{
    if (t->child.pid)
        traj_child_end(&t->child);
    if (t->h5 && t->h5->fd >= 0)
        traj_output_drop(t->h5);
    free(t->h5);
    if (t->fd >= 0)
        close(t->fd);
    traj_path_release(&t->path);
    traj_footer_release(&t->footer);
    free(t->packed.at);
    free(t);
}

enum traj_fault traj_journal_open(struct traj_journal **out, const char *data_dir, struct span path, struct span header)
{
    struct traj_journal *t = calloc(1, sizeof *t);
    struct text line = {.grow = traj_text_grow};
    if (!t)
        abort();
    t->fd = -1;
    t->packed.grow = traj_text_grow;
    traj_footer_init(&t->footer);
    enum traj_fault f = traj_path_resolve(&t->path, data_dir, path);
    t->format = f == TRAJ_FINE ? traj_format_of(t->path.name, TRAJ_JSONL) : TRAJ_JSONL;
    if (f == TRAJ_FINE && t->format == TRAJ_HDF5)
        f = open_hdf5(t);
    if (f == TRAJ_FINE)
        f = open_file(t);
    if (f == TRAJ_FINE && !traj_make_header(&line, header))
        f = TRAJ_BROKEN;
    if (f == TRAJ_FINE) {
        traj_footer_set_header(&t->footer, text_span(&line));
        write_record(t, text_span(&line));
        *out = t;
    } else {
        journal_destroy(t);
        *out = NULL;
    }
    free(line.at);
    return f;
}

void traj_journal_add(struct traj_journal *t, struct span record)
{
    traj_footer_add(&t->footer, (enum traj_kind)traj_kind_of(record), record);
    write_record(t, record);
}

int traj_journal_error(const struct traj_journal *t)
{
    return t->error;
}

// Renames the finished HDF5 file and removes the lines.
static enum traj_fault finish_hdf5(struct traj_journal *t)
{
    char sha256[TRAJ_HASH_ROOM];
    enum traj_fault f = traj_child_end(&t->child);
    if (f == TRAJ_FINE && !traj_block_write(t->h5->fd, ""))
        f = TRAJ_BROKEN;
    if (f != TRAJ_FINE)
        return f;
    close(t->fd); // unlocked: nobody records here any more
    t->fd = -1;
    f = traj_output_sync(t->h5, sha256);
    if (f == TRAJ_FINE)
        f = traj_output_commit(t->h5);
    if (f == TRAJ_FINE)
        unlinkat(t->path.folder, t->path.name, 0);
    return f;
}

enum traj_fault traj_journal_close(struct traj_journal *t)
{
    struct text footer = {.grow = traj_text_grow};
    traj_footer_write(&t->footer, &footer);
    write_record(t, text_span(&footer));
    free(footer.at);
    enum traj_fault f = t->error ? TRAJ_NO_ROOM : TRAJ_FINE;
    if (f == TRAJ_FINE && fsync(t->fd) != 0)
        f = TRAJ_BROKEN;
    if (t->h5 && f == TRAJ_FINE)
        f = finish_hdf5(t);
    journal_destroy(t);
    return f;
}

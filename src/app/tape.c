#include "app/tape.h"

#include "app/reserve.h"
#include "app/step_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Bytes of a file or a pipe, up to the ceiling; NULL and errno when it cannot be read.
static char *read_all(int fd, size_t *size)
{
    size_t room = 1 << 16, used = 0;
    char *bytes = malloc(room);
    ssize_t got = 0;
    while (bytes && (got = read(fd, bytes + used, room - used)) > 0) {
        used += (size_t)got;
        if (used > TAPE_MAX_BYTES) {
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

struct span tape_read_file(const char *path, char *why, size_t room)
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

int tape_write_file(const char *path, struct span bytes)
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

bool tape_is_step_log(struct span bytes)
{
    return bytes.size >= 5 && memcmp(bytes.at, "AGT1\t", 5) == 0;
}

bool tape_read_key(const char *hex, uint8_t key[RNG_KEY_BYTES])
{
    return text_read_hex(span_of(hex), key, RNG_KEY_BYTES);
}

// The text becomes a replay; the text is freed.
static int load_step_log(struct loaded_replay *t, struct span text)
{
    enum { ROOM = 256 << 20 }; // address space: how long the replay will be is not known
    struct step_log_fault fault;
    struct text replay = app_reserve_text(ROOM);
    int err = step_log_import(&replay, text, &fault);
    free((char *)text.at);
    char *bytes = err == OK ? malloc(replay.size) : NULL;
    if (bytes)
        t->file = (struct span){memcpy(bytes, replay.at, replay.size), replay.size};
    app_release(replay.at, ROOM);
    if (err != OK)
        snprintf(t->why, sizeof t->why, "line %ju: %s", (uintmax_t)fault.line, fault.why);
    return err == OK && !bytes ? ERR_FULL : err;
}

static const struct game_kit *find_game(struct loaded_replay *t)
{
    const struct game_kit *row = games_find(t->head.game);
    if (row)
        return row;
    char known[160];
    app_name_games(known, sizeof known);
    snprintf(t->why, sizeof t->why, "its game '%s' is unknown; known: %s", t->head.game, known);
    return NULL;
}

int tape_take(struct loaded_replay *t, const char *path, struct span bytes, const uint8_t *key)
{
    *t = (struct loaded_replay){.path = path};
    if (!tape_is_step_log(bytes))
        t->file = bytes;
    else if (load_step_log(t, bytes) != OK)
        return APP_FAILED;
    return loaded_replay_read(t, find_game, key) ? APP_DONE : APP_FAILED;
}

int tape_open(struct loaded_replay *t, const char *path, const uint8_t *key)
{
    char why[LOADED_REPLAY_ERROR_ROOM];
    struct span bytes = tape_read_file(path, why, sizeof why);
    if (bytes.at)
        return tape_take(t, path, bytes, key);
    *t = (struct loaded_replay){.path = path};
    memcpy(t->why, why, sizeof why);
    return APP_USAGE;
}

void tape_close(struct loaded_replay *t)
{
    free((char *)t->file.at);
    t->file = (struct span){0};
}

void tape_demand(struct loaded_replay *t, const char *path, const uint8_t *key)
{
    int status = tape_open(t, path, key);
    if (status == APP_DONE && !t->has_key) {
        snprintf(t->why, sizeof t->why, "it does not contain its key; give it with --key");
        status = APP_FAILED;
    }
    if (status == APP_DONE)
        return;
    fprintf(stderr, "agon: %s: %s\n", path, t->why);
    exit(status);
}

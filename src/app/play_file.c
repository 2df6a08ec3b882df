#include "app/play_file.h"

#include "app/file_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The XDG base directory specification demands an absolute path; another one is ignored.
static void path_in_state(char path[PLAY_PATH], const char *before, const char *word, const char *behind)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && state[0] == '/')
        snprintf(path, PLAY_PATH, "%s/agon/%s%s%s", state, before, word, behind);
    else
        snprintf(path, PLAY_PATH, "%s/.local/state/agon/%s%s%s", home ? home : ".", before, word, behind);
}

void play_file_path(char path[PLAY_PATH], const char *game)
{
    path_in_state(path, "play-", game, ".agr");
}

void play_scores_path(char path[PLAY_PATH], const char *game)
{
    path_in_state(path, "", game, ".scores");
}

void play_guest_path(char path[PLAY_PATH], const char *server)
{
    path_in_state(path, "guest-", server, ".key");
}

static bool make_folders(const char *path)
{
    char folder[PLAY_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = 0;
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return false;
        *at = '/';
    }
    return true;
}

bool play_file_write(const char *path, struct span bytes, char *why, size_t room)
{
    char part[PLAY_PATH + 8];
    snprintf(part, sizeof part, "%s.part", path);
    // Renamed when complete: a crash leaves the file as it was.
    bool written = make_folders(path) && file_io_write(part, bytes) == OK && rename(part, path) == 0;
    if (!written)
        snprintf(why, room, "%s: %s", path, strerror(errno));
    return written;
}

#include "app/replay_file.h"

#include "app/file_io.h"
#include "app/reserved_memory.h"
#include "app/step_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool replay_file_is_step_log(struct span bytes)
{
    return bytes.size >= 5 && memcmp(bytes.at, "AGT1\t", 5) == 0;
}

bool replay_file_read_key(const char *hex, uint8_t key[RNG_KEY_BYTES])
{
    return text_read_hex(span_of(hex), key, RNG_KEY_BYTES);
}

// The text becomes a replay; the text is freed.
static int load_step_log(struct loaded_replay *t, struct span text)
{
    enum { ROOM = 256 << 20 }; // address space: how long the replay will be is not known
    struct step_log_fault fault;
    struct text replay = memory_reserve_text(ROOM);
    int err = step_log_import(&replay, text, &fault);
    free((char *)text.at);
    char *bytes = err == OK ? malloc(replay.size) : NULL;
    if (bytes)
        t->file = (struct span){memcpy(bytes, replay.at, replay.size), replay.size};
    memory_release(replay.at, ROOM);
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

int replay_file_parse(struct loaded_replay *t, const char *path, struct span bytes, const uint8_t *key)
{
    *t = (struct loaded_replay){.path = path};
    if (!replay_file_is_step_log(bytes))
        t->file = bytes;
    else if (load_step_log(t, bytes) != OK)
        return APP_FAILED;
    return loaded_replay_read(t, find_game, key) ? APP_DONE : APP_FAILED;
}

int replay_file_open(struct loaded_replay *t, const char *path, const uint8_t *key)
{
    char why[LOADED_REPLAY_ERROR_ROOM];
    struct span bytes = file_io_read(path, why, sizeof why);
    if (bytes.at)
        return replay_file_parse(t, path, bytes, key);
    *t = (struct loaded_replay){.path = path};
    bool is_missing = strcmp(path, "-") != 0 && access(path, F_OK) != 0;
    snprintf(t->why, sizeof t->why, "%.200s%s", why,
             is_missing ? "; 'agon play --save FILE' and 'agon match --replays DIR' write replays" : "");
    return APP_USAGE;
}

void replay_file_close(struct loaded_replay *t)
{
    free((char *)t->file.at);
    t->file = (struct span){0};
}

void replay_file_require(struct loaded_replay *t, const char *path, const uint8_t *key)
{
    int status = replay_file_open(t, path, key);
    if (status == APP_DONE && !t->has_key) {
        snprintf(t->why, sizeof t->why, "it does not contain its key; give it with --key");
        status = APP_FAILED;
    }
    if (status == APP_DONE)
        return;
    fprintf(stderr, "agon: %s: %s\n", path, t->why);
    exit(status);
}

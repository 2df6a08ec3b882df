#include "traj/traj.h"

#include "base/json_read.h"
#include "heap/heap.h"

#include <stdlib.h>

const char *const traj_kind_names[] = {"header", "reset", "step", "message", "agent", "footer", NULL};
const char *const traj_format_names[] = {"json", "json", "msgpack", "hdf5", NULL};
const char *const traj_formats_built[] = {"json", "msgpack",
#ifdef AGON_HDF5
                                          "hdf5",
#endif
                                          NULL};

bool traj_text_grow(struct text *t, size_t more)
{
    return heap_text_grow_within(t, more, 4096, TRAJ_MAX_FILE);
}

int traj_kind_of(struct span json)
{
    struct json_reader r = json_reader_of(json, TRAJ_MAX_DEPTH + 1);
    struct json_string key;
    if (json_peek(&r) != JSON_OBJECT)
        return -1;
    json_enter_object(&r);
    if (!json_next_key(&r, &key) || !json_string_is(key, "k") || json_peek(&r) != JSON_STRING)
        return -1;
    return json_string_among(json_read_string(&r), traj_kind_names);
}

void traj_hash_text(const uint8_t digest[CRYPTO_SHA256_BYTES], char out[TRAJ_HASH_ROOM])
{
    struct text t = text_on(out, TRAJ_HASH_ROOM);
    text_puts(&t, "sha256:");
    text_put_hex_bytes(&t, digest, CRYPTO_SHA256_BYTES);
    text_put_char(&t, 0);
}

const char *traj_fault_text(enum traj_fault f)
{
    static const char *const texts[] = {
        [TRAJ_FINE] = "fine",
        [TRAJ_OUTSIDE] = "a path of plain names below the data directory, whose folders exist",
        [TRAJ_LINK] = "a regular file, no symbolic link, folder or special file",
        [TRAJ_MISSING] = "a file that exists and can be read",
        [TRAJ_BUSY] = "a file that is not being recorded",
        [TRAJ_DAMAGED] = "a complete trajectory whose sums are right",
        [TRAJ_PARTIAL] = "a trajectory with the actions of all agents and its seed",
        [TRAJ_NAME] = ("a file name of at most 100 letters, digits, '_', '-', ':' and '.', beginning with a letter, "
                       "digit or '_'; its suffix, if any, is .json, .jsonl, .msgpack, .mpk, .h5 or .hdf5"),
        [TRAJ_EXISTS] = "a name that is free, or overwrite: true to replace the trajectory of this name",
        [TRAJ_FOREIGN] = "a name that is free; what is there is no trajectory and is never replaced",
        [TRAJ_OTHERS] = "a name that is free; another client has saved the trajectory of this name",
        [TRAJ_NO_ROOM] = "room on the disk",
        [TRAJ_BROKEN] = "a file system that works",
        [TRAJ_NOT_BUILT] = "a format of agon.trajectory_formats",
        [TRAJ_TOO_LARGE] = "smaller pictures",
        [TRAJ_QUOTA] = "a size within the server's limits",
        [TRAJ_UNSOUND] = "a trajectory that reads back",
    };
    return texts[f];
}

// The formats, for writers and readers. Private to this room.
#pragma once

#include "base/json_read.h"
#include "traj/traj.h"

#include <sys/types.h>

// footer.c: what a footer says of the records before it, counted by writers and readers alike.
struct traj_footer {
    struct crypto_sum *content; // over all records but header and footer, as lines of canonical JSON
    uint64_t steps, episodes;
    uint64_t steps_in_episode;          // steps of the last episode
    char last_hash[TRAJ_HASH_ROOM + 2]; // as JSON; "" before the first
    char header_hash[TRAJ_HASH_ROOM];
};
void traj_footer_init(struct traj_footer *s);
void traj_footer_release(struct traj_footer *s);
void traj_footer_set_header(struct traj_footer *s, struct span header); // the record, canonical
void traj_footer_add(struct traj_footer *s, enum traj_kind kind, struct span record);
void traj_footer_write(const struct traj_footer *s, struct text *footer); // the record
// `header`, canonical and with its `k`, from members in braces. False: not JSON.
bool traj_make_header(struct text *out, struct span members);

// output.c: 0, or the errno for which not all was written.
int traj_fd_write(int fd, struct span bytes);
// select.c: a key as it was read, with a comma before it if it is not the first of its object.
void traj_put_key(struct text *out, struct json_string key);

// msgpack.c: canonical JSON becomes MessagePack; rewards are 64-bit floats, other whole numbers as short as possible,
// pictures bytes.
void traj_msgpack_write(struct text *out, struct span json);
// One value at the beginning of `bytes`, appended as canonical JSON: its size; 0: cut; -1: malformed.
ssize_t traj_msgpack_read(struct span bytes, struct text *json);

// child.c: HDF5 is read and written by a child process, which exchanges records one per line. The library loads slowly
// and may crash on bad files; only the child dies then.
struct traj_child {
    pid_t pid;  // 0: none
    int fd;     // lines to it or from it
    bool ended; // and reaped: `status` says how
    int status;
};
enum traj_fault traj_child_write(struct traj_child *c, int file, uint64_t most); // most: bytes of the file
enum traj_fault traj_child_read(struct traj_child *c, int file);
void traj_child_send(struct traj_child *c, struct span line); // and a newline; ignored if the child is dead
bool traj_child_is_ready(const struct traj_child *c);         // a line of TRAJ_MAX_READY bytes would not wait for it
bool traj_child_is_busy(struct traj_child *c);                // it gets no more lines, and has not ended yet
enum traj_fault traj_child_end(struct traj_child *c);         // waits for it; what became of it
void traj_child_drop(struct traj_child *c);                   // kills it

// The digest in the user block in front of an HDF5 file, over all that follows.
enum { TRAJ_USER_BLOCK = 512 };
#define TRAJ_BLOCK_TITLE  "agon game-rl-trajectory\n"
#define TRAJ_BLOCK_CALLER "\nsaved by "
bool traj_block_write(int file, const char *by); // by: who saved it, "" when nobody is to be named
bool traj_block_check(int file);

// h5write.c, h5read.c: what the child does with its library; the exit status, an enum traj_fault.
int traj_h5_write(int file, int lines);
int traj_h5_read(int file, int lines);

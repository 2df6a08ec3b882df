// Trajectories (G19): what happened at a table, as records. A record is one JSON object whose first member `k` says
// what it is; all formats hold the same records. Here they are kept in memory under a ceiling, written and read.
//
// The last member of a step's entry may be `frames`: {stream_id: {dtype, shape, data}}, with the bytes of a picture in
// base64, and that of a reset {agent_id: frames}: what each saw first. In MessagePack the pictures are bytes, in HDF5
// rows of datasets.
#pragma once

#include "base/err.h"
#include "base/json_write.h"
#include "crypto/crypto.h"

#include <sys/types.h>

enum traj_kind { TRAJ_HEADER, TRAJ_RESET, TRAJ_STEP, TRAJ_MESSAGE, TRAJ_AGENT, TRAJ_FOOTER, TRAJ_KINDS };
enum traj_format { TRAJ_JSON, TRAJ_JSONL, TRAJ_MSGPACK, TRAJ_HDF5, TRAJ_FORMATS };

extern const char *const traj_kind_names[];    // by their enum, ended by NULL
extern const char *const traj_format_names[];  // json, json, msgpack, hdf5: lines are a form of json (G19.5)
extern const char *const traj_formats_built[]; // what can be asked for, ended by NULL (G19.6)

enum {
    TRAJ_MAX_RECORD = 64 << 20, // bytes of one record, as JSON
    TRAJ_MAX_FILE = 256 << 20,  // of a file that is read at once (json)
    TRAJ_MAX_FRAME = 48 << 20,  // bytes of a picture: its base64 fits into a record
    TRAJ_MAX_READY = 1 << 16,   // of one that is written without waiting (traj_write_is_ready)
    TRAJ_MAX_DEPTH = 56,        // of a record: formats put a few levels around it
    TRAJ_HASH_ROOM = 72,        // "sha256:", 64 digits, NUL
};

bool traj_text_grow(struct text *t, size_t more); // on the heap, up to TRAJ_MAX_FILE
int traj_kind_of(struct span json);               // by its member k; -1: none
void traj_hash_text(const uint8_t digest[CRYPTO_SHA256_BYTES], char out[TRAJ_HASH_ROOM]);

// --- canonical_json.c: one way to write a value, so that every format gives back the same bytes

// Appends a value: no white space, ASCII, numbers in the shortest form that reads back equal. False: not JSON.
bool traj_put_canonical_json(struct text *out, struct span json);
void traj_write_double(struct text *out, double value); // whole numbers without a fraction

// --- select.c: the part of a record that a client may get (G19.2)

struct traj_choice {
    bool observations, frames;
    bool secrets;                                         // seeds, keys, salts
    bool (*has)(const void *owner, struct span agent_id); // raw, between its quotes; NULL: all
    const void *owner;
};
// The record as chosen, canonical. False: it is left out as a whole, or it is no record.
bool traj_select(struct text *out, struct span record, const struct traj_choice *c);

// --- recording.c: records in memory, oldest episodes dropped whole (G19.1)

// The memory of several recordings and their copies. When it is used up, the largest recording loses its oldest
// episode.
struct traj_pool;
struct traj_pool *traj_pool_create(size_t bytes);
void traj_pool_destroy(struct traj_pool *p);       // its recordings and copies are gone
size_t traj_pool_bytes(const struct traj_pool *p); // allocated; never more than it was created with

struct traj_recording;
struct traj_recording *traj_recording_create(struct traj_pool *p, size_t bytes, uint64_t steps); // the ceilings
// A read-only snapshot. It shares the memory of the recording, so it is cheap.
struct traj_recording *traj_recording_copy(const struct traj_recording *k);
void traj_recording_destroy(struct traj_recording *k);
void traj_recording_add(struct traj_recording *k, enum traj_kind kind,
                        struct span json); // before a reset: nothing happens
void traj_recording_clear(struct traj_recording *k);
size_t traj_recording_bytes(const struct traj_recording *k);
uint64_t traj_recording_steps(const struct traj_recording *k);
uint64_t traj_recording_episodes(const struct traj_recording *k);
bool traj_recording_is_lost(const struct traj_recording *k); // the running episode has outgrown the ceiling and is gone
uint64_t traj_recording_first(const struct traj_recording *k); // the place of the oldest record; places only grow
uint64_t traj_recording_end(const struct traj_recording *k);   // of what comes next
// Walks: `at` is the first place, then the one behind the record. False at the end. The span is valid until the next
// call with the same text.
bool traj_recording_next(const struct traj_recording *k, uint64_t *at, struct text *out, enum traj_kind *kind);

// --- path.c: files below one folder (G19.10)

enum traj_fault {
    TRAJ_FINE,
    TRAJ_OUTSIDE = 1, // the path leaves the folder, or has names that are not allowed
    TRAJ_LINK,        // a symbolic link, a folder or a special file
    TRAJ_MISSING,
    TRAJ_BUSY,    // under recording
    TRAJ_DAMAGED, // no trajectory, truncated, or its checksums are wrong
    TRAJ_PARTIAL, // sound, but without what is needed to play it again
    TRAJ_NAME,    // not a name that a client may give
    TRAJ_EXISTS,  // a trajectory of that name is there, and nobody asked to replace it
    TRAJ_FOREIGN, // a file that is no trajectory is there: it is never replaced
    TRAJ_OTHERS,  // a trajectory that another client saved
    TRAJ_NO_ROOM, // disk full
    TRAJ_BROKEN,  // the machine failed otherwise
    TRAJ_NOT_BUILT,
    TRAJ_TOO_LARGE, // pictures beyond a limit
    TRAJ_QUOTA,     // beyond what may be saved (struct traj_limits)
    TRAJ_UNSOUND,   // written, but it does not read back
};
const char *traj_fault_text(enum traj_fault f); // what would be right

#define TRAJ_JOURNAL_SUFFIX ".jsonl" // added to the name of an HDF5 file under recording

struct traj_path {
    int folder; // the descriptor of the file's folder, or -1
    char name[256];
};
enum traj_fault traj_path_resolve(struct traj_path *p, const char *data_dir, struct span path);
// A name that a client gave, in this very folder: at most TRAJ_MAX_NAME letters, digits, `_`, `-`, `:` and `.`,
// beginning with a letter, digit or `_`; behind the last dot, if there is one, stands a suffix of ours. The folder must
// be no link; `make`: it is made when it is not there, for this user alone.
enum traj_fault traj_path_of_name(struct traj_path *p, const char *folder, struct span name, bool make);
bool traj_path_is_name(struct span name);
bool traj_path_of_journal(struct traj_path *p); // the lines of an HDF5 recording; false: the name is too long
void traj_path_release(struct traj_path *p);
enum traj_fault traj_path_open(const struct traj_path *p, int *fd); // for reading; shared with other readers
// Whether a file may be written there: nothing is there, or a trajectory that nobody records to.
enum traj_fault traj_path_check(const struct traj_path *p);
enum traj_format traj_format_of(const char *path, enum traj_format missing); // by suffix

// --- save_folder.c: the folder that clients save into

#define TRAJ_LOCAL "local" // the caller on standard input or at the Unix socket: the user who runs the server
enum { TRAJ_CALLER_ROOM = 64, TRAJ_MAX_NAME = 100 };

// By the content of its first bytes; `by` is who saved it, "" when it does not say.
bool traj_is_trajectory(int fd, char by[TRAJ_CALLER_ROOM]);

// What clients may save: files and bytes, all together and each caller. 0: without limit.
struct traj_limits {
    uint64_t files, bytes, own_files, own_bytes;
};
struct traj_usage {
    uint64_t files, bytes, own_files, own_bytes;
};
enum traj_limit { TRAJ_OWN_FILES, TRAJ_FILES, TRAJ_OWN_BYTES, TRAJ_BYTES };

struct traj_save_folder;
struct traj_save_folder *traj_save_folder_create(void);
void traj_save_folder_destroy(struct traj_save_folder *s);
// What is in the folder of `p` besides the file of its own name.
struct traj_usage traj_save_folder_count(struct traj_save_folder *s, const struct traj_path *p, const char *caller);
// Bytes that one more file may have, and the limit that says so; 0: none.
uint64_t traj_save_folder_room(const struct traj_limits *l, const struct traj_usage *u, enum traj_limit *reached);
// Whether this caller may save there. Only the local caller may replace files that others have saved.
enum traj_fault traj_path_may_save(const struct traj_path *p, const char *caller, bool overwrite);
void traj_save_folder_sweep(const char *folder); // removes unfinished files of dead processes

// --- output.c: a file that is written under a temporary name and then renamed

struct traj_output {
    struct traj_path path;
    char temporary[300];  // its name until it is complete, so that no reader finds a part of it
    int fd;               // -1: none
    int error;            // errno, the first
    bool replaces;        // a trajectory that is there already
    size_t used;          // of `buffer`
    uint64_t bytes, most; // most: EDQUOT beyond it
    struct crypto_sum *sum;
    char buffer[1 << 16];
};
enum traj_fault traj_output_open(struct traj_output *o, const struct traj_path *p, bool replaces, uint64_t most);
bool traj_is_temporary_name(const char *name, struct span *of, pid_t *pid); // a file that is being written, by its name
void traj_output_put(struct traj_output *o, struct span bytes);
enum traj_fault traj_output_sync(struct traj_output *o, char sha256[TRAJ_HASH_ROOM]); // all is on disk, not renamed yet
enum traj_fault traj_output_commit(struct traj_output *o);                            // renamed, closed
void traj_output_drop(struct traj_output *o);                                         // removes the file

// --- write.c

struct traj_writer;
struct traj_done {
    uint64_t bytes, steps, episodes;
    char sha256[TRAJ_HASH_ROOM];
};
// `header` is the header record without its `k`; its saved_by says who writes. `replaces`: an existing trajectory may
// be overwritten. `most` is the largest size in bytes.
enum traj_fault traj_write_begin(struct traj_writer **w, const struct traj_path *p, enum traj_format f,
                                 struct span header, bool replaces, uint64_t most);
// Whether a record of up to TRAJ_MAX_READY bytes can be written now. False: a child is still busy with others, and the
// write would wait for it.
bool traj_write_is_ready(const struct traj_writer *w);
void traj_write_record(struct traj_writer *w, struct span record); // canonical; reset, step, message or agent
// An end in two steps, between which the file can be read back: it is complete under its temporary name, then it takes
// its place. A fault leaves no file; traj_write_drop is due all the same.
bool traj_write_is_busy(struct traj_writer *w); // after the last record: a child is still at work, ask again
enum traj_fault traj_write_finish(struct traj_writer *w, struct traj_done *done);
struct traj_path traj_write_path(const struct traj_writer *w); // of the finished file; not to be released
enum traj_fault traj_write_commit(struct traj_writer *w);
void traj_write_drop(struct traj_writer *w);

// --- journal.c: a file that grows while things happen (--record)

struct traj_journal;
enum traj_fault traj_journal_open(struct traj_journal **t, const char *data_dir, struct span path, struct span header);
void traj_journal_add(struct traj_journal *t, struct span record); // canonical; on disk when this returns
int traj_journal_error(const struct traj_journal *t);              // errno; 0: fine
enum traj_fault traj_journal_close(struct traj_journal *t);

// --- read.c

struct traj_reader;
enum traj_fault traj_read_open(struct traj_reader **r, const struct traj_path *p);
enum traj_format traj_read_format(const struct traj_reader *r);
bool traj_read_is_ready(struct traj_reader *r); // false: the next record is still on its way from a child
// Whether the next record may take long: it comes from a child process, or a whole episode of JSON is looked at first.
bool traj_read_is_long(const struct traj_reader *r);
// 1: a record, canonical, valid until the next call; 0: the end, of a whole file; -1: damaged.
int traj_read_next(struct traj_reader *r, enum traj_kind *kind, struct span *record);
bool traj_read_changed(const struct traj_reader *r); // at the end: well formed, but the records are not those written
void traj_read_close(struct traj_reader *r);
// The same from memory, for tests.
enum traj_fault traj_read_bytes(struct traj_reader **r, struct span bytes);

// Starts programs: splits a command line, creates a process group and pipes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SPAWN_KEPT = 16384 }; // bytes of output kept (B13.5)

// The last bytes of a stream.
struct tail {
    char at[SPAWN_KEPT];
    size_t size, next; // ring buffer
};

void tail_add(struct tail *t, const char *bytes, size_t size);
// Copies the newest bytes that fit, with a terminating NUL; returns how many.
size_t tail_copy(const struct tail *t, char *out, size_t room);

// Splits a text into words like a shell (quotes, backslashes), without running one. Returns NULL if a quote is not
// closed. The list ends with NULL; free it with spawn_free_words.
char **spawn_split(const char *text);
void spawn_free_words(char **words);

// Whether the program of a command line is there: 0, or why it cannot be started (errno).
int spawn_find(const char *command);

struct spawned {
    pid_t pid; // also its process group, except with SPAWN_IN_OUR_GROUP
    int in;    // its standard input; -1: none
    int out, err;
    bool in_our_group;
};

enum spawn_way {
    SPAWN_WITH_INPUT = 1,   // its standard input is a pipe; else /dev/null
    SPAWN_IN_OUR_GROUP = 2, // for programs that are run by others, who kill their group: it and its children go with us
};

// Returns 0 or an errno. A name without a slash is searched in PATH; a relative path with a slash is relative to
// `folder`, where the program runs; NULL: the current folder. `environment` is added to ours and ends with NULL; may be
// NULL. `ways`: a set of enum spawn_way. Our ends of the pipes are non-blocking.
int spawn_program(struct spawned *p, char *const *words, const char *folder, char *const *environment, int ways);
// Waits at most `ms` for its end. Returns false if it is still running.
bool spawn_wait(pid_t pid, int ms, int *status);
// The same; then kills it, and what it started in its group. Returns false if it had to be killed.
bool spawn_end(const struct spawned *p, int ms, int *status);
void spawn_describe_status(int status, char *out, size_t room); // "exit status 3", "killed by signal 11"

// Programs that are started here: words of a command line, a process group of its own, pipes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SPAWN_KEPT = 16384 }; // bytes of output that are kept (B13.5)

// The last bytes of a stream.
struct tail {
    char at[SPAWN_KEPT];
    size_t size, next; // a ring
};

void tail_add(struct tail *t, const char *bytes, size_t size);
size_t tail_copy(const struct tail *t, char *out, size_t room); // the newest that fit, with a closing NUL; how many

// The words of a text as a shell splits them (quotes, backslashes), without running one. NULL when a quote is open.
// Ended by NULL; freed at once with spawn_free_words.
char **spawn_split(const char *text);
void spawn_free_words(char **words);

struct spawned {
    pid_t pid; // also of its process group
    int in;    // its standard input, -1: none
    int out, err;
};

// 0, or an errno. A name without a slash is searched in PATH; a relative path with one is relative to `folder`, where
// the program runs; NULL: here. `environment` is added to ours, ended by NULL; may be NULL. Our ends do not block.
int spawn_program(struct spawned *p, char *const *words, const char *folder, char *const *environment, bool with_input);
// Waits at most `ms` for its end; false when it still runs.
bool spawn_wait(pid_t pid, int ms, int *status);
void spawn_describe_status(int status, char *out, size_t room); // "exit status 3", "killed by signal 11"

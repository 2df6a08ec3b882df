// Held keys: when they repeat and when they count as released (T6.4, T6.5). Time is an argument, in microseconds of a
// monotonic clock.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum play_key {
    PLAY_NONE,
    PLAY_LEFT,
    PLAY_RIGHT,
    PLAY_SOFT_DROP, // the three above repeat
    PLAY_ROTATE_CW,
    PLAY_ROTATE_CCW,
    PLAY_HARD_DROP,
    PLAY_HOLD,
    PLAY_PAUSE,
    PLAY_RESTART,
    PLAY_SEED, // a new game with a seed that is asked for
    PLAY_HELP, // the list of keys, while the game waits
    PLAY_QUIT,
    PLAY_KEYS,
};

enum { KEYS_REPEATING = PLAY_SOFT_DROP + 1 };

struct keys_timing {
    int das_ms, arr_ms, soft_drop_ms;
    int release_ms;                                   // T6.5: silence that counts as a release,
    int repeat_release_min_ms, repeat_release_max_ms; // and its limits once a repeat of the terminal was seen
};

struct keys {
    struct keys_timing timing;
    bool has_releases;               // the terminal reports releases; none is guessed
    bool held[KEYS_REPEATING];       // of the three that repeat
    int64_t due_us[KEYS_REPEATING];  // their next repeat
    int64_t seen_us[KEYS_REPEATING]; // time of the last press or repeat of each
    int64_t active_us;               // the same for any of them
    int64_t repeat_us;               // the last interval at which the terminal repeated a held key; 0: never seen
    enum play_key direction;         // left or right: the one that moves the piece
};

void keys_init(struct keys *k, const struct keys_timing *timing);

// A press, or a repeat that the terminal sent as one. True: it acts now.
bool keys_press(struct keys *k, enum play_key key, int64_t now_us);
void keys_release(struct keys *k, enum play_key key, int64_t now_us);
void keys_release_all(struct keys *k); // T6.6

// Returns repeats due until now, in order, at most `room`; after a stall the others are dropped.
int keys_advance(struct keys *k, int64_t now_us, enum play_key *out, int room);

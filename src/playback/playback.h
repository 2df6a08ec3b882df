// A replay being played back: its position, the events of the last step, and what every viewer has seen so far.
#pragma once

#include "playback/loaded_replay.h"

enum { PLAYBACK_PAST_ROOM = 1 << 15, PLAYBACK_VIEWERS = GAME_SPECTATOR + 1 };

struct playback {
    const struct loaded_replay *replay;
    struct replay_run run;
    struct replay_entry last;    // the last step
    struct game_events happened; // events of that step
    int error;                   // what stopped the replay; OK: nothing
    char label[GAME_MAX_SEATS][LOADED_REPLAY_LABEL_ROOM];
    const char *name[GAME_MAX_SEATS];          // names of the seats, all different
    struct game_event *past[PLAYBACK_VIEWERS]; // oldest first; when it is full, the older half is dropped
    uint32_t past_count[PLAYBACK_VIEWERS];
};

// Before the first step. Sets error to ERR_FULL without memory. Seats have their names, numbered if two are equal; with
// `neutral` default names.
void playback_open(struct playback *s, const struct loaded_replay *replay, bool neutral);
void playback_close(struct playback *s);

// Plays the next entry, at most `ticks` of a run of ticks. Returns 1; 0 if there is none or it fails, see error. Also
// returns for entries without effect (hashes): see run.entry.
int playback_next_entry(struct playback *s, uint32_t ticks);
bool playback_next(struct playback *s);                // one step
void playback_seek(struct playback *s, uint64_t step); // forwards or backwards; stops where the replay does

// Lets the playback follow a running match: takes its position, and `happened` are the new events.
void playback_follow(struct playback *s, const struct match *m);

struct codec_table playback_for(const struct playback *s, int viewer);
void playback_describe_entry(const struct playback *s,
                             struct text *t); // "ann raises to 400"; nothing before the first step
// The event at *at with those of its parts that one of the viewers may see, and *at moves behind them; how many.
int playback_take_event(const struct playback *s, uint32_t *at, seat_set viewers,
                        struct game_event seen[GAME_MAX_EVENTS]);
int playback_viewer_of(const struct game_event *e); // to whom a codec tells it: the gallery, or the first seat that may
void playback_describe_events(const struct playback *s, struct text *t, seat_set viewers, const char *indent);
// JSON: {"type":...,"to":[...]} of each event that one of the viewers may see, as an array; when `described`, with the
// codec's sentence as "text" where it has one.
void playback_write_events(const struct playback *s, struct text *t, seat_set viewers, bool described);
void playback_write_view(const struct playback *s, struct text *t, int viewer); // an object
void playback_draw(const struct playback *s, struct text *t, int viewer);
// What one viewer knows, told to another: the picture is as it stands before `to`. Not for games that draw in prose.
void playback_draw_for(const struct playback *s, struct text *t, int viewer, int to);
void playback_describe_error(const struct playback *s, char *why, size_t room);

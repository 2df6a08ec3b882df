// A replay on stage: where it stands, what happened in the last step, and what every viewer has seen so far.
#pragma once

#include "app/tape.h"

enum { STAGE_PAST_ROOM = 1 << 15, STAGE_VIEWERS = GAME_SPECTATOR + 1 };

struct stage {
    const struct tape *tape;
    struct replay_run run;
    struct replay_entry last;    // step that was done
    struct game_events happened; // in it
    int error;                   // what stopped the replay; OK while nothing did
    char label[GAME_MAX_SEATS][MATCH_NAME_ROOM + 8];
    const char *name[GAME_MAX_SEATS];       // what seats are called: no two alike
    struct game_event *past[STAGE_VIEWERS]; // oldest first; when it is full the older half goes
    uint32_t past_count[STAGE_VIEWERS];
};

// Before the first step. Seats have their names, numbered where two are alike, or, when `neutral`, the house names.
void stage_open(struct stage *s, const struct tape *tape, bool neutral);
void stage_close(struct stage *s);

// The next entry, at most `ticks` of a run of them: 1; 0 when there is none or it fails, see error. Entries that
// change nothing (hashes) come too: run.entry tells.
int stage_next_entry(struct stage *s, uint32_t ticks);
bool stage_next(struct stage *s);                // one step on
void stage_seek(struct stage *s, uint64_t step); // forwards or backwards; stops where the replay does

struct codec_table stage_for(const struct stage *s, int viewer);
void stage_tell_entry(const struct stage *s, struct text *t); // "ann raises to 400"; nothing before the first step
// The event at *at with those of its parts that one of the viewers may see, and *at moves behind them; how many.
int stage_take_event(const struct stage *s, uint32_t *at, seat_set viewers, struct game_event seen[GAME_MAX_EVENTS]);
int stage_viewer_of(const struct game_event *e); // to whom a codec tells it: the gallery, or the first seat that may
void stage_tell_events(const struct stage *s, struct text *t, seat_set viewers, const char *indent);
void stage_draw(const struct stage *s, struct text *t, int viewer);
void stage_tell_error(const struct stage *s, char *say, size_t room);

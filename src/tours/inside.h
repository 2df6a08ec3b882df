// What the files of this room share.
#pragma once

#include "contest/journal.h"
#include "tours/tours.h"

#include <limits.h>
#include <stdatomic.h>

enum { TOUR_SECRET = 32, TOUR_PATH = PATH_MAX, TOUR_TABLES = 16 };

// A game at a table of the lobby.
struct tour_table {
    uint64_t index;
    struct uuid match;
    bool found; // from before a restart: perhaps the lobby could not go on with it
};

struct tour_entrant {
    char shown[STORE_NAME + 32];
    struct uuid agent; // none: no registered agent
};

// A tournament while it is played. The keeper is its thread: it saves the journal and makes snapshots while others
// play, and writes the end.
struct tour_life {
    struct tour *tour;
    const struct tours *tours;
    struct contest contest;
    struct contest_run run;
    struct journal journal;
    FILE *games;      // games.c
    struct loop loop; // of those who play bots outside
    char replays[TOUR_PATH];
    pthread_t keeper;
    struct contest seen;                  // the keeper's own copy of the figures
    struct tour_table table[TOUR_TABLES]; // the loop's, of a tournament with registered agents
    int tables;
    pthread_mutex_t lock; // of all that follows
    pthread_cond_t stirred;
    struct text standings; // the newest snapshot, JSON
    uint64_t done;
    bool played;           // nothing is left to play, or the players have stopped
    bool ended;            // its end is being written, or has been
    bool over;             // the keeper has nothing more to do
    int err;               // why it stopped, if it had to
    char why[CONTEST_WHY]; // the same, where there is more to say
    int64_t finished_ms;   // by the keeper; 0: it did not come to that
};

struct tour_errand;

struct tour {
    const struct tours *owner;
    const struct tours_game *game; // NULL: not played here any more
    char game_name[24];
    struct uuid id;
    enum contest_format format;
    enum tour_status status;
    bool mirrored;
    bool outside; // a bot behind HTTP takes part
    bool made;    // what was asked is on disk: it can be seen
    bool busy;    // an errand is under way
    bool seated;  // a registered agent takes part: games are matches of the lobby
    int entrants;
    struct tour_entrant *entrant;
    int64_t created_ms, finished_ms, retry_ms;
    uint64_t games, done, total, seed; // games: as in contest_plan
    uint8_t secret[TOUR_SECRET];
    struct tours_request *request; // as it was asked; NULL once it is over
    struct tour_life *life;        // NULL: nobody plays
    char why[CONTEST_WHY];         // why it stopped last, where there is more to say than an error
};

struct tours {
    struct tours_options o;
    struct tour **at; // in order of creation
    int count, room;
    struct event *timer;
    bool ticking;
    bool (*on_news)(void *owner);
    tours_on_done *on_done;
    void *news_owner;
    struct tour_errand *errands; // under way, in no order
    uint64_t last_errand;
    int bell; // rung when one is done
    struct event *on_bell;
};

// plan.c
// 200, or 400 and `say`.
int tour_make_plan(const struct tours *t, const struct tours_request *q, struct contest_plan *plan,
                   struct tour_entrant *who, char say[TOURS_SAY]);
// Whether all bots outside are there, from any thread; false: `why` says who is not. `stop` as in contest_reach_all.
bool tour_reach_bots(const struct tour *x, const atomic_bool *stop, char why[CONTEST_WHY]);
int tour_check_agents(const struct tours *t, const struct tour *x, char say[TOURS_SAY]); // likewise: may they play?
const struct tours_game *tours_find_game(const struct tours *t, const char *name);

// keep.c: OK or ERR_STORAGE, errno tells why
int tour_save(const struct tour *x);
int tour_save_end(const struct tour *x, enum tour_status status, int64_t finished_ms, uint64_t done,
                  struct span standings);
int tour_load(struct tour *x, const char *name);           // x->owner is set; ERR_FORMAT when it is none
int tour_read_end(const struct tour *x, struct text *out); // the whole file
struct span tour_standings_of(struct span end);
void tour_path(const struct tour *x, const char *file, char out[TOUR_PATH]);
int tour_read_file(const char *path, struct text *out);

// life.c
int tour_live(struct tour *x);  // OK: it is being played
void tour_stop(struct tour *x); // asked to
int tour_bury(struct tour *x);  // waits for its threads; OK, or why it stopped; what became of it is in x
bool tour_is_over(struct tour *x);
// Cancelling, in two parts: nothing more is played, and what it came to; then all that on disk, from any thread.
int tour_begin_end(struct tour *x, struct text *standings,
                   uint64_t *done); // OK, ERR_OVER: it has just finished, ERR_FULL
int tour_write_end(struct tour *x, struct span standings, uint64_t done, int64_t now_ms); // OK or ERR_STORAGE

// errand.c: what has to be on disk before anybody hears of it. A thread of its own writes it, so that the loop waits
// for no disk; then `conclude` is called from the loop.
struct tour_errand {
    struct tour_errand *next;
    struct tours *tours;
    struct tour *tour;
    uint64_t number;
    int (*run)(struct tour_errand *e); // in the thread
    void (*conclude)(struct tour_errand *e);
    struct text standings; // of an end
    uint64_t done;
    int64_t now_ms;
    char why[CONTEST_WHY]; // a bot outside is not there; empty: all are
    int err;               // what `run` said
    int system_error;      // errno then
    pthread_t thread;
    atomic_bool over;
};
bool errands_open(struct tours *t);
void errands_close(struct tours *t); // waits for those under way, and concludes none
// Takes its own copy; its number. 0: there is no memory or no thread for it, and nothing was done.
uint64_t errand_send(const struct tour_errand *e);

// games.c
void games_write(FILE *f, const struct contest *c, uint64_t index); // appends; the contest is locked

// seated.c
void seated_resume(struct tour *x);                             // finds its matches again
void seated_step(struct tour *x, int64_t now_ms);               // seats whoever can be
bool seated_over(struct tour *x, const struct store_match *m);  // a match ended; false: it is none of its own
struct uuid seated_match(const struct tour *x, uint64_t index); // the id of a game's match
void tour_wake(struct tour_life *l, bool played);

// tell.c
void tour_snapshot(struct contest *seen, struct contest *c); // copies the figures
void tour_tell_standings(const struct tour *x, struct contest *c, struct text *out);

// What the files of this room share.
#pragma once

#include "contest/journal.h"
#include "net/log.h"
#include "tournaments/tournaments.h"
#include "work/work.h"

#include <limits.h>
#include <stdatomic.h>

enum { TOURNAMENT_SECRET = 32, TOURNAMENT_PATH = PATH_MAX, TOURNAMENT_TABLES = 16 };

// A game at a table of the lobby.
struct tournament_table {
    uint64_t index;
    struct uuid match;
    bool found; // from before a restart: perhaps the lobby could not go on with it
};

struct tournament_entrant {
    char shown[STORE_NAME + 32];
    struct uuid agent;  // none: no registered agent
    int64_t entered_ms; // by itself; 0: the operator named it
    bool gone;          // the agent was deleted
};

// A tournament while it is played. The keeper is its thread: it saves the journal and makes snapshots while others
// play, and writes the end.
struct tournament_life {
    struct tournament *tour;
    const struct tournaments *tournaments;
    struct contest contest;
    struct contest_run run;
    struct journal journal;
    FILE *games;                         // games.c
    bool closed;                         // the files are: of the lock below
    bool seating;                        // a job looks for players, and holds this
    uint64_t sought;                     // games before this one are known to the store, or are not
    int64_t looked_ms[CONTEST_ENTRANTS]; // when an agent was found to be away
    struct loop loop;                    // of those who play bots outside
    char replays[TOURNAMENT_PATH];
    pthread_t keeper;
    struct contest seen;                              // the keeper's own copy of the figures
    struct tournament_table table[TOURNAMENT_TABLES]; // the loop's, of a tournament with registered agents
    int tables;
    int64_t missed_ms[CONTEST_ENTRANTS]; // since when a game waits for that agent; 0: none does
    pthread_mutex_t lock;                // of all that follows
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

struct tournament_job;

struct tournament {
    const struct tournaments *owner;
    const struct tournaments_game *game; // NULL: not played here any more
    char game_name[24];
    char title[4 * TOURNAMENTS_TITLE + 1];
    struct uuid id;
    enum contest_format format;
    enum tournament_status status;
    bool mirrored;
    bool outside; // a bot behind HTTP takes part
    bool made;    // what was asked is on disk: it can be seen
    int busy;     // jobs under way
    int entering; // of these, agents on their way in
    bool ending;  // it is open, and its end is being written: nobody comes or goes
    bool seated;  // a registered agent takes part: games are matches of the lobby
    int entrants;
    struct tournament_entrant *entrant;
    int64_t created_ms, started_ms, finished_ms, retry_ms;
    int64_t entry_until_ms; // 0: it was never open
    int entry_max, wait_seconds;
    uint64_t games, done, total, seed; // games: as in contest_plan
    uint8_t secret[TOURNAMENT_SECRET];
    struct tournaments_request *request; // as it was asked; NULL once it is over
    struct tournament_life *life;        // NULL: nobody plays
    char why[CONTEST_WHY];               // why it stopped last, where there is more to say than an error

    // Of several nodes (shared.c).
    bool directs;                  // this node does; of one that has its folder alone, always
    bool loading;                  // a job reads it, or begins it
    bool wanted;                   // the role is
    bool untold;                   // its director does not know of everybody that was deleted here
    uint64_t changes;              // of the store's files, when they were read
    struct text told;              // standings, as its director told last
    int64_t told_ms;               // when this node told them
    uint64_t told_done;            // of how many games
    uint64_t journal_at, games_at; // bytes of these files that were put
};

// Who waits for a job, as a job itself.
struct tournament_wait {
    struct tournament_wait *next;
    uint64_t job;
    int status;
    char said[TOURNAMENTS_SAY];
    struct work_line line;
};

struct tournaments {
    struct tournaments_options o;
    struct tournament **at; // in order of creation
    int count, room;
    struct event *timer;
    bool ticking;
    bool (*on_news)(void *owner);
    tournaments_on_done *on_done;
    void *news_owner;
    struct tournament_job *jobs; // under way, in no order
    uint64_t last_job;
    struct tournament_wait *waits;
    bool looking, resigned, closing;
    int64_t looked_ms;
    int bell; // rung when one is done
    struct event *on_bell;
};

// plan.c
// 200, or 400 and `error`.
int tournament_make_plan(const struct tournaments *t, const struct tournaments_request *q, struct contest_plan *plan,
                         struct tournament_entrant *who, char error[TOURNAMENTS_SAY]);
// Whether all bots outside are there, from any thread; false: `why` says who is not. `stop` as in contest_reach_all.
bool tournament_reach_bots(const struct tournament *x, const atomic_bool *stop, char why[CONTEST_WHY]);
int tournament_check_agents(const struct tournaments *t, struct tournament *x,
                            char error[TOURNAMENTS_SAY]); // likewise: may they play?
bool tournament_is_deleted(const struct store_agent *a);
const char *tournament_bar(const struct store_agent *a, const char *game); // why it may not; NULL: it may
// Two agents may have one name: then the number that only one has goes with it.
void tournament_name_agent(struct tournament *x, int entrant, uint64_t public_no);
bool tournament_is_seated(const struct tournament *x); // a registered agent takes part
const struct tournaments_game *tournaments_find_game(const struct tournaments *t, const char *name);

// keep.c: OK or ERR_STORAGE, errno tells why
int tournament_save(const struct tournament *x);
int tournament_save_entry(const struct tournament *x, const struct tournament_entrant *e);
int tournament_drop_entry(const struct tournament *x, struct uuid agent);
int tournament_save_end(const struct tournament *x, enum tournament_status status, int64_t finished_ms, uint64_t done,
                        struct span standings);
int tournament_load(struct tournament *x, const char *name); // x->owner is set; ERR_FORMAT when it is none
// The same from the files' bytes; entries: a line for each. What x had is forgotten.
int tournament_parse(struct tournament *x, struct span plan, struct span entries, struct span end);
bool tournament_is_entry(const char *file);
int tournament_read_live(struct tournament *x, struct span file); // of its director: games done, standings
void tournament_write_live(uint64_t done, struct span standings, struct text *out);
int tournament_read_end(const struct tournament *x, struct text *out); // the whole file
struct span tournament_standings_of(struct span end);
void tournament_path(const struct tournament *x, const char *file, char out[TOURNAMENT_PATH]);
int tournament_read_file(const char *path, struct text *out);

// shared.c: tournaments of several nodes (S47)
bool shared_is(const struct tournament *x); // the store keeps it
bool shared_open(struct tournaments *t);    // false: no memory
void shared_step(struct tournaments *t, int64_t now_ms);
void shared_begin(struct tournament *x);                // as tournament_begin, by a job
void shared_sync(struct tournament *x, int64_t now_ms); // what its files have and the store has not
void shared_end_life(struct tournament *x);             // what it came to is put; when it has finished, its end
int shared_forward(struct tournaments *t, struct tournament *x, const char *what, struct uuid agent, uint64_t *job,
                   char error[TOURNAMENTS_SAY]);
void shared_put_standings(const struct tournament *x, struct text *out);
void shared_keep_standings(struct tournament_job *e); // of an end that is written
// As pread, of one of its files in the store; ERR_STORAGE.
int64_t shared_read(const struct tournament *x, const char *file, void *out, size_t size, uint64_t from);

// life.c
bool tournament_flush(struct tournament_life *l); // the journal's lines are in its file
int tournament_live(struct tournament *x);        // OK: it is being played
void tournament_stop(struct tournament *x);       // asked to
int tournament_bury(struct tournament *x); // waits for its threads; OK, or why it stopped; what became of it is in x
bool tournament_is_over(struct tournament *x);
// Cancelling, in two parts: nothing more is played, and what it came to; then all that on disk, from any thread.
int tournament_begin_end(struct tournament *x, struct text *standings,
                         uint64_t *done); // OK, ERR_OVER: it has just finished, ERR_FULL
int tournament_write_end(struct tournament *x, struct span standings, uint64_t done,
                         int64_t now_ms); // OK or ERR_STORAGE

// job.c: what has to be on disk before anybody hears of it. A thread of its own writes it, so that the loop waits
// for no disk; then `conclude` is called from the loop. Where the store keeps it, a job of the loop's puts it and
// waits.
struct tournament_job {
    struct tournament_job *next;
    struct tournaments *tournaments;
    struct tournament *tour;
    uint64_t number;
    int (*run)(struct tournament_job *e); // in the thread, or the loop's job
    void (*conclude)(struct tournament_job *e);
    struct text standings; // of an end
    struct tournament_entrant entrant;
    uint64_t public_no; // of that agent
    uint64_t done;
    int64_t now_ms;
    char why[CONTEST_WHY]; // a bot outside is not there; empty: all are
    const char *what;      // asked of the director of another node
    int status;            // that it gave
    int err;               // what `run` said
    int system_error;      // errno then
    pthread_t thread;
    atomic_bool over;
};
bool jobs_open(struct tournaments *t);
void jobs_close(struct tournaments *t); // waits for those under way, and concludes none
// Takes its own copy; its number. 0: there is no memory or no thread for it, and nothing was done.
uint64_t job_send(const struct tournament_job *e);

// tournaments.c
bool tournaments_step(
    struct tournaments *t); // a quarter of a second has passed; whether anything is left to look after
struct tournament *tournaments_find_made(const struct tournaments *t, struct uuid id); // NULL: unknown
int tournament_refuse(char error[TOURNAMENTS_SAY], int status, const char *what);
void tournament_tell_done(const struct tournament_job *e, int status, struct uuid id, const char *said);
void tournament_log(enum log_level level, const char *event, const struct tournament *x, const char *why);
void tournament_begin(struct tournament *x, int64_t now_ms);
void tournament_settle(struct tournament *x); // what only the living need
struct tournament *tournament_create(const struct tournaments *t);
void tournament_destroy(struct tournament *x);
bool tournaments_add(struct tournaments *t, struct tournament *x);
void tournament_complete(struct tournament *x); // what follows from its files

// entry.c
// 200 when agents may enter what was asked; else 400 and `error`.
int entry_check(const struct tournaments *t, const struct tournaments_request *q, struct tournament_entrant *who,
                char error[TOURNAMENTS_SAY]);
void entry_open(struct tournament *x);                         // what was asked has been checked
void entry_restore(struct tournament *x);                      // found on disk: who was deleted meanwhile has left
bool entry_is_due(const struct tournament *x, int64_t now_ms); // it is full, or its time has come
// It begins, or ends for want of entrants.
void entry_end(struct tournaments *t, struct tournament *x, int64_t now_ms);
void entry_delete(struct tournaments *t, struct tournament *x, struct uuid agent); // it was deleted
int entry_cancel(struct tournaments *t, struct tournament *x, uint64_t *job);      // OK or ERR_FULL

// games.c
void games_write(FILE *f, const struct contest *c, uint64_t index); // appends; the contest is locked

// absent.c: games that cannot be played because somebody is not there
void absent_note(struct tournament *x, const struct contest_game *game, const bool ready[GAME_MAX_SEATS],
                 int64_t now_ms);
bool absent_judge(struct tournament *x, const struct contest_game *game, int64_t now_ms); // true: it has a result now

// seated.c
void seated_resume(struct tournament *x);                             // finds its matches again
void seated_step(struct tournament *x, int64_t now_ms);               // seats whoever can be
bool seated_over(struct tournament *x, const struct store_match *m);  // a match ended; false: it is none of its own
struct uuid seated_match(const struct tournament *x, uint64_t index); // the id of a game's match
void seated_derive_key(const struct tournament *x, uint64_t set, uint8_t key[RNG_KEY_BYTES]);
void seated_put(struct tournament *x, uint64_t index, const struct contest_result *r);
void tournament_wake(struct tournament_life *l, bool played);

// tell.c
void tournament_snapshot(struct contest *seen, struct contest *c); // copies the figures
void tournament_describe_standings(const struct tournament *x, struct contest *c, struct text *out);

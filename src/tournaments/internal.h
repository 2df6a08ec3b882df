// Shared by the files of this room. Unless stated otherwise, functions are called on the loop's thread.
#pragma once

#include "contest/journal.h"
#include "net/log.h"
#include "tournaments/tournaments.h"
#include "work/work.h"

#include <limits.h>
#include <stdatomic.h>

// TOURNAMENT_TABLES: games of agents that one tournament plays at once.
enum { TOURNAMENT_SECRET = 32, TOURNAMENT_PATH = PATH_MAX, TOURNAMENT_TABLES = 16 };

// A game that is played as a match of the lobby.
struct tournament_table {
    uint64_t index;
    struct uuid match;
    bool found; // found in the store after a restart; the lobby may have failed to resume the match
};

struct tournament_entrant {
    char shown[STORE_NAME + 32];
    struct uuid agent;  // zero: a house bot or an HTTP bot
    int64_t entered_ms; // when the agent entered by itself; 0: named by the operator
    bool gone;          // the agent was deleted: it loses its remaining games (F5.16)
};

// A tournament while it is being played. Its keeper thread saves the journal, takes snapshots of the standings while
// others play, and writes the end.
struct tournament_run {
    struct tournament *tour;
    const struct tournaments *tournaments;
    // Has a lock of its own (contest_lock): the players, the keeper and the loop use it.
    struct contest contest;
    struct contest_run runner;
    struct journal journal;
    FILE *games;     // rows of finished games (games.c)
    bool closed;     // the files are closed; guarded by `lock`
    bool seating;    // a job is seating players and holds a pointer to this, so it is not freed, even if it is over
    uint64_t sought; // games with a lower number have been looked up in the store
    int64_t looked_ms[CONTEST_ENTRANTS]; // when an entrant was last found to be away
    struct loop loop;                    // for games with HTTP bots; runs on the player thread
    char replays[TOURNAMENT_PATH];
    pthread_t keeper;
    struct contest seen;                              // the keeper's copy of the contest's figures
    struct tournament_table table[TOURNAMENT_TABLES]; // loop's thread only; tournaments with registered agents
    int tables;
    // Since when a game waits for this entrant; 0: none does. In memory only: a restart begins the wait anew, so that
    // maintenance costs nobody a game (decision 054).
    int64_t missed_ms[CONTEST_ENTRANTS];
    pthread_mutex_t lock; // guards all members below
    pthread_cond_t changed;
    struct text standings; // the newest snapshot, as JSON
    uint64_t done;
    bool played;                  // nothing is left to play, or playing was stopped
    bool ended;                   // the end is being written or was written; only one thread may do it
    bool over;                    // the keeper thread has finished
    int err;                      // why playing stopped early; OK: it did not
    char why[CONTEST_ERROR_ROOM]; // a longer explanation of `err`, or empty
    int64_t finished_ms;          // set by the keeper; 0: the tournament did not finish
};

struct tournament_job;

struct tournament {
    const struct tournaments *owner;
    const struct tournaments_game *game; // NULL: this server does not play the game any more
    char game_name[24];
    char title[4 * TOURNAMENTS_TITLE + 1];
    struct uuid id;
    enum contest_format format;
    enum tournament_status status;
    bool mirrored;
    bool outside; // an HTTP bot takes part
    bool made;    // the request is durable, so clients may see the tournament
    // While jobs are in progress the tournament is neither started nor ended: their writes may still fail.
    int busy;        // jobs in progress, without requests for the director at another node
    int entering;    // of these, entries of agents
    bool ending;     // its end is being written while it is open: nobody may enter or withdraw
    bool has_agents; // a registered agent takes part: games are matches of the lobby
    int entrants;
    struct tournament_entrant *entrant;
    int64_t created_ms, started_ms, finished_ms, retry_ms;
    int64_t entry_until_ms; // 0: it was never open for entries
    int entry_max, wait_seconds;
    uint64_t games, done, total, seed; // games: as in contest_plan
    // Ids and keys of agents' games come from it (decision 009): whoever knows the seed can predict neither.
    uint8_t secret[TOURNAMENT_SECRET];
    struct tournaments_request *request; // the original request; NULL when the tournament is over
    struct tournament_run *run;          // NULL: nothing is being played
    char why[CONTEST_ERROR_ROOM];        // why playing stopped last, if more is known than an error code

    // For several nodes (director.c).
    bool directs;            // this node is the director; always true for a single server
    bool loading;            // a job is reading or starting it
    bool wanted;             // this node has claimed the director's role
    uint64_t changes;        // of the store's files, when they were read
    struct text published;   // standings as the director last published them
    int64_t published_ms;    // when this node published them
    uint64_t published_done; // number of games in them
    // Entrants that were deleted here, which its director does not know yet; room for CONTEST_ENTRANTS, NULL until
    // there is one. Not marks in `entrant`, which is read anew when the store's files change.
    struct uuid *deleted;
    int deletions;
    // Bytes of the two files that were put into the store, always whole lines: so that the next director reads no torn
    // one.
    uint64_t journal_at, games_at;
};

// A forwarded request that waits for the result of a job (tournaments_execute). It is on the stack of a job of the
// loop.
struct tournament_wait {
    struct tournament_wait *next;
    uint64_t job;
    int status;
    char said[TOURNAMENTS_ERROR_ROOM];
    struct work_waiters line;
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
    struct tournament_job *jobs; // in progress, in no order
    uint64_t last_job;
    struct tournament_wait *waits;
    bool looking, resigned, closing;
    int64_t looked_ms;
    int done_fd; // eventfd, written when a job thread has finished: the only way from the threads to the loop
    struct event *done_event;
};

// plan.c
// Returns 200, or 400 and sets `error`.
int tournament_make_plan(const struct tournaments *t, const struct tournaments_request *q, struct contest_plan *plan,
                         struct tournament_entrant *who, char error[TOURNAMENTS_ERROR_ROOM]);
// Checks that all HTTP bots answer; from any thread. Returns false and sets `why` if one does not. `stop` as in
// contest_check_health.
bool tournament_check_bots(const struct tournament *x, const atomic_bool *stop, char why[CONTEST_ERROR_ROOM]);
// Returns 200, or a status and `error` if an agent may not play.
int tournament_check_agents(const struct tournaments *t, struct tournament *x, char error[TOURNAMENTS_ERROR_ROOM]);
bool tournament_is_deleted(const struct store_agent *a);
// Why the agent may not play; NULL: it may.
const char *tournament_why_barred(const struct store_agent *a, const char *game);
// Sets the name shown for an agent. If two agents have the same name, the public number is added.
void tournament_name_agent(struct tournament *x, int entrant, uint64_t public_no);
bool tournament_has_agents(const struct tournament *x); // a registered agent takes part
const struct tournaments_game *tournaments_find_game(const struct tournaments *t, const char *name);

// files.c: the folder of a tournament. Functions return OK, or ERR_STORAGE with errno set.
int tournament_save(const struct tournament *x);
int tournament_save_entry(const struct tournament *x, const struct tournament_entrant *e);
int tournament_drop_entry(const struct tournament *x, struct uuid agent);
int tournament_save_end(const struct tournament *x, enum tournament_status status, int64_t finished_ms, uint64_t done,
                        struct span standings);
// x->owner must be set. ERR_FORMAT if the folder holds no tournament.
int tournament_load(struct tournament *x, const char *name);
// The same from the contents of the files; `entries` has one per line. Replaces what x held.
int tournament_parse(struct tournament *x, struct span plan, struct span entries, struct span end);
bool tournament_is_entry(const char *file);
// Reads what the director published: games done and standings.
int tournament_read_live(struct tournament *x, struct span file);
void tournament_write_live(uint64_t done, struct span standings, struct text *out);
int tournament_read_end(const struct tournament *x, struct text *out); // reads the whole of end.json
struct span tournament_standings_of(struct span end);
void tournament_path(const struct tournament *x, const char *file, char out[TOURNAMENT_PATH]);
int tournament_read_file(const char *path, struct text *out);

// director.c: tournaments of several nodes (S47)
bool tournament_is_shared(const struct tournament *x); // the store keeps its files
bool director_open(struct tournaments *t);             // false: no memory
void director_step(struct tournaments *t, int64_t now_ms);
void director_begin(struct tournament *x);                // as tournament_begin, in a job
void director_sync(struct tournament *x, int64_t now_ms); // puts into the store what the local files have beyond it
// Puts the last results into the store, and the end if the tournament has finished.
void director_end_run(struct tournament *x);
int director_forward(struct tournaments *t, struct tournament *x, const char *what, struct uuid agent, uint64_t *job,
                     char error[TOURNAMENTS_ERROR_ROOM]);
void director_report_deletion(struct tournaments *t, struct tournament *x, struct uuid agent); // to the director
void director_put_standings(const struct tournament *x, struct text *out);
void director_keep_standings(struct tournament_job *e); // of an end that is written
// As pread, of one of its files in the store; ERR_STORAGE.
int64_t director_read(const struct tournament *x, const char *file, void *out, size_t size, uint64_t from);

// run.c: a tournament while it is being played
bool tournament_flush(struct tournament_run *run); // writes buffered lines of the journal to its file
int tournament_start(struct tournament *x);        // starts playing; OK or why it cannot
void tournament_stop(struct tournament *x);        // asks the threads to stop
// Waits for the threads and frees x->run. Returns OK or why playing stopped. The outcome is stored in x.
int tournament_discard(struct tournament *x);
bool tournament_is_over(struct tournament *x);
// Cancelling has two steps. The first stops playing and computes the final standings: OK, ERR_OVER if it has just
// finished, or ERR_FULL. The second writes them, from any thread: OK or ERR_STORAGE.
int tournament_begin_end(struct tournament *x, struct text *standings, uint64_t *done);
int tournament_write_end(struct tournament *x, struct span standings, uint64_t done, int64_t now_ms);

// jobs.c: changes that must be durable before they are reported. A thread runs `run`, so that the loop never waits
// for a disk; then `conclude` is called on the loop. If the store keeps the files, `run` is called in a job of the loop
// instead, which waits until the puts are durable.
struct tournament_job {
    struct tournament_job *next;
    struct tournaments *tournaments;
    struct tournament *tour;
    uint64_t number;
    int (*run)(struct tournament_job *e); // on the thread, or in the job of the loop
    // Called on the loop; not called by jobs_close.
    void (*conclude)(struct tournament_job *e);
    struct text standings; // final standings; the job frees them
    struct tournament_entrant entrant;
    uint64_t public_no; // the agent's
    uint64_t done;
    int64_t now_ms;
    char why[CONTEST_ERROR_ROOM]; // explains that an HTTP bot cannot be reached; empty: all can
    const char *what;             // a request for the director at another node; NULL: none
    int status;                   // the director's reply
    int err;                      // what `run` returned
    int system_error;             // errno after `run`
    pthread_t thread;
    // Set by the thread as the last thing it does; then the loop joins it.
    atomic_bool over;
};
bool jobs_open(struct tournaments *t);
void jobs_close(struct tournaments *t); // waits for the threads; calls no `conclude`
// Copies the job and starts it. Returns its number, or 0 without memory or thread; then nothing was done.
uint64_t job_send(const struct tournament_job *e);

// tournaments.c
// Called every 250 ms. Returns whether anything is left to look after.
bool tournaments_step(struct tournaments *t);
struct tournament *tournaments_find_made(const struct tournaments *t, struct uuid id);   // NULL if unknown
int tournament_refuse(char error[TOURNAMENTS_ERROR_ROOM], int status, const char *what); // returns the status
int tournament_refuse_memory(char error[TOURNAMENTS_ERROR_ROOM]);                        // returns 503
void tournament_report_done(const struct tournament_job *e, int status, struct uuid id, const char *said);
void tournament_log(enum log_level level, const char *event, const struct tournament *x, const char *why);
void tournament_begin(struct tournament *x, int64_t now_ms);
void tournament_free_request(struct tournament *x); // frees what only an unfinished tournament needs
struct tournament *tournament_create(const struct tournaments *t);
void tournament_destroy(struct tournament *x);
bool tournaments_add(struct tournaments *t, struct tournament *x);
void tournament_complete(struct tournament *x); // sets what is derived from its files

// entry.c
// Checks a request for an open tournament. Returns 200, or 400 and sets `error`.
int entry_check(const struct tournaments *t, const struct tournaments_request *q, struct tournament_entrant *who,
                char error[TOURNAMENTS_ERROR_ROOM]);
void entry_open(struct tournament *x);    // the request was checked before
void entry_restore(struct tournament *x); // after reading it from disk: agents deleted meanwhile leave
bool entry_is_due(const struct tournament *x, int64_t now_ms); // it is full, or its time is over
// Starts it, or ends it if there are too few entrants.
void entry_end(struct tournaments *t, struct tournament *x, int64_t now_ms);
void entry_delete(struct tournaments *t, struct tournament *x, struct uuid agent); // an agent was deleted
int entry_cancel(struct tournaments *t, struct tournament *x, uint64_t *job);      // OK or ERR_FULL

// games.c
void games_write(FILE *f, const struct contest *c, uint64_t index); // appends a row; the caller has locked the contest

// forfeit.c: games lost by entrants that are away too long
void forfeit_note_absence(struct tournament *x, const struct contest_game *game, const bool ready[GAME_MAX_SEATS],
                          int64_t now_ms);
// Returns true if the game has a result now.
bool forfeit_if_absent(struct tournament *x, const struct contest_game *game, int64_t now_ms);

// agent_matches.c: games of registered agents, which are matches of the lobby
void agent_matches_resume(struct tournament *x);               // looks its matches up after a restart
void agent_matches_step(struct tournament *x, int64_t now_ms); // seats players who are ready
// A match has ended. Returns false if it belongs to another tournament.
bool agent_matches_end(struct tournament *x, const struct store_match *m);
struct uuid agent_matches_id(const struct tournament *x, uint64_t index); // the id of a game's match
// The key of all games of a set: mirrored games have the same cards.
void agent_matches_key(const struct tournament *x, uint64_t set, uint8_t key[RNG_KEY_BYTES]);
// Hands a result to the contest.
void agent_matches_put_result(struct tournament *x, uint64_t index, const struct contest_result *r);
// Wakes the keeper; `played`: nothing is left to play.
void tournament_wake(struct tournament_run *run, bool played);

// standings.c
void tournament_snapshot(struct contest *seen, struct contest *c); // copies the figures that the standings need
void tournament_describe_standings(const struct tournament *x, struct contest *c, struct text *out);

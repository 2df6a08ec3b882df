// Tournaments of a server (F5.13): created by the operator, played in the background, kept in a folder, and resumed
// after a restart.
//
// A tournament may be open for entries first: agents enter until its time is over, it is full, or the operator starts
// it. No game waits for ever: an entrant that is away too long loses the game, and a deleted one loses all its
// remaining games (decision 054).
//
// A tournament is a contest (contest/contest.h), so its figures are those that the command line would print. House bots
// and HTTP bots play on threads of low priority that belong to the tournament. The event loop only takes snapshots: it
// never waits for a game, the journal or the disk. All functions here are called on the loop's thread.
//
// Each tournament has a folder inside options.folder: the request (tournament.json), an entry-AGENT.json for each agent
// that entered, the contest's journal, the replays, and end.json with the final standings. A tournament with end.json
// is over.
//
// With several nodes (struct tournaments_nodes) one node, the director, runs each tournament; all nodes report on it
// and accept requests about it (S47). Then the store keeps the files, and the folder holds only the director's working
// copies.
#pragma once

#include "contest/play.h"
#include "lobby/lobby.h"

enum {
    TOURNAMENTS_ENTRANT = CONTEST_NAME + CONTEST_ADDRESS,
    TOURNAMENTS_ERROR_ROOM = 640,
    TOURNAMENTS_KEPT = 10000, // most tournaments that are kept, running and past
};

struct tournaments;
struct tournament;

// A game that tournaments can be played in.
struct tournaments_game {
    const struct codec *codec;
    const struct game_kit *kit;
    const struct contest_facts *facts;
};

// How nodes share their tournaments. After tournaments_open, a function that reads, waits or asks is called in a job of
// the loop, because it may suspend the caller.
struct tournaments_nodes {
    void *owner;
    // Files of the store, as in store.h (store_put_tournament_file).
    void (*put)(void *owner, struct uuid tour, const char *file, uint64_t at, struct span bytes, bool ends);
    void (*drop)(void *owner, struct uuid tour, const char *file);
    bool (*wait)(void *owner); // until all puts are durable; false: the store cannot tell
    int (*list)(void *owner, bool all, struct store_tournament *out, int room);
    bool (*read)(void *owner, struct uuid tour, store_each_tournament_file *each, void *each_owner);
    bool (*read_file)(void *owner, struct uuid tour, const char *file, uint64_t from, uint64_t to,
                      store_each_tournament_file *each, void *each_owner);
    // Claims the director's role for this node, or gives it up.
    void (*want)(void *owner, struct uuid tour, bool wanted);
    bool (*holds)(void *owner, struct uuid tour); // this node has the role
    // Sends a request to the director. Returns an HTTP status and sets `said`, or 0 if nobody answers.
    int (*ask)(void *owner, const struct lobby_tournament_request *w, char said[LOBBY_TOURNAMENT_ERROR_ROOM]);
};

struct tournaments_options {
    const struct tournaments_nodes *nodes; // NULL: a single server, which keeps them in its folder
    struct loop *loop;
    struct lobby *lobby;
    const struct tournaments_game *games; // ends with a NULL codec
    const char *folder;                   // created with the first tournament
    int64_t (*now_ms)(void);              // called from any thread
    int max_running;                      // open and running ones; 0: none can be created
    uint64_t max_games;                   // most games of one tournament
    struct seat_options seats;            // for HTTP bots
};

void tournaments_defaults(struct tournaments_options *o);
struct tournaments *
tournaments_open(const struct tournaments_options *o); // resumes interrupted tournaments; NULL without memory
void tournaments_close(struct tournaments *t);         // interrupts running tournaments; waits for their threads
void tournaments_resign(struct tournaments *t);        // S60: lets other nodes direct them from now on
// Executes a request that another node has forwarded (lobby_on_tournament_request). Returns the HTTP status; called in
// a job.
int tournaments_execute(struct tournaments *t, const struct lobby_tournament_request *w,
                        char said[LOBBY_TOURNAMENT_ERROR_ROOM]);
// The result of a job: 201 for a created tournament; 200 with `said` "cancelled", "entered", "withdrawn" or "running";
// or 503 with the reason in `said`.
typedef void tournaments_on_done(void *owner, uint64_t job, int status, struct uuid id, const char *said);
// Sets the callbacks, which run on the loop. `on_news`: something has changed; it returns true to be called again soon
// in any case. `on_done`: a job has ended.
void tournaments_listen(struct tournaments *t, bool (*on_news)(void *owner), tournaments_on_done *on_done, void *owner);
void tournaments_wake(struct tournaments *t); // starts the timer, which calls on_news

// --- creating and ending a tournament

enum {
    TOURNAMENTS_TITLE = 80,           // most characters of a title
    TOURNAMENTS_WAIT = 3600,          // seconds; the default of wait_seconds
    TOURNAMENTS_MOST_WAIT = 604800,   // a week
    TOURNAMENTS_MOST_ENTRY = 2592000, // 30 days
};

struct tournaments_request {
    char title[4 * TOURNAMENTS_TITLE + 1]; // empty: named after its game and format
    char game[24];
    enum contest_format format;
    int entrants;
    char entrant[CONTEST_ENTRANTS]
                [TOURNAMENTS_ENTRANT]; // as on the command line: [LABEL=]house:NAME or a URL; or the uuid of an agent
    uint64_t games;                    // in all; rounded up to whole sets and rounds; 0: default
    uint64_t rounds;                   // of a Swiss tournament, instead of `games`; 0: not given
    uint64_t seed;
    bool has_seed; // false: the server draws one
    bool mirrored;
    int wait_seconds;  // an agent that is away for so long loses the game that waits for it; 0: TOURNAMENTS_WAIT
    int entry_seconds; // how long agents may enter; 0: starts at once, with the named entrants
    int entry_max;     // most entrants, the named ones included; 0: CONTEST_ENTRANTS
    uint64_t per_pair; // games of each pair that meets, instead of `games`; 0: not given
};

// The following functions return an HTTP status. 202: accepted; on_done reports the result of `job` when it is durable.
// 400, 404, 409 or 503: nothing was changed, and `why` says what would be right.
int tournaments_create(struct tournaments *t, const struct tournaments_request *q, uint64_t *job,
                       char why[TOURNAMENTS_ERROR_ROOM]);
int tournaments_cancel(struct tournaments *t, struct uuid id, uint64_t *job, char why[TOURNAMENTS_ERROR_ROOM]);
// Entry of an agent. Also returns 200 if the agent has entered already.
int tournaments_enter(struct tournaments *t, struct uuid id, const struct store_agent *a, uint64_t *job,
                      char why[TOURNAMENTS_ERROR_ROOM]);
int tournaments_withdraw(struct tournaments *t, struct uuid id, struct uuid agent, uint64_t *job,
                         char why[TOURNAMENTS_ERROR_ROOM]);
// Starts an open tournament before its time.
int tournaments_begin(struct tournaments *t, struct uuid id, uint64_t *job, char why[TOURNAMENTS_ERROR_ROOM]);
// The agent was deleted: it leaves open tournaments and loses its remaining games in running ones.
void tournaments_drop_agent(struct tournaments *t, struct uuid agent);

// --- reading

enum tournament_status { TOURNAMENT_RUNNING, TOURNAMENT_FINISHED, TOURNAMENT_CANCELLED, TOURNAMENT_OPEN };
extern const char *const tournament_status_names[];
bool tournament_status_is_past(enum tournament_status status);

struct tournament_facts {
    struct uuid id;
    const char *title; // empty: none was given
    const char *game;
    enum contest_format format;
    enum tournament_status status;
    int entrants;
    int64_t created_ms, started_ms, finished_ms; // 0: not yet
    int64_t entry_until_ms;                      // 0: it was never open for entries
    int entry_max;                               // likewise
    int wait_seconds;
    uint64_t done, total; // number of games; for an open tournament, as if it started now
    uint64_t seed;        // secret while it runs: it determines the cards
    uint64_t version;     // differs when `done` or `status` differs
};

int tournaments_count_running(const struct tournaments *t);                             // directed by this node
const struct tournament *tournaments_find(const struct tournaments *t, struct uuid id); // NULL if unknown
// Newest first; `game` NULL: of all games. Returns how many were written and sets `total`.
int tournaments_list(const struct tournaments *t, const char *game, int from, const struct tournament **out, int room,
                     int *total);
struct tournament_facts tournament_summary(const struct tournament *x);
const char *tournament_entrant(const struct tournament *x, int entrant);       // the name shown for it
void tournament_write_standings(const struct tournament *x, struct text *out); // writes a JSON array, best first

struct tournament_game {
    uint64_t index;
    int seats;
    int8_t entrant[GAME_MAX_SEATS]; // by seat, like the payoffs
    int32_t payoffs[GAME_MAX_SEATS];
    enum contest_end end;
    int8_t at_fault;    // seat; -1: nobody
    uint8_t forfeit;    // enum lobby_forfeit
    uint64_t seed;      // determines its cards
    int64_t at_ms;      // when it ended
    struct uuid replay; // zero: not available, or not yet
};
// Games that the standings count, by number. Returns how many were written, or ERR_STORAGE.
int tournament_list_games(const struct tournament *x, uint64_t from, struct tournament_game *out, int room,
                          uint64_t *total);
// Whether the replay of a finished match may be shown. Not while a mirrored game with the same cards may still be
// played.
bool tournaments_shows(const struct tournaments *t, const struct store_match *m);
// Reads the replay of a game and fills `m` as the record of a match. The caller frees log->at. Returns OK, ERR_UNKNOWN
// or ERR_STORAGE.
int tournaments_load_replay(const struct tournaments *t, struct uuid replay, struct store_match *m, struct text *log);
